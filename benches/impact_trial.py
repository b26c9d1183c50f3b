"""Impact runs with a real model on real commits of this repository: what it did well and badly.

    python -m benches.impact_trial --base-url http://127.0.0.1:8081/v1 --out trial.jsonl

Each commit changed code and guides together. The trial gives a model the change of the code and three guides as they
were before: those that the commit changed, and others that it left alone. So there is an answer to compare with: a
guide that the people changed should be updated, one that they left alone should not. Nothing here judges the words.
One line of JSON for each article, written as soon as it is known; a table at the end, or of a file with `--table`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import steadyhand as sh
from steadyhand.agents.impact.prompt import Budget
from steadyhand.agents.impact.review import ImpactSettings
from steadyhand.agents.impact.run import run_impact
from steadyhand.agents.model import named_model
from steadyhand.agents.runner import Limits

ROOT = Path(__file__).parent.parent
COMMITS = "c7b81aa 0d8edc4 12101d6 1f79ee0 a788dff ead640e 7801865 5a7d965 c527ffe ff545aa".split()
GUIDES = "docs/guides"
ARTICLES = 3
_RULES = 6  # files that an article attends to
_SETTINGS = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")


def git(*words: str, cwd: Path = ROOT) -> str:
    done = subprocess.run(["git", *_SETTINGS, *words], cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout


def content(commit: str, path: str) -> str | None:
    done = subprocess.run(["git", "show", f"{commit}:{path}"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def articles_of(commit: str) -> dict[str, bool]:
    """The guides of the trial, each with whether the commit changed it: those it changed first, the shortest first."""
    names = git("ls-tree", "--name-only", f"{commit}^", f"{GUIDES}/").split()
    changed = set(git("diff", "--name-only", f"{commit}^", commit, "--", GUIDES).split())
    by_size = sorted(names, key=lambda name: (name not in changed, len(content(f"{commit}^", name) or "")))
    mine = [name for name in by_size if name in changed][: ARTICLES - 1]
    others = [name for name in by_size if name not in changed]
    return {name: name in changed for name in [*mine, *others][:ARTICLES]}


def make_repository(root: Path, commit: str) -> dict[str, bool]:
    """The files that the commit changed, before and after it, and the guides as they were before."""
    sources = git("diff", "--name-only", "--diff-filter=AMD", f"{commit}^", commit, "--", "src").split()
    chosen = articles_of(commit)
    git("init", "-q", "-b", "main", cwd=root)
    rules = "".join(f"  - {{op: file, path: {name}}}\n" for name in sources[:_RULES])
    for name in chosen:
        front = f"---\njrn: {Path(name).stem}\nattention:\n{rules}---\n\n"
        write(root / name, front + (content(f"{commit}^", name) or ""))
    for side, message in ((f"{commit}^", "before"), (commit, git("log", "-1", "--format=%s", commit).strip())):
        for name in sources:
            text = content(side, name)
            if text is None:
                (root / name).unlink(missing_ok=True)
            else:
                write(root / name, text)
        git("add", "-A", cwd=root)
        git("commit", "-qm", message, cwd=root)
    return chosen


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def trial(commit: str, model_name: str, base_url: str, seconds: float, budget: Budget) -> Iterator[dict[str, Any]]:
    """One commit; a row for each article."""
    settings = ImpactSettings(
        base="HEAD~1",
        jobs=1,
        propagate=False,
        limits=Limits(turns=8, calls=12, seconds=seconds, retries=1),
        budget=budget,
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        expected = make_repository(root, commit)
        said: dict[str, Any] = {}
        with sh.Workspace(root, actor="trial") as ws:
            model = named_model(model_name, base_url=base_url, max_tokens=500)
            record = run_impact(ws, model, settings, transcripts=said)
        touched = [line[3:] for line in git("status", "--porcelain", cwd=root).splitlines()]
        strays = [name for name in touched if name not in expected and not name.startswith(".steadyhand")]
        for article in record["articles"]:  # type: ignore[attr-defined]
            replies = [each for each in said.get(article["path"], []) if each["role"] == "assistant"]
            answer = {"commit": commit, "expected": expected[article["path"]], "strays": strays, "replies": replies}
            yield {**answer, **article}


def table(rows: list[dict[str, Any]]) -> str:
    """What it came to, in Markdown."""
    lines = [
        "| commit | article | people changed it | status | calls (refused) | as text | tokens | s | why |",
        "|" + "---|" * 9,
    ]
    for row in rows:
        usage = row.get("toolUsage") or {}
        calls = ", ".join(f"{name} {each['calls']} ({each['refused']})" for name, each in usage.items())
        tokens = sum((row.get("tokens") or {}).values())
        why = (row.get("error") or {}).get("kind") or ""
        lines.append(
            f"| {row['commit']} | {row['path']} | {'yes' if row['expected'] else 'no'} | {row['status']} | {calls} "
            f"| {row.get('callsAsText', 0)} | {tokens:,} | {row.get('seconds', 0):.0f} | {why} |"
        )
    right = sum((row["status"] == "updated") is row["expected"] and row["status"] != "failed" for row in rows)
    lines += ["", f"{right} of {len(rows)} as the people did; {sum(bool(row['strays']) for row in rows)} with strays."]
    return "\n".join(lines)


def main() -> None:
    """Run the commits that are not in the file yet."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--base-url", default="http://127.0.0.1:8081/v1")
    parser.add_argument("--model", default="openai-chat:qwen2.5-coder-1.5b")
    parser.add_argument("--commits", nargs="*", default=COMMITS)
    parser.add_argument("--seconds", type=float, default=1_500.0, help="how long a conversation may take")
    parser.add_argument("--change", type=int, default=6_000, help="characters of the change that the model is shown")
    parser.add_argument("--article", type=int, default=8_000, help="characters of the article that it is shown")
    parser.add_argument("--out", type=Path, default=Path("impact-trial.jsonl"))
    parser.add_argument("--table", action="store_true", help="only print what the file says")
    asked = parser.parse_args()
    rows = [json.loads(line) for line in asked.out.read_text().splitlines()] if asked.out.exists() else []
    done = {row["commit"] for row in rows}
    budget = Budget(change=asked.change, article=asked.article)
    for commit in [] if asked.table else [each for each in asked.commits if each not in done]:
        for row in trial(commit, asked.model, asked.base_url, asked.seconds, budget):
            rows.append(row)
            with asked.out.open("a") as file:
                file.write(json.dumps(row) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
