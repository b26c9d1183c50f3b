"""What the tools about a change share: how a change is named, and an example of a repository."""

from __future__ import annotations

from typing import Final

from steadyhand.tools.shape import Field, Flag, Number, Object, Text

__all__ = ["BASE", "LEFT_OUT", "REPOSITORY", "UNCOMMITTED"]

BASE: Final = Field(
    "base", Text(), "A branch, tag or commit: what HEAD has and it has not is the change. Left out: detected."
)
UNCOMMITTED: Final = Field("uncommitted", Flag(), "The change is what is staged, unstaged or untracked.")
LEFT_OUT: Final = Object(
    (Field("path", Text()), Field("reason", Text(), required=True), Field("line", Number())), is_open=True
)
# A repository without a commit, in which every file is untracked.
REPOSITORY: Final = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/objects/info/packs": "\n",
    ".git/refs/heads/.keep": "",
    "docs/start.md": "---\njrn: START\nattention:\n  - op: symbol\n    path: src/app.py#main\n---\n\n# Start\n",
    "src/app.py": "def main(port):\n    return port\n",
}
