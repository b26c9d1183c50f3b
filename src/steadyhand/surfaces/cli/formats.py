"""Names of formats as options take them; the list is the registry of dialects, loaded only when one is asked for."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["FormatName", "FormatOption"]


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
        if found is None or found.name not in self.names():
            self.fail(f"{str(value)!r} is not one of {', '.join(self.names())}", param, ctx)
        return found.name

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]

    def names(self) -> list[str]:
        """Every name there is, in the order of the dialects."""
        from steadyhand.dialects.dialect import dialects

        if self._written:
            return [dialect.name for dialect in dialects() if dialect.write is not None]
        return ["auto", *(dialect.name for dialect in dialects())]


class FormatOption(click.Option):
    """An option whose help names every format it takes."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, FormatName):
            return record
        names = [f"{name} (default)" if name == self.default else name for name in self.type.names()]
        return record[0], f"{record[1]} One of {', '.join(names)}."
