"""Whether the version a caller speaks of is the one that is there."""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.hints import ExpectVersion, Overwrite, Reread, Say
from steadyhand.session.checks import digest_of_version
from steadyhand.session.task_view import TaskView
from steadyhand.text.source import digest_of
from steadyhand.workspace.draft import Draft

_EMPTY = digest_of(b"")


def expect_version(draft: Draft, expect: str | None) -> None:
    """The version the caller speaks of must be the one on disk, or the one this transaction has made of it."""
    expect = digest_of_version(expect)
    if expect is None:
        return
    on_disk = draft.before.digest if draft.before is not None else None
    if on_disk is not None and on_disk.startswith(expect):
        return
    actual = digest_of(draft.data or b"")
    if expect == _EMPTY and draft.path is not None and not draft.source(None).text:
        return  # nothing but a byte order mark is left of it
    if not actual.startswith(expect):
        raise EditError(
            Kind.STALE_SOURCE,
            f"{draft.path} has digest {actual[:16]}, not {expect[:16]}: it changed since it was read",
            hint=(Reread(draft.path), ExpectVersion(actual)),
            details={"path": draft.path, "expected": expect, "actual": actual},
        )


def check_overwrite(draft: Draft, view: TaskView) -> None:
    """Replacing a whole file needs proof that the caller knows what it replaces: that its task has read all of it."""
    if draft.before is None:
        return
    path = draft.path or ""
    if view.knows(path, draft.before.digest):
        return
    known = view.last(path)
    states = {None: "was never read by this task", draft.before.digest: "was read by this task only in part"}
    state = states.get(known, "changed since this task read it")
    raise EditError(
        Kind.STALE_SOURCE,
        f"{draft.path} exists and {state}; its digest is {draft.before.digest[:16]}",
        hint=(Say("read it first"), ExpectVersion(draft.before.digest), Overwrite()),
        details={"path": draft.path, "expected": known, "actual": draft.before.digest},
    )
