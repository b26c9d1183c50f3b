"""A person at a terminal who decides, article by article: update, view, skip, quit; accept, reject, edit, remark."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import click

from steadyhand.agents.impact.review import Choice, Edited, Proposal, Remark, Verdict
from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.by_hand import edit_by_hand
from steadyhand.surfaces.cli.output import Output
from steadyhand.surfaces.cli.render.diff import diff_lines
from steadyhand.surfaces.cli.render.impact import evidence_lines
from steadyhand.surfaces.terminal import Piece, visible_line, visible_name

if TYPE_CHECKING:
    from steadyhand.articles.search import Flagged

__all__ = ["TerminalReviewer"]


class TerminalReviewer:
    """Asks on standard output and reads from standard input; an end of the input is a quit."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def choose(self, flagged: Flagged, number: int, total: int) -> Choice:
        head = f"[{number}/{total}] "
        self._output.print([(Piece(head, "dim"), Piece(visible_name(flagged.article.path), "place"))])
        while True:
            match self._ask("[u]pdate, [v]iew evidence, [s]kip, [q]uit", "uvsq"):
                case "u":
                    return "update"
                case "s":
                    return "skip"
                case "v":
                    self._output.print(evidence_lines(flagged))
                case _:
                    return "quit"

    def judge(self, proposal: Proposal) -> Verdict:
        self._show(proposal)
        words = "[a]ccept, [r]eject, [e]dit by hand" + (", reject with a re[m]ark" if proposal.may_remark else "")
        while True:
            match self._ask(words, "arem" if proposal.may_remark else "are"):
                case "a":
                    return "accept"
                case "e":
                    edited = self._edited(proposal)
                    if edited is not None:
                        return edited
                case "m":
                    remark = _typed("remark")
                    if remark:
                        return Remark(remark)
                case _:
                    return "reject"

    def _show(self, proposal: Proposal) -> None:
        self._output.print(diff_lines(proposal.patch, width=self._output.width))
        self._output.print((Piece("reason: ", "hint"), Piece(visible_line(each))) for each in proposal.reasons)
        self._output.print(
            (Piece("check: ", "warning"), Piece(visible_line(each.message))) for each in proposal.findings
        )

    def _edited(self, proposal: Proposal) -> Edited | None:
        remarks = [f"{proposal.flagged.article.path}, with the edits of the model", *proposal.patch.splitlines()]
        try:
            text = edit_by_hand(proposal.after, remarks, path=proposal.flagged.article.path, token="steadyhand")
        except EditError as error:
            if error.kind is Kind.NO_CHANGE:
                return Edited(proposal.after)
            self._output.warn(error.message)
            return None
        return Edited(text)

    def _ask(self, words: str, keys: str) -> str:
        """One letter of those that are offered; what is typed otherwise is asked again."""
        while True:
            said = _typed(words).lower()
            if said[:1] and said[:1] in keys:
                return said[:1]


def _typed(words: str) -> str:
    """A line that a person types. An interrupt, or an end of the input, ends the run.

    While an event loop runs, the first interrupt only cancels its task, which is waiting for this very line.
    """
    previous = signal.getsignal(signal.SIGINT)
    if previous is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return str(click.prompt(words, default="", show_default=False)).strip()
    except (click.Abort, EOFError):
        raise KeyboardInterrupt from None
    finally:
        signal.signal(signal.SIGINT, previous)
