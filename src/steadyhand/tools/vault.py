"""The vault's tools that change a text: `TextReplace` by the text itself, and `TextPatch`, by lines or headings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint, SendAddress, lines_named
from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.resolve import Found, finder_of, resolve
from steadyhand.plan.absent import correct
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.plan.planner import plan
from steadyhand.plan.policy import Policy
from steadyhand.plan.refusals import shorten
from steadyhand.schema import Either, Field, Number, Object, Text, bad_request
from steadyhand.session.receipt import Receipt
from steadyhand.structure.lines import Lines
from steadyhand.structure.markdown.code_block import CodeBlock
from steadyhand.structure.markdown.heading import Heading
from steadyhand.structure.target import parse_address
from steadyhand.text.encoding import MARK
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.match import Occurrence
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.visible import sized
from steadyhand.tools.result import main_file
from steadyhand.tools.tool import REASON, Call, Example, Fields, Result, Tool, expected_version, reason_of
from steadyhand.tools.vault_inspection import (
    CHANGED,
    EXPECTED,
    FILE,
    changed_rows,
    file_source,
    format_name,
    preview,
    refused,
    tell_change,
)

# `TextReplace`: one exact text for another, at the first place, the last, the nth or all of them.

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
    hint = 'send "first", "last", "all" or a number such as "2"'
    raise bad_request("occurrence", f"{str(value)[:40]!r} is not an occurrence", hint)


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
    where = lines_named(first, last)
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


REPLACE_PARAMETERS = Object.of(
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
    flags=(("replace_all", "occurrence", "all"),),
)
REPLACE_RESULT = Object.of(
    *CHANGED,
    Field("occurrencesFound", Number(), required=True),
    Field("occurrencesReplaced", Number(), required=True),
    Field("note", Text(), "Where else oldText matches."),
    is_open=True,
)


def _run_replace(call: Call, fields: Fields) -> Result:
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
    parameters=REPLACE_PARAMETERS,
    result=REPLACE_RESULT,
    examples=(
        Example(
            about="The first of two places; the answer names the other",
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
            about="All of them, in a known version",
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
            about="Text that occurs only in another case, which is reported",
            files={"notes.md": "# Setup Guide\n"},
            arguments={"filePath": "notes.md", "oldText": "setup guide", "newText": "Installation"},
            result={"status": "error", "kind": "no-match", "details": {"found": "Setup Guide", "line": 1}},
        ),
        Example(
            about="An outdated version",
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
    run=_run_replace,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=20,
    refused=refused,
)


# `TextPatch`: replace, insert or delete by lines, heading or code block.

# Refusals of a place that is not there, or is there several times, in the words of `TextPatch`'s targets.

_LONG_TARGET = 300  # characters of a target that a hint spells out
_LOOK_AGAIN = "inspect the file again, and send the target for its present text with its fileHash as expectedHash"


def refusal_of_target(error: EditError, target: Mapping[str, object], operation: str) -> EditError:
    """The refusal with the targets to send in place of addresses, which other toolsets take."""
    name = next((each for each in target if each != "nth"), "")
    match error.kind:
        case Kind.OUT_OF_BOUNDS if name == "lines":
            return _advised(error, _lines_there(error.details.get("line_count"), operation), {})
        case Kind.NO_SUCH_TARGET if name == "codeBlock" and isinstance(error.details.get("count"), int):
            return _no_code_block(error, target)
        case Kind.NO_SUCH_TARGET if name != "lines":
            near, others = (_targets(name, _listed(error.details.get(each))) for each in ("nearest", "available"))
            hint = _send(near[0]) if near else _one_of(others) if others else "send lines, or call TextReplace"
            return _advised(error, hint, {"nearest": near} if near else {"nearest": [], "available": others})
        case Kind.AMBIGUOUS_MATCH | Kind.COUNT_MISMATCH if name != "lines":
            places = [_place(name, place) for place in _listed(error.details.get("places"))]
            return _advised(error, _which(name, places), {"places": places})
        case Kind.CONFLICT:
            kept = {name: value for name, value in error.details.items() if name != "corrected"}
            return error.advised(_LOOK_AGAIN, kept)
        case Kind.BAD_REQUEST if name == "codeBlock":
            return _advised(error, "send only the code, or address the lines, fences included", {})
        case Kind.BAD_REQUEST if any(map(_names_fences, error.hints)):
            return _advised(error, "close it first; or send the lines, fences and all", {})
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


def _advised(error: EditError, hint: str | None, facts: Mapping[str, object]) -> EditError:
    return error.advised(hint, {**error.details, **facts})


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _targets(name: str, addresses: Iterable[object]) -> list[dict[str, object]]:
    return [made for address in addresses if (made := _target_named(name, str(address)))]


def _target_named(name: str, address: str) -> dict[str, object]:
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
    return _target_named(name, str(known.get("address"))) | line


def _which(name: str, places: Sequence[Mapping[str, object]]) -> str:
    """How to say which of several sections is meant."""
    paths = {str(place.get(name)) for place in places}
    number = f'add "nth", from 1 to {len(places)}'
    return number if len(paths) < len(places) else f"send the full path, or {number}"


def _one_of(targets: Sequence[Mapping[str, object]]) -> str:
    """How to say which of those that there are is meant, none of which is suggested."""
    said = json.dumps(targets[0], ensure_ascii=False)
    return f"send the one you mean, such as target {said}" if len(said) <= _LONG_TARGET else "send one of `available`"


def _send(target: Mapping[str, object]) -> str:
    said = json.dumps(target, ensure_ascii=False)
    return (
        f"if you mean that one, send target {said}"
        if len(said) <= _LONG_TARGET
        else "send one of `nearest` of the details"
    )


# What a call of `TextPatch` asks for, as an edit: which targets an operation takes, and where each leads.
#
# Nothing is looked up here. A target that does not fit its operation is refused with those that do.

_FITTING: Mapping[str, tuple[str, ...]] = {
    "replace": ("lines", "heading", "codeBlock"),
    "insert": ("lines", "beforeHeading", "appendToSection"),
    "delete": ("lines", "heading", "codeBlock"),
}
_INSTEAD: Mapping[tuple[str, str], str] = {
    ("insert", "heading"): "to add at the end of a section send appendToSection, to add before it beforeHeading",
    ("insert", "codeBlock"): "to add to a code block replace its content, or insert by lines",
    ("replace", "appendToSection"): "to replace a section send heading; to add to it, the operation insert",
    ("replace", "beforeHeading"): "to replace a section send heading; to add before it, the operation insert",
    ("delete", "appendToSection"): "to delete a section send heading",
    ("delete", "beforeHeading"): "to delete a section send heading",
}
_HEADINGS = ("heading", "beforeHeading", "appendToSection")

OPERATION = Text(
    tuple(_FITTING),
    gone=(("replaceLines", 'send operation "replace" with target {"lines": {"start": …, "end": …}}'),),
)
TARGET = Object.of(
    Field(
        "lines",
        Object.of(
            Field("start", Number(least=1), required=True),
            Field("end", Number(least=0)),
            in_order=("start", "end"),
        ),
        "From 1, both included. insert goes before start and needs no end.",
    ),
    Field("heading", Text(), "A section: its heading, or a path such as Guide > Setup. replace, delete."),
    Field("beforeHeading", Text(), "The place before a section's heading. insert."),
    Field("appendToSection", Text(), "The end of a section, after its subsections. insert."),
    Field(
        "codeBlock",
        Object.of(Field("index", Number(least=0), "From 0, as TextInspect numbers them.", required=True)),
        "The code between the fences, which stay. replace, delete.",
    ),
    Field("nth", Number(least=1), "Which of several sections with that heading, from 1."),
    gone=(
        ("text", "call TextReplace with the text as oldText"),
        ("pattern", "find the place with TextInspect in mode search, then call TextReplace or send lines"),
        ("afterHeading", "send appendToSection, which inserts at the end of the section"),
        ("section", "send heading for a section of a Markdown file, lines for any other"),
    ),
)


def edit_of(operation: str, target: Mapping[str, object], content: str | None) -> Edit:
    """The edit that a call asks for. Refuses with `bad-request`, naming what fits."""
    name = _place_of(operation, target)
    if operation == "delete":
        if content:
            raise bad_request("content", "delete takes none", 'leave it out, or send operation "replace"')
        place = _target(name, target, operation)
        return Replace(place, "") if isinstance(place, CodeBlock) else Delete(place)  # the fences stay
    if content is None:
        raise bad_request("content", "the field is missing", f"add 'content', the text that {operation} writes")
    if operation == "insert":
        return Insert(_target(name, target, operation), content, where="end" if name == "appendToSection" else "before")
    return Replace(_target(name, target, operation), content)


def _place_of(operation: str, target: Mapping[str, object]) -> str:
    """The one field that says where, if it fits the operation."""
    given = [name for name in target if name != "nth"]
    fitting = _FITTING[operation]
    if len(given) != 1:
        what = "it says no place" if not given else f"it says {' and '.join(given)}"
        raise bad_request("target", what, f"send exactly one of {', '.join(fitting)}")
    name = given[0]
    if name not in fitting:
        hint = _INSTEAD.get((operation, name), f"send one of {', '.join(_FITTING[operation])}")
        error = bad_request("target", f"{operation} does not take {name}, but {', '.join(_FITTING[operation])}", hint)
        raise error.with_details(allowed=list(_FITTING[operation]))
    if "nth" in target and name not in _HEADINGS:
        raise bad_request("target.nth", f"{name} is one place, nth belongs to a heading", "leave it out")
    return name


def _target(name: str, target: Mapping[str, object], operation: str) -> Lines | Heading | CodeBlock:
    if name == "lines":
        return _lines(cast("Mapping[str, int]", target[name]), operation)
    if name == "codeBlock":
        return CodeBlock(index=cast("Mapping[str, int]", target[name])["index"])
    words = str(target[name])
    if not words.strip(" \t\r\n"):
        raise bad_request(f"target.{name}", "it is empty", "send the heading's words, or its path")
    return Heading(words, nth=cast("int | None", target.get("nth")))


def _lines(given: Mapping[str, int], operation: str) -> Lines:
    start, end = given["start"], given.get("end")
    if end is not None and end < start - (operation == "insert"):
        raise bad_request("target.lines", f"lines {start} to {end} run backwards", "send start, then end")
    if operation == "insert":
        return Lines(start, start - 1)
    if end is None:
        raise bad_request("target.lines.end", "the field is missing", f"for line {start} alone send end {start}")
    return Lines(start, end)


PATCH_PARAMETERS = Object.of(
    FILE,
    Field("operation", OPERATION, "What to do there.", required=True),
    Field("target", TARGET, "Exactly one place; a heading may have nth too.", required=True),
    Field("content", Text(), "The text to write; not for delete."),
    EXPECTED,
    REASON,
)
PATCH_RESULT = Object.of(
    *CHANGED,
    Field("operation", Text(), required=True),
    Field("target", Object(is_open=True), required=True),
    Field("linesChanged", Number(), "Lines removed or added, whichever is more."),
    is_open=True,
)


def _run_patch(call: Call, fields: Fields) -> Result:
    """Patch; the place is looked up in the file as it is under the lock."""
    path, operation = str(fields["filePath"]), str(fields["operation"])
    target = cast("Mapping[str, object]", fields["target"])
    content, reason = cast("str | None", fields.get("content")), reason_of(fields)
    edit, expect = edit_of(operation, target, content), expected_version(fields)
    check_markdown(file_source(call, path), target)
    try:
        receipt = call.workspace.edit(call.path(path), edit, expect=expect, reason=reason)
    except EditError as error:
        raise refusal_of_target(error, target, operation) from None
    rows = changed_rows(receipt)
    answer = tell_change(receipt, path, rows) | {"operation": operation, "target": dict(target)}
    if rows is None:
        return answer
    answer["linesChanged"] = rows.count
    if operation != "insert":
        answer["preview"] = preview("\n".join(rows.before), "\n".join(rows.after))
    notes = receipt.outcomes[0].notes
    return answer | ({"note": "; ".join(notes)} if notes else {})


_PATCH_TOOL = Tool(
    name="TextPatch",
    title="Patch by place",
    summary=(
        "Change a file at a place: replace or delete lines, a Markdown section or the code of a code block; "
        "insert before a line, before a heading or at the end of a section. "
        "Replacing a section keeps its heading unless the content starts with one. "
        "For a change of wording use TextReplace."
    ),
    parameters=PATCH_PARAMETERS,
    result=PATCH_RESULT,
    examples=(
        Example(
            about="Added at the end of a section, before the next heading",
            files={"guide.md": "# Guide\n\n## Setup\n\nUnpack it.\n\n## Usage\n\nStart it.\n"},
            arguments={
                "filePath": "guide.md",
                "operation": "insert",
                "target": {"appendToSection": "Setup"},
                "content": "Then configure it.",
            },
            result={
                "status": "success",
                "operation": "insert",
                "target": {"appendToSection": "Setup"},
                "context": {"beforeLines": ["## Setup", "", "Unpack it."], "afterLines": ["", "## Usage", ""]},
            },
            after={"guide.md": "# Guide\n\n## Setup\n\nUnpack it.\n\nThen configure it.\n\n## Usage\n\nStart it.\n"},
        ),
        Example(
            about="A section's text replaced under its heading",
            files={"guide.md": "# Guide\n\n## Setup\n\nUnpack it.\n"},
            arguments={
                "filePath": "guide.md",
                "operation": "replace",
                "target": {"heading": "Guide > Setup"},
                "content": "Run the installer.",
                "expectedHash": "$hash:guide.md",
            },
            result={"status": "success", "affectedLines": {"start": 5, "end": 5}, "linesChanged": 1},
            after={"guide.md": "# Guide\n\n## Setup\n\nRun the installer.\n"},
        ),
        Example(
            about="A heading that occurs twice",
            files={"guide.md": "# A\n\n## Notes\n\n1\n\n# B\n\n## Notes\n\n2\n"},
            arguments={"filePath": "guide.md", "operation": "delete", "target": {"heading": "Notes"}},
            result={"status": "error", "kind": "ambiguous-match"},
        ),
        Example(
            about="A target from an older version",
            files={"guide.md": "# A\n"},
            arguments={
                "filePath": "guide.md",
                "operation": "replace",
                "target": {"text": "A"},
                "content": "B",
            },
            result={
                "status": "error",
                "kind": "bad-request",
                "hint": "call TextReplace with the text as oldText",
            },
        ),
    ),
    run=_run_patch,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=30,
    refused=refused,
)

TOOLS = (_PATCH_TOOL, _REPLACE_TOOL)
