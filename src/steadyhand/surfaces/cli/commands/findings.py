"""`steadyhand findings`: what tasks have reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.render.match import lines_of
from steadyhand.surfaces.terminal import Line, Piece, shown_time, visible, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.tools.workspace import Finding

_STYLES = {"critical": "bad", "high": "bad", "medium": "warning"}


@command(
    "findings",
    section="History",
    examples="""
    steadyhand findings
    steadyhand findings --task T-12
    steadyhand findings --json
    """,
)
@click.option("--task", metavar="TASK", help="Only what this task reported.")
def run(invocation: Invocation, task: str | None) -> int:
    """List what was reported with `report_findings`.

    A task in the mode `analyze` changes nothing and reports what it finds. Its findings are kept in your state folder,
    outside the tree: XDG_STATE_HOME, else ~/.local/state.
    """
    from typing import cast

    from steadyhand.tools.workspace import Workspace

    output = invocation.output
    with invocation.workspace(kind=Workspace) as workspace:
        found = cast("Workspace", workspace).findings(task or invocation.settings.task)
    output.document({"ok": True, "findings": [finding.to_json() for finding in found]})
    output.print(_lines(found))
    return 0


def _lines(found: Sequence[Finding]) -> list[Line]:
    if not found:
        return [(Piece("no findings", "dim"),)]
    lines: list[Line] = []
    for finding in found:
        who = " · ".join(name for name in (finding.actor, finding.task) if name)
        when = "" if finding.time is None else f"  {shown_time(finding.time)}"
        place = f"{visible_name(finding.path)}{lines_of(finding.lines)}"
        lines.append(
            (
                Piece(finding.severity, _STYLES.get(finding.severity, "dim")),
                Piece(f"  {place}  {visible_line(finding.title)}"),
                Piece(f"  {visible_line(who)}{when}", "dim"),
            )
        )
        lines += [(Piece(f"  {row}"),) for row in visible(finding.detail).splitlines()]
        if finding.suggestion is not None:
            first, *rest = visible(finding.suggestion).splitlines() or [""]
            lines += [(Piece("  suggestion: ", "dim"), Piece(first)), *((Piece(f"    {row}"),) for row in rest)]
    return lines


COMMAND = run
