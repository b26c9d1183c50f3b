"""The answer of a command that changed something: lines or JSON, and the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.render.receipt import receipt_lines

if TYPE_CHECKING:
    from steadyhand.session.receipt import Receipt


def report(invocation: Invocation, receipt: Receipt, *, back: Literal["undo", "redo"] = "undo") -> int:
    """Print a receipt; `back` is the command that takes it back.

    When some edits were refused and others applied, the code is that of the first refusal.
    """
    output = invocation.output
    refused = receipt.error
    document: dict[str, object] = {"ok": refused is None, "receipt": receipt.to_json()}
    if refused is not None:
        document["error"] = refused.to_json()
    output.document(document)
    if not output.json:
        command = (back, invocation.command_line(f"{back} {receipt.id}")) if receipt.id is not None else None
        width = cut_width(invocation)
        output.print(receipt_lines(receipt, back=command, width=width, quiet=output.quiet, phrases=invocation.phrases))
        for warning in receipt.warnings:
            if warning not in receipt.remarks:  # these stand among the notes
                output.warn(warning)
    return refused.kind.exit_code if refused is not None else 0


def cut_width(invocation: Invocation) -> int | None:
    """The width of the terminal, on which long lines are cut sooner than in a pipe."""
    return invocation.output.width if invocation.output.is_terminal else None
