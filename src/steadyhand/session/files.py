"""What a workspace does to whole files: make one, take it away, give it another name or other permission bits.

Taking a part of one to another place or file stands here too: it may make the file it goes to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from steadyhand.session import checks
from steadyhand.session.checks import AnyPath

if TYPE_CHECKING:
    from steadyhand.plan.request import FileRequest, MoveText
    from steadyhand.session.receipt import Receipt
    from steadyhand.structure.node import Where
    from steadyhand.structure.target import Target


class Files(ABC):
    """The verbs, each a transaction of its own."""

    def create(
        self,
        path: AnyPath,
        content: str,
        *,
        mode: int | None = None,
        reason: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Make a new file; missing parent directories are made with it. Refuses with `exists-already`."""
        from steadyhand.plan.request import CreateFile

        request = CreateFile(checks.path_of(path), checks.text_of(content), checks.permission_bits(mode))
        return self._one(request, reason, preview=preview)

    def delete(
        self, path: AnyPath, *, expect: str | None = None, reason: str | None = None, preview: bool = False
    ) -> Receipt:
        from steadyhand.plan.request import DeleteFile

        return self._one(DeleteFile(checks.path_of(path), checks.digest_of_version(expect)), reason, preview=preview)

    def rename(
        self, path: AnyPath, to: AnyPath, *, expect: str | None = None, reason: str | None = None, preview: bool = False
    ) -> Receipt:
        """Give a file another name. Refuses with `exists-already` where that name is taken."""
        from steadyhand.plan.request import RenameFile

        request = RenameFile(checks.path_of(path), checks.path_of(to, "to"), checks.digest_of_version(expect))
        return self._one(request, reason, preview=preview)

    def chmod(self, path: AnyPath, mode: int, *, reason: str | None = None, preview: bool = False) -> Receipt:
        """Set a file's permission bits."""
        from steadyhand.plan.request import ChangeMode

        return self._one(ChangeMode(checks.path_of(path), checks.mode_of(mode)), reason, preview=preview)

    def move(
        self,
        path: AnyPath,
        target: Target | str,
        *,
        to: Target | str | None = None,
        to_path: AnyPath | None = None,
        where: Where | None = None,
        expect: str | None = None,
        reason: str | None = None,
        preview: bool = False,
    ) -> Receipt:
        """Take a part of a file to another place of it, or to another file, as it is written.

        Targets may be given as addresses. Without `to` it goes to the end of `to_path`, which is made if need be.
        """
        return self._one(move_of(path, target, to, to_path, where, expect), reason, preview=preview)

    @abstractmethod
    def _one(self, request: FileRequest, reason: str | None, *, preview: bool) -> Receipt:
        """Carry out one request."""


def move_of(
    path: AnyPath,
    target: Target | str,
    to: Target | str | None,
    to_path: AnyPath | None,
    where: Where | None,
    expect: str | None,
) -> MoveText:
    """The request of a move; targets may be given as addresses."""
    from steadyhand.plan.edit import check_where
    from steadyhand.plan.request import MoveText
    from steadyhand.structure.address import parse_address

    place = parse_address(to, "to") if isinstance(to, str) else to
    return MoveText(
        checks.path_of(path),
        parse_address(target, "target") if isinstance(target, str) else target,
        checks.path_of(path if to_path is None else to_path, "to_path"),
        place,
        check_where(where or ("end" if place is None else "after")),
        checks.digest_of_version(expect),
    )
