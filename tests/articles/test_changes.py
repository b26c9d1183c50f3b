"""What a change did: exact, in a stable order, whatever the repository holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import steadyhand as sh
from tests.articles.repository import SESSION, Repository, make_fixture


@pytest.fixture(scope="module")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return make_fixture(tmp_path_factory.mktemp("fixture"))


def report(root: Path, **more: Any) -> dict[str, Any]:
    return sh.impact.extract(root, **more).to_json()


def by_path(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {file["path"]: file for file in found["files"]}


def test_the_fixture_comes_out_exactly(fixture: Repository) -> None:
    found = report(fixture.root)
    assert [commit["subject"] for commit in found["commits"]] == ["configuration", "tokens and names"]
    assert [(file["path"], file["status"]) for file in found["files"]] == [
        ("assets/logo.png", "modified"),
        ("config/app.yaml", "modified"),
        ("docs/changed.md", "modified"),
        ("package.json", "mode-changed"),
        ("poetry.lock", "modified"),
        ("src/auth/generated/api.py", "modified"),
        ("src/auth/session.py", "modified"),
        ("src/auth/tokens.py", "modified"),
        ("vendor/lib.js", "modified"),
        ("web/new_name.ts", "renamed"),
    ]
    assert [(each["path"], each["reason"]) for each in found["leftOut"]] == [
        ("assets/logo.png", "binary"),
        ("poetry.lock", "no diff by .gitattributes"),
        ("src/auth/generated/api.py", "generated"),
        ("vendor/lib.js", "vendored"),
    ]
    files = by_path(found)
    assert files["web/new_name.ts"]["oldPath"] == "web/old_name.ts"
    assert files["src/auth/session.py"]["symbols"] == ["Session", "Session.login"]
    assert [hunk["context"] for hunk in files["src/auth/session.py"]["hunks"]] == ["Session.login"]
    assert [hunk["context"] for hunk in files["config/app.yaml"]["hunks"]] == ["login.max_tries"]
    assert files["src/auth/tokens.py"]["hunks"] == [
        {
            "context": "make",
            "diff": "@@ -1,2 +1,2 @@\n def make():\n-    return 1\n+    return 2  # LOGIN_LIMIT --dry-run\n",
        }
    ]
    assert report(fixture.root) == found


def test_the_diffs_are_those_that_git_shows(fixture: Repository) -> None:
    """Applied to the base, the hunks give the new text."""
    found = report(fixture.root)
    for path in ("src/auth/session.py", "config/app.yaml", "docs/changed.md"):
        before = fixture.git("show", f"{found['base']}:{path}") + "\n"
        hunks = "".join(hunk["diff"] for hunk in by_path(found)[path]["hunks"])
        patched = sh.patch(before, f"--- a/{path}\n+++ b/{path}\n{hunks}")
        assert patched.text == (fixture.root / path).read_text()


def test_commits_name_the_files_they_touched(fixture: Repository) -> None:
    found = sh.impact.search(fixture.root, docs=["docs/exact.md", "docs/tries.md", "docs/renamed.md"])
    subjects = {commit["id"]: commit["subject"] for commit in report(fixture.root)["commits"]}
    named = {each.article.path: [subjects[commit] for commit in each.evidence[0].commits] for each in found.articles}
    assert named == {
        "docs/exact.md": ["tokens and names"],
        "docs/renamed.md": ["tokens and names"],
        "docs/tries.md": ["configuration"],
    }


def test_comments_and_layout_change_no_definition(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.commit("one", **{"a.py": SESSION})
    other = SESSION.replace("# the usual way", "# changed").replace("def helper(x):", "def helper(\n    x\n):")
    base = repo.git("rev-parse", "HEAD")
    repo.commit("two", **{"a.py": "\n\n" + other})
    assert by_path(report(tmp_path, base=base))["a.py"]["symbols"] == []
    repo.commit("three", **{"a.py": other.replace("            log(name)", "        log(name)")})
    assert by_path(report(tmp_path, base=base))["a.py"]["symbols"] == ["Session", "Session.login"]
    repo.commit("four", **{"a.py": other.replace("LIMIT = 3", "LIMIT = 4").replace("def helper", "def helped")})
    assert by_path(report(tmp_path, base=base))["a.py"]["symbols"] == ["LIMIT", "helped", "helper"]


ODD = [
    'quo"te.md',
    "tab\tname.md",
    "new\nline.md",
    " lead.md",
    "ünï.md",
    "a b.md",
    "back\\slash.md",
    "-dash.md",
    "#x.md",
]


def test_odd_names_survive(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.commit("one")
    base = repo.git("rev-parse", "HEAD")
    raw = os.fsdecode(b"bad\xff.md")
    repo.commit("two", **dict.fromkeys([*ODD, raw], "x\n"))
    found = report(tmp_path, base=base)
    assert [file["path"] for file in found["files"]] == sorted([*ODD, raw])
    assert all(file["hunks"] for file in found["files"])
    json.dumps(found)


def test_line_endings_and_a_missing_last_newline(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    base = repo.commit("one", **{"crlf.md": b"a\r\nb\r\n", "end.md": "a\nb"})
    repo.commit("two", **{"crlf.md": b"a\r\nc\r\n", "end.md": "a\nc"})
    files = by_path(report(tmp_path, base=base))
    assert files["crlf.md"]["hunks"][0]["diff"] == "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"
    assert files["end.md"]["hunks"][0]["diff"].count("\\ No newline at end of file") == 2


def test_what_is_not_committed(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    names = ("staged.py", "unstaged.py", "both.py", "gone.py", "kept.py", "same.py")
    repo.commit("one", **dict.fromkeys(names, "x = 1\n"))
    (tmp_path / ".gitignore").write_text("*.log\n")
    repo.write("staged.py", "x = 2\n")
    repo.write("both.py", "x = 2\n")
    repo.git("add", "-A")
    repo.write("both.py", "x = 3\n")
    repo.write("unstaged.py", "x = 2\n")
    repo.write("new.py", "def f(): pass\n")
    repo.write("out.log", "x")
    repo.git("rm", "-q", "--cached", "kept.py")
    (tmp_path / "gone.py").unlink()
    found = report(tmp_path, uncommitted=True)
    assert (found["head"], found["commits"]) == (None, [])
    status = {file["path"]: file["status"] for file in found["files"]}
    assert status == {
        ".gitignore": "added",
        "both.py": "modified",
        "gone.py": "deleted",
        "kept.py": "modified",
        "new.py": "added",
        "staged.py": "modified",
        "unstaged.py": "modified",
    }
    assert "+x = 3" in by_path(found)["both.py"]["hunks"][0]["diff"]
    assert by_path(found)["new.py"]["symbols"] == ["f"]


def test_a_repository_without_commits(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    repo.write("a.py", "x = 1\n")
    assert [file["path"] for file in report(tmp_path, uncommitted=True)["files"]] == ["a.py"]
    with pytest.raises(sh.EditError) as refused:
        report(tmp_path)
    assert refused.value.kind == "bad-request"


def test_a_repository_whose_commit_is_missing_is_not_an_empty_one(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    commit = repo.commit("one", **{"a.py": "x = 1\n"})
    (tmp_path / ".git/objects" / commit[:2] / commit[2:]).unlink()
    for more in ({}, {"uncommitted": True}):
        assert refusal(tmp_path, **more)[0] == "disk-refused"


def test_a_merge_names_only_what_it_changed_itself(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    base = repo.commit("one", **{"a.py": "x = 1\n", "b.py": "x = 1\n"})
    repo.git("switch", "-q", "-c", "feature")
    repo.commit("two", **{"a.py": "x = 2\n"})
    repo.git("switch", "-q", "main")
    repo.commit("three", **{"b.py": "x = 2\n"})
    repo.git("merge", "-q", "--no-commit", "feature")
    merge = repo.commit("merge", **{"evil.py": "x = 1\n"})
    page = "---\nattention: [{op: file, path: '*.py'}]\n---\n"
    repo.write("a.md", page)
    (found,) = sh.impact.search(tmp_path, base=base).articles
    assert [each.changed_file for each in found.evidence if merge in each.commits] == ["evil.py"]
    assert [each.changed_file for each in found.evidence] == ["a.py", "b.py", "evil.py"]


def refusal(root: Path, **more: Any) -> tuple[str, str]:
    with pytest.raises(sh.EditError) as refused:
        report(root, **more)
    return str(refused.value.kind), refused.value.message


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").mkdir()
    assert refusal(tmp_path / "plain")[0] == "no-such-file"
    repo = Repository(tmp_path / "repo")
    repo.commit("one")
    assert refusal(repo.root)[0] == "bad-request"
    for base in ("nowhere", "--output=x", "HEAD..HEAD", "", "HEAD^{tree}", "a\0b"):
        assert refusal(repo.root, base=base)[0] == "bad-request"
    repo.git("switch", "-q", "--orphan", "other")
    repo.commit("two")
    assert "no commit in common" in refusal(repo.root, base="main")[1]
    monkeypatch.setenv("PATH", ".")
    assert refusal(repo.root)[0] == "not-installed"


def test_the_base_is_detected(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin", branch="trunk")
    first = origin.commit("one", **{"a.py": "x = 1\n"})
    origin.git("clone", "-q", str(origin.root), str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone", branch="trunk")
    clone.commit("two", **{"b.py": "x = 1\n"})
    found = report(clone.root)
    assert (found["base"], [file["path"] for file in found["files"]]) == (first, ["b.py"])
    clone.git("checkout", "-q", "--detach")
    assert report(clone.root)["base"] == first
    clone.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    assert report(tmp_path / "linked")["base"] == first


def test_a_shallow_clone_says_so(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.commit("one")
    origin.git("switch", "-q", "-c", "feature")
    origin.commit("two")
    origin.commit("three", **{"a.py": "x\n"})
    origin.git("switch", "-q", "main")
    url = origin.root.as_uri()
    origin.git("clone", "-q", "--depth=1", "--no-single-branch", "-b", "feature", url, str(tmp_path / "clone"))
    kind, message = refusal(tmp_path / "clone")
    assert (kind, "shallow" in message) == ("bad-request", True)


def test_a_partial_clone_says_what_it_lacks_and_fetches_nothing(tmp_path: Path) -> None:
    origin = Repository(tmp_path / "origin")
    origin.git("config", "uploadpack.allowFilter", "true")
    origin.commit("one", **{"a.py": "x = 1\n", "gone.py": "y = 1\n" * 20, "old.py": "z = 1\n" * 20})
    origin.git("switch", "-q", "-c", "feature")
    origin.git("mv", "old.py", "moved.py")
    (origin.root / "gone.py").unlink()
    origin.commit("two", **{"a.py": "x = 2\n", "new.py": "y = 1\n" * 19})
    origin.git("switch", "-q", "main")
    url = origin.root.as_uri()
    origin.git("clone", "-q", "--filter=blob:none", "-b", "feature", url, str(tmp_path / "clone"))
    found = report(tmp_path / "clone")
    assert [each["path"] for each in found["leftOut"]] == ["a.py", "gone.py"]
    assert {file["path"]: file["status"] for file in found["files"]} == {
        "a.py": "modified",
        "gone.py": "deleted",
        "moved.py": "renamed",
        "new.py": "added",
    }
    assert by_path(found)["new.py"]["hunks"]


def test_submodules_and_links_are_listed(tmp_path: Path) -> None:
    inner = Repository(tmp_path / "inner")
    inner.commit("one", **{"x.py": "x = 1\n"})
    repo = Repository(tmp_path / "repo")
    base = repo.commit("one")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    (repo.root / "out").symlink_to("/etc/passwd")
    repo.commit("two")
    found = report(repo.root, base=base)
    assert {each["path"]: each["reason"] for each in found["leftOut"]} == {"out": "link", "sub": "submodule"}
    (repo.root / "out2").symlink_to("/etc/passwd")
    (repo.root / "in").symlink_to(".gitmodules")
    assert {each["path"]: each["reason"] for each in report(repo.root, uncommitted=True)["leftOut"]} == {
        "in": "link",
        "out2": "link",
    }


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    base = repo.commit("one")
    repo.commit("two", **{".env": "TOKEN=hunter2\n", "a.py": "x = 1\n"})
    found = report(tmp_path, base=base)
    assert "hunter2" not in json.dumps(found)
    assert [(each["path"], each["reason"]) for each in found["leftOut"]] == [(".env", "secret")]
    repo.write(".env", "TOKEN=hunter3\n")
    assert "hunter" not in json.dumps(report(tmp_path, uncommitted=True))


def test_a_repository_runs_none_of_its_programs(tmp_path: Path) -> None:
    repo = Repository(tmp_path / "repo")
    base = repo.commit("one", **{"a.txt": "a\n", ".gitattributes": "*.txt diff=evil filter=evil\n"})
    marker, script = tmp_path / "ran", tmp_path / "evil.sh"
    script.write_text(f"#!{sys.executable}\nopen({str(marker)!r}, 'a').write('ran')\n")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv", "filter.evil.clean",
                 "filter.evil.process", "gpg.program", "core.pager", "core.sshCommand"):  # fmt: skip
        repo.git("config", name, str(script))
    repo.git("config", "log.showSignature", "true")
    repo.git("config", "filter.evil.required", "true")
    hooks = repo.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "post-checkout", "reference-transaction"):
        (hooks / hook).write_text(script.read_text())
        (hooks / hook).chmod(0o755)
    (repo.root / "a.txt").write_text("b\n")
    before = (repo.root / ".git/index").read_bytes()
    assert [file["path"] for file in report(repo.root, uncommitted=True)["files"]] == ["a.txt"]
    assert report(repo.root, base=base)["files"] == []
    assert not marker.exists()
    assert (repo.root / ".git/index").read_bytes() == before


BEHIND_THE_WALL = """
import sys, tempfile
import steadyhand as sh
from steadyhand.workspace.landlock import restrict_process, access_to
root, scratch = sys.argv[1:]
tempfile.tempdir = scratch
sh.impact.search  # loaded before the wall, as a server loads its tools
restrict_process(access_to([root], None, scratch=scratch, read_only=True))
with sh.Workspace(root, read_only=True) as ws:
    print(ws.tools("article").call("impact_extract", {"uncommitted": True})["success"])
"""


def test_a_server_behind_the_kernels_wall_can_ask_git(tmp_path: Path) -> None:
    """There the user's configuration cannot be read, and git ends where it cannot read one that is there."""
    repo = Repository(tmp_path / "repo")
    repo.commit("one")
    repo.write("a.py", "x = 1\n")
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    home.mkdir()
    scratch.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n")
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "none")}
    command = [sys.executable, "-c", BEHIND_THE_WALL, str(repo.root), str(scratch)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_a_git_that_cannot_be_run_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repository(tmp_path / "repo")
    (tmp_path / "git").write_text("no program")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(repo.root, uncommitted=True)[0] == "not-installed"


def test_the_environment_of_a_hook_does_not_lead_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Repository(tmp_path / "other")
    other.commit("one")
    repo = Repository(tmp_path / "repo")
    repo.commit("one")
    repo.write("a.py", "x = 1\n")
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.root / ".git/index"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert [file["path"] for file in report(repo.root, uncommitted=True)["files"]] == ["a.py"]


def test_a_subdirectory_counts_from_itself(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    base = repo.commit("one")
    repo.commit("two", **{"part/a.py": "x = 1\n", "b.py": "x = 1\n"})
    repo.commit("three", **{"b.py": "x = 2\n"})
    found = report(tmp_path / "part", base=base)
    assert [file["path"] for file in found["files"]] == ["a.py"]
    assert [commit["subject"] for commit in found["commits"]] == ["two"]


def test_the_budget_is_shared_and_what_is_left_out_is_named(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    base = repo.commit("one")
    files = {f"f{number:03}.py": f"x{number} = {number}\n" for number in range(200)}
    long = "".join(f"line {number}\n" for number in range(5_000))
    repo.commit("two hundred", **files, **{"a_long.txt": long})
    found = report(tmp_path, base=base)
    assert len(found["files"]) == 201
    shown = by_path(found)
    assert all(len(shown[name]["hunks"]) == 1 for name in files)
    assert [each["path"] for each in found["leftOut"]] == ["a_long.txt"]
    tight = report(tmp_path, base=base, total=8_000)
    assert sum(len(hunk["diff"]) for file in tight["files"] for hunk in file["hunks"]) <= 8_000
    assert all(by_path(tight)[name]["hunks"] for name in files), "no small file is dropped for a large one"
    nothing = report(tmp_path, base=base, total=0)
    assert {each["path"] for each in nothing["leftOut"]} == set(shown)
