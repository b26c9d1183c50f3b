r"""What is put around a whole text or into it: escapes of a string, of quotes, of backslashes or of HTML; a Markdown
fence; blank lines.

A reading of escapes takes both texts and gives both, or None where they cannot have been escaped in its way. No reading
undoes more than one level. Several readings may fit: `_certain` is how a repair makes sure that the new text means the
same in each that reads the old text alike, for the file can tell two old texts apart and never two new ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.tier import Repair, Repaired, RepairExample
from steadyhand.text.lines import body, split_lines

_Reading = Callable[[str, str], Repaired | None]

_QUOTES = "\"'`"
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", **{quote: quote for quote in _QUOTES}}
_STRING = lazy_pattern(r"(?:\\u[0-9a-fA-F]{4})+|\\[nrt\"'`\\]")
_DOUBLED = lazy_pattern(r"\\\\[nrt]")
_PAIR = lazy_pattern(r"\\[\"'`\\]")
_BREAK = lazy_pattern(r"\\n|\\r\\n|(?:(?<=^)|(?<=\\n))(?:\\t)+")
_OPENS_NOTHING = lazy_pattern(r"\"{3}|'{3}|(?<=[a-z][a-z])'(?=(?:s|t|d|m|re|ve|ll)\b)")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def _certain(reading: _Reading, rivals: tuple[_Reading, ...], old: str, new: str) -> Repaired | None:
    """What the reading gives, unless a rival reads the old text alike and the new text otherwise.

    A new text without any backslash was not escaped, whatever happened to the old one, and stays as it is.
    """
    if "\\" not in new:
        alone = reading(old, "")
        return None if alone is None else Repaired(alone.old, new)
    repaired = reading(old, new)
    if repaired is None:
        return None
    for rival in rivals:
        other = rival(old, new)
        if other is not None and other.old == repaired.old and other.new != repaired.new:
            return None
    return repaired


def _as_string(old: str, new: str) -> Repaired | None:
    r"""Both texts as the inside of a JSON string: `\n`, `\t`, `\"`, `\\`, `\u00e9`, and no line break of their own.

    Not if a line break is then inside a quoted text of the new one, where a literal `\n` is the likelier meaning.
    """
    if not (_is_one_line(old) and _is_one_line(new)) or not _is_consistent(_STRING, old, new) or '"' in _bare(old, new):
        return None
    if _DOUBLED.search(new) and "\\\\" not in old:
        return None  # a line that ends with a backslash, or a doubled one: nothing in the old text tells
    repaired = Repaired(_STRING.sub(_character, old), _STRING.sub(_character, new))
    return None if _SURROGATE.search(repaired.old + repaired.new) or _breaks_a_quote(repaired) else repaired


def _as_line_breaks(old: str, new: str) -> Repaired | None:
    r"""Both texts with nothing escaped but line breaks and the tabs after them; quotes are plain."""
    if not (_is_one_line(old) and _is_one_line(new)) or "\\" in _BREAK.sub("", old) + _BREAK.sub("", new):
        return None
    repaired = Repaired(*(_BREAK.sub(_whitespace, text) for text in (old, new)))
    return None if _breaks_a_quote(repaired) else repaired


def _as_pairs(old: str, new: str) -> Repaired | None:
    r"""Both texts with every `\\` and every escaped quote read as one character; line breaks are plain."""
    if not _is_consistent(_PAIR, old, new):
        return None
    return Repaired(_PAIR.sub(_character, old), _PAIR.sub(_character, new))


def _as_quotes(old: str, new: str) -> Repaired | None:
    """Both texts without the backslash before each quote of a kind that the old text has only with one."""
    kinds = [quote for quote in _QUOTES if quote in old and _is_always_escaped(old, quote)]
    strangers = [quote for quote in _QUOTES if quote in new and quote not in old]
    if not kinds or not all(_is_always_escaped(new, quote) for quote in kinds):
        return None
    if any(_is_always_escaped(new, quote) for quote in strangers):
        return None
    escaped = re.compile(rf"\\(?=[{''.join(kinds)}])")
    return Repaired(escaped.sub("", old), escaped.sub("", new))


def _breaks_a_quote(repaired: Repaired) -> bool:
    """Whether several lines that only the new text has hold a quote too many: a quoted text runs over their ends.

    Triple quotes are meant to do so, and the apostrophe of `it's` is no quote.
    """
    known = set(repaired.old.split("\n"))
    lines = [_OPENS_NOTHING.sub("", line) for line in repaired.new.split("\n") if line not in known]
    return any(sum(line.count(quote) % 2 for line in lines) > 1 for quote in _QUOTES)


def _is_one_line(text: str) -> bool:
    return not ("\\" in text and re.search("[\r\n]", body(text)))


def _bare(old: str, new: str) -> str:
    return _STRING.sub("", old) + _STRING.sub("", new)


def _is_consistent(escape: re.Pattern[str], old: str, new: str) -> bool:
    """Whether every backslash is one of these escapes, and no quote is there both with and without one."""
    both = f"{old}\n{new}"
    bare = escape.sub("", both)
    if "\\" in bare:
        return False
    escaped = set(escape.findall(both))
    return not any(quote in bare for quote in _QUOTES if f"\\{quote}" in escaped)


def _is_always_escaped(text: str, quote: str) -> bool:
    return text.count(quote) == text.count(f"\\{quote}")


def _character(found: re.Match[str]) -> str:
    escape = found[0]
    if escape[1] == "u":
        return str(json.loads(f'"{escape}"'))
    return _CHARACTERS[escape[1]]


def _whitespace(found: re.Match[str]) -> str:
    return found[0].replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")


# A text written as the inside of a string: `\n` for every line break, and often `\"`, `\t` and `\\` too.
#
# The text has no line break of its own, and reading it once gives it some. Whoever escapes a text this way escapes
# every quote and every backslash; a plain `"` shows that only the line breaks were escaped, and then a `\n` that may
# belong to a quoted text makes it uncertain which ones.


def read_escapes(old: str, new: str) -> Repaired | None:
    """Both texts read once."""
    if "\\" not in old or not any(escape in ("\\n", "\\t") for escape in _STRING.findall(old)):
        return None
    both = old + new if "\\" in new else old
    is_plainly_quoted = '"' in both.replace('\\"', "")
    return _certain(_as_line_breaks if is_plainly_quoted else _as_string, (), old, new)


# A backslash before every quote of a kind, and nothing else escaped.
#
# The old text has no quote of that kind without one, and neither has a new text with any backslash in it. Other
# backslashes stay: they belong to the code. Where the new text has some that would mean something else had the whole
# text been escaped, nobody can tell, and the texts are left.


def read_quotes(old: str, new: str) -> Repaired | None:
    """Both texts with plain quotes."""
    return _certain(_as_quotes, (_as_string, _as_pairs), old, new) if "\\" in old else None


# Every backslash doubled, and often every quote escaped, while line breaks are plain.
#
# There is no backslash in either text that does not belong to such a pair: a `\n` or `\d` by itself shows that the
# doubled ones were meant.


def read_pairs(old: str, new: str) -> Repaired | None:
    """Both texts with each pair read as one character."""
    return _certain(_as_pairs, (), old, new) if "\\\\" in old else None


# HTML entities for the five characters that HTML escapes, one level of them.
#
# Whoever escapes a text escapes every `<` in it. A character that is escaped in one place and plain in another,
# in either text, is therefore content somewhere, and the texts are left; but a new text without entities was not
# escaped at all and stays as it is. Other entities are never touched.

_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENTITY = lazy_pattern(r"&(?:(lt|gt|amp|quot|apos)|#(?:0*(34|38|39|60|62)|[xX]0*(22|26|27|3[cCeE])));")


def read_entities(old: str, new: str) -> Repaired | None:
    """Both texts with these entities read once."""
    if "&" not in old or not _ENTITY.search(old):
        return None
    both = f"{old}\n{new}" if _ENTITY.search(new) else old
    escaped = {_entity(found) for found in _ENTITY.finditer(both)}
    if escaped & set(_ENTITY.sub("", both)):
        return None
    return Repaired(_ENTITY.sub(_entity, old), _ENTITY.sub(_entity, new))


def _entity(found: re.Match[str]) -> str:
    named, decimal, hexadecimal = found.groups()
    if named:
        return _NAMED[named]
    return chr(int(decimal) if decimal else int(hexadecimal, 16))


# A Markdown fence around the whole text, or its last line alone.
#
# The first and the last line are one fence only if the fence that opens first closes last: two pieces of code with
# prose between them are content. The new text has the same fence, half of it, or none at all; with any other fence
# in it nobody can tell which ones were meant, and the texts are left.

_FENCE = lazy_pattern(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})(.*)$")


@dataclass(frozen=True, slots=True)
class _Fence:
    row: int
    marks: str
    info: str

    def closes(self, opened: _Fence) -> bool:
        return not self.info and self.marks[0] == opened.marks[0] and len(self.marks) >= len(opened.marks)


@dataclass(frozen=True, slots=True)
class _Fenced:
    """The lines of a text without blank ones at its end, and the fences among them."""

    lines: list[str]
    fences: list[_Fence]

    @classmethod
    def of(cls, text: str) -> _Fenced:
        lines = split_lines(text)
        filled = [row for row, line in enumerate(lines) if line.strip()]
        lines = lines[: filled[-1] + 1] if filled else []
        found = ((row, _FENCE.match(body(line))) for row, line in enumerate(lines))
        return cls(lines, [_Fence(row, mark[1], mark[2].strip()) for row, mark in found if mark])

    def is_whole(self) -> bool:
        """Whether the fence of the first line closes with the last line and not before."""
        if len(self.fences) < 2 or not self.opens_with_a_fence():
            return False
        opened: list[_Fence] = []
        for fence in self.fences:
            if opened and fence.closes(opened[-1]):
                opened.pop()
            else:
                opened.append(fence)
            if not opened:
                return fence.row == len(self.lines) - 1
        return False

    def opens_with_a_fence(self) -> bool:
        return not any(map(str.strip, self.lines[: self.fences[0].row]))

    def has_only_the_end(self) -> bool:
        return len(self.fences) == 1 and self.fences[0].row == len(self.lines) - 1 and not self.fences[0].info

    def has_only_the_start(self, info: str) -> bool:
        return len(self.fences) == 1 and self.opens_with_a_fence() and self.fences[0].info == info


def take_off_fence(old: str, new: str) -> Repaired | None:
    """The lines between the fences."""
    if "```" not in old and "~~~" not in old:
        return None
    before, after = _Fenced.of(old), _Fenced.of(new)
    whole = before.is_whole()
    if not whole and not before.has_only_the_end():
        return None
    inner = before.lines[before.fences[0].row + 1 : -1] if whole else before.lines[:-1]
    if not any(map(str.strip, inner)):
        return None
    if not after.fences:
        return _beside_plain(inner, new)
    fresh = _inner(after, before.fences[0].info if whole else None)
    return None if fresh is None else _beside_fenced(inner, fresh)


def _inner(text: _Fenced, info: str | None) -> list[str] | None:
    """The lines of a new text with the old text's fence or half of it; `info` is None if the old has only its end."""
    if text.has_only_the_end():
        return text.lines[:-1]
    if info is None:
        return None
    if text.is_whole() and text.fences[0].info == info:
        return text.lines[text.fences[0].row + 1 : -1]
    return text.lines[text.fences[0].row + 1 :] if text.has_only_the_start(info) else None


def _beside_plain(inner: list[str], new: str) -> Repaired | None:
    """A new text without a fence says by its own end whether the last line's ending belongs to the edit.

    A blank line before the closing fence may be a part of either, so the new text must have one as well.
    """
    old = "".join(inner)
    if not inner[-1].strip():
        return Repaired(old, new) if new and not split_lines(new)[-1].strip() else None
    return Repaired(old if not new or body(new) != new else body(old), new)


def _beside_fenced(inner: list[str], fresh: list[str]) -> Repaired:
    """Without the last endings, for the file may not have one there; but whole lines where one side ends blank."""
    old, new = "".join(inner), "".join(fresh)
    if not fresh or not (inner[-1].strip() and fresh[-1].strip()):
        return Repaired(old, new)
    return Repaired(body(old), body(new))


# Blank lines before and after the text that the file does not have there.
#
# The blank lines go from both texts where both have the same number of them. Where the old text has a single one and
# the new text none, the new text is left alone. Anything else says something about blank lines, and so does an edit
# that deletes them along with the text: then it is no accident.


def take_off_blank_lines(old: str, new: str) -> Repaired | None:
    """Both texts from their first line that is not blank to their last."""
    lead = old[: len(old) - len(old.lstrip())]
    if "\n" not in lead and "\r" not in lead and body(old)[-1:].strip():
        return None  # neither the first line is blank nor the last
    before, after = split_lines(old), split_lines(new)
    head, tail = _edges(before)
    if head + tail in (0, len(before)):
        return None
    kept = "".join(before[head : len(before) - tail])
    if not any(map(str.strip, after)):
        is_certain = body(kept) != kept and len(after) == head + tail  # whole lines go
        return Repaired(kept, "") if is_certain else None
    if old != new and ((tail and new.startswith(old)) or (head and new.endswith(old))):
        return None  # something is added beyond the blank lines, so they say where
    new_head, new_tail = _edges(after)
    is_single = head + tail == 1 and min(head, new_head) == min(tail, new_tail) == 0
    if not is_single and not (head in (0, new_head) and tail in (0, new_tail)):
        return None
    if tail and new_tail and (body(old) == old) != (body(new) == new):
        return None  # the last blank line is a line on one side and the start of one on the other
    start = min(head, new_head)
    fresh = "".join(after[start : len(after) - min(tail, new_tail)])
    if tail and body(fresh) == fresh:
        kept = body(kept)  # the new text has no ending either, so that no two lines are joined
    return Repaired(kept, fresh)


def _edges(lines: list[str]) -> tuple[int, int]:
    """How many lines are blank at the start and at the end; all of them count as start."""
    filled = [row for row, line in enumerate(lines) if line.strip()]
    return (filled[0], len(lines) - 1 - filled[-1]) if filled else (len(lines), 0)


REPAIRS: Mapping[str, Repair] = {
    "escapes": Repair(
        name="escapes",
        rank=10,
        summary="The old text is the inside of a string literal: its escapes are decoded once.",
        apply=read_escapes,
        examples=(
            RepairExample(r"x = 1\ny = 2", r"x = 1\ny = 3", "x = 1\ny = 2", "x = 1\ny = 3"),
            RepairExample(r"f(\"a\")\n\tg()", r"f(\"b\")\n\tg()", 'f("a")\n\tg()', 'f("b")\n\tg()'),
            RepairExample(r"a\nf(\"\\n\")", r"a\nf(\"\\t\\\"\")", 'a\nf("\\n")', 'a\nf("\\t\\"")'),
            RepairExample(r"a\r\nb", r"a\r\nc", "a\r\nb", "a\r\nc"),
            RepairExample(r"\tf(\'x\')", r"\tf(\'y\')", "\tf('x')", "\tf('y')"),
            RepairExample(r"a\nb", "a", "a\nb", "a"),
            RepairExample(r"a\nb", "a\nc", "a\nb", "a\nc"),
            RepairExample(r"a\nf(\"b\")", 'a\nf("c")', 'a\nf("b")', 'a\nf("c")'),
            RepairExample(r"a\nb" + "\n", r"a\nc" + "\n", "a\nb\n", "a\nc\n"),
            RepairExample(r'f("a")\n\tg()', r'f("b")\n\t\tg()', 'f("a")\n\tg()', 'f("b")\n\t\tg()'),
            RepairExample(r"caf\u00e9\n", r"caf\u00e9s\n", "café\n", "cafés\n"),
        ),
        leaves=(
            RepairExample("a\nb", "a\nc"),
            RepairExample("a\n" + r"f('\n')", "b"),
            RepairExample(r"f(\"a\")", r"f(\"b\n\")"),
            RepairExample(r"a\nb", "a\n" + r"f('\n')"),
            RepairExample(r"a\n\d+", r"b"),
            RepairExample(r"a\nb", r"a\n\d+"),
            RepairExample(r"f(\"a\")\ng()", r'f("b")\ng()'),
            RepairExample(r"f(\"a\")\ng()", 'f("b\\n")'),
            RepairExample(r"a()\nb()", r'a()\nprint("x\n")\nb()'),
            RepairExample(r"a()\nb()", r"a()\nprint('x\n')\nb()"),
            RepairExample(r"a('x')\nb()", r"a(\'x\')\nb()"),
            RepairExample(r'a("x")\nb()', r'a("x\ty")\nb()'),
            RepairExample(r"a\n\ud800", r"b"),
            RepairExample(r"f('\\n')", r"f('\n')"),
        ),
    ),
    "quotes": Repair(
        name="escaped quotes",
        rank=50,
        summary="Backslashes before quotes are removed if every quote in the old text has one.",
        apply=read_quotes,
        examples=(
            RepairExample(r"f(\"a\")", r"f(\"b\")", 'f("a")', 'f("b")'),
            RepairExample("f(\\'a\\')\n", "g\n", "f('a')\n", "g\n"),
            RepairExample("f(\\\"a\\\")\n'b'", "f(\\\"c\\\")\n'd'", "f(\"a\")\n'b'", "f(\"c\")\n'd'"),
            RepairExample('f(\\"a\\n\\")\ng', 'f(\\"b\\n\\")\ng', 'f("a\\n")\ng', 'f("b\\n")\ng'),
            RepairExample(r"f(\"a\")", r"f(\"b\n\")", 'f("a")', r'f("b\n")'),
            RepairExample(r'f(\"a\\"b\")', r"f(\"c\")", r'f("a\"b")', 'f("c")'),
            RepairExample(r"f(\"a\")", 'f("b")', 'f("a")', 'f("b")'),
            RepairExample(r"\`a\`", r"\`b\`", "`a`", "`b`"),
        ),
        leaves=(
            RepairExample('f("a")', 'f(\\"a\\")'),
            RepairExample(r'f("a\"b")', r'f("a\"c")'),
            RepairExample(r"f(\"a\")", r'f("b\n")'),
            RepairExample(r"f(\"a\")", r"f(\"b\", \'c\')"),
            RepairExample(r"f(\"a\")", r"f(\"a\")\ng(\"b\")"),
            RepairExample('f(\\"a\\")\n', 'f(\\"\\\\d\\")\n'),
            RepairExample(r"a\d", r"b\d"),
        ),
    ),
    "backslashes": Repair(
        name="doubled backslashes",
        rank=60,
        summary="Backslashes that are all doubled in the old text become single.",
        apply=read_pairs,
        examples=(
            RepairExample(r'f("\\d")', r'f("\\w")', r'f("\d")', r'f("\w")'),
            RepairExample(r"f(\"\\d\")", r"f(\"\\\"\")", r'f("\d")', r'f("\"")'),
            RepairExample("a\\\\\nb\\\\", "c", "a\\\nb\\", "c"),
        ),
        leaves=(
            RepairExample("a", "\\\\"),
            RepairExample(r'f("\d")', r'f("\\d")'),
            RepairExample(r'f("\\d")', r'f("\\d\n")'),
            RepairExample(r'f("\\d\n")', r'f("\\d")'),
            RepairExample(r"f(\"\\d\")", r'f("\\d")'),
        ),
    ),
    "entities": Repair(
        name="HTML entities",
        rank=70,
        summary="HTML entities in the old text are read as the characters they stand for.",
        apply=read_entities,
        examples=(
            RepairExample("a &lt; b", "a &gt; b", "a < b", "a > b"),
            RepairExample("a &lt; b", "a &lt; b &amp;&amp; c", "a < b", "a < b && c"),
            RepairExample('f("x") -&gt; y', 'f("z") -&gt; y', 'f("x") -> y', 'f("z") -> y'),
            RepairExample("&#39;a&#x27;&apos;", "&quot;&#34;b", "'a''", '""b'),
            RepairExample("&lt;p&gt;&amp;lt;", "&lt;p&gt;&amp;nbsp;", "<p>&lt;", "<p>&nbsp;"),
            RepairExample("a &lt; b && c", "a &lt; d && c", "a < b && c", "a < d && c"),
            RepairExample("a &lt; b", "c", "a < b", "c"),
            RepairExample("a &lt; b", "a < c && d", "a < b", "a < c && d"),
            RepairExample("&lt;b&gt;x", "&lt;b&gt;&nbsp;", "<b>x", "<b>&nbsp;"),
        ),
        leaves=(
            RepairExample("a < b", "a &lt; b"),
            RepairExample("&nbsp;", "&nbsp;&nbsp;"),
            RepairExample("&lt", "&gt"),
            RepairExample("<p>a &lt; b</p>", "<p>a &lt; c</p>"),
            RepairExample("a &lt; b", "a < b &lt;"),
            RepairExample("a &lt; b", "<p>&amp;"),
            RepairExample('f("x") &lt; 1', "f(&quot;x&quot;) &lt; 1"),
            RepairExample("&amp;&nbsp;", "&amp;"),
        ),
    ),
    "fence": Repair(
        name="Markdown fence",
        rank=20,
        summary="A Markdown fence around the old text is removed.",
        apply=take_off_fence,
        examples=(
            RepairExample("```\na\n```", "```\nb\n```", "a", "b"),
            RepairExample("```py\n  a\n\n  b\n```\n", "```py\n  c\n```\n", "  a\n\n  b", "  c"),
            RepairExample("~~~ js x=1\na\n~~~", "~~~ js x=1\nb\n~~~", "a", "b"),
            RepairExample("\n```\na\n```\n\n", "```\nb\n```", "a", "b"),
            RepairExample("```\na\n```", "b", "a", "b"),
            RepairExample("```\na\n```", "b\n", "a\n", "b\n"),
            RepairExample("```\na\n```", "", "a\n", ""),
            RepairExample("```\na\n```", "```\n```", "a\n", ""),
            RepairExample("```\na\n\n```", "```\nb\n```", "a\n\n", "b\n"),
            RepairExample("```\na\n```", "b\n```", "a", "b"),
            RepairExample("```py\na\n```", "```py\nb", "a", "b"),
            RepairExample("a\n```", "b\n```", "a", "b"),
            RepairExample("a\n\n```", "\n```", "a\n\n", "\n"),
            RepairExample("```\na\n\n```", "b\n\n", "a\n\n", "b\n\n"),
            RepairExample("a\n```", "b", "a", "b"),
            RepairExample("````md\na\n```\nb\n```\n````", "````md\nc\n````", "a\n```\nb\n```", "c"),
            RepairExample("```md\na\n```sh\nb\n```\n```", "```md\nc\n```", "a\n```sh\nb\n```", "c"),
            RepairExample("```\r\na\r\n```", "```\r\nb\r\n```", "a", "b"),
        ),
        leaves=(
            RepairExample("a", "```\na\n```"),
            RepairExample("`a`", "`b`"),
            RepairExample("```a```", "```b```"),
            RepairExample("```", "```"),
            RepairExample("```\n```", "```\na\n```"),
            RepairExample("```\na", "```\nb"),
            RepairExample("```sh\na\n```\nprose\n```sh\nb\n```", "prose"),
            RepairExample("```sh\na\n~~~", "b"),
            RepairExample("````\na\n```", "b"),
            RepairExample("```sh\na\n```", "```bash\nb\n```"),
            RepairExample("```\na\n```", "```\nb\n```\n\nprose"),
            RepairExample("```\na\n```", "prose\n```\nb\n```"),
            RepairExample("a\n```", "b\n```\nc\n```"),
            RepairExample("a\n```", "```\nb\n```"),
            RepairExample("```\na\n\n```", "b"),
            RepairExample("```\na\n\n```", "b\n"),
            RepairExample("```\na\n\n```", ""),
        ),
        is_of_lines=True,
    ),
    "blank_lines": Repair(
        name="blank lines",
        rank=30,
        summary="Blank lines before or after the old text are removed.",
        apply=take_off_blank_lines,
        examples=(
            RepairExample("\na\n", "\nb\n", "a\n", "b\n"),
            RepairExample("a\n\n", "b\n\n", "a\n", "b\n"),
            RepairExample("\n\n  a", "\n\n  b", "  a", "  b"),
            RepairExample("a\n\nb\n \n", "a\n\nc\n\n", "a\n\nb\n", "a\n\nc\n"),
            RepairExample("\na\n", "b\n", "a\n", "b\n"),
            RepairExample("a\n\n", "b", "a", "b"),
            RepairExample("a\n    ", "b", "a", "b"),
            RepairExample("a\r\n\r\n", "b\r\n", "a\r\n", "b\r\n"),
            RepairExample("\na\n", "\nb\n\n", "a\n", "b\n\n"),
            RepairExample("\na\n\n", "\n\n", "a\n", ""),
        ),
        leaves=(
            RepairExample("a\n", "\nb\n"),
            RepairExample("a\n\nb", "a\nb"),
            RepairExample("\n\n", "a\n"),
            RepairExample("", ""),
            RepairExample("a\n\n\n", "a\n\n"),
            RepairExample("a\n\n\n", "a\n"),
            RepairExample("a\n\n", "a\n\n\n"),
            RepairExample("\na", ""),
            RepairExample("a\n\n", ""),
            RepairExample("\na\n\n", "b\n"),
            RepairExample("a\n\n", "b\n\t"),
            RepairExample("\na\n\n", "\nb\n"),
            RepairExample("\na\n", "\n\n\n"),
        ),
        is_of_lines=True,
    ),
}
