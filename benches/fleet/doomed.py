"""One move in a process that dies at a chosen storage call: `python -m benches.fleet.doomed`, the move on its input.

What is printed was acknowledged; a process that ends without a line has died over its move.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import steadyhand as sh
from benches.child import environment, python
from benches.fleet.agent import answer_of
from benches.fleet.dying import EXIT_CODE, DyingStorage
from benches.fleet.moves import Move, perform
from steadyhand.errors import EditError

_HOMES = (Path(sh.__file__).resolve().parents[1], Path(__file__).resolve().parents[2])
_LONGEST = 60.0


def in_a_doomed_process(
    root: Path, journal: str | None, ws: sh.Workspace, move: Move, at: int
) -> dict[str, Any] | None:
    """Have it done by a process that is gone before its `at`-th change; its answer, None where it died first."""
    request = {
        "root": str(root), "journal": journal, "actor": ws.actor, "task": ws.task_id, "move": move.to_json(), "at": at,
    }  # fmt: skip
    done = subprocess.run(
        python("-m", "benches.fleet.doomed"), input=json.dumps(request), capture_output=True, text=True, check=False,
        env={**environment(), "PYTHONPATH": ":".join(map(str, _HOMES))}, timeout=_LONGEST,
    )  # fmt: skip
    if done.returncode == EXIT_CODE:
        return None
    if done.returncode:
        raise RuntimeError(f"a doomed process ended with {done.returncode}: {done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def main() -> int:
    """Carry out the move of standard input."""
    asked = json.load(sys.stdin)
    storage = DyingStorage(asked["at"])
    with sh.Workspace(
        asked["root"], actor=asked["actor"], task=asked["task"], journal=asked["journal"], storage=storage
    ) as ws:
        try:
            receipt = perform(ws, Move.from_json(asked["move"]))
            answer: dict[str, object] = {"what": "done", "id": receipt.id}
        except EditError as error:
            answer = {"what": "refused", **answer_of(error)}
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
