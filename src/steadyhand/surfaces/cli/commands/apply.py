"""`steadyhand apply`: a JSON plan over any number of files, all or nothing."""

from __future__ import annotations

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.inputs import bytes_from, decode, piped
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import FileName, dry_run_option, reason_option
from steadyhand.surfaces.cli.progress import progress
from steadyhand.surfaces.cli.report import report
from steadyhand.surfaces.cli.tolerance import OnDrift, policy_of, tolerance_options


@command(
    "apply",
    section="Change files",
    examples="""
    steadyhand apply plan.json --dry-run
    echo '{"files": [{"path": "a.md", "edits": [{"target": "teh", "new": "the"}]}]}' | steadyhand apply
    """,
)
@click.argument("plan", required=False, type=FileName())
@tolerance_options
@reason_option
@dry_run_option
def run(
    invocation: Invocation,
    plan: str | None,
    tier: str | None,
    on_drift: OnDrift | None,
    reason: str | None,
    dry_run: bool,
) -> int:
    """Apply a JSON plan, over any number of files.

    The plan is {"files": [...]}; each file has a path and edits, write, create, delete, rename_to or mode. Paths are
    relative to the root. Either everything is applied or nothing, unless the plan says "partial": true.
    Without PLAN, or for -, standard input is read.
    """
    from steadyhand.plan.request import requests_from_json

    if plan is None:
        data = piped(invocation, "PLAN", "give PLAN or pipe it in")
    else:
        data = bytes_from(invocation, "PLAN", plan)
    requests = requests_from_json(_parse(decode(data, "the plan")))
    with invocation.workspace(writing=not dry_run, policy=policy_of(tier, on_drift)) as workspace:
        with progress(invocation.output, "staging") as shown:
            receipt = workspace.apply(requests, reason=reason, preview=dry_run, progress=shown)
        return report(invocation, receipt)


def _parse(text: str) -> object:
    import json

    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise EditError(
            Kind.BAD_REQUEST,
            f"the plan is not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            hint="mend the plan at that place",
            details={"line": error.lineno, "column": error.colno},
        ) from error
    except RecursionError as error:
        raise EditError(
            Kind.TOO_LARGE, "the plan is nested too deeply", hint="a plan needs a handful of levels"
        ) from error
    except ValueError as error:
        raise EditError(Kind.BAD_REQUEST, f"the plan is not usable JSON: {error}", hint="mend the plan") from error


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object; which of two equal keys was meant is not ours to guess."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON value")


COMMAND = run
