"""Peers from the package index, each in an environment of its own, measured there beside the same floor.

Nothing of a peer is ever imported here. A peer that cannot be had is a row that says so, never an error.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from benches.bench import Setting
from benches.table import Row, Table

_HOME = Path(__file__).resolve().parent.parent
_VENVS = _HOME / ".bench-venvs"
_INSTALL_SECONDS = 600
_MEASURE_SECONDS = 600
_PYTHON_VARIABLE = "STEADYHAND_BENCH_PYTHON"


@dataclass(frozen=True, slots=True)
class Peer:
    """A package, the module in `inside/` that measures it, the oldest Python it takes, and what it is measured on.

    `beside` are packages it needs in other versions than it asks for, and the parser it is measured against.
    """

    package: str
    module: str
    python: tuple[int, int]
    topics: tuple[str, ...]
    beside: tuple[str, ...] = ()


PEERS = (
    Peer("aider-chat", "aider", (3, 10), ("edit", "miss", "sweep", "accuracy")),
    Peer("openhands-aci", "openhands_aci", (3, 12), ("edit", "accuracy")),
    Peer("mcp-text-editor", "mcp_text_editor", (3, 11), ("edit",), beside=("mcp<2",)),
    Peer("unidiff", "unidiff", (3, 10), ("patch",)),
    Peer("whatthepatch", "whatthepatch", (3, 10), ("patch", "accuracy")),
    Peer("patch-ng", "patch_ng", (3, 10), ("patch", "accuracy")),
    Peer("beautifulsoup4", "beautifulsoup", (3, 10), ("structure",), beside=("turbohtml",)),
    Peer("ruamel.yaml", "ruamel_yaml", (3, 10), ("structure",), beside=("pyyaml",)),
    Peer("tomlkit", "tomlkit", (3, 11), ("structure",)),
    Peer("libcst", "libcst", (3, 10), ("structure",), beside=("tree-sitter", "tree-sitter-python")),
)
_FLOORS = {
    "edit": "str.find, a second find, two slices: measured in the peer's own process",
    "miss": "str.find that fails, then str.splitlines: measured in the peer's own process",
    "patch": "to read, to apply or to patch files by hand, as above: measured in the peer's own process",
    "structure": "the parser alone, as above: measured in the peer's own process",
}
_TITLES = {
    "edit": "Exact edit, peers",
    "miss": "Old text that is not in the file, peers",
    "patch": "Patches, peers",
    "structure": "One place found and changed, and all of the text written again, peers",
}


def peer_named(package: str) -> Peer:
    return next(peer for peer in PEERS if peer.package == package)


class Unavailable(Exception):
    """A peer cannot be measured here; the message says why."""


def peer_tables(setting: Setting, topic: str, peers: Sequence[Peer] = PEERS) -> Iterator[Table]:
    """One table for all peers of a topic."""
    rows: list[Row] = []
    for peer in peers:
        if topic in peer.topics:
            setting.tell(f"peer {peer.package}")
            try:
                rows += _measure(setting, peer, topic)
            except Unavailable as reason:
                rows.append(Row(peer.package, None, remark=f"not measured: {reason}"))
    yield Table(_TITLES[topic], _FLOORS[topic], rows, "compare ratios, not times: every peer has its own interpreter")


class Companion:
    """A peer's process that takes turns with this one: it runs the call that is named, and says how long that took."""

    def __init__(self, setting: Setting, peer: Peer, topic: str) -> None:
        """Starts it. Raises `Unavailable` where the peer cannot be had."""
        command = [str(interpreter_of(peer)), "-m", f"benches.inside.{peer.module}", json.dumps(_job(setting, topic))]
        self._process = subprocess.Popen(
            command, env=_environment(), cwd=_VENVS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    def name_and_result(self, label: str) -> tuple[str, str]:
        """What the peer's call is named, and what becomes of the edit."""
        answer = self._ask({"label": label})
        return str(answer["name"]), str(answer["result"])

    def time(self, label: str, runs: int) -> float:
        """How many seconds so many runs took."""
        return float(str(self._ask({"label": label, "runs": runs})["seconds"]))

    def _ask(self, question: Mapping[str, object]) -> Mapping[str, object]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            print(json.dumps(question), file=stdin, flush=True)
            answer: Mapping[str, object] = json.loads(stdout.readline())
        except (BrokenPipeError, ValueError):
            raise Unavailable("its process ended") from None
        return answer


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(_HOME)}


def _measure(setting: Setting, peer: Peer, topic: str) -> list[Row]:
    python = interpreter_of(peer)
    command = [str(python), "-m", f"benches.inside.{peer.module}", json.dumps(_job(setting, topic))]
    try:
        done = subprocess.run(
            command, env=_environment(), cwd=_VENVS, capture_output=True, text=True, timeout=_MEASURE_SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Unavailable(f"no answer within {_MEASURE_SECONDS} s") from None
    if done.returncode:
        raise Unavailable(f"it ended with: {last_line(done.stderr)}")
    return [Row(**row) for row in json.loads(done.stdout.splitlines()[-1])]


def _job(setting: Setting, topic: str) -> dict[str, object]:
    scale = setting.scale
    return {
        "topic": topic,
        "folder": str(setting.folder),
        "sizes": {"sweep": scale.sweep_sizes, "structure": (scale.structure_size,)}.get(topic, scale.text_sizes),
        "lines": scale.diff_lines,
        "hunks": scale.patch_hunks[-1],
        "files": scale.patch_files,
        "effort": asdict({"patch": scale.patch_effort, "structure": scale.structure_effort}.get(topic, scale.effort)),
    }


@functools.cache
def interpreter_of(peer: Peer) -> Path:
    """The interpreter of the peer's environment, which is made and filled on first use."""
    home = _VENVS / peer.package
    python, stamp = home / "bin" / "python", home / ".ready"
    if stamp.exists():
        return python
    base = _find_python(peer.python)
    _VENVS.mkdir(exist_ok=True)
    (_VENVS / ".gitignore").write_text("*\n", encoding="utf-8")
    _install([base, "-m", "venv", str(home)])
    pip = [str(python), "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "20"]
    _install([*pip, peer.package, *peer.beside])
    stamp.touch()
    return python


def _find_python(oldest: tuple[int, int]) -> str:
    """An interpreter at least that new: this one, the one the variable names, or one on the path."""
    wanted = f"import sys; sys.exit(sys.version_info < {oldest!r})"
    named = os.environ.get(_PYTHON_VARIABLE)
    candidates = [sys.executable, named, *(shutil.which(f"python3.{minor}") for minor in range(11, 16))]
    for candidate in filter(None, candidates):
        if subprocess.run([candidate, "-c", wanted], capture_output=True, check=False).returncode == 0:
            return candidate
    version = ".".join(map(str, oldest))
    raise Unavailable(f"needs Python {version}, and there is none here; {_PYTHON_VARIABLE} may name one")


def _install(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"it did not install within {_INSTALL_SECONDS} s") from None
    if done.returncode:
        raise Unavailable(f"it did not install: {last_line(done.stderr)}")


def last_line(text: str) -> str:
    """The last line that says anything: where a process ends badly, that is its message."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else "no message"
