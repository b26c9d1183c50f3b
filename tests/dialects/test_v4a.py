"""V4A: what it must not read or do, what it reads, and the traps other executors fall into."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from steadyhand.dialects.formats.v4a import V4aReader, read_bare
from steadyhand.dialects.piece import Piece
from steadyhand.dialects.reply import Splitter, split_reply
from steadyhand.errors import EditError, Kind
from steadyhand.plan.edit import Edit, Insert, Old, Replace
from steadyhand.plan.preview import Result, edit
from steadyhand.plan.request import CreateFile, DeleteFile, EditFile, RenameFile
from tests.table import table


def read(reply: str) -> tuple[list[Piece], list[tuple[int, str]]]:
    reader = V4aReader()
    pieces = [piece for line in split_reply(reply) for piece in reader.feed(line)]
    return [*pieces, *reader.close()], [(note.line, note.what) for note in reader.notes]


def edits_of(pieces: Sequence[Piece]) -> list[Edit]:
    return [edit for piece in pieces if isinstance(piece.request, EditFile) for edit in piece.request.edits]


def texts_of(reply: str) -> list[tuple[str, str]]:
    return [
        (one.target.text, one.new)
        for one in edits_of(read(reply)[0])
        if isinstance(one, Replace) and isinstance(one.target, Old)
    ]


def envelope(body: str, path: str = "a.py") -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n{body}*** End Patch\n"


def apply(before: str, body: str, path: str = "a.py") -> Result[str]:
    return edit(before, edits_of(read(envelope(body, path))[0]), path=path)


@table(
    "text",
    [
        "",
        "\n\n",
        "Use the `*** Begin Patch` mark, then `*** Update File: a.py`.\n",
        "***\n*** bold words ***\n***\n",
        "*** End Patch\n",
        "@@ def f():\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-*** Begin Patch\n+*** Update File: a.py\n",
        " *** Update File: a.py\n-a\n+b\n",
        "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
    ],
)
def test_text_without_a_patch_is_neither_read_nor_refused(text: str) -> None:
    assert read(text) == ([], [])


MALFORMED = [
    ("an unknown mark", "*** Begin Patch\n*** Rename File: a\n*** End Patch\n", 2, 1),
    ("an unknown mark in a hunk", envelope("@@\n-a\n+b\n*** Keep File: b\n"), 6, 1),
    ("an update that says nothing", envelope(""), 2, 1),
    ("an update with an empty @@ only", envelope("@@ def f():\n\n"), 2, 1),
    ("an added file without lines", "*** Begin Patch\n*** Add File: a\n\n*** End Patch\n", 2, 1),
    ("an added file with + on some lines", "*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch\n", 4, 1),
    ("a fence in a file without +", "*** Begin Patch\n*** Add File: a\n```\nx\n*** End Patch\n", 3, 1),
    ("text before the first file", "*** Begin Patch\nHere it is:\n*** Delete File: a\n*** End Patch\n", 2, 1),
    ("rows before the first file", "*** Begin Patch\n@@\n-a\n+b\n*** End Patch\n", 2, 1),
    ("no path", "*** Begin Patch\n*** Update File:  \n-a\n+b\n*** End Patch\n", 2, 19),
    ("no path to move to", envelope("*** Move to:\n@@\n-a\n+b\n"), 3, 13),
    ("a move behind a hunk", envelope("@@\n-a\n+b\n*** Move to: b\n"), 6, 1),
    ("a patch of nothing", "*** Begin Patch\n*** End Patch\n", 1, 1),
    ("lines behind a deleted file", "*** Begin Patch\n*** Delete File: a\n-a\n*** End Patch\n", 3, 1),
    ("an end of file without lines", envelope("*** End of File\n"), 3, 1),
    ("an environment behind a file", envelope("*** Environment ID: 7\n"), 3, 1),
    ("a file deleted outside of a patch", "Then run\n*** Delete File: a\n", 2, 1),
    ("a reply that breaks off in an added line", "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b = f(", 5, 8),
    ("a new file that breaks off", "*** Begin Patch\n*** Add File: a\n+x\n+y", 4, 3),
    ("a new file without + and without end", "*** Begin Patch\n*** Add File: a\nx\ny\n", 3, 1),
    ("an addition at line numbers only", envelope("@@ -3,0 +4,1 @@\n+x\n"), 4, 1),
    ("an addition that restates its header", envelope('@@ version = "1"\n+version = "2"\n'), 4, 1),
    ("an addition whose only context is an indented end", envelope("@@ [a]\n+b\n")[:-14] + " *** End Patch\n", 5, 1),
    ("a heap of @@ lines", envelope("@@ a\n" * 40 + "-a\n+b\n"), 35, 1),
    ("an indented patch with a line that is not", "  *** Begin Patch\n  *** Update File: a\n  @@\n-a\n", 4, 1),
]


@table(("name", "reply", "line", "column"), MALFORMED, ids=[row[0] for row in MALFORMED])
def test_a_patch_without_sense_is_refused_where_it_stops_making_sense(
    name: str, reply: str, line: int, column: int
) -> None:
    with pytest.raises(EditError) as caught:
        read(reply)
    assert caught.value.kind is Kind.MALFORMED_PATCH
    assert (caught.value.details["line"], caught.value.details["column"]) == (line, column)
    assert caught.value.details["expected"]
    assert caught.value.hint


TWICE = "def one():\n    v = 1\n    return v\n\n\ndef two():\n    v = 1\n    return v\n"
NOT_APPLIED = [
    ("a body that is under two names", TWICE, "@@\n-    v = 1\n+    v = 2\n", {"ambiguous-match"}),
    ("a name that is nowhere", TWICE, "@@ def nosuch():\n-    v = 1\n+    v = 2\n", {"ambiguous-match"}),
    ("line numbers are no reason", TWICE, "@@ -2,1 +2,1 @@\n-    v = 1\n+    v = 2\n", {"ambiguous-match"}),
    ("an addition behind a line that is nowhere", TWICE, "@@ def nosuch():\n+    w = 1\n", {"no-match"}),
    ("an addition behind a line that is twice", TWICE, "@@ v = 1\n+    w = 1\n", {"ambiguous-match"}),
    ("lines that are no end", TWICE, "@@\n-def one():\n+def uno():\n*** End of File\n", {"no-match"}),
    ("part of a line", "value = 1\n", "@@\n-value\n+other\n", {"no-match", "drift-conflict"}),
    ("a mark with a blank in front is a row", "a\nb\n", "@@\n a\n-b\n+c\n *** Delete File: b\n", {"no-match"}),
    ("a first hunk that fits and a last that does not", "a\nb\n", "@@\n-a\n+A\n@@\n-x\n+X\n", {"no-match"}),
]


@table(("name", "before", "body", "kinds"), NOT_APPLIED, ids=[row[0] for row in NOT_APPLIED])
def test_what_is_not_certain_is_not_applied(name: str, before: str, body: str, kinds: set[str]) -> None:
    made = apply(before, body)
    assert not made.ok
    assert made.text == before
    assert made.error is not None
    assert made.error.kind in kinds


CHANGE = [("a\nb\n", "a\nc\n")]
ROWS = "@@\n a\n-b\n+c\n"
WRAPPED = [
    ("nothing around it", envelope(ROWS), []),
    ("blanks around marks", " *** Begin Patch \n*** Update File:  a.py \n@@ \n a\n-b\n+c\n*** End Patch\t\n", []),
    ("marks in other letters", envelope(ROWS).replace("End Patch", "end patch"), []),
    ("no @@", envelope(ROWS[3:]), []),
    ("blank lines between marks", envelope("\n\n" + ROWS).replace("Patch\n", "Patch\n\n"), []),
    ("an environment", envelope(ROWS).replace("Patch\n", "Patch\n*** Environment ID: x1\n", 1), []),
    ("numbers behind @@", envelope(ROWS.replace("@@", "@@ -9,2 +9,2 @@ def f():")), []),
    ("a number behind @@", envelope(ROWS.replace("@@", "@@ 27,1 @@")), []),
    ("a fence", f"```diff\n{envelope(ROWS)}```\n", [(1, "a code fence around the patch")]),
    (
        "a shell call",
        f"apply_patch <<'EOF'\n{envelope(ROWS)}EOF\n",
        [(1, "a shell call around the patch"), (9, "a shell call around the patch")],
    ),
    ("prose", f"Here:\n\n{envelope(ROWS)}Done.\n", [(1, "text around the patch"), (10, "text around the patch")]),
    ("a stray fence", envelope(ROWS + "```\n\n"), [(7, "a code fence or the end of a shell call inside the patch")]),
    ("no end", envelope(ROWS)[:-14], [(1, "a patch without *** End Patch")]),
    ("a fence for an end", f"```\n{envelope(ROWS)[:-14]}```\n\nDone.\n", [(2, "a patch without *** End Patch")]),
    ("an end with a blank", envelope(ROWS)[:-14] + " *** End Patch\n", [(1, "a patch without *** End Patch")]),
    ("no beginning", envelope(ROWS)[16:], [(1, "a patch without *** Begin Patch")]),
    (
        "a unified diff's remark",
        envelope(ROWS + "\\ No newline at end of file\n"),
        [(4, "a unified diff's remark")],
    ),
    ("an empty @@ at the end", envelope(ROWS + "@@\n"), [(7, "an @@ without lines")]),
    ("a hunk without a change", envelope("@@\n a\n" + ROWS), [(2, "a part that changes nothing")]),
    ("a hunk that says the same", envelope(ROWS + "@@\n-z\n+z\n"), [(7, "a part that changes nothing")]),
    ("an indented patch", "".join(f"   {line}\n" for line in envelope(ROWS).splitlines()), []),
]


@table(("name", "reply", "notes"), WRAPPED, ids=[row[0] for row in WRAPPED])
def test_what_is_around_a_patch_is_left_out_and_reported(name: str, reply: str, notes: list[tuple[int, str]]) -> None:
    pieces, answer = read(reply)
    assert texts_of(reply) == CHANGE
    assert [piece.request.path for piece in pieces] == ["a.py"]
    for line, what in notes:
        assert any(number == line and found.startswith(what) for number, found in answer), answer
    assert bool(answer) == bool(notes)


def test_a_patch_in_a_shell_call_without_its_end_ends_with_the_call() -> None:
    reply = f"bash -lc \"apply_patch <<'EOF'\n{envelope(ROWS)[:-14]}EOF\"\n"
    assert texts_of(reply) == CHANGE


def test_files_are_added_deleted_moved_and_edited_in_the_order_of_the_patch() -> None:
    reply = (
        "*** Begin Patch\n*** Add File: new.txt\n+one\n+\n+  two\n*** Delete File: gone.txt\n"
        "*** Update File: old.py\n*** Move to: src/new.py\n@@\n-a\n+b\n"
        "*** Update File: x\n*** Move to: y\n*** End Patch\n"
    )
    pieces, notes = read(reply)
    assert [piece.request for piece in pieces] == [
        CreateFile("new.txt", "one\n\n  two\n"),
        DeleteFile("gone.txt"),
        RenameFile("old.py", "src/new.py"),
        EditFile("src/new.py", tuple(edits_of(pieces))),
        RenameFile("x", "y"),
    ]
    assert [piece.lines for piece in pieces] == [(2, 5), (6, 6), (7, 8), (9, 11), (12, 13)]
    assert notes == []


def test_a_new_file_may_lack_every_plus_and_then_this_is_reported() -> None:
    pieces, notes = read("*** Begin Patch\n*** Add File: a.yml\n- x\n- y\n\n*** End Patch\n")
    assert pieces[0].request == CreateFile("a.yml", "- x\n- y\n")
    assert notes == [(3, "an added file whose lines have no +")]


def test_fences_and_marks_with_a_sign_are_content() -> None:
    body = "@@\n ```\n-*** End Patch\n+*** Begin Patch\n @@ x\n ```\n"
    assert texts_of(envelope(body)) == [("```\n*** End Patch\n@@ x\n```\n", "```\n*** Begin Patch\n@@ x\n```\n")]


def test_headers_stack_and_each_hunk_has_its_own() -> None:
    body = "@@ class A:\n\n@@   def f(self):\n-a\n+b\n@@ class B: @@\n-c\n+d\n@@\n-e\n+f\n"
    targets = [one.target for one in edits_of(read(envelope(body))[0])]
    assert [target.under for target in targets if isinstance(target, Old)] == [
        ("class A:", "  def f(self):"),
        ("class B:",),
        (),
    ]


def test_an_unsigned_line_that_begins_with_two_at_signs_is_no_header() -> None:
    assert texts_of(envelope("@@\n@@count = 0\n-a\n+b\n")) == [("@@count = 0\na\n", "@@count = 0\nb\n")]


def test_the_end_of_the_file_belongs_to_its_hunk_only() -> None:
    found = edits_of(read(envelope("@@\n-a\n+b\n*** End of File\n@@\n-c\n+d\n"))[0])
    assert [one.target.at_end for one in found if isinstance(one.target, Old)] == [True, False]


def test_carriage_returns_that_came_with_the_reply_are_dropped_and_others_kept() -> None:
    assert texts_of(envelope(ROWS).replace("\n", "\r\n")) == CHANGE
    assert texts_of(envelope("@@\n-a\r\n+b\r\n")) == [("a\r\n", "b\r\n")]


@table(
    "around",
    [
        ("```\n", "```\n"),
        ("~~~diff\n", "~~~\n"),
        ("apply_patch <<'EOF'\n", "EOF\n"),
        ("```sh\napply_patch <<EOF\n", "EOF\n"),
    ],
)
def test_a_reply_that_ends_inside_a_wrapped_patch_is_refused_wherever_it_ends(around: tuple[str, str]) -> None:
    patch = envelope("@@\n a\n-b\n+c\n@@\n d\n+e\n f\n")
    body = patch[: patch.index("*** End")]
    for end in range(body.index("\n a") + 2, len(body) + 1):
        with pytest.raises(EditError):
            read(f"{around[0]}{body[:end]}")
    assert texts_of(f"{around[0]}{body}{around[1]}") == texts_of(body) == texts_of(f"{around[0]}{patch}") != []


def test_where_nothing_changes_one_edit_is_left_to_be_refused() -> None:
    pieces, notes = read(envelope("@@\n a\n@@\n-b\n+b\n"))
    assert texts_of(envelope("@@\n a\n@@\n-b\n+b\n")) == [("a\n", "a\n")]
    assert len(pieces) == len(notes) == 1
    assert apply("a\nb\n", "@@\n a\n").error.kind is Kind.NO_CHANGE  # type: ignore[union-attr]


def test_two_patches_in_one_reply_are_read_in_order() -> None:
    assert texts_of(envelope(ROWS) + "\nand\n\n" + envelope(ROWS, "b.py")) == CHANGE * 2
    assert texts_of(envelope(ROWS)[:-14] + envelope(ROWS, "b.py")) == CHANGE * 2


CLASS = "class A:\n    def f(self):\n        old\n\n    def g(self):\n        z\n"
GIVEN = [
    ("other lines keep their odd characters", "a\x0cb\u2028c\x85\nx\n", "@@\n-x\n+y\n", "a\x0cb\u2028c\x85\ny\n"),
    ("a hunk behind an end of file", "a\nb\n", "@@\n-b\n+B\n*** End of File\n@@\n-a\n+A\n", "A\nB\n"),
    (
        "only added lines",
        "def a():\n old\ndef b():\n z\n",
        "@@ def a():\n+ new\n",
        "def a():\n new\n old\ndef b():\n z\n",
    ),
    ("a file of CRLF", "a\r\nb\r\nc\r\n", "@@\n-b\n+B\n", "a\r\nB\r\nc\r\n"),
    ("CRLF and a hunk at the end", "a\r\nb\r\n", "@@\n+c\n", "a\r\nb\r\nc\r\n"),
    ("a blank line behind the file's name", "a\nb\n", "\n@@\n-b\n+B\n", "a\nB\n"),
    (
        "one name of two",
        TWICE,
        "@@ def two():\n-    v = 1\n+    v = 2\n",
        TWICE.replace("two():\n    v = 1", "two():\n    v = 2"),
    ),
    ("a name that is nowhere and lines that are plain", "a\nb\n", "@@ def nosuch():\n-b\n+B\n", "a\nB\n"),
    ("the last of equal lines", "x\na\nx\n", "@@\n-x\n+y\n*** End of File\n", "x\na\ny\n"),
    ("no context and no ending", "a\nb", "@@\n+c\n", "a\nb\nc\n"),
    ("no context and no text", "", "@@\n+c\n", "c\n"),
    ("a last line without ending", "a\nb", "@@\n a\n-b\n+c\n", "a\nc"),
    (
        "a header without its indentation",
        CLASS,
        "@@ def f(self):\n+        new\n",
        CLASS.replace("old", "new\n        old"),
    ),
    ("a header and lines without it", CLASS, "@@ def f(self):\n+    new\n", CLASS.replace("old", "new\n        old")),
    (
        "a header that leads nothing in",
        CLASS,
        "@@ class A:\n@@ z\n+        y\n",
        CLASS + "        y\n",
    ),
    (
        "an empty line before added ones",
        CLASS,
        "@@ class A:\n\n+    x = 1\n",
        CLASS.replace(":\n", ":\n    x = 1\n", 1),
    ),
    ("an empty line between added ones", "a\nb\n", "@@\n a\n+1\n\n+2\n b\n", "a\n1\n\n2\nb\n"),
    ("an empty line before the rows", "a\nb\n", "@@\n\n a\n-b\n+c\n", "a\nc\n"),
    ("an empty line behind the rows", "a\nb\n", "@@\n a\n-b\n+c\n\n", "a\nc\n"),
    ("lines without their blank", "a\nb\nc\n", "@@\na\n-b\n+B\nc\n", "a\nB\nc\n"),
    ("words behind the rows", "a\nb\n", "@@\n a\n-b\n+c\nThis changes b.\n", "a\nc\n"),
]


@table(("name", "before", "body", "after"), GIVEN, ids=[row[0] for row in GIVEN])
def test_a_patch_gives_exactly_this_text(name: str, before: str, body: str, after: str) -> None:
    made = apply(before, body)
    assert made.error is None
    assert made.text == after


def test_two_sections_of_one_file_are_both_applied() -> None:
    reply = envelope("@@\n-a\n+A\n*** Update File: a.py\n@@\n A\n-b\n+B\n")
    assert edit("a\nb\n", edits_of(read(reply)[0]), path="a.py").text == "A\nB\n"


def test_a_bare_body_is_read_as_the_operation_says() -> None:
    (made,) = read_bare("@@ def f():\n-a\n+b\n", path="x.py", create=False)
    assert isinstance(made.request, EditFile)
    assert made.request.path == "x.py"
    assert [piece.request for piece in read_bare("+a\n+\n", path="x", create=True)] == [CreateFile("x", "a\n\n")]
    assert [piece.request for piece in read_bare("", path="x", create=True)] == [CreateFile("x", "")]
    (added,) = edits_of(read_bare("+a", path="x", create=False))
    assert added == Insert(Old("", at_end=True), "a\n")


def test_a_bare_body_may_have_an_envelope_of_the_same_file() -> None:
    assert texts_of(envelope(ROWS)) == CHANGE
    (piece,) = read_bare(envelope(ROWS, "./x.py"), path="x.py", create=False)
    assert piece.request.path == "x.py"


@table(
    ("diff", "create"),
    [
        (envelope(ROWS, "other.py"), False),
        (envelope(ROWS, "x.py"), True),
        ("*** Begin Patch\n*** Delete File: x.py\n*** End Patch\n", False),
        (envelope("*** Move to: y.py\n", "x.py"), False),
        ("", False),
        ("a\n+b\n", True),
    ],
)
def test_a_bare_body_that_says_something_else_is_refused(diff: str, create: bool) -> None:
    with pytest.raises(EditError) as caught:
        read_bare(diff, path="x.py", create=create)
    assert caught.value.kind is Kind.MALFORMED_PATCH


SEEDS = [row[1] for row in WRAPPED] + [row[1] for row in MALFORMED] + [envelope(row[2]) for row in GIVEN]


def outcome_of(parts: Sequence[str]) -> object:
    reader, splitter, pieces = V4aReader(), Splitter(), list[Piece]()
    try:
        for part in parts:
            for line in splitter.feed(part):
                pieces += reader.feed(line)
        for line in splitter.close():
            pieces += reader.feed(line)
        return [*pieces, *reader.close()], reader.notes
    except EditError as error:
        return error.kind, str(error)


def test_the_cut_of_a_reply_makes_no_difference() -> None:
    rng = random.Random(11)
    for reply in SEEDS:
        cuts = sorted(rng.randrange(len(reply) + 1) for _ in range(rng.randrange(8)))
        parts = [reply[start:end] for start, end in zip([0, *cuts], [*cuts, len(reply)], strict=True)]
        assert outcome_of(parts) == outcome_of([reply]) == outcome_of(list(reply))


def test_damaged_patches_are_read_or_refused() -> None:
    rng = random.Random(23)
    for _ in range(600):
        lines = rng.choice(SEEDS).splitlines(keepends=True)
        for _ in range(rng.randrange(1, 5)):
            at, other = rng.randrange(len(lines) + 1), rng.choice(rng.choice(SEEDS).splitlines(keepends=True))
            lines[at : at + rng.randrange(3)] = rng.choice([[], [other], [other[rng.randrange(len(other)) :]]])
        found = outcome_of(["".join(lines)])
        assert isinstance(found, tuple)
        if found[0] is Kind.MALFORMED_PATCH:
            assert "of the reply" in str(found[1])


RUN = (
    "class A:\n    def run(self):\n        x = 1\n        return 1\n\n"
    "    def stop(self):\n        y = 1\n        return 1\n"
)


def test_a_header_that_is_nowhere_is_reported_where_the_rows_are_unique_and_refused_where_not() -> None:
    unique = apply(RUN, "@@ class Gone:\n-        y = 1\n+        y = 2\n")
    assert unique.text == RUN.replace("y = 1", "y = 2")
    (outcome,) = unique.outcomes
    assert "class Gone:" in outcome.notes[0]
    assert (outcome.confidence or 1) < 1
    several = apply(RUN, "@@ class Gone:\n-        return 1\n+        return 2\n")
    assert several.error is not None
    assert several.error.kind is Kind.AMBIGUOUS_MATCH


def test_the_same_header_twice_is_found_also_after_the_first_part_has_changed_it() -> None:
    first = "@@ def run(self):\n-    def run(self):\n+    def run(self, a):\n         x = 1\n"
    second = "@@ def run(self):\n-        return 1\n+        return 2\n"
    after = RUN.replace("run(self)", "run(self, a)").replace("return 1", "return 2", 1)
    assert apply(RUN, first + second).text == after
    both = "@@ def run(self):\n-        x = 1\n+        x = 2\n" + second
    assert apply(RUN, both).text == RUN.replace("x = 1", "x = 2").replace("return 1", "return 2", 1)
    assert apply(RUN, "@@ def run(self):\n" + second).text == RUN.replace("return 1", "return 2", 1)


@table(
    "rows",
    [
        "    def run(self):\n        x = 1\n",
        "    def run(self):\n         x = 1\n",
        "class A:\n     def run(self):\n         x = 1\n",
        "class A:\n    def run(self):\n        x = 1\n",
    ],
)
def test_context_may_lack_its_leading_blank(rows: str) -> None:
    result = apply(RUN, f"@@\n{rows}-        return 1\n+        return 2\n")
    assert (result.text, result.error) == (RUN.replace("return 1", "return 2", 1), None)


def test_two_additions_under_one_header_come_in_the_order_of_the_patch() -> None:
    first, second = "@@ class A:\n+    a = 1\n", "@@ class A:\n+    b = 2\n"
    after = RUN.replace("class A:\n", "class A:\n    a = 1\n    b = 2\n", 1)
    assert apply(RUN, first + second).text == after
    assert apply(RUN, first + "\n" + second).text == after
    changed = "@@ def stop(self):\n-        y = 1\n+        y = 2\n"
    assert apply(RUN, first + second + changed).text == after.replace("y = 1", "y = 2")
