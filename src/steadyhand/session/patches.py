"""What a workspace does with what a model wrote: reads it in its dialect and applies it, all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import NameFile
from steadyhand.lazy import replace
from steadyhand.plan.policy import Policy
from steadyhand.session import checks
from steadyhand.session.calls import Calls
from steadyhand.session.checks import AnyPath

if TYPE_CHECKING:
    from steadyhand.dialects.patch import Patch
    from steadyhand.session.receipt import Receipt
    from steadyhand.workspace.journal.store import Progress


class Patches(Calls):
    """The verb for replies."""

    def patch(
        self,
        reply: str | Patch,
        *,
        path: AnyPath | None = None,
        format: str = "auto",
        strict: bool = False,
        overwrite: bool = False,
        reason: str | None = None,
        policy: Policy | None = None,
        preview: bool = False,
        progress: Progress | None = None,
    ) -> Receipt:
        """Apply what a model wrote, in any dialect, to any number of files: all of it or nothing.

        It may have been read with `read_patch` before. `path` is the file that a reply means which names none.
        `overwrite` lets new and moved files take the place of others, and whole files that of what was never read.
        `strict` refuses anything around the patch.
        """
        from steadyhand.dialects.front import at_reply, read_patch
        from steadyhand.dialects.patch import Patch
        from steadyhand.session.ask import Ask

        with self.heeding():
            found = reply if isinstance(reply, Patch) else read_patch(reply, format=format, strict=strict)
        named = found.mapped(self._named(path))
        named = named.overwriting(self._exists) if overwrite else named
        rules = checks.policy_of(self.policy if policy is None else policy)
        asks = [Ask(request, rules, None, reason, overwrite) for request in named.files]
        try:
            receipt = self._run(asks, reason, policy, partial=rules.partial, preview=preview, progress=progress)
        except EditError as error:
            path_of, index = error.details.get("path"), error.details.get("index")
            place = named.place_of(str(path_of), index if isinstance(index, int) else None)
            raise at_reply(error, place) from None
        return replace(
            receipt, format=found.format, warnings=(*receipt.warnings, *found.remarks), remarks=found.remarks
        )

    def _named(self, path: AnyPath | None) -> Callable[[str], str]:
        """Gives the file that is meant where a reply names none."""
        given = "" if path is None else checks.path_of(path)

        def name(found: str) -> str:
            if not found and not given:
                raise EditError(Kind.BAD_REQUEST, "the patch does not say which file it is for", hint=NameFile())
            return found or given

        return name

    def _exists(self, path: str) -> bool:
        try:
            self._store.read(path)
        except EditError as error:
            return error.kind is not Kind.NO_SUCH_FILE
        return True
