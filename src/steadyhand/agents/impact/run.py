"""A run: from a change of the code to corrected articles, by a conversation for each that the change may concern.

1. The change is read once, and the articles it may concern are found; the run is noted in the journal before the first
   model is asked.
2. Each article has a conversation, several at once. It writes the article itself; in a dry run, or where a person
   reviews, a draft of it, and what is accepted is then made on the article.
3. How an article ended is noted when it ends. One that fails stops no other.
4. When an article changes, the articles that attend to it come next; no article comes twice.

The journal is the only record of what became of an article (`session/runs.py`); nothing is remembered here.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence

from steadyhand.agents.impact.conversation import ArticleConversation, failed
from steadyhand.agents.impact.review import ImpactSettings, Reviewer
from steadyhand.agents.model import Model, opened
from steadyhand.agents.runner import Step
from steadyhand.articles.attention import Problem
from steadyhand.articles.changes import ChangedFile, read_changes
from steadyhand.articles.library import Library, read_library
from steadyhand.articles.report import FileReport, Report, ShownHunk, report_of
from steadyhand.articles.search import Evidence, Flagged, match
from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, field, replace
from steadyhand.session.host import host_of
from steadyhand.session.runs import task_of_run
from steadyhand.text.unified import parse_unified
from steadyhand.tools.workspace import Workspace

__all__ = ["Watch", "run_impact"]

Facts = dict[str, object]
Watch = Callable[[Flagged, Step | Facts], None]
"""Gets each step of each conversation, and at last what became of the article."""

_MOST_EVIDENCE = 200  # of one article, in the record of it
_MOST_PLANNED = 20  # of one article, in the plan of all


def run_impact(
    workspace: Workspace,
    model: Model,
    settings: ImpactSettings | None = None,
    *,
    resume: str | None = None,
    reviewer: Reviewer | None = None,
    watch: Watch | None = None,
    transcripts: dict[str, list[Facts]] | None = None,
) -> Facts:
    """Run, and give the record: of the journal, or, for a dry run, of what would be.

    `transcripts` is given everything that was said about each article, by its path, as soon as that has ended.
    `resume` goes on with a run that was stopped: what is finished is not asked again. Refuses as `read_changes` does,
    and with `stale-source` a run whose change is no longer the one that is checked out.
    """
    given = settings or ImpactSettings()
    held = None if resume is None else host_of(workspace).runs.run(resume)
    if held is not None:
        trigger = held.get("trigger")
        begun: Mapping[str, object] = trigger if isinstance(trigger, dict) else {}
        given = _resumed(given, begun, held.get("settings"))
    library = read_library(workspace, given.docs)
    with read_changes(workspace, base=given.base, uncommitted=given.uncommitted) as changes:
        found = match(library, changes, workspace, mentions=given.mentions)
        report = report_of(changes)
    run = _Run(workspace, model, given, library, report, reviewer, watch, transcripts)
    if held is not None:
        _check_same(held, run.change)
        run.id = str(held["id"])
        settled, held_articles = host_of(workspace).runs.settled(run.id), held.get("articles")
        articles = held_articles if isinstance(held_articles, list) else []
        run.before = {each["path"]: each for each in articles if each["path"] in settled}
    return _await(run.all(found.articles, found.problems))


@dataclass(slots=True)
class _Run:
    """One run in progress."""

    workspace: Workspace
    model: Model
    settings: ImpactSettings
    library: Library
    report: Report
    reviewer: Reviewer | None = None
    watch: Watch | None = None
    transcripts: dict[str, list[Facts]] | None = None
    id: str | None = None
    before: dict[str, Facts] = field(default_factory=dict)  # what a run that goes on has settled
    judged: Mapping[str, Facts] = field(default_factory=dict)
    outcomes: dict[str, Facts] = field(default_factory=dict)
    chains: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cycles: list[list[str]] = field(default_factory=list)
    too_deep: list[str] = field(default_factory=list)
    asked: int = 0
    is_over: bool = False

    @property
    def change(self) -> str:
        """What was changed, by its content: a rebase that changes nothing is the same change.

        What the run itself changes in the working tree is no part of it.
        """
        own = {each.path for each in self.library.articles} if self.settings.uncommitted else set()
        files = [
            [each.path, each.file.old_path, each.file.status, each.file.ids, [hunk.diff for hunk in each.hunks]]
            for each in self.report.files
            if each.path not in own
        ]
        return _digest(files)

    async def all(self, flagged: Sequence[Flagged], problems: Sequence[Problem]) -> Facts:
        trigger: Facts = {
            "base": self.report.base,
            "head": self.report.head,
            "commits": [each.id for each in self.report.commits],
            "changedFiles": [each.path for each in self.report.files],
        }
        about = {
            "trigger": trigger,
            "model": self.model.name,
            "settings": self.settings.to_json(),
            "change": self.change,
            **({} if self.settings.label is None else {"label": self.settings.label}),
        }
        is_dry = self.settings.dry_run
        if self.id is None and not is_dry:
            self.id = host_of(self.workspace).runs.begin_run(about, [_planned(each) for each in flagged])
        if not self.settings.again:
            self.judged = host_of(self.workspace).runs.judged()
        end = "stopped"
        try:
            async with opened(self.model):
                with self._task() as workspace:
                    await self._layers(workspace, flagged)
            end = "stopped" if self.is_over else "finished"
        finally:
            facts: Facts = {"end": end, "cycles": self.cycles, "maxDepthReached": self.too_deep}
            if self.id is not None:
                host_of(self.workspace).runs.end_run(self.id, facts)
        found_problems = [each.to_json() for each in problems]
        if self.id is not None:
            return host_of(self.workspace).runs.run(self.id) | {"problems": found_problems}
        articles = [self.outcomes.get(each.article.path) or _not_reached(each) for each in flagged]
        more = [each for path, each in self.outcomes.items() if path not in {one.article.path for one in flagged}]
        return {
            "id": None,
            "dryRun": True,
            **about,
            **facts,
            "articles": [*articles, *more],
            "problems": found_problems,
        }

    @contextlib.contextmanager
    def _task(self) -> Iterator[Workspace]:
        if self.id is None:
            yield self.workspace
            return
        with self.workspace.task(task_of_run(self.id)) as bound:
            yield bound

    async def _layers(self, workspace: Workspace, flagged: Sequence[Flagged]) -> None:
        """The articles that the code concerns, then those that attend to what was changed, and so on."""
        layer = [(each, self.report, self.change) for each in flagged]
        self.chains = {each.article.path: (each.article.path,) for each in flagged}
        for depth in range(self.settings.max_depth + 1):
            if not layer or self.is_over:
                return
            if depth and self.id is not None:
                host_of(self.workspace).runs.plan_articles(self.id, [_planned(each) for each, _, _ in layer])
            await self._layer(workspace, layer)
            if not self.settings.propagate:
                return
            layer = self._next([each for each, _, _ in layer])
        self.too_deep = sorted(each.article.path for each, _, _ in layer)

    async def _layer(self, workspace: Workspace, layer: Sequence[tuple[Flagged, Report, str]]) -> None:
        room = asyncio.Semaphore(1 if self.reviewer is not None else max(self.settings.jobs, 1))

        async def one(number: int, flagged: Flagged, report: Report, change: str) -> None:
            async with room:
                if not self.is_over:
                    await self._article(workspace, flagged, report, change, (number, len(layer)))

        async with asyncio.TaskGroup() as group:
            for number, (flagged, report, change) in enumerate(layer, 1):
                group.create_task(one(number, flagged, report, change))

    async def _article(
        self, workspace: Workspace, flagged: Flagged, report: Report, change: str, place: tuple[int, int]
    ) -> None:
        path = flagged.article.path
        if path in self.before:
            self.outcomes[path] = self.before[path]
            return
        try:
            before = workspace.read(path).text
            key = _digest([change, path, before])
            known = self.judged.get(key)
            if known is not None:
                said = f"run {known.get('run')} judged the same change and text: {known.get('status')}"
                reasoning = f"{said}. {known.get('reasoning') or ''}".strip()
                self._finish(flagged, {"status": "skipped", "reasoning": reasoning, "sameAs": known.get("run")}, [])
                return
            if self.settings.limit is not None and self.asked >= self.settings.limit:
                return  # the run has not reached it
            self.asked += 1
            if self.reviewer is not None:
                choice = self.reviewer.choose(flagged, *place)
                if choice == "quit":
                    self.is_over = True
                    return
                if choice == "skip":
                    self._finish(flagged, {"status": "skipped", "reasoning": "skipped by the reviewer"}, [])
                    return
            evidence = [each.to_json() for each in flagged.evidence[:_MOST_EVIDENCE]]
            if self.id is not None:
                workspace.record_evidence(path, evidence)
            conversation = self._conversation_of(workspace, flagged, report, before)
            try:
                facts = await conversation.hold()
            finally:
                if self.transcripts is not None:
                    self.transcripts[path] = conversation.transcript
            is_settled = facts["status"] in ("updated", "unchanged") and not self.settings.dry_run
            texts = (before, host_of(workspace).source(path).text)
            keys = [_digest([each, path, text]) for each in (change, self.change) for text in texts if is_settled]
            new = facts.pop("newPages", [])
            self._finish(flagged, facts, list(dict.fromkeys(keys)))
            self._finish_new(path, new if isinstance(new, list) else [])
        except EditError as error:
            self._finish(flagged, failed(str(error.kind), error.message), [])
        except Exception as error:  # one article that fails stops no other
            self._finish(flagged, failed("internal", f"the run failed unexpectedly ({type(error).__name__})"), [])

    def _conversation_of(
        self, workspace: Workspace, flagged: Flagged, report: Report, before: str
    ) -> ArticleConversation:
        watch = self.watch
        steps = None if watch is None else lambda step: watch(flagged, step)
        return ArticleConversation(
            self.model, self.settings, workspace, flagged, report, before, reviewer=self.reviewer, watch=steps
        )

    def _finish(self, flagged: Flagged, facts: Facts, keys: Sequence[str]) -> None:
        record = {**_planned(flagged, _MOST_EVIDENCE), **facts}
        if self.id is not None:
            host_of(self.workspace).runs.finish_article(self.id, record, keys)
            record = host_of(self.workspace).runs.run_article(self.id, record)
        self.outcomes[flagged.article.path] = record
        if self.watch is not None:
            self.watch(flagged, record)

    def _finish_new(self, beside: str, pages: Sequence[str]) -> None:
        for page in pages:
            record = {"jrn": page, "path": page, "status": "updated", "reasoning": f"a new page next to {beside}"}
            if self.id is not None:
                host_of(self.workspace).runs.finish_article(self.id, record)

    def _next(self, layer: Sequence[Flagged]) -> list[tuple[Flagged, Report, str]]:
        """The articles that attend to those of a layer that were changed, and have not been looked at."""
        found: dict[str, list[Evidence]] = {}
        for flagged in layer:
            path = flagged.article.path
            outcome = self.outcomes.get(path, {})
            if outcome.get("status") not in ("updated", "partial"):
                continue
            for article, rule in self.library.attending(flagged.article):
                if article.path in self.chains:
                    chain = self.chains[path]
                    if article.path in chain:
                        self.cycles.append([*chain[chain.index(article.path) :], article.path])
                    continue
                found.setdefault(article.path, []).append(Evidence(rule, path, "article"))
        made = []
        for path, evidence in sorted(found.items()):
            article = self.library.by_name[path][0]
            self.chains[path] = (*self.chains[evidence[0].changed_file], path)
            patches = [(each.changed_file, str(self.outcomes[each.changed_file].get("patch"))) for each in evidence]
            report = Report(self.report.base, self.report.head, (), tuple(_file(*each) for each in patches), ())
            made.append((Flagged(article, tuple(evidence)), report, _digest(patches)))
        return made


def _planned(flagged: Flagged, most: int = _MOST_PLANNED) -> Facts:
    return {
        "jrn": flagged.article.jrn,
        "path": flagged.article.path,
        "evidence": [each.to_json() for each in flagged.evidence[:most]],
    }


def _not_reached(flagged: Flagged) -> Facts:
    return {**_planned(flagged), **failed("unfinished", "the run has not reached it"), "status": "skipped"}


def _file(path: str, patch: str) -> FileReport:
    """An article that was changed, as a change report shows a file."""
    rows = patch.split("\n")
    starts = [hunk.line - 1 for hunk in parse_unified(patch).hunks] if "\n@@ " in patch else []
    ends = [*starts[1:], len(rows)]
    hunks = tuple(ShownHunk(None, "\n".join(rows[start:end]) + "\n") for start, end in zip(starts, ends, strict=True))
    return FileReport(ChangedFile(path, "modified"), hunks)


def _digest(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _resumed(given: ImpactSettings, trigger: Mapping[str, object], kept: object) -> ImpactSettings:
    """The settings of a run that goes on: its change and its articles are those that it was begun with."""
    kept_settings: Mapping[str, object] = kept if isinstance(kept, dict) else {}
    base, docs = trigger.get("base"), kept_settings.get("docs")
    return replace(
        given,
        base=base if isinstance(base, str) and not kept_settings.get("uncommitted") else None,
        uncommitted=bool(kept_settings.get("uncommitted")),
        docs=tuple(map(str, docs)) if isinstance(docs, list) else (),
        mentions=bool(kept_settings.get("mentions")),
        dry_run=False,
    )


def _check_same(held: Facts, change: str) -> None:
    if held.get("change") != change:
        raise EditError(
            Kind.STALE_SOURCE,
            f"the checked-out change is no longer that of run {held['id']}",
            hint="check out the commit on which the run started, or start another run",
        )


def _await(work: Coroutine[object, object, Facts]) -> Facts:
    """The result of a coroutine, also where this thread has an event loop already."""
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
