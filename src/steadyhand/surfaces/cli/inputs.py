"""Texts a command is given: as an argument, in a file, or on standard input.

These files belong to the caller and are read as they are, outside any sandbox; a refusal names the option and
never the file, unless that is the argument FILE.
"""

from __future__ import annotations

import sys

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.text.encoding import MARK

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
            from steadyhand.workspace.refusal import shown

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
