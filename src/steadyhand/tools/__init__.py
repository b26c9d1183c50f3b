"""What a model's own tools ask of a workspace, carried out: one function per tool, one answer per call."""
