"""Options whose values are names of a registry: tiers, guards.

The names are asked for only when somebody types one or asks for the help of a command: the list of commands must not
load what they name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["Name", "NamingOption"]


class Name(click.ParamType[str]):
    """One of the names that a function gives; `name` is what they are names of."""

    def __init__(self, name: str, names: Callable[[], tuple[str, ...]]) -> None:
        self.name = name
        self.names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.names():
            self.fail(f"{value!r} is not one of {', '.join(self.names())}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        return [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]


class NamingOption(click.Option):
    """An option of such a type, whose help names every name there is; `remark` follows the last of them."""

    def __init__(self, *args: Any, remark: str = "", **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.remark = remark

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None or not isinstance(self.type, Name):
            return record
        return record[0], f"{record[1]} One of {', '.join(self.type.names())}{self.remark}."
