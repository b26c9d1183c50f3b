"""Which section a name means: what is no heading, what is ambiguous, and how far a name may be from the words."""

from __future__ import annotations

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.structure.markdown.heading import Heading
from steadyhand.structure.target import parse_address, render_address
from tests.checks import marked
from tests.structure.markdown import located, node_at, not_found
from tests.table import table

NOT_HEADINGS = [
    ("in a fence", "```\n# X\n```\n"),
    ("in a fence of tildes", "~~~\n# X\n~~~\n"),
    ("in a longer fence with a shorter one inside", "````\n```\n# X\n````\n"),
    ("in an indented fence", "  ```\n  # X\n  ```\n"),
    ("in a fence of a list item", "1. a\n\n   ```\n   # X\n   ```\n"),
    ("in a fence of a quote", "> ```\n> # X\n> ```\n"),
    ("in a fence that nothing closes", "```\n# X\n"),
    ("in indented code", "a\n\n    # X\n"),
    ("behind a tab", "a\n\n\t# X\n"),
    ("in a comment", "<!--\n# X\n-->\n"),
    ("in HTML", "<div>\n# X\n</div>\n"),
    ("in front matter", "---\n# X\na: 1\n---\n"),
    ("without a blank", "#X\n"),
    ("seven marks", "####### X\n"),
    ("escaped", "\\# X\n"),
    ("behind a blank that is none", "#\u00a0X\n"),
    ("in the middle of a line", "a # X\n"),
    ("above a rule with a blank line between", "X\n\n---\n"),
    ("a table's header", "| X |\n|---|\n"),
]


@table(("name", "text"), NOT_HEADINGS, ids=[name for name, _ in NOT_HEADINGS])
def test_what_only_looks_like_a_heading_is_none(name: str, text: str) -> None:
    refusal = not_found(text, "heading:X")
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert refusal.details["nearest"] == []
    other = not_found(f"# Other\n\n{text}" if name != "in front matter" else f"{text}# Other\n", "heading:X")
    assert (other.details["nearest"], other.details["available"]) == ([], ["heading:Other"])


def test_a_heading_that_none_is_similar_to_lists_what_there_is_and_suggests_nothing() -> None:
    refusal = not_found("# Intro\n\n# Usage\n", "heading:Zebra")
    assert refusal.message == "there is no heading 'Zebra'; none is similar; there are: Intro; Usage"
    assert refusal.details == {"nearest": [], "available": ["heading:Intro", "heading:Usage"]}
    assert "send the one you mean" in refusal.hint


@table("path", ["page.html", "data.json", "app.py", "notes.txt", "notes.rst"])
def test_headings_of_other_formats_are_refused_by_name(path: str) -> None:
    refusal = not_found("# X\n", "heading:X", path)
    assert refusal.kind == Kind.BAD_REQUEST
    assert path in refusal.message
    assert ".md" in refusal.message


@table("path", [None, "README", "notes.md", "NOTES.MD", "a.markdown", "b.mdx", "c.mkd", "odd.xyz"])
def test_markdown_is_what_has_its_suffix_or_no_other(path: str | None) -> None:
    _, node = node_at("# X\n", "heading:X", path)
    assert node.kind == "section"


def test_a_miss_names_the_nearest_paths_and_creates_nothing() -> None:
    refusal = not_found("# Guide\n\n## Setup\n\n## Usage\n", "heading:Setpu")
    assert refusal.kind == Kind.NO_SUCH_TARGET
    assert refusal.details["nearest"] == ["heading:Guide > Setup"]
    assert refusal.hint == "send heading:Guide > Setup"


def test_a_file_without_headings_says_what_else_can_be_named() -> None:
    refusal = not_found("words\n", "heading:X")
    assert "no headings" in refusal.message
    assert "lines" in refusal.hint


TWICE = "# API\n\n## Usage\n\na\n\n# CLI\n\n## Usage\n\nb\n"


def test_a_name_that_several_sections_have_is_ambiguous_with_their_paths_and_lines() -> None:
    refusal = not_found(TWICE, "heading:Usage")
    assert refusal.kind == Kind.AMBIGUOUS_MATCH
    places = refusal.details["places"]
    assert [(place["address"], place["lines"][0]) for place in places] == [  # type: ignore[attr-defined]
        ("heading:API > Usage", 3),
        ("heading:CLI > Usage", 9),
    ]


@table(
    ("address", "expected"),
    [
        ("heading:CLI > Usage", "## Usage\n\nb\n"),
        ("heading[2]:Usage", "## Usage\n\nb\n"),
        ("heading[1]:Usage", "## Usage\n\na\n\n"),
        ("heading[-1]:Usage", "## Usage\n\nb\n"),
        ("heading.line:CLI > Usage", "## Usage\n"),
    ],
)
def test_a_path_or_a_number_picks_one_of_several(address: str, expected: str) -> None:
    assert located(TWICE, address) == expected


def test_a_number_that_is_too_large_says_how_many_there_are() -> None:
    assert not_found(TWICE, "heading[3]:Usage").kind == Kind.COUNT_MISMATCH


def test_a_full_path_that_is_also_the_end_of_another_is_not_taken_for_granted() -> None:
    text = "# Setup\n\na\n\n# Guide\n\n## Setup\n\nb\n"
    assert not_found(text, "heading:Setup").kind == Kind.AMBIGUOUS_MATCH
    assert node_at(text, "heading:Guide > Setup")[1].address == "heading:Guide > Setup"
    assert node_at(text, "heading[1]:Setup")[1].address == "heading[1]:Setup"


GUIDE = "# Guide\n\nintro\n\n## Set *up*: `x_y`\n\na\n\n### Deep\n\nb\n\n## Use &amp; [go](u.md) {#go}\n\nc\n"


@table(
    "name",
    [
        "Set *up*: `x_y`",
        "Set up: x_y",
        "set UP: X_Y",
        "## Set up: x_y",
        "## Set *up*: `x_y` ##",
        "  Set up: x_y ",
        "Guide > Set up: x_y",
        "Guide>Set up: x_y",
        "Guide / Set up: x_y",
        "guide/set up: x_y",
        "Guide :: Set up: x_y",
        "# Guide > ## Set *up*: `x_y`",
    ],
)
def test_marks_case_emphasis_and_the_way_a_path_is_written_are_tolerated(name: str) -> None:
    assert located(GUIDE, Heading(name, part="line")) == "## Set *up*: `x_y`\n"


@table("name", ["Use & go", "use &amp; [go](u.md)", "Use & go {#go}", "## Use & go"])
def test_entities_links_and_attributes_are_tolerated(name: str) -> None:
    assert located(GUIDE, Heading(name, part="line")).startswith("## Use")


@table("name", ["### Set up: x_y", "Guide > Deep", "Set", "# Use & go", "Use > Deep", "", "Set up x_y", "xy"])
def test_another_level_a_skipped_level_and_a_part_of_the_words_are_no_match(name: str) -> None:
    assert not_found(GUIDE, Heading(name)).kind == Kind.NO_SUCH_TARGET


def test_exact_words_win_over_lax_ones_and_lax_ones_never_break_a_tie() -> None:
    text = "# Notes\n\na\n\n# notes\n\nb\n"
    assert located(text, "heading:notes") == "# notes\n\nb\n"
    assert not_found(text, "heading:NOTES").kind == Kind.AMBIGUOUS_MATCH


@table("name", ["❤️ Hearts", "❤ Hearts", "❤ hearts"])
def test_the_variation_of_an_emoji_does_not_matter(name: str) -> None:
    assert located("# ❤️ Hearts\n\nx\n", Heading(name, part="body")) == "\nx\n"


@table("name", ["Input / Output", "Input/Output", "A > B", "std::vector", "GET /users/{id}"])
def test_a_heading_that_has_a_separator_in_it_is_found(name: str) -> None:
    text = "# Input / Output\n\n# A > B\n\n# std::vector\n\n# GET /users/{id}\n"
    assert located(text, Heading(name)).startswith("# ")


def test_a_heading_with_a_separator_and_a_path_of_the_same_words_are_distinguished_by_number() -> None:
    text = "# A > B\n\nx\n\n# A\n\n## B\n\ny\n"
    assert not_found(text, "heading:A > B").kind == Kind.AMBIGUOUS_MATCH
    assert located(text, "heading[2]:A > B") == "## B\n\ny\n"


def test_a_path_may_be_given_as_a_list() -> None:
    assert located(TWICE, Heading(("CLI", "Usage"), part="body")) == "\nb\n"
    assert Heading.from_json(["CLI", "Usage"], "target") == Heading(("CLI", "Usage"))
    assert Heading(("CLI", "Usage")).to_json() == ["CLI", "Usage"]


SECTIONS = [
    ("heading:A", "⟦# A\n\na\n\n## B\n\nb\n\n⟧# C\n"),
    ("heading.body:A", "# A\n⟦\na\n\n## B\n\nb\n\n⟧# C\n"),
    ("heading.own:A", "# A\n⟦\na\n\n⟧## B\n\nb\n\n# C\n"),
    ("heading.line:A", "⟦# A\n⟧\na\n"),
    ("heading.line:A", "⟦A\n==\n⟧a\n"),
    ("heading.line:A b", "⟦A\nb\n---\n⟧a\n"),
    ("heading:B", "## A\n\na\n\n⟦## B\n\nb\n⟧"),
    ("heading:D", "# A\n\n#### D\n\n⟦### D\n⟧## B\n".replace("#### D\n\n", "")),
    ("heading:Six", "# A\n\n⟦###### Six\n\nx\n\n⟧### Three\n"),
    ("heading:Q", "# A\n\n⟦> # Q\n> q\n⟧\nb\n"),
    ("heading:Q", "> ⟦⟧# A\n>\n⟦> ## Q\n> q\n⟧\n# B\n".replace("⟦⟧", "")),
    ("heading:A", "⟦# A\n\n> # Q\n\nb\n\n⟧# B\n"),
    ("heading:L", "- ⟦# L\n  l⟧\n- m\n"),
    ("heading:A", "⟦# A\r\n\r\na\r\n⟧# B\r\n"),
    ("heading:A", "⟦# A\r\ra\r⟧# B\r"),
    ("heading:A", "⟦# A\n\na⟧"),
    ("heading:A", "---\nt: 1\n---\n⟦# A\n⟧"),
    ("heading:A", "⟦# A\n```\n# B\n```\n⟧# B\n"),
]


@table(("address", "notation"), SECTIONS)
def test_a_section_ends_where_the_next_of_its_level_starts(address: str, notation: str) -> None:
    text, [span] = marked(notation)
    assert node_at(text, address)[1].span == span


def test_a_heading_in_a_quote_is_under_the_one_outside() -> None:
    assert node_at("# A\n\n> ## Q\n> x\n\n## B\n", "heading:Q")[1].address == "heading:A > Q"


@table(
    "value",
    [{"path": "A", "part": "all"}, {"path": "A", "nth": 0}, {}, {"path": 3}, {"path": []}, {"path": "A", "level": 2}],
)
def test_a_request_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(EditError) as caught:
        Heading.from_json(value, "target")
    assert caught.value.kind == Kind.BAD_REQUEST


@table("address", ["heading:A > B", "heading.own[2]:A", "heading:"])
def test_an_address_is_rendered_as_it_was_given(address: str) -> None:
    assert render_address(parse_address(address)) == address
