"""How a workspace reads: a file's text, what of it counts as read by the task, and what can be addressed in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameEncoding
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.text.source import Source
from steadyhand.text.span import Span, joined

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.structure.outline import Location, Outline
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence
    from steadyhand.workspace.sandbox import FileImage


__all__ = ["Reader"]

Answer = TypeVar("Answer")


class Reader:
    """Reads files, and remembers what the task has read."""

    def __init__(self, session: Session) -> None:
        self._store = session.store
        self._view = session.view

    def read(
        self, path: AnyPath, *, encoding: str | None = None, lines: tuple[int, int | None] | None = None
    ) -> Source:
        seq = self._store.head()
        source, image = self._load(path, encoding)
        self._showed(source, image.data, seq, lines)
        return source

    def source(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        return self._load(path, encoding)[0]

    def saw(self, source: Source, lines: tuple[int, int | None] | None = None) -> None:
        self._showed(source, source.to_bytes(), self._store.head(), lines)

    def saw_each(self, source: Source, lines: Sequence[int]) -> None:
        spans = joined(source.table.span_of(line - 1, line - 1) for line in lines)
        is_all = len(set(lines)) == source.table.count
        self._remember(source, source.to_bytes(), self._store.head(), spans, is_all=is_all)

    def last_read(self, path: AnyPath) -> tuple[str | None, str]:
        resolved, image = self._store.read(checks.path_of(path))
        return self._view.last(resolved), image.digest

    def outline(
        self,
        path: AnyPath,
        *,
        within: Target | str | None,
        depth: int | None,
        limit: int | None,
        encoding: str | None,
    ) -> Outline:
        from steadyhand.structure.outline import outline

        source = self.source(path, encoding=encoding)
        return _named(source, lambda: outline(source, within=within, depth=depth, limit=limit))

    def locate(
        self, path: AnyPath, target: Target | str, *, which: Occurrence, encoding: str | None
    ) -> tuple[Location, ...]:
        from steadyhand.structure.outline import locate

        source = self.source(path, encoding=encoding)
        return _named(source, lambda: locate(source, target, which=which))

    def _showed(self, source: Source, data: bytes, seq: int, lines: tuple[int, int | None] | None) -> None:
        whole = (0, source.table.count - 1)
        rows = whole if lines is None else checks.line_range(lines, source.table.count)
        if rows is not None:
            self._remember(source, data, seq, [source.table.span_of(*rows)], is_all=rows == whole)

    def _remember(self, source: Source, data: bytes, seq: int, parts: list[Span], *, is_all: bool) -> None:
        """Remember what was shown of a version; with what was shown before it may be all of it."""
        path = source.path or ""
        content = None if self._store.is_secret(path) else data
        is_whole = is_all or self._view.completes(path, source.digest, parts, source.length)
        self._view.saw(path, source.digest, seq, None if is_whole else parts, content)

    def _load(self, path: AnyPath, encoding: str | None) -> tuple[Source, FileImage]:
        from steadyhand.workspace.overlay import read_text

        checks.encoding_name(encoding)
        resolved, image = self._store.read(checks.path_of(path))
        source = read_text(image.data, encoding, lambda: self._store.encoding_of(resolved, image.digest), resolved)
        if source.is_binary:
            raise EditError(
                Kind.NOT_TEXT,
                f"{path} is not a text file ({image.size} bytes)",
                hint=NameEncoding(is_binary=True),
                details={"path": path, "size": image.size},
            )
        return source, image


def _named(source: Source, ask: Callable[[], Answer]) -> Answer:
    """An answer, or the refusal with the file's name."""
    try:
        return ask()
    except EditError as error:
        message = f"{source.path}: {error.message}"
        raise EditError(error.kind, message, hint=error.hints, details={"path": source.path, **error.details}) from None
