"""A review without a server: one HTML file that shows the same, and Markdown for a pull request.

Nothing here needs the extra `web`. The file has its style sheet in it and nothing else: no script, no address, no form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from steadyhand.surfaces.terminal import counted, visible, visible_name
from steadyhand.surfaces.web.markup import el, join, static_document
from steadyhand.surfaces.web.page import Page, View, asset, timeline

if TYPE_CHECKING:
    from steadyhand.session.review.change import ReviewChange
    from steadyhand.surfaces.web.shared_review import File, SharedReview

_LAYOUTS = """
#as-beside:checked ~ .layout .unified, #as-unified:checked ~ .layout .beside { display: none; }
body.export > input { margin: 1rem .3rem 0 1.25rem; } body.export > label { font-size: .85rem; }
body.export .hunk { scroll-margin-top: 4rem; } body.export main { padding-bottom: 1rem; }
"""


def static_page(review: SharedReview) -> bytes:
    """The whole review as one file to read: every change, both layouts, and the timeline."""
    listing = review.listing(fresh=True)
    page = Page(review, listing, View(), None)
    style = (asset("review.css") or ("", ""))[1] + _LAYOUTS
    top = el(
        "header",
        el("h1", "Review ", el("span", review.name, class_="root")),
        el("div", page.progress(), id="progress"),
        class_="top",
    )
    choices = [
        join([
            el("input", type="radio", name="layout", id=f"as-{kind}", checked=kind == "unified"),
            el("label", words, for_=f"as-{kind}"),
        ])
        for kind, words in (("unified", "Unified "), ("beside", "Side by side "))
    ]  # fmt: skip
    events, _ = review.timeline(None)
    history = el("section", el("h2", "Timeline"), timeline(events, None), class_="single", id="timeline")
    body = join([top, *choices, page.main(first=len(listing.shown)), history])
    return static_document(f"Review · {review.name}", style, [body], class_="export").encode()


def markdown_of(files: Sequence[File]) -> str:
    """The review as Markdown for a pull request: what was changed and why, and what is still to be decided."""
    changes = [each.change for file in files for each in file.shown]
    if not changes:
        return "No changes to review.\n"
    lines = [f"## Review of {counted(len(changes), 'change')} in {counted(len(files), 'file')}", "", _sums(changes), ""]
    risky = [change for change in changes if change.flags]
    if risky:
        lines += ["### Look at these first", ""]
        lines += [f"- {_code(_where(change))}: {', '.join(change.flags)}" for change in risky]
        lines.append("")
    for file in files:
        lines += [f"### {_code(visible_name(file.path))}", ""]
        lines += [_item(each.change) for each in file.shown]
        lines.append("")
    return "\n".join(lines)


def _sums(changes: Iterable[ReviewChange]) -> str:
    """How many are in which state."""
    sums: dict[str, int] = {}
    for change in changes:
        sums[change.state] = sums.get(change.state, 0) + 1
    return ", ".join(f"{number:,} {state}" for state, number in sorted(sums.items())) + "."


def _item(change: ReviewChange) -> str:
    box = "x" if change.state in ("accepted", "amended") else " "
    who = " · ".join(each for each in (change.actor, change.model, change.task) if each)
    remark = f": {_plain(change.remark)}" if change.remark else ""
    said = f" ({change.state} by {_plain(change.by)}{remark})" if change.by else ""
    reason = _plain(change.reason or "no reason given")
    notes = "".join(f"\n  - {_plain(comment)}" for comment in change.comments)
    struck = f"~~{reason}~~" if change.state == "rejected" else reason
    return f"- [{box}] {_lines(change)}: {struck} — {_plain(who)}{said}{notes}"


def _where(change: ReviewChange) -> str:
    return f"{visible_name(change.path)}{'' if change.lines is None else f':{change.lines[0]}'}"


def _lines(change: ReviewChange) -> str:
    if change.lines is None or change.status != "edited":
        return change.status
    first, last = change.lines
    return f"line {first}" if first == last else f"lines {first}–{last}"


def _plain(text: str | None) -> str:
    """Text as text, on one line: nothing in it is taken for a mark, a link, a mention or an element."""
    shown = " ".join(visible(text or "").split())
    escaped = "".join(f"\\{char}" if char in "\\`*_{}[]<>()#+-!|~" else char for char in shown)
    return escaped.replace("@", "@\u200b")


def _code(text: str) -> str:
    """Text as code, whatever backquotes it has."""
    fence = "`"
    while fence in text:
        fence += "`"
    blank = " " if len(fence) > 1 else ""
    return f"{fence}{blank}{text}{blank}{fence}"
