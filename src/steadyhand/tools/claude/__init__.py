"""The tools that Anthropic's models know: the text editor and the memory."""
