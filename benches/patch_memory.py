"""The most memory a process has at once while it applies a long diff: Steadyhand, programs and packages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benches import child
from benches.bench import Setting
from benches.patches import Rewrite, lay_out, unified
from benches.peers import PEERS, Unavailable, interpreter_of
from benches.programs import PROGRAMS
from benches.table import Row, Table

_READ = "import sys; texts = [open(name, encoding='utf-8').read() for name in sys.argv[1:]]"
_OURS = {
    "sh.read_patch": "import steadyhand as sh; sh.read_patch(texts[1])",
    "sh.patch": "import steadyhand as sh; assert sh.patch(texts[0], texts[1], path=sys.argv[1]).ok",
}
_THEIRS = {
    "unidiff": ("read", "import unidiff; unidiff.PatchSet(texts[1])"),
    "whatthepatch": ("apply", "import whatthepatch as w; w.apply_diff(next(w.parse_patch(texts[1])), texts[0])"),
    "patch-ng": ("apply", "import patch_ng; assert patch_ng.fromstring(texts[1].encode()).apply(root='.')"),
}


def memory_table(setting: Setting, rewrite: Rewrite) -> Table:
    folder = setting.folder / "memory"
    folder.mkdir()
    diff = folder / "long.diff"
    diff.write_text(unified([rewrite]), encoding="utf-8")
    size = len(rewrite.text) + diff.stat().st_size
    return Table(
        f"Peak memory of a process, a diff of {len(rewrite.changes):,} hunks",
        "a process that reads the file and the diff and ends",
        list(_rows(setting, rewrite, diff, size)),
        f"the file and the diff are {size / 1e6:.1f} MB together",
    )


def _rows(setting: Setting, rewrite: Rewrite, diff: Path, size: int) -> Iterator[Row]:
    measure = partial(_peak, diff.parent, rewrite)
    given = (rewrite.path, diff.name)
    floor = measure(child.python("-c", _READ, *given))
    for label, code in _OURS.items():
        setting.tell(f"peak memory, {label}")
        yield _row(label, measure(child.python("-c", f"{_READ}; {code}", *given)), floor, size)
    for program in PROGRAMS:
        if program.is_there:
            yield _row(program.name, measure([*program.command, program.option + diff.name]), floor, size)
    for peer in PEERS if setting.with_peers else ():
        if peer.package in _THEIRS:
            setting.tell(f"peak memory, {peer.package}")
            what, code = _THEIRS[peer.package]
            try:
                command = [str(interpreter_of(peer)), "-c", f"{_READ}; {code}", *given]
                yield _row(f"{peer.package}, {what}", measure(command), floor, size)
            except (Unavailable, RuntimeError) as reason:
                yield Row(peer.package, None, remark=f"not measured: {reason}")


def _peak(folder: Path, rewrite: Rewrite, command: Sequence[str]) -> int:
    lay_out(folder, [rewrite])
    return child.peak_memory(command, cwd=folder)


def _row(label: str, peak: int, floor: int, size: int) -> Row:
    ratio = peak / floor
    return Row(label, peak, floor, ratio, ratio, ratio, 1, f"{peak / size:.1f}× file and diff", unit="B")
