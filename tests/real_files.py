"""Real files for tests that draw some.

An ordinary run draws the same from one commit to the next: files of the corpus and of packages that `constraints.txt`
pins. This repository's own files change with every commit, so only a search draws from them, too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distributions
from itertools import islice
from pathlib import Path

from tests.conftest import IS_SEARCH

__all__ = ["CORPUS", "installed_files", "own_files", "real_files", "real_texts"]

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "tests" / "corpus"
_TEXTS = 200


@cache
def real_files() -> tuple[Path, ...]:
    """Files of the corpus, of pinned packages, and in a search those of this repository."""
    corpus = (path for path in sorted(CORPUS.rglob("*")) if path.is_file())
    return (*corpus, *installed_files(), *own_files())


@cache
def installed_files() -> tuple[Path, ...]:
    """Files of pinned packages, without what an installer writes beside them."""
    names = {_normalized(row.split("==")[0]) for row in (ROOT / "constraints.txt").read_text().splitlines()}
    pinned = sorted((one for one in distributions() if _normalized(one.name) in names), key=lambda one: one.name)
    files = {
        str(file): Path(str(one.locate_file(file)))
        for one in pinned
        for file in one.files or ()
        if ".." not in file.parts and not file.parts[0].endswith(".dist-info") and file.suffix != ".pyc"
    }
    return tuple(files[name] for name in sorted(files) if files[name].is_file())


def own_files() -> Iterator[Path]:
    """Files of this repository where a search asks for other examples in every run."""
    for folder in (ROOT / "src", ROOT / "docs") if IS_SEARCH else ():
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file())


@cache
def real_texts(suffix: str = ".py", at_least: int = 1_000, at_most: int = 40_000) -> tuple[str, ...]:
    """Some texts of so many bytes, in UTF-8 and with LF."""
    files = [path for path in (*installed_files(), *own_files()) if path.suffix == suffix]
    sized = [path for path in files if at_least <= path.stat().st_size < at_most]
    random.Random(15).shuffle(sized)
    texts = (_lf_text(path) for path in sized)
    return tuple(islice((text for text in texts if text is not None), _TEXTS))


def _lf_text(path: Path) -> str | None:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    return None if "\r" in text else text


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
