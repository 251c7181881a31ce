"""Makers: each turns a brief into one edit of a tree, and says what it expects of it."""
