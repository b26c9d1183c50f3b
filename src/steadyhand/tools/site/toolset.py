"""What the toolset `site` is."""

from __future__ import annotations

from steadyhand.hints import AllowShrink, ByText, ExpectCount
from steadyhand.tools.phrases import MODEL, say
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
        AllowShrink: say("send allow_shrink true, if the rest is to go"),
        ByText: say("change it with editFile, by the text that is there"),
        ExpectCount: lambda hint: f"send expectedReplacements {hint.count} to change every place",
    },
)
