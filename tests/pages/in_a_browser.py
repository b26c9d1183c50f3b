"""The page of a review in a real Chromium; `make pages` runs this.

The promises: everything can be done with the mouse, with the keyboard alone, on a telephone and without a script; what
others do appears without moving what a reader looks at, focuses or writes; nothing that files hold runs or leaves the
machine; no other page and no other link gets in.
"""

from __future__ import annotations

import http.server
import re
import statistics
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import steadyhand as sh
from tests.pages.browser import LONG, Serving, browser, signed_in

LINES = "".join(f"line {number} of a text that is long enough to be read\n" for number in range(1, 61))
HUNKS = 1_000

expect.set_options(timeout=LONG)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as opened:
        yield opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Six hunks of a page, and a tolerant one of a program with evidence."""
    (tmp_path / "long.md").write_text(LINES)
    (tmp_path / "app.py").write_text("x = 1\ny = 2\n")
    with sh.Workspace(tmp_path, actor="agent", task="T-1") as ws:
        for number in (3, 12, 20, 31, 40, 52):
            ws.edit("long.md", [sh.Replace(f"line {number} of", f"LINE {number} of")], reason=f"about {number}")
        ws.record_evidence("app.py", [{"changedFile": "lib.py", "matchType": "symbol"}])
        ws.edit("app.py", [sh.Replace("y =  2", "y = 3")], reason="three")
    return tmp_path


@pytest.fixture
def served(root: Path) -> Iterator[Serving]:
    with Serving(root) as serving:
        yield serving
    assert serving.process.returncode == 0


@pytest.fixture
def page(chromium: Browser, served: Serving) -> Iterator[Page]:
    opened = watched(chromium, served)
    yield opened
    opened.context.close()
    assert not problems(opened)


_PROBLEMS: dict[int, list[str]] = {}


def watched(chromium: Browser, served: Serving, **options: Any) -> Page:
    """A page that has opened the link, and whose complaints and foreign requests are noted."""
    page = signed_in(chromium, served, **options)
    noted = _PROBLEMS.setdefault(id(page), [])
    page.on("pageerror", lambda error: noted.append(str(error)))
    page.on("dialog", lambda dialog: (noted.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda message: noted.append(message.text) if message.type == "error" else None)
    page.on("request", lambda asked: None if asked.url.startswith(served.address) else noted.append(asked.url))
    return page


def problems(page: Page) -> list[str]:
    """What a page complained of, but for answers that a test provoked."""
    return [each for each in _PROBLEMS.pop(id(page), []) if "status of 4" not in each and not each.startswith("data:")]


def change(page: Page, reason: str) -> Any:
    return page.locator("article.hunk", has=page.get_by_text(reason, exact=True))


def states(root: Path) -> dict[str, str]:
    with sh.Workspace(root, actor="ada") as ws:
        return {str(each.reason): each.state for each in ws.review()}


def row(root: Path, number: int) -> str:
    return (root / "long.md").read_text().splitlines()[number - 1]


def test_the_mouse_accepts_rejects_amends_comments_and_takes_back(page: Page, root: Path) -> None:
    expect(page.locator("#progress")).to_contain_text("7 of 7 left")
    change(page, "about 3").get_by_role("button", name="Accept").click()
    expect(change(page, "about 3").locator(".state")).to_contain_text("accepted")
    twelve = change(page, "about 12")
    twelve.get_by_label("Remark for the agent").fill("keep it small")
    twelve.get_by_role("button", name="Reject").click()
    expect(page.locator("#live")).to_contain_text("1 change rejected")
    assert row(root, 12).startswith("line 12")
    twenty = change(page, "about 20")
    twenty.locator("summary", has_text="Amend").click()
    twenty.locator("textarea[name=text]").fill("Line twenty\nand one more\n")
    twenty.get_by_role("button", name="Save the amendment").click()
    expect(page.locator("#live")).to_contain_text("1 change amended")
    assert (row(root, 20), row(root, 21)) == ("Line twenty", "and one more")
    three = change(page, "three")
    three.get_by_label("Remark for the agent").fill("why three?")
    three.get_by_role("button", name="Comment").click()
    expect(change(page, "three").locator(".comments")).to_contain_text("why three?")
    expect(page.locator("#progress")).to_contain_text("4 of 7 left")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#progress")).to_contain_text("5 of 7 left")
    assert row(root, 20).startswith("LINE 20")
    with sh.Workspace(root, actor="agent", task="T-1") as ws:
        heard = {(item.state, item.remark) for item in ws.review(task="T-1").feedback("T-1")}
    assert heard == {("rejected", "keep it small"), ("commented", "why three?")}


def test_the_keyboard_alone_is_enough(page: Page, root: Path) -> None:
    def current() -> str:
        return page.locator("article.hunk.current .reason").first.inner_text()

    press = page.keyboard.press
    press("?")
    expect(page.get_by_role("dialog")).to_contain_text("accept everything without a risk flag")
    press("Escape")
    press("J")
    expect(page.locator("article.current .reason").first).to_have_text("three")
    press("v")
    expect(page.locator("article.current .evidence")).to_contain_text("lib.py")
    press("y")
    expect(page.locator("#progress")).to_contain_text("6 of 7 left")
    expect(page.locator("article.current .reason").first).to_have_text("about 3")
    press("n")
    expect(page.locator("#progress")).to_contain_text("5 of 7 left")
    expect(page.locator("article.current .reason").first).to_have_text("about 12")
    press("e")
    page.keyboard.press("Control+A")
    page.keyboard.type("typed instead\n")
    press("Control+Enter")
    expect(page.locator("#progress")).to_contain_text("4 of 7 left")
    assert row(root, 12) == "typed instead"
    expect(page.locator("article.current .reason").first).to_have_text("about 20")
    press("c")
    page.keyboard.type("is this right? y n")
    press("Control+Enter")
    expect(page.locator("article.current .comments")).to_contain_text("is this right? y n")
    expect(page.locator("article.current")).to_be_focused()
    press("r")
    page.keyboard.type("not like this")
    press("Control+Enter")
    expect(page.locator("#progress")).to_contain_text("3 of 7 left")
    press("u")
    expect(page.locator("#progress")).to_contain_text("4 of 7 left")
    press("K")
    press("J")
    assert current()
    press("a")
    expect(page.locator("#progress")).to_contain_text("nothing left")
    assert set(states(root).values()) == {"accepted", "rejected", "amended"}
    press("u")
    expect(page.locator("#progress")).to_contain_text("4 of 7 left")
    press("A")
    expect(page.locator("#progress")).to_contain_text("nothing left")
    press("u")
    expect(page.locator("#progress")).to_contain_text("4 of 7 left")
    press("d")
    expect(page.locator("#progress")).to_contain_text("nothing left")
    assert row(root, 52).startswith("line 52")
    press("b")
    expect(page.locator("table.beside").first).to_be_attached()
    page.wait_for_load_state()  # a key that is pressed before the script has run is lost
    press("/")
    page.keyboard.type("LINE 40")
    press("Enter")
    page.wait_for_url(re.compile("q=LINE"))
    expect(page.locator("article.hunk")).to_have_count(1)


def test_keys_pressed_ahead_of_the_server_are_about_what_is_seen(page: Page, root: Path) -> None:
    """No answer moves the focus: letters that are being written never become decisions about another change."""
    waiting: list[Any] = []
    page.route("**/decide", lambda route: waiting.append(route))

    def asked() -> Any:
        while not waiting:
            page.wait_for_timeout(10)
        return waiting.pop(0)

    press = page.keyboard.press
    press("J")
    press("y")  # three
    press("n")  # about 3
    press("r")
    page.keyboard.type("any name, y or n")  # about 12
    field = change(page, "about 12").get_by_label("Remark for the agent")
    for left in ("6 of 7 left", "5 of 7 left"):
        asked().continue_()
        expect(page.locator("#progress")).to_contain_text(left)
        expect(field).to_be_focused()
    page.keyboard.type(".")
    expect(field).to_have_value("any name, y or n.")
    assert states(root) == {
        "three": "accepted", "about 3": "rejected",
        **{f"about {number}": "undecided" for number in (12, 20, 31, 40, 52)},
    }  # fmt: skip
    press("Control+Enter")
    press("u")
    asked().abort()  # the rejection is lost on its way: what was written is there again
    asked().continue_()  # and the undo is about what came before it
    expect(page.locator("#progress")).to_contain_text("6 of 7 left")
    expect(field).to_have_value("any name, y or n.")
    _PROBLEMS[id(page)].remove("Failed to load resource: net::ERR_FAILED")  # that one


def test_what_others_do_appears_and_moves_nothing(page: Page, root: Path) -> None:
    field = change(page, "about 31").get_by_label("Remark for the agent")
    field.fill("half a rem")
    field.focus()
    page.keyboard.press("End")
    page.evaluate("scrollTo(0, document.querySelector('textarea:focus').getBoundingClientRect().top + scrollY - 300)")
    before = field.bounding_box()
    with sh.Workspace(root, actor="bob", task="T-2") as ws:
        ws.edit("long.md", [sh.Replace("line 1 of", "LINE 1 of")], reason="from bob")
        ws.edit("app.py", [sh.Replace("x = 1", "x = 10")], reason="ten")
    expect(page.locator("article.hunk")).to_have_count(9)
    expect(page.locator("#progress")).to_contain_text("9 of 9 left")
    expect(page.locator("#live")).to_contain_text("bob")
    page.keyboard.type("ark")
    assert page.evaluate("document.activeElement.value") == "half a remark"
    after = field.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 40
    # Its own text changes: what was written stays with it, and a change that has gone says so.
    with sh.Workspace(root, actor="agent", task="T-1") as ws:
        ws.edit("long.md", [sh.Replace("LINE 31 of", "LINE 31, again, of")], reason="once more")
    expect(page.locator("article.gone")).to_contain_text("no longer exists")
    assert page.locator("article.gone textarea[name=remark]").input_value() == "half a remark"


def test_a_reload_in_the_middle_loses_nothing(page: Page) -> None:
    change(page, "about 40").get_by_label("Remark for the agent").fill("unfinished")
    amended = change(page, "about 52")
    amended.locator("summary", has_text="Amend").click()
    amended.locator("textarea[name=text]").fill("half an amendment")
    change(page, "about 3").get_by_role("button", name="Accept").click()
    expect(page.locator("#progress")).to_contain_text("6 of 7 left")
    page.reload()
    expect(page.locator("#progress")).to_contain_text("6 of 7 left")
    expect(change(page, "about 40").get_by_label("Remark for the agent")).to_have_value("unfinished")
    expect(change(page, "about 52").locator("textarea[name=text]")).to_have_value("half an amendment")
    expect(change(page, "about 52").locator("textarea[name=text]")).to_be_visible()


def test_two_tabs_agree(page: Page, served: Serving) -> None:
    other = page.context.new_page()
    other.goto(f"{served.address}/")
    change(page, "about 3").get_by_role("button", name="Accept").click()
    expect(change(other, "about 3").locator(".state")).to_contain_text("accepted")
    change(other, "about 12").get_by_role("button", name="Reject").click()
    expect(change(page, "about 12").locator(".state")).to_contain_text("rejected")
    expect(page.locator("#progress")).to_contain_text("5 of 7 left")
    timeline = page.context.new_page()
    timeline.goto(f"{served.address}/timeline")
    change(page, "about 20").get_by_role("button", name="Accept").click()
    expect(timeline.locator(".timeline li").first).to_contain_text("accepted")
    expect(timeline.locator(".timeline li")).to_have_count(12)


def test_a_thousand_changes_are_painted_soon_and_loaded_when_they_come_near(
    chromium: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "big.py").write_text("".join(f"a{number} = 1\nb = 2\n" for number in range(HUNKS)))
    with sh.Workspace(tmp_path, actor="agent", task="T") as ws:
        edits = [sh.Replace(f"a{number} = 1\n", f"a{number} = 3\n", reason=f"no {number}") for number in range(HUNKS)]
        ws.edit("big.py", edits)
    with Serving(tmp_path) as served:
        page = watched(chromium, served)
        paints = []
        for _ in range(5):
            page.reload()
            page.locator("article.hunk").first.wait_for()
            paints.append(page.evaluate(_PAINT))
        with capsys.disabled():
            print(f"\n{HUNKS} changes: first paint after {statistics.median(paints):.0f} ms (median of {len(paints)})")
        assert page.locator("article.hunk").count() == HUNKS
        assert page.locator("article.pending").count() > HUNKS - 100
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        last = page.locator("article.hunk").last
        expect(last.locator("table")).to_be_attached()
        page.get_by_role("button", name=re.compile("^Accept 1,000 changes")).click()
        expect(page.locator("#progress")).to_contain_text("nothing left")
        assert set(states(tmp_path).values()) == {"accepted"}
        page.context.close()
        assert not problems(page)


_PAINT = """() => new Promise((done) => {
    const found = () => performance.getEntriesByName('first-contentful-paint')[0];
    const look = () => found() ? done(found().startTime) : setTimeout(look, 5);
    look();
})"""

EVIL = (
    "<script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)><a href=javascript:alert(3)>x</a>"
    "<style>*{display:none}</style>"
)


def test_nothing_that_files_hold_runs_or_leaves_the_machine(chromium: Browser, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<p>one</p>\n{EVIL}\n")
    (tmp_path / "page.md").write_text("one\n")
    (tmp_path / "long.txt").write_text("x " * 25_000 + "\nend\n")
    (tmp_path / "logo.bin").write_bytes(bytes(range(256)) * 8)
    with sh.Workspace(tmp_path, actor="agent <b>", task="T </script><script>alert(4)</script>") as ws:
        ws.edit("page.html", [sh.Replace("<p>one", f"<p>two {EVIL}")], reason=EVIL)
        ws.edit(
            "page.md",
            [sh.Replace("one", f"two {EVIL} \u202egnihton\u202c [l](javascript:alert(5))")],
            reason="\x1b[31m",
        )
        ws.edit("long.txt", [sh.Replace("end", "word " * 10_000)], reason="a line of 50 KB")
        ws.write("logo.bin", b"\0" + bytes(range(256)) * 9, overwrite=True)
    with sh.Workspace(tmp_path, actor="ann") as ws:
        ws.review().comment(ws.review().changes[0].id, EVIL)
    with Serving(tmp_path) as served:
        page = watched(chromium, served)
        for kind in ("unified", "beside"):
            page.goto(f"{served.address}/?view={kind}")
            expect(page.locator("table.diff").first).to_be_visible()
        expect(page.locator(".odd", has_text="202e").first).to_be_attached()
        for name in ("page.html", "page.md"):
            page.goto(f"{served.address}/")
            page.locator("section.file", has=page.locator("h2", has_text=name)).get_by_role(
                "link", name="Rendered"
            ).click()
            after = page.frame_locator("iframe").nth(1)
            expect(after.locator("body")).to_contain_text("two")
            expect(after.locator("script, img, style + style, [onerror], [href]")).to_have_count(0)
            refused = page.evaluate("document.querySelectorAll('iframe')[1].contentDocument === null")
            assert refused, "the frame has an origin of its own"
        page.goto(f"{served.address}/timeline")
        expect(page.locator(".timeline li").first).to_be_visible()
        page.context.close()
        assert not problems(page)


def test_a_wrong_link_a_used_link_and_another_page_get_nothing(chromium: Browser, served: Serving, root: Path) -> None:
    page = signed_in(chromium, served)
    csrf = page.locator("body").get_attribute("data-csrf")
    key = page.locator("article.hunk").first.get_attribute("data-id")
    for link in (served.link, served.link[:-3] + "abc"):
        stranger = chromium.new_context().new_page()
        answer = stranger.goto(link)
        assert answer is not None
        assert answer.status == 403
        answer = stranger.goto(f"{served.address}/")
        assert answer is not None
        assert answer.status == 401
        stranger.context.close()
    form = (
        f"<form method=post action={served.address}/decide><input name=csrf value={csrf}><input name=verb value=accept>"
        f"<input name=change value={key}><button>go</button></form><iframe src={served.address}/></iframe>"
        f"<a href={served.address}/>in</a>"
    )
    with elsewhere(form) as address:
        page.goto(address)
        with page.expect_navigation() as posted:
            page.get_by_role("button", name="go").click()
        assert posted.value is not None
        assert posted.value.status == 403
        page.goto(address)
        assert "Review" not in page.frames[1].content()
        read = page.evaluate(f"fetch('{served.address}/state', {{credentials: 'include'}}).then(() => 1, () => 0)")
        assert read == 0
    assert set(states(root).values()) == {"undecided"}
    page.context.close()


class elsewhere:  # noqa: N801  # used as a function
    """A page of another origin, on another port of this machine."""

    def __init__(self, body: str) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_a_telephone_shows_all_of_it_without_scrolling_sideways(chromium: Browser, served: Serving, root: Path) -> None:
    page = watched(chromium, served, viewport={"width": 360, "height": 740}, has_touch=True)
    for view in ("", "?view=beside", "timeline"):
        page.goto(f"{served.address}/{view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.goto(f"{served.address}/")
    expect(page.locator("#side")).to_be_hidden()
    page.get_by_text("Files", exact=True).first.click()
    page.locator("#side").get_by_text("long.md").click()
    expect(page.locator("#side")).to_be_hidden()
    change(page, "about 3").get_by_role("button", name="Accept").tap()
    expect(change(page, "about 3").locator(".state")).to_contain_text("accepted")
    page.context.close()
    assert not problems(page)


def test_without_a_script_one_can_read_and_decide(chromium: Browser, served: Serving, root: Path) -> None:
    page = watched(chromium, served, java_script_enabled=False)
    expect(page.get_by_role("button", name="Theme")).to_have_count(0)
    change(page, "about 3").get_by_role("button", name="Accept").click()
    expect(page.locator(".notice")).to_have_text("1 change accepted.")
    amended = change(page, "about 12")
    amended.locator("summary", has_text="Amend").click()
    amended.locator("textarea[name=text]").fill("by a form\n")
    amended.get_by_role("button", name="Save the amendment").click()
    expect(page.locator(".notice")).to_have_text("1 change amended.")
    assert row(root, 12) == "by a form"
    page.get_by_role("button", name="Undo").click()
    assert row(root, 12).startswith("LINE 12")
    page.get_by_role("link", name="Side by side").click()
    expect(page.locator("table.beside").first).to_be_visible()
    page.get_by_role("link", name="More context").first.click()
    expect(page.locator("article.hunk")).to_have_count(1)
    page.get_by_role("link", name="Back to the changes").click()
    page.get_by_label("Search changes").fill("LINE 40")
    page.keyboard.press("Enter")
    expect(page.locator("article.hunk")).to_have_count(1)
    page.context.close()


def test_a_screen_reader_finds_its_way(page: Page) -> None:
    for role in ("banner", "main", "search"):
        expect(page.get_by_role(role)).to_have_count(1)  # type: ignore[arg-type]
    expect(page.get_by_role("navigation", name="Tasks and files")).to_have_count(1)
    expect(page.get_by_role("status")).to_have_count(1)
    nameless = page.evaluate("""() => [...document.querySelectorAll('button, a, textarea, input:not([type=hidden])')]
        .filter((each) => !(each.textContent.trim() || each.ariaLabel || each.labels?.length || each.title))
        .map((each) => each.outerHTML)""")
    assert nameless == []
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map((each) => +each.tagName[1])")
    assert all(after - before <= 1 for before, after in pairwise(levels))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the changes")).to_be_focused()
    page.keyboard.press("J")
    named = page.evaluate("document.getElementById(document.activeElement.getAttribute('aria-labelledby')).innerText")
    assert "Line" in named
    removed = change(page, "about 3").locator("tr.removed .vh")
    expect(removed).to_have_text("removed:")


def test_light_and_dark_follow_the_system_and_the_switch(chromium: Browser, served: Serving) -> None:
    page = watched(chromium, served, color_scheme="dark")
    paper = "getComputedStyle(document.querySelector('article')).backgroundColor"
    dark = page.evaluate(paper)
    page.get_by_role("button", name=re.compile("light and dark")).click()
    light = page.evaluate(paper)
    assert dark != light
    page.reload()
    assert page.evaluate(paper) == light
    page.context.close()
    assert not problems(page)
