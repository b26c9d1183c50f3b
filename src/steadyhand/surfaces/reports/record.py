"""A run's record as documents show it: articles by status, hunks with their reasons, and what it cost. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from steadyhand.surfaces.terminal import counted

__all__ = ["HEADINGS", "Facts", "adoption", "articles_of", "error_of", "hunks_of", "stale_of", "summary", "text_of"]

Facts = Mapping[str, object]

# What a reader looks at first comes first.
HEADINGS = {
    "updated": "Changed",
    "partial": "Changed, but not finished",
    "failed": "Failed",
    "unchanged": "Judged to be right as it is",
    "skipped": "Skipped",
}


def articles_of(record: Facts, status: str | None = None) -> list[Facts]:
    """The articles of a run, all or those of one status, sorted by path."""
    found = record.get("articles")
    articles = cast("list[Facts]", found) if isinstance(found, list) else []
    chosen = [each for each in articles if status is None or each.get("status") == status]
    return sorted(chosen, key=lambda each: str(each.get("path")))


def stale_of(record: Facts) -> list[Facts]:
    """The articles that the change had made wrong."""
    return [each for each in articles_of(record) if each.get("status") in ("updated", "partial")]


def hunks_of(article: Facts) -> Iterator[tuple[str, list[str]]]:
    """Each changed part of an article, as a diff shows it, with the reasons for it."""
    patch = str(article.get("patch") or "")
    groups = article.get("hunkReasons")
    reasons = {
        str(group.get("hunk")): [str(each) for each in group.get("reasons", [])]
        for group in (groups if isinstance(groups, list) else [])
        if isinstance(group, dict)
    }
    part: list[str] = []
    for row in patch.splitlines():
        if row.startswith("@@ ") and part:
            yield "\n".join(part), reasons.get(part[0], [])
            part = []
        if part or row.startswith("@@ "):
            part.append(row)
    if part:
        yield "\n".join(part), reasons.get(part[0], [])
    elif patch and "@@ " not in patch:
        yield patch.rstrip("\n"), []


def error_of(article: Facts) -> str | None:
    """Why an article failed, in words."""
    error = article.get("error")
    return f"{error.get('kind')}: {error.get('message')}" if isinstance(error, dict) else None


def text_of(article: Facts) -> str | None:
    """Why an article was left or changed as a whole, as the model said it."""
    said = article.get("reasoning")
    return str(said) if said else None


def adoption(record: Facts) -> dict[str, int]:
    """How often articles were edited in places, and how often files were written as a whole; refusals left out."""
    made = {"edit_article": 0, "write_file": 0}
    for article in articles_of(record):
        usage = article.get("toolUsage")
        for name, counts in usage.items() if isinstance(usage, dict) else ():
            if name in made and isinstance(counts, dict):
                made[name] += int(counts.get("calls", 0)) - int(counts.get("refused", 0))
    return made


def summary(record: Facts) -> str:
    """The run in one line: how many articles of which status, tokens, time, how files were written."""
    by_status = [(name, len(articles_of(record, name))) for name in HEADINGS]
    counts = ", ".join(f"{number} {name}" for name, number in by_status if number) or "no article"
    tokens = sum(_number(each.get("tokens"), name) for each in articles_of(record) for name in ("input", "output"))
    seconds = sum(float(cast("float", each.get("seconds") or 0)) for each in articles_of(record))
    made = adoption(record)
    written = f"{counted(made['edit_article'], 'edit_article call')}, {counted(made['write_file'], 'write_file call')}"
    return f"{counts}; {counted(tokens, 'token')}, {seconds:.0f} s of conversation; {written}"


def _number(value: object, name: str) -> int:
    return int(value.get(name, 0)) if isinstance(value, dict) else 0


def evidence_texts(article: Facts) -> Sequence[str]:
    """Why an article was looked at, a line each."""
    found = article.get("evidence")
    items = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return [f"{each.get('changedFile')} ({each.get('matchType')})" for each in items]
