"""One call of a kit on behalf of a framework: made, answered to the model, and kept in full for the application.

A call blocks, so that in an event loop it is made in a worker thread. When the task that waits is cancelled the call is
asked to stop, and the task ends when the call does: nothing is left writing, and the file is either as before or done.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.tools.kit import Kit, Spent
from steadyhand.tools.result import failed
from steadyhand.tools.text import render_text
from steadyhand.tools.tool import Result

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Made:
    """A call that was made. `text` is what the model reads of it; `records` are the changes it made, by the ids that
    undo takes; `diff` is what they did.
    """

    tool: str
    result: Result
    text: str
    records: tuple[str, ...] = ()
    diff: str = ""

    @classmethod
    def of(cls, tool: str, result: Result, receipts: Sequence[Receipt] = ()) -> Made:
        """A call by its answer and the receipts of its changes."""
        records = tuple(str(receipt.id) for receipt in receipts)
        return cls(tool, result, render_text(result, receipts), records, "".join(each.diff() for each in receipts))

    @property
    def failed(self) -> bool:
        return failed(self.result)

    @property
    def kind(self) -> Kind | None:
        """Why it was refused; None where it was not."""
        named = [self.result.get(field) for field in ("kind", "reason")]
        return next((kind for kind in Kind if kind in named), None) if self.failed else None

    def facts(self) -> Result:
        """Everything that is known of the call, as JSON has it; no model needs to see it."""
        return {"tool": self.tool, "result": self.result, "records": list(self.records), "diff": self.diff}


Watch = Callable[[Made], None]


def make_call(
    kit: Kit,
    tool: str,
    arguments: object,
    watch: Watch | None = None,
    tick: Callable[[], None] | None = None,
    spent: Spent | None = None,
) -> Made:
    """Make a call. Arguments may be the JSON text that a model wrote: what is no JSON is the kit's to refuse."""
    receipts: list[Receipt] = []
    made = Made.of(tool, kit.call(tool, parsed(arguments), tick=tick, receipts=receipts, spent=spent), receipts)
    if watch is not None:
        watch(made)
    return made


async def make_call_async(
    kit: Kit, tool: str, arguments: object, watch: Watch | None = None, spent: Spent | None = None
) -> Made:
    """The same in a worker thread; `watch` is called there."""
    given_up = threading.Event()
    work = asyncio.get_running_loop().run_in_executor(
        None, partial(make_call, kit, tool, arguments, watch, partial(_stop_if, given_up), spent)
    )
    return await wait_to_end(work, given_up.set)


async def wait_to_end(work: asyncio.Future[T], stop: Callable[[], object]) -> T:
    """What a thread gives. When the task that waits is cancelled, `stop` is called, and the task ends as it does."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop()
        while not work.done():  # however often the task is cancelled meanwhile
            with contextlib.suppress(asyncio.CancelledError), _unhurried():
                await asyncio.wait([work])
        if not work.cancelled():
            work.exception()  # how it ended is nobody's answer any more
        raise


def field_of(value: object, name: str) -> object:
    """A field of a client's object, or of the dict that it is in JSON; None where it has none."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _unhurried() -> contextlib.AbstractContextManager[object]:
    """Where the loop's tasks are anyio's, a cancelled one is cancelled again in every turn of the loop but in here."""
    anyio = sys.modules.get("anyio")
    return contextlib.nullcontext() if anyio is None else anyio.CancelScope(shield=True)


def _stop_if(given_up: threading.Event) -> None:
    if given_up.is_set():
        raise EditError(Kind.CANCELLED, "the caller no longer waits for it", hint="call again")


def parsed(arguments: object) -> object:
    """Arguments as an object, where they are the JSON text of one."""
    if not isinstance(arguments, str):
        return arguments
    try:
        parsed: object = json.loads(arguments, strict=False) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return arguments
    return parsed if isinstance(parsed, dict) else arguments


# What is said where a framework is asked for that is not installed.


@contextmanager
def needs(package: str) -> Iterator[None]:
    """Around the imports from a package: where one fails, refuse with `not-installed` and how to install it."""
    try:
        yield
    except ImportError as error:
        raise EditError(
            Kind.NOT_INSTALLED,
            f"the adapter needs the package {package}, which cannot be imported: {error}",
            hint=f"install it with: pip install {package}",
            details={"package": package},
        ) from error
