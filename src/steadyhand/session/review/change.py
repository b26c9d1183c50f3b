"""A change to review, what is risky about it, and the values that a review gives."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Literal, Protocol

from steadyhand.lazy import dataclass
from steadyhand.schema import fields_as_json
from steadyhand.session.review.hunks import Hunk, Status
from steadyhand.text.lines import split_bodies
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt


State = Literal["undecided", "accepted", "rejected", "amended"]

FLAGS = {
    "tolerant": "the quotation did not match to the letter",
    "shrinks": "it removes much more than it adds",
    "front-matter": "it changes the head of a page",
    "instructions": "the file steers agents, CI or tools",
    "placeholder": "a line looks like a placeholder for text that was left out",
    "forced": "it was written over a change that its task had not read",
    "no-evidence": "the impact run had no reason to change this file",
    "broken-link": "a link of a page leads nowhere because of it",
    "unseen": "what it changed is not shown: secrets or bytes",
    "unchecked": "there is no syntax check for this file",
    # What happened since, and not how risky it is:
    "overlapped": "others changed the same lines since",
    "changed": "its text is not what was decided about",
    "again": "it was made again after a rejection",
    "conflict": "others have changed the same lines on the disk; accepting is refused, amending is not",
}
_SHRINK_FROM = 10  # lines


@sized("disk", "held")
@dataclass(frozen=True, slots=True)
class DiskConflict:
    """Both sides of a held change whose lines others have changed on the disk: their text and the held one.

    `lines` are those of the disk's text; None where the file or those lines are gone.
    """

    lines: tuple[int, int] | None
    disk: str
    held: str

    def to_json(self) -> dict[str, object]:
        return fields_as_json(self)


@sized("before", "after")
@dataclass(frozen=True, slots=True)
class ReviewChange:
    """A change to review: a hunk with its reason, who made it and how, what is risky about it and what was decided.

    `lines` are those of the present file; None where the text is not there. `flags` are of `FLAGS`.

    `held`: the change waits in its task's layer and is not on the disk; `lines` are those of the held text then, and
    `conflict` says what is on the disk where others have changed the same lines.
    """

    id: str
    path: str
    status: Status
    lines: tuple[int, int] | None
    before: str
    after: str
    reason: str | None
    actor: str
    task: str | None
    tool: str
    model: str | None
    tier: str | None
    time: str
    records: tuple[str, ...]
    state: State = "undecided"
    flags: tuple[str, ...] = ()
    by: str | None = None
    remark: str | None = None
    comments: tuple[str, ...] = ()
    evidence: tuple[object, ...] = ()
    held: bool = False
    conflict: DiskConflict | None = None

    def to_json(self) -> dict[str, object]:
        return fields_as_json(self)


class LinkCheck(Protocol):
    """Whether a change broke a link, in the tree as it was when it was first asked: only who knows pages can say so."""

    def breaks(self, change: ReviewChange) -> bool: ...


@dataclass(frozen=True, slots=True)
class AutoAccept:
    """Changes that need no person: every field that is given must fit. Changes with a risk flag always wait.

    `path` is a glob, `lines` the most lines that the larger side may have.
    """

    path: str | None = None
    tool: str | None = None
    tier: str | None = None
    actor: str | None = None
    lines: int | None = None

    def takes(self, change: ReviewChange) -> bool:
        from steadyhand.workspace.files.listing import parse_glob

        if change.flags or change.status not in ("edited", "created"):
            return False
        size = max(len(split_bodies(change.before)), len(split_bodies(change.after)))
        return (
            (self.path is None or parse_glob(self.path).matches(change.path.split("/")))
            and self.tool in (None, change.tool)
            and self.tier in (None, change.tier)
            and self.actor in (None, change.actor)
            and (self.lines is None or size <= self.lines)
        )


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided, about which changes, and the receipts of what that changed."""

    id: str
    state: str
    changes: tuple[str, ...]
    receipts: tuple[Receipt, ...] = ()


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a reviewer said about a change, for the task that made it."""

    id: str
    path: str
    lines: tuple[int, int] | None
    state: str
    remark: str | None
    before: str
    after: str
    now: str | None
    reason: str | None
    by: str
    time: str

    def to_json(self) -> dict[str, object]:
        return fields_as_json(self)


def flags_of(hunk: Hunk, *, is_flagged: bool) -> Iterator[str]:
    """What is risky about a hunk, apart from what happened to it since."""
    from steadyhand.plan.guards import is_placeholder
    from steadyhand.structure.format import format_of

    if not {note.tier for note in hunk.notes}.isdisjoint(_tolerant()):
        yield "tolerant"
    if hunk.before.count("\n") >= _SHRINK_FROM and hunk.after.count("\n") * 2 < hunk.before.count("\n"):
        yield "shrinks"
    if hunk.path.endswith((".md", ".mdx", ".markdown")) and _is_front_matter(hunk):
        yield "front-matter"
    if is_flagged:
        yield "instructions"
    added = set(split_bodies(hunk.after)) - set(split_bodies(hunk.before))
    if any(is_placeholder(line, hunk.path) for line in added):
        yield "placeholder"
    if any(note.forced for note in hunk.notes):
        yield "forced"
    if hunk.status in ("binary", "hidden"):
        yield "unseen"
    if hunk.status == "edited" and format_of(hunk.path) is None and "." in hunk.path.rsplit("/", 1)[-1]:
        yield "unchecked"


@cache
def _tolerant() -> frozenset[str]:
    """The tiers that find old text which is not quoted to the letter; what is addressed otherwise is not quoted."""
    from steadyhand.match.tier import step_names

    return frozenset(step_names()) - {"exact", "newline"}


def _is_front_matter(hunk: Hunk) -> bool:
    """Whether a hunk is at the head of a page, where its front matter is."""
    rows = split_bodies(hunk.before + hunk.after)
    is_first = hunk.lines is not None and hunk.lines[0] <= 1
    keys = [row.split(":", 1)[0].strip() for row in rows if ":" in row]
    return (is_first and "---" in rows) or any(key in ("jrn", "attention") for key in keys)
