"""What is around an edit of Markdown: links, tags, comments and tables are after it what they were before."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.plan.edit import Delete, Insert, Replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.structure.markdown.document import Document
from steadyhand.structure.markdown.heading import Heading
from steadyhand.structure.markdown.reader import known_markdown, read_markdown, view_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.structure.target import Addressed, parse_address
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.structure.markdown import not_found, refused, written
from tests.table import table

LINKS = (
    "# Log\n\n## 2 [new]\n\nsee [Old page][old]\n\n## 1\n\nfirst\n\n[new]: http://x/2\n[OLD]:\n  http://x/1 'a title'\n"
)
BOTH = "## 1\n\nnew\n\n[new]: a\n[old]: b\n"
FOLDED = "# R\n\n<details>\n<summary>More</summary>\n\n## In\n\ntext\n\n</details>\n\n## Out\n\nx\n"
HIDDEN = "# A\n\nx\n\n%%\n# no heading to its reader\n%%\n\ny\n\n# B\n"


@table(
    ("text", "address", "verb", "args"),
    [
        ("# A\n\n[x]: y\n\nwords\n\n# B\n\n[x]\n", "heading:A", "delete", ()),
        (FOLDED, "heading.own:R", "replace", ("new",)),
        (FOLDED, "heading.own:R", "delete", ()),
        (HIDDEN, "heading:A", "delete", ()),
        (HIDDEN, "heading:A", "replace", ("new",)),
        (HIDDEN, "heading:A", "insert", ("new", "end")),
        (HIDDEN.replace("%%", "$$"), "heading:A", "insert", ("new", "end")),
        (":::note\n\n# A\n\nx\n\n:::\n\ny\n", "heading:A", "delete", ()),
        ("{% if x %}\n\n# A\n\nx\n\n{% endif %}\n\ny\n", "heading:A", "delete", ()),
        ("{%- for a in b -%}\n# A\n\nx\n\n{%- endfor -%}\n\ny\n", "heading:A", "replace", ("new",)),
        ('{{< tabs "a" >}}\n\n# A\n\nx\n\n{{< /tabs >}}\n\ny\n', "heading:A", "delete", ()),
        ("{{% note %}}\n\n# A\n\nx\n\n{{% /note %}}\n\ny\n", "heading:A", "delete", ()),
        ("# A\n\n- b\n", "heading:A", "insert", ("    no code here", "end")),
        ("a | b\n--|--\n1 | 2\n", "table:0[0,1]", "replace", ("<!-- a",)),
        ("a | b\n--|--\n1 | 2\n", "table:0[0,1]", "replace", ("1. a",)),
        ("- a\n\tb\n\n\t\t\tcode\n", "code_block:0", "replace", ("x",)),
        ("```py\na\n```\n", "code_block:0", "replace", ("```js\nx\n```",)),
    ],
)
def test_what_would_change_something_else_is_refused(text: str, address: str, verb: str, args: tuple[str, ...]) -> None:
    refused(text, address, verb, *args)


@table(
    ("verb", "args", "after"),
    [
        ("delete", (), LINKS.replace("## 1\n\nfirst\n\n", "")),
        ("replace", ("new",), LINKS.replace("first", "new")),
        ("replace", (BOTH,), LINKS[: LINKS.index("## 1")] + BOTH),
    ],
)
def test_definitions_that_links_elsewhere_need_stay(verb: str, args: tuple[str, ...], after: str) -> None:
    assert written(LINKS, "heading:1", verb, *args) == after


def test_definitions_that_nothing_else_needs_go_with_their_section() -> None:
    text = "# A\n\nx\n\n# B\n\n[b]\n\n[b]: c\n"
    assert written(text, "heading:B", "delete") == "# A\n\nx\n"
    assert written(f"[b]: first\n\n{text}", "heading:B", "delete") == "[b]: first\n\n# A\n\nx\n"


@table(
    ("address", "verb", "args", "after"),
    [
        ("heading:In", "delete", (), FOLDED.replace("## In\n\ntext\n\n", "")),
        ("heading:In", "replace", ("new",), FOLDED.replace("text", "new")),
        ("heading:In", "replace", ("new\n\n</details>\n",), FOLDED.replace("text", "new")),
        ("heading:In", "insert", ("new", "end"), FOLDED.replace("text", "text\n\nnew")),
        ("heading:In", "insert", ("new", "after"), FOLDED.replace("</details>\n", "</details>\n\nnew\n")),
        ("heading:R", "delete", (), ""),
    ],
)
def test_a_tag_that_closes_what_was_opened_above_stays(
    address: str, verb: str, args: tuple[str, ...], after: str
) -> None:
    assert written(FOLDED, address, verb, *args) == after


COMMENTED = "# A\n\nx\n\n{/*\n## Old\n\ny\n*/}\n\n## B\n\nz\n"


def test_a_comment_of_mdx_is_opened_and_closed_by_the_same_edit() -> None:
    refused(COMMENTED, "heading:Old", "delete")
    refused(COMMENTED, "heading:Old", "insert", "new", "start")
    assert written(COMMENTED, "heading:A", "delete") == ""
    assert written(COMMENTED, "heading:B", "replace", "new") == COMMENTED.replace("z", "new")
    alone = COMMENTED.replace("\ny\n*/}", "\ny\n\n*/}")
    assert written(alone, "heading:Old", "delete").count("{/*\n") == written(alone, "heading:Old", "delete").count(
        "*/}"
    )


@table("ends", [("{% if a > b %}", "{% endif %}"), ("{{< tabs >}}", "{{< /tabs >}}"), ("{{% x %}}", "{{% /x %}}")])
def test_blocks_of_templates_stay_around_a_section(ends: tuple[str, str]) -> None:
    text = FOLDED.replace("<details>\n<summary>More</summary>", ends[0]).replace("</details>", ends[1])
    assert written(text, "heading:In", "delete") == text.replace("## In\n\ntext\n\n", "")
    assert written(text, "heading:In", "replace", "new") == text.replace("text", "new")
    assert written(text, "heading:In", "insert", "new", "end") == text.replace("text", "text\n\nnew")
    assert written(text, "heading:R", "delete") == ""
    refused(text, "heading.own:R", "delete")


@table("lone", ["{% include x %}", "{% endfor %}", "{{< figure src=a >}}", "{{< tabs />}}", "{{ a }}", "`{% if %}`"])
def test_a_tag_of_a_template_without_its_other_end_holds_nothing_up(lone: str) -> None:
    text = f"# A\n\n{{{{< tabs >}}}}\n\n{{{{< /tabs >}}}}\n\n# B\n\n{lone}\n\n# C\n\n{{% if y %}}{{% endif %}}\n"
    assert lone not in written(text, "heading:B", "delete")


@table("lone", ["a <T> b", "<p>x", "</b>", "`</details>`", "<br>", "<!-- </details> -->", "%%"])
def test_a_tag_without_its_other_end_holds_nothing_up(lone: str) -> None:
    text = f"# A\n\n<details>\n\n</details>\n\n# B\n\n{lone}\n\n# C\n\n<details></details>\n"
    assert lone not in written(text, "heading:B", "delete")


def test_a_heading_put_behind_a_table_is_no_row_of_it() -> None:
    text = "# A\n# B\n| x |\n|---|\n| a |\n# C\n"
    assert written(text, "table:0", "insert", "text\n---\n", "after") == text.replace("# C", "\ntext\n---\n# C")


def test_two_quotes_do_not_become_one() -> None:
    text = "> a\n# H\n> [!note] b\n"
    assert written(text, "heading.line:H", "delete") == "> a\n\n> [!note] b\n"
    assert written("> # H\n> b\n", "heading.line:H", "delete") == "> b\n"


def test_a_byte_order_mark_stays_the_first_character() -> None:
    assert written("\ufeff# A\n", "heading:A", "insert", "x", "before") == "\ufeffx\n\n# A\n"
    assert written("\ufeff- a\n- b\n", "block:a", "delete") == "\ufeff- b\n"
    assert written("\ufeff---\na: 1\n---\n\nx\n", "front_matter:", "delete") == "\ufeffx\n"


def test_the_address_of_a_hint_names_one_place() -> None:
    text = "# A\n\n## Notes\n\n- milk\n- milk\n\n## Notes\n\n| a |\n|---|\n| b |\n"
    source = Source.of_text(text, path="notes.md")
    for address in ("heading:Note", "block:mlik", "table:3", "table:0[c]", "table:0[1,q]"):
        refusal = not_found(text, address)
        near = list(refusal.details["nearest"] or refusal.details["available"])  # type: ignore[call-overload]
        assert near
        for each in (near[0], *near, *[refusal.hint.removeprefix("send ")] * refusal.hint.startswith("send ")):
            target = parse_address(each)
            assert isinstance(target, Addressed)
            found = target.resolve(source)
            assert not isinstance(found, Refusal), each
            assert len(found) == 1


LINES = st.lists(
    st.sampled_from(
        ["# a", "## a", "- b", "  - c", "1. d", "2. e", "> q", "> # e", "```", "~~~ x", "    i", "\ti", "---", "===",
         "", "", "", "", "|a|b|", "|-|-|", "w ^n", "- [ ] t", "<!--", "-->", "<p>", "+++", "- # f", ">", "  ```", "x",
         "y", "[a]: b", "[a]", "<div>", "</div>", "* * *", "a | b", "--|--", "\ufeff", "</pre>", "<pre>"]
    ),
    max_size=60,
)  # fmt: skip


@given(LINES, LINES.map(lambda lines: lines[:6]), st.data(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_the_rows_around_a_change_tell_what_the_whole_text_tells(
    lines: list[str], new: list[str], data: st.DataObject, ending: str
) -> None:
    first = data.draw(st.integers(0, len(lines)))
    end = data.draw(st.integers(first, len(lines)))
    # Rows are read alone where they are not most of the text.
    far = ["", "p", "", "p", "", "p", "", "p", "", "f" * 5000]
    source = Source.of_text("".join(line + ending for line in (*lines, *far)), path="a.md")
    span = Span(source.table.start(first), source.table.start(end))
    proposal = Proposal.of(source, (span, "".join(line + ending for line in new)))
    seen = view_of(source, proposal)
    whole = read_markdown(Source.of_text(ChangeSet(proposal.splices).apply(source.text)))
    assert not isinstance(seen, Refusal)
    assert not isinstance(whole, Refusal)
    was = report_of(known_markdown(source))
    near, now = report_of(seen.before, seen.row), report_of(seen.after, seen.row)
    stop, delta = seen.row + seen.before.count, seen.after.count - seen.before.count
    assert near == [one for one in was if seen.row <= one.row < stop]
    rest = [one.moved(delta) for one in was if one.row >= stop]
    if rest and now[-3:] != [one.moved(delta) for one in near[-3:]]:
        return  # the last parts are read otherwise: such a change is refused, whatever is behind them
    assert report_of(whole) == [*(one for one in was if one.row < seen.row), *now, *rest]


class Report(NamedTuple):
    """A leaf as a test compares it."""

    row: int
    size: int
    kind: str
    around: str

    def moved(self, delta: int) -> Report:
        return self._replace(row=self.row + delta)


def report_of(document: Document, row: int = 0) -> list[Report]:
    around = ["/".join(one.kind for one in document.chain(number)) for number in range(len(document.containers))]
    return [
        Report(mark.first + row, mark.end - mark.first, mark.kind, around[mark.container]) for mark in document.marks
    ]


def test_the_same_edit_of_many_places_is_proved_together() -> None:
    text = "# N\n\n- a\n\n# N\n\n```\nx\n```\n\n# N\n"
    policy = Policy(guards=frozenset())
    made = edit(text, Insert(Heading("N"), "- z\n", where="end", occurrence="all"), path="a.md", policy=policy)
    assert made.text == "# N\n\n- a\n- z\n\n# N\n\n```\nx\n```\n\n- z\n\n# N\n\n- z\n"
    made = edit(text, Replace(Heading("N", part="line"), "M", occurrence="all"), path="a.md", policy=policy)
    assert made.text == text.replace("N", "M")
    made = edit(text, Delete(Heading("N", part="line"), occurrence="all"), path="a.md", policy=policy)
    assert made.text == "- a\n\n```\nx\n```\n"
