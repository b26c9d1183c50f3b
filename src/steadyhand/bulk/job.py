"""A job is data: which tree, what to do there, under which policy, and what to do with the result. One JSON object:

    {"key": …,
     "root": "/srv/site"  or  "repo": "https://…", "ref"?: "main",
     "plan": {"files": […]}  or  "patch": "text in any dialect"  or  "act": {"glob": […], "edits": […]}
       or  "task": {"text": …}  or  "impact": {},
     "policy"?: {…}, "result"?: "leave" | "hold" | "patch" | "branch", "reason"?: …}

A file of jobs has one a line. What is wrong with a line is a refusal with its number, and the other lines go on.
Nothing here reads a file, and nothing is remembered of a line but a short digest of its key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Literal, cast

from steadyhand.errors import EditError, Kind
from steadyhand.lazy import dataclass, fields, replace
from steadyhand.plan.policy import Policy
from steadyhand.plan.request import EditFile, Requests, edits_from_json, requests_from_json
from steadyhand.schema import (
    Anything,
    Either,
    Field,
    Flag,
    Many,
    Number,
    Object,
    Shape,
    Text,
    bad_request,
    check_integer,
    check_list,
    check_text,
    join,
    read_flag,
    read_object,
    read_optional_text,
)
from steadyhand.session.checks import remark
from steadyhand.workspace.location import shown_repository

Result = Literal["leave", "hold", "patch", "branch"]
RESULTS: tuple[Result, ...] = ("leave", "hold", "patch", "branch")
Work = Literal["plan", "patch", "act", "task", "impact"]
WORKS: tuple[Work, ...] = ("plan", "patch", "act", "task", "impact")

_LONGEST_KEY = 200
_LONGEST_LINE = 16 << 20
_BATCH, _BATCH_SIZE = 500, 4 << 20

_MODEL = (
    Field("model", Text(), "The model, such as anthropic:claude-sonnet-4-5; default: the run's."),
    Field("base_url", Text(), "The model's OpenAI-compatible server."),
    Field("max_turns", Number(least=1), "Limit on the model's replies."),
    Field("max_tokens", Number(least=1), "Limit on the tokens of a conversation."),
    Field("max_seconds", Number(least=1), "How long a conversation may take."),
)
_ACT = Object(
    (
        Field(
            "glob",
            Either((Text(), Many(Text(), least=1))),
            "A pattern for files of the tree, written as in .gitignore.",
            True,
        ),
        Field("edits", Many(Anything(), least=1), "What to do in each file that has the target.", True),
    )
)
_TASK = Object(
    (
        Field("text", Text(), "The task, in plain words.", required=True),
        Field("toolset", Text(), "The model's tools; default: core."),
        Field("article", Text(), "The one file that may be changed."),
        *_MODEL,
    )
)
_IMPACT = Object(
    (
        Field("base", Text(), "The commit to compare with; default: detected."),
        Field("docs", Many(Text()), "Directories or files to search for articles."),
        Field("mentions", Flag(), "Include pages that only mention something changed."),
        Field("limit", Number(least=1), "Ask about at most this many articles."),
        *_MODEL,
    )
)
_POLICY = tuple(Field(item.name, Anything()) for item in fields(Policy))
JOB = Object(
    (
        Field("key", Text(), "Names the job within its run; a key runs once.", required=True),
        Field("root", Text(), "The directory to work in."),
        Field("repo", Text(), "Or: the git repository to clone, a URL or a path."),
        Field("ref", Text(), "With repo: a branch, tag or commit; default: its default branch."),
        Field("plan", Anything(), "A plan of edits, in the form apply takes."),
        Field("patch", Text(), "Or: a patch in any format."),
        Field("act", _ACT, "Or: edits by address of all files of a glob."),
        Field("task", _TASK, "Or: a task for a model with a toolset."),
        Field("impact", _IMPACT, "Or: have a model correct the articles that the last change made wrong."),
        Field("policy", Object(_POLICY), "The policy for the edits, with the fields of Policy."),
        Field("result", Text(RESULTS), "What to do with the result; default: leave."),
        Field("reason", Text(), "Why; recorded, and used as the commit message."),
    )
)


@dataclass(frozen=True, slots=True)
class Job:
    """One job. `place` is a directory, or with `is_repo` a repository to clone; `work` says what `body` is."""

    key: str
    place: str
    work: Work
    body: object
    is_repo: bool = False
    ref: str | None = None
    policy: Mapping[str, object] | None = None
    result: Result = "leave"
    reason: str | None = None

    @property
    def tree(self) -> str:
        """What no two jobs work on at the same time: a directory; of a repository, each job has a tree of its own."""
        return f"{self.place}\n{self.key}" if self.is_repo else self.place

    @property
    def endpoint(self) -> str | None:
        """The server that answers for the model, as far as its name tells; None where no model is asked."""
        if not self.asks_a_model or not isinstance(self.body, Mapping):
            return None
        return str(self.body.get("base_url") or str(self.body.get("model") or "").partition(":")[0])

    @property
    def asks_a_model(self) -> bool:
        return self.work in ("task", "impact")

    def rules(self) -> Policy:
        """The policy. Refuses with `bad-request` a setting that there is not, or that has another value."""
        return policy_from_json(self.policy or {})

    def requests(self) -> Requests:
        """The requests of a plan."""
        return requests_from_json(self.body)

    def globs(self) -> tuple[str, ...]:
        """The files that an action is done to."""
        body = cast("Mapping[str, object]", self.body)
        given = body["glob"]
        return (given,) if isinstance(given, str) else tuple(map(str, cast("Sequence[object]", given)))

    def acts_on(self, path: str) -> EditFile:
        """The action, as a request for one file."""
        return EditFile(path, edits_from_json(cast("Mapping[str, object]", self.body)["edits"], "act.edits"))

    def to_json(self) -> dict[str, object]:
        """The job as `read_job` takes it; what is as usual is left out."""
        where = {"repo": self.place, "ref": self.ref} if self.is_repo else {"root": self.place}
        usual: dict[str, object] = {"policy": self.policy, "reason": self.reason}
        result = {} if self.result == "leave" else {"result": self.result}
        data = {"key": self.key, **where, self.work: self.body, **usual, **result}
        return {name: value for name, value in data.items() if value is not None}

    @classmethod
    def of_json(cls, data: Mapping[str, object]) -> Job:
        """The inverse of `to_json`, for what was read and checked before."""
        work = next(name for name in WORKS if name in data)
        is_repo = "repo" in data
        return cls(
            str(data["key"]),
            str(data["repo" if is_repo else "root"]),
            work,
            data[work],
            is_repo,
            None if data.get("ref") is None else str(data["ref"]),
            cast("Mapping[str, object] | None", data.get("policy")),
            cast("Result", data.get("result", "leave")),
            None if data.get("reason") is None else str(data["reason"]),
        )


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no job: its number, the key where one can be read, and what is wrong."""

    number: int
    key: str | None
    error: EditError


def read_job(value: object) -> Job:
    """One job. Refuses with `bad-request`, with the path of the field in its details.

    >>> read_job({"key": "a", "root": "/srv/a", "patch": "…", "result": "hold"}).result
    'hold'
    >>> read_job({"key": "a", "root": "/srv/a"})
    Traceback (most recent call last):
        ...
    steadyhand.schema.FieldError: bad-request: the job does not say what to do
    """
    _check(JOB, value, "")
    given = {name: each for name, each in cast("Mapping[str, object]", value).items() if each is not None}
    key = str(given["key"])
    if not key or len(key) > _LONGEST_KEY or not key.isprintable():
        raise bad_request("key", f"1 to {_LONGEST_KEY} printable characters are expected")
    if key.startswith(name_of_line("")):
        raise bad_request("key", f"{key!r} is reserved for lines that are not jobs", "use another key")
    is_repo = "repo" in given
    if is_repo == ("root" in given):
        said = "the job names a root and a repository" if is_repo else "the job does not say where"
        raise bad_request("repo" if is_repo else "root", said, "give root or repo")
    if "ref" in given and not is_repo:
        raise bad_request("ref", "a ref needs a repository", 'give "repo" instead of "root"')
    for name in ("root", "repo", "ref"):
        place = str(given.get(name, "."))
        if not place or place.startswith("-") or not place.isprintable():
            raise bad_request(name, "it is empty, begins with - or contains control characters")
    works = [name for name in WORKS if name in given]
    if len(works) != 1:
        said = f"the job says {' and '.join(works)}" if works else "the job does not say what to do"
        raise bad_request("", said, f"give exactly one of {', '.join(WORKS)}")
    job = Job.of_json({**given, "reason": remark(read_optional_text(given, "reason", ""), "reason")})
    job.rules()
    if job.work == "plan":
        job.requests()
    if job.work == "act":
        job.acts_on("")
    return job


def policy_from_json(given: Mapping[str, object]) -> Policy:
    """A policy by the names of its settings."""
    settings = dict(given)
    if settings.get("guards") is not None:
        settings["guards"] = frozenset(
            check_text(name, "policy.guards") for name in check_list(settings["guards"], "policy.guards")
        )
    return Policy(**settings)  # type: ignore[arg-type]  # the policy checks each of them


def name_of_line(number: int | str) -> str:
    """What a line is reported by that is no job; no job has such a key."""
    return f"line {number}"


def read_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file, each cut behind what a job may have: a line may be larger than the memory."""
    while line := stream.readline(_LONGEST_LINE + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(_LONGEST_LINE)
        yield line


def read_jobs(lines: Iterable[bytes]) -> Iterator[tuple[int, Job | BadLine]]:
    """The jobs of a file, each with the number of its line; blank lines are left out."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        key: str | None = None
        try:
            if len(line) > _LONGEST_LINE:
                raise EditError(Kind.TOO_LARGE, f"the line has more than {_LONGEST_LINE >> 20} MB")
            value = _parse(line)
            if isinstance(value, Mapping) and isinstance(value.get("key"), str):
                key = value["key"][:_LONGEST_KEY]
            yield number, read_job(value)
        except EditError as error:
            yield number, BadLine(number, key, error)


def batches(jobs: Iterable[tuple[int, Job | BadLine]]) -> Iterator[list[tuple[int, Job | BadLine]]]:
    """Jobs in parts that are added in one transaction each: not too many, and not too large."""
    batch: list[tuple[int, Job | BadLine]] = []
    room = _BATCH_SIZE
    for number, each in jobs:
        batch.append((number, each))
        if isinstance(each, Job):
            room -= len(each.body if isinstance(each.body, str) else json.dumps(each.body))
        if room <= 0 or len(batch) == _BATCH:
            yield batch
            batch, room = [], _BATCH_SIZE
    if batch:
        yield batch


def jobs_for(
    lines: Iterable[bytes], work: Work, body: object, *, result: Result, reason: str | None
) -> Iterator[tuple[int, Job | BadLine]]:
    """The same work for each tree of a list: a directory, or a repository with an optional ref, one a line.

    What begins with `#` is a remark. A line with a ref, a scheme or an address such as `git@host:path` is a repository.
    The line is the key, without the password that an address may have.
    """
    for number, line in enumerate(lines, 1):
        words = line.decode("utf-8", "replace").split()
        if not words or words[0].startswith("#"):
            continue
        key = " ".join([shown_repository(words[0]), *words[1:]])
        try:
            if len(words) > 2:
                raise bad_request("", "a line has a directory, or a repository and a ref", "use names without spaces")
            is_repo = len(words) == 2 or "://" in words[0] or words[0].endswith(".git") or "@" in words[0]
            place = {"repo": words[0], "ref": words[1] if len(words) == 2 else None} if is_repo else {"root": words[0]}
            yield number, read_job({"key": key, **place, work: body, "result": result, "reason": reason})
        except EditError as error:
            yield number, BadLine(number, key[:_LONGEST_KEY], error)


def with_model(job: Job, model: str | None, base_url: str | None) -> Job:
    """The job with the model of the run, where it names none itself."""
    if not job.asks_a_model:
        return job
    body = dict(cast("Mapping[str, object]", job.body))
    if body.get("model") is None and model is not None:
        body["model"] = model
        if base_url is not None:
            body.setdefault("base_url", base_url)
    if body.get("model") is None:
        raise bad_request(
            join(job.work, "model"), "no model is named", "add it to the job, or name one for the run with --model"
        )
    return replace(job, body=body)


def short_name(key: str) -> str:
    """A name for a file or a branch that says the key, as far as names can, and is that of no other key.

    >>> short_name("Org/Repo #7"), len(short_name("x" * 300))
    ('Org-Repo-7-137f0d', 57)
    """
    plain = "-".join("".join(char if char.isascii() and char.isalnum() else " " for char in key).split())
    return f"{plain[:50] or 'job'}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


def _parse(line: bytes) -> object:
    try:
        return json.loads(line.decode("utf-8").rstrip("\r\n"))
    except UnicodeDecodeError as error:
        raise bad_request("", f"the line is not UTF-8 (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise bad_request("", f"the line is not JSON: {error.msg}, column {error.colno}", "one object a line") from None
    except (ValueError, RecursionError):
        raise bad_request("", "the line is not readable JSON", "one object a line") from None


def _check(shape: Shape, value: object, path: str) -> None:
    """Refuse a value that is not of its shape."""
    match shape:
        case Text():
            if check_text(value, path) not in (shape.choices or (value,)):
                raise bad_request(path, f"{str(value)[:40]!r} is not among {', '.join(shape.choices)}")
        case Number():
            if check_integer(value, path) < (shape.least or 0):
                raise bad_request(path, f"it counts from {shape.least or 0}")
        case Flag():
            read_flag({path: value}, path, "")
        case Many():
            items = check_list(value, path)
            if len(items) < shape.least:
                raise bad_request(path, "it is empty")
            for number, item in enumerate(items):
                _check(shape.item, item, f"{path}[{number}]")
        case Either():
            _check(shape.shapes[isinstance(value, list)], value, path)  # one or many
        case Object():
            _check_fields(shape, value, path)
        case Anything():
            return


def _check_fields(shape: Object, value: object, path: str) -> None:
    given = read_object(value, path, shape.names)
    for field in shape.fields:
        if given.get(field.name) is not None:
            _check(field.shape, given[field.name], join(path, field.name))
        elif field.required:
            raise bad_request(join(path, field.name), "the field is missing", f"add {field.name!r}")
