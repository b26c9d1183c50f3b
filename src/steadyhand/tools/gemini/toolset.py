"""What the toolset `gemini` is."""

from __future__ import annotations

from steadyhand.hints import ExpectCount
from steadyhand.tools.phrases import NATIVE
from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="gemini",
    summary="The Gemini command line's replace and write_file.",
    policy={"partial": False, "batch": "sequential"},
    is_native=True,
    phrases={
        **NATIVE,
        ExpectCount: lambda hint: f"send expected_replacements {hint.count}, if all of these places are meant",
    },
)
