"""`steadyhand schema`: the JSON Schemas of formats that programs write."""

from __future__ import annotations

import json

import click

from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation


@command(
    "schema",
    section="Look",
    examples="""
    steadyhand schema plan
    steadyhand schema plan > plan.schema.json
    """,
)
@click.argument("name", type=click.Choice(["plan"]))
def run(invocation: Invocation, name: str) -> int:
    """Print the JSON Schema of a format.

    `plan` is what `steadyhand apply` and `Workspace.apply` take: files, and what is to be done to each. The schemas of
    tools are printed by `steadyhand tools`.
    """
    from steadyhand.plan.request import plan_schema

    schema = plan_schema()
    invocation.output.document({"ok": True, "schema": schema})
    if not invocation.output.json:
        invocation.output.plain(json.dumps(schema, indent=2, ensure_ascii=True) + "\n")
    return 0


COMMAND = run
