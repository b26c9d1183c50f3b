"""The journal on a PostgreSQL server, for several machines at once; no other store enters this package."""
