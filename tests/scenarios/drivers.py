"""How a scenario's calls are made: through Python, through the command line, and through MCP with the tools of `core`.

A scenario folder holds

    input/          the workspace before the first call; a folder that is missing is an empty one
    calls.json      {"about": …, "workspace"?: {"allow": […]}, "calls": [{"call": "edit", "path": …, …}, …]}
    expected/       the workspace after the last call; missing: the same as input/
    outcome.json    one answer per call: {"ok": true, "files": [[status, path], …]} or {"ok": false, "kind": …}

An answer may also say `found`, the tier and what differed for each edit that was not quoted exactly, `corrected`, the
call that a refusal offers, and `unique_old`, what would mean each of several places alone; left out: not compared.

The calls `outline` and `locate` change nothing and answer with the addresses, and with the text of each place.
Targets are named by address, as {"at": …}; `without` names guards that are left out.

`$1` stands for the id of the first call's record. A call may carry its own `task`, and `preview`,
and `policy` with `tier` and `on_drift`. The call `outside`
is somebody else's program writing a file. An answer that is both refused and lists files is a partial success.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal
from click.testing import CliRunner

from steadyhand.errors import EditError
from steadyhand.plan.edit import edit_from_json
from steadyhand.plan.guards import GUARDS
from steadyhand.plan.policy import Policy
from steadyhand.plan.request import requests_from_json
from steadyhand.session.receipt import Receipt
from steadyhand.session.workspace import Workspace
from steadyhand.surfaces.cli.main import cli
from steadyhand.surfaces.mcp.launch import RootOptions
from tests.mcp.clients import in_memory, serving

Call = dict[str, Any]
Answer = dict[str, Any]


class Driver:
    """Makes one call after another and remembers the ids of their records; `silent`: what its answers never say."""

    silent: tuple[str, ...] = ()

    def __init__(self, root: Path, options: dict[str, Any]) -> None:
        self.root = root
        self.options = options
        self.ids: list[str | None] = []

    def run(self, call: Call) -> Answer:
        call = {**call, **({"record": self._id(call["record"])} if "record" in call else {})}
        if call["call"] == "outside":
            self.ids.append(None)
            (self.root / call["path"]).write_bytes(call["content"].encode())
            return {"ok": True, "files": []}
        record, answer = self.make(call)
        self.ids.append(record)
        return answer

    def make(self, call: Call) -> tuple[str | None, Answer]:
        raise NotImplementedError

    def close(self) -> None:
        """End what the calls needed."""

    def _id(self, name: str) -> str | None:
        return self.ids[int(name[1:]) - 1] if name.startswith("$") else name


class PythonDriver(Driver):
    def make(self, call: Call) -> tuple[str | None, Answer]:
        with Workspace(self.root, task=call.get("task"), **self._policy(call), **self.options) as workspace:
            try:
                receipt = getattr(self, call["call"])(workspace, call)
            except EditError as error:
                return None, {"ok": False, "kind": str(error.kind), **_offered(error.details)}
        if not isinstance(receipt, Receipt):
            return None, {"ok": True, "files": [], **(receipt or {})}
        answer: Answer = {"ok": receipt.ok, "files": sorted([file.status, file.path] for file in receipt.files)}
        if receipt.error is not None:
            answer["kind"] = str(receipt.error.kind)
        return receipt.id, answer | _found([outcome.to_json() for outcome in receipt.outcomes])

    def _policy(self, call: Call) -> dict[str, Policy]:
        kept = frozenset(guard.name for guard in GUARDS) - set(call.get("without", ()))
        return {"policy": Policy(guards=kept)} if "without" in call else {}

    def outline(self, workspace: Workspace, call: Call) -> Answer:
        found = workspace.outline(call["path"], **_some(call, "within", "depth", "limit"))
        return {"addresses": [entry.address for entry in found.entries]}

    def locate(self, workspace: Workspace, call: Call) -> Answer:
        text = workspace.read(call["path"]).text
        return {
            "texts": [place.span.of(text) for place in workspace.locate(call["path"], **_some(call, "target", "which"))]
        }

    def move(self, workspace: Workspace, call: Call) -> Receipt:
        return workspace.move(call["path"], call["target"], **_some(call, "to", "to_path", "where", "expect"))

    def edit(self, workspace: Workspace, call: Call) -> Receipt:
        edits = [edit_from_json(edit) for edit in call["edits"]]
        more = _some(call, "expect", "reason", "preview")
        if call.get("partial") or "policy" in call:
            more["policy"] = Policy(partial=call.get("partial", False), **call.get("policy", {}))
        return workspace.edit(call["path"], edits, **more)

    def apply(self, workspace: Workspace, call: Call) -> Receipt:
        return workspace.apply(requests_from_json(call["plan"]))

    def write(self, workspace: Workspace, call: Call) -> Receipt:
        return workspace.write(call["path"], call["content"], **_some(call, "expect", "overwrite", "allow_shrink"))

    def create(self, workspace: Workspace, call: Call) -> Receipt:
        return workspace.create(call["path"], call["content"])

    def delete(self, workspace: Workspace, call: Call) -> Receipt:
        return workspace.delete(call["path"], **_some(call, "expect"))

    def rename(self, workspace: Workspace, call: Call) -> Receipt:
        return workspace.rename(call["path"], call["to"])

    def chmod(self, workspace: Workspace, call: Call) -> Receipt:
        return workspace.chmod(call["path"], int(call["mode"], 8))

    def read(self, workspace: Workspace, call: Call) -> None:
        workspace.read(call["path"])

    def undo(self, workspace: Workspace, call: Call) -> Receipt:
        # the calling task is not the task to be undone
        with Workspace(self.root, **self.options) as own:
            return own.undo(call.get("record"), **_some(call, "last", "task"))

    def redo(self, workspace: Workspace, call: Call) -> Receipt:
        return workspace.redo(call.get("record"))


class CommandLineDriver(Driver):
    """Every call in the flags a person would use; only what they cannot say goes through `apply`."""

    def make(self, call: Call) -> tuple[str | None, Answer]:
        arguments, stdin = getattr(self, call["call"])(call)
        everywhere = [f"--allow={pattern}" for pattern in self.options.get("allow", ())]
        if "task" in call and call["call"] != "undo":
            everywhere.append(f"--task={call['task']}")
        result = CliRunner().invoke(cli, ["--json", f"--root={self.root}", *everywhere, *arguments], input=stdin)
        document = json.loads(result.stdout)
        receipt = document.get("receipt")
        answer: Answer = {"ok": document["ok"]}
        if receipt is not None or document["ok"]:
            answer["files"] = sorted([file["status"], file["path"]] for file in (receipt or {"files": []})["files"])
        if "entries" in document:
            answer["addresses"] = [entry["address"] for entry in document["entries"]]
        if "places" in document:
            answer["texts"] = [place["text"] for place in document["places"]]
        if "error" in document:
            answer["kind"] = document["error"]["kind"]
        answer |= _found(receipt["outcomes"]) if receipt else _offered(document.get("error", {}).get("details", {}))
        assert (result.exit_code == 0) is document["ok"]
        return receipt["id"] if receipt else None, answer

    def outline(self, call: Call) -> tuple[list[str], None]:
        return ["outline", self._file(call), *_flags(call, "within", "depth", "limit")], None

    def locate(self, call: Call) -> tuple[list[str], None]:
        which = [f"--occurrence={call['which']}"] if "which" in call else []
        return ["locate", self._file(call), call["target"], *which], None

    def move(self, call: Call) -> tuple[list[str], None]:
        other = [f"--to-file={self.root}/{call['to_path']}"] if "to_path" in call else []
        return ["move", self._file(call), call["target"], *other, *_flags(call, "to", "where", "expect")], None

    def edit(self, call: Call) -> tuple[list[str], str | None]:
        policy = {name.replace("_", "-"): value for name, value in call.get("policy", {}).items()}
        more = (
            _flags(call, "expect", "reason") + (["--dry-run"] if call.get("preview") else []) + _flags(policy, *policy)
        )
        more += [f"--no-guard={name}" for name in call.get("without", ())]
        edits = call["edits"]
        if len(edits) > 1 or call.get("partial"):
            plan = {
                "files": [{"path": call["path"], "edits": edits, **_some(call, "expect")}],
                **_some(call, "partial"),
            }
            return ["apply", "-"], json.dumps(plan)
        (edit,) = edits
        if "act" in edit:
            args = [f"{name}:={json.dumps(value)}" for name, value in edit.get("args", {}).items()]
            which = _flags(edit, "occurrence", "expected")
            return ["act", self._file(call), edit["target"]["at"], edit["act"], *args, *which, *more], None
        if "new" in edit:
            return ["edit", self._file(call), *self._place(edit), "--new-file=-", *more], edit["new"]
        if "insert" in edit:
            return ["insert", self._file(call), *self._beside(edit), "--text-file=-", *more], edit["insert"]
        return ["delete", self._file(call), *self._place(edit), *more], None

    def _place(self, edit: dict[str, Any]) -> list[str]:
        target = edit["target"]
        which = _flags(edit, "occurrence", "expected")
        if isinstance(target, str):
            return [f"--old={target}", *which]
        if "at" in target:
            return [f"--at={target['at']}", *which]
        if "lines" in target:
            return [f"--lines={target['lines'][0]}:{target['lines'][1]}", *which]
        return [f"--anchor={target['anchor']}", *which]

    def _beside(self, edit: dict[str, Any]) -> list[str]:
        if isinstance(edit["target"], str):
            return [f"--{edit['where']}={edit['target']}"]
        if "at" in edit["target"]:
            return [f"--at={edit['target']['at']}", f"--where={edit['where']}", *_flags(edit, "occurrence")]
        first, last = edit["target"]["lines"]
        return [f"--line={last if edit['where'] == 'after' else first - 1}"]

    def apply(self, call: Call) -> tuple[list[str], str]:
        return ["apply"], json.dumps(call["plan"])

    def write(self, call: Call) -> tuple[list[str], str]:
        flags = [f"--{name.replace('_', '-')}" for name in ("overwrite", "allow_shrink") if call.get(name)]
        return ["write", self._file(call), *flags, *_flags(call, "expect")], call["content"]

    def create(self, call: Call) -> tuple[list[str], str]:
        plan = {"files": [{"path": call["path"], "create": call["content"]}]}
        return ["apply"], json.dumps(plan)

    def delete(self, call: Call) -> tuple[list[str], None]:
        return ["delete", self._file(call), "--file", *_flags(call, "expect")], None

    def rename(self, call: Call) -> tuple[list[str], None]:
        return ["rename", self._file(call), f"{self.root}/{call['to']}"], None

    def chmod(self, call: Call) -> tuple[list[str], None]:
        return ["chmod", self._file(call), call["mode"]], None

    def read(self, call: Call) -> tuple[list[str], None]:
        return ["read", self._file(call)], None

    def undo(self, call: Call) -> tuple[list[str], None]:
        record = [call["record"]] if "record" in call else []
        return ["undo", *record, *(["--last"] if call.get("last") else []), *_flags(call, "task")], None

    def redo(self, call: Call) -> tuple[list[str], None]:
        return ["redo", *([call["record"]] if "record" in call else [])], None

    def _file(self, call: Call) -> str:
        return call["path"] if call["path"].startswith("/") else f"{self.root}/{call['path']}"


class McpDriver(Driver):
    """Every call as the tool of `core` that a model would call; each task has a server of its own."""

    SAYS = frozenset(("edit", "apply", "write", "create", "delete", "rename", "read", "outline", "undo", "outside"))
    silent = ("unique_old",)  # a place is named once: by its number
    CANNOT = ("overwrite", "without", "policy", "mode")  # what the host decides, not a call

    def __init__(self, root: Path, options: dict[str, Any]) -> None:
        super().__init__(root, options)
        self._stack = ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())
        self._clients: dict[str | None, Any] = {}

    @classmethod
    def can_say(cls, calls: list[Call]) -> bool:
        return all(call["call"] in cls.SAYS and not any(name in call for name in cls.CANNOT) for call in calls)

    def close(self) -> None:
        self._stack.close()

    def make(self, call: Call) -> tuple[str | None, Answer]:
        tool, arguments = getattr(self, call["call"])(call)
        client = self._client(None if call["call"] == "undo" else call.get("task"))
        result = self._portal.call(client.call_tool, tool, arguments)
        said: dict[str, Any] = result.structured_content
        assert result.is_error is (said["success"] is False)
        answer: Answer = {"ok": said["success"] is True}
        if said["success"]:
            answer["files"] = sorted([file["status"], file["path"]] for file in self._files(tool, said))
        if "entries" in said:
            answer["addresses"] = [entry["address"] for entry in said["entries"]]
        if "kind" in said:
            answer["kind"] = said["kind"]
        found = [[one["tier"], one["differs"]] for one in said.get("outcomes", ()) if "differs" in one]
        answer |= ({"found": found} if found else {}) | _offered(said.get("details", {}))
        return said.get("id"), answer

    def _files(self, tool: str, said: dict[str, Any]) -> list[dict[str, Any]]:
        if tool == "write":
            return [said]
        return said["files"] if tool in ("edit", "undo") else []

    def _client(self, task: str | None) -> Any:
        if task not in self._clients:
            allow = tuple(self.options.get("allow", ()))
            served = serving(self.root, actor="tests", task=task, root_options=lambda _: RootOptions(allow=allow))
            self._clients[task] = self._stack.enter_context(self._portal.wrap_async_context_manager(in_memory(served)))
        return self._clients[task]

    def edit(self, call: Call) -> tuple[str, Call]:
        dry = {"dry_run": True} if call.get("preview") else {}
        return "edit", _some(call, "path", "edits", "expect", "reason", "partial") | dry

    def apply(self, call: Call) -> tuple[str, Call]:
        return "edit", call["plan"]

    def write(self, call: Call) -> tuple[str, Call]:
        return "write", _some(call, "path", "content", "expect", "allow_shrink")

    def create(self, call: Call) -> tuple[str, Call]:
        return "edit", {"path": call["path"], "create": call["content"]}

    def delete(self, call: Call) -> tuple[str, Call]:
        return "edit", {"delete": True, **_some(call, "path", "expect")}

    def rename(self, call: Call) -> tuple[str, Call]:
        return "edit", {"path": call["path"], "rename_to": call["to"]}

    def read(self, call: Call) -> tuple[str, Call]:
        return "read", {"path": call["path"]}

    def outline(self, call: Call) -> tuple[str, Call]:
        return "outline", _some(call, "path", "within", "depth")

    def undo(self, call: Call) -> tuple[str, Call]:
        return "undo", ({"id": call["record"]} if "record" in call else {}) | _some(call, "last", "task")


def _found(outcomes: list[dict[str, Any]]) -> Answer:
    """How old text was found that was not quoted exactly."""
    found = [[one["tier"], one["differs"]] for one in outcomes if one["applied"] and "differs" in one]
    return {"found": found} if found else {}


def _offered(details: Mapping[str, Any]) -> Answer:
    """What a refusal offers to send instead."""
    unique = [place["unique_old"] for place in details.get("candidates", ()) if "unique_old" in place]
    corrected = {"corrected": dict(details["corrected"])} if "corrected" in details else {}
    return corrected | ({"unique_old": unique} if unique else {})


def _some(call: Call, *names: str) -> dict[str, Any]:
    return {name: call[name] for name in names if name in call}


def _flags(call: Call, *names: str) -> list[str]:
    return [f"--{name}={call[name]}" for name in names if name in call]
