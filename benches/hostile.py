"""Inputs that want to make an engine slow, and one edit of each in a process of its own.

`python -m benches.hostile NAME SIZE LINES LINE` edits once and prints one line of JSON: seconds, the floor's seconds,
what became of the edit, and the most memory the process had, in bytes (0 where the system does not say). Where it wants
more than 4 GB, and the system lets that be limited, it dies: a bench takes no machine down.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from benches.texts import another_word, program_lines

Input = tuple[str, str]
_MOST_MEMORY = 4 << 30


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of a hostile file, lines of a hostile old text, bytes of a hostile line."""

    file: int
    lines: int
    line: int


_SAME = "    total = combine(total, entry)\n"


def _repeated(sizes: Sizes) -> str:
    return _SAME * (sizes.file // len(_SAME))


def _program(sizes: Sizes) -> list[str]:
    return list(program_lines(sizes.file))


def _long_line(sizes: Sizes) -> str:
    part = "alpha(beta, gamma) + delta[epsilon]; "
    return part * (sizes.line // len(part)) + "last(part, here)\n"


def _misquoted_many(sizes: Sizes) -> Input:
    lines = _program(sizes)
    wanted = lines[: sizes.lines]
    return "".join(lines), "".join(another_word(line) if row % 50 == 3 else line for row, line in enumerate(wanted))


def _periodic(sizes: Sizes) -> Input:
    """Two lines in turn, and old text that fits everywhere but for its last line."""
    pair = "open(entry)\nclose(entry)\n"
    return pair * (sizes.file // len(pair)), pair * 200 + "never(entry)\n"


def _foreign(count: int) -> str:
    return "".join(line for _, line in zip(range(count), program_lines(count * 100, seed=7), strict=False))


INPUTS: Mapping[str, Callable[[Sizes], Input]] = {
    "one line repeated, that line": lambda sizes: (_repeated(sizes), _SAME),
    "one line repeated, that line at another depth": lambda sizes: (_repeated(sizes), f"    {_SAME}"),
    "one line repeated, 40 of them and a wrong word": lambda sizes: (
        _repeated(sizes),
        _SAME * 20 + _SAME.replace("entry", "entries") + _SAME * 19,
    ),
    "one line repeated, 40 foreign lines": lambda sizes: (_repeated(sizes), _foreign(40)),
    "two lines in turn, 400 of them and a last one that is not there": _periodic,
    "only blank lines, 40 blank lines and a word": lambda sizes: ("\n" * sizes.file, "\n" * 40 + "word\n"),
    "old text of many lines, foreign": lambda sizes: ("".join(_program(sizes)), _foreign(sizes.lines)),
    "old text of many lines, misquoted": _misquoted_many,
    "old text of many lines, of one repeated": lambda sizes: (_repeated(sizes), _SAME * sizes.lines + "end\n"),
    "one long line, a part of it": lambda sizes: (_long_line(sizes), "last(part, here)"),
    "one long line, a part with other blanks": lambda sizes: (_long_line(sizes), "last(part,  here)"),
    "one long line, a part misquoted": lambda sizes: (_long_line(sizes), "delta[epsilon]; last(port, here)"),
    "one long line, 40 foreign lines": lambda sizes: (_long_line(sizes), _foreign(40)),
    "one long line, all of it with a wrong end": lambda sizes: (
        _long_line(sizes),
        _long_line(sizes).replace("here", "there"),
    ),
}


def main() -> None:
    import steadyhand as sh

    _limit_memory()
    name, *numbers = sys.argv[1:]
    text, old = INPUTS[name](Sizes(*map(int, numbers)))
    sh.edit("a\n", [sh.Replace("b\n", "c\n")])  # a first refusal imports what it needs, which is not measured here
    started = perf_counter()
    text.find(old)
    text.splitlines()
    floor = perf_counter() - started
    started = perf_counter()
    result = sh.edit(text, [sh.Replace(old, old + "added()\n")], path="a.py")
    seconds = perf_counter() - started
    what = f"refused: {result.error.kind.value}" if result.error else f"applied: {result.outcomes[0].tier}"
    print(json.dumps([seconds, floor, what, _peak()]))


def _limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, OSError, ValueError):
        pass


def _peak() -> int:
    """This process alone: what `getrusage` says may still be that of whoever started it."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0)


if __name__ == "__main__":
    main()
