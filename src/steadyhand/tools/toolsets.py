"""The toolsets there are: their policy, how each says hints, and the tools of each, by name.

Loading a toolset loads its tools and no other's, so that a server starts with what it serves. How a toolset says a hint
is decided here and nowhere else: in the fields of its tools, without what no call can say, such as an argument of
Python, a setting of the host or a command at a shell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from steadyhand.hints import (
    Act,
    AllowPath,
    AllowShrink,
    ByText,
    ChooseAddress,
    ChooseOccurrence,
    ExpectCount,
    ExpectVersion,
    FitEncoding,
    GiveReason,
    Hint,
    LeaveOut,
    NameEncoding,
    NameFile,
    NameFormat,
    NameJournal,
    OneByOne,
    OpenForWriting,
    Phrases,
    QuoteMore,
    Redo,
    ReplaceExisting,
    RunCommand,
    SendAddress,
    SendCorrected,
    SendOld,
    TheText,
    UseLines,
)
from steadyhand.lazy import dataclass, field
from steadyhand.schema import bad_request, nearest_name

if TYPE_CHECKING:
    from steadyhand.tools.tool import Tool


def say(sentence: str | None) -> Callable[[Hint], str | None]:
    """A phrase that is the same for every hint of its type; None leaves them out."""
    return lambda _: sentence


_UNSAID = say(None)


def _lines(hint: SendAddress) -> str | None:
    """Lines in plain words; what has another address cannot be named by most tools."""
    kind, _, lines = hint.address.partition(":")
    first, _, last = lines.partition("-")
    return hint.spelled(f"lines {first} to {last}") if kind == "lines" else None


def in_fields(old: str, new: str) -> Phrases:
    """Hints about old and new text for tools that have a field for each."""
    return {
        QuoteMore: lambda hint: hint.named(f"{old} and {new}"),
        SendCorrected: lambda hint: hint.named(old, new),
        SendOld: lambda hint: hint.named(old),
        TheText: lambda hint: old if hint.side == "old" else new,
    }


# For every toolset. What is left out here needs a field that only some of them have.
MODEL: Phrases = {
    NameEncoding: lambda hint: "name a text file" if hint.is_binary else None,
    FitEncoding: say("use ASCII"),
    NameFormat: say("send one format"),
    NameFile: say("name the file"),
    OneByOne: say("send them one at a time, in separate calls"),
    AllowPath: say("leave it alone"),
    UseLines: lambda hint: f"use lines 1 to {hint.count}" if hint.count else "the file is empty: add text to it",
    SendAddress: _lines,
    # ExpectVersion would be sent instead of reading.
    **dict.fromkeys((ChooseAddress, ChooseOccurrence, Act, ExpectCount, LeaveOut, AllowShrink, ExpectVersion), _UNSAID),
    **dict.fromkeys((OpenForWriting, NameJournal, RunCommand, Redo), _UNSAID),
}

# For tools that a maker's models know: they take old and new text, and what singles a place out is shown with both.
NATIVE: Phrases = {
    **MODEL,
    QuoteMore: lambda hint: hint.words() if hint.line is None else None,
    GiveReason: _UNSAID,
    ReplaceExisting: say("edit it, or choose another name"),
}


def native_fields(old: str, new: str) -> Phrases:
    """The same for a tool with these two fields."""
    return {**NATIVE, **{kind: say for kind, say in in_fields(old, new).items() if kind is not QuoteMore}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """One toolset. `policy` are settings that win over the host's; `is_native`: answers are texts for a maker's models.

    `modules` of this package have its tools, each in `TOOLS`. `guards` look besides those of the host's policy.
    `extensions` are the endings of files that its tools take, None for all. `phrases` is how it says hints.
    """

    name: str
    summary: str
    modules: tuple[str, ...] = ()
    policy: Mapping[str, Any] = field(default_factory=dict)
    guards: frozenset[str] = frozenset()
    extensions: tuple[str, ...] | None = None
    is_native: bool = False
    phrases: Phrases = field(default_factory=lambda: MODEL)


_ALL_OR_NONE: Mapping[str, Any] = {"partial": False, "batch": "sequential"}
_ENDINGS = (
    ".md .markdown .txt .rst .json .jsonc .yaml .yml .toml .ini .conf .cfg .env.example "
    ".html .htm .css .csv .tsv .xml .log"
)


def _occurrence_or_all(hint: ChooseOccurrence) -> str:
    numbers = "1, the only one" if hint.total == 1 else f"1-{hint.total}" if hint.total else "1, 2 …"
    return f"set occurrence: {numbers}, -1 last, 0 all"


def _occurrence_by_word(hint: ChooseOccurrence) -> str:
    numbers = f"1-{hint.total}" if hint.total else "a number"
    return f'set occurrence: "first", "last", "all" or {numbers}'


def _find_in_history(hint: RunCommand) -> str | None:
    return "find the change and its id with history" if hint.command.startswith("log") else None


_TOOLSETS = (
    Toolset(
        name="article",
        summary="Documentation articles: exact, unique replacements in one article, each with a reason.",
        modules=("article",),
        policy={**_ALL_OR_NONE, "tier": "newline", "occurrence": "unique", "already": "refuse"},
        guards=frozenset({"attention"}),
        phrases={**MODEL, **in_fields("old_string", "new_string")},
    ),
    Toolset(
        name="claude",
        summary="Anthropic's text editor and memory tools, as its models know them.",
        modules=("claude",),
        policy=_ALL_OR_NONE,
        is_native=True,
        phrases=native_fields("old_str", "new_str"),
    ),
    Toolset(
        name="claude-code",
        summary="Claude Code's Edit, MultiEdit, Write and Read.",
        modules=("claude_code",),
        policy=_ALL_OR_NONE,
        is_native=True,
        phrases=native_fields("old_string", "new_string"),
    ),
    Toolset(
        name="coder",
        summary="Patches and structured edits for coding agents.",
        modules=("coder",),
        policy=_ALL_OR_NONE,
    ),
    Toolset(
        name="core",
        summary="The default: few tools, any target, any dialect, several files at once.",
        modules=("core", "core_files"),
        phrases={
            **MODEL,
            Act: Act.words,
            AllowShrink: say("set allow_shrink to drop the rest"),
            ChooseAddress: say("send one of the addresses in `places`"),
            ChooseOccurrence: ChooseOccurrence.words,
            ExpectCount: lambda hint: f"set expected to {hint.count} to change all",
            LeaveOut: LeaveOut.words,
            SendAddress: SendAddress.words,
            NameFile: say("set `path`"),
            Redo: lambda hint: f"to restore it, undo {hint.undo}",
            RunCommand: _find_in_history,
            UseLines: lambda hint: f"use lines 1 to {hint.count}" if hint.count else "insert at lines:1-0",
        },
    ),
    Toolset(
        name="gemini",
        summary="The replace and write_file tools of the Gemini CLI.",
        modules=("gemini",),
        policy=_ALL_OR_NONE,
        is_native=True,
        phrases={
            **native_fields("old_string", "new_string"),
            ExpectCount: lambda hint: f"set expected_replacements to {hint.count} to change all",
        },
    ),
    Toolset(
        name="openai",
        summary="OpenAI's apply_patch, as its models know it.",
        modules=("openai",),
        policy=_ALL_OR_NONE,
        is_native=True,
        phrases=NATIVE,
    ),
    Toolset(
        name="site",
        summary="Web pages: edit elements by selector, search and replace tolerantly, change many pages at once.",
        modules=("site.tools",),
        # What is kept of a call that fails in part, and which of several places is meant, is the tools' to say.
        policy={**_ALL_OR_NONE, "on_drift": "new", "occurrence": "unique", "already": "refuse"},
        phrases={
            **MODEL,
            **in_fields("search", "replace"),
            AllowShrink: say("set allow_shrink to drop the rest"),
            ByText: say("change it with editFile, by its text"),
            ExpectCount: lambda hint: f"set expectedReplacements to {hint.count} to change all",
        },
    ),
    Toolset(
        name="surgical",
        summary="Tasks that share files: exact edits, patches and insertions, with modes and findings.",
        modules=("surgical",),
        policy=_ALL_OR_NONE,
        phrases={**MODEL, ChooseOccurrence: _occurrence_or_all},
    ),
    Toolset(
        name="vault",
        summary="A vault of text files: inspect, replace, patch by heading, code block or lines.",
        modules=("vault_inspection", "vault"),
        policy={"tier": "newline", "on_stale": "refuse", "partial": False, "already": "refuse"},
        extensions=tuple(_ENDINGS.split()),
        phrases={
            **MODEL,
            **in_fields("oldText", "newText"),
            ByText: say("send lines, or call TextReplace"),
            ChooseOccurrence: _occurrence_by_word,
        },
    ),
)
_SHARED = "file_tools"


@cache
def toolsets() -> Mapping[str, Toolset]:
    """Every toolset by its name, in alphabetical order."""
    return MappingProxyType({toolset.name: toolset for toolset in _TOOLSETS})


def toolset_named(name: str) -> Toolset:
    """One toolset. Refuses with `bad-request` a name that there is not."""
    known = toolsets()
    if name in known:
        return known[name]
    near = nearest_name(str(name)[:80], known)
    hint = f"did you mean {near!r}?" if near else f"toolsets: {', '.join(known)}"
    raise bad_request("toolset", f"there is no toolset {str(name)[:80]!r}", hint)


@cache
def tools_of(name: str) -> tuple[Tool, ...]:
    """The tools of one toolset, by rank and name."""
    own = [tool for module in toolsets()[name].modules for tool in _tools_in(module)]
    shared = [tool for tool in _tools_in(_SHARED) if name in tool.toolsets]
    return tuple(sorted([*own, *shared], key=lambda tool: (tool.rank, tool.name)))


def _tools_in(module: str) -> tuple[Tool, ...]:
    tools: tuple[Tool, ...] = import_module(f"steadyhand.tools.{module}").TOOLS
    return tools


@cache
def prompt_of(name: str) -> str:
    """The section of a system prompt that goes with a toolset."""
    from importlib.resources import files

    return files("steadyhand.tools").joinpath("prompts", f"{name}.md").read_text(encoding="utf-8")
