"""What the toolset `claude-code` is."""

from __future__ import annotations

from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="claude-code",
    summary="Claude Code's Edit, MultiEdit, Write and Read.",
    is_native=True,
)
