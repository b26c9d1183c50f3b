"""`TextPatch`: replace, insert or delete by lines, heading or code block."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Hint, SendAddress
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.schema import Field, Number, Object, Text, bad_request
from steadyhand.structure.address import parse_address
from steadyhand.structure.lines import Lines
from steadyhand.structure.markdown.code_block import CodeBlock
from steadyhand.structure.markdown.heading import Heading
from steadyhand.text.source import Source
from steadyhand.tools.tool import REASON, Call, Example, Fields, Result, Tool, expected_version, reason_of
from steadyhand.tools.vault.inspection import (
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

# Refusals of a place that is not there, or is there several times, in the words of `TextPatch`'s targets.

_LONGEST = 300  # characters of a target that a hint spells out
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
    return f"send the one you mean, such as target {said}" if len(said) <= _LONGEST else "send one of `available`"


def _send(target: Mapping[str, object]) -> str:
    said = json.dumps(target, ensure_ascii=False)
    return (
        f"if you mean that one, send target {said}" if len(said) <= _LONGEST else "send one of `nearest` of the details"
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
TARGET = Object(
    (
        Field(
            "lines",
            Object(
                (Field("start", Number(least=1), required=True), Field("end", Number(least=0))),
                in_order=("start", "end"),
            ),
            "From 1, both included. insert goes before start and needs no end.",
        ),
        Field("heading", Text(), "A section: its heading, or a path such as Guide > Setup. replace, delete."),
        Field("beforeHeading", Text(), "The place before a section's heading. insert."),
        Field("appendToSection", Text(), "The end of a section, behind its subsections. insert."),
        Field(
            "codeBlock",
            Object((Field("index", Number(least=0), "From 0, as TextInspect numbers them.", required=True),)),
            "The code between the fences, which stay. replace, delete.",
        ),
        Field("nth", Number(least=1), "Which of several sections that a heading names, from 1."),
    ),
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
        raise _unfitting(operation, name)
    if "nth" in target and name not in _HEADINGS:
        raise bad_request("target.nth", f"{name} is one place, nth belongs to a heading", "leave it out")
    return name


def _unfitting(operation: str, name: str) -> EditError:
    hint = _INSTEAD.get((operation, name), f"send one of {', '.join(_FITTING[operation])}")
    error = bad_request("target", f"{operation} does not take {name}, but {', '.join(_FITTING[operation])}", hint)
    return error.with_details(allowed=list(_FITTING[operation]))


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


PARAMETERS = Object(
    (
        FILE,
        Field("operation", OPERATION, "What to do there.", required=True),
        Field("target", TARGET, "Exactly one place; a heading may have nth too.", required=True),
        Field("content", Text(), "The text to write; not for delete."),
        EXPECTED,
        REASON,
    )
)
RESULT = Object(
    (
        *CHANGED,
        Field("operation", Text(), required=True),
        Field("target", Object(is_open=True), required=True),
        Field("linesChanged", Number(), "How many lines went or came, whichever is more."),
    ),
    is_open=True,
)


def run(call: Call, fields: Fields) -> Result:
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
    parameters=PARAMETERS,
    result=RESULT,
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
            about="A heading that there is twice",
            files={"guide.md": "# A\n\n## Notes\n\n1\n\n# B\n\n## Notes\n\n2\n"},
            arguments={"filePath": "guide.md", "operation": "delete", "target": {"heading": "Notes"}},
            result={"status": "error", "kind": "ambiguous-match"},
        ),
        Example(
            about="A target of former times",
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
    run=run,
    trust="destructive",
    verbs=frozenset({"edit"}),
    rank=30,
    refused=refused,
)

TOOLS = (_PATCH_TOOL,)
