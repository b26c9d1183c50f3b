"""One call of a kit on behalf of a framework: made, told to the model, and kept in full for the application.

A call blocks, so that in an event loop it is made in a worker thread. When the task that waits is cancelled the call is
told to stop, and the task ends when the call has: nobody is left writing, and the file is as it was or as it was to be.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.tools.kit import Kit
from steadyhand.tools.result import failed, without_repeats
from steadyhand.tools.tool import Result

__all__ = ["Made", "Watch", "field_of", "make_call", "make_call_async", "parsed"]

# What the first lines of a refusal's text say already; a hint may speak of what is in the details, so they are shown.
_SAID = ("success", "status", "error", "kind", "message", "hint")


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made. `records` are the changes it made, by the ids that undo takes; `diff` is what they did."""

    tool: str
    result: Result
    records: tuple[str, ...] = ()
    diff: str = ""

    @property
    def failed(self) -> bool:
        return failed(self.result)

    @property
    def kind(self) -> Kind | None:
        """Why it was refused; None where it was not."""
        named = [self.result.get(field) for field in ("kind", "reason")]
        return next((kind for kind in Kind if kind in named), None) if self.failed else None

    @property
    def text(self) -> str:
        """What the model is told: a native tool's own words, a refusal in plain lines, everything else as JSON."""
        content = self.result.get("content")
        if "is_error" in self.result and isinstance(content, str):
            return content
        if not self.failed:
            return _json(without_repeats(self.result))
        error, details = self.result.get("error"), self.result.get("details")
        said = f"{self.result.get('kind')}: {error}"
        more = {
            name: value if name == "details" else _without(value, (error, details))
            for name, value in self.result.items()
            if name not in _SAID and value
        }
        return f"{said}\n{_json(without_repeats(more))}" if more else said

    def facts(self) -> Result:
        """Everything that is known of the call, as JSON has it; no model needs to see it."""
        return {"tool": self.tool, "result": self.result, "records": list(self.records), "diff": self.diff}


Watch = Callable[[Made], None]


def make_call(
    kit: Kit, tool: str, arguments: object, watch: Watch | None = None, tick: Callable[[], None] | None = None
) -> Made:
    """Make a call. Arguments may be the JSON text that a model wrote: what is no JSON is the kit's to refuse."""
    records: list[str] = []
    result = kit.call(tool, parsed(arguments), tick=tick, records=records)
    made = Made(tool, result, tuple(records), "".join(_diffs(kit, records)))
    if watch is not None:
        watch(made)
    return made


async def make_call_async(kit: Kit, tool: str, arguments: object, watch: Watch | None = None) -> Made:
    """The same in a worker thread; `watch` is called there."""
    given_up = threading.Event()
    work = asyncio.get_running_loop().run_in_executor(
        None, partial(make_call, kit, tool, arguments, watch, partial(_stop_if, given_up))
    )
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        given_up.set()
        while not work.done():
            with contextlib.suppress(asyncio.CancelledError), _unhurried():
                await asyncio.wait([work])
        if not work.cancelled():
            work.exception()
        raise


def field_of(value: object, name: str) -> object:
    """A field of a client's object, or of the dict that it is in JSON; None where it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _diffs(kit: Kit, records: list[str]) -> Iterator[str]:
    """What was changed; a change is reported as made even where it can no longer be shown."""
    for record in records:
        with contextlib.suppress(EditError):
            yield kit.workspace.diff_of(record)


def _unhurried() -> contextlib.AbstractContextManager[object]:
    """Where the loop's tasks are anyio's, a cancelled one is cancelled again in every turn of the loop but in here."""
    anyio = sys.modules.get("anyio")
    return contextlib.nullcontext() if anyio is None else anyio.CancelScope(shield=True)


def _stop_if(given_up: threading.Event) -> None:
    if given_up.is_set():
        raise EditError(Kind.CANCELLED, "whoever made the call no longer waits for it", hint="call again")


def parsed(arguments: object) -> object:
    """Arguments as an object, where they are the JSON text of one."""
    if not isinstance(arguments, str):
        return arguments
    try:
        parsed: object = json.loads(arguments, strict=False) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return arguments
    return parsed if isinstance(parsed, dict) else arguments


def _without(value: object, said: tuple[object, ...]) -> object:
    """A part of a refusal without what stands in it once more."""
    match value:
        case Mapping():
            return {name: _without(each, said) for name, each in value.items() if each not in said}
        case list() | tuple():
            return [_without(each, said) for each in value]
        case _:
            return value


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
