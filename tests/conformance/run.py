"""`make conformance`: the public MCP conformance suite against our server, in both eras of the protocol.

Every scenario that a revision requires must pass, but for those that `not_applicable.json` names with the reason; one
of these that passes is an error too, so that the list stays true. Needs npm, which brings the Node that it wants.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benches.node import CONFORMANCE, NodeMissing, environment, installed

HERE = Path(__file__).parent
REVISIONS = ("2025-11-25", "2026-07-28")
SAYS = re.compile(r"listening on (http://\S+)")
ROW = re.compile(r"^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed$")
SECONDS = 240


@contextmanager
def served(root: Path) -> Iterator[str]:
    """The server's address while it runs."""
    command = [sys.executable, "-m", "tests.conformance.server", str(root)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=HERE.parents[1])
    try:
        assert process.stderr is not None
        yield next(filter(None, map(SAYS.search, process.stderr)))[1]
    finally:
        process.terminate()
        process.communicate(timeout=300)


def verdicts(programs: Path, url: str, revision: str, folder: Path) -> dict[str, bool]:
    """Whether each scenario passed."""
    command = [str(programs / "conformance"), "server", "--url", url, "--requirements", revision, "-o", str(folder)]
    done = subprocess.run(
        command, env=environment(programs), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    rows = [found for line in done.stdout.splitlines() if (found := ROW.match(line.strip()))]
    return {row[2]: row[1] == "✓" for row in rows}


def judge(revision: str, found: dict[str, bool], excused: dict[str, str]) -> list[str]:
    """What is not as it should be."""
    failed = [f"{revision}: {name} failed" for name, passed in found.items() if not passed and name not in excused]
    stale = [f"{revision}: {name} passes; take it off the list" for name in excused if found.get(name)]
    gone = [f"{revision}: there is no scenario {name}" for name in excused if name not in found]
    return [*failed, *stale, *gone, *([] if found else [f"{revision}: the suite said nothing"])]


def main() -> int:
    """0 when everything that applies passes."""
    try:
        programs = installed(CONFORMANCE)
    except NodeMissing as missing:
        print(f"the conformance suite cannot run here: {missing}", file=sys.stderr)
        return 1
    excused = json.loads((HERE / "not_applicable.json").read_text(encoding="utf-8"))
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as made:
        root = Path(made, "root")
        root.mkdir()
        (root / "a.txt").write_text("hello\n", encoding="utf-8")
        with served(root) as url:
            for revision in REVISIONS:
                found = verdicts(programs, url, revision, Path(made, revision))
                wrong += judge(revision, found, excused[revision])
                passed = sum(found.values())
                print(f"{revision}: {passed} scenarios pass, {len(excused[revision])} do not apply")
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
