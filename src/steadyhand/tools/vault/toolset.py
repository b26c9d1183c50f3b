"""What the toolset `vault` is."""

from __future__ import annotations

from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="vault",
    summary="A knowledge base of text files: inspect, replace, patch by heading, code block or lines.",
    policy={"tier": "newline"},
)
