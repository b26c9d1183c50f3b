"""Every store of the journal, behind one opener; a new store is one more name and its location."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from steadyhand.workspace.journal.store import Journal, open_journal

Opener = Callable[..., Journal]
STORES = ("sqlite", "postgres")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def location(store: str, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a journal of this store can be opened that nobody has used."""
    return request.getfixturevalue("postgres_url") if store == "postgres" else str(tmp_path / ".steadyhand")


@pytest.fixture
def opener(location: str) -> Iterator[Opener]:
    """Opens the same journal as often as asked, and closes all in the end."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(open_journal(location, **options))


@pytest.fixture
def journal(opener: Opener) -> Journal:
    return opener()
