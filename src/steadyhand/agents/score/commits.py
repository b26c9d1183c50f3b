"""Tasks from a repository's own history: small commits to files that stay, chosen by a seed.

A history may be anybody's. Git is asked as `workspace/git.py` does, so nothing of it runs; links, submodules, binary
and large files, and files whose names are protected because they may hold secrets, are never read: what is read here
is sent to a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from steadyhand.agents.score.task import MOST_BYTES, Task, TaskFile, is_small
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.text.lines import split_bodies
from steadyhand.workspace.files.protection import classify
from steadyhand.workspace.git import Blobs, Git, git_text

_MOST_COMMITS = 5_000  # of which tasks are chosen
_FEWEST_COMMITS = 300
_MOST_FILES = 3
_LONGEST_INTENT = 800  # characters of a commit's message
_REGULAR = ("100644", "100755")
_TRAILER = (
    "signed-off-by:", "co-authored-by:", "reviewed-by:", "acked-by:", "tested-by:", "cc:", "fixes:", "change-id:",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chosen:
    """The tasks, the commit whose history they are from, and how many commits were looked at."""

    tasks: tuple[Task, ...]
    head: str
    looked_at: int


@dataclass(frozen=True, slots=True)
class _Commit:
    id: str
    files: tuple[tuple[str, str, str], ...]  # path, and the ids before and after


def commit_tasks(root: str, *, count: int, seed: str, head: str | None = None) -> Chosen:
    """So many tasks, or fewer where the history has no more; for the same head and seed always the same.

    Refuses as git does, and with `no-such-file` a head that there is not and a history without a small commit.
    """
    git = Git(root)
    start = git.head() if head is None else git.commit(head)
    if start is None:
        raise EditError(Kind.NO_SUCH_FILE, "there is no such commit", hint="commit something first, or start afresh")
    commits, looked_at = _small_commits(git, start)
    commits.sort(key=lambda each: hashlib.sha256(f"{seed}\0{each.id}".encode()).digest())
    tasks: list[Task] = []
    sizes = git.sizes(blob for commit in commits for _, *blobs in commit.files for blob in blobs)
    with git.blobs() as stored:
        for commit in commits:
            if len(tasks) == count:
                break
            if all(sizes.get(blob, MOST_BYTES + 1) <= MOST_BYTES for _, *blobs in commit.files for blob in blobs):
                files = tuple(_files(commit, stored))
                if len(files) == len(commit.files) and is_small(files):
                    tasks.append(Task(commit.id[:12], _intent(git, commit.id), files))
    if not tasks:
        raise EditError(
            Kind.NO_SUCH_FILE,
            f"none of the {looked_at:,} commits here is a small change of text files",
            hint="use the reference tasks: --tasks reference",
        )
    return Chosen(tuple(tasks), start, looked_at)


def _small_commits(git: Git, head: str) -> tuple[list[_Commit], int]:
    """The commits that only change a few regular files, and how many there are in all, as far as was looked."""
    most = _MOST_COMMITS
    while True:
        try:
            answer = git.ask(
                *("log", "-z", "--no-merges", f"--max-count={most}", "--format=%x01%H", "--raw", "--no-abbrev"),
                *("--no-renames", "--no-ext-diff", "--no-textconv", "--relative", head),
            )
            break
        except EditError as error:  # a few commits of very many files each
            if error.kind is not Kind.TOO_LARGE or most <= _FEWEST_COMMITS:
                raise
            most //= 4
    found: list[_Commit] = []
    looked_at = 0
    name, is_fit = "", False
    files: list[tuple[str, str, str]] = []
    parts = iter(git_text(answer).split("\0"))
    for part in parts:  # a file name is always taken together with the line before it, whatever it looks like
        part = part.lstrip("\n")
        if part.startswith("\x01"):
            found += [_Commit(name, tuple(files))] if is_fit and files else []
            name, files, is_fit = part[1:], [], True
            looked_at += 1
        elif part.startswith(":"):
            file = _raw(part[1:].split(" "), next(parts, ""))
            is_fit = is_fit and file is not None and len(files) < _MOST_FILES
            files += [file] if file is not None and is_fit else []
    found += [_Commit(name, tuple(files))] if is_fit and files else []
    return found, looked_at


def _raw(fields: Sequence[str], path: str) -> tuple[str, str, str] | None:
    """A changed file as git lists it; None where it is not one that a task may have."""
    if len(fields) != 5 or fields[4] != "M" or fields[0] != fields[1] or fields[0] not in _REGULAR:
        return None
    return (path, fields[2], fields[3]) if _is_fit(path) else None


def _is_fit(path: str) -> bool:
    """Whether a name is one that every tool takes, and nothing that a model must not see."""
    parts = path.split("/")
    if not path.isprintable() or not path.isascii() or len(path) > 200 or any(c in path for c in "\"'`<>\\:*?|"):
        return False
    if any(part != part.strip() or part in ("", ".", "..") for part in parts) or parts[0].startswith(".steadyhand"):
        return False
    return classify(path).status == "open"


def _files(commit: _Commit, stored: Blobs) -> Iterator[TaskFile]:
    for path, *blobs in commit.files:
        texts = [_text(stored.read(blob)) for blob in blobs]
        if texts[0] is not None and texts[1] is not None:
            yield TaskFile(path, texts[0], texts[1])


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _intent(git: Git, id: str) -> str:
    """A commit's message without what only names people."""
    said = git_text(git.ask("log", "-1", "--format=%B", "--encoding=UTF-8", id))
    rows = [row for row in split_bodies(said) if not row.strip().lower().startswith(_TRAILER)]
    text = "\n".join(rows).encode("utf-8", "replace").decode().strip()
    plain = "".join(char if char.isprintable() or char == "\n" else " " for char in text)
    return plain if len(plain) <= _LONGEST_INTENT else f"{plain[:_LONGEST_INTENT].rstrip()} …"
