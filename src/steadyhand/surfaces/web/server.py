"""The page as it is served until a signal comes: socket, link, browser, and the application behind the gate.

A request is a view of the review or a decision on it; nothing is kept between two but the last notice. A message
never has a path of this machine beyond the name of the root.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import threading
import time
import webbrowser
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl

import click
from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.loopback import BACKLOG, LOOPBACK, Connections, hosts_of, most_connections, server_of
from steadyhand.surfaces.web.gate import LONGEST, OPEN, Gate, Keys
from steadyhand.surfaces.web.markup import Html, el, join
from steadyhand.surfaces.web.page import Page, View, asset, document, kind_of, message_page, timeline
from steadyhand.surfaces.web.rendered import FRAME_POLICY, can_render, changed_rows, framed
from steadyhand.surfaces.web.rows import CONTEXT, MOST_ROWS
from steadyhand.surfaces.web.shared_review import Asked, Listing, SharedReview
from steadyhand.workspace.machine import listening

if TYPE_CHECKING:
    from uvicorn import Server

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_MOST = 128  # connections
T = TypeVar("T")

THEME = "steadyhand-theme"
_MOST_STREAMS = 16
_LOOKS = 0.3  # seconds between two looks at the journal
_STILL_HERE = 15.0  # seconds after which a silent stream says that it lives
_EVENTS_AT_ONCE = 20  # events that one message has
_MOST_PARTS = 60
_ALL_ROWS = 20_000
_WIDEST = 200  # rows of context that may be asked for
_STATUSES = {
    Kind.BAD_REQUEST: 400,
    Kind.NO_SUCH_FILE: 404,
    Kind.NOT_ALLOWED: 403,
    Kind.READ_ONLY: 403,
    Kind.PROTECTED_PATH: 403,
    Kind.TOO_LARGE: 413,
    Kind.BUSY: 503,
}


def serve(review: SharedReview, *, host: str = LOOPBACK[0], port: int = 0, opens: bool = False) -> None:
    """Serve until a signal comes; the link is the first line of the standard output.

    Refuses a host that other machines reach with `not-allowed`, and with `disk-refused` a port that cannot be had.
    """
    if host not in LOOPBACK:
        raise EditError(
            Kind.NOT_ALLOWED,
            f"{host[:80]} can be reached from other machines; the page is only for this one",
            hint="leave out the host; from another machine, forward the port with ssh -L, under the same number",
        )
    try:
        listens = listening(host, port, BACKLOG)
    except OSError:
        raise EditError(
            Kind.DISK_REFUSED,
            f"cannot listen on port {port}",
            hint="another process may use it: choose another, or leave out --port",
        ) from None
    most = min(most_connections(), _MOST)
    with contextlib.ExitStack() as opened:
        for one in listens:
            opened.enter_context(one)
        port = listens[0].getsockname()[1]
        keys = Keys(port)
        link = f"http://{f'[{host}]' if ':' in host else host}:{port}{OPEN}{keys.token}"
        asyncio.run(_serve(review, keys, most, listens, hosts_of((), port), partial(_announce, link, opens=opens)))


async def _serve(
    review: SharedReview, keys: Keys, most: int, listens: list[Any], hosts: list[str], announce: Callable[[], None]
) -> None:
    pages = Pages(review, keys)
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
        has_screen = sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
        if has_screen and sys.stdout.isatty():  # a browser for terminals would take the terminal away
            threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()


class Pages:
    """The pages of a review. `end` closes the streams, so that the server can end."""

    def __init__(self, review: SharedReview, keys: Keys) -> None:
        self._review = review
        self._keys = keys
        self._ended = asyncio.Event()
        self._streams = 0
        self._notice: str | None = None

    def end(self) -> None:
        """Let every stream end."""
        self._ended.set()

    def application(self) -> Starlette:
        """What answers."""
        return Starlette(
            routes=[
                Route("/", self._index),
                Route("/change/{key}", self._change),
                Route("/parts", self._parts),
                Route("/state", self._state),
                Route("/events", self._events),
                Route("/timeline", self._timeline),
                Route("/compare", self._compare),
                Route("/rendered/{side}", self._rendered),
                Route("/decide", self._decide, methods=["POST"]),
                Route("/assets/{name}", self._asset),
            ],
            exception_handlers={EditError: self._edit_error, 404: self._nothing_here, 405: self._nothing_here},
        )

    # Pages

    async def _index(self, request: Request) -> Response:
        view = View.of_query(request.query_params)
        return await self._whole("Review", request, partial(self._index_body, view))

    def _index_body(self, view: View) -> tuple[Html, int]:
        listing = self._review.listing()
        page = Page(self._review, listing, view, self._keys.csrf)
        notice, self._notice = self._notice, None
        said = el("p", notice, class_="notice", role="status") if notice else None
        return join([page.header(), page.main(said)]), listing.head

    async def _change(self, request: Request) -> Response:
        """One change by itself, or, for the script, only its part of the page."""
        view = View.of_query(request.query_params)
        key = request.path_params["key"]
        around = _number(request.query_params.get("around"), CONTEXT, _WIDEST)
        most = _ALL_ROWS if request.query_params.get("rows") == "all" else MOST_ROWS
        listing = await _work(self._review.listing)
        page = Page(self._review, listing, view, self._keys.csrf)
        made = await _work(lambda: page.part(key, around=around, most=most))
        if made is None:
            return self._message(request, 404, "This change no longer exists", "It has been decided or changed since.")
        if request.headers.get("x-part"):
            return Response(made, media_type="text/html")
        shown = listing.find(key)
        path = shown.change.path if shown else ""
        body = el(
            "main", el("p", el("a", "Back to the changes", href=f"{view.href()}#{key}")), el("h1", path), made,
            id="changes", class_="single", tabindex=-1,
        )  # fmt: skip
        return self._page(request, f"Review: {path}", body, listing.head)

    async def _timeline(self, request: Request) -> Response:
        view = View.of_query(request.query_params)
        before = _number(request.query_params.get("before"), 0, 1 << 62) or None

        def body() -> tuple[Html, int]:
            head = self._review.head()
            found, more = self._review.timeline(view.of, before)
            older = view.href("/timeline", before=str(more)) if more else None
            name = (view.of or "").partition(":")[2]
            content = el(
                "main", el("p", el("a", "Back to the changes", href=view.href())),
                el("h1", f"Timeline{f' of {name}' if name else ''}"), el("div", timeline(found, older), id="timeline"),
                id="changes", class_="single", tabindex=-1,
            )  # fmt: skip
            return content, head

        return await self._whole("Timeline", request, body)

    async def _compare(self, request: Request) -> Response:
        """A file before and after, as its readers see it."""
        view = View.of_query(request.query_params)
        files = (await _work(self._review.listing)).files(view.of, view.file or "")
        path = files[0].path if files else ""
        if not can_render(path):
            return self._message(
                request, 404, "There is nothing to show", "Choose a Markdown or HTML file that was changed."
            )
        frames = [
            el(
                "figure", el("figcaption", side.capitalize()),
                el("iframe", src=view.href(f"/rendered/{side}"), title=f"{path} {side}", sandbox=True, loading="lazy"),
            )
            for side in ("before", "after")
        ]  # fmt: skip
        content = el(
            "main", el("p", el("a", "Back to the changes", href=f"{view.href(file=None)}#{files[0].key}")),
            el("h1", path),
            el("p", "Nothing runs here, and links do nothing. Changes are marked.", class_="hint"),
            el("div", *frames, class_="frames"), id="changes", class_="single wide", tabindex=-1,
        )  # fmt: skip
        return self._page(request, f"Rendered: {path}", content, await _work(self._review.head))

    async def _rendered(self, request: Request) -> Response:
        view = View.of_query(request.query_params)
        side = request.path_params["side"]

        def made() -> str | None:
            listing = self._review.listing()
            files = listing.files(view.of, view.file or "")
            path = files[0].path if files else ""
            if side not in ("before", "after") or not can_render(path):
                return None
            changes = [each.change for each in files[0].shown]
            before, after, shifts = self._review.texts(listing, path)
            text = after if side == "after" else before
            rows = text.rows if text is not None else ()
            return framed(rows, path, changed_rows(changes, shifts, is_after=side == "after"), side)

        found = await _work(made)
        if found is None:
            return self._message(request, 404, "There is nothing to show", "Choose a file that was changed.")
        return Response(found, media_type="text/html", headers={"content-security-policy": FRAME_POLICY})

    # What the script asks for

    async def _state(self, request: Request) -> Response:
        view = View.of_query(request.query_params)
        listing = await _work(self._review.listing)
        return JSONResponse(await _work(Page(self._review, listing, view, self._keys.csrf).state))

    async def _parts(self, request: Request) -> Response:
        """Some changes by their keys; those that are gone are left out."""
        view = View.of_query(request.query_params)
        keys = request.query_params.get("keys", "").split(",")[:_MOST_PARTS]

        def made() -> dict[str, str]:
            listing = self._review.listing()
            page = Page(self._review, listing, view, self._keys.csrf)
            return {key: part for key in keys if (part := page.part(key)) is not None}

        return JSONResponse(await _work(made))

    async def _events(self, request: Request) -> Response:
        if self._streams >= _MOST_STREAMS:
            return Response("too many pages listen", 503, headers={"retry-after": "10"}, media_type="text/plain")
        given = request.headers.get("last-event-id") or request.query_params.get("after")
        head = await _work(self._review.head)
        return StreamingResponse(self._stream(request, _number(given, head, 1 << 62)), media_type="text/event-stream")

    async def _stream(self, request: Request, after: int) -> AsyncIterator[str]:
        """What the journal gains, until the page goes or the server ends."""
        self._streams += 1
        try:
            yield "retry: 1500\n\n"
            said = time.monotonic()
            while not self._ended.is_set() and not await request.is_disconnected():
                head = await _work(self._review.head)
                if head != after:
                    yield await _work(partial(self._new_events, min(after, head), head))
                    after, said = head, time.monotonic()
                elif time.monotonic() > said + _STILL_HERE:
                    yield ": still here\n\n"
                    said = time.monotonic()
                try:
                    await asyncio.wait_for(self._ended.wait(), _LOOKS)
                except TimeoutError:
                    pass
        finally:
            self._streams -= 1

    def _new_events(self, after: int, head: int) -> str:
        events = self._review.events(max(after, head - 10 * _EVENTS_AT_ONCE))[-_EVENTS_AT_ONCE:]
        new = [
            {
                "type": kind_of(event), "actor": event.actor, "task": event.task, "paths": list(event.paths[:3]),
                "said": self._review.hidden(event.message), "own": event.actor == self._review.reviewer,
            }
            for event in events
        ]  # fmt: skip
        return f"id: {head}\nevent: journal\ndata: {json.dumps({'head': head, 'events': new})}\n\n"

    # Decisions

    async def _decide(self, request: Request) -> Response:
        form = await _form(request)
        if not self._keys.signed(form.get("csrf")):
            hint = "Reload the page, and decide again."
            return self._message(request, 403, "The form is not from this page, or is from an earlier start", hint)
        asked = Asked(
            form.get("verb", ""), form.get("change"), form.get("file"), form.get("of") or None, form.get("seen"),
            form.get("remark"), form.get("text"),
        )  # fmt: skip
        decision, said = await _work(partial(self._review.decide, asked))
        if _is_script(request):
            return JSONResponse({"ok": True, "said": said, "state": decision.state, "changes": list(decision.changes)})
        self._notice = said.capitalize() + "."
        view = View.of_query(dict(parse_qsl(form.get("back", "/").partition("?")[2])))
        key = form.get("key")
        place = await _work(partial(self._next, view, key)) if key else None
        return RedirectResponse(view.href() + (f"#{place}" if place else ""), 303)

    def _next(self, view: View, key: str) -> str | None:
        """The change that waits after one that was decided about."""
        listing: Listing = self._review.listing()
        shown = [each for file in listing.files(view.of, view.file) for each in file.shown]
        known = [each.key.removesuffix("-r") for each in shown]
        at = known.index(key) if key in known else 0
        later = [*shown[at:], *shown[:at]]
        return next((each.key for each in later if each.change.state == "undecided"), key if key in known else None)

    async def _asset(self, request: Request) -> Response:
        found = asset(request.path_params["name"])
        if found is None:
            return Response("", 404)
        return Response(found[1], media_type=found[0])

    # Answers

    async def _whole(self, title: str, request: Request, made: Callable[[], tuple[Html, int]]) -> Response:
        body, head = await _work(made)
        return self._page(request, title, body, head)

    def _page(self, request: Request, title: str, body: Html, head: int) -> Response:
        name = f"{title} · {self._review.name}"
        theme = request.cookies.get(THEME)
        return Response(document(name, body, theme=theme, csrf=self._keys.csrf, head=head), media_type="text/html")

    def _message(self, request: Request, status: int, title: str, *hints: str) -> Response:
        if _is_script(request):
            return JSONResponse({"ok": False, "said": title, "hints": list(hints)}, status)
        page = message_page(title, "", hints, back="/", theme=request.cookies.get(THEME))
        return Response(page, status, media_type="text/html")

    async def _edit_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, EditError)
        hints = [self._review.hidden(said) for hint in error.hints if (said := hint.words())]
        said = self._review.hidden(error.message)
        return self._message(request, _STATUSES.get(error.kind, 409), said[:1].upper() + said[1:], *hints)

    async def _nothing_here(self, request: Request, error: Exception) -> Response:
        return self._message(request, getattr(error, "status_code", 404), "There is nothing here")


async def _work(task: Callable[[], T]) -> T:
    """Work on files and the journal, in a thread."""
    return await to_thread.run_sync(task)


async def _form(request: Request) -> Mapping[str, str]:
    """The fields of a form; line ends as files mostly have them, whatever the browser made of them."""
    body = b""
    async for piece in request.stream():
        body += bytes(piece)
        if len(body) > LONGEST:
            raise EditError(Kind.TOO_LARGE, "the form is too long", hint=f"send at most {LONGEST:,} bytes")
    try:
        pairs: list[tuple[str, str]] = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=50
        )
    except ValueError:
        raise EditError(Kind.BAD_REQUEST, "the form cannot be read", hint="use the page") from None
    return {name: value.replace("\r\n", "\n") for name, value in pairs}


def _is_script(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _number(given: str | None, fallback: int, most: int) -> int:
    if given is None or not given.isascii() or not given.isdigit() or len(given) > 18:
        return fallback
    return min(int(given), most)
