"""Names that are suggested for one that is not known: similar ones, and nothing where nothing is similar."""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Iterator

import pytest

from steadyhand.text.resemblance import similar_names
from tests.real_files import real_texts
from tests.sampling import sample
from tests.table import table

HEADINGS = ["Intro", "Usage", "Setup on a server"]


@table(
    ("name", "known", "found"),
    [
        ("Zebra", HEADINGS, []),
        ("Introduction", HEADINGS, ["Intro"]),
        ("setup", HEADINGS, ["Setup on a server"]),
        ("old_str", ["old_string", "new_string"], ["old_string"]),
        ("oldString", ["old_string", "new_string"], ["old_string"]),
        ("xyz", ["old_string", "new_string"], []),
        ("", ["a"], []),
        ("…", ["a", "…"], ["…"]),
        ("a", [], []),
    ],
)
def test_only_a_similar_name_is_suggested(name: str, known: list[str], found: list[str]) -> None:
    assert similar_names(name, known) == found


def families() -> list[list[str]]:
    """Names that belong together: what a module defines, what a page is divided into."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # of whoever wrote the installed file
        warnings.simplefilter("ignore", DeprecationWarning)
        trees = [ast.parse(text) for text in real_texts()]
    found = [sorted({each.name for each in ast.walk(tree) if isinstance(each, DEFS)}) for tree in trees]
    found += [re.findall(r"^#+ (.+)$", text, re.M) for text in real_texts(".md")]
    return [names for names in found if len(names) >= 5]


DEFS = (ast.FunctionDef, ast.ClassDef)


def slips(name: str, chance: random.Random) -> Iterator[str]:
    """The name with a character too much, too few, or two of them swapped; in other words of case."""
    at = chance.randrange(len(name) - 1)
    yield name[:at] + name[at + 1 :]
    yield name[:at] + name[at] + name[at:]
    yield name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    yield name.upper().replace("_", "-")


@pytest.mark.sampled
def test_the_floor_parts_slips_from_names_of_elsewhere() -> None:
    chance, groups = random.Random(15), sample(families(), 100)
    found = asked = strange = 0
    for names in groups:
        meant = chance.choice([name for name in names if len(name) > 4] or ["name_"])
        known = [*names, meant]
        found += sum(similar_names(slip, known) == [meant] for slip in slips(meant, chance))
        asked += 4
        other = chance.choice([name for name in chance.choice(groups) if name not in names] or ["zebra"])
        strange += bool(similar_names(other, names[:30]))
    assert found > 0.93 * asked
    assert strange < 0.12 * len(groups)
