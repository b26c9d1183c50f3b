"""Articles and a change of the code: how long it takes to find those it may concern, and how much memory."""

from __future__ import annotations

import os
import statistics
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import steadyhand as sh
from benches import child
from benches.bench import Bench, Setting
from benches.clock import Call, compare, quartiles
from benches.table import Row, Table

_CLI = ("-m", "steadyhand")
_PROSE = "Some words about what the code does, and how a reader may use it.\n" * 80
_DEFINITIONS = 40  # in each source file


def run(setting: Setting) -> Iterator[Table]:
    articles, files = setting.scale.impact_articles, setting.scale.impact_files
    setting.tell(f"{articles} articles")
    root = setting.folder / "impact"
    changed = make_repository(root, articles, files)
    size = f"{articles:,} articles × {files} changed files"
    grep = _grep(root, changed)
    yield Table(
        f"The articles that a change may concern, {size}",
        "git grep of the changed paths in the same articles",
        [row for call in _calls(root) for row in compare(grep, [call], setting.scale.effort)],
        "every article has four rules: a path, a glob, a definition and a key",
    )
    yield Table(
        f"Peak memory of a process, {size}",
        "steadyhand log --limit 1",
        list(_peaks(setting, root)),
    )


def make_repository(root: Path, articles: int, files: int) -> list[str]:
    """A repository whose branch changes the files; the articles name some of them each. The changed paths."""
    paths = [f"src/package_{number:03}/module.py" for number in range(files)]
    root.mkdir(parents=True)
    _git(root, "init", "-q", "-b", "main")
    for path in paths:
        _write(
            root / path, "".join(f"def function_{row}(x):\n    return x + {row}\n\n\n" for row in range(_DEFINITIONS))
        )
    _write(root / "config.yaml", "".join(f"key_{number}: {number}\n" for number in range(articles)))
    for number in range(articles):
        near, far = paths[number % files], paths[(number * 7) % files]
        rules = (
            f"  - op: file\n    path: {near if number % 2 else near.replace('src', 'other')}\n"
            f'  - op: file\n    path: "src/package_{number % (files * 2):03}/**"\n'
            f"  - op: symbol\n    path: {far}#function_{number % _DEFINITIONS}\n"
            f"  - op: key\n    path: config.yaml#key_{number}\n"
        )
        _write(
            root / f"docs/part_{number % 20}/a{number}.md",
            f"---\njrn: A{number}\nattention:\n{rules}---\n\n# A\n\n{_PROSE}",
        )
    _commit(root, "before")
    _git(root, "switch", "-q", "-c", "feature")
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        _write(root / path, text.replace("return x + 3\n", "return x + 33\n"))
    _write(root / "config.yaml", (root / "config.yaml").read_text(encoding="utf-8").replace("key_5: 5\n", "key_5: 6\n"))
    _commit(root, "after")
    return paths


def _calls(root: Path) -> list[Call]:
    return [
        Call("impact search", lambda: sh.impact.search(root)),
        Call("impact search, mentions too", lambda: sh.impact.search(root, mentions=True)),
        Call("impact lint", lambda: sh.impact.lint(root)),
        Call("impact extract", lambda: sh.impact.extract(root)),
    ]


def _grep(root: Path, paths: Sequence[str]) -> Call:
    patterns = [word for path in paths for word in ("-e", path)]
    command = ["git", "grep", "--count", "--fixed-strings", *patterns, "--", "docs"]
    return Call("git grep", lambda: subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=False))


def _peaks(setting: Setting, root: Path) -> Iterator[Row]:
    floor = _measured(setting, root, ["log", "--limit", "1"])
    for label, words in {"impact search": ["search"], "impact extract": ["extract", "--json"]}.items():
        setting.tell(f"{label}: memory")
        peaks = _measured(setting, root, ["impact", *words])
        base, value = statistics.median(floor), statistics.median(peaks)
        low, ratio, high = quartiles([peak / base for peak in peaks])
        yield Row(label, value, base, ratio, low, high, len(peaks), unit="B")


def _measured(setting: Setting, root: Path, words: Sequence[str]) -> list[int]:
    return [child.peak_memory(child.python(*_CLI, *words), cwd=root) for _ in range(setting.scale.memory_runs)]


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _commit(root: Path, message: str) -> None:
    _git(root, "add", "-A")
    _git(root, "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", message)


def _git(root: Path, *words: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", *words], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)


BENCH = Bench("impact", 46, run)
