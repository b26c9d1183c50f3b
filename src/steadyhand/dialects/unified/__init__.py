"""The parts of reading a unified diff: headers, names, hunks, what is around them."""
