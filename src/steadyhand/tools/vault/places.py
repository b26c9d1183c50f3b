"""Refusals of a place that is not there, or is there several times, in the words of `TextPatch`'s targets."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint, SendAddress
from steadyhand.schema import bad_request
from steadyhand.structure.address import parse_address
from steadyhand.structure.markdown.code_block import CodeBlock
from steadyhand.structure.markdown.heading import Heading
from steadyhand.text.source import Source
from steadyhand.tools.vault.anatomy import format_name

__all__ = ["check_markdown", "told_target"]

_LONGEST = 300  # characters of a target that a hint spells out
_LOOK_AGAIN = "inspect the file again, and send the target for its present text with its fileHash as expectedHash"


def told_target(error: EditError, target: Mapping[str, object], operation: str) -> EditError:
    """The refusal with the targets to send in place of addresses, which other toolsets take."""
    name = next((each for each in target if each != "nth"), "")
    match error.kind:
        case Kind.OUT_OF_BOUNDS if name == "lines":
            return _told(error, _lines_there(error.details.get("line_count"), operation), {})
        case Kind.NO_SUCH_TARGET if name == "codeBlock" and isinstance(error.details.get("count"), int):
            return _no_code_block(error, target)
        case Kind.NO_SUCH_TARGET if name != "lines":
            near, others = (_targets(name, _listed(error.details.get(each))) for each in ("nearest", "available"))
            hint = _send(near[0]) if near else _one_of(others) if others else "send lines, or call TextReplace"
            return _told(error, hint, {"nearest": near} if near else {"nearest": [], "available": others})
        case Kind.AMBIGUOUS_MATCH | Kind.COUNT_MISMATCH if name != "lines":
            places = [_place(name, place) for place in _listed(error.details.get("places"))]
            return _told(error, _which(name, places), {"places": places})
        case Kind.CONFLICT:
            kept = {name: value for name, value in error.details.items() if name != "corrected"}
            return error.advised(_LOOK_AGAIN, kept)
        case Kind.BAD_REQUEST if name == "codeBlock":
            return _told(error, "send only the code, or address the lines, fences included", {})
        case Kind.BAD_REQUEST if any(map(_names_fences, error.hints)):
            return _told(error, "close it first; or send the lines, fences and all", {})
        case _:
            return error


def _names_fences(hint: Hint) -> bool:
    """Whether a hint names a block with its fences, which no target of this tool says."""
    return isinstance(hint, SendAddress) and hint.address.startswith("code_block.fenced:")


def _lines_there(count: object, operation: str) -> str | None:
    """Which lines an operation takes in a file of so many."""
    if not isinstance(count, int):
        return None
    if operation == "insert":
        return f"send a start from 1 to {count + 1}, which is the end of the file"
    return f"send lines from 1 to {count}" if count else 'send operation "insert" with start 1'


def check_markdown(source: Source, target: Mapping[str, object]) -> None:
    """Refuse with `bad-request` a heading or a code block in a file that has none because it is no Markdown."""
    name = next((each for each in target if each not in ("nth", "lines")), None)
    if name is not None and format_name(source) != "markdown":
        raise bad_request(
            f"target.{name}",
            f"it is for Markdown, and {source.path} is not Markdown",
            "send lines, or call TextReplace",
        )


def _no_code_block(error: EditError, target: Mapping[str, object]) -> EditError:
    """The refusal of a code block by the number that this tool has for it."""
    count, asked = error.details["count"], target.get("codeBlock")
    index = asked.get("index") if isinstance(asked, Mapping) else None
    if count == 0:
        message, hint = "the file has no code blocks", "send lines, or call TextReplace"
    else:
        numbers = "index 0" if count == 1 else f"from index 0 to {int(str(count)) - 1}"
        message = f"there is no code block {index}; the file has {count}, {numbers}"
        hint = "TextInspect lists them with languages and lines"
    details = {name: fact for name, fact in error.details.items() if name not in ("nearest", "available")}
    return EditError(error.kind, message, hint=hint, details=details)


def _told(error: EditError, hint: str | None, facts: Mapping[str, object]) -> EditError:
    return error.advised(hint, {**error.details, **facts})


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _targets(name: str, addresses: Iterable[object]) -> list[dict[str, object]]:
    return [made for address in addresses if (made := _target(name, str(address)))]


def _target(name: str, address: str) -> dict[str, object]:
    """What to send for an address, in the field that was sent."""
    match parse_address(address):
        case Heading(path=path, nth=nth):
            return {name: path} if nth is None else {name: path, "nth": nth}
        case CodeBlock(index=index) if index is not None:
            return {name: {"index": index}}
        case _:
            return {}


def _place(name: str, place: object) -> dict[str, object]:
    known = place if isinstance(place, Mapping) else {}
    lines = known.get("lines")
    line = {"line": lines[0]} if isinstance(lines, list) and lines else {}
    return _target(name, str(known.get("address"))) | line


def _which(name: str, places: Sequence[Mapping[str, object]]) -> str:
    """How to say which of several sections is meant."""
    paths = {str(place.get(name)) for place in places}
    number = f'add "nth", from 1 to {len(places)}'
    return number if len(paths) < len(places) else f"send the full path, or {number}"


def _one_of(targets: Sequence[Mapping[str, object]]) -> str:
    """How to say which of those that there are is meant, none of which is suggested."""
    said = json.dumps(targets[0], ensure_ascii=False)
    return f"send the one you mean, such as target {said}" if len(said) <= _LONGEST else "send one of `available`"


def _send(target: Mapping[str, object]) -> str:
    said = json.dumps(target, ensure_ascii=False)
    return (
        f"if you mean that one, send target {said}" if len(said) <= _LONGEST else "send one of `nearest` of the details"
    )
