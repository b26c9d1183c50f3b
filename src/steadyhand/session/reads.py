"""How a workspace reads: a file's text, and what of it counts as read by the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameEncoding
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.text.source import Source
from steadyhand.text.span import Span, joined

if TYPE_CHECKING:
    from steadyhand.session.task_view import TaskView
    from steadyhand.workspace.place import FileImage
    from steadyhand.workspace.store import Store


__all__ = ["Reads"]


class Reads:
    """The verbs that show what stands in a file."""

    _store: Store
    _view: TaskView

    def read(
        self, path: AnyPath, *, encoding: str | None = None, lines: tuple[int, int | None] | None = None
    ) -> Source:
        """A file's text, digest and lines. Remembered, so that this task may overwrite what it has read.

        `lines` are the first and the last line that the caller will look at; only they then count as read.
        """
        seq = self._store.head()
        source, image = self._load(path, encoding)
        self._showed(source, image.data, seq, lines)
        return source

    def source(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        """The same for a caller that has yet to say what of it is shown, with `saw`: nothing is remembered."""
        return self._load(path, encoding)[0]

    def saw(self, source: Source, lines: tuple[int, int | None] | None = None) -> None:
        """This task was shown a file that `source` gave, or some lines of it; they now count as read."""
        self._showed(source, source.to_bytes(), self._store.head(), lines)

    def saw_each(self, source: Source, lines: Sequence[int]) -> None:
        """The same for lines here and there, by their numbers."""
        spans = joined(source.table.span_of(line - 1, line - 1) for line in lines)
        is_all = len(set(lines)) == source.table.count
        self._remember(source, source.to_bytes(), self._store.head(), spans, is_all=is_all)

    def last_read(self, path: AnyPath) -> tuple[str | None, str]:
        """The digest of the version of a file that this task last read, if any, and of the present one."""
        resolved, image = self._store.read(checks.path_of(path))
        return self._view.last(resolved), image.digest

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
        from steadyhand.workspace.draft import read_text

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
