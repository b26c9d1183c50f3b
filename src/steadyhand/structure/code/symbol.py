"""Symbols of source code by name (`Session.send`): the target, what the verbs mean there, and the check of proposals.

The whole of a symbol is what a person would cut out: decorators, attributes, `export`, `template`, modifiers, and the
comment directly above. `definition` leaves that comment out, `body` is the statements or members inside, `name` the
name. New code takes the indentation of its place.

Every proposal is looked at in the text it would make: everything outside the place keeps its name, its kind and its
extent, and a text that parsed still parses.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from steadyhand.errors import Kind
from steadyhand.hints import ByText, Say, SendAddress
from steadyhand.lazy import dataclass, field, lazy_pattern, replace
from steadyhand.schema import bad_request, check_text
from steadyhand.structure.code.definition import CALLABLES, TYPES, VALUES, Code, Definition, asked_path, loose
from steadyhand.structure.code.indentation import differing, fit, rows_of
from steadyhand.structure.code.language import Language, language_of
from steadyhand.structure.code.placement import (
    among_listed,
    beside,
    body_of,
    inside,
    is_alone,
    line_end,
    margin_at,
    parting_before,
    parting_behind,
    put_in_body,
    removed,
    unit_in,
)
from steadyhand.structure.code.reader import code_of, known_code, parse_source, read_code, read_text, reread, syntax_of
from steadyhand.structure.code.tree import is_installed, too_long, unfit
from steadyhand.structure.format import Fault, OutlineEntry, Unchecked, is_neutral
from steadyhand.structure.node import Node, Proposal, Refusal, Where, refuse
from steadyhand.structure.target import Addressed, address_of, numbered
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.resemblance import similar_names
from steadyhand.text.source import Source
from steadyhand.text.span import Span

if TYPE_CHECKING:
    from steadyhand.structure.code.definition import Syntax


@dataclass(frozen=True, slots=True)
class SymbolNode(Node):
    """A symbol, or one part of it, in one source; `index` is its number among the definitions."""

    kind: str
    span: Span
    address: str
    index: int
    part: str
    signature: str
    includes: str
    pending: list[Piece] | None = field(default=None, compare=False, repr=False)

    @property
    def label(self) -> str:
        """Its kind and the line it is known by."""
        return f"{self.kind} {self.signature}"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        code, item = self._read(source)
        if refusal := too_long(code.language, new):
            return refusal
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        if self.part == "name":
            return self._checked(source, code, Proposal.of(source, (self.span, new.strip())), item.proper)
        if not rows_of(new):
            return self.delete(source)
        if self.part == "body":
            if _defines(code, new, item):
                return refuse(
                    f"the new body defines {item.path[-1]} again: it includes the header",
                    (Say("send only the body"), SendAddress(f"symbol:{item.dotted}", "replace")),
                )
            proposal = put_in_body(source, code, self.index, new)
            return proposal if isinstance(proposal, Refusal) else self._checked(source, code, proposal, self.span)
        own = parting_before(code, new, len(new))
        if own is not None and not parting_behind(code, source.text, self.span.end).is_empty:
            new = new[: own.start]  # what parts it from the next one is there
        margin = margin_at(source.text, self.span.start)
        old = self.span.of(source.text)
        fitted = fit(code.language, new, margin, unit_in(source), source, old)
        if fitted == to_lf(old):
            return Proposal(())
        proposal = Proposal.of(source, differing(source, self.span, fitted), notes=self._lost(new))
        return self._checked(source, code, proposal, self.span)

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        code, item = self._read(source)
        if refusal := too_long(code.language, text):
            return refusal
        if not rows_of(text):
            return Proposal(())
        if self.part == "name":
            return refuse(
                "nothing can be inserted next to a name", SendAddress(f"symbol:{item.dotted}", "insert beside")
            )
        if where in ("before", "after") and self.part != "body":
            if item.is_listed and text.rstrip().endswith(";"):
                what = "is an item of a comma-separated list, and the new text is a statement"
                return refuse(
                    f"{item.kind} {item.dotted} {what}", "send the item alone, or insert next to the whole statement"
                )
            proposal: Proposal | Refusal = beside(source, code, self.index, text, after=where == "after")
        else:
            if item.kind == "enum" and item.body is not None and _CONDITION.search(item.body.of(source.text)):
                what = f"{item.kind} {item.dotted} has members that exist only in some builds"
                return refuse(what, SendAddress(f"symbol:{item.dotted}", "replace"))
            listed = among_listed(source, code, self.index, text, at_end=where in ("end", "after"))
            made = None if listed is None else self._checked(source, code, listed, listed.splices[0].span)
            if isinstance(made, Proposal) and not made.notes:
                return made
            proposal = inside(source, code, self.index, text, at_end=where in ("end", "after"))
        if isinstance(proposal, Refusal):
            return proposal
        return self._checked(source, code, proposal, proposal.splices[0].span)

    def delete(self, source: Source) -> Proposal | Refusal:
        code, item = self._read(source)
        if self.part in ("name", "body"):
            return refuse(
                f"the {self.part} of {item.kind} {item.dotted} cannot be deleted",
                (Say("replace it"), SendAddress(f"symbol:{item.dotted}", "delete")),
            )
        if item.is_shared:
            return refuse(
                f"the statement of {item.dotted} defines other names as well",
                SendAddress(f"symbol:{item.dotted}", "replace", more=" with a statement of the others"),
            )
        if item.leads:
            return Refusal(
                Kind.BREAKS_SYNTAX,
                f"the constants below {item.dotted} in its group take their values from it, or count it",
                (
                    SendAddress(f"symbol.name:{item.dotted}", "replace", more=" with _ to keep their values"),
                    Say("replace the whole group"),
                ),
            )
        if code.language.layout == "suite" and is_alone(source, item):
            what = f"{item.kind} {item.dotted} is the only statement of its suite"
            return Refusal(Kind.BREAKS_SYNTAX, what, "replace it with pass")
        gone = removed(source, code, item, self.span)
        place = Span(gone[0].start, gone[-1].end)
        return self._checked(source, code, Proposal.of(source, *((part, "") for part in gone)), place)

    def carried(self, source: Source) -> str | Refusal:
        code, item = self._read(source)
        end = self.span.end
        if self.part == "whole" and not item.is_listed:
            end = parting_behind(code, source.text, end).end
            last = line_end(source, code, end)
            end = end if last is None else last  # a comment behind it on its line goes with it
        return margin_at(source.text, self.span.start) + source.text[self.span.start : end]

    def move_to(self, source: Source, there: Node, where: Where) -> Proposal | Refusal | None:
        """Nothing where it is beside the other already, with no more than what parts statements between the two."""
        code, item = self._read(source)
        other = code.definitions[there.index] if isinstance(there, SymbolNode) else None
        if (item.is_listed or (other is not None and other.is_listed)) and not _may_join(
            source, code, item, other, where
        ):
            return refuse(
                f"{item.kind} {item.dotted} is an item of a list, or would become one",
                "delete it there, and insert it in the form the new place needs",
            )
        if code.language.between is None or where not in ("before", "after"):
            return None
        first, second = (there.span, self.span) if where == "after" else (self.span, there.span)
        parting = parting_behind(code, source.text, first.end)
        is_beside = parting.end <= second.start and not source.text[parting.end : second.start].strip()
        return Proposal(()) if is_beside else None

    def propose_batch(
        self, source: Source, asked: Sequence[tuple[Node, Callable[[Node], Proposal | Refusal]]]
    ) -> Sequence[Proposal] | None:
        code, _ = self._read(source)
        pieces: list[tuple[Piece, str]] = []
        made: list[Proposal] = []
        for node, propose in asked:
            waiting: list[Piece] = []
            proposal = propose(replace(node, pending=waiting)) if isinstance(node, SymbolNode) else None
            if not isinstance(node, SymbolNode) or not isinstance(proposal, Proposal):
                return None
            if proposal.splices != tuple(splice for piece in waiting for splice in piece.proposal.splices):
                return None  # something is written elsewhere, too
            made.append(proposal)
            pieces += [(piece, code.definitions[node.index].path[-1]) for piece in waiting if piece.proposal.splices]
        after = checked_batch(source, code, pieces)
        return None if after is None else [*made[:-1], replace(made[-1], after=after)]

    def _checked(self, source: Source, code: Code, proposal: Proposal, place: Span) -> Proposal | Refusal:
        """The proposal, unless it would change more than its place; of several together that is checked at the end."""
        if self.pending is None:
            return checked(source, code, proposal, place)
        piece = Piece.of(proposal, place)
        self.pending.append(piece)
        return piece.proposal

    def _read(self, source: Source) -> tuple[Code, Definition]:
        code = known_code(source)
        return code, code.definitions[self.index]

    def _lost(self, new: str) -> tuple[str, ...]:
        """What the replaced text had besides the definition, for who forgot to send it again."""
        if not self.includes or self.part != "whole":
            return ()
        first = rows_of(new)[0].lstrip()
        is_headed = first.startswith(("@", "#", "//", "/*", "[", "--"))
        return () if is_headed else (f"replaced with {self.includes}",)


_CONDITION = lazy_pattern(r"(?m)^[ \t]*#[ \t]*(?:if|elif|else|endif)")
_DECLARED = ("variable", "field", "constant", "property")


def _may_join(source: Source, code: Code, item: Definition, other: Definition | None, where: Where) -> bool:
    """Whether an item of a list means the same beside another definition, or in it.

    What is declared is so by its statement, `const` or `int`; a member of an enum is one in any enum.
    """
    if other is None or (where in ("start", "end") and other.is_listed):
        return False
    if where in ("start", "end"):
        return item.kind == "member" and any(
            one.is_listed and one.kind == "member" and one.parent is not None and code.definitions[one.parent] is other
            for one in code.definitions
        )
    if not (item.is_listed and other.is_listed) or item.kind != other.kind:
        return False
    first, second = sorted((item.whole, other.whole))
    inside = [one.whole for one in code.definitions if first.end <= one.whole.start and one.whole.end <= second.start]
    edges = [first.end, *(edge for span in inside for edge in (span.start, span.end)), second.start]
    between = "".join(source.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    is_one_list = item.parent == other.parent and not between.replace(",", "").strip()
    return is_one_list or item.kind not in _DECLARED


def _defines(code: Code, new: str, item: Definition) -> bool:
    """Whether a text that should be a body is the whole definition."""
    read = read_text(code.language, new, fragment=True)
    if isinstance(read, Refusal):
        return False
    return any(found.depth == 0 and found.path[-1] == item.path[-1] for found in read.definitions)


def node_of(source: Source, code: Code, index: int, part: str, number: int | None) -> SymbolNode | Refusal:
    """The node of a definition; `number` where others have the same path."""
    item = code.definitions[index]
    span = _part(source, code, item, part)
    if span is None:
        parts = "it has no body" if part == "body" else "its name is not written"
        return Refusal(Kind.NO_SUCH_TARGET, f"{item.kind} {item.dotted}: {parts}", SendAddress(f"symbol:{item.dotted}"))
    address = address_of("symbol" if part == "whole" else f"symbol.{part}", item.dotted, number)
    return SymbolNode(item.kind, span, address, index, part, signature_of(source, item), item.includes)


def _part(source: Source, code: Code, item: Definition, part: str) -> Span | None:
    match part:
        case "whole":
            return item.whole
        case "definition":
            return item.proper
        case "name":
            return None if item.name.is_empty else item.name
        case _:
            body = body_of(source, code, item)
            return None if body is None else body.inside


def signature_of(source: Source, item: Definition) -> str:
    """The line that has the name, shortened, and what the whole span includes besides."""
    row = source.table.row_at(item.name.start)
    start = max(source.table.start(row), item.proper.start)
    line = source.text[start : min(start + 200, item.proper.end)].strip().replace("\r", "\n").partition("\n")[0]
    head = line.rstrip(" {:=") if len(line) < 80 else f"{line[:77]}…"
    return f"{head} (with {item.includes})" if item.includes else head


_FAMILIES = (CALLABLES | {"prototype", "signature"}, VALUES, TYPES | {"protocol"})
_NEAREST = 10
_FEW = 5


@dataclass(frozen=True, slots=True)
class Symbol(Addressed):
    """The definition of that name: its dotted path, or any ending of it that is unique.

    `kind` selects one kind: function, method, class, field … `part` is the whole with its decorators and the comment
    directly above it, the `definition` without that comment, its `body` without braces, or its `name`.

    >>> from steadyhand.text.source import Source
    >>> source = Source.of_text("class A:\\n    def f(self): return 1\\n", path="a.py")
    >>> Symbol("A.f", part="body").locate(source).span.of(source.text)
    'return 1'
    """

    key: ClassVar[str] = "symbol"
    examples: ClassVar[tuple[str, ...]] = ("symbol:Session.send", "symbol.body:parse", "symbol[2]:Shape.area")
    main: ClassVar[str] = "name"
    parts: ClassVar[tuple[str, ...]] = ("whole", "definition", "body", "name")

    name: str
    kind: str | None = None
    part: str = "whole"
    nth: int | None = None

    def __post_init__(self) -> None:
        self._check_shared()
        if not asked_path(check_text(self.name, "symbol.name")):
            raise bad_request("symbol.name", "a name is expected", "such as Session.send")
        if self.kind is not None:
            check_text(self.kind, "symbol.kind")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        if source.derived(read_code) is None:
            source.derive(parse_source)  # an edit of what is found is checked on this tree
        code = code_of(source)
        if isinstance(code, Refusal):
            return code
        found = self._answering(source, code)
        if not found:
            return self._none(source, code)
        doubtful = next((code.definitions[index] for index in found if not code.definitions[index].is_sound), None)
        if doubtful is not None:
            return self._doubtful(code, doubtful)
        numbers = source.derive(_numbers)
        made = [(index, node_of(source, code, index, self.part, numbers[index])) for index in found]
        if self.nth is None:  # of a prototype and its definition only one can be meant by its body
            nodes = [node for _, node in made if not isinstance(node, Refusal)]
            return nodes or next(node for _, node in made if isinstance(node, Refusal))
        meant = made[self.nth - (self.nth > 0)][1] if -len(made) <= self.nth - (self.nth > 0) < len(made) else None
        if isinstance(meant, Refusal):
            return meant
        whole = [node_of(source, code, index, "whole", numbers[index]) if isinstance(node, Refusal) else node
                 for index, node in made]  # fmt: skip
        return [node for node in whole if not isinstance(node, Refusal)]

    def _answering(self, source: Source, code: Code) -> Sequence[int]:
        """The definitions that answer: by the very path, else by a path written otherwise, else by the end of one."""
        if self.kind is None and (exact := source.derive(_by_path).get(self.name.strip())):
            return exact
        pool = [index for index, item in enumerate(code.definitions) if _is_of(item, self.kind, exact=True)]
        if not pool:
            pool = [index for index, item in enumerate(code.definitions) if _is_of(item, self.kind, exact=False)]
        given, asked = self.name.strip(), asked_path(self.name)
        exact = [index for index in pool if code.definitions[index].dotted == given]
        if exact:
            return exact
        ends = [index for index in pool if _ends(code.definitions[index], asked)]
        full = [index for index in ends if loose(code.definitions[index].dotted) == asked]
        return full or ends

    def _none(self, source: Source, code: Code) -> Refusal:
        if not code.definitions and code.errors:
            return _unparsable(code, f"; the file cannot be read as {code.language.name}")
        if self.kind is not None and (others := Symbol(self.name)._answering(source, code)):
            other = code.definitions[others[0]]
            return Refusal(
                Kind.NO_SUCH_TARGET,
                f"{self.named()} is a {other.kind}, not a {self.kind[:40]}",
                f"send it without kind, or with kind {other.kind}",
                {"nearest": [f"symbol:{other.dotted}"]},
            )
        names = _addresses(source, code)
        near = similar_names(asked_path(self.name)[-1], names, _NEAREST)
        nearest = [address for name in near for address in names[name]][:_NEAREST]
        if nearest:
            hint, details = SendAddress(nearest[0]), {"nearest": nearest}
            return Refusal(Kind.NO_SUCH_TARGET, f"{self.named()} is not in the file", hint, details)
        there = [address for each in names.values() for address in each][:_NEAREST]
        count = len(code.definitions)
        more = f": {', '.join(there[:_FEW])}{' …' if count > _FEW else ''}" if there else ""
        defines = f"; it defines {count} symbol{'' if count == 1 else 's'}" if there else ""
        return Refusal(
            Kind.NO_SUCH_TARGET,
            f"{self.named()} is not in the file, nor is any similar name{defines}",
            f"the outline of the file lists its names{more}" if there else "the file defines no symbols",
            {"nearest": [], "available": there},
        )

    def _doubtful(self, code: Code, item: Definition) -> Refusal:
        line, reason = (code.faults[0].line, code.faults[0].message) if code.faults else (1, "a syntax error")
        return Refusal(
            Kind.UNPARSABLE,
            f"it is uncertain where {item.kind} {item.dotted} ends: line {line}, {reason}",
            ByText("fix that line first"),
            {"line": line, "reason": reason},
        )


def _by_path(source: Source) -> dict[str, list[int]]:
    """The definitions of each path, by their numbers."""
    found: dict[str, list[int]] = {}
    for index, item in enumerate(known_code(source).definitions):
        found.setdefault(item.dotted, []).append(index)
    return found


def _numbers(source: Source) -> list[int | None]:
    """Which of those with the same path each definition is, counted from 1; None where it is the only one."""
    return numbered(item.dotted for item in known_code(source).definitions)


def _is_of(item: Definition, kind: str | None, *, exact: bool) -> bool:
    if kind is None or item.kind == kind:
        return True
    return not exact and any(kind in family and item.kind in family for family in _FAMILIES)


def _ends(item: Definition, asked: tuple[str, ...]) -> bool:
    return any(loose(".".join(path))[-len(asked) :] == asked for path in {item.path, item.alias})


def _addresses(source: Source, code: Code) -> dict[str, list[str]]:
    """The addresses of the definitions of each name; each address leads to one definition only."""
    leaves: dict[str, list[str]] = {}
    for item, number in zip(code.definitions, source.derive(_numbers), strict=True):
        leaves.setdefault(item.path[-1], []).append(address_of("symbol", item.dotted, number))
    return leaves


TARGET = Symbol


_LONG = 400
_HINT = "send text that is complete in itself, or address a larger place"


def fault_in(source: Source) -> Fault | Unchecked | None:
    """The first place where a source is not valid, if that can be said; found once per source."""
    return source.derive(_find_fault)


def _find_fault(source: Source) -> Fault | Unchecked | None:
    language = language_of(source)
    if language is None:
        return None
    if (refusal := unfit(language, source.text)) is not None:
        return Unchecked(refusal.message)
    judge = language.judge_of(source.text)
    fault = None
    if judge is not None:
        fault = judge(source.text)
        # The grammar has a say only where the judge may be too old for the line.
        if fault is None or (not _is_newer(language, source.text, fault) and is_installed(language)):
            return fault
    syntax = syntax_of(source)
    if isinstance(syntax, Refusal):
        return Unchecked(syntax.message)
    if judge is not None:
        return fault if syntax.errors > 0 else None
    return fault_of(syntax, source.text)


def fault_of(code: Code | Syntax, text: str) -> Fault | None:
    """The first place where a text is not valid in the language of some code, if that can be said at all."""
    language = code.language
    judge = language.judge_of(text)
    if judge is not None:
        fault = judge(text)
        is_known = fault is None or code.errors > 0 or not _is_newer(language, text, fault)
        return fault if is_known else None
    return code.faults[0] if language.is_checked and code.faults else None


def _is_newer(language: Language, text: str, fault: Fault) -> bool:
    """Whether a fault is in a line that may be valid in a later version of the language than the judge knows."""
    if language.newer is None:
        return False
    line = "".join(split_bodies(text)[fault.line - 1 : fault.line])
    return len(line) <= _LONG and language.newer.search(line) is not None


def checked(source: Source, code: Code, proposal: Proposal, place: Span) -> Proposal | Refusal:
    """The proposal, unless it would change more than the place it is about."""
    piece = Piece.of(proposal, place)
    if not piece.proposal.splices:
        return piece.proposal
    changes = ChangeSet(piece.proposal.splices)
    new = source.apply(changes)
    is_proven = _is_proven(source, code.language, changes, new)
    near = reread(source, code, changes, new) if is_proven or code.language.verdict is None else None
    if near is not None and _strange(*near, [piece]) is None:
        new.keep(_find_fault, None)
        return replace(proposal, splices=piece.proposal.splices, after=new)
    after = _read_as(code.language, new)
    if isinstance(after, Refusal):
        return replace(after, kind=Kind.BREAKS_SYNTAX, message=f"after the edit {after.message}")
    fault: Fault | Unchecked | None = None if is_proven else fault_of(after, new.text)
    new.keep(_find_fault, fault)
    if isinstance(fault, Fault) and fault_of(code, source.text) is None:
        return breaks(new.text, fault)
    strange = _strange(code, after, [piece])
    if strange is not None:
        return Refusal(Kind.BREAKS_SYNTAX, f"the edit would change what {strange} is", _HINT)
    more = after.errors - code.errors
    notes = (f"the parser finds {more} more error{'s' if more > 1 else ''}",) if more > 0 else ()
    return replace(proposal, splices=piece.proposal.splices, notes=(*proposal.notes, *notes), after=new)


def _is_proven(source: Source, language: Language, changes: ChangeSet, new: Source) -> bool:
    """Whether the change itself shows that a valid text stays valid; False: unknown."""
    if language.is_neutral is None:
        return False
    return is_neutral(partial(language.is_neutral, language), source.text, changes, new.text)


class Piece(NamedTuple):
    """What is proposed for one place, and that place with all that is written there."""

    proposal: Proposal
    place: Span

    @classmethod
    def of(cls, proposal: Proposal, place: Span) -> Piece:
        real = tuple(splice for splice in proposal.splices if not splice.changes_nothing)
        if real:
            place = Span(min(place.start, real[0].start), max(place.end, real[-1].end))
        return cls(replace(proposal, splices=real), place)

    @property
    def delta(self) -> int:
        return sum(splice.delta for splice in self.proposal.splices)


def checked_batch(source: Source, code: Code, pieces: Sequence[tuple[Piece, str]]) -> Source | None:
    """The text after several proposals, if each is right and no address means something else because of the others.

    With each piece goes the last name of the definition that its address leads to. A definition may only come or go if
    no other address ends with its name. None: unknown.
    """
    placed = sorted((piece for piece, _ in pieces), key=lambda piece: piece.place)
    if any(one.place.end >= two.place.start for one, two in pairwise(placed)):
        return None
    new = source.apply(ChangeSet(tuple(splice for piece in placed for splice in piece.proposal.splices)))
    after = _read_as(code.language, new)
    if isinstance(after, Refusal) or not _has_same_errors(source, code, new, after, placed):
        return None
    if fault_of(after, new.text) is not None and (not code.errors or fault_of(code, source.text) is None):
        return None
    if _strange(code, after, placed) is not None:
        return None
    named = Counter(name for _, name in pieces)
    own = {piece.place: name for piece, name in pieces}
    befores, theres = _names_in(code, [piece.place for piece in placed]), _names_in(after, _places_after(placed))
    for piece, before, there in zip(placed, befores, theres, strict=True):
        if any(named[name] > (own[piece.place] == name) for name in (before - there) + (there - before)):
            return None
    return new


def _has_same_errors(source: Source, code: Code, new: Source, after: Code, pieces: Sequence[Piece]) -> bool:
    """Whether a text has the errors that it had before, in none of some places, and doubtful are the same definitions.

    Where errors are, the parser guesses: that it still guesses alike is seen by what is reported, not concluded.
    """
    if not code.errors:
        return not after.errors
    starts = [piece.place.start for piece in pieces]
    moved = list(accumulate((piece.delta for piece in pieces), initial=0))
    expected: list[tuple[int, str]] = []
    for offset, message in _faults(source, code):
        at = bisect_right(starts, offset)
        if at and offset <= pieces[at - 1].place.end:
            return False
        expected.append((offset + moved[at], message))
    doubtful, still = ([item.path for item in each.definitions if not item.is_sound] for each in (code, after))
    return after.errors == code.errors and _faults(new, after) == expected and doubtful == still


def _faults(source: Source, code: Code) -> list[tuple[int, str]]:
    """Where the faults of a text begin, and what is said of them."""
    return [(source.table.start(fault.line - 1) + (fault.column or 1) - 1, fault.message) for fault in code.faults]


def _read_as(language: Language, source: Source) -> Code | Refusal:
    """What a source defines, kept with it where it is taken for code of that language."""
    return code_of(source) if language_of(source) is language else read_text(language, source.text)


def breaks(text: str, fault: Fault) -> Refusal:
    """The refusal of an edit after which a text has a fault."""
    shown = "".join(split_bodies(text)[fault.line - 1 : fault.line]).strip()[:80]
    return Refusal(
        Kind.BREAKS_SYNTAX,
        f"after the edit line {fault.line}, {shown!r}, would not parse: {fault.message}",
        _HINT,
        {"line": fault.line, "text": shown, "reason": fault.message},
    )


def _strange(before: Code, after: Code, pieces: Sequence[Piece]) -> str | None:
    """The first definition outside of some places, in their order, that is not what it was."""
    moved = list(accumulate((piece.delta for piece in pieces), initial=0))
    starts, ends = [piece.place.start for piece in pieces], [piece.place.end for piece in pieces]
    old = _outside(before, [piece.place for piece in pieces])
    new = _outside(after, _places_after(pieces))
    for one, two in zip(old, new, strict=False):
        # Of `int a, b` only `b` is `b`; where it is the only one left, all of `int b;` is.
        is_part = (one.is_listed, one.is_shared) != (two.is_listed, two.is_shared)
        (start, end), there = (one.name, two.name) if is_part else (one.proper, two.proper)
        start += moved[bisect_right(ends, start)]
        # What is put behind its end may be inside or not.
        may_end = (end + moved[bisect_left(starts, end)], end + moved[bisect_right(starts, end)])
        is_same = (one.path, one.kind, start) == (two.path, two.kind, there.start)
        if not is_same or there.end not in may_end:
            return f"{one.kind} {one.dotted}"
    longer = old if len(old) > len(new) else new
    rest = longer[min(len(old), len(new)) :]
    return f"{rest[0].kind} {rest[0].dotted}" if rest else None


def _places_after(pieces: Sequence[Piece]) -> list[Span]:
    """Where places are after all of their proposals."""
    moved = accumulate((piece.delta for piece in pieces), initial=0)
    pairs = zip(pieces, moved, strict=False)
    return [Span(piece.place.start + by, piece.place.end + by + piece.delta) for piece, by in pairs]


def _outside(code: Code, places: Sequence[Span]) -> list[Definition]:
    """The definitions that are in none of some places, which are in order and apart."""
    starts = [place.start for place in places]
    return [item for item in code.definitions if _place_of(item, places, starts) is None]


def _names_in(code: Code, places: Sequence[Span]) -> list[Counter[str]]:
    """The last names of the definitions in each of some places."""
    starts = [place.start for place in places]
    found: list[Counter[str]] = [Counter() for _ in places]
    for item in code.definitions:
        at = _place_of(item, places, starts)
        if at is not None:
            found[at][item.path[-1]] += 1
    return found


def _place_of(item: Definition, places: Sequence[Span], starts: Sequence[int]) -> int | None:
    at = bisect_right(starts, item.proper.start) - 1
    return at if at >= 0 and item.proper.end <= places[at].end else None


def outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Every definition that can be addressed: none that a syntax error makes doubtful, or that is called `../..`."""
    code = code_of(source)
    if isinstance(code, Refusal):
        return code
    hidden = {item.dotted for item in code.definitions if not item.is_sound or not loose(item.dotted)}
    entries = [
        OutlineEntry(
            address_of("symbol", item.dotted, number), item.kind, signature_of(source, item), item.whole, item.depth
        )
        for item, number in zip(code.definitions, source.derive(_numbers), strict=True)
        if item.dotted not in hidden
    ]
    if not entries and code.errors:
        return _unparsable(code)
    return entries


def _unparsable(code: Code, more: str = "") -> Refusal:
    """The refusal of code in which nothing can be named."""
    line, reason = (code.faults[0].line, code.faults[0].message) if code.faults else (1, "it cannot be parsed")
    return Refusal(Kind.UNPARSABLE, f"line {line}: {reason}{more}", ByText(), {"line": line, "reason": reason})


def gap(source: Source) -> Fault | None:
    """The first error: definitions around it may be left out."""
    code = code_of(source)
    return None if isinstance(code, Refusal) or not code.faults else code.faults[0]
