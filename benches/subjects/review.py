"""A review of many changes: all listed, a decision until it is taken back, their page; in many files, and in one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import steadyhand as sh
from benches.bench import Bench, Setting
from benches.clock import Call, compare
from benches.table import Row, Table
from steadyhand.surfaces.web.markup import join
from steadyhand.surfaces.web.page import Page, View, document
from steadyhand.surfaces.web.shared_review import Asked, Filter, SharedReview
from steadyhand.text.diff import changes_between

_APART = 3  # lines from one change to the next
_PER_FILE = 100


def run(setting: Setting) -> Iterator[Table]:
    yield Table(
        "A review of the changes of a task",
        "the files compared with what they were, line by line",
        [row for changes in setting.scale.review_changes for row in _rows(setting, changes)],
    )


def _rows(setting: Setting, changes: int) -> Iterator[Row]:
    for per_file in (min(_PER_FILE, changes // 2), changes):
        files = changes // per_file
        label = f"{changes:,} changes in {files:,} file{'' if files == 1 else 's'}"
        setting.tell(label)
        root = setting.folder / f"{changes}-{files}"
        before, after = _make(root, files, per_file)

        def compared(before: str = before, after: str = after, files: int = files) -> None:
            for _ in range(files):
                changes_between(before, after)

        with sh.Workspace(root, actor="ann") as ws:
            calls = [
                Call(f"{label}, listed", lambda ws=ws: len(ws.review().changes)),
                Call(f"{label}, one rejected and taken back", lambda ws=ws: _decide(ws)),
                Call(f"{label}, their page", lambda ws=ws: _page(ws), remark=_size(_page(ws))),
                Call(f"{label}, one accepted on the page", lambda ws=ws: _accept(ws)),
            ]
            yield from compare(compared, calls, setting.scale.effort)


def _decide(ws: sh.Workspace) -> None:
    review = ws.review()
    review.reject([review.changes[len(review) // 2].id], "no")
    review.take_back()


def _page(ws: sh.Workspace) -> int:
    """The page of all changes, as it is sent; its size in bytes."""
    review = SharedReview(ws, Filter())
    page = Page(review, review.listing(), View(), "a token")
    return len(document("Review", join([page.header(), page.main()])).encode())


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB sent"


def _accept(ws: sh.Workspace) -> None:
    """A decision as the page makes it, taken back, and what its script then asks for."""
    review = SharedReview(ws, Filter())
    review.decide(Asked("accept", review.listing().shown[0].change.id))
    review.decide(Asked("undo"))
    Page(review, review.listing(), View(), "a token").state()


def _make(root: Path, files: int, per_file: int) -> tuple[str, str]:
    """The files of a workspace, all alike, each changed by one call; the text before and after."""
    root.mkdir()
    before = "".join(f"line {number}\n" for number in range(per_file * _APART))
    with sh.Workspace(root, actor="agent", task="T") as ws:
        for number in range(files):
            path = f"{number:03}.txt"
            (root / path).write_text(before)
            lines = [at * _APART + 2 for at in range(per_file)]
            ws.edit(path, [sh.Replace(sh.Lines(line, line), f"changed {line}\n") for line in lines])
    return before, (root / "000.txt").read_text()


BENCH = Bench("review", 43, run)
