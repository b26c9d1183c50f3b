"""What models write, read as requests: unified diffs, V4A, SEARCH/REPLACE, whole files, snippets, JSON. Pure."""
