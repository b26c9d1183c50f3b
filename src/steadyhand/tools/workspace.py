"""The workspace with tools for models: the one that users get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from steadyhand.schema import bad_request
from steadyhand.session import checks
from steadyhand.session import workspace as session
from steadyhand.session.checks import AnyPath
from steadyhand.tools.findings import Findings

if TYPE_CHECKING:
    from steadyhand.plan.policy import Policy
    from steadyhand.tools.call import Conversation
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
        article: AnyPath | None = None,
        allow_new: bool = False,
        conversation: Conversation | str | None = None,
        policy: Policy | None = None,
        prefix: AnyPath | None = None,
        extensions: Sequence[str] | None = None,
        model: str | None = None,
        overwrite: bool = False,
        allow_shrink: bool = False,
        require_read: bool = False,
        version: str | None = None,
        max_characters: int | None = None,
    ) -> Kit:
        """The tools of one conversation, which may be named; what else the host may set is in `Settings`."""
        from steadyhand.tools.call import Settings
        from steadyhand.tools.kit import Kit

        settings = Settings(
            article=None if article is None else checks.path_of(article, "article"),
            allow_new=checks.flag(allow_new, "allow_new"),
            prefix=None if prefix is None else checks.path_of(prefix, "prefix"),
            extensions=None if extensions is None else checks.names(extensions, "extensions"),
            model=checks.remark(model, "model"),
            overwrite=checks.flag(overwrite, "overwrite"),
            allow_shrink=checks.flag(allow_shrink, "allow_shrink"),
            require_read=checks.flag(require_read, "require_read"),
            version=version,
            max_characters=max_characters,
        )
        workspace = self if policy is None else self.bound(policy=checks.policy_of(policy))
        return Kit(workspace, toolset, settings, _conversation(conversation))


def _conversation(given: object) -> Conversation | None:
    from steadyhand.tools.call import Conversation

    if given is None or isinstance(given, Conversation):
        return given
    name = checks.remark(given, "conversation")
    if not name:
        raise bad_request("conversation", "a Conversation or its name is expected")
    return Conversation(name)
