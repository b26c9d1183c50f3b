"""What the toolset `coder` is."""

from __future__ import annotations

from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="coder",
    summary="Patches and structured edits for coding agents.",
    policy={"partial": False, "batch": "sequential"},
)
