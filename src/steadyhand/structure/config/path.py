"""Key paths as text: `a.b[0]."x.y"["weird key"]`, and what a step answers to.

Names are parted by dots; a name with a dot, a bracket or a quote in it, or an empty one, is quoted as in JSON.
A number in brackets counts from 0, and from the end where it is negative.
A text that starts with `/` is a JSON pointer.
A path is never guessed: what does not follow the grammar is refused with the position.
"""

from __future__ import annotations

import json
import re

from steadyhand.errors import EditError
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Item, KeyPath, Step
from steadyhand.structure.fields import bad_request

_BARE = lazy_pattern(r"[^.\[\]]+")
_NUMBER = lazy_pattern(r"\[(-?[0-9]{1,9})\]", re.ASCII)
_QUOTED = lazy_pattern(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'', re.DOTALL)
_DIGITS = lazy_pattern(r"0|[1-9][0-9]{0,8}", re.ASCII)
_SAFE = lazy_pattern(r"(?!\$\Z)[^.\[\]\"'\s/](?:[^.\[\]\"'\x00-\x1f]*[^.\[\]\"'\s])?")


def parse_path(text: str, field: str = "key.path") -> KeyPath:
    """The steps of a path; the empty path is the top of the document. Refuses with `bad-request`.

    >>> parse_path('services.web.ports[0]."x.y"')
    ('services', 'web', 'ports', 0, 'x.y')
    >>> parse_path("/paths/~1users/0")
    ('paths', '/users', '0')
    """
    if text.startswith("/"):
        return tuple(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))
    at = _start(text)
    steps: list[Step] = []
    while at < len(text):
        step, at = _step(text, at, field)
        steps.append(step)
        if text[at : at + 1] == ".":
            at += 1
            if at == len(text):
                raise _wrong(text, at, "a name is expected behind the dot", field)
    return tuple(steps)


def render_path(path: KeyPath) -> str:
    """The inverse of `parse_path`.

    >>> render_path(("a", 0, "x.y", ""))
    'a[0]."x.y".""'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f"{'.' if text else ''}{_name(step)}"
    return text


def counted(container: Item, step: Step) -> Step:
    """The step as this container has it: digits count in a sequence and are a name in a mapping."""
    if container.kind == "sequence":
        number = int(step) if isinstance(step, str) and _DIGITS.fullmatch(step) else step
        return number + len(container.children) if isinstance(number, int) and number < 0 else number
    return str(step)


def _start(text: str) -> int:
    if text in ("$", "."):
        return len(text)
    if text.startswith(("$.", "$[")):
        return 2 if text[1] == "." else 1
    return 1 if text.startswith(".") else 0


def _step(text: str, at: int, field: str) -> tuple[Step, int]:
    """One step and where it ends."""
    if text[at] == "[":
        return _bracket(text, at, field)
    if text[at] in "\"'":
        name, end = _quoted(text, at, field)
        if text[end : end + 1] not in ("", ".", "["):
            raise _wrong(text, end, "a dot or a bracket is expected behind the quoted name", field)
        return name, end
    found = _BARE.match(text, at)
    if found is None:
        raise _wrong(text, at, "a name is expected; an empty one is written as two quotes", field)
    if text[found.end() : found.end() + 1] == "]":
        raise _wrong(text, found.end(), "there is a bracket too many; names with brackets are quoted", field)
    return found.group(), found.end()


def _bracket(text: str, at: int, field: str) -> tuple[Step, int]:
    number = _NUMBER.match(text, at)
    if number is not None:
        return int(number.group(1)), number.end()
    if text[at + 1 : at + 2] in ('"', "'"):
        name, end = _quoted(text, at + 1, field)
        if text[end : end + 1] != "]":
            raise _wrong(text, end, "the bracket is not closed", field)
        return name, end + 1
    raise _wrong(text, at, 'a number or a quoted name is expected in brackets, such as [0] or ["a b"]', field)


def _quoted(text: str, at: int, field: str) -> tuple[str, int]:
    found = _QUOTED.match(text, at)
    if found is None:
        raise _wrong(text, at, "the quote is not closed", field)
    written = found.group()
    if written.startswith("'"):
        return written[1:-1].replace("''", "'"), found.end()
    try:
        return str(json.loads(written, strict=False)), found.end()
    except ValueError:
        raise _wrong(text, at, "the quoted name is no JSON string", field) from None


def _name(name: str) -> str:
    return name if _SAFE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _wrong(text: str, at: int, message: str, field: str) -> EditError:
    shown = f"{text[max(at - 20, 0) : at]}‸{text[at : at + 20]}"
    return bad_request(
        field, f"at {shown!r}: {message}", 'paths look like services.web.ports[0] or paths."/users".get'
    ).with_details(position=at)
