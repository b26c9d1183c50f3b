"""Runs of an agent over many articles, as the journal keeps them: beside the edits, in notes, and in no other store.

One note says that a run began and which articles it means to look at, one that an article is finished, one that the run
ended. What was changed is not taken from these notes: it is what the records of the run's task come to, and what it
holds for a reviewer. So an article that was changed is reported as changed, also where the process died right behind
the write and no note was made.

    updated    it was changed, and the conversation about it ended well
    partial    it was changed, and then something went wrong, or the process died
    unchanged  it was judged to be right as it is, or what was changed was taken back
    skipped    a person or a setting left it out, an earlier run judged it, or the run has not reached it
    failed     it was not changed, and no judgement was reached
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from steadyhand.errors import EditError, Kind
from steadyhand.hints import RunCommand
from steadyhand.session.checks import remark
from steadyhand.workspace.journal.record import new_record_id, word

if TYPE_CHECKING:
    from steadyhand.session.context import Session
    from steadyhand.workspace.held.store import AnyStore
    from steadyhand.workspace.journal.record import Note


Facts = dict[str, object]

BEGUN, PLANNED, FINISHED, ENDED = "run", "run-plan", "run-article", "run-end"
_SETTLED = ("updated", "unchanged", "skipped")  # what a run that goes on does not ask again
_ABOUT = ("run", "key", "keys", "actor", "task")


class Runs:
    """The runs of one workspace."""

    def __init__(self, session: Session) -> None:
        self._store = session.store
        self._ranges = session.ranges
        self._actor = session.context.actor

    def begin_run(self, facts: Mapping[str, object], articles: Sequence[Mapping[str, object]]) -> str:
        """Note a run that begins, with its articles, each with `jrn`, `path` and `evidence`; the id of the run."""
        name = new_record_id()
        self._note(BEGUN, name, {**facts, "articles": [dict(each) for each in articles]})
        return name

    def plan_articles(self, run: str, articles: Sequence[Mapping[str, object]]) -> None:
        """Note more articles that a run will look at, before it does."""
        self._note(PLANNED, run, {"articles": [dict(each) for each in articles]})

    def finish_article(self, run: str, facts: Mapping[str, object], keys: Sequence[str] = ()) -> None:
        """Note how an article of a run ended. `keys` name what was judged, for runs that would judge the same."""
        self._note(FINISHED, run, {"task": task_of_run(run), **facts, "keys": list(keys)})

    def end_run(self, run: str, facts: Mapping[str, object]) -> None:
        """Note that a run has ended, or was stopped; one that is gone on with ends again."""
        self._note(ENDED, run, facts)

    def _note(self, type: str, run: str, facts: Mapping[str, object]) -> None:
        self._store.writable_journal().append_note(type, {"run": run, "actor": self._actor, **facts})

    def runs(self, limit: int | None = None) -> list[Facts]:
        """The runs, newest first, each without its articles."""
        begun = islice(self._run_notes(BEGUN), limit)
        return [{"id": note.body.get("run"), "time": note.time, **_rest(note.body, "articles")} for note in begun]

    def run(self, id: str) -> Facts:
        """One run by its id or the first digits of it, with what became of every article.

        Refuses with `no-such-file` a run that there is not, and with `bad-request` digits that several begin with.
        """
        note = self._begun(id)
        run = str(note.body.get("run"))
        finished = self._finished(run)
        ends = [each for each in self._run_notes(ENDED) if each.body.get("run") == run]
        more = [each for each in self._run_notes(PLANNED) if each.body.get("run") == run]
        planned: dict[str, Mapping[str, object]] = {}
        for plan in (note, *reversed(more)):
            for each in _objects(plan.body.get("articles")):
                planned.setdefault(str(each.get("path")), each)
        for path in (*finished, *self._changed_by(run)):
            planned.setdefault(path, finished[path].body if path in finished else {"path": path})
        audits, waiting = self._audits(run, note.seq), _waiting(self._store_of(run))
        articles = [
            _article(path, plan, finished[path].body if path in finished else None, audits.get(path, {}), waiting)
            for path, plan in planned.items()
        ]
        end = _rest(ends[0].body) if ends else {"end": "unfinished"}
        return {"id": run, "time": note.time, **_rest(note.body, "articles"), **end, "articles": articles}

    def evidence(self, id: str) -> dict[str, list[object]]:
        """Why a run looked at each of its articles, by their paths; empty where there is no such run."""
        found: dict[str, list[object]] = {}
        for kind in (BEGUN, PLANNED):
            for note in self._run_notes(kind):
                for each in _objects(note.body.get("articles")) if note.body.get("run") == id else ():
                    items = each.get("evidence")
                    found.setdefault(str(each.get("path")), []).extend(items if isinstance(items, list) else [])
        return found

    def run_article(self, run: str, noted: Mapping[str, object]) -> Facts:
        """An article of a run that was just noted, as the record has it: with what the journal says of it."""
        from steadyhand.session.audit import Asked, Auditor

        path, store = str(noted.get("path")), self._store_of(run)
        try:
            audit = Auditor(store, Asked(task=task_of_run(run)), self._ranges).one(path)
        except EditError:  # there is no such file any more, and nothing of it is recorded
            audit = {}
        return _article(path, noted, noted, audit, _waiting(store))

    def settled(self, run: str) -> set[str]:
        """The articles of a run that need not be asked again."""
        return {path for path, note in self._finished(run).items() if word(note.body, "status") in _SETTLED}

    def judged(self) -> dict[str, Facts]:
        """What was judged in all runs, by its key: the run, and how it ended."""
        found: dict[str, Facts] = {}
        for note in self._run_notes(FINISHED):
            keys = note.body.get("keys")
            for key in keys if isinstance(keys, list) else []:
                found.setdefault(str(key), {"run": note.body.get("run"), **_rest(note.body)})
        return found

    def judgement(self, path: str, task: str | None) -> Facts:
        """What the last run that looked at a file said of it, for its audit; empty where none did."""
        for note in self._run_notes(FINISHED):
            is_asked = task is None or word(note.body, "task") == task
            if is_asked and word(note.body, "path") == path:
                said: Facts = {
                    name: note.body[name] for name in ("reasoning", "tokens", "seconds") if name in note.body
                }
                return {"run": note.body.get("run"), **said}
        return {}

    def _audits(self, run: str, begun: int) -> dict[str, Facts]:
        """What the journal says of every file of a run, in one pass from where it began."""
        from steadyhand.session.audit import Asked, Auditor

        asked = Asked(after=begun - 1, task=task_of_run(run))
        return {str(each["path"]): each for each in Auditor(self._store_of(run), asked, self._ranges).every(None, None)}

    def _changed_by(self, run: str) -> Iterator[str]:
        """The files that the records of a run changed, under the names that they have now."""
        if self._store.state.exists:
            for entry in self._store_of(run).journal.entries(task=task_of_run(run), newest_first=False):
                yield from (change.path for change in entry.record.files)

    def _store_of(self, run: str) -> AnyStore:
        """The store as the run sees it, where its changes wait for a reviewer; else over the disk itself."""
        from steadyhand.workspace.held.notes import group_of_party
        from steadyhand.workspace.held.store import HeldStore

        if not self._store.state.exists:
            return self._store
        held = HeldStore(self._store, group_of_party(self._actor, task_of_run(run)))
        return held if held.layer.waiting else held.beneath

    def _begun(self, id: str) -> Note:
        wanted = remark(id, "run") or ""
        found = [each for each in self._run_notes(BEGUN) if str(each.body.get("run")).startswith(wanted)]
        if len(found) == 1 or (found and wanted == found[0].body.get("run")):
            return found[0]
        if found and wanted:
            raise EditError(
                Kind.BAD_REQUEST, f"{len(found)} runs begin with {wanted[:40]}", hint="give more digits of the id"
            )
        raise EditError(
            Kind.NO_SUCH_FILE, f"there is no run {wanted[:40]!r}", hint=RunCommand("impact show", "lists them")
        )

    def _finished(self, run: str) -> dict[str, Note]:
        """The last word on each article of a run."""
        found: dict[str, Note] = {}
        for note in self._run_notes(FINISHED):
            if note.body.get("run") == run:
                found.setdefault(str(note.body.get("path")), note)
        return dict(reversed(found.items()))

    def _run_notes(self, type: str) -> Iterator[Note]:
        return self._store.journal.notes(type=type) if self._store.state.exists else iter(())


def task_of_run(run: str) -> str:
    """The task whose records are those of a run."""
    return f"impact-{run}"


def _waiting(store: AnyStore) -> frozenset[str]:
    """The files of which changes wait for a reviewer."""
    from steadyhand.workspace.held.store import HeldStore

    return frozenset(file.path for file in store.layer.waiting) if isinstance(store, HeldStore) else frozenset()


def _article(
    path: str,
    planned: Mapping[str, object],
    ended: Mapping[str, object] | None,
    audit: Mapping[str, object],
    waiting: frozenset[str],
) -> Facts:
    """An article: as it was planned, as it was noted at its end (None: it was not), and as the journal has it."""
    noted: Mapping[str, object] = ended or {}
    is_changed = audit.get("status") == "updated"
    said = word(noted, "status")
    facts: Facts = {
        "jrn": planned.get("jrn") or audit.get("jrn") or path,
        "path": path,
        "status": _status(said, is_changed=is_changed),
        "evidence": noted.get("evidence") or planned.get("evidence") or [],
        "reasoning": noted.get("reasoning"),
        "patch": audit.get("patch", ""),
        "editReasons": audit.get("editReasons", []),
        "hunkReasons": audit.get("hunkReasons", []),
        "toolUsage": noted.get("toolUsage") or audit.get("toolUsage", {}),
        "tokens": noted.get("tokens") or {"input": 0, "output": 0},
        "seconds": noted.get("seconds") or 0,
    }
    error = noted.get("error")
    if said is None:
        message = "the run ended before this article was finished" if is_changed else "the run has not reached it"
        error = {"kind": "unfinished", "message": message}
    held = {"held": True} if path in waiting else {}
    return {**facts, **_rest(noted, *facts, "error"), **held, **({} if error is None else {"error": error})}


def _status(said: str | None, *, is_changed: bool) -> str:
    if is_changed:
        return "updated" if said in ("updated", "unchanged") else "partial"  # a resumed run may find it right by now
    if said is None:
        return "skipped"
    return "unchanged" if said in ("updated", "partial") else said


def _rest(body: Mapping[str, object], *without: str) -> Facts:
    return {name: value for name, value in body.items() if name not in without and name not in _ABOUT}


def _objects(value: object) -> list[Mapping[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
