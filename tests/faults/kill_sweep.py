"""Kill a real process at every mutating system call, SQLite's own included. Run by `make crash`; needs strace.

    python -m tests.faults.kill_sweep [story …] [--stride N]

The in-process sweep sees every call of ours; this one also sees the calls made inside C.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import steadyhand as sh
from tests.faults.test_crash import _check_settled, _count_calls, _relink
from tests.faults.trees import STORIES, Story, tree_of

CALLS = (
    "write pwrite64 fsync fdatasync rename renameat renameat2 link linkat unlink unlinkat mkdir mkdirat rmdir"
    " fchmod ftruncate"
).split()
CHILD = "import sys; from tests.faults.kill_sweep import act; act(sys.argv[1], sys.argv[2])"


def act(name: str, root: str) -> None:
    """What the child does."""
    story = next(story for story in STORIES if story.name == name)
    with sh.Workspace(root, actor="child") as ws:
        story.act(ws)


def _traced(story: Story, root: Path, *options: str) -> int:
    child = [sys.executable, "-c", CHILD, story.name, str(root)]
    command = ["strace", "-f", "-qq", "-e", f"trace={','.join(CALLS)}", *options, *child]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."]), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, env=environment, capture_output=True, timeout=300, check=False).returncode


def _copy(pristine: Path, root: Path) -> None:
    shutil.copytree(pristine, root, symlinks=True)
    _relink(pristine, root)


def sweep(story: Story, scratch: Path, stride: int) -> int:
    """Kill at the n-th call of each sort until a run gets through; gives the number of points."""
    pristine = scratch / story.name
    pristine.mkdir()
    story.prepare(pristine)
    before = tree_of(pristine)
    with sh.Workspace(pristine, read_only=True) as ws:
        records = len(ws.history())
    _, after = _count_calls(pristine, story)
    points = 0
    for call in CALLS:  # strace counts each call by itself
        for at in range(1, 10_000, stride):
            root = scratch / f"{story.name}-{call}-{at}"
            _copy(pristine, root)
            code = _traced(story, root, "-e", f"inject={call}:signal=KILL:when={at}", "-o", os.devnull)
            _check_settled(root, before, after, records)
            shutil.rmtree(root)
            if code == 0:
                break
            points += 1
    return points


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stories", nargs="*", default=[story.name for story in STORIES])
    parser.add_argument("--stride", type=int, default=1)
    options = parser.parse_args()
    if shutil.which("strace") is None:
        print("strace is not installed: the sweep over system calls was not run (the in-process sweep was)")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        for story in STORIES:
            if story.name in options.stories:
                points = sweep(story, Path(scratch), options.stride)
                print(f"{story.name}: killed at {points} system calls, every time before or after", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
