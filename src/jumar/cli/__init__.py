"""The command line. Each command imports what it needs when it is called, so that `--help` is quick."""
