"""The past of the files, and who knows of it: versions, undo, changes of others, leases, clones."""
