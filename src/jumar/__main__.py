"""`python -m jumar`."""

from jumar.cli import main

main()
