"""Who is present at a journal in a folder: seen from the outside, across processes, forks and other people's files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from steadyhand.errors import EditError
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.record import Party, SeenVersion
from steadyhand.workspace.journal.store import open_journal
from tests.workspace.journal.sample_records import behind_its_back, lease, run

ANN = Party("agent-7", "T-1")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".steadyhand"


def holders(folder: Path) -> list[str]:
    return sorted(os.listdir(folder / "holders"))


def ids(folder: Path, **options: bool) -> list[str]:
    with open_journal(folder, **options) as journal:
        return [each.id for each in journal.leases()]


@pytest.mark.parametrize("name", ["../../precious", "", "/etc/passwd", "a" * 32, "..", "A" * 32, "x\0y"])
def test_a_holder_by_a_strange_name_is_nobody_and_nothing_is_removed_for_it(folder: Path, name: str) -> None:
    precious = folder.parent.parent / "precious"
    with open_journal(folder) as journal:
        journal.keep_lease(lease())
        mine = holders(folder)
    precious.write_text("mine")
    with open_journal(folder) as journal:
        journal.keep_lease(lease("L-2"))
        behind_its_back(folder, ("UPDATE leases SET holder = ?", (name,)))
        assert journal.leases() == []
        assert len(holders(folder)) == len(mine) == 1
    assert precious.read_text() == "mine"


def test_a_link_or_a_pipe_in_a_holders_place_is_nobody_and_is_not_followed(folder: Path) -> None:
    target = folder.parent / "target"
    target.write_text("precious")
    for odd in (lambda path: path.symlink_to(target), os.mkfifo, lambda path: path.mkdir()):
        with open_journal(folder) as journal:
            journal.keep_lease(lease())
            (name,) = holders(folder)
            (folder / "holders" / name).unlink()
            odd(folder / "holders" / name)
            assert ids(folder, read_only=True) == []
            assert journal.leases() == []
        if (folder / "holders" / name).is_dir():
            (folder / "holders" / name).rmdir()
    assert target.read_text() == "precious"


def test_a_link_in_place_of_the_holders_is_not_followed(folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    with open_journal(folder) as journal:
        (folder / "holders").symlink_to(elsewhere)
        with pytest.raises(EditError):
            journal.keep_lease(lease())
        assert journal.leases() == []
    assert os.listdir(elsewhere) == []


def test_nothing_is_made_before_a_lease_is_announced(folder: Path) -> None:
    with open_journal(folder) as journal:
        journal.see(ANN, "a.md", [SeenVersion("0" * 64, 0)])
        assert journal.leases() == []
        assert not (folder / "holders").exists()


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_the_files_of_holders_are_private_and_go_with_them(folder: Path, umask: int) -> None:
    with open_journal(folder) as journal:
        before = os.umask(umask)
        try:
            journal.keep_lease(lease("L-1"))
        finally:
            os.umask(before)
        journal.keep_lease(lease("L-2"))
        (name,) = holders(folder)
        assert stat.S_IMODE((folder / "holders").stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "holders" / name).stat().st_mode) == 0o600
    assert holders(folder) == []


def test_a_journal_that_nobody_closed_leaves_when_nobody_has_it(folder: Path) -> None:
    journal = open_journal(folder)
    journal.keep_lease(lease())
    assert ids(folder) == ["L-1"]
    del journal
    assert ids(folder) == []
    assert holders(folder) == []


def test_what_a_killed_process_left_is_removed(folder: Path) -> None:
    script = "journal = open_journal(sys.argv[1]); journal.keep_lease(lease())\nos.kill(os.getpid(), signal.SIGKILL)\n"
    assert run(script, folder).returncode < 0
    assert len(holders(folder)) == 1
    assert ids(folder, read_only=True) == []
    assert len(holders(folder)) == 1
    assert ids(folder) == []
    assert holders(folder) == []
    assert run(script, folder).returncode < 0
    with open_journal(folder) as journal:
        journal.end_lease("L-1")
        journal.keep_lease(lease("L-2"))
        assert len(holders(folder)) == 1


def test_a_forked_child_is_a_holder_of_its_own(folder: Path) -> None:
    ended = run(
        "journal = open_journal(sys.argv[1])\n"
        "journal.keep_lease(lease('parents'))\n"
        "there, here = os.pipe()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    journal.keep_lease(lease('childs'))\n"
        "    os.write(here, b'x')\n"
        "    signal.pause()\n"
        "    os._exit(0)\n"
        "os.read(there, 1)\n"
        "assert [each.id for each in journal.leases()] == ['parents', 'childs']\n"
        "os.kill(child, signal.SIGKILL)\n"
        "os.waitpid(child, 0)\n"
        "assert [each.id for each in journal.leases()] == ['parents']\n",
        folder,
    )
    assert ended.returncode == 0, ended.stderr


def test_a_child_that_outlives_its_parent_keeps_none_of_its_leases(folder: Path) -> None:
    """The child has the parent's handles from the fork on and never asks the journal anything."""
    ended = run(
        "middle = os.fork()\n"
        "if middle == 0:\n"
        "    journal = open_journal(sys.argv[1])\n"
        "    journal.keep_lease(lease())\n"
        "    there, here = os.pipe()\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        os.write(here, b'x')\n"
        "        signal.pause()\n"
        "    os.read(there, 1)\n"
        "    Path(sys.argv[2]).write_text(str(child))\n"
        "    os._exit(0)\n"
        "os.waitpid(middle, 0)\n"
        "child = int(Path(sys.argv[2]).read_text())\n"
        "journal = open_journal(sys.argv[1])\n"
        "found = journal.leases()\n"
        "os.kill(child, signal.SIGKILL)\n"
        "assert found == [], found\n",
        folder,
        folder.parent / "child",
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE leases SET body = x'00'",
        "UPDATE leases SET body = 'text', expires = 'soon'",
        "UPDATE leases SET checksum = x''",
        "UPDATE leases SET expires = 0",
        "UPDATE leases SET expires = 1e300",
        "UPDATE leases SET path = x'6f74686572'",
        "UPDATE leases SET holder = 7",
        "UPDATE leases SET number = 'x'",
        "UPDATE sights SET body = x'7b7d'",
        "UPDATE sights SET body = 5",
        "UPDATE sights SET checksum = 'x'",
        "UPDATE sights SET version = x'00'",
        "UPDATE versions SET data = x'00'",
        "UPDATE versions SET size = 'x', codec = x''",
        "UPDATE versions SET digest = 'text'",
        "UPDATE parties SET seq = 'x'",
        "UPDATE parties SET seq = -1",
    ],
)
def test_a_damaged_row_about_parties_is_as_good_as_none(folder: Path, statement: str) -> None:
    content = b"seen\n" * 500
    seen = (SeenVersion(digest_of(content), 0),)
    with open_journal(folder) as journal:
        journal.meet(ANN)
        journal.append_note("x", {})
        journal.see(ANN, "a.md", seen, content)
        journal.keep_lease(lease())
        table = statement.split()[1]
        behind_its_back(folder, (statement, ()))
        assert [each.id for each in journal.leases()] == ([] if table == "leases" else ["L-1"])
        assert journal.seen_versions(ANN, "a.md") == (() if table == "sights" else seen)
        found = journal.seen_content("a.md", digest_of(content))
        assert found == (None if table == "versions" else content)
        assert journal.meet(ANN) == (1 if table == "parties" else 0)
        assert journal.verify() == []
        journal.see(ANN, "a.md", seen, content)
        journal.keep_lease(lease())
        assert journal.seen_versions(ANN, "a.md") == seen
        assert journal.seen_content("a.md", digest_of(content)) == content
        assert len(journal.leases()) == 1
