"""What the lines above the rows of a diff say of one file: its names, and what becomes of it besides its lines.

Symbolic links, submodules and binary content are refused: they are no text, and half a patch is no patch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256

from steadyhand.dialects.piece import malformed
from steadyhand.dialects.reply import Line
from steadyhand.dialects.unified.names import FileName, git_names_in, name_in, path_of_names
from steadyhand.errors import EditError
from steadyhand.hints import Advice
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.plan.request import ChangeMode, CopyFile, CreateFile, DeleteFile, FileRequest, RenameFile
from steadyhand.text.gitname import unquote_name

__all__ = ["EMPTY", "Section", "binary", "is_binary", "wrong"]

EMPTY = sha256(b"").hexdigest()
_MODES = ("new file mode ", "deleted file mode ", "old mode ", "new mode ")
_PATHS = ("rename from ", "rename to ", "copy from ", "copy to ")
_ASIDE = ("similarity index ", "dissimilarity index ")
_OCTAL = lazy_pattern(r"[0-7]{3,7}", re.ASCII)
_INDEX = lazy_pattern(r"index [0-9a-f]{4,64}\.\.[0-9a-f]{4,64}(?: ([0-7]{6}))?", re.ASCII)
_KINDS = {0o120000: "a symbolic link", 0o160000: "a submodule"}
_KIND_BITS = 0o170000
_NO_TEXT = "only the text of regular files can be patched; leave this file out"


def wrong(line: int, what: str, expected: str, *, column: int = 1, hint: Advice = None) -> EditError:
    """A refusal of a unified diff."""
    return malformed(line, what, expected, column=column, format="unified", hint=hint)


def binary(line: int) -> EditError:
    """A refusal of what is no text."""
    return wrong(line, "the content of a file is binary", "the diff of a text", hint=_NO_TEXT)


def is_binary(text: str) -> bool:
    """Whether a line says that a file's content is not text."""
    line = text.rstrip()
    return line == "GIT binary patch" or (line.startswith("Binary files ") and line.endswith(" differ"))


@dataclass(slots=True)
class Section:
    """The header lines of one file, taken one by one; `line` is the first of them, `last` the latest.

    `has_names` says whether the `---` and `+++` lines have been there: rows must follow them. `drop_cr`: the lines of
    the patch end with CR LF, whatever those of the file do. `is_over`: nothing more can be said of the file.
    """

    line: int
    last: int = 0
    git: tuple[FileName | None, FileName | None] | None = None
    before: FileName | None = None
    after: FileName | None = None
    has_names: bool = False
    drop_cr: bool = False
    is_opened: bool = False
    has_rows: bool = False
    is_over: bool = False
    _said: dict[str, str] = field(default_factory=dict)
    _moved_at: int = 0
    _modes: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of_git(cls, line: Line) -> Section:
        """What a `diff --git` line begins."""
        names = git_names_in(line.text.removeprefix("diff --git "))
        return cls(line.number, line.number, names)

    def take(self, line: Line) -> bool:
        """Whether a line between `diff --git` and `---` says something of the file; it is taken then."""
        text = line.text.rstrip()
        for key in (*_MODES, *_PATHS):
            if text.startswith(key):
                said = line.text if key in _PATHS else text  # a name may begin or end with a blank
                self._take(key.strip(), said[len(key) :], line.number, len(key) + 1)
                self.last = line.number
                return True
        index = _INDEX.fullmatch(text)
        if index is not None and index.group(1):
            self._check_kind(int(index.group(1), 8), line.number, index.start(1) + 1)
        return index is not None or text.startswith(_ASIDE)

    def name(self, line: Line) -> None:
        """Take a `---` or a `+++` line."""
        found = name_in(line.text[4:])
        if found is None:
            raise wrong(line.number, "the file name cannot be read", "a path, or /dev/null", column=5)
        if line.text.startswith("-"):
            self.before = found
        else:
            self.after = found
        self.has_names, self.last = True, line.number
        self.drop_cr = line.ending == "\r\n"

    @property
    def path(self) -> str:
        """Where the rows go; empty where no name could be read."""
        for key in ("rename to", "copy to"):
            if key in self._said:
                return self._said[key]
        by_git = path_of_names(*self.git) if self.git is not None else ""
        is_plain = self.before is not None and self.after is not None and not (self.is_new(None) or self.is_gone(None))
        return (not is_plain and by_git) or path_of_names(self.before, self.after) or by_git

    def is_new(self, counts: tuple[int, int] | None) -> bool:
        """Whether the file is not there before; `counts` are those of its rows, where they are known."""
        if self.before is not None and self.before.is_epoch and counts is not None and counts[0] == 0:
            return True
        return "new file mode" in self._modes or (self.before is not None and self.before.is_absent)

    def is_gone(self, counts: tuple[int, int] | None) -> bool:
        """Whether the file is not there after."""
        if self.after is not None and self.after.is_epoch and counts is not None and counts[1] == 0:
            return True
        return "deleted file mode" in self._modes or (self.after is not None and self.after.is_absent)

    def opening(self) -> Iterator[FileRequest]:
        """What is to be done with the file before its rows are."""
        self.is_opened = True
        yield from self._moves()
        if "new mode" in self._modes:
            yield ChangeMode(self._known_path(), self._modes["new mode"])

    def without_rows(self) -> Iterator[FileRequest]:
        """What is left to do with a file that has no rows."""
        if self.is_new(None):
            yield self.creation("")
        elif self.is_gone(None):
            yield self.removal()

    def creation(self, content: str) -> CreateFile:
        return CreateFile(self._known_path(), content, self._modes.get("new file mode"))

    def removal(self) -> DeleteFile:
        """Only what the rows have emptied goes: a file with other lines is another file."""
        return DeleteFile(self._known_path(), EMPTY)

    def _known_path(self) -> str:
        if not self.path:
            raise wrong(self.line, "the name of the file cannot be read", "its path twice, in quotes if it has blanks")
        return self.path

    def _moves(self) -> Iterator[FileRequest]:
        for verb, request in (("rename", RenameFile), ("copy", CopyFile)):
            old, new = self._said.get(f"{verb} from"), self._said.get(f"{verb} to")
            if old is None and new is None:
                continue
            if old is None or new is None or old == new:
                raise wrong(
                    self._moved_at, f"the {verb} does not say both names", f"{verb} from OLD, then {verb} to NEW"
                )
            yield request(old, new)

    def _take(self, key: str, value: str, line: int, column: int) -> None:
        if key.endswith("mode"):
            if _OCTAL.fullmatch(value) is None:
                raise wrong(line, f"{value[:20]!r} is not a mode", "six octal digits, such as 100644", column=column)
            self._check_kind(int(value, 8), line, column)
            self._modes[key] = int(value, 8) & 0o777
            return
        path = unquote_name(value)
        if not path:
            raise wrong(line, "the file name cannot be read", "a path", column=column)
        self._said[key], self._moved_at = path, line

    def _check_kind(self, mode: int, line: int, column: int) -> None:
        kind = _KINDS.get(mode & _KIND_BITS)
        if kind is not None:
            what = f"{self.path or 'the file'} is {kind}; such files are not changed"
            refused = wrong(line, what, "a regular file, such as mode 100644", column=column, hint=_NO_TEXT)
            raise refused.with_details(example="")  # the patch is well formed: no example helps
