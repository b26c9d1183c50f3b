"""Files that are harmless alone and make a git repository together: what git would run there, it must not run."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping
from itertools import permutations
from pathlib import Path

import pytest

import steadyhand as sh
from steadyhand.errors import EditError, Kind

GIT = shutil.which("git") or "git"
CONFIG = '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch {}; false"\n'
HEAD = "ref: refs/heads/main\n"


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """What the attack makes if git runs its command."""
    return tmp_path / "run-by-git"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "readme.md").write_text("hello\n")
    return root


def parts_of(marker: Path) -> dict[str, str]:
    return {"HEAD": HEAD, "config": CONFIG.format(marker), "objects/.keep": "", "refs/.keep": ""}


def run_git(folder: Path) -> None:
    subprocess.run([GIT, "status"], cwd=folder, capture_output=True, check=False)


def create(workspace: sh.Workspace, path: str, text: str) -> Kind | None:
    try:
        workspace.create(path, text)
    except EditError as error:
        return error.kind
    return None


def test_git_runs_the_command_where_nobody_refuses(root: Path, marker: Path) -> None:
    with sh.Workspace(root, protect="none") as workspace:
        for name, text in parts_of(marker).items():
            workspace.create(f"sub/{name}", text)
    run_git(root / "sub")
    assert marker.exists()


@pytest.mark.parametrize("order", [*permutations(("HEAD", "config", "objects/.keep", "refs/.keep"))], ids="-".join)
def test_the_file_that_would_complete_a_repository_is_refused(root: Path, marker: Path, order: tuple[str, ...]) -> None:
    parts = parts_of(marker)
    with sh.Workspace(root) as workspace:
        kinds = [create(workspace, f"sub/{name}", parts[name]) for name in order]
    assert Kind.PROTECTED_PATH in kinds
    run_git(root / "sub")
    assert not marker.exists()


@pytest.mark.parametrize(
    "names",
    [
        ("HEAD", "config", "objects/.keep", "refs/.keep"),
        ("head", "config", "Objects/x", "REFS/x"),
        ("HE\u200dAD", "config", "ob\u200cjects/x", "refs/x"),
        ("\uff28EAD", "config", "objects/x", "refs/heads/x"),
        ("HEAD", "config", "objects", "refs"),
        ("HEAD", "commondir"),
        ("config", "objects/a", "refs/b"),
    ],
    ids=ascii,
)
@pytest.mark.parametrize("directory", ["sub/", "new/deep/", ""])
def test_one_transaction_cannot_make_it_either(
    root: Path, marker: Path, names: tuple[str, ...], directory: str
) -> None:
    with sh.Workspace(root) as workspace, pytest.raises(EditError) as refused, workspace.transaction() as transaction:
        for name in names:
            transaction.create(directory + name, parts_of(marker).get(name, "x\n"))
    assert refused.value.kind is Kind.PROTECTED_PATH
    assert sorted(path.name for path in root.rglob("*") if ".steadyhand" not in path.parts) == ["readme.md", "sub"]


def test_two_missing_parts_in_one_transaction_meet_what_is_on_the_disk(root: Path, marker: Path) -> None:
    with sh.Workspace(root) as workspace:
        workspace.create("sub/config", CONFIG.format(marker))
        workspace.create("sub/HEAD", HEAD)
        with pytest.raises(EditError) as refused, workspace.transaction() as transaction:
            transaction.create("sub/objects/x", "x\n")
            transaction.create("sub/refs/x", "x\n")
    assert refused.value.kind is Kind.PROTECTED_PATH


def by_rename(workspace: sh.Workspace) -> None:
    workspace.create("sub/HEAD.txt", HEAD)
    workspace.rename("sub/HEAD.txt", "sub/HEAD")


def by_preview(workspace: sh.Workspace) -> None:
    workspace.create("sub/HEAD", HEAD, preview=True)


def by_link(workspace: sh.Workspace) -> None:
    (Path(workspace.root) / "other").symlink_to("sub")
    workspace.create("other/HEAD", HEAD)


def by_patch(workspace: sh.Workspace) -> None:
    workspace.patch("*** Begin Patch\n*** Add File: sub/HEAD\n+ref: refs/heads/main\n*** End Patch\n")


def by_undo(workspace: sh.Workspace) -> None:
    (Path(workspace.root) / "sub" / "refs").rename(Path(workspace.root) / "sub" / "later")
    workspace.create("sub/HEAD", HEAD)
    receipt = workspace.delete("sub/HEAD")
    (Path(workspace.root) / "sub" / "later").rename(Path(workspace.root) / "sub" / "refs")
    assert receipt.id is not None
    workspace.undo(receipt.id)


@pytest.mark.parametrize("way", [by_rename, by_preview, by_link, by_patch, by_undo])
def test_every_way_to_the_last_part_is_refused(root: Path, way: Callable[[sh.Workspace], None]) -> None:
    for name in ("objects", "refs"):
        (root / "sub" / name).mkdir()
    with sh.Workspace(root) as workspace, pytest.raises(EditError) as refused:
        way(workspace)
    assert refused.value.kind is Kind.PROTECTED_PATH
    assert not (root / "sub" / "HEAD").exists()


@pytest.mark.parametrize(
    "path", ["config", "HEAD", "hooks/pre-commit", "objects/info/alternates", "info/attributes", "packed-refs"]
)
def test_a_bare_repository_that_is_there_is_left_alone(root: Path, path: str) -> None:
    subprocess.run([GIT, "init", "-q", "--bare", "store"], cwd=root, check=True, capture_output=True)
    target = root / "store" / path
    before = target.read_bytes() if target.exists() else None
    with sh.Workspace(root) as workspace:
        with pytest.raises(EditError) as refused:
            workspace.write(f"store/{path}", "x\n", overwrite=True)
        assert refused.value.kind is Kind.PROTECTED_PATH
        workspace.create("store/main/src/app.py", "x = 1\n")  # a work tree inside is ordinary
    assert (target.read_bytes() if target.exists() else None) == before
    with sh.Workspace(root, allow=("store",)) as workspace:
        workspace.write(f"store/{path}", "x\n", overwrite=True)
    with sh.Workspace(root, allow=("store/**",)) as workspace:
        workspace.write(f"store/{path}", "y\n", overwrite=True)


def test_names_that_are_no_repository_are_ordinary(root: Path) -> None:
    paths = """
    src/objects/cube.py src/refs/link.py src/hooks/use_it.ts src/config/app.ts src/info/x.md src/modules/a.ts
    docs/HEAD docs/config etc/config etc/objects/x HEAD logs/a.log index worktrees/x notes/commondir notes/config
    """.split()
    with sh.Workspace(root) as workspace:
        for path in paths:
            workspace.create(path, "x\n")
            workspace.write(path, "y\n", overwrite=True)


def at_once(root: Path, files: Mapping[str, str]) -> list[Kind | None]:
    """What a workspace of its own says to each file, all created at the same moment."""
    kinds: list[Kind | None] = []
    start = threading.Barrier(len(files))

    def make(path: str, text: str) -> None:
        with sh.Workspace(root) as workspace:
            start.wait()
            kinds.append(create(workspace, path, text))

    threads = [threading.Thread(target=make, args=each) for each in files.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return kinds


def test_two_calls_at_once_do_not_each_make_one_half(root: Path, marker: Path) -> None:
    """Each passes alone, so the check must be made under a lock that both need."""
    for number in range(10):
        folder = f"race{number}"
        (root / folder / "objects").mkdir(parents=True)
        (root / folder / "config").write_text(CONFIG.format(marker))
        kinds = at_once(root, {f"{folder}/HEAD": HEAD, f"{folder}/refs/x": "x\n"})
        assert sorted(map(str, kinds)) == ["None", "protected-path"]
        run_git(root / folder)
    assert not marker.exists()
