"""HTML pages: the tree a browser makes of them, with the place in the source of everything that has one."""
