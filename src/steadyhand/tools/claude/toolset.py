"""What the toolset `claude` is."""

from __future__ import annotations

from steadyhand.tools.phrases import native_fields
from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="claude",
    summary="Anthropic's text editor and memory tools, as its models know them.",
    policy={"partial": False, "batch": "sequential"},
    is_native=True,
    phrases=native_fields("old_str", "new_str"),
)
