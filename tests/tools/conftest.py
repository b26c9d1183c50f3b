"""What every test of tools shares: workspaces that were opened are closed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import table
from tests.tools.ground import OPENED


def _close() -> None:
    while OPENED:
        OPENED.pop().close()


table.AFTER_EACH_ROW.append(_close)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    _close()
