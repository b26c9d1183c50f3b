"""Tasks: a description leaves one result, the same seed gives the same tasks, and no repository does harm.

What a hostile repository holds is left out: nothing of it runs, and nothing that may be secret is sent to a model.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from steadyhand.agents.score.commits import commit_tasks
from steadyhand.agents.score.description import describe
from steadyhand.agents.score.reference import VERSION, reference_tasks
from steadyhand.agents.score.task import MOST_BYTES, Task, is_small
from steadyhand.errors import EditError, Kind
from steadyhand.workspace.machine import scratch_tree
from tests.agents.score.ground import dull_reading, git, random_history, repository
from tests.table import table

# What a set of reference tasks is, to the letter. Where this differs, `VERSION` must be another one too: scores of two
# versions are not to be compared.
REFERENCE = ("reference-1", "7cbce45ed0a903aa")


def read(task: Task) -> dict[str, str]:
    return dull_reading(describe(task), {file.path: file.before for file in task.files})


def test_a_description_read_like_a_dull_person_gives_the_change_and_nothing_else(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", random_history(120, 1))
    tasks = commit_tasks(str(root), count=100, seed="0").tasks
    assert len(tasks) > 60
    for task in (*tasks, *reference_tasks(96, "3")):
        assert read(task) == {file.path: file.after for file in task.files}, describe(task)


def test_the_reference_tasks_are_small_differ_and_have_a_version() -> None:
    tasks = reference_tasks(48)
    assert len({task.id for task in reference_tasks(200)}) == 200
    assert all(is_small(task.files) for seed in "abc" for task in reference_tasks(96, seed))
    assert {task.type for task in tasks} == {".py", ".ts", ".md", ".yaml", ".json", ".html", ".css", ".toml"}
    for kind in (
        "value",
        "rename",
        "argument",
        "insert",
        "paragraph",
        "delete",
        "two places",
        "two files",
        "indentation",
    ):
        assert any(task.id.endswith(f" {kind}") for task in tasks), kind
    digest = hashlib.sha256("".join(f"{task}{describe(task)}" for task in tasks).encode()).hexdigest()[:16]
    assert (VERSION, digest) == REFERENCE
    assert reference_tasks(10, "1") != reference_tasks(10, "2")


def test_the_same_seed_and_head_give_the_same_tasks_whatever_is_committed_later(tmp_path: Path) -> None:
    root = repository(tmp_path / "repo", random_history(40, 2))
    first = commit_tasks(str(root), count=12, seed="x")
    assert commit_tasks(str(root), count=12, seed="x") == first
    assert commit_tasks(str(root), count=12, seed="y").tasks != first.tasks
    (root / "Makefile").write_text("all:\n")
    git(root, "commit", "-qam", "later")
    assert commit_tasks(str(root), count=12, seed="x", head=first.head) == first
    assert "change" in first.tasks[0].intent
    assert "Signed-off-by" not in first.tasks[0].intent


def test_a_hostile_repository_gives_only_plain_small_changes(tmp_path: Path) -> None:
    fine = "".join(f"line {number}\n" for number in range(30))

    def changed(number: int) -> str:
        return fine.replace("line 7\n", f"line {number}\n")

    large = "x" * (MOST_BYTES + 1) + "\n"
    workflow, many = ".github/workflows/a.yml", [f"many/{number}.py" for number in range(200)]
    history: list[dict[str, object]] = [
        {
            "good.py": fine, ".env": "KEY=1\n", "id_rsa": "one\n", "link": ("120000", "good.py"), "large.txt": large,
            "binary": b"\0\1\n", "latin.txt": b"caf\xe9\n", "crlf.txt": "a\r\nb\r\n", "mixed.txt": "a\r\nb\n",
            "sub": ("160000", "1" * 40), "mode.sh": ("100644", fine), "escape\x1b.py": fine, workflow: fine,
            "wide.txt": "y" * 400 + "\n", "blank.txt": "a \nb\n", ".gitattributes": "*.py diff=evil filter=evil\n",
        },
        {"good.py": changed(1)},
        {".env": "KEY=2\n"}, {"id_rsa": "two\n"}, {"link": ("120000", "/etc/passwd")}, {"large.txt": large + "z\n"},
        {"binary": b"\0\2\n"}, {"latin.txt": b"caf\xe8\n"}, {"crlf.txt": "a\r\nc\r\n"}, {"mixed.txt": "a\r\nc\n"},
        {"sub": ("160000", "2" * 40)}, {"mode.sh": ("100755", fine)}, {"escape\x1b.py": changed(2)},
        {workflow: changed(3)}, {"wide.txt": "y" * 401 + "\n"}, {"blank.txt": "b \nb\n"},
        {"new.py": fine}, {"new.py": None}, {"good.py": "".join(f"row {number}\n" for number in range(30))},
        dict.fromkeys(many, fine), dict.fromkeys(many, changed(9)),
    ]  # fmt: skip
    root = repository(tmp_path / "repo", history)  # type: ignore[arg-type]
    mark = tmp_path / "ran"
    for name in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.smudge"):
        git(root, "config", name, f"touch {mark}; cat")
    hook = root / ".git/hooks/post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    found = commit_tasks(str(root), count=50, seed="0")
    assert sorted(file.path for task in found.tasks for file in task.files) == ["crlf.txt", "good.py"]
    assert not mark.exists()
    for task in found.tasks:
        with scratch_tree(task.before) as folder:
            assert Path(folder, task.files[0].path).read_bytes() == task.before[task.files[0].path]
        assert not Path(folder).exists()


@table("kind", ["empty", "none", "nothing small", "gone"])
def test_a_repository_without_tasks_is_refused(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "repo"
    if kind == "none":
        root.mkdir()
    else:
        repository(root, [{"a": "x\n"}] if kind != "empty" else [])
    with pytest.raises(EditError) as refused:
        commit_tasks(str(root), count=5, seed="0", head="f" * 40 if kind == "gone" else None)
    assert refused.value.kind is Kind.NO_SUCH_FILE


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(20))
def test_descriptions_of_many_histories(tmp_path: Path, seed: int) -> None:
    root = repository(tmp_path / "repo", random_history(60, seed + 100))
    for task in commit_tasks(str(root), count=60, seed="0").tasks:
        assert read(task) == {file.path: file.after for file in task.files}, describe(task)
