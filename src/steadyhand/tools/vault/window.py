"""The lines of a file that are asked about, and lists of what begins in them: cut where long, and saying so."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

from steadyhand.lazy import dataclass, field
from steadyhand.tools.reading import check_forwards

__all__ = ["MOST", "Window"]

MOST = 100

Thing = TypeVar("Thing")


@dataclass(slots=True)
class Window:
    """Lines `first` to `last`, both included, and what of the lists made of them did not fit."""

    first: int
    last: int
    left_out: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, start: object, end: object, count: int) -> Window:
        """The lines that `start` and `end` say, either of which may be absent. Refuses with `bad-request`."""
        check_forwards(start, end)
        return cls(start if isinstance(start, int) else 1, end if isinstance(end, int) else max(count, 1))

    def listed(
        self, name: str, things: Iterable[Thing], line: Callable[[Thing], int], tell: Callable[[Thing], object]
    ) -> list[object]:
        """What is shown of the things that begin in the window; `line` gives where each does."""
        inside = (thing for thing in things if self.first <= line(thing) <= self.last)
        kept = list(islice(inside, MOST + 1))
        if len(kept) > MOST:
            self.left_out.append(f"{name} from line {line(kept[-1])} on")
        return [tell(thing) for thing in kept[:MOST]]

    def told(self) -> dict[str, object]:
        """What was left out, if anything, and how to get it."""
        return {"leftOut": f"{'; '.join(self.left_out)}: ask again with start and end"} if self.left_out else {}
