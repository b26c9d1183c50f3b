"""What the front answers is what the SDK answers; what it does not know for certain it leaves to the SDK.

The other tests of the server over standard input run with the front, these compare the two.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from steadyhand.surfaces.mcp import front
from steadyhand.surfaces.mcp.front import HANDSHAKES, MODERN, Front, greet
from steadyhand.surfaces.mcp.launch import ServerOptions
from steadyhand.surfaces.mcp.messages import LONGEST
from steadyhand.tools.toolsets import toolsets
from tests.mcp.clients import serving, started, stop
from tests.mcp.wire import Hand, piped
from tests.sampling import sample
from tests.table import table

MODES = (None, "research", "analyze", "generate", "modify", "execute")
OURS = ("article", "coder", "core", "site", "surgical", "vault")
BY_SETTINGS = ("claude", "openai")  # their tools depend on what the host says
CLIENT = {"name": "by hand", "version": "1"}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
META = "io.modelcontextprotocol/"
ENVELOPE = {f"{META}protocolVersion": MODERN, f"{META}clientInfo": CLIENT, f"{META}clientCapabilities": {}}
Frame = dict[str, Any]


def ask(number: int | str, method: str, params: Frame | None = None) -> Frame:
    return {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params})


def hello(version: str = HANDSHAKES[-1], **params: Any) -> Frame:
    return ask(1, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT} | params)


LEGACY = (hello(), READY, ask(2, "tools/list", {}))
STATELESS = (ask(1, "server/discover", {"_meta": ENVELOPE}), ask(2, "tools/list", {"_meta": ENVELOPE}))


def answers(of: ServerOptions, frames: Sequence[Frame | bytes]) -> dict[str, Any]:
    """What the SDK answers, by id."""

    def client(hand: Hand) -> list[Frame]:
        for frame in frames:
            hand.line(frame if isinstance(frame, bytes) else json.dumps(frame))
        wanted = sum(not isinstance(frame, bytes) and "id" in frame for frame in frames)
        return [hand.next() for _ in range(wanted)]

    return {json.dumps(answer.get("id")): answer for answer in piped(of, client, greets=False)}


def fronted(of: ServerOptions, frames: Iterable[Frame | bytes]) -> dict[str, Any]:
    """What the front answers, by id, up to what is not for it."""
    front, found = Front(of), {}
    for frame in frames:
        answer = front.answer(frame if isinstance(frame, bytes) else json.dumps(frame).encode())
        if answer is None:
            break
        if answer[1]:
            found[json.dumps(answer[0])] = {"jsonrpc": "2.0", "id": answer[0], "result": answer[1]}
        if front.has_listed:
            break
    return found


def test_the_front_knows_the_revisions_that_the_sdk_knows() -> None:
    assert (HANDSHAKES, MODERN) == (HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION)


@table("toolset", sorted(toolsets()))
@table("read_only", [False, True], every=3)
def test_greeting_and_list_are_those_of_the_sdk(toolset: str, read_only: bool, tmp_path: Path) -> None:
    for mode in MODES:
        of = serving(tmp_path, toolsets=(toolset,), mode=mode, read_only=read_only)
        for frames in (LEGACY, STATELESS):
            said = fronted(of, frames)
            assert len(said) == (1 if toolset in BY_SETTINGS else 2)
            sdk = answers(of, frames)
            assert {number: sdk[number] for number in said} == said


def test_a_client_of_the_stateless_era_is_not_greeted_afterwards(tmp_path: Path) -> None:
    frames = (STATELESS[0], hello() | {"id": 2})
    assert list(fronted(serving(tmp_path), frames)) == ["1"]
    assert "error" in answers(serving(tmp_path), frames)["2"]


@table("method", ["tools/list", "ping", "nothing/known"])
def test_the_eras_are_not_mixed_whoever_greets(method: str, tmp_path: Path) -> None:
    mixed = ask(2, method, {"_meta": ENVELOPE})
    refused = answers(serving(tmp_path), (hello(), READY, mixed))["2"]["error"]
    process = started("--root", str(tmp_path))
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        for frame in (hello(), READY, mixed, ask(3, "tools/list")):
            process.stdin.write(json.dumps(frame) + "\n")
        process.stdin.flush()
        said = {answer["id"]: answer for answer in (json.loads(process.stdout.readline()) for _ in range(3))}
    finally:
        stop(process)
    assert said[2]["error"]["code"] == refused["code"]
    assert said[2]["error"]["data"]["hint"]
    assert "result" in said[3]


@table("version", HANDSHAKES)
def test_every_revision_gets_the_same_list(version: str, tmp_path: Path) -> None:
    frames = (hello(version), READY, ask(2, "tools/list"))
    assert fronted(serving(tmp_path), frames) == answers(serving(tmp_path), frames)


@pytest.mark.sampled
@table("frames", [LEGACY, STATELESS])
def test_several_roots_and_toolsets_and_a_bound_are_listed_as_by_the_sdk(
    frames: Sequence[Frame], tmp_path: Path
) -> None:
    roots = [tmp_path / name for name in ("one", "two")]
    for root in roots:
        root.mkdir()
    for chosen in sample([OURS, *permutations(OURS, 2)], 3):
        of = serving(*roots, toolsets=chosen, most=2_000_000)
        assert fronted(of, frames) == answers(of, frames)


def test_a_list_that_depends_on_the_host_or_the_client_is_left_to_the_sdk(tmp_path: Path) -> None:
    from steadyhand.tools.tool import Settings

    assert len(fronted(serving(tmp_path, settings=Settings), LEGACY)) == 1
    assert len(fronted(serving(), LEGACY)) == 1
    assert all(front.list_of(name) is None for name in BY_SETTINGS)


SOME = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | st.text('a{}"\\é\x00', max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text("ab_", max_size=3), inner, max_size=2),
    max_leaves=4,
)
CAPABILITIES = st.dictionaries(
    st.sampled_from(["roots", "sampling", "elicitation", "experimental", "tasks", "extensions", "tools"]),
    SOME | st.fixed_dictionaries({"listChanged": st.booleans() | SOME}) | st.fixed_dictionaries({"form": SOME}),
    max_size=3,
)
CLIENTS = st.fixed_dictionaries({"name": st.just("c") | SOME, "version": st.just("1") | SOME}) | SOME
IDS = st.integers(0, 3) | st.text("a1", max_size=2) | SOME
GREETINGS = st.fixed_dictionaries(
    {"protocolVersion": st.sampled_from([*HANDSHAKES, MODERN, "1"]) | SOME},
    optional={"capabilities": CAPABILITIES, "clientInfo": CLIENTS, "_meta": SOME},
)
METAS = st.fixed_dictionaries(
    {f"{META}protocolVersion": st.just(MODERN) | SOME},
    optional={f"{META}clientInfo": CLIENTS, f"{META}clientCapabilities": CAPABILITIES, "progressToken": SOME},
)
PARAMS: st.SearchStrategy[Any] = (
    GREETINGS | st.fixed_dictionaries({"_meta": METAS}) | st.just({}) | st.fixed_dictionaries({"cursor": SOME})
)
METHODS = st.sampled_from(["initialize", "server/discover", "tools/list", "notifications/initialized", "ping"])
FRAMES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | SOME, "method": METHODS}, optional={"id": IDS, "params": PARAMS}
)


@given(frames=st.lists(FRAMES, min_size=1, max_size=3))
def test_whatever_the_front_answers_the_sdk_answers_too(
    frames: list[Frame], tmp_path_factory: pytest.TempPathFactory
) -> None:
    of = serving(tmp_path_factory.mktemp("root"))
    said = fronted(of, frames)
    if said:
        asked = frames[: next(n for n in range(1, len(frames) + 1) if len(fronted(of, frames[:n])) == len(said))]
        sdk = answers(of, asked)
        assert {number: sdk[number] for number in said} == said


@table(
    "frame",
    [
        b"{",
        b"[]",
        b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":true,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","extra":1}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools\\/list"}',
        b"\xef\xbb\xbf" + json.dumps(hello()).encode(),
        json.dumps(hello("2030-01-01")).encode(),
        json.dumps(hello(_meta={"progressToken": 1})).encode(),
        json.dumps(hello(capabilities={"roots": {"listChanged": 1}})).encode(),
        json.dumps(hello(clientInfo={"name": "a"})).encode(),
        json.dumps(hello(clientInfo={"name": "a", "version": "1", "icons": []})).encode(),
    ],
)
def test_what_is_not_plain_is_left_to_the_sdk(frame: bytes, tmp_path: Path) -> None:
    assert Front(serving(tmp_path)).answer(frame) is None


def test_nothing_is_answered_twice_and_nothing_is_lost_when_the_sdk_takes_over(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("one\n", encoding="utf-8")
    process = started("--root", str(tmp_path))
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        asked = [*LEGACY, ask("three", "tools/list"), ask(2, "ping"), ask(4, "nothing/known")]
        call = ask(5, "tools/call", {"name": "read", "arguments": {"path": "a.md"}})
        text = "".join(json.dumps(frame) + "\n" for frame in (*asked, call))
        half = text.index('"ping"')
        process.stdin.write(text[:half])  # the end of a frame comes later
        process.stdin.flush()
        first = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.write(text[half:])
        process.stdin.flush()
        rest = [json.loads(process.stdout.readline()) for _ in range(4)]
        process.stdin.write("{broken")
        process.stdin.close()
        rest += [json.loads(line) for line in process.stdout]
    finally:
        stop(process)
    assert [answer["id"] for answer in first] == [1, 2]
    assert sorted(str(answer.get("id")) for answer in rest) == ["2", "4", "5", "None", "three"]
    by_id = {answer.get("id"): answer for answer in rest}
    assert by_id["three"]["result"] == first[1]["result"]
    assert by_id[2]["result"] == {}
    assert by_id[5]["result"]["isError"] is False
    assert {by_id[number]["error"]["code"] for number in (4, None)} == {-32601, -32700}


@table(
    ("number", "frames"),
    [(signal.SIGTERM, (hello(),)), (signal.SIGINT, (hello(),)), (None, ()), (None, (hello(),)), (None, LEGACY)],
    every=2,
)
def test_a_signal_and_the_end_of_input_end_the_server_at_any_time(
    number: signal.Signals | None, frames: Sequence[Frame], tmp_path: Path
) -> None:
    process = started("--root", str(tmp_path))
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stderr.readline()  # it has said that it serves
        for frame in frames:
            process.stdin.write(json.dumps(frame) + "\n")
            process.stdin.flush()
            if "id" in frame:
                process.stdout.readline()
        if number is not None:
            process.send_signal(number)
        else:
            process.stdin.close()
        assert process.wait(timeout=300) == 0
    finally:
        stop(process)


def test_a_client_that_does_not_read_is_not_waited_for(tmp_path: Path) -> None:
    (reading, asking), (answered, writing) = os.pipe(), os.pipe()
    many = "".join(json.dumps(hello() if n == 0 else ask(n, "tools/list")) + "\n" for n in range(2))
    os.write(asking, many.encode())
    os.set_blocking(writing, False)
    with contextlib.suppress(BlockingIOError):
        while os.write(writing, b"x" * (1 << 16)):
            pass  # until it is full
    os.set_blocking(writing, True)
    heard = greet(serving(tmp_path), reading, writing)
    assert heard is not None
    assert len(heard.waiting) == 2
    assert heard.unwritten
    for descriptor in (asking, reading, answered, writing):
        os.close(descriptor)


def test_a_client_that_goes_on_greeting_is_left_to_the_sdk_before_much_is_kept(tmp_path: Path) -> None:
    (reading, asking), (answered, writing) = os.pipe(), os.pipe()
    taken = threading.Thread(target=lambda: [None for _ in iter(partial(os.read, answered, 1 << 16), b"")])
    taken.start()
    many = (json.dumps(ask(n, "server/discover", {"_meta": ENVELOPE})) + "\n" for n in range(150))
    os.write(asking, "".join(many).encode())
    heard = greet(serving(tmp_path), reading, writing)
    os.close(writing)
    taken.join()
    assert heard is not None
    assert len(heard.answered) == 100
    assert len(heard.waiting) == 150, "what has arrived is the SDK's to answer"
    for descriptor in (asking, reading, answered):
        os.close(descriptor)


def test_an_oversized_frame_is_left_to_the_sdk(tmp_path: Path) -> None:
    (reading, asking), (answered, writing) = os.pipe(), os.pipe()
    sender = threading.Thread(target=os.write, args=(asking, b" " * (LONGEST + 1) + b"\n"), daemon=True)
    sender.start()
    heard = greet(serving(tmp_path), reading, writing)
    sender.join()
    assert heard is not None
    assert not heard.answered
    for descriptor in (asking, reading, answered, writing):
        os.close(descriptor)


def test_a_prefix_is_part_of_every_name_and_may_be_left_out_in_a_call(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    of = serving(tmp_path, tool_prefix="steadyhand_")
    listed = fronted(of, LEGACY)["2"]["result"]["tools"]
    assert all(tool["name"].startswith("steadyhand_") for tool in listed)
    assert answers(of, LEGACY)["2"]["result"]["tools"] == listed

    def client(hand: Hand) -> list[Any]:
        given = {"path": "a.txt"}
        return [hand.call(name, given) for name in ("steadyhand_read", "read", "steadyhand_raed")]

    full, plain, unknown = piped(of, client)
    assert full["isError"] is plain["isError"] is False
    assert "steadyhand_read" in json.dumps(unknown)
