"""`steadyhand act`: do something to what an address names: set a key, add a class, move a section."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

from steadyhand.surfaces.cli.arguments import action_rows, read_arguments
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import commit_options, encoding_option, file_argument, guard_option, policy_of
from steadyhand.surfaces.cli.place import WhichOptions, address_argument, address_target, which_options
from steadyhand.surfaces.cli.report import report


class ActionName(click.ParamType[str]):
    """The name of an action; whether it exists is checked with the edit."""

    name = "action"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from steadyhand.structure.action import actions

        found = actions().values()
        return [CompletionItem(one.name, help=one.summary) for one in found if one.name.startswith(incomplete)]


@command(
    "act",
    section="Change files",
    examples="""
    steadyhand act compose.yaml key:services.web.image set-key value=nginx:1.27
    steadyhand act package.json key:scripts add-key name=test value="pytest -q"
    steadyhand act settings.toml key:server.port set-key value:=8080 --reason "the usual one"
    steadyhand act index.html "selector:#cta" add-class value=primary --dry-run
    steadyhand act index.html "selector:ul > li" set-html value@=item.html --all --expected 3
    """,
    listing=lambda: ("Actions", action_rows()),
)
@file_argument
@address_argument
@click.argument("action", type=ActionName())
@click.argument("arguments", metavar="[NAME=VALUE]...", nargs=-1)
@click.option("--json-args", metavar="JSON", help="The arguments as one object, instead of or beside NAME=VALUE.")
@which_options
@click.option("--expected", metavar="N", type=click.IntRange(min=1), help="Refuse unless there are exactly N.")
@guard_option
@commit_options
@encoding_option
def run(
    invocation: Invocation,
    file: str,
    address: str,
    action: str,
    arguments: tuple[str, ...],
    json_args: str | None,
    expected: int | None,
    without: tuple[str, ...],
    expect: str | None,
    reason: str | None,
    dry_run: bool,
    encoding: str | None,
    **which: Any,
) -> int:
    """Do something to what an address names.

    ADDRESS is one that outline lists, such as key:server.port; it must name exactly one place, unless you say which
    you mean. Only the bytes that must change do: the rest is not rewritten. VALUE is text, or JSON where any value is
    taken and it is JSON; NAME:=JSON is always JSON, NAME@=FILE the text of a file (- for standard input).
    """
    from steadyhand.plan.edit import edit_from_json, place_to_json
    from steadyhand.structure.action import actions

    target = place_to_json(address_target(address))
    given = read_arguments(invocation, actions().get(action), arguments, json_args)
    said = {"occurrence": WhichOptions(**which).which(), "expected": expected, "reason": reason}
    edit = edit_from_json({"target": target, "act": action, "args": given, **said})
    with invocation.workspace(writing=not dry_run, policy=policy_of(without=without)) as workspace:
        path = invocation.path(file)
        receipt = workspace.edit(path, [edit], expect=expect, reason=reason, encoding=encoding, preview=dry_run)
        return report(invocation, receipt)


COMMAND = run
