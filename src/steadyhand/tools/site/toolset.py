"""What the toolset `site` is."""

from __future__ import annotations

from steadyhand.hints import AllowShrink, ByText, ExpectCount
from steadyhand.tools.phrases import MODEL, in_fields, say
from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="site",
    summary="Web pages: operations on elements by selector, tolerant search and replace, batches over pages.",
    # What is kept of a call that fails in part, and which of several places is meant, is the tools' to say.
    policy={
        "on_drift": "new",
        "occurrence": "unique",
        "batch": "sequential",
        "partial": False,
        "already": "refuse",
    },
    phrases={
        **MODEL,
        **in_fields("search", "replace"),
        AllowShrink: say("set allow_shrink to drop the rest"),
        ByText: say("change it with editFile, by its text"),
        ExpectCount: lambda hint: f"set expectedReplacements to {hint.count} to change all of them",
    },
)
