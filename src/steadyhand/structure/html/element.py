"""One element of a page as its source has it: which bytes are its tags, its content and itself."""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.text.span import Span

VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
LITERAL = frozenset("script style xmp iframe noembed noframes plaintext".split())  # no character references inside
DROPS_NEWLINE = frozenset(("pre", "listing", "textarea"))  # a newline right behind the start tag does not count


@dataclass(frozen=True, slots=True)
class Element:
    """An element by its number in document order.

    `parent`     the number of the element around it, -1 for none
    `start_tag`  None where the parser put the element in and the source has no tag for it
    `end_tag`    None where the source has none
    `span`       from its start tag to the end of its content and its end tag
    `inner`      its content: what a browser calls `innerHTML`, as it is written
    `flaw`       why its place in the source is not to be trusted; None where it is
    """

    index: int
    parent: int
    tag: str
    namespace: str
    start_tag: Span | None
    end_tag: Span | None
    span: Span
    inner: Span
    closes_itself: bool
    flaw: str | None

    @property
    def is_void(self) -> bool:
        return self.namespace == "html" and self.tag in VOID
