"""What goes when an entry of a TOML file goes, and what must be written so that the table around it stays."""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.structure.config.item import Item
from steadyhand.structure.config.lines import merged, removal
from steadyhand.structure.config.toml.adding import enclosing
from steadyhand.structure.config.toml.brackets import Writes, take_out
from steadyhand.structure.config.toml.parts import Pair
from steadyhand.structure.config.toml.places import Page, render_table
from steadyhand.structure.config.toml.tree import note_of
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import body
from steadyhand.text.span import Span


def remove(page: Page, item: Item) -> Writes | Refusal:
    """Take an item away, however it is written."""
    parent = page.document.parent(item)
    note, around = note_of(item), note_of(parent)
    if around.form == "array" and around.value is not None:
        at = int(item.path[-1])
        return [(span, "") for span in take_out(page.text, around.value, at, at + 1)]
    if note.sections:
        return _remove_sections(page, item, parent)
    kept: Writes = []
    pairs = note.pairs
    if around.form == "dotted" and len(pairs) == len(around.pairs):
        kept, pairs = [_emptied(page, parent, pairs[0])], pairs[1:]
    return [*kept, *((span, "") for span in _pair_spans(page, parent, pairs, note.home))]


def _pair_spans(page: Page, parent: Item, pairs: tuple[Pair, ...], home: int | None) -> list[Span]:
    if home is not None:
        runs = merged([page.pair_lines(home, pair) for pair in pairs])
        return [part for span in runs for part in removal(page.text, span)]
    outside = enclosing(page, parent)
    if outside is None:
        return []
    numbers = sorted(outside.pairs.index(pair) for pair in pairs)
    if numbers and numbers[-1] - numbers[0] == len(numbers) - 1:
        return take_out(page.text, outside, numbers[0], numbers[-1] + 1)
    return merged([span for number in numbers for span in take_out(page.text, outside, number, number + 1)])


def _emptied(page: Page, parent: Item, pair: Pair) -> tuple[Span, str]:
    """The last of some dotted keys leaves an empty table."""
    segment = next(segment for segment in pair.key if segment.span in note_of(parent).names)
    equals = page.text[pair.key[-1].span.end : pair.value.span.start]
    return Span(segment.span.end, pair.span.end), f"{equals}{{}}"


def _remove_sections(page: Page, item: Item, parent: Item) -> Writes | Refusal:
    note, around = note_of(item), note_of(parent)
    if around.form == "tables" and len(parent.children) == 1:
        return Refusal(
            Kind.BAD_REQUEST,
            "it is the only one of its [[tables]], and an empty array cannot be written that way",
            f"delete the whole array, key {render_table(parent.path)}",
        )
    spans = section_runs(page, item)
    if around.form == "implicit" and len(around.sections) == len(note.sections):
        rest = [(part, "") for span in spans[1:] for part in removal(page.text, span)]
        place = Span(spans[0].start, spans[0].start + len(body(spans[0].of(page.text))))
        return [(place, f"[{render_table(parent.path)}]"), *rest]
    return [(part, "") for span in spans for part in removal(page.text, span)]


def section_runs(page: Page, item: Item) -> list[Span]:
    """The lines of an item that is written in sections; sections that follow each other are one run."""
    runs: list[list[int]] = []
    for number in note_of(item).sections:
        if runs and runs[-1][-1] + 1 == number:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [Span(page.own_lines(run[0]), page.tail(run[-1])) for run in runs]
