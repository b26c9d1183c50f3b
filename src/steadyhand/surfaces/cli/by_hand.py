"""Lines that a person edits in an editor of their own, with what they should know beneath them.

The file begins with the current lines. A dividing line that no text holds by chance ends them; what follows is
for reading. Where that line is gone, nobody can say what is text: nothing is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.text.lines import to_lf

__all__ = ["edit_by_hand"]

_EXTENSION = lazy_pattern(r"\.\w{1,12}", re.ASCII)


def edit_by_hand(text: str, remarks: Sequence[str], *, path: str, token: str) -> str:
    """What a person makes of a text, line endings as LF; `remarks` are shown beneath it, after a line with `token`.

    Refuses with `cancelled` where the editor fails or the dividing line is gone, with `no-change` where nothing else
    was written.
    """
    shown = to_lf(text)
    is_open = bool(shown) and not shown.endswith("\n")  # the last line of a file that ends without a newline
    divider = f"-------- {token}: the text ends above this line; what follows is dropped --------"
    page = "\n".join([f"{shown}\n{divider}" if is_open else f"{shown}{divider}", *remarks, ""])
    saved = _saved(page, path)
    head, found, _ = saved.partition(f"{divider}\n")
    if not found or (head and not head.endswith("\n")):
        raise _cancelled("the line that ends the text is gone", "leave that line as it is; what is above it counts")
    edited = head.removesuffix("\n") if is_open else head
    if edited == shown:
        raise EditError(
            Kind.NO_CHANGE, "the lines were left as they are", hint="to keep them for good, drop the conflict"
        )
    return edited


def _saved(page: str, path: str) -> str:
    extension = _EXTENSION.search(path[path.rfind(".") :]) if "." in path else None
    try:
        saved = click.edit(page.encode("utf-8", "surrogateescape"), extension=extension[0] if extension else ".txt")
    except click.ClickException as error:
        raise _cancelled(error.format_message(), "set VISUAL or EDITOR to an editor that waits") from error
    return page if saved is None else to_lf(bytes(saved).decode("utf-8", "surrogateescape"))


def _cancelled(message: str, hint: str) -> EditError:
    return EditError(Kind.CANCELLED, f"{message}; nothing was changed", hint=hint)
