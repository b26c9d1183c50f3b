"""What the toolset `vault` is."""

from __future__ import annotations

from steadyhand.tools.toolset import Toolset

_ENDINGS = (
    ".md .markdown .txt .rst .json .jsonc .yaml .yml .toml .ini .conf .cfg .env.example "
    ".html .htm .css .csv .tsv .xml .log"
)

TOOLSET = Toolset(
    name="vault",
    summary="A knowledge base of text files: inspect, replace, patch by heading, code block or lines.",
    policy={"tier": "newline", "on_stale": "refuse", "partial": False, "already": "refuse"},
    extensions=tuple(_ENDINGS.split()),
)
