"""`editFile`: four ways to find a text, what is kept of a call that fails, and what the answer says then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from tests.table import table
from tests.tools.ground import make, tree

SECTION = """<section class="services">
  <h2 class="title">Our Services</h2>
  <p>We bake bread every morning, and cakes.</p>
  <p>Come and see us at the market place.</p>
  <a href="/contact">Contact us today</a>
</section>
"""


def operation(search: str, replace: str, **fields: object) -> dict[str, object]:
    return {"search": search, "replace": replace, **fields}


def call(kit: sh.Kit, *operations: dict[str, object], file: str = "a.html", **fields: object) -> dict[str, Any]:
    return kit.call("editFile", {"file": file, "operations": list(operations), **fields})


def site(root: Path, text: str, file: str = "a.html", **options: Any) -> sh.Kit:
    return make(root, {file: text}, **options).tools("site")


def page(root: Path, file: str = "a.html") -> str:
    return tree(root)[file].decode()


# What must not happen.


def test_a_text_in_several_places_is_not_replaced_in_one_of_them(tmp_path: Path) -> None:
    kit = site(tmp_path, "<b>x</b>\n<b>x</b>\n<b>x</b>\n", policy=sh.Policy(occurrence="first", partial=True))
    answer = call(kit, operation("x", "y"))
    assert (answer["success"], answer["kind"], answer["details"]["total"]) == (False, "ambiguous-match", 3)
    assert answer["bestMatch"] == {"text": "x", "similarity": 1.0, "line": 1}
    assert [each["lines"][0] for each in answer["details"]["candidates"]] == [1, 2, 3]
    assert page(tmp_path).count("x") == 3


@table(
    ("search", "shown"),
    [
        ("<b>Red and green and blue</b>", "<b>Red and green and blu3</b>"),
        ("<b>two</b>", "<b>two</b>"),
    ],
)
def test_a_place_is_shown_once(search: str, shown: str, tmp_path: Path) -> None:
    kit = site(tmp_path, "<b>Red and green and blu3</b>\n<b>two</b>\n<b>two</b>\n<i>x</i>\n")
    answer = call(kit, operation(search, "<i>x</i>"))
    assert answer["success"] is False
    rows = [row for row in answer["message"].split("\n") if shown in row and "searched for" not in row]
    offered = answer["details"].get("candidates", ())
    assert (len(rows), len(offered)) == ((1, 0) if shown != search else (0, 2)), answer["message"]


@table("expected", [1, 2, 4])
def test_another_number_of_places_than_expected_is_refused_with_the_number(expected: int, tmp_path: Path) -> None:
    before = "<b>x</b>\n<b>x</b>\n<b>x</b>\n"
    answer = call(site(tmp_path, before), operation("x", "y", expectedReplacements=expected))
    assert (answer["success"], answer["kind"], answer["details"]["total"]) == (False, "count-mismatch", 3)
    assert page(tmp_path) == before


SEVERAL = [
    ("by its words", "foo(a,\n    b,\n    c)\nbar()\nfoo(a,\n    b,\n    c)\n", "foo(a, b, c)", "a.js"),
    ("by likeness", SECTION + SECTION, SECTION.replace("morning, and", "morning and"), "a.html"),
]


@table(("before", "search", "file"), [row[1:] for row in SEVERAL], ids=[row[0] for row in SEVERAL])
@table("fields", [{}, {"expectedReplacements": 2}])
def test_a_text_that_is_there_only_roughly_is_never_replaced_in_several_places(
    before: str, search: str, file: str, fields: dict[str, object], tmp_path: Path
) -> None:
    answer = call(site(tmp_path, before, file), operation(search, "x", **fields), file=file)
    assert answer["success"] is False
    assert answer["kind"] in ("no-match", "ambiguous-match", "count-mismatch")
    assert page(tmp_path, file) == before


def test_a_place_that_is_not_like_enough_is_shown_and_not_changed(tmp_path: Path) -> None:
    search = SECTION.replace(
        "We bake bread every morning, and cakes.", "Bread, rolls, cakes, and the rest, all day long"
    )
    search = search.replace("Come and see us at the market place.", "Nothing of this is anywhere in that file at all")
    answer = call(site(tmp_path, SECTION), operation(search, search.replace("/contact", "/kontakt")))
    assert (answer["success"], answer["kind"]) == (False, "no-match")
    assert answer["bestMatch"]["line"] == 1
    assert 0.5 < answer["bestMatch"]["similarity"] < 0.85
    assert page(tmp_path) == SECTION


def test_a_line_quoted_wrongly_is_handed_back_as_it_is(tmp_path: Path) -> None:
    kit = site(tmp_path, SECTION)
    answer = call(kit, operation('<h2 class="titel">Our Services</h2>', "<h2>Services</h2>"))
    assert (answer["success"], answer["kind"], answer["suggestedTool"]) == (False, "no-match", "readFile")
    best = answer["bestMatch"]
    assert best == {"text": '<h2 class="title">Our Services</h2>', "similarity": best["similarity"], "line": 2}
    assert best["similarity"] > 0.95
    assert len(answer["error"].split("\n")) <= 15
    assert call(kit, operation(best["text"], "<h2>Services</h2>"))["success"] is True


def test_what_is_already_there_is_said_to_be(tmp_path: Path) -> None:
    kit = site(tmp_path, SECTION)
    old, new = "<p>We bake bread every evening</p>\n<p>and rolls</p>", "\n".join(SECTION.split("\n")[2:4])
    answer = call(kit, operation(old, new))
    assert (answer["success"], answer["kind"]) == (False, "already-applied")
    assert "suggestedTool" not in answer


def test_half_of_a_construct_is_not_kept(tmp_path: Path) -> None:
    before = "function f() {\n  return 1;\n}\n"
    kit = site(tmp_path, before, "a.js")
    opening = operation("function f() {", "function f() {\n  if (x) {")
    answer = call(kit, opening, operation("return 2;", "return 2; }"), file="a.js")
    assert (answer["success"], answer["kind"]) == (False, "no-match")
    assert (answer["appliedCount"], answer["failedIndex"]) == (0, 1)
    assert call(kit, opening, file="a.js")["kind"] == "breaks-syntax"
    assert page(tmp_path, "a.js") == before
    assert call(kit, opening, operation("return 1;", "return 1; }"), file="a.js")["success"] is True


def test_of_a_file_with_secrets_nothing_is_shown(tmp_path: Path) -> None:
    kit = site(tmp_path, "KEY=abcdefgh\nOTHER=1\n", ".env", allow=[".env"])
    wrong = call(kit, operation("KEY=abcdefgx", "x"), file=".env")
    assert wrong["success"] is False
    assert "bestMatch" not in wrong
    assert "abcdefgh" not in str(wrong)
    right = call(kit, operation("OTHER=1", "OTHER=2"), file=".env")
    assert right["success"] is True
    assert right["leftOut"]
    assert "abcdefgh" not in str(right)


def test_a_call_that_is_taken_back_changes_nothing(tmp_path: Path) -> None:
    kit = site(tmp_path, SECTION)
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        if ticks > 2:
            raise EditError(Kind.CANCELLED, "taken back")

    operations = [operation("Services", "x"), operation("bread", "y"), operation("market", "z")]
    answer = kit.call("editFile", {"file": "a.html", "operations": operations}, tick=tick)
    assert (answer["success"], answer["kind"]) == (False, "cancelled")
    assert page(tmp_path) == SECTION


# What must.

TIERS = [
    ("exact", "a.html", SECTION, operation("Our Services", "$& \\1 %s"), SECTION.replace("Our Services", "$& \\1 %s")),
    (
        "exact",
        "a.html",
        "<p>one</p>\r\n<p>two</p>\r\n<p>three</p>\n",
        operation("<p>one</p>\n<p>two</p>", "<p>1</p>\n<p>2</p>"),
        "<p>1</p>\r\n<p>2</p>\r\n<p>three</p>\n",
    ),
    (
        "whitespace",
        "a.html",
        "<ul>\n\t<li>one</li>  \n</ul>\n",
        operation("<ul>\n  <li>one</li>\n</ul>", "<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>"),
        "<ul>\n\t<li>one</li>  \n\t<li>two</li>\n</ul>\n",
    ),
    (
        "whitespace",
        "a.html",
        "<p>It’s “fine”</p>\n<p>x</p>\n",
        operation('<p>It\'s "fine"</p>\n<p>x</p>', '<p>It\'s "fine"</p>\n<p>y</p>'),
        "<p>It’s “fine”</p>\n<p>y</p>\n",
    ),
    (
        "whitespace",
        "a.html",
        "<p>one</p>\n<p>two</p>\n",
        operation("1: <p>one</p>\n2: <p>two</p>", "1: <p>one</p>\n2: <p>zwei</p>"),
        "<p>one</p>\n<p>zwei</p>\n",
    ),
    (
        "token",
        "a.js",
        "foo(a,\n    b,\n    c)\n",
        operation("foo(a, b, c)", "foo(a, b, d)"),
        "foo(a,\n    b,\n    d)\n",
    ),
    (
        "token",
        "a.html",
        SECTION,
        operation(
            '<section class="services">\n  <h2 class="title">Our Services</h2>\n  <!-- ... existing code ... -->\n'
            '  <a href="/contact">Contact us today</a>',
            '<section class="services">\n  <h2 class="title">What we do</h2>\n  <!-- ... existing code ... -->\n'
            '  <a href="/contact">Contact us today</a>',
        ),
        SECTION.replace("Our Services", "What we do"),
    ),
    (
        "fuzzy",
        "a.html",
        SECTION,
        operation(
            SECTION.replace("morning, and cakes", "morning and cake"),
            SECTION.replace("morning, and cakes", "morning and cake").replace("/contact", "/kontakt"),
        ),
        SECTION.replace("/contact", "/kontakt"),
    ),
]


@table(("tier", "file", "before", "asked", "after"), TIERS)
def test_a_text_is_found_at_its_tier_and_what_it_repeats_keeps_its_bytes(
    tier: str, file: str, before: str, asked: dict[str, object], after: str, tmp_path: Path
) -> None:
    answer = call(site(tmp_path, before, file), asked, file=file)
    assert (answer["success"], answer["matchTiers"]) == (True, [tier]), answer
    assert page(tmp_path, file) == after
    assert answer["content"] == after
    if tier == "exact" and "\r" not in before:
        assert "tolerated" not in answer
    else:
        (said,) = answer["tolerated"]
        assert (said["index"], bool(said["differs"])) == (0, True)
        assert 0 < said["similarity"] <= 1


def test_a_line_that_is_to_change_and_was_misquoted_takes_the_new_text(tmp_path: Path) -> None:
    search = SECTION.replace("every morning", "evry morning").replace("Come and see", "Come & see")
    kit = site(tmp_path, SECTION)
    answer = call(kit, operation(search, search.replace("We bake bread evry morning, and cakes.", "We bake rolls.")))
    assert (answer["success"], answer["matchTiers"]) == (True, ["fuzzy"]), answer
    assert answer["tolerated"][0]["similarity"] >= 0.85
    assert page(tmp_path) == SECTION.replace("We bake bread every morning, and cakes.", "We bake rolls.")


MISSPELT = [
    ("a.html", "<p>One</p>\n<p>Other text three</p>\n", "<p>Other text hree</p>", "<p>Other text 3</p>"),
    ("a.css", ".head { color: red; }\n.foot { color: blue; }\n", ".foot { colour: blue; }", ".foot { color: green; }"),
    ("a.html", '<a  href="x"  class="b">t</a>\n<p>One</p>\n', '<a href="x" class="b" >t</a>', '<a href="y">t</a>'),
]


@table(("file", "before", "search", "replace"), MISSPELT)
def test_a_unique_place_that_is_misspelt_in_the_search_takes_the_new_text(
    file: str, before: str, search: str, replace: str, tmp_path: Path
) -> None:
    answer = call(site(tmp_path, before, file), operation(search, replace), file=file)
    assert (answer["success"], answer["matchTiers"]) == (True, ["fuzzy"]), answer
    assert replace in page(tmp_path, file).splitlines()
    assert len(page(tmp_path, file).splitlines()) == len(before.splitlines())


@table(
    ("line", "search"),
    [
        ("<p>Open 10 to 6, all days</p>", "<p>Open 10 to 5, all days</p>"),  # another number
        ("<p>Our shops open again</p>", "<p>Our shop open again</p>"),  # another word
        ("<p>Take the left road today</p>", "<p>Take the right road today</p>"),
        ('<p class="note">Hello there</p>', '<p class="mote">Hello there</p>'),  # another literal
        ("<p>The form is below</p>\n<i>from</i>", "<p>The from is below</p>"),  # a word that the file has
    ],
)
def test_a_line_that_says_something_else_is_not_overwritten(line: str, search: str, tmp_path: Path) -> None:
    before = f"<h1>Page</h1>\n{line}\n<hr>\n"
    for lines in ("{}", "<h1>Page</h1>\n{}\n"):
        answer = call(site(tmp_path, before), operation(lines.format(search), lines.format("<p>New</p>")))
        assert answer["success"] is False, answer
        assert page(tmp_path) == before


def test_a_misspelt_line_that_may_be_one_of_two_is_not_replaced(tmp_path: Path) -> None:
    before = "<p>Other text three</p>\n<p>Other text threw</p>\n"
    answer = call(site(tmp_path, before), operation("<p>Other text thre</p>", "<p>New</p>"))
    assert answer["success"] is False, answer
    assert page(tmp_path) == before


def test_as_many_places_as_expected_are_replaced_also_but_for_blanks(tmp_path: Path) -> None:
    kit = site(tmp_path, "<b>x</b>\n  <i>z</i>  \n  <u>q</u>\n<b>x</b>\n\t<i>z</i>\n\t<u>q</u>\n")
    answer = call(
        kit,
        operation("x", "$1", expectedReplacements=2),
        operation("<i>z</i>\n<u>q</u>\n", "<i>z</i>\n<u>r</u>\n", expectedReplacements=2),
    )
    assert (answer["success"], answer["matchTiers"]) == (True, ["exact", "whitespace"]), answer
    assert page(tmp_path) == "<b>$1</b>\n  <i>z</i>  \n  <u>r</u>\n<b>$1</b>\n\t<i>z</i>\n\t<u>r</u>\n"


def test_each_operation_sees_the_text_that_the_ones_before_it_left(tmp_path: Path) -> None:
    kit = site(tmp_path, "<p>one</p>\n")
    answer = call(kit, operation("one", "one two"), operation("two", "two three"), operation("<p>one", "<p>1"))
    assert (answer["success"], answer["matchTiers"]) == (True, ["exact"] * 3), answer
    assert page(tmp_path) == "<p>1 two three</p>\n"


def test_what_comes_before_a_failed_operation_is_kept_and_what_comes_behind_is_not_tried(tmp_path: Path) -> None:
    kit = site(tmp_path, SECTION)
    answer = call(
        kit,
        operation("Our Services", "Services", reason="shorter"),
        operation("/contact", "/kontakt"),
        operation("<p>We make bread every day.</p>", "<p>x</p>", reason="bread only"),
        operation("market", "harbour"),
        reason="German",
    )
    after = SECTION.replace("Our Services", "Services").replace("/contact", "/kontakt")
    assert page(tmp_path) == after
    assert answer["success"] == "partial"
    assert (answer["file"], answer["content"], answer["matchTiers"]) == ("a.html", after, ["exact", "exact"])
    assert (answer["appliedCount"], answer["failedIndex"], answer["kind"]) == (2, 2, "no-match")
    assert set(answer["bestMatch"]) == {"text", "similarity", "line"}
    assert answer["error"]
    assert answer["hint"]
    assert answer["details"]["index"] == 2
    (entry,) = kit.workspace.history()
    (change,) = entry.record.files
    assert (entry.record.id, entry.record.tool) == (answer["id"], "editFile")
    assert [edit.reason for edit in change.edits] == ["shorter", "German"]
    assert [(edit.reason, edit.kind) for edit in change.left] == [("bread only", "no-match")]
    kit.workspace.undo(answer["id"])
    assert page(tmp_path) == SECTION


def test_operations_that_touch_each_other_fail_in_order_too(tmp_path: Path) -> None:
    kit = site(tmp_path, "<p>one</p>\n")
    answer = call(kit, operation("one", "two"), operation("two", "three"), operation("two", "four"))
    assert (answer["success"], answer["appliedCount"], answer["failedIndex"]) == ("partial", 2, 2)
    assert page(tmp_path) == "<p>three</p>\n"


def fail(kit: sh.Kit, file: str = "a.html") -> dict[str, Any]:
    return call(kit, operation("<p>We make shoes by hand.</p>", "<p>x</p>"), file=file)


def test_the_second_failure_in_a_row_on_a_file_advises_to_write_it_whole(tmp_path: Path) -> None:
    workspace = make(tmp_path, {"a.html": SECTION, "b.html": SECTION})
    kit = workspace.tools("site")
    assert [fail(kit)["suggestedTool"], fail(kit, "b.html")["suggestedTool"]] == ["readFile", "readFile"]
    second = fail(kit, "./a.html")
    assert (second["suggestedTool"], second["consecutiveFailures"]) == ("writeFiles", 2)
    assert fail(workspace.tools("site"))["consecutiveFailures"] == 1  # another conversation


ELEMENT = {"selector": "a", "action": "remove"}
RESETS: list[tuple[str, Callable[[sh.Kit], dict[str, Any]]]] = [
    ("editFile", lambda kit: call(kit, operation("Our", "My"))),
    ("editDOM", lambda kit: kit.call("editDOM", {"file": "a.html", "operations": [ELEMENT]})),
    ("writeFiles", lambda kit: kit.call("writeFiles", {"files": [{"file": "a.html", "content": f"{SECTION}<hr>"}]})),
]


@table("succeed", [row[1] for row in RESETS], ids=[row[0] for row in RESETS])
def test_a_success_forgets_the_failures_before_it(succeed: Callable[[sh.Kit], dict[str, Any]], tmp_path: Path) -> None:
    kit = site(tmp_path, SECTION)
    kit.call("readFile", {"file": "a.html"})
    fail(kit)
    assert succeed(kit)["success"] is True
    assert fail(kit)["consecutiveFailures"] == 1
    partial = call(kit, operation("market", "harbour"), operation("<p>We make shoes by hand.</p>", "<p>x</p>"))
    assert (partial["success"], partial["consecutiveFailures"]) == ("partial", 2)


def test_a_file_that_changes_under_the_call_is_looked_at_again(tmp_path: Path) -> None:
    kit = site(tmp_path, SECTION)
    changes = iter([SECTION.replace("Our Services", "Your Services")])

    def tick() -> None:
        for text in changes:
            (tmp_path / "a.html").write_text(text)

    operations = [operation("market", "harbour"), operation("Our Services", "My Services"), operation("bread", "rolls")]
    answer = kit.call("editFile", {"file": "a.html", "operations": operations}, tick=tick)
    assert (answer["success"], answer["appliedCount"], answer["failedIndex"]) == ("partial", 1, 1)
    assert page(tmp_path) == SECTION.replace("market", "harbour").replace("Our Services", "Your Services")


def test_a_refused_call_is_in_the_journal_once_there_is_one(tmp_path: Path) -> None:
    kit = site(tmp_path, SECTION)
    call(kit, operation("Our", "My"))
    fail(kit)
    (note,) = kit.workspace._store.journal.notes(type="refusal")
    assert (note.body["tool"], note.body["path"], note.body["kind"]) == ("editFile", "a.html", "no-match")
    assert note.body["call"]["conversation"] == kit.conversation.id
