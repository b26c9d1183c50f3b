"""What a command is given: texts from options, files and standard input, and JSON.

These files belong to the caller and are read as they are, outside any sandbox; a refusal names the option and never the
file, unless that is the argument FILE. JSON is read strictly: what could mean two things is refused.
Lines that a person edits in an editor of their own have what they should know beneath them, after a dividing line that
no text holds by chance. Where that line is gone, nobody can say what is text: nothing is taken.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.text.encoding import MARK
from steadyhand.text.lines import to_lf

MAX_BYTES = 64 << 20


def text_from(invocation: Invocation, option: str, text: str | None, file: str | None) -> str | None:
    """The text of `--option` or the content of `--option-file` (`-`: standard input); None when neither is given."""
    if text is not None and file is not None:
        raise EditError(
            Kind.BAD_REQUEST,
            f"{option} and {option}-file are both given",
            hint=f"give {option} or {option}-file, not both",
        )
    return text if file is None else decode(bytes_from(invocation, f"{option}-file", file), f"{option}-file")


def required_text(invocation: Invocation, option: str, text: str | None, file: str | None) -> str:
    """Like `text_from`, where there must be one."""
    found = text_from(invocation, option, text, file)
    if found is None:
        raise EditError(
            Kind.BAD_REQUEST,
            f"no {option} was given",
            hint=f"give {option} TEXT, {option}-file FILE or {option}-file - for standard input",
        )
    return found


def bytes_from(invocation: Invocation, option: str, file: str) -> bytes:
    """The content of a file of the caller's, or of standard input for `-`."""
    try:
        if file == "-":
            invocation.take_stdin(option)
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with open(file, "rb") as stream:
                data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and option == "FILE":
            from steadyhand.workspace.files.storage import shown

            raise EditError(Kind.NO_SUCH_FILE, f"there is no file {shown(file)}", hint="check the name") from error
        cause = getattr(error, "strerror", None) or "not a file name"
        raise EditError(
            Kind.BAD_REQUEST, f"the file of {option} cannot be read: {cause}", hint="check the name"
        ) from error
    if len(data) > MAX_BYTES:
        raise EditError(
            Kind.TOO_LARGE,
            f"the text of {option} is larger than {MAX_BYTES} bytes",
            hint="send it in several smaller edits",
        )
    return data


def reply_text(invocation: Invocation, reply: str | None) -> str:
    """The text of a reply, from a file or standard input."""
    if reply is None:
        data = piped(invocation, "FILE", "give FILE or pipe it in")
    else:
        data = bytes_from(invocation, "FILE", reply)
    return decode_whole(data, "the reply", "send it as UTF-8").removeprefix(MARK)


def piped(invocation: Invocation, what: str, hint: str) -> bytes:
    """Standard input, where a command falls back on it; refused when a person sits there and would wait."""
    if sys.stdin.isatty():
        raise EditError(Kind.BAD_REQUEST, f"no {what} was given", hint=hint)
    return bytes_from(invocation, what, "-")


def decode(data: bytes, option: str) -> str:
    """Text to find or to put in is UTF-8; a byte order mark is no part of it."""
    return decode_whole(
        data, option, "send it as UTF-8; --encoding names the encoding of the file, not of this text"
    ).removeprefix(MARK)


def decode_whole(data: bytes, option: str, hint: str) -> str:
    """The content of a whole file: UTF-8, and a byte order mark belongs to it."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise EditError(
            Kind.BAD_REQUEST, f"the text of {option} is not UTF-8 (byte {error.start})", hint=hint
        ) from error


def parse_json(text: str, what: str) -> object:
    """The value of a JSON text. Refuses with `bad-request`, calling the text `what`.

    >>> parse_json('{"a": [1]}', "the plan")
    {'a': [1]}
    """
    import json

    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise EditError(
            Kind.BAD_REQUEST,
            f"{what} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            hint=f"fix {what} at that place",
            details={"line": error.lineno, "column": error.colno},
        ) from error
    except RecursionError as error:
        raise EditError(Kind.TOO_LARGE, f"{what} is nested too deeply", hint="a handful of levels is enough") from error
    except ValueError as error:
        raise EditError(Kind.BAD_REQUEST, f"{what} is not usable JSON: {error}", hint=f"fix {what}") from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; which of two equal keys was meant is not ours to guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in one object")
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON value")


_EXTENSION = lazy_pattern(r"\.\w{1,12}", re.ASCII)


def edit_by_hand(text: str, remarks: Sequence[str], *, path: str, token: str) -> str:
    """What a person makes of a text, line endings as LF; `remarks` are shown beneath it, after a line with `token`.

    Refuses with `cancelled` where the editor fails or the dividing line is gone, with `no-change` where nothing else
    was written.
    """
    shown = to_lf(text)
    is_open = bool(shown) and not shown.endswith("\n")  # the last line of a file that ends without a newline
    divider = f"-------- {token}: the text ends above this line; what follows is dropped --------"
    page = "\n".join([f"{shown}\n{divider}" if is_open else f"{shown}{divider}", *remarks, ""])
    saved = _saved(page, path)
    head, found, _ = saved.partition(f"{divider}\n")
    if not found or (head and not head.endswith("\n")):
        raise _cancelled("the line that ends the text is gone", "leave that line as it is; what is above it counts")
    edited = head.removesuffix("\n") if is_open else head
    if edited == shown:
        raise EditError(
            Kind.NO_CHANGE, "the lines were left as they are", hint="to keep them for good, drop the conflict"
        )
    return edited


def _saved(page: str, path: str) -> str:
    extension = _EXTENSION.search(path[path.rfind(".") :]) if "." in path else None
    try:
        saved = click.edit(page.encode("utf-8", "surrogateescape"), extension=extension[0] if extension else ".txt")
    except click.ClickException as error:
        raise _cancelled(error.format_message(), "set VISUAL or EDITOR to an editor that waits") from error
    return page if saved is None else to_lf(bytes(saved).decode("utf-8", "surrogateescape"))


def _cancelled(message: str, hint: str) -> EditError:
    return EditError(Kind.CANCELLED, f"{message}; nothing was changed", hint=hint)
