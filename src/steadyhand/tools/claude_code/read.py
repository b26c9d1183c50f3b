"""Claude Code's Read: a file's lines with their numbers, a stretch at a time. Long lines are cut, and both are said."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.tools.answer import ANSWER, Answer, answer_refusal, worded
from steadyhand.tools.call import Call
from steadyhand.tools.numbered import MOST_CHARACTERS, fit_rows, number_lines
from steadyhand.tools.reading import LINES_AT_ONCE, WIDEST
from steadyhand.tools.shape import Field, Number, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        Field("file_path", Text(), "The file.", required=True),
        Field("offset", Number(least=0), "First line, from 1."),
        Field("limit", Number(least=1), f"How many lines; {LINES_AT_ONCE} if left out."),
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Read; what is shown whole then counts as read by the workspace's task."""
    offset, limit = (fields.get(name) or usual for name, usual in (("offset", 1), ("limit", LINES_AT_ONCE)))
    assert isinstance(offset, int) and isinstance(limit, int)
    with worded(lambda error: "File does not exist." if error.kind is Kind.NO_SUCH_FILE else None):
        source = call.workspace.source(call.path(str(fields["file_path"])))
    bodies = source.lines
    shown = [body[:WIDEST] for body in bodies[offset - 1 : offset - 1 + limit]]
    rows, whole = fit_rows(number_lines(shown, offset, "cat"), MOST_CHARACTERS)
    last = offset + whole - 1
    seen = [line for line in range(offset, last + 1) if len(bodies[line - 1]) <= WIDEST]
    if seen or not bodies:
        call.workspace.saw_each(source, seen)
    told = [*rows, *_notes(bodies, offset, last)] if rows else [_nothing(len(bodies), offset)]
    return Answer("\n".join(told)).to_json()


def _nothing(count: int, offset: int) -> str:
    what = (
        f"is shorter than the provided offset ({offset}). The file has {count} lines."
        if count
        else "the contents are empty."
    )
    return f"<system-reminder>Warning: the file exists but {what}</system-reminder>"


def _notes(bodies: list[str], first: int, last: int) -> list[str]:
    """What is not shown, and how to get it."""
    notes = []
    if wide := [line for line in range(first, last + 1) if len(bodies[line - 1]) > WIDEST]:
        lines = f"line {', '.join(map(str, wide[:10]))}{' …' * (len(wide) > 10)}"
        notes.append(f"(cut after {WIDEST} characters: {lines})")
    if last < len(bodies):
        notes.append(f"(lines {first} to {last} of {len(bodies)} are shown; read on with offset {last + 1})")
    return notes


TOOL = Tool(
    name="Read",
    title="Read a file",
    summary=f"Read a text file with numbered lines, {LINES_AT_ONCE} at once; offset and limit choose a stretch.",
    parameters=PARAMETERS,
    result=ANSWER,
    examples=(
        Example(
            about="A stretch of a file",
            files={"a.md": "one\ntwo\nthree\n"},
            arguments={"file_path": "a.md", "offset": 2, "limit": 1},
            result={
                "is_error": False,
                "content": "     2\ttwo\n(lines 2 to 2 of 3 are shown; read on with offset 3)",
            },
        ),
        Example(
            about="A file that is not there",
            files={"a.md": "one\n"},
            arguments={"file_path": "b.md"},
            result={"is_error": True, "kind": "no-such-file"},
        ),
    ),
    run=run,
    rank=10,
    refused=answer_refusal,
)
