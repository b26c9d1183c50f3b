"""The names of Markdown files."""

from __future__ import annotations

SUFFIXES = (".md", ".markdown", ".mdown", ".mkd", ".mdx")
