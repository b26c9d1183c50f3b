"""`steadyhand why`: which change wrote a line, and for what reason."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.surfaces.cli.documents import why_document
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName
from steadyhand.surfaces.cli.render.history import why_lines
from steadyhand.surfaces.terminal import visible_name

if TYPE_CHECKING:
    from steadyhand.session.workspace import Workspace
    from steadyhand.workspace.file_history import Why

_WITH_LINES = lazy_pattern(r"(.+):([0-9]{1,12})(?:-([0-9]{1,12}))?", re.DOTALL)
_FORMS = "steadyhand why FILE, FILE:12 or FILE:12-15"


@command(
    "why",
    section="History",
    examples="""
    steadyhand why docs/a.md:12
    steadyhand why docs/a.md:12-15
    steadyhand why docs/a.md
    """,
)
@click.argument("place", metavar="FILE[:LINE[-LINE]]", type=FileName())
def run(invocation: Invocation, place: str) -> int:
    """Tell which change last wrote a line, who made it, and why.

    The line is followed back through later edits and renames. Without LINE, every line of the file.
    """
    file, lines = _parse(place)
    path = invocation.path(file)
    output = invocation.output
    with invocation.workspace() as workspace:
        try:
            whys = _ask(workspace, path, lines)
        except EditError as error:
            if error.kind in (Kind.NO_SUCH_FILE, Kind.BAD_REQUEST) and lines is None and ":" in place:
                raise _no_line(place) from None
            raise
    for doubt in dict.fromkeys(why.doubt for why in whys if why.doubt is not None):
        output.warn(doubt)
    output.document({"ok": True, "path": path, "lines": [why_document(why) for why in whys]})
    if not output.json:
        output.print(why_lines(path, whys, width=output.width))
    return 0


def _parse(place: str) -> tuple[str, tuple[int, int] | None]:
    """The file, and the first and last line where they are named."""
    found = _WITH_LINES.fullmatch(place)
    if found is None:
        return place, None
    first = int(found[2])
    last = int(found[3]) if found[3] else first
    if first == 0:
        raise EditError(Kind.OUT_OF_BOUNDS, "lines are counted from 1", hint="ask for line 1 or a later one")
    if last < first:
        raise EditError(
            Kind.BAD_REQUEST, f"lines {first}-{last} run backwards", hint=f"{visible_name(found[1])}:{last}-{first}"
        )
    return found[1], (first, last)


def _ask(workspace: Workspace, path: str, lines: tuple[int, int] | None) -> list[Why]:
    if lines is None:
        return workspace.why_all(path)
    first, last = lines
    ends = [workspace.why(path, line) for line in sorted({first, last})]  # refuses a line that is not there
    return ends if last - first < 2 else workspace.why_all(path)[first - 1 : last]


def _no_line(place: str) -> EditError:
    file, _, line = place.rpartition(":")
    return EditError(
        Kind.BAD_REQUEST,
        f"a line number is expected after {visible_name(file)}:, not {visible_name(line)}",
        hint=_FORMS,
    )


COMMAND = run
