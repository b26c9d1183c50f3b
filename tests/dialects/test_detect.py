"""Which dialect a reply is taken for, and which replies are refused because nobody can say."""

from __future__ import annotations

import pytest

from steadyhand.dialects.dialect import dialects
from steadyhand.dialects.front import read_patch
from steadyhand.errors import EditError, Kind
from tests.table import table

DIFF = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@\n x\n-a\n+b\n"
V4A = "*** Begin Patch\n*** Update File: src/app.py\n@@\n x\n-a\n+b\n*** End Patch\n"
SR = "src/app.py\n<<<<<<< SEARCH\nx\na\n=======\nx\nb\n>>>>>>> REPLACE\n"
JSON = '{"path": "src/app.py", "edits": [{"old_string": "a", "new_string": "b"}]}\n'
MARKED_DIFF = DIFF.replace("1,2 @@", "1,3 @@").replace("-1,2", "-1,3") + " *** Begin Patch\n"
OTHER_MARKED_DIFF = DIFF.replace("1,2 @@", "1,4 @@").replace("-1,2", "-1,4") + " *** Begin Patch\n text\n"
MARKED_V4A = V4A.replace(" x\n", " <<<<<<< SEARCH\n").replace("*** Begin", "Here:\n\n*** Begin")
DELETION = "*** Begin Patch\n*** Delete File: y\n*** End Patch\n"
LAZY = "src/app.py\n```python\n# ... existing code ...\nx\nb\n# ... existing code ...\n```\n"
WHOLE = "src/app.py\n```python\nx\nb\n```\n"
EVERY = {"unified": DIFF, "v4a": V4A, "search-replace": SR, "json": JSON, "lazy": LAZY, "whole": WHOLE}


def refusal(reply: str, format: str = "auto") -> EditError:
    with pytest.raises(EditError) as caught:
        read_patch(reply, format=format)
    return caught.value


NOTHING = [
    ("nothing at all", ""),
    ("prose", "I would change the greeting in src/app.py to say hello.\n"),
    ("an example of code", "Use it like this:\n\n```python\nrun()\n```\n\nor like that:\n\n```python\nrun(1)\n```\n"),
    ("a table and a rule", "a | b\n--- | ---\n1 | 2\n\n---\n\n***\n"),
    ("a package file", '```json\n{"name": "x", "version": "1.0.0", "scripts": {"test": "x"}}\n```\n' * 2),
    ("a conflict", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n"),
    ("options of a command", "-a  all\n-b  brief\n+x  extra\n"),
]


@table("reply", [reply for _, reply in NOTHING], ids=[name for name, _ in NOTHING])
def test_what_is_no_patch_is_refused_and_every_dialect_says_why(reply: str) -> None:
    error = refusal(reply)
    assert error.kind is Kind.MALFORMED_PATCH
    assert error.details["line"] == 1
    tried = error.details["tried"]
    assert isinstance(tried, dict)
    assert list(tried) == [dialect.name for dialect in dialects()]
    assert all(tried.values())
    assert str(error.details["example"]) in str(error.hint)


MIXED = [
    ("a diff, then blocks", DIFF + "\n" + SR),
    ("blocks, then a diff", SR + "\n" + DIFF),
    ("a diff, then an envelope", DIFF + "\n" + V4A),
    ("JSON, then a diff", JSON + "\n" + DIFF),
    ("a patch, then another file in a fence", V4A + "\nsrc/other.py\n```python\nx = 1\n```\n"),
    ("another file in a fence, then blocks", "src/other.py\n```python\nx = 1\n```\n\n" + SR),
    ("a good patch, then a broken one", DIFF + "\n<<<<<<< SEARCH\na\n"),
    ("a broken one, then a good patch", "<<<<<<< SEARCH\na\n\n" + DIFF),
    ("a mark in a diff, then a good patch", MARKED_DIFF + "\n" + V4A),
    ("a mark in a diff, then a broken one", MARKED_DIFF + "\n*** Begin Patch\n*** Update File: y\n"),
    ("a mark in a diff, then one without its own", MARKED_DIFF + "*** Update File: y\n@@\n-a\n"),
    ("a mark in a diff with text below, then a good patch", OTHER_MARKED_DIFF + "\n" + DELETION),
    ("a mark in a diff with text below, then a broken one", OTHER_MARKED_DIFF + "\n*** Add File:\n"),
    ("a block begun in an envelope, then a broken one", MARKED_V4A + "\n<<<<<<< SEARCH\na\n"),
    ("a block begun in an envelope, then a whole one", MARKED_V4A + "\n" + SR),
    (
        "a document that shows a patch",
        "docs/patches.md\n````markdown\n" + "words\n" * 12 + V4A + "words\n" * 3 + "````\n",
    ),
]


@table("reply", [reply for _, reply in MIXED], ids=[name for name, _ in MIXED])
def test_parts_in_two_dialects_are_never_mixed_nor_left_out(reply: str) -> None:
    error = refusal(reply)
    assert error.kind is Kind.MALFORMED_PATCH
    formats = error.details["formats"]
    assert isinstance(formats, list)
    assert len(formats) == 2
    line = error.details["line"]
    assert isinstance(line, int)
    assert 1 <= line <= reply.count("\n")


@table("name", EVERY)
def test_every_dialect_is_distinguished_from_the_others(name: str) -> None:
    assert read_patch(EVERY[name]).format == name
    assert read_patch("Sure, here it is.\n\n" + EVERY[name] + "\nDone.\n").format == name
    assert read_patch(EVERY[name], format=name).files


@table("name", EVERY)
@table("other", [name for name in EVERY if name not in ("lazy", "whole")])
def test_a_reply_is_not_read_as_another_dialect_even_if_asked(name: str, other: str) -> None:
    if name != other:
        assert refusal(EVERY[name], other).kind is Kind.MALFORMED_PATCH


INSIDE = [
    ("a diff in blocks", "docs/a.md\n<<<<<<< SEARCH\n" + DIFF + "=======\nnone\n>>>>>>> REPLACE\n", "search-replace"),
    ("blocks in an envelope", V4A.replace("+b\n", "".join(f"+{line}\n" for line in SR.splitlines())), "v4a"),
    ("blocks in a diff", DIFF.replace("+b\n", "".join(f"+{line}\n" for line in SR.splitlines())), "unified"),
    ("an envelope in a diff", DIFF.replace("+b\n", "".join(f"+{line}\n" for line in V4A.splitlines())), "unified"),
    ("a diff in an envelope", V4A.replace("+b\n", "".join(f"+{line}\n" for line in DIFF.splitlines())), "v4a"),
    ("numbers in an envelope", V4A.replace("@@", "@@ -1,2 +1,2 @@"), "v4a"),
    ("a fence in a diff", DIFF.replace("+b\n", "+```python\n+b\n+```\n"), "unified"),
    ("JSON in blocks", "a.json\n<<<<<<< SEARCH\n{}\n=======\n" + JSON + ">>>>>>> REPLACE\n", "search-replace"),
    ("blocks in a fence", "src/app.py\n```python\n" + SR.partition("\n")[2] + "```\n", "search-replace"),
    ("a diff in a fence", "src/app.py\n```diff\n" + DIFF + "```\n", "unified"),
    ("the mark of an envelope last in a diff", f"```diff\n{MARKED_DIFF}```\n\nThat is it.\n", "unified"),
    ("the same in a tag", f"<patch>\n{MARKED_DIFF}</patch>\n\nThat is it.\n", "unified"),
    ("the same twice", (f"```diff\n{MARKED_DIFF}```\n\nThat is it.\n\n" * 2), "unified"),
    ("a mark with text below", f"```diff\n{OTHER_MARKED_DIFF}```\n\nThat is it.\n", "unified"),
    ("a diff in a bare envelope", f"*** Begin Patch\n{DIFF}*** End Patch\n\nThat is it.\n", "unified"),
    ("the head of a block in an envelope", MARKED_V4A + "\nThat is it.\n", "v4a"),
    ("the mark of an envelope in a block", SR.replace("x\n", "*** Begin Patch\n", 1) + "\nDone.\n", "search-replace"),
    ("an example beside", SR + "\nUse it:\n\n```python\nrun()\n```\n", "search-replace"),
]


@table(("reply", "name"), [row[1:] for row in INSIDE], ids=[row[0] for row in INSIDE])
def test_what_is_inside_a_part_is_content(reply: str, name: str) -> None:
    found = read_patch(reply)
    assert found.format == name
    assert len(found.files) == 1


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    error = refusal(DIFF, "unifed")
    assert error.kind is Kind.BAD_REQUEST
    assert "unified" in str(error.hint)


@table("dialect", dialects(), ids=[dialect.name for dialect in dialects()])
def test_the_example_of_a_dialect_is_one_of_it(dialect: object) -> None:
    from steadyhand.dialects.dialect import Dialect

    assert isinstance(dialect, Dialect)
    found = read_patch(dialect.example)
    assert found.format == dialect.name
    assert not found.notes or not dialect.is_marked
    for name in (dialect.name, *dialect.aliases):
        assert read_patch(dialect.example, format=name).format == dialect.name


def test_the_loaded_dialects() -> None:
    assert [dialect.name for dialect in dialects()] == ["unified", "v4a", "search-replace", "json", "lazy", "whole"]


def test_a_good_part_before_a_broken_one_of_its_own_dialect_is_not_applied_alone() -> None:
    error = refusal(SR + "\nsrc/app.py\n<<<<<<< SEARCH\nc\n")
    assert error.kind is Kind.MALFORMED_PATCH
    assert error.details["format"] == "search-replace"
    assert "formats" not in error.details


def test_a_named_format_alone_is_spoken_of() -> None:
    assert "v4a" in refusal("nothing\n", "v4a").message
