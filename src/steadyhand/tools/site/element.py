"""Operations on elements of a page: their form, the edit that each asks for, and how a refusal is worded.

An operation that cannot be asked for is refused by itself; those around it are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Advice, Note
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.plan.edit import Act
from steadyhand.schema import Field, Flag, Object, Text, bad_request
from steadyhand.structure.format import format_of
from steadyhand.structure.html.attributes import names_in
from steadyhand.structure.html.selector import Selector
from steadyhand.text.match import Occurrence
from steadyhand.text.source import Source
from steadyhand.tools.fields import REASON, reason_of
from steadyhand.tools.offers import offering
from steadyhand.tools.site.passage import operation_of

__all__ = ["ACTIONS", "ELEMENT_OPERATION", "ElementOperation", "element_operations", "no_page"]

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
_SHOWN = 5
_PAGES = ("html", "php")
_STYLES = (".css", ".scss", ".sass", ".less")
_TAG = lazy_pattern(r"<[a-zA-Z!]")

ELEMENT_OPERATION = Object(
    (
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
        message, hint, details = self._told(error, file)
        told = f"operation {self.index + 1}/{self.count} ({self.action}){message}"
        return EditError(error.kind, told, hint=hint, details={**details, "index": self.index})

    def _told(self, error: EditError, file: str) -> tuple[str, Advice, Mapping[str, object]]:
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
        shown = ", ".join(f"{_label(each)} (line {each.get('line', '?')})" for each in (similar or others)[:_SHOWN])
        what = "similar" if similar else "none is similar; there are"
        message = f"{named} matches no element" + (f"; {what}: {shown}" if shown else "")
        best = next((each["selector"] for each in similar if "selector" in each), None)
        first = "look at the page with readFile for the selector that fits" if best is None else f"send {best!r}"
        return message, f"{first}, {_BY_TEXT}", {"similar": list(similar)} | ({} if similar else {"available": others})

    def _several(
        self, named: str, places: Sequence[Mapping[str, object]], count: object
    ) -> tuple[str, str, Mapping[str, object]]:
        matches = [_match(place) for place in places]
        shown = "".join(f"\n  line {each['line']}: {each.get('selector', '')}" for each in matches[: 2 * _SHOWN])
        more = "" if len(matches) <= 2 * _SHOWN and count == len(matches) else "\n  …"
        message = f"{named} matches {count} elements:{shown}{more}"
        hint = "send the selector of one of them, or all: true to change every one"
        return message, hint, {"count": count, "matches": matches}


def no_page(source: Source) -> EditError | None:
    """Why a file has no elements; None for a page, and for a file of no known kind that has tags in it."""
    known = format_of(source.path)
    is_page = known.name in _PAGES if known is not None else _TAG.search(source.text) is not None
    if is_page and not str(source.path).lower().endswith(_STYLES):
        return None
    hint = "operations on elements are for HTML pages: change this file by its text, with editFile"
    return EditError(Kind.BAD_REQUEST, "this is not an HTML page", hint=hint, details={"path": source.path})


def element_operations(given: object) -> tuple[ElementOperation, ...]:
    """The operations of an argument; none where it is absent."""
    each = cast("Sequence[Mapping[str, object]]", given or ())
    return tuple(_operation(fields, index, len(each)) for index, fields in enumerate(each))


def _operation(fields: Mapping[str, object], index: int, count: int) -> ElementOperation:
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
            raise bad_request(field, f"it does not go with {action}", f"leave it out: {fits}")
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
        hint = f'to take the class away, send action "removeClass" with value {old!r:.80}'
        raise bad_request("newClass", "it has no class name", hint)
