"""A symbol of source code by its name: `Session.send`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.code.definition import CALLABLES, TYPES, VALUES, Code, Definition
from steadyhand.structure.code.names import asked_path, loose
from steadyhand.structure.code.reading import code_of
from steadyhand.structure.code.symbol_node import node_of
from steadyhand.structure.fields import bad_request, check_text
from steadyhand.structure.node import Node, Refusal
from steadyhand.text.resemblance import similar_names
from steadyhand.text.source import Source

_FAMILIES = (CALLABLES | {"prototype", "signature"}, VALUES, TYPES | {"protocol"})
_NEAREST = 10
_FEW = 5


@dataclass(frozen=True, slots=True)
class Symbol(Addressed):
    """The definition of that name: its dotted path, or any end of it that only one definition has.

    `kind` keeps those of one kind: function, method, class, field … `part` is the whole with its decorators and the
    comment directly above it, the `definition` without that comment, its `body` without braces, or its `name`.

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
        code = code_of(source)
        if isinstance(code, Refusal):
            return code
        found = self._answering(code)
        if not found:
            return self._none(code)
        doubtful = next((code.definitions[index] for index in found if not code.definitions[index].is_sound), None)
        if doubtful is not None:
            return self._doubtful(code, doubtful)
        numbers = _numbers(code)
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

    def _answering(self, code: Code) -> list[int]:
        """The definitions that answer: by the very path, else by a path written otherwise, else by the end of one."""
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

    def _none(self, code: Code) -> Refusal:
        if not code.definitions and code.errors:
            line = code.faults[0].line if code.faults else 1
            reason = code.faults[0].message if code.faults else "it cannot be parsed"
            return Refusal(
                Kind.UNPARSABLE,
                f"line {line}: {reason}; the file cannot be read as {code.language.name}",
                "address the place by lines or by its old text",
                {"line": line, "reason": reason},
            )
        if self.kind is not None and Symbol(self.name)._answering(code):
            other = code.definitions[Symbol(self.name)._answering(code)[0]]
            return Refusal(
                Kind.NO_SUCH_TARGET,
                f"{self.named()} is no {self.kind[:40]} but a {other.kind}",
                f"send it without kind, or with kind {other.kind}",
                {"nearest": [f"symbol:{other.dotted}"]},
            )
        names = _addresses(code)
        near = similar_names(asked_path(self.name)[-1], names, _NEAREST)
        nearest = [address for name in near for address in names[name]][:_NEAREST]
        if nearest:
            hint = f"did you mean {nearest[0]}?"
            return Refusal(Kind.NO_SUCH_TARGET, f"{self.named()} is not in the file", hint, {"nearest": nearest})
        there = [address for each in names.values() for address in each][:_NEAREST]
        more = f": {', '.join(there[:_FEW])}{' …' if len(code.definitions) > _FEW else ''}" if there else ""
        return Refusal(
            Kind.NO_SUCH_TARGET,
            f"{self.named()} is not in the file, nor any name similar to it"
            + (
                f"; it defines {len(code.definitions)} symbol{'' if len(code.definitions) == 1 else 's'}"
                if there
                else ""
            ),
            f"take the outline of the file for the names it has{more}" if there else "the file defines no symbols",
            {"nearest": [], "available": there},
        )

    def _doubtful(self, code: Code, item: Definition) -> Refusal:
        fault = next((fault for fault in code.faults), None)
        line, reason = (fault.line, fault.message) if fault else (1, "a syntax error")
        return Refusal(
            Kind.UNPARSABLE,
            f"where {item.kind} {item.dotted} ends is doubtful: line {line}, {reason}",
            "address the place by lines or by its old text, or mend that line first",
            {"line": line, "reason": reason},
        )


def _numbers(code: Code) -> list[int | None]:
    """Which of those with the same path each definition is, counted from 1; None where it is the only one."""
    dotted = [item.dotted for item in code.definitions]
    counts = Counter(dotted)
    seen: Counter[str] = Counter()
    numbers: list[int | None] = []
    for path in dotted:
        seen[path] += 1
        numbers.append(seen[path] if counts[path] > 1 else None)
    return numbers


def _is_of(item: Definition, kind: str | None, *, exact: bool) -> bool:
    if kind is None or item.kind == kind:
        return True
    return not exact and any(kind in family and item.kind in family for family in _FAMILIES)


def _ends(item: Definition, asked: tuple[str, ...]) -> bool:
    return any(loose(".".join(path))[-len(asked) :] == asked for path in {item.path, item.alias})


def _addresses(code: Code) -> dict[str, list[str]]:
    """The addresses of the definitions of each name; each address leads to one definition only."""
    leaves: dict[str, list[str]] = {}
    for item, number in zip(code.definitions, _numbers(code), strict=True):
        nth = "" if number is None else f"[{number}]"
        leaves.setdefault(item.path[-1], []).append(f"symbol{nth}:{item.dotted}")
    return leaves


TARGET = Symbol
