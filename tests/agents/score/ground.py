"""A repository with a history of small commits, and a model on loopback whose skill in each way is known.

The model answers with the true change where it is able, written in the way that it is asked for, and with a mistake of
a known kind where it is not. It reads the way and the task from what it is asked.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.agents.score.description import describe
from steadyhand.agents.score.task import Task, TaskFile
from steadyhand.agents.score.ways import USUAL_WAYS, format_of, named_ways
from steadyhand.dialects.dialect import Change, dialect_named
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import split_lines
from tests.agents.scripted_server import Call, Calls, ScriptedServer, Step, text_of

TOOLSETS = [way.name for way in named_ways(USUAL_WAYS) if way.kind == "toolset"]
DIALECTS = [way.name for way in named_ways(USUAL_WAYS) if way.kind == "dialect"]
FORMATS = {way: format_of(named_ways([way])[0]).strip() for way in DIALECTS}
DONE = "All is changed."


def git(root: Path, *words: str, given: bytes = b"") -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", *words]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, input=given).stdout.decode()


def repository(root: Path, commits: Sequence[Mapping[str, str | bytes | tuple[str, str] | None]]) -> Path:
    """A repository of commits, each of files: a text, bytes, a pair of mode and content, or None for no file."""
    root.mkdir(exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    stream = bytearray()
    for number, files in enumerate(commits):
        message = f"change {number}\n\nIt was asked for.\n\nSigned-off-by: t <t@example.org>\n".encode()
        stream += b"commit refs/heads/main\ncommitter t <t@example.org> %d +0000\n" % (1_700_000_000 + number)
        stream += b"data %d\n%s" % (len(message), message)
        for path, content in files.items():
            if content is None:
                stream += b"D %s\n" % path.encode()
                continue
            mode, said = content if isinstance(content, tuple) else ("100644", content)
            data = said.encode() if isinstance(said, str) else said
            if mode == "160000":
                stream += b"M 160000 %s %s\n" % (data, path.encode())
            else:
                stream += b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), path.encode(), len(data), data)
    git(root, "fast-import", "--quiet", given=bytes(stream))
    git(root, "reset", "-q", "--hard")
    return root


def random_history(commits: int, seed: int) -> list[dict[str, str]]:
    """Random small edits of a few files of several types."""
    chance = random.Random(seed)
    texts = {name: f"{seed} {name}\n" + "".join(_row(chance, name) for _ in range(40)) for name in NAMES}
    history: list[dict[str, str]] = [dict(texts)]
    for _ in range(commits):
        changed = {}
        for name in chance.sample(sorted(texts), chance.choice([1, 1, 1, 2])):
            rows = texts[name].splitlines(keepends=True)
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(rows))
                new = [_row(chance, name) for _ in range(chance.randrange(3))]
                rows[at : at + chance.randrange(3)] = new
            changed[name] = "".join(rows) or "left\n"
        changed = {name: text for name, text in changed.items() if text != texts[name]}
        texts |= changed
        history.append(changed)
    return history


NAMES = ("src/app.py", "src/lib/util.ts", "docs/guide.md", "conf/app.yaml", "Makefile", "site/index.html")
_WORDS = r"""alpha beta one two three return value = : # - ( ) < > ` ' " { } ++ -- @@ *** $& \1 =====""".split()


def _row(chance: random.Random, name: str) -> str:
    if chance.random() < 0.12:
        return "\n"
    blanks = "\t" * chance.randrange(3) if name == "Makefile" else " " * chance.choice([0, 0, 2, 4, 4, 8])
    return f"{blanks}{' '.join(chance.choice(_WORDS) for _ in range(chance.randrange(1, 8)))}\n"


def dull_reading(text: str, files: Mapping[str, str]) -> dict[str, str]:
    """What a reader makes of a description who only does what is said, from the last change to the first."""
    made = dict(files)
    for part in text.split("In the file ")[1:]:
        head, _, rest = part.partition("\n")
        path = head.rpartition(", ")[0]
        rows = files[path].split("\n")
        ends = rows.pop() == ""
        places = _numbered(rest)
        for place in reversed(places):
            _follow(place, rows)
        made[path] = "\n".join(rows) + ("\n" if ends else "")
    return made


def _numbered(text: str) -> list[list[str]]:
    places: list[list[str]] = []
    for row in text.split("\n"):
        if row.startswith(f"{len(places) + 1}. "):
            places.append([row.partition(". ")[2]])
        elif places:
            places[-1].append(row)
    return places


def _follow(place: list[str], rows: list[str]) -> None:
    blocks: list[list[str]] = []
    said: list[str] = []
    is_inside = False
    for row in place:
        if row.startswith(">"):
            if not is_inside:
                blocks.append([])
            blocks[-1].append(row[2:])
        else:
            said.append(row)
        is_inside = row.startswith(">")
    words = " ".join(" ".join(said).split())
    numbers = [int(word.strip(",")) for word in words.split() if word.strip(",").isdigit()]
    if "new line" in words:
        at = 0 if "very beginning" in words else numbers[0]
        if words.startswith("Between"):
            assert rows[at - 1 : at + 1] == blocks[0]
        rows[at:at] = blocks[-1]
        return
    first, last = numbers[0], numbers[1] if words.startswith("Lines") else numbers[0]
    assert rows[first - 1 : last] == blocks[0]
    if "Remove" in words:
        del rows[first - 1 : last]
    elif "In it, change `" in words:
        gone, come = words.partition("In it, change `")[2].removesuffix("`.").split("` to `")
        assert rows[first - 1].count(gone) == 1
        rows[first - 1] = rows[first - 1].replace(gone, come)
    else:
        rows[first - 1 : last] = blocks[1]


def reply_in(way: str, files: Sequence[TaskFile]) -> str:
    """A change written in a dialect, to the letter."""
    changes = [Change(file.path, file.path, file.before, file.after) for file in files]
    if way == "ranges":
        return json.dumps({"edits": [edit for file in files for edit in _ranges(file)]})
    if way == "lazy":
        return "\n\n".join(map(_lazy, files))
    dialect = dialect_named(way)
    assert dialect is not None
    assert dialect.write is not None
    return dialect.write(changes)


def _ranges(file: TaskFile) -> list[dict[str, object]]:
    before, after = split_lines(file.before), split_lines(file.after)
    return [
        {
            "path": file.path,
            "range": {"start": change.before_start + 1, "end": change.before_end},
            "newText": "".join(after[change.after_start : change.after_end]),
        }
        for change in diff_rows(before, after)
    ]


class Unsaid(Exception):
    """A dialect has no words for a change."""


def _lazy(file: TaskFile) -> str:
    """The changed parts with as many lines around them as it takes, at last the whole file, which is a snippet too."""
    mark = {".py": "# {}", ".yaml": "# {}", ".md": "<!-- {} -->", ".html": "<!-- {} -->"}.get(file.type, "// {}")
    mark = ("# {}" if file.path == "Makefile" else mark).format("... existing code ...")
    before, after = split_lines(file.before), split_lines(file.after)
    for around in (3, 6, 12, 1_000_000):
        kept: set[int] = set()
        for change in diff_rows(before, after):
            kept.update(range(max(change.after_start - around, 0), min(change.after_end + around, len(after))))
        rows: list[str] = []
        for number, row in enumerate(after):
            if number in kept:
                rows.append(row)
            elif not rows or rows[-1] != f"{mark}\n":
                rows.append(f"{mark}\n")
        if kept and max(kept) == len(after) - 1:
            rows.append(f"{mark}\n" if f"{mark}\n" not in rows else "")
        reply = f"{file.path}\n`````\n{''.join(rows)}`````\n"
        policy = sh.Policy(guards=frozenset())
        if sh.patch(file.before, reply, path=file.path, format="lazy", policy=policy).text == file.after:
            return reply
    raise Unsaid(f"no snippet says {file.path}: lines that are only left out are refused, as they may be forgotten")


def calls_in(toolset: str, files: Sequence[TaskFile]) -> list[Call]:
    """The calls of a toolset that make a change, to the letter."""
    if toolset == "openai":
        return [Call("apply_patch", {"input": reply_in("v4a", files)})]
    made = []
    for file in files:
        made.append(
            {
                "core": Call("write", {"path": file.path, "content": file.after}),
                "claude": Call(
                    "str_replace_based_edit_tool",
                    {"command": "create", "path": file.path, "file_text": file.after},
                ),
                "claude-code": Call("Write", {"file_path": file.path, "content": file.after}),
                "gemini": Call("write_file", {"file_path": file.path, "content": file.after}),
            }[toolset]
        )
    return made


Mistake = str  # "different", "wrong-file", "refused", "unparsable"; or "corrected", refused first and then right
_GONE = "nothing like this is in the file at all 7319\n"


def mistaken(way: str, task: Task, mistake: Mistake) -> Step:
    """A reply with a mistake of a known kind."""
    file = task.files[0]
    if mistake == "unparsable":
        return "I am not sure what you mean."
    if mistake == "different":
        other = TaskFile(file.path, file.before, f"{file.before}\n")
        return Calls(tuple(calls_in(way, [other]))) if way in TOOLSETS else reply_in(way, [other])
    return _astray(way, file) if mistake == "wrong-file" else _refused(way, file)


def _astray(way: str, file: TaskFile) -> Step:
    """The new text in a file beside the one that is meant."""
    path = f"copy/{file.path}"
    if way == "openai":
        return Call("apply_patch", {"input": f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"})
    if way in TOOLSETS:
        return Calls(tuple(calls_in(way, [TaskFile(path, "", "x\n")])))
    if way in ("lazy", "ranges"):
        raise Unsaid(way)
    dialect = dialect_named(way)
    assert dialect is not None
    assert dialect.write is not None
    return dialect.write([Change(None, path, None, "x\n")])


def _refused(way: str, file: TaskFile) -> Step:
    """A change of text that is not there."""
    path = file.path
    if way == "ranges":
        edit = {"path": path, "range": {"start": 90_000, "end": 90_001}, "newText": "x\n"}
        return json.dumps({"edits": [edit]})
    if way in ("whole", "lazy"):
        return f"{path}\n`````\n# ... existing code ...\n{_GONE}# ... existing code ...\n`````\n"
    calls = {
        "core": Call("edit", {"path": path, "edits": [{"target": _GONE, "new": "x", "reason": "y"}]}),
        "claude": Call(
            "str_replace_based_edit_tool",
            {"command": "str_replace", "path": path, "old_str": _GONE, "new_str": "x"},
        ),
        "claude-code": Call("Edit", {"file_path": path, "old_string": _GONE, "new_string": "x"}),
        "gemini": Call("replace", {"file_path": path, "old_string": _GONE, "new_string": "x", "instruction": "y"}),
        "openai": Call("apply_patch", {"input": reply_in("v4a", [TaskFile(path, _GONE, "another line\n")])}),
    }
    return calls[way] if way in calls else reply_in(way, [TaskFile(path, _GONE, "another line\n")])


@dataclass
class SkilledServer(ScriptedServer):
    """Answers as it is able: `skill(way, task)` is None where the reply is right, or the kind of mistake.

    `trouble` are steps that come first, one for each request: errors, cut connections, garbage.
    """

    tasks: Sequence[Task] = ()
    skill: Callable[[str, Task], Mistake | None] = lambda way, task: None
    trouble: list[Step] = field(default_factory=list)
    known: dict[str, Task] = field(default_factory=dict)
    asked: Counter[tuple[str, str]] = field(default_factory=Counter)

    def next_step(self, request: dict[str, Any]) -> Step:
        with self._lock:
            self.requests.append(request)
            if self.trouble and (step := self.trouble.pop(0)) is not None:
                return step
        way, task = self._way(request), self._task(request)
        self.asked[task.id, way] += 1
        if way in TOOLSETS and any(message["role"] == "tool" for message in request["messages"]):
            return DONE
        mistake = self.skill(way, task)
        if mistake == "corrected":
            mistake = None if any(message["role"] == "assistant" for message in request["messages"]) else "refused"
        if mistake is not None:
            return mistaken(way, task, mistake)
        if way in TOOLSETS:
            return Calls(tuple(calls_in(way, task.files)))
        return f"Here is the change.\n\n{reply_in(way, task.files)}"

    def _task(self, request: Mapping[str, Any]) -> Task:
        said = "".join(text_of(message) for message in request["messages"] if message["role"] == "user")
        if not self.known:
            self.known = {describe(task): task for task in self.tasks}
        return next(task for text, task in self.known.items() if text in said)

    def _way(self, request: Mapping[str, Any]) -> str:
        if request.get("tools"):
            names = {tool["function"]["name"] for tool in request["tools"]}
            by_tool = {"outline": "core", "apply_patch": "openai", "MultiEdit": "claude-code", "replace": "gemini"}
            return next((way for tool, way in by_tool.items() if tool in names), "claude")
        said = "".join(text_of(message) for message in request["messages"] if message["role"] == "user")
        return next(way for way, text in FORMATS.items() if text in said)
