"""One file per repair; named in a table, ordered by rank."""
