"""Real files and random edits of them, written in every dialect that can be written, read and applied again."""

from __future__ import annotations

import random
import sysconfig
from pathlib import Path

import steadyhand as sh
from steadyhand.dialects.dialect import Change, Dialect, dialects
from steadyhand.errors import EditError, Kind
from tests.table import table

ROOT = Path(__file__).parent.parent.parent
STANDARD = Path(sysconfig.get_paths()["stdlib"])
REAL = [
    *(ROOT / name for name in ("README.md", "Makefile", "src/steadyhand/text/unified.py")),
    *(STANDARD / name for name in ("textwrap.py", "shlex.py", "json/decoder.py")),
]
WRITTEN = [dialect for dialect in dialects() if dialect.write is not None]
PAIRS = 30


def pair(seed: int) -> tuple[str, str]:
    """A stretch of a real file, and what a few edits of its lines make of it."""
    chance = random.Random(seed)
    rows = chance.choice(REAL).read_text(encoding="utf-8").splitlines(keepends=True)
    start = chance.randrange(max(len(rows) - 60, 1))
    before = rows[start : start + chance.randrange(5, 120)]
    after = list(before)
    for number in range(chance.randrange(1, 4)):
        at = chance.randrange(len(after))
        new = [
            f"{' ' * chance.randrange(0, 9, 4)}fresh_{seed}_{number}_{line} = 1\n"
            for line in range(chance.randrange(3))
        ]
        after[at : at + chance.randrange(3)] = new
    return "".join(before), "".join(after)


@table("dialect", WRITTEN, ids=[dialect.name for dialect in WRITTEN])
def test_what_is_written_is_read_and_applied_to_the_letter(dialect: Dialect) -> None:
    written = 0
    for seed in range(PAIRS):
        before, after = pair(seed)
        if before == after or not after:
            continue
        try:
            assert dialect.write is not None
            reply = dialect.write([Change("src/app.py", "src/app.py", before, after)])
        except EditError as error:
            assert error.kind is Kind.BAD_REQUEST, seed
            continue
        written += 1
        for name in (dialect.name, "auto") if dialect.is_marked else (dialect.name,):
            result = sh.patch(before, reply, path="src/app.py", format=name, policy=sh.Policy(guards=frozenset()))
            assert result.error is None, (seed, name, result.error)
            assert result.text == after, (seed, name)
            assert result.format == dialect.name
    assert written >= PAIRS * 0.9
