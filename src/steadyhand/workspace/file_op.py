"""What a transaction does to each path: the steps of files, seen as before and after of single names.

A rename is two goals, one name that vanishes and one that appears; so every goal is small enough to be
done, checked and taken back by itself. Pure data; `transaction.py` acts on it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.workspace.overlay import FileStep, Reading
from steadyhand.workspace.sandbox import FileImage

Deed = Literal["replace", "in-place", "create", "remove", "mode"]


@dataclass(frozen=True, slots=True)
class Goal:
    """One name: what stands there, what shall stand there.

    `like` is the file whose owner, attributes and (unless `mode` says otherwise) mode the new one takes;
    `link_from` names the file that moves here unchanged, so that even its inode stays. A restored file comes
    back even where its owner or attributes cannot be given to it again; then that is said.
    """

    path: str
    deed: Deed
    before: FileImage | None
    data: bytes | None = None
    digest: str | None = None
    mode: int | None = None
    like: FileImage | None = None
    link_from: str | None = None
    is_restored: bool = False

    @property
    def why_in_place(self) -> str:
        """What a rename would lose, in words."""
        assert self.before is not None
        if self.before.nlink > 1:
            return f"it has {self.before.nlink} names, and all of them show the new text"
        return "another user owns it, and a new file would be this user's"


def goals_of(steps: Sequence[FileStep], readings: Mapping[str, Reading], hardlinks: str) -> tuple[Goal, ...]:
    """One goal per name; names that appear come first, so that no instant shows less than both versions."""
    goals: dict[str, Goal] = {}
    for step in steps:
        if step.before_path is not None and step.before_path != step.after_path:
            goals.setdefault(step.before_path, Goal(step.before_path, "remove", step.before))
    for step in steps:
        if step.after_path is not None:
            standing = readings[step.after_path].image
            vacated = step.after_path in goals or step.after_path == step.before_path
            assert standing is None or vacated, f"{step.after_path} would be overwritten without a trace"
            goals[step.after_path] = _arrival(step, standing, hardlinks)
    return tuple(sorted(goals.values(), key=lambda goal: (goal.deed == "remove", goal.path)))


def _arrival(step: FileStep, standing: FileImage | None, hardlinks: str) -> Goal:
    assert step.after_path is not None
    moved = step.before_path is not None and step.before_path != step.after_path
    unchanged = step.before is not None and step.digest == step.before.digest
    if unchanged and not moved:
        return Goal(step.after_path, "mode", standing, None, step.digest, step.mode)
    deed: Deed = "create" if standing is None else "replace"
    if standing is not None and not moved and _needs_in_place(standing, hardlinks):
        deed = "in-place"
    link = step.before_path if moved and unchanged and step.mode is None else None
    like, restored = (step.before, False) if step.before is not None else (step.like, step.like is not None)
    return Goal(step.after_path, deed, standing, step.data, step.digest, step.mode, like, link, restored)


def _needs_in_place(standing: FileImage, hardlinks: str) -> bool:
    """Whether a new file would cost this one something: its other names, or an owner we may not give it again."""
    return (standing.nlink > 1 and hardlinks == "in-place") or _is_anothers(standing)


def _is_anothers(standing: FileImage) -> bool:
    return os.geteuid() != 0 and (standing.uid != os.geteuid() or standing.gid not in (os.getegid(), *os.getgroups()))


_OPTIONS = (
    "the host may allow it with hardlinks=break (this name gets a new file, the others keep the old text)"
    " or hardlinks=in-place (all of its names show the new text); for steadyhand that is --hardlinks"
)
_ONE_AT_A_TIME = "make one change at a time, or ask the host for hardlinks=break (only this name changes)"


def check_links(steps: tuple[FileStep, ...], hardlinks: str) -> None:
    """Refuse what cannot be done to a file with several names without reaching or losing the others.

    They may be anywhere on the file system: package stores link what they install, also into a workspace.
    """
    linked = [
        step for step in steps if step.before is not None and step.before.nlink > 1 and step.after_path is not None
    ]
    inodes = Counter((step.before.dev, step.before.ino) for step in linked if step.before is not None)
    for step in linked:
        assert step.before is not None
        hint = _ONE_AT_A_TIME
        rewritten = step.digest != step.before.digest
        if hardlinks == "refuse" and (rewritten or step.mode is not None):
            because = f"has {step.before.nlink} names (hard links), and some may be outside the workspace"
            hint = _OPTIONS
        elif hardlinks == "break" and rewritten and _is_anothers(step.before):
            because = "has several names (hard links), and another user owns it, so that no new file can take its place"
            hint = "work on another file, or ask the host for hardlinks=in-place (all of its names change)"
        elif hardlinks == "in-place" and inodes[step.before.dev, step.before.ino] > 1:
            because = "is changed here by two of its names"
        elif hardlinks == "in-place" and rewritten and step.before_path != step.after_path:
            because = "has several names (hard links), and is edited and renamed at once"
        else:
            continue
        raise EditError(
            Kind.NOT_ALLOWED,
            f"{step.before_path} {because}",
            hint=hint,
            details={"path": step.before_path, "names": step.before.nlink},
        )
