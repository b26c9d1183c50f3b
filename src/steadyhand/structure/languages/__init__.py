"""One file per programming language; named in a table."""
