r"""A text written as the inside of a string: `\n` for every line break, and often `\"`, `\t` and `\\` too.

The text has no line break of its own, and reading it once gives it some. Whoever escapes a text this way escapes
every quote and every backslash; a plain `"` shows that only the line breaks were escaped, and then a `\n` that may
belong to a quoted text makes it uncertain which ones.
"""

from __future__ import annotations

from steadyhand.match.repair import Repair, Repaired, RepairExample, as_line_breaks, as_string, certain, has_line_breaks


def repair(old: str, new: str) -> Repaired | None:
    """Both texts read once."""
    if not has_line_breaks(old):
        return None
    both = old + new if "\\" in new else old
    is_plainly_quoted = '"' in both.replace('\\"', "")
    return certain(as_line_breaks if is_plainly_quoted else as_string, (), old, new)


REPAIR = Repair(
    name="escapes",
    rank=10,
    summary="The old text is the inside of a string: its escapes are read once.",
    apply=repair,
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
)
