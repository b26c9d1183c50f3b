"""The tool that OpenAI's models know: `apply_patch`."""
