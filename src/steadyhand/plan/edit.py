"""The verbs as data, and their one JSON form.

Command line, tools, scenario files and the journal all speak this form and no other::

    {"target": "old text",            "new": "new text"}
    {"target": {"lines": [3, 5]},     "insert": "text", "where": "before" | "after" | "start" | "end"}
    {"target": {"anchor": "12#a3f"},  "delete": true}

each with an optional `occurrence`, `expected` (not for insert) and `reason`. A string as target is old text,
the same as `{"old": …}`; `{"old": {"text": …, "line": 12, …}}` says more about where it stands. Nothing here looks at
a file; wrong types are refused as `bad-request` at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from steadyhand.match.needle import Spare
from steadyhand.structure.fields import (
    bad_request,
    check_integer,
    check_list,
    check_text,
    join,
    nearest_name,
    read_flag,
    read_object,
    read_optional_integer,
    read_optional_text,
    read_text,
)
from steadyhand.structure.target import Target, targets

Occurrence = Literal["unique", "first", "last", "all"] | int
Where = Literal["before", "after", "start", "end"]

Fit = Literal["free", "lines-first", "lines"]

OCCURRENCES = ("unique", "first", "last", "all")
WHERES = ("before", "after", "start", "end")
FITS = ("free", "lines-first", "lines")


@dataclass(frozen=True, slots=True)
class Old:
    """Old text, to be found in the file.

    What else is known of its place decides between places that are equal, or rules places out; it never makes up for
    text that does not match:

    `line`    the line (from 1) of the file before the call at which it is said to stand: a hint, which decides only
              where several places are equal and one of them stands there
    `fit`     `lines`: it is whole lines; `lines-first`: whole lines are meant where there are such, else any place
    `under`   lines that stand above it, each inside what the one before it leads in by indentation
    `at_end`  it is the end of the file; with an empty text, the place behind the last line
    """

    text: str
    line: int | None = None
    fit: Fit = "free"
    under: tuple[str, ...] = ()
    at_end: bool = False

    def __post_init__(self) -> None:
        check_text(self.text, "old")
        if self.line is not None:
            check_integer(self.line, "old.line")
        if self.fit not in FITS:
            raise bad_request("old.fit", f"one of {', '.join(FITS)} is expected")
        for row in self.under:
            check_text(row, "old.under")

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the text is known."""
        return self == Old(self.text)


Place = Old | Target


@dataclass(frozen=True, slots=True, init=False)
class Replace:
    """Put `new` where the target is. A string as target is old text.

    `spares` are other readings of old and new text, asked in order where the text as it is cannot be found; they are
    no part of the JSON form.
    """

    target: Place
    new: str
    occurrence: Occurrence | None
    expected: int | None
    reason: str | None
    spares: tuple[Spare, ...]

    def __init__(
        self,
        target: Place | str,
        new: str,
        *,
        occurrence: Occurrence | None = None,
        expected: int | None = None,
        reason: str | None = None,
        spares: tuple[Spare, ...] = (),
    ) -> None:
        _set(self, "target", _place(target))
        _set(self, "new", check_text(new, "new"))
        _set(self, "occurrence", check_occurrence(occurrence, "occurrence"))
        _set(self, "expected", _check_expected(expected))
        _set(self, "reason", _check_reason(reason))
        _set(self, "spares", spares)

    @property
    def text(self) -> str:
        """What this edit writes."""
        return self.new


@dataclass(frozen=True, slots=True, init=False)
class Insert:
    """Put `text` before or after the target, or inside it at its start or end.

    For old text and line ranges `start` is the same place as `before`, and `end` as `after`.
    """

    target: Place
    text: str
    where: Where
    occurrence: Occurrence | None
    reason: str | None

    def __init__(
        self,
        target: Place | str,
        text: str,
        *,
        where: Where = "after",
        occurrence: Occurrence | None = None,
        reason: str | None = None,
    ) -> None:
        _set(self, "target", _place(target))
        _set(self, "text", check_text(text, "insert"))
        _set(self, "where", _check_where(where))
        _set(self, "occurrence", check_occurrence(occurrence, "occurrence"))
        _set(self, "reason", _check_reason(reason))

    @property
    def expected(self) -> int | None:
        """An insertion expects no count."""
        return None


@dataclass(frozen=True, slots=True, init=False)
class Delete:
    """Take the target away."""

    target: Place
    occurrence: Occurrence | None
    expected: int | None
    reason: str | None

    def __init__(
        self,
        target: Place | str,
        *,
        occurrence: Occurrence | None = None,
        expected: int | None = None,
        reason: str | None = None,
    ) -> None:
        _set(self, "target", _place(target))
        _set(self, "occurrence", check_occurrence(occurrence, "occurrence"))
        _set(self, "expected", _check_expected(expected))
        _set(self, "reason", _check_reason(reason))

    @property
    def text(self) -> str:
        """What this edit writes: nothing."""
        return ""


Edit = Replace | Insert | Delete


def as_replacement(edit: Edit, old: str) -> str:
    """What stands in the place of its old text when an edit is made."""
    match edit:
        case Replace():
            return edit.new
        case Delete():
            return ""
        case Insert():
            return edit.text + old if edit.where in ("before", "start") else old + edit.text


_VERBS = ("new", "insert", "delete")
_FIELDS = ("target", "new", "insert", "where", "delete", "occurrence", "expected", "reason")


def edit_from_json(value: object, path: str = "") -> Edit:
    """One edit from its JSON form. Refuses with `bad-request`; `path` goes before the field's name in its details.

    >>> edit_from_json({"target": "a", "new": "b", "occurrence": "all"}).occurrence
    'all'
    """
    fields = read_object(value, path, _FIELDS)
    verb = _verb_of(fields, path)
    if "target" not in fields:
        raise bad_request(join(path, "target"), "the field is missing", "give the old text, or {'lines': [3, 5]}")
    place = place_from_json(fields["target"], join(path, "target"))
    occurrence = check_occurrence(fields.get("occurrence"), join(path, "occurrence"))
    expected = read_optional_integer(fields, "expected", path)
    reason = read_optional_text(fields, "reason", path)
    if expected is not None and (verb == "insert" or expected < 1):
        why = "an insertion has none" if verb == "insert" else "it counts from 1"
        raise bad_request(join(path, "expected"), why)
    if verb == "new":
        new = read_text(fields, "new", path)
        return Replace(place, new, occurrence=occurrence, expected=expected, reason=reason)
    if verb == "insert":
        text = read_text(fields, "insert", path)
        where = _check_where(fields.get("where", "after"), join(path, "where"))
        return Insert(place, text, where=where, occurrence=occurrence, reason=reason)
    return Delete(place, occurrence=occurrence, expected=expected, reason=reason)


def edit_to_json(edit: Edit) -> dict[str, object]:
    """The JSON form of one edit; fields that say nothing are left out."""
    data: dict[str, object] = {"target": place_to_json(edit.target)}
    match edit:
        case Replace():
            data["new"] = edit.new
        case Insert():
            data |= {"insert": edit.text, "where": edit.where}
        case Delete():
            data["delete"] = True
    optional = {"occurrence": edit.occurrence, "expected": edit.expected, "reason": edit.reason}
    return data | {name: value for name, value in optional.items() if value is not None}


def place_from_json(value: object, path: str) -> Place:
    """A target from its JSON form: a string, or an object with one key."""
    if isinstance(value, str):
        return Old(value)
    known = targets()
    names = ("old", *known)
    fields = read_object(value, path, names)
    if len(fields) != 1:
        raise bad_request(path, f"a target has one field, this has {len(fields)}", f"one of {', '.join(names)}")
    (key,) = fields
    if key == "old":
        return _old_from_json(fields["old"], join(path, "old"))
    return known[key].from_json(fields[key], join(path, key))


def place_to_json(place: Place) -> object:
    """The JSON form of a target; old text of which nothing else is known is a plain string."""
    if not isinstance(place, Old):
        return {place.key: place.to_json()}
    if place.is_plain:
        return place.text
    facts: dict[str, object] = {
        "line": place.line,
        "fit": place.fit,
        "under": list(place.under),
        "at_end": place.at_end,
    }
    usual: dict[str, object] = {"line": None, "fit": "free", "under": [], "at_end": False}
    return {"old": {"text": place.text} | {name: fact for name, fact in facts.items() if fact != usual[name]}}


def _old_from_json(value: object, path: str) -> Old:
    if isinstance(value, str):
        return Old(value)
    fields = read_object(value, path, ("text", "line", "fit", "under", "at_end"))
    under = check_list(fields.get("under", []), join(path, "under"))
    return Old(
        read_text(fields, "text", path),
        line=read_optional_integer(fields, "line", path),
        fit=cast("Fit", fields.get("fit", "free")),
        under=tuple(check_text(row, join(path, "under")) for row in under),
        at_end=read_flag(fields, "at_end", path),
    )


def _verb_of(fields: Mapping[str, object], path: str) -> str:
    given = [verb for verb in _VERBS if verb in fields]
    if len(given) != 1:
        what = "says neither new, insert nor delete" if not given else f"says {' and '.join(given)}"
        raise bad_request(path, f"the edit {what}", "give exactly one of 'new', 'insert' and 'delete'")
    if given == ["delete"] and fields["delete"] is not True:
        raise bad_request(join(path, "delete"), "only true means something here", "leave the edit out instead")
    if "where" in fields and given != ["insert"]:
        raise bad_request(join(path, "where"), "it belongs to 'insert' only", "leave it out")
    return given[0]


def check_occurrence(value: object, path: str) -> Occurrence | None:
    """`unique`, `first`, `last`, `all`, a count from 1, or -1 for the last; None where nothing is said."""
    if value is None:
        return None
    if isinstance(value, str):
        if value in OCCURRENCES:
            return cast("Occurrence", value)
        near = nearest_name(value, OCCURRENCES) or "unique"
        raise bad_request(path, f"{value[:40]!r} is no occurrence", f"did you mean {near!r}? a number counts from 1")
    number = check_integer(value, path)
    if number < 1 and number != -1:
        raise bad_request(path, f"occurrence {number} does not exist", "occurrences count from 1; -1 is the last")
    return number


def _set(edit: object, name: str, value: object) -> None:
    object.__setattr__(edit, name, value)


def _place(target: object) -> Place:
    if isinstance(target, str):
        return Old(target)
    if not isinstance(target, Old | Target):
        raise bad_request("target", "old text or a target is expected", "Old(…), Lines(…), Anchor(…) or a string")
    return target


def _check_where(where: object, path: str = "where") -> Where:
    if where not in WHERES or not isinstance(where, str):
        near = nearest_name(where, WHERES) if isinstance(where, str) else None
        raise bad_request(path, f"one of {', '.join(WHERES)} is expected", f"did you mean {near!r}?" if near else None)
    return cast("Where", where)


def _check_expected(expected: object) -> int | None:
    if expected is None:
        return None
    number = check_integer(expected, "expected")
    if number < 1:
        raise bad_request("expected", "it counts from 1")
    return number


def _check_reason(reason: object) -> str | None:
    return None if reason is None else check_text(reason, "reason")
