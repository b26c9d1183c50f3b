"""Code blocks: fences of every shape, in lists and quotes or not, and content that would break out of them."""

from __future__ import annotations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.structure.markdown.code_block import CodeBlock
from steadyhand.structure.target import parse_address, render_address
from tests.checks import marked
from tests.structure.markdown import located, node_at, not_found, refused, written
from tests.table import table

MANY = "# A\n\n```py\na\n```\n\n```sh\nb\n```\n\n# B\n\n```py\nc\n```\n"


@table("text", ["words\n", "``not a fence``\n", "`` ` ``\n", "~~x~~\n", "text\n    no code\n"])
def test_what_is_no_code_block_is_not_found(text: str) -> None:
    refusal = not_found(text, CodeBlock(0))
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert refusal.details["count"] == 0


@table("target", [CodeBlock(3), CodeBlock(language="ruby"), CodeBlock(heading="B", language="sh")])
def test_a_miss_lists_the_code_blocks_there_are(target: CodeBlock) -> None:
    refusal = not_found(MANY, target)
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert refusal.details["count"] == 3


def test_a_heading_that_is_not_there_is_what_is_refused() -> None:
    assert not_found(MANY, CodeBlock(heading="Z")).details["available"]


def test_a_language_that_several_blocks_have_is_ambiguous_and_a_number_picks() -> None:
    assert not_found(MANY, "code_block:py").kind == Kind.AMBIGUOUS_MATCH
    assert located(MANY, "code_block[2]:py") == "c\n"


@table(
    ("target", "expected"),
    [
        (CodeBlock(1), "b\n"),
        (CodeBlock(language="SH"), "b\n"),
        (CodeBlock(heading="B"), "c\n"),
        (CodeBlock(heading="A", language="py"), "a\n"),
        (CodeBlock(2, part="fenced"), "```py\nc\n```\n"),
    ],
)
def test_a_block_is_found_by_number_language_and_heading(target: CodeBlock, expected: str) -> None:
    assert located(MANY, target) == expected
    assert CodeBlock.from_json(target.to_json(), "target") == target


@table("value", [-1, True, 1.5, {}, {"index": "x"}, {"part": "fenced"}])
def test_a_request_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(EditError) as caught:
        CodeBlock.from_json(value, "target")
    assert caught.value.kind == Kind.BAD_REQUEST


@table("address", ["code_block:0", "code_block.fenced:2", "code_block[2]:python"])
def test_an_address_is_rendered_as_it_was_given(address: str) -> None:
    assert render_address(parse_address(address)) == address


SHAPES = [
    ("```\n⟦a\n⟧```\n", "plain"),
    ("~~~ py extra\n⟦a\n⟧~~~\n", "tildes"),
    ("`````\n⟦```\na\n```\n⟧`````\n", "long"),
    ("```\n⟦a\n⟧`````   \n", "closed by a longer one"),
    ("```\n⟦a\n    ```\n⟧```\n", "an indented fence closes nothing"),
    ("```\n⟦a\n``` x\n⟧```\n", "a fence with words closes nothing"),
    ("```\n⟦⟧```\n", "empty"),
    ("```\n⟦\n\n⟧```\n", "blank lines"),
    ("```\n⟦a\n⟧", "never closed"),
    ("```\n⟦a⟧", "never closed, no final newline"),
    ("```⟦⟧", "nothing but a fence"),
    ("   ```\n⟦   a\n  b\n⟧   ```\n", "indented"),
    ("- ```\n⟦  a\n⟧  ```\n", "in an item"),
    ("1. x\n\n   ~~~\n⟦   a\n\n   b\n⟧   ~~~\n", "in a numbered item"),
    ("> ```\n⟦> a\n>\n> b\n⟧> ```\n", "in a quote"),
    ("> - ```\n⟦>   a\n⟧>   ```\n", "in an item of a quote"),
    ("- ```\n⟦  a\n⟧- b\n", "never closed in an item"),
    ("> ```\n⟦> a\n⟧\nb\n", "never closed in a quote"),
    ("x\n\n⟦    a\n\n      b\n⟧\ny\n", "indented code"),
    ("x\n\n⟦\ta\n⟧", "code behind a tab"),
    ("```\r\n⟦a\r\n⟧```\r\n", "CRLF"),
    ("```\r⟦a\r⟧```\r", "CR"),
    ("```{.python}\n⟦a\n⟧```\n", "attributes"),
]


@table(("notation", "name"), SHAPES, ids=[name for _, name in SHAPES])
def test_the_content_is_what_is_between_the_fences(notation: str, name: str) -> None:
    text, spans = marked(notation)
    _, node = node_at(text, "code_block:0")
    assert node.span == spans[0]


REPLACED = [
    ("```\na\n```\n", "x\ny", "```\nx\ny\n```\n"),
    ("```\na\n```\n", "", "```\n```\n"),
    ("```\na\n```\n", "x\n\n", "```\nx\n\n```\n"),
    ("```\n```\n", "x", "```\nx\n```\n"),
    ("```py\na\n```\n", "b\n```\nx\n```", "````py\nb\n```\nx\n```\n````\n"),
    ("```py\na\n```\n", "```\nx\n```", "```py\nx\n```\n"),
    ("```py\na\n```\n", "~~~py\nx\n\ny\n~~~\n", "```py\nx\n\ny\n```\n"),
    ("```md\na\n```\n", "```\nx\n```", "````md\n```\nx\n```\n````\n"),
    ("~~~\n```\na\n```\n~~~\n", "```\nx\n```", "~~~\n```\nx\n```\n~~~\n"),
    ("~~~\na\n~~~~\n", "~~~~\n", "~~~~~\n~~~~\n~~~~~\n"),
    ("~~~\na\n~~~\n", "```\n", "~~~\n```\n~~~\n"),
    ("```\na\n```\n", "``` x\n", "```\n``` x\n```\n"),
    ("```\na\n```\n", "    ```\n", "```\n    ```\n```\n"),
    ("```\na", "x", "```\nx"),
    ("```\na\n", "x", "```\nx\n"),
    ("```", "x\n", "```\nx"),
    ("  ```\n  a\n  ```\n", "x\n  y", "  ```\n  x\n    y\n  ```\n"),
    ("- ```\n  a\n  ```\n- b\n", "x\n\ny", "- ```\n  x\n\n  y\n  ```\n- b\n"),
    ("> ```\n> a\n> ```\n", "x\n\ny", "> ```\n> x\n>\n> y\n> ```\n"),
    ("> ```\n> a\n> ```\n", "> x\n>\n> y", "> ```\n> x\n>\n> y\n> ```\n"),
    ("> ```\n> ```\n", "x", "> ```\n> x\n> ```\n"),
    ("a\n\n    b\n\nc\n", "x\n  y", "a\n\n    x\n      y\n\nc\n"),
    ("a\n\n\tb\n", "x", "a\n\n\tx\n"),
    ("```\na\n```\n", "# not a heading", "```\n# not a heading\n```\n"),
    ("```\na\n```\n", "x  \n\ty ", "```\nx  \n\ty \n```\n"),
]


@table(("before", "content", "after"), REPLACED)
def test_new_content_keeps_the_fences_and_never_breaks_out_of_them(before: str, content: str, after: str) -> None:
    assert written(before, "code_block:0", "replace", content) == after


@table(
    ("where", "text", "expected"),
    [
        ("start", "x", "t\n\n```\nx\na\n```\n"),
        ("end", "x\n", "t\n\n```\na\nx\n```\n"),
        ("end", "```", "t\n\n````\na\n```\n````\n"),
        ("before", "x", "t\n\nx\n\n```\na\n```\n"),
        ("after", "x", "t\n\n```\na\n```\n\nx\n"),
    ],
)
def test_lines_are_put_inside_or_beside(where: str, text: str, expected: str) -> None:
    assert written("t\n\n```\na\n```\n", "code_block:0", "insert", text, where) == expected


@table(
    ("before", "after"),
    [
        ("a\n\n```\nx\n```\n\nb\n", "a\n\nb\n"),
        ("a\n```\nx\n```\nb\n", "a\n\nb\n"),
        ("- a\n\n  ```\n  x\n  ```\n- b\n", "- a\n- b\n"),
        ("> ```\n> x\n> ```\n\na\n", "a\n"),
        ("a\n\n```\nx", "a"),
    ],
)
def test_a_deleted_block_takes_its_fences_with_it(before: str, after: str) -> None:
    assert written(before, "code_block:0", "delete") == after


def test_the_whole_block_is_replaced_with_its_fences() -> None:
    assert written(MANY, "code_block.fenced:1", "replace", "words") == MANY.replace("```sh\nb\n```", "words")
    assert written("a\n```\nx\n```\nb\n", "code_block.fenced:0", "replace", "words") == "a\n\nwords\n\nb\n"


def test_indented_code_is_never_left_without_lines() -> None:
    assert refused("a\n\n    b\n", "code_block:0", "replace", "\n\n").kind == Kind.BAD_REQUEST
