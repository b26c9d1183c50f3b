"""What every test of tools shares: workspaces that were opened are closed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tools.ground import OPENED


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()
