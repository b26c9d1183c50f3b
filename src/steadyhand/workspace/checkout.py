"""Working trees that jobs are given: clones and worktrees of git repositories, the branches made of them, and the
right to be alone in a tree.

Git runs here as in `git.py`, without hooks, filters and whatever else a repository configures, but it may write and
fetch. A branch appears by one update of its ref, with its commit, or not at all; one that is there is never moved.
A clone is shared by the jobs of its repository; a worktree belongs to one job.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.files.storage import Storage, refuse_os
from steadyhand.workspace.git import Git, git_text
from steadyhand.workspace.location import FOLDER, shown_repository
from steadyhand.workspace.locks import LockTable
from steadyhand.workspace.state import StateFolder

_FRESH = 60.0  # seconds for which what was fetched is new enough
_PATIENCE = 600.0  # for another job that clones the same repository
_NOBODY = ("Steadyhand", "steadyhand@localhost")
_UNREACHABLE = (
    "could not resolve", "connection refused", "connection timed out", "unable to connect", "connection reset",
    "network is unreachable", "early eof", "unable to access", "the remote end hung up",
)  # fmt: skip
_OF_THE_SYSTEM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE)


class Repository(Git):
    """A repository that is worked with: worktrees, commits, branches."""

    def __init__(self, root: str, named: str) -> None:
        super().__init__(root, seconds=_PATIENCE)
        self._named = named
        writing = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}
        self._environment = {**self._environment, **writing}

    def resolve(self, ref: str | None) -> str:
        """The commit of a ref; without one, of what is checked out, or of the default branch of what was cloned."""
        names = ["refs/remotes/origin/HEAD", "HEAD"] if ref is None else [f"refs/remotes/origin/{ref}", ref]
        for name in names:
            found = self.commit(name)
            if found is not None:
                return found
        what = "no commit" if ref is None else f"no ref {ref[:100]!r}"
        raise EditError(Kind.NO_SUCH_FILE, f"{self._named} has {what}", hint="name an existing branch, tag or commit")

    def worktree(self, commit: str, place: str) -> None:
        """Check a commit out in a folder of its own. What a crash left there is removed; a finished one stays."""
        if os.path.exists(os.path.join(place, ".git")):
            return
        part = f"{place}.part"
        self.remove_worktree(part)
        self.ask("worktree", "add", "--detach", "--force", part, commit, filters=True)
        self.ask("worktree", "move", part, place)

    def remove_worktree(self, place: str) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self.ask("worktree", "prune")

    def branch(self, name: str, *, remote: bool = False) -> str | None:
        """The commit of a branch; None where there is no such branch. `remote`: also where this was cloned from."""
        ref = f"refs/heads/{name}"
        found = self.commit(ref)
        if found is None and remote and self.ask("ls-remote", "origin", ref).strip():
            self.ask("fetch", "--quiet", "origin", f"+{ref}:{ref}")
            found = self.commit(ref)
        return found

    def message(self, commit: str) -> str:
        """What a commit says of itself."""
        return git_text(self.ask("log", "-1", "--format=%B", "--encoding=UTF-8", commit))

    def commit_files(self, place: str, paths: Sequence[str], message: str) -> str:
        """A commit of files of a worktree on what is checked out there; no branch moves."""
        tree = Repository(place, self._named)
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        tree.ask("add", "--all", "--force", "--pathspec-from-file=-", "--pathspec-file-nul", given=given, filters=True)
        has_name = bool(tree._answer("config", "user.email", codes=(0, 1)).strip())
        who = () if has_name else (f"user.name={_NOBODY[0]}", f"user.email={_NOBODY[1]}")
        settings = (*tree._no_filters(), *who, "commit.gpgSign=false")
        tree._answer("commit", "--quiet", "--no-verify", "--file=-", given=message.encode(), settings=settings)
        return git_text(tree.ask("rev-parse", "HEAD")).strip()

    def make_branch(self, name: str, commit: str) -> None:
        """Let a branch appear; one that is there by now stays as it is."""
        self.ask("update-ref", f"refs/heads/{name}", commit, "0" * len(commit))

    def push(self, name: str) -> None:
        """Give a branch to where the repository was cloned from."""
        self.ask("push", "--quiet", "--no-verify", "origin", f"refs/heads/{name}:refs/heads/{name}")

    def diff_of(self, commit: str) -> tuple[str, tuple[str, ...]]:
        """What a commit changed, as a unified diff, and the paths."""
        words = ["diff-tree", "--no-ext-diff", "--no-textconv", "-r", "--root", "--no-commit-id"]
        diff = self.ask(*words, "-p", commit).decode("utf-8", "surrogateescape")
        names = self.ask(*words, "--name-only", "-z", commit).split(b"\0")
        return diff, tuple(git_text(name) for name in names if name)

    def prefix(self) -> str:
        """Where the directory is in its repository; empty at the top."""
        return git_text(self.ask("rev-parse", "--show-prefix")).rstrip("\n")

    def _command(self, *words: str, settings: Sequence[str] = ()) -> list[str]:
        return super()._command(*words, settings=("core.autocrlf=false", "gc.auto=0", *settings))

    def _refusal(self, command: str, error: str) -> EditError:
        said = error.lower()
        remote = command in ("clone", "fetch", "push", "ls-remote")
        for number in _OF_THE_SYSTEM:
            if os.strerror(number).lower() in said:
                return refuse_os(OSError(number, ""), command if remote else "check out", self._named)
        is_forbidden = "returned error: 403" in said
        if not is_forbidden and any(text in said for text in _UNREACHABLE):
            return EditError(
                Kind.DISK_REFUSED,
                f"{self._named} cannot be reached",
                hint="check the address, and that it answers",
                details={"repository": self._named},
            )
        if command == "push" and "rejected" in said:  # another worker was faster: the next attempt finds its branch
            return EditError(Kind.BUSY, f"{self._named} now has such a branch", hint="try again in a moment")
        if remote and said:  # git that says nothing was ended by a signal
            is_denied = is_forbidden or "denied" in said or "authentication" in said
            what = f"does not let git {command} in" if is_denied else "is not a readable git repository"
            kind = Kind.NOT_ALLOWED if is_denied else Kind.NO_SUCH_FILE
            hint = "check the address, and this user's permissions there"
            return EditError(kind, f"{self._named} {what}", hint=hint)
        return super()._refusal(command, error)


def cloned(repo: str, folder: str) -> Repository:
    """The clone of a repository beneath `folder`, made or brought up to date."""
    shown, place = shown_repository(repo), _place_of_clone(repo, folder)
    locks = Path(folder) / "locks"
    _make(place.parent)
    _make(locks)
    with LockTable(locks).hold([place.name], timeout=_PATIENCE):
        if not place.exists():
            part = place.with_name(f"{place.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            above = Repository(str(place.parent), shown)
            above.ask("clone", "--quiet", "--no-checkout", "--no-hardlinks", "--template=", "--", repo, str(part))
            part.rename(place)
        else:
            fetched = place / ".git" / "FETCH_HEAD"
            at = fetched.stat().st_mtime if fetched.exists() else place.stat().st_mtime
            if time.time() - at > _FRESH:
                Repository(str(place), shown).ask(
                    "fetch", "--quiet", "--prune", "--tags", "--force", "origin", "+refs/heads/*:refs/remotes/origin/*"
                )
    return Repository(str(place), shown)


def existing_clone(repo: str, folder: str) -> Repository | None:
    """The clone that is there, as it is; nothing is fetched."""
    place = _place_of_clone(repo, folder)
    return Repository(str(place), shown_repository(repo)) if place.exists() else None


def _place_of_clone(repo: str, folder: str) -> Path:
    return Path(folder) / "clones" / hashlib.sha256(repo.encode("utf-8", "surrogateescape")).hexdigest()[:20]


@contextlib.contextmanager
def hold_tree(root: str, *, timeout: float) -> Iterator[None]:
    """Be alone among the jobs on a tree, whoever carries them out. Refuses with `busy` where another is there.

    Other edits of the tree are not kept off. The lock is in the tree's own state folder, and ends with its holder.
    """
    if not os.path.isdir(root):
        raise EditError(Kind.NO_SUCH_FILE, f"there is no directory {root[:200]!r}", hint="check the root of the job")
    state = StateFolder(Path(root) / FOLDER, Storage())
    state.make()
    place = state.location / "jobs"
    _make(place)
    with LockTable(place).hold(["tree"], timeout=timeout):
        yield


def scratch_place(folder: str, *names: str) -> str:
    """Where a job has a tree of its own, beneath the folder of bulk runs; its parent is made."""
    place = Path(folder).joinpath("trees", *names)
    _make(place.parent)
    return str(place)


def is_tree(place: str) -> bool:
    """Whether a tree was checked out at a place."""
    return os.path.isdir(place)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise refuse_os(error, "make", "the folder of bulk runs") from None
