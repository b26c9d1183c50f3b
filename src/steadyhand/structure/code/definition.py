"""Definitions with the places they stand at: what the parser reads and everything about symbols speaks of.

A definition is data about one source; it never changes and never writes.
"""

from __future__ import annotations

from steadyhand.lazy import dataclass
from steadyhand.structure.code.language import Language
from steadyhand.structure.format import Fault
from steadyhand.text.span import Span

Path = tuple[str, ...]

TYPES = frozenset({"class", "struct", "interface", "trait", "impl", "enum", "union", "record", "object", "extension"})
SPACES = frozenset({"module", "namespace", "package"})
CALLABLES = frozenset({"function", "method", "constructor"})
VALUES = frozenset({"variable", "constant", "field", "property"})


@dataclass(frozen=True, slots=True)
class Definition:
    """One named thing of a source.

    `path`       names from the top of the file down to its own
    `alias`      another path it answers to, such as one without the companion object, or `path` again
    `whole`      with the comment directly above it, and the docstring of an attribute directly below
    `proper`     without that comment: from its first decorator, attribute or modifier to its last character
    `name`       its bare name, without what qualifies it; an empty span where the language writes none
    `body`       the body as it is written, braces included; None where there is none
    `parent`     the number of the definition around it, or None
    `is_sound`   whether it can be relied upon: no syntax error is in it, or around it so that its ends are doubtful
    `is_listed`  whether it is an item of a list with commas
    `leads`      whether what follows in its group has its value from it, or from how many are above
    """

    path: Path
    alias: Path
    kind: str
    whole: Span
    proper: Span
    name: Span
    body: Span | None
    parent: int | None
    depth: int
    decorators: int
    is_sound: bool
    is_listed: bool = False
    leads: bool = False

    @property
    def dotted(self) -> str:
        return ".".join(self.path)

    @property
    def has_comment(self) -> bool:
        return self.whole.start < self.proper.start

    @property
    def includes(self) -> str:
        """What its whole span has besides the definition, in words; empty where there is nothing."""
        count = self.decorators
        decorators = f"{count} decorator{'s' if count > 1 else ''}" if count else ""
        comment = "its comment" if self.has_comment else ""
        docstring = "its docstring" if self.proper.end < self.whole.end else ""
        return " and ".join(part for part in (decorators, comment, docstring) if part)


@dataclass(frozen=True, slots=True)
class Syntax:
    """What does not parse of one source: the first of the errors the parser met, which are `errors` in all."""

    language: Language
    faults: tuple[Fault, ...]
    errors: int


@dataclass(frozen=True, slots=True)
class Code:
    """What is read of one source: definitions and comments in the order of the file, and what does not parse.

    `faults` are the first of the errors the parser met, which are `errors` in all.
    """

    language: Language
    definitions: tuple[Definition, ...]
    comments: tuple[Span, ...]
    faults: tuple[Fault, ...]
    errors: int
