"""The tools that Claude Code gives its models: Edit, MultiEdit, Write and Read."""
