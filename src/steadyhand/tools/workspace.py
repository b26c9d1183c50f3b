"""The workspace with tools for models: the one that users get."""

from __future__ import annotations

from steadyhand.plan.policy import Policy
from steadyhand.session import workspace as session
from steadyhand.session.checks import policy_of
from steadyhand.tools.call import Conversation, Settings
from steadyhand.tools.findings import Findings
from steadyhand.tools.kit import Kit

__all__ = ["Workspace"]


class Workspace(session.Workspace, Findings):
    """A directory whose files are edited safely, by programs and by models. Thread-safe; close it after use.

    >>> import tempfile, pathlib
    >>> root = pathlib.Path(tempfile.mkdtemp()); _ = (root / "a.md").write_text("one\\ntwo\\n")
    >>> with Workspace(root, actor="docs") as ws:
    ...     kit = ws.tools("surgical")
    ...     answer = kit.call("edit_file", {"path": "a.md", "old_content": "two", "new_content": "2"})
    ...     answer["success"], answer["lines"]
    (True, {'start': 2, 'end': 2})
    """

    def tools(
        self,
        toolset: str = "core",
        *,
        article: str | None = None,
        conversation: Conversation | None = None,
        policy: Policy | None = None,
        prefix: str | None = None,
        extensions: tuple[str, ...] | None = None,
        model: str | None = None,
        overwrite: bool = False,
        allow_shrink: bool = False,
        require_read: bool = False,
        version: str | None = None,
        max_characters: int | None = None,
    ) -> Kit:
        """The tools of one conversation; what the host may set is told in `Settings`."""
        settings = Settings(
            article=article,
            prefix=prefix,
            extensions=extensions,
            model=model,
            overwrite=overwrite,
            allow_shrink=allow_shrink,
            require_read=require_read,
            version=version,
            max_characters=max_characters,
        )
        workspace = self if policy is None else self.bound(policy=policy_of(policy))
        return Kit(workspace, toolset, settings, conversation)
