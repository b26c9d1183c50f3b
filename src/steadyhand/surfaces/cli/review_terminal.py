"""Interactive review on a terminal, one change after the other, with the keys of `git add -p`.

Every decision is recorded when its key is pressed, so leaving at any point, by `q`, Ctrl-C or a lost connection, keeps
what was decided and leaves nothing half done.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.invocation import edit_by_hand
from steadyhand.surfaces.cli.refusal import error_lines
from steadyhand.surfaces.cli.render import diff_lines
from steadyhand.surfaces.terminal import Line, Piece, cells, counted, fit, pad, visible, visible_line, visible_name
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import split_bodies, split_lines

if TYPE_CHECKING:
    from steadyhand.session.review.change import Feedback, ReviewChange
    from steadyhand.session.review.review import Review
    from steadyhand.session.workspace import Workspace
    from steadyhand.surfaces.cli.output import Output


# Changes to review, as lines: a table of them, one with its diff, one beside the other, and what a task hears.

_WIDE = 150  # columns from which both sides fit beside each other
_CONTEXT = 3
_MOST_ROWS = 20
_LONGEST = 2_000  # characters of a reason or a comment
_STATES = {"accepted": "good", "rejected": "removed", "amended": "good", "undecided": "warning"}


def review_table(changes: Sequence[ReviewChange], *, width: int) -> list[Line]:
    """A line for each change: id, place, state, how much, and why."""
    if not changes:
        return [(Piece("no change is waiting for a decision", "dim"),)]
    places = [_place(change) for change in changes]
    room = min(max(map(cells, places)), max(20, width // 3))
    lines: list[Line] = []
    for change, place in zip(changes, places, strict=True):
        size = f"+{len(split_lines(change.after))} -{len(split_lines(change.before))}"
        rest = max(10, width - room - 40)
        flags = f" [{', '.join(change.flags)}]" if change.flags else ""
        lines.append(
            (
                Piece(change.id, "id"),
                Piece(f"  {pad(place, room)}  "),
                Piece(pad("held" if change.held else change.state, 9), _STATES[change.state]),
                Piece(f"  {pad(size, 9)}  ", "dim"),
                Piece(fit(change.reason or "", max(0, rest - len(flags)))),
                Piece(flags, "warning"),
            )
        )
    return lines


def change_lines(
    change: ReviewChange, rows: Sequence[str], *, width: int, number: int, left: int, total: int
) -> list[Line]:
    """One change with its reason and risks above its diff. `rows` are the lines of the file, for what is around it."""
    from steadyhand.session.review.change import FLAGS

    who = " · ".join(each for each in (change.actor, change.model, change.task, change.tool, change.tier) if each)
    head: list[Line] = [
        (
            Piece(f"({number}/{total}, {left} left) ", "dim"),
            Piece(_place(change), "place"),
            Piece(f"  {change.id}", "id"),
            *((Piece(f"  {change.state}", _STATES[change.state]),) if change.state != "undecided" else ()),
        ),
        *_paragraph("reason", change.reason or "none given", width),
        (Piece(f"by {visible_line(who)}", "dim"),),
    ]
    for flag in change.flags:
        head.append((Piece(f"risk: {flag}", "warning"), Piece(f"  {FLAGS.get(flag, '')}", "dim")))
    if change.held:
        head.append((Piece("held: ", "hint"), Piece("not on disk yet", "dim")))
    if change.conflict is not None:
        rows_there = split_bodies(change.conflict.disk)
        head.append((Piece("now on disk:" if rows_there else "now on disk: nothing", "warning"),))
        head += [(Piece(f" {visible_line(row)}", "warning"),) for row in rows_there[:_MOST_ROWS]]
        if len(rows_there) > _MOST_ROWS:
            head.append((Piece(f" … {counted(len(rows_there) - _MOST_ROWS, 'more line')}", "dim"),))
    for each in change.comments:
        head += _paragraph("comment", each, width)
    if change.status in ("renamed", "mode"):
        body: list[Line] = [
            (Piece(f"-{visible_line(change.before)}", "removed"),),
            (Piece(f"+{visible_line(change.after)}", "added"),),
        ]
    elif change.status in ("binary", "hidden"):
        body = [(Piece("the content is not shown", "dim"),)]
    elif width >= _WIDE and change.status == "edited":
        half = (width - 7) // 2
        body = _beside(_diff(change, rows, half), half)
    else:
        body = _diff(change, rows, width)
    return [*head, *body]


def _paragraph(name: str, text: str, width: int) -> list[Line]:
    """Words about a change, all of them: whoever decides has to read them."""
    from textwrap import wrap

    shown = visible_line(text)
    kept = shown[:_LONGEST] + ("…" if len(shown) > _LONGEST else "")
    first, *more = wrap(kept, max(20, width - len(name) - 2)) or [""]
    indent = " " * (len(name) + 2)
    return [(Piece(f"{name}: ", "hint"), Piece(first)), *((Piece(indent + row),) for row in more)]


def feedback_lines(found: Iterable[Feedback]) -> list[Line]:
    """What a reviewer said, a paragraph each."""
    lines: list[Line] = []
    for item in found:
        where = "" if item.lines is None else f":{item.lines[0]}"
        lines.append(
            (
                Piece(f"{item.state} ", _STATES.get(item.state, "hint")),
                Piece(f"{visible_name(item.path)}{where}", "place"),
                Piece(f"  by {visible_line(item.by)}", "dim"),
            )
        )
        if item.remark:
            lines.append((Piece(f"  {visible_line(item.remark)}"),))
        rows = [("-", row, "removed") for row in split_bodies(item.after)]
        now = item.before if item.now is None and item.state == "rejected" else item.now or ""
        rows += [("+", row, "added") for row in split_bodies(now)]
        if item.state != "commented":
            lines += [(Piece(f"  {sign}{row}", style),) for sign, row, style in rows[:20]]
            if len(rows) > 20:
                lines.append((Piece(f"  … {counted(len(rows) - 20, 'more line')}", "dim"),))
    return lines or [(Piece("no feedback", "dim"),)]


def _place(change: ReviewChange) -> str:
    name = visible_name(change.path)
    if change.status != "edited":
        return f"{name} ({change.status})"
    return name if change.lines is None else f"{name}:{change.lines[0]}"


def _diff(change: ReviewChange, rows: Sequence[str], width: int) -> list[Line]:
    """A diff with some lines around it."""
    before, after = split_lines(change.before), split_lines(change.after)
    above, below = _around(change, rows)
    first = (change.lines[0] if change.lines is not None and change.status == "edited" else 1) - len(above)
    around = len(above) + len(below)
    body = [f"@@ -{first},{len(before) + around} +{first},{len(after) + around} @@"]
    for sign, some in ((" ", above), ("-", before), ("+", after), (" ", below)):
        for row in some:
            body.append(sign + row.removesuffix("\n"))
            if not row.endswith(("\n", "\r")):
                body.append("\\ no line end")
    return diff_lines("\n".join(body) + "\n", width=width, limit=200)


def _around(change: ReviewChange, rows: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The lines of the file above and below a change."""
    if change.lines is None or change.status != "edited":
        return (), ()
    start = change.lines[0] - 1
    end = start + len(split_lines(change.after))
    return rows[max(0, start - _CONTEXT) : start], rows[end : end + _CONTEXT]


def _beside(diff: Iterable[Line], half: int) -> list[Line]:
    """The rows of a diff, both sides next to each other; one that does not fit goes on below."""
    found: list[Line] = []
    sides: tuple[list[Line], list[Line]] = [], []

    def pair() -> None:
        for pieces in zip_longest(*sides):
            rows = [_broken(each, half) for each in pieces]
            for left, right in zip_longest(*rows, fillvalue=(Piece(" " * (half + 2)),)):
                found.append((*left, Piece(" │ ", "dim"), *right))
        for side in sides:
            side.clear()

    for line in diff:
        match line[0].text:
            case "-":
                sides[0].append(line)
            case "+":
                sides[1].append(line)
            case note if note.startswith("\\"):
                sides[1 if sides[1] else 0].append((Piece(" "), *line))
            case " ":
                pair()
                sides[0].append(line)
                sides[1].append(line)
                pair()
            case more if more.startswith("…"):
                pair()
                found.append(line)
    pair()
    return found


def _broken(row: Line | None, width: int) -> list[Line]:
    """A row of a diff, its sign first, in as many lines of `width` columns behind the sign as it takes."""
    sign, *pieces = row or (Piece(" "),)
    lines: list[list[Piece]] = [[Piece(f"{sign.text} ", sign.style)]]
    room = width
    for piece in pieces:
        for char in visible(piece.text.replace("\t", "    ")):
            if cells(char) > room:
                lines[-1].append(Piece(" " * room))
                lines.append([Piece("  ")])
                room = width
            lines[-1].append(Piece(char, piece.style))
            room -= cells(char)
    lines[-1].append(Piece(" " * room))
    return [tuple(line) for line in lines]


_KEYS = (
    ("y", "accept this change"),
    ("n", "reject and revert it"),
    ("r", "reject it with a remark for the task"),
    ("e", "amend it in $VISUAL or $EDITOR"),
    ("s", "split it: decide line by line"),
    ("c", "comment, without deciding"),
    ("a", "accept this change and the rest of the file"),
    ("d", "reject this change and the rest of the file"),
    ("A", "accept every change without a risk flag"),
    ("u", "undo your last decision"),
    ("J", "leave it undecided, go to the next change"),
    ("K", "leave it undecided, go to the previous change"),
    ("/", "next change that contains a text"),
    ("v", "show the evidence"),
    ("q", "quit; decisions stay"),
    ("?", "this list"),
)
_PROMPT = "[y,n,r,e,s,u,c,a,d,A,v,/,J,K,q,?] "
_INTERRUPTS = ("\x03", "\x04", "")
_UP, _DOWN = ("\x1b[A", "k", "K"), ("\x1b[B", "j", "J", " ")


class Keyboard:
    """Keys and lines of a terminal.

    What is typed ahead is kept: the mode changes without discarding input. An interrupt that comes right before a wait
    ends it too: a signal handler of Python runs only after the system call that it should have interrupted, so every
    wait also watches a pipe that signals write to.
    """

    def __init__(self) -> None:
        import termios  # there are systems without, which load this module for its help

        self._fd = sys.stdin.fileno()
        self._lines = termios.tcgetattr(self._fd)
        self._signals = -1

    @contextlib.contextmanager
    def keys(self) -> Iterator[None]:
        """Each key arrives at once within the block, and is not echoed."""
        self._signals, writing = os.pipe()
        os.set_blocking(writing, False)
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        self._switch(is_line_wise=False)
        try:
            yield
        finally:
            self._switch(is_line_wise=True)
            signal.set_wakeup_fd(before)
            os.close(writing)
            os.close(self._signals)

    @contextlib.contextmanager
    def whole_lines(self) -> Iterator[None]:
        """Whole lines arrive within the block, as at a shell."""
        self._switch(is_line_wise=True)
        try:
            yield
        finally:
            self._switch(is_line_wise=False)

    def _switch(self, *, is_line_wise: bool) -> None:
        import termios
        import tty

        if is_line_wise:
            termios.tcsetattr(self._fd, termios.TCSANOW, self._lines)
        else:
            tty.setcbreak(self._fd, termios.TCSANOW)

    def press(self) -> str:
        """The next key; of an arrow or another special key all that it sends. Empty at the end of the input."""
        self._wait()
        data = os.read(self._fd, 1)
        if data == b"\x1b":
            while len(data) < 8 and self._ready([self._fd], 0.01):
                data += os.read(self._fd, 1)
        elif data and data[0] >= 0xC0:
            data += os.read(self._fd, 3 if data[0] >= 0xF0 else 2 if data[0] >= 0xE0 else 1)
        return data.decode("utf-8", "replace")

    def line(self) -> str:
        """The next line. Raises `EOFError` at the end of the input."""
        data = b""
        with self.whole_lines():
            while not data.endswith(b"\n"):
                self._wait()
                part = os.read(self._fd, 4096)
                if not part:
                    raise EOFError
                data += part
        return data.decode("utf-8", "replace").strip()

    def _wait(self) -> None:
        while self._fd not in (ready := self._ready([self._fd, self._signals], None)):
            os.read(ready[0], 512)  # the handler of the signal has run by now, and may have raised

    @staticmethod
    def _ready(descriptors: list[int], seconds: float | None) -> list[int]:
        with selectors.DefaultSelector() as selector:
            for each in descriptors:
                selector.register(each, selectors.EVENT_READ)
            return [key.fd for key, _ in selector.select(seconds)]


class TerminalReview:
    """One pass over the changes that wait; risky ones come first."""

    def __init__(self, output: Output, workspace: Workspace, review: Review) -> None:
        self._output = output
        self._workspace = workspace
        self._review = review
        self._queue = _ordered(review.waiting)
        self._keyboard = Keyboard()
        self._at = 0
        self._decided: list[tuple[str, int]] = []  # what was decided and about how many, in order

    def run(self) -> int:
        if not self._queue:
            self._say("no change is waiting for a decision", "dim")
            return 0
        try:
            with self._keyboard.keys():
                while self._queue and self._step():
                    pass
        except (KeyboardInterrupt, click.Abort, EOFError):
            self._say("")
        sums: dict[str, int] = {}
        for state, number in self._decided:
            sums[state] = sums.get(state, 0) + number
        counts = ", ".join(f"{number} {state}" for state, number in sums.items()) or "nothing decided"
        left = len(self._queue)
        self._say(f"{counts}; {counted(left, 'change')} left" if left else f"{counts}; nothing left")
        return 0

    def _step(self) -> bool:
        """Show a change and do what a key says; whether to go on."""
        self._at = min(self._at, len(self._queue) - 1)
        change = self._queue[self._at]
        output = self._output
        done = sum(number for _, number in self._decided)
        total, number = done + len(self._queue), done + self._at + 1
        self._say("")
        output.print(
            change_lines(
                change, self._rows(change), width=output.width, number=number, left=len(self._queue), total=total
            )
        )
        while True:
            key = self._key()
            if key in (*_INTERRUPTS, "q"):
                return False
            if key == "?":
                self._output.print((Piece(f"  {name}  ", "id"), Piece(does)) for name, does in _KEYS)
                continue
            if key == "v":
                self._output.print(_evidence(change))
                continue
            try:
                if self._do(key, change):
                    return True
            except EditError as error:
                self._output.print(error_lines(error))
                if error.kind in (Kind.CONFLICT, Kind.STALE_SOURCE):
                    self._refresh()
                    return True

    def _do(self, key: str, change: ReviewChange) -> bool:  # noqa: C901  # a table of keys
        """Whether the key moved on to another change."""
        if key in _DOWN:
            self._at = (self._at + 1) % len(self._queue)
        elif key in _UP:
            self._at = (self._at - 1) % len(self._queue)
        elif key == "y":
            self._accept([change])
        elif key == "n":
            self._reject([change], None)
        elif key == "r":
            self._reject([change], self._line("remark") or None)
        elif key in ("a", "d"):
            rest = [each for each in self._queue if each.path == change.path]
            self._accept(rest) if key == "a" else self._reject(rest, None)
        elif key == "A":
            plain = [each for each in self._queue if not each.flags]
            if not plain:
                self._say("every remaining change has a risk flag", "warning")
                return False
            self._accept(plain)
        elif key == "e":
            self._amend(change, self._edited(change))
        elif key == "s":
            return self._split(change)
        elif key == "c":
            return self._comment(change)
        elif key == "u":
            self._take_back()
        elif key == "/":
            return self._search(self._line("find"))
        else:
            self._say("? lists the keys", "dim")
            return False
        return True

    def _accept(self, changes: list[ReviewChange]) -> None:
        self._review.accept([change.id for change in changes])
        self._note("accepted", len(changes))

    def _reject(self, changes: list[ReviewChange], remark: str | None) -> None:
        self._review.reject([change.id for change in changes], remark)
        self._note("rejected", len(changes))

    def _amend(self, change: ReviewChange, text: str) -> None:
        self._review.amend(change.id, text)
        self._note("amended", 1)

    def _note(self, state: str, count: int) -> None:
        self._decided.append((state, count))
        self._refresh()

    def _comment(self, change: ReviewChange) -> bool:
        said = self._line("comment")
        if said:
            self._review.comment(change.id, said)
            self._queue[self._at] = next(each for each in self._review if each.id == change.id)
        return bool(said)

    def _take_back(self) -> None:
        decision = self._review.take_back()
        self._decided = self._decided[:-1]
        self._say(f"undone: {counted(len(decision.changes), 'change')}", "dim")
        self._refresh()
        self._at = next((at for at, each in enumerate(self._queue) if each.id in decision.changes), self._at)

    def _edited(self, change: ReviewChange) -> str:
        removed = [f"- {row}" for row in split_bodies(change.before)]
        remarks = [f"{change.path}: the text to amend; it replaced:", *removed]
        with self._keyboard.whole_lines():
            return edit_by_hand(
                change.after, [visible(row) for row in remarks], path=change.path, token=change.id,
                otherwise="to keep the change as it is, accept it",
            )  # fmt: skip

    def _split(self, change: ReviewChange) -> bool:
        """Decide line by line; what comes of it is one amendment, one rejection or one acceptance."""
        before, after = split_lines(change.before), split_lines(change.after)
        if max(len(before), len(after)) < 2 or change.status != "edited":
            self._say("this change is one line and cannot be split", "dim")
            return False
        kept: list[str] = []
        answers: list[bool] = []
        for old, new in _paired(before, after):
            if old == new:
                kept.append(new)
                continue
            rows: list[Line] = [(Piece(f"-{visible_line(old.rstrip())}", "removed"),)] if old else []
            rows += [(Piece(f"+{visible_line(new.rstrip())}", "added"),)] if new else []
            self._output.print(rows)
            while (key := self._key("this line? [y,n,q] ")) not in ("y", "n", "q", *_INTERRUPTS):
                pass
            if key not in ("y", "n"):
                return False
            answers.append(key == "y")
            kept.append(new if key == "y" else old)
        if all(answers):
            self._accept([change])
        elif not any(answers):
            self._reject([change], None)
        else:
            chosen = [row for row in kept if row]
            closed = (row if row.endswith(("\n", "\r")) else f"{row}\n" for row in chosen[:-1])
            self._amend(change, "".join([*closed, *chosen[-1:]]))
        return True

    def _search(self, wanted: str) -> bool:
        if not wanted:
            return False
        count = len(self._queue)
        for step in range(1, count + 1):
            each = self._queue[(self._at + step) % count]
            if any(wanted.lower() in text.lower() for text in (each.path, each.before, each.after, each.reason or "")):
                self._at = (self._at + step) % count
                return True
        self._say(f"no change contains {visible_line(wanted)}", "warning")
        return False

    def _refresh(self) -> None:
        """List again, and go on with what was next: lines have moved, and others may have been at work."""
        rest = [change.id for change in (*self._queue[self._at :], *self._queue[: self._at])]
        self._queue = _ordered(self._review.waiting)
        at = {change.id: number for number, change in enumerate(self._queue)}
        self._at = next((at[name] for name in rest if name in at), 0)

    def _rows(self, change: ReviewChange) -> list[str]:
        from steadyhand.session.host import host_of  # `--help` loads this module, and needs no session

        if change.lines is None:
            return []
        host = host_of(self._workspace)
        try:
            return split_lines((host.held_source(change) if change.held else host.source(change.path)).text)
        except EditError:
            return []

    def _key(self, prompt: str = _PROMPT) -> str:
        click.echo(prompt, nl=False)
        key = self._keyboard.press()
        click.echo(key if key.isprintable() else "")
        return key

    def _line(self, words: str) -> str:
        click.echo(f"{words}: ", nl=False)
        return self._keyboard.line()

    def _say(self, text: str, style: str = "plain") -> None:
        self._output.print([(Piece(text, style),)])


def _paired(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The lines of both sides, each with the one that took its place; empty where there is none."""
    at = 0
    for part in diff_rows(before, after):
        yield from ((row, row) for row in before[at : part.before_start])
        old, new = before[part.before_start : part.before_end], after[part.after_start : part.after_end]
        yield from zip_longest(old, new, fillvalue="")
        at = part.before_end
    yield from ((row, row) for row in before[at:])


def _ordered(changes: list[ReviewChange]) -> list[ReviewChange]:
    return sorted(changes, key=lambda change: not change.flags)


def _evidence(change: ReviewChange) -> list[Line]:
    import json

    def said(value: object) -> str:
        return visible_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))

    lines: list[Line] = []
    for each in change.evidence:
        facts = each if isinstance(each, Mapping) else {"": each}
        for number, (name, value) in enumerate(facts.items()):
            start = "  " if number else "- "
            lines.append((Piece(start), Piece(f"{name}: " if name else "", "hint"), Piece(said(value))))
    return lines or [(Piece("no evidence is recorded for this file", "dim"),)]
