"""Ctrl-C ends a server as a request to end does: what is under way ends whole, what waits is never begun."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.mcp.clients import http_server, over_http
from tests.mcp.test_calls import many_files, said_in_audit, whole_state
from tests.mcp.test_stdio import check_all_or_nothing, leave_in_the_middle
from tests.mcp.wire import Wire


@pytest.mark.sweep
def test_an_interrupt_in_the_middle_of_a_transaction_leaves_all_or_nothing(tmp_path: Path) -> None:
    call = many_files(tmp_path)
    with Wire("--root", str(tmp_path)) as wire:
        answers = leave_in_the_middle(wire, call, lambda: wire.process.send_signal(signal.SIGINT))
        assert wire.ended() == 0
        assert wire.process.stderr is not None
        assert "Traceback" not in wire.process.stderr.read()
    check_all_or_nothing(tmp_path, call, answers)


@pytest.mark.sweep
def test_an_interrupt_ends_a_server_over_http_too(tmp_path: Path) -> None:
    call = many_files(tmp_path)
    with http_server("--root", str(tmp_path)) as server:

        async def stop(done: float, total: float | None, message: str | None) -> None:
            server.process.send_signal(signal.SIGINT)

        async def run() -> Any:
            async with over_http(server) as client:
                with anyio.move_on_after(300):
                    return await client.call_tool("edit", call, progress_callback=stop)

        try:
            anyio.run(run)
        except BaseExceptionGroup:
            pass  # whoever is cut off may learn it in many ways
        assert server.process.wait(timeout=300) == 0
    assert whole_state(tmp_path) == said_in_audit(tmp_path)
