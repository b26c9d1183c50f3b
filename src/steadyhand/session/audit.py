"""The half of a workspace that gives account: the trail of everything, each file as an article, and the statistics.

Reads only. A long journal is gone through once, in pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.session import checks
from steadyhand.session.checks import AnyPath
from steadyhand.session.runs import Runs

if TYPE_CHECKING:
    from steadyhand.session.auditor import Asked
    from steadyhand.session.statistics import Statistics
    from steadyhand.workspace.journal.store import Progress


__all__ = ["Audits", "Moment"]

Facts = dict[str, object]
Moment = str | datetime
OnDamage = Callable[[str], None]

_LARGEST = 64 << 10  # bytes of evidence in one note


class Audits(Runs):
    """Accounts of one workspace. `since` is a time, `after` a row of the journal; both leave out what was before."""

    def record_evidence(self, path: AnyPath, evidence: object) -> None:
        """Keep what was looked at for a file, or why it was chosen; `audit` and `export --articles` show it.

        `evidence` is a text, an object of JSON, or a list of these. Refuses with `bad-request` anything else, with
        `too-large` more than 64 KB, and with `no-such-file` a file that is not there.

        >>> import tempfile, pathlib, steadyhand
        >>> root = pathlib.Path(tempfile.mkdtemp()); _ = (root / "a.md").write_text("one\\n")
        >>> with steadyhand.Workspace(root, task="T-1") as ws:
        ...     ws.record_evidence("a.md", {"file": "src/login.ts", "lines": [3, 4]})
        ...     ws.audit("a.md")["status"], ws.audit("a.md")["evidence"]
        ('unchanged', [{'file': 'src/login.ts', 'lines': [3, 4]}])
        """
        import json

        from steadyhand.session.auditor import EVIDENCE

        items = list(evidence) if isinstance(evidence, list | tuple) else [evidence]
        if not items or not all(
            isinstance(item, Mapping) or (isinstance(item, str) and item.strip()) for item in items
        ):
            raise EditError(
                Kind.BAD_REQUEST,
                "evidence: a text, an object, or a list of these is expected",
                hint='such as "src/login.ts:3 mentions it" or {"file": "src/login.ts", "lines": [3, 4]}',
                details={"field": "evidence"},
            )
        try:
            size = len(json.dumps(items))
        except (TypeError, ValueError, RecursionError):
            raise EditError(
                Kind.BAD_REQUEST, "evidence: it is no JSON", hint="send texts, numbers, lists and objects of these"
            ) from None
        if size > _LARGEST:
            raise EditError(
                Kind.TOO_LARGE, f"evidence: {size} bytes are too many", hint=f"at most {_LARGEST}; name files and lines"
            )
        resolved = self._store.read(checks.path_of(path))[0]
        body = {"path": resolved, "actor": self.actor, "task": self.task_id, "evidence": items}
        self._store.writable_journal().append_note(EVIDENCE, body)

    def audit(self, path: AnyPath, *, task: str | None = None) -> Facts:
        """What became of one file, of all that was asked or only by one task.

        The object of `articles.py`, where it is also said what each status means; if a run of an agent looked at it,
        also `run`, its `reasoning`, and what it cost. Refuses with `no-such-file` where no
        file is and nothing was ever recorded or asked for.
        """
        from steadyhand.session.auditor import Asked, Auditor

        asked = Asked(task=checks.remark(task, "task"))
        audit = Auditor(self._store, asked, self._sights).one(checks.path_of(path))
        return audit | self.judgement(str(audit["path"]), asked.task)

    def audit_trail(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        task: str | None = None,
        path: AnyPath | None = None,
        progress: Progress | None = None,
        on_damage: OnDamage | None = None,
    ) -> Iterator[Facts]:
        """Every record with its patches, every refusal and every other note, oldest first, as JSON objects.

        `path` is a file or a directory. What cannot be read any more is left out and told to `on_damage`.
        """
        from steadyhand.session.history import History
        from steadyhand.session.trail import facts_of

        asked = self._asked(since, after, task, path)
        history = History(self._store)
        walked = asked.walk(self._store, progress, on_damage)
        return (facts_of(told, history) for told in walked if asked.fits(told))

    def audit_articles(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        task: str | None = None,
        path: AnyPath | None = None,
        progress: Progress | None = None,
        on_damage: OnDamage | None = None,
    ) -> Iterator[Facts]:
        """What `audit` says of every file that was changed or asked for, sorted by name.

        With a `path`, a file or a directory, also of those in it that a task has only read.
        """
        from steadyhand.session.auditor import Auditor

        return Auditor(self._store, self._asked(since, after, task, path), self._sights).every(progress, on_damage)

    def statistics(
        self,
        *,
        since: Moment | None = None,
        after: int = 0,
        task: str | None = None,
        tool: str | None = None,
        progress: Progress | None = None,
    ) -> Statistics:
        """How calls went: first tries, retries, tiers, refusals, by tool, model and type of file."""
        from steadyhand.session.statistics import count

        damaged: list[str] = []
        told = self._asked(since, after, None, None).walk(self._store, progress, damaged.append)
        found = count(told, task=checks.remark(task, "task"), tool=checks.remark(tool, "tool"))
        found.damaged = len(damaged)
        return found

    def _asked(self, since: Moment | None, after: int, task: str | None, path: AnyPath | None) -> Asked:
        from steadyhand.session.auditor import Asked

        places = None if path is None else self._places(checks.path_of(path))
        checks.amount(checks.line_number(after), "after")
        return Asked(_time(since), after, checks.remark(task, "task"), places)

    def _places(self, path: str) -> tuple[str, ...] | None:
        """A path as it was given, as refusals tell it, and where it leads, as records do; None for the root."""
        from steadyhand.session.attempts import spelled

        plain = spelled(path.rstrip("/") or path)
        if plain in (".", ""):
            return None
        return tuple(dict.fromkeys((plain, self._store.resolve(plain))))


def _time(since: object) -> str | None:
    """A time as the journal writes it; without a zone it is UTC, as the log shows it."""
    from datetime import UTC

    from steadyhand.workspace.journal.record import utc_text

    if since is None:
        return None
    try:
        moment = datetime.fromisoformat(since) if isinstance(since, str) else since
        if not isinstance(moment, datetime):
            raise TypeError
        return utc_text((moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).astimezone(UTC))
    except (TypeError, ValueError, OverflowError):
        raise EditError(
            Kind.BAD_REQUEST,
            "since: a time is expected",
            hint="such as 2026-11-01 or 2026-11-01T08:30:00+00:00",
            details={"field": "since"},
        ) from None
