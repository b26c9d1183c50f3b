"""Places that a tier finds and nobody should believe, and those beside them that are fine."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import steadyhand as sh
from steadyhand.plan.edit import Replace
from steadyhand.plan.match_checks import is_telling
from tests.checks import check_edit, check_refused
from tests.table import table

STORE = "def save(item):\n    # twofold\n    check(item)\n    store(item)\n    return item\n"


def test_an_edit_that_was_made_is_not_made_again_at_a_place_like_it() -> None:
    """Alone, the place that is like the old text is taken; beside one that says what is wanted it is not."""
    new = "def save(item):\n    # twice\n    check(item)\n    store(item, 2)\n    return item\n"
    old = new.replace("store(item, 2)", "store(item)")
    check_edit(STORE, Replace(old, new), STORE.replace("store(item)", "store(item, 2)"), path="a.py")
    check_refused(new + "\n\n" + STORE, Replace(old, new), "no-match", path="a.py")


def test_an_edit_that_was_made_is_not_made_twice_at_its_own_place() -> None:
    after = "def value(items):\n\treturn value\n\treturn fresh\n\tconsole('done...', config)\n"
    old = after.replace("\treturn fresh\n", "\n")
    check_refused(after, Replace(old, after), "already-applied", path="a.py")


def test_fences_that_the_file_has_around_the_place_were_quoted_and_are_no_accident() -> None:
    old, new = "```\nfoo( )\nbar()\n```\n", "```\nfoo( )\nbaz()\n```\n"
    check_edit("foo( )  \nbar()\n", Replace(old, new), "foo( )  \nbaz()\n", path="a.py")
    check_refused("x\n~~~\nfoo( )  \nbar()\n~~~\n", Replace(old, new), "no-match", path="a.md")


def test_a_line_quoted_with_some_of_its_indentation_may_be_another_with_less() -> None:
    text = "if a:\n    if b:\n        go()\n  go()\n"
    error = check_refused(text, Replace("    go()\n", "    stop()\n"), "ambiguous-match", path="a.py")
    assert [fact["lines"] for fact in error.details["candidates"]] == [[3, 3], [4, 4]]  # type: ignore[index, union-attr]


def test_the_caller_who_allows_only_literal_tiers_is_not_asked_about_other_indentations() -> None:
    text = "if b:\n        go()\n  go()\n"
    after = "if b:\n        stop()\n  go()\n"
    check_edit(text, Replace("    go()\n", "    stop()\n"), after, path="a.py", tier="exact")


SETUP = """\
def setup(app):
    app.name = "demo"
    app.debug = False
    app.logger = make_logger(app)
    app.cache = make_cache(app)
    # register everything now
    register(app)
    return app
"""
MISREMEMBERED = SETUP.replace("everything now", "all of it now")
ADDED = ("    register(app)\n", '    register(app)\n    log("ready")\n')


def over_escaped(text: str) -> str:
    return text.replace('"', '\\"')


def test_an_escaped_text_with_a_misremembered_line_does_not_bring_its_escapes_into_the_file() -> None:
    """Neither mistake alone stops the edit; together no step sees through both, and the escapes would be written."""
    check_refused(
        SETUP,
        Replace(over_escaped(MISREMEMBERED), over_escaped(MISREMEMBERED.replace(*ADDED))),
        "no-match",
        path="a.py",
    )
    check_edit(SETUP, Replace(MISREMEMBERED, MISREMEMBERED.replace(*ADDED)), SETUP.replace(*ADDED), path="a.py")
    check_edit(
        SETUP, Replace(over_escaped(SETUP), over_escaped(SETUP.replace(*ADDED))), SETUP.replace(*ADDED), path="a.py"
    )


PAGE = "<ul>\n  <li title='&quot;'>one</li>\n  <li>two</li>\n  <li>three of them</li>\n  <li>four of them</li>\n</ul>\n"


def test_entities_for_plain_signs_in_a_file_with_entities_of_its_own_are_not_written() -> None:
    quoted = PAGE.replace("<li>two</li>", "&lt;li&gt;two&lt;/li&gt;")
    longer = quoted.replace("four of them", "four &lt;b&gt;of&lt;/b&gt; them")
    check_refused(PAGE, Replace(quoted, longer), "no-match", path="a.html")
    plain = PAGE.replace("<li>two</li>", "<li>twice</li>")
    check_edit(
        PAGE,
        Replace(plain, plain.replace("four of them", "four of us")),
        PAGE.replace("four of them", "four of us"),
        path="a.html",
    )


def test_lines_that_are_as_quoted_where_one_came_between_are_not_meant_at_another_indentation() -> None:
    text = "if a {\n\tsend(b);\n\treturn limit;\n}\nif c {\n\td {\n\t\treturn limit;\n\t%s}\n}\n"
    edit = Replace("\t\treturn limit;\n\t}\n", "\t\treturn limit;\n\t\tmore();\n\t}\n")
    check_refused(text % "by_somebody();\n\t", edit, "no-match", path="a.js")
    alone = text[: text.index("if c")]
    check_edit(alone, edit, alone.replace("limit;\n", "limit;\n\tmore();\n"), path="a.js")


TWINS = """\
rows = read_rows(path, strict=True)
mode(1)
log.info("about to clean what was read from the path", path)
rows = clean_rows(rows, path)
store(sort_rows(rows))

rows = read_rows(path, strict=True)
mode(2)
rows = clean_rows(rows, path)
store(sort_rows(rows))
"""


def test_an_addition_that_was_made_is_not_made_again_where_less_is_in_between() -> None:
    new = TWINS[: TWINS.index("\n\n") + 1]
    old = "".join(line for line in new.splitlines(keepends=True) if not line.startswith("log"))
    check_refused(TWINS, Replace(old, new), "no-match", path="a.py")


@table(
    ("text", "expected"),
    [("", False), ("x = 1\n", False), ("\n\nx = 1\n\n", False), ("x = 1\ny = 2\n", True), ("x" * 30, True)],
)
def test_a_text_tells_something_that_is_not_there_by_chance(text: str, expected: bool) -> None:
    assert is_telling(text) is expected


METHOD = """\
class Cache:
    def load(self, name):
        value = self.cache.get(name)
        if value is None:
            value = self.read(name)
        return value
"""
LED = [
    (METHOD, "    def fetch(self, name):", "    def load(self, name):", "return value", "return copy(value)", "a.py"),
    ("web:\n  image: nginx\n  restart: always\n  ports:\n", "api:", "web:", "always", "never", "a.yaml"),
    (".string {\n  color: #ff0000;\n  style: normal;\n}\n", ".special {", ".string {", "normal", "italic", "a.css"),
]


@table(("text", "quoted", "head", "old", "new", "path"), LED, ids=[row[-1] for row in LED])
def test_what_is_led_in_under_an_unrelated_name_is_a_sibling(
    text: str, quoted: str, head: str, old: str, new: str, path: str
) -> None:
    quotation = text.replace(head, quoted).removeprefix("class Cache:\n")
    check_refused(text, Replace(quotation, quotation.replace(old, new)), "no-match", path=path)


@table("name", ["load_value", "loads", "loadItem", "load2"])
def test_a_name_that_is_only_misremembered_leads_to_the_right_place(name: str) -> None:
    quotation = METHOD.replace("def load(", f"def {name}(").removeprefix("class Cache:\n")
    after = METHOD.replace("return value", "return copy(value)")
    check_edit(METHOD, Replace(quotation, quotation.replace("return value", "return copy(value)")), after, path="a.py")


def test_a_condition_that_is_misremembered_leads_in_nothing_of_its_own() -> None:
    text = "if is_main(name):\n    prepare(name, 1)\n    argv.pop(0)\n    run(argv, name)\n    close(name)\n"
    quotation = text.replace("is_main(name)", "has_title(name)")
    after = text.replace("pop(0)", "pop(1)")
    check_edit(text, Replace(quotation, quotation.replace("pop(0)", "pop(1)")), after, path="a.py")


ROWS = ["open the first file", "  read all of it", "+ a row with a plus", "++    another", "++count;", "+= 5", "- item"]


@pytest.mark.parametrize("on_drift", ["refuse", "merge", "new"])
@given(st.lists(st.sampled_from(ROWS[:2] + ROWS[2:3]), min_size=2, max_size=4, unique=True), st.sampled_from(ROWS))
@example(ROWS[:2], "++    another")
@example(ROWS[:2], "++count;")
def test_a_row_added_with_the_sign_of_a_diff_is_added_without_it_or_refused(
    on_drift: Literal["refuse", "merge", "new"], rows: list[str], added: str
) -> None:
    """All rows of both texts have the column of a diff; what the added row begins with does not bring its sign in."""
    text = "".join(f"{row}\n" for row in [*rows, "the last one"])
    old = [f" {row}" for row in rows]
    edit = sh.Replace("\n".join(old), "\n".join([old[0], f"+{added}", *old[1:]]))
    meant = "".join(f"{row}\n" for row in [rows[0], added, *rows[1:], "the last one"])
    result = sh.edit(text, [edit], path="a.txt", policy=sh.Policy(on_drift=on_drift))
    assert result.text in (text, meant)
    offer = result.error.details.get("corrected") if result.error else None
    if isinstance(offer, dict):
        assert sh.edit(text, [offer], path="a.txt").text == meant


RAISED = '    """Raised when a type cannot be safely serialized."""\n'


@table("is_above", [True, False], ids=["the row above", "the row below"])
def test_a_row_parted_by_a_blank_line_is_another_where_the_quoted_neighbour_is_elsewhere_without_one(
    is_above: bool,
) -> None:
    """Alone, the place with a blank line more is taken; beside one whose row may have been changed it is not."""

    def rows(*some: str) -> str:
        return "".join(some if is_above else some[::-1])

    old, new = rows(RAISED, "    pass\n"), rows(RAISED, "    stop()\n")
    parted = "class A:\n" + rows(RAISED, "\n", "    pass\n")
    check_edit(parted, Replace(old, new), "class A:\n" + rows(RAISED, "\n", "    stop()\n"), path="a.py")
    changed = "\n\nclass B:\n" + rows(RAISED, "    go()\n")
    check_refused(parted + changed, Replace(old, new), "no-match", path="a.py")
    alone = "\n\nclass B:\n" + rows(RAISED, "\n", "    go()\n")
    after = "class A:\n" + rows(RAISED, "\n", "    stop()\n") + alone
    check_edit(parted + alone, Replace(old, new), after, path="a.py")
