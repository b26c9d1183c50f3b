"""Options of commands that hold conversations with a model: which one, and how long."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.inputs import bytes_from, decode
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.json_text import parse_json
from steadyhand.surfaces.cli.options import chain

if TYPE_CHECKING:
    from steadyhand.agents.model import Model
    from steadyhand.agents.runner import Limits

__all__ = ["limits_of", "model_of", "model_options"]

_SCRIPT = "script:"
_Function = TypeVar("_Function", bound=Callable[..., Any])


def model_options(function: _Function) -> _Function:
    """The options of `model_of` and `limits_of`; the command takes them as keywords, all together."""
    return chain(
        function,
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
        click.option("--max-turns", type=click.IntRange(min=1), default=24, show_default=True, help="Replies at most."),
        click.option(
            "--max-calls", type=click.IntRange(min=1), default=80, show_default=True, help="Tool calls at most."
        ),
        click.option(
            "--max-tokens",
            type=click.IntRange(min=1),
            default=400_000,
            show_default=True,
            help="Tokens of a conversation at most, in and out.",
        ),
        click.option(
            "--max-seconds",
            type=click.FloatRange(min=0, min_open=True),
            default=600.0,
            show_default=True,
            help="How long a conversation may take.",
        ),
        click.option(
            "--retries",
            type=click.IntRange(min=0),
            default=5,
            show_default=True,
            help="How often a request is sent again after a rate limit or a lost connection.",
        ),
        click.option(
            "--reply-tokens",
            metavar="N",
            type=click.IntRange(min=1),
            help="Tokens of one reply at most; else the model's.",
        ),
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
        raise EditError(
            Kind.BAD_REQUEST,
            "no model is named",
            hint="--model anthropic:claude-sonnet-4-5; for a server of yours --model openai-chat:NAME --base-url URL",
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
