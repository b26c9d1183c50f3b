"""The tools that the Gemini command line gives its models: `replace` and `write_file`."""
