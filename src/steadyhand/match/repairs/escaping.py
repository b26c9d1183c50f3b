r"""Texts that were escaped once too often: as the inside of a string, quotes, backslashes, HTML.

A reading takes both texts and gives both, or None where they cannot have been escaped in its way. No reading undoes
more than one level. Several readings may fit: `_certain` is how a repair makes sure that the new text means the same
in each that reads the old text alike, for the file can tell two old texts apart and never two new ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from steadyhand.lazy import lazy_pattern
from steadyhand.match.tier import Repair, Repaired, RepairExample
from steadyhand.text.lines import body

_Reading = Callable[[str, str], Repaired | None]

_QUOTES = "\"'`"
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", **{quote: quote for quote in _QUOTES}}
_STRING = lazy_pattern(r"(?:\\u[0-9a-fA-F]{4})+|\\[nrt\"'`\\]")
_DOUBLED = lazy_pattern(r"\\\\[nrt]")
_PAIR = lazy_pattern(r"\\[\"'`\\]")
_BREAK = lazy_pattern(r"\\n|\\r\\n|(?:(?<=^)|(?<=\\n))(?:\\t)+")
_OPENS_NOTHING = lazy_pattern(r"\"{3}|'{3}|(?<=[a-z][a-z])'(?=(?:s|t|d|m|re|ve|ll)\b)")
_SURROGATE = lazy_pattern("[\ud800-\udfff]")


def _has_line_breaks(text: str) -> bool:
    r"""Whether the text has a `\n` or `\t` that is not the end of `\\n`."""
    return any(escape in ("\\n", "\\t") for escape in _STRING.findall(text))


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
    if "\\" not in old or not _has_line_breaks(old):
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
}
