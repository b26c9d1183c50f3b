"""HTML pages and templates."""
