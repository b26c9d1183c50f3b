"""A tool's answer as MCP carries it: facts as structured content, and text for people and for other clients.

Either is complete on its own. The text is what `tools.text` makes of the answer; content of a file is a block of its
own, never between our own words. The structured content is the answer without the sentence that repeats others.
What would be too long to send is cut, and says so. Whether it is an error is the tool's own word.
An answer names nothing of the machine beyond the roots it works in: what is refused because of a journal, a disk or a
busy server is worded for whoever runs the server, and names places. Refusals that speak of a file's content are left
alone, since a model copies from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.mcp.options import Root

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt


LONGEST = 8_000_000  # bytes; clients close their connection over 10 MiB
_KIND = "steadyhand/kind"
_LEAST = 200
_BLOCK = 30  # characters that a block takes besides its text
_BYTES = 12  # of a character at worst: once as it is, once more with every quote escaped
_SHORT = ("success", "status", "path", "filePath", "file", "id", "fileHash", "kind", "error", "message", "hint")
_OF_THE_MACHINE = frozenset(
    {
        *(Kind.READ_ONLY, Kind.NOT_ALLOWED, Kind.NOT_INSTALLED, Kind.BUSY, Kind.TIMED_OUT),
        *(Kind.CANCELLED, Kind.DISK_REFUSED, Kind.JOURNAL_DAMAGED, Kind.INTERNAL),
    }
)
_WARNINGS = "warnings"
_ELSEWHERE = lazy_pattern(r"(?:^|(?<=[\s\"'(=:,]))(?:[a-zA-Z][\w+.-]*:/|~)?/[^\s\"'),;]+")


def render(
    answer: Mapping[str, Any], most: int, receipts: Sequence[Receipt] = (), *, is_native: bool = False
) -> dict[str, Any]:
    """The result of `tools/call`, after changes with these receipts; `most` characters of text at most."""
    # By now the session is loaded; a server that only greets has none.
    from steadyhand.tools.result import failed, without_repeats
    from steadyhand.tools.text import render_parts

    parts = render_parts(answer, receipts)
    if is_native:
        kind = answer.get("kind")
        meta = {} if kind is None else {"_meta": {_KIND: kind}}
        return {"content": _blocks(parts, most), **meta, "isError": failed(answer)}
    facts = cast("Mapping[str, Any]", without_repeats(answer))
    result = {"content": _blocks(parts, most), "structuredContent": _fitting(facts, most)}
    while most * _BYTES > LONGEST and len(_compact(result).encode()) > LONGEST:
        most //= 2
        result = {"content": _blocks(parts, most), "structuredContent": _fitting(facts, most)}
    return result | {"isError": failed(answer)}


def render_text(text: str, most: int) -> str:
    """A text that can be sent, cut where it would be too long."""
    clean = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return clean if len(clean) <= most else f"{clean[:most]}\n… cut: {len(clean) - most} more characters"


def _blocks(parts: Sequence[str], most: int) -> list[dict[str, str]]:
    """The parts of a text as blocks, as far as there is room for them."""
    blocks: list[dict[str, str]] = []
    for part in parts:
        blocks.append({"type": "text", "text": render_text(part, most)})
        most -= len(part) + _BLOCK
        if most <= 0:
            break
    return blocks


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _fitting(answer: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The answer, or as much of it as may be sent."""
    shown = dict(answer)
    text = _compact(shown)
    if not text.isascii() and text.encode("utf-8", "ignore").decode() != text:
        shown = _clean(shown)
        text = _compact(shown)
    return shown if len(text) <= most else _shortened(shown, len(text), most)


def _shortened(shown: dict[str, Any], length: int, most: int) -> dict[str, Any]:
    """As much of an answer as may be sent: the longest texts and lists are cut first."""
    note = f"this answer had {length} characters and was cut: ask for less at once, or read on in parts"
    shortest: dict[str, Any] = _cut(shown, _LEAST)
    if len(_compact(shortest)) > most:
        few = {name: value for name, value in shortest.items() if name in _SHORT}
        return few | {"cut": note}
    room = most // 2
    while room > _LEAST:
        shorter: dict[str, Any] = _cut(shown, room)
        if len(_compact(shorter)) <= most:
            return shorter | {"cut": note}
        room //= 2
    return shortest | {"cut": note}


def _clean(value: Any) -> Any:
    """The same with nothing in it that cannot be sent."""
    match value:
        case str():
            return render_text(value, len(value) * 3)
        case Mapping():
            return {_clean(str(name)): _clean(each) for name, each in value.items()}
        case list() | tuple():
            return [_clean(each) for each in value]
        case _:
            return value


def _cut(value: Any, room: int) -> Any:
    """The same shape of value with no text and no list that takes more than `room`."""
    match value:
        case str() if len(value) > room:
            return f"{value[:room]}…"
        case Mapping():
            return {name: _cut(each, room) for name, each in value.items()}
        case list() | tuple():
            kept, left = [], room
            for each in value:
                shorter = _cut(each, room)
                left -= len(_compact(shorter))
                if left < 0:
                    break
                kept.append(shorter)
            return kept
        case _:
            return value


def redacted(answer: Mapping[str, Any], roots: Iterable[Root]) -> dict[str, Any]:
    """A tool's answer without the names of places outside its roots, in refusals and in warnings.

    >>> answer = {"kind": "busy", "message": "the journal /srv/site/.steadyhand/j is in use"}
    >>> redacted(answer, [Root("site", "/srv/site")])["message"]
    'the journal .steadyhand/j is in use'
    """
    known = tuple(roots)
    if _is_of_the_machine(answer):
        return {name: _hidden(value, known) for name, value in answer.items()}
    return {
        name: _hidden(value, known) if name == _WARNINGS else _within(value, known) for name, value in answer.items()
    }


def redacted_error(error: EditError, roots: Iterable[Root]) -> EditError:
    """A refusal of the same kind."""
    shown = redacted(error.to_json(), roots)
    return EditError(error.kind, shown["message"], hint=shown["hint"], details=shown["details"])


def _is_of_the_machine(value: Mapping[str, Any]) -> bool:
    kind = value.get("kind")
    return isinstance(kind, str) and kind in _OF_THE_MACHINE


def _within(value: Any, roots: tuple[Root, ...]) -> Any:
    """The parts of an answer, which may hold the refusal of one file among others."""
    match value:
        case Mapping():
            return redacted(value, roots)
        case list() | tuple() if any(isinstance(each, Mapping) for each in value):
            return [_within(each, roots) for each in value]
        case _:
            return value


def _hidden(value: Any, roots: tuple[Root, ...]) -> Any:
    match value:
        case str():
            for root in roots:
                value = value.replace(f"{root.path}/", "").replace(root.path, root.name)
            return _ELSEWHERE.sub("…", value)
        case Mapping():
            return {name: _hidden(each, roots) for name, each in value.items()}
        case list() | tuple():
            return [_hidden(each, roots) for each in value]
        case _:
            return value
