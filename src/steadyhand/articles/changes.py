"""A change of the code: which files differ between two states of a repository, by which commits, and their texts.

The two states are the commit where a branch left its base and the commit that is checked out, or, for what is not
committed, that commit and the working tree. Texts are read one file at a time and not kept, so that memory does not
grow with the change. What must not or cannot be shown is listed with the reason: binary files, submodules, links,
secrets, and what `.gitattributes` calls generated or vendored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import Final

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.session.host import host_of
from steadyhand.session.workspace import Workspace
from steadyhand.text.source import Source
from steadyhand.workspace.files.protection import classify, is_hidden
from steadyhand.workspace.git import Blobs, Entry, Git

__all__ = ["ChangedFile", "Changes", "Commit", "LeftOut", "Sides", "read_changes"]

Sides = tuple[Source | None, Source | None]

_MOST_COMMITS: Final = 1_000
_MOST_UNTRACKED: Final = 5_000
_LARGEST: Final = 1 << 20  # bytes of a file whose text is compared
_NO_FILE, _SUBMODULE, _LINK = "000000", "160000", "120000"
_NO_DIFF: Final = "no diff by .gitattributes"
_UNSHOWN: Final = frozenset({"generated", "vendored", "secret", _NO_DIFF})
_ATTRIBUTES: Final = ("linguist-generated", "linguist-vendored", "diff")
_STATUS: Final = {
    "A": "added",
    "C": "added",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "type-changed",
    "U": "conflicted",
}


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit of the change."""

    id: str
    author: str
    date: str
    subject: str

    def to_json(self) -> dict[str, object]:
        return {"id": self.id, "author": self.author, "date": self.date, "subject": self.subject}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs. `hidden` says why its text is not shown; None: it may be.

    `commits` are the ids of the commits that changed it, the newest first; none for what is not committed.
    """

    path: str
    status: str
    old_path: str | None = None
    modes: tuple[str, str] = ("100644", "100644")
    ids: tuple[str | None, str | None] = (None, None)
    hidden: str | None = None
    commits: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Its path, and the one it had before."""
        return (self.path,) if self.old_path is None else (self.path, self.old_path)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that a report does not show. Without a path it is about the report as a whole."""

    path: str | None
    reason: str

    def to_json(self) -> dict[str, object]:
        return {"path": self.path, "reason": self.reason}


@dataclass(frozen=True)
class Changes:
    """What differs between two states. `head` is None for the working tree, `base` None for an empty repository.

    Files are sorted by path. Valid within `read_changes`.
    """

    base: str | None
    head: str | None
    commits: tuple[Commit, ...]
    files: tuple[ChangedFile, ...]
    left_out: tuple[LeftOut, ...] = ()
    _git: Git | None = field(default=None, repr=False, compare=False)
    _workspace: Workspace | None = field(default=None, repr=False, compare=False)
    _open: ExitStack = field(default_factory=ExitStack, repr=False, compare=False)

    @cached_property
    def by_name(self) -> dict[str, list[ChangedFile]]:
        """The changed files by their paths, those before a rename included."""
        found: dict[str, list[ChangedFile]] = {}
        for file in self.files:
            for name in file.names:
                found.setdefault(name, []).append(file)
        return found

    def sides(self, file: ChangedFile, *, only_compared: bool = False) -> Sides | str:
        """The texts of a file before and after, None where there was none; or why they are not shown.

        `only_compared`: they are shown to nobody, so what is merely not to be shown is given all the same.
        """
        if file.hidden is not None and not (only_compared and file.hidden in _UNSHOWN):
            return file.hidden
        paths = (file.old_path or file.path, file.path)
        read: list[Source | None] = []
        for mode, blob, path in zip(file.modes, file.ids, paths, strict=True):
            side = None if mode == _NO_FILE else self._side(blob, path)
            if isinstance(side, str):
                return side
            read.append(side)
        before, after = read
        if before is not None and after is not None and file.ids[1] is None:
            after = _as_stored(before, after)
        return before, after

    @cached_property
    def _sizes(self) -> dict[str, int]:
        files = (file for file in self.files if file.hidden is None or file.hidden in _UNSHOWN)
        ids = [blob for file in files for blob in file.ids if blob is not None]
        return {} if self._git is None else self._git.sizes(ids)

    @cached_property
    def _blobs(self) -> Blobs:
        assert self._git is not None
        return self._open.enter_context(self._git.blobs())

    def _side(self, blob: str | None, path: str) -> Source | str:
        if blob is None:
            return self._from_tree(path)
        size = self._sizes.get(blob)
        if size is None or size > _LARGEST:
            return "not in this clone" if size is None else "too large"
        data = self._blobs.read(blob)
        if data is None:
            return "not in this clone"
        source = Source.of_bytes(data, path=path)
        return "binary" if source.is_binary else source

    def _from_tree(self, path: str) -> Source | str:
        """A file of the working tree, as the workspace lets it be read: never through a link."""
        assert self._workspace is not None
        try:
            source = host_of(self._workspace).source(path)
        except EditError as error:
            return _UNREADABLE.get(error.kind, "not readable")
        if source.path != path:
            return "link"
        return "too large" if len(source.text) > _LARGEST else source


_UNREADABLE: Final = {
    Kind.NOT_TEXT: "binary",
    Kind.TOO_LARGE: "too large",
    Kind.PROTECTED_PATH: "protected",
    Kind.OUTSIDE_ROOT: "link",
}


@contextmanager
def read_changes(workspace: Workspace, *, base: str | None = None, uncommitted: bool = False) -> Iterator[Changes]:
    """The change that is checked out.

    Refuses with `no-such-file` where there is no repository, with `not-installed` without git, and with `bad-request`
    a base that is no commit, that has no history in common, or that cannot be detected.
    """
    if base is not None and not isinstance(base, str):
        raise EditError(Kind.BAD_REQUEST, "base: the name of a commit is expected", details={"field": "base"})
    git = Git(workspace.root)
    head = git.head()
    with ExitStack() as opened:
        if uncommitted:
            yield _uncommitted(git, head, workspace, opened)
        elif head is None:
            raise EditError(
                Kind.BAD_REQUEST,
                "the repository has no commits yet",
                hint="commit something, or compare what is uncommitted",
            )
        else:
            yield _committed(git, _merge_base(git, base, head), head, workspace, opened)


def _committed(git: Git, base: str, head: str, workspace: Workspace, opened: ExitStack) -> Changes:
    logged = git.log(base, head, most=_MOST_COMMITS + 1)
    if git.is_part():  # what was done elsewhere in the repository is no matter of this workspace
        logged = [commit for commit in logged if commit.paths]
    touched: dict[str, list[str]] = {}
    for commit in logged:
        for path in commit.paths:
            touched.setdefault(path, []).append(commit.id)
    commits = tuple(Commit(each.id, each.author, each.date, each.subject) for each in logged[:_MOST_COMMITS])
    left_out = [LeftOut(None, f"commits before the newest {_MOST_COMMITS}")] if len(logged) > _MOST_COMMITS else []
    files = _files(git, git.differences(base, head), touched)
    return Changes(base, head, commits, files, tuple(left_out), git, workspace, opened)


def _uncommitted(git: Git, head: str | None, workspace: Workspace, opened: ExitStack) -> Changes:
    entries = git.differences(head, None)
    new = [path for path in git.untracked() if not is_hidden(path)]
    known = {entry.path for entry in entries}
    # A file that is tracked no more and still there was not deleted.
    entries = [
        entry
        if entry.status != "D" or entry.path not in new
        else Entry("M", entry.path, None, (entry.modes[0], "100644"), (entry.ids[0], None))
        for entry in entries
    ]
    left_out = [LeftOut(None, f"{len(new) - _MOST_UNTRACKED} untracked files")] if len(new) > _MOST_UNTRACKED else []
    entries += [
        Entry("A", path, None, (_NO_FILE, _SUBMODULE if path.endswith("/") else "100644"), (None, None))
        for path in new[:_MOST_UNTRACKED]
        if path not in known
    ]
    return Changes(head, None, (), _files(git, entries, {}), tuple(left_out), git, workspace, opened)


def _files(git: Git, entries: Sequence[Entry], touched: dict[str, list[str]]) -> tuple[ChangedFile, ...]:
    """The entries as files, sorted, each once: a conflict is listed for each side."""
    chosen: dict[str, Entry] = {}
    for entry in entries:
        if entry.status != "U" or entry.path not in chosen:
            chosen[entry.path] = entry
    attributes = git.attributes(chosen, _ATTRIBUTES)
    return tuple(
        _file(chosen[path], attributes.get(path, {}), touched) for path in sorted(chosen) if not is_hidden(path)
    )


def _file(entry: Entry, attributes: dict[str, str], touched: dict[str, list[str]]) -> ChangedFile:
    is_same = entry.status == "M" and entry.ids[0] == entry.ids[1] and entry.modes[0] != entry.modes[1]
    status = "mode-changed" if is_same else _STATUS.get(entry.status, "modified")
    names = [entry.path] if entry.old_path is None else [entry.path, entry.old_path]
    commits = dict.fromkeys(commit for name in names for commit in touched.get(name, ()))
    modes = entry.modes if entry.status != "U" else (entry.modes[0], "100644")
    hidden = _hidden(modes, attributes, names)
    return ChangedFile(entry.path, status, entry.old_path, modes, entry.ids, hidden, tuple(commits))


def _hidden(modes: tuple[str, str], attributes: dict[str, str], names: Sequence[str]) -> str | None:
    if _SUBMODULE in modes:
        return "submodule"
    if _LINK in modes:
        return "link"
    if any(classify(name).secret for name in names):
        return "secret"
    for name, what in (("linguist-generated", "generated"), ("linguist-vendored", "vendored")):
        if attributes.get(name) in ("set", "true"):
            return what
    return _NO_DIFF if attributes.get("diff") == "unset" else None


def _as_stored(before: Source, after: Source) -> Source:
    """A file of the working tree with the line endings that git would store, where it only checked it out with CRLF."""
    if "\r" in before.text or "\r\n" not in after.text:
        return after
    plain = after.text.replace("\r\n", "\n")
    return after if plain == before.text else Source(plain, after.encoding, after.path)


def _merge_base(git: Git, base: str | None, head: str) -> str:
    if base is None:
        usual = git.usual_base()
        if usual is None:
            raise EditError(
                Kind.BAD_REQUEST,
                "no base branch was detected: there is no origin/HEAD, main or master other than the current branch",
                hint="name one with --base, such as HEAD~1, or compare what is uncommitted",
                details={"field": "base"},
            )
        name, commit = usual
    else:
        name, found = base, git.commit(base)
        if found is None:
            raise EditError(
                Kind.BAD_REQUEST,
                f"{base[:80]!r} is not a commit of this repository",
                hint="name a branch, a tag or a commit; fetch it first if it is remote",
                details={"field": "base", "base": base[:200]},
            )
        commit = found
    shared = git.merge_base(commit, head)
    if shared is None:
        is_shallow = git.is_shallow()
        raise EditError(
            Kind.BAD_REQUEST,
            f"{name[:80]} and HEAD have no commit in common" + (" in this shallow clone" if is_shallow else ""),
            hint="fetch more history: git fetch --unshallow" if is_shallow else "name another base",
            details={"field": "base", "base": name[:200], "shallow": is_shallow},
        )
    return shared
