"""One answer of the product against what its party had seen: an accepted change, or a conflict that was refused.

Where the rule of the product is finer than rows (who inserted first at a boundary), the oracle allows both answers;
where a row is shared, or text is gone, it allows one.
"""

from __future__ import annotations

from collections.abc import Iterator

from benches.fleet.evidence import Disagreement
from benches.fleet.knowing import Knowing, line_starts, rows_of
from benches.fleet.ledger import Said
from benches.fleet.rebuild import Party, Past, Version, parts_of, trimmed
from benches.fleet.tree import tokens_in
from steadyhand.workspace.journal.record import Entry, FileChange

_SHOWN = 10  # changes of others that one refusal names at most


def judge_accepted(past: Past, knowing: Knowing, asked: Said, done: Said) -> Iterator[Disagreement]:
    """Nothing that an accepted change took away, or shares a line with, was unknown to its party."""
    entry = past.by_id.get(done["id"])
    if entry is None:
        return
    for change in entry.record.files:
        before = past.before.get((entry.record.id, change.path))
        if before is None or not change.content_changed:
            continue
        if entry.record.verb != "edit":
            yield from _taken_back(past, entry, before, past.after.get((entry.record.id, change.path)), done)
        else:
            yield from _accepted(past, knowing, asked["move"], entry, change, before, done)


def judge_refused(past: Past, knowing: Knowing, asked: Said, refused: Said) -> Iterator[Disagreement]:
    """Whoever is named did change these lines, unseen, in a version that was there meanwhile; and all are named."""
    others = refused.get("with") or []
    if not others or "lines" not in refused:
        yield Disagreement.at(refused, "false", "a conflict with nobody")
        return
    path = refused["path"]
    versions = past.between(path, asked["head"], refused["head"])
    found = [_false(past, knowing, version, asked["move"], refused, others) for version in versions]
    if not versions or all(found):
        yield Disagreement.at(refused, "false", found[-1] if found else f"there is no {path}")
    is_between = any("insert" in edit for edit in asked["move"]["edits"])  # neighbours of a new line are not met
    quoted = asked["move"]["quotes"].get(path, "")
    is_merged = (
        bool(versions) and quoted not in versions[-1].text
    )  # only what the edit adds was merged into present lines
    is_met = not (is_between or is_merged or refused.get("moved"))
    if len(versions) == 1 and len(others) < _SHOWN and not found[0] and is_met:
        named = {str(other["record"]) for other in others}
        answer = {(other["actor"], other["task"]) for other in others}
        concerned = _concerned(past, knowing, versions[0], asked["move"], refused, named)
        missing = sorted(name for name in concerned if _party_of(past, name) not in answer)
        if missing:
            yield Disagreement.at(refused, "named", f"{', '.join(missing)} changed these lines too")


def _accepted(
    past: Past, knowing: Knowing, move: Said, entry: Entry, change: FileChange, before: Version, done: Said
) -> Iterator[Disagreement]:
    expect = move["expect"] if move["path"] == before.path else None
    if expect is not None and before.digest.startswith(expect):
        return
    known = past.with_digest(before.path, expect, up_to=done["head"]) if expect is not None else None
    if expect is not None and known is None:
        yield Disagreement.at(done, "missed", f"moved over from a version of {before.path} that never was")
        return
    news = knowing.unseen(before, surely=True, instead=known)
    forced = {name for note in change.edits for name in note.forced}
    news = {number for number in news if past.pieces[number - 1].record not in forced}
    gone, touched = _removed(change, before), _rows_touched(change, before)
    for number in sorted(news):
        piece = past.pieces[number - 1]
        is_back = knowing.has_seen_lines(before, rows_of(before, {number}) & touched)
        if is_back or _is_quoted(before, number, move["quotes"].get(before.path)):
            continue
        if number in gone:
            yield Disagreement.at(done, "lost", f"{entry.record.id} removed unseen text of {piece.record}")
        elif known is None and touched & _rows_with(before, number):
            yield Disagreement.at(done, "missed", f"{entry.record.id} is based on unseen lines of {piece.record}")


def _taken_back(past: Past, entry: Entry, before: Version, after: Version | None, done: Said) -> Iterator[Disagreement]:
    """An undo takes away what the undone records wrote, and nothing else."""
    undone = {mine for name in entry.record.undoes for mine in new_tokens(past, name)}
    gone = set(tokens_in(before.text)) - set(tokens_in(after.text) if after is not None else ())
    for mine in sorted(gone - undone):
        yield Disagreement.at(done, "lost", f"{entry.record.id} took {mine} away, which it is no undo of")


def new_tokens(past: Past, record: str) -> set[str]:
    """What a record wrote; a token may go to several files of one transaction and counts once."""
    found: set[str] = set()
    for path in past.paths.get(record, ()):
        before, after = past.before.get((record, path)), past.after.get((record, path))
        if after is not None:
            found |= set(tokens_in(after.text)) - set(tokens_in(before.text) if before is not None else ())
    return found


def _false(past: Past, knowing: Knowing, version: Version, move: Said, refused: Said, others: list[Said]) -> str:
    """What is untrue of a refusal if this is the version it speaks of; empty: nothing."""
    news = knowing.unseen(version, surely=False, instead=_instead(past, move, refused))
    rows = {row for line in range(refused["lines"][0] - 2, refused["lines"][1] + 1) for row in (line,)}
    for other in others:
        if other.get("record") is None:
            return "a change outside the journal that nobody made"
        pieces = {number for number in news if past.pieces[number - 1].record == other["record"]}
        if not pieces:
            return f"{other['record']} was seen, is gone, or is its own"
        if refused.get("moved"):  # lines above went or came
            rows |= set(range(refused["lines"][0]))
        if not rows & {row + shift for row in rows_of(version, pieces) for shift in (-1, 0, 1)}:
            return f"{other['record']} changed other lines"
        if [other["actor"], other["task"]] != list(past.pieces[min(pieces) - 1].party):
            return f"{other['record']} is not {other['actor']}'s"
    return ""


def _concerned(past: Past, knowing: Knowing, version: Version, move: Said, refused: Said, named: set[str]) -> set[str]:
    """Records of others, surely unseen, that share a line with what was refused.

    One that a named record wrote over is reported by that record, although some of its characters are as before.
    """
    news = knowing.unseen(version, surely=True, instead=_instead(past, move, refused))
    rows = set(range(refused["lines"][0] - 1, refused["lines"][1]))
    quoted = move["quotes"].get(version.path)
    concerned: set[str] = set()
    for number in news:
        shared = rows & _rows_with(version, number)
        over = {later for later in news if later > number and past.pieces[later - 1].record in named}
        hidden = {row for later in over for row in _rows_with(version, later)}
        record = past.pieces[number - 1].record
        is_undo = past.by_id[record].record.verb != "edit"  # may leave the line as it was seen
        is_seen = is_undo or knowing.has_seen_lines(version, shared - hidden)
        if shared - hidden and not is_seen and not _is_quoted(version, number, quoted):
            concerned.add(record)
    return concerned


def _party_of(past: Past, record: str) -> Party:
    found = past.by_id[record].record
    return found.actor, found.task


def _instead(past: Past, move: Said, refused: Said) -> Version | None:
    if move["expect"] is None or move["path"] != refused["path"]:
        return None
    return past.with_digest(move["path"], move["expect"], up_to=refused["head"])


def _rows_with(version: Version, number: int) -> set[int]:
    """The rows in which something of a piece is left; an ending that it left as it was, or put there, is too little."""
    starts = line_starts(version.text)
    return {row for row in range(len(starts) - 1) if number in version.labels[starts[row] : starts[row + 1] - 1]}


def _removed(change: FileChange, before: Version) -> set[int]:
    """The pieces of which something is gone after a change."""
    if change.changes is None:
        return set(before.labels) - {0} if change.after is None else set()
    parts = [trimmed(part) for splice in change.changes.splices for part in parts_of(splice)]
    places = [at for part in parts for at in range(part.start, part.end) if before.text[at] != "\n"]
    return {before.labels[at] for at in places} - {0}


def _rows_touched(change: FileChange, before: Version) -> set[int]:
    """The rows of the text before of which something is changed; lines put in between touch none."""
    if change.changes is None:
        return set()
    starts = line_starts(before.text)
    touched: set[int] = set()
    for part in (trimmed(part) for splice in change.changes.splices for part in parts_of(splice)):
        if not part.old and part.new.endswith("\n") and part.start in starts:
            continue
        end = max(part.end, part.start + 1)
        touched |= {row for row in range(len(starts) - 1) if starts[row] < end and part.start < starts[row + 1]}
    return touched


def _is_quoted(version: Version, number: int, quoted: str | None) -> bool:
    """Whether old text that was given shows a piece, or is nothing but words of it."""
    at = version.text.find(quoted) if quoted else -1
    if quoted is None or at < 0:
        return False
    inside = version.labels[at : at + len(quoted)]
    return number in inside
