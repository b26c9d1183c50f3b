"""A PostgreSQL connection that never waits longer than it may, whatever the server does.

The server's own timeouts do not help where the server does not run: a frozen backend answers nothing, and its kernel
keeps the connection alive. So every wait ends on this side, and then the socket is shut: whatever the backend still
sends is nobody's answer.

Nothing here knows SQL, journals or refusals.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

RV = TypeVar("RV")

# What psycopg ignores while it raises something else, it logs; where nobody listens that would go to stderr.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_LOOK = 0.05  # how often, in seconds, a wait looks at the clock


class Overdue(psycopg.OperationalError):
    """The server did not answer in time; the connection cannot be used any more."""


class PunctualConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection whose every exchange with the server ends within `patience` seconds."""

    patience: float = 10.0
    is_overdue: bool = False

    def wait(self, gen: PQGen[RV], interval: float = _LOOK, timeout: float | None = None) -> RV:
        """As psycopg's own, which resumes `gen` at least every `interval` seconds; there the clock is looked at."""
        if self.is_overdue:  # an answer that comes now would be that to an earlier question
            raise Overdue("the server did not answer in time")
        seconds = self.patience if timeout is None else min(timeout, self.patience)
        try:
            return super().wait(_until(gen, time.monotonic() + seconds), min(interval, _LOOK))
        except Overdue:
            self.is_overdue = True
            raise


def _until(gen: PQGen[RV], deadline: float) -> PQGen[RV]:
    try:
        waiting_for = next(gen)
        while True:
            ready = yield waiting_for
            waiting_for = gen.send(ready)
            if not ready and time.monotonic() >= deadline:
                raise Overdue("the server did not answer in time")
    except StopIteration as ended:
        result: RV = ended.value
        return result


class _Attempt:
    """One try to connect, in a thread of its own: looking up a name cannot be interrupted, only left behind."""

    def __init__(self, parameters: Mapping[str, str | int]) -> None:
        self._parameters = parameters
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._left = False
        self._connection: PunctualConnection | None = None
        self._error: BaseException | None = None

    def within(self, seconds: float) -> PunctualConnection:
        threading.Thread(target=self._run, name="steadyhand-connect", daemon=True).start()
        self._over.wait(seconds)
        with self._lock:
            if self._error is not None:
                raise self._error
            if self._connection is None:
                self._left = True
                raise Overdue("the server did not accept a connection in time")
            return self._connection

    def _run(self) -> None:
        connection = None
        try:
            connection = PunctualConnection.connect(autocommit=True, **self._parameters)  # type: ignore[arg-type]
        except BaseException as error:  # noqa: BLE001 - whatever it was, it is raised where somebody waits
            self._error = error
        with self._lock:
            if connection is not None and self._left:
                connection.close()
            else:
                self._connection = connection
        self._over.set()


def connect(parameters: Mapping[str, str | int], patience: float) -> PunctualConnection:
    """A connection in autocommit mode; raises psycopg's errors, `Overdue` after `patience` seconds."""
    connection = _Attempt(parameters).within(patience)
    connection.patience = patience
    return connection


def cut(connection: PunctualConnection) -> None:
    """Close at once. Saying goodbye first could block on a server that no longer reads."""
    with suppress(psycopg.Error, OSError):
        with socket.socket(fileno=connection.fileno()) as shut:
            try:
                shut.shutdown(socket.SHUT_RDWR)
            finally:
                shut.detach()  # the descriptor is libpq's to close
    with suppress(psycopg.Error):
        connection.close()
