"""The parts of reading and writing SEARCH/REPLACE: marks, names, the two sides."""
