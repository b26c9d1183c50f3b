"""How a workspace reads files, and the interface that the rooms above use instead of the public one.

`FileReader` gives a file's text and what can be addressed in it, and remembers what of it counts as read by the task.
`Host` is for whoever lets a model or a command work in a workspace: a call of its own, when to stop, what was shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameEncoding
from steadyhand.lazy import replace
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.text.source import Source
from steadyhand.text.span import Span, joined

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.session.context import Session
    from steadyhand.session.kept_conflicts import PresentText
    from steadyhand.session.review.change import ReviewChange
    from steadyhand.session.runs import Runs
    from steadyhand.session.workspace import Workspace
    from steadyhand.structure.outline import Location, Outline
    from steadyhand.structure.target import Target
    from steadyhand.text.match import Occurrence
    from steadyhand.workspace.files.listing import Limits, Listing
    from steadyhand.workspace.files.sandbox import FileImage
    from steadyhand.workspace.journal.store import Progress
    from steadyhand.workspace.overlay import Trace


W = TypeVar("W", bound="Workspace")


class FileReader:
    """Reads files, and remembers what the task has read."""

    def __init__(self, session: Session) -> None:
        self._store = session.store
        self._view = session.view

    def read(
        self, path: AnyPath, *, encoding: str | None = None, lines: tuple[int, int | None] | None = None
    ) -> Source:
        seq = self._store.head()
        source, image = self._load(path, encoding)
        self._showed(source, image.data, seq, lines)
        return source

    def source(self, path: AnyPath, *, encoding: str | None = None) -> Source:
        """A file for a caller that has yet to say, with `saw`, what of it is shown: nothing is remembered."""
        return self._load(path, encoding)[0]

    def files(self, path: str, limits: Limits) -> Listing:
        return self._store.files(path, limits)

    def saw(self, source: Source, lines: tuple[int, int | None] | None = None) -> None:
        """This task was shown a file that `source` gave, or some lines of it; they now count as read."""
        self._showed(source, source.to_bytes(), self._store.head(), lines)

    def saw_each(self, source: Source, lines: Sequence[int]) -> None:
        """The same for lines here and there, by their numbers."""
        spans = joined(source.table.span_of(line - 1, line - 1) for line in lines)
        is_all = len(set(lines)) == source.table.count
        self._remember(source, source.to_bytes(), self._store.head(), spans, is_all=is_all)

    def last_read(self, path: AnyPath) -> tuple[str | None, str]:
        """The digest of the version of a file that this task last read, if any, and of the present one."""
        resolved, image = self._store.read(checks.path_of(path))
        return self._view.last(resolved), image.digest

    def outline(
        self,
        path: AnyPath,
        *,
        within: Target | str | None,
        depth: int | None,
        limit: int | None,
        encoding: str | None,
    ) -> Outline:
        from steadyhand.structure.outline import outline

        source = self.source(path, encoding=encoding)
        with naming(source):
            return outline(source, within=within, depth=depth, limit=limit)

    def locate(
        self, path: AnyPath, target: Target | str, *, which: Occurrence, encoding: str | None
    ) -> tuple[Location, ...]:
        from steadyhand.structure.outline import locate

        source = self.source(path, encoding=encoding)
        with naming(source):
            return locate(source, target, which=which)

    def _showed(self, source: Source, data: bytes, seq: int, lines: tuple[int, int | None] | None) -> None:
        whole = (0, source.table.count - 1)
        rows = whole if lines is None else checks.line_range(lines, source.table.count)
        if rows is not None:
            self._remember(source, data, seq, [source.table.span_of(*rows)], is_all=rows == whole)

    def _remember(self, source: Source, data: bytes, seq: int, parts: list[Span], *, is_all: bool) -> None:
        """Remember what was shown of a version; with what was shown before it may be all of it."""
        path = source.path or ""
        content = None if self._store.is_secret(path) else data
        is_whole = is_all or self._view.completes(path, source.digest, parts, source.length)
        self._view.saw(path, source.digest, seq, None if is_whole else parts, content)

    def _load(self, path: AnyPath, encoding: str | None) -> tuple[Source, FileImage]:
        checks.encoding_name(encoding)
        resolved, image = self._store.read(checks.path_of(path))
        source = self._store.text_of(resolved, image, encoding)
        if source.is_binary:
            raise EditError(
                Kind.NOT_TEXT,
                f"{path} is not a text file ({image.size} bytes)",
                hint=NameEncoding(is_binary=True),
                details={"path": path, "size": image.size},
            )
        return source, image


class Host(FileReader, Generic[W]):
    """A workspace for tools, agents and commands; made by `host_of` wherever it is needed."""

    def __init__(self, workspace: W) -> None:
        super().__init__(workspace._session)
        self._workspace = workspace
        self._session = workspace._session

    def bound(
        self,
        *,
        tool: str | None = None,
        policy: Policy | None = None,
        trace: Trace | None = None,
        tick: Callable[[], None] | None = None,
        progress: Progress | None = None,
    ) -> W:
        """The same workspace for a tool, a policy or a call; what is not given stays.

        `tick` is called before each edit and each file that is staged, and while files are read and searched; if it
        raises, nothing is changed.
        """
        now = self._session.context
        context = replace(
            now,
            tool=checks.remark(tool, "tool") or now.tool,
            policy=now.policy if policy is None else checks.policy_of(policy),
            trace=now.trace if trace is None else trace,
            tick=now.tick if tick is None else tick,
            progress=now.progress if progress is None else progress,
        )
        return self._workspace._with(self._session.bound(context))

    def held_source(self, change: ReviewChange) -> Source:
        """The file that a held change is in, as its task has it."""
        from steadyhand.workspace.held.notes import group_of_party

        session = self._session.holding(group_of_party(change.actor, change.task))
        return host_of(self._workspace._with(session)).source(change.path)

    def tick(self) -> None:
        """Ask whether the call is still wanted; raises what the caller's `tick` raises."""
        self._session.context.check_wanted()

    def cancellable(self) -> AbstractContextManager[None]:
        """Around work that changes nothing, such as reading a patch: it ends when the call is to end."""
        return self._session.context.cancellable()

    def head(self) -> int:
        """The last row of the journal; 0 where there is none, or none that can be read now."""
        return self._store.head()

    def note_refusal(self, error: EditError) -> None:
        """Report that the call was refused, unless that is in the journal already."""
        from steadyhand.session.conflicts import Reports

        context = self._session.context
        if context.trace is None or not context.trace.refusals:
            Reports(self._store).refused(context.header(None), error, ())

    def reindex(self) -> None:
        """Rebuild the journal's indexes from its log: what helps where a check finds only those wrong."""
        self._session.store.writable_journal().reindex()

    def remove_backups(self) -> tuple[str, ...]:
        """Remove the `.bak` copies that were made for this workspace's task, which may go on; their paths."""
        from steadyhand.session.tasks import Tasks

        return Tasks(self._session).remove_backups()

    def present_text(self, id: str) -> PresentText:
        """The lines that a conflict concerns, both its sides, as they are now.

        Refuses with `stale-source` where the version they belong to is no longer kept.
        """
        from steadyhand.session.kept_conflicts import KeptConflicts

        return KeptConflicts(self._session).present_text(self._workspace.conflict(id))

    def has_ended_well(self, task: str) -> bool:
        """Whether the journal notes that a task ended, and well."""
        from steadyhand.session.audit import TASK

        store = self._session.store
        notes = store.journal.notes(type=TASK) if store.state.exists else ()
        return next((note.body.get("end") == "ended well" for note in notes if note.body.get("task") == task), False)

    def has_held(self, task: str) -> bool:
        """Whether a task ever had changes that waited for a reviewer, whatever became of them."""
        from steadyhand.workspace.held.notes import TASK, type_of

        store = self._session.store
        return store.state.exists and any(True for _ in store.journal.notes(type=type_of(f"{TASK}{task}"), limit=1))

    @property
    def runs(self) -> Runs:
        """Runs of an agent over many articles, as the journal keeps them."""
        from steadyhand.session.runs import Runs

        return Runs(self._session)


def host_of(workspace: W) -> Host[W]:
    """What a workspace is to whoever lets others work in it."""
    return Host(workspace)


@contextmanager
def naming(source: Source) -> Iterator[None]:
    """Around a question about a text: a refusal has the file's name."""
    try:
        yield
    except EditError as error:
        message = f"{source.path}: {error.message}"
        raise EditError(error.kind, message, hint=error.hints, details={"path": source.path, **error.details}) from None
