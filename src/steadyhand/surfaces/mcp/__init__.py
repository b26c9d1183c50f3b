"""The MCP server: toolsets for models over standard input and output, or over HTTP on this machine."""
