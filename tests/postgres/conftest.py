"""A journal on the server, and which of the server's processes serves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from steadyhand.workspace.journal.postgres.journal import PostgresJournal
from steadyhand.workspace.journal.store import open_postgres
from tests.postgres.proxy import Proxy, proxy_to
from tests.postgres.server import Server

Opener = Callable[..., PostgresJournal]


@pytest.fixture
def opener(postgres_url: str) -> Iterator[Opener]:
    """Opens the same journal as often as asked, and closes all in the end."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(open_postgres(options.pop("url", postgres_url), **options))


@pytest.fixture
def journal(opener: Opener) -> PostgresJournal:
    return opener()


@pytest.fixture
def proxy(postgres_server: Server) -> Iterator[Proxy]:
    with proxy_to(postgres_server.home) as made:
        yield made


@pytest.fixture
def through(proxy: Proxy, postgres_server: Server, postgres_url: str) -> str:
    """The same journal by way of the proxy."""
    return postgres_url.replace(str(postgres_server.home), str(proxy.home))
