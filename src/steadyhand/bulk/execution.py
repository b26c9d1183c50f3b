"""One job, from data to its effect on a tree. This runs in a process that may be killed at any moment.

Whoever carries a job out, on one machine or for a queue, calls `carry_out`; it answers with an `AttemptOutcome` and
never raises. What makes a job happen once:

1. Jobs on a tree take turns by a lock of the tree, which ends with its holder: a worker that was taken for lost and is
   still at work keeps its successor out.
2. Under the lock the journal is asked for records of the run and the job. A plan, a patch and an action are one
   transaction, so a record says that the job is done.
3. A task of a model makes many. The note that the task ended well says that it is done; without it, what an attempt
   before left is taken back first, and so is what a task made that did not end well.
4. A branch appears by one update of its ref, with its commit; a branch that is there says that the job is done.
5. An impact run goes on where it was stopped, by its own notes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from typing import TYPE_CHECKING, Self, cast

from steadyhand.bulk.job import Job, short_name
from steadyhand.bulk.run_store import AttemptOutcome
from steadyhand.errors import Action, EditError, Kind
from steadyhand.lazy import dataclass, replace
from steadyhand.session.host import host_of
from steadyhand.tools.workspace import Workspace
from steadyhand.workspace.checkout import Repository, cloned, existing_clone, hold_tree, is_tree, scratch_place
from steadyhand.workspace.journal.record import ToolCall
from steadyhand.workspace.overlay import Trace

if TYPE_CHECKING:
    from steadyhand.agents.model import Message, Model, Offered, Reply
    from steadyhand.agents.runner import Limits
    from steadyhand.session.receipt import Receipt


TOOL = "bulk"
_LOCK_WAIT = 10.0  # seconds for the job before on the same tree
_NEXT_TURN = 2.0
_NOTHING = (Kind.NO_CHANGE, Kind.ALREADY_APPLIED)
_ELSEWHERE = (Kind.NO_SUCH_TARGET, Kind.NO_MATCH, Kind.NOT_TEXT, *_NOTHING)  # files that an action does not concern
_MOST_FILES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a worker knows besides the job. `settle`: nothing is carried out; what a lost worker did is found out."""

    run: str
    folder: str
    actor: str | None = None
    journal: str | None = None
    api_key: str | None = None
    preview: bool = False
    settle: bool = False
    push: bool = False


def task_of_job(run: str, key: str) -> str:
    """The task whose records are those of a job.

    >>> task_of_job("3f9c", "site-7")
    'bulk-3f9c/site-7'
    """
    return f"bulk-{run}/{key}"


def carry_out(job: Job, given: Given) -> AttemptOutcome:
    """Do the job, or find that it is done. With `settle`, only the latter: not done is `cancelled`."""
    try:
        if given.preview:
            job = replace(job, result="patch")
        if job.is_repo or job.result == "branch" or (job.result == "patch" and job.asks_a_model):
            return _in_worktree(job, given)
        if job.result == "patch":
            return AttemptOutcome("cancelled") if given.settle else _work(job, given, job.place, preview=True)
        return _in_turn(job, given, job.place)
    except ModelAway as away:
        return AttemptOutcome("failed", str(Kind.BUSY), away.message, again=True, wait=away.wait, is_away=True)
    except EditError as error:
        return refusal(error)
    except Exception as error:
        return AttemptOutcome("failed", str(Kind.INTERNAL), f"{type(error).__name__}: {error}")


def _in_turn(job: Job, given: Given, root: str, *, preview: bool = False) -> AttemptOutcome:
    """The job on a tree, alone there; where another is at work, it waits."""
    with ExitStack() as stack:
        try:
            stack.enter_context(hold_tree(root, timeout=_LOCK_WAIT))
        except EditError as error:
            if error.kind is not Kind.BUSY:
                raise
            return AttemptOutcome(
                "failed", str(error.kind), "another job is running there", again=True, wait=_NEXT_TURN
            )
        return _work(job, given, root, preview=preview)


def refusal(error: EditError) -> AttemptOutcome:
    """How a job ends that was refused."""
    hint = error.hint
    said = error.message if hint is None or "\n" in hint else f"{error.message} ({hint})"
    if error.kind in _NOTHING:
        return AttemptOutcome("nothing", str(error.kind), said)
    if error.kind.action is Action.RETRY_LATER:
        is_disk = error.kind is Kind.DISK_REFUSED and "repository" not in error.details
        return AttemptOutcome("failed", str(error.kind), said, again=True, is_disk=is_disk)
    return AttemptOutcome("failed" if error.kind is Kind.INTERNAL else "refused", str(error.kind), said)


def _in_worktree(job: Job, given: Given) -> AttemptOutcome:
    """The same in a tree of its own, at a commit of a repository."""
    folder, name = given.folder, short_name(job.key)
    repository = _repository(job, folder, is_settling=given.settle)
    if repository is None:
        return AttemptOutcome("cancelled")
    place = scratch_place(folder, given.run, name)
    branch = f"steadyhand/{given.run}/{name}"
    if job.result == "branch":
        made = repository.branch(branch, remote=given.push and job.is_repo and not given.settle)
        if made is not None:
            if not repository.message(made).rstrip().endswith(_trailers(job, given).rstrip()):
                raise EditError(
                    Kind.EXISTS_ALREADY, f"the branch {branch} already exists and was not made by this job",
                    hint="remove it, or give the run another name with --run",
                )  # fmt: skip
            return _branched(job, given, repository, branch, made)
    stays = job.result in ("leave", "hold")
    if given.settle and not (stays and is_tree(place)):
        return AttemptOutcome("cancelled")
    commit = repository.resolve(job.ref)
    if not stays:
        repository.remove_worktree(place)
    repository.worktree(commit, place)
    root = place if job.is_repo else f"{place}/{repository.prefix()}".rstrip("/")
    try:
        outcome = _in_turn(job, given, root, preview=job.result == "patch" and not job.asks_a_model)
        if job.result != "branch" or outcome.state != "done":
            return replace(outcome, facts={**outcome.facts, "tree": root}) if stays else outcome
        message = job.reason or f"{job.work} {job.key}"
        made = repository.commit_files(root, outcome.files, f"{message}\n\n{_trailers(job, given)}")
        repository.make_branch(branch, made)
        return _branched(job, given, repository, branch, made)
    finally:
        if not stays:
            repository.remove_worktree(place)


def _trailers(job: Job, given: Given) -> str:
    """By what a commit says whose it is."""
    return f"Steadyhand-Run: {given.run}\nSteadyhand-Job: {job.key}\n"


def _repository(job: Job, folder: str, *, is_settling: bool) -> Repository | None:
    """The repository of a job; None where it was to be cloned, and no attempt came so far."""
    if not job.is_repo:
        return Repository(job.place, job.place)
    return existing_clone(job.place, folder) if is_settling else cloned(job.place, folder)


def _branched(job: Job, given: Given, repository: Repository, branch: str, commit: str) -> AttemptOutcome:
    if given.push and job.is_repo:
        repository.push(branch)
    diff, files = repository.diff_of(commit)
    facts = {"branch": branch, "commit": commit, **({"clone": repository.root} if job.is_repo else {})}
    return AttemptOutcome("done", files=files, diff=diff, facts=facts)


def _work(job: Job, given: Given, root: str, *, preview: bool = False) -> AttemptOutcome:
    """The job on a tree that is there, by its workspace."""
    with Workspace(
        root,
        actor=given.actor,
        task=task_of_job(given.run, job.key),
        journal=given.journal,
        policy=job.rules(),
        tool=TOOL,
        hold=job.result == "hold",
    ) as workspace:
        if job.work == "impact":
            return _impact(job, given, workspace)
        if not preview and (outcome := _earlier(job, workspace)) is not None:
            return outcome
        if given.settle:
            return AttemptOutcome("cancelled")
        if job.work == "task":
            return _task(job, given, workspace)
        trace = Trace(ToolCall(_call_of(job), TOOL, given.run), task_of_job(given.run, job.key))
        bound = host_of(workspace).bound(trace=trace)
        receipt = _edit(job, bound, preview=preview)
        if receipt is None or not receipt.files:
            return AttemptOutcome("nothing")
        error = None if receipt.error is None else str(receipt.error)
        facts = {} if receipt.id is None else {"held": True} if receipt.held else {"record": receipt.id}
        return AttemptOutcome("done", None, error, tuple(file.path for file in receipt.files), receipt.diff(), facts)


def _call_of(job: Job) -> str:
    """What the record of a plan, a patch or an action is known by: the key, and what is to be done."""
    said = json.dumps([job.work, job.body, job.policy], sort_keys=True)
    return f"{short_name(job.key)}-{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def _edit(job: Job, workspace: Workspace, *, preview: bool) -> Receipt | None:
    """A plan, a patch or an action, as one transaction; None where an action concerns no file."""
    if job.work == "plan":
        return workspace.apply(job.requests(), reason=job.reason, preview=preview)
    if job.work == "patch":
        return workspace.patch(str(job.body), reason=job.reason, preview=preview)
    from steadyhand.plan.request import Requests

    concerned = []
    for path in _paths(job, workspace):
        request = job.acts_on(path)
        try:
            found = workspace.apply(Requests((request,)), preview=True)
        except EditError as error:
            if error.kind not in _ELSEWHERE:
                raise
            continue
        if found.files:
            concerned.append(request)
    if not concerned:
        return None
    return workspace.apply(Requests(tuple(concerned)), reason=job.reason, preview=preview)


def _paths(job: Job, workspace: Workspace) -> Iterator[str]:
    """The files of the tree that the globs of an action mean."""
    from steadyhand.workspace.files.listing import expand_braces, parse_glob

    globs = [parse_glob(one) for pattern in job.globs() for one in expand_braces(pattern) or [pattern]]
    listing = workspace.files(limit=_MOST_FILES, seconds=60.0, skip_ignored=True)
    if listing.cut:
        raise EditError(
            Kind.TOO_LARGE, "the tree has more files than can be listed", hint="use a subdirectory as the root"
        )
    for entry in listing.files:
        if any(glob.matches(entry.split("/")) for glob in globs):
            yield entry


def _earlier(job: Job, workspace: Workspace) -> AttemptOutcome | None:
    """The end of a job that an attempt before brought to an end; what one left half done is taken back."""
    task = workspace.task_id or ""
    if job.result == "hold" and job.work != "task":
        if not host_of(workspace).has_held(task):
            return None
        return AttemptOutcome("done", files=workspace.held, diff=_diff(workspace), facts={"held": True})
    records = [entry.record for entry in workspace.history(task=task)]
    undone = {each for record in records for each in record.undoes}
    standing = [record for record in records if record.verb == "edit" and record.id not in undone]
    if job.work == "task":
        if standing and not host_of(workspace).has_ended_well(task):
            workspace.undo(task=task, reason="the attempt that made this did not finish")
            return None
        records = standing
    if not records:
        return None
    call = records[0].call
    if call is not None and call.toolset == TOOL and call.id != _call_of(job):  # of a run of that name kept elsewhere
        raise EditError(
            Kind.EXISTS_ALREADY,
            f"a run of this name has already done another job {job.key!r} here",
            hint="give the run another name with --run",
        )
    return _recorded(job, workspace, [record.id for record in records])


def _recorded(job: Job, workspace: Workspace, records: Sequence[str]) -> AttemptOutcome:
    """A job that is done, by its records."""
    files = dict.fromkeys(path for entry in workspace.history(task=workspace.task_id) for path in entry.record.paths)
    return AttemptOutcome("done", files=tuple(files), diff=_diff(workspace), facts={"record": records[0], **_held(job)})


def _diff(workspace: Workspace) -> str:
    """What the job has changed; empty where retention dropped an image: what was done is done all the same."""
    try:
        return workspace.diff_of_task(workspace.task_id or "")
    except EditError:
        return ""


def _held(job: Job) -> dict[str, object]:
    """What a report says of files that a reviewer has yet to see."""
    return {"held": True} if job.result == "hold" else {}


def _task(job: Job, given: Given, workspace: Workspace) -> AttemptOutcome:
    """A task for a model: all of what it made, if it ended well; else nothing."""
    from steadyhand.agents.task_run import TaskRun
    from steadyhand.tools.kit import Kit
    from steadyhand.tools.tool import Conversation, Settings

    body = cast("Mapping[str, object]", job.body)
    model = PatientModel(_model(body, given))
    article = body.get("article")
    settings = Settings(article=None if article is None else str(article), model=model.name)
    kit = Kit(workspace, str(body.get("toolset") or "core"), settings, Conversation(task_of_job(given.run, job.key)))
    run = TaskRun(model, kit, limits=_limits(body))
    task = workspace.task_id or ""
    try:
        run.run(str(body["text"]))
    except ModelAway:
        _take_back(workspace, task)
        raise
    ended = run.conversation.ended
    spent: dict[str, object] = {"tokens": ended.tokens.to_json(), "text": ended.text[:2_000]}
    made = _recorded(job, workspace, run.records) if run.records else AttemptOutcome("nothing")
    if ended.is_done:
        if run.records:
            workspace.end_task()
        return replace(made, facts={**made.facts, **spent})
    _take_back(workspace, task)
    passing = ended.stop == "model" and model.last is not None and model.last.is_passing
    return AttemptOutcome("failed", ended.stop, ended.error, diff=made.diff, facts=spent, again=passing)


def _take_back(workspace: Workspace, task: str) -> None:
    """Undo what the task made, if it made anything."""
    if workspace.history(task=task, limit=1):
        with suppress(EditError):  # all of it was taken back before
            workspace.undo(task=task, reason="the task did not end successfully")


def _impact(job: Job, given: Given, workspace: Workspace) -> AttemptOutcome:
    """An impact run; one that was begun for this job goes on."""
    from steadyhand.agents.impact.review import ImpactSettings
    from steadyhand.agents.impact.run import run_impact

    body = cast("Mapping[str, object]", job.body)
    label = task_of_job(given.run, job.key)
    runs = host_of(workspace).runs
    begun = next((str(each["id"]) for each in runs.runs() if each.get("label") == label), None)
    record = None if begun is None else runs.run(begun)
    is_over = record is not None and record.get("end") == "finished"
    if given.settle and not is_over:
        return AttemptOutcome("cancelled")
    if record is None or not is_over or _articles(record, "failed", "partial"):
        docs = body.get("docs")
        limit = body.get("limit")
        settings = ImpactSettings(
            base=None if body.get("base") is None else str(body["base"]),
            docs=tuple(map(str, docs)) if isinstance(docs, list) else (),
            mentions=bool(body.get("mentions")),
            limit=limit if isinstance(limit, int) else None,
            limits=_limits(body),
            label=label,
        )
        record = run_impact(workspace, _model(body, given), settings, resume=begun)
    changed = _articles(record, "updated", "partial")
    files = tuple(str(each["path"]) for each in changed)
    diff = "".join(str(each["patch"]) for each in changed)
    facts = {"impact": record["id"], **(_held(job) if files else {})}
    wrong = _articles(record, "failed", "partial")
    if wrong:
        error = wrong[0].get("error")
        said = error.get("message") if isinstance(error, dict) else None
        message = f"{len(wrong)} of {len(_articles(record))} articles failed, the first is {wrong[0]['path']}: {said}"
        return AttemptOutcome("failed", "articles", message, files, diff, facts)
    return AttemptOutcome("done" if files else "nothing", files=files, diff=diff, facts=facts)


def _articles(record: Mapping[str, object], *statuses: str) -> list[Mapping[str, object]]:
    """The articles of an impact run, or those that ended so."""
    articles = cast("list[Mapping[str, object]]", record.get("articles") or [])
    return [each for each in articles if not statuses or each.get("status") in statuses]


def _model(body: Mapping[str, object], given: Given) -> Model:
    from steadyhand.agents.model import named_model
    from steadyhand.agents.script import ScriptedModel, read_script

    if body.get("script") is not None:
        return ScriptedModel(read_script(body["script"]))
    url = body.get("base_url")
    return named_model(str(body.get("model")), base_url=None if url is None else str(url), api_key=given.api_key)


def _limits(body: Mapping[str, object]) -> Limits:
    from steadyhand.agents.runner import Limits

    asked = {"turns": "max_turns", "tokens": "max_tokens", "seconds": "max_seconds"}
    given = {name: body[field] for name, field in asked.items() if body.get(field) is not None}
    return Limits(**given)  # type: ignore[arg-type]  # whole numbers, as the job was read


class ModelAway(Exception):
    """The model's server asks to come back after `wait` seconds, before it has replied once."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.message = message
        self.wait = wait


class PatientModel(AsyncExitStack):
    """A model whose conversation is put off, not waited for, where its server has no time for the first request."""

    def __init__(self, model: Model) -> None:
        from steadyhand.agents.model import ModelError

        super().__init__()
        self.name = model.name
        self.last: ModelError | None = None
        self._model = model

    async def __aenter__(self) -> Self:
        from steadyhand.agents.model import opened

        await self.enter_async_context(opened(self._model))
        return self

    async def ask(self, instructions: str, messages: Sequence[Message], tools: Sequence[Offered]) -> Reply:
        from steadyhand.agents.model import ModelError, Reply

        try:
            return await self._model.ask(instructions, messages, tools)
        except ModelError as error:
            self.last = error
            is_first = not any(isinstance(message, Reply) for message in messages)
            if error.is_passing and error.wait is not None and is_first:
                raise ModelAway(error.message, error.wait) from None
            raise
