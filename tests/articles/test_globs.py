"""A rule's pattern means what git's pathspec means, where both define it."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steadyhand.articles.search import Pattern
from tests.articles.repository import ENVIRONMENT, Repository
from tests.table import table

NAMES = [
    "a", "a.py", "b.py", "ab.py", "a/b", "a/b.py", "a/c/b.py", "a/c/d/b.py", "a.d/b.py", "b/a", "b/a.py", "b/c/a",
    ".hidden", "a/.x", "a-b/c_d.py", "A/b.py", "c/[x].py", "c/x.py", "c/*.py", "c/a\\b", "d/e/f/g/h.ts", "a b/c d.md",
]  # fmt: skip
PIECES = st.sampled_from(["a", "b", "*", "?", "**", "/", ".py", "[ab]", "[!a]", "[a-c]", ".", "c", "d", "\\*", "x"])
PATTERNS = st.lists(PIECES, min_size=1, max_size=7).map("".join)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with files of these names, but for those that are directories of others."""
    repo = Repository(tmp_path_factory.mktemp("globs"))
    folders = {name.rpartition("/")[0] for name in NAMES}
    for name in NAMES:
        if name not in folders:
            repo.write(name, "x\n")
    repo.git("add", "-A")
    return repo.root


def by_git(tree: Path, pattern: str) -> set[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z", "--", f":(glob){pattern}"],
        cwd=tree,
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {name.decode() for name in done.stdout.split(b"\0") if name}


@cache
def files(tree: Path) -> frozenset[str]:
    return frozenset(by_git(tree, "**"))


def means_the_same(pattern: str) -> bool:
    """Both define it: from the root, no detours, `**` only as a whole name, and no file that is spelled like it."""
    names = pattern.split("/")
    is_defined = all(name not in ("", ".", "..") and ("**" not in name or name == "**") for name in names)
    return is_defined and pattern not in NAMES


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pattern=PATTERNS.filter(means_the_same))
def test_a_pattern_matches_what_git_matches(tree: Path, pattern: str) -> None:
    mine = {name for name in files(tree) if Pattern.of(pattern).match(name) is not None}
    assert mine == by_git(tree, pattern), pattern


@table(
    ("pattern", "path", "how"),
    [
        ("src/a.py", "src/a.py", "exact"),
        ("src", "src/x/a.py", "glob"),
        ("src/", "src/a.py", "glob"),
        ("src/a", "src/ab.py", None),
        ("*.py", "a.py", "glob"),
        ("*.py", "src/a.py", None),
        ("**/*.py", "a.py", "glob"),
        ("src/**", "src", None),
        ("src/{a,b}/*.{ts,tsx}", "src/b/x.tsx", "glob"),
        ("src/{a,{b,c}}.py", "src/c.py", "glob"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", "exact"),
        ("app/[id]/page.tsx", "app/i/page.tsx", "glob"),
        ("a.py", "axpy", None),
        ("src/(x).py", "src/(x).py", "exact"),
        ("src/ä*.md", "src/ärger.md", "glob"),
    ],
)
def test_patterns_by_example(pattern: str, path: str, how: str | None) -> None:
    assert Pattern.of(pattern).match(path) == how
