"""What of a workspace's files can be addressed, and where an address leads. Reads, and changes nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from steadyhand.errors import EditError
from steadyhand.session.checks import AnyPath
from steadyhand.structure.outline import LIMIT

if TYPE_CHECKING:
    from steadyhand.structure.outline import Location, Outline
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence
    from steadyhand.text.source import Source


Answer = TypeVar("Answer")


class Outlines(ABC):
    """The two questions one asks before an edit by structure."""

    def outline(
        self,
        path: AnyPath,
        *,
        within: Target | str | None = None,
        depth: int | None = None,
        limit: int | None = LIMIT,
        encoding: str | None = None,
    ) -> Outline:
        """What can be addressed in a file: headings, elements, symbols, keys, each with its address."""
        from steadyhand.structure.outline import outline

        source = self.source(path, encoding=encoding)
        return _named(source, lambda: outline(source, within=within, depth=depth, limit=limit))

    def locate(
        self, path: AnyPath, target: Target | str, *, which: Occurrence = "unique", encoding: str | None = None
    ) -> tuple[Location, ...]:
        """Where an address leads: lines and bytes. Refuses as an edit there would."""
        from steadyhand.structure.outline import locate

        source = self.source(path, encoding=encoding)
        return _named(source, lambda: locate(source, target, which=which))

    @abstractmethod
    def source(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        """A file's text."""


def _named(source: Source, ask: Callable[[], Answer]) -> Answer:
    """An answer, or the refusal with the file's name."""
    try:
        return ask()
    except EditError as error:
        message = f"{source.path}: {error.message}"
        raise EditError(error.kind, message, hint=error.hints, details={"path": source.path, **error.details}) from None
