"""One file per action; named in a table."""
