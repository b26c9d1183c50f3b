"""Programs that start the MCP server: what to paste into their configuration."""
