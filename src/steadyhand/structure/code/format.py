"""Source code: one format for every language there is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from steadyhand.hints import ByText
from steadyhand.structure.code.language import Language, languages
from steadyhand.structure.format import Fault, Format, OutlineEntry, Unchecked
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source


def outline(source: Source) -> Sequence[OutlineEntry] | Refusal:
    """Every definition that can be addressed: none that a syntax error makes doubtful, or that is called `../..`."""
    from steadyhand.errors import Kind
    from steadyhand.structure.code.definition import loose
    from steadyhand.structure.code.reader import code_of
    from steadyhand.structure.code.symbol import signature_of

    code = code_of(source)
    if isinstance(code, Refusal):
        return code
    counts = Counter(item.dotted for item in code.definitions)
    hidden = {item.dotted for item in code.definitions if not item.is_sound or not loose(item.dotted)}
    seen: Counter[str] = Counter()
    entries: list[OutlineEntry] = []
    for item in code.definitions:
        seen[item.dotted] += 1
        nth = f"[{seen[item.dotted]}]" if counts[item.dotted] > 1 else ""
        if item.dotted not in hidden:
            label = signature_of(source, item)
            entries.append(OutlineEntry(f"symbol{nth}:{item.dotted}", item.kind, label, item.whole, item.depth))
    if not entries and code.errors:
        line, reason = (code.faults[0].line, code.faults[0].message) if code.faults else (1, "it cannot be parsed")
        return Refusal(Kind.UNPARSABLE, f"line {line}: {reason}", ByText(), {"line": line, "reason": reason})
    return entries


def fault(source: Source) -> Fault | Unchecked | None:
    """The first place where the text does not parse."""
    from steadyhand.structure.code.symbol import fault_in

    return fault_in(source)


def gap(source: Source) -> Fault | None:
    """The first error: definitions around it may be left out."""
    from steadyhand.structure.code.reader import code_of

    code = code_of(source)
    return None if isinstance(code, Refusal) or not code.faults else code.faults[0]


def _format(language: Language) -> Format:
    is_judged = language.is_checked or language.verdict is not None
    return Format(
        language.name,
        language.suffixes,
        outline,
        fault if is_judged else None,
        language.names,
        gap=gap,
        is_neutral=None if language.is_neutral is None else partial(language.is_neutral, language),
    )


FORMATS = tuple(_format(language) for language in languages().values())
