"""One file per programming language; discovered by folder."""
