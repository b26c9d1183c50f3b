"""The front matter of a Markdown file: as a whole, or one key of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.addressed import Addressed
from steadyhand.structure.config.item import KeyPath, Step
from steadyhand.structure.config.key_node import Part, key_nodes
from steadyhand.structure.config.path import parse_path, render_path
from steadyhand.structure.config.syntax import syntaxes
from steadyhand.structure.fields import bad_request, describe
from steadyhand.structure.markdown.front import front_source, front_span, in_front
from steadyhand.structure.markdown.front_matter_node import FrontMatterNode
from steadyhand.structure.markdown.suited import markdown_of
from steadyhand.structure.node import Node, Refusal
from steadyhand.text.source import Source


@dataclass(frozen=True, slots=True)
class FrontMatter(Addressed):
    """YAML between `---` lines or TOML between `+++` lines at the top. Without `path`: all that stands between them.

    `path` names a key, such as `author.name` or `tags[0]`; `$` is the top of the keys, where `add-key` adds one.
    `part` is the key's value, its entry or its name.

    >>> source = Source.of_text("---\\ntitle: Notes\\n---\\n")
    >>> FrontMatter("title").locate(source).span.of(source.text)
    'Notes'
    """

    key: ClassVar[str] = "front_matter"
    examples: ClassVar[tuple[str, ...]] = ("front_matter:", "front_matter:title")
    main: ClassVar[str] = "path"
    parts: ClassVar[tuple[str, ...]] = ("value", "entry", "name")

    path: str | tuple[Step, ...] = ""
    nth: int | None = None
    part: str = "value"

    def __post_init__(self) -> None:
        self._check_shared()
        if not _steps(self.path) and self.part != "value":
            raise bad_request("front_matter.part", "only a key has parts", "give the key's path")

    def find(self, source: Source) -> Sequence[Node] | Refusal:
        document = markdown_of(source, "front matter")
        if isinstance(document, Refusal):
            return document
        front = document.front
        if front is None:
            return Refusal(
                Kind.NO_SUCH_TARGET,
                "the file has no front matter",
                "insert it at lines [1, 0]: a line ---, the keys, a line ---",
                {"nearest": []},
            )
        if self.path in ("", ()):
            return [FrontMatterNode(front_span(document.table, front), front)]
        syntax = syntaxes()[front.syntax]
        start = front_span(document.table, front).start
        inner = source.derive(front_source)
        part = cast("Part", self.part)
        found = key_nodes(syntax, inner, _steps(self.path), offset=start, part=part, prefix=self.key)
        return in_front(found) if isinstance(found, Refusal) else found

    def to_value(self) -> str | None:
        return self.path if isinstance(self.path, str) else render_path(self.path)


def _steps(path: object) -> KeyPath:
    if isinstance(path, str):
        return parse_path(path, "front_matter.path")
    if not isinstance(path, tuple):
        raise bad_request("front_matter.path", f"a path is expected, not {describe(path)}", "such as author.name")
    for step in path:
        if isinstance(step, bool) or not isinstance(step, str | int):
            raise bad_request("front_matter.path", f"a name or a number is expected, not {describe(step)}")
    return path


TARGET = FrontMatter
