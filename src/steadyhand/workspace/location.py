"""Where a workspace keeps its journal and its state, and the names by which trees and repositories know themselves.

The state folder (lock files, notes of transactions under way) is always a folder of this machine or of the tree; the
journal lies in it, or in a database that several machines share. A journal can be copied from one to the other; the
source always stays as it is.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameJournal, RunCommand, Say
from steadyhand.lazy import dataclass, field, lazy_pattern
from steadyhand.workspace.files.storage import closing, create_private, refuse_os, sync_directory

if TYPE_CHECKING:
    from steadyhand.workspace.journal.maintenance import Copied
    from steadyhand.workspace.journal.store import Journal, Progress

FOLDER = ".steadyhand"
_ID_FILE = "root"
_MOVED = "moved"
_ID = lazy_pattern("[0-9a-f]{16}")
_STORES = ("postgresql", "postgres")
_LARGEST = 1 << 20  # bytes of a git configuration
_LINK = 4096  # bytes of a file that says where a git folder is
_TRIES, _PAUSE = 15, 0.02  # how often, and how many seconds apart, to look for a name that is being written
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)
_SECTION = lazy_pattern(r"""\s*\[\s*(?:remote\s+"origin"|remote\.origin)\s*\](.*)""", re.IGNORECASE)
_ADDRESS = lazy_pattern(r"""\s*url\s*=\s*(.*?)\s*""", re.IGNORECASE)
_DATABASE = "journal.sqlite"


@dataclass(frozen=True, slots=True)
class Location:
    """The state folder, and the URL of a journal that lies elsewhere, which may hold a password."""

    folder: Path
    url: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, root: Path, journal: str | Path | None) -> Location:
        """What a caller's `journal` means, whatever the working directory becomes."""
        given = str(journal) if journal is not None else str(Path(root) / FOLDER)
        scheme, separator, rest = given.partition("://")
        if separator and scheme.lower() in _STORES:
            return cls(Path(os.path.abspath(Path(root) / FOLDER)), given)
        if separator and scheme.lower() != "sqlite":
            raise EditError(
                Kind.NOT_INSTALLED,
                f"no journal store for {scheme[:20]}:// is installed",
                hint="give a folder, a postgresql:// URL, or leave it out to keep the journal under the workspace root",
            )
        given = rest if separator else given
        if not given.strip():
            raise EditError(Kind.BAD_REQUEST, "the journal's location is empty", hint="name a folder, or leave it out")
        folder = os.path.abspath(given)
        if Path(root).resolve().is_relative_to(Path(folder).resolve()):
            raise EditError(
                Kind.BAD_REQUEST,
                "the journal's folder contains the workspace itself",
                hint="name a separate folder, or leave it out to keep the journal under the root",
            )
        return cls(Path(folder))

    @property
    def journal(self) -> str:
        """What `open_journal` is given."""
        return self.url if self.url is not None else str(self.folder)

    @property
    def shown(self) -> str:
        """The same without a password."""
        return str(self.folder) if self.url is None else shown_url(self.url)

    def state_dirs(self, root: Path) -> tuple[str, ...]:
        """A state folder beneath the root under another name is as closed as the usual one."""
        with contextlib.suppress(ValueError):
            return (self.folder.resolve().relative_to(Path(root).resolve()).as_posix(),)
        return ()

    def moved_to(self) -> str | None:
        """Where the journal of this folder was moved; None: it is here."""
        # Asked under the locks of every change: no path is put together for it.
        found = None if self.url is not None else _start_of(f"{self.folder}/{_MOVED}", _LINK)
        return None if found is None else found.strip() or "another place"

    def check_here(self) -> None:
        """Refuse to go on with a journal that was moved: its history would end in two."""
        place = self.moved_to()
        if place is not None:
            raise EditError(
                Kind.READ_ONLY,
                f"the journal of this tree is kept in {place}",
                hint=(
                    NameJournal("its current location"),
                    Say(f"remove {FOLDER}/{_MOVED} to continue with the one here"),
                ),
            )

    def mark_moved(self, place: str | None) -> None:
        """Say where the journal is now; None: here again."""
        marker = self.folder / _MOVED
        if place is not None and (_start_of(marker, _LINK) or "").strip() == place:
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(marker)
        if place is not None:
            _write_new(marker, place)

    def root_id(self) -> str | None:
        """The name of the tree, by which machines that share it find its journal; None: it has none yet."""
        found = _start_of(self.folder / _ID_FILE, _LINK)
        return found if found is not None and _ID.fullmatch(found := found.strip()) else None

    def make_root_id(self, name: str | None = None) -> str:
        """The name of the tree, given now if it has none: whoever is first names it. The folder is there already.

        `name` is the one it had, where that is known and the file that said so is gone.
        """
        import secrets

        found = self.root_id()
        for attempt in range(_TRIES):
            if found is not None:
                return found
            if attempt and os.path.lexists(self.folder / _ID_FILE):
                time.sleep(_PAUSE)  # perhaps it is being written
            else:
                try:
                    self._give_name(name or secrets.token_hex(8))
                except OSError as error:
                    raise refuse_os(error, "name the tree", f"{FOLDER}/{_ID_FILE}") from None
            found = self.root_id()
        raise EditError(
            Kind.JOURNAL_DAMAGED,
            f"{FOLDER}/{_ID_FILE} is not the name of a tree",
            hint=f"remove {FOLDER}/{_ID_FILE}; the journal under its old name is then no longer used",
        )

    def _give_name(self, name: str) -> None:
        """Write a name that appears whole and outlives a power cut, unless there is one by now."""
        import secrets

        part = self.folder / f"{_ID_FILE}.{secrets.token_hex(4)}"
        try:
            _write_new(part, name)
            with contextlib.suppress(FileExistsError):
                try:
                    os.link(part, self.folder / _ID_FILE)
                except OSError as error:
                    if error.errno not in _NO_LINKS:
                        raise
                    _write_new(self.folder / _ID_FILE, name)  # a file system without links: it may be seen half written
        finally:
            with contextlib.suppress(OSError):
                os.unlink(part)
        sync_directory(self.folder)


def user_state() -> Path | None:
    """Where this user's programs keep what outlives them: XDG_STATE_HOME, else ~/.local/state; None without a home."""
    given = os.environ.get("XDG_STATE_HOME", "")
    home = os.path.expanduser("~")
    if not os.path.isabs(given) and not os.path.isabs(home):
        return None
    return Path(given if os.path.isabs(given) else os.path.join(home, ".local", "state")) / "steadyhand"


def shown_url(url: str) -> str:
    """A URL without its password; where a password cannot be separated from the rest, without the rest.

    >>> shown_url("postgresql://me:x@host/db?password=y&journal=site")
    'postgresql://me@host/db?journal=site'
    >>> shown_url("postgresql://host/db?pass%77ord=y")
    'postgresql://host/db'
    """
    from urllib.parse import unquote

    scheme, _, rest = url.partition("://")
    authority, mark, tail = rest, "", ""
    if found := re.search("[/?]", rest):
        authority, mark, tail = rest[: found.start()], found[0], rest[found.end() :]
    if authority.count("@") > 1 or "@" in tail:
        return f"{scheme}://…"
    user, at, host = authority.rpartition("@")
    path, question, query = (f"{mark}{tail}").partition("?")
    kept = "&".join(part for part in query.split("&") if "password" not in unquote(part.partition("=")[0]).lower())
    return f"{scheme}://{user.partition(':')[0]}{at}{host}{path}{question if kept else ''}{kept}"


def shown_repository(address: str) -> str:
    """The address of a repository without what lets somebody in: over HTTP the name is often a token, too.

    >>> shown_repository("https://oauth2:t0ken@host/a.git"), shown_repository("ssh://git@host/a.git")
    ('https://host/a.git', 'ssh://git@host/a.git')
    """
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    host, slash, path = rest.partition("/")
    return shown_url(f"{scheme}://{host.rpartition('@')[2] if scheme.startswith('http') else host}{slash}{path}")


def repo_id(root: Path) -> str | None:
    """A name that all clones of one repository share: the digest of where they were cloned from; None: no clone."""
    import hashlib

    top = repo_top(root)
    if top is None:
        return None
    url = _origin(_git_folder(top / ".git") / "config")
    if url is None or ("://" not in url and not url.startswith("/") and ":" not in url.partition("/")[0]):
        return None  # a relative address means another place for every clone
    return hashlib.sha256(plain_address(url).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def repo_top(root: Path) -> Path | None:
    """The folder that is under version control: the root, or one that it lies in."""
    for folder in (Path(root), *Path(root).parents):
        with contextlib.suppress(OSError):
            if (folder / ".git").exists():
                return folder
    return None


def plain_address(url: str) -> str:
    """The address of a repository without what clones may write differently: user, password, port, scheme, `.git`.

    >>> plain_address("git@example.org:team/site.git") == plain_address("https://me:x@example.org:443/team/site/")
    True
    """
    scheme, separator, address = url.strip().partition("://")
    if not separator:  # as scp writes it: a colon ends the host, if no slash is before it
        address = re.sub(r"^((?:[^/@]*@)?(?:\[[^\]/]*\]|[^:/\[]*)):", r"\1/", scheme, count=1)
    host, _, path = address.partition("/")
    name = re.sub(r":\d*$", "", host.rpartition("@")[2]).lower()
    return f"{name}/{path.strip('/').removesuffix('.git').rstrip('/')}"


def _git_folder(place: Path) -> Path:
    """Where a repository's configuration lies: work trees and submodules have a file that says so."""
    said = _start_of(place, _LINK) or ""
    if not said.startswith("gitdir:"):
        return place
    home = place.parent / said[7:].strip()
    common = _start_of(home / "commondir", _LINK)
    return home if common is None else home / common.strip()


def _origin(config: Path) -> str | None:
    """The address that a configuration gives for the origin; whatever else is in it does not matter."""
    for line in _lines_of_origin(_start_of(config, _LARGEST) or ""):
        found = _ADDRESS.fullmatch(line)
        if found and found[1].strip('"'):
            return found[1].strip('"')
    return None


def _lines_of_origin(text: str) -> Iterator[str]:
    is_inside = False
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            found = _SECTION.fullmatch(line)
            is_inside = found is not None
            line = found[1] if found else ""
        if is_inside:
            yield line


def _start_of(path: Path | str, size: int) -> str | None:
    """The beginning of a regular file as text; None where there is none, or none that can be read without waiting."""
    try:
        with closing(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)) as handle:
            data = os.read(handle, size) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except (OSError, ValueError):
        return None
    return None if data is None else data.decode("utf-8", "replace")


def _write_new(path: Path, line: str) -> None:
    with closing(create_private(path)) as handle:
        os.write(handle, f"{line}\n".encode("utf-8", "surrogateescape"))
        os.fsync(handle)


@dataclass(frozen=True, slots=True)
class MovedJournal:
    """A journal that was copied: from where, to where as `--journal` takes it (without a password), and how much."""

    source: str
    target: str
    copied: Copied

    def to_json(self) -> dict[str, object]:
        return {
            "from": self.source,
            "to": self.target,
            "rows": self.copied.rows,
            "images": self.copied.images,
            "image_bytes": self.copied.image_bytes,
            "head": self.copied.head_seq,
            "chain": self.copied.head_chain,
            "problems": [problem.message for problem in self.copied.problems],
        }


def move_journal(
    source: str, target: str, *, name: str | None = None, damaged: bool = False, progress: Progress | None = None
) -> MovedJournal:
    """Copy a journal, a folder or a URL, to another that is empty or not there yet, and verify the copy.

    `name` is the journal's in a store that holds several, where a URL gives none. Refuses a source that is not there
    or has transactions under way, a target that holds something, and, unless `damaged`, a source with damage.
    """
    from steadyhand.workspace.journal.maintenance import copy_journal
    from steadyhand.workspace.journal.store import open_journal

    for place in (source, target):
        _refuse_nameless(place, name)
    if _place(source) == _place(target):
        raise EditError(Kind.BAD_REQUEST, "source and target are the same journal", hint="name another target")
    with _existing(source, name) as old:
        unsettled = old.unsettled()
        if unsettled:
            raise EditError(
                Kind.BUSY,
                f"the journal {old.location} has unfinished transactions: {len(unsettled)}",
                hint=Say("open the workspace once, which finishes or reverts them, then try again"),
                details={"records": [record.id for record, _ in unsettled[:20]]},
            )
        with open_journal(target, name=name) as new:
            if old.location == new.location:
                raise EditError(Kind.BAD_REQUEST, "source and target are the same journal", hint="name another target")
            copied = copy_journal(old, new, progress, damaged=damaged)
        if old.head() != copied.head_seq:
            raise EditError(
                Kind.BUSY,
                f"the journal gained {old.head() - copied.head_seq} rows while it was copied, and the copy lacks them",
                hint="stop whoever writes to it, then copy it once more, to a journal that is new or empty",
            )
        return MovedJournal(old.location, shown_url(target) if "://" in target else target, copied)


def move_own(
    root: str, journal: str | None, target: str, *, damaged: bool = False, progress: Progress | None = None
) -> MovedJournal:
    """The same for the journal of a workspace, which keeps its name: the id of its root.

    The folder it was in says where it went, and is not written any more until somebody says that it should be.
    """
    from steadyhand.workspace.files.storage import Storage
    from steadyhand.workspace.state import StateFolder

    own, new = Location.of(Path(root), journal), Location.of(Path(root), target)
    if not os.path.lexists(own.folder):
        raise _no_journal(own.shown)
    if new.url is not None:
        StateFolder(new.folder, Storage()).make()
    name = new.make_root_id() if new.url is not None else own.root_id()
    before = own.moved_to()
    if own.url is None:
        own.mark_moved(new.shown)  # from now on nobody adds to it: the copy is to be whole
    try:
        moved = move_journal(own.journal, new.journal, name=name, damaged=damaged, progress=progress)
    except BaseException:
        if own.url is None:
            own.mark_moved(before)
        raise
    if new.url is None:
        new.mark_moved(None)
    return moved


@contextmanager
def _existing(place: str, name: str | None) -> Iterator[Journal]:
    """A journal that is there and holds something; looked for first in a way that makes nothing."""
    from steadyhand.workspace.journal.store import open_journal

    if "://" in _place(place):
        with open_journal(place, name=name, read_only=True) as found:
            _refuse_empty(found)
    elif not os.path.isfile(os.path.join(_place(place), _DATABASE)):
        raise _no_journal(place)
    with open_journal(place, name=name) as journal:
        _refuse_empty(journal)
        yield journal


def _refuse_empty(journal: Journal) -> None:
    held = journal.stats()
    if not held.rows and not held.images:
        raise _no_journal(journal.location)


def _refuse_nameless(place: str, name: str | None) -> None:
    from urllib.parse import parse_qsl

    if "://" not in place or place.lower().startswith("sqlite://") or name is not None:
        return
    query = place.partition("?")[2]
    if not dict(parse_qsl(query)).get("journal"):
        raise EditError(
            Kind.BAD_REQUEST,
            f"{shown_url(place)} does not say which journal of that database is meant",
            hint=(Say("add ?journal=NAME"), RunCommand("journal move --to URL", "moves a workspace's own journal")),
        )


def _place(place: str) -> str:
    plain = place.removeprefix("sqlite://")
    return place if "://" in plain else os.path.realpath(plain)


def _no_journal(place: str) -> EditError:
    return EditError(
        Kind.NO_SUCH_FILE, f"there is no journal at {place}, or it is empty", hint="check the name of the source"
    )
