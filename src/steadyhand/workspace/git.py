"""Questions to git: bounded in output and time, and deaf to what an untrusted repository configures.

A repository's own configuration can name programs: hooks, an external diff, a text converter, a file-system monitor,
filters, a signature checker, a transport for objects that are missing. None of them is run here, nothing is fetched and
nothing is written, not even the index. Names come and go as bytes between NULs, so that every file name survives; as
text they hold a lone surrogate for each byte that is no UTF-8.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass

if TYPE_CHECKING:
    import subprocess


_SECONDS: Final = 120.0
_MOST_OUTPUT: Final = 64 << 20  # bytes of one answer
_PART: Final = 1 << 20  # bytes that are asked for at once
_MOST_COMMITS: Final = 1_000
_ERRORS: Final = 4_096  # bytes of what git complains about
_RESTARTS: Final = 200  # of a command that ends at each object that is missing
_RENAMES: Final = 1_000  # files on each side among which renames are looked for
_FIXED: Final = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=false",
    "core.untrackedCache=keep",
    "diff.external=",
    "log.showSignature=false",
    "safe.bareRepository=explicit",
)
_ENVIRONMENT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
# Where a change usually goes, the likeliest first; the branch that is checked out is never its own base.
_BASES: Final = tuple(
    f"refs/{where}/{name}"
    for where, names in (
        ("remotes/origin", ("HEAD", "main", "master")),
        ("remotes/upstream", ("HEAD", "main", "master")),
        ("heads", ("main", "master")),
    )
    for name in names
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file that differs between two sides, as git lists it. Modes are octal, `000000` where there is no file.

    An id of None is a file of the working tree that git has not stored.
    """

    status: str
    path: str
    old_path: str | None
    modes: tuple[str, str]
    ids: tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A commit, and the files that it changed."""

    id: str
    author: str
    date: str
    subject: str
    paths: tuple[str, ...]


class Git:
    """The repository that a directory belongs to. Every path counts from that directory."""

    def __init__(self, root: str, *, seconds: float = _SECONDS) -> None:
        self.root = root
        self._seconds = seconds
        self._program = _program()
        self._environment = _environment()

    def head(self) -> str | None:
        """The commit that is checked out; None where there is none yet. Refuses where no sound repository is."""
        self.ask("rev-parse", "--git-dir")
        found = self.commit("HEAD")
        if found is None and self._answer("rev-parse", "--verify", "--quiet", "HEAD", codes=(0, 1, 128)).strip():
            raise self._refusal("show HEAD", "")  # it names a commit, and that is missing
        return found

    def commit(self, name: str) -> str | None:
        """The commit that a name means; None where it means none."""
        if not name or name.startswith("-") or "\0" in name:
            return None
        found = self._answer("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", codes=(0, 1, 128))
        return git_text(found).strip() or None

    def is_part(self) -> bool:
        """Whether the directory is only a part of the repository."""
        return self.ask("rev-parse", "--show-prefix").strip() != b""

    def usual_base(self) -> tuple[str, str] | None:
        """The branch that the current one probably goes to, and its commit; None where none is detected."""
        fields = "%(refname)%00%(objectname)%00%(HEAD)%00%(upstream)"
        answer = self.ask("for-each-ref", f"--format={fields}", "refs/heads", *_BASES)
        refs = [git_text(row).split("\0") for row in answer.split(b"\n") if row.count(b"\0") == 3]
        commits = {ref[0]: ref[1] for ref in refs if ref[2] != "*"}
        upstream = [ref[3] for ref in refs if ref[2] == "*" and ref[3]]
        for name in (*_BASES, *upstream):
            commit = commits.get(name) or (self.commit(name) if name in upstream else None)
            if commit is not None:
                return name.removeprefix("refs/").removeprefix("remotes/").removeprefix("heads/"), commit
        return None

    def merge_base(self, one: str, other: str) -> str | None:
        """The commit from which both come; None where the history that is here has none."""
        return git_text(self._answer("merge-base", one, other, codes=(0, 1))).strip() or None

    def is_shallow(self) -> bool:
        return self.ask("rev-parse", "--is-shallow-repository").strip() == b"true"

    def log(self, base: str | None, head: str, *, most: int = _MOST_COMMITS, names: bool = True) -> list[LogEntry]:
        """The commits that `head` has and `base` lacks, the newest first, with the files that each changed.

        Where these are more than can be read, as without `names`, no commit has any.
        """
        import secrets

        mark = secrets.token_hex(16)  # no file name can pass for it
        options = ["-z", f"--max-count={most}", f"--format={mark}%H%x1f%an%x1f%aI%x1f%s", "--encoding=UTF-8"]
        shown = ["--name-only", "--no-renames", "--no-ext-diff", "--relative", "-c"] if names else ["--no-patch"]
        try:
            answer = self.ask("log", *options, *shown, head if base is None else f"{base}..{head}")
        except EditError as error:
            if error.kind is not Kind.TOO_LARGE or not names:
                raise
            return self.log(base, head, most=most, names=False)
        commits = answer.split(mark.encode())[1:]
        return [_logged(git_text(commit)) for commit in commits]

    def differences(self, base: str | None, head: str | None) -> list[Entry]:
        """The files that differ between two commits, or, without `head`, between a commit and the working tree.

        Without `base` it is the empty tree. Files that git does not track are not among them.
        """
        before = base or git_text(self.ask("hash-object", "-t", "tree", "--stdin")).strip()
        sides = [before] if head is None else [before, head]
        options = ["--raw", "-z", "--no-abbrev", "--relative", f"-l{_RENAMES}", "--ignore-submodules=dirty"]
        words = ["diff", *options, "--no-ext-diff", "--no-textconv"]
        try:
            answer = self.ask(*words, "-M", *sides, "--", filters=head is None)
        except EditError as error:
            if error.kind is not Kind.DISK_REFUSED:
                raise
            # A partial clone may lack the texts that a rename is recognised by; equal texts have equal ids.
            answer = self.ask(*words, "-M100%", *sides, "--", filters=head is None)
        return list(_entries(answer))

    def untracked(self) -> list[str]:
        """Files of the working tree that git neither tracks nor ignores."""
        return _names(self.ask("ls-files", "--others", "--exclude-standard", "-z"))

    def tracked(self) -> list[str]:
        """Files that git tracks."""
        return _names(self.ask("ls-files", "-z"))

    def attributes(self, paths: Iterable[str], names: Sequence[str]) -> dict[str, dict[str, str]]:
        """What `.gitattributes` files say of paths: for each attribute that is specified, its value."""
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        if not given:
            return {}
        parts = self.ask("check-attr", "--stdin", "-z", *names, given=given).split(b"\0")
        found: dict[str, dict[str, str]] = {}
        for path, name, value in zip(parts[0::3], parts[1::3], parts[2::3], strict=False):
            if value != b"unspecified":
                found.setdefault(git_text(path), {})[git_text(name)] = git_text(value)
        return found

    def sizes(self, ids: Iterable[str]) -> dict[str, int]:
        """How large stored files are, in bytes; one that is missing here, as in a partial clone, is left out."""
        asked = list(dict.fromkeys(ids))
        if not asked:
            return {}
        given = "".join(f"{each}\n" for each in asked).encode()
        try:
            rows = self.ask("cat-file", "--batch-check", given=given).split(b"\n")
        except EditError as error:
            if error.kind is not Kind.DISK_REFUSED:
                raise
            return self._sizes_of_some(asked)
        return dict(filter(None, map(_size, rows)))

    def _sizes_of_some(self, ids: Sequence[str]) -> dict[str, int]:
        """The same where git ends at an object that it would have to fetch: it is started again behind each."""
        found: dict[str, int] = {}
        waiting = iter(ids)
        for _ in range(_RESTARTS):
            with self._answering("cat-file", "--batch-check") as (asked, answered):
                for each in waiting:
                    row = _exchange(asked, answered, each)
                    if not row:
                        break
                    found.update(filter(None, [_size(row)]))
                else:
                    return found
        return found

    @contextmanager
    def blobs(self) -> Iterator[Blobs]:
        """Stored files, one after another, from one process that ends with the block."""
        with self._answering("cat-file", "--batch") as (asked, answered):
            yield Blobs(asked, answered)

    @contextmanager
    def _answering(self, *words: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        """A command that answers line by line while the block lasts."""
        process = self._start(self._command(*words))
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        silent = threading.Thread(target=_drain, args=(process.stderr, []), daemon=True)
        silent.start()
        try:
            yield process.stdin, process.stdout
        finally:
            process.kill()
            process.wait()
            silent.join()
            process.stdout.close()
            with suppress(OSError):  # what was not taken any more
                process.stdin.close()

    def ask(self, *words: str, given: bytes = b"", filters: bool = False) -> bytes:
        """What a command of git answers. Refuses where it fails, answers too much or takes too long.

        `filters`: it may read files of the working tree, so the filters that are configured are switched off.
        """
        settings = self._no_filters() if filters else ()
        return self._answer(*words, given=given, settings=settings)

    def _answer(
        self, *words: str, given: bytes = b"", settings: Sequence[str] = (), codes: Sequence[int] = (0,)
    ) -> bytes:
        code, answer, error, is_late = self._run(self._command(*words, settings=settings), given)
        if len(answer) > _MOST_OUTPUT:
            size = f"{_MOST_OUTPUT >> 20} MB"
            raise EditError(
                Kind.TOO_LARGE, f"git {words[0]} returned more than {size}", hint="compare a smaller change"
            )
        if is_late:
            late = f"git {words[0]} took more than {self._seconds:g} seconds"
            raise EditError(Kind.TIMED_OUT, late, hint="try it again")
        if code not in codes or (code != 0 and "not a git repository" in error):
            raise self._refusal(words[0], error)
        return answer if code == 0 else b""

    def _run(self, command: Sequence[str], given: bytes) -> tuple[int, bytes, str, bool]:
        """The exit code, the answer as far as it is read, the beginning of the errors, and whether it took too long."""
        process = self._start(command)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        errors: list[bytes] = []
        # Threads, because a pipe may fill on one side while git waits for the other.
        helpers = [
            threading.Thread(target=_feed, args=(process.stdin, given), daemon=True),
            threading.Thread(target=_drain, args=(process.stderr, errors), daemon=True),
        ]
        late = threading.Timer(self._seconds, process.kill)
        late.daemon = True
        for helper in (*helpers, late):
            helper.start()
        answer = b""
        try:
            answer = _read(process.stdout, _MOST_OUTPUT + 1)
        finally:
            if len(answer) > _MOST_OUTPUT:
                process.kill()
            process.stdout.close()
            code = process.wait()
            is_late = late.finished.is_set()
            late.cancel()
            for helper in helpers:
                helper.join()
        return code, answer, git_text(b"".join(errors)).strip(), is_late

    def _start(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        import subprocess

        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(command, cwd=self.root, env=self._environment, stdin=pipe, stdout=pipe, stderr=pipe)
        except OSError:
            if not os.path.isdir(self.root):
                raise EditError(
                    Kind.NO_SUCH_FILE, f"there is no directory {self.root[:200]!r}", hint="check the name"
                ) from None
            raise EditError(Kind.NOT_INSTALLED, "git cannot be run here", hint="let this process start git") from None

    def _command(self, *words: str, settings: Sequence[str] = ()) -> list[str]:
        options = [part for setting in (*_FIXED, *settings) for part in ("-c", setting)]
        return [self._program, "--no-pager", *options, *words]

    def _no_filters(self) -> list[str]:
        """Settings that switch off every filter that is configured: a filter is a program."""
        names = _names(self._answer("config", "--list", "--name-only", "-z"))
        drivers = {name[: name.rindex(".")] for name in names if name.startswith("filter.") and name.count(".") > 1}
        made = [[f"{each}.clean=", f"{each}.smudge=", f"{each}.process=", f"{each}.required=false"] for each in drivers]
        return [setting for driver in made for setting in driver]

    def _refusal(self, command: str, error: str) -> EditError:
        """Git's own words are not quoted: they may name anything on this machine."""
        if "not a git repository" in error:
            return EditError(
                Kind.NO_SUCH_FILE,
                "there is no git repository here",
                hint="run it inside a clone, or make one with git init",
            )
        if "dubious ownership" in error:
            return EditError(
                Kind.NOT_ALLOWED,
                "the repository belongs to another user, and git refuses to read it",
                hint="add it with git config --global --add safe.directory",
            )
        if "cannot use bare repository" in error:
            return EditError(Kind.NOT_ALLOWED, "this is a bare repository", hint="use a clone of it")
        return EditError(
            Kind.DISK_REFUSED, f"git {command} failed", hint=f"run git status and git {command} to see what is wrong"
        )


class Blobs:
    """Stored files by their ids."""

    def __init__(self, asked: IO[bytes], answered: IO[bytes]) -> None:
        self._asked = asked
        self._answered = answered

    def read(self, id: str) -> bytes | None:
        """The bytes of a file; None where it is not here, as in a partial clone."""
        head = _exchange(self._asked, self._answered, id).split()
        if len(head) != 3 or head[1] != b"blob":
            return None
        data = self._answered.read(int(head[2]))
        self._answered.read(1)
        return data


def _feed(pipe: IO[bytes], data: bytes) -> None:
    """Hand over all that git is given; it may end before it has taken it."""
    with suppress(OSError):
        pipe.write(data)
    with suppress(OSError):
        pipe.close()


def _read(pipe: IO[bytes], most: int) -> bytes:
    """Everything up to so many bytes; one `read` of so many would take the memory for all of them."""
    parts: list[bytes] = []
    while most > 0 and (part := pipe.read(min(most, _PART))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _drain(pipe: IO[bytes], kept: list[bytes]) -> None:
    """Read errors to their end and keep the beginning."""
    with suppress(OSError, ValueError):
        kept.append(pipe.read(_ERRORS))
        while pipe.read(_ERRORS):
            pass
    pipe.close()


def _exchange(asked: IO[bytes], answered: IO[bytes], question: str) -> bytes:
    """The line that answers; empty where git has ended."""
    try:
        asked.write(f"{question}\n".encode())
        asked.flush()
        return answered.readline()
    except OSError:
        return b""


def _size(row: bytes) -> tuple[str, int] | None:
    """What `cat-file --batch-check` says of a file; None for anything else."""
    fields = row.split()
    return (git_text(fields[0]), int(fields[2])) if len(fields) == 3 and fields[1] == b"blob" else None


def git_text(data: bytes) -> str:
    """What git answers, as text; a byte that is no UTF-8 becomes a lone surrogate."""
    return data.decode("utf-8", "surrogateescape")


def _names(answer: bytes) -> list[str]:
    return [git_text(name) for name in answer.split(b"\0") if name]


def _entries(answer: bytes) -> Iterator[Entry]:
    """What `git diff --raw -z` lists."""
    parts = iter(answer.split(b"\0"))
    for part in parts:
        fields = git_text(part).lstrip(":").split(" ")
        if len(fields) != 5:
            continue
        status = fields[4][:1]
        first = git_text(next(parts, b""))
        second = git_text(next(parts, b"")) if status in "RC" else None
        before, after = (None if set(each) == {"0"} else each for each in fields[2:4])
        yield Entry(status, second or first, first if second else None, (fields[0], fields[1]), (before, after))


def _logged(text: str) -> LogEntry:
    head, _, names = text.partition("\0")
    commit, author, date, subject = (*head.split("\x1f", 3), "", "", "")[:4]
    paths = (name for name in names.removeprefix("\n").split("\0") if name)
    return LogEntry(commit, author, date, subject.replace("\x1f", " "), tuple(paths))


def _program() -> str:
    """Where git is: in a directory that the path names in full, never in the one that is worked on."""
    for directory in os.get_exec_path():
        place = os.path.join(directory, "git")
        if os.path.isabs(place) and os.access(place, os.X_OK) and not os.path.isdir(place):
            return place
    raise EditError(Kind.NOT_INSTALLED, "git is not installed", hint="install git; it must be on the PATH")


def _environment() -> Mapping[str, str]:
    """The caller's environment without what steers git, such as a hook's `GIT_DIR`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "LC_", "LANGUAGE"))}
    return {**kept, **_ENVIRONMENT, **_settings(kept)}


def _settings(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Without a person's and the system's settings where the sandbox hides them: git refuses to run without reading."""
    home = environ.get("HOME", "")
    own = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    for path in ("/etc/gitconfig", os.path.join(home, ".gitconfig"), os.path.join(own, "git", "config")):
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
        except PermissionError:
            return {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        except OSError:
            continue  # there is none
    return {}
