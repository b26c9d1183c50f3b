r"""Every backslash doubled, and often every quote escaped, while line breaks are plain.

There is no backslash in either text that does not belong to such a pair: a `\n` or `\d` by itself shows that the
doubled ones were meant.
"""

from __future__ import annotations

from steadyhand.match.repair import Repair, Repaired, RepairExample, as_pairs, certain


def repair(old: str, new: str) -> Repaired | None:
    """Both texts with each pair read as one character."""
    return certain(as_pairs, (), old, new) if "\\\\" in old else None


REPAIR = Repair(
    name="doubled backslashes",
    rank=60,
    summary="Backslashes that are all doubled in the old text become single.",
    apply=repair,
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
)
