"""What the toolset `openai` is."""

from __future__ import annotations

from steadyhand.tools.phrases import NATIVE
from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="openai",
    summary="OpenAI's apply_patch, as its models know it.",
    policy={"partial": False, "batch": "sequential"},
    is_native=True,
    phrases=NATIVE,
)
