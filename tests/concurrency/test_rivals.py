"""Others at the same file who share neither root nor journal with us, or know nothing of Steadyhand: nothing is lost.

`STEADYHAND_ATTACK_EDITS` is how many edits each side makes; a long run has a thousand.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.location import FOLDER
from tests.concurrency.crew import wait_until
from tests.concurrency.mounts import mounted_at
from tests.concurrency.rival import SAVED
from tests.faults.trees import temporaries
from tests.hostile.test_unprivileged import NOBODY, make_reachable
from tests.table import table

EDITS = int(os.environ.get("STEADYHAND_ATTACK_EDITS", "12"))
WAYS = ("nested roots", "two journals", "linked root")
SAVES = ("append", "rename", "truncate")


def start(*given: str | Path, within: Sequence[str] = ()) -> subprocess.Popen[str]:
    command = [*within, sys.executable, "-m", "tests.concurrency.rival", *map(str, given)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> int:
    out, _ = process.communicate()
    assert process.returncode == 0
    return int(out)


def two_ways(tmp_path: Path, how: str, edits: int) -> list[tuple[Path, str, str]]:
    """Two agents' roots, the path each has for the one file, and their journals."""
    base = tmp_path / "n"
    (base / "sub").mkdir(parents=True)
    lines = [f"{tag} {number} free\n" for number in range(edits) for tag in "AB"]
    (base / "sub" / "f.txt").write_text("".join(lines))
    match how:
        case "nested roots":
            return [(base, "sub/f.txt", ""), (base / "sub", "f.txt", "")]
        case "two journals":
            return [(base, "sub/f.txt", ""), (base, "sub/f.txt", str(tmp_path / "other"))]
        case _:  # one of the roots is a link to the other
            (tmp_path / "link").symlink_to(base / "sub")
            return [(base / "sub", "f.txt", ""), (tmp_path / "link", "f.txt", str(tmp_path / "other"))]


def check_agents(folder: Path, how: str, edits: int) -> None:
    """Two agents change the lines of one file, each through a way of its own; both find all they have done."""
    ways = two_ways(folder, how, edits)
    agents = [
        start("edit", root, path, tag, str(edits), *filter(None, [journal]))
        for (root, path, journal), tag in zip(ways, "AB", strict=True)
    ]
    assert [said(agent) for agent in agents] == [edits, edits]
    text = (ways[0][0] / ways[0][1]).read_text()
    assert text.count("done") == 2 * edits
    for root, _, journal in ways:
        assert temporaries(root) == []
        with sh.Workspace(root, journal=journal or None) as ws:
            assert ws.check().ok


@table("how", WAYS, every=3)
def test_no_acknowledged_edit_is_lost_between_agents_who_share_no_journal(how: str, tmp_path: Path) -> None:
    check_agents(tmp_path, how, EDITS)


def check_saves(folder: Path, how: str, edits: int) -> int:
    """Another program saves the file that is edited, again and again, and finds every line; how often it saved."""
    path = folder / "a.txt"
    path.write_text("".join(f"line {number}\n" for number in range(edits)))
    neighbour = start("save", path, how)
    wait_until(lambda: SAVED.format(0) in path.read_text(), "the other program saves")
    with sh.Workspace(folder) as ws:
        for number in range(edits):
            with suppress(EditError):
                ws.edit("a.txt", [sh.Replace(f"line {number}\n", f"LINE {number}\n")])
    saves = said(neighbour)
    kept = "".join(each.read_text() for each in (folder / FOLDER).glob("kept/*"))
    lines = set((path.read_text() + kept).splitlines(keepends=True))
    assert [number for number in range(saves) if SAVED.format(number) not in lines] == []
    assert temporaries(folder) == []
    return saves


@table("how", SAVES, every=3)
def test_a_program_that_saves_all_the_time_loses_nothing(how: str, tmp_path: Path) -> None:
    check_saves(tmp_path, how, EDITS)


@table("journals", ["one journal", "two journals"], every=2)
def test_no_edit_is_lost_between_agents_who_reach_a_directory_by_two_mounts(journals: str, tmp_path: Path) -> None:
    base, second = tmp_path / "base", tmp_path / "second"
    base.mkdir()
    (base / "f.txt").write_text("".join(f"{tag} {number} free\n" for number in range(EDITS) for tag in "AB"))
    other = [tmp_path / "other"] if journals == "two journals" else []
    within = mounted_at(base, second)
    agents = [
        start("edit", base, "f.txt", "A", str(EDITS)),
        start("edit", second, "f.txt", "B", str(EDITS), *other, within=within),
    ]
    assert [said(agent) for agent in agents] == [EDITS, EDITS]
    assert (base / "f.txt").read_text().count("done") == 2 * EDITS
    assert temporaries(base) == []
    with sh.Workspace(base) as ws:
        assert ws.check().ok


def test_no_edit_is_lost_between_agents_of_two_users(tmp_path: Path) -> None:
    """The file belongs to one of them, so that the other writes it in place; each has a journal of its own."""
    root, others = tmp_path / "root", tmp_path / "others"
    for place in (root, others):
        place.mkdir()
        place.chmod(0o777)
    make_reachable(tmp_path)
    (root / "f.txt").write_text("".join(f"{tag} {number} free\n" for number in range(EDITS) for tag in "AB"))
    (root / "f.txt").chmod(0o666)
    agents = [
        start("edit", root, "f.txt", "A", str(EDITS)),
        start("edit", root, "f.txt", "B", str(EDITS), others / "journal", str(NOBODY)),
    ]
    assert [said(agent) for agent in agents] == [EDITS, EDITS]
    assert (root / "f.txt").read_text().count("done") == 2 * EDITS
    assert temporaries(root) == []
    assert (root / "f.txt").stat().st_uid == os.getuid()


def test_a_lock_that_another_user_holds_is_respected(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    path.chmod(0o644)
    tmp_path.chmod(0o755)
    make_reachable(tmp_path)
    holder = start("hold", path, str(NOBODY))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with sh.Workspace(tmp_path, lock_timeout=0) as ws:
        with pytest.raises(EditError) as caught:
            ws.edit("a.txt", [sh.Replace("one", "two")])
        assert caught.value.kind is Kind.BUSY
        assert said(holder) == 0
        ws.edit("a.txt", [sh.Replace("one", "two")])
    assert path.read_text() == "two\n"


def test_a_file_that_another_program_has_locked_is_busy(tmp_path: Path) -> None:
    import fcntl

    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("one\n")
    with (tmp_path / "a.txt").open() as file, sh.Workspace(tmp_path, lock_timeout=0) as ws:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(EditError) as caught:
            ws.edit("a.txt", [sh.Replace("one", "two")])
        assert caught.value.kind is Kind.BUSY
        assert "another program" in caught.value.message
        ws.edit("b.txt", [sh.Replace("one", "two")])
    assert (tmp_path / "a.txt").read_text() == "one\n"


def test_a_change_of_many_files_needs_no_handle_for_each(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"f{number}.txt").write_text("one\n")
    with sh.Workspace(tmp_path) as ws:
        with ws.transaction() as tx:
            for number in range(300):
                tx.edit(f"f{number}.txt", [sh.Replace("one", "two")])
        assert {path.read_text() for path in tmp_path.glob("*.txt")} == {"two\n"}
        assert temporaries(tmp_path) == []
