"""What the toolset `gemini` is."""

from __future__ import annotations

from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="gemini",
    summary="The Gemini command line's replace and write_file.",
    policy={"partial": False, "batch": "sequential"},
    is_native=True,
)
