"""Lazy snippets: the changed parts of a file in a fence, with `... existing code ...` where lines stay.

A reply is taken for this if a fence in it has such a mark; then every fence with a name is brought into its file, with
marks or without. Whether each part has one place in the file is not asked here. The format is read only: what would be
left out is a matter of taste.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.dialects.dialect import Dialect
from steadyhand.dialects.fenced import FencedReader
from steadyhand.dialects.fences import Fence
from steadyhand.dialects.piece import Piece
from steadyhand.plan.request import MergeFile

__all__ = ["DIALECT", "LazyReader"]

_EXAMPLE = """src/app.py
```python
# ... existing code ...
def greet(name):
    return f"Hello {name}"
# ... existing code ...
```
"""


class LazyReader(FencedReader):
    """Reads a reply with snippets in it."""

    def pieces(self, fences: Sequence[Fence]) -> list[Piece]:
        """A piece for each fence that has a mark or a name, if any has a mark."""
        fences = [fence.named_inside() for fence in fences if not fence.only_shows]
        if not any(fence.has_marks for fence in fences):
            return []
        pieces: list[Piece] = []
        for fence in fences:
            path = fence.label or (fence.mention if fence.has_marks else None)
            if path is not None or fence.has_marks:
                fence.check_closed("lazy")
                pieces.append(Piece(MergeFile(path or "", fence.text), fence.lines))
        return pieces


DIALECT = Dialect(
    name="lazy",
    rank=60,
    summary="The changed parts of a file in a fence under its name, with `... existing code ...` where lines stay.",
    reader=LazyReader,
    example=_EXAMPLE,
    is_marked=False,
    aliases=("snippet",),
)
