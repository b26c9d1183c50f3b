"""Tasks that share files: exact edits, patches and insertions, with modes and findings."""
