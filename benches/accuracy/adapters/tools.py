"""Steadyhand through a tool of one of its toolsets, called as a model calls it, on a file in a workspace of its own.

Whatever a refusal offers is sent as a call: `corrected` in the fields of the tool, or the two texts that an answer in
words shows. A tool that takes one edit a call is asked only what is one edit.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import steadyhand as sh
from benches.accuracy.question import Adapter, Answer, Kind, Offer, Op, Question, serve
from benches.accuracy.ways import way_named

Arguments = dict[str, Any]
Sent = tuple[str, Arguments]  # a tool and its arguments

_MEMORY = Path("/dev/shm")  # files that no disk has to confirm, where there is such a place
_NEXT = r"\n`corrected`:|\nFor line \d+:|\nHint: |\Z"
_SHOWN = rf"^(`corrected`|For line \d+):\n{{old}}:\n(.*?)\n{{new}}:\n(.*?)(?={_NEXT})"
_ENVELOPE = re.compile(r"^\*\*\* Begin Patch$.*?^\*\*\* End Patch$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Form:
    """How a tool takes an edit: the names of its fields; `several`: the field that takes a list of edits."""

    path: str
    old: str
    new: str
    several: str = ""
    more: tuple[tuple[str, str], ...] = ()
    per_edit: tuple[tuple[str, str], ...] = ()

    def arguments(self, question: Question) -> Arguments:
        edits = [{self.old: op.old, self.new: op.new, **dict(self.per_edit)} for op in question.ops]
        return {self.path: question.path, **({self.several: edits} if self.several else edits[0]), **dict(self.more)}

    def corrected(self, arguments: Arguments, index: int, op: Op) -> Arguments:
        """The same call with another edit at that place."""
        return self._with(arguments, index, {self.old: op.old, self.new: op.new})

    def numbered(self, arguments: Arguments, index: int, number: int) -> Arguments:
        """The same call with which of several places its edit means."""
        return self._with(arguments, index, {"occurrence": number})

    def _with(self, arguments: Arguments, index: int, fields: Arguments) -> Arguments:
        if not self.several:
            return arguments | fields
        edits = [dict(edit) for edit in arguments[self.several]]
        edits[index] |= fields
        return arguments | {self.several: edits}


_FORMS = {
    "article.edit_article": Form("path", "old_string", "new_string", "edits", per_edit=(("reason", "asked for"),)),
    "claude.str_replace_based_edit_tool": Form("path", "old_str", "new_str", more=(("command", "str_replace"),)),
    "claude-code.Edit": Form("file_path", "old_string", "new_string"),
    "claude-code.MultiEdit": Form("file_path", "old_string", "new_string", "edits"),
    "core.edit": Form("path", "target", "new", "edits"),
    "gemini.replace": Form("file_path", "old_string", "new_string"),
    "site.editFile": Form("file", "search", "replace", "operations"),
    "surgical.edit_file": Form("path", "old_content", "new_content"),
    "vault.TextReplace": Form("filePath", "oldText", "newText"),
}
_PATCHES: Mapping[str, str] = {
    "coder.write_patch": "patch",
    "core.edit patch": "patch",
    "openai.apply_patch": "input",
    "surgical.patch_file": "patch",
}


@dataclass(frozen=True, slots=True)
class Called:
    """One tool, and whoever calls it."""

    toolset: str
    tool: str
    form: Form | None
    patch: str = ""

    def ask(self, question: Question) -> Answer:
        arguments = self._arguments(question)
        if arguments is None:
            return Answer(False, question.before, "the tool does not take this")
        result, text, seconds = self._send(question, (self.tool, arguments))
        problem = _problem(result)
        if problem is None:
            return Answer(True, text, str(result.get("matchTiers") or ""), seconds=seconds)
        is_reported = text == question.before and ("details" in result or len(question.ops) <= 1)  # words name no edit
        offers = tuple(self._offers(question, arguments, result)) if is_reported else ()
        kept = tuple(range(int(str(result.get("appliedCount", 0)))))
        return Answer(False, text, problem, seconds=seconds, kept=kept, offers=offers)

    def _arguments(self, question: Question) -> Arguments | None:
        if self.form is not None:
            return self.form.arguments(question) if self.form.several or len(question.ops) == 1 else None
        if self.toolset == "openai":
            found = _ENVELOPE.search(question.text)
            return None if found is None else {self.patch: found[0]}
        return {"path": question.path, self.patch: question.text}

    def _send(self, question: Question, sent: Sent) -> tuple[Mapping[str, Any], str, float]:
        """The answer of a call in a workspace that holds nothing but the file, and what the file is then."""
        tool, arguments = sent
        with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
            file = Path(folder, question.path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(question.before.encode())
            with sh.Workspace(folder, actor="model", protect="none") as ws:
                kit = ws.tools(self.toolset, extensions=(file.suffix or file.name,))
                started = perf_counter()
                result = kit.call(tool, arguments)
                seconds = perf_counter() - started
            return result, file.read_bytes().decode() if file.exists() else "", seconds

    def _offers(self, question: Question, arguments: Arguments, result: Mapping[str, Any]) -> Iterator[Offer]:
        for what, sent in self._offered(question, arguments, result):
            index = _index(result)
            for _ in range(1 + len(question.ops)):  # another edit of the call may be refused next
                answer, text, _ = self._send(question, sent)
                problem = _problem(answer)
                if problem is None:
                    yield Offer(what, text)  # type: ignore[arg-type]
                    break
                if _index(answer) == index:
                    yield Offer(what, None, problem)  # type: ignore[arg-type]
                    break
                following = next(self._offered(question, sent[1], answer), None)
                if following is None or following[0] != "corrected":
                    break
                sent = following[1]

    def _offered(
        self, question: Question, arguments: Arguments, result: Mapping[str, Any]
    ) -> Iterator[tuple[str, Sent]]:
        details, index = _details(result), _index(result)
        corrected = details.get("corrected")
        if (call := self._as_call(question, arguments, index, corrected)) is not None:
            yield "corrected", call
        for place in details.get("candidates") or ():
            if (call := self._of_candidate(question, arguments, index, place)) is not None:
                yield "candidate", call
        if self.form is None:
            return
        for what, op in self._shown(str(result.get("content", ""))):
            yield what, (self.tool, self.form.corrected(arguments, index, op))
        old = details.get("found", details.get("old"))
        if corrected is None and isinstance(old, str):
            yield "old", (self.tool, self.form.corrected(arguments, index, Op(old, question.ops[index].new)))

    def _shown(self, content: str) -> Iterator[tuple[str, Op]]:
        """The edits that an answer in words shows, in the tool's fields."""
        assert self.form is not None
        pattern = _SHOWN.format(old=self.form.old, new=self.form.new)
        for found in re.finditer(pattern, content, re.DOTALL | re.MULTILINE):
            yield "corrected" if found[1] == "`corrected`" else "candidate", Op(found[2], found[3])

    def _of_candidate(
        self, question: Question, arguments: Arguments, index: int, place: Mapping[str, Any]
    ) -> Sent | None:
        """The call that means one of several places: as it is offered, by number, or with more text around it."""
        if "corrected" in place:
            return self._as_call(question, arguments, index, place["corrected"])
        if self.form is None:
            return None
        if "occurrence" in place:
            return self.tool, self.form.numbered(arguments, index, place["occurrence"])
        old = place.get("unique_old", place.get(self.form.old))
        if not isinstance(old, str):
            return None
        new = place.get(self.form.new, question.ops[index].new)
        return self.tool, self.form.corrected(arguments, index, Op(old, new))

    def _as_call(self, question: Question, arguments: Arguments, index: int, corrected: object) -> Sent | None:
        if isinstance(corrected, str) and self.patch:
            return self.tool, arguments | {self.patch: corrected}
        if not isinstance(corrected, Mapping):
            return None
        if "tool" in corrected:
            return str(corrected["tool"]), {name: value for name, value in corrected.items() if name != "tool"}
        if self.form is not None and self.form.old in corrected:
            op = Op(corrected[self.form.old], corrected.get(self.form.new, ""))
            return self.tool, self.form.corrected(arguments, index, op)
        if self.tool == "edit" and "target" in corrected:  # of a patch, given as an edit
            return self.tool, {"path": question.path, "edits": [dict(corrected)]}
        return None


def _problem(result: Mapping[str, Any]) -> str | None:
    """Why a call was refused, wholly or in part; None where it was not."""
    said = result.get("success", result.get("status", not result.get("is_error")))
    if said in (True, "success"):
        return None
    kind = result.get("reason") or result.get("kind")
    return f"{kind}: {result.get('message') or result.get('error') or result.get('content')}"[:500]


def _details(result: Mapping[str, Any]) -> Mapping[str, Any]:
    details = result.get("details")
    return details if isinstance(details, Mapping) else {}


def _index(result: Mapping[str, Any]) -> int:
    for index in (_details(result).get("index"), result.get("failedIndex")):
        if isinstance(index, int):
            return index
    return 0


def adapters(name: str) -> Mapping[Kind, Adapter]:
    toolset, _, tool = name.removesuffix(" patch").partition(".")
    called = Called(toolset, tool, _FORMS.get(name), _PATCHES.get(name, ""))
    ask: Callable[[Question], Answer] = called.ask
    return dict.fromkeys(way_named(name).kinds, ask)


if __name__ == "__main__":
    serve(f"steadyhand {sh.__version__}, {sys.argv[1]}", adapters(sys.argv[1]))
