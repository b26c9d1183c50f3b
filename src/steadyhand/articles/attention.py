"""What an article says about itself: its id and the rules by which a change of the code concerns it.

    ---
    jrn: LOGIN_GUIDE
    attention:
      - {op: file, path: "src/auth/**"}
      - {op: file, path: "!src/auth/generated/**"}
      - {op: symbol, path: "src/auth/session.py#Session.login", keywords: [timeout]}
      - {op: key, path: "config/app.yaml#login.max_tries"}
      - {op: article, path: API_OVERVIEW}
    ---

It is front matter in YAML or TOML; a page without it may say the same in an HTML comment. What cannot be read is a
problem of that one file, with its line, and never stops anybody. Pure: texts come in, values come out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, cast

from steadyhand.lazy import dataclass
from steadyhand.structure.markdown.front_matter import rule_blocks
from steadyhand.structure.node import Refusal
from steadyhand.text.source import Source
from steadyhand.workspace.files.listing import expand_braces, has_wildcards

__all__ = ["Article", "Problem", "Rule", "read_article"]

Op = Literal["file", "symbol", "key", "article"]

_OPS: Final = ("file", "symbol", "key", "article")
_FIELDS: Final = frozenset({"op", "path", "source", "keywords"})

_MOST_RULES: Final = 1_000
_LONGEST: Final = 1_000  # characters of a path, an id or a keyword
_MOST_KEYWORDS: Final = 100


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that an article depends on.

    `path` is what the author wrote; `place` the path or glob in it, without `!` and `#…`, and `name` the symbol or key.
    `source` is the repository that it means, where that is another one. `line` is where the rule is in the article.
    """

    op: Op
    path: str
    place: str
    name: str | None = None
    source: str | None = None
    keywords: tuple[str, ...] = ()
    is_excluding: bool = False
    line: int = 1

    @property
    def has_wildcards(self) -> bool:
        return has_wildcards(self.place)

    def to_json(self) -> dict[str, object]:
        """The rule as its author wrote it."""
        said: dict[str, object] = {"op": self.op, "path": self.path}
        if self.source is not None:
            said["source"] = self.source
        if self.keywords:
            said["keywords"] = list(self.keywords)
        return said


@dataclass(frozen=True, slots=True)
class Article:
    """A page with its id and its rules; `is_named`: the id is its own, and not its path."""

    jrn: str
    path: str
    rules: tuple[Rule, ...] = ()
    is_named: bool = False

    def to_json(self) -> dict[str, object]:
        return {"jrn": self.jrn, "path": self.path, "attention": [rule.to_json() for rule in self.rules]}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about one file that a person should correct."""

    path: str
    message: str
    line: int | None = None

    def to_json(self) -> dict[str, object]:
        line = {} if self.line is None else {"line": self.line}
        return {"path": self.path, **line, "message": self.message}


def read_article(path: str, text: str) -> tuple[Article | None, tuple[Problem, ...]]:
    """The article that a page is, and what is wrong with what it says; None where it says nothing about itself.

    >>> found, problems = read_article("a.md", "---\\njrn: A\\nattention:\\n- {op: file, path: src/*.py}\\n---\\n")
    >>> found.jrn, found.rules[0].place, problems
    ('A', 'src/*.py', ())
    """
    reader = _Reader(path)
    for block in rule_blocks(path, text):
        if not block.is_closed:
            return None, (Problem(path, "the front matter is not closed", block.line),)
        found = reader.read(block.syntax, block.text, block.line)
        if found is not None or reader.problems:
            return found, tuple(reader.problems)
    return None, ()


class _WrongRule(Exception):
    """What is wrong with one rule."""


class _Reader:
    """What one block says."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def read(self, syntax: str, text: str, line: int) -> Article | None:
        from steadyhand.structure.config.item import plain_of
        from steadyhand.structure.config.syntax import syntax_named

        source = Source.of_text(text)
        read = syntax_named(syntax).read(source)
        if isinstance(read, Refusal):
            at = read.details.get("line")
            self._problem(
                f"the front matter cannot be read: {_reason(read)}", line + at - 1 if isinstance(at, int) else line
            )
            return None
        top = read.documents[0] if read.documents else None
        if top is None or top.kind != "mapping":
            self._problem("the front matter is not a mapping", line)
            return None
        entries = {str(child.path[-1]): child for child in top.children}
        lines = {name: line + source.line_of(child.entry.start) - 1 for name, child in entries.items()}
        given = entries.get("jrn")
        jrn = None if given is None else self._jrn(plain_of(given), lines["jrn"])
        rules: tuple[Rule, ...] = ()
        if "attention" in entries:
            listed = entries["attention"]
            if listed.kind == "sequence":
                places = [line + source.line_of(child.entry.start) - 1 for child in listed.children]
                rules = self._rules([plain_of(child) for child in listed.children[: _MOST_RULES + 1]], places)
            elif listed.kind != "null":
                self._problem("attention: a list of rules is expected", lines["attention"])
        if jrn is None and "attention" not in entries:
            return None
        return Article(jrn or self.path, self.path, rules, is_named=jrn is not None)

    def _jrn(self, value: object, line: int) -> str | None:
        jrn = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if not jrn or len(jrn) > _LONGEST or not jrn.isprintable():
            self._problem("jrn: a name is expected; the path is used instead", line)
            return None
        return jrn

    def _rules(self, values: list[object], lines: list[int]) -> tuple[Rule, ...]:
        if len(values) > _MOST_RULES:
            self._problem(f"attention: only the first {_MOST_RULES} rules are read", lines[_MOST_RULES])
        rules = []
        for value, line in zip(values[:_MOST_RULES], lines, strict=False):
            try:
                rules.append(self._rule(value, line))
            except _WrongRule as wrong:
                self._problem(f"attention: {wrong}", line)
        return tuple(rules)

    def _rule(self, value: object, line: int) -> Rule:
        if not isinstance(value, Mapping):
            raise _WrongRule("a rule is a mapping with op and path")
        op, path, source = (value.get(name) for name in ("op", "path", "source"))
        unknown = [str(name)[:40] for name in value if name not in _FIELDS]
        if unknown:
            self._problem(f"attention: unknown field {', '.join(unknown)}", line)
        if op not in _OPS:
            known = ", ".join(_OPS)
            if op is None:
                raise _WrongRule(f"the rule has no op; known are {known}")
            raise _WrongRule(f"unknown op {str(op)[:40]!r}; known are {known}")
        if not isinstance(path, str) or not path.strip() or len(path) > _LONGEST or "\0" in path:
            raise _WrongRule(f"op {op} needs a path")
        if source is not None and (not isinstance(source, str) or not source.strip() or len(source) > _LONGEST):
            raise _WrongRule("source is the name of a repository")
        return self._placed(cast("Op", op), path.strip(), source, self._keywords(value.get("keywords"), line), line)

    def _placed(self, op: Op, path: str, source: str | None, keywords: tuple[str, ...], line: int) -> Rule:
        is_excluding = path.startswith("!")
        if op == "article":
            return Rule(op, path, path, None, source, keywords, line=line)
        if is_excluding and op != "file":
            raise _WrongRule(f"only op file can exclude with a leading !, not {op}")
        place, name = path[is_excluding:], None
        if op in ("symbol", "key"):
            place, name = _split(place)
            if not place or not name.strip():
                example = "src/app.py#Session.send" if op == "symbol" else "config.yaml#server.port"
                raise _WrongRule(f"op {op} needs a path such as {example}")
        plain = _plain(place)
        if plain is None or expand_braces(plain) is None:
            why = "is not relative to the root of the repository" if plain is None else "has too many choices in braces"
            raise _WrongRule(f"the path {path[:80]} {why}")
        return Rule(op, path, plain, name, source, keywords, is_excluding, line)

    def _keywords(self, value: object, line: int) -> tuple[str, ...]:
        given = [] if value is None else [value] if isinstance(value, str) else value
        if not isinstance(given, list) or not all(isinstance(each, str | int | float) for each in given):
            self._problem("attention: keywords is a list of words", line)
            return ()
        return tuple(str(each).strip()[:_LONGEST] for each in given[:_MOST_KEYWORDS] if str(each).strip())

    def _problem(self, message: str, line: int) -> None:
        self.problems.append(Problem(self.path, message, line))


def _split(path: str) -> tuple[str, str]:
    """The file and what is named in it: at the first `#` behind a name with an ending, else at the first.

    >>> _split("src/C#/a.cs#Foo"), _split("a.ts#Box.#secret"), _split("Makefile#all")
    (('src/C#/a.cs', 'Foo'), ('a.ts', 'Box.#secret'), ('Makefile', 'all'))
    """
    marks = [at for at, letter in enumerate(path) if letter == "#"]
    at = next((at for at in marks if "." in path[:at].rpartition("/")[2]), marks[0] if marks else len(path))
    return path[:at], path[at + 1 :]


def _plain(place: str) -> str | None:
    """A path from the root of the repository without detours; None where it climbs. A final slash stays."""
    names = [name for name in place.split("/") if name not in ("", ".")]
    if not names or ".." in names:
        return None
    return "/".join(names) + ("/" if place.endswith("/") else "")


def _reason(refusal: Refusal) -> str:
    return str(refusal.details.get("reason", refusal.message))[:300]
