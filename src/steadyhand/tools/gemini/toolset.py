"""What the toolset `gemini` is."""

from __future__ import annotations

from steadyhand.hints import ExpectCount
from steadyhand.tools.phrases import native_fields
from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="gemini",
    summary="The Gemini command line's replace and write_file.",
    policy={"partial": False, "batch": "sequential"},
    is_native=True,
    phrases={
        **native_fields("old_string", "new_string"),
        ExpectCount: lambda hint: f"set expected_replacements to {hint.count} to change all of them",
    },
)
