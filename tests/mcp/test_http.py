"""The server over HTTP: who is let in and who is not, two clients at once, and an end that comes in time."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvicorn
from mcp import Client
from starlette.testclient import TestClient

from steadyhand.errors import EditError
from steadyhand.surfaces import loopback
from steadyhand.surfaces.loopback import Connections, hosts_of
from steadyhand.surfaces.mcp.http import Address, Guard, _application, serve_http
from steadyhand.surfaces.mcp.server import Service
from tests.mcp.clients import ERAS, MODERN, TOKEN, HttpServer, http_server, over_http, serving
from tests.mcp.test_calls import many_files
from tests.mcp.wire import HELLO
from tests.table import table
from tests.tools.examples import tree

HELLO_BODY = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[HttpServer]:
    with http_server("--root", str(root), "--toolset", "surgical", "--toolset", "core") as running:
        yield running
    assert running.process.returncode == 0


def asked(server: HttpServer, method: str = "POST", path: str = "/mcp", body: str = HELLO_BODY, **changed: str) -> Any:
    """The answer to a request that is right but for what is changed; a header that is empty is left out."""
    headers = {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in changed.items()},
    }
    connection = HTTPConnection("127.0.0.1", server.port, timeout=300)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value:
                connection.putheader(name, value)
        connection.putheader("Content-Length", headers.get("Content-Length") or str(len(body)))
        connection.endheaders(body.encode())
        answer = connection.getresponse()
        assert not [name for name, _ in answer.getheaders() if name.lower().startswith("access-control")]
        return answer.status, answer.read().decode() if answer.status != 200 else ""
    finally:
        connection.close()


def test_requests_are_let_in_only_by_name_origin_token_and_type(server: HttpServer) -> None:
    here = f"127.0.0.1:{server.port}"
    assert asked(server)[0] == 200
    assert asked(server, Origin=f"http://{here}", Sec_Fetch_Site="same-origin")[0] == 200
    refused = {
        421: [{"Host": "evil.example"}, {"Host": f"evil.example:{server.port}"}, {"Host": "127.0.0.1"}],
        403: [
            {"Origin": "https://evil.example"},
            {"Origin": f"http://127.0.0.1:{server.port + 1}"},
            {"Origin": "null"},
            {"Sec_Fetch_Site": "cross-site"},
        ],
        401: [{"Authorization": ""}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}],
        415: [{"Content_Type": "text/plain"}, {"Content_Type": ""}],
    }
    for status, changes in refused.items():
        for changed in changes:
            found, reported = asked(server, **changed)
            assert (found, changed) == (status, changed)
            assert "hint" in json.loads(reported)


def test_a_request_that_names_two_hosts_is_refused(server: HttpServer) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=300)
    connection.putrequest("POST", "/mcp", skip_host=True)
    for host in (f"127.0.0.1:{server.port}", "evil.example"):
        connection.putheader("Host", host)
    connection.endheaders()
    assert connection.getresponse().status == 400
    connection.close()


def test_nothing_is_changed_by_get_and_no_other_method_is_served(server: HttpServer, root: Path) -> None:
    before = tree(root)
    assert asked(server, "GET", body="")[0] == 400  # a stream needs a session
    assert asked(server, "OPTIONS", body="", Origin=f"http://127.0.0.1:{server.port}")[0] == 405
    assert asked(server, "PUT")[0] == 405
    assert asked(server, path="/")[0] == 404
    assert asked(server, path="/mcp?name=edit_file")[0] == 200  # a query means nothing
    assert tree(root) == before


def test_a_body_that_is_too_large_is_refused_before_it_is_read(server: HttpServer) -> None:
    status, reported = asked(server, Content_Length="10000001", body="")
    assert status == 413
    assert "10,000,000" in json.loads(reported)["hint"]


@pytest.mark.parametrize("era", ERAS)
def test_both_eras_edit_over_http(era: str, server: HttpServer, root: Path) -> None:
    (root / f"{era}.md").write_text("one\n")

    async def run() -> Any:
        async with over_http(server, era) as client:
            assert client.instructions is None or "surgical" in client.instructions
            assert "edit_file" in {tool.name for tool in (await client.list_tools()).tools}
            call = {"path": f"{era}.md", "old_content": "one", "new_content": "two"}
            return await client.call_tool("edit_file", call)

    assert anyio.run(run).structured_content["success"] is True
    assert (root / f"{era}.md").read_text() == "two\n"


def test_two_sessions_are_two_parties_who_learn_of_each_other(server: HttpServer, root: Path) -> None:
    (root / "shared.md").write_text("one\ntwo\nthree\n")

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"path": "shared.md", "old_content": old, "new_content": new}

    async def run() -> tuple[Any, Any]:
        async with over_http(server) as first, over_http(server) as second:
            for client in (first, second):
                await client.call_tool("read_file", {"path": "shared.md"})
            done = await first.call_tool("edit_file", edit("two", "2"))
            whole = {"path": "shared.md", "content": "one\nzwei\nthree\n"}
            return done, await second.call_tool("write_file", whole)

    done, refused = anyio.run(run)
    assert done.structured_content["success"] is True
    assert refused.structured_content["kind"] in ("conflict", "stale-source")
    assert (root / "shared.md").read_text() == "one\n2\nthree\n"


@pytest.mark.parametrize("era", ERAS)
def test_a_request_that_is_given_up_in_the_middle_leaves_all_or_nothing(
    era: str, server: HttpServer, root: Path
) -> None:
    folder = root / f"many {era}"
    folder.mkdir()
    call = many_files(folder)
    call = {"files": [one | {"path": f"{folder.name}/{one['path']}"} for one in call["files"]]}

    async def run() -> None:
        async with over_http(server, era) as client:
            with anyio.CancelScope() as scope:

                async def stop(done: float, total: float | None, message: str | None) -> None:
                    scope.cancel()

                await client.call_tool("edit", call, progress_callback=stop)

            async def is_whole() -> bool:
                words = {text.partition(" ")[0] for text in tree(folder).values()}
                said = await client.call_tool("history", {"path": f"{folder.name}/000.md"})
                return words == ({"two"} if said.structured_content["entries"] else {"one"})

            # What was begun ends by itself; until then there may be temporaries, also empty ones.
            with anyio.fail_after(300):
                while not await is_whole():
                    await anyio.sleep(0.01)

    anyio.run(run)


def test_a_port_that_is_taken_is_refused_in_words(server: HttpServer, tmp_path: Path) -> None:
    with pytest.raises(EditError) as refused:
        serve_http(Service(serving(tmp_path)), Address("127.0.0.1", server.port), "token")
    assert refused.value.kind == "disk-refused"
    assert refused.value.hint


def test_many_sessions_edit_one_file_at_once_and_none_can_be_guessed(server: HttpServer, root: Path) -> None:
    (root / "crowd.md").write_text("".join(f"<{number}>\n" for number in range(40)))
    results: dict[int, Any] = {}

    async def run() -> None:
        async with over_http(server) as a, over_http(server) as b, over_http(server, MODERN) as c:
            async with anyio.create_task_group() as tasks:

                async def edit(client: Client, number: int) -> None:
                    call = {"path": "crowd.md", "old_content": f"<{number}>", "new_content": f"<done {number}>"}
                    results[number] = await client.call_tool("edit_file", call)

                for number in range(40):
                    tasks.start_soon(edit, (a, b, c)[number % 3], number)

    anyio.run(run)
    assert all(result.structured_content["success"] for result in results.values())
    assert (root / "crowd.md").read_text().splitlines() == [f"<done {number}>" for number in range(40)]
    for guess in ("0" * 32, "None", "../x"):
        assert asked(server, Mcp_Session_Id=guess)[0] == 404


def test_connections_that_say_nothing_shut_out_nobody_and_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "_PATIENCE", 1.0)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def run() -> bytes:
        limited, state = Connections(app, most=3), uvicorn.server.ServerState()
        made: list[asyncio.Protocol] = []

        def protocol() -> asyncio.Protocol:
            made.append(limited.protocol(config, state, {}))
            return made[-1]

        listening = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        config = uvicorn.Config(Guard(limited, TOKEN, hosts_of((), port)), limit_concurrency=4, log_config=None)
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(12)]
        for _, writer in silent[::2]:
            writer.write(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")  # and no more of it, ever
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        proof = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        writer.write(f"GET /mcp HTTP/1.1\r\n{proof}\r\n".encode())
        answer = await reader.readline()
        assert len(made) == 13
        assert len(state.connections) <= 3
        for one, other in [*silent, (reader, writer)]:
            with anyio.fail_after(300), contextlib.suppress(ConnectionError):
                await one.read()
            other.close()
        assert not state.connections
        listening.close()
        return answer

    assert anyio.run(run) == b"HTTP/1.1 200 OK\r\n"


@table(("text", "host", "port"), [("8765", "127.0.0.1", 8765), ("[::1]:0", "::1", 0)])
def test_an_address_is_of_this_machine(text: str, host: str, port: int) -> None:
    assert (Address.of(text).host, Address.of(text).port) == (host, port)


@table("text", ["", "http", "1:2:x", "70000", "0.0.0.0:80", "example.org:80", "²", "9" * 5_000])
def test_an_address_that_others_reach_or_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        Address.of(text)


def let_in(headers: list[tuple[str, str]], names: tuple[str, ...] = (), port: int = 8000) -> int:
    """The status that the guard answers with; 200 where it lets a request in."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        raise AssertionError("the body is not for the guard")

    anyio.run(Guard(app, "söcret", hosts_of(names, port)), http_scope(headers), receive, send)
    return int(sent[0]["status"])


def http_scope(headers: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }


PROOF = [("authorization", "Bearer " + "söcret".encode().decode("latin-1")), ("content-type", "application/json")]


@table(
    ("headers", "names", "status"),
    [
        ([("host", "localhost:8000")], (), 200),
        ([("host", "[::1]:8000")], (), 200),
        ([("host", "box:8000")], (), 421),
        ([("host", "box:8000")], ("Box",), 200),
        ([("host", "box")], ("box:443",), 421),
        ([("host", "box:443")], ("box:443",), 200),
        ([("host", "localhost:8000.evil.example")], (), 421),
        ([], (), 421),
        ([("host", "localhost:8000"), ("origin", "http://localhost:8000"), ("origin", "http://evil")], (), 403),
        ([("host", "box:8000"), ("origin", "http://box:8000")], ("box",), 200),
        ([("host", "localhost:8000"), ("origin", "https://localhost:8000")], (), 403),
        ([("host", "localhost:8000"), ("sec-fetch-site", "same-site")], (), 403),
        ([("host", "localhost:8000"), ("authorization", "Bearer x")], (), 401),
        ([("host", "localhost:8000"), ("content-type", "text/plain")], (), 415),
        ([("host", "localhost:8000"), ("authorization", PROOF[0][1])], (), 401),
        ([("host", "localhost.:8000")], (), 421),
        ([("host", "a@localhost:8000")], (), 421),
        ([("host", "[::1]")], (), 421),
        ([("host", "127.1:8000")], (), 421),
        ([("host", "evil.example"), ("x-forwarded-host", "localhost:8000")], (), 421),
        ([("host", "localhost:8000"), ("origin", "")], (), 403),
        ([("host", "localhost:8000"), ("origin", "http://localhost:8000/")], (), 403),
    ],
)
def test_the_guard_knows_its_own_names(headers: list[tuple[str, str]], names: tuple[str, ...], status: int) -> None:
    assert let_in([*headers, *PROOF], names) == status


def test_at_port_80_a_name_needs_no_port() -> None:
    assert let_in([("host", "localhost"), *PROOF], port=80) == 200
    assert let_in([("host", "localhost"), *PROOF], port=81) == 421


def test_what_is_posted_at_once_is_bounded_together() -> None:
    waiting: list[int] = []

    async def run() -> list[int]:
        statuses: list[int] = []
        release = anyio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            waiting.append(1)
            await release.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def send(message: Any) -> None:
            statuses.extend([message["status"]] if "status" in message else [])

        guard = Guard(app, "söcret", hosts_of((), 8000))
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                scope = http_scope([("host", "localhost:8000"), ("content-length", "9000000"), *PROOF])
                tasks.start_soon(guard, scope, None, send)
            while len(waiting) + len(statuses) < 20:
                await anyio.sleep(0)
            release.set()
        return statuses

    assert anyio.run(run) == [503] * 6 + [200] * 14


def test_the_longest_idle_session_makes_room_for_a_new_one(tmp_path: Path) -> None:
    """Clients that never end their sessions shut nobody out, and whoever is at work keeps its own."""
    application = _application(Service(serving(tmp_path)), most=5)
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    with TestClient(application) as client:

        def opened() -> str:
            answer = client.post("/mcp", content=HELLO_BODY, headers=headers)
            assert answer.status_code == 200, answer.text
            return str(answer.headers["mcp-session-id"])

        def status(number: str) -> int:
            return client.post("/mcp", json=ping, headers={**headers, "mcp-session-id": number}).status_code

        kept = opened()
        others = []
        for _ in range(12):
            others.append(opened())
            assert status(kept) == 200
        assert [status(number) for number in others] == [404] * 8 + [200] * 4
        assert client.delete("/mcp", headers={"mcp-session-id": others[-1]}).status_code == 200
        assert status(opened()) == status(kept) == status(others[-2]) == 200
