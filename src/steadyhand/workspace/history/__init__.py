"""The history of files and what each party has seen of it: versions, undo, others' changes, leases, clones."""
