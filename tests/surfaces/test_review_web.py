"""The page of a review, asked as a browser asks and as an attacker would; a real browser is in `tests/pages`.

The promises: nobody is let in without the link, which works once; no other page, no other host and no form without the
token of the page changes anything; nothing that a file, a name or a remark holds becomes a part of the page; everything
works by forms alone; and a page that is open hears what the journal gains.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.testclient import TestClient

import steadyhand as sh
from steadyhand.errors import EditError
from steadyhand.surfaces.loopback import hosts_of
from steadyhand.surfaces.web.gate import Gate, Keys
from steadyhand.surfaces.web.server import Pages, serve
from steadyhand.surfaces.web.shared_review import Filter, SharedReview
from tests.surfaces.shell import Shell
from tests.table import table

HERE = "http://127.0.0.1:8000"
LINES = "".join(f"line {number}\n" for number in range(1, 31))


class Site:
    """A review that is served to a client which may or may not have opened the link."""

    def __init__(self, root: Path, *, is_open: bool = True) -> None:
        self.root = root
        self.workspace = sh.Workspace(root, actor="ada")
        self.keys = Keys(8000)
        self.pages = Pages(SharedReview(self.workspace, Filter()), self.keys)
        self.app = Gate(self.pages.application(), self.keys, hosts_of((), 8000))
        self.client = TestClient(self.app, base_url=HERE, follow_redirects=False)
        if is_open:
            assert self.client.get(f"/open/{self.keys.token}").status_code == 200

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def page(self, path: str = "/") -> str:
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.text)
        return str(answer.text)

    def forms(self, path: str = "/") -> list[dict[str, str]]:
        """The forms of a page that decide, as a browser without a script would send them, but for the button."""
        reader = Forms()
        reader.feed(self.page(path))
        return reader.found

    def form(self, **fields: str) -> dict[str, str]:
        """The one form with these fields."""
        (found,) = [form for form in self.forms() if fields.items() <= form.items()]
        return found

    def send(self, form: dict[str, str], verb: str, **fields: str) -> Any:
        return self.client.post("/decide", data={**form, "verb": verb, **fields}, headers={"Origin": HERE})

    def decide(self, before: str, verb: str, **fields: str) -> Any:
        change = next(each for each in self.workspace.review() if each.before == before and each.state != "rejected")
        return self.send(self.form(change=change.id), verb, **fields)

    def states(self) -> dict[str, str]:
        return {change.before: change.state for change in self.workspace.review()}


class Forms(HTMLParser):
    """The fields of each form that decides: what is hidden, and what the text fields hold."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self._field: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form" and given.get("action") == "/decide":
            self.found.append({})
        elif tag == "input" and given.get("type") == "hidden" and self.found:
            self.found[-1][str(given["name"])] = given.get("value") or ""
        elif tag == "textarea":
            self._field = str(given["name"])
            self.found[-1][self._field] = ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._field is not None:
            self.found[-1][self._field] = self.found[-1][self._field].removeprefix("\n")
            self._field = None

    def handle_data(self, data: str) -> None:
        if self._field is not None:
            self.found[-1][self._field] += data


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What an agent did for T-1: three hunks of a page and a tolerant one of a program."""
    (tmp_path / "long.md").write_text(LINES)
    (tmp_path / "app.py").write_text("x = 1\ny = 2\n")
    with sh.Workspace(tmp_path, actor="agent", task="T-1") as ws:
        for old, new in (("line 3\n", "LINE 3\n"), ("line 12\n", "LINE 12\nand more\n"), ("line 20\n", "")):
            ws.edit("long.md", [sh.Replace(old, new)], reason=f"about {old.strip()}")
        ws.edit("app.py", [sh.Replace("y =  2", "y = 3")], reason="three")
    return tmp_path


@pytest.fixture
def site(root: Path) -> Iterator[Site]:
    made = Site(root)
    yield made
    made.workspace.close()


# Who is let in


def test_the_link_opens_the_page_once(root: Path) -> None:
    site = Site(root, is_open=False)
    link = f"/open/{site.keys.token}"
    assert [site.get(path).status_code for path in ("/", "/state", "/events", "/change/c-0", "/timeline")] == [401] * 5
    assert [site.get(f"/open/{wrong}").status_code for wrong in ("", "x", "é", str(site.keys.token)[:-1])] == [403] * 4
    assert site.client.head(link).status_code == 403  # a program that looks at links does not use it up
    opened = site.get(link, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")
    assert opened.status_code == 200
    said = opened.headers["set-cookie"]
    assert "HttpOnly" in said and "SameSite=Strict" in said and "steadyhand-8000=" in said  # noqa: PT018
    assert site.get("/").status_code == 200
    assert site.get(link).status_code == 403
    stranger = TestClient(site.app, base_url=HERE)
    assert stranger.get(link).status_code == 403
    assert stranger.get("/", headers={"Cookie": "steadyhand-8000=guess"}).status_code == 401
    assert stranger.get("/", headers={"Cookie": "steadyhand-8000=a; steadyhand-8000=b; \x7f=;;"}).status_code == 401
    site.workspace.close()


@table(
    ("headers", "status"),
    [
        ({"Host": "localhost:8000"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": "127.0.0.1:8001"}, 421),
        ({"Host": "localhost:8000.evil.example"}, 421),
        ({"Origin": HERE}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:8001"}, 403),
        ({"Origin": "https://127.0.0.1:8000"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 403),
    ],
)
def test_only_this_origin_and_this_name_are_let_in(site: Site, headers: dict[str, str], status: int) -> None:
    assert site.client.get("/", headers=headers).status_code == status


def test_every_answer_forbids_what_the_page_does_not_need(site: Site) -> None:
    (path,) = re.findall(r'href="(/compare[^"]+)"', site.page())
    frame = re.findall(r'src="(/rendered[^"]+)"', site.page(unescape(path)))[0]
    for place in ("/", "/state", "/timeline", "/assets/review.js", "/nowhere", "/change/c-0", unescape(frame)):
        headers = site.get(place).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert not [name for name in headers if name.startswith("access-control")]
    assert "sandbox" in site.get(unescape(frame)).headers["content-security-policy"]
    assert 'sandbox loading="lazy"' in site.page(unescape(path))
    page = site.page()
    assert re.findall(r"<script[^>]*>", page) == ['<script src="/assets/review.js" defer>']
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)


def test_a_form_without_the_token_of_the_page_decides_nothing(site: Site) -> None:
    form = site.forms()[0]
    for csrf in ("", "wrong", "é"):
        assert site.send({**form, "csrf": csrf}, "accept-plain").status_code == 403
    answers = [
        site.client.post("/decide", json=form, headers={"Origin": HERE}),
        site.client.post(
            "/decide", content=b"x" * 1_000_001, headers={"Content-Type": "application/x-www-form-urlencoded"}
        ),
        site.client.post("/decide", data=form, headers={"Origin": "http://evil.example"}),
        site.client.get("/decide"),
        site.client.put("/decide", data=form),
    ]
    assert [answer.status_code for answer in answers] == [415, 413, 403, 405, 405]
    assert set(site.states().values()) == {"undecided"}


def test_a_form_that_is_longer_than_it_says_is_not_read_to_its_end(site: Site) -> None:
    asked: list[int] = []

    async def run() -> list[int]:
        statuses: list[int] = []

        async def receive() -> dict[str, Any]:
            asked.append(1)
            return {"type": "http.request", "body": b"x" * 400_000, "more_body": True}

        async def send(message: Any) -> None:
            statuses.extend([message["status"]] if "status" in message else [])

        await site.app(scope(site, "POST", "/decide", ("content-length", "10")), receive, send)
        return statuses

    assert anyio.run(run) == [413]
    assert len(asked) == 3


@table("host", ["0.0.0.0", "192.168.1.1", "example.org", "::"])
def test_no_other_machine_reaches_the_page(root: Path, host: str) -> None:
    with sh.Workspace(root, actor="ada") as ws, pytest.raises(EditError, match="reached from other machines"):
        serve(SharedReview(ws, Filter()), host=host)


# What is shown


def test_a_change_is_shown_with_its_reason_and_what_is_known_of_it(site: Site) -> None:
    page = site.page()
    for said in ("about line 12", "agent", "T-1", "python", "whitespace", "tolerant", "4 of 4 left", "Lines 12–13"):
        assert said in page
    assert page.index("app.py</h2>") < page.index("long.md</h2>")  # what has a risk comes first
    assert "<del>y = 2</del>" not in page
    assert '<i class="n"><del>' not in page
    assert re.search(r'<del><i class="n">2</i></del>', page)
    assert re.search(r'<ins><i class="n">3</i></ins>', page)
    both = site.page("/?view=beside")
    assert 'class="diff beside"' in both
    assert 'class="diff unified"' not in both
    assert site.page("/?show=risk").count("<article") == 1
    assert site.page("/?q=LINE+12").count("<article") == 1
    assert "No change to show" in site.page("/?of=task:T-2")


def test_the_lines_around_a_change_have_the_numbers_of_both_sides(site: Site) -> None:
    page = site.page()
    rows = re.findall(r'<td class="ln">(\d*)</td><td class="ln">(\d*)</td>.*?<td class="code">(.*?)</td>', page)
    shown = {re.sub("<[^>]+>", "", text): (old, new) for old, new, text in rows}
    assert shown["line 11"] == ("11", "11")
    assert (shown["line 12"], shown["and more"]) == (("12", ""), ("", "13"))
    assert shown["line 13"] == ("13", "14")
    assert (shown["line 20"], shown["line 21"]) == (("20", ""), ("21", "21"))


HOSTILE = {
    "script": "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "order": "a\u202eb\u2066c\u200ed",
    "control": "a\x1b[31mb\x00c\x7fd\x9be",
    "bytes": "caf\udce9",
    "long": "word " * 10_000,
    "quote": "\"'><b onclick=x>&amp;",
}


@table("kind", list(HOSTILE))
def test_nothing_that_a_file_or_a_name_or_a_remark_holds_is_a_part_of_the_page(tmp_path: Path, kind: str) -> None:
    text = HOSTILE[kind]
    data = text.encode("utf-8", "surrogateescape")
    short = text[:60].replace("/", "\u2215").replace("\x00", "").replace("\udce9", "é")
    (tmp_path / "page.md").write_bytes(b"one\ntwo\nthree\n")
    with sh.Workspace(
        tmp_path, actor=f"agent {short.encode('ascii', 'ignore').decode()[:20]!r}", task=f"T {short!r}"
    ) as ws:
        if kind in ("script", "quote", "long"):
            ws.create("it's &lt;b&gt; %2F#1;.md", f"{text}\n", reason=short)
        (tmp_path / "page.md").write_bytes(b"one\n" + data + b"\nthree\n")
        ws.observe("page.md")
        ws.write("page.md", b"one\n2 " + data + b" end\nthree\n", overwrite=True, reason=short)
    site = Site(tmp_path)
    change = next(iter(site.workspace.review()))
    if kind != "bytes":
        site.workspace.review().comment(change.id, f"said {short}")
    pages = ["/", "/?view=beside", "/timeline", "/state"]
    pages += [unescape(each) for each in re.findall(r'href="(/compare[^"]+)"', site.page())]
    frames = [unescape(each) for path in pages[4:] for each in re.findall(r'src="(/rendered[^"]+)"', site.page(path))]
    for place in (*pages, *frames):
        answer = site.get(place)
        assert answer.status_code == 200
        page = answer.text
        assert not re.search(r"<script>|<img|onerror=alert\(2\)>|<b onclick", page)
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u2028-\u202e\u2066-\u2069\ud800-\udfff]", page)
        assert len(page) < 200_000
    site.workspace.close()


def test_what_is_no_text_is_named_and_can_be_decided(tmp_path: Path) -> None:
    (tmp_path / "logo.bin").write_bytes(bytes(range(256)) * 8)
    (tmp_path / "old.txt").write_text("x\n")
    with sh.Workspace(tmp_path, actor="agent") as ws:
        ws.write("logo.bin", b"\0" + bytes(range(256)) * 9, overwrite=True)
        ws.rename("old.txt", "new.txt")
        ws.create("made.py", "print(1)\n" * 1_000)
    site = Site(tmp_path)
    page = site.page()
    assert "The file is not text." in page
    assert "Renamed from <del>old.txt</del> to <ins>new.txt</ins>" in page
    assert "Show 700 more lines" in page
    (more,) = re.findall(r'href="(/change/[^"]*rows=all[^"]*)"', page)
    assert site.page(unescape(more)).count('<tr class="added">') == 1_000
    for form in [form for form in site.forms() if "change" in form]:
        assert site.send(form, "reject").status_code == 303
    assert sorted(path.name for path in tmp_path.glob("*.*") if path.is_file()) == ["logo.bin", "old.txt"]
    site.workspace.close()


def test_a_message_has_no_path_of_this_machine(site: Site) -> None:
    form = site.form(file=re.findall(r'id="(f-\w+)"', site.page())[0])
    (site.root / ".steadyhand").rename(site.root.parent / "away")
    (site.root / ".steadyhand").write_text("not a folder")
    for answer in (site.get("/"), site.send(form, "accept-file"), site.get("/state"), site.get("/timeline")):
        assert str(site.root) not in answer.text
        assert "Traceback" not in answer.text


FRAMED = (
    "<h1>Title</h1><p onclick='x()'>text <a href='https://evil.example' target=_top>link</a></p>"
    "<script>alert(1)</script><style>body{background:url(//evil)}</style><img src=//evil/x.png alt='a cat'>"
    "<iframe src=//evil></iframe><form action=//evil><input name=a><button>go</button></form>"
    "<link rel=preconnect href=//evil><meta http-equiv=refresh content='0;url=//evil'><base href=//evil>"
    "<svg><script>alert(2)</script></svg><object data=//evil></object><p>changed here</p>"
)


def test_a_rendered_page_keeps_only_what_marks_text_up(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(FRAMED.replace("changed here", "as it was") + "\n<p>same</p>\n")
    (tmp_path / "page.md").write_text(
        f"# Title\n\n[link](https://evil.example) ![cat](//evil/x.png)\n\n{FRAMED}\n\nlast\n"
    )
    with sh.Workspace(tmp_path, actor="agent") as ws:
        ws.edit("page.html", [sh.Replace("as it was", "changed here")])
        ws.edit("page.md", [sh.Replace("last", "changed here")])
    site = Site(tmp_path)
    places = [unescape(each) for each in re.findall(r'href="(/compare[^"]+)"', site.page())]
    assert len(places) == 2
    for place in places:
        for frame in re.findall(r'src="(/rendered[^"]+)"', site.page(place)):
            shown = site.page(unescape(frame)).partition("<body")[2]
            assert not re.search(r"<(script|style|img|iframe|form|input|button|link|meta|base|svg|object)", shown)
            assert not re.search(r"<[^>]*\s(on\w+|href|src|style|target|action)\s*=", shown)
            assert "Title</" in shown
            if "after" in frame:
                assert re.search(r"<mark>changed here|class=\"touched\">changed here|<mark>", shown)
    site.workspace.close()


# Decisions without a script


def test_forms_alone_accept_reject_amend_comment_and_take_back(site: Site) -> None:
    first = site.decide("line 3\n", "accept")
    assert first.status_code == 303
    assert first.headers["location"].startswith("/#c-")
    assert "1 change accepted." in site.page()
    assert "1 change accepted." not in site.page()
    site.decide("line 20\n", "reject", remark="keep it\r\nplease")
    site.decide("line 12\n", "amend", text="Line 12\r\nand much more\r\n")
    site.decide("y = 2\n", "comment", remark="why three?")
    assert site.states() == {
        "y = 2\n": "undecided", "line 3\n": "accepted", "line 12\n": "amended", "line 20\n": "rejected",
    }  # fmt: skip
    text = LINES.replace("line 3\n", "LINE 3\n").replace("line 12\n", "Line 12\nand much more\n")
    assert (site.root / "long.md").read_text() == text
    (rejected,) = [each for each in site.workspace.review() if each.state == "rejected"]
    assert (rejected.remark, rejected.by) == ("keep it\nplease", "ada")
    page = site.page()
    assert "why three?" in page
    assert "rejected by ada: keep it\nplease" in page
    undo = next(form for form in site.forms() if "seen" in form)
    site.send(undo, "undo")
    assert site.states()["line 12\n"] == "undecided"
    assert "timeline" in site.page("/timeline")
    assert all(said in site.page("/timeline") for said in ("rejected: keep it", "amended", "about line 12", "long.md"))


def test_the_rest_of_a_file_is_decided_as_it_was_seen_or_not_at_all(site: Site) -> None:
    (key,) = re.findall(r'<h2 id="(f-\w+)-h">long.md', site.page())
    seen = site.form(file=key)
    with sh.Workspace(site.root, actor="agent", task="T-1") as ws:
        ws.edit("long.md", [sh.Replace("line 28", "LINE 28")], reason="a late one")
    refused = site.send(seen, "accept-file")
    assert refused.status_code == 409
    assert "changes were added or removed" in refused.text.lower()
    assert set(site.states().values()) == {"undecided"}
    assert site.send(site.form(file=key), "accept-file").status_code == 303
    assert {state for before, state in site.states().items() if before != "y = 2\n"} == {"accepted"}
    everything = next(form for form in site.forms() if "seen" in form and "file" not in form)
    assert site.send(everything, "accept-plain").status_code == 409  # what is left has a risk
    assert site.states()["y = 2\n"] == "undecided"


@pytest.mark.parametrize("view", ["/", "/?show=waiting", "/?show=risk", "/?show=decided", "/?q=line+3", "/?q=long.md"])
def test_one_button_decides_about_nothing_that_is_not_shown(site: Site, view: str) -> None:
    site.decide("line 3\n", "accept")
    page = site.page(view)
    shown = set(re.findall(r'<article[^>]*data-state="undecided" data-id="(\w+)"', page))
    for file in SharedReview(site.workspace, Filter()).listing().files():
        (head,) = re.findall(rf'<h2 id="{file.key}-h">.*?</header>', page) or [""]
        buttons = re.findall(r'<button name="verb" value="(?:accept|reject)-file"[^>]*>', head)
        is_on = bool(buttons) and not any("disabled" in button for button in buttons)
        assert is_on == (bool(file.waiting()) and shown.issuperset(file.waiting()))
    (plain,) = re.findall(r'<button name="verb" value="accept-plain"[^>]*>', page)
    waiting = {change.id for change in site.workspace.review().waiting if not change.flags}
    assert ("disabled" not in plain) == shown.issuperset(waiting)


def test_a_decision_about_what_has_changed_says_so_and_changes_nothing(site: Site) -> None:
    change = next(each for each in site.workspace.review() if each.before == "line 3\n")
    form = site.form(change=change.id)
    with sh.Workspace(site.root, actor="bob") as ws:
        ws.edit("long.md", [sh.Replace("LINE 3", "Line three")])
    before = (site.root / "long.md").read_text()
    answer = site.client.post(
        "/decide", data={**form, "verb": "reject"}, headers={"Origin": HERE, "Accept": "application/json"}
    )
    assert answer.status_code in (400, 409)
    assert answer.json()["ok"] is False
    assert answer.json()["hints"]
    assert (site.root / "long.md").read_text() == before
    for verb in ("", "burn", "amend"):
        assert site.send({**site.forms()[0], "change": ""}, verb).status_code == 400


def test_a_reader_of_a_thousand_changes_gets_a_short_page_that_names_them_all(tmp_path: Path) -> None:
    (tmp_path / "big.py").write_text("".join(f"a{number} = 1\nb = 2\n" for number in range(1_000)))
    with sh.Workspace(tmp_path, actor="agent", task="T") as ws:
        ws.edit("big.py", [sh.Replace(f"a{number} = 1\n", f"a{number} = 3\n") for number in range(1_000)])
    site = Site(tmp_path)
    page = site.page()
    assert page.count("<article") == 1_000
    assert page.count("<table") == 30
    assert len(page) < 1_200_000
    keys = re.findall(r'<article class="hunk pending" id="([^"]+)"', page)
    parts = site.get(f"/parts?keys={','.join(keys[:50])},c-nothing").json()
    assert list(parts) == keys[:50]
    assert "a30 = <" in parts[keys[0]]
    assert "a29 = <" in page
    site.workspace.close()


# While somebody looks


def scope(site: Site, method: str, path: str, *headers: tuple[str, str]) -> dict[str, Any]:
    cookie = "; ".join(f"{name}={value}" for name, value in site.client.cookies.items())
    given = [("host", "127.0.0.1:8000"), ("cookie", cookie), ("content-type", "application/x-www-form-urlencoded")]
    return {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in (*given, *headers)],
        "scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 5), "http_version": "1.1",
        "root_path": "",
    }  # fmt: skip


def test_a_page_that_is_open_hears_what_happens_and_its_number_is_bounded(site: Site) -> None:
    heard: list[str] = []
    statuses: list[int] = []
    head = site.get("/state").json()["head"]

    async def listen(*headers: tuple[str, str]) -> None:
        async def receive() -> dict[str, Any]:
            await anyio.sleep_forever()
            return {}

        async def send(message: Any) -> None:
            statuses.extend([message["status"]] if "status" in message else [])
            body = message.get("body", b"").decode()
            if "event: journal" in body:
                heard.append(body)

        await site.app(scope(site, "GET", "/events", *headers), receive, send)

    async def run() -> None:
        with anyio.fail_after(300):
            async with anyio.create_task_group() as tasks:
                for _ in range(16):
                    tasks.start_soon(listen)
                while len(statuses) < 16:
                    await anyio.sleep(0.01)
                await listen()
                with sh.Workspace(site.root, actor="bob", task="T-2") as ws:
                    ws.edit("long.md", [sh.Replace("line 29", "LINE 29")], reason="late")
                while len(heard) < 16:
                    await anyio.sleep(0.01)
                site.pages.end()

    anyio.run(run)
    assert statuses == [200] * 16 + [503]
    news = json.loads(heard[0].partition("data: ")[2])
    assert [(each["type"], each["actor"], each["paths"]) for each in news["events"]] == [("edit", "bob", ["long.md"])]
    assert heard[0].startswith(f"id: {news['head']}\n")
    heard.clear()
    anyio.run(listen, ("last-event-id", str(head)))  # the streams have ended; a new one ends at once
    assert statuses[-1] == 200


def test_the_state_names_every_change_and_its_version(site: Site) -> None:
    before = site.get("/state").json()
    site.decide("line 3\n", "accept")
    after = site.get("/state").json()

    def versions(state: Any) -> dict[str, str]:
        return {key: version for file in state["files"] for key, version in file["changes"]}

    changed = {key for key, version in versions(after).items() if versions(before)[key] != version}
    assert len(changed) == 1
    assert "3 of 4 left" in after["progress"]
    assert after["head"] > before["head"]


# The command


def test_the_command_prints_its_link_and_ends_at_a_signal(root: Path) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        command = [sys.executable, "-m", "steadyhand", "--root", str(root), "review", "--web", "--no-open"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert process.stdout is not None
        link = process.stdout.readline()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/open/[\w-]{40,}\n", link)
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out, err) == (0, "", "")


def test_what_does_not_go_together_is_refused(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (["--port", "80"], ["--no-open"], ["--web", "--patch"], ["--export", "a.html", "--accept", "x"]):
        assert shell.refused("review", *arguments)["kind"] == "bad-request"
    for port in ("x", "70000", "²", "80:x"):
        assert shell.refused("review", "--web", "--port", port)["kind"] == "bad-request"
    assert shell.refused("review", "--web", "--port", "0.0.0.0:8000")["kind"] == "not-allowed"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused = shell.refused("review", "--web")
    assert refused["kind"] == "not-installed"
    assert "[web]" in str(refused["hint"])


# Held changes, and what needs no server


def test_a_held_change_is_marked_and_accepting_it_writes_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(LINES)
    with sh.Workspace(tmp_path, actor="agent", task="H", hold=True) as ws:
        ws.edit("a.md", [sh.Replace("line 4\n", "LINE 4\n")], reason="held one")
        ws.edit("a.md", [sh.Replace("line 9\n", "LINE 9\n")], reason="held two")
    site = Site(tmp_path)
    page = site.page()
    assert page.count('class="badge held"') == 2
    assert "line 11" in page, "what is around it"
    assert (tmp_path / "a.md").read_text() == LINES
    site.decide("line 4\n", "accept")
    assert (tmp_path / "a.md").read_text() == LINES.replace("line 4\n", "LINE 4\n")
    with sh.Workspace(tmp_path, actor="bob") as ws:
        ws.edit("a.md", [sh.Replace("line 9\n", "line nine\n")])
    page = site.page()
    assert "Others have changed these lines on disk" in page
    assert re.search(r"<pre>line nine\n</pre>.*<pre>LINE 9\n</pre>", page, re.DOTALL)
    button = re.search(r'<button [^>]*value="accept"[^>]*disabled', page[page.index("line nine") :])
    assert button is not None, "it would be refused"
    with sh.Workspace(tmp_path, actor="bob") as ws, pytest.raises(EditError):
        ws.review().accept([each.id for each in ws.review().waiting if each.held])
    said = site.page("/timeline")
    assert said.count("<p>accepted</p>") == 1, "what was refused was not decided"
    assert "refused, and nothing was changed: a.md: others have changed the lines" in said
    site.workspace.close()


def test_the_exported_file_shows_the_same_and_asks_for_nothing(work: Shell) -> None:
    before = work.tree()
    work.ok("review", "--export", "../review.html")
    assert work.tree() == before
    page = (work.root.parent / "review.html").read_text()
    assert page.count("<article") == 3
    for said in ("about 3", "about 20", "timeline", 'class="diff unified"', 'class="diff beside"', "T-1"):
        assert said in page
    assert not re.search(r"<script|<form|<iframe|<button|https?:|url\(|/assets/", page.replace("data:,", ""))
    assert "default-src &#x27;none&#x27;" in page
    assert re.search(r"&lt;b&gt;", page)


def test_a_patch_and_markdown_are_printed_as_they_are(work: Shell) -> None:
    patch = work.ok("review", "--patch")
    assert patch.startswith("diff --git a/long.md b/long.md\n--- a/long.md\n+++ b/long.md\n@@ ")
    assert "\n-line 20\n" in patch
    words = work.ok("review", "--markdown")
    assert words.startswith("## Review of 3 changes in 1 file\n\n3 undecided.\n")
    assert "- [ ] line 3: about 3 — agent · T\\-1" in words
    assert "\\<b\\>bold\\</b\\> \\[x\\]\\(y\\)" in words
    assert work.json("review", "--patch")["patch"] == patch
    assert work.json("review", "--markdown")["markdown"] == words


@pytest.fixture
def work(shell: Shell) -> Shell:
    """Three hunks of an agent for T-1."""
    (shell.root / "long.md").write_text(LINES)
    agent = ("--actor", "agent", "--task", "T-1", "edit", "long.md")
    for old, new, why in (
        ("line 3", "L 3", "about 3"),
        ("line 20\n", "", "about 20"),
        ("line 7", "<b>", "<b>bold</b> [x](y)"),
    ):
        shell.ok(*agent, "--old", old, "--new", new, "--reason", why, "--occurrence", "1")
    return shell
