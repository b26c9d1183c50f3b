"""What is told of an edit of an article that was refused: which edit, counted from 0, what is wrong, what to send.

Only words are made here. A short file is shown whole, in a field of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Note, Say
from steadyhand.plan.places import lines_phrase
from steadyhand.tools.call import Call
from steadyhand.tools.offers import Offer, offering

__all__ = ["SHORT", "told_edit"]

SHORT = 500  # characters of a file that is shown whole
_LISTED = 8
_UNIQUE = "add the heading above it, or a line beside it, to old_string and new_string, so that it stands there once"


def told_edit(call: Call, error: EditError, path: str) -> EditError:
    """The refusal as this tool tells it. One that shows nothing, of a file with secrets, stays as it is."""
    index = error.details.get("index")
    if not isinstance(index, int):
        return error
    details = offering(error, _edit_of)
    hints = error.hints
    match error.kind:
        case Kind.NO_MATCH | Kind.ALREADY_APPLIED:
            said = f"Text not found: {error.message}"
            content = _short_content(call, path)
            if content is not None:
                details["content"] = content
                hints = (*hints, Note("the whole file is given as `content` in the details"))
        case Kind.AMBIGUOUS_MATCH:
            said, hints = _several(error.details), (Say(_UNIQUE),)
            places = _places(details)
            details = {name: details[name] for name in ("path", "index", "total") if name in details} | places
        case Kind.OVERLAPPING_EDITS:
            said = _overlapping(error.details)
            hints = (Say(f"make one edit of the two, or send edit {index} in a call of its own"),)
        case _:
            said = error.message
    return EditError(error.kind, f"Edit {index}: {said}", hint=hints, details=details)


def _several(details: Mapping[str, object]) -> str:
    total = f"{details.get('total')}{'' if details.get('total_is_exact', True) else ' or more'}"
    places = _candidates(details)
    rows = [f"  line {place['lines'][0]}: {place['text']}" for place in places[:_LISTED]]
    count = details.get("total")
    rest = " …" if not isinstance(count, int) or count > len(places) or not details.get("total_is_exact", True) else ""
    more = [f"  also in line {', '.join(str(place['lines'][0]) for place in places[_LISTED:])}{rest}"]
    return "\n".join([f"Text appears {total} times", *rows, *(more if len(places) > _LISTED else [])])


def _places(details: Mapping[str, object]) -> dict[str, object]:
    """The lines of the places, and for the first of them the edit that means each alone, where there is one."""
    places = _candidates(details)
    told = [{"lines": place["lines"], **place["corrected"]} for place in places[:_LISTED] if "corrected" in place]
    return {"lines": [place["lines"][0] for place in places], **({"candidates": told} if told else {})}


def _candidates(details: Mapping[str, object]) -> list[Mapping[str, Any]]:
    places = details.get("candidates")
    return places if isinstance(places, list) else []


def _overlapping(details: Mapping[str, object]) -> str:
    lines = details.get("lines")
    where = f", {lines_phrase(*lines)}" if isinstance(lines, list) and len(lines) == 2 else ""
    earlier = details.get("earlier")
    return f"old_string touches what edit {earlier} of this call has written{where}"


def _edit_of(offer: Offer) -> dict[str, object]:
    said: dict[str, object] = {"old_string": offer.old, "new_string": offer.new}
    return said if offer.reason is None else said | {"reason": offer.reason}


def _short_content(call: Call, path: str) -> str | None:
    source = call.workspace.source(call.path(path))
    if len(source.text) > SHORT:
        return None
    call.workspace.saw(source)
    return source.text
