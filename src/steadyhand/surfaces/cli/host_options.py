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
from steadyhand.surfaces.cli.options import Name, chain, flag, guard_option, option, policy_of, tolerance_options

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
    option("--article FILE", "The only file that may be changed."),
    flag("--allow-new", "With --article, also allow new pages next to it."),
    option("--prefix DIR", "A directory that calls may name instead of the root."),
    option(
        "--extensions ENDINGS",
        "Extensions of files that may be named, such as .md,.txt; may be repeated.",
        multiple=True,
    ),
    option("--model NAME", "The model that makes the calls, for the records."),
    flag("--overwrite", "Allow overwriting files that were never read."),
    flag("--allow-shrink", "Allow overwriting that drops most of a file."),
    flag("--require-read", "Let vendor tools edit only what was read."),
    option("--tool-version version VERSION", "The version of a vendor's tool, such as 20250124."),
    option("--max-characters N", "Limit on the characters that a vendor's view shows.", least=1),
    option("--backup", "bak: also keep a copy next to a changed file.", choices=["journal", "bak"]),
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


# Which model is asked.
named_model_options = chain(
    option(
        "--model NAME",
        "anthropic:… or another of pydantic-ai; openai-chat:NAME with --base-url; script:FILE plays replies.",
        variable="STEADYHAND_MODEL",
    ),
    option(
        "--base-url URL",
        "An OpenAI-compatible server, such as http://127.0.0.1:8080/v1; its key is STEADYHAND_API_KEY.",
        variable="STEADYHAND_BASE_URL",
    ),
)


# How long a reply may be.
reply_tokens_option = option("--reply-tokens N", "Token limit of one reply (default: the model's).", least=1)


# The options of `model_of` and `limits_of`; the command takes them as keywords, all together.
model_options = chain(
    named_model_options,
    option("--max-turns N", "Stop after N replies.", least=1, usual=24),
    option("--max-calls N", "Stop after N tool calls.", least=1, usual=80),
    option("--max-tokens N", "Stop after N tokens, in and out.", least=1, usual=400_000),
    option(
        "--max-seconds N",
        "Stop a conversation after this time.",
        type=click.FloatRange(min=0, min_open=True),
        usual=600.0,
    ),
    option("--retries N", "Retries after a rate limit or a lost connection.", least=0, usual=5),
    reply_tokens_option,
)


def model_of(invocation: Invocation, options: Mapping[str, Any]) -> Model:
    """The model that the options name; `bad-request` where they name none."""
    from steadyhand.agents.model import named_model

    if str(options["model"] or "").startswith(_SCRIPT):
        from steadyhand.agents.script import ScriptedModel, read_script

        text = decode(bytes_from(invocation, "--model", str(options["model"]).removeprefix(_SCRIPT)), "--model")
        return ScriptedModel(read_script(parse_json(text, "the script")), "script")
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
