"""The planner against the dullest planner there is: put the text together after every edit and look at it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steadyhand.plan import draft as draft_module
from steadyhand.plan import many_edits
from steadyhand.plan.edit import Delete, Edit, Insert, Old, Replace
from steadyhand.plan.new_text import fit_endings, fit_insertion, fit_lines
from steadyhand.plan.preview import Policy, edit
from steadyhand.structure.lines import Lines
from steadyhand.text.diff import diff_rows
from steadyhand.text.lines import NewlineFacts, line_ending, split_lines, to_lf
from steadyhand.text.source import Source
from steadyhand.text.words import shared_words
from tests.checks import check_laws
from tests.sampling import examples


class DullText:
    """A text, for each character which write it comes from (0: none), for each gap whether an edit deleted there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.cut = [False] * (len(text) + 1)
        self.author = [0] * len(text)
        self.step = 0

    def is_taken(self, start: int, end: int) -> bool:
        """Whether a span touches what was written or straddles a deletion; a position, whether it splits new text."""
        if start == end:
            return 0 < start < len(self.text) and 0 < self.author[start - 1] == self.author[start]
        return any(self.author[start:end]) or any(self.cut[start + 1 : end])

    def replace(self, start: int, end: int, new: str) -> None:
        inner = [True] if not new else [self.cut[start], *[False] * (len(new) - 1), self.cut[end]]
        self.cut[start : end + 1] = inner
        self.step += 1
        self.author[start:end] = [self.step] * len(new)
        self.text = self.text[:start] + new + self.text[end:]


def every_place(text: str, needle: str, *, apart: bool) -> Iterator[tuple[int, int]]:
    """Exact places, else places that are equal once every ending is LF, all by trying each start and end."""
    skip = 0
    for at in range(len(text)):
        inside = needle[0] == "\n" and at > 0 and text[at - 1] == "\r"
        if at >= skip and text.startswith(needle, at) and not inside:
            yield at, at + len(needle)
            skip = at + len(needle) if apart else 0


def every_loose_place(text: str, needle: str, *, apart: bool) -> Iterator[tuple[int, int]]:
    plain = needle.replace("\r\n", "\n").replace("\r", "\n")
    only_endings = not plain.strip("\n") and "\r" in needle
    if "\n" not in plain or only_endings or needle.endswith("\r") or (needle[0] == "\r" and needle[:2] != "\r\n"):
        return
    skip = 0
    for at in range(len(text)):
        for end in range(at + 1, min(len(text), at + 2 * len(needle)) + 1):
            splits = any(text[max(cut - 1, 0) : cut + 1] == "\r\n" for cut in (at, end))
            loose = text[at:end].replace("\r\n", "\n").replace("\r", "\n")
            if at >= skip and loose == plain and not splits:
                yield at, end
                skip = end if apart else 0
                break


@dataclass(frozen=True)
class Step:
    """What an edit refers to, and what it puts where."""

    match: tuple[int, int]
    span: tuple[int, int]
    new: str


def dull_steps(
    text: str, verb: Edit, usual: str, taken: Sequence[Step] = (), *, is_alone: bool, uniform: str | None
) -> list[Step] | str:
    """What one edit would do to a text, or the kind of its refusal; `taken` is around what it puts in."""
    if isinstance(verb, Replace) and isinstance(verb.target, Old) and verb.new == verb.target.text:
        return "no-change"
    if uniform is not None and not isinstance(verb, Delete) and "\r\n" in verb.text:
        verb = replace(verb, **{"new" if isinstance(verb, Replace) else "text": verb.text.replace("\r\n", "\n")})
    places = dull_lines(text, verb) if isinstance(verb.target, Lines) else dull_old(text, verb, usual)
    if isinstance(places, str):
        return places
    steps = []
    quoted = verb.target.text if isinstance(verb.target, Old) else ""
    is_loose = "\r\n" in quoted and not any(text[start:end] == quoted for start, end in places)
    for start, end in places:
        at = start if isinstance(verb, Insert) and verb.where in ("before", "start") else end
        span = (at, at) if isinstance(verb, Insert) else (start, end)
        if isinstance(verb, Replace) and isinstance(verb.target, Old):
            steps += dull_rows(text, start, end, quoted, verb.new, is_loose=is_loose, is_alone=is_alone)
            continue
        before = dull_cut(text[: span[0]], [step for step in taken if step.span[1] <= span[0]])[-1:]
        steps.append(Step((start, end), span, dull_text(text, verb, *span, before=before, is_loose=is_loose)))
    return steps


def dull_rows(text: str, start: int, end: int, old: str, new: str, *, is_loose: bool, is_alone: bool) -> list[Step]:
    """What is written of a replacement: rows that change and, beside other edits, of these what words do not share."""
    old, new = (side.replace("\r\n", "\n") if is_loose else side for side in (old, new))
    rows, quoted, brought = split_lines(text[start:end]), split_lines(old), split_lines(new)
    if len(rows) != len(quoted):
        return [
            Step((start, end), (start, end), fit_endings(new, text[start:end], Source.of_text(text).newline_at(start)))
        ]
    keys, others = ([to_lf(row) for row in side] for side in (quoted, brought))
    if keys == others:
        keys, others = quoted, brought
    steps = []
    for change in diff_rows(keys, others):
        first = start + len("".join(rows[: change.before_start]))
        region, put = (
            "".join(side)
            for side in (rows[change.before_start : change.before_end], brought[change.after_start : change.after_end])
        )
        above = line_ending(rows[change.before_start - 1]) if change.before_start and not region else ""
        put = fit_endings(put, region, above or Source.of_text(text).newline_at(first))
        head, tail = shared_words(region, put) if region and put and not is_alone else (0, 0)
        span = (first + head, first + len(region) - tail)
        steps.append(Step(span, span, put[head : len(put) - tail]))
    return steps


def dull_old(text: str, verb: Edit, usual: str) -> list[tuple[int, int]] | str:
    assert isinstance(verb.target, Old)
    old, wanted = verb.target.text, verb.occurrence or usual
    places = list(every_place(text, old, apart=wanted != "unique"))
    loose = list(every_loose_place(text, old, apart=wanted != "unique"))
    if not places or ("\r" not in old and len(loose) > len(places)):
        places = loose
    if not places:
        return "absent"
    if wanted == "unique" and len(places) > 1:
        return "ambiguous-match"
    if isinstance(wanted, int):
        return [places[wanted - 1]] if wanted <= len(places) else "count-mismatch"
    return {"first": places[:1], "last": places[-1:]}.get(wanted, places)


def dull_lines(text: str, verb: Edit) -> list[tuple[int, int]] | str:
    assert isinstance(verb.target, Lines)
    rows, first, last = split_lines(text), verb.target.start, verb.target.end
    if verb.occurrence == 2:
        return "count-mismatch"
    if last < first - 1:
        return "bad-request"
    if first < 1 or first > len(rows) + 1 or last > len(rows):
        return "out-of-bounds"
    return [(len("".join(rows[: first - 1])), len("".join(rows[:last])))]


def dull_text(text: str, verb: Edit, start: int, end: int, *, before: str, is_loose: bool) -> str:
    """What is written; where CR LF in the old text stands for other endings, it does so in the new text as well."""
    region, newline = text[start:end], Source.of_text(text).newline_at(start)
    if isinstance(verb.target, Old):
        return fit_endings(verb.text.replace("\r\n", "\n") if is_loose else verb.text, region, newline)
    if region:
        return fit_lines(verb.text, region, newline, literal=False)
    return fit_insertion(verb.text, newline, before=before, is_end=start == len(text), literal=False)


def dull_plan(text: str, edits: list[Edit], usual: str) -> tuple[str, list[str]]:
    """The text after in partial mode, and what became of each edit in one word."""
    state, fates, uniform = DullText(text), [], NewlineFacts.of(text).uniform
    for verb in edits:
        steps = dull_steps(state.text, verb, usual, is_alone=len(edits) == 1, uniform=uniform)
        if isinstance(steps, str):
            fates.append(steps)
        elif any(state.is_taken(*step.match) for step in steps):
            fates.append("overlapping-edits")
        elif all(state.text[slice(*step.span)] == step.new for step in steps):
            fates.append("no-change")
        else:
            for step in reversed(steps):
                state.replace(*step.span, step.new)
            fates.append("applied")
    return state.text, fates


def dull_snapshot(text: str, edits: list[Edit], usual: str) -> tuple[str, list[str]]:
    """The same for a snapshot: every edit sees the original, and the first to take a character has it.

    Lines that are put in come after all others where the last line has no ending: it may get one, or go away.
    """
    taken: list[Step] = []
    fates: dict[int, str] = {}
    is_open, uniform = not text.endswith(("\n", "\r")), NewlineFacts.of(text).uniform
    for index in sorted(range(len(edits)), key=lambda index: is_open and puts_lines_in(edits[index])):
        steps = dull_steps(text, edits[index], usual, taken, is_alone=len(edits) == 1, uniform=uniform)
        if isinstance(steps, str):
            fates[index] = steps
        elif any(a < d and c < b for (a, b) in (s.span for s in steps) for (c, d) in (t.span for t in taken)):
            fates[index] = "overlapping-edits"
        elif all(text[slice(*step.span)] == step.new for step in steps):
            fates[index] = "no-change"
        else:
            taken += steps
            fates[index] = "applied"
    return dull_cut(text, taken), [fates[index] for index in range(len(edits))]


def puts_lines_in(verb: Edit) -> bool:
    target = verb.target
    return isinstance(target, Lines) and (isinstance(verb, Insert) or target.is_empty)


def dull_cut(text: str, taken: Sequence[Step]) -> str:
    """A text with pieces of it replaced."""
    after, position = "", 0
    for step in sorted(taken, key=lambda step: step.span):
        after += text[position : step.span[0]] + step.new
        position = step.span[1]
    return after + text[position:]


def fates_of(result: object) -> list[str]:
    found = []
    for outcome in result.outcomes:  # type: ignore[attr-defined]
        kind = "applied" if outcome.applied else str(outcome.error.kind)
        found.append("absent" if kind in ("no-match", "already-applied") else kind)
    return found


texts = st.text(alphabet="ab\n", max_size=40) | st.lists(st.sampled_from(["a", "b", "\r\n", "\n", "\r"])).map("".join)
pieces = st.text(alphabet="ab\n", min_size=1, max_size=4) | st.sampled_from(["a\r\nb", "\r", "\r\n", "b\r\n", "\ra"])
news = st.text(alphabet="abX\n", max_size=4) | st.sampled_from(["X\r\nY", "\r", "X\n\nY\n"])
occurrences = st.sampled_from([None, None, None, "unique", "first", "last", "all", 1, 2])
ranges = st.builds(Lines, st.integers(0, 6), st.none() | st.integers(0, 7))
targets = st.one_of(pieces, pieces, ranges)
verbs = st.one_of(
    st.builds(Replace, targets, news, occurrence=occurrences),
    st.builds(Delete, targets, occurrence=occurrences),
    st.builds(
        Insert, targets, news, where=st.sampled_from(["before", "after", "start", "end"]), occurrence=occurrences
    ),
)


@st.composite
def batches(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text of one kind of line ending, and edits most of whose old texts are in it: short, long, overlapping, new.

    What is written is made of the same words, so that edits make places for each other and take them away.
    """
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    words = draw(st.lists(st.sampled_from(["ab", "b", "aba", " ", "_x", ending, ending * 2]), min_size=1, max_size=20))
    text = "".join(words)
    slices = st.tuples(st.integers(0, len(text)), st.integers(1, 50)).map(lambda pair: text[pair[0] : sum(pair)])
    misses = st.sampled_from(["abba", "x\nx", "aab_", "  ", "ab" * 20])
    olds = (slices | slices | misses).filter(bool).map(lambda old: draw(st.sampled_from([old, to_lf(old)])))
    texts = st.lists(st.sampled_from(["ab", "b", "a", "_x", "\n", ""]), max_size=3).map("".join)
    verbs = st.one_of(
        st.builds(Replace, olds, texts, occurrence=occurrences),
        st.builds(Delete, olds, occurrence=occurrences),
        st.builds(Insert, olds, texts, where=st.sampled_from(["before", "after"]), occurrence=occurrences),
    )
    return text, draw(st.lists(verbs, min_size=1, max_size=8))


@pytest.fixture(scope="module", params=["plain", "indexed"])
def _way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways of searching must give the same: the index is usually kept for long texts and many edits."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "indexed":
            patch.setattr(draft_module, "_MANY_NEEDLES", 1)
            patch.setattr(draft_module, "_LONG_TEXT", 0)
            patch.setattr(draft_module, "_READ_COST", 0)
            patch.setattr(many_edits, "_FEW", 1)
            patch.setattr(many_edits, "_LOOK", 1)
        yield


@pytest.mark.usefixtures("_way")
@examples(20)
@given(texts, st.lists(verbs, max_size=6), st.sampled_from(["unique", "first", "all"]))
@example("ab\r\nab", [Insert("\n", "X"), Replace("b\nX", "Y")], "first")
@example("abab", [Delete("b", occurrence=1), Replace("aa", "X")], "unique")
@example("x\r\n", [Replace("x", "a\rb"), Replace("a\nb", "Z")], "unique")
@example("b", [Insert("b", "\r"), Delete("b\r\n")], "unique")
@example("ab\nc\n", [Replace("a", "X\n"), Replace("b", "Y"), Delete(Lines(3))], "unique")
def test_a_sequential_batch_does_what_rebuilding_the_text_after_every_edit_does(
    text: str, edits: list[Edit], occurrence: str
) -> None:
    expected, fates = dull_plan(text, edits, occurrence)
    result = edit(text, edits, policy=Policy(tier="newline", partial=True, occurrence=occurrence, guards=frozenset()))  # type: ignore[arg-type]
    assert fates_of(result) == fates
    assert result.text == expected
    check_laws(text, edits, result)


@pytest.mark.usefixtures("_way")
@examples(20)
@given(batches(), st.sampled_from(["sequential", "snapshot"]), st.sampled_from(["unique", "first"]))
def test_edits_that_make_places_for_each_other_and_take_them_away_see_the_text_as_it_is(
    made: tuple[str, list[Edit]], batch: str, occurrence: str
) -> None:
    text, edits = made
    dull = dull_plan if batch == "sequential" else dull_snapshot
    expected, fates = dull(text, edits, occurrence)
    policy = Policy(tier="newline", batch=batch, partial=True, occurrence=occurrence, guards=frozenset())  # type: ignore[arg-type]
    result = edit(text, edits, policy=policy)
    assert fates_of(result) == fates
    assert result.text == expected
    check_laws(text, edits, result)


@pytest.mark.usefixtures("_way")
@given(texts, st.lists(verbs, max_size=6), st.sampled_from(["unique", "first", "all"]))
def test_a_snapshot_batch_does_what_cutting_the_original_into_pieces_does(
    text: str, edits: list[Edit], occurrence: str
) -> None:
    expected, fates = dull_snapshot(text, edits, occurrence)
    policy = Policy(tier="newline", batch="snapshot", partial=True, occurrence=occurrence, guards=frozenset())  # type: ignore[arg-type]
    result = edit(text, edits, policy=policy)
    assert fates_of(result) == fates
    assert result.text == expected
    check_laws(text, edits, result)


rows = st.lists(
    st.sampled_from(["    a = b", "  if b:", "a", "b a", "\tx", "", "  ", "a b\r"]), min_size=1, max_size=6
).map("\n".join)


@given(rows, st.data())
def test_old_text_that_is_there_once_is_located_and_written_as_the_tiers_would(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, max(len(text) - 1, 0)))
    old = text[start : start + data.draw(st.integers(1, 12))]
    new = data.draw(rows | st.sampled_from(["", "X", " X", "x\r\ny"]))
    at_once, asked = (edit(text, [Replace(old, new, occurrence=which)]) for which in (None, "unique"))
    is_once = sum(text.startswith(old, at) for at in range(len(text))) == 1
    if is_once and old[0] not in " \t" and asked.ok:  # a line with other indentation may be meant by such text
        assert at_once.text == asked.text
        assert [one.to_json() for one in at_once.outcomes] == [one.to_json() for one in asked.outcomes]
        assert at_once.changes == asked.changes
