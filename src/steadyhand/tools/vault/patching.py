"""What a call of `TextPatch` asks for, as an edit: which targets an operation takes, and where each leads.

Nothing is looked up here. A target that does not fit its operation is refused with those that do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from steadyhand.errors import EditError
from steadyhand.plan.edit import Delete, Edit, Insert, Replace
from steadyhand.schema import Field, Number, Object, Text, bad_request
from steadyhand.structure.lines import Lines
from steadyhand.structure.markdown.code_block import CodeBlock
from steadyhand.structure.markdown.heading import Heading

__all__ = ["OPERATION", "TARGET", "edit_of"]

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
