"""The operations of the site's tools: on passages of text, and on elements by selector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Advice, ExpectCount, Hint, Note, Say
from steadyhand.lazy import dataclass
from steadyhand.match.tier import step_names
from steadyhand.plan.edit import Act, Replace
from steadyhand.plan.planner import Outcome
from steadyhand.schema import Field, Flag, Number, Object, Text, bad_request
from steadyhand.structure.html.change import names_in
from steadyhand.structure.html.element import Selector
from steadyhand.text.lines import split_bodies
from steadyhand.text.match import Occurrence
from steadyhand.text.nearest import find_nearest
from steadyhand.text.source import Source
from steadyhand.text.visible import clip, sized
from steadyhand.tools.result import OFFERED, Offer, candidates_of, offering
from steadyhand.tools.tool import REASON, reason_of
from steadyhand.tools.toolsets import in_fields

# Operations that put one passage of text in the place of another: their form, their edits, how a refusal is worded.
#
# How a passage may be found is said by four names; only one that is there, but for blanks, may be replaced at several
# places.

# How the engine's tiers are named here.
TIERS: Mapping[str, str] = {
    "exact": "exact",
    "newline": "exact",
    "repair": "whitespace",
    "whitespace": "whitespace",
    "typography": "whitespace",
    "token": "token",
    "elision": "token",
    "fuzzy": "fuzzy",
}
_LAXEST_OF_SEVERAL = "typography"
_LAXEST_BUT_LIKENESS = "elision"
LIKE_ENOUGH = 0.85
_PLACED = frozenset(
    {Kind.NO_MATCH, Kind.AMBIGUOUS_MATCH, Kind.LOW_CONFIDENCE, Kind.COUNT_MISMATCH, Kind.DRIFT_CONFLICT}
)
_LISTED = frozenset({"nearest", "candidates"})  # details of a refusal whose message lists places
_SHOWN = _LISTED | {"actual"}  # and of one that shows anything of the file
_WIDEST = 160
_LONGEST = 2_000

PASSAGE_OPERATION = Object.of(
    Field("search", Text(), "Exact text from the file.", required=True),
    Field("replace", Text(), "The replacement, literally; empty deletes.", required=True),
    Field("expectedReplacements", Number(least=1), "How many places must match; all of them change. Usually 1."),
    REASON,
    gone=(("replace_all", "send expectedReplacements, the number of places, to change all of them"),),
)


@sized("search")
@dataclass(frozen=True, slots=True, eq=False)
class PassageOperation:
    """One operation of a call; `expected` is the number of places that it names, if it does."""

    index: int
    count: int
    edit: Replace
    search: str
    expected: int | None

    def tier(self, laxest: str | None, *, by_likeness: bool) -> str | None:
        """The laxest tier that its text may be found at, of those up to `laxest`."""
        own = _LAXEST_OF_SEVERAL if self.expected not in (None, 1) else None if by_likeness else _LAXEST_BUT_LIKENESS
        known = step_names()
        return min(filter(None, (laxest, own)), key=known.index, default=None)

    def likeness(self, outcome: Outcome, before: Source) -> float | None:
        """How like its text the place is, character for character, where it was found by that; else None."""
        if outcome.tier != "fuzzy":
            return None
        alike = outcome.similarity or 0.0
        if alike >= LIKE_ENOUGH:  # lines that pair badly may still be much the same text
            return alike
        return max([alike, *(place.similarity for place in find_nearest(before, self.search, limit=1))])

    def best_match(self, error: EditError, source: Source) -> dict[str, object] | None:
        """The place that comes nearest, where the refusal is about places and may show the file."""
        if error.kind not in _PLACED or not _SHOWN & set(error.details):
            return None
        found = find_nearest(source, self.search, limit=1)
        if not found:
            return None
        text = found[0].span.of(source.text)
        alike = found[0].similarity if text == self.search else min(found[0].similarity, 0.999)
        return {"text": clip(text, width=_LONGEST), "similarity": round(alike, 3), "line": found[0].first_line}

    def explained(self, error: EditError, file: str, best: Mapping[str, object] | None) -> EditError:
        """The refusal with what was searched for, and how near the best match comes where it does not say so itself."""
        message = error.message_in(in_fields("search", "replace"))
        where = "" if file in message else f" on {file}"
        rows = [f"operation {self.index + 1}/{self.count}{where}: {message}"]
        searched = _short(self.search)
        if self.count > 1 and searched not in message:
            rows.append(f"  searched for: {searched}")
        if best is not None and not _LISTED & set(error.details):
            alike = min(cast("float", best["similarity"]), 0.99)
            rows.append(f"  best match: {alike:.0%} alike, line {best['line']}")
        details = offering(error, operation_of) | {"index": self.index}
        return EditError(self._kind(error), "\n".join(rows), hint=self._hints(error), details=details)

    def _kind(self, error: EditError) -> Kind:
        """Of a text that occurs in more places than the operation names, the count is what is wrong."""
        is_miscount = error.kind is Kind.AMBIGUOUS_MATCH and error.details.get("tier") != "fuzzy"
        return Kind.COUNT_MISMATCH if is_miscount and self.expected is not None else error.kind

    def _hints(self, error: EditError) -> Sequence[Hint]:
        if error.kind not in (Kind.AMBIGUOUS_MATCH, Kind.COUNT_MISMATCH):
            return error.hints
        total, tier = error.details.get("total"), TIERS.get(str(error.details.get("tier")))
        more = "add surrounding text to search and replace"
        if any("corrected" in each for each in candidates_of(error.details)):
            more = OFFERED
        is_counted = error.kind is Kind.COUNT_MISMATCH or not _can_overlap(self.search)  # places that overlap are not
        if tier in ("exact", "whitespace") and is_counted and error.details.get("total_is_exact", True):
            return Say(more), ExpectCount(cast("int", total))
        return (Say(more),)


def operation_of(offer: Offer) -> dict[str, object]:
    """An edit that is offered, as an operation of this form."""
    return {"search": offer.old, "replace": offer.new}


def passage_operations(given: object) -> tuple[PassageOperation, ...]:
    """The operations of an argument; none where it is absent."""
    each = cast("Sequence[Mapping[str, object]]", given or ())
    return tuple(_passage(fields, index, len(each)) for index, fields in enumerate(each))


def _passage(fields: Mapping[str, object], index: int, count: int) -> PassageOperation:
    search, expected = str(fields["search"]), cast("int | None", fields.get("expectedReplacements"))
    edit = Replace(
        search,
        str(fields["replace"]),
        expected=None if expected == 1 else expected,  # one place may also be found by likeness, a count may not
        reason=reason_of(fields),
    )
    return PassageOperation(index, count, edit, search, expected)


def _can_overlap(text: str) -> bool:
    """Whether two places of a text may share characters: it begins as it ends.

    >>> _can_overlap("abab"), _can_overlap("abc")
    (True, False)
    """
    return any(text.startswith(text[at:]) for at in range(max(len(text) - _LONGEST, 1), len(text)))


def _short(text: str) -> str:
    """The first line of a text, cut where it is long, and how many more there are."""
    rows = split_bodies(text.strip("\r\n")) or [""]
    first = rows[0] if len(rows[0]) <= _WIDEST else f"{rows[0][:_WIDEST]}…"
    return first if len(rows) == 1 else f"{first} … (and {len(rows) - 1} more lines)"


# Operations on elements of a page: their form, the edit that each asks for, and how a refusal is worded.
#
# An operation that cannot be asked for is refused by itself; those around it are not.

# What the engine calls each action, and by which names it knows the fields that the action takes.
ACTIONS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "setAttribute": ("set-attribute", {"attr": "attr", "value": "value"}),
    "removeAttribute": ("remove-attribute", {"attr": "attr"}),
    "setText": ("set-text", {"value": "value"}),
    "setHTML": ("set-html", {"value": "value"}),
    "addClass": ("add-class", {"value": "value"}),
    "removeClass": ("remove-class", {"value": "value"}),
    "replaceClass": ("replace-class", {"oldClass": "old", "newClass": "new"}),
    "remove": ("remove", {}),
    "replaceElement": ("replace-element", {"value": "value"}),
    "wrap": ("wrap", {"value": "value"}),
    "unwrap": ("unwrap", {}),
    "insertAdjacentHTML": ("insert-html", {"position": "position", "value": "value"}),
}
_ARGUMENTS = ("attr", "value", "oldClass", "newClass", "position")
_POSITIONS = ("beforebegin", "afterbegin", "beforeend", "afterend")
_BY_TEXT = "or change it with editFile, by its text"
_SHOWN_ELEMENTS = 5

ELEMENT_OPERATION = Object.of(
    Field("selector", Text(), "CSS; must match one element.", required=True),
    Field("action", Text(choices=tuple(ACTIONS)), required=True),
    Field("attr", Text(), "The attribute, for setAttribute and removeAttribute.", also=("attribute",)),
    Field("value", Text(), "Attribute value, text, markup, class names, or the empty wrapper such as <div></div>."),
    Field("oldClass", Text(), "For replaceClass."),
    Field("newClass", Text(), "For replaceClass."),
    Field("position", Text(choices=_POSITIONS), "For insertAdjacentHTML."),
    Field("all", Flag(), "Change every element that matches."),
    REASON,
)


@dataclass(frozen=True, slots=True, eq=False)
class ElementOperation:
    """One operation of a call; `edit` is what it asks for, or why that cannot be asked."""

    index: int
    count: int
    action: str
    selector: str
    edit: Act | EditError

    def explained(self, error: EditError, file: str) -> EditError:
        """The refusal in the words of this tool: selectors that can be sent, not addresses of the engine."""
        message, hint, details = self._explained(error, file)
        message = f"operation {self.index + 1}/{self.count} ({self.action}){message}"
        return EditError(error.kind, message, hint=hint, details={**details, "index": self.index})

    def _explained(self, error: EditError, file: str) -> tuple[str, Advice, Mapping[str, object]]:
        """What is wrong, behind the name of the operation; what to do; and the facts."""
        named = repr(self.selector[:80])
        near, places = error.details.get("nearest"), error.details.get("places")
        if error.kind is Kind.NO_SUCH_TARGET and isinstance(near, list):
            return self._nothing(f" on {file}: {named}", _elements(near), _elements(error.details.get("available", ())))
        if error.kind is Kind.AMBIGUOUS_MATCH and isinstance(places, list):
            return self._several(f" on {file}: {named}", places, error.details.get("count"))
        if error.kind is Kind.NO_CHANGE:
            return f" on {file}: it would change nothing at {named}", "nothing needs to be done there", error.details
        details = offering(error, operation_of)
        offered = (Note("`corrected` is an operation of editFile"),) if "corrected" in details else ()
        return f": {error.message}", (*error.hints, *offered), details

    def _nothing(
        self, named: str, similar: Sequence[dict[str, object]], others: Sequence[dict[str, object]]
    ) -> tuple[str, str, Mapping[str, object]]:
        shown = ", ".join(
            f"{_label(each)} (line {each.get('line', '?')})" for each in (similar or others)[:_SHOWN_ELEMENTS]
        )
        what = "similar" if similar else "none is similar; there are"
        message = f"{named} matches no element" + (f"; {what}: {shown}" if shown else "")
        best = next((each["selector"] for each in similar if "selector" in each), None)
        first = "read the page with readFile to find the right selector" if best is None else f"send {best!r}"
        return message, f"{first}, {_BY_TEXT}", {"similar": list(similar)} | ({} if similar else {"available": others})

    def _several(
        self, named: str, places: Sequence[Mapping[str, object]], count: object
    ) -> tuple[str, str, Mapping[str, object]]:
        matches = [_match(place) for place in places]
        shown = "".join(
            f"\n  line {each['line']}: {each.get('selector', '')}" for each in matches[: 2 * _SHOWN_ELEMENTS]
        )
        more = "" if len(matches) <= 2 * _SHOWN_ELEMENTS and count == len(matches) else "\n  …"
        message = f"{named} matches {count} elements:{shown}{more}"
        hint = "send the selector of one of them, or all: true to change every one"
        return message, hint, {"count": count, "matches": matches}


def element_operations(given: object) -> tuple[ElementOperation, ...]:
    """The operations of an argument; none where it is absent."""
    each = cast("Sequence[Mapping[str, object]]", given or ())
    return tuple(_element(fields, index, len(each)) for index, fields in enumerate(each))


def _element(fields: Mapping[str, object], index: int, count: int) -> ElementOperation:
    action, selector = str(fields["action"]), str(fields["selector"])
    try:
        edit: Act | EditError = _edit(action, selector, fields)
    except EditError as error:
        edit = error
    return ElementOperation(index, count, action, selector, edit)


def _edit(action: str, selector: str, fields: Mapping[str, object]) -> Act:
    name, taken = ACTIONS[action]
    fits = f"{action} takes {' and '.join(taken) or 'nothing but the selector'}"
    for field in _ARGUMENTS:
        if field in taken and field not in fields:
            raise bad_request(field, "the field is missing", fits)
        if field not in taken and fields.get(field):
            raise bad_request(field, f"it cannot be combined with {action}", f"leave it out: {fits}")
    if action == "replaceClass":
        _check_classes(str(fields["oldClass"]), str(fields["newClass"]))
    arguments: dict[str, Any] = {known: fields[field] for field, known in taken.items()}
    which: Occurrence = "all" if fields.get("all") else "unique"
    return Act(Selector(selector), name, occurrence=which, reason=reason_of(fields), **arguments)


def _elements(found: object) -> list[dict[str, object]]:
    """Elements as the engine tells of them, with a selector instead of the address."""
    near = cast("Sequence[Mapping[str, object]]", found)
    return [_with_selector(each, {name: each[name] for name in each if name != "address"}) for each in near]


def _match(place: Mapping[str, object]) -> dict[str, object]:
    lines = place.get("lines")
    return _with_selector(place, {"line": lines[0] if isinstance(lines, list) else None})


def _with_selector(place: Mapping[str, object], facts: dict[str, object]) -> dict[str, object]:
    """The facts after the selector that means the element alone; without, where only its number would."""
    kind, _, css = str(place.get("address", "")).partition(":")
    return {"selector": css, **facts} if kind == Selector.key else facts


def _label(element: Mapping[str, object]) -> str:
    return str(element.get("selector") or f"<{element.get('tag', '?')}>")


def _check_classes(old: str, new: str) -> None:
    """Refuse what the engine would refuse in its own words."""
    if len(names_in(old)) != 1:
        raise bad_request("oldClass", "it must be one class name", "send an operation for each class")
    if not names_in(new):
        hint = f'to remove the class, send action "removeClass" with value {old!r:.80}'
        raise bad_request("newClass", "it has no class name", hint)
