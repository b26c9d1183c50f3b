"""What the toolset `vault` is."""

from __future__ import annotations

from steadyhand.hints import ByText, ChooseOccurrence
from steadyhand.tools.phrases import MODEL, in_fields, say
from steadyhand.tools.toolset import Toolset

_ENDINGS = (
    ".md .markdown .txt .rst .json .jsonc .yaml .yml .toml .ini .conf .cfg .env.example "
    ".html .htm .css .csv .tsv .xml .log"
)


def _occurrence(hint: ChooseOccurrence) -> str:
    numbers = f"1 to {hint.total}" if hint.total else "a number"
    return f'set occurrence to "first", "last", "all" or {numbers}'


TOOLSET = Toolset(
    name="vault",
    summary="A knowledge base of text files: inspect, replace, patch by heading, code block or lines.",
    policy={"tier": "newline", "on_stale": "refuse", "partial": False, "already": "refuse"},
    extensions=tuple(_ENDINGS.split()),
    phrases={
        **MODEL,
        **in_fields("oldText", "newText"),
        ByText: say("send lines, or call TextReplace"),
        ChooseOccurrence: _occurrence,
    },
)
