"""The corrected call: what is never offered, what is, and that sending it changes that place and no other."""

from __future__ import annotations

import random
import re

from steadyhand.errors import EditError
from steadyhand.match.resolve import Nothing
from steadyhand.plan.absent import Absence, correct
from steadyhand.plan.edit import Delete, Edit, Insert, Old, Replace, edit_from_json
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import edit
from steadyhand.structure.lines import Lines
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from tests.checks import check_edit, marked
from tests.real_files import real_texts
from tests.table import table

WITHHELD: list[tuple[str, Edit, str]] = [
    ("⟦b = two⟧\n", Replace("b = 2", "b = 3"), "both change the same word"),
    ("⟦a = 1⟧\na = 1\n", Replace("a = 2", "aa = 2"), "the place is not the only one of its kind"),
    ("⟦aba⟧ba\n", Replace("abc", "xbc"), "it overlaps itself"),
    ("⟦b = 3⟧\n", Replace("b = 2", "b = 3"), "the change is there already"),
    ("⟦one\ntwo\nthree\n⟧", Delete("one\nthree\n"), "a line would go that was not quoted"),
    ("⟦one\n⟧", Replace(Lines(1), "x"), "no old text was quoted"),
    (f"⟦{'x' * 5_000}⟧\n", Insert("x" * 4_999, "y"), "too long to be sent again"),
]


@table(("notation", "change", "why"), WITHHELD, ids=[why for *_, why in WITHHELD])
def test_nothing_is_offered_where_it_would_not_be_sure(notation: str, change: Edit, why: str) -> None:
    text, (span,) = marked(notation)
    assert correct(change, Source.of_text(text), span, Policy()) is None


def test_text_that_the_encoding_cannot_say_is_not_offered() -> None:
    source = Source.of_bytes("naïve = 1\n".encode("cp1252"), encoding="cp1252")
    assert correct(Insert("naive = 1", "☃"), source, Span(0, 9), Policy()) is None


OFFERED: list[tuple[str, Edit, str]] = [
    ("⟦x = f(1, 2)⟧\n", Replace("x = f(1)", "y = f(1)"), "y = f(1, 2)\n"),
    ("if a:\n⟦\tb\n\tc\n⟧", Replace("    b\n    c\n", "    b\n    d\n"), "if a:\n\tb\n\td\n"),
    ("⟦a  # old note\nb = 2\n⟧", Replace("a  # a note\nb = 2\n", "a  # a note\nb = 3\n"), "a  # old note\nb = 3\n"),
    ("⟦one\r\ntwo\r\n⟧three\r\n", Replace("one\ntwo\n", "one\n2\nnew\n"), "one\r\n2\r\nnew\r\nthree\r\n"),
    ("say ⟦“hello”⟧ now\n", Insert('"hello"', "!"), "say “hello”! now\n"),
    ("a\n⟦b  \nc\n⟧d\n", Delete("b\nc\n"), "a\nd\n"),
    ('⟦x = "a"\n⟧y\n', Replace('x = \\"a\\"', 'x = \\"b\\"\nz = \\"c\\"'), 'x = "b"\nz = "c"\ny\n'),
]


@table(("notation", "change", "after"), OFFERED)
def test_the_edit_is_reported_again_in_the_words_of_the_file(notation: str, change: Edit, after: str) -> None:
    text, (span,) = marked(notation)
    call = correct(change, Source.of_text(text, path="a.py"), span, Policy())
    assert call is not None
    check_edit(text, edit_from_json(call), after, tier="exact")


def test_the_reason_goes_along_and_the_choice_among_several_does_not() -> None:
    change = Replace("x = f(1)", "y = f(1)", occurrence="first", expected=1, reason="because")
    call = correct(change, Source.of_text("x = f(1, 2)\n"), Span(0, 11), Policy())
    assert call == {"target": "x = f(1, 2)", "new": "y = f(1, 2)", "reason": "because"}


def refusal(text: str, change: Edit) -> EditError:
    """The refusal of an edit of absent old text."""
    assert isinstance(change.target, Old)
    absence = Absence("a.py", Source.of_text(text), change.target.text, None, Nothing(("exact",)), edit=change)
    error = absence.no_match(absence.nearest())
    assert len(error.message.splitlines()) <= 15
    return error


def test_a_refusal_has_the_call_ready() -> None:
    text = "def area(w, h):\n    # of a rectangle\n    return w * h\n"
    change = Replace("    # of a square\n    return w * h\n", "    # of a square\n    return abs(w * h)\n")
    call = refusal(text, change).details["corrected"]
    assert call == {
        "target": "    # of a rectangle\n    return w * h\n",
        "new": "    # of a rectangle\n    return abs(w * h)\n",
    }
    check_edit(text, edit_from_json(call), text.replace("w * h\n", "abs(w * h)\n"))


def test_the_hint_says_what_to_send() -> None:
    hint = refusal("total = price * count\n", Replace("total = prcie * count", "sum = prcie * count")).hint
    assert hint == "if you mean line 1, send 'total = price * count' as old text and 'sum = price * count' as new text"
    hint = refusal("if x:\n\treturn  1\n", Insert("return 1", "  # done")).hint
    assert hint == "if you mean line 2, send 'return  1' as old text"
    text = "def area(w, h):\n    # of a rectangle\n    return w * h\n"
    hint = refusal(text, Replace(text.replace("a rect", "one rect"), text.replace("a rect", "one rect") + "\n")).hint
    assert hint == "if you mean lines 1–3, send `corrected` of the details"


def test_every_call_that_is_offered_changes_what_was_meant_and_nothing_else() -> None:
    """Lines of real modules with a slip in one line and a change in another: the offer makes that change alone."""
    chance = random.Random(12)
    texts = [text for text in real_texts() if text.count("\n") > 60]
    offered = wanted = 0
    for _ in range(80):
        text = chance.choice(texts)
        lines = text.splitlines(keepends=True)
        first = chance.randrange(len(lines) - 6)
        rows = lines[first : first + 6]
        telling = [row for row, line in enumerate(rows) if re.search(r"[a-z]{5}", line)]
        if len(telling) < 2 or text.count("".join(rows)) > 1:
            continue
        slipped, changed = chance.sample(telling, 2)
        old, new = list(rows), list(rows)
        old[slipped] = new[slipped] = re.sub(r"[a-z]{5}", "wrong", rows[slipped], count=1)
        new[changed] = re.sub(r"[a-z]{5}", "right", rows[changed], count=1)
        if "".join(old) in text:
            continue
        wanted += 1
        call = refusal(text, Replace("".join(old), "".join(new))).details.get("corrected")
        if call is None:
            continue
        offered += 1
        after = "".join([*lines[: first + changed], new[changed], *lines[first + changed + 1 :]])
        assert edit(text, edit_from_json(call)).text == after
    assert offered > 0.9 * wanted


@table("policy", [{}, {"tier": "newline"}, {"partial": True}], ids=str)
def test_an_edit_that_a_guard_would_refuse_is_not_offered(policy: dict[str, object]) -> None:
    text = "def area(w, h):\n    # of a rectangle\n    size = w * h\n    return size\n"
    opened = Replace("    # of a rectangle\n    size = w * d\n", "    # of a rectangle\n    size = (w * d\n")
    closing = Replace("    return size\n", "    )\n    return size\n")
    rules = Policy(**policy)  # type: ignore[arg-type]
    alone = edit(text, opened, path="a.py", policy=rules).error
    assert alone is not None
    assert "corrected" not in alone.details
    assert "corrected" not in (alone.hint or "")
    together = edit(text, [opened, closing], path="a.py", policy=rules).outcomes[0].error
    assert together is not None
    sent = [edit_from_json(together.details["corrected"]), closing]  # type: ignore[arg-type]
    assert edit(text, sent, path="a.py", policy=rules).text == text.replace("w * h\n", "(w * h\n    )\n")


ANOTHER = [
    (
        "#ifndef _ERRNO_H\n#define OTHER 1\n",
        Replace("#define _ERRNO_H\n", "#define _ERRNO_NUMBER_H\n"),
        "a line that is like the only one that is quoted",
    ),
    (
        "notice, this list of conditions and the following disclaimer in the\ndocumentation\n",
        Replace(
            "notice, this list of conditions and the following disclaimer.\n",
            "notice and this list of conditions and the following disclaimer.\n",
        ),
        "the only line that is like it has words more",
    ),
    (
        "assert_type(i8 % i4, np.signedinteger)\nassert_type(f8 % i4, np.float64)\n",
        Replace("assert_type(i4 % i8, np.signedinteger)\n", "assert_type(i4 % i8, np.integer)\n"),
        "the only line that is like it has its words in another order",
    ),
    (
        "#define setting_database 1\n#define setting_role 2\n#define setting_config 3\n",
        Replace(
            "#define setting_database 1\n#define setting_config 3\n",
            "#define setting_database 1\nnew\n#define setting_config 3\n",
        ),
        "a quoted line is elsewhere",
    ),
    (
        "first_of_all = 1\n# 1111 0x10 andlut 0x10 0x10 0x10 0x10 0x10 0x10 0x10\n",
        Replace(
            "first_of_all = 1\n# 1111 0x10 andlut  0x10 0x10 0x10 0x10",
            "first_of_all = 1\n# 1111 0x10 andlut  0x10 0x10 0x10 0x10\nnew = 2",
        ),
        "a line would come into the midst of another",
    ),
    (
        "first(one)\nsecond(two)\nlast(three)\n",
        Replace("first(one)\n# ... existing code ...\nlast(three)\n", "first(one)\n# ... existing code ...\nlast(3)\n"),
        "lines are left out",
    ),
]


@table("tier", [None, "newline"])
@table(("text", "change", "why"), ANOTHER, ids=[why for *_, why in ANOTHER])
def test_nothing_is_offered_where_another_place_may_be_meant(
    text: str, change: Replace, why: str, tier: str | None
) -> None:
    result = edit(text, change, path="a.c", policy=Policy(tier=tier))
    assert result.ok or "corrected" not in (result.error.details if result.error else {}), why
