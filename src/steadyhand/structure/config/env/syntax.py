"""Names of `.env` files. Everything is text; a value keeps its quotes, and gets some where it needs them.

A value may be a secret: no message, note or label of this syntax has one in it.
"""

from __future__ import annotations

from typing import ClassVar

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.config.item import Plain
from steadyhand.structure.config.line_file import LineEntry, LineFile, LineSection
from steadyhand.structure.config.line_syntax import LineSyntax, Write, equals_like, text_of
from steadyhand.structure.config.syntax import refuse
from steadyhand.structure.node import Refusal
from steadyhand.text.lines import to_lf
from steadyhand.text.source import Source

_NAME = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NEEDS_QUOTES = lazy_pattern(r"[\s#$'\"`\\]")
_CONTROL = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f]")


class Env(LineSyntax):
    """`.env`, as dotenv loaders and shells read it."""

    name: ClassVar[str] = "env"

    def parse(self, source: Source) -> LineFile | Refusal:
        from steadyhand.structure.config.env.scan import read_env

        return read_env(source)

    def check_name(self, source: Source, name: str) -> Refusal | None:  # noqa: ARG002
        if _NAME.fullmatch(name):
            return None
        return refuse("a name is made of letters, digits and _, and starts with no digit", "choose another name")

    def render(self, source: Source, entry: LineEntry | None, value: Plain) -> str | Refusal:
        text = text_of(value)
        if isinstance(text, Refusal):
            return text
        text = to_lf(text)
        if _CONTROL.search(text):
            return refuse("a value has no control characters", "send it without them")
        old = entry.value.of(source.text) if entry is not None else ""
        written = _quoted(text, _quote_for(source, self.file(source), text, old), has_lines="\n" in old)
        return written if written is not None else refuse("this value cannot be written in quotes", "send another")

    def render_line(self, source: Source, section: LineSection, name: str, written: str) -> str:
        before, equals = equals_like(source.text, section, lambda: "=")
        return f"{before}{name}{equals}{written}".rstrip(" \t")

    def put_value(self, source: Source, entry: LineEntry, written: str) -> list[Write]:  # noqa: ARG002
        return [(entry.value, written if entry.data is not None else f"={written}")]


def _quote_for(source: Source, file: LineFile, text: str, old: str) -> str:
    """The quotes a text gets: those of the old value; otherwise, where it needs some, those of the file."""
    if old[:1] in ('"', "'"):
        return old[0]
    if not _NEEDS_QUOTES.search(text):
        return ""
    marks = [entry.value.of(source.text)[:1] for part in file.sections for entry in part.entries]
    return "'" if marks.count("'") > marks.count('"') else '"'


def _quoted(text: str, quote: str, *, has_lines: bool) -> str | None:
    """A text in quotes, others where these cannot say it; None where none can."""
    from steadyhand.structure.config.env.scan import decode

    if not quote:
        return text
    if quote == "'" and "'" not in text and "\\" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    if text.endswith("\\") or (quote == "'" and "$" in text):
        # Some loaders take a backslash before the last quote for an escape and read on; most expand $ in these quotes.
        return None
    written = f'"{escaped if has_lines else escaped.replace(chr(10), chr(92) + "n")}"'
    return written if decode(written) == text else None


SYNTAX = Env()
