"""What a caller gets for a change: the undo handle, the files, one outcome per edit, and how sure it is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.plan.planner import Outcome
from steadyhand.text.diff import shared_rows
from steadyhand.text.lines import split_lines
from steadyhand.text.source import Source
from steadyhand.text.visible import sized
from steadyhand.workspace.overlay import FileOp

if TYPE_CHECKING:
    from steadyhand.dialects.dialect import Change
    from steadyhand.text.changeset import ChangeSet


Status = Literal["created", "edited", "deleted", "renamed", "mode"]


@dataclass(frozen=True, slots=True)
class FileReceipt:
    """One changed file: its digests before and after, and the diff on demand."""

    path: str
    status: Status
    before: str | None
    after: str | None
    path_before: str | None
    redacted: bool
    _step: FileOp = field(repr=False)

    @classmethod
    def of(cls, op: FileOp) -> FileReceipt:
        path = op.after_path or op.before_path
        assert path is not None
        before = op.before.digest if op.before is not None else None
        return cls(path, _status(op), before, op.digest, op.before_path, op.secret, op)

    def can_diff(self, most: int) -> bool:
        """Whether a diff is cheap: only where the changes are known, or neither side has more bytes than `most`."""
        op = self._step
        if op.source is not None and op.changes is not None:
            return True
        return max(len(data) for data in (op.data or b"", op.before.data if op.before else b"")) <= most

    def diff(self, *, git: bool = False, context: int = 3) -> str:
        """Unified diff, with git's header if wanted; a file with secrets says only that it changed."""
        from steadyhand.text.unified import render_changes, render_unified

        op = self._step
        if self.redacted:
            return f"# {self.path}: {self.status}; the content is not shown\n"
        if op.source is not None and op.changes is not None:
            render = partial(render_changes, op.source, op.changes)
        else:
            render = partial(render_unified, *self.texts())
        before, after = self._modes
        return render(op.before_path, op.after_path, git=git, context=context, mode_before=before, mode_after=after)

    @property
    def _modes(self) -> tuple[int | None, int | None]:
        """Permission bits on both sides, where they matter."""
        op = self._step
        return (None, None) if op.mode is None else (op.before.mode if op.before else None, op.mode)

    def texts(self) -> tuple[str, str]:
        """The whole text before and after; empty where there is no file."""
        op, after = self._step, self.present.text
        if op.source is not None and op.changes is not None:
            return op.changes.invert().apply(after), after
        return (Source.of_bytes(op.before.data).text if op.before is not None else ""), after

    def changed_rows(self) -> tuple[int, int]:
        """The rows of the text after in which it differs from the text before, half-open.

        Where lines only went away there are none: both numbers are the row that follows them now.
        """
        op, after = self._step, self.present
        if op.source is None or op.changes is None:
            lines, others = (split_lines(text) for text in self.texts())
            head, tail = shared_rows(lines, others)
            return head, len(others) - tail
        rows = _rows_written(op.changes, after)
        if rows is not None:
            return rows
        from steadyhand.text.region import region_of

        # `a` → `a⏎b` adds a line and `ax⏎ay` → `ay` removes one: which reading shows it depends on the change.
        regions = [
            min(
                (region_of(after, one) for one in (splice, splice.trim())), key=lambda region: region.end - region.start
            )
            for splice in op.changes.invert().splices
        ]
        return min((each.start for each in regions), default=0), max((each.end for each in regions), default=0)

    def changed_columns(self) -> dict[int, int]:
        """In each row of the text after in which a change begins, the first column of one; both from 0."""
        op = self._step
        if op.source is None or op.changes is None:
            return {}
        columns: dict[int, int] = {}
        for splice in op.changes.trim().invert().splices:
            row = op.source.table.row_at(splice.start)
            columns.setdefault(row, splice.start - op.source.table.start(row))
        return columns

    @property
    def present(self) -> Source:
        """The text after, with its lines; nothing else is put together for it, however large the file."""
        op = self._step
        if op.source is not None and op.changes is not None:
            return op.source
        return Source.of_bytes(op.data if op.data is not None else b"")

    def change(self) -> Change:
        """Both sides of the file, to be written in a dialect. Refuses with `protected-path` to show secrets."""
        from steadyhand.dialects.dialect import Change

        op = self._step
        if self.redacted:
            raise EditError(Kind.PROTECTED_PATH, f"{self.path} holds secrets", hint="leave the file out of the patch")
        before, after = self.texts()
        return Change(
            op.before_path,
            op.after_path,
            before if op.before_path is not None else None,
            after if op.after_path is not None else None,
            *self._modes,
        )

    def to_json(self) -> dict[str, object]:
        facts: dict[str, object] = {
            "path": self.path,
            "status": self.status,
            "before": self.before,
            "after": self.after,
            "fileHash": self.after[:16] if self.after else None,
        }
        if self.path_before is not None and self.path_before != self.path:
            facts["path_before"] = self.path_before
        if self.redacted:
            facts["redacted"] = True
        return facts


@sized("files", "outcomes")
@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to a change that was made, or, with `id` None, that would be made.

    `durable` is False when the change is applied but the disk or the journal did not confirm it: it may not
    survive a power cut. `id` is what `undo` takes. Of a patch, `format` is the dialect it was read in, and `remarks`
    are those of the warnings that say what of the reply was left out. `held`: the change waits for a reviewer, and the
    disk does not have it.
    """

    id: str | None
    files: tuple[FileReceipt, ...]
    outcomes: tuple[Outcome, ...]
    durable: bool = True
    warnings: tuple[str, ...] = ()
    undoes: tuple[str, ...] = ()
    format: str | None = None
    remarks: tuple[str, ...] = ()
    held: bool = False

    @property
    def ok(self) -> bool:
        """Whether every edit went through."""
        return all(outcome.error is None for outcome in self.outcomes)

    @property
    def error(self) -> EditError | None:
        return next((outcome.error for outcome in self.outcomes if outcome.error is not None), None)

    def diff(self) -> str:
        """Unified diff of all files, as `git apply` takes it."""
        return "".join(file.diff(git=len(self.files) > 1) for file in self.files)

    def to_json(self) -> dict[str, object]:
        facts: dict[str, object] = {
            "ok": self.ok,
            "id": self.id,
            "files": [file.to_json() for file in self.files],
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
            "durable": self.durable,
            "warnings": list(self.warnings),
        }
        if self.format is not None:
            facts["format"] = self.format
        if self.undoes:
            facts["undoes"] = list(self.undoes)
        if self.held:
            facts["held"] = True
        return facts


def _status(op: FileOp) -> Status:
    if op.before is None:
        return "created"
    if op.after_path is None:
        return "deleted"
    if op.before_path != op.after_path:
        return "renamed"
    return "mode" if op.digest == op.before.digest else "edited"


def _rows_written(changes: ChangeSet, after: Source) -> tuple[int, int] | None:
    """The same where each splice puts text of a line in the place of text of a line; None where one does more."""
    shift, rows = 0, []
    for splice in changes.splices:
        written = splice.trim()
        if not written.new or "\n" in (both := written.new + written.old) or "\r" in both:
            return None
        rows.append(after.table.row_at(written.start + shift))
        shift += len(splice.new) - len(splice.old)
    return (rows[0], rows[-1] + 1) if rows else None
