"""Hints as a model can follow them: the names in one are those of the tools at hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from steadyhand.tools.toolsets import tools_of, toolsets

__all__ = ["check_hints", "fields_in", "hints_in"]

OURS = {"expect", "occurrence", "overwrite", "batch"}  # words of the engine that are ordinary ones too
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
# The text of a file, which may have any word: an edit in the fields of the tool, or old text alone.
OFFERED = re.compile(r"(For line \d+|`corrected`|`old`):\n(?:(\w+):\n)?.*?(?=\n(?:Hint: |For line \d+:)|\Z)", re.DOTALL)


def fields_in(shape: Any) -> set[str]:
    """The names of the fields of a shape, those of objects inside it too."""
    inner = [*getattr(shape, "shapes", ()), *([shape.item] if hasattr(shape, "item") else [])]
    inner += [field.shape for field in getattr(shape, "fields", ())]
    return {field.name for field in getattr(shape, "fields", ())}.union(*map(fields_in, inner))


def keys_in(value: object) -> set[str]:
    if isinstance(value, Mapping):
        return {*map(str, value)}.union(*map(keys_in, value.values()))
    return set[str]().union(*map(keys_in, value)) if isinstance(value, list) else set()


@cache
def names_of(toolset: str) -> frozenset[str]:
    """What a hint may speak of: tools, what they take, and what their answers have."""
    tools = tools_of(toolset)
    taken = set[str]().union(*(fields_in(tool.parameters) | fields_in(tool.result) for tool in tools))
    return frozenset(taken | {name for tool in tools for name in (tool.name, *tool.also)})


def is_unmistakable(name: str) -> bool:
    return "_" in name or re.search("[a-z][A-Z]", name) is not None


@cache
def known() -> frozenset[str]:
    return frozenset(OURS | {name for toolset in toolsets() for name in names_of(toolset) if is_unmistakable(name)})


def hints_in(answer: Mapping[str, Any]) -> Iterator[tuple[str, set[str]]]:
    """Every hint of an answer, and the names of the facts that go with it."""
    if "is_error" in answer:
        if answer["is_error"]:
            yield answer["content"].partition("\nHint: ")[2], {"corrected", "old"}
        return
    if answer.get("hint"):
        yield answer["hint"], keys_in(answer.get("details")) | set(answer)
    for part in (*answer.get("results", ()), *answer.get("outcomes", ())):
        hint = part["error"].partition("\nHint: ")[2] if isinstance(part.get("error"), str) else ""
        yield hint, keys_in(part.get("details")) | set(part)


def check_hints(toolset: str, answer: Mapping[str, Any]) -> None:
    """No hint names a field, a tool or an argument that the toolset has not, nor a command."""
    own = names_of(toolset)
    for hint, facts in hints_in(answer):
        assert {field for what, field in OFFERED.findall(hint) if field and what != "`old`"} <= own, hint
        plain = QUOTED.sub("", OFFERED.sub(r"\1", hint))
        strange = {word for word in re.findall(r"\w+", plain) if word in known()} - own - facts
        assert not strange, (strange, hint)
        assert {*re.findall(r"\b([a-z_]+)=", plain)} <= own, hint
        assert "steadyhand" not in plain, hint
        assert {*re.findall(r"`(\w+)`", plain)} <= own | facts, hint
