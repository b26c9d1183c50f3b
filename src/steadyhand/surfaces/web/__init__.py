"""Review in a browser: a page for this machine alone, and the same as a file that needs no server."""
