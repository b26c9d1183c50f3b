"""One file per format; discovered by folder."""
