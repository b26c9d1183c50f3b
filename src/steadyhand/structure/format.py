"""What a format is: which files are written in it, what can be addressed in them, and whether they parse.

The table of formats is here; it names the function of a package that reads the files of each, which is imported when it
is first called. An outline of a `.env` file has names in it and never values. What is called `.conf` is often written
in a language of its own: it is read as INI, and not held to it.

A change is neutral if a look at its surroundings proves that a text which parsed before parses after. A full check
reads the whole text; what is proven here costs as much as the change and the construct around it. A proof may start
from the text before being valid: of a file that was not, nothing is asked. It may only say yes or unknown: no is for
the full check, which also says where the fault is. A format names its proof in `Format.is_neutral`; it gets the changed
lines of one place. Several places are proven one after another, each in the text that those before it have made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from importlib import import_module
from itertools import chain
from typing import Any

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.structure.node import Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from steadyhand.text.span import Span

SMALL = 1_000  # characters that are checked as a whole: that is fast, and says of a broken file that it is broken
WIDEST = 6_000  # characters of the surroundings that are looked at
_MOST = 8  # places of one change set


@dataclass(frozen=True, slots=True)
class Change:
    """Whole lines of one text that are other lines in the next: `before[start:end]` became `after[start:new_end]`."""

    before: str
    after: str
    start: int
    end: int
    new_end: int

    @property
    def old(self) -> str:
        return self.before[self.start : self.end]

    @property
    def new(self) -> str:
        return self.after[self.start : self.new_end]

    def widen(self, *, above: bool) -> Change:
        """The change with one more line, that above or that below."""
        if above:
            return replace(self, start=self.before.rfind("\n", 0, max(self.start - 1, 0)) + 1)
        end = self.before.find("\n", self.end) + 1 or len(self.before)
        return replace(self, end=end, new_end=self.new_end + end - self.end)

    @classmethod
    def of(cls, before: str, after: str, start: int, old: str, new: str) -> Change:
        """The lines that one replacement touches.

        >>> change = Change.of("a\\nbc\\nd\\n", "a\\nbx\\nd\\n", 3, "c", "x")
        >>> change.old, change.new
        ('bc\\n', 'bx\\n')
        """
        first = before.rfind("\n", 0, start) + 1
        head, piece = before[first:start], old or new
        if head and not (old and new) and piece.endswith(f"\n{head}"):  # whole lines, but for where they are cut
            start, piece = first, head + piece.removesuffix(head)
            old, new = (piece, "") if old else ("", piece)
        end = start + len(old)
        is_at_line = (old.endswith("\n") or not old) and (new.endswith("\n") or not new)
        if not (is_at_line and (before[end - 1 : end] in ("", "\n") or end == len(before)) and (new or first == start)):
            end = before.find("\n", end) + 1 or len(before)
        return cls(before, after, first, end, end + len(after) - len(before))


def matched_lines(line: re.Pattern[str], text: str) -> list[re.Match[str]] | None:
    """Every line of some lines, if a pattern that takes one with its ending matches each of them."""
    found: list[re.Match[str]] = []
    at = 0
    while at < len(text):
        one = line.match(text, at)
        if one is None or one.end() == at:
            return None
        found.append(one)
        at = one.end()
    return found


def is_neutral(proof: Callable[[Change], bool], before: str, changes: ChangeSet, after: str) -> bool:
    """Whether a change set is proven to leave a valid text valid; `after` is what it makes of the text."""
    if len(before) <= SMALL or not 0 < len(changes.splices) <= _MOST:
        return False
    text, moved = before, 0
    for number, splice in enumerate(changes.splices, start=1):
        place = splice.trim()
        if len(place.old) > WIDEST or len(place.new) > WIDEST:
            return False
        start = place.start + moved
        is_last = number == len(changes.splices)  # a text is as large as the file: none is made that is there already
        made = after if is_last else text[:start] + place.new + text[start + len(place.old) :]
        if not proof(Change.of(text, made, start, place.old, place.new)):
            return False
        text, moved = made, moved + place.delta
    return True


_LONGEST = 255  # characters of a name in which its suffixes are looked for: no file has a longer one


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One thing of a file that can be addressed. `depth` is how deep it is in the outline, from 0."""

    address: str
    kind: str
    label: str
    span: Span
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a text stops being what its format asks: 1-based line, and column where it is known."""

    line: int
    message: str
    column: int | None = None

    @classmethod
    def of(cls, read: object, message: str | None = None) -> Fault | Unchecked | None:
        """The fault that a refusal to read a text reports; what was read has none."""
        if not isinstance(read, Refusal):
            return None
        if read.kind != Kind.UNPARSABLE:
            return Unchecked(read.message)
        line, column = read.details.get("line"), read.details.get("column")
        said = message or str(read.details.get("reason", read.message))
        return cls(line if isinstance(line, int) else 1, said, column if isinstance(column, int) else None)


@dataclass(frozen=True, slots=True)
class Unchecked:
    """Why a text was not parsed: it is larger or nested deeper than parsers are given."""

    reason: str


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a file. `suffixes` such as `.md` and whole `names` such as `.env` are compared in lower case.

    `outline`   what can be addressed, in the order of the file
    `fault`     the first place where the text does not parse; None in place of the function where everything parses.
                No parser gets a text of which a linear scan has not bounded what the parser needs for it
    `largest`   texts longer than this many code points are not checked for faults
    `is_neutral` proves of a small change, from its surroundings, that it leaves a valid text valid; False: unknown
    `gap`       where the outline may miss something, though the rest of the text could be read
    `syntax`    the module of `config/` that reads the keys of such files, where they have keys
    """

    name: str
    suffixes: tuple[str, ...]
    outline: Callable[[Source], Sequence[OutlineEntry] | Refusal]
    fault: Callable[[Source], Fault | Unchecked | None] | None = None
    names: tuple[str, ...] = ()
    largest: int = 2_000_000
    gap: Callable[[Source], Fault | None] | None = None
    is_neutral: Callable[[Change], bool] | None = None
    syntax: str | None = None


def _call(place: str, *args: Any, **more: Any) -> Any:
    """Call what is at `package.module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"steadyhand.structure.{module}"), name)(*args, **more)


_STAGES = "example sample template dist defaults local development dev test testing staging production prod ci docker"
_KINDS = ("example", "sample", "template", "dist", "local")
_ENV = " ".join(
    (
        ".env",
        ".envrc",
        ".flaskenv",
        ".dev.vars",
        ".dev.vars.example",
        *(f".env.{stage}" for stage in _STAGES.split()),
        *(f".env.{stage}.{kind}" for stage in _STAGES.split() for kind in _KINDS if kind != stage),
        *(f".envrc.{kind}" for kind in _KINDS),
    )
)
_ENV_NAMES = " ".join(f"env.{kind}" for kind in _KINDS)
_INI = (
    ".ini .cfg .editorconfig .npmrc .gitconfig .gitmodules .pylintrc .flake8 .coveragerc "
    ".desktop .service .socket .timer .mount .target .path .slice .network .netdev"
)
MARKDOWN = (".md", ".markdown", ".mdown", ".mkd", ".mdx")
_HTML = (
    ".html .htm .xhtml .jinja .jinja2 .j2 .njk .twig .hbs .handlebars .mustache .ejs .erb .html.erb"
    " .html.jinja .html.j2 .html.twig .djhtml .gohtml .liquid .phtml"
)


def _keyed(
    name: str, suffixes: str, syntax: str, reader: str = "", *, names: str = "", fault: str = "", proof: str = ""
) -> Format:
    """A format by the syntax that its keys are written in; `reader` has both of `fault` and `proof`."""
    outline = partial(_call, "config.key:outline_yaml" if syntax == "yaml" else "config.key:outline_keys", syntax)
    fault, proof = fault or (reader and f"{reader}:fault_of"), proof or (reader and f"{reader}:is_neutral")
    return Format(
        name,
        tuple(suffixes.split()),
        outline,
        partial(_call, fault) if fault else None,
        tuple(names.split()),
        is_neutral=partial(_call, proof) if proof else None,
        syntax=syntax,
    )


_KEYED = (
    _keyed("env", _ENV, "env", names=_ENV_NAMES, fault="config.env:fault_of"),
    _keyed("ini", _INI, "ini", fault="config.ini:fault_of"),
    _keyed("conf", ".conf .cnf", "ini"),
    _keyed(
        "json",
        ".json .webmanifest .geojson .topojson .jsonld .avsc .har",
        "json",
        "config.json_reader",
        names=".babelrc .jshintrc .swcrc composer.lock pipfile.lock flake.lock deno.lock",
    ),
    _keyed("jsonc", ".jsonc .code-workspace .code-snippets", "json", "config.json_reader", names="bun.lock"),
    _keyed("json5", ".json5", "json", fault="config.json_reader:fault_of"),
    _keyed("jsonl", ".jsonl .ndjson", "json", fault="config.json_reader:fault_of"),
    _keyed(
        "toml",
        ".toml",
        "toml",
        "config.toml_reader",
        names="pipfile cargo.lock poetry.lock uv.lock pdm.lock gopkg.lock",
    ),
    _keyed("yaml", ".yaml .yml .cff", "yaml", "config.yaml_neutral"),
)
_OTHERS = (
    Format("html", tuple(_HTML.split()), partial(_call, "html.element:list_page")),
    Format(
        "markdown",
        MARKDOWN,
        partial(_call, "markdown.names:outline"),
        partial(_call, "markdown.document:fault_of"),
        is_neutral=partial(_call, "markdown.document:is_neutral"),
    ),
    Format(
        "notebook",
        (".ipynb",),
        partial(_call, "notebook:outline"),
        partial(_call, "notebook:fault_of"),
        syntax="json",
    ),
)


@cache
def formats() -> tuple[Format, ...]:
    """Every format, in alphabetical order."""
    code = map(_code, _call("code.language:languages").values())
    return tuple(sorted(chain(_KEYED, _OTHERS, code), key=lambda item: item.name))


def _code(language: Any) -> Format:
    """The format of a programming language."""
    is_judged = language.is_checked or language.verdict is not None
    return Format(
        language.name,
        language.suffixes,
        partial(_call, "code.symbol:outline"),
        partial(_call, "code.symbol:fault_in") if is_judged else None,
        language.names,
        gap=partial(_call, "code.symbol:gap"),
        is_neutral=None if language.is_neutral is None else partial(language.is_neutral, language),
    )


@cache
def _by_name() -> dict[str, Format]:
    return {name: item for item in formats() for name in (*item.suffixes, *item.names)}


def file_name(path: str | None) -> str:
    """The last part of a path, in lower case: what says how a file is written.

    >>> file_name("Docs\\\\Read.MD"), file_name(None)
    ('read.md', '')
    """
    return (path or "").replace("\\", "/").rstrip("/").rpartition("/")[2].lower()


@lru_cache(maxsize=1_000)  # every edit of a file asks
def format_of(path: str | None) -> Format | None:
    """The format of a file by its name; the longest suffix counts.

    >>> format_of("no/such.extension-at-all") is None
    True
    """
    if path is None:
        return None
    name = file_name(path)
    known = _by_name()
    dots = (at for at, letter in enumerate(name[-_LONGEST:], max(len(name) - _LONGEST, 0)) if letter == ".")
    return next((known[key] for key in chain((name,), (name[at:] for at in dots)) if key in known), None)


def format_named(name: str) -> Format | None:
    """The format of that name."""
    return next((item for item in formats() if item.name == name), None)
