r"""A backslash before every quote of a kind, and nothing else escaped.

The old text has no quote of that kind without one, and neither has a new text with any backslash in it. Other
backslashes stay: they belong to the code. Where the new text has some that would mean something else had the whole
text been escaped, nobody can tell, and the texts are left.
"""

from __future__ import annotations

from steadyhand.match.repair import Repair, Repaired, RepairExample, as_pairs, as_quotes, as_string, certain


def repair(old: str, new: str) -> Repaired | None:
    """Both texts with plain quotes."""
    return certain(as_quotes, (as_string, as_pairs), old, new)


REPAIR = Repair(
    name="escaped quotes",
    rank=50,
    summary="Quotes that all follow a backslash in the old text lose it.",
    apply=repair,
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
)
