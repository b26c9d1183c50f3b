"""What a toolset is: tools that belong together, the policy they keep to, and the prompt that goes with them.

A toolset is a folder with a `toolset.py` that ends with `TOOLSET = Toolset(…)`, a `prompt.md` and its tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steadyhand.hints import Phrases
from steadyhand.lazy import dataclass, field
from steadyhand.tools.phrases import MODEL

__all__ = ["Toolset"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolset:
    """One toolset. `policy` are settings that win over the host's; `is_native`: answers are texts for a maker's models.

    `guards` look besides those of the host's policy.
    `extensions` are the endings of files that its tools take, None for all. `phrases` is how it says hints.
    """

    name: str
    summary: str
    policy: Mapping[str, Any] = field(default_factory=dict)
    guards: frozenset[str] = frozenset()
    extensions: tuple[str, ...] | None = None
    is_native: bool = False
    phrases: Phrases = field(default_factory=lambda: MODEL)
