"""What a model wrote, applied to a workspace: any number of files, all of it or nothing, recorded and undone as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from steadyhand.errors import EditError, Kind
from steadyhand.plan.policy import Policy
from steadyhand.session.workspace import Workspace

FILES = {"a.txt": "one\ntwo\nthree\n", "docs/b.md": "# B\n\ntext\n", "c.sh": "#!/bin/sh\necho c\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def ws(root: Path) -> Iterator[Workspace]:
    with Workspace(root, actor="test") as workspace:
        yield workspace


def tree(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and ".steadyhand" not in path.parts)
    return {str(path.relative_to(root)): path.read_text() for path in files}


def edit_of(path: str, old: str, new: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n"


TWO = edit_of("a.txt", "two", "2")
TEXT = edit_of("docs/b.md", "text", "words")

REFUSED = [
    ("the last part does not match", TWO + TEXT + edit_of("c.sh", "nowhere", "x"), Kind.NO_MATCH),
    ("the last file is not there", TWO + edit_of("none.txt", "x", "y"), Kind.NO_SUCH_FILE),
    ("a new file over another", "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n", Kind.EXISTS_ALREADY),
    (
        "a move onto another",
        "*** Begin Patch\n*** Update File: a.txt\n*** Move to: c.sh\n@@\n-two\n+2\n*** End Patch\n",
        Kind.EXISTS_ALREADY,
    ),
    ("a file outside", edit_of("../x.txt", "a", "b"), Kind.OUTSIDE_ROOT),
    ("a file of git", edit_of(".git/config", "a", "b"), Kind.PROTECTED_PATH),
    ("no name at all", "@@ -2 +2 @@\n-two\n+2\n", Kind.BAD_REQUEST),
    (
        "a deletion that quotes another text",
        TWO + "--- a/docs/b.md\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-# B\n-\n",
        Kind.STALE_SOURCE,
    ),
    ("nothing that is a patch", "I changed it.\n", Kind.MALFORMED_PATCH),
    ("a copy onto another", "diff --git a/a.txt b/c.sh\ncopy from a.txt\ncopy to c.sh\n", Kind.EXISTS_ALREADY),
]


@pytest.mark.parametrize(("reply", "kind"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_what_cannot_be_applied_wholly_changes_no_file(ws: Workspace, root: Path, reply: str, kind: Kind) -> None:
    with pytest.raises(EditError) as caught:
        ws.patch(reply)
    assert caught.value.kind is kind
    assert tree(root) == FILES
    assert not ws.history()


def test_one_answer_names_everything_that_has_to_change(ws: Workspace) -> None:
    reply = edit_of("a.txt", "none", "x") + "@@ -2 +2 @@\n-neither\n+y\n" + TEXT + edit_of("c.sh", "nor this", "z")
    with pytest.raises(EditError) as caught:
        ws.patch(reply)
    assert caught.value.details["reply_lines"] == [1, 5]
    also = caught.value.details["also"]
    assert isinstance(also, list)
    assert [(other["path"], other["kind"]) for other in also] == [("a.txt", "no-match"), ("c.sh", "no-match")]


def test_several_files_are_one_record_and_one_undo(ws: Workspace, root: Path) -> None:
    receipt = ws.patch(TWO + TEXT, reason="shorter")
    assert receipt.format == "unified"
    assert tree(root) == FILES | {"a.txt": "one\n2\nthree\n", "docs/b.md": "# B\n\nwords\n"}
    (entry,) = ws.history()
    assert entry.record.reason == "shorter"
    assert receipt.id is not None
    ws.undo(receipt.id)
    assert tree(root) == FILES


def test_a_preview_writes_nothing(ws: Workspace, root: Path) -> None:
    receipt = ws.patch(TWO, preview=True)
    assert receipt.id is None
    assert "+2\n" in receipt.diff()
    assert tree(root) == FILES


def test_everything_that_may_become_of_a_file(ws: Workspace, root: Path) -> None:
    (root / "old.txt").write_text("x\ny\n")
    reply = (
        "diff --git a/new.sh b/new.sh\nnew file mode 100755\n--- /dev/null\n+++ b/new.sh\n@@ -0,0 +1 @@\n+echo\n"
        "diff --git a/old.txt b/moved/new.txt\nrename from old.txt\nrename to moved/new.txt\n"
        "--- a/old.txt\n+++ b/moved/new.txt\n@@ -2 +2 @@\n-y\n+z\n"
        "diff --git a/a.txt b/copy.txt\ncopy from a.txt\ncopy to copy.txt\n"
        "--- a/a.txt\n+++ b/copy.txt\n@@ -2 +2 @@\n-two\n+2\n"
        "diff --git a/c.sh b/c.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/docs/b.md b/docs/b.md\ndeleted file mode 100644\n--- a/docs/b.md\n+++ /dev/null\n"
        "@@ -1,3 +0,0 @@\n-# B\n-\n-text\n"
    )
    before = tree(root)
    receipt = ws.patch(reply)
    assert tree(root) == {
        "a.txt": FILES["a.txt"],
        "copy.txt": "one\n2\nthree\n",
        "c.sh": FILES["c.sh"],
        "new.sh": "echo\n",
        "moved/new.txt": "x\nz\n",
    }
    assert (root / "new.sh").stat().st_mode & 0o777 == 0o755
    assert (root / "c.sh").stat().st_mode & 0o777 == 0o755
    assert receipt.id is not None
    ws.undo(receipt.id)
    assert tree(root) == before
    assert (root / "c.sh").stat().st_mode & 0o111 == 0


def test_leave_to_overwrite_is_asked_for(ws: Workspace, root: Path) -> None:
    add = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n"
    ws.patch(add, overwrite=True)
    assert (root / "a.txt").read_text() == "x\n"
    move = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: c.sh\n@@\n-x\n+y\n*** End Patch\n"
    ws.patch(move, overwrite=True)
    assert tree(root) == {"docs/b.md": FILES["docs/b.md"], "c.sh": "y\n"}


@pytest.mark.parametrize("overwrite", [False, True])
def test_leave_to_overwrite_takes_nothing_away_from_what_goes_without(
    ws: Workspace, root: Path, overwrite: bool
) -> None:
    move = "*** Update File: {}\n*** Move to: {}\n"
    steps = "*** Delete File: c.sh\n" + move.format("a.txt", "c.sh") + move.format("docs/b.md", "a.txt")
    ws.patch(f"*** Begin Patch\n{steps}*** End Patch\n", overwrite=overwrite)
    assert tree(root) == {"c.sh": FILES["a.txt"], "a.txt": FILES["docs/b.md"]}


def test_leave_to_overwrite_holds_for_what_the_patch_made_itself(ws: Workspace, root: Path) -> None:
    steps = "*** Add File: new.txt\n+x\n*** Update File: a.txt\n*** Move to: new.txt\n"
    ws.patch(f"*** Begin Patch\n{steps}*** End Patch\n", overwrite=True)
    assert tree(root) == {"docs/b.md": FILES["docs/b.md"], "c.sh": FILES["c.sh"], "new.txt": FILES["a.txt"]}


def test_a_reply_without_a_name_means_the_path(ws: Workspace, root: Path) -> None:
    ws.patch("@@ -2 +2 @@\n-two\n+2\n", path="a.txt")
    assert (root / "a.txt").read_text() == "one\n2\nthree\n"


def test_sections_of_one_file_are_applied_in_order(ws: Workspace, root: Path) -> None:
    section = "*** Update File: a.txt\n@@\n one\n-{}\n+{}\n"
    first, second = section.format("two", "2"), "*** Update File: a.txt\n@@\n 2\n-three\n+3\n"
    ws.patch(f"*** Begin Patch\n{first}{second}*** End Patch\n")
    assert (root / "a.txt").read_text() == "one\n2\n3\n"


def test_what_was_left_out_is_a_warning(ws: Workspace) -> None:
    receipt = ws.patch("```diff\n" + TWO + "```\n")
    assert any("fence" in warning for warning in receipt.warnings)
    with pytest.raises(EditError) as caught:
        ws.patch("```diff\n" + TEXT + "```\n", strict=True)
    assert caught.value.kind is Kind.MALFORMED_PATCH


def test_with_a_partial_policy_what_can_be_applied_is(ws: Workspace, root: Path) -> None:
    receipt = ws.patch(TWO + edit_of("docs/b.md", "nowhere", "x"), policy=Policy(partial=True))
    assert not receipt.ok
    assert tree(root) == FILES | {"a.txt": "one\n2\nthree\n"}


@pytest.mark.parametrize(("mode", "reply"), [("generate", TWO), ("research", TWO), ("analyze", TWO)])
def test_modes_hold_for_patches(root: Path, mode: str, reply: str) -> None:
    with Workspace(root, mode=mode) as ws, pytest.raises(EditError) as caught:
        ws.patch(reply)
    assert caught.value.kind in (Kind.NOT_ALLOWED, Kind.READ_ONLY)
    assert tree(root) == FILES


def test_a_file_with_secrets_is_not_copied(root: Path) -> None:
    (root / ".env").write_text("KEY=1\n")
    with Workspace(root, allow=[".env"]) as ws, pytest.raises(EditError) as caught:
        ws.patch("diff --git a/.env b/open.txt\ncopy from .env\ncopy to open.txt\n")
    assert caught.value.kind is Kind.PROTECTED_PATH
    assert not (root / "open.txt").exists()


@pytest.mark.parametrize("count", [1, 2])
def test_the_mark_of_a_file_may_be_quoted_and_stays(ws: Workspace, root: Path, count: int) -> None:
    rows = ["def z():\n", "    a\n"][:count]
    (root / "m.py").write_bytes("\ufeff".encode() + "".join(rows).encode())
    context = "".join(f" {row}" for row in rows[1:])
    ws.patch(f"--- a/m.py\n+++ b/m.py\n@@ -1 +1,2 @@\n-\ufeff{rows[0]}+\ufeffdef y():\n+    b\n{context}")
    wanted = "\ufeffdef y():\n    b\n" + "".join(rows[1:])
    assert (root / "m.py").read_bytes() == wanted.encode()
    with pytest.raises(EditError) as caught:
        ws.patch("--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-\ufeffdef y():\n+def y():\n")
    assert caught.value.kind is Kind.BAD_REQUEST
    gone = "".join(f"-{row}" for row in wanted.splitlines(keepends=True))
    ws.patch(f"--- a/m.py\n+++ /dev/null\n@@ -1,{count + 1} +0,0 @@\n{gone}")
    assert not (root / "m.py").exists()


def test_undo_takes_away_every_directory_that_was_made(ws: Workspace, root: Path) -> None:
    new = "--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+x\n"
    receipt = ws.patch(new.format("dir/dev") + new.format("dir/sub/x") + new.format("dir/sub/deep/y"))
    assert receipt.id is not None
    ws.undo(receipt.id)
    assert not (root / "dir").exists()


def test_a_copy_is_of_the_file_as_it_was(ws: Workspace, root: Path) -> None:
    reply = (
        "diff --git a/c.sh b/c.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/c.sh b/d.sh\nsimilarity index 100%\ncopy from c.sh\ncopy to d.sh\n"
    )
    with pytest.raises(EditError) as caught:
        ws.patch(reply)
    assert caught.value.kind is Kind.MALFORMED_PATCH
    assert tree(root) == FILES


def test_a_whole_file_that_is_not_there_is_made(ws: Workspace, root: Path) -> None:
    stub = "def f() -> int:\n    ...\n"
    receipt = ws.patch(f"stub.pyi\n```python\n{stub}```\n")
    assert receipt.format == "whole"
    assert (root / "stub.pyi").read_text() == stub


def test_a_snippet_of_a_file_that_is_not_there_is_refused(ws: Workspace, root: Path) -> None:
    with pytest.raises(EditError) as caught:
        ws.patch("new.py\n```python\n# ... existing code ...\nx = 1\n```\n")
    assert caught.value.kind is Kind.NO_SUCH_FILE
    assert tree(root) == FILES


def test_a_snippet_is_merged_and_a_whole_file_is_written(ws: Workspace, root: Path) -> None:
    ws.patch("a.txt\n```text\n... existing code ...\none\n2\nthree\n... existing code ...\n```\n")
    assert (root / "a.txt").read_text() == "one\n2\nthree\n"
    ws.patch("docs/b.md\n```markdown\n# B\n\nother words\n```\n", format="whole", overwrite=True)
    assert (root / "docs/b.md").read_text() == "# B\n\nother words\n"
