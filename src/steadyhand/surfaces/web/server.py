"""From the options of the command to a page that is served until a signal comes: socket, link, browser, end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.loopback import BACKLOG, LOOPBACK, Connections, hosts_of, most_connections, server_of
from steadyhand.surfaces.web.app import Pages
from steadyhand.surfaces.web.gate import OPEN, Gate, Keys
from steadyhand.workspace.machine import listening

if TYPE_CHECKING:
    from uvicorn import Server

    from steadyhand.surfaces.web.desk import Desk

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_MOST = 128  # connections


def serve(desk: Desk, *, host: str = LOOPBACK[0], port: int = 0, opens: bool = False) -> None:
    """Serve until a signal comes; the link is the first line of the standard output.

    Refuses a host that other machines reach with `not-allowed`, and with `disk-refused` a port that cannot be had.
    """
    if host not in LOOPBACK:
        raise EditError(
            Kind.NOT_ALLOWED,
            f"{host[:80]} is reached from other machines; the page is for this one",
            hint="leave the host out; from another machine, forward the port with ssh -L, under the same number",
        )
    try:
        listens = listening(host, port, BACKLOG)
    except OSError:
        raise EditError(
            Kind.DISK_REFUSED,
            f"the port {port} cannot be listened on",
            hint="another process may have it: choose another, or leave --port out",
        ) from None
    most = min(most_connections(), _MOST)
    with contextlib.ExitStack() as opened:
        for one in listens:
            opened.enter_context(one)
        port = listens[0].getsockname()[1]
        keys = Keys(port)
        link = f"http://{f'[{host}]' if ':' in host else host}:{port}{OPEN}{keys.token}"
        asyncio.run(_serve(desk, keys, most, listens, hosts_of((), port), partial(_announce, link, opens=opens)))


async def _serve(
    desk: Desk, keys: Keys, most: int, listens: list[Any], hosts: list[str], announce: Callable[[], None]
) -> None:
    pages = Pages(desk, keys)
    connections = Connections(pages.application(), most)
    server: Server = server_of(Gate(connections, keys, hosts), connections, most, lifespan="off")
    loop = asyncio.get_running_loop()

    def leave() -> None:
        pages.end()
        server.should_exit = True

    for number in _SIGNALS:
        loop.add_signal_handler(number, leave)
    announce()
    try:
        await server.serve(listens)
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


def _announce(link: str, *, opens: bool) -> None:
    """Print the link, when a signal would already end the server in good order."""
    click.echo(link)
    sys.stdout.flush()
    if opens:
        _open(link)


def _open(link: str) -> None:
    """Open the browser of the person who types; a browser for terminals would take the terminal away."""
    has_screen = sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if has_screen and sys.stdout.isatty():
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
