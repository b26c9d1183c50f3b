"""A server listens on every address that its host's name has, on one port."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from steadyhand.workspace.machine import listening


def resolved_to(monkeypatch: pytest.MonkeyPatch, *addresses: tuple[int, str]) -> None:
    """Let names mean these addresses."""

    def getaddrinfo(host: str, port: int, **_: Any) -> list[Any]:
        return [(family, socket.SOCK_STREAM, 6, "", (name, port)) for family, name in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_all_addresses_of_a_name_have_the_same_port(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved_to(monkeypatch, (socket.AF_INET, "127.0.0.2"), (socket.AF_INET, "127.0.0.1"))
    listens = listening("localhost", 0, 5)
    try:
        names = [one.getsockname() for one in listens]
        assert [name for name, _ in names] == ["127.0.0.1", "127.0.0.2"]
        assert len({port for _, port in names}) == 1
    finally:
        for one in listens:
            one.close()


def test_an_address_that_the_machine_does_not_have_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    resolved_to(monkeypatch, (socket.AF_INET6, "2001:db8::1"), (socket.AF_INET, "127.0.0.1"))
    (only,) = listening("localhost", 0, 5)
    with only:
        assert only.getsockname()[0] == "127.0.0.1"


def test_a_port_that_is_taken_leaves_nothing_open(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.2", 0)) as taken:
        port = taken.getsockname()[1]
        resolved_to(monkeypatch, (socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "127.0.0.2"))
        with pytest.raises(OSError, match="in use"):
            listening("localhost", port, 5)
        socket.create_server(("127.0.0.1", port)).close()
