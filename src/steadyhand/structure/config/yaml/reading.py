"""From the text of a YAML file to items with exact places, by the events of PyYAML.

Events are taken one by one, so that a nesting bomb is left behind at `DEEPEST` before it costs anything.
Aliases are never followed: an alias is a leaf that names its anchor.
"""

from __future__ import annotations

from steadyhand.errors import Kind
from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.yaml.building import MOST_STEPS, Builder, TooDeep, Unreadable
from steadyhand.structure.config.yaml.note import Parsed
from steadyhand.structure.node import Refusal
from steadyhand.text.pace import paced
from steadyhand.text.source import Source

_SURELY_FLAT = 15
_MOST = 400_000  # events, some three for every value: as many as are read within seconds
_NOT_TEXT = lazy_pattern("[\ud800-\udfff]")


def parse(source: Source) -> Parsed | Refusal:
    """The items of every document, or why the text is no YAML: `unparsable` or `too-large`."""
    return _parse(source, Builder(source.text))


def parse_part(source: Source) -> Parsed | Refusal:
    """The same for a piece of a file, whose aliases may mean anchors outside of it."""
    return _parse(source, Builder(source.text, is_part=True))


def _parse(source: Source, builder: Builder) -> Parsed | Refusal:
    import yaml

    try:
        _check_text(source.text)
        shift = _shift(source.text)
        events = yaml.parse(source.text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        for number, event in enumerate(paced(events)):
            builder.take(event, event.start_mark.index + shift, event.end_mark.index + shift)
            if number > _MOST:
                return _too_large(source, builder.position, "there are more values than are read at once")
        return builder.result()
    except TooDeep:
        return _too_large(source, builder.position, "the values are nested too deep")
    except Unreadable as error:
        return _unparsable(source, error.offset, error.message)
    except yaml.reader.ReaderError as error:
        return _unparsable(source, min(error.position, len(source.text)), f"{error.reason}")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        offset = len(source.text) if mark is None else min(mark.index + _shift(source.text), len(source.text))
        said = [part for part in (error.context, error.problem) if part]
        return _unparsable(source, offset, ", ".join(said))


def is_readable(source: Source) -> bool:
    """Whether `parse` surely reads a text: its events are looked at and nothing is built. False: `parse` has to say."""
    import yaml

    text, shift, depth = source.text, _shift(source.text), 0
    anchors: set[str] = set()
    try:
        _check_text(text)
        for event in paced(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))):
            name = type(event).__name__
            if name == "DocumentStartEvent":
                anchors.clear()
            elif name in ("MappingEndEvent", "SequenceEndEvent"):
                depth -= 1
            elif name in ("MappingStartEvent", "SequenceStartEvent"):
                depth += 1
                # Braces in braces may be a template, and what is deep may be too deep.
                if depth > _SURELY_FLAT or text.startswith("{{", event.start_mark.index + shift - 1):
                    return False
            if name == "AliasEvent" and event.anchor not in anchors:
                return False
            if name != "AliasEvent" and getattr(event, "anchor", None) is not None:
                anchors.add(event.anchor)
    except (Unreadable, yaml.YAMLError):
        return False
    return len(text) * _SURELY_FLAT < MOST_STEPS


def _check_text(text: str) -> None:
    broken = _NOT_TEXT.search(text)
    if broken is not None:
        raise Unreadable(broken.start(), "a lone surrogate is no character")


def _shift(text: str) -> int:
    """The C parser does not count a byte order mark."""
    import yaml

    return 1 if text.startswith("\ufeff") and hasattr(yaml, "CSafeLoader") else 0


def _unparsable(source: Source, offset: int, reason: str) -> Refusal:
    row = source.table.row_at(offset)
    column = offset - source.table.start(row) + 1 if source.text else 1
    return Refusal(
        Kind.UNPARSABLE,
        f"line {row + 1}: this is no YAML: {reason}",
        f"mend line {row + 1} first, or edit the lines themselves with a replace of their text",
        {"line": row + 1, "column": column, "reason": reason},
    )


def _too_large(source: Source, offset: int, message: str) -> Refusal:
    line = source.line_of(min(offset, len(source.text)))
    return Refusal(
        Kind.TOO_LARGE,
        f"line {line}: {message}",
        "edit the lines themselves with a replace of their text",
        {"line": line},
    )
