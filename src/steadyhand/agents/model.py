"""The model that a conversation is held with: what it is sent, what it replies, and how it fails.

`Model` is what an outsider may supply, such as a script in a test. `named_model` gives any model that pydantic-ai knows
by name, or one behind an OpenAI-compatible URL; only that needs the extra `agent`. A reply is read from a stream, so
that one that does not end is cut off instead of filling the memory. A server that cannot stream is asked for whole
replies.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from steadyhand.errors import EditError, Kind
from steadyhand.hints import InstallExtra
from steadyhand.lazy import dataclass

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse
    from pydantic_ai.models import Model as ProviderModel

__all__ = [
    "Answered",
    "Message",
    "Model",
    "ModelError",
    "Offered",
    "Reply",
    "Said",
    "Tokens",
    "ToolCall",
    "named_model",
    "opened",
]

_LONGEST_REPLY = 1_000_000  # characters of text, thought and arguments together
_LONGEST_ERROR = 500


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool as the model sees it."""

    name: str
    summary: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Tokens:
    """What was paid for."""

    input: int = 0
    output: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.output + other.output)

    @property
    def total(self) -> int:
        return self.input + self.output

    def to_json(self) -> dict[str, int]:
        return {"input": self.input, "output": self.output}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model wants made. `arguments` are an object, or the text that the model wrote for one.

    `spent` is what the reply took that held it, tokens and milliseconds, for the records.
    """

    id: str
    name: str
    arguments: object
    spent: tuple[tuple[int, int] | None, int | None] | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What we say to the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What a call of the reply before came to."""

    call: ToolCall
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says. `own` is the same as the provider has it, which it may want back word for word.

    `is_cut`: the reply reached the limit of its length before it was complete.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    tokens: Tokens | None = None
    own: object = None
    is_cut: bool = False


Message = Said | Answered | Reply


class ModelError(Exception):
    """The model gave no reply. `is_passing`: the same request may go through later, after `wait` seconds if known."""

    def __init__(self, message: str, *, is_passing: bool = False, wait: float | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.is_passing = is_passing
        self.wait = wait


class Model(Protocol):
    """Whoever replies. One that is an asynchronous context manager as well is entered while it is asked."""

    @property
    def name(self) -> str:
        """What the records call it."""

    async def ask(self, instructions: str, messages: Sequence[Message], tools: Sequence[Offered]) -> Reply:
        """The reply to a conversation. Raises `ModelError`; may be cancelled at any time."""


@asynccontextmanager
async def opened(model: Model) -> AsyncIterator[None]:
    """While a model is asked: one that holds connections opens them here, and closes them at the end."""
    if isinstance(model, AbstractAsyncContextManager):
        async with model:
            yield
    else:
        yield


def named_model(
    name: str, *, base_url: str | None = None, api_key: str | None = None, max_tokens: int | None = None
) -> Model:
    """A model by its name: `anthropic:…`, `openai:…`, `openai-chat:…`, and every other that pydantic-ai has.

    Keys come from the environment, as pydantic-ai reads them. With `base_url` the name is one that the server there
    knows, behind `openai-chat:` or alone, and `api_key` is all that it is sent: no key of another service.
    Refuses with `not-installed` without the extra `agent` or the client of the provider, and with `bad-request` a name
    that there is not or a key that is not set.
    """
    try:
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model
    except ImportError as error:
        raise _not_installed(f"pydantic-ai-slim cannot be imported: {error}") from error
    try:
        own = infer_model(name) if base_url is None else _compatible(name, base_url, api_key)
    except ImportError as error:
        raise _not_installed(str(error)) from error
    except (UserError, ValueError) as error:
        message = str(error).split(" To try Pydantic AI")[0]
        raise EditError(
            Kind.BAD_REQUEST,
            f"model: {message[:_LONGEST_ERROR]}",
            hint="such as anthropic:claude-sonnet-4-5, openai:gpt-5, or openai-chat:NAME with a base URL",
            details={"field": "model"},
        ) from error
    return _Provided(name, own, max_tokens)


def _not_installed(why: str) -> EditError:
    return EditError(
        Kind.NOT_INSTALLED,
        f"the model cannot be used: {why[:_LONGEST_ERROR]}",
        hint=InstallExtra("agent"),
        details={"extra": "agent"},
    )


def _compatible(name: str, base_url: str, api_key: str | None) -> ProviderModel:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    provider, colon, rest = name.partition(":")
    if colon and provider not in ("openai", "openai-chat"):
        raise ValueError(f"{provider}: has its own URL; with a base URL, name the model openai-chat:NAME")
    server = OpenAICompatibleProvider("openai-compatible", base_url=base_url, api_key=api_key)
    return OpenAIChatModel(rest or name, provider=server)


class _Provided(AbstractAsyncContextManager["_Provided"]):
    """A model of pydantic-ai."""

    def __init__(self, name: str, own: ProviderModel, max_tokens: int | None) -> None:
        self.name = name
        self._own = own
        # Whoever drives the conversation tries again, and counts it; the provider's client does not do so besides.
        self._settings: dict[str, Any] = {"max_retries": 0, **({"max_tokens": max_tokens} if max_tokens else {})}
        self._is_streaming = True

    async def __aenter__(self) -> Self:
        await self._own.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._own.__aexit__(kind, error, trace)

    async def ask(self, instructions: str, messages: Sequence[Message], tools: Sequence[Offered]) -> Reply:
        from pydantic_ai.exceptions import AgentRunError, UserError
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.tools import ToolDefinition

        offered = [
            ToolDefinition(name=tool.name, description=tool.summary, parameters_json_schema=dict(tool.schema))
            for tool in tools
        ]
        request: dict[str, Any] = {
            "model": self._own,
            "messages": _history(instructions, messages),
            "model_settings": self._settings,
            "model_request_parameters": ModelRequestParameters(function_tools=offered),
        }
        try:
            streamed = await self._stream(request) if self._is_streaming else None
            return await self._whole(request) if streamed is None else streamed
        except (AgentRunError, UserError) as error:
            raise _error(error) from error
        except (UnicodeError, RecursionError, ValueError) as error:  # what a broken server sends
            raise ModelError(f"the reply cannot be read: {type(error).__name__}", is_passing=True) from error

    async def _stream(self, request: dict[str, Any]) -> Reply | None:
        """A reply as it arrives; None where the stream holds nothing, as when the server answers with one object."""
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.exceptions import UnexpectedModelBehavior

        is_empty = True
        try:
            async with model_request_stream(**request) as stream:
                room = _LONGEST_REPLY
                async for event in stream:
                    is_empty = False
                    room -= _size(event)
                    _check_size(room)
                return _reply(stream.get())
        except UnexpectedModelBehavior:
            if is_empty:
                return None
            raise

    async def _whole(self, request: dict[str, Any]) -> Reply:
        """A reply in one piece; where that works, the server is not asked for a stream again."""
        from pydantic_ai.direct import model_request

        reply = _reply(await model_request(**request))
        _check_size(_LONGEST_REPLY - len(reply.text) - sum(len(str(call.arguments)) for call in reply.calls))
        self._is_streaming = False
        return reply


def _check_size(room: int) -> None:
    if room < 0:
        raise ModelError(f"the reply is longer than {_LONGEST_REPLY:,} characters")


def _history(instructions: str, messages: Sequence[Message]) -> list[ModelMessage]:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    history: list[ModelMessage] = []
    parts: list[ModelRequestPart] = []

    def flush() -> None:
        if parts:
            history.append(ModelRequest(parts=list(parts), instructions=instructions))
            parts.clear()

    for message in messages:
        match message:
            case Said():
                parts.append(UserPromptPart(content=message.text))
            case Answered():
                call = message.call
                parts.append(ToolReturnPart(tool_name=call.name, content=message.text, tool_call_id=call.id))
            case Reply():
                flush()
                if isinstance(message.own, ModelResponse):
                    history.append(message.own)
                else:
                    calls = [ToolCallPart(c.name, _object(c.arguments), c.id) for c in message.calls]
                    history.append(ModelResponse(parts=[TextPart(message.text), *calls]))
    flush()
    return history


def _object(arguments: object) -> Any:
    return dict(arguments) if isinstance(arguments, Mapping) else str(arguments)


def _size(event: Any) -> int:
    """How many characters of the reply an event of the stream brings."""
    if type(event).__name__ == "PartStartEvent":
        part = event.part
        return len(str(getattr(part, "content", None) or getattr(part, "args", None) or ""))
    delta = getattr(event, "delta", None)
    return len(str(getattr(delta, "content_delta", None) or getattr(delta, "args_delta", None) or ""))


def _reply(own: ModelResponse) -> Reply:
    from pydantic_ai.messages import TextPart, ToolCallPart

    text = "".join(part.content for part in own.parts if isinstance(part, TextPart))
    calls = [
        ToolCall(part.tool_call_id, part.tool_name, {} if part.args is None else part.args)
        for part in own.parts
        if isinstance(part, ToolCallPart)
    ]
    usage = own.usage
    counted = Tokens(usage.input_tokens, usage.output_tokens)
    return Reply(text, tuple(calls), counted if counted.total else None, own, own.finish_reason == "length")


def _error(error: Exception) -> ModelError:
    from pydantic_ai.exceptions import (
        ModelConnectionError,
        ModelHTTPError,
        ModelRateLimitError,
        ModelRequestTimeout,
        ModelServerError,
        ModelUnavailableError,
        UnexpectedModelBehavior,
    )

    passing = (
        ModelConnectionError,
        ModelRateLimitError,
        ModelRequestTimeout,
        ModelServerError,
        ModelUnavailableError,
        UnexpectedModelBehavior,
    )
    is_passing = isinstance(error, passing) or (
        isinstance(error, ModelHTTPError) and (error.status_code in (408, 409, 425, 429) or error.status_code >= 500)
    )
    wait = getattr(error, "retry_after", None)
    return ModelError(str(error)[:_LONGEST_ERROR], is_passing=is_passing, wait=wait)
