"""What lies in a directory, two levels deep, as the text editor and the memory list it.

Hidden names and `node_modules` are left out. A directory is known by the files beneath it; one without any is not
shown. Never reads through a link, and reads no more of the files than their sizes need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.session.workspace import Workspace

__all__ = ["Directory", "find_directory", "is_file"]

_DEPTH = 2
_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Directory:
    """Files and links beneath a directory, as paths of the workspace; `cut` says why they are not all."""

    files: tuple[str, ...]
    links: tuple[str, ...]
    cut: str | None
    _above: str

    @property
    def is_empty(self) -> bool:
        return not self.files and not self.links

    def told(self, shown: str, rows: Iterable[str]) -> str:
        """The rows under their documented heading, and why they are not all."""
        head = f"Here're the files and directories up to {_DEPTH} levels deep in {shown}, "
        more = [] if self.cut is None else [f"(not everything was looked at: {self.cut})"]
        return "\n".join([f"{head}excluding hidden items and node_modules:", *rows, *more])

    def entries(self) -> Iterator[str]:
        """What is shown, relative to the directory, in order; directories end with a slash."""
        yield from sorted(self._shown(), key=lambda name: name.rstrip("/").split("/"))

    def sizes(self, workspace: Workspace) -> dict[str, int]:
        """Bytes of every entry, a directory's being its files'; `""` is the whole. Stops at a limit."""
        found: dict[str, int] = {"": 0} | dict.fromkeys(self._shown(), 0)
        for path in self.files:
            parts, size = self._names(path), _size(workspace, path)
            for name in ("", *_directories(parts), "/".join(parts)):
                if name in found:
                    found[name] += size
            if found[""] > _MOST_BYTES:
                break
        return found

    def _shown(self) -> set[str]:
        shown: set[str] = set()
        for path in (*self.files, *self.links):
            parts = self._names(path)
            if not any(part.startswith(".") or part == "node_modules" for part in parts):
                shown.update(_directories(parts)[:_DEPTH])
                shown.update(["/".join(parts)] if len(parts) <= _DEPTH else [])
        return shown

    def _names(self, path: str) -> list[str]:
        return path.removeprefix(self._above).split("/")


def find_directory(workspace: Workspace, path: str, *, depth: int = _DEPTH + 1) -> Directory | None:
    """The directory at a path, None where there is none; an empty one is one."""
    try:
        found = workspace.files(path, depth=depth)
    except EditError as error:
        if error.kind is Kind.NO_SUCH_FILE:
            return None
        raise
    names = [part for part in path.split("/") if part not in ("", ".")]
    above = "".join(f"{name}/" for name in names)
    is_literal = all(each.startswith(above) for each in (*found.files, *found.links))
    return Directory(found.files, found.links, found.cut, above if is_literal else "")


def _directories(parts: list[str]) -> list[str]:
    """The directories on the way to a file, each with a slash at its end."""
    return ["/".join(parts[:depth]) + "/" for depth in range(1, len(parts))]


def is_file(workspace: Workspace, path: str) -> bool:
    """Whether there is a file at a path, of whatever kind."""
    try:
        with workspace.transaction() as batch:
            batch.source(path)
    except EditError as error:
        return error.kind is not Kind.NO_SUCH_FILE and find_directory(workspace, path) is None
    return True


def _size(workspace: Workspace, path: str) -> int:
    """The file's size. Read in a transaction that asks for nothing, so that it does not count as read by the task."""
    try:
        with workspace.transaction() as batch:
            return batch.source(path).size
    except EditError as error:
        size = error.details.get("size")
        return size if isinstance(size, int) else 0
