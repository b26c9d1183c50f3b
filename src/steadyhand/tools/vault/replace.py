"""`TextReplace`: one exact text for another, at the first place, the last, the nth or all of them."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.resolve import Found, finder_of, resolve
from steadyhand.plan.absent import correct
from steadyhand.plan.edit import Replace
from steadyhand.plan.planner import plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.refusals import lines_phrase, shorten
from steadyhand.schema import Either, Field, Number, Object, Text, bad_request
from steadyhand.session.receipt import Receipt
from steadyhand.text.encoding import MARK
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.match import Occurrence
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized
from steadyhand.tools.result import main_file
from steadyhand.tools.tool import REASON, Call, Example, Fields, Result, Tool, expected_version, reason_of
from steadyhand.tools.vault.inspection import (
    CHANGED,
    EXPECTED,
    FILE,
    changed_rows,
    file_source,
    preview,
    refused,
    tell_change,
)

# Which occurrence of an old text is meant, and how many there are: counted from the left, without overlap.

_WORDS: tuple[Occurrence, ...] = ("first", "last", "all")
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Count:
    """How often an old text occurs in a file, at how many of the places it is meant, and what is there."""

    found: int
    meant: int
    text: str


def read_occurrence(value: object) -> Occurrence:
    """`first`, `last`, `all` or a number from 1, also as a string. Refuses with `bad-request`.

    >>> read_occurrence("3"), read_occurrence("last"), read_occurrence(None)
    (3, 'last', 'first')
    """
    if value is None:
        return "first"
    said = str(value).strip().lower()
    for word in _WORDS:
        if said == word:
            return word
    if said.isascii() and said.isdigit() and len(said) <= _DIGITS and int(said):
        return int(said)
    raise _no_occurrence(str(value))


def _no_occurrence(said: str) -> EditError:
    return bad_request(
        "occurrence", f"{said[:40]!r} is not an occurrence", 'send "first", "last", "all" or a number such as "2"'
    )


def count_occurrences(text: str, old: str, occurrence: Occurrence) -> Count:
    """The places in the text of before, found as the edit found them; its mark is none of a text's characters."""
    lines = text if "\r" in old else to_lf(text)  # what is quoted with LF is wherever its lines are
    for wanted in (old, old.removeprefix(MARK)):
        found = resolve(finder_of(Source.of_text(lines)), wanted, occurrence=occurrence, laxest="newline")
        if isinstance(found, Found):
            return Count(found.total, len(found.matches), found.matches[0].span.of(lines))
    return Count(0, 0, old)


# What a model reads whose old text is not in a file: the text as it is there, and its line.
#
# Looked for without regard to case, then as tolerantly as old text is ever found. Nothing is edited for it.

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


PARAMETERS = Object(
    (
        FILE,
        Field("oldText", Text(), "Exact text; may span lines.", required=True),
        Field("newText", Text(), "The replacement, literally; empty deletes.", required=True),
        Field(
            "occurrence",
            Either((Text(), Number(least=1))),
            'Which one, if it occurs several times: "first" (default), "last", "all" or a number from 1.',
        ),
        EXPECTED,
        REASON,
    ),
    flags=(("replace_all", "occurrence", "all"),),
)
RESULT = Object(
    (
        *CHANGED,
        Field("occurrencesFound", Number(), required=True),
        Field("occurrencesReplaced", Number(), required=True),
        Field("note", Text(), "Where else oldText matches."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
    """Replace; the occurrence that is meant without a word is the first, and the others are reported."""
    path, old, new = (str(fields[name]) for name in ("filePath", "oldText", "newText"))
    occurrence = read_occurrence(fields.get("occurrence"))
    if not old:
        raise bad_request("oldText", "it is empty", "quote the text to replace; TextPatch with insert adds text")
    source = file_source(call, path)
    edit = Replace(old, new, occurrence=occurrence)
    expect, reason = expected_version(fields), reason_of(fields)
    try:
        receipt = call.workspace.edit(call.path(path), edit, expect=expect, reason=reason)
    except EditError as error:
        raise suggest(error, source, old, new, call.workspace.policy) from None
    count = count_occurrences(main_file(receipt).texts()[0], old, occurrence)
    return _answer(receipt, path, new, count)


def _answer(receipt: Receipt, path: str, new: str, count: Count) -> Result:
    rows = changed_rows(receipt)
    answer = tell_change(receipt, path, rows) | {"occurrencesFound": count.found, "occurrencesReplaced": count.meant}
    if rows is not None:
        answer["preview"] = preview(count.text, new)
    left, lines = count.found - count.meant, receipt.outcomes[0].others
    if left:
        more = f" and {left - len(lines)} more" if left > len(lines) > 0 else ""
        where = f": line {', '.join(map(str, lines))}{more}" if lines else ""
        answer["note"] = f"oldText still matches {left} other place{'' if left == 1 else 's'}{where}"
    return answer


_REPLACE_TOOL = Tool(
    name="TextReplace",
    title="Replace text",
    summary=(
        "Replace exact text in a file; the first choice for any change of wording. "
        "Without occurrence it changes the first place and reports the lines of the others."
    ),
    parameters=PARAMETERS,
    result=RESULT,
    examples=(
        Example(
            about="The first of several places; the answer names the other",
            files={"notes.md": "# Notes\n\nport 80\nport 80\n"},
            arguments={"filePath": "notes.md", "oldText": "port 80", "newText": "port 8080"},
            result={
                "status": "success",
                "filePath": "notes.md",
                "occurrencesFound": 2,
                "occurrencesReplaced": 1,
                "affectedLines": {"start": 3, "end": 3},
                "preview": {"before": "port 80", "after": "port 8080"},
                "context": {"beforeLines": ["# Notes", ""], "afterLines": ["port 80"]},
                "note": "oldText still matches 1 other place: line 4",
            },
            after={"notes.md": "# Notes\n\nport 8080\nport 80\n"},
        ),
        Example(
            about="All of them, in the version that is known",
            files={"notes.md": "old and old\n"},
            arguments={
                "filePath": "notes.md",
                "oldText": "old",
                "newText": "new",
                "occurrence": "all",
                "expectedHash": "$hash:notes.md",
            },
            result={"status": "success", "occurrencesFound": 2, "occurrencesReplaced": 2},
            after={"notes.md": "new and new\n"},
        ),
        Example(
            about="A text that is there in another case, which is only reported",
            files={"notes.md": "# Setup Guide\n"},
            arguments={"filePath": "notes.md", "oldText": "setup guide", "newText": "Installation"},
            result={"status": "error", "kind": "no-match", "details": {"found": "Setup Guide", "line": 1}},
        ),
        Example(
            about="A version that is no longer there",
            files={"notes.md": "one\n"},
            arguments={
                "filePath": "notes.md",
                "oldText": "one",
                "newText": "two",
                "expectedHash": "0123456789abcdef",
            },
            result={"status": "error", "kind": "stale-source"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
    refused=refused,
)

TOOLS = (_REPLACE_TOOL,)
