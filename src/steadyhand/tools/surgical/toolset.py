"""What the toolset `surgical` is."""

from __future__ import annotations

from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="surgical",
    summary="Tasks that share files: exact edits, patches and insertions, with modes and findings.",
    policy={"partial": False, "batch": "sequential"},
)
