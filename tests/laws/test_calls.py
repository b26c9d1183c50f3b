"""Calls of several edits, as a careless model quotes them, on files whose blanks have a meaning.

The judge is slicing: the edits are made on rows first, and then quoted. Whatever is done to the quotes says nothing new
(a bare first line, blanks at the ends of lines or inside them, blank lines at the edges, a typo in a line, other line
endings), so the call gives what slicing gave, or it is refused and the file is as it was. The one exception is text
that is in the file as it is quoted: that is replaced as it is.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand import Policy, Replace, Workspace, edit
from tests.laws.test_first_line import WORD, changed_rows, files, indent_of, mistyped, parses, renamed

MADE = {
    "Makefile": """\
CFLAGS = -O2 \\
\t-Wall \\
\t-Wextra

build: main.o util.o
\t$(CC) $(CFLAGS) -o app $^
\t@for f in a b; do \\
\t  echo $$f; \\
\t  cp $$f out/; \\
\tdone

test: build
\t./app --self-test
\t@echo done
""",
    "deploy.sh": """\
#!/bin/sh
write_config() {
    cat > "$1" <<EOF
server:
  port: 8080
    nested: yes
EOF
    chmod 600 "$1"
}

write_unit() {
\tcat <<-END
\t[Unit]
\tDescription=app
\tEND
}

main() {
    for env in dev prod; do
        write_config "conf/$env.yml"
        if [ "$env" = prod ]; then
            restart "$env"
        fi
    done
}
""",
    "guide.md": """\
# Guide

- First point with words
  - nested detail here
    continued on this line

    ```python
    def f(x):
        return x
    ```
  - second nested detail
- Second point with words

1. Step one here
   1. Substep of one
   2. Another substep

> Quote starts
> - item in quote
>   continues in quote
""",
    "ci.yaml": """\
jobs:
  build:
    steps:
    - run: make build
    - run: |
        make test
        make lint

        make docs
    - name: deploy
      with:
        target: prod
        retries: 3
  release:
    needs: [build]
    steps:
    - name: deploy
      with:
        target: stage
        retries: 3
""",
    "card.jsx": """\
export function Card({ title, items }) {
  const [open, setOpen] = useState(false);
  return (
    <section className="card">
      <h2>{title}</h2>
      {open && (
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              {item.label}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
""",
    "service.py": '''\
def cached(size):
    """Cache.

        indented docs
    """

    def wrap(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args)

        return inner

    return wrap


class Service:
    @property
    def size(self):
        return self._size

    @size.setter
    def size(self, value):
        if value < 0:
            raise ValueError(
                "negative",
                value,
            )
        self._size = value
''',
}
POLICIES = [
    Policy(),
    *(Policy(on_drift=on_drift, guards=frozenset()) for on_drift in ("refuse", "merge", "new")),  # type: ignore[arg-type]
    Policy(batch="snapshot", guards=frozenset()),
]
# Toolset, tool, the fields of path, old and new text, and the one that takes several edits.
TOOLS = [
    ("claude-code", "Edit", "file_path", "old_string", "new_string", ""),
    ("claude-code", "MultiEdit", "file_path", "old_string", "new_string", "edits"),
    ("site", "editFile", "file", "search", "replace", "operations"),
    ("surgical", "edit_file", "path", "old_content", "new_content", ""),
    ("vault", "TextReplace", "filePath", "oldText", "newText", ""),
]
MEMORY = Path("/dev/shm")

seeds = st.integers(0, 2**32)
pytestmark = pytest.mark.hypothesis


@dataclass(frozen=True, slots=True)
class Call:
    """Some edits of a file as they are quoted, and what they give."""

    path: str
    before: str
    expected: str
    edits: tuple[tuple[str, str], ...]

    @property
    def literal(self) -> str:
        """The file with each quote that is in it replaced as it is, first place first."""
        text, ending = self.before, "\r\n" if "\r\n" in self.before else "\n"
        for old, new in self.edits:
            old, new = (part.replace("\r\n", "\n").replace("\n", ending) for part in (old, new))
            text = text.replace(old, new, 1)
        return text


def quoted(
    chance: random.Random, old: Sequence[str], new: Sequence[str], kept: Sequence[int | None]
) -> tuple[str, str] | None:
    """Old and new text of some rows; None where the quote would not tell any more what is meant."""
    rows, brought, at = list(old), list(new), chance.randrange(len(old))
    kind = chance.choice(["plain", "plain", "bare", "bare", "trailing", "edges", "inner", "typo"])
    misquote = None
    if kind == "bare":
        is_moved = bool(brought and brought[0].strip()) and indent_of(brought[0]) != indent_of(rows[0])
        if is_moved or (len(rows) == 1 and sum(bool(row.strip()) for row in brought) > 1):
            return None
        rows[0], brought[:1] = rows[0].lstrip(" \t"), [row.lstrip(" \t") for row in brought[:1]]
    elif kind == "trailing":
        rows[at] += chance.choice([" ", "\t"])
    elif kind == "edges" and brought:
        above, below = chance.choice([(1, 0), (0, 1), (1, 1)])
        rows, brought = ([""] * above + side + [""] * below for side in (rows, brought))
    elif kind == "inner":
        misquote = re.sub(r"(?<=\S) (?=\S)", "  ", rows[at], count=1)
    elif kind == "typo":
        misquote = mistyped(chance, rows[at])
    if misquote is not None:
        rows[at] = misquote
        said = misquote.lstrip(" \t")
        brought = [indent_of(row) + said if was == at else row for row, was in zip(brought, kept, strict=True)]
    ends = chance.random() < 0.4 or not any(brought)
    return "\n".join(rows) + "\n" * ends, "\n".join(brought) + "\n" * (ends and bool(brought))


def make_call(chance: random.Random) -> Call | None:
    name = chance.choice(list(MADE))
    text = MADE[name]
    if chance.random() < 0.5:
        path = chance.choice(files())
        name, text = path.name, path.read_bytes().decode("utf-8", "replace")
    rows = text.split("\n")[:-1]
    if "\r" in text or not text.endswith("\n"):
        return None
    cuts = sorted({chance.randrange(1, len(rows)) for _ in range(chance.choice([0, 0, 1, 2]))}) if rows[1:] else []
    after, edits = list(rows), []
    for start, end in reversed([*zip([0, *cuts], [*cuts, len(rows)], strict=True)]):
        first = chance.randrange(start, end)
        old = rows[first : min(first + chance.choice([1, 1, 2, 3, 5]), end)]
        if not WORD.search(old[0]) or not old[-1].strip():
            return None
        made = changed_rows(chance, old)
        quote = quoted(chance, old, [row for _, row in made], [was for was, _ in made])
        if quote is None or quote[0] == quote[1]:
            return None
        after[first : first + len(old)] = [row for _, row in made]
        edits.append(quote)
    expected = "".join(f"{row}\n" for row in after)
    if expected == text or (parses(name, text) and not parses(name, expected)):
        return None
    chance.shuffle(edits)
    return _ended(chance, Call(name, text, expected, tuple(edits)))


def _ended(chance: random.Random, call: Call) -> Call:
    """With CR LF in the file, or in the edits as well."""
    where = chance.choice(["nowhere", "nowhere", "file", "both"])
    if where == "nowhere":
        return call
    before, expected = (text.replace("\n", "\r\n") for text in (call.before, call.expected))
    edits = tuple((old.replace("\n", "\r\n"), new.replace("\n", "\r\n")) for old, new in call.edits)
    return replace(call, before=before, expected=expected, edits=edits if where == "both" else call.edits)


def call_tool(
    path: str, before: str, toolset: str, tool: str, arguments: Mapping[str, Any]
) -> tuple[Mapping[str, Any], str]:
    """The answer of a call, and what the file is then."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        file = Path(folder, path)
        file.write_bytes(before.encode())
        with Workspace(folder, actor="model", protect="none") as workspace:
            answer = workspace.tools(toolset, extensions=(file.suffix or file.name,)).call(tool, arguments)
        return answer, file.read_bytes().decode()


def is_refused(answer: Mapping[str, Any]) -> bool:
    return answer.get("success") is False or answer.get("status") == "error" or answer.get("is_error") is True


@given(seeds)
def test_edits_of_one_call_give_what_slicing_gives_or_are_refused(seed: int) -> None:
    chance = random.Random(seed)
    call = make_call(chance)
    if call is None:
        return
    for policy in POLICIES:
        result = edit(call.before, [Replace(*pair) for pair in call.edits], path=call.path, policy=policy)
        assert result.text in {call.expected, call.literal} if result.ok else result.text == call.before


@given(seeds)
def test_a_tool_gives_what_slicing_gives_or_refuses(seed: int) -> None:
    chance = random.Random(seed)
    call = make_call(chance)
    toolset, tool, path, old, new, several = chance.choice(TOOLS)
    if call is None or (len(call.edits) > 1 and not several):
        return
    edits = [{old: pair[0], new: pair[1]} for pair in call.edits]
    arguments = {path: call.path, **({several: edits} if several else edits[0])}
    answer, text = call_tool(call.path, call.before, toolset, tool, arguments)
    if is_refused(answer):
        assert text == call.before
    elif answer.get("success") != "partial":  # what came before the operation that failed is kept, as the tool says
        assert text in {call.expected, call.literal}


@given(seeds)
def test_lines_are_inserted_where_they_are_asked_for_and_no_other_byte_changes(seed: int) -> None:
    chance = random.Random(seed)
    name = chance.choice(list(MADE))
    rows, ending, is_ended = MADE[name].split("\n")[:-1], chance.choice(["\n", "\r\n"]), chance.random() < 0.7
    line = chance.choice([-1, 0, len(rows), chance.randrange(len(rows))])
    brought = [renamed(chance, chance.choice(rows)) for _ in range(chance.choice([1, 2, 3]))]
    brought += [""] * (chance.random() < 0.2)
    content = "\n".join(brought) + "\n" * (not brought[-1] or chance.random() < 0.5)
    at = len(rows) if line == -1 else line
    after = [*rows[:at], *brought, *rows[at:]]
    ends = is_ended or (at == len(rows) and content.endswith("\n"))
    before, expected = ending.join(rows) + ending * is_ended, ending.join(after) + ending * ends
    arguments = {"path": name, "line": line, "content": content}
    answer, text = call_tool(name, before, "surgical", "insert_at", arguments)
    assert text == (before if is_refused(answer) else expected)
