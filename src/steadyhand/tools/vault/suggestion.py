"""What a model reads whose old text is not in a file: the text as it is there, and its line.

Looked for without regard to case, then as tolerantly as old text is ever found. Only to tell: nothing is edited for it.
"""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.resolve import Found, finder_of, resolve
from steadyhand.plan.absent import correct
from steadyhand.plan.edit import Replace
from steadyhand.plan.places import lines_phrase, shorten
from steadyhand.plan.planner import plan
from steadyhand.plan.policy import Policy
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

__all__ = ["suggest"]

_LONGEST = 4_000  # characters of a text that is offered
_LISTED = 8
_WORD = lazy_pattern(r"\w{3,}")
_DOTTED = "\u0130"  # the one letter that is two in lower case


@sized("text")
@dataclass(frozen=True, slots=True)
class _Place:
    """Where something like the old text is, first line of each place, and how it differs from the old text."""

    text: str
    lines: tuple[int, ...]
    differs: str
    has_more: bool = False


def suggest(error: EditError, source: Source, old: str, new: str, policy: Policy) -> EditError:
    """The refusal of an old text that is nowhere, with the text that may be meant; else as it is."""
    if error.kind is not Kind.NO_MATCH or "tried" not in error.details or not old.strip():
        return error  # of a file with secrets a refusal has no details
    place = _but_for_case(source, old) or _tolerantly(source, old, new)
    if place is None or len(place.text) > _LONGEST:
        return _as_nearest(error)
    first = place.lines[0]
    last = first + max(len(split_bodies(place.text)), 1) - 1
    where = lines_phrase(first, last)
    others = place.lines[1 : _LISTED + 1]
    more = f"; also in line {', '.join(map(str, others))}{' and further places' * place.has_more}" if others else ""
    quoted = repr(place.text) if len(place.text) <= 80 and "\n" not in place.text else None
    begins = "" if quoted else f", which begins {shorten(split_bodies(place.text)[0])!r}"
    message = f"oldText is not in {source.path}; ignoring {place.differs}, it matches {where}{more}" + (
        f": {quoted}" if quoted else begins
    )
    details = {name: fact for name, fact in error.details.items() if name not in ("old", "corrected")}
    details |= {"line": first, "lines": [first, last]}
    pair = _pair(source, place, old, new, policy)
    if pair is None:
        hint = f"if you mean {where}, copy it exactly into oldText and newText"
        return EditError(Kind.NO_MATCH, message, hint=hint, details=details)
    is_same = pair == (place.text, new)
    what = (
        f"{quoted or 'the text given as `found` in the details'} as oldText"
        if is_same
        else "`corrected` in the details"
    )
    details |= {"found": place.text, "corrected": {"target": pair[0], "new": pair[1]}}
    return EditError(Kind.NO_MATCH, message, hint=f"if you mean {where}, send {what}", details=details)


def _pair(source: Source, place: _Place, old: str, new: str, policy: Policy) -> tuple[str, str] | None:
    """Old and new text that make the change at the place; None where that is not certain, or would be refused again.

    A new text that repeats words of the old one would say again what of them is misquoted.
    """
    at = source.text.find(place.text)
    made = correct(Replace(old, new), source, Span(at, at + len(place.text)), policy) if at >= 0 else None
    repeats = bool(set(_WORD.findall(old)) & set(_WORD.findall(new)))
    if made is None and (repeats or len(place.lines) > 1):
        return None
    pair = (place.text, new) if made is None else (str(made["target"]), str(made.get("new", "")))
    return pair if plan(source, [Replace(*pair)], policy, path=source.path, offers=False).ok else None


def _as_nearest(error: EditError) -> EditError:
    """The refusal whose message tells of the nearest place already, with the facts under the same names."""
    nearest, old = error.details.get("nearest"), error.details.get("old")
    if not isinstance(nearest, list) or not nearest or not isinstance(old, str):
        return error
    lines = nearest[0]["lines"]
    return error.with_details(found=old, line=lines[0], lines=lines)


def _but_for_case(source: Source, old: str) -> _Place | None:
    text = to_lf(source.text)
    lowered, wanted = _lower(text), _lower(to_lf(old))
    at, lines, counted, line = lowered.find(wanted), list[int](), 0, 1
    first = at
    while at >= 0 and len(lines) <= _LISTED:
        line, counted = line + text.count("\n", counted, at), at
        lines.append(line)
        at = lowered.find(wanted, at + len(wanted))
    if not lines:
        return None
    found = text[first : first + len(wanted)]
    return _Place(found, tuple(lines), "upper and lower case", has_more=at >= 0)


def _lower(text: str) -> str:
    """Lower case, letter for letter, so that places stay where they are."""
    return text.replace(_DOTTED, "i").lower()


def _tolerantly(source: Source, old: str, new: str) -> _Place | None:
    found = resolve(finder_of(source), old, new=new)
    if not isinstance(found, Found):
        return None
    match = found.matches[0]
    differs = " and ".join(match.differs) or "a few characters"
    return _Place(match.span.of(source.text), (source.line_of(match.span.start),), differs)
