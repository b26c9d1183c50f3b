"""Which journal a workspace has, and copying one to another store. The source always stays as it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say
from steadyhand.lazy import dataclass

if TYPE_CHECKING:
    from steadyhand.workspace.journal.maintenance import Copied
    from steadyhand.workspace.journal.store import Journal, Progress


_DATABASE = "journal.sqlite"


@dataclass(frozen=True, slots=True)
class Moved:
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
) -> Moved:
    """Copy a journal, a folder or a URL, to another that is empty or not there yet, and verify the copy.

    `name` is the journal's in a store that holds several, where a URL gives none. Refuses a source that is not there
    or has transactions under way, a target that holds something, and, unless `damaged`, a source with damage.
    """
    from steadyhand.workspace.journal.maintenance import copy_journal
    from steadyhand.workspace.journal.store import open_journal
    from steadyhand.workspace.location import shown_url

    for place in (source, target):
        _refuse_nameless(place, name)
    if _place(source) == _place(target):
        raise EditError(Kind.BAD_REQUEST, "source and target are the same journal", hint="name another target")
    with _existing(source, name) as old:
        _refuse_unsettled(old)
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
        return Moved(old.location, shown_url(target) if "://" in target else target, copied)


def move_own(
    root: str, journal: str | None, target: str, *, damaged: bool = False, progress: Progress | None = None
) -> Moved:
    """The same for the journal of a workspace, which keeps its name: the id of its root.

    The folder it was in says where it went, and is not written any more until somebody says that it should be.
    """
    from pathlib import Path

    from steadyhand.workspace.files.storage import Storage
    from steadyhand.workspace.location import Location
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


def _refuse_unsettled(journal: Journal) -> None:
    unsettled = journal.unsettled()
    if unsettled:
        raise EditError(
            Kind.BUSY,
            f"the journal {journal.location} has unfinished transactions: {len(unsettled)}",
            hint=Say("open the workspace once, which finishes them or takes them back, then try again"),
            details={"records": [record.id for record, _ in unsettled[:20]]},
        )


def _refuse_nameless(place: str, name: str | None) -> None:
    from urllib.parse import parse_qsl

    from steadyhand.workspace.location import shown_url

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
