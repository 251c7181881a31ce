"""Styles: one data file each, named after the style. `announced.txt` lists those that a later version will have."""
