"""The call that would go through, typed: what a refusal offers as `corrected`, in the words of the command that met it.

Only an offer for people; programs find the same edit in the details. Nothing is offered that would not be read back
as the very same texts.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from steadyhand.errors import EditError
from steadyhand.surfaces.terminal import visible

__all__ = ["corrected_options", "typed"]

_LONGEST = 4_000  # characters of a call that somebody may want to paste
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def typed(text: str, *, one_line: bool = False) -> str:
    """A text as a word of the shell.

    A tab would make a shell complete names, and what a terminal would obey never reaches it: both are written out.

    >>> typed("a b"), typed("a\\tb"), typed("a\\nb", one_line=True)
    ("'a b'", "$'a\\\\tb'", "$'a\\\\nb'")
    """
    is_plain = visible(text) == text and "\t" not in text
    if is_plain and not (one_line and "\n" in text):
        return shlex.quote(text)
    return f"$'{''.join(map(_escape, text))}'"


def _escape(char: str) -> str:
    if char in _ESCAPES or visible(char) == char:
        return _ESCAPES.get(char, char)
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # an undecodable byte, carried as a surrogate
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def corrected_options(error: EditError, command: str | None) -> str | None:
    """The options and texts of the corrected call, behind the file's name; None where there is nothing to type."""
    edit = error.details.get("corrected")
    if not isinstance(edit, Mapping):
        return None
    texts = [value for value in edit.values() if isinstance(value, str)]
    if any("\0" in text for text in texts) or sum(map(len, texts)) > _LONGEST:
        return None
    told = _told(edit, command)
    reason = edit.get("reason")
    if told is None or not isinstance(reason, str) or command == "diff":
        return told
    return f"{told} --reason {typed(reason)}"


def _told(edit: Mapping[object, object], command: str | None) -> str | None:
    target, new, insert, where = (edit.get(name) for name in ("target", "new", "insert", "where"))
    if not isinstance(target, str):
        return None
    if command in ("edit", "diff") and isinstance(new, str):
        return f"--old {typed(target)} --new {typed(new)}"
    if command in ("delete", "diff") and "delete" in edit:
        return f"--old {typed(target)}"
    is_word = isinstance(insert, str) and not insert.startswith("-")  # else it would be taken for an option
    if command == "insert" and is_word and where in ("before", "after"):
        return f"--{where} {typed(target)} {typed(str(insert))}"
    return None
