"""One file per dialect, each ending with `DIALECT = Dialect(…)`; a table names them."""
