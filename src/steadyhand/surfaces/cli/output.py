"""Where the command line prints: lines for people, or exactly one JSON document for programs; and files it writes.

Nothing else in this room writes to stdout or stderr. Lines come as pieces and are made harmless on the way out
(`surfaces.terminal`); JSON is pure ASCII with every control character escaped.
A file that a caller asks for is written whole or not at all, and never over the journal. It belongs to the caller and
is no change of the workspace: nothing is recorded, and a refusal names the option, never the file.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, TextIO

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.surfaces.terminal import ColorChoice, Line, Piece, paint, wants_color

if TYPE_CHECKING:
    from steadyhand.surfaces.cli.invocation import Invocation

_BATCH = 1_000  # lines; a reader that went away is noticed after so many, and no more are held in memory


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What most commands come to: the document for programs, lines for people, and the exit code.

    A document is about something that is `ok`, unless it says otherwise. `text` is one of our own making, such as a
    completion script, which a program may read without `--json`.
    """

    document: Mapping[str, object]
    lines: Iterable[Line] = ()
    code: int = 0
    text: str = ""


class Output:
    """The two streams of one invocation, and how to write to them."""

    def __init__(self, *, json: bool = False, color: ColorChoice = "auto", quiet: bool = False) -> None:
        self.json = json
        self.color = color
        self.quiet = quiet
        self.warnings: list[str] = []

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at stdout."""
        return _is_terminal(sys.stdout)

    @property
    def width(self) -> int:
        """Columns to fill: the terminal's; in a pipe wide enough for a line of log."""
        import shutil

        if self.is_terminal or os.environ.get("COLUMNS"):
            return max(shutil.get_terminal_size((80, 24)).columns, 40)
        return 120

    def print(self, lines: Iterable[Line]) -> None:
        """Lines for people, on stdout; nothing under --json."""
        if not self.json:
            self._paint(sys.stdout, lines)

    def tell(self, lines: Iterable[Line]) -> None:
        """Lines beside the answer, on stderr; nothing under --json."""
        if not self.json:
            self._paint(sys.stderr, lines)

    def warn(self, *warnings: str) -> None:
        """What the caller should know: on stderr, or in the document's `warnings`."""
        self.warnings += warnings
        self.tell((Piece("warning: ", "warning"), Piece(warning)) for warning in warnings)

    def raw(self, data: bytes) -> None:
        """Bytes as they are; the caller made sure that no terminal looks."""
        _write_bytes(sys.stdout, data)

    def document(self, document: Mapping[str, object]) -> None:
        """The one JSON document, on stdout; nothing unless --json."""
        if self.json:
            warnings = {"warnings": self.warnings} if self.warnings else {}
            _write(sys.stdout, _to_json({**document, **warnings}) + "\n")

    def answer(self, result: CommandResult) -> int:
        """The one or the other; the exit code."""
        self.document({"ok": True, **result.document})
        self.print(result.lines)
        if result.text and not self.json:
            self.plain(result.text)
        return result.code

    def plain(self, text: str) -> None:
        """Text of our own making, such as a completion script."""
        _write(sys.stdout, text)

    def _paint(self, stream: TextIO, lines: Iterable[Line]) -> None:
        painted = paint(lines, color=wants_color(self.color, os.environ, is_terminal=_is_terminal(stream)))
        while batch := list(islice(painted, _BATCH)):
            _write(stream, "\n".join(batch) + "\n")


def _is_terminal(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def _write(stream: TextIO, text: str) -> None:
    """All of the text, with escapes for what the stream's encoding lacks."""
    _write_bytes(stream, text.encode(stream.encoding or "ascii", "backslashreplace"))


def _write_bytes(stream: TextIO, data: bytes) -> None:
    """All of the bytes: unbuffered, as PYTHONUNBUFFERED makes it, a stream may take only some and not say so."""
    left = memoryview(data)
    try:
        stream.flush()
        while left:
            left = left[stream.buffer.write(left) or 0 :]
        stream.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise EditError(
            Kind.DISK_REFUSED,
            f"the answer could not be written: {error.strerror}",
            hint="the request may have been carried out anyway; steadyhand log shows it",
        ) from error


def _to_json(document: Mapping[str, object]) -> str:
    import json

    # DEL is the one control character JSON leaves alone; it can only be inside a string.
    return json.dumps(document, ensure_ascii=True, default=_plain).replace("\x7f", "\\u007f")


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


Write = Callable[[bytes], object]

_TRIES = 1_000


@contextmanager
def writing(invocation: Invocation, option: str, name: str) -> Iterator[Write]:
    """What writes to a file, which takes its name when the block ends well; a device or a pipe is written as it is."""
    if name == "-" or name.endswith("/"):
        hint = "/dev/stdout names standard output" if name == "-" else "a name that ends with / is a folder"
        raise EditError(Kind.BAD_REQUEST, f"{option} takes the name of a file", hint=hint)
    with _refusing(option):
        target = os.path.realpath(name)
        _check(invocation, option, target)
        mode = os.stat(target).st_mode if os.path.lexists(target) else None
        is_special = mode is not None and not stat.S_ISREG(mode)
        temporary, handle = (None, os.open(target, os.O_WRONLY)) if is_special else _beside(target)
    stream = os.fdopen(handle, "wb")

    def write(data: bytes) -> None:
        with _refusing(option):
            stream.write(data)

    try:
        yield write
        with _refusing(option):
            stream.flush()
            if temporary is not None:
                if mode is not None:
                    os.fchmod(stream.fileno(), stat.S_IMODE(mode) & 0o777)
                os.fsync(stream.fileno())
                stream.close()
                os.replace(temporary, target)
            stream.close()
    except BaseException:
        with suppress(OSError):
            stream.close()
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
        raise


@contextmanager
def _refusing(option: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or "not a file name"
        raise EditError(
            Kind.DISK_REFUSED,
            f"the file of {option} cannot be written: {cause}",
            hint="check the name and that its folder exists; a file of that name is unchanged",
        ) from error


def _beside(target: str) -> tuple[str, int]:
    folder, name = os.path.split(target)
    for number in range(_TRIES):
        temporary = os.path.join(folder, f".{name[:100]}.{os.getpid()}-{number}.part")
        with suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
            return temporary, os.open(temporary, flags, 0o666)
    raise FileExistsError(f"there are {_TRIES} unfinished files of that name")


def _check(invocation: Invocation, option: str, target: str) -> None:
    root = os.path.realpath(invocation.root)
    folders = [os.path.join(root, ".steadyhand")]
    journal = invocation.journal
    if journal is not None and "://" not in journal:
        folders.append(os.path.realpath(journal))
    if any(_is_in(target, folder) for folder in folders):
        raise EditError(
            Kind.PROTECTED_PATH, f"the file of {option} is where the journal is", hint="write it somewhere else"
        )
    from steadyhand.session.context import allowed_verbs  # few commands write such a file

    settings = invocation.settings
    if (settings.read_only or not allowed_verbs(settings.mode)) and _is_in(target, root):
        raise EditError(
            Kind.READ_ONLY,
            f"the file of {option} is in the workspace, where no file may be created now",
            hint="write it outside the workspace, or to standard output",
        )


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
