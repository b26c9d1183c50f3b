"""One file per language; named in a table."""
