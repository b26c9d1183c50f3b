"""Addresses: targets as one string, for people, outlines and command lines.

    kind[.part][[nth]]:value       heading:Guide > Setup      symbol.body:Session.send      selector[2]:li.item

Kind is a target's JSON key. What is behind the colon is the target's own; it is never cut or unescaped here.
"""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern
from steadyhand.schema import bad_request, check_text, join, nearest_name, read_object
from steadyhand.structure.node import Node, Refusal, WholeLines
from steadyhand.structure.target import Addressed, Target, target_keys, target_kind
from steadyhand.text.source import Source

_FORM = lazy_pattern(r"\s*([a-z_]+)(?:\.([a-z_-]+))?(?:\[(-?[0-9]{1,9})\])?:[ \t]*(.*)", re.DOTALL | re.ASCII)


def parse_address(address: str, path: str = "address") -> Target:
    """The target an address names. Refuses with `bad-request`.

    >>> parse_address("lines:3-5")
    Lines(start=3, end=5, text=None)
    """
    known = target_keys()
    found = _FORM.fullmatch(address)
    if found is None:
        raise bad_request(
            path, f"{address[:60]!r} is not an address", f"kind:value, with kind one of {', '.join(known)}"
        )
    kind, part, nth, value = found.groups()
    if kind not in known:
        near = nearest_name(kind, known)
        hint = f"did you mean {near}:{value[:60]}?" if near else f"kinds: {', '.join(known)}"
        raise bad_request(path, f"there is no kind of address {kind[:40]!r}", hint)
    return target_kind(kind).from_value(value, part, None if nth is None else int(nth))


def target_from_json(value: object, path: str) -> Target:
    """A target from its JSON form: an object with one key; `at` holds any address as a string.

    >>> target_from_json({"at": "lines:3"}, "to") == target_from_json({"lines": [3, 3]}, "to")
    True
    """
    known = target_keys()
    fields = read_object(value, path, ("old", "at", *known))
    if len(fields) != 1 or "old" in fields:
        what = f"a target has one field, this has {len(fields)}" if len(fields) != 1 else "old text is not an address"
        raise bad_request(path, what, f"one of {', '.join(known)}")
    (key,) = fields
    if key == "at":
        return parse_address(check_text(fields["at"], join(path, "at")), join(path, "at"))
    return target_kind(key).from_json(fields[key], join(path, key))


def render_address(target: Target) -> str | None:
    """The address of a target; None where only its JSON form can say it."""
    value = target.to_value()
    if value is None:
        return None
    usual = getattr(type(target), "parts", ())[:1]
    part, number = getattr(target, "part", None), getattr(target, "nth", None)
    said = "" if part is None or (part,) == tuple(usual) else f".{part}"
    return f"{target.key}{said}{'' if number is None else f'[{number}]'}:{value}"


def resolve_one(source: Source, target: Target) -> Node | Refusal:
    """The one node that a target means in a source, or why there is none; of a target by line, its whole lines."""
    if isinstance(target, Addressed):
        found = target.resolve(source)
        return found if isinstance(found, Refusal) else found[0]
    match = target.locate(source)
    return match if isinstance(match, Refusal) else WholeLines(match.span, render_address(target) or target.key)
