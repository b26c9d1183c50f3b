"""Names of formats as options take them; the list is the registry of dialects, loaded only when one is asked for."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem


class FormatName(click.ParamType[str]):
    """`auto` where that is allowed, or the name of a dialect; with `written`, of one that can be written."""

    name = "format"

    def __init__(self, *, written: bool = False) -> None:
        self._written = written

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == "auto" and not self._written:
            return "auto"
        from steadyhand.dialects.dialect import dialect_named

        found = dialect_named(str(value))
        if found is None or found.name not in self._names():
            self.fail(f"{str(value)!r} is not one of {', '.join(self._names())}", param, ctx)
        return found.name

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(name) for name in self._names() if name.startswith(incomplete)]

    def _names(self) -> list[str]:
        from steadyhand.dialects.dialect import dialects

        if self._written:
            return [dialect.name for dialect in dialects() if dialect.write is not None]
        return ["auto", *(dialect.name for dialect in dialects())]
