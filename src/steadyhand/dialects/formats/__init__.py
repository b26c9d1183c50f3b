"""One file per dialect, each ending with `DIALECT = Dialect(…)`; the folder is the registry."""
