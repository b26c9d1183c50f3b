"""One file per target; named in a table."""
