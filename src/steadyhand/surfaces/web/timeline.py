"""What happened, in order: edits, refusals, decisions, runs. As a list for a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from steadyhand.surfaces.terminal import shown_time, visible_name
from steadyhand.surfaces.web.markup import Html, el

if TYPE_CHECKING:
    from steadyhand.session.events import Event

_NAMED = 5  # files that an entry names
_NOTES = {
    "review": "decision",
    "review-feedback": "feedback",
    "evidence": "evidence",
    "run": "run",
    "run-plan": "run",
    "run-article": "run",
    "run-end": "run",
}


def timeline(events: Sequence[Event], older: str | None) -> Html:
    """The events, newest first; `older` is the address of those before."""
    if not events:
        return el("p", "Nothing is recorded yet.", class_="empty")
    more = el("p", el("a", "Older", href=older), class_="older") if older else None
    return el("div", el("ol", *map(_entry, events), class_="timeline"), more)


def kind_of(event: Event) -> str:
    """What sort of event it is, in a word."""
    return _NOTES.get(str(event.details.get("note")), "note") if event.type == "note" else event.type


def _entry(event: Event) -> Html:
    kind = kind_of(event)
    who = " · ".join(each for each in (event.actor, event.task, event.tool) if each)
    lines = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in event.lines)
    paths = [visible_name(path) for path in event.paths[:_NAMED]]
    if len(event.paths) > _NAMED:
        paths.append(f"and {len(event.paths) - _NAMED} more")
    where = ", ".join(paths) + (f":{lines}" if lines and len(event.paths) == 1 else "")
    return el(
        "li",
        el("time", shown_time(event.time, seconds=True), datetime=event.time),
        el("span", kind, class_=f"badge event {kind}"),
        el(
            "div",
            el("span", where, class_="where") if where else None,
            el("p", _said(event, kind)),
            el("p", who, class_="who") if who else None,
        ),
        id=f"e-{event.seq}",
    )


def _said(event: Event, kind: str) -> str:
    details = event.details
    match kind:
        case "decision":
            words = {"undecided": "an earlier decision was undone", "refused": "refused, and nothing was changed"}
            said = words.get(str(details.get("state"))) or str(details.get("state"))
            return said + (f": {details['remark']}" if details.get("remark") else "")
        case "feedback":
            return "the agent asked for feedback and received it"
        case "evidence":
            return "the reason for looking at this file was recorded"
        case "run":
            return _of_run(details)
    if event.reason and event.type in ("edit", "undo", "redo"):
        return event.reason
    return event.message + (f": {event.reason}" if event.reason else "")


def _of_run(details: Mapping[str, object]) -> str:
    match details.get("note"):
        case "run":
            return "an impact run started"
        case "run-plan":
            return "more articles will be checked"
        case "run-end":
            return f"the run ended: {details.get('end') or 'done'}"
    said = str(details.get("reasoning") or "")
    return f"{details.get('status') or 'looked at'}{f': {said}' if said else ''}"
