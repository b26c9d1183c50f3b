"""The parts of reading and writing V4A: marks, passages, rows."""
