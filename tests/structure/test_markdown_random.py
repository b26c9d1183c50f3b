"""Random documents: what is built from known parts is read as those parts, and the laws hold for any text at all."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.plan.edit import Insert
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.structure.markdown.names import item_address, outline
from steadyhand.structure.markdown.reader import read_markdown
from steadyhand.structure.node import Node, Proposal, Refusal
from steadyhand.structure.target import Addressed, parse_address
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source
from tests.table import table

NO_GUARDS = Policy(guards=frozenset())


@dataclass(frozen=True)
class Part:
    """A piece of a document that is known to be a heading of a level, or none."""

    text: str
    level: int = 0
    words: str = ""


WORDS = st.text(alphabet="abc XY", min_size=1, max_size=8).map(str.strip).filter(bool)
OTHERS = (
    "words",
    "two lines\nof words  ",
    "```\n# no heading\n\n~~~\n```",
    "~~~~ py\n```\n# none\n~~~\n~~~~",
    "- a\n- b\n  - c",
    "1. a\n\n2. b\n\n   ```\n   # none\n   ```",
    "> quote\n> more",
    "| a | b |\n|---|--:|\n| # | x |",
    "<!--\n# none\n-->",
    "p\n\n    # none\n\nq",
    "***",
    "[a]: b\n\nwords ^r1",
)


@st.composite
def headings(draw: st.DrawFn) -> Part:
    words = draw(WORDS)
    if draw(st.booleans()):
        level = draw(st.integers(1, 6))
        return Part(f"{'#' * level} {words}{draw(st.sampled_from(['', ' #', '  ']))}", level, words)
    level = draw(st.integers(1, 2))
    return Part(f"{words}\n{'=-'[level - 1] * draw(st.integers(2, 5))}", level, words)


PARTS = st.lists(st.one_of(headings(), st.sampled_from(OTHERS).map(Part)), min_size=1, max_size=10)
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])


def together(parts: list[Part], ending: str, *, is_ended: bool) -> str:
    text = "\n\n".join(part.text for part in parts) + ("\n" if is_ended else "")
    return text.replace("\n", ending)


def starts_of(parts: list[Part], ending: str) -> list[int]:
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += len(part.text.replace("\n", ending)) + 2 * len(ending)
    return starts


def read_headings(text: str) -> list[tuple[int, str]]:
    document = read_markdown(Source.of_text(text))
    assert not isinstance(document, Refusal)
    return [(section.mark.level, section.mark.text) for section in document.sections]


def said(parts: list[Part]) -> list[tuple[int, str]]:
    return [(part.level, part.words) for part in parts if part.level]


def section_end(parts: list[Part], number: int) -> int:
    """The dullest way to say which part is the first behind a section."""
    level = parts[number].level
    return next((at for at in range(number + 1, len(parts)) if 0 < parts[at].level <= level), len(parts))


def address_of(source: Source, start: int) -> str:
    entries = outline(source)
    assert not isinstance(entries, Refusal)
    return next(entry.address for entry in entries if entry.kind == "section" and entry.span.start == start)


def node_of(source: Source, address: str) -> Node:
    target = parse_address(address)
    assert isinstance(target, Addressed)
    found = target.resolve(source)
    assert not isinstance(found, Refusal), f"{address}: {found.message}"
    assert len(found) == 1
    return found[0]


@given(PARTS, ENDINGS, st.booleans())
def test_headings_are_those_that_were_built_in(parts: list[Part], ending: str, is_ended: bool) -> None:
    text = together(parts, ending, is_ended=is_ended)
    assert read_headings(text) == said(parts)


@given(PARTS, ENDINGS, st.booleans())
def test_sections_end_where_the_dull_rule_says(parts: list[Part], ending: str, is_ended: bool) -> None:
    text = together(parts, ending, is_ended=is_ended)
    source, starts = Source.of_text(text), starts_of(parts, ending)
    for number, part in enumerate(parts):
        if part.level:
            node = node_of(source, address_of(source, starts[number]))
            assert node.span == (starts[number], [*starts, len(text)][section_end(parts, number)])


@given(PARTS, PARTS, ENDINGS, st.booleans(), st.data())
def test_what_is_inserted_brings_its_headings_to_its_place_and_no_other(
    parts: list[Part], new: list[Part], ending: str, is_ended: bool, data: st.DataObject
) -> None:
    numbers = [number for number, part in enumerate(parts) if part.level]
    if not numbers:
        return
    text = together(parts, ending, is_ended=is_ended)
    number, where = data.draw(st.sampled_from(numbers)), data.draw(st.sampled_from(["before", "start", "end", "after"]))
    target = parse_address(address_of(Source.of_text(text), starts_of(parts, ending)[number]))
    result = edit(text, Insert(target, together(new, "\n", is_ended=True), where=where), policy=NO_GUARDS)
    if where in ("start", "end") and plain(new[0]) == plain(parts[number]):
        assert result.error is not None  # the heading would be there twice
        return
    assert result.error is None, result.error
    at = {"before": number, "start": number + 1}.get(where, section_end(parts, number))
    assert read_headings(result.text) == said([*parts[:at], *new, *parts[at:]])
    after = to_lf(result.text)
    if ending in text:
        assert after.replace("\n", ending) == result.text
    assert after.endswith("\n") == is_ended
    assert "\n\n\n" not in after


def plain(part: Part) -> tuple[int, str]:
    """A heading as its reader remembers it."""
    return part.level, " ".join(part.words.lower().split())


@given(PARTS, ENDINGS, st.booleans(), st.data())
def test_a_deleted_section_takes_its_headings_and_no_other(
    parts: list[Part], ending: str, is_ended: bool, data: st.DataObject
) -> None:
    numbers = [number for number, part in enumerate(parts) if part.level]
    if not numbers:
        return
    text, number = together(parts, ending, is_ended=is_ended), data.draw(st.sampled_from(numbers))
    source = Source.of_text(text)
    made = node_of(source, address_of(source, starts_of(parts, ending)[number])).delete(source)
    assert isinstance(made, Proposal), made
    after = ChangeSet(made.splices).apply(text)
    rest = [*parts[:number], *parts[section_end(parts, number) :]]
    assert after == (together(rest, ending, is_ended=is_ended) if rest else "")


ODD = st.text(alphabet="#-=`~>|:*+1.)[]x^<!&\\/ \t\n\r\ufeff\x0c", max_size=60)
LINES = st.lists(
    st.sampled_from(
        ["# a", "## a", "- b", "  - c", "1. d", "> q", "> # e", "```", "~~~ x", "    i", "\ti", "---", "===", "", "",
         "|a|b|", "|-|-|", "w ^n", "^n", "- [ ] t", "<!--", "-->", "<p>", "a: 1", "+++", "- # f", ">", "  ```", "x"]
    ),
    max_size=14,
).map("\n".join)  # fmt: skip


@given(
    st.one_of(ODD, LINES), st.sampled_from(["words", "- i", "# n", "```\nx\n```", "---", "|a|b|", "> q", "a\n\nb  "])
)
def test_any_text_is_read_and_the_laws_hold_for_every_address(text: str, new: str) -> None:
    source = Source.of_text(text, path="a.md")
    entries = outline(source)
    assert not isinstance(entries, Refusal)
    addresses = [entry.address for entry in entries]
    assert len(set(addresses)) == len(addresses)
    document = read_markdown(source)
    assert not isinstance(document, Refusal)
    items = [item_address(source, item) for item in document.items if item.paragraph is not None]
    spans = {entry.address: entry.span for entry in entries}
    for address in dict.fromkeys([*addresses, *(each for each in items if not each.endswith(":"))]):
        node = node_of(source, address)
        assert node.address == address
        assert node.span == spans.get(address, node.span)
        assert_laws(source, node, new)


def assert_laws(source: Source, node: Node, new: str) -> None:
    same = node.replace(source, node.own_text(source))
    assert isinstance(same, Proposal), (node.address, same)
    assert ChangeSet(same.splices).apply(source.text) == source.text
    made = [node.delete(source), node.replace(source, new)]
    made += [node.insert(source, new, where) for where in ("before", "after", "start", "end")]
    for proposal in made:
        if isinstance(proposal, Refusal):
            assert proposal.hint, node.address
            continue
        changes = ChangeSet(proposal.splices)
        assert changes.invert().apply(changes.apply(source.text)) == source.text
    assert node.carried(source) is not None


@pytest.mark.sweep
@table("size", [60, 1000, 100_000])
@table("unit", [">", "> ", "- ", "1. ", "* > ", "+   "])
def test_nesting_is_read_or_too_large_however_deep(unit: str, size: int) -> None:
    found = read_markdown(Source.of_text(f"{unit * size}x\n\n# After\n"))
    if isinstance(found, Refusal):
        assert found.kind == Kind.TOO_LARGE
        assert found.hint
    else:
        assert found.sections[-1].mark.text == "After"


@pytest.mark.sweep
@table(
    "text",
    ["[" * 100_000, "`" * 100_000, "*" * 100_000, "|" * 100_000 + "\n" + "|-" * 50_000, "<a " * 50_000, "\\" * 100_000,
     "[a](" * 30_000, "# " + "_a" * 50_000, "# " + " >" * 50_000, "# " + " " * 100_000 + "x {#", "&" * 100_000,
     "- " + "a\n" * 20_000, "# a\n" * 3000, "- a\n" * 3000, "a ^x\n\n" * 3000, "\r" * 100_000, "---\n" + "a\n" * 9_000],
    ids=range(17),
)  # fmt: skip
def test_long_runs_of_one_thing_end(text: str) -> None:
    source = Source.of_text(text, path="a.md")
    assert not isinstance(outline(source), Refusal)
    for address in ("heading:nothing like it", "block:nothing like it", "heading[1]:a"):
        target = parse_address(address)
        assert isinstance(target, Addressed)
        target.resolve(source)
