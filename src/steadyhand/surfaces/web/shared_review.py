"""The review that a page shows: the changes by task and file, the texts around them, and the decisions.

One `SharedReview` serves all requests of a page, from several threads, one after the other. It lists again when the
journal has grown; nothing that it remembers is needed to decide, for the review itself looks at the files under their
locks.

A decision about many changes at once names what the reviewer saw: where something has come or gone meanwhile, it is
refused, and nothing is decided.
"""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.session.host import host_of
from steadyhand.surfaces.web.rows import Text
from steadyhand.text.lines import split_lines

if TYPE_CHECKING:
    from steadyhand.session.events import Event
    from steadyhand.session.review.change import AutoAccept, Decision, ReviewChange
    from steadyhand.session.review.review import Review
    from steadyhand.session.workspace import Workspace

_RUN = "impact-"
_LASTS = 3.0  # seconds after which files are looked at again: not every change is in the journal
_EVENTS = 300  # of a timeline
_PAGE = 4_000  # rows of the journal in which those are looked for
_VERBS = ("accept", "reject", "amend", "comment", "accept-file", "reject-file", "accept-plain", "undo")


@dataclass(frozen=True, slots=True)
class Filter:
    """What the command was asked to show; everything where nothing is given."""

    task: str | None = None
    since: Any = None
    run: str | None = None
    path: str | None = None
    auto: tuple[AutoAccept, ...] = ()


class Shown(NamedTuple):
    """A change and how a page names it: `key` is its own, `version` another one when anything about it changes."""

    key: str
    version: str
    change: ReviewChange


class Group(NamedTuple):
    """Whose work it is: a task's, a run's or, without one, an actor's."""

    key: str
    kind: str
    name: str
    left: int
    total: int


@dataclass(frozen=True, slots=True)
class File:
    """The changes of a file, in its order."""

    path: str
    shown: tuple[Shown, ...]

    @property
    def key(self) -> str:
        return f"f-{_digest(self.path)}"

    @property
    def left(self) -> int:
        return sum(each.change.state == "undecided" for each in self.shown)

    @property
    def is_risky(self) -> bool:
        return any(each.change.flags for each in self.shown)

    def waiting(self) -> list[str]:
        """The ids that nobody has decided about."""
        return [each.change.id for each in self.shown if each.change.state == "undecided"]


@dataclass(frozen=True)
class Listing:
    """The changes at one moment; `head` is the row of the journal up to which they are known."""

    head: int
    shown: tuple[Shown, ...]
    texts: dict[tuple[str, str | None], tuple[Text, Text, dict[str, int]]] = field(default_factory=dict)

    @cached_property
    def groups(self) -> list[Group]:
        """Whose work there is, newest first."""
        found: dict[str, list[ReviewChange]] = {}
        for each in self.shown:
            found.setdefault(group_key(each.change), []).append(each.change)
        newest = sorted(found.items(), key=lambda item: max(change.time for change in item[1]), reverse=True)
        return [_group(key, changes) for key, changes in newest]

    def files(self, of: str | None = None, key: str | None = None) -> list[File]:
        """The files of a group, those with a risk first; or the one with a key."""
        found: dict[str, list[Shown]] = {}
        for each in self.shown:
            if of is None or group_key(each.change) == of:
                found.setdefault(each.change.path, []).append(each)
        files = [File(name, tuple(shown)) for name, shown in found.items()]
        return sorted(
            (file for file in files if key in (None, file.key)), key=lambda file: (not file.is_risky, file.path)
        )

    def plain(self, of: str | None) -> list[str]:
        """The ids that wait and have no risk flag."""
        return [
            change.id for file in self.files(of) for _, _, change in file.shown
            if change.state == "undecided" and not change.flags
        ]  # fmt: skip

    def find(self, key: str) -> Shown | None:
        return next((each for each in self.shown if each.key == key), None)


class Asked(NamedTuple):
    """A decision as a page sends it."""

    verb: str
    id: str | None = None
    file: str | None = None
    of: str | None = None
    seen: str | None = None
    remark: str | None = None
    text: str | None = None


class SharedReview:
    """The review of a workspace for pages. Thread-safe."""

    def __init__(self, workspace: Workspace, wanted: Filter) -> None:
        self._workspace = workspace
        self._wanted = wanted
        self._guard = threading.RLock()
        self._listing: Listing | None = None
        self._review: Review | None = None
        self._until = 0.0

    @property
    def name(self) -> str:
        """What the root is called, without the way to it."""
        return self._workspace.root.rstrip("/").rsplit("/", 1)[-1] or "/"

    @property
    def reviewer(self) -> str:
        return self._workspace.actor

    def hidden(self, text: str) -> str:
        """A message without the way to the root."""
        return text.replace(f"{self._workspace.root.rstrip('/')}/", "").replace(self._workspace.root, self.name)

    def head(self) -> int:
        """The last row of the journal."""
        return host_of(self._workspace).head()

    def listing(self, *, fresh: bool = False) -> Listing:
        """The changes as they are now, listed again where the journal has grown, or when that is asked for."""
        with self._guard:
            head = self.head()
            is_old = self._listing is None or self._listing.head != head or time.monotonic() > self._until
            if fresh or self._listing is None or is_old:
                wanted = self._wanted
                self._review = self._workspace.review(
                    task=wanted.task, since=wanted.since, run=wanted.run, path=wanted.path, auto_accept=wanted.auto
                )
                self._until = time.monotonic() + _LASTS
                self._listing = Listing(head, tuple(_shown(self._review.changes)))
            return self._listing

    def texts(
        self, listing: Listing, path: str, held: ReviewChange | None = None
    ) -> tuple[Text | None, Text | None, Mapping[str, int]]:
        """A file without its changes, as it is, and by change how many rows longer it became above it.

        For a change that is held, as its task has it.
        """
        holder = None if held is None else group_key(held)
        with self._guard:
            if (path, holder) not in listing.texts:
                host = host_of(self._workspace)
                try:
                    text = (host.source(path) if held is None else host.held_source(held)).text
                except EditError:  # it is gone, or no text
                    return None, None, {}
                changes = [each.change for each in listing.shown if each.change.path == path]
                before, shifts = _without(
                    text, [each for each in changes if (group_key(each) if each.held else None) == holder]
                )
                listing.texts[path, holder] = Text.of(before, path), Text.of(text, path), shifts
            return listing.texts[path, holder]

    def decide(self, asked: Asked) -> tuple[Decision, str]:
        """Carry a decision out: what was decided, and that in words."""
        with self._guard:
            listing = self.listing(fresh=True)
            review = self._review
            assert review is not None
            decision = self._decided(review, listing, asked)
            self._listing = None
        count = len(decision.changes)
        words = "1 change" if count == 1 else f"{count:,} changes"
        done = "undone: the last decision about" if decision.state == "undecided" else decision.state
        return decision, f"{done} {words}" if decision.state == "undecided" else f"{words} {done}"

    def _decided(self, review: Review, listing: Listing, asked: Asked) -> Decision:
        remark = asked.remark or None
        match asked.verb:
            case "accept":
                return review.accept([_named(asked.id)], remark)
            case "reject":
                return review.reject([_named(asked.id)], remark)
            case "amend":
                return review.amend(_named(asked.id), asked.text or "", remark)
            case "comment":
                if not remark:
                    raise EditError(Kind.BAD_REQUEST, "the comment is empty", hint="write it below the change first")
                return review.comment(_named(asked.id), remark)
            case "accept-file" | "reject-file":
                ids = [name for file in listing.files(asked.of, asked.file or "") for name in file.waiting()]
                chosen = _as_seen(ids, asked.seen)
                return review.accept(chosen, remark) if asked.verb == "accept-file" else review.reject(chosen, remark)
            case "accept-plain":
                return review.accept(_as_seen(listing.plain(asked.of), asked.seen), remark)
            case "undo":
                return review.take_back()
        raise EditError(Kind.BAD_REQUEST, "there is no such decision", hint=f"one of {', '.join(_VERBS)}")

    def patch(self) -> bytes:
        """What is not rejected, as a patch that `git apply` takes."""
        with self._guard:
            self.listing(fresh=True)
            assert self._review is not None
            return self._review.patch()

    def events(self, after: int) -> list[Event]:
        """What the journal has gained."""
        return list(self._workspace.events(after=after))

    def timeline(self, of: str | None, before: int | None = None) -> tuple[list[Event], int | None]:
        """The newest events of a group, newest first, and the row to go on from; None at the first."""
        end = self.head() + 1 if before is None else before
        start = max(end - 1 - _PAGE, 0)
        names = [of.removeprefix("task:")] if of is not None and of.startswith("task:") else None
        found: list[Event] = []
        for event in self._workspace.events(after=start):
            if event.seq >= end:
                break
            task = event.task or str(event.details.get("group") or "").removeprefix("task:") or None
            is_wanted = of is None or (task in names if names else event.task is None and of == f"actor:{event.actor}")
            if is_wanted:
                found.append(event)
        refused = {event.details.get("of") for event in found if event.details.get("state") == "refused"}
        found = [event for event in found if event.details.get("decision") not in refused - {None}]
        kept = found[-_EVENTS:]
        more = kept[0].seq if len(found) > len(kept) else start + 1 if start else None
        return kept[::-1], more


def group_key(change: ReviewChange) -> str:
    """Whose work a change is, in letters that an address can have."""
    kind, name = ("task", change.task) if change.task is not None else ("actor", change.actor)
    return f"{kind}:{name if name.isprintable() else _digest(name)}"


def seen_of(ids: Iterable[str]) -> str:
    """A short name for a set of changes."""
    return _digest(" ".join(sorted(ids)))


def _as_seen(ids: Sequence[str], seen: str | None) -> Sequence[str]:
    if not ids:
        raise EditError(Kind.NO_CHANGE, "no such change is waiting for a decision", hint="nothing needs to be done")
    if seen != seen_of(ids):
        raise EditError(
            Kind.CONFLICT,
            "changes were added or removed since you loaded these",
            hint="the page shows them now; look at them and decide again",
        )
    return ids


def _named(id: str | None) -> str:
    if not id:
        raise EditError(Kind.BAD_REQUEST, "no change is named", hint="decide on one of the changes on the page")
    return id


def _shown(changes: Sequence[ReviewChange]) -> Iterable[Shown]:
    known: set[str] = set()
    for change in changes:
        key = f"c-{change.id}" if change.state != "rejected" else f"c-{change.id}-r"
        number = 2
        name = key
        while name in known:
            name, number = f"{key}{number}", number + 1
        known.add(name)
        yield Shown(name, _digest(json.dumps(change.to_json(), sort_keys=True, default=str)), change)


def _group(key: str, changes: Sequence[ReviewChange]) -> Group:
    left = sum(change.state == "undecided" for change in changes)
    kind, name = key.partition(":")[0], changes[0].task or changes[0].actor
    if kind == "task" and name.startswith(_RUN):
        kind, name = "run", name.removeprefix(_RUN)
    return Group(key, kind, name, left, len(changes))


def _without(text: str, changes: Sequence[ReviewChange]) -> tuple[str, dict[str, int]]:
    """A text without its changes, and by change how many rows longer the text became above it.

    A change whose lines are not where it says is left in: what is around it is then shown as it is.
    """
    rows = split_lines(text)
    there = [
        change for change in changes
        if change.lines is not None and change.state != "rejected"
        and change.status in ("edited", "created")
    ]  # fmt: skip
    found: list[str] = []
    shifts: dict[str, int] = {}
    at = shift = 0
    for change in sorted(there, key=lambda change: change.lines or (0, 0)):
        assert change.lines is not None
        first, after, before = change.lines[0] - 1, split_lines(change.after), split_lines(change.before)
        if first < at or rows[first : first + len(after)] != after:
            continue
        shifts[change.id] = shift
        found += [*rows[at:first], *before]
        at, shift = first + len(after), shift + len(after) - len(before)
    return "".join([*found, *rows[at:]]), shifts


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
