"""A contestant's process seen from outside: asked one question at a time, and ended where an answer takes too long.

1. Whoever starts a process ends it; leaving the `with` leaves no process behind.
2. A process that died or was ended is started again for the next question.
3. A contestant that never greets is `Unavailable`; one that fails on a case has crashed on that case only.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import IO, Self

from benches.accuracy.question import Answer, Question, read_answer
from benches.peers import Unavailable, last_line

_GREETING_SECONDS = 120.0
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Greeting:
    """Who answers, and which kinds of question it takes."""

    name: str
    kinds: frozenset[str]


@dataclass(slots=True)
class Worker:
    """One process of a contestant."""

    command: Sequence[str]
    environment: Mapping[str, str]
    limit: float
    folder: Path | None = None
    _process: subprocess.Popen[bytes] | None = None
    _complaints: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    _rest: bytes = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._complaints.close()

    def greet(self) -> Greeting:
        """Start the process. Raises `Unavailable` where it does not come up."""
        self._end()
        self._process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env=dict(self.environment),
            cwd=self.folder,
        )
        line = self._line(_GREETING_SECONDS)
        if line is None:
            self._end()
            raise Unavailable(f"it did not start: {self._complaint()}")
        data = json.loads(line)
        return Greeting(data["name"], frozenset(data["kinds"]))

    def ask(self, question: Question) -> Answer:
        """The answer; none within the limit, or a process that died, is a crash."""
        if self._process is None:
            self.greet()
        started = monotonic()
        try:
            self._send(json.dumps(asdict(question)).encode() + b"\n")
            line = self._line(self.limit)
        except BrokenPipeError:
            line = None
        if line is not None:
            return read_answer(json.loads(line))
        late = monotonic() - started >= self.limit
        self._end()
        detail = f"no answer within {self.limit:g} s" if late else f"the process died: {self._complaint()}"
        return Answer(False, question.before, detail, True, monotonic() - started)

    def _send(self, data: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def _line(self, limit: float) -> bytes | None:
        """The next line of output; None when it does not come in time or at all."""
        assert self._process is not None
        assert self._process.stdout is not None
        descriptor, deadline = self._process.stdout.fileno(), monotonic() + limit
        pieces = [self._rest]
        while b"\n" not in pieces[-1]:
            ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - monotonic()))
            piece = os.read(descriptor, _PIECE) if ready else b""
            if not piece:
                return None
            pieces.append(piece)
        line, _, self._rest = b"".join(pieces).partition(b"\n")
        return line

    def _complaint(self) -> str:
        self._complaints.seek(0)
        return last_line(self._complaints.read().decode(errors="replace"))

    def _end(self) -> None:
        process, self._process, self._rest = self._process, None, b""
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:  # a question that was never taken
                    pass
