"""Source code to definitions: names, kinds and exact spans, read from a syntax tree."""
