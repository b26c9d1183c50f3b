"""Which files a kit's tools may name: by their endings, and, where the host named one article, that one for changes.

Judged by the name alone; what a name leads to on disk is the workspace's matter.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import EditError, Kind
from steadyhand.workspace.refusal import shown

__all__ = ["check_article", "check_ending", "is_beside"]

_ENV = ".env"  # what follows makes another file of it, so such an entry is a whole name


def check_ending(path: str, endings: Sequence[str]) -> None:
    """Refuse with `not-allowed` a file that has none of the endings, which are listed.

    >>> check_ending("notes/a.MD", [".md"])
    >>> check_ending("deploy/.env.example", [".env.example"])
    """
    name = path.rstrip("/").rpartition("/")[2].casefold()
    if any(_fits(name, _dotted(ending)) for ending in endings):
        return
    raise EditError(
        Kind.NOT_ALLOWED,
        f"{shown(path)}: this kind of file is not allowed",
        hint=f"allowed: {' '.join(endings) or 'none'}",
        details={"path": shown(path)[1:-1], "extensions": list(endings)},
    )


def is_beside(path: str, article: str) -> bool:
    """Whether a file is in the folder of the article and of its kind.

    >>> is_beside("docs/b.md", "docs/a.md"), is_beside("docs/x/b.md", "docs/a.md"), is_beside("docs/b.py", "docs/a.md")
    (True, False, False)
    """
    here, there = _parts(path), _parts(article)
    ending = f".{there[-1].rpartition('.')[2]}" if there and "." in there[-1] else ""
    return (
        ".." not in here and here[:-1] == there[:-1] and here != there and here[-1:] != [] and here[-1].endswith(ending)
    )


def check_article(path: str, article: str, *, allow_new: bool = False) -> None:
    """Refuse with `not-allowed` to change any file but the article."""
    if _parts(path) == _parts(article):
        return
    new = " or write a new page beside it" if allow_new else ""
    raise EditError(
        Kind.NOT_ALLOWED,
        f"{shown(path)} is not this task's article, {shown(article)}",
        hint=f"change only {article}{new}; read any file",
        details={"path": shown(path)[1:-1], "article": article},
    )


def _dotted(ending: str) -> str:
    folded = ending.casefold()
    return folded if folded.startswith(".") else f".{folded}"


def _fits(name: str, ending: str) -> bool:
    return name == ending if ending.startswith(_ENV) else name.endswith(ending) and name != ending


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]
