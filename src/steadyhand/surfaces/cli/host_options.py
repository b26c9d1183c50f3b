"""Options by which a host configures the tools it gives to a model, and conversations with a model.

A tool's arguments cannot change any of them. The registry of toolsets is loaded only when somebody types one of the
names, or asks for the help that lists them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.surfaces.cli.invocation import Invocation, bytes_from, decode, misused, parse_json
from steadyhand.surfaces.cli.options import Name, chain, guard_option, policy_of, tolerance_options

if TYPE_CHECKING:
    from steadyhand.agents.model import Model
    from steadyhand.agents.runner import Limits
    from steadyhand.plan.policy import Policy
    from steadyhand.tools.tool import Settings


_USUAL = "core"


def _toolsets() -> tuple[str, ...]:
    from steadyhand.tools.toolsets import toolsets

    return tuple(toolsets())


def schema_styles() -> tuple[str, ...]:
    """The styles in which schemas are printed."""
    from steadyhand.tools.tool import STYLES

    return tuple(STYLES)


def _clients() -> tuple[str, ...]:
    from steadyhand.surfaces.clients import clients

    return tuple(clients())


class ClientName(Name):
    """The name of a program that starts the MCP server."""

    def __init__(self) -> None:
        super().__init__("client", _clients)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if "." in value or "/" in value:
            self.fail(
                f"{value!r} is not a client; a file goes before the command: steadyhand --config FILE mcp", param, ctx
            )
        return super().convert(value, param, ctx)


class ToolsetName(Name):
    """The name of a toolset."""

    def __init__(self) -> None:
        super().__init__("toolset", _toolsets)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.names():
            from steadyhand.tools.toolsets import tools_of

            having = [each for each in self.names() if any(tool.name == value for tool in tools_of(each))]
            if having:
                self.fail(f"{value!r} is a tool of {', '.join(having)}: name the toolset", param, ctx)
        return super().convert(value, param, ctx)


def toolset_of(tool: str) -> str:
    """The toolset that is meant by a tool's name: core if it has it, else the only one that does.

    Refuses with `bad-request` a name that several other toolsets have, or none.
    """
    from steadyhand.schema import nearest_name
    from steadyhand.tools.toolsets import tools_of

    named = {each: {name for one in tools_of(each) for name in (one.name, *one.also)} for each in _toolsets()}
    having = [each for each, names in named.items() if tool in names]
    if _USUAL in having or len(having) == 1:
        return _USUAL if _USUAL in having else having[0]
    if having:
        raise EditError(
            Kind.BAD_REQUEST,
            f"{len(having)} toolsets have a tool {tool!r}: {', '.join(having)}",
            hint=f"say which, such as --toolset {having[0]}",
            details={"toolsets": having},
        )
    near = nearest_name(tool[:80], sorted(set().union(*named.values())))
    raise misused(f"there is no tool {tool[:80]!r}", f"did you mean {near}?" if near else "steadyhand tools lists them")


_SETTINGS = (
    *("article", "allow_new", "prefix", "extensions", "model", "overwrite", "allow_shrink", "require_read"),
    *("version", "max_characters"),
)


# The options of every command that hands out tools; the command takes them as keywords, all together.
host_options = chain(
    click.option("--article", metavar="FILE", help="The only file that may be changed."),
    click.option("--allow-new", is_flag=True, help="With --article, also allow new pages next to it."),
    click.option("--prefix", metavar="DIR", help="A directory that calls may name instead of the root."),
    click.option(
        "--extensions",
        metavar="ENDINGS",
        multiple=True,
        help="Extensions of files that may be named, such as .md,.txt; may be repeated.",
    ),
    click.option("--model", metavar="NAME", help="The model that makes the calls, for the records."),
    click.option("--overwrite", is_flag=True, help="Allow overwriting files that were never read."),
    click.option("--allow-shrink", is_flag=True, help="Allow overwriting that drops most of a file."),
    click.option("--require-read", is_flag=True, help="Let vendor tools edit only what was read."),
    click.option(
        *("--tool-version", "version"), metavar="VERSION", help="The version of a vendor's tool, such as 20250124."
    ),
    click.option(
        "--max-characters",
        metavar="N",
        type=click.IntRange(min=1),
        help="Limit on the characters that a vendor's view shows.",
    ),
    click.option(
        "--backup", type=click.Choice(["journal", "bak"]), help="bak: also keep a copy next to a changed file."
    ),
    tolerance_options,
    guard_option,
)


def has_settings(options: Mapping[str, Any]) -> bool:
    """Whether the options say anything of a kit."""
    return any(options[name] not in (None, False, ()) for name in _SETTINGS)


def host_settings(options: Mapping[str, Any]) -> Settings:
    """What the options say of a kit."""
    from steadyhand.tools.tool import Settings

    given = {name: options[name] for name in _SETTINGS}
    endings = [ending for some in options["extensions"] for ending in some.replace(",", " ").split()]
    return Settings(**{**given, "extensions": tuple(endings) if options["extensions"] else None})


def host_policy(options: Mapping[str, Any]) -> Policy | None:
    """What the options say of edits; None where they say nothing."""
    policy = policy_of(options["tier"], options["on_drift"], options["without"])
    if options["backup"] is None:
        return policy
    from steadyhand.plan.policy import Policy

    return replace(policy or Policy(), backup=options["backup"])


_SCRIPT = "script:"


def _limit(name: str, kind: click.ParamType[Any], default: float, words: str) -> Any:
    return click.option(name, metavar="N", type=kind, default=default, show_default=True, help=words)


# Which model is asked.
named_model_options = chain(
    click.option(
        "--model",
        metavar="NAME",
        envvar="STEADYHAND_MODEL",
        show_envvar=True,
        help="anthropic:… or another of pydantic-ai; openai-chat:NAME with --base-url; script:FILE plays replies.",
    ),
    click.option(
        "--base-url",
        metavar="URL",
        envvar="STEADYHAND_BASE_URL",
        show_envvar=True,
        help="An OpenAI-compatible server, such as http://127.0.0.1:8080/v1; its key is STEADYHAND_API_KEY.",
    ),
)


# How long a reply may be.
reply_tokens_option = click.option(
    "--reply-tokens", metavar="N", type=click.IntRange(min=1), help="Token limit of one reply (default: the model's)."
)


# The options of `model_of` and `limits_of`; the command takes them as keywords, all together.
model_options = chain(
    named_model_options,
    _limit("--max-turns", click.IntRange(min=1), 24, "Stop after N replies."),
    _limit("--max-calls", click.IntRange(min=1), 80, "Stop after N tool calls."),
    _limit("--max-tokens", click.IntRange(min=1), 400_000, "Stop after N tokens, in and out."),
    _limit("--max-seconds", click.FloatRange(min=0, min_open=True), 600.0, "Stop a conversation after this time."),
    _limit("--retries", click.IntRange(min=0), 5, "Retries after a rate limit or a lost connection."),
    reply_tokens_option,
)


def model_of(invocation: Invocation, options: Mapping[str, Any]) -> Model:
    """The model that the options name; `bad-request` where they name none."""
    from steadyhand.agents.model import named_model

    if str(options["model"] or "").startswith(_SCRIPT):
        return _scripted(invocation, str(options["model"]))
    check_model_named(options)
    return named_model(
        options["model"],
        base_url=options["base_url"],
        api_key=os.environ.get("STEADYHAND_API_KEY"),  # never an option: others on the machine see those
        max_tokens=options["reply_tokens"],
    )


def check_model_named(options: Mapping[str, Any]) -> None:
    """Refuse with `bad-request` where the options name no model."""
    if not options["model"]:
        raise misused(
            "no model is named",
            "--model anthropic:claude-sonnet-4-5; for your own server --model openai-chat:NAME --base-url URL",
        )


def _scripted(invocation: Invocation, name: str) -> Model:
    from steadyhand.agents.script import ScriptedModel, read_script

    text = decode(bytes_from(invocation, "--model", name.removeprefix(_SCRIPT)), "--model")
    return ScriptedModel(read_script(parse_json(text, "the script")), "script")


def limits_of(options: Mapping[str, Any]) -> Limits:
    """How long a conversation may last."""
    from steadyhand.agents.runner import Limits

    return Limits(
        turns=options["max_turns"],
        calls=options["max_calls"],
        tokens=options["max_tokens"],
        seconds=options["max_seconds"],
        retries=options["retries"],
    )
