"""Where a workspace keeps its journal and its state, and the names by which trees and repositories know themselves.

The state folder (lock files, notes of transactions under way) is always a folder of this machine or of the tree; the
journal lies in it, or in a database that several machines share.
"""

from __future__ import annotations

import configparser
import contextlib
import hashlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from steadyhand.errors import EditError, Kind

FOLDER = ".steadyhand"
_ID_FILE = "root"
_ID = re.compile("[0-9a-f]{16}")
_STORES = ("postgresql", "postgres")
_LARGEST = 1 << 20  # bytes of a git configuration


@dataclass(frozen=True, slots=True)
class Location:
    """The state folder, and the URL of a journal that lies elsewhere."""

    folder: Path
    url: str | None = None

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
            raise EditError(Kind.BAD_REQUEST, "the journal's place is empty", hint="name a folder, or leave it out")
        folder = os.path.abspath(given)
        if Path(root).resolve().is_relative_to(Path(folder).resolve()):
            raise EditError(
                Kind.BAD_REQUEST,
                "the journal's folder holds the workspace itself",
                hint="name a folder of its own, or leave it out to keep the journal under the root",
            )
        return cls(Path(folder))

    @property
    def journal(self) -> str:
        """What `open_journal` is given."""
        return self.url if self.url is not None else str(self.folder)

    def state_dirs(self, root: Path) -> tuple[str, ...]:
        """A state folder beneath the root under another name is as closed as the usual one."""
        with contextlib.suppress(ValueError):
            return (self.folder.resolve().relative_to(Path(root).resolve()).as_posix(),)
        return ()

    def root_id(self) -> str | None:
        """The name of the tree, by which machines that share it find its journal; None: it has none yet."""
        with contextlib.suppress(OSError, UnicodeError):
            found = (self.folder / _ID_FILE).read_text(encoding="ascii").strip()
            if _ID.fullmatch(found):
                return found
        return None

    def make_root_id(self) -> str:
        """The name of the tree, given now if it has none. The folder is there already."""
        found = self.root_id()
        while found is None:
            part = self.folder / f"{_ID_FILE}.{secrets.token_hex(4)}"
            try:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                handle = os.open(part, flags, 0o600)
                try:
                    os.write(handle, f"{secrets.token_hex(8)}\n".encode())
                    os.fsync(handle)
                finally:
                    os.close(handle)
                with contextlib.suppress(FileExistsError):
                    os.link(part, self.folder / _ID_FILE)  # whoever is first names it
            finally:
                with contextlib.suppress(OSError):
                    os.unlink(part)
            found = self.root_id()
            if found is None and os.path.lexists(self.folder / _ID_FILE):
                raise EditError(
                    Kind.JOURNAL_DAMAGED,
                    f"{FOLDER}/{_ID_FILE} is not the name of a tree",
                    hint=f"remove {FOLDER}/{_ID_FILE}; the journal of the name it had is then not used any more",
                )
        return found


def repo_id(root: Path) -> str | None:
    """A name that all clones of one repository share: the digest of where they were cloned from; None: no clone."""
    for folder in (Path(root), *Path(root).parents):
        place = folder / ".git"
        if place.is_dir():
            return _origin(place / "config")
        if place.is_file():
            return _origin_of_worktree(place)
    return None


def _origin_of_worktree(link: Path) -> str | None:
    with contextlib.suppress(OSError, UnicodeError):
        said = link.read_text(encoding="utf-8")[:4096]
        if said.startswith("gitdir:"):
            home = link.parent / said[7:].strip()
            common = home / "commondir"
            if common.is_file():
                home = home / common.read_text(encoding="utf-8")[:4096].strip()
            return _origin(home / "config")
    return None


def _origin(config: Path) -> str | None:
    """The digest of the origin's address, however it is written: with or without user, `.git`, or a scheme."""
    try:
        with open(config, encoding="utf-8", errors="replace") as file:
            text = file.read(_LARGEST)
    except OSError:
        return None
    parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    with contextlib.suppress(configparser.Error):
        parser.read_string("\n".join(line.strip() for line in text.split("\n")))
        url = parser.get('remote "origin"', "url", fallback=None)
        if url:
            return hashlib.sha256(plain_address(url).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return None


def plain_address(url: str) -> str:
    """The address of a repository without what clones may write differently.

    >>> plain_address("git@example.org:team/site.git") == plain_address("https://me:x@example.org/team/site/")
    True
    """
    found = re.fullmatch(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?:[^/@]*@)?(.*)", url.strip(), re.DOTALL)
    address = found[1] if found else url
    if "://" not in url:
        address = address.replace(":", "/", 1)
    host, separator, path = address.partition("/")
    return f"{host.lower().partition(':')[0]}{separator}{path.rstrip('/').removesuffix('.git')}"
