"""Every repair by its own examples, and that none of them takes away what was meant."""

from __future__ import annotations

import html
import json

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.match.tier import Repair, RepairChain, Repaired, RepairExample, repair_chains, repairs
from tests.table import table

LEFT = [(repair, example) for repair in repairs() for example in repair.leaves]
REPAIRED = [(repair, example) for repair in repairs() for example in repair.examples]
GUTTERS = ["{}| ", "{}|", "{}\t", "{:>6}\t", "{:>5}→", "{}: ", "{:>4} | ", "{:<4}| ", "{} │ "]


def named(value: object) -> str | None:
    return value.name if isinstance(value, Repair) else None


def the(name: str) -> Repair:
    return next(repair for repair in repairs() if repair.name == name)


def tried(old: str, new: str) -> list[tuple[str, str]]:
    return [(chain.old, chain.new) for chain in repair_chains(old, new)]


@table(("repair", "example"), LEFT, ids=named)
def test_a_repair_leaves_what_does_not_clearly_have_its_shape(repair: Repair, example: RepairExample) -> None:
    assert repair.apply(example.old, example.new) is None


@table(
    ("old", "new"),
    [
        ("", ""),
        ("", "a"),
        ("a", ""),
        ("x = 1\ny = 2\n", "x = 1\ny = 3\n"),
        ("-a\n+b\n c", "-a\n+d\n c"),
        ("+a\n+b", "+a\n+c"),
        ("1. first\n2. second", "1. first\n2. third"),
        ("10 PRINT\n20 GOTO 10", "10 PRINT\n20 END"),
        ("200: OK\n404: Not Found", "200: OK\n500: Error"),
        ("12:30 lunch", "12:45 lunch"),
        ("| 1 | a |\n| 2 | b |", "| 1 | a |\n| 2 | c |"),
        ("# \t is a tab", "# \\t is a tab"),
        ("<p>1 &lt; 2</p>", "<p>1 &lt; 3</p>"),
        ("a && b", "a &amp;&amp; b"),
        (r"re.compile('\d+')", r"re.compile('\w+')"),
        (r"C:\dir", r"D:\dir"),
        ('say("a\\"b")', 'say("a\\"c")'),
        ("a ``` b", "a ``` c"),
    ],
)
def test_nothing_is_tried_for_texts_without_a_shape(old: str, new: str) -> None:
    assert tried(old, new) == []


@table(("repair", "example"), REPAIRED, ids=named)
def test_a_repair_takes_its_shape_off_both_texts(repair: Repair, example: RepairExample) -> None:
    assert example.repaired_old is not None
    assert example.repaired_new is not None
    assert repair.apply(example.old, example.new) == Repaired(example.repaired_old, example.repaired_new)


def test_the_repairs_are_loaded_in_this_order() -> None:
    assert [(repair.rank, repair.name) for repair in repairs()] == [
        (10, "escapes"),
        (20, "Markdown fence"),
        (30, "blank lines"),
        (40, "line numbers"),
        (50, "escaped quotes"),
        (60, "doubled backslashes"),
        (70, "HTML entities"),
        (80, "diff signs"),
    ]


def test_every_repair_says_what_it_does_and_shows_it() -> None:
    for repair in repairs():
        assert repair.summary.endswith(".")
        assert repair.examples
        assert repair.leaves


def test_each_repair_is_tried_alone_and_then_all_that_apply_together() -> None:
    assert list(repair_chains("```\n\n7| a &lt; b\n```", "```\n\n7| a &gt; b\n```")) == [
        RepairChain(("Markdown fence",), "\n7| a &lt; b", "\n7| a &gt; b"),
        RepairChain(("HTML entities",), "```\n\n7| a < b\n```", "```\n\n7| a > b\n```"),
        RepairChain(("Markdown fence", "blank lines"), "7| a &lt; b", "7| a &gt; b"),
        RepairChain(("Markdown fence", "blank lines", "line numbers"), "a &lt; b", "a &gt; b"),
        RepairChain(("Markdown fence", "blank lines", "line numbers", "HTML entities"), "a < b", "a > b"),
    ]


def test_a_shape_that_only_a_later_repair_uncovers_is_taken_off_too() -> None:
    assert tried(r"```\na\n```", r"```\nb\n```")[-1] == ("a", "b")
    assert tried("```\na\\nb\n```", "```\na\\nc\n```")[-1] == ("a\nb", "a\nc")
    assert tried(r"7| a\n8| b", r"7| a\n8| c")[-1] == ("a\nb", "a\nc")


def test_no_text_is_unescaped_twice() -> None:
    assert tried("a &amp;lt; b", "a &amp;gt; b") == [("a &lt; b", "a &gt; b")]
    assert (r"a\\", r"b\\") not in tried(r"a\\\\\\\\", r"b\\\\\\\\")


# Lines of ordinary text: none begins with a number, none is a fence, and quotes come in pairs.
words = st.sampled_from(
    [
        "a",
        "b = 1",
        "  c()",
        "    d",
        "\te",
        "f('x')",
        'g("y")',
        "h < 2",
        "i && j",
        "-> k",
        r"m('\n')",
        r'n("\d")',
        "o: 3",
    ]
)
bodies = st.lists(words, min_size=1, max_size=5).map("\n".join)
shapes = st.sampled_from(
    ["", "```", "```py", "7| ", "8\t", "\\n", '\\"', "\\\\", "&lt;", "\n", " ", "a", '"', "'", "<"]
)
shapely = st.lists(shapes, max_size=10).map("".join)


def numbered(text: str, gutter: str, first: int) -> str:
    return "\n".join(gutter.format(first + row) + line for row, line in enumerate(text.split("\n")))


@given(shapely, shapely)
def test_what_is_tried_is_the_same_each_time_never_twice_and_never_the_text_itself(old: str, new: str) -> None:
    found = list(repair_chains(old, new))
    assert found == list(repair_chains(old, new))
    assert len({(chain.old, chain.new) for chain in found}) == len(found) <= 8
    assert all(chain.old not in ("", old) for chain in found)
    assert all(len(set(chain.names)) == len(chain.names) for chain in found)


@given(bodies, bodies, st.sampled_from(["", "py", "c++ x=1"]), st.sampled_from(["```", "~~~~"]))
def test_a_fence_comes_off_and_leaves_the_text(old: str, new: str, info: str, marks: str) -> None:
    fenced = [f"{marks}{info}\n{text}\n{marks}" for text in (old, new)]
    assert the("Markdown fence").apply(*fenced) == Repaired(old, new)
    assert the("Markdown fence").apply(fenced[0], new) == Repaired(old, new)
    assert the("Markdown fence").apply(old, fenced[1]) is None


@given(bodies, bodies, st.integers(1, 120), st.sampled_from(GUTTERS))
def test_line_numbers_come_off_both_texts_alike(old: str, new: str, first: int, gutter: str) -> None:
    repaired = the("line numbers").apply(numbered(old, gutter, first), numbered(new, gutter, first))
    assert repaired is None or repaired == Repaired(old, new) or is_shifted(repaired, Repaired(old, new))


def is_shifted(repaired: Repaired, meant: Repaired) -> bool:
    """Whether every line of both texts has one blank more, or one less, than was meant."""
    pairs = list(
        zip(f"{repaired.old}\n{repaired.new}".split("\n"), f"{meant.old}\n{meant.new}".split("\n"), strict=True)
    )
    return all(mine == f" {other}" for mine, other in pairs) or all(f" {mine}" == other for mine, other in pairs)


@given(bodies, bodies, st.integers(1, 120), st.sampled_from(GUTTERS))
def test_a_new_text_without_line_numbers_stays_as_it_is(old: str, new: str, first: int, gutter: str) -> None:
    repaired = the("line numbers").apply(numbered(old, gutter, first), new)
    assert repaired is None or repaired.new == new


@given(bodies, bodies)
def test_the_inside_of_a_string_is_read_once_or_left(old: str, new: str) -> None:
    inside = [json.dumps(text)[1:-1] for text in (old, new)]
    assert the("escapes").apply(*inside) in (None, Repaired(old, new))
    if "\n" in old and "\\" not in old + new:
        assert the("escapes").apply(*inside) == Repaired(old, new)


@given(bodies, bodies, st.sampled_from(['"', "'"]))
def test_quotes_lose_their_backslash_or_are_left(old: str, new: str, quote: str) -> None:
    escaped = [text.replace(quote, f"\\{quote}") for text in (old, new)]
    assert the("escaped quotes").apply(*escaped) in (None, Repaired(old, new))
    if quote in old and "\\" not in old + new:
        assert the("escaped quotes").apply(*escaped) == Repaired(old, new)


@given(bodies, bodies)
def test_entities_are_read_once(old: str, new: str) -> None:
    escaped = [html.escape(text) for text in (old, new)]
    expected = Repaired(old, new) if escaped[0] != old else None
    assert the("HTML entities").apply(*escaped) == expected
    assert the("HTML entities").apply(escaped[0], new) in (None, Repaired(old, new))


@given(bodies, bodies, st.integers(0, 3), st.integers(0, 3))
def test_blank_lines_around_both_texts_come_off(old: str, new: str, head: int, tail: int) -> None:
    before, after = ("\n" * head + text + "\n" * (tail + 1) for text in (old, new))
    is_beyond = before != after and ((head and after.endswith(before)) or (tail and after.startswith(before)))
    expected = Repaired(f"{old}\n", f"{new}\n") if head + tail and not is_beyond else None
    assert the("blank lines").apply(before, after) == expected


@given(bodies, bodies, st.sampled_from("+-"))
def test_signs_come_off_both_texts_or_are_left(old: str, new: str, sign: str) -> None:
    repaired = the("diff signs").apply(signed(old, "-"), signed(new, sign))
    assert repaired in (None, Repaired(old, new))
    assert the("diff signs").apply(signed(old, "-"), new) is None
    assert the("diff signs").apply(old, signed(new, "+")) is None


@given(bodies, bodies, bodies)
def test_lines_that_stay_lose_their_blank_with_the_signs(kept: str, old: str, new: str) -> None:
    before, after = f"{signed(kept, ' ')}\n{signed(old, '-')}", f"{signed(kept, ' ')}\n{signed(new, '+')}"
    assert the("diff signs").apply(before, after) in (None, Repaired(f"{kept}\n{old}", f"{kept}\n{new}"))


def signed(text: str, sign: str) -> str:
    return "\n".join(sign + line for line in text.split("\n"))


@given(bodies, bodies, st.sampled_from([repair.name for repair in repairs()]))
def test_ordinary_text_is_never_changed_by_a_repair_of_another_shape(old: str, new: str, name: str) -> None:
    assert "\\" in old or the(name).apply(old, new) is None
