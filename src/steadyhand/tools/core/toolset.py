"""What the toolset `core` is."""

from __future__ import annotations

from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="core",
    summary="The default: few tools, everything reachable, any target and any dialect.",
)
