"""From when on: a date or a time, so long ago, or a place in the journal."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from steadyhand.lazy import dataclass, lazy_pattern

if TYPE_CHECKING:
    from steadyhand.session.workspace import Workspace

__all__ = ["SINCE_HELP", "Since", "When", "started"]

_AGO = lazy_pattern(r"(\d{1,6})([smhdw])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_NUMBER = lazy_pattern(r"\d{1,11}", re.ASCII)  # twelve digits are an id
_RECORD = lazy_pattern(r"[0-9a-f]{4,12}", re.IGNORECASE)
SINCE_HELP = "Only what happened from a date or time (UTC) on, so long ago (7d, 12h), or after a record's id or number."


@dataclass(frozen=True, slots=True)
class Since:
    """One of the three: a time, a row of the journal, or a record to begin after."""

    moment: datetime | None = None
    number: int | None = None
    record: str | None = None


class When(click.ParamType[Since]):
    """`2026-11-01`, `2026-11-01T08:30`, `7d`, a record's id, or an event's number as `watch` shows it."""

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Since:
        if isinstance(value, Since):
            return value
        text = str(value)
        if ago := _AGO.fullmatch(text):
            return Since(moment=_before_now(timedelta(**{_UNITS[ago[2]]: int(ago[1])})))
        if _NUMBER.fullmatch(text):
            return Since(number=int(text))
        if _RECORD.fullmatch(text):
            return Since(record=text.lower())
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self.fail(f"{text!r} is no date like 2026-11-01, no time ago like 7d and no record", param, ctx)
        return Since(moment=moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))


def _before_now(span: timedelta) -> datetime:
    now = datetime.now(UTC)
    beginning = datetime.min.replace(tzinfo=UTC)
    return now - span if span < now - beginning else beginning


def started(workspace: Workspace, since: Since | None) -> tuple[datetime | None, int]:
    """The time and the row after which to begin."""
    if since is None:
        return None, 0
    if since.record is not None:
        return None, workspace.show(since.record).seq
    return since.moment, since.number or 0
