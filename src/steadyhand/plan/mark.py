"""The byte order mark as patches quote it: a character before the first line, which is none of the text's own.

A file keeps its mark. What quotes it on both sides means the lines; what would move it or take it away is refused.
"""

from __future__ import annotations

from dataclasses import replace

from steadyhand.errors import EditError, Kind
from steadyhand.match.needle import Spare
from steadyhand.plan.edit import Edit, Old, Replace

__all__ = ["without_mark"]

_MARK = "\ufeff"


def without_mark(edit: Edit) -> Edit:
    """An edit of a file that has a mark, its texts without the mark they begin with. Refuses with `bad-request`.

    >>> without_mark(Replace("\ufeffa", "\ufeffb")).new
    'b'
    """
    target = edit.target
    if not isinstance(edit, Replace) or not isinstance(target, Old) or not target.text.startswith(_MARK):
        return edit
    if edit.new and not edit.new.startswith(_MARK):
        raise EditError(
            Kind.BAD_REQUEST,
            "the old text begins with the file's byte order mark, and the new text does not",
            hint="leave the mark out of both texts; the file keeps it",
        )
    spares = tuple(Spare(_bare(one.old), _bare(one.new), one.differs) for one in edit.spares)
    return Replace(
        replace(target, text=_bare(target.text)),
        _bare(edit.new),
        occurrence=edit.occurrence,
        expected=edit.expected,
        reason=edit.reason,
        spares=spares,
    )


def _bare(text: str) -> str:
    return text.removeprefix(_MARK)
