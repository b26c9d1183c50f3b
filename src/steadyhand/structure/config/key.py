"""A key of a configuration file by its path from the top: `services.web.ports[0]`.

Only what stands in the file is located: a key that a default, a merge or an alias would bring is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self, cast

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.config.item import KeyPath, Step
from steadyhand.structure.config.key_node import Part, key_nodes
from steadyhand.structure.config.path import parse_path, render_path
from steadyhand.structure.config.syntax import Syntax, syntax_of, syntaxes
from steadyhand.structure.fields import bad_request, check_integer, describe
from steadyhand.structure.format import format_named, format_of
from steadyhand.structure.node import Node, Refusal
from steadyhand.text.source import Source


@dataclass(frozen=True, slots=True)
class Key(Addressed):
    """The value at a path; names are parted by dots, numbers in brackets count from 0, `[-1]` is the last.

    `part` is the value, the entry (name and value) or the name. `document` counts the documents of a YAML stream or
    the lines of JSON Lines from 1. `format` names the format where the path of the file does not.

    >>> Key("a.b", format="json").locate(Source.of_text('{"a": {"b": 12}}')).span
    Span(start=12, end=14)
    """

    key: ClassVar[str] = "key"
    examples: ClassVar[tuple[str, ...]] = ("key:services.web.ports[0]", 'key:paths."/users".get', "key.entry:version")
    main: ClassVar[str] = "path"
    parts: ClassVar[tuple[str, ...]] = ("value", "entry", "name")

    path: str | tuple[Step, ...]
    nth: int | None = None
    document: int | None = None
    part: str = "value"
    format: str | None = None

    def __post_init__(self) -> None:
        self._check_shared()
        _steps(self.path)
        if self.document is not None and check_integer(self.document, "key.document") < 1:
            raise bad_request("key.document", f"there is no document {self.document}", "documents count from 1")
        if self.format is not None and _named(self.format) is None:
            raise bad_request("key.format", f"no keys in {str(self.format)[:40]!r}", f"one of {', '.join(syntaxes())}")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        """Every item with that path, in the order of the file."""
        found = _text(source, self.format)
        if isinstance(found, Refusal):
            return found
        syntax, inner = found
        return key_nodes(syntax, inner, _steps(self.path), part=cast("Part", self.part), document=self.document)

    @classmethod
    def of_file(cls) -> Self | None:
        return cls("")

    def to_value(self) -> str | None:
        is_plain = self.document is None and self.format is None
        return render_path(_steps(self.path)) if is_plain else None


def _steps(path: object) -> KeyPath:
    if isinstance(path, str):
        return parse_path(path)
    if not isinstance(path, tuple):
        raise bad_request("key.path", f"a path is expected, not {describe(path)}", "such as services.web.ports[0]")
    for step in path:
        if isinstance(step, bool) or not isinstance(step, str | int):
            raise bad_request("key.path", f"a name or a number is expected, not {describe(step)}")
    return path


def _named(name: object) -> Syntax | None:
    return syntax_of(name) if isinstance(name, str) else None


def _text(source: Source, name: str | None) -> tuple[Syntax, Source] | Refusal:
    """The syntax of a source, and the source as that syntax should see it."""
    if name is not None:
        known = format_named(name)
        path = f"text{known.suffixes[0]}" if known is not None and known.suffixes else source.path
        inner = source if path == source.path else Source(source.text, source.encoding, path)
        return cast("Syntax", _named(name)), inner
    found = format_of(source.path)
    syntax = None if found is None else syntax_of(found.name)
    return _no_keys(source) if syntax is None else (syntax, source)


def _no_keys(source: Source) -> Refusal:
    what = "the text has no file name" if source.path is None else f"{source.path} is in no format that has keys"
    return Refusal(
        Kind.BAD_REQUEST,
        f"{what}, so its format is not known",
        f"say it with format, one of {', '.join(syntaxes())}",
        {"formats": list(syntaxes())},
    )


TARGET = Key
