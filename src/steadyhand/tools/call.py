"""What a tool is handed besides its arguments: the workspace in its name, what the host set, the conversation.

Nothing of it can be changed by a tool's arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field
from steadyhand.tools.allowed import check_article, check_ending, is_beside
from steadyhand.tools.paths import resolve_path
from steadyhand.tools.toolset import Toolset
from steadyhand.workspace.journal.record import new_record_id

if TYPE_CHECKING:
    from steadyhand.session.workspace import Workspace


__all__ = ["Call", "Conversation", "Settings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the host decides for a kit.

    `article`     the one file that a tool that changes files may name
    `allow_new`   and new pages beside it, which are there only then
    `prefix`      a directory that stands for the root in the model's paths
    `extensions`  endings of the files that may be named; None: those of the toolset
    `model`       the model that makes the calls, for the records
    `overwrite`   a file may be written over that was never read; `allow_shrink`: and lose most of its lines
    `require_read` native edits need the file read before
    `version`     of a maker's tool; `max_characters`: what its `view` shows at most
    """

    article: str | None = None
    allow_new: bool = False
    prefix: str | None = None
    extensions: tuple[str, ...] | None = None
    model: str | None = None
    overwrite: bool = False
    allow_shrink: bool = False
    require_read: bool = False
    version: str | None = None
    max_characters: int | None = None


@dataclass(slots=True)
class Conversation:
    """What is remembered from call to call of one conversation: which file was failed on how often, in a row."""

    id: str = field(default_factory=new_record_id)
    mistakes: dict[str, int] = field(default_factory=dict)

    def failed(self, path: str) -> int:
        """Another failure on a file; how many there were since the last success."""
        self.mistakes[path] = self.mistakes.get(path, 0) + 1
        return self.mistakes[path]

    def succeeded(self, path: str) -> None:
        self.mistakes.pop(path, None)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of one tool. `workspace` acts in the tool's name and with the toolset's policy.

    `is_reading`: the tool changes nothing, so it may name other files than the article.
    """

    workspace: Workspace
    settings: Settings
    conversation: Conversation
    toolset: Toolset
    is_reading: bool = False

    def path(self, spelled: str, *, creating: bool = False) -> str:
        """A path as the model spells it, as the workspace knows it.

        Refuses with `not-allowed` a kind of file that the toolset or the host leaves out, and, for a tool that changes
        files, any but the article where the host named one; `creating`: a new page beside it may be allowed too.
        """
        path, article = resolve_path(self.workspace, spelled, self.settings.prefix), self.settings.article
        if not self.is_reading and article is not None:
            place = resolve_path(self.workspace, article, self.settings.prefix)
            is_new = creating and self.settings.allow_new and is_beside(path, place) and not self._is_there(path)
            if not is_new:
                check_article(path, place, allow_new=self.settings.allow_new)
        self.check_ending(path)
        self._check_target(path)
        return path

    def _is_there(self, path: str) -> bool:
        try:
            self.workspace.source(path)
        except EditError as error:
            return error.kind is not Kind.NO_SUCH_FILE
        return True

    def _check_target(self, path: str) -> None:
        """Refuse a name that leads, as a link, to a kind of file that the host leaves out."""
        if self.settings.extensions is None or self.toolset.extensions is not None:
            return  # a toolset for kinds of files looks at what it reads itself
        try:
            named = self.workspace.source(path).path
        except EditError:  # what cannot be read is refused where it is asked for
            return
        if named is not None:
            self.check_ending(named)

    def directory(self, spelled: str) -> str:
        """A directory as the model spells it, as the workspace knows it."""
        return resolve_path(self.workspace, spelled, self.settings.prefix)

    def check_ending(self, path: str) -> None:
        """Refuse with `not-allowed` a kind of file that the toolset or the host leaves out."""
        own = self.settings.extensions
        endings = self.toolset.extensions if own is None else own
        if endings is not None:
            check_ending(path, endings)

    @property
    def mode(self) -> str | None:
        return self.workspace.mode
