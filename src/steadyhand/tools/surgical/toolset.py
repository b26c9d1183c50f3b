"""What the toolset `surgical` is."""

from __future__ import annotations

from steadyhand.hints import ChooseOccurrence
from steadyhand.tools.phrases import MODEL
from steadyhand.tools.toolset import Toolset


def _occurrence(hint: ChooseOccurrence) -> str:
    numbers = "1, the only one" if hint.total == 1 else f"1 to {hint.total}" if hint.total else "1, 2 …"
    return f"set occurrence to {numbers}, -1 for the last, or 0 for all"


TOOLSET = Toolset(
    name="surgical",
    summary="Tasks that share files: exact edits, patches and insertions, with modes and findings.",
    policy={"partial": False, "batch": "sequential"},
    phrases={**MODEL, ChooseOccurrence: _occurrence},
)
