"""What the toolset `site` is."""

from __future__ import annotations

from steadyhand.tools.toolset import Toolset

TOOLSET = Toolset(
    name="site",
    summary="Web pages: operations on elements by selector, tolerant search and replace, batches over pages.",
    policy={"on_drift": "new"},
)
