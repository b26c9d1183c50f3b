"""Where an edit goes and what it does there, as data, and its one JSON form.

Command line, tools, scenario files and the journal all speak this form and no other::

    {"target": "old text",            "new": "new text"}
    {"target": {"lines": [3, 5]},     "insert": "text", "where": "before" | "after" | "start" | "end"}
    {"target": {"anchor": "12#a3f"},  "delete": true}
    {"target": {"key": "a.b"},        "act": "set-key", "args": {"value": 3}}

each with an optional `occurrence`, `expected` (not for insert) and `reason`. A target is old text, or an address in the
file's structure.
Nothing here looks at a file; wrong types are refused as `bad-request` at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, cast

from steadyhand.lazy import dataclass, replace
from steadyhand.schema import (
    NEW,
    OLD,
    Either,
    Field,
    Flag,
    Number,
    Object,
    Text,
    bad_request,
    check_integer,
    check_list,
    check_text,
    describe,
    join,
    nearest_name,
    read_flag,
    read_object,
    read_optional_integer,
    read_optional_text,
    read_text,
)
from steadyhand.structure.node import Where
from steadyhand.structure.target import Target, target_from_json
from steadyhand.text.match import Occurrence
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.match.tier import Alternative, Signs

Fit = Literal["free", "lines-first", "lines"]

FITS = ("free", "lines-first", "lines")
OCCURRENCES = ("unique", "first", "last", "all")
WHERES = ("before", "after", "start", "end")
MAX_EDITS = 10_000  # of one call
_set = object.__setattr__


@sized("text", "under")
@dataclass(frozen=True, slots=True)
class Old:
    """Old text, to be found in the file.

    What else is known of its place decides between places that are equal, or rules places out; it never makes up for
    text that does not match:

    `line`    the line (from 1) of the file before the call at which it is said to be: a hint, which decides only
              where several places are equal and one of them is there
    `fit`     `lines`: it is whole lines; `lines-first`: whole lines are meant where there are such, else any place
    `under`   lines above it, each inside the block that the one before it opens by indentation
    `at_end`  it is the end of the file; with an empty text, the place behind the last line
    """

    text: str
    line: int | None = None
    fit: Fit = "free"
    under: tuple[str, ...] = ()
    at_end: bool = False

    def __post_init__(self) -> None:
        if self.text.__class__ is not str:
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


@sized("new")
@dataclass(frozen=True, slots=True, init=False)
class Replace:
    """Put `new` where the target is. A string as target is old text.

    `alternatives` are other readings of old and new text, asked in order where the text as it is cannot be found;
    `signs` say which rows go and which come, where a patch says so. Neither is part of the JSON form.
    """

    target: Place
    new: str
    occurrence: Occurrence | None
    expected: int | None
    reason: str | None
    alternatives: tuple[Alternative, ...]
    signs: Signs | None

    def __init__(
        self,
        target: Place | str,
        new: str,
        *,
        occurrence: Occurrence | None = None,
        expected: int | None = None,
        reason: str | None = None,
        alternatives: tuple[Alternative, ...] = (),
        signs: Signs | None = None,
    ) -> None:
        _set(self, "target", Old(target) if isinstance(target, str) else _place(target))
        _set(self, "new", new if isinstance(new, str) else check_text(new, "new"))
        _set(self, "occurrence", None if occurrence is None else check_occurrence(occurrence, "occurrence"))
        _set(self, "expected", None if expected is None else _check_expected(expected))
        _set(self, "reason", None if reason is None else check_text(reason, "reason"))
        _set(self, "alternatives", alternatives)
        _set(self, "signs", signs)

    @property
    def text(self) -> str:
        """What this edit writes."""
        return self.new


@sized("text")
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
        _set(self, "target", Old(target) if isinstance(target, str) else _place(target))
        _set(self, "text", check_text(text, "insert"))
        _set(self, "where", check_where(where))
        _set(self, "occurrence", None if occurrence is None else check_occurrence(occurrence, "occurrence"))
        _set(self, "reason", None if reason is None else check_text(reason, "reason"))

    @property
    def expected(self) -> int | None:
        """An insertion expects no count."""
        return None


@dataclass(frozen=True, slots=True, init=False)
class Delete:
    """Delete the target."""

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
        _set(self, "target", Old(target) if isinstance(target, str) else _place(target))
        _set(self, "occurrence", None if occurrence is None else check_occurrence(occurrence, "occurrence"))
        _set(self, "expected", None if expected is None else _check_expected(expected))
        _set(self, "reason", None if reason is None else check_text(reason, "reason"))

    @property
    def text(self) -> str:
        """What this edit writes: nothing."""
        return ""


@sized("args")
@dataclass(frozen=True, slots=True, init=False)
class Act:
    """Do something to the target other than writing text there: `Act(Key("a.b"), "set-key", value=3)`.

    `docs/actions.md` lists the actions, what they apply to and their arguments.
    """

    target: Target
    name: str
    args: Mapping[str, object]
    occurrence: Occurrence | None
    expected: int | None
    reason: str | None

    def __init__(
        self,
        target: Target,
        name: str,
        /,
        *,
        occurrence: Occurrence | None = None,
        expected: int | None = None,
        reason: str | None = None,
        **args: object,
    ) -> None:
        if not isinstance(target, Target):
            raise bad_request("target", "an action needs an address", 'such as Key("a.b") or Selector("#id")')
        _set(self, "target", target)
        _set(self, "name", name)
        _set(self, "args", _check_args(name, args, "act", "args"))
        _set(self, "occurrence", None if occurrence is None else check_occurrence(occurrence, "occurrence"))
        _set(self, "expected", None if expected is None else _check_expected(expected))
        _set(self, "reason", None if reason is None else check_text(reason, "reason"))

    @property
    def text(self) -> str:
        """What this edit writes, as far as it is given as text."""
        return "\n".join(value for value in self.args.values() if isinstance(value, str))


Edit = Replace | Insert | Delete | Act
Edits = Edit | Mapping[str, object] | Sequence[Edit | Mapping[str, object]]
_VERBS = (Replace, Insert, Delete, Act)
_ONE = (*_VERBS, Mapping)
_LISTS = (list, tuple)


def as_replacement(edit: Edit, old: str) -> str:
    """What is in the place of its old text when an edit is made."""
    match edit:
        case Replace():
            return edit.new
        case Delete():
            return ""
        case Insert():
            return edit.text + old if edit.where in ("before", "start") else old + edit.text
        case Act():
            return old  # it has no old text


def with_reason(edit: Edit, reason: str) -> Edit:
    """The same edit for another reason."""
    if isinstance(edit, Act):
        which = {"occurrence": edit.occurrence, "expected": edit.expected}
        return Act(edit.target, edit.name, reason=reason, **which, **edit.args)  # type: ignore[arg-type]
    return replace(edit, reason=reason)


EDIT_VERBS = ("new", "insert", "delete", "act")
_TARGET = (
    'The old text exactly as it is in the file, or {"at": ADDRESS}: lines:3-5 (lines:3-2 is the place before line 3), '
    "anchor:12#a3f, heading:Guide > Setup, symbol:Class.method, selector:#id, key:a.b[0], code_block:0, "
    "table:0[2,Name], front_matter:title, cell:3. With a part or a number: heading.body[2]:Notes, symbol.body:f."
)


@cache
def edit_shape() -> Object:
    """The one declaration of an edit: its fields, their meanings, and the other names that models give them.

    The strict reader below, tools, dialects and JSON Schemas all take them from here. Made when it is first needed.
    """
    which = Either((Number(least=-1), Text(OCCURRENCES)))
    target = Either((Text(), Object((Field("at", Text()),), is_open=True)))
    return Object(
        (
            Field("target", target, _TARGET, also=("old", *OLD)),
            Field("new", Text(), "The new text.", also=NEW),
            Field("insert", Text(), "Or: text to insert next to or into the target.", also=("insert_text",)),
            Field("where", Text(WHERES), "Where insert goes (after)."),
            Field("delete", Flag(), "Or: true removes it."),
            Field("act", Text(), "Or: an action such as set-key, add-key, set-attribute, add-class, set-cell, move."),
            Field("args", Object(is_open=True), 'Of act, such as {"value": 3}.'),
            Field("occurrence", which, "Which match, if several."),
            Field("expected", Number(least=1), "How many places must match; all of them change."),
            Field("reason", Text(), "Why; kept with the change."),
        )
    )


def read_edits(edits: Edits) -> tuple[Edit, ...]:
    """Verbs from verbs or their JSON form, one or many. Refuses with `bad-request`."""
    items: object = edits if isinstance(edits, _LISTS) else [edits] if isinstance(edits, _ONE) else edits
    if not isinstance(items, _LISTS) and (isinstance(items, str | bytes) or not isinstance(items, Sequence)):
        raise bad_request("edits", "a list of edits is expected", "such as [Replace(old, new)]")
    return tuple(
        [
            item if isinstance(item, _VERBS) else edit_from_json(item, f"edits[{index}]")
            for index, item in enumerate(items)
        ]
    )


def edit_from_json(value: object, path: str = "") -> Edit:
    """One edit from its JSON form. Refuses with `bad-request`; `path` goes before the field's name in its details.

    >>> edit_from_json({"target": "a", "new": "b", "occurrence": "all"}).occurrence
    'all'
    """
    fields = read_object(value, path, edit_shape().names)
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
        where = check_where(fields.get("where", "after"), join(path, "where"))
        return Insert(place, text, where=where, occurrence=occurrence, reason=reason)
    if verb == "act":
        return _act_from_json(fields, place, path, occurrence, expected, reason)
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
        case Act():
            data |= {"act": edit.name} | ({"args": dict(edit.args)} if edit.args else {})
    optional = {"occurrence": edit.occurrence, "expected": edit.expected, "reason": edit.reason}
    return data | {name: value for name, value in optional.items() if value is not None}


def _verb_of(fields: Mapping[str, object], path: str) -> str:
    given = [verb for verb in EDIT_VERBS if verb in fields]
    if len(given) != 1:
        what = "says neither new, insert, delete nor act" if not given else f"says {' and '.join(given)}"
        raise bad_request(path, f"the edit {what}", "give exactly one of 'new', 'insert', 'delete' and 'act'")
    if given == ["delete"] and fields["delete"] is not True:
        raise bad_request(join(path, "delete"), "only true means something here", "leave the edit out instead")
    if "where" in fields and given != ["insert"]:
        raise bad_request(join(path, "where"), "it belongs to 'insert' only", "leave it out")
    if "args" in fields and given != ["act"]:
        raise bad_request(join(path, "args"), "it belongs to 'act' only", "leave it out")
    return given[0]


def _act_from_json(
    fields: Mapping[str, object],
    place: Place,
    path: str,
    occurrence: Occurrence | None,
    expected: int | None,
    reason: str | None,
) -> Act:
    if isinstance(place, Old):
        raise bad_request(join(path, "target"), "an action needs an address, not old text", "such as {'key': 'a.b'}")
    given = fields.get("args") or {}
    if not isinstance(given, Mapping):
        raise bad_request(join(path, "args"), f"an object is expected, not {describe(given)}")
    name = read_text(fields, "act", path)
    args = cast("dict[str, object]", dict(given))
    for taken in ("occurrence", "expected", "reason"):
        if taken in args:
            raise bad_request(join(path, f"args.{taken}"), "it belongs next to 'act', not in 'args'")
    _check_args(name, args, join(path, "act"), join(path, "args"))
    return Act(place, name, occurrence=occurrence, expected=expected, reason=reason, **args)


def _check_args(name: object, args: Mapping[str, object], path: str, args_path: str) -> Mapping[str, object]:
    from steadyhand.structure.action import action_named, action_names  # few calls have an action

    known = action_names()
    if not isinstance(name, str) or name not in known:
        near = nearest_name(name, known) if isinstance(name, str) else None
        hint = f"did you mean {near!r}?" if near else f"actions: {', '.join(known)}"
        raise bad_request(path, f"there is no action {str(name)[:40]!r}", hint)
    return dict(action_named(name).check(args, args_path))


def check_occurrence(value: object, path: str) -> Occurrence | None:
    """`unique`, `first`, `last`, `all`, a count from 1, or -1 for the last; None where nothing is said."""
    if value is None:
        return None
    if isinstance(value, str):
        if value in OCCURRENCES:
            return cast("Occurrence", value)
        near = nearest_name(value, OCCURRENCES)
        meant = f"did you mean {near!r}?" if near else f"one of {', '.join(OCCURRENCES)};"
        raise bad_request(path, f"{value[:40]!r} is not an occurrence", f"{meant} a number counts from 1")
    number = check_integer(value, path)
    if number < 1 and number != -1:
        raise bad_request(path, f"occurrence {number} does not exist", "occurrences count from 1; -1 is the last")
    return number


def _place(target: object) -> Place:
    if not isinstance(target, Old | Target):
        raise bad_request("target", "old text or a target is expected", "Old(…), Lines(…), Anchor(…) or a string")
    return target


def check_where(where: object, path: str = "where") -> Where:
    """On which side of a place, or inside at which end."""
    if where not in WHERES or not isinstance(where, str):
        near = nearest_name(where, WHERES) if isinstance(where, str) else None
        raise bad_request(path, f"one of {', '.join(WHERES)} is expected", f"did you mean {near!r}?" if near else None)
    return cast("Where", where)


def _check_expected(expected: object) -> int:
    number = check_integer(expected, "expected")
    if number < 1:
        raise bad_request("expected", "it counts from 1")
    return number


def place_from_json(value: object, path: str) -> Place:
    """A target from its JSON form: a string is old text, an object has one key; `at` holds any address as a string."""
    if isinstance(value, str):
        return Old(value)
    if isinstance(value, Mapping) and list(value) == ["old"]:
        return _old_from_json(value["old"], join(path, "old"))
    return target_from_json(value, path)


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
