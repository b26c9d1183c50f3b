"""Events as they come: those the journal has, and, for whoever follows, those that it gains.

Reads only. Following asks the journal again and again, for no store tells by itself.

1. Events come in the order of the journal, each once; the next call goes on after the `seq` of the last.
2. A journal that is not there yet is waited for and not made.
3. A journal that is busy or cannot be reached is asked again for as long as somebody follows; without `follow` it
   refuses as it does everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from steadyhand.errors import Action, EditError, Kind
from steadyhand.hints import OpenForWriting, Say
from steadyhand.lazy import dataclass
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath

if TYPE_CHECKING:
    from steadyhand.session.event import Event
    from steadyhand.workspace.store import Store


T = TypeVar("T")

_PAGE = 200
_NAP = 0.2  # seconds after which `stop` is asked at the latest

Stop = Callable[[], bool]


class Events:
    """What all parties do in one workspace."""

    _store: Store

    def events(
        self,
        *,
        after: int | None = None,
        follow: bool = False,
        types: Sequence[str] | None = None,
        task: str | None = None,
        actor: str | None = None,
        path: AnyPath | None = None,
        poll: float = 0.2,
        stop: Stop | None = None,
    ) -> Iterator[Event]:
        """Edits, conflicts, refusals and the rest, oldest first, of everybody who shares the journal.

        `after` is the `seq` of the last event that is known; 0 begins with the first. Without it, everything there
        is, or with `follow` what happens from this call on. `follow` goes on until the iterator is closed or `stop`
        says so, looking every `poll` seconds. `path` is a file or a directory. A workspace that was opened for
        reading only reads a copy of a journal in a folder, which does not grow: there `follow` is refused.
        """
        wanted = _Wanted.of(self._store, types, task, actor, path)
        checks.amount(poll, "poll")
        if after is not None:
            checks.amount(checks.line_number(after), "after")
        if not follow:
            return _Watch(self._store, wanted, poll, _never).known(after or 0)
        if self._store.read_only and self._store.location.url is None:
            raise EditError(
                Kind.READ_ONLY,
                "what is opened for reading only reads a copy of the journal, and that does not grow",
                hint=(OpenForWriting(" to follow, which changes no file"), Say("ask without follow")),
            )
        watch = _Watch(self._store, wanted, poll, stop or _never)
        return watch.follow(watch.start() if after is None else after)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which events are asked for; None asks for nothing."""

    types: tuple[str, ...] | None = None
    task: str | None = None
    actor: str | None = None
    paths: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls, store: Store, types: Sequence[str] | None, task: str | None, actor: str | None, path: AnyPath | None
    ) -> _Wanted:
        from steadyhand.session.event import TYPES

        names = None if types is None else checks.names(types, "types")
        for name in names or ():
            checks.one_of(name, "types", TYPES)
        paths = None if path is None else _spellings(store, checks.path_of(path))
        return cls(names, checks.remark(task, "task"), checks.remark(actor, "actor"), paths)

    def fits(self, event: Event) -> bool:
        return (
            (self.types is None or event.type in self.types)
            and (self.task is None or event.task == self.task)
            and (self.actor is None or event.actor == self.actor)
            and (self.paths is None or any(_lies_in(path, self.paths) for path in event.paths))
        )


def _spellings(store: Store, path: str) -> tuple[str, ...]:
    """A path as it was given, as refusals tell it, and where it leads, as records do; the root holds everything."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts and not path.startswith("/"):
        return ("",)
    return tuple(dict.fromkeys(("/".join(parts), store.resolve(path.rstrip("/") or path))))


def _lies_in(path: str, places: Sequence[str]) -> bool:
    return any(not place or path == place or path.startswith(f"{place}/") for place in places)


@dataclass(frozen=True, slots=True)
class _Watch:
    """One caller's way through the journal."""

    store: Store
    wanted: _Wanted
    poll: float
    stop: Stop

    def start(self) -> int | None:
        """The last row now; None where it cannot be told yet, and following begins when it can."""
        return _if_reached(self._head)

    def _head(self) -> int:
        return self.store.journal.head() if self.store.state.exists else 0

    def known(self, after: int) -> Iterator[Event]:
        """What the journal has."""
        while page := self._page(after):
            yield from (event for event in page if self.wanted.fits(event))
            after = page[-1].seq

    def follow(self, after: int | None) -> Iterator[Event]:
        """What it has after a row, and what it gains."""
        while not self.stop():
            after = self.start() if after is None else after
            page = None if after is None else _if_reached(partial(self._page, after))
            for event in page or ():
                after = event.seq
                if self.wanted.fits(event):
                    yield event
                    if self.stop():
                        return
            if not page:
                self._wait()

    def _page(self, after: int) -> list[Event]:
        from steadyhand.session.event import event_of

        if self.store.sandbox.is_closed:
            raise EditError(Kind.BAD_REQUEST, "the workspace is closed", hint="open it again")
        if not self.store.state.exists:
            return []
        return [event_of(found) for found in self.store.journal.happened(after_seq=after, limit=_PAGE)]

    def _wait(self) -> None:
        import time

        end = time.monotonic() + self.poll
        while (left := end - time.monotonic()) > 0 and not self.stop():
            time.sleep(min(left, _NAP))


def _if_reached(ask: Callable[[], T]) -> T | None:
    """What the journal answers; None where it may answer in a moment."""
    try:
        return ask()
    except EditError as error:
        if error.kind.action is not Action.RETRY_LATER:
            raise
        return None


def _never() -> bool:
    return False
