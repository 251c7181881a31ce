"""`python -m jumar`."""

from jumar.cli.app import main

main()
