"""The byte order mark as patches quote it: a character before the first line, which is none of the text's own.

A file keeps its mark. What quotes it on both sides means the lines; what would move it or take it away is refused.
"""

from __future__ import annotations

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import replace
from steadyhand.plan.edit import Edit, Replace
from steadyhand.plan.place import Old
from steadyhand.text.encoding import MARK

__all__ = ["without_mark"]


def without_mark(edit: Edit) -> Edit:
    """An edit of a file that has a mark, its texts without the mark they begin with. Refuses with `bad-request`.

    >>> without_mark(Replace("\ufeffa", "\ufeffb")).new
    'b'
    """
    target = edit.target
    if not isinstance(edit, Replace) or not isinstance(target, Old) or not target.text.startswith(MARK):
        return edit
    if edit.new and not edit.new.startswith(MARK):
        raise EditError(
            Kind.BAD_REQUEST,
            "the old text begins with the file's byte order mark, and the new text does not",
            hint="leave the mark out of both texts; the file keeps it",
        )
    spares = tuple(replace(one, old=_bare(one.old), new=_bare(one.new)) for one in edit.spares)
    return replace(edit, target=replace(target, text=_bare(target.text)), new=_bare(edit.new), spares=spares)


def _bare(text: str) -> str:
    return text.removeprefix(MARK)
