"""What the toolset `claude-code` is."""

from __future__ import annotations

from steadyhand.tools.phrases import native_fields
from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="claude-code",
    summary="Claude Code's Edit, MultiEdit, Write and Read.",
    policy={"partial": False, "batch": "sequential"},
    is_native=True,
    phrases=native_fields("old_string", "new_string"),
)
