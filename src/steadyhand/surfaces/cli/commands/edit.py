"""`steadyhand edit`: replace one place in one file."""

from __future__ import annotations

import shlex
from typing import Any

import click

from steadyhand.errors import EditError, Kind
from steadyhand.surfaces.cli.group import command
from steadyhand.surfaces.cli.inputs import required_text
from steadyhand.surfaces.cli.invocation import Invocation
from steadyhand.surfaces.cli.options import (
    FileName,
    OnDrift,
    commit_options,
    encoding_option,
    file_argument,
    guard_option,
    policy_of,
    tolerance_options,
)
from steadyhand.surfaces.cli.place import PlaceOptions, place_options
from steadyhand.surfaces.cli.report import report


@command(
    "edit",
    section="Change files",
    examples="""
    steadyhand edit docs/a.md "teh cat" "the cat"
    steadyhand edit docs/a.md --old "teh cat" --new "the cat" --reason "typo"
    steadyhand edit app.py --lines 10:12 --new-file part.py
    steadyhand edit app.py --at symbol.body:Session.send --new-file body.py
    steadyhand edit guide.md --at "heading:Guide > Old news" --delete
    steadyhand edit app.py --old colour --new color --all --expected 7
    steadyhand edit app.py --old-file old.txt --new-file new.txt --tier whitespace
    git show HEAD:part.py | steadyhand edit app.py --anchor 12#a3f --new-file -
    """,
)
@file_argument
@click.argument("texts", nargs=-1, metavar="[OLD NEW]")
@place_options
@click.option("--new", metavar="TEXT", help="The text to put there.")
@click.option("--new-file", metavar="FILE", type=FileName(), help="A file that holds it; - for standard input.")
@click.option("--delete", is_flag=True, help="Put nothing there: take the place away.")
@tolerance_options
@guard_option
@commit_options
@encoding_option
def run(
    invocation: Invocation,
    file: str,
    texts: tuple[str, ...],
    new: str | None,
    new_file: str | None,
    expect: str | None,
    reason: str | None,
    dry_run: bool,
    encoding: str | None,
    tier: str | None,
    on_drift: OnDrift | None,
    delete: bool,
    without: tuple[str, ...],
    **place: Any,
) -> int:
    """Replace text in a file.

    The old text must occur in the file exactly once, unless you say which occurrence you mean; nothing is guessed.
    Where it is misquoted (blanks, indentation, quotes, line numbers, a reworded comment) and only one place can be
    meant, the edit is made there and the answer says what differed; --tier exact asks for the very characters.
    Texts are literal: no patterns, no escapes. A newline at the end of --old-file or --new-file counts.
    --at names a place by what it is (steadyhand outline lists the addresses of a file); the rest stays as it is.
    """
    from steadyhand.plan.edit import Delete, Edit, Replace

    if texts:
        place["old"], new = _old_and_new(file, texts, place["old"], new)
    where = PlaceOptions(**place)
    if not where.is_given and new is None and new_file is None and not delete:
        raise EditError(
            Kind.BAD_REQUEST,
            "the texts are missing",
            hint=f"steadyhand edit {shlex.quote(file)} OLD NEW; or a place, such as --lines 3:5, and --new TEXT",
        )
    if delete and (new is not None or new_file is not None):
        raise EditError(Kind.BAD_REQUEST, "--delete and a new text exclude each other", hint="drop one of them")
    text = None if delete else required_text(invocation, "--new", new, new_file)
    target, which = where.target(invocation), where.which()
    edit: Edit = Delete(target, occurrence=which, expected=where.expected, reason=reason)
    if text is not None:
        edit = Replace(target, text, occurrence=which, expected=where.expected, reason=reason)
    with invocation.workspace(writing=not dry_run, policy=policy_of(tier, on_drift, without)) as workspace:
        receipt = workspace.edit(
            invocation.path(file), [edit], expect=expect, reason=reason, encoding=encoding, preview=dry_run
        )
        return report(invocation, receipt)


def _old_and_new(file: str, texts: tuple[str, ...], old: str | None, new: str | None) -> tuple[str, str]:
    """The two texts behind FILE. Anything else is most often a text that the shell took apart at its blanks."""
    if len(texts) == 2 and old is None and new is None:
        return texts
    if old is not None or new is not None:
        message = f"more texts than --old and --new: {' '.join(texts)[:120]}"
        example = f"steadyhand edit {shlex.quote(file)} --old 'OLD TEXT' --new 'NEW TEXT'"
    elif len(texts) == 1:
        call = shlex.join(["steadyhand", "edit", file, texts[0][:120]])
        hint = f"{call} NEW; where a place is given, --new TEXT"
        raise EditError(Kind.BAD_REQUEST, "NEW is missing after OLD", hint=hint)
    else:
        message = f"{len(texts)} texts follow FILE instead of two: {' '.join(texts)[:120]}"
        half = len(texts) // 2
        pair = (" ".join(texts[:half]), " ".join(texts[half:])) if len(texts) % 2 == 0 else ("OLD TEXT", "NEW TEXT")
        example = shlex.join(["steadyhand", "edit", file, *pair])
    raise EditError(Kind.BAD_REQUEST, message, hint=f"put quotes around a text that has blanks: {example}")


COMMAND = run
