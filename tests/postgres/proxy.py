"""A go-between that loses a connection at the worst moment: while the server is asked to commit."""

from __future__ import annotations

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Literal

Mishap = Literal["unsent", "unanswered", "stuck", "silent"]
"""What happens to a COMMIT: it never arrives and the connection ends; it arrives, and the connection ends before the
answer; it never arrives and nobody learns of it; it arrives, and the answer never comes."""

_COMMIT = b"COMMIT\0"
_KEY = b"K\0\0\0\x0c"
_ENCRYPTION = (80877103, 80877104)  # the codes of a client that asks for TLS or GSS before it introduces itself


class Proxy:
    """Forwards between a socket of its own and the server's; `mishap` befalls the next COMMIT, once."""

    def __init__(self, server: Path, home: Path) -> None:
        self.home = home
        self.mishap: Mishap | None = None
        self.pools = False
        self.round_trips = 0  # how often the server has said that it waits for the next question
        self._server = server
        self._stack = ExitStack()
        self._listener = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        self._listener.bind(str(home / ".s.PGSQL.5432"))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._stack.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                self._stack.callback(client.close)
                self._stack.callback(server.close)
                server.connect(str(self._server / ".s.PGSQL.5432"))
                pair = _Pair(self, client, server)
                for part in (pair.ask, pair.answer):
                    threading.Thread(target=part, daemon=True).start()


class _Pair:
    """One connection, and what has befallen it."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._befallen: Mishap | None = None
        self._unread = b""
        self._unsent = b""
        self._has_begun = False

    def ask(self) -> None:
        """Forward message by message: how the bytes arrive says nothing about which of them are the COMMIT.

        What the client sent before its COMMIT arrives in any case, so the server's transaction is open then.
        """
        with suppress(OSError):
            while self._befallen != "unsent" and (data := self._client.recv(1 << 16)):
                for message in self._messages(data):
                    if self._proxy.mishap is not None and message[:1] in b"PQ" and _COMMIT in message:
                        self._befallen, self._proxy.mishap = self._proxy.mishap, None
                    if self._befallen not in ("unsent", "stuck"):
                        self._server.sendall(message)
        if self._befallen in (None, "unsent"):
            _end(self._client, self._server)

    def _messages(self, data: bytes) -> Iterator[bytes]:
        """Those that have arrived whole; the rest waits for what comes next."""
        self._unsent += data
        while message := self._first_message(self._unsent):
            self._unsent = self._unsent[len(message) :]
            yield message

    def _first_message(self, data: bytes) -> bytes:
        """Empty where it has not arrived whole. A client introduces itself without a letter before the length."""
        start = 1 if self._has_begun else 0
        length = start + int.from_bytes(data[start : start + 4], "big")
        if len(data) < max(length, start + 4):
            return b""
        if not self._has_begun and int.from_bytes(data[4:8], "big") not in _ENCRYPTION:
            self._has_begun = True
        return data[:length]

    def answer(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(1 << 16):
                self._count(data)
                if self._befallen == "unanswered":
                    break
                if self._befallen is None:
                    self._client.sendall(self._renamed(data) if self._proxy.pools else data)
        _end(self._client, self._server)

    def _count(self, data: bytes) -> None:
        """A message is a letter and its length; `Z` ends every answer, however many statements were sent at once."""
        left = self._unread + data
        while len(left) >= 5 and len(left) > (length := int.from_bytes(left[1:5], "big")):
            self._proxy.round_trips += left[:1] == b"Z"
            left = left[length + 1 :]
        self._unread = left

    @staticmethod
    def _renamed(data: bytes) -> bytes:
        """A pooler gives every client a process number that no process of the server has."""
        before, key, after = data.partition(_KEY)
        return before + key + bytes(4) + after[4:] if key else data


def _end(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxy_to(server: Path) -> Iterator[Proxy]:
    """A proxy for the length of the block."""
    home = Path(tempfile.mkdtemp(prefix="sh-px-", dir="/tmp"))
    proxy = Proxy(server, home)
    try:
        yield proxy
    finally:
        proxy.close()
        rmtree(home, ignore_errors=True)
