"""One file per guard; named in a table, ordered by rank."""
