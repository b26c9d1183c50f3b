"""Ignore rules mean what they mean to git, and no rule, glob or tree can make a listing run away."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from steadyhand.workspace.files.listing import MAX_IGNORE_BYTES, IgnoreRules, Limits, Listing, parse_glob, read_rules
from steadyhand.workspace.files.sandbox import Sandbox
from steadyhand.workspace.files.storage import Storage
from tests.table import table

NAMES = ["a", "b", "ab", "a.py", "b.log", ".x", "x y", "[z]", "a*", "A"]
ATOMS = ["a", "b", "*", "?", "[ab]", "[!a]", "[a-c]", r"\*", r"\a", ".py", ".log", "x y", "[[]", "[]z]", "[[:alpha:]]"]
ATOMS += ["[^.]", "[[:digit:]a]", "[c-a]", " ", "!", "#"]


def make(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def listing(root: Path, path: str = ".", **limits: int) -> Listing:
    wanted = Limits(limits.get("depth", 32), limits.get("entries", 10_000), 300.0, skip_ignored=True, sizes=True)
    with Sandbox(root, storage=Storage()) as box:
        return box.list_beneath(path, wanted)


MEANT = [
    ("*.log", "a.log", True),
    ("*.log", "deep/a.log", True),
    ("/*.log", "deep/a.log", False),
    ("deep/*.log", "deep/a.log", True),
    ("deep/*.log", "deep/er/a.log", False),
    ("deep/**/*.log", "deep/a.log", True),
    ("deep/**/*.log", "deep/er/and/er/a.log", True),
    ("**/er/a.log", "deep/er/a.log", True),
    ("deep/**", "deep/er", True),
    ("deep/**", "deep", False),
    ("a?c", "abc", True),
    ("a?c", "a/c", False),
    ("a*c", "a/c", False),
    ("[!a]x", "bx", True),
    ("[!a]x", "ax", False),
    ("[a-c]x", "bx", True),
    ("[]-]x", "]x", True),
    (r"\*x", "*x", True),
    (r"\*x", "ax", False),
    ("[ax", "ax", False),
    ("ax\\", "ax", False),
    ("a//b", "a/b", False),
    ("A", "a", False),
    ("?", "é", True),
    ("a**z", "abcz", True),
]


@table(("pattern", "path", "is_meant"), MEANT)
def test_a_glob_means_names_or_paths(pattern: str, path: str, is_meant: bool) -> None:
    assert parse_glob(pattern).matches(path.split("/")) is is_meant


BOMBS = ["*a" * 120 + "*b", "*?" * 120 + "*b", "**/a/" * 100 + "b", "**/*a*a*a*a*a*a/" * 20 + "b", "[ab]*" * 100 + "c"]


@table("pattern", BOMBS)
def test_a_glob_that_would_be_tried_in_countless_ways_is_answered(pattern: str) -> None:
    """With an engine that goes back over its stars none of these would end."""
    glob = parse_glob(pattern)
    assert not glob.matches(["a" * 255])
    assert not glob.matches(["a" * 40] * 100)


def random_rule(chance: random.Random) -> str:
    parts = ["**" if chance.random() < 0.2 else _name(chance) for _ in range(chance.randint(1, 3))]
    rule = "/".join(parts)
    rule = f"/{rule}" if chance.random() < 0.2 else rule
    rule = f"!{rule}" if chance.random() < 0.3 else rule
    return f"{rule}/" if chance.random() < 0.2 else rule + chance.choice(["", "", "  ", r"\ "])


def _name(chance: random.Random) -> str:
    return "".join(chance.choice(ATOMS) for _ in range(chance.randint(1, 3)))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    root = tmp_path_factory.mktemp("repository")
    env = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "init", "-q"], cwd=root, env=env, check=True)
    chance = random.Random(7)
    for _ in range(60):
        names = [chance.choice(NAMES) for _ in range(chance.randint(1, 4))]
        above = [root / "/".join(names[:depth]) for depth in range(1, len(names))]
        if not (root / "/".join(names)).exists() and not any(each.is_file() for each in above):
            make(root, {"/".join(names): "x"})
    return root, env


@table("seed", range(40), every=4)
def test_rules_leave_out_what_git_leaves_out(repository: tuple[Path, dict[str, str]], seed: int) -> None:
    root, env = repository
    chance = random.Random(seed)
    for old in root.rglob(".gitignore"):
        old.unlink()
    folders = [each for each in sorted(root.rglob("*")) if each.is_dir() and ".git" not in each.parts]
    written = {}
    for folder in [root, *chance.sample(folders, 3)]:
        text = "".join(random_rule(chance) + chance.choice(["\n", "\r\n"]) for _ in range(chance.randint(1, 4)))
        (folder / ".gitignore").write_bytes(text.encode())
        written[str(folder.relative_to(root))] = text
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    answer = subprocess.run(command, cwd=root, env=env, capture_output=True, check=True).stdout.decode()
    assert set(listing(root).files) == set(filter(None, answer.split("\0"))), written


def test_what_is_ignored_is_left_out_at_every_level(tmp_path: Path) -> None:
    make(
        tmp_path,
        {
            ".gitignore": "*.log\nbuild/\n!/keep.log\n",
            "a.log": "", "keep.log": "", "a.py": "", "build/out.js": "",
            "docs/.gitignore": "!b.log\ndraft*\n", "docs/b.log": "", "docs/c.log": "", "docs/draft.md": "",
            "draft.md": "", "docs/build": "a file",
        },
    )  # fmt: skip
    found = listing(tmp_path)
    assert found.files == (".gitignore", "a.py", "docs/.gitignore", "docs/b.log", "docs/build", "draft.md", "keep.log")
    assert found.directories == ("docs",)
    assert found.sizes["docs/build"] == 6
    assert found.cut is None


def test_the_rules_above_a_directory_hold_in_it(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "/src/gen/*.py\n*.tmp\n", "src/.gitignore": "!b.tmp\n"})
    make(tmp_path, {"src/gen/a.py": "", "src/gen/a.md": "", "src/gen/b.tmp": "", "src/gen/c.tmp": ""})
    assert listing(tmp_path, "src/gen").files == ("src/gen/a.md", "src/gen/b.tmp")


def test_a_directory_that_is_ignored_can_still_be_named(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "out/\n", "out/a.js": ""})
    assert listing(tmp_path).files == (".gitignore",)
    assert listing(tmp_path, "out").files == ("out/a.js",)


def test_who_does_not_ask_is_shown_what_is_ignored(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*\n", "a": ""})
    with Sandbox(tmp_path, storage=Storage()) as box:
        assert box.list_beneath(".", Limits(32, 10_000, 5.0)).files == (".gitignore", "a")


def test_an_ignore_file_that_is_no_file_is_none(tmp_path: Path) -> None:
    make(tmp_path, {"a.log": "", "link/b.log": "", "folder/.gitignore/c.log": "", "real": "*.log\n"})
    (tmp_path / "link" / ".gitignore").symlink_to("../real")
    os.mkfifo(tmp_path / ".gitignore")
    assert listing(tmp_path).files == ("a.log", "folder/.gitignore/c.log", "link/b.log", "real")


def test_an_ignore_file_is_read_only_so_far(tmp_path: Path) -> None:
    rules = b"a\n" + b"#" * MAX_IGNORE_BYTES + b"\nb\n"
    assert IgnoreRules().within(0, rules).ignores(("a",), is_directory=False)
    assert not IgnoreRules().within(0, rules).ignores(("b",), is_directory=False)
    many = b"x\n" * 100_000
    assert len(read_rules(many)) == 5_000
    assert sum(len(rules) for _, rules in IgnoreRules().within(0, many).within(1, many).files) == 5_000
    assert read_rules(b"\xff\xfe\x00\n\n# a\n!\n/\n")


def test_links_in_a_circle_are_named_once(tmp_path: Path) -> None:
    make(tmp_path, {"a/b/c.txt": ""})
    (tmp_path / "a" / "b" / "up").symlink_to("..")
    (tmp_path / "self").symlink_to("self")
    found = listing(tmp_path)
    assert (found.files, found.links) == (("a/b/c.txt",), ("a/b/up", "self"))


def test_a_listing_says_which_limit_it_met(tmp_path: Path) -> None:
    make(tmp_path, {f"{name}/{number}": "" for name in "abc" for number in range(4)})
    deep = listing(tmp_path, depth=1)
    assert (deep.directories, deep.files, deep.stopped) == (("a", "b", "c"), (), None)
    assert deep.deeper is not None
    assert deep.cut == deep.deeper
    cut = listing(tmp_path, entries=5)
    assert cut.stopped is not None
    assert len(cut.files) + len(cut.directories) == 5
