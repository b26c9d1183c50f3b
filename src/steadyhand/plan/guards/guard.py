"""What a guard is: a pure check between plan and commit, which may refuse what the edits would do.

A guard is one file in this folder that ends with `GUARD = Guard(…)`; `_GUARDS` names them, the rank the order.
A guard sees data only: it reads no file, changes nothing, and knows no other guard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import Registry, dataclass, field
from steadyhand.text.lines import Characters
from steadyhand.text.span import Span
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.hints import Advice
    from steadyhand.plan.policy import Policy
    from steadyhand.text.changeset import ChangeSet
    from steadyhand.text.source import Source

Stage = Literal["request", "edit", "file"]
_SHORT = 100_000  # characters of new text


@sized("old", "new")
@dataclass(frozen=True, slots=True)
class GuardedEdit:
    """What one edit takes away and what it writes; `old` is what it quotes until the place is known.

    `blind` is the place of an edit that names it by number and does not say what is there.
    """

    index: int
    old: Characters
    new: str
    blind: Span | None = None


@sized("before", "after")
class GuardInput(NamedTuple):
    """Everything a guard may look at.

    `before` is None for a file that is not there yet; `after` is None until the whole file is planned.
    `after_source` is the text after with whatever has been read of it. `changes` lead from the text before to the one
    after; None where nobody has them. `seen` are the characters of the text before
    that the caller has been shown; None: all of them, or nobody knows.
    """

    path: str | None
    before: Characters | None
    after: str | None
    edits: tuple[GuardedEdit, ...]
    policy: Policy
    is_whole_write: bool = False
    allow_shrink: bool = False
    after_source: Source | None = None
    changes: ChangeSet | None = None
    seen: tuple[Span, ...] | None = None


@sized("details")
@dataclass(frozen=True, slots=True)
class Finding:
    """Why a guard refuses; or, as a warning, what it would have a person know."""

    kind: Kind
    message: str
    advice: Advice
    details: Mapping[str, object] = field(default_factory=dict)
    is_warning: bool = False

    def to_error(self, guard: str) -> EditError:
        return EditError(self.kind, self.message, hint=self.advice, details={**self.details, "guard": guard})


@dataclass(frozen=True, slots=True)
class Guard:
    """One check. `stage` says when: on the request as it came, on each edit once its place is known, or on the file.

    `is_asked_for`: it looks only where a policy names it. The others say where it has nothing to report and is not
    called: `is_for_writes`, for anything but whole-file writes; `longest`, for one edit that quotes no more than that;
    `words`, for one edit whose new text has none of them, in whatever case; `kind_of`, for a path that has no kind.
    """

    name: str
    rank: int
    stage: Stage
    summary: str
    check: Callable[[GuardInput], Finding | None]
    is_asked_for: bool = False
    is_for_writes: bool = False
    longest: int = 0
    words: tuple[str, ...] = ()
    kind_of: Callable[[str | None], object] | None = None


_GUARDS = Registry("steadyhand.plan.guards", "GUARD", "attention limits placeholder shrink syntax unseen")


@cache
def guards() -> tuple[Guard, ...]:
    """Every guard, in the order they are asked."""
    return tuple(sorted(_GUARDS.load(), key=lambda guard: guard.rank))


@cache
def usual_guards() -> frozenset[str]:
    """The names of the guards that look where no policy says which."""
    return frozenset(guard.name for guard in guards() if not guard.is_asked_for)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the guards of a stage say: the first objection as the refusal it becomes, and warnings."""

    refusal: EditError | None = None
    warnings: tuple[str, ...] = ()


_CONTENT = Verdict()


def ask_guards(stage: Stage, given: GuardInput) -> Verdict:
    """What the guards of that stage say that the policy wants; none is asked after the first objection."""
    warnings: list[str] = []
    only = given.edits[0] if len(given.edits) == 1 else None
    for guard in _asked(stage, given.policy.guards, is_whole_write=given.is_whole_write):
        if guard.kind_of is not None and guard.kind_of(given.path) is None:
            continue
        if only is not None and (len(only.old) < guard.longest or _has_none(guard.words, only.new)):
            continue
        finding = guard.check(given)
        if finding is not None and not finding.is_warning:
            return Verdict(finding.to_error(guard.name))
        if finding is not None:
            warnings.append(finding.message)
    return Verdict(warnings=tuple(warnings)) if warnings else _CONTENT


def _has_none(words: tuple[str, ...], text: str) -> bool:
    """Whether a text has none of some words, where there are any; a long text is for the guard to search."""
    if not words or len(text) > _SHORT:
        return False
    return not any(map(text.lower().__contains__, words))


@cache
def _asked(stage: Stage, names: frozenset[str] | None, *, is_whole_write: bool) -> tuple[Guard, ...]:
    """The guards of a stage that a policy names; the usual ones where it names none."""
    wanted = usual_guards() if names is None else names
    named = (guard for guard in guards() if guard.stage == stage and guard.name in wanted)
    return tuple(guard for guard in named if is_whole_write or not guard.is_for_writes)
