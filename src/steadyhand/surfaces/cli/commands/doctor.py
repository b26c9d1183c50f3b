"""`steadyhand doctor`: what this machine offers, and what is in the way."""

from __future__ import annotations

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.render.journal import doctor_lines


@command(
    "doctor",
    section="Care",
    examples="""
    steadyhand doctor
    steadyhand doctor --json
    """,
)
def run(invocation: Invocation) -> int:
    """Tell what this machine and this workspace offer.

    Kernel support for the sandbox, optional parts that are installed, the journal and its size, mount points inside
    the root.
    """
    output = invocation.output
    with invocation.workspace() as workspace:
        facts = workspace.doctor()
    output.document({"ok": True, "facts": facts})
    output.print(doctor_lines(facts))
    return 0


COMMAND = run
