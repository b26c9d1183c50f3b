"""The tools that models call: one function per tool, one answer per call."""
