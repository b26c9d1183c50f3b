"""Unified diffs against those who define them: what git and diff print gives what they say; they take what we print.

Many files go through each call, because it is the calls that take the time.
"""

from __future__ import annotations

import difflib
import os
import random
import subprocess
import sysconfig
from pathlib import Path

import steadyhand as sh
from steadyhand.dialects.dialect import Change
from steadyhand.dialects.formats.unified import DIALECT
from tests.dialects.unified_requests import Files, applied
from tests.table import table

ROOT = Path(__file__).parent.parent.parent
STANDARD = Path(sysconfig.get_paths()["stdlib"])
REAL = [
    *(ROOT / name for name in ("README.md", "pyproject.toml", "src/steadyhand/text/unified.py")),
    *(STANDARD / name for name in ("textwrap.py", "shlex.py", "json/decoder.py")),
]
ODD_LINES = (
    *("", " ", "\t", "-", "+", "- ", "-- ", "--", "trailing  ", "é 𝄞 \x0c\x85\u2028", "\\ No newline at end of file"),
    *("-- x", "++ y", "-- a/x", "++ b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "@@", "diff --git a/x b/x", "Index: x"),
    *("```", "```diff", "EOF", "</patch>", "*** End Patch", "From 0123456789abcdef ", "2.43.0"),
)
NAMES = (
    "plain.txt",
    "deep/er/plain.txt",
    "with blank.txt",
    'quo"te.txt',
    "tab\there.txt",
    "é/日本.txt",
    "b/a/b.txt",
)
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "HOME": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}
BATCH = 40


def run(folder: Path, *command: str, given: str = "", codes: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(command, cwd=folder, input=given.encode(), capture_output=True, check=False, env=ENVIRONMENT)
    assert done.returncode in codes, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode()


def write(folder: Path, files: Files, modes: dict[str, int] | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod((modes or {}).get(name, 0o644))
    return folder


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]


def contents(folder: Path) -> Files:
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in files_in(folder)}


def executables(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in files_in(folder) if path.stat().st_mode & 0o100}


def real_text(chance: random.Random) -> str:
    lines = chance.choice(REAL).read_text(encoding="utf-8").splitlines(keepends=True)
    start = chance.randrange(max(1, len(lines) - 20))
    return "".join(lines[start : start + chance.choice([0, 1, 5, 40, 300])])


def edited(text: str, chance: random.Random) -> str:
    """The text with a few lines changed, moved, doubled, made odd."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(lines) + 1)
        some = [chance.choice(ODD_LINES) for _ in range(chance.randint(0, 3))]
        new = chance.choice([some, some, lines[at : at + 3] * 2, some + lines[:2]])
        lines[at : at + chance.choice([0, 0, 1, 1, 2, 6])] = new
    return "\n".join(lines)


def pair(chance: random.Random) -> tuple[str, str]:
    before = real_text(chance)
    if chance.random() < 0.5:
        before = edited(before, chance)
    after = edited(before, chance)
    if chance.random() < 0.3:
        before, after = (text.replace("\n", "\r\n") for text in (before, after))
    if chance.random() < 0.2:
        before, after = (text.rstrip("\n") if chance.random() < 0.5 else text for text in (before, after))
    return before, after


def edits(seed: int) -> tuple[Files, Files]:
    """Files before and after, each edited."""
    chance = random.Random(seed)
    pairs = {f"{number:02}.txt": pair(chance) for number in range(BATCH)}
    return {name: before for name, (before, _) in pairs.items()}, {name: after for name, (_, after) in pairs.items()}


def changes(seed: int) -> list[Change]:
    """Files with odd names that are edited, made, taken away, given another name or another mode."""
    chance = random.Random(seed)
    found: list[Change] = []
    for name in NAMES:
        before, after = pair(chance)
        if before == after:
            after += "more\n"
        match chance.choice(["edit", "create", "delete", "rename", "mode", "empty"]):
            case "edit":
                found.append(Change(name, name, before, after, 0o644, 0o644))
            case "create":
                found.append(Change(None, name, None, after, None, chance.choice([0o644, 0o755])))
            case "delete":
                found.append(Change(name, None, before or "gone\n", None, 0o644, None))  # GNU patch asks of empty ones
            case "rename":
                found.append(Change(name, f"new/{name}", before, chance.choice([before, after]), 0o644, 0o644))
            case "mode":
                found.append(Change(name, name, before, chance.choice([before, after]), 0o644, 0o755))
            case _:
                found.append(Change(None, name, None, "", None, 0o644))
    return found


def side(some: list[Change], *, is_after: bool) -> tuple[Files, dict[str, int]]:
    files: Files = {}
    modes: dict[str, int] = {}
    for one in some:
        path, text = (one.path_after, one.after) if is_after else (one.path_before, one.before)
        mode = one.mode_after if is_after else one.mode_before
        if path is not None and text is not None:
            files[path], modes[path] = text, mode or 0o644
    return files, modes


@table("seed", range(4))
@table("command", [("git", "diff", "--no-index", "--no-prefix"), ("diff", "-u", "-r"), ("diff", "-ru", "-U1")])
def test_edits_as_others_print_them_give_the_other_files(seed: int, command: tuple[str, ...], tmp_path: Path) -> None:
    before, after = edits(seed)
    write(tmp_path / "a", before)
    write(tmp_path / "b", after)
    assert applied(before, run(tmp_path, *command, "a", "b", codes=(1,))) == after


@table("seed", range(3))
def test_files_that_come_and_go_as_diff_prints_them(seed: int, tmp_path: Path) -> None:
    before, after = edits(seed)
    for name in [name for name in before if before[name] and after[name]][:10]:
        (before if int(name[:2]) % 2 else after).pop(name)
    write(tmp_path / "a", before)
    write(tmp_path / "b", after)
    assert applied(before, run(tmp_path, "diff", "-ruN", "a", "b", codes=(1,))) == after


@table("seed", range(6))
@table("command", [("diff", "-M", "HEAD^", "HEAD"), ("format-patch", "--stdout", "-M", "-1"), ("show", "-M")])
def test_what_git_prints_of_a_commit_gives_its_files(seed: int, command: tuple[str, ...], tmp_path: Path) -> None:
    some = changes(seed)
    (before, modes), (after, modes_after) = side(some, is_after=False), side(some, is_after=True)
    write(tmp_path, before, modes)
    git = ("git", "-c", "core.autocrlf=false", "-c", "init.defaultBranch=main")
    run(tmp_path, *git, "init", "-q")
    run(tmp_path, *git, "add", "-A")
    run(tmp_path, *git, "commit", "-q", "--allow-empty", "-m", "before")
    for name in before:
        (tmp_path / name).unlink()
    write(tmp_path, after, modes_after)
    run(tmp_path, *git, "add", "-A")
    run(tmp_path, *git, "commit", "-q", "-m", "after\n\n- a list\n-a line like a row\n\n```diff\nnothing\n```\n")
    said = dict(modes)
    assert applied(before, run(tmp_path, *git, *command), said) == after
    assert {name for name, mode in said.items() if mode & 0o100 and name in after} == executables(tmp_path)


@table("seed", range(4))
@table("by", ["git", "patch", "us"])
def test_edits_as_we_print_them_give_the_other_files(seed: int, by: str, tmp_path: Path) -> None:
    before, after = edits(seed)
    assert DIALECT.write is not None
    diff = DIALECT.write([Change(name, name, before[name], after[name]) for name in before])
    assert applied_by(by, tmp_path, before, diff) == after


@table("seed", range(6))
@table("by", ["git", "patch", "us"])
def test_what_becomes_of_files_as_we_print_it(seed: int, by: str, tmp_path: Path) -> None:
    some = changes(seed)
    (before, modes), (after, modes_after) = side(some, is_after=False), side(some, is_after=True)
    assert DIALECT.write is not None
    assert applied_by(by, write(tmp_path, before, modes), before, DIALECT.write(some)) == after
    if by != "us":
        assert executables(tmp_path) == {name for name, mode in modes_after.items() if mode & 0o100}


def applied_by(by: str, folder: Path, before: Files, diff: str) -> Files:
    if by == "us":
        return applied(before, diff)
    write(folder, {name: text for name, text in before.items() if not (folder / name).exists()})
    commands = {
        "git": ("git", "apply", "--whitespace=nowarn", "-"),
        "patch": ("patch", "-p1", "-s", "--no-backup-if-mismatch"),
    }
    run(folder, *commands[by], given=diff)
    return contents(folder)


TWINS = ("same", "same ", "  same", "\tsame", "x = 'a'", 'x = "a"', "}", "  }", "", " ", "other")


def twin_rows(chance: random.Random, count: int) -> list[str]:
    """Rows that are equal, or nearly, with one kind of ending or several."""
    endings = chance.choice([["\n"], ["\r\n"], ["\n", "\r\n"]])
    few = chance.sample(TWINS, chance.randint(2, 5))
    return [chance.choice(few) + chance.choice(endings) for _ in range(count)]


def twin_pair(chance: random.Random) -> tuple[str, str]:
    rows = twin_rows(chance, chance.randint(3, 25))
    after = list(rows)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(after) + 1)
        some = chance.sample(rows, chance.randint(0, 2))
        after[at : at + chance.randint(0 if some else 1, 3)] = some
    return "".join(rows), "".join(after)


def hunks_of(diff: str) -> list[tuple[int, list[str]]]:
    """Each hunk of one file's diff: the row before which it starts, and its rows with their signs."""
    found: list[tuple[int, list[str]]] = []
    for line in diff.split("\n")[:-1]:
        if line.startswith("@@"):
            start, _, count = line.split()[1][1:].partition(",")
            found.append((int(start) - (count != "0"), []))
        elif found:
            found[-1][1].append(line)
    return found


def kept_and_added(before: str, diff: str) -> list[tuple[bool, str]]:
    """The rows after a diff by its signs alone: those that stay, as the file has them, and those that come."""
    rows = before.splitlines(keepends=True)
    found: list[tuple[bool, str]] = []
    at = 0
    for start, signed in hunks_of(diff):
        found += [(True, row) for row in rows[at:start]]
        at = start
        for row in signed:
            if row.startswith("+"):
                found.append((False, row[1:]))
            elif not row.startswith("\\"):
                found += [(True, rows[at])] if row.startswith(" ") else []
                at += 1
    return [*found, *((True, row) for row in rows[at:])]


@table("seed", range(2))
@table("context", ["-U1", "-U2", "-U3", "-U9", "difflib"])
def test_signs_say_which_of_equal_rows_goes(seed: int, context: str, tmp_path: Path) -> None:
    chance = random.Random(f"{seed}{context}")
    pairs = {f"{number:02}.txt": twin_pair(chance) for number in range(BATCH)}
    before = {name: one for name, (one, _) in pairs.items()}
    after = {name: one for name, (_, one) in pairs.items()}
    write(tmp_path / "a", before)
    write(tmp_path / "b", after)
    if context == "difflib":
        diff = "".join(difflib_of(name, *pairs[name]) for name in pairs)
    else:
        diff = run(tmp_path, "git", "diff", "--no-index", "--no-prefix", context, "a", "b", codes=(0, 1))
        assert applied_by("git", tmp_path / "a", before, diff) == after
    assert applied(before, diff) == after


def difflib_of(name: str, before: str, after: str) -> str:
    rows, others = (text.split("\n") for text in (before.removesuffix("\n"), after.removesuffix("\n")))
    lines = difflib.unified_diff(rows, others, f"a/{name}", f"b/{name}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


@table("seed", range(300))
def test_signs_of_a_v4a_patch_without_endings_say_which_of_equal_rows_goes(seed: int) -> None:
    before, after = twin_pair(random.Random(seed))
    diff = difflib_of("x", before, after).replace("\r", "")
    hunks = hunks_of(diff)
    if len(hunks) != 1:
        return
    rows = "".join(f"{row}\n" for row in hunks[0][1])
    result = sh.patch(before, f"*** Begin Patch\n*** Update File: x\n@@\n{rows}*** End Patch\n", path="x")
    if result.error is None:
        check_kept_and_added(result.text, kept_and_added(before, diff))


@table("seed", range(300))
def test_signs_decide_also_where_a_patch_has_lost_endings_or_blanks(seed: int) -> None:
    """Such a patch is found with differences. The rows that stay keep every byte, whichever their twins are."""
    chance = random.Random(seed)
    before, after = twin_pair(chance)
    diff = difflib_of("x", before, after).replace("\r", "")
    rows = diff.split("\n")
    context = [at for at, row in enumerate(rows) if row.startswith(" ") and row.strip()]
    if chance.random() < 0.5 and context:
        rows[chance.choice(context)] += "  "
    if len(rows) < 3:
        return
    result = sh.patch(before, "\n".join(rows), path="x")
    if result.error is not None:
        assert result.text == before
        return
    check_kept_and_added(result.text, kept_and_added(before, diff))


def check_kept_and_added(text: str, expected: list[tuple[bool, str]]) -> None:
    found = text.splitlines(keepends=True)
    assert len(found) == len(expected)
    for row, (stays, wanted) in zip(found, expected, strict=True):
        assert row.rstrip("\r\n") == wanted.rstrip("\r\n")
        assert not stays or row == wanted or row.rstrip("\r\n") == row  # the last row may have lost its ending
