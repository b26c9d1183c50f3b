"""The signs of a diff before lines: `-` in the old text, `+` in the new one, a blank or nothing before lines that stay.

Some writers put `-` before the lines of both texts; that is how a list looks as well, and it is repaired alike, as this
is only asked where the text with its signs is nowhere. Others put a whole diff in place of the old text, with what it
makes of the lines as the new one. Signs in one text alone are content otherwise, and so is everything that merely
begins with such a character: a flag, a number, an arrow, a rule. A new text that deletes lines shows so by repeating
the lines that stay, and lines without any sign column are the same in both texts. One that only adds lines shows so by
repeating the old text, a blank before each line of both, and `+` before the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.lazy import lazy_pattern
from steadyhand.match.repair import Repair, Repaired, RepairExample
from steadyhand.text.lines import body, line_ending, split_bodies, split_lines

_NO_SIGN = lazy_pattern(r"-[->=0-9.]|\+[+=]")
_SUBSTANCE = lazy_pattern(r"\w{3}")
_NUMBERED = lazy_pattern(r"[- ] *[0-9]+ *[|│→:\t]")


def repair(old: str, new: str) -> Repaired | None:
    """Both texts without their signs."""
    if not new:
        return None
    before, after = split_lines(old), split_lines(new)
    if _SUBSTANCE.search(old) and _only_adds(before, after):
        return Repaired(_unsigned(before, 1), _unsigned(after, 1))
    if "-" not in old:
        return None
    found = _of_whole_diff(before, after) or _of_changed_lines(before, after)
    if found is not None and _SUBSTANCE.search(found.old):
        return found
    if not (_is_signed(before, "-") and _SUBSTANCE.search(old)) or _NUMBERED.match(old):
        return None  # with line numbers behind the signs it is not certain which blanks are whose
    if not (_is_signed(after, "+") or _is_signed(after, "-") or _is_what_stays(before, after)):
        return None
    width = 2 if _is_padded(before) and _is_padded(after) else 1
    repaired = Repaired(_unsigned(before, width), _unsigned(after, width))
    return (
        None if abs(_indent(repaired.old) - _indent(repaired.new)) == 1 else repaired
    )  # a blank may belong to the sign


def _of_whole_diff(before: Sequence[str], after: Sequence[str]) -> Repaired | None:
    """The two sides of a diff that is the old text, where the new text is its second one."""
    signs = {line[0] for line in before if line.strip()}
    if not {"-", "+"} <= signs or any(_NO_SIGN.match(line) for line in before):
        return None
    for width in (1, 0):  # lines that stay have a sign column, or none
        if width and not signs <= {"-", "+", " "}:
            continue
        sides = ["".join(_without_sign(line, width) for line in before if line[0] != sign) for sign in "+-"]
        if split_bodies(sides[1]) == [body(line) for line in after]:
            is_ended = line_ending(before[-1])
            return Repaired(sides[0] if is_ended else body(sides[0]), "".join(after))
    return None


def _without_sign(line: str, width: int) -> str:
    return line[1:] if line[0] in "-+" else line[width:] if line.strip() else line


def _of_changed_lines(before: Sequence[str], after: Sequence[str]) -> Repaired | None:
    """Both texts with signs before the lines that change only; those without a sign column are the same in both."""
    if any(line[0] == "+" for line in before) or any(line[0] == "-" for line in after):
        return None
    kept, others = ([body(line) for line in side if line[0] not in "-+"] for side in (before, after))
    changed = [line for line in (*before, *after) if line[0] in "-+"]
    if kept != others or not any(text[:1].isalnum() for text in kept) or any(map(_NO_SIGN.match, changed)):
        return None
    if not any(line[0] == "-" for line in before) or not any(line[0] == "+" for line in after):
        return None
    return Repaired(*("".join(_without_sign(line, 0) for line in side) for side in (before, after)))


def _is_signed(lines: Sequence[str], sign: str) -> bool:
    """Whether every line has this sign or a blank, and one of them the sign."""
    filled = [line for line in lines if line.strip()]
    if any(line[0] not in (sign, " ") or _NO_SIGN.match(line) for line in filled):
        return False
    return any(line[0] == sign and line[1:].strip() for line in filled)


def _is_what_stays(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the new text is the old text without the lines that go."""
    kept = [body(line) for line in before if not line.startswith("-")]
    return any(map(str.strip, kept)) and kept == [body(line) for line in after]


def _only_adds(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the new text is the old text with lines more, which have the sign where all others have a blank."""
    return _has_sign_column(before, after) and _is_signed(after, "+")


def may_be_signed(old: str, new: str) -> bool:
    """Whether lines are added that begin with the sign of a diff where all others have a blank.

    Not all of these are repaired: of `++count`, both pluses may be content.

    >>> may_be_signed(" a()\\n b()", " a()\\n++count\\n b()"), may_be_signed("a()\\nb()", "a()\\n++count\\nb()")
    (True, False)
    """
    return _has_sign_column(split_lines(old), split_lines(new))


def _has_sign_column(before: Sequence[str], after: Sequence[str]) -> bool:
    kept = [body(line) for line in after if not line.startswith("+")]
    if len(kept) == len(after) or kept != [body(line) for line in before]:
        return False
    return all(line[0] == " " for line in before if line.strip())


def _is_padded(lines: Sequence[str]) -> bool:
    """Whether a blank belongs to each sign: text is mostly indented by an even number, so one more is the odd one."""
    rests = [line[1:] for line in lines if line[1:].strip()]
    return min(len(rest) - len(rest.lstrip(" ")) for rest in rests) % 2 == 1


def _unsigned(lines: Sequence[str], width: int) -> str:
    return "".join(body(line)[width:] + line_ending(line) for line in lines)


def _indent(text: str) -> int:
    """How far the line is indented that is indented least."""
    filled = [line for line in split_lines(text) if line.strip()]
    return min((len(line) - len(line.lstrip()) for line in filled), default=0)


REPAIR = Repair(
    name="diff signs",
    rank=80,
    summary="The signs of a diff before lines of both texts are taken off.",
    apply=repair,
    examples=(
        RepairExample("-name = 1", "+name = 2", "name = 1", "name = 2"),
        RepairExample("-    call(1)\n-    call(2)\n", "+    call(3)\n", "    call(1)\n    call(2)\n", "    call(3)\n"),
        RepairExample(
            " def f():\n-    pass\n", " def f():\n+    call()\n", "def f():\n    pass\n", "def f():\n    call()\n"
        ),
        RepairExample(
            " call(1)\n call(3)\n",
            " call(1)\n+call(2)\n call(3)\n",
            "call(1)\ncall(3)\n",
            "call(1)\ncall(2)\ncall(3)\n",
        ),
        RepairExample("-\tcall(1)", "-\tcall(2)", "\tcall(1)", "\tcall(2)"),
        RepairExample("- name: a", "- name: b", "name: a", "name: b"),
        RepairExample("-call(1)\n\n-call(2)", "+call(3)\n\n+call(4)", "call(1)\n\ncall(2)", "call(3)\n\ncall(4)"),
        RepairExample(
            " call(1)\n-call(2)\n call(3)\n",
            " call(1)\n call(3)\n",
            "call(1)\ncall(2)\ncall(3)\n",
            "call(1)\ncall(3)\n",
        ),
        RepairExample("- call(1)\n- \n- call(2)", "+ call(3)\n+ ", "call(1)\n\ncall(2)", "call(3)\n"),
        RepairExample("- \tcall(1)\n-     \n", "+ \tcall(2)\n", "\tcall(1)\n    \n", "\tcall(2)\n"),
        RepairExample("-call(1)\r\n", "+call(2)\r\n", "call(1)\r\n", "call(2)\r\n"),
        RepairExample(
            "def f():\n-    call(1)\n", "def f():\n+    call(2)\n", "def f():\n    call(1)\n", "def f():\n    call(2)\n"
        ),
        RepairExample(
            " def f():\n-    call(1)\n+    call(2)\n",
            "def f():\n    call(2)\n",
            "def f():\n    call(1)\n",
            "def f():\n    call(2)\n",
        ),
        RepairExample("name\n-call(1)\n+call(2)", "name\ncall(2)", "name\ncall(1)", "name\ncall(2)"),
        RepairExample("name\n-call(1)\n+call(2)\n", "name\ncall(2)\n", "name\ncall(1)\n", "name\ncall(2)\n"),
        RepairExample("-item\nother", "+item2\nother", "item\nother", "item2\nother"),
    ),
    leaves=(
        RepairExample("- item", "* item"),
        RepairExample("- item", "item"),
        RepairExample("- item", ""),
        RepairExample("-item", "\n"),
        RepairExample("item", "+item"),
        RepairExample("+item", "+other"),
        RepairExample("+item", "-item"),
        RepairExample("-item\n+other", "+item"),
        RepairExample("-item", "-item\n+other"),
        RepairExample("-item\nother", "+item\nthird"),
        RepairExample("- item\nother\n+third", "other\nfourth"),
        RepairExample("-item\n-other", "+item\nother"),
        RepairExample("--flag", "--other"),
        RepairExample("-v", "-x"),
        RepairExample("-> item", "-> other"),
        RepairExample("-100", "-200"),
        RepairExample("-.500", "-.600"),
        RepairExample("-= item", "-= other"),
        RepairExample("--- item", "+++ other"),
        RepairExample("---\ntitle: item\n---", "---\ntitle: other\n---"),
        RepairExample("-item", "++item"),
        RepairExample(" item\n other", " item\n third"),
        RepairExample("-item", " other"),
        RepairExample("-    item", "     other"),
        RepairExample("-item", "+ other"),
        RepairExample(" item\n-other\n", " third\n"),
        RepairExample("-\n-\n", "+\n"),
        RepairExample("- 12| item", "- 12| other"),
        RepairExample("", ""),
    ),
    is_of_lines=True,
)
