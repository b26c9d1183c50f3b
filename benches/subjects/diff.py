"""Diff, three-way merge and the search for the nearest place, each on a long file against the usual way to do it."""

from __future__ import annotations

import difflib
import random
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.peers import peer_tables
from benches.table import Row, Table
from benches.texts import code_lines, edited_lines, misquoted, search_and_split
from steadyhand import Replace, edit
from steadyhand.text.merge import merge3
from steadyhand.text.nearest import find_nearest
from steadyhand.text.source import Source
from steadyhand.text.unified import render_unified


def run(setting: Setting) -> Iterator[Table]:
    count = setting.scale.diff_lines
    lines = code_lines(count)
    yield Table(
        f"Unified diff of files of {count:,} lines",
        "difflib.unified_diff",
        list(_diffs(setting, lines)),
        "from two texts to the text of the diff",
    )
    yield Table(
        f"Three-way merge of files of {count:,} lines",
        "git merge-file -p, the start of its process included",
        list(_merges(setting, lines)),
    )
    yield Table(
        f"Old text that is not in a file of {count:,} lines",
        "str.find that fails, then str.splitlines: the least a search by lines must do",
        list(_misses(setting, lines)),
    )
    if setting.with_peers:
        yield from peer_tables(setting, "miss")


def _diffs(setting: Setting, lines: list[str]) -> Iterator[Row]:
    few = [random.Random(row).choice(("{\n", "}\n", "    pass\n", "\n", "end\n")) for row in range(len(lines))]
    pairs = {
        **{f"{edits:,} edits": (lines, edited_lines(lines, edits, edits)) for edits in setting.scale.diff_edits},
        "five different lines, 500 edits": (few, edited_lines(few, min(500, len(few) // 2), 1)),
        "every line new": (lines, [f"other {line}" for line in lines]),
    }
    for name, (before, after) in pairs.items():
        setting.tell(f"diff, {name}")
        left, right = "".join(before), "".join(after)
        rows = [text.count("\n") for text in (render_unified(left, right, "a", "a"), _by_difflib(left, right))]
        remark = "{:,} rows of diff, difflib {:,}".format(*rows)
        calls = [Call(name, partial(render_unified, left, right, "a", "a"), remark=remark)]
        yield from compare(partial(_by_difflib, left, right), calls, setting.scale.effort)


def _by_difflib(before: str, after: str) -> str:
    return "".join(difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), "a", "a"))


def _merges(setting: Setting, lines: list[str]) -> Iterator[Row]:
    base = "".join(lines)
    for edits in setting.scale.diff_edits[:2]:
        setting.tell(f"merge, {edits} edits a side")
        ours, theirs = ("".join(edited_lines(lines, edits, seed)) for seed in (1, 2))
        paths = [setting.folder / name for name in ("ours", "base", "theirs")]
        for path, text in zip(paths, (ours, base, theirs), strict=True):
            path.write_text(text, encoding="utf-8")
        conflicts = len(merge3(base, ours, theirs).conflicts)
        call = Call(
            f"{edits:,} edits on each side", partial(merge3, base, ours, theirs), remark=f"{conflicts} conflicts"
        )
        yield from compare(partial(_by_git, paths), [call], setting.scale.effort)


def _by_git(paths: list[Path]) -> None:
    subprocess.run(["git", "merge-file", "-p", *map(str, paths)], stdout=subprocess.DEVNULL, check=False)


def _misses(setting: Setting, lines: list[str]) -> Iterator[Row]:
    text = "".join(lines)
    needles = {
        "40 lines misquoted": misquoted(lines[len(lines) // 2 :][:40]),
        "part of a line misquoted": lines[len(lines) // 2].strip().replace("combine", "combined"),
        "40 foreign lines": "".join(f"completely {row} unrelated {row}\n" for row in range(40)),
    }
    for name, needle in needles.items():
        setting.tell(f"no match, {name}")
        calls = [
            Call(f"find_nearest, {name}", partial(_nearest, text, needle)),
            Call(f"sh.edit refused, {name}", partial(edit, text, [Replace(needle, "x\n")])),
        ]
        yield from compare(partial(search_and_split, text, needle), calls, setting.scale.effort)


def _nearest(text: str, needle: str) -> object:
    """On a source of its own, so that no table of lines is kept from one run to the next."""
    return find_nearest(Source.of_text(text), needle)


BENCH = Bench("diff", 70, run)
