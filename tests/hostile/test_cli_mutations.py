"""Random mutations of every shape of input the command line takes: 1,000 each in `make sweep`, 150 in `make test`.

Whatever comes in: success, or an error of a named kind with its exit code; never a traceback, never a bug's code, and
never a changed file with an error. Under --json stdout is one JSON document. The seed is fixed; a failure prints the
call.
"""

from __future__ import annotations

import json
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from steadyhand.errors import Kind
from steadyhand.surfaces.cli.main import cli
from tests.sampling import WHOLE

pytestmark = pytest.mark.sampled


MUTATIONS = int(os.environ.get("STEADYHAND_MUTATIONS", "1000" if WHOLE else "60"))
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
CODES = {0, *(kind.exit_code for kind in Kind)} - {Kind.INTERNAL.exit_code}
FILES = {"a.md": b"# A\n\none cat\ntwo cats\n", "docs/b.txt": b"x\r\ny\r\n", "c.bin": b"\x00\xff\x00"}
DIGEST = "0123456789abcdef"

COMMANDS: dict[str, list[str]] = {
    "edit": ["edit", "a.md", "--old", "one cat", "--new", "dog", "--reason", "r", "--nth", "1", "--expected", "1"],
    "edit lines": ["edit", "docs/b.txt", "--lines", "1:2", "--new", "z", "--encoding", "utf-8", "--dry-run"],
    "edit anchor": ["edit", "a.md", "--anchor", "3#abc", "--new-file", "-", "--expect", DIGEST],
    "insert": ["insert", "a.md", "text", "--line", "2", "--occurrence", "first"],
    "insert text": ["insert", "a.md", "--after", "one cat", "--text-file", "-"],
    "delete": ["delete", "a.md", "--old", "cat", "--first", "--expect", DIGEST],
    "delete file": ["delete", "docs/b.txt", "--file"],
    "write": ["write", "new/d.md", "--text", "new", "--mode", "644"],
    "overwrite": ["write", "a.md", "--from-file", "-", "--overwrite", "--allow-shrink", "--bytes"],
    "rename": ["rename", "a.md", "docs/c.md", "--expect", DIGEST],
    "chmod": ["chmod", "a.md", "600", "--reason", "r"],
    "read": ["read", "a.md", "--lines", "1:3", "--anchors", "-n"],
    "read raw": ["read", "c.bin", "--raw", "--encoding", "latin-1"],
    "diff": ["diff", "a.md", "--old", "one", "--new", "1", "--raw"],
    "diff record": ["diff", "0123456789ab"],
    "diff task": ["diff", "--task", "T"],
    "undo": ["undo", "--last", "--reason", "r"],
    "undo record": ["undo", "0123", "--dry-run"],
    "undo file": ["undo", "--file", "a.md"],
    "redo": ["redo", "0123456789ab"],
    "log": ["log", "a.md", "--limit", "3", "--task", "T"],
    "show": ["show", "0123456789ab"],
    "why": ["why", "a.md:3"],
    "check": ["check"],
    "gc": ["gc", "--keep-days", "3", "--keep-size", "5MB", "--dry-run"],
    "doctor": ["doctor"],
    "completion": ["completion", "bash"],
    "global": ["--task", "T", "--actor", "me", "--allow", "*.md", "--color", "always", "--quiet", "read", "a.md"],
}
PLAN: dict[str, Any] = {
    "files": [
        {"path": "a.md", "edits": [{"target": "one cat", "new": "dog", "occurrence": 1, "expected": 1, "reason": "r"}]},
        {
            "path": "docs/b.txt",
            "edits": [{"target": {"lines": [1, 1]}, "insert": "z", "where": "before"}],
            "expect": DIGEST,
        },
        {"path": "a.md", "edits": [{"target": {"anchor": "3#abc"}, "delete": True}]},
        {"path": "w.md", "write": "text", "allow_shrink": True},
        {"path": "n/e/w.md", "create": "text", "mode": "0644"},
        {"path": "docs/b.txt", "rename_to": "docs/c.txt"},
        {"path": "c.bin", "delete": True},
        {"path": "a.md", "mode": "0600"},
    ],
    "reason": "r",
    "partial": True,
}
CONFIG = """\
actor = "me"
allow = ["*.md"]
protect = "standard"
color = "never"
[retention]
keep_days = 3
keep_size = "5 MB"
"""

HOSTILE = [
    "", "-", "--", "\0", "\x1b[2J", "\ud800", "\udcff", "\u202e", "🙂", "-1", "0", "1", "99999999999999999999",
    "1e9", "NaN", "null", "{}", "[]", "1:0", "0:0", "9:9", ":", "1#000", "0#abc", "12#", "../../etc/passwd",
    "/etc/passwd", "/", ".", "..", "docs", "docs/", "a.md/x", "con", "a:b", "a\\b", ".git/config", ".env",
    ".steadyhand/journal.sqlite", ".steadyhand-tmp-x-1", "~", "$HOME", "%2e%2e", "file:///etc/passwd", "x" * 300,
    "x" * 5000, "a/" * 3000, "one cat", "a.md", "\r\n", " ", "\n", "--all", "--json", "--help", "--dry-run",
    "--read-only", "--lines", "--old", "--new", "--first", "--last", "--bogus", "-q", "-n", "-x", "--old-file=/",
    "--new-file=docs", "--expect=zz", "--encoding=klingon", "--encoding=utf-16", "--encoding=rot13", "--allow=**",
]  # fmt: skip
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 10**30, 1.5, "", "x", [], {}, [[]], {"": None}, "\ud800", "\0", "../x", "x" *
    5000, {"lines": [1, 2]}, {"lines": [2, 1]}, {"lines": []}, {"lines": [1.5, True]}, {"anchor": 3}, {"old": ""},
    {"old": "x", "lines": [1, 1]}, "all", "unique", ["a"] * 20, {"path": "a.md"}, ".git/x", "a.md",
]  # fmt: skip


PIECES = [b"", b'"', b"{", b"[", b",", b"\\", b"\xff", b"\0", b"NaN", b"1e999", b"[" * 5000]


@pytest.fixture(scope="module")
def root() -> Iterator[Path]:
    """One small workspace for the whole module, in memory where that can be; every success is put back."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(dir=MEMORY) as name:
        folder = Path(name).resolve()
        patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
        (folder / "root").mkdir()
        patch.chdir(folder / "root")
        restore(folder / "root")
        yield folder / "root"
        patch.undo()  # leave the folder before it goes


def tree(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file with its mode, but the journal's."""
    found: dict[str, tuple[int, bytes]] = {}
    for place, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".steadyhand"]
        for name in files:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = os.fstat(file.fileno()).st_mode, file.read()
    return found


def restore(root: Path) -> None:
    """The files as they were at the start, and no others."""
    for name in tree(root).keys() - FILES.keys():
        (root / name).unlink()
    for name, data in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
        (root / name).chmod(0o644)


def call(root: Path, arguments: list[str], stdin: bytes, before: dict[str, tuple[int, bytes]]) -> Result:
    """One call, judged."""
    result = CliRunner().invoke(cli, arguments, input=stdin)
    answer = (arguments, stdin[:2000], result.output[-2000:])
    assert result.exit_code in CODES, answer
    assert isinstance(result.exception, SystemExit | None), answer
    assert "Traceback" not in result.output, answer
    after = tree(root)
    if result.exit_code != 0 and not is_partial(result):
        assert after == before, answer
    if not any("-h" in argument for argument in arguments):
        judge_output(arguments, result, answer)
    if after != before:
        restore(root)
    return result


def is_partial(result: Result) -> bool:
    """Some of it was done, as the plan allowed, and the answer says so."""
    try:
        return bool(json.loads(result.stdout)["receipt"]["files"])
    except (ValueError, KeyError):
        return "not applied: " in result.stdout


def judge_output(arguments: list[str], result: Result, answer: object) -> None:
    if "--json" in arguments[:1]:
        document = json.loads(result.stdout)
        assert document["ok"] is (result.exit_code == 0), answer
        assert document["ok"] or Kind(document["error"]["kind"]).exit_code == result.exit_code, answer
        assert result.stderr == "", answer
    elif result.exit_code != 0:
        said = re.sub("\x1b\\[[0-9;]*m", "", result.output)
        assert "not applied: " in said or re.match(r'{"ok": false|Usage: |[a-z-]+: ', said), answer


def mutate_words(rng: random.Random, words: list[str]) -> list[str]:
    """One to three changes to a command line."""
    words = list(words)
    for _ in range(rng.choice([1, 1, 2, 3])):
        place = rng.randrange(len(words) + 1)
        at = min(place, len(words) - 1)
        match rng.randrange(7) if words else 0:
            case 0:
                words.insert(place, rng.choice(HOSTILE))
            case 1:
                words[at] = rng.choice(HOSTILE)
            case 2:
                del words[at]
            case 3:
                words.insert(place, words[at])
            case 4:
                other = rng.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 5:
                words[at] = mutate_text(rng, words[at])
            case _:
                words.insert(place, rng.choice(COMMANDS[rng.choice(list(COMMANDS))]))
    # These lead out of the test's own folder by design, so chance may not write them.
    return [word for word in words if not word.startswith(("--root", "--journal", "--config"))]


def mutate_text(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    match rng.randrange(4):
        case 0:
            return text[:at] + rng.choice("\0\x1b-=:#/.\\\"'{}[], \n\t0aZé🙂\ud800") + text[at:]
        case 1:
            return text[:at] + text[at + 1 :]
        case 2:
            return text[:at]
        case _:
            return text[:at] + text[at:].swapcase()


def mutate_value(rng: random.Random, value: Any) -> Any:
    """A JSON value with one thing changed somewhere inside."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        match rng.randrange(5):
            case 0:
                return {k: v for k, v in value.items() if k != key}
            case 1:
                return {(mutate_text(rng, k) if k == key else k): v for k, v in value.items()}
            case 2:
                return {**value, rng.choice(["new", "insert", "delete", "mode", "path", "zzz", ""]): rng.choice(VALUES)}
            case _:
                return {**value, key: mutate_value(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        match rng.randrange(5):
            case 0:
                return value[:at] + value[at + 1 :]
            case 1:
                return value[: at + 1] + value[at:]
            case _:
                return [*value[:at], mutate_value(rng, value[at]), *value[at + 1 :]]
    if isinstance(value, str) and rng.random() < 0.5:
        return mutate_text(rng, value)
    return rng.choice(VALUES)


# One command in seven is tried in every run; all of them are a sweep.
SWEEP = pytest.mark.sweep
SAMPLED = [shape if number % 7 == 0 else pytest.param(shape, marks=SWEEP) for number, shape in enumerate(COMMANDS)]


@pytest.mark.parametrize("shape", SAMPLED, ids=lambda shape: shape.replace(" ", "-"))
def test_command_lines(root: Path, shape: str) -> None:
    rng = random.Random(f"words {shape}")
    before = tree(root)
    for _ in range(MUTATIONS):
        words = mutate_words(rng, COMMANDS[shape])
        head = ["--json"] if rng.random() < 0.5 else []
        call(root, [*head, *words], rng.choice([b"", b"text\n", b"\xff\xfe", b"one cat"]), before)


def some_plan(rng: random.Random) -> Any:
    """The plan, or a part of it that goes through, so that mutations reach the deeper checks."""
    files = rng.sample(PLAN["files"], rng.choice([1, 1, 1, 2, 8]))
    return {**PLAN, "files": files} if rng.random() < 0.3 else {"files": files}


def json_values(rng: random.Random) -> bytes:
    value = some_plan(rng)
    for _ in range(rng.choice([1, 1, 2, 3])):
        value = mutate_value(rng, value)
    return json.dumps(value).encode()


def json_texts(rng: random.Random) -> bytes:
    data = bytearray(json.dumps(some_plan(rng)).encode())
    for _ in range(rng.choice([1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.randrange(3)] = rng.choice(
            [b"", b'"', b"{", b"[", b",", b"\\", b"\xff", b"\0", b"NaN", b"1e999", b"[" * 5000]
        )
    return bytes(data)


@pytest.mark.parametrize("make", [json_values, json_texts])
def test_plans(root: Path, make: Callable[[random.Random], bytes]) -> None:
    rng = random.Random(f"plans {make.__name__}")
    before = tree(root)
    for _ in range(MUTATIONS):
        head = ["--json"] if rng.random() < 0.7 else []
        tail = ["--dry-run"] if rng.random() < 0.5 else []
        call(root, [*head, "apply", "-", *tail], make(rng), before)


def test_configuration_files(root: Path) -> None:
    rng = random.Random("configuration")
    before = tree(root)
    location = root.parent / "mutated.toml"
    for _ in range(MUTATIONS):
        text = CONFIG
        for _ in range(rng.choice([1, 2, 4])):
            lines = text.split("\n")
            at = rng.randrange(len(lines))
            lines[at] = rng.choice([mutate_text(rng, lines[at]), rng.choice(HOSTILE), ""])
            text = "\n".join(lines)
        location.write_bytes(text.encode("utf-8", "surrogatepass"))
        call(root, ["--json", "--config", str(location), "read", "a.md"], b"", before)


def test_mutations_reach_every_outcome(root: Path) -> None:
    """The mutations are no use if all of them stop at the first check."""
    rng = random.Random("reach")
    before = tree(root)
    codes = {
        call(root, ["--json", *mutate_words(rng, COMMANDS[shape])], b"text\n", before).exit_code
        for shape in ("edit", "delete", "rename", "write", "read")
        for _ in range(60)
    }
    assert codes >= {0, Kind.BAD_REQUEST.exit_code, Kind.NO_MATCH.exit_code, Kind.NO_SUCH_FILE.exit_code}
