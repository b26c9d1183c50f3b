"""Edits of sections: what they must never do to the file around them, and what they do."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.plan.edit import Delete, Insert, Replace
from steadyhand.structure.markdown.heading import Heading
from steadyhand.structure.node import Proposal
from tests.checks import check_edit
from tests.structure.markdown import node_at, refused, written
from tests.table import table

GUIDE = "# Guide\n\nintro\n\n## Setup\n\nold\n\n### Deep\n\nd\n\n## Use\n\nlast\n"


@table(
    ("content", "said"),
    [
        ("```py\nx = 1\n", "line 1"),
        ("words\n\n~~~\nx\n```\n", "line 3"),
        ("- a\n\n  ```\n  x\n", "line 3"),
    ],
)
@table("verb", [("replace",), ("insert", "end"), ("insert", "before"), ("insert", "start")])
def test_a_fence_that_the_content_never_closes_is_refused(content: str, said: str, verb: tuple[str, ...]) -> None:
    refusal = refused(GUIDE, "heading:Setup", verb[0], content, *verb[1:])
    assert refusal.kind == Kind.BAD_REQUEST
    assert said in refusal.message


@table("where", ["start", "before"])
def test_a_comment_that_would_swallow_the_next_heading_is_refused(where: str) -> None:
    assert refused(GUIDE, "heading:Setup", "insert", "<!-- open", where).kind == Kind.BAD_REQUEST


def test_text_behind_a_fence_that_the_file_never_closes_is_refused_with_its_line() -> None:
    refusal = refused("# A\n\n```\nx\n", "heading:A", "insert", "words", "end")
    assert "line 3" in refusal.message


def test_text_behind_a_comment_that_the_file_never_closes_is_refused() -> None:
    assert refused("# A\n\n<!-- x\n", "heading:A", "insert", "words", "end").kind == Kind.BAD_REQUEST


def test_a_rule_that_would_make_the_top_front_matter_is_refused() -> None:
    assert refused("---\nt: 1\n\n# A\n\nx\n", "heading:A", "insert", "---", "end").kind == Kind.BAD_REQUEST


@table("where", ["start", "end"])
def test_a_heading_line_has_no_inside(where: str) -> None:
    assert "before or after" in refused(GUIDE, "heading.line:Setup", "insert", "x", where).hint


@table("where", ["start", "end"])
def test_a_section_does_not_get_its_own_heading_twice(where: str) -> None:
    assert "twice" in refused(GUIDE, "heading:Setup", "insert", "## Setup\n\nmore", where).message


def test_content_that_starts_with_the_heading_above_is_refused() -> None:
    refusal = refused(GUIDE, "heading:Setup", "replace", "# Guide\n\n## Setup\n\nnew")
    assert refusal.kind == Kind.BAD_REQUEST
    assert "## Setup" in refusal.hint


def test_a_heading_line_is_not_replaced_by_a_section() -> None:
    assert refused(GUIDE, "heading.line:Setup", "replace", "New\n\nbody").kind == Kind.BAD_REQUEST


def test_nothing_goes_between_a_list_marker_and_its_heading() -> None:
    assert refused("- # L\n  x\n", "heading:L", "insert", "y", "before").kind == Kind.BAD_REQUEST


REPLACED = [
    ("words only", "new", "## Setup\n\nnew\n\n"),
    ("the heading again", "## Setup\n\nnew", "## Setup\n\nnew\n\n"),
    ("the heading again, in other case", "## SETUP\nnew", "## SETUP\nnew\n\n"),
    ("the heading again, underlined", "Setup\n-----\nnew\n", "Setup\n-----\nnew\n\n"),
    ("another heading of the level", "## Install\n\nnew", "## Install\n\nnew\n\n"),
    ("a subsection first", "### Linux\n\nnew", "## Setup\n\n### Linux\n\nnew\n\n"),
    ("a fence that starts with a mark", "```sh\n# comment\n```", "## Setup\n\n```sh\n# comment\n```\n\n"),
    ("blank lines around", "\n\nnew\n\n\n", "## Setup\n\nnew\n\n"),
    ("a hard break at the end", "new  \nline  ", "## Setup\n\nnew  \nline  \n\n"),
    ("nothing", "", "## Setup\n\n"),
    ("two sections", "## Setup\n\na\n\n## More\n\nb", "## Setup\n\na\n\n## More\n\nb\n\n"),
]


@table(("name", "content", "expected"), REPLACED, ids=[name for name, *_ in REPLACED])
def test_replacing_a_section_keeps_its_heading_and_never_doubles_it(name: str, content: str, expected: str) -> None:
    after = written(GUIDE, "heading:Setup", "replace", content)
    assert after == f"# Guide\n\nintro\n\n{expected}## Use\n\nlast\n"


def test_the_body_keeps_its_heading_even_from_a_heading_of_other_words() -> None:
    after = written(GUIDE, "heading.body:Setup", "replace", "### Other\n\nx")
    assert "## Setup\n\n### Other\n\nx\n\n## Use" in after


def test_the_own_text_leaves_subsections_alone() -> None:
    after = written(GUIDE, "heading.own:Setup", "replace", "new")
    assert after == GUIDE.replace("old", "new")


@table(
    ("before", "new", "after"),
    [
        ("## A\n\nx\n", "B", "## B\n\nx\n"),
        ("## A ##\n\nx\n", "B", "## B ##\n\nx\n"),
        ("  ##   A\n", "B", "  ##   B\n"),
        ("## A\n", "### B", "### B\n"),
        ("A\n---\nx\n", "Longer", "Longer\n---\nx\n"),
        ("A\nb\n---\nx\n", "One", "## One\nx\n"),
        ("A\n---\nx\n", "- B", "- B\n\nx\n".replace("- B\n\n", "## - B\n")),
        ("##\nx\n", "B", "## B\nx\n"),
        ("> ## A\n> x\n", "B", "> ## B\n> x\n"),
    ],
)
def test_a_heading_gets_other_words_and_keeps_its_marks(before: str, new: str, after: str) -> None:
    address = "heading.line:A b" if before.startswith("A\nb") else "heading.line:" + ("A" if "A" in before else "")
    assert written(before, address, "replace", new) == after


INSERTED = [
    ("end", "new", "old\n\n### Deep\n\nd\n\nnew\n\n## Use"),
    ("after", "## More\n\nm", "d\n\n## More\n\nm\n\n## Use"),
    ("start", "new", "## Setup\n\nnew\n\nold\n\n### Deep"),
    ("before", "new", "intro\n\nnew\n\n## Setup"),
    ("before", "## First\n\nf\n", "intro\n\n## First\n\nf\n\n## Setup"),
]


@table(("where", "content", "expected"), INSERTED)
def test_inserted_lines_are_separated_by_one_blank_line(where: str, content: str, expected: str) -> None:
    after = written(GUIDE, "heading:Setup", "insert", content, where)
    assert expected in after
    assert (
        after.replace("\n\n" + content.strip("\n"), "", 1) == GUIDE
        or after.replace(content.strip() + "\n\n", "", 1) == GUIDE
    )


@table(
    ("before", "where", "content", "after"),
    [
        ("# A\ntext\n## B\ntext\n", "end", "new", "# A\ntext\n\nnew\n## B\ntext\n"),
        ("# A\ntext\n## B\ntext\n", "start", "new", "# A\nnew\n\ntext\n## B\ntext\n"),
        ("# A\ntext\n## B\nx\n## C\ny\n", "before", "## Z\nz", "## Z\nz\n# A\ntext\n## B\nx\n## C\ny\n"),
        ("# A\n\n\na\n\n\n\n## B\n\n\nb\n", "end", "## C\n\n\nc", "# A\n\n\na\n\n\n\n## C\n\n\nc\n\n\n\n## B\n\n\nb\n"),
        ("# A\n", "end", "new", "# A\n\nnew\n"),
        ("# A", "end", "new", "# A\n\nnew"),
        ("# A\n\n# B\n", "start", "new", "# A\n\nnew\n\n# B\n"),
        ("---\nt: 1\n---\n# A\n", "before", "new", "---\nt: 1\n---\nnew\n\n# A\n"),
        ("A\n=\n---\nB\n=\n", "end", "new", "A\n=\n---\n\nnew\n\nB\n=\n"),
    ],
)
def test_blank_lines_follow_the_habit_of_the_file(before: str, where: str, content: str, after: str) -> None:
    address = "heading.own:A" if where == "end" else "heading:A"
    assert written(before, address, "insert", content, where) == after


APPENDED = [
    ("a rule does not underline the paragraph", "text", "---", "text\n\n---"),
    ("an underline does not either", "text", "===", "text\n\n==="),
    ("an item goes on with a tight list", "- a\n- b", "- c", "- a\n- b\n- c"),
    ("an item of another kind starts a list", "- a", "1. c", "- a\n\n1. c"),
    ("an item goes on with a numbered list", "1. a\n2. b", "3. c", "1. a\n2. b\n3. c"),
    ("an item keeps a loose list loose", "- a\n\n- b", "- c", "- a\n\n- b\n\n- c"),
    ("words are not swallowed by a list", "- a", "words", "- a\n\nwords"),
    ("words are not swallowed by a quote", "> a", "words", "> a\n\nwords"),
    ("words are not swallowed by a table", "| a |\n|---|\n| 1 |", "words", "| a |\n|---|\n| 1 |\n\nwords"),
    ("words are not swallowed by HTML", "<div>\nx\n</div>", "words", "<div>\nx\n</div>\n\nwords"),
    ("a row goes on with a table", "| a |\n|---|\n| 1 |", "| 2 |", "| a |\n|---|\n| 1 |\n| 2 |"),
    ("a table stands alone", "| a |\n|---|", "| b |\n|---|", "| a |\n|---|\n\n| b |\n|---|"),
    ("indented code is no part of the paragraph", "text", "    code", "text\n\n    code"),
    ("a link definition", "text", "[a]: b", "text\n\n[a]: b"),
]


@table(("name", "body", "content", "expected"), APPENDED, ids=[name for name, *_ in APPENDED])
@table("rest", ["", "\n## Next\n\nx\n"])
def test_what_is_appended_is_read_as_what_it_is(name: str, body: str, content: str, expected: str, rest: str) -> None:
    before = f"# A\n\n{body}\n{rest}"
    assert written(before, "heading.own:A", "insert", content, "end") == f"# A\n\n{expected}\n{rest}"


@table("ending", ["\n", ""])
def test_the_last_section_ends_as_the_file_ends(ending: str) -> None:
    assert written(f"# A\n\nx{ending}", "heading:A", "insert", "y\n", "end") == f"# A\n\nx\n\ny{ending}"
    assert written(f"# A\n\nx{ending}", "heading:A", "replace", "y\n") == f"# A\n\ny{ending}"
    assert written(f"# A\n\nx\n\n# B\n\ny{ending}", "heading:B", "delete") == f"# A\n\nx{ending}"


@table(
    ("address", "expected"),
    [
        ("heading:Setup", "# Guide\n\nintro\n\n## Use\n\nlast\n"),
        ("heading:Deep", "# Guide\n\nintro\n\n## Setup\n\nold\n\n## Use\n\nlast\n"),
        ("heading:Use", "# Guide\n\nintro\n\n## Setup\n\nold\n\n### Deep\n\nd\n"),
        ("heading:Guide", ""),
        ("heading.body:Use", "# Guide\n\nintro\n\n## Setup\n\nold\n\n### Deep\n\nd\n\n## Use\n"),
        ("heading.own:Setup", "# Guide\n\nintro\n\n## Setup\n\n### Deep\n\nd\n\n## Use\n\nlast\n"),
        ("heading.line:Deep", "# Guide\n\nintro\n\n## Setup\n\nold\n\nd\n\n## Use\n\nlast\n"),
    ],
)
def test_a_deleted_part_takes_one_gap_with_it(address: str, expected: str) -> None:
    assert written(GUIDE, address, "delete") == expected


def test_deleting_a_heading_between_paragraphs_does_not_join_them() -> None:
    assert written("# A\na\n## B\nb\n", "heading.line:B", "delete") == "# A\na\n\nb\n"


CONTAINED = [
    ("> # Q\n> x\n", "heading:Q", ("insert", "new\n\nmore", "end"), "> # Q\n> x\n>\n> new\n>\n> more\n"),
    ("> # Q\n> x\n", "heading:Q", ("replace", "> new"), "> # Q\n> new\n"),
    ("> # Q\n> x\n\ny\n", "heading:Q", ("delete",), "y\n"),
    ("- # L\n\n  x\n- m\n", "heading:L", ("insert", "new", "end"), "- # L\n\n  x\n\n  new\n- m\n"),
    ("- # L\n\n  x\n- m\n", "heading:L", ("replace", "a\n\nb"), "- # L\n\n  a\n\n  b\n- m\n"),
    ("- # L\n\n  x\n", "heading.line:L", ("replace", "M"), "- # M\n\n  x\n"),
    ("> > # Q\n> > x\n", "heading:Q", ("insert", "y", "end"), "> > # Q\n> > x\n> >\n> > y\n"),
]


@table(("before", "address", "call", "after"), CONTAINED)
def test_lines_in_a_quote_or_list_get_its_marks(before: str, address: str, call: tuple[str, ...], after: str) -> None:
    assert written(before, address, *call) == after


def test_what_is_carried_out_of_a_quote_has_no_marks() -> None:
    text = "> # Q\n> x\n>\n> - y\n"
    source, node = node_at(text, "heading:Q")
    assert node.carried(source) == "# Q\nx\n\n- y\n"
    source, node = node_at("- # L\n  x\n\n  y\n- m\n", "heading:L")
    assert node.carried(source) == "# L\nx\n\ny\n"


@table("ending", ["\n", "\r\n", "\r"])
def test_new_lines_end_as_their_neighbours_do(ending: str) -> None:
    def fit(text: str) -> str:
        return text.replace("\n", ending)

    check_edit(
        fit(GUIDE), Replace(Heading("Setup"), "a\n\nb"), fit(written(GUIDE, "heading:Setup", "replace", "a\n\nb"))
    )
    check_edit(
        fit(GUIDE), Insert(Heading("Use"), "a\n", where="end"), fit(written(GUIDE, "heading:Use", "insert", "a", "end"))
    )
    check_edit(fit(GUIDE), Delete(Heading("Setup")), fit(written(GUIDE, "heading:Setup", "delete")))


@table("ending", ["\n", "\r\n"])
def test_content_with_windows_line_ends_gets_no_blank_lines_between(ending: str) -> None:
    before = "# A\n\nx\n\n## B\n\ny\n".replace("\n", ending)
    after = "# A\n\none\ntwo\n\n## B\n\ny\n".replace("\n", ending)
    check_edit(before, Replace(Heading("A", part="own"), "one\r\ntwo\r\n"), after)


def test_a_deeper_heading_at_the_start_of_the_content_is_noted() -> None:
    source, node = node_at(GUIDE, "heading:Setup")
    made = node.replace(source, "### Linux\n\nx")
    assert isinstance(made, Proposal)
    assert made.notes


UNTOUCHED = (
    "---\ntitle: x   # kept\n---\n\n# A\n\nhard  \nbreak\n\n| a |b|\n|-|:-:|\n|1| 2|\n\ntext ^ref-1\n\n"
    "[l]: <u>  'T'\n[^n]: note\n\n## B\n\nold\n\n## C\n\nx  \n"
)


def test_front_matter_tables_names_definitions_and_hard_breaks_elsewhere_stay() -> None:
    assert written(UNTOUCHED, "heading:B", "replace", "new") == UNTOUCHED.replace("old", "new")
    assert written(UNTOUCHED, "heading:B", "insert", "more", "end") == UNTOUCHED.replace("old\n", "old\n\nmore\n")


def test_a_section_moves_as_it_is_written() -> None:
    after = written(GUIDE, "heading:Deep", "move", {"to": "heading:Use", "where": "after"})
    assert after == "# Guide\n\nintro\n\n## Setup\n\nold\n\n## Use\n\nlast\n\n### Deep\n\nd\n"
