"""Markdown: where headings, code, tables, lists and front matter stand, by row."""
