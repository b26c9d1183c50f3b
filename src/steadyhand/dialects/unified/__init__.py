"""The parts of reading a unified diff: headers, names, hunks, what stands around them."""
