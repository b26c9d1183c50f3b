"""Front matter: only at the very top, as a whole and by key; and which files are refused for it."""

from __future__ import annotations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.structure.format import format_of
from steadyhand.structure.markdown.front_matter import FrontMatter
from steadyhand.text.source import Source
from tests.checks import marked
from tests.structure.markdown import located, node_at, not_found, refused, written
from tests.table import table

NOTE = "---\n# kept\ntitle: Notes   # kept too\ntags: [a, b]\n---\n\n# Notes\n\ntext\n"
POST = '+++\ntitle = "Post"\n[extra]\nn = 1\n+++\ntext\n'


@table(
    "text",
    [
        "",
        "text\n",
        "---\n",
        "---\ntitle: x\n",
        "---\n\n# Title\n\n---\n",
        "---\n# Title\n---\n",
        "---\nwords only\n---\n",
        "\n---\na: 1\n---\n",
        "text\n\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "----\na: 1\n----\n",
        "+++\na: 1\n+++\n",
        "---\na: 1\n+++\n",
        "```\n---\na: 1\n---\n```\n",
    ],
)
def test_what_is_no_front_matter_is_not_found(text: str) -> None:
    refusal = not_found(text, FrontMatter())
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert "lines:1-0" in refusal.hint


@table(
    "notation",
    [
        "---\n⟦a: 1\n⟧---\n",
        "---\n⟦a: 1\n⟧...\ntext\n",
        "---\n⟦⟧---\n",
        "---  \n⟦a: 1\n⟧--- \n",
        "+++\n⟦a = 1\n⟧+++\n",
        "---\r\n⟦a: 1\r\n⟧---\r\n",
        "---\r⟦a: 1\r⟧---\r",
        "---\n⟦a: 1\n\nb: |\n  # x\n⟧---",
        '---\n⟦"a b": 1\n⟧---\n',
    ],
)
def test_front_matter_is_what_is_between_its_marks(notation: str) -> None:
    text, [span] = marked(notation)
    assert node_at(text, FrontMatter())[1].span == span


@table("content", ["words", "a: 1\n---\nb: 2", "\na: 1", "# only a comment", "a: 1\n..."])
def test_content_that_would_be_no_front_matter_is_refused(content: str) -> None:
    assert refused(NOTE, FrontMatter(), "replace", content).kind == Kind.BAD_REQUEST


def test_nothing_goes_before_front_matter() -> None:
    assert refused(NOTE, FrontMatter(), "insert", "x", "before").hint == "insert after it"


@table(
    ("call", "after"),
    [
        (("replace", "title: x"), "---\ntitle: x\n---\n\n# Notes\n\ntext\n"),
        (("replace", "---\ntitle: x\n---\n"), "---\ntitle: x\n---\n\n# Notes\n\ntext\n"),
        (("replace", ""), "---\n---\n\n# Notes\n\ntext\n"),
        (("insert", "z: 1", "end"), NOTE.replace("]\n", "]\nz: 1\n")),
        (("insert", "z: 1", "start"), NOTE.replace("# kept\n", "z: 1\n# kept\n", 1)),
        (("insert", "words", "after"), NOTE.replace("# Notes", "words\n\n# Notes")),
        (("delete",), "# Notes\n\ntext\n"),
    ],
)
def test_front_matter_as_a_whole(call: tuple[str, ...], after: str) -> None:
    assert written(NOTE, FrontMatter(), *call) == after


@table(
    ("text", "path", "call", "after"),
    [
        (NOTE, "title", ("replace", "Other"), NOTE.replace("title: Notes", "title: Other")),
        (NOTE, "tags[0]", ("replace", "z"), NOTE.replace("[a,", "[z,")),
        (NOTE, "tags", ("append-item", {"value": "c"}), NOTE.replace("b]", "b, c]")),
        (NOTE, "$", ("add-key", {"name": "draft", "value": True}), NOTE.replace("b]\n", "b]\ndraft: true\n")),
        (NOTE, "tags", ("delete",), NOTE.replace("tags: [a, b]\n", "")),
        (POST, "extra.n", ("replace", "2"), POST.replace("n = 1", "n = 2")),
        (POST, "title", ("set-key", {"value": "New"}), POST.replace('"Post"', '"New"')),
    ],
)
def test_one_key_changes_and_no_other_byte(text: str, path: str, call: tuple[str, ...], after: str) -> None:
    assert written(text, FrontMatter(path), *call) == after


def test_a_key_that_is_not_there_is_not_created_and_the_hint_says_how_to_add_it() -> None:
    refusal = not_found(NOTE, FrontMatter("titel"))
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert "front_matter:title" in list(refusal.details["nearest"])  # type: ignore[call-overload]
    assert "front_matter:$" in refusal.hint


def test_broken_yaml_is_unparsable_with_the_line_of_the_file() -> None:
    text = "---\na: 1\nb: [\n---\ntext\n"
    refusal = not_found(text, FrontMatter("a"))
    assert refusal.kind == Kind.UNPARSABLE
    assert refusal.details["line"] in (3, 4)
    assert located(text, FrontMatter()) == "a: 1\nb: [\n"


@table("value", [3, {"path": [1.5]}, {"part": "entry"}, {"path": "a..b"}, {"key": "a"}])
def test_a_request_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(EditError) as caught:
        FrontMatter.from_json(value, "target")
    assert caught.value.kind == Kind.BAD_REQUEST


def test_the_format_finds_faults_in_front_matter_only() -> None:
    known = format_of("a.md")
    assert known is not None
    assert known.fault is not None
    assert known.fault(Source.of_text("# x\n```\n<b>[\n")) is None
    assert known.fault(Source.of_text(NOTE)) is None
    fault = known.fault(Source.of_text("---\na: 1\nb: [\n---\n"))
    assert fault is not None
    assert fault.line in (3, 4)
