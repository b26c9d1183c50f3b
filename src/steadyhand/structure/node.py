"""What a target locates: a place with the parts its format knows, and what the verbs mean there.

A node proposes splices and never applies them; it belongs to the one source it was located in.
New text in a proposal ends its lines with LF: who applies it fits them to their neighbours.

Whole lines as a node: what a target by line locates, so that lines can be moved as everything else can.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, replace
from steadyhand.text.lines import line_ending
from steadyhand.text.source import Source
from steadyhand.text.span import Span
from steadyhand.text.splice import Splice
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    from steadyhand.hints import Advice, Hint

Where = Literal["before", "after", "start", "end"]


@sized("details")
@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an address names nothing in a source, or nothing can be done there: an `EditError` as a value.

    `cause` is what is wrong without where, for a text that is part of another and has other lines there.
    """

    kind: Kind
    message: str
    advice: Advice
    details: Mapping[str, object] = field(default_factory=dict)
    cause: str | None = None

    @property
    def hints(self) -> tuple[Hint, ...]:
        """What to do next, as data."""
        from steadyhand.hints import hints_of

        return hints_of(self.advice)

    @property
    def hint(self) -> str | None:
        """The hints in the words of the library."""
        from steadyhand.hints import render_hints

        return render_hints(self.hints)

    def about_keys(self, kind: str) -> Refusal:
        """The same where keys are addressed by another kind, as those of front matter are."""
        from steadyhand.hints import Act

        hints = tuple(replace(hint, kind=kind) if isinstance(hint, Act) else hint for hint in self.hints)
        return replace(self, advice=hints)

    def to_error(self) -> EditError:
        return EditError(self.kind, self.message, hint=self.advice, details=self.details)


def refuse(message: str, advice: Advice, details: Mapping[str, object] | None = None) -> Refusal:
    """The refusal of something that makes no sense there: `bad-request`."""
    return Refusal(Kind.BAD_REQUEST, message, advice, details or {})


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be written: sorted, disjoint splices on the source of the node, and what a person should know.

    `after` is the source with the splices made, where somebody has made it to look at: what was read of it is kept.
    `meaning` is what its format knows of it besides, for whoever checks several proposals at once.
    """

    splices: tuple[Splice, ...]
    notes: tuple[str, ...] = ()
    after: Source | None = field(default=None, compare=False, repr=False)
    meaning: object = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, source: Source, *writes: tuple[Span, str], notes: tuple[str, ...] = ()) -> Proposal:
        """A proposal that puts texts in the place of spans.

        >>> Proposal.of(Source.of_text("abc"), (Span(1, 2), "X")).splices == (Splice(1, "b", "X"),)
        True
        """
        splices = (Splice(span.start, span.of(source.text), new) for span, new in sorted(writes, key=lambda it: it[0]))
        return cls(tuple(splices), notes)


class Node(ABC):
    """A place in one source. Subclasses are frozen, slotted dataclasses with these fields, and others of their own.

    `kind`     what it is, in a word or two: `section`, `element`, `method`, `key`
    `span`     the place: what `replace` replaces, as `locate` and `outline` show it
    `address`  an address that singles it out in this source
    """

    __slots__ = ()
    kind: str
    span: Span

    if TYPE_CHECKING:  # most have it as a field, which a property of this class would be taken as the default of

        @property
        def address(self) -> str: ...

    @property
    def label(self) -> str:
        """What a person calls it, in at most one line."""
        return self.address

    def own_text(self, source: Source) -> str:
        """Its text as `replace` takes it; putting it in its own place changes nothing."""
        return self.span.of(source.text)

    @abstractmethod
    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        """Put `new` in its place."""

    @abstractmethod
    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        """Put `text` before or after it, or inside at its start or end."""

    @abstractmethod
    def delete(self, source: Source) -> Proposal | Refusal:
        """Take it away, with the blanks and separators that would make no sense without it."""

    def move_to(self, source: Source, other: Node, where: Where) -> Proposal | Refusal | None:  # noqa: ARG002
        """Go to another node of the same source; None: as everything does, away here and inserted there."""
        return None

    def proved_later(self) -> Node:
        """The same node, if what it proposes need not be proved because `prove_batch` proves all of it."""
        return self

    def prove_batch(self, source: Source, proposal: Proposal) -> Proposal | Refusal:  # noqa: ARG002
        """What this node and others of its family propose in one edit, if it is right together as it is singly.

        The proposal has the splices of all of them; its `meaning` is what each of them proposes, in their order.
        """
        return proposal

    def propose_batch(
        self,
        source: Source,  # noqa: ARG002
        asked: Sequence[tuple[Node, Callable[[Node], Proposal | Refusal]]],  # noqa: ARG002
    ) -> Sequence[Proposal] | None:
        """What several edits propose, each for one node of this source: all of them are made on this text.

        Together they must do what they would do one after the other, and no proposal may cover what another writes.
        The last has the text `after` all of them. None: that cannot be said, and they are made one by one.
        """
        return None

    def carried(self, source: Source) -> str | Refusal:
        """Its text as `insert` of a like node would take it: how it is moved without being retyped."""
        return self.own_text(source)


@dataclass(frozen=True, slots=True)
class WholeLines(Node):
    """Lines with their endings; `start` and `end` are the same places as `before` and `after`."""

    span: Span
    address: str
    kind: str = "lines"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        is_open = bool(new) and not line_ending(new) and bool(line_ending(self.span.of(source.text)))
        return Proposal.of(source, (self.span, new + "\n" if is_open else new))

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        at = self.span.start if where in ("before", "start") else self.span.end
        lead = "\n" if at and source.text[at - 1] not in "\r\n" else ""
        is_open = bool(text) and not line_ending(text) and at < len(source.text)
        return Proposal.of(source, (Span(at, at), f"{lead}{text}\n" if is_open else lead + text))

    def delete(self, source: Source) -> Proposal | Refusal:
        return Proposal.of(source, (self.span, ""))
