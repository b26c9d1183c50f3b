"""Those who call us and mean no good: arguments and frames that are none, side doors, secrets, bombs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Iterator
from functools import partial
from http.client import HTTPConnection
from itertools import count, permutations
from pathlib import Path

import steadyhand as sh
from steadyhand.errors import EditError, Kind
from tests.attack.attack import Attempt, Share, attempt, scratch
from tests.hostile import test_secrets_stay_secret as secrets
from tests.hostile.bombs import SHAPES, check_linear, cost_of, load
from tests.hostile.test_bare_repositories import create, parts_of, run_git
from tests.mcp.clients import TOKEN, HttpServer, http_server
from tests.mcp.test_stdio import BROKEN
from tests.mcp.wire import HELLO, Wire
from tests.tools.examples import filled, split_settings
from tests.tools.surrounded import maker_for, prepare_ground
from tests.tools.test_malformed import ALL, make_calls
from tests.workspace.test_protection import REFUSED, SEALED, TRICKS
from tests.workspace.test_protection import SECRET as SECRET_NAMES

__all__ = [
    "bombs",
    "embedded_repositories",
    "frames",
    "malformed_calls",
    "protected_names",
    "requests",
    "secrets_shown",
]

OUTSIDE = "s3cr3t-outside"


def malformed_calls(share: Share) -> Generator[Attempt, None, None]:
    """Arguments as no schema allows them: answered in the tool's shape, and a refusal changes nothing."""
    while True:
        name, tool = share.draw.choice(ALL)
        example = share.draw.choice(tool.examples)
        seeds = [f"{share.draw.randrange(10**12)}" for _ in range(20)]
        with scratch() as folder:
            ground = prepare_ground(folder, example.files)
            own, settings = split_settings(example.settings)
            with sh.Workspace(ground.root, actor="malformed", **own) as workspace:
                kit = workspace.tools(name, **settings)
                for first, arguments in example.first:
                    kit.call(first, filled(arguments, ground.root))
                calls = partial(make_calls, kit, tool, ground, maker_for(ground, tool, example), seeds)
                yield attempt(calls, f"{name}.{tool.name}", len(seeds))


def _frames(draw: random.Random) -> Iterator[bytes]:
    """Messages that were right once: bytes taken out, put in, doubled, cut off; and some that were always wrong."""
    paths = ("a.md", "../out.md", "/etc/passwd", ".env", "\u202e", "x" * 5_000)
    methods = ("ping", "tools/list", "tools/call", "initialize", "resources/read", "prompts/get", "logging/setLevel")
    while True:
        edit = {"files": [{"path": draw.choice(paths), "edits": [{"target": "not there", "new": "x"}]}]}
        call = draw.choice(
            ({"name": "read", "arguments": {"path": draw.choice(paths)}}, {"name": "edit", "arguments": edit})
        )
        frame = json.dumps({"jsonrpc": "2.0", "id": draw.randrange(99), "method": draw.choice(methods), "params": call})
        data = bytearray(frame.encode())
        for _ in range(draw.randrange(4)):
            at = draw.randrange(len(data) + 1)
            match draw.randrange(6):
                case 0:
                    del data[at : at + draw.randrange(9)]
                case 1:
                    data[at:at] = bytes(draw.randrange(256) for _ in range(draw.randrange(9)))
                case 2:
                    data[at:at] = draw.choice((b"[", b'{"a":', b"\\ud800", b"9")) * draw.choice((1, 50, 3_000))
                case 3:
                    data[at:at] = data[: draw.randrange(len(data) + 1)]
                case 4:
                    del data[at:]
                case _:
                    broken = draw.choice(BROKEN)[0]
                    data[:] = broken if isinstance(broken, bytes) else broken.encode()
        yield bytes(data.replace(b"\n", b" ").replace(b"\r", b" "))


def frames(share: Share) -> Generator[Attempt, None, None]:
    """Broken frames over standard input: the next request is answered, and nothing was read or written elsewhere."""
    with scratch() as folder:
        root = _served(folder)
        before = _files_of(folder)
        made = _frames(share.draw)
        with Wire("--root", str(root)) as wire:

            def batch(sent: list[bytes]) -> None:
                for frame in sent:
                    wire.line(frame)
                wire.line(json.dumps({"jsonrpc": "2.0", "id": "alive", "method": "ping"}))
                while (answer := wire.next()).get("id") != "alive":
                    assert OUTSIDE not in json.dumps(answer)
                assert "result" in answer, answer
                assert _files_of(folder) == before

            while True:
                sent = [next(made) for _ in range(20)]
                tried = attempt(partial(batch, sent), f"frames {sent}"[:20_000], len(sent))
                yield tried
                if tried.problem:
                    return  # nobody knows which answer would be next


def requests(share: Share) -> Generator[Attempt, None, None]:
    """Broken requests over HTTP: refused with a status of their own, and the next one is answered."""
    with scratch() as folder:
        root = _served(folder)
        before = _files_of(folder)
        made = _frames(share.draw)

        def knock(server: HttpServer, body: bytes) -> None:
            _knock(server, share.draw, body)
            assert _files_of(folder) == before

        with http_server("--root", str(root)) as server:
            while True:
                yield attempt(partial(knock, server, next(made)), "a request")


def _knock(server: HttpServer, draw: random.Random, body: bytes) -> None:
    """A request with something wrong, which must be no success of an unknown caller and no fault of the server."""
    headers = {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    is_known = True
    match draw.randrange(8):
        case 0:
            headers["Authorization"] = draw.choice(
                ("", "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", f"Bearer  {TOKEN[1:]}")
            )
            is_known = False
        case 1:
            headers["Host"] = draw.choice(("evil.example", f"evil.example:{server.port}", "127.0.0.1:1", "[::1"))
            is_known = False
        case 2:
            headers["Origin"] = draw.choice(
                ("https://evil.example", "null", "file://", f"http://127.0.0.1:{server.port + 1}")
            )
            is_known = False
        case 3:
            headers["Mcp-Session-Id"] = draw.choice(("x", "0" * 32, "\x7f", "x" * 4_000))
        case 4:
            headers["MCP-Protocol-Version"] = draw.choice(("1", "2025-11-25", "9999-99-99", "x" * 4_000))
        case 5:
            headers[draw.choice(("Content-Type", "Accept"))] = draw.choice(("text/plain", "*/*;q=x", "application/xml"))
        case _:
            pass
    method = draw.choice(("POST", "POST", "POST", "POST", "GET", "DELETE", "PUT", "OPTIONS", "TRACE"))
    path = draw.choice(("/mcp", "/mcp", "/mcp", "/", "/mcp/../etc/passwd", "/%2e%2e/", "//mcp"))
    if method == "GET":
        headers.pop("Accept")  # what waits for news would wait for ever
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode()
    if not is_known and draw.random() < 0.5:
        method, path, body = "POST", "/mcp", hello  # nothing is wrong but the caller
    status, said = _answer(server, method, path, body, headers)
    assert status < 500, (method, path, headers, body[:2_000], status, said[:500])
    assert is_known or status >= 400, (method, path, headers, status)
    assert OUTSIDE not in said
    assert "Traceback" not in said
    right = {**headers, "Host": f"127.0.0.1:{server.port}", "Authorization": f"Bearer {TOKEN}"}
    right |= {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    right = {name: value for name, value in right.items() if not name.startswith(("M", "Origin"))}
    if draw.random() < 0.1:
        assert _answer(server, "POST", "/mcp", hello, right)[0] == 200


def _answer(server: HttpServer, method: str, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=300)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value:
                connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        connection.close()


def _served(folder: Path) -> Path:
    root = folder / "root"
    root.mkdir()
    (root / "a.md").write_text("one\ntwo\n")
    (root / ".env").write_text(f"KEY={OUTSIDE}\n")
    (folder / "out.md").write_text(f"{OUTSIDE}\n")
    return root


def _files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".steadyhand" not in path.parts
    }


PROTECTED = (*REFUSED, *SEALED, *SECRET_NAMES, *TRICKS)
PATCH = "*** Begin Patch\n*** Add File: {}\n+x\n*** End Patch\n"


def _renamed(ws: sh.Workspace, path: str) -> object:
    ws.write("plain.txt", "x\n", overwrite=True)
    return ws.rename("plain.txt", path)


def _together(ws: sh.Workspace, path: str) -> object:
    with ws.transaction() as tx:
        tx.create("before.txt", "x\n")
        tx.create(path, "x\n")
    return tx.receipt


WAYS_IN: dict[str, Callable[[sh.Workspace, str], object]] = {
    "create": lambda ws, path: ws.create(path, "x\n"),
    "write": lambda ws, path: ws.write(path, "x\n", overwrite=True),
    "bytes": lambda ws, path: ws.write(path, b"x\n", overwrite=True),
    "rename": _renamed,
    "transaction": _together,
    "patch": lambda ws, path: ws.patch(PATCH.format(path)),
    "through a link": lambda ws, path: ws.create(f"link/{path}", "x\n"),
    "in a folder": lambda ws, path: ws.create(f"deep/er/{path}", "x\n"),
}


def protected_names(share: Share) -> Generator[Attempt, None, None]:
    """Names that run code or hold secrets, in other letters and by every way: refused, and no file is there."""

    def attack(root: Path, way: str, path: str) -> None:
        with sh.Workspace(root) as ws:
            try:
                WAYS_IN[way](ws, path)
            except EditError as error:
                assert error.kind in (Kind.PROTECTED_PATH, Kind.OUTSIDE_ROOT, Kind.BAD_REQUEST, Kind.MALFORMED_PATCH), (
                    error
                )
            else:
                raise AssertionError("it was not refused")
        left = {each.name for each in root.rglob("*") if ".steadyhand" not in each.parts}
        assert left <= {"link", "target", "plain.txt"}, left

    while True:
        name, way = share.draw.choice(PROTECTED), share.draw.choice(list(WAYS_IN))
        path = share.draw.choice((name, name, name.upper(), name.title(), f"./{name}", f"a/../{name}"))
        with scratch() as folder:
            (folder / "target").mkdir()
            (folder / "link").symlink_to("target")
            yield attempt(partial(attack, folder, way, path), f"{way} {path!r}")


def embedded_repositories(share: Share) -> Generator[Attempt, None, None]:
    """Files that make a git repository together: git must not run the command that its config names."""

    def attack(root: Path, order: tuple[str, ...], folder: str, alone: bool) -> None:
        marker = root.parent / "run-by-git"
        parts = parts_of(marker)
        with sh.Workspace(root) as workspace:
            if alone:
                kinds = [create(workspace, f"{folder}{name}", parts[name]) for name in order]
                assert Kind.PROTECTED_PATH in kinds
            else:
                try:
                    with workspace.transaction() as transaction:
                        for name in order:
                            transaction.create(f"{folder}{name}", parts[name])
                except EditError as error:
                    assert error.kind is Kind.PROTECTED_PATH, error
                else:
                    raise AssertionError("it was not refused")
        if (root / folder).is_dir():
            run_git(root / folder)
        assert not marker.exists()

    orders = list(permutations(("HEAD", "config", "objects/.keep", "refs/.keep")))
    while True:
        order, folder = share.draw.choice(orders), share.draw.choice(("sub/", "", "new/deep/"))
        with scratch() as top:
            (top / "root" / "sub").mkdir(parents=True)
            alone = share.draw.random() < 0.7
            yield attempt(partial(attack, top / "root", order, folder, alone), f"{order} in {folder!r}")


def secrets_shown(share: Share) -> Generator[Attempt, None, None]:
    """A secret that the host has opened: no repr, no JSON, no diff, no traceback and no other file has it."""
    while True:
        names = share.draw.choices(list(secrets.VERBS), k=share.draw.randrange(1, 5))
        with scratch() as folder:
            root = folder / "root"
            root.mkdir()
            (root / ".env").write_text(secrets.TEXT)
            check = partial(secrets.check_verbs, root, [secrets.VERBS[name] for name in names])
            yield attempt(check, f"{names}", 2 * len(names))


def bombs(share: Share) -> Generator[Attempt, None, None]:
    """Texts that cost a parser more than their length: four times the text takes no more than five times the memory."""
    load()
    for turn in count():
        for name in share.draw.sample(list(SHAPES), len(SHAPES)):
            size = share.draw.randrange(4_000, 12_000 if turn == 0 else 60_000)

            def check(name: str = name, size: int = size) -> None:
                check_linear(cost_of(name, size), cost_of(name, 4 * size), size)

            yield attempt(check, f"{name} of {size} characters", 2)
