"""A conversation with a model for people: what it says, each change with its diff, each refusal with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.terminal import Line, Piece, counted, head_of

if TYPE_CHECKING:
    from steadyhand.agents.runner import Ended, Step
    from steadyhand.tools.made import Made

__all__ = ["ended_line", "made_lines", "step_lines"]

_MOST = 40  # lines of a diff, and of what a model says


def step_lines(step: Step, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """One step of a conversation; what we say to the model is not shown."""
    from steadyhand.agents.model import ModelError, Reply, Said
    from steadyhand.tools.made import Made

    match step:
        case Reply():
            rows = step.text.strip().split("\n") if step.text.strip() else []
            yield from ((Piece(row),) for row in rows[:_MOST])
            if len(rows) > _MOST:
                yield (Piece(f"… {counted(len(rows) - _MOST, 'more line')}", "dim"),)
        case Made():
            yield from made_lines(step, width=width, quiet=quiet)
        case ModelError():
            again = "; trying again" if step.is_passing else ""
            yield (Piece("model: ", "warning"), *head_of(step.message), Piece(again, "dim"))
        case Said():
            return


def made_lines(made: Made, *, width: int | None = None, quiet: bool = False) -> Iterator[Line]:
    """One call: its diff, the first line of its refusal, or only its name."""
    if made.failed:
        said = str(made.result.get("message") or made.result.get("error") or made.result.get("content") or "refused")
        kind = f" {made.kind}" if made.kind is not None else ""
        first = said.partition("\n")[0]
        yield (Piece(made.tool, "heading"), Piece(f" refused{kind}: ", "error"), *head_of(first))
        return
    records = f"  {', '.join(made.records)}" if made.records else ""
    yield (Piece(made.tool, "heading"), Piece(records, "id"))
    if made.diff and not quiet:
        yield from diff_lines(made.diff, width=width, limit=_MOST)


def ended_line(ended: Ended) -> Line:
    """What it came to: how it ended, turns, calls, tokens, time."""
    refused = sum(counts[1] for counts in ended.usage.values())
    facts = [
        counted(ended.turns, "turn"),
        f"{counted(ended.calls, 'call')}{f' ({refused:,} refused)' if refused else ''}",
        counted(ended.tokens.total, "token"),
        f"{ended.seconds:.1f} s",
        *([f"{counted(ended.as_text, 'call')} written as text"] if ended.as_text else []),
        *([f"{ended.retries:,} retried"] if ended.retries else []),
    ]
    end = Piece("done", "good") if ended.is_done else Piece(f"stopped: {ended.error}", "error")
    return (end, Piece(f"  {', '.join(facts)}", "dim"))
