"""What a server tells a client of itself, in few words: clients show no more than 2,048 characters of it."""

from __future__ import annotations

from collections.abc import Iterable

from steadyhand.surfaces.mcp.serving import Serving

__all__ = ["MOST", "instructions"]

MOST = 2_000
_SHOWN_ROOTS = 12


def instructions(serving: Serving) -> str:
    """Toolsets, roots, mode and what to expect of an answer."""
    text = "\n".join(line for line in _lines(serving) if line)
    return text if len(text) < MOST else f"{text[: MOST - 2]}…"


def _lines(serving: Serving) -> Iterable[str]:
    from steadyhand.tools.registry import toolset_named

    yield "Steadyhand edits files exactly: a change goes to the one place that is meant, or is refused with what to do."
    done = "read or searched" if serving.is_reading else "read, searched or changed"
    yield f"Use these tools whenever a file here is to be {done}."
    for name in serving.toolsets:
        yield f"- {name}: {toolset_named(name).summary}"
    yield _roots([root.name for root in serving.roots])
    if serving.mode is not None:
        yield f"Mode {serving.mode}: only the tools of this mode are there."
    if serving.is_reading:
        yield "Files can be read and searched here, not changed."
    else:
        yield (
            "Every change is recorded with its reason and can be undone by its id. "
            "Give the reason of a change where a tool takes one."
        )
        yield "Other agents may work on the same files: an edit on lines they changed unseen is refused, so read again."
    yield "A refusal has isError, a `kind` and a `hint` that says what to send instead; follow the hint."
    yield "Long results come in parts and say how to read on."
    if serving.is_walled:
        yield "The kernel keeps this server within its directories."


def _roots(names: list[str]) -> str:
    if not names:
        return ""
    if len(names) == 1:
        return f"Paths count from the directory {names[0]}."
    shown = ", ".join(names[:_SHOWN_ROOTS]) + (" …" if len(names) > _SHOWN_ROOTS else "")
    return f"Every tool takes `root`, the directory that paths count from: {shown}."
