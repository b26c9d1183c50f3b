"""The ways in which Steadyhand is asked: the usual policy, every other one, and the tools of each toolset.

Nothing may be wrong in any of them. Each is a contestant of its own; `--policies` lets them take part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from benches.accuracy.cases import Case
from benches.accuracy.left_out import rule_names
from benches.accuracy.question import KINDS, Kind
from benches.accuracy.score import Rules
from steadyhand.tools.toolsets import toolset_named

_TOOLSETS = ("article", "site", "vault")  # those whose policy is not the usual one
_TEXT_TOOLS = (
    "article.edit_article",
    "claude.str_replace_based_edit_tool",
    "claude-code.Edit",
    "claude-code.MultiEdit",
    "core.edit",
    "gemini.replace",
    "site.editFile",
    "surgical.edit_file",
    "vault.TextReplace",
)
_SEVERAL = ("article.edit_article", "claude-code.MultiEdit", "core.edit", "site.editFile")  # edits in one call
_PATCH_TOOLS = ("coder.write_patch", "core.edit patch", "openai.apply_patch", "surgical.patch_file")


@dataclass(frozen=True, slots=True)
class Way:
    """One way: the settings of a policy, or a tool, named with its toolset; and which cases it takes.

    `without` is a rule that is left out: a tier, a repair, a doubt, or one of those that `left_out.py` names.
    """

    name: str
    policy: Mapping[str, Any] = field(default_factory=dict)
    tool: str = ""
    kinds: tuple[Kind, ...] = KINDS
    only: tuple[str, ...] = ("*",)
    not_for: tuple[str, ...] = ()
    most: int | None = None
    without: str = ""

    def takes(self, case: Case) -> bool:
        """Whether it is of a kind and a category that this way can take, with no more edits than one call takes."""
        if case.kind not in self.kinds or (self.most is not None and len(case.question.ops) > self.most):
            return False
        named = any(fnmatchcase(case.category, pattern) for pattern in self.only)
        return named and not any(fnmatchcase(case.category, pattern) for pattern in self.not_for)

    @property
    def rules(self) -> Rules:
        """What this way may do with an edit whose lines someone changed, and with a call that is refused in part."""
        is_literal = self.policy.get("tier") == "newline"
        return Rules(self.policy.get("on_drift", "refuse"), bool(self.policy.get("partial")), is_literal)


def _tool(name: str) -> Way:
    """A tool, under its toolset's policy."""
    toolset = toolset_named(name.partition(".")[0])
    if name == "openai.apply_patch":
        return Way(name, toolset.policy, name, ("reply",), ("reply/llm-v4a-*", "misquote-*"))
    if name in _PATCH_TOOLS:
        return Way(name, toolset.policy, name, ("diff", "reply"))
    own = {
        "site.editFile": {"partial": True},  # what comes before the operation that fails
        "surgical.edit_file": {"tier": "newline"},
    }
    # Where the old text is in several places, `TextReplace` takes the first, as its contract says.
    not_for = ("*-ambiguous", "*-ambiguous-ws", "*-near-dup") if name == "vault.TextReplace" else ()
    most = None if name in _SEVERAL else 1
    return Way(name, {**toolset.policy, **own.get(name, {})}, name, ("ops",), not_for=not_for, most=most)


WAYS = (
    Way("on_drift=merge", {"on_drift": "merge"}),
    Way("on_drift=new", {"on_drift": "new"}),
    Way("partial", {"partial": True}, kinds=("ops",)),
    Way("partial, on_drift=new", {"partial": True, "on_drift": "new"}, kinds=("ops",)),
    Way("batch=snapshot", {"batch": "snapshot"}),
    *(Way(f"policy of {name}", toolset_named(name).policy) for name in _TOOLSETS),
    *map(_tool, (*_TEXT_TOOLS, *_PATCH_TOOLS)),
)


WITHOUT = "without "
LEFT_OUT = tuple(Way(f"{WITHOUT}{name}", without=name) for name in rule_names())


def way_named(name: str) -> Way:
    return next(way for way in (*WAYS, *LEFT_OUT) if way.name == name)
