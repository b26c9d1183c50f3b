"""Who makes a call, under which policy, and what the parts of a workspace share. Frozen: each call has a copy."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.text.cancel import cancellable
from steadyhand.workspace.journal.record import Party

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.leases import Followed
    from steadyhand.session.review.change import AutoAccept
    from steadyhand.session.tasks import TaskView
    from steadyhand.workspace.held.store import AnyStore
    from steadyhand.workspace.history.other_clones import Clones
    from steadyhand.workspace.history.read_ranges import ReadRanges
    from steadyhand.workspace.journal.store import Progress
    from steadyhand.workspace.overlay import Header, Trace


Verb = Literal["edit", "write", "create", "delete", "rename", "mode"]

_VERBS: frozenset[Verb] = frozenset({"edit", "write", "create", "delete", "rename", "mode"})
_FORBIDDEN: dict[str, frozenset[Verb]] = {
    "research": _VERBS,
    "analyze": _VERBS,
    "generate": frozenset({"edit", "write", "delete", "rename", "mode"}),
    "modify": frozenset({"create"}),
    "execute": frozenset(),
}
MODES = tuple(_FORBIDDEN)


@dataclass(frozen=True, slots=True)
class CallContext:
    """One call: the actor and task it works for, the tool, the rules, and when to stop.

    `tick` is called before each edit and each file that is staged, and while files are read and searched; if it raises,
    nothing is changed. `trace` describes the tool call for the journal.
    """

    actor: str
    task: str | None
    tool: str
    policy: Policy
    mode: str | None = None
    is_named: bool = False  # a nameless party is known in this process only
    hold: bool = False  # its changes wait for a reviewer
    auto_accept: tuple[AutoAccept, ...] = ()  # those of them that need none
    trace: Trace | None = None
    tick: Callable[[], None] | None = None
    progress: Progress | None = None

    @property
    def party(self) -> Party:
        return Party(self.actor, self.task)

    def header(self, reason: str | None, dialect: str | None = None) -> Header:
        """The head of the record that this call makes."""
        from steadyhand.workspace.overlay import Header

        return Header(self.actor, self.task, self.tool, reason, trace=self.trace, dialect=dialect)

    def check_mode(self, verb: Verb, path: str) -> None:
        """Refuse with `not-allowed` what the mode of the workspace does not allow."""
        if self.mode is not None and verb in _FORBIDDEN[self.mode]:
            allowed = sorted(allowed_verbs(self.mode))
            raise EditError(
                Kind.NOT_ALLOWED,
                f"mode {self.mode} does not allow you to {verb} {path}",
                hint=f"allowed here: read{', ' if allowed else ''}{', '.join(allowed)}",
                details={"mode": self.mode, "verb": verb},
            )

    def check_wanted(self) -> None:
        """Raise what `tick` raises if the call is no longer wanted."""
        if self.tick is not None:
            self.tick()

    def cancellable(self) -> AbstractContextManager[None]:
        """Around work that changes nothing: it ends when the call is to end."""
        return cancellable(self.tick)

    def staging(self, progress: Progress | None) -> Progress | None:
        """What is called for each file that is staged: `tick`, then whoever shows the progress."""
        shown = progress or self.progress
        tick = self.tick
        if tick is None:
            return shown

        def step(done: int, total: int) -> None:
            tick()
            if shown is not None:
                shown(done, total)

        return step


@dataclass(frozen=True, slots=True)
class Session:
    """What the parts of a workspace work with: the store, what was read, and the call they work for."""

    store: AnyStore
    ranges: ReadRanges
    context: CallContext
    view: TaskView
    clones: Clones | None
    followed: Followed  # where leases are by now

    def bound(self, context: CallContext) -> Session:
        """The same store for another call; another task has a view of its own."""
        if context.party == self.context.party:
            return replace(self, context=context)
        store = store_of(self.store, context)
        return replace(self, store=store, context=context, view=view_of(store, self.ranges, context))

    @property
    def direct(self) -> Session:
        """The same over the disk itself, for whoever decides about held work."""
        if not self.context.hold:
            return self
        from steadyhand.workspace.held.store import HeldStore

        context = replace(self.context, hold=False)
        store = self.store.beneath if isinstance(self.store, HeldStore) else self.store
        return replace(self, store=store, context=context, view=view_of(store, self.ranges, context))

    def holding(self, group: str) -> Session:
        """The same over what a group holds, in the name of this party."""
        from steadyhand.workspace.held.store import HeldStore

        store, context = HeldStore(self.store, group), replace(self.context, hold=True)
        return replace(self, store=store, context=context, view=view_of(store, self.ranges, context))

    @property
    def waiting(self) -> tuple[str, ...]:
        """The files in which changes of this party wait for a reviewer."""
        from steadyhand.workspace.held.notes import group_of_party
        from steadyhand.workspace.held.store import HeldStore

        if not self.store.state.exists:
            return ()
        held = HeldStore(self.store, group_of_party(self.context.actor, self.context.task))
        return tuple(file.path for file in held.layer.waiting)

    def in_task(self, task: str | None) -> Session:
        """The same for a task."""
        if task == self.context.task:
            return self
        is_named = self.context.is_named or task is not None
        return self.bound(replace(self.context, task=task, is_named=is_named))


def store_of(store: AnyStore, context: CallContext) -> AnyStore:
    """The store as the party of a call uses it: its own layer over the disk where its changes are held."""
    if not context.hold:
        return store
    from steadyhand.workspace.held.notes import group_of_party
    from steadyhand.workspace.held.store import HeldStore

    return HeldStore(store, group_of_party(context.actor, context.task))


def view_of(store: AnyStore, ranges: ReadRanges, context: CallContext) -> TaskView:
    """What the party of a call knows of the files from now on."""
    from steadyhand.session.tasks import TaskView

    return TaskView.begin(store, ranges, context.party, is_named=context.is_named)


def allowed_verbs(mode: str | None) -> frozenset[Verb]:
    """What a mode allows to do to files."""
    return _VERBS if mode is None else _VERBS - _FORBIDDEN[mode]
