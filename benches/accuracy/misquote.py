"""Cases made at random from real files: an edit that looks real, quoted the way models misquote, and the right answer.

No case is kept, so nobody can tune a rule to one: a seed gives the same cases of the same files again, another seed
others. The files are those of this repository and of the packages that this interpreter has. An edit is a window of
rows with signs, as in a diff; a misquote changes what is quoted of it and never what is meant.

1. What is right is made from the file and the edit alone, before anything is misquoted.
2. A context row is misquoted in old and new text alike: an edit that misremembers a row does not ask to change it.
3. A row that the edit takes away is misquoted in the old text only; what the edit puts there is what is meant.
4. A case that must be refused has no place that is meant: it was cut out, is there twice, or someone changed it.
"""

from __future__ import annotations

import ast
import json
import random
import re
import string
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal

from benches.accuracy.cases import Case
from benches.accuracy.question import Op, Question, fenced

_HOME = Path(__file__).resolve().parent.parent.parent
_LANGUAGES = {
    ".py": "python", ".pyi": "python", ".md": "markdown", ".rst": "restructuredtext", ".js": "javascript",
    ".ts": "typescript", ".css": "css", ".html": "html", ".json": "json", ".yaml": "yaml", ".yml": "yaml",
    ".toml": "toml", ".c": "c", ".h": "c", ".cfg": "ini", ".sh": "shell", ".txt": "text",
}  # fmt: skip
_PER_SUFFIX = 120  # files of one kind, so that Python does not drown the others
_SMALLEST, _LARGEST = 600, 40_000
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_OPENS = re.compile(r"[\[({:,\\]\s*$|^\s*[\])}]|\"\"\"|'''|`")
_SYLLABLES = "ba den fi gor ka lum mo nes pra qui rol sta tev ul vox".split()

Sign = Literal[" ", "-", "+"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an edit: context, taken away, or added."""

    sign: Sign
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit of a file that ends in a line ending: rows from the line `start`, counted from 0."""

    path: str
    language: str
    lines: tuple[str, ...]
    start: int
    rows: tuple[Row, ...]

    def quoted(self, sign: Sign) -> list[str]:
        """The rows of the old text (`-`) or of the new one (`+`)."""
        return [row.text for row in self.rows if row.sign in (" ", sign)]

    @property
    def expected(self) -> list[str]:
        end = self.start + len(self.quoted("-"))
        return [*self.lines[: self.start], *self.quoted("+"), *self.lines[end:]]

    def rows_at(self, sign: Sign) -> list[int]:
        return [index for index, row in enumerate(self.rows) if row.sign == sign]


def make_cases(number: int, seed: int = 0, *, only: Sequence[str] = ()) -> list[Case]:
    """So many cases, of each kind of misquote in turn; `only` names ids, or kinds by pattern."""
    kinds = [kind for kind in KINDS if any(fnmatchcase(kind, pattern) for pattern in only)]
    cases = _cases(_files(), kinds or list(KINDS), number, seed)
    return [case for case in cases if kinds or not only or case.id in only]


def _cases(files: Sequence[Path], kinds: Sequence[str], number: int, seed: int) -> Iterator[Case]:
    made = attempt = 0
    while made < number and attempt < number * 60:
        kind = kinds[made % len(kinds)]
        rng = random.Random(f"{seed}/{attempt}")
        attempt += 1
        edit = _edit(rng, rng.choice(files))
        case = None if edit is None else KINDS[kind](rng, edit)
        if case is not None and _is_sound(case):
            made += 1
            yield replace(case, id=f"misquote-{seed}-{attempt}", category=f"misquote-{case.kind}-{kind}")


def _is_sound(case: Case) -> bool:
    """Whether the case asks for something, and what it asks for can be parsed where the file could."""
    before, after = case.question.before, case.expected
    if case.kind == "ops" and any(op.old == op.new or not op.old.strip() for op in case.question.ops):
        return False
    return after is None or (after != before and (not _parses(case, before) or _parses(case, after)))


def _parses(case: Case, text: str) -> bool:
    parse = {"python": ast.parse, "json": json.loads, "toml": tomllib.loads}.get(case.language)
    try:
        if parse is not None:
            parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


# ── real files and edits ──────────────────────────────────────────────────────────────────────────────────────────────


@cache
def _files() -> list[Path]:
    packages = Path(sysconfig.get_paths()["purelib"])
    folders = [_HOME / "src", _HOME / "docs", _HOME / "tests", packages]
    found: dict[str, list[Path]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in _LANGUAGES and "__pycache__" not in path.parts and path.is_file():
                found.setdefault(path.suffix, []).append(path)
    rng = random.Random(0)
    chosen = []
    for paths in found.values():
        sized = [path for path in paths if _SMALLEST <= path.stat().st_size <= _LARGEST]
        chosen += sized if len(sized) <= _PER_SUFFIX else sorted(rng.sample(sized, _PER_SUFFIX))
    return chosen


def _edit(rng: random.Random, path: Path) -> Edit | None:
    """A change of some rows of the file with rows around it; the old text is there exactly once."""
    try:
        text = path.read_bytes().decode()
    except ValueError:
        return None
    if "\r" in text or "\f" in text or "\x1c" in text or not text.endswith("\n"):
        return None
    lines = tuple(text.split("\n")[:-1])
    if len(lines) < 12 or max(map(len, lines)) > 300:
        return None
    above, below, length = rng.choice((0, 1, 2, 3, 4)), rng.choice((0, 1, 2, 3, 4)), rng.choice((1, 1, 1, 2, 3))
    first = rng.randrange(above, len(lines) - length - below)
    changed = lines[first : first + length]
    if not all(_WORD.search(line) for line in changed):
        return None
    middle = rng.choice((_replacement, _replacement, _insertion, _deletion, _renaming))(rng, lines, changed)
    if middle is None:
        return None
    if not above and not below and all(row.sign == "+" for row in middle):
        return None
    start = first - above
    rows = (*_context(lines[start:first]), *middle, *_context(lines[first + length : first + length + below]))
    suffix = path.suffix
    edit = Edit(f"src/module{suffix}", _LANGUAGES[suffix], lines, start, rows)
    quoted = "\n".join(edit.quoted("-"))
    is_single = quoted.strip() and text.count(quoted) == 1
    return edit if is_single and edit.expected != list(lines) else None


def _context(lines: Sequence[str]) -> list[Row]:
    return [Row(" ", line) for line in lines]


def _replacement(rng: random.Random, _lines: Sequence[str], changed: Sequence[str]) -> list[Row] | None:
    new = [_reworded(rng, line) for line in changed]
    if any(line is None for line in new):
        return None
    more = [f"{_indent(changed[-1])}{_made_up(rng)}"] if rng.random() < 0.2 and not _OPENS.search(changed[-1]) else []
    return [*(Row("-", line) for line in changed), *(Row("+", str(line)) for line in [*new, *more])]


def _insertion(rng: random.Random, lines: Sequence[str], changed: Sequence[str]) -> list[Row] | None:
    if any(map(_OPENS.search, changed)):
        return None
    donors = [line for line in lines if _WORD.search(line) and not _OPENS.search(line)]
    new = [_reworded(rng, rng.choice(donors)) for _ in range(rng.choice((1, 1, 2, 3)))] if donors else []
    if not new or None in new:
        return None
    indent = _indent(changed[-1])
    return [*_context(changed), *(Row("+", indent + str(line).lstrip()) for line in new)]


def _deletion(_rng: random.Random, _lines: Sequence[str], changed: Sequence[str]) -> list[Row] | None:
    return None if any(map(_OPENS.search, changed)) else [Row("-", line) for line in changed]


def _renaming(rng: random.Random, _lines: Sequence[str], changed: Sequence[str]) -> list[Row] | None:
    names = sorted({name for line in changed for name in _WORD.findall(line)})
    name = rng.choice(names)
    new = [re.sub(rf"\b{name}\b", f"{name}_{rng.choice(_SYLLABLES)}", line) for line in changed]
    rows: list[Row] = []
    for old, line in zip(changed, new, strict=True):
        rows += [Row(" ", old)] if old == line else [Row("-", old), Row("+", line)]
    return rows


def _reworded(rng: random.Random, line: str) -> str | None:
    """The line with one word or number another."""
    numbers, words = list(_NUMBER.finditer(line)), list(_WORD.finditer(line))
    if numbers and rng.random() < 0.4:
        found = rng.choice(numbers)
        new = str(int(found[0]) + rng.randrange(1, 90))
    elif words:
        found = rng.choice(words)
        new = rng.choice((found[0] + "s", found[0] + "2", _name(rng), f"{_name(rng)}_{found[0]}"))
    else:
        return None
    return line[: found.start()] + new + line[found.end() :]


def _name(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.choice((2, 3))))


def _made_up(rng: random.Random) -> str:
    return f"{_name(rng)} = {_name(rng)}({rng.randrange(100)})"


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


# ── how an edit is handed over ────────────────────────────────────────────────────────────────────────────────────────

Form = Literal["ops", "diff", "sr", "v4a"]


def _case(
    rng: random.Random,
    edit: Edit,
    *,
    expected: Sequence[str] | None,
    lines: Sequence[str] | None = None,
    form: Form | None = None,
    old: str | None = None,
    new: str | None = None,
    ending: str = "",
) -> Case | None:
    """The edit as texts, a diff, a SEARCH/REPLACE block or a V4A patch; `old` and `new` are texts only."""
    file = list(edit.lines if lines is None else lines)
    ending = ending or rng.choice(("\n",) * 11 + ("\r\n",))
    before = "".join(line + ending for line in file)
    after = None if expected is None else "".join(line + ending for line in expected)
    forms: tuple[Form, ...] = ("ops", "ops", "diff", "sr", "v4a")
    chosen = form or ("ops" if old is not None else rng.choice(forms))
    texts = Op("\n".join(edit.quoted("-")) if old is None else old, "\n".join(edit.quoted("+")) if new is None else new)
    if chosen in ("sr", "v4a") and any(re.match(r"[<=>]{5}|\*\*\*", line) for line in (*file, *edit.quoted("+"))):
        return None
    if chosen != "ops" and edit.quoted("+") == []:
        return None
    if chosen == "ops":
        tail = "\n" if old is None and (not edit.quoted("+") or rng.random() < 0.5) else ""
        new_tail = tail if edit.quoted("+") else ""  # rows that go without others in their place go with their ending
        question = Question("ops", edit.path, before, (Op(texts.old + tail, texts.new + new_tail),))
    else:
        text = {"diff": _diff, "sr": _blocks, "v4a": _v4a}[chosen](rng, edit)
        question = Question("diff" if chosen == "diff" else "reply", edit.path, before, (texts,), text)
    return Case("", "", edit.language, question, after)


def _diff(rng: random.Random, edit: Edit) -> str:
    removed, added = len(edit.quoted("-")), len(edit.quoted("+"))
    at = edit.start + 1
    header = rng.choice(
        (
            f"@@ -{at},{removed} +{at},{added} @@",
            f"@@ -{at + rng.randrange(1, 40)},{removed} +{at},{added} @@",
            "@@ ... @@",
        )
    )
    rows = [f"--- a/{edit.path}", f"+++ b/{edit.path}", header, *(row.sign + row.text for row in edit.rows)]
    return "".join(f"{row}\n" for row in rows)


def _blocks(_rng: random.Random, edit: Edit) -> str:
    rows = ["<<<<<<< SEARCH", *edit.quoted("-"), "=======", *edit.quoted("+"), ">>>>>>> REPLACE"]
    return "\n".join([edit.path, *rows]) + "\n"


def _v4a(_rng: random.Random, edit: Edit) -> str:
    rows = ["*** Begin Patch", f"*** Update File: {edit.path}", "@@", *(row.sign + row.text for row in edit.rows)]
    return "\n".join([*rows, "*** End Patch"]) + "\n"


# ── misquotes ─────────────────────────────────────────────────────────────────────────────────────────────────────────

Maker = Callable[[random.Random, Edit], Case | None]
KINDS: dict[str, Maker] = {}


def _kind(name: str) -> Callable[[Maker], Maker]:
    def keep(maker: Maker) -> Maker:
        KINDS[name] = maker
        return maker

    return keep


def _on_a_context_row(change: Callable[[random.Random, str], str | None]) -> Maker:
    """A misquote of one context row, which old and new text share."""

    def make(rng: random.Random, edit: Edit) -> Case | None:
        rows = [index for index in edit.rows_at(" ") if edit.rows[index].text.strip()]
        if not rows:
            return None
        at = rng.choice(rows)
        text = change(rng, edit.rows[at].text)
        if text is None or text == edit.rows[at].text:
            return None
        return _misquoted(rng, edit, _with_row(edit, at, text))

    return make


def _with_row(edit: Edit, at: int, text: str) -> Edit:
    return replace(edit, rows=(*edit.rows[:at], replace(edit.rows[at], text=text), *edit.rows[at + 1 :]))


def _misquoted(rng: random.Random, edit: Edit, quoted: Edit, *, form: Form | None = None) -> Case | None:
    """The case of an edit, as it is quoted; none where the quote is right somewhere."""
    if "\n".join(quoted.quoted("-")) in "\n".join(edit.lines):
        return None
    return _case(rng, quoted, expected=edit.expected, form=form)


def _typo(rng: random.Random, text: str) -> str | None:
    words = [found for found in _WORD.finditer(text) if len(found[0]) > 3]
    if not words:
        return None
    found = rng.choice(words)
    at = rng.randrange(found.start(), found.end() - 1)
    made = rng.choice(
        (
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
            text[:at] + text[at + 1 :],
            text[:at] + rng.choice(string.ascii_lowercase) + text[at:],
        )
    )
    return made if made != text else None


def _paraphrase(rng: random.Random, text: str) -> str | None:
    words = list(_WORD.finditer(text))
    if not words:
        return None
    found = rng.choice(words)
    parts = found[0].split("_")
    camel = parts[0] + "".join(part.title() for part in parts[1:])
    snake = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", found[0]).lower()
    name = rng.choice([word for word in (camel, snake, _name(rng), f"{found[0]}_{_name(rng)}") if word != found[0]])
    return text[: found.start()] + name + text[found.end() :]


def _comment(rng: random.Random, text: str) -> str | None:
    found = re.search(r"(#|//|<!--|\*|>)\s+(\S.*)$", text)
    if found is None or len(found[2].split()) < 3:
        return None
    words = found[2].split()
    words[rng.randrange(len(words))] = _name(rng)
    return text[: found.start(2)] + rng.choice((" ".join(words), " ".join(words[: len(words) // 2 + 1])))


def _quotes(_rng: random.Random, text: str) -> str | None:
    for one, other in ("'\"", "\"'"):
        if text.count(one) == 2 and other not in text:
            return text.replace(one, other)
    return None


def _smart(_rng: random.Random, text: str) -> str | None:
    opened = re.sub(r'(^|[\s(\[{=,])"', r"\1“", re.sub(r"(^|[\s(\[{=,])'", r"\1‘", text))
    return opened.replace('"', "”").replace("'", "’").replace(" - ", " – ").replace("...", "…")


def _inner_blanks(rng: random.Random, text: str) -> str | None:
    places = [found.start() for found in re.finditer(r"(?<=\S) (?=\S)|(?<=[,(=])(?=\S)", text)]
    if not places or "'" in text or '"' in text:
        return None
    at = rng.choice(places)
    return f"{text[:at]} {text[at:]}"


KINDS |= {
    "typo-in-context": _on_a_context_row(_typo),
    "name-in-context": _on_a_context_row(_paraphrase),
    "comment-in-context": _on_a_context_row(_comment),
    "quotes-in-context": _on_a_context_row(_quotes),
    "typography-in-context": _on_a_context_row(_smart),
    "blanks-in-context": _on_a_context_row(_inner_blanks),
    "trailing-blanks": _on_a_context_row(lambda rng, text: text + rng.choice((" ", "  ", "\t"))),
}


@_kind("exact")
def _exact(rng: random.Random, edit: Edit) -> Case | None:
    return _case(rng, edit, expected=edit.expected)


@_kind("context-dropped")
def _context_dropped(rng: random.Random, edit: Edit) -> Case | None:
    inner = [at for at in edit.rows_at(" ") if 0 < at < len(edit.rows) - 1 and edit.rows[at].text.strip()]
    if not inner or len(edit.rows_at(" ")) < 3:
        return None
    at = rng.choice(inner)
    return _misquoted(rng, edit, replace(edit, rows=(*edit.rows[:at], *edit.rows[at + 1 :])))


@_kind("context-added")
def _context_added(rng: random.Random, edit: Edit) -> Case | None:
    """A row that the file does not have, anywhere around the change but not inside it."""
    signs = [row.sign for row in edit.rows]
    places = [at for at in range(len(signs) + 1) if " " in (*signs[at - 1 : at], *signs[at : at + 1])]
    if not places or len(edit.rows_at(" ")) < 2:
        return None
    at = rng.choice(places)
    near = edit.rows[min(at, len(edit.rows) - 1)].text
    row = Row(" ", _indent(near) + rng.choice((_made_up(rng), f"# {_name(rng)} {_name(rng)}", f"{_name(rng)}()")))
    return _misquoted(rng, edit, replace(edit, rows=(*edit.rows[:at], row, *edit.rows[at:])))


@_kind("context-made-up")
def _context_made_up(rng: random.Random, edit: Edit) -> Case | None:
    """All rows above the change, below it, or both are others; the rows that go are there once and say something."""
    removed, changed = edit.rows_at("-"), [at for at, row in enumerate(edit.rows) if row.sign != " "]
    gone = "\n".join(edit.rows[at].text for at in removed)
    if len(removed) != 1 + removed[-1] - removed[0] if removed else True:
        return None
    if "\n".join(edit.lines).count(gone.strip()) != 1 or len(re.sub(r"\W", "", gone)) < 12:
        return None
    sides = rng.choice(("above", "below", "both"))

    def made_up(at: int, row: Row) -> Row:
        is_meant = (at < changed[0] and sides != "below") or (at > changed[-1] and sides != "above")
        return Row(" ", _indent(row.text) + _made_up(rng)) if is_meant and row.sign == " " else row

    return _misquoted(rng, edit, replace(edit, rows=tuple(made_up(at, row) for at, row in enumerate(edit.rows))))


@_kind("row-cut")
def _row_cut(rng: random.Random, edit: Edit) -> Case | None:
    """The last row is quoted to its middle only."""
    last = edit.rows[-1]
    if last.sign != " " or len(last.text.strip()) < 12:
        return None
    text = last.text[: rng.randrange(len(_indent(last.text)) + 6, len(last.text) - 2)].rstrip()
    old, new = ("\n".join(_with_row(edit, len(edit.rows) - 1, text).quoted(sign)) for sign in ("-", "+"))  # type: ignore[arg-type]
    return _case(rng, edit, expected=edit.expected, old=old, new=new)


@_kind("blank-row-dropped")
def _blank_dropped(rng: random.Random, edit: Edit) -> Case | None:
    blanks = [at for at in edit.rows_at(" ") if 0 < at < len(edit.rows) - 1 and not edit.rows[at].text.strip()]
    if not blanks:
        return None
    at = rng.choice(blanks)
    return _misquoted(rng, edit, replace(edit, rows=(*edit.rows[:at], *edit.rows[at + 1 :])))


@_kind("blank-row-added")
def _blank_added(rng: random.Random, edit: Edit) -> Case | None:
    places = [at for at in range(1, len(edit.rows)) if edit.rows[at - 1].sign == edit.rows[at].sign == " "]
    if not places:
        return None
    at = rng.choice(places)
    return _misquoted(rng, edit, replace(edit, rows=(*edit.rows[:at], Row(" ", ""), *edit.rows[at:])))


@_kind("indentation-shifted")
def _shifted(rng: random.Random, edit: Edit) -> Case | None:
    depth = min((len(_indent(row.text)) for row in edit.rows if row.text.strip()), default=0)
    if any("\t" in _indent(row.text) for row in edit.rows):
        return None
    more = rng.choice((2, 4)) if not depth or rng.random() < 0.4 else 0
    cut = 0 if more else rng.choice((depth, min(2, depth)))
    rows = tuple(replace(row, text=" " * more + row.text[cut:] if row.text.strip() else row.text) for row in edit.rows)
    return _misquoted(rng, edit, replace(edit, rows=rows))


def _first_bare(edit: Edit) -> Edit | None:
    """The first row of the old text, and of the new one, without its indentation."""
    rows, seen = list(edit.rows), set[str]()
    for at, row in enumerate(rows):
        for sign in ("-", "+"):
            if row.sign in (" ", sign) and sign not in seen:
                seen.add(sign)
                rows[at] = replace(row, text=row.text.lstrip())
        if seen == {"-", "+"} or not row.text.strip():
            break
    made = replace(edit, rows=tuple(rows))
    return made if made != edit else None


@_kind("first-row-bare")
def _bare(rng: random.Random, edit: Edit) -> Case | None:
    bare = _first_bare(edit)
    return None if bare is None else _case(rng, bare, expected=edit.expected, form="ops")


@_kind("first-row-bare-typo-in-context")
def _bare_and_typo(rng: random.Random, edit: Edit) -> Case | None:
    bare = _first_bare(edit)
    rows = [at for at in edit.rows_at(" ") if edit.rows[at].text.strip()]
    if bare is None or not rows:
        return None
    at = rng.choice(rows)
    text = _typo(rng, bare.rows[at].text)
    return None if text is None else _misquoted(rng, edit, _with_row(bare, at, text), form="ops")


def _on_a_removed_row(*, bare: bool) -> Maker:
    """A typo in a row that is taken away; `bare`: it is the first one, quoted without its indentation."""

    def make(rng: random.Random, edit: Edit) -> Case | None:
        rows = edit.rows_at("-")
        quoted = _first_bare(edit) if bare else edit
        if not rows or quoted is None or (bare and rows[0] != 0):
            return None
        at = rows[0] if bare else rng.choice(rows)
        text = _typo(rng, quoted.rows[at].text)
        return (
            None if text is None else _misquoted(rng, edit, _with_row(quoted, at, text), form="ops" if bare else None)
        )

    return make


KINDS["typo-in-removed-row"] = _on_a_removed_row(bare=False)
KINDS["first-row-bare-and-misquoted"] = _on_a_removed_row(bare=True)


@_kind("tabs")
def _tabs(rng: random.Random, edit: Edit) -> Case | None:
    if any("\t" in row.text for row in edit.rows) or not any(row.text.startswith("    ") for row in edit.rows):
        return None

    def tabbed(text: str) -> str:
        depth = len(_indent(text))
        return "\t" * (depth // 4) + " " * (depth % 4) + text[depth:]

    rows = tuple(replace(row, text=tabbed(row.text)) for row in edit.rows)
    return _misquoted(rng, edit, replace(edit, rows=rows))


@_kind("wrapped")
def _wrapped(rng: random.Random, edit: Edit) -> Case | None:
    """A context row broken in two behind a comma inside brackets."""
    rows = [
        at
        for at in edit.rows_at(" ")
        if re.search(r"[(\[{][^)\]}]*, ", edit.rows[at].text) and "'" not in edit.rows[at].text
    ]
    if not rows or edit.language in ("markdown", "restructuredtext", "text", "yaml"):
        return None
    at = rng.choice(rows)
    text = edit.rows[at].text
    found = re.search(r"[(\[{][^)\]}]*, ", text)
    assert found is not None
    halves = (Row(" ", text[: found.end() - 1]), Row(" ", f"{_indent(text)}    {text[found.end() :]}"))
    return _misquoted(rng, edit, replace(edit, rows=(*edit.rows[:at], *halves, *edit.rows[at + 1 :])))


@_kind("joined")
def _joined(rng: random.Random, edit: Edit) -> Case | None:
    """Two context rows that belong to one statement as one."""
    places = [
        at
        for at in range(1, len(edit.rows))
        if edit.rows[at - 1].sign == edit.rows[at].sign == " " and re.search(r"[,(\[]$", edit.rows[at - 1].text)
    ]
    if not places or edit.language in ("markdown", "restructuredtext", "text", "yaml"):
        return None
    at = rng.choice(places)
    first, second = edit.rows[at - 1].text, edit.rows[at].text.strip()
    row = Row(" ", first + ("" if first[-1] in "([" else " ") + second)
    return _misquoted(rng, edit, replace(edit, rows=(*edit.rows[: at - 1], row, *edit.rows[at + 1 :])))


@_kind("numbered")
def _numbered(rng: random.Random, edit: Edit) -> Case | None:
    style = rng.choice(("{}| ", "{}\t", "{:>5}→", "{:4d} | ", "{}: "))
    both = rng.random() < 0.5
    if not edit.quoted("+"):
        return None

    def number(lines: Sequence[str]) -> str:
        return "\n".join(style.format(edit.start + 1 + at) + line for at, line in enumerate(lines))

    new = number(edit.quoted("+")) if both else "\n".join(edit.quoted("+"))
    return _case(rng, edit, expected=edit.expected, old=number(edit.quoted("-")), new=new)


@_kind("fenced")
def _fenced(rng: random.Random, edit: Edit) -> Case | None:
    tag = rng.choice(("", edit.language))
    old, new = (fenced("\n".join(edit.quoted(sign)), tag) for sign in ("-", "+"))  # type: ignore[arg-type]
    return _case(rng, edit, expected=edit.expected, old=old, new=new) if edit.quoted("+") else None


@_kind("signs")
def _signs(rng: random.Random, edit: Edit) -> Case | None:
    """The signs of a diff left in the texts."""
    if not edit.quoted("+"):
        return None
    old = "\n".join(row.sign + row.text for row in edit.rows if row.sign != "+")
    new = "\n".join(row.sign + row.text for row in edit.rows if row.sign != "-")
    return _case(rng, edit, expected=edit.expected, old=old, new=new)


@_kind("elided")
def _elided(rng: random.Random, edit: Edit) -> Case | None:
    """A part of the context, inside the window, as a mark in both texts."""
    runs = [
        (start, end)
        for start in range(1, len(edit.rows))
        for end in range(start + 2, len(edit.rows))
        if all(row.sign == " " for row in edit.rows[start:end])
    ]
    if not runs:
        return None
    start, end = rng.choice(runs)
    row = Row(" ", _indent(edit.rows[start].text) + _mark(edit))
    return _misquoted(rng, edit, replace(edit, rows=(*edit.rows[:start], row, *edit.rows[end:])), form="ops")


def _mark(edit: Edit) -> str:
    if edit.language in ("python", "yaml", "toml", "shell", "ini"):
        return "# ... existing code ..."
    return "<!-- ... existing code ... -->" if edit.language == "html" else "// ... existing code ..."


@_kind("escaped")
def _escaped(rng: random.Random, edit: Edit) -> Case | None:
    old, new = ("\n".join(edit.quoted(sign)) for sign in ("-", "+"))  # type: ignore[arg-type]
    if "\\" in old + new or not new or '"' not in old or '"' not in new:
        return None
    return _case(rng, edit, expected=edit.expected, old=old.replace('"', '\\"'), new=new.replace('"', '\\"'))


@_kind("crlf-file")
def _crlf(rng: random.Random, edit: Edit) -> Case | None:
    return _case(rng, edit, expected=edit.expected, ending="\r\n")


@_kind("snippet")
def _snippet(rng: random.Random, edit: Edit) -> Case | None:
    """The new rows with rows around them, between marks for what stays."""
    signs = "".join(row.sign for row in edit.rows)
    if not re.fullmatch(r" {2,}-*\+{1,} {2,}", signs) or edit.language in ("markdown", "restructuredtext", "text"):
        return None
    made = _case(rng, edit, expected=edit.expected, form="ops", ending="\n")
    if made is None or edit.language == "json":
        return None
    rows = [_mark(edit), *edit.quoted("+"), _mark(edit)]
    question = Question("snippet", edit.path, made.question.before, made.question.ops, "\n".join(rows) + "\n")
    return replace(made, question=question)


@_kind("stale-elsewhere")
def _stale_elsewhere(rng: random.Random, edit: Edit) -> Case | None:
    end = edit.start + len(edit.quoted("-"))
    others = [
        at for at in range(len(edit.lines)) if not edit.start - 2 <= at < end + 2 and _WORD.search(edit.lines[at])
    ]
    if not others:
        return None
    at = rng.choice(others)
    text = _reworded(rng, edit.lines[at])
    return None if text is None else _stale(rng, edit, at, text)


@_kind("stale-context")
def _stale_context(rng: random.Random, edit: Edit) -> Case | None:
    """Someone changed a row that the edit quotes and does not change."""
    rows = [at for at in edit.rows_at(" ") if edit.rows[at].text.strip()]
    if not rows:
        return None
    at = rng.choice(rows)
    text = _reworded(rng, edit.rows[at].text)
    line = edit.start + sum(row.sign != "+" for row in edit.rows[:at])
    return None if text is None else _stale(rng, edit, line, text)


def _stale(rng: random.Random, edit: Edit, line: int, text: str) -> Case | None:
    """The edit as it was, of a file whose line someone has changed since."""
    lines = [*edit.lines[:line], text, *edit.lines[line + 1 :]]
    rows, at = [], edit.start
    for row in edit.rows:
        rows.append(replace(row, text=text) if at == line and row.sign != "+" else row)
        at += row.sign != "+"
    expected = replace(edit, lines=tuple(lines), rows=tuple(rows)).expected
    is_elsewhere = tuple(rows) != edit.rows and _unspaced(edit.quoted("-")) in _unspaced(lines)
    return None if is_elsewhere else _case(rng, edit, expected=expected, lines=lines)


# ── must be refused ───────────────────────────────────────────────────────────────────────────────────────────────────


@_kind("refuse-stale-conflict")
def _conflict(rng: random.Random, edit: Edit) -> Case | None:
    """Someone changed the very row that the edit takes away."""
    rows = edit.rows_at("-")
    if not rows:
        return None
    at = rng.choice(rows)
    text = _reworded(rng, edit.rows[at].text)
    line = edit.start + sum(row.sign != "+" for row in edit.rows[:at])
    if text is None or text in edit.lines or text in edit.quoted("+"):
        return None
    lines = [*edit.lines[:line], text, *edit.lines[line + 1 :]]
    if "\n".join(edit.quoted("-")) in "\n".join(lines):  # part of a line that now begins or ends otherwise
        return None
    return _case(rng, edit, expected=None, lines=lines)


@_kind("refuse-place-removed")
def _removed(rng: random.Random, edit: Edit) -> Case | None:
    """All that the edit quotes is gone, and no row of substance of it is anywhere else."""
    end = edit.start + len(edit.quoted("-"))
    lines = [*edit.lines[: edit.start], *edit.lines[end:]]
    return None if _has_any(lines, edit) else _case(rng, edit, expected=None, lines=lines)


def _has_any(lines: Sequence[str], edit: Edit) -> bool:
    """Whether a row of the edit is anywhere in the lines, whatever its blanks."""
    rest = _unspaced(lines)
    return any(_unspaced([row.text]) in rest for row in edit.rows if row.text.strip())


def _unspaced(lines: Sequence[str]) -> str:
    return "\n".join("".join(line.split()) for line in lines)


@_kind("refuse-other-file")
def _other_file(rng: random.Random, edit: Edit) -> Case | None:
    """The edit is for another file; no row of substance of it is in this one."""
    other = rng.choice(_files())
    try:
        lines = other.read_bytes().decode().split("\n")[:-1]
    except ValueError:
        return None
    if not lines or "\r" in "".join(lines) or _has_any(lines, edit):
        return None
    path = f"src/module{other.suffix}"
    made = replace(edit, path=path, language=_LANGUAGES[other.suffix])
    return _case(rng, made, expected=None, lines=lines)


@_kind("refuse-ambiguous")
def _twice(rng: random.Random, edit: Edit) -> Case | None:
    """All that the edit quotes is there twice; a header's number decides nothing where both are far from it."""
    quoted = edit.quoted("-")
    at = rng.choice(
        [at for at in range(len(edit.lines)) if not edit.start - 1 <= at <= edit.start + len(quoted)] or [0]
    )
    lines = [*edit.lines[:at], *quoted, *edit.lines[at:]]
    form: Form = rng.choice(("ops", "sr"))
    return _case(rng, edit, expected=None, lines=lines, form=form)


@_kind("refuse-near-dup")
def _near_twice(rng: random.Random, edit: Edit) -> Case | None:
    """Two places that differ in one word of a context row, where the edit has a third."""
    rows = [at for at in edit.rows_at(" ") if _WORD.search(edit.rows[at].text)]
    if not rows:
        return None
    row = rng.choice(rows)
    other, third = _paraphrase(rng, edit.rows[row].text), _paraphrase(rng, edit.rows[row].text)
    if other is None or third is None or third in (other, edit.rows[row].text) or other == edit.rows[row].text:
        return None
    copy = _with_row(edit, row, other).quoted("-")
    far = [at for at in range(len(edit.lines)) if not edit.start - 1 <= at <= edit.start + len(copy)]
    if not far:
        return None
    at = rng.choice(far)
    lines = [*edit.lines[:at], *copy, *edit.lines[at:]]
    quoted = _with_row(edit, row, third)
    text = "\n".join(lines)
    if "\n".join(quoted.quoted("-")) in text:
        return None
    return _case(rng, quoted, expected=None, lines=lines, form=rng.choice(("ops", "sr")))


@_kind("refuse-already-applied")
def _already(rng: random.Random, edit: Edit) -> Case | None:
    """The file has the new text already, and nothing of the old one that the edit takes away."""
    lines = edit.expected
    removed, added = [[edit.rows[at].text for at in edit.rows_at(sign)] for sign in "-+"]  # type: ignore[arg-type]
    text = "\n".join(lines)
    if not removed or not added or any(line.strip() in text for line in removed):
        return None
    return _case(rng, edit, expected=None, lines=lines)


def main() -> None:
    """Print one case of each kind, for whoever wants to see what they are like."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    for case in make_cases(len(KINDS), seed):
        print(f"━━ {case.category} {case.id}")
        print(case.question.text or f"{case.question.ops[0].old}\n── new\n{case.question.ops[0].new}")


if __name__ == "__main__":
    main()
