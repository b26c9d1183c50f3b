"""One file per tier; named in a table, ordered by rank."""
