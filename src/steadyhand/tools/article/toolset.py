"""What the toolset `article` is."""

from __future__ import annotations

from steadyhand.tools.phrases import MODEL, in_fields
from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="article",
    summary="Documentation articles: exact, unique, explained replacements in the one article at hand.",
    policy={"tier": "newline", "batch": "sequential", "occurrence": "unique", "partial": False, "already": "refuse"},
    guards=frozenset({"attention"}),
    phrases={**MODEL, **in_fields("old_string", "new_string")},
)
