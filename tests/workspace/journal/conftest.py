"""Every store of the journal, behind one opener; a new store is one more row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from steadyhand.workspace.journal.store import Journal, open_journal

Opener = Callable[..., Journal]
STORES = {"sqlite": lambda folder: str(folder / ".steadyhand")}


@pytest.fixture(params=sorted(STORES))
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the same journal as often as asked, and closes all in the end."""
    location = STORES[request.param](tmp_path)
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(open_journal(location, **options))


@pytest.fixture
def journal(opener: Opener) -> Journal:
    return opener()
