"""One file per program."""
