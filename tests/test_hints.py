"""Hints are data: a closed set, rendered once by whoever shows them, and no module edits the sentence of another."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.hints import HINTS, Hint, Note, Reread, Say, hints_of, render_hints
from steadyhand.surfaces.cli.refusal import phrases_for
from steadyhand.tools.toolsets import toolsets
from tests.hint_samples import SAMPLES
from tests.table import table
from tests.tools.hints import check_hints

SOURCE = Path(__file__).parent.parent / "src" / "steadyhand"
BELOW = ("text", "match", "structure", "plan", "dialects", "session", "workspace")  # rooms that know no surface
EDITING = frozenset(
    "replace removeprefix removesuffix partition rpartition strip lstrip rstrip sub subn search match fullmatch".split()
)
# What a person types, a program passes, or somebody else's tool is called with.
GIT = re.compile(r"\bgit [\w .-]+")  # a program of somebody else, which has options of its own
SURFACE_WORDS = re.compile(r"(?<![\w-])--[a-z]|\bsteadyhand [a-z]|\b[a-z_]+=…|`corrected`|\bexpectedHash\b")


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Every module that has to do with hints or messages."""
    texts = [(path, path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))]
    concerned = re.compile(r"\.hint|hint=|\.message|Say\(|Note\(|Refusal|bad_request")
    return [(path.relative_to(SOURCE).as_posix(), ast.parse(text)) for path, text in texts if concerned.search(text)]


def test_the_set_is_closed_and_every_hint_has_samples() -> None:
    assert set(HINTS) == set(Hint.__subclasses__())
    assert {type(sample) for sample in SAMPLES} == set(HINTS)


def test_hints_are_values() -> None:
    for sample in SAMPLES:
        assert pickle.loads(pickle.dumps(sample)) == sample
        assert hash(sample) == hash(pickle.loads(pickle.dumps(sample)))


def test_words_a_hint_or_several_make_the_hints_of_a_refusal() -> None:
    assert hints_of(None) == hints_of("") == ()
    assert hints_of("go") == (Say("go"),) == hints_of(Say("go")) == hints_of([Say("go")])
    error = EditError(Kind.NO_MATCH, "m", hint=(Reread("a.md"), Note("it is short")))
    assert error.hint == "read a.md again; it is short"
    assert error.advised("stop").hint == "stop"
    assert pickle.loads(pickle.dumps(error)).hints == error.hints
    assert EditError(Kind.NO_MATCH, "m").hint is None


def test_alternatives_are_joined_by_or_and_facts_are_added() -> None:
    assert render_hints([Say("a"), Say("b"), Note("c")]) == "a; or b; c"
    assert render_hints([Note("c"), Say("a"), Say("b")]) == "c; a; or b"
    assert render_hints([Say("a"), Say("b")], {Say: lambda hint: None if hint.text == "a" else "B"}) == "B"
    assert render_hints([Say("a")], {Say: lambda _: None}) is None


def test_every_hint_reads_as_a_part_of_a_sentence() -> None:
    for sample in SAMPLES:
        said = sample.words()
        assert said is None or said[0].islower() or said[0] == "`", said
        assert not (said or "").endswith((".", ";", " ")), said


@table("toolset", toolsets())
def test_a_toolset_says_every_hint_in_names_that_it_has(toolset: str) -> None:
    facts = {"corrected": {}, "old": "", "places": [], "candidates": []}
    for sample in SAMPLES:
        said = render_hints([sample], toolsets()[toolset].phrases)
        check_hints(toolset, {"success": False, "hint": said, "details": facts})
        assert not re.search(r"(?<![\w-])--[a-z]|\b(path|encoding|journal|format)=|\bread_only\b", said or ""), said


@table("command", ["edit", "insert", "write", "apply", "act", "locate", "move", "outline", "rename"])
def test_the_shell_says_every_hint_in_options(command: str) -> None:
    for sample in SAMPLES:
        said = render_hints([sample], phrases_for(command)) or ""
        assert not re.search(r"\b(path|encoding|journal|format)=|\bread_only\b|in the details", said), said


def test_no_module_edits_the_sentence_of_a_refusal() -> None:
    others = [(name, tree) for name, tree in modules() if name != "errors.py"]  # a refusal knows its own rows
    assert [f"{name}:{line}: {what}" for name, tree in others for line, what in edits_of_sentences(tree)] == []


def edits_of_sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a message or a hint is cut, searched, compared or built into another hint."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args) if name in EDITING:
                if is_sentence(value) or any(is_sentence(each) for each in args):
                    yield node.lineno, name
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[compared]) if is_hint(compared):
                yield node.lineno, "in"
            case ast.keyword(arg="hint", value=ast.JoinedStr() as value) if any(map(is_hint, ast.walk(value))):
                yield node.value.lineno, "f-string"


def is_sentence(node: ast.AST) -> bool:
    return is_hint(node) or (isinstance(node, ast.Attribute) and node.attr == "message")


def is_hint(node: ast.AST) -> bool:
    node = node.values[0] if isinstance(node, ast.BoolOp) else node
    return isinstance(node, ast.Attribute) and node.attr == "hint"


def test_the_check_notices_an_edited_sentence() -> None:
    wrong = [
        'x = error.hint.replace("a", "b")',
        'x = (error.hint or "").strip()',
        'x = error.message.removeprefix("a: ")',
        'x = PATTERN.sub("", refusal.message)',
        'x = "`corrected`" in error.hint',
        'raise EditError(kind, "m", hint=f"{error.hint}; or stop")',
    ]
    assert all(list(edits_of_sentences(ast.parse(each))) for each in wrong)
    assert not list(edits_of_sentences(ast.parse('raise EditError(kind, f"a: {error.message}", hint=error.hints)')))


def test_rooms_below_the_surfaces_name_no_option_and_no_command_in_plain_words() -> None:
    found = []
    for name, tree in modules():
        if name.partition("/")[0] in BELOW:
            for said, line in plain_hints(tree):
                if SURFACE_WORDS.search(GIT.sub("", said)):
                    found.append(f"{name}:{line}: {said}")
    assert found == []


def plain_hints(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The words of hints that are said as plain text."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        given = [word.value for word in node.keywords if word.arg == "hint"]
        if called in ("Say", "Note"):
            given += node.args[:1]
        elif called in ("bad_request", "Refusal"):
            given += node.args[2:3]
        for value in given:
            if isinstance(value, ast.Constant | ast.JoinedStr | ast.IfExp):
                words = [each.value for each in ast.walk(value) if isinstance(each, ast.Constant)]
                yield "".join(str(word) for word in words), node.lineno
