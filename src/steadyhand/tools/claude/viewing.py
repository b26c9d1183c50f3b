"""A file as `view` shows it: numbered lines of a range, as many as fit. What is shown counts as read, the rest not."""

from __future__ import annotations

from steadyhand.text.source import Source
from steadyhand.tools.claude.command import Command
from steadyhand.tools.numbered import MOST_CHARACTERS, Style, fit_rows, number_lines, range_in_view

__all__ = ["show_lines"]


def show_lines(command: Command, source: Source, style: Style) -> list[str]:
    """The lines of the command's `view_range`, and a last one that says so where they had to be cut."""
    bodies, most = source.lines, command.call.settings.max_characters or MOST_CHARACTERS
    first, last = range_in_view(command.fields.get("view_range"), len(bodies))
    rows = number_lines(bodies[first - 1 : last], first, style)
    kept, whole = fit_rows(rows, most)
    end = first + max(whole, 1) - 1
    if whole or not bodies:
        is_all = (first, whole) == (1, len(bodies))
        command.workspace.saw(source, None if is_all else (first, end))
    if whole == len(rows):
        return kept
    rest = f"continue with view_range [{end + 1}, -1]" if whole else f"line {first} goes on"
    return [*kept, f"(cut at {most} characters; the file has {len(bodies)} lines; {rest})"]
