"""The workspace with tools for models: the one that users get, and the findings that it keeps.

Findings are what tasks that may change nothing have found: kept in the user's state folder, never under the root, and
bounded: a task that reports without end is refused.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Self, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass
from steadyhand.schema import bad_request
from steadyhand.session import checks
from steadyhand.session import workspace as session
from steadyhand.session.checks import AnyPath
from steadyhand.session.host import host_of
from steadyhand.text.visible import sized

if TYPE_CHECKING:
    import threading

    from steadyhand.plan.policy import Policy
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.tool import Conversation
    from steadyhand.workspace.json_lines import FindingsFile


# What tasks that may change nothing have found: kept in the user's state folder, and never under the root.
#
# It is bounded: a task that reports without end is refused.

Severity = Literal["info", "low", "medium", "high", "critical"]
SEVERITIES: tuple[str, ...] = ("info", "low", "medium", "high", "critical")

_MOST = 10_000  # findings of one task
_TEXTS = ("path", "severity", "title", "detail", "suggestion", "task", "actor", "fileHash", "time")


@sized("detail", "suggestion")
@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found. `lines` are first and last from 1; `file_hash` names the version they count in."""

    path: str
    severity: Severity
    title: str
    detail: str
    lines: tuple[int, int] | None = None
    suggestion: str | None = None
    task: str | None = None
    actor: str | None = None
    file_hash: str | None = None
    time: str | None = None

    def to_json(self) -> dict[str, object]:
        """The finding as tools spell it; what is absent is left out."""
        from dataclasses import asdict

        facts = asdict(self) | {"fileHash": self.file_hash}
        del facts["file_hash"]
        if self.lines is not None:
            facts["lines"] = {"start": self.lines[0], "end": self.lines[1]}
        return {name: value for name, value in facts.items() if value is not None}

    @classmethod
    def from_json(cls, data: object) -> Finding | None:
        """The inverse of `to_json`; None for anything else, which another version may have written."""
        facts = data if isinstance(data, Mapping) else {}
        texts = (facts.get(name) for name in _TEXTS)
        path, severity, title, detail, *others = (text if isinstance(text, str) else None for text in texts)
        if path is None or severity not in SEVERITIES or title is None or detail is None:
            return None
        match data:
            case {"lines": {"start": int(start), "end": int(end)}}:
                lines: tuple[int, int] | None = (start, end)
            case _:
                lines = None
        return cls(path, cast("Severity", severity), title, detail, lines, *others)


class Found:
    """The findings of one tree, in the order in which they were reported; thread-safe.

    They are kept in the user's state folder. Where that cannot be, those of this workspace are kept while it is open.
    """

    def __init__(self, file: FindingsFile, unkept: list[Finding], guard: threading.Lock) -> None:
        self._file = file
        self._unkept = unkept
        self._guard = guard

    def add(self, findings: Sequence[Finding]) -> tuple[int, bool]:
        """Keep all of them or none; how many the task of the first has reported by now, and whether they outlive us.

        Refuses with `too-large`, and with `busy` where others write for too long.
        """
        task = findings[0].task
        if self._file.is_there:
            try:
                return self._file.add(task, [finding.to_json() for finding in findings], most=_MOST), True
            except EditError as error:
                if error.kind in (Kind.TOO_LARGE, Kind.BUSY):
                    raise
        with self._guard:
            known = [each for each in self._unkept if each.task == task]
            if len(known) + len(findings) > _MOST:
                raise EditError(
                    Kind.TOO_LARGE,
                    f"{len(known)} findings of this task are kept already",
                    hint="report what matters most, and stop",
                    details={"limit": _MOST},
                )
            self._unkept += findings
            return len(known) + len(findings), False

    def of(self, task: str | None) -> list[Finding]:
        """Those of one task; None: all."""
        kept = [
            finding
            for report in self._file.read()
            for item in cast("list[object]", report["items"])
            if (finding := Finding.from_json(item)) is not None
        ]
        with self._guard:
            every = [*kept, *self._unkept]
        return [each for each in every if task is None or each.task == task]


class Findings:
    """The part of a workspace that keeps findings."""

    _unkept: tuple[list[Finding], threading.Lock]

    def __new__(cls, *args: object, **options: object) -> Self:
        import threading

        del args, options  # the workspace's own
        made = super().__new__(cls)
        made._unkept = ([], threading.Lock())
        return made

    @property
    @abstractmethod
    def root(self) -> str:
        """The tree that they are about."""

    def findings(self, task: str | None = None) -> list[Finding]:
        """What was reported of this tree, by one task or by all, oldest first: here or in another process."""
        return found_in(self).of(task)


def found_in(workspace: Findings) -> Found:
    """What was reported of a workspace's tree."""
    from steadyhand.workspace.json_lines import FindingsFile

    return Found(FindingsFile(workspace.root), *workspace._unkept)


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
        """The tools of one conversation, which may be named; what else the host may set is in `Settings`.

        With the toolset `auto` it is what `steadyhand.toml` at the root says of the `model`, else `core`.
        """
        from steadyhand.tools.kit import Kit
        from steadyhand.tools.tool import Settings

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
        workspace = self if policy is None else host_of(self).bound(policy=checks.policy_of(policy))
        name = _chosen(self.root, settings.model) if toolset == "auto" else toolset
        return Kit(workspace, name, settings, _conversation(conversation))


def _chosen(root: str, model: str | None) -> str:
    """The toolset of a model, as the tree says it; `core` where that says nothing that there is."""
    from steadyhand.tools.toolsets import toolsets
    from steadyhand.workspace.model_choices import choice_for, read_choices

    found = None if model is None else choice_for(model, read_choices(root)[0])
    name = None if found is None else found.toolset
    return name if name is not None and name in toolsets() else "core"


def _conversation(given: object) -> Conversation | None:
    from steadyhand.tools.tool import Conversation

    if given is None or isinstance(given, Conversation):
        return given
    name = checks.remark(given, "conversation")
    if not name:
        raise bad_request("conversation", "a Conversation or its name is expected")
    return Conversation(name)
