"""The page: tasks, files and changes as HTML, with forms that decide, or without, as a file that shows the same.

Everything works without a script: each decision is a form, each view an address. The script only saves the reloading.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from steadyhand.session.review.change import FLAGS
from steadyhand.surfaces.terminal import UNSAFE, counted, shown_time, visible_name
from steadyhand.surfaces.web.markup import Html, el, join
from steadyhand.surfaces.web.rendered import can_render
from steadyhand.surfaces.web.rows import CONTEXT, MOST_ROWS, Row, Text, beside, count_rows, rows_of, unified
from steadyhand.surfaces.web.shared_review import File, Group, Listing, SharedReview, Shown, seen_of
from steadyhand.text.lines import split_lines

if TYPE_CHECKING:
    from steadyhand.session.events import Event
    from steadyhand.session.review.change import ReviewChange

FIRST = 30  # changes that a page has from the start; the others come when they are looked at
OF_A_FILE = 200  # on the page of one file
_LONGEST_SEARCH = 200  # characters
_LONGEST_FORM = 200_000  # characters of a text that a form offers to amend
_SHOWS = {"all": "All", "waiting": "Waiting", "risk": "With a risk", "decided": "Decided"}
_KEYS = (
    ("J K", "next, previous pending change"),
    ("j k", "next, previous change"),
    ("y", "accept"),
    ("n", "reject"),
    ("r", "reject with a remark for the agent"),
    ("e", "amend"),
    ("c", "comment without deciding"),
    ("a d", "accept, reject the rest of the file"),
    ("A", "accept everything without a risk flag"),
    ("u", "undo your last decision"),
    ("v", "the evidence"),
    ("b", "unified or side by side"),
    ("/", "search"),
    ("?", "this list"),
    ("Ctrl+Enter", "send what you typed"),
    ("Esc", "leave the field; your text stays"),
)
_TYPES = {"review.css": "text/css; charset=utf-8", "review.js": "text/javascript; charset=utf-8"}


class View(NamedTuple):
    """What of the changes is shown, and how; the address of a page says so."""

    of: str | None = None
    file: str | None = None
    show: str = "all"
    kind: str = "unified"
    words: str | None = None

    @classmethod
    def of_query(cls, query: Mapping[str, str]) -> View:
        """What an address asks for; what makes no sense is left out."""
        show, kind = query.get("show", "all"), query.get("view", "unified")
        return cls(
            query.get("of") or None,
            query.get("file") or None,
            show if show in _SHOWS else "all",
            kind if kind == "beside" else "unified",
            query.get("q", "")[:_LONGEST_SEARCH] or None,
        )

    def href(self, place: str = "/", **changed: str | None) -> str:
        """The address of this view with something changed."""
        said = {"of": self.of, "file": self.file, "show": self.show, "view": self.kind, "q": self.words} | changed
        plain = {"show": "all", "view": "unified"}
        given = {name: value for name, value in said.items() if value and plain.get(name) != value}
        return f"{place}?{urlencode(given, errors='surrogatepass')}" if given else place

    def wants(self, change: ReviewChange) -> bool:
        """Whether a change is shown."""
        texts = (change.path, change.before, change.after, change.reason or "")
        if self.words and not any(self.words.lower() in text.lower() for text in texts):
            return False
        match self.show:
            case "waiting":
                return change.state == "undecided"
            case "risk":
                return bool(change.flags)
            case "decided":
                return change.state != "undecided"
        return True


class Page:
    """One view of a listing as HTML. Without `csrf` nothing can be decided: it is a page to read."""

    def __init__(self, review: SharedReview, listing: Listing, view: View, csrf: str | None) -> None:
        self._review = review
        self._listing = listing
        self._view = view
        self._csrf = csrf

    @cached_property
    def _whole(self) -> dict[str, File]:
        """The files by their keys, with all changes, shown or not."""
        return {file.key: file for file in self._listing.files(self._view.of)}

    @cached_property
    def files(self) -> list[File]:
        """The files with the changes that are shown."""
        view = self._view
        files = (file for key, file in self._whole.items() if view.file in (None, key))
        kept = [File(file.path, tuple(each for each in file.shown if view.wants(each.change))) for file in files]
        return [file for file in kept if file.shown]

    @cached_property
    def _waiting(self) -> set[str]:
        """The ids of changes that are shown and wait: nothing else is decided about by one button."""
        return {name for file in self.files for name in file.waiting()}

    def main(self, notice: Html | None = None, first: int | None = None) -> Html:
        """Everything between the header and the end of the page."""
        files = self.files
        room = first if first is not None else FIRST if self._view.file is None else OF_A_FILE
        sections = []
        for file in files:
            sections.append(self.section(file, room))
            room = max(room - len(file.shown), 0)
        nothing = el(
            "p", "No change to show here. ", el("a", "Show all changes", href=View(kind=self._view.kind).href()),
            class_="empty",
        )  # fmt: skip
        found = self._listing.shown
        if not found:
            nothing = el("p", "No change is recorded yet. This page shows them as agents make them.", class_="empty")
        return el(
            "div",
            el("input", type="checkbox", id="menu", class_="vh") if not self._is_static else None,
            self.side(),
            el(
                "main", el("h2", "Changes", class_="vh"), notice or "", self._filters(),
                el("div", join(sections) if sections else nothing, id="files"),
                id="changes", tabindex=-1,
            ),
            class_="layout",
        )  # fmt: skip

    @property
    def _is_static(self) -> bool:
        return self._csrf is None

    # Above and beside

    def header(self) -> Html:
        """The top of the page: what is reviewed, how much is left, and how it is shown."""
        view = self._view
        kinds = [
            el(
                "a", name, href=view.href(view=kind), class_="tab", data_view=kind,
                aria_current="true" if view.kind == kind else None,
            )
            for kind, name in (("unified", "Unified"), ("beside", "Side by side"))
        ]  # fmt: skip
        search = el(
            "form", *(el("input", type="hidden", name=name, value=value)
                      for name, value in (("of", view.of), ("show", view.show), ("view", view.kind)) if value),
            el("label", "Search changes", for_="search", class_="vh"),
            el("input", type="search", name="q", id="search", value=view.words or "", placeholder="Search"),
            action="/", role="search",
        )  # fmt: skip
        tools = [
            search,
            el("span", *kinds, class_="tabs", role="group", aria_label="Layout"),
            el("a", "Timeline", href=view.href("/timeline", file=None, show=None), class_="tool"),
            el(
                "button",
                "Theme",
                type="button",
                class_="tool js",
                id="theme",
                aria_label="Switch between light and dark",
            ),
            el("button", "Keys ", el("kbd", "?"), type="button", class_="tool js", id="help"),
        ]
        return el(
            "header",
            el("label", "Files", for_="menu", class_="tool menu"),
            el("h1", el("a", "Review", href="/"), " ", el("span", self._review.name, class_="root")),
            el("div", self.progress(), id="progress"),
            el("nav", *tools, aria_label="View", class_="tools"),
            class_="top",
        )

    def progress(self) -> Html:
        """How much is left of what is shown."""
        shown = [each.change for file in self._whole.values() for each in file.shown]
        left = sum(change.state == "undecided" for change in shown)
        said = f"{left:,} of {len(shown):,} left" if left else "nothing left to decide" if shown else "no changes"
        return join([
            el("progress", value=len(shown) - left, max=max(len(shown), 1), aria_label="decided"),
            el("span", said, class_="left"),
        ])  # fmt: skip

    def side(self) -> Html:
        """The tasks and the files."""
        return el("nav", self._groups(), self._tree(), aria_label="Tasks and files", id="side")

    def _groups(self) -> Html:
        groups = self._listing.groups
        total = len(self._listing.shown)
        everything = Group("", "all", "Everything", sum(group.left for group in groups), total)
        rows = [self._group(group) for group in (everything, *groups)]
        return join([el("h2", "Tasks and runs"), el("ul", *rows, class_="groups")])

    def _group(self, group: Group) -> Html:
        kinds = {"task": "task ", "run": "impact run ", "actor": "without a task, by ", "all": ""}
        is_shown = (self._view.of or "") == group.key
        style = "vh" if group.kind == "task" else "kind"
        return el(
            "li",
            self._link(
                join([
                    el("span", el("span", kinds[group.kind], class_=style), group.name, class_="name"),
                    _left(group.left, group.total),
                ]),
                self._view.href(of=group.key or None, file=None),
                is_shown,
            ),
        )  # fmt: skip

    def _link(self, content: Html, href: str, is_shown: bool) -> Html:
        if self._is_static:
            return el("span", content, class_="row")
        return el("a", content, href=href, class_="row", aria_current="page" if is_shown else None)

    def _tree(self) -> Html:
        """The files by directory; those of one directory are together."""
        files = sorted(self._whole.values(), key=lambda file: file.path.rpartition("/")[::2])
        here = {file.path for file in self.files}
        parts = [el("h2", "Files")]
        for folder, inside in groupby(files, key=lambda file: file.path.rpartition("/")[0]):
            if folder:
                parts.append(el("h3", visible_name(folder), class_="folder"))
            parts.append(el("ul", *(self._leaf(file, is_here=file.path in here) for file in inside), class_="files"))
        return join(parts)

    def _leaf(self, file: File, *, is_here: bool) -> Html:
        name = file.path.rpartition("/")[2]
        risk = el("span", "▲", class_="risk", title="has a risk", aria_hidden="true") if file.is_risky else None
        said = el("span", " has a risk", class_="vh") if file.is_risky else None
        href = f"#{file.key}" if is_here or self._is_static else self._view.href(file=None, show=None) + f"#{file.key}"
        row = join([el("span", visible_name(name), class_="name"), risk, said, _left(file.left, len(file.shown))])
        return el("li", el("a", row, href=href, class_="row", data_file=file.key))

    def _filters(self) -> Html | None:
        if self._is_static:
            return None
        view = self._view
        links = [
            el("a", name, href=view.href(show=show), class_="tab", aria_current="true" if view.show == show else None)
            for show, name in _SHOWS.items()
        ]
        plain = self._listing.plain(view.of)
        whole = [el("a", "Only one file is shown; show all", href=view.href(file=None))] if view.file else []
        return el(
            "div",
            el("nav", *links, class_="tabs", aria_label="Which changes"),
            *whole,
            el(
                "form", self._hidden(of=view.of, seen=seen_of(plain)),
                _button(
                    "accept-plain", f"Accept {counted(len(plain), 'change')} without a risk", "A",
                    off=not plain or not self._waiting.issuperset(plain),
                ),
                _button("undo", "Undo", "u"),
                method="post", action="/decide", class_="all",
            ),
            id="filters",
        )  # fmt: skip

    def _hidden(self, **fields: str | None) -> Html:
        given = {"csrf": self._csrf, "back": self._view.href(), **fields}
        return join(el("input", type="hidden", name=name, value=value) for name, value in given.items() if value)

    # Files and changes

    def section(self, file: File, room: int) -> Html:
        """A file with its changes; `room` of them in full."""
        articles = [self.article(each) if at < room else self.pending(each) for at, each in enumerate(file.shown)]
        return el(
            "section", self.file_head(file), *articles, class_="file", id=file.key, aria_labelledby=f"{file.key}-h",
        )  # fmt: skip

    def file_head(self, file: File) -> Html:
        """The name of a file, how much of it is left, and what can be done with all of it."""
        view = self._view
        title = el("h2", visible_name(file.path), id=f"{file.key}-h")
        whole = self._whole[file.key]
        count = _left(whole.left, len(whole.shown))
        if self._is_static:
            return el("header", title, count, class_="filehead")
        look = None
        if can_render(file.path):
            look = el(
                "a", "Rendered", href=view.href("/compare", file=file.key, show=None, q=None), class_="tool rendered"
            )
        waiting = whole.waiting()
        off = not waiting or not self._waiting.issuperset(waiting)
        form = el(
            "form", self._hidden(file=file.key, of=view.of, seen=seen_of(waiting)),
            _button("accept-file", "Accept rest", "a", off=off),
            _button("reject-file", "Reject rest", "d", off=off),
            method="post", action="/decide", class_="whole", aria_label=f"All of {visible_name(file.path)}",
        )  # fmt: skip
        return el("header", title, count, look, form, class_="filehead")

    def pending(self, shown: Shown) -> Html:
        """The place of a change that is not loaded yet: where it is and why, with a link to it."""
        change = shown.change
        gone, came = count_rows(change)
        return el(
            "article",
            el("h3", el("a", _place(change), href=self._view.href(f"/change/{shown.key}")), class_="where"),
            el("span", f"+{came} −{gone}", class_="size"), " ",
            el("span", change.reason or "", class_="reason"), " ", _state(change),
            class_="hunk pending", id=shown.key, data_version=shown.version, data_state=change.state,
            data_id=change.id, tabindex=-1,
        )  # fmt: skip

    def article(self, shown: Shown, *, around: int = CONTEXT, most: int = MOST_ROWS) -> Html:
        """A change with its reason, what is known of it, and what can be done about it."""
        change = shown.change
        head = el(
            "div",
            el("h3", _place(change), id=f"{shown.key}-h", class_="where"),
            _state(change),
            *(el("span", flag, class_="badge flag", title=FLAGS.get(flag)) for flag in change.flags),
            el("span", "held", class_="badge held", title="it is not on disk until it is accepted")
            if change.held
            else None,
            el("a", change.id, href=f"#{shown.key}", class_="id", aria_label="Link to this change"),
            class_="head",
        )
        return el(
            "article",
            head,
            el("div", self._why(change), class_="why"),
            el("div", self._diff(shown, around, most), _conflict(change), class_="what"),
            self._forms(shown),
            class_="hunk", id=shown.key, data_version=shown.version, data_state=change.state, data_id=change.id,
            tabindex=-1, aria_labelledby=f"{shown.key}-h",
        )  # fmt: skip

    def _why(self, change: ReviewChange) -> Html:
        """The reason, who made the change and how, what speaks for it, and what was said about it."""
        facts = [
            ("by", change.actor), ("model", change.model), ("task", change.task), ("tool", change.tool),
            ("match", change.tier), ("time", shown_time(change.time)),
        ]  # fmt: skip
        meta = [el("div", el("dt", name), el("dd", value)) for name, value in facts if value]
        said: list[Html] = []
        if change.by and change.state != "undecided":
            remark = f": {change.remark}" if change.remark else ""
            said.append(el("p", f"{change.state} by {change.by}{remark}", class_="remark"))
        comments = [el("li", each) for each in change.comments]
        return join([
            el("p", change.reason or "no reason given", class_="reason" if change.reason else "reason none"),
            el("dl", *meta, class_="meta"),
            *(
                el("p", el("strong", flag), f": {FLAGS[flag]}", class_="risk-said")
                for flag in change.flags if flag in FLAGS
            ),
            *said,
            el("ul", *comments, class_="comments", aria_label="Comments") if comments else None,
            _evidence(change.evidence),
        ])  # fmt: skip

    def _diff(self, shown: Shown, around: int, most: int) -> Html:
        change = shown.change
        gone, came = count_rows(change)
        size = f"{counted(gone, 'line')} removed, {counted(came, 'line')} added"
        if change.status in ("binary", "hidden"):
            said = (
                "The file is not text."
                if change.status == "binary"
                else "The file's content is protected and not shown."
            )
            return el("p", said, " It can be accepted or rejected as a whole.", class_="unseen")
        if change.status in ("renamed", "mode"):
            verb = "Renamed" if change.status == "renamed" else "Mode changed"
            return el("p", f"{verb} from ", el("del", change.before), " to ", el("ins", change.after), class_="unseen")
        before, after, shifts = self._review.texts(self._listing, change.path, change if change.held else None)
        is_here = change.id in shifts
        rows, left = rows_of(
            change, before if is_here else None, after if is_here else None,
            shift=shifts.get(change.id, 0), around=around, most=most,
        )  # fmt: skip
        more: list[Html] = []
        if not self._is_static:
            if left:
                href = self._view.href(f"/change/{shown.key}", rows="all")
                more.append(
                    el("a", f"Show {counted(left, 'more line')}", href=href, class_="more", data_more=shown.key)
                )
            elif is_here and around == CONTEXT and _has_more(change, after):
                href = self._view.href(f"/change/{shown.key}", around="25")
                more.append(el("a", "More context", href=href, class_="more", data_more=shown.key))
        elif left:
            more.append(el("p", f"{counted(left, 'more line')} not shown", class_="unseen"))
        label = f"{_place(change)} of {visible_name(change.path)}: {size}"
        return el(
            "details", el("summary", size), self._tables(rows, label), *more, class_="body",
            open=change.state == "undecided" or self._is_static,
        )  # fmt: skip

    def _tables(self, rows: Sequence[Row], label: str) -> Html:
        if self._is_static:
            return join([unified(rows, label), beside(rows, f"{label}, side by side")])
        return beside(rows, label) if self._view.kind == "beside" else unified(rows, label)

    def _forms(self, shown: Shown) -> Html | None:
        if self._is_static:
            return None
        change, key = shown.change, shown.key
        is_decided = change.state != "undecided"
        is_gone = change.state == "rejected"
        amend = None
        why_not = _no_form(change)
        if why_not is None:
            text = "\n" + change.after.replace("\r\n", "\n")  # a form drops the first line end
            rows = min(max(len(split_lines(change.after)) + 1, 3), 24)
            amend = el(
                "details", el("summary", "Amend ", el("kbd", "e")),
                el("label", "The lines that replace this change", for_=f"{key}-text"),
                el("textarea", text, name="text", id=f"{key}-text", rows=rows, spellcheck="false"),
                _button("amend", "Save the amendment", None), class_="amend",
            )  # fmt: skip
        elif not is_gone:
            amend = el("p", why_not, class_="unseen")
        buttons = [
            _button("accept", "Accept", "y", off=is_gone or change.state == "accepted" or change.conflict is not None),
            _button("reject", "Reject", "n", off=is_gone),
            _button("comment", "Comment", "c"),
        ]
        return el(
            "form",
            self._hidden(change=change.id, key=key),
            el(
                "div", *buttons,
                el("label", "Remark for the agent", for_=f"{key}-remark", class_="vh"),
                el("textarea", name="remark", id=f"{key}-remark", rows=1, placeholder="Remark for the agent"),
                class_="act",
            ),
            amend,
            method="post", action="/decide", class_="decide", data_decided=is_decided,
            aria_label=f"Decide about {_place(change)}",
        )  # fmt: skip

    def state(self) -> dict[str, object]:
        """What a script needs to bring its page up to date."""
        return {
            "head": self._listing.head,
            "progress": self.progress(),
            "side": join([self._groups(), self._tree()]),
            "filters": self._filters() or "",
            "files": [
                {
                    "key": file.key, "head": self.file_head(file),
                    "changes": [[each.key, each.version] for each in file.shown],
                }
                for file in self.files
            ],
        }  # fmt: skip

    def part(self, key: str, *, around: int = CONTEXT, most: int = MOST_ROWS) -> Html | None:
        """One change by its key, or None where it is no longer there."""
        shown = self._listing.find(key)
        return None if shown is None else self.article(shown, around=around, most=most)


def _has_more(change: ReviewChange, after: Text | None) -> bool:
    """Whether there is more of a file than is shown around a change."""
    if change.lines is None or after is None:
        return False
    return change.lines[0] - 1 > CONTEXT or len(after.rows) - change.lines[1] > CONTEXT


def _button(verb: str, words: str, key: str | None, *, off: bool = False) -> Html:
    hint = el("kbd", key, class_="js", aria_hidden="true") if key else None
    return el("button", words, " " if hint else None, hint, name="verb", value=verb, class_=f"do {verb}", disabled=off)


def _left(left: int, total: int) -> Html:
    said = f"{left:,}/{total:,}" if left else "✓"
    words = f"{left:,} of {total:,} left" if left else f"all {total:,} decided"
    return el("span", el("span", said, aria_hidden="true"), el("span", f" {words}", class_="vh"),
              class_="count" if left else "count done", title=words)  # fmt: skip


def _place(change: ReviewChange) -> str:
    if change.status != "edited":
        words = {"mode": "Mode", "hidden": "Protected file", "binary": "Binary file"}
        return words.get(change.status, f"File {change.status}")
    if change.lines is None:
        return "No longer in the file" if change.state == "rejected" else "Changed since"
    first, last = change.lines
    return f"Line {first:,}" if first == last else f"Lines {first:,}–{last:,}"


def _state(change: ReviewChange) -> Html:
    signs = {"undecided": "○", "accepted": "✓", "rejected": "✕", "amended": "✎"}
    words = "waits" if change.state == "undecided" else change.state
    sign = el("span", signs[change.state], aria_hidden="true")
    return el("span", sign, f" {words}", class_=f"badge state {change.state}")


def _conflict(change: ReviewChange) -> Html | None:
    """Both sides of a held change whose lines others have changed on the disk."""
    if change.conflict is None:
        return None
    found = change.conflict
    first, last = found.lines or (0, 0)
    where = f", lines {first:,}–{last:,}" if last > first else f", line {first:,}" if first else ""
    return el(
        "section",
        el("h4", "Others have changed these lines on disk"),
        el("div", el("h5", f"On disk{where}"), el("pre", found.disk), el("h5", "Held"), el("pre", found.held)),
        class_="conflict",
    )


def _evidence(evidence: Sequence[object]) -> Html | None:
    if not evidence:
        return None
    items = [el("li", _fact(each)) for each in evidence]
    summary = el("summary", counted(len(items), "piece"), " of evidence")
    return el("details", summary, el("ul", *items), class_="evidence")


def _fact(found: object) -> Html:
    """A piece of evidence: words as they are, an object as its fields."""
    if not isinstance(found, Mapping):
        return el("span", found if isinstance(found, str) else json.dumps(found, ensure_ascii=False))
    fields: list[Html] = []
    for name, value in found.items():
        if value not in (None, [], ""):
            said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            shown = el("pre" if "\n" in said else "code", said)
            fields.append(join([el("dt", str(name)), el("dd", shown)]))
    return el("dl", *fields, class_="fact")


def _no_form(change: ReviewChange) -> str | None:
    """Why a change cannot be amended on the page; None where it can."""
    if change.status not in ("edited", "created") or change.state == "rejected":
        return "" if change.state == "rejected" else "There is no text to amend."
    text = change.after.replace("\r\n", "\n")
    if UNSAFE.search(text):
        return "This text has characters that a form would change; amend it with steadyhand review --amend."
    if len(text) > _LONGEST_FORM:
        return "This text is too long for a form; amend it with steadyhand review --amend."
    return None


def keys_dialog() -> Html:
    """The keys, in a dialog that the script opens."""
    rows = [
        join([el("dt", *(join([el("kbd", key), " "]) for key in keys.split())), el("dd", does)]) for keys, does in _KEYS
    ]
    return el(
        "dialog", el("h2", "Keys", id="keys-h"), el("dl", *rows, class_="keys"),
        el("form", el("button", "Close", class_="do"), method="dialog"), id="keys", aria_labelledby="keys-h",
    )  # fmt: skip


def document(title: str, body: Html, *, theme: str | None = None, csrf: str | None = None, head: int = 0) -> str:
    """A whole page with the script and the style sheet of the server."""
    return (
        f'<!doctype html>\n<html lang="en"{_theme(theme)}>'
        + el(
            "head",
            el("meta", charset="utf-8"),
            el("meta", name="viewport", content="width=device-width, initial-scale=1"),
            el("meta", name="color-scheme", content="light dark"),
            el("title", title),
            el("link", rel="icon", href="data:,"),
            el("link", rel="stylesheet", href="/assets/review.css"),
            Html('<script src="/assets/review.js" defer></script>'),
        )
        + el(
            "body",
            el("a", "Skip to the changes", href="#changes", class_="skip"),
            body,
            el("div", id="live", role="status", aria_live="polite", class_="toast"),
            keys_dialog(),
            data_csrf=csrf, data_head=head,
        )
        + "</html>\n"
    )  # fmt: skip


def _theme(theme: str | None) -> Html:
    return Html(f' data-theme="{theme}"') if theme in ("light", "dark") else Html("")


def message_page(
    title: str, message: str, hints: Sequence[str] = (), *, back: str | None = None, theme: str | None = None
) -> str:
    """A page that says one thing: a refusal, or that something is not there."""
    way = el("p", el("a", "Back to the changes", href=back)) if back else None
    said = [el("p", each, class_="hint") for each in hints]
    content = el("main", el("h1", title), el("p", message), *said, way, id="changes", class_="message", tabindex=-1)
    return document(title, content, theme=theme)


@cache
def asset(name: str) -> tuple[str, str] | None:
    """The type and the text of a file by its name; None where there is none."""
    if name not in _TYPES:
        return None
    return _TYPES[name], files("steadyhand.surfaces.web").joinpath("assets", name).read_text("utf-8")


# The timeline: what happened, in order: edits, refusals, decisions, runs.

_NAMED = 5  # files that an entry names
_NOTES = {
    "review": "decision", "review-feedback": "feedback", "evidence": "evidence",
    "run": "run", "run-plan": "run", "run-article": "run", "run-end": "run",
}  # fmt: skip


def timeline(events: Sequence[Event], older: str | None) -> Html:
    """The events, newest first; `older` is the address of those before."""
    if not events:
        return el("p", "Nothing is recorded yet.", class_="empty")
    more = el("p", el("a", "Older", href=older), class_="older") if older else None
    return el("div", el("ol", *map(_entry, events), class_="timeline"), more)


def kind_of(event: Event) -> str:
    """What sort of event it is, in a word."""
    return _NOTES.get(str(event.details.get("note")), "note") if event.type == "note" else event.type


def _entry(event: Event) -> Html:
    kind = kind_of(event)
    who = " · ".join(each for each in (event.actor, event.task, event.tool) if each)
    lines = ", ".join(str(first) if first == last else f"{first}–{last}" for first, last in event.lines)
    paths = [visible_name(path) for path in event.paths[:_NAMED]]
    if len(event.paths) > _NAMED:
        paths.append(f"and {len(event.paths) - _NAMED} more")
    where = ", ".join(paths) + (f":{lines}" if lines and len(event.paths) == 1 else "")
    return el(
        "li",
        el("time", shown_time(event.time, seconds=True), datetime=event.time),
        el("span", kind, class_=f"badge event {kind}"),
        el("div", where and el("span", where, class_="where"), el("p", _said(event, kind)),
           who and el("p", who, class_="who")),
        id=f"e-{event.seq}",
    )  # fmt: skip


def _said(event: Event, kind: str) -> str:
    details = event.details
    match kind:
        case "decision":
            words = {"undecided": "an earlier decision was undone", "refused": "refused, and nothing was changed"}
            said = words.get(str(details.get("state"))) or str(details.get("state"))
            return said + (f": {details['remark']}" if details.get("remark") else "")
        case "feedback":
            return "the agent asked for feedback and received it"
        case "evidence":
            return "the reason for looking at this file was recorded"
        case "run":
            return _of_run(details)
    if event.reason and event.type in ("edit", "undo", "redo"):
        return event.reason
    return event.message + (f": {event.reason}" if event.reason else "")


def _of_run(details: Mapping[str, object]) -> str:
    match details.get("note"):
        case "run":
            return "an impact run started"
        case "run-plan":
            return "more articles will be checked"
        case "run-end":
            return f"the run ended: {details.get('end') or 'done'}"
    said = str(details.get("reasoning") or "")
    return f"{details.get('status') or 'looked at'}{f': {said}' if said else ''}"
