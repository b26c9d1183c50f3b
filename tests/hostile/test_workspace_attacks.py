"""Paths that lead astray, through every verb of a workspace: refused, nothing read, written or shown."""

from __future__ import annotations

import itertools
import os
import random
import socket
import stat
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.location import FOLDER
from tests.faults.trees import temporaries
from tests.hostile.attacks import INSIDE, SECRET, VERBS, contents, make_ground, refused, running, said, snapshot
from tests.sampling import WHOLE, sample

ROUNDS, MOST_ROUNDS = 100 if WHOLE else 30, 5000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_ground(tmp_path)


@pytest.fixture
def fast_path(tmp_path: Path) -> Iterator[Path]:
    """A place where a commit is quick, so that many of them meet the race."""
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(prefix="steadyhand-test-", dir=fast) as home:
        yield Path(home)


ESCAPES = {
    "parent": "../out/a.md",
    "parent by a detour": "sub/../../out/a.md",
    "parent of a missing directory": "missing/../../out/a.md",
    "many parents": "../" * 50 + "etc/passwd",
    "absolute": "/etc/passwd",
    "absolute outside": "{out}/a.md",
    "absolute by a detour": "{root}/../out/a.md",
    "absolute with the root's name as a beginning": "{root}-other/a.md",
    "link to a file outside": "link-out.md",
    "link to a directory outside": "dir-out/a.md",
    "link to a directory outside, new file": "dir-out/new.md",
    "link to a directory outside, new directory": "dir-out/new/deep/a.md",
    "dangling link": "dangling.md",
    "dangling link to a directory": "dangling-dir/new.md",
    "link with an absolute target": "absolute-link.md",
    "link to a link outside": "hop/link-out.md",
    "link in a circle": "circle.md",
    "link to the root's parent": "up/out/a.md",
    "magic link": "proc-cwd/out/a.md",
}


def _with_links(root: Path) -> None:
    out = root.parent / "out"
    (root / "hop").mkdir()
    for name, target in {
        "link-out.md": "../out/a.md",
        "dir-out": "../out",
        "dangling.md": "../out/new.md",
        "dangling-dir": "../out/new-dir",
        "absolute-link.md": str(out / "a.md"),
        "hop/link-out.md": "../link-out.md",
        "circle.md": "circle.md",
        "up": "..",
        "proc-cwd": "/proc/self/cwd",
    }.items():
        (root / name).symlink_to(target)


@pytest.mark.parametrize("path", ESCAPES.values(), ids=list(ESCAPES))
def test_no_verb_leaves_the_root(path: str, root: Path) -> None:
    _with_links(root)
    given = path.format(out=root.parent / "out", root=root)
    before = snapshot(root.parent)
    with sh.Workspace(root) as ws:
        for verb, act in VERBS.items():
            error = refused(lambda act=act: act(ws, given))
            assert error.kind is Kind.OUTSIDE_ROOT, (verb, said(error))
    assert snapshot(root.parent) == before, "not even a state folder"


MALFORMED = {
    "empty": "",
    "the root": ".",
    "the root again": "sub/..",
    "a directory": "sub/",
    "NUL": "a\0.md",
    "NUL after an allowed name": "a.md\0.png",
    "a control character": "a\n.md",
    "an escape": "\x1b[2Ja.md",
    "a lone surrogate": "a\ud800.md",
    "a long name": "x" * 300,
    "a long path": "x/" * 3000 + "a.md",
    "a very long path": "x" * 2_000_000,
}


@pytest.mark.parametrize("path", MALFORMED.values(), ids=list(MALFORMED))
def test_malformed_paths_are_refused_by_every_verb(path: str, root: Path) -> None:
    before = snapshot(root)
    with sh.Workspace(root) as ws:
        for verb, act in VERBS.items():
            error = refused(lambda act=act: act(ws, path))
            assert error.kind in (Kind.BAD_REQUEST, Kind.OUTSIDE_ROOT, Kind.NO_SUCH_FILE), (verb, error)
            assert len(error.message) < 2000
    assert snapshot(root) == before


def test_nothing_is_expanded(root: Path) -> None:
    with sh.Workspace(root) as ws:
        for path in ("~/a.md", "$HOME/a.md", "%2e%2e/out/a.md", "file:///etc/passwd", "sub\\..\\..\\out\\a.md"):
            error = refused(lambda path=path: ws.read(path))
            assert error.kind in (Kind.NO_SUCH_FILE, Kind.OUTSIDE_ROOT, Kind.BAD_REQUEST), error


def _odd_files(root: Path) -> list[str]:
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(root / "socket"))
    names = ["pipe", "socket", "sub", "sub/dir"]
    if os.geteuid() == 0:
        with suppress(PermissionError):  # a container may not make devices, whoever runs in it
            os.mknod(root / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
            os.mknod(root / "block", stat.S_IFBLK | 0o666, os.makedev(7, 0))
            names += ["zero", "block"]
    return names


def test_only_regular_files_are_read_or_replaced(root: Path) -> None:
    names = _odd_files(root)
    (root / "to-pipe").symlink_to("pipe")
    before = contents(root)
    with sh.Workspace(root) as ws:
        for name in [*names, "to-pipe"]:
            for verb, act in VERBS.items():
                error = refused(lambda act=act, name=name: act(ws, name))
                allowed = {Kind.NOT_TEXT, Kind.BAD_REQUEST, Kind.EXISTS_ALREADY, Kind.CANNOT_UNDO}
                assert error.kind in allowed, (name, verb, error)
        for name in set(names) - {"sub", "sub/dir"} | {"to-pipe"}:
            error = refused(lambda name=name: ws.create(f"{name}/sub/new.md", "x\n"))
            assert error.kind in (Kind.NO_SUCH_FILE, Kind.NOT_TEXT), (name, error)
        error = refused(lambda: ws.create("a.md/below.md", "x\n"))
        assert error.kind is Kind.NO_SUCH_FILE
    assert contents(root) == before


PROTECTED = [
    ".git/config", ".git/hooks/pre-commit", ".GIT/config", ".Git/hooks/x", ".git./config", ".git /hooks/x",
    ".g\u200bit/config", ".ｇit/config", "git~1/config", "sub/.git/config", "sub/../.git/config", "./.git//config",
    ".git", ".env", ".ENV", "sub/.env", ".env.local", ".Env.production", "id_rsa", "deploy.pem", ".ssh/config",
    ".steadyhand/journal.sqlite", ".STEADYHAND/journal.sqlite", ".steadyhand", ".steadyhand/pending/x",
    ".steadyhand/locks/000", "sub/.steadyhand/journal.sqlite", ".steadyhand-tmp-1a2b3c4d5e6f-0",
    ".bashrc", ".vscode/tasks.json", ".mcp.json", ".hg/hgrc", ".gitmodules",
    "to-git/config", "to-git/hooks/pre-commit", "to-env",
]  # fmt: skip


@pytest.mark.parametrize("path", PROTECTED)
def test_protected_paths_are_refused_by_every_verb_that_writes(path: str, root: Path) -> None:
    (root / "to-git").symlink_to(".git")
    (root / "to-env").symlink_to(".env")
    before = snapshot(root)
    with sh.Workspace(root) as ws:
        for verb in VERBS.keys() - {"read", "why"}:
            error = refused(lambda verb=verb: VERBS[verb](ws, path))
            never_was = (Kind.CANNOT_UNDO, Kind.BAD_REQUEST) if verb == "undo" else ()
            assert error.kind in (Kind.PROTECTED_PATH, *never_was), (verb, error)
    assert snapshot(root) == before


@pytest.mark.parametrize("path", [".env", ".ENV", "to-env", ".steadyhand/journal.sqlite", "sub/../.env", "./.env"])
def test_secrets_and_our_own_state_are_not_even_read(path: str, root: Path) -> None:
    (root / "to-env").symlink_to(".env")
    with sh.Workspace(root) as ws:
        ws.edit("a.md", [sh.Replace("two", "2")])
        for verb in VERBS:
            error = refused(lambda verb=verb: VERBS[verb](ws, path))
            assert error.kind in (Kind.PROTECTED_PATH, Kind.NO_SUCH_FILE), (verb, error)


def test_undo_honours_protection(root: Path) -> None:
    """What one host allowed is not undone for another who did not."""
    with sh.Workspace(root, allow=[".git"]) as ws:
        ws.create(".git/hooks/pre-commit", "#!/bin/sh\n")
        ws.edit(".git/hooks/pre-commit", [sh.Replace("sh", "bash", occurrence="last")])
    before = snapshot(root / ".git")
    with sh.Workspace(root) as ws:
        for entry in ws.history():
            assert refused(lambda entry=entry: ws.undo(entry.record.id)).kind is Kind.PROTECTED_PATH
        assert refused(lambda: ws.undo(last=True)).kind is Kind.PROTECTED_PATH
    assert snapshot(root / ".git") == before


def test_a_secret_that_the_host_allows_stays_out_of_journal_answers_and_errors(root: Path) -> None:
    with sh.Workspace(root, allow=[".env"]) as ws:
        receipt = ws.edit(".env", [sh.Replace("must be neither", "new-password")])
        answers = [receipt.diff(), str(receipt.to_json()), ws.diff_of(receipt.id or "")]
        assert refused(lambda: ws.edit(".env", [sh.Replace("nothing like it", "x")])).kind is Kind.NO_MATCH
        answers += [said(refused(lambda: ws.undo(receipt.id)))]
    kept = b"".join(path.read_bytes() for path in (root / FOLDER).rglob("*") if path.is_file())
    for part in ("secret:", "new-password", "must be neither"):
        assert part.encode() not in kept
        assert not any(part in answer for answer in answers)


def _swap_directory(base: Path) -> Callable[[], None]:
    """`ws/sub` is the real directory, then a link to the outside, then the real one again."""
    sub, kept, link = base / "ws/sub", base / "kept", base / "link"
    link.symlink_to("../out")

    def swap() -> None:
        os.rename(sub, kept)
        os.rename(link, sub)
        os.rename(sub, link)
        os.rename(kept, sub)
        _rest()

    return swap


def _swap_file(base: Path) -> Callable[[], None]:
    """`ws/sub/a.md` is a file, then a link to a file outside, then a file again; each by one rename."""
    target = base / "ws/sub/a.md"

    def swap() -> None:
        (base / "l").symlink_to("../../out/a.md")
        os.rename(base / "l", target)
        (base / "f").write_text(INSIDE)
        os.rename(base / "f", target)
        _rest()

    return swap


def _rest() -> None:
    """Leave the real thing in place for a while, never the same: a change must sometimes get all the way through."""
    time.sleep(random.expovariate(random.choice((2000, 500, 100, 30))))


def _edit(ws: sh.Workspace, turn: int) -> None:
    receipt = ws.edit("sub/a.md", [sh.Insert("one\n", f"turn {turn}\n")])
    assert SECRET not in receipt.diff()


def _create(ws: sh.Workspace, turn: int) -> None:
    ws.create(f"sub/made-{turn}/new.md", "new\n")


def _write(ws: sh.Workspace, turn: int) -> None:
    assert SECRET not in ws.write("sub/a.md", f"{INSIDE}{turn}\n", overwrite=True).diff()


def _undo(ws: sh.Workspace, turn: int) -> None:
    ws.undo(ws.edit("sub/a.md", [sh.Insert("one\n", f"turn {turn}\n")]).id)


def _several(ws: sh.Workspace, turn: int) -> None:
    with ws.transaction() as tx:
        tx.edit("a.md", [sh.Insert("one\n", f"turn {turn}\n")])
        tx.write("sub/a.md", f"{INSIDE}{turn}\n", overwrite=True)
        tx.create(f"sub/both-{turn}.md", "new\n")


def _read(ws: sh.Workspace, turn: int) -> None:
    assert SECRET not in ws.read("sub/a.md").text
    ws.why_all("sub/a.md")


RACERS = {"edit": _edit, "create": _create, "write": _write, "undo": _undo, "several": _several, "read": _read}
SWAPS = {"a directory": _swap_directory, "a file": _swap_file}
# What a swap may look like from inside. Nothing among these says that something outside was seen.
SEEN = {
    "done", "outside-root", "no-such-file", "stale-source", "busy", "cannot-undo", "no-match", "exists-already",
    "disk-refused", "no-change", "already-applied", "not-text",
}  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "swap"), sample(list(itertools.product(RACERS, SWAPS)), 3))
def test_a_link_swapped_in_between_check_and_use_reaches_nothing_outside(name: str, swap: str, fast_path: Path) -> None:
    act = RACERS[name]
    root = make_ground(fast_path)
    before = snapshot(fast_path / "out")
    seen: Counter[str] = Counter()
    # Whoever swaps files changes them outside Steadyhand; the host here does not mind.
    with sh.Workspace(root, lock_timeout=5, policy=sh.Policy(on_conflict="force")) as ws:
        ws.edit("a.md", [sh.Replace("two", "2")])
        with running(SWAPS[swap](fast_path)):
            turn = 0
            while turn < ROUNDS or (turn < MOST_ROUNDS and not seen["done"]):
                turn += 1
                try:
                    act(ws, turn)
                    seen["done"] += 1
                except EditError as error:
                    assert SECRET not in said(error)
                    seen[str(error.kind)] += 1
    assert snapshot(fast_path / "out") == before
    assert set(seen) <= SEEN, seen
    assert seen["done"], seen
    _settle(fast_path)
    with sh.Workspace(root) as ws:
        assert temporaries(root) == []
        assert ws.check().problems == ()
        assert SECRET not in "".join(ws.diff_of(entry.record.id) for entry in ws.history(limit=50))
    assert snapshot(fast_path / "out") == before


def _settle(base: Path) -> None:
    """The racer was killed wherever it was; put the tree back as a person would."""
    sub, kept = base / "ws/sub", base / "kept"
    if kept.exists() and (sub.is_symlink() or not sub.exists()):
        sub.unlink(missing_ok=True)
        os.rename(kept, sub)
