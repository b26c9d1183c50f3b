"""A decision about what is on the disk: hunks taken back, or one of them amended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand, Say
from steadyhand.lazy import replace
from steadyhand.session.editor import PlannedChange
from steadyhand.session.review.change import ReviewChange
from steadyhand.session.review.hunks import Hunk, amended, text_of
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import digest_of
from steadyhand.workspace.journal.record import EditNote

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.session.review.review import Review
    from steadyhand.text.encoding import Encoding
    from steadyhand.workspace.overlay import FileDraft, Overlay


DECISION, LOOKED = "review", "review-feedback"
_SHORTEST = 4  # digits of an id
# What is wrong with a file that is not there, or not to be read: that is no reason not to review the others.
_UNREADABLE = (
    Kind.NO_SUCH_FILE, Kind.NOT_TEXT, Kind.OUTSIDE_ROOT, Kind.PROTECTED_PATH, Kind.NOT_ALLOWED, Kind.TOO_LARGE,
)  # fmt: skip


class Verdict(PlannedChange):
    """Hunks taken back, or one of them amended, in the files as they are now."""

    is_reported = False

    def __init__(
        self,
        review: Review,
        session: Session,
        group: str,
        changes: Sequence[ReviewChange],
        text: str | None,
        reason: str,
    ) -> None:
        super().__init__()
        self._review = review
        self._session = session
        self._group = group
        self._text = text
        self._reason = reason
        self._wanted: dict[str, list[ReviewChange]] = {}
        for change in changes:
            self._wanted.setdefault(change.path, []).append(change)
        self.lease_rules = (session.context.policy.on_lease,)

    def build(self, overlay: Overlay) -> None:
        with self._session.context.cancellable():
            self._review._read_again()  # others may have written since
            names: list[tuple[str, str]] = []
            for path, changes in self._wanted.items():
                names += self._take_back(overlay, path, changes)
            overlay.rename_all(names)  # files may have taken each other's names

    def _take_back(self, overlay: Overlay, path: str, changes: Sequence[ReviewChange]) -> list[tuple[str, str]]:
        """Take back the changes of a file but its name; the name that it has, and the one that it had."""
        draft = overlay.look(path)[1]
        data = None if draft is None else draft.data
        way = self._review._way(self._group, path)
        hunks = {hunk.id: hunk for hunk in self._review._hunks_in(way, data, {})}
        texts: list[Hunk] = []
        names: list[tuple[str, str]] = []
        for change in changes:
            hunk = hunks.get(change.id)
            if hunk is None or hunk.is_overlapped:
                raise _in_the_way(change, hunk)
            if hunk.status == "edited" or (hunk.status == "created" and self._text is not None):
                texts.append(hunk)
            elif hunk.status == "renamed" and hunk.first is not None and draft is not None and draft.path is not None:
                names.append((draft.path, hunk.first.path))
            else:
                self._restore(overlay, draft, hunk)
        if texts:
            assert draft is not None and draft.path is not None
            self._edit(draft, texts, text_of(way, draft.data or b"").encoding)
        return names

    def _edit(self, draft: FileDraft, hunks: Sequence[Hunk], encoding: Encoding) -> None:
        source = draft.decode_as(encoding)
        if self._text is not None:
            source.encoding.check_new_text(self._text)
            splices = [amended(hunks[0], source.text, self._text)]
        else:
            splices = [splice for hunk in hunks for splice in hunk.undo]
        changes = ChangeSet.of(splices)
        if changes:
            note = EditNote(self._reason, splices=tuple(range(len(changes.splices))))
            draft.take_text(source.apply(changes), replace(changes, base=source.digest), (note,))

    def _restore(self, overlay: Overlay, draft: FileDraft | None, hunk: Hunk) -> None:
        """Take back what is no change of lines."""
        first, last, journal = hunk.first, hunk.last, self._session.store.journal
        if hunk.status == "deleted" and first is not None and draft is None:
            data = journal.image(first.digest)
            if data is not None:
                overlay.create(first.path, mode=first.mode).take_bytes(data)
                return
        elif hunk.status == "created" and draft is not None and draft.path is not None:
            if last is not None and digest_of(draft.data or b"") == last.digest:
                overlay.delete(draft.path)
                return
        elif hunk.status == "mode" and first is not None and last is not None and draft is not None:
            if draft.before is not None and draft.before.mode == last.mode:
                draft.mode = first.mode
                return
        elif hunk.status == "binary" and first is not None and draft is not None and last is not None:
            data = journal.image(first.digest)
            if data is not None and digest_of(draft.data or b"") == last.digest:
                draft.take_bytes(data)
                return
        raise EditError(
            Kind.CANNOT_UNDO,
            f"{hunk.path}: what was there before is not kept, or the file has changed since",
            hint="restore the file by hand",
            details={"path": hunk.path, "id": hunk.id},
        )


def _in_the_way(change: ReviewChange, hunk: Hunk | None) -> EditError:
    because = "its lines were changed since" if hunk is None else "others changed the same lines since"
    return EditError(
        Kind.CONFLICT,
        f"{change.path}: change {change.id} cannot be taken back: {because}",
        hint=(RunCommand("review", "lists the changes as they are now"), Say("or edit those lines by hand")),
        details={"id": change.id, "path": change.path, "before": change.before, "after": change.after},
    )
