"""What is before every line in another view of a file: line numbers, the signs of a diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyhand.lazy import dataclass, lazy_pattern, replace
from steadyhand.match.tier import Repair, Repaired, RepairExample
from steadyhand.text.lines import body, line_ending, split_bodies, split_lines

# A line number before every line, as listings show them: `12| `, `12→`, `12: `, or the number and a tab.
#
# In the old text every line that is not blank has its number, in one style, rising by one; only at the edges there may
# be lines without, the same in both texts. The new text has them
# too, or on the lines it repeats, or not at all; its numbers need not rise, for lines come and go. A number is taken
# from the new text only if it can be one of those lines' numbers, so `12: value` stays where it is a value.

_NUMBER = lazy_pattern(r" *([0-9]{1,7})(?: *([|│→])|([:\t]))")
_NUMBER_ALONE = lazy_pattern(r" *([0-9]{1,7}) *$")
_NOT_EDGE = lazy_pattern(rf"{_NUMBER.pattern}|{_NUMBER_ALONE.pattern}|\s*(?:```|~~~)")
_STARTS_WITH_ONE = lazy_pattern(r"(?:\A|[\r\n]) *[0-9]")
_GUTTER_ALONE = lazy_pattern(r" +[|│→]")
_PADDED = "|│:"
_ALSO_CONTENT = ":\t"


@dataclass(frozen=True, slots=True)
class _Row:
    """One line: its number if it has one in the style, how wide its column is, and what follows."""

    number: int | None
    width: int
    rest: str
    ending: str

    @property
    def is_blank(self) -> bool:
        return not self.rest.strip()

    @property
    def is_foreign(self) -> bool:
        return self.number is None and not self.is_blank


def take_off_numbers(old: str, new: str) -> Repaired | None:
    """Both texts without their numbers; lines at the edges that both have without one are left as they are."""
    if not _STARTS_WITH_ONE.search(old):
        return None
    before, after = split_lines(old), split_lines(new)
    head, tail = _unnumbered(before, after), _unnumbered(before[::-1], after[::-1])
    if head + tail == 0:
        return _without_numbers(old, new)
    if 2 * (head + tail) > len(before) or len(after) < head + tail:
        return None
    inner = ["".join(lines[head : len(lines) - tail]) for lines in (before, after)]
    found = _without_numbers(*inner)
    if found is None or (tail and any(text and body(text) == text for text in (found.old, found.new))):
        return None
    edges = "".join(before[:head]), "".join(before[len(before) - tail :]) if tail else ""
    return Repaired(*(f"{edges[0]}{text}{edges[1]}" for text in (found.old, found.new)))


def _unnumbered(before: Sequence[str], after: Sequence[str]) -> int:
    """How many first lines of both texts are the same, and none of them blank, numbered or a fence."""
    pairs = zip(before, after, strict=False)
    is_edge = (one == two and any(map(str.isalnum, one)) and not _NOT_EDGE.match(one) for one, two in pairs)
    return next((count for count, is_same in enumerate(is_edge) if not is_same), min(len(before), len(after)))


def _without_numbers(old: str, new: str) -> Repaired | None:
    separator = _separator(old)
    if separator is None:
        return None
    before = _rows(old, separator)
    if not _is_listing(before, separator):
        return None
    after = _rows(new, separator)
    if all(row.number is None for row in after):
        return _beside_plain(before, new, separator)
    return _beside_numbered(before, after, separator)


def _separator(text: str) -> str | None:
    """What comes after the number of the first line that is not blank."""
    first = next((line for line in split_lines(text) if line.strip()), "")
    found = _NUMBER.match(first)
    return (found[2] or found[3]) if found else None


def _rows(text: str, separator: str) -> list[_Row]:
    return [_row(body(line), line_ending(line), separator) for line in split_lines(text)]


def _row(line: str, ending: str, separator: str) -> _Row:
    found = _NUMBER.match(line)
    if found and separator in (found[2], found[3]):
        return _Row(int(found[1]), found.end(), line[found.end() :], ending)
    alone = _NUMBER_ALONE.match(line)  # a blank line; what follows the number went with other blanks at the end
    return _Row(int(alone[1]), alone.end(), "", ending) if alone else _Row(None, 0, line, ending)


def _is_listing(rows: Sequence[_Row], separator: str) -> bool:
    filled = [row for row in rows if not row.is_blank]
    if not filled or any(row.is_foreign for row in rows) or not _rises(rows):
        return False
    return separator != ":" or len(filled) > 1 or filled[0].rest.startswith(" ")


def _rises(rows: Sequence[_Row]) -> bool:
    """Whether each number is one more than the one before; blank lines without a number may have been counted."""
    last, skipped = None, 0
    for row in rows:
        if row.number is None:
            skipped += 1
            continue
        if last is not None and row.number - last not in (1, 1 + skipped):
            return False
        last, skipped = row.number, 0
    return True


def _beside_numbered(before: Sequence[_Row], after: Sequence[_Row], separator: str) -> Repaired | None:
    """The new text has numbers too, on all of its lines or on some."""
    pad = _pad([*before, *after], separator)
    if pad is None and len(before) > 1:
        pad = " "  # if it is the text's own, both texts lack it alike, and their lines show that to whoever looks
    if pad is None or _is_numbered_twice(before, pad, separator):
        return None
    is_certain = _is_continued(before, after, separator) and _are_distinct(before, after, pad)
    return _alike(before, after, pad) if is_certain else None


def _beside_plain(before: Sequence[_Row], new: str, separator: str) -> Repaired | None:
    """The new text has no such numbers. Should it have others, it is not certain that they are content."""
    other = _separator(new)
    if other is not None and _is_listing(_rows(new, other), other):
        return None
    pad = _pad_beside(before, new, separator)
    if pad is None or _is_numbered_twice(before, pad, separator):
        return None
    if _is_open(before) and body(new) == new:
        return None  # that blank line may be none at all, and its ending one that the file needs
    return Repaired(_text(before if new else _ended(before), pad), new)


def _alike(before: Sequence[_Row], after: Sequence[_Row], pad: str) -> Repaired:
    """Numbered lines are whole lines on both sides: an ending that only one of them has is no part of the edit."""
    if _is_open(before) or _is_open(after):
        before, after = _ended(before), _ended(after)
    elif bool(before[-1].ending) != bool(after[-1].ending):
        before, after = _ended(before, ""), _ended(after, "")
    return Repaired(_text(before, pad), _text(after, pad))


def _is_open(rows: Sequence[_Row]) -> bool:
    """Whether the last line is blank and has no ending, so that the ending before it would pass for the last."""
    return rows[-1].is_blank and not rows[-1].ending


def _ended(rows: Sequence[_Row], ending: str | None = None) -> list[_Row]:
    """The lines with this ending after the last one, or with the one that the others have."""
    usual = rows[-1].ending or rows[0].ending or "\n"
    return [*rows[:-1], replace(rows[-1], ending=usual if ending is None else ending)]


def _pad(rows: Sequence[_Row], separator: str) -> str | None:
    """The blank between number and text, if every numbered line has one; None where it may be the text's own.

    Text is mostly indented by an even number of blanks, so one more is the odd one out.
    """
    numbered = [row.rest for row in rows if row.number is not None and not row.is_blank]
    blanks = [len(rest) - len(rest.lstrip(" ")) for rest in numbered]
    if separator not in _PADDED or 0 in blanks:
        return ""
    if 1 in blanks or all(count % 2 for count in blanks):
        return " "
    return None if any(count % 2 for count in blanks) else ""


def _pad_beside(rows: Sequence[_Row], new: str, separator: str) -> str | None:
    """The same, where a new text without numbers shows how far its lines are indented."""
    if separator not in _PADDED or not all(row.is_blank or row.rest.startswith(" ") for row in rows):
        return ""
    own, padded = _likeness(rows, "", new), _likeness(rows, " ", new)
    if own == padded:
        return _pad(rows, separator)
    return "" if own > padded else " "


def _likeness(rows: Sequence[_Row], pad: str, new: str) -> tuple[int, bool]:
    """How well the lines go with the new text's."""
    fresh = [body(line) for line in split_lines(new) if line.strip()]
    mine = [row.rest.removeprefix(pad) for row in rows if not row.is_blank]
    same = len(set(fresh) & set(mine))
    return same, bool(fresh) and _numbered_indent(fresh[0]) == _numbered_indent(mine[0])


def _is_continued(before: Sequence[_Row], after: Sequence[_Row], separator: str) -> bool:
    """Whether the new text's numbers are line numbers: they start among the old text's and stay near."""
    numbers = [row.number for row in after if row.number is not None]
    known = [row.number for row in before if row.number is not None]
    if known[0] <= numbers[0] <= known[-1]:
        return all(known[0] <= number <= known[-1] + len(after) for number in numbers)
    is_listing = separator not in _ALSO_CONTENT and len(numbers) > 1
    return is_listing and _rises(after) and not any(row.is_foreign for row in after)


def _are_distinct(before: Sequence[_Row], after: Sequence[_Row], pad: str) -> bool:
    """Whether every line without a number clearly starts at the margin, and not where the numbered text starts."""
    numbered = [row for row in (*before, *after) if row.number is not None]
    indents = {_numbered_indent(row.rest.removeprefix(pad)) for row in numbered if not row.is_blank}
    widths = {row.width + len(pad) for row in numbered} | {1}
    for row in after:
        if not row.is_foreign:
            continue
        indent = _numbered_indent(row.rest)
        beside = {indent[width:] for width in widths if len(indent) >= width}
        if _GUTTER_ALONE.match(row.rest) or indent not in indents or beside & indents:
            return False
    return True


def _is_numbered_twice(rows: Sequence[_Row], pad: str, separator: str) -> bool:
    """Whether numbers would be left: then the lines may be content that begins with a number."""
    return any(_separator(row.rest.removeprefix(pad)) == separator for row in rows if not row.is_blank)


def _numbered_indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _text(rows: Sequence[_Row], pad: str) -> str:
    return "".join((row.rest if row.number is None else row.rest.removeprefix(pad)) + row.ending for row in rows)


# The signs of a diff before lines: `-` in the old text, `+` in the new one, a blank or nothing before lines that stay.
#
# Some writers put `-` before the lines of both texts; that is how a list looks as well, and it is repaired alike, as
# this is only asked where the text with its signs is nowhere. Others put a whole diff in place of the old text, with
# what it makes of the lines as the new one. Signs in one text alone are content otherwise, and so is everything that
# merely begins with such a character: a flag, a number, an arrow, a rule. A new text that deletes lines shows so by
# repeating the lines that stay, and lines without any sign column are the same in both texts. One that only adds lines
# shows so by repeating the old text, a blank before each line of both, and `+` before the others.

_NO_SIGN = lazy_pattern(r"-[->=0-9.]|\+[+=]")
_SUBSTANCE = lazy_pattern(r"\w{3}")
_NUMBERED = lazy_pattern(r"[- ] *[0-9]+ *[|│→:\t]")


def take_off_signs(old: str, new: str) -> Repaired | None:
    """Both texts without their signs."""
    if not new or ("-" not in old and "+" not in new):
        return None
    before, after = split_lines(old), split_lines(new)
    # The new text is the old one with lines more, which have the sign where all others have a blank.
    if _SUBSTANCE.search(old) and _has_sign_column(before, after) and _is_signed(after, "+"):
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
        None if abs(_signed_indent(repaired.old) - _signed_indent(repaired.new)) == 1 else repaired
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


def may_be_signed(old: str, new: str) -> bool:
    """Whether lines are added that begin with the sign of a diff where all others have a blank.

    Not all of these are repaired: of `++count`, both pluses may be content.

    >>> may_be_signed(" a()\\n b()", " a()\\n++count\\n b()"), may_be_signed("a()\\nb()", "a()\\n++count\\nb()")
    (True, False)
    """
    return "+" in new and _has_sign_column(split_lines(old), split_lines(new))


def _has_sign_column(before: Sequence[str], after: Sequence[str]) -> bool:
    kept = [body(line) for line in after if line[0] != "+"]
    if len(kept) == len(after) or kept != [body(line) for line in before]:
        return False
    return all(line[0] == " " for line in before if line.strip())


def _is_padded(lines: Sequence[str]) -> bool:
    """Whether a blank belongs to each sign: text is mostly indented by an even number, so one more is the odd one."""
    rests = [line[1:] for line in lines if line[1:].strip()]
    return min(len(rest) - len(rest.lstrip(" ")) for rest in rests) % 2 == 1


def _unsigned(lines: Sequence[str], width: int) -> str:
    return "".join(body(line)[width:] + line_ending(line) for line in lines)


def _signed_indent(text: str) -> int:
    """How far the line is indented that is indented least."""
    filled = [line for line in split_lines(text) if line.strip()]
    return min((len(line) - len(line.lstrip()) for line in filled), default=0)


REPAIRS: Mapping[str, Repair] = {
    "line_numbers": Repair(
        name="line numbers",
        rank=40,
        summary="Line numbers before every line of the old text are removed.",
        apply=take_off_numbers,
        examples=(
            RepairExample("12| a\n13| b", "12| a\n13| c", "a\nb", "a\nc"),
            RepairExample("12|a\n13|  b\n", "12|a\n", "a\n  b\n", "a\n"),
            RepairExample("12\t\ta\n13\n14\tb", "12\t\tc\n13\t\n14\tb", "\ta\n\nb", "\tc\n\nb"),
            RepairExample("   9→a\n  10→\n  11→  b", "   9→a", "a\n\n  b", "a"),
            RepairExample("   9 | a\n  10 |\n  11 |   b", "a\n\n  c", "a\n\n  b", "a\n\n  c"),
            RepairExample("3:   a\n4: ", "3:   b\n4: ", "  a\n\n", "  b\n\n"),
            RepairExample("3: a", "3: b", "a", "b"),
            RepairExample("7| a\n\n8| b", "7| a\n\n8| c", "a\n\nb", "a\n\nc"),
            RepairExample("7| a\n\n9| b", "7| a\n8| x\n8| y\n9| b", "a\n\nb", "a\nx\ny\nb"),
            RepairExample("41| a\n42| b", "1| a\n2| c", "a\nb", "a\nc"),
            RepairExample("7| a\n8|   b", "7| a\nx\n8|   b", "a\n  b", "a\nx\n  b"),
            RepairExample("5|    a", "    b", "    a", "    b"),
            RepairExample("5|     a", "    b", "    a", "    b"),
            RepairExample("5\ta\n", "", "a\n", ""),
            RepairExample("5\ta", "", "a\n", ""),
            RepairExample("5| a\n", "5| b", "a", "b"),
            RepairExample("5| a", "5| b\n", "a", "b"),
            RepairExample("5| a\n6| b", "5| a\n6|", "a\nb\n", "a\n\n"),
            RepairExample("5| a\n6| ", "5| b", "a\n\n", "b\n"),
            RepairExample("1| 1. a\n2| 2. b", "1. a", "1. a\n2. b", "1. a"),
            RepairExample("24| | a | b |", "24| | c | d |", "| a | b |", "| c | d |"),
            RepairExample("  7→a\n  8\n  9→b\n", "  7→a\n  8\n  9→c\n", "a\n\nb\n", "a\n\nc\n"),
            RepairExample("x\n7| a\n8| b\n", "x\n7| a\n8| c\n", "x\na\nb\n", "x\na\nc\n"),
            RepairExample("7| a\n8| b\nx\n", "7| a\n8| c\n9| d\nx\n", "a\nb\nx\n", "a\nc\nd\nx\n"),
        ),
        leaves=(
            RepairExample("a\nb", "1| a\n2| b"),
            RepairExample("1. a\n2. b", "1. a\n2. c"),
            RepairExample("1) a\n2) b", "1) a"),
            RepairExample("12 a\n13 b", "12 a"),
            RepairExample("80: a\n443: b", "80: a\n443: c"),
            RepairExample("12| a\nb", "12| a\nc"),
            RepairExample("x\ny\n12| a\n", "x\ny\n12| b\n"),
            RepairExample("12| a\nx\n13| b\n", "12| a\nx\n13| c\n"),
            RepairExample("12| a\n7\n13| b\n", "12| a\n7\n13| c\n"),
            RepairExample("12| a\n13: b", "12| a\n13: c"),
            RepairExample("12| a\n12| b", "12| a"),
            RepairExample("12:30", "12:45"),
            RepairExample("80: http", "8080: http"),
            RepairExample("10: 1: a", "1: b"),
            RepairExample("10: 1: a", "10: 1: b"),
            RepairExample("7| a\n8| b", "1: a\n2: b"),
            RepairExample("7| a\n8|    b", "7| a\n   x\n8|    b"),
            RepairExample("7| a\n8| b", "7| a\n | x\n8| b"),
            RepairExample("12|\n13|", "12| a"),
            RepairExample("12| a\n13| ", "b"),
            RepairExample("12| a\n13| ", ""),
            RepairExample("", ""),
        ),
        is_of_lines=True,
    ),
    "diff_signs": Repair(
        name="diff signs",
        rank=80,
        summary="Diff signs before the lines of both texts are removed.",
        apply=take_off_signs,
        examples=(
            RepairExample("-name = 1", "+name = 2", "name = 1", "name = 2"),
            RepairExample(
                "-    call(1)\n-    call(2)\n", "+    call(3)\n", "    call(1)\n    call(2)\n", "    call(3)\n"
            ),
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
                "def f():\n-    call(1)\n",
                "def f():\n+    call(2)\n",
                "def f():\n    call(1)\n",
                "def f():\n    call(2)\n",
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
    ),
}
