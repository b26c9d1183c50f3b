"""A refusal for people: kind and message, the facts the message does not hold, the hint, and the call that would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases, render_hints
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.phrases import typed
from steadyhand.surfaces.terminal import Line, Piece, head_of

_MOST = 12  # lines of facts; programs get them all with --json
_KIND = lazy_pattern(r"([a-z_]+)(?:\.[a-z_-]+)?(?:\[-?[0-9]+\])?:")
# Facts for programs: the message says them in words, or a person has no use for them.
_UNSAID = frozenset(
    (
        "action actions actual also anchor available column conflicts corrected count end errno example excerpt "
        "field formats guard index kind limit line line_count lines mode nearest new_lines offset path places "
        "problem reply_lines similarity size start tier total tried verb wanted"
    ).split()
)


def error_lines(error: EditError, *, phrases: Phrases | None = None, call: str | None = None) -> list[Line]:
    """The message may run over several lines; so may the hint, said in `phrases`.

    `call` is what would go through instead, as typed.
    """
    hint = render_hints(error.hints, phrases) or ""
    said = f"{error.message}\n{hint}"
    first, *rest = error.message.split("\n")
    first = _without_addresses(first, error)
    lines: list[Line] = [(Piece(str(error.kind), "error"), Piece(": "), *head_of(first))]
    lines += _place_lines(error, rest)
    lines += _address_lines(error) + _nearest_lines(error, said) + _excerpt_lines(error)
    lines += _conflict_lines(error)
    lines += _fact_lines(error, said, is_offered=call is not None)
    lines += _tried_lines(error)
    lines += _reply_lines(error) + _also_lines(error)
    lines += _hint_lines(error, hint.rstrip("\n"))
    return lines + _offer_lines(error, call)


def _hint_lines(error: EditError, hint: str) -> list[Line]:
    """The hint, and under it an example of what could be sent, unless the hint has it."""
    example = error.details.get("example")
    first, *rest = hint.split("\n")
    lines: list[Line] = [(Piece("hint: ", "hint"), *head_of(first))] if hint else []
    lines += [(Piece("  "), *head_of(row)) for row in rest]
    if isinstance(example, str) and example.rstrip("\n") not in hint:
        lines.append((Piece("for example:", "hint"),))
        lines += [(Piece("    "), *head_of(row)) for row in example.rstrip("\n").split("\n")]
    return lines


def _tried_lines(error: EditError) -> list[Line]:
    """What the other formats made of a reply that one of them refuses; those that say the same on one line."""
    tried = error.details.get("tried")
    if not isinstance(tried, Mapping) or "format" not in error.details:
        return []
    said: dict[str, list[str]] = {}
    for name, words in tried.items():
        if words != error.message:
            said.setdefault(str(words), []).append(str(name))
    return [(Piece(f"  {', '.join(names)}:", "dim"), Piece(" "), *head_of(words)) for words, names in said.items()]


def _reply_lines(error: EditError) -> list[Line]:
    """Where in a reply the refused part is."""
    match error.details.get("reply_lines"):
        case [int(first), int(last)]:
            shown = f"line {first}" if first == last else f"lines {first}–{last}"
            return [(Piece("  in the reply: ", "dim"), Piece(shown))]
    return []


def _also_lines(error: EditError) -> list[Line]:
    """The other refusals of the same call, a line each."""
    also = error.details.get("also")
    lines: list[Line] = []
    for other in also if isinstance(also, list) else []:
        index = other.get("index")
        where = f"edit {index + 1}, " if isinstance(index, int) else ""
        lines.append((Piece("  also: ", "dim"), *head_of(f"{where}{other['kind']}: {other['message']}")))
    return lines


def _place_lines(error: EditError, rows: Sequence[str]) -> list[Line]:
    """What the message lists; places among which to choose with the number to ask for each by, and what to quote."""
    places = error.details.get("candidates")
    if error.kind is not Kind.AMBIGUOUS_MATCH or not isinstance(places, list | tuple):
        return [(Piece("  "), *head_of(row)) for row in rows]
    lines: list[Line] = []
    listed = len(rows) - bool(rows and rows[-1].startswith("  … and "))
    for row, place in zip_longest(rows, places[:listed]):
        facts = place if isinstance(place, Mapping) else {}
        number = facts.get("occurrence")
        label = Piece(f"{number:>3}. ", "id") if isinstance(number, int) else Piece("  " if place is None else "     ")
        lines.append((label, *head_of(row if place is None else row.strip())))
    return lines


def _address_lines(error: EditError) -> list[Line]:
    """The places that answer to an address, each by the address that means it alone."""
    places = error.details.get("places")
    lines: list[Line] = []
    for number, place in enumerate(places if isinstance(places, list) else (), 1):
        if isinstance(place, Mapping) and isinstance(place.get("address"), str):
            where = place.get("lines")
            line = f" (line {where[0]})" if isinstance(where, list | tuple) and where else ""
            address = typed(place["address"], one_line=True)
            lines.append((Piece(f"{number:>3}. ", "id"), *head_of(address), Piece(line, "dim")))
    rest = len(lines) - _MOST
    return [*lines[:_MOST], (Piece(f"     … and {rest} more", "dim"),)] if rest > 0 else lines


def _without_addresses(message: str, error: EditError) -> str:
    """The message up to the places that it lists, where each has a line of its own below."""
    match error.details.get("places"):
        case [{"address": str(address)}, *_] if f": {address}" in message:
            return message[: message.index(f": {address}") + 1]
    return message


def _nearest_lines(error: EditError, said: str) -> list[Line]:
    """What is there that is like what was asked for, as it can be typed; nothing where the message has all of it."""
    nearest = error.details.get("nearest") or error.details.get("available")
    items = nearest if isinstance(nearest, list | tuple) else ()
    names = [name for item in items if isinstance(name := _name_of(item), str)]
    if all(name in said for name in names):
        return []
    return [(Piece("  there is: ", "dim"), *head_of(_typed_address(name))) for name in names[:_MOST]]


def _name_of(item: object) -> object:
    return item.get("address") if isinstance(item, Mapping) else item


def _typed_address(name: str) -> str:
    """An address as a word of the shell; a bare name, or one with a remark in brackets behind it, as it is."""
    from steadyhand.structure.target import targets

    kind = _KIND.match(name)
    return typed(name, one_line=True) if kind and kind[1] in targets() and not name.endswith(")") else name


def _excerpt_lines(error: EditError) -> list[Line]:
    """The lines of the new text around the one that would not parse."""
    rows, line = error.details.get("excerpt"), error.details.get("line")
    lines: list[Line] = []
    for row in rows if isinstance(rows, list) else ():
        is_fault = str(row).startswith(f"{line}:")
        lines.append((Piece("  > " if is_fault else "    ", "error"), *head_of(str(row))))
    return lines


def _conflict_lines(error: EditError) -> list[Line]:
    """Both sides of a conflict, and under which names it is kept."""
    others, yours = error.details.get("with"), error.details.get("yours")
    if error.kind is not Kind.CONFLICT or not isinstance(others, list):
        return []
    from steadyhand.surfaces.cli.render.conflict import refusal_lines

    lines = refusal_lines([other for other in others if isinstance(other, Mapping)], yours)
    kept = error.details.get("conflicts")
    names = ", ".join(map(str, kept)) if isinstance(kept, list) else ""
    more = [(Piece("kept as: ", "dim"), Piece(names, "id"), Piece("  see steadyhand conflicts", "dim"))]
    return [(Piece("  "), *line) for line in [*lines, *(more if names else [])]]


def _offer_lines(error: EditError, call: str | None) -> list[Line]:
    """The call to paste, row by row from the first column, for blanks count in it; a plan takes the edit as JSON."""
    if call is not None:
        return [(Piece("corrected call:", "hint"),), *((Piece(row),) for row in call.split("\n"))]
    edit = error.details.get("corrected")
    if not isinstance(edit, Mapping):
        return []
    import json

    return [(Piece("corrected: ", "hint"), *head_of(json.dumps(dict(edit))))]


def _fact_lines(error: EditError, said: str, *, is_offered: bool) -> list[Line]:
    unsaid = _UNSAID | {"old", "expected"} if is_offered else _UNSAID  # the call has them, or what took their place
    facts = [
        (key, shown)
        for key, value in error.details.items()
        if key not in unsaid and (shown := _show(value)) and shown not in said
    ]
    lines: list[Line] = []
    for key, shown in facts:
        if len(lines) >= _MOST:
            break
        lines += _fact(key.replace("_", " "), shown)
    return lines[:_MOST]


def _fact(name: str, value: str) -> list[Line]:
    """On the line of its name, or, where blanks or newlines count, row by row behind a bar: `  |` is no part of it."""
    label = Piece(f"  {name}:", "dim")
    if "\n" not in value and value == value.strip():
        return [(label, Piece(" "), *head_of(value))]
    return [(label,), *((Piece("  |", "dim"), *head_of(row)) for row in value.split("\n"))]


def _show(value: object) -> str:
    """A fact in words; what has no short form is left to --json."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list | tuple) and all(isinstance(item, str | int) for item in value):
        return ", ".join(str(item) for item in value)
    return ""
