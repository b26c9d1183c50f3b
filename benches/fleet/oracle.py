"""Whether the product kept its promises in one run: judged from the records as data, the ledger and the tree.

The rules, each with a name that is in every disagreement:

1. `chain`: every record starts from the version the one before it left, and the tree is what the last ones left.
2. `acknowledged`: what was acknowledged is a committed record, once; a record that was never acknowledged was under way
   when its process died, at most one for each death.
3. `twice`: a token is written by one record and is there once; what was refused is nowhere.
4. `lost`: what was acknowledged stays until somebody removes it who had seen it, quoted it, forced it or undid it.
5. `missed`: no accepted edit shares a line with text of others that its party had not seen and did not quote.
6. `false`: a refused conflict names records of others that this party had not seen, at the lines it was refused for.
7. `named`: it names all of them.
8. `sight`: what was read is a version that once was there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from benches.fleet.evidence import Disagreement, Evidence
from benches.fleet.judging import judge_accepted, judge_refused, new_tokens
from benches.fleet.knowing import Knowing
from benches.fleet.ledger import Said
from benches.fleet.rebuild import Party, Past, rebuild
from benches.fleet.tree import tokens_in


def judge(evidence: Evidence, past: Past | None = None) -> list[Disagreement]:
    """Every promise that was not kept; an empty list is the verdict one hopes for."""
    past = past or rebuild(evidence.entries, evidence.initial, evidence.image)
    return [
        *(Disagreement("chain", fault) for fault in past.faults),
        *_tree(past, evidence.final),
        *_acknowledged(evidence),
        *_twice(past, evidence),
        *_parties(past, evidence),
    ]


def _tree(past: Past, final: dict[str, str]) -> Iterator[Disagreement]:
    for path in sorted(past.tree.keys() | final.keys()):
        reported = past.tree.get(path)
        if reported is None or path not in final:
            yield Disagreement("chain", f"{path} is {'there' if reported is None else 'gone'}, which no record says")
        elif reported.text != final[path]:
            yield Disagreement("chain", f"{path} is not as the last record left it")


def _acknowledged(evidence: Evidence) -> Iterator[Disagreement]:
    recorded = Counter(entry.record.id for entry in evidence.entries)
    reported = Counter(line["id"] for line in evidence.said if line["what"] == "done")
    for line in evidence.said:
        if line["what"] == "done" and recorded[line["id"]] != 1:
            yield Disagreement.at(line, "acknowledged", f"{line['id']} is recorded {recorded[line['id']]} times")
    for name in (name for name, count in reported.items() if count > 1):
        yield Disagreement("acknowledged", f"{name} was given to {reported[name]} callers")
    silent = [entry.record for entry in evidence.entries if entry.record.id not in reported]
    if len(silent) > evidence.deaths:
        yield Disagreement("acknowledged", f"{len(silent)} records and {evidence.deaths} deaths that explain them")
    unanswered = unanswered_parties(evidence.said)
    for record in silent:
        if (record.actor, record.task) not in unanswered:
            yield Disagreement("acknowledged", f"{record.id} of {record.task} was never asked for, or refused")


def unanswered_parties(said: Sequence[Said]) -> set[Party]:
    """Whoever asked for something and was not answered."""
    waiting: dict[Party, bool] = {}
    unanswered: set[Party] = set()
    for line in said:
        party = (line["party"][0], line["party"][1])
        if waiting.get(party) and line["what"] not in ("done", "refused"):
            unanswered.add(party)
        waiting[party] = line["what"] == "ask"
    return unanswered | {party for party, is_waiting in waiting.items() if is_waiting}


def _twice(past: Past, evidence: Evidence) -> Iterator[Disagreement]:
    written: Counter[str] = Counter()
    for entry in past.entries:
        if entry.record.verb == "edit":
            # Whoever writes a deleted file again, or his version of lines over that of others, brings back what he had
            # written there; who is carried out twice writes nothing that was not there before.
            own = f"{entry.record.task}_"
            found = {mine for mine in new_tokens(past, entry.record.id) if mine.startswith(own)}
            is_new = all(change.is_create for change in entry.record.files)
            written.update(found - written.keys() if is_new or found - written.keys() else found)
    for path, version in past.tree.items():
        for mine, count in Counter(tokens_in(version.text)).items():
            if count > 1:
                yield Disagreement("twice", f"{mine} is there {count} times in {path}")
    for line, answer in _answers(evidence.said):
        is_kept = answer is not None and answer["what"] == "done" and answer["id"] in past.by_id
        for mine in line["move"]["tokens"] if is_kept else ():
            if written[mine] != 1:
                yield Disagreement.at(line, "twice", f"{mine} was acknowledged and written by {written[mine]} records")
    for mine in _refused_only(evidence.said) & written.keys():
        yield Disagreement("twice", f"{mine} was refused and is written all the same")


def _refused_only(said: Sequence[Said]) -> set[str]:
    """Tokens that were only ever refused."""
    refused: set[str] = set()
    other: set[str] = set()
    for line, answer in _answers(said):
        (refused if answer is not None and answer["what"] == "refused" else other).update(line["move"]["tokens"])
    return refused - other


def _answers(said: Sequence[Said]) -> Iterator[tuple[Said, Said | None]]:
    """Each question with its answer; None where its process died over it."""
    asked: dict[int, Said] = {}
    for line in said:
        agent = line["agent"]
        if agent in asked:
            yield asked.pop(agent), line if line["what"] in ("done", "refused") else None
        if line["what"] == "ask":
            asked[agent] = line
    for line in asked.values():
        yield line, None


def _parties(past: Past, evidence: Evidence) -> Iterator[Disagreement]:
    """The ledger of each party read again, with what it had seen at every moment."""
    lines: dict[Party, list[Said]] = {}
    for line in evidence.said:
        lines.setdefault((line["party"][0], line["party"][1]), []).append(line)
    for party, own in lines.items():
        begun = next((line for line in own if line["what"] == "begin"), None)
        if begun is not None:
            yield from _party(past, Knowing(past, party, (begun["head"], begun["head_after"])), own)


def _party(past: Past, knowing: Knowing, own: list[Said]) -> Iterator[Disagreement]:
    asked: Said | None = None
    for line in own:
        if line["what"] == "ask":
            asked = line
        elif line["what"] == "saw":
            if not knowing.saw(line["path"], line["digest"], line["lines"], line["head_after"]):
                yield Disagreement.at(line, "sight", f"{line['path']} never was {line['digest'][:12]}")
        elif line["what"] == "done" and asked is not None:
            yield from judge_accepted(past, knowing, asked, line)
            for path in past.paths.get(line["id"], ()):
                knowing.wrote(line["id"], path, is_whole=asked["move"]["call"] == "write")
        elif line["what"] == "refused" and line["kind"] == "conflict" and asked is not None:
            yield from judge_refused(past, knowing, asked, line)
