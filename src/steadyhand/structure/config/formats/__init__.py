"""One file per format; named in a table."""
