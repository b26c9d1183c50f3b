"""The benches run, at a tiny scale: each prints its tables. How fast anything is, is nobody's business here.

Accuracy: cases are read, answers judged and counted, and a contestant that hangs or dies has crashed on that case.
`make sweep` runs them: no promise to a user hangs on a bench.
"""

from __future__ import annotations

import dataclasses
import gc
import gzip
import json
import sys
from pathlib import Path

import pytest

import steadyhand as sh
from benches.accuracy.__main__ import main as accuracy
from benches.accuracy.adapters.strfind import patch, replace
from benches.accuracy.cases import Case, CasesError, load_cases
from benches.accuracy.contestants import Standing, contestants
from benches.accuracy.floors import Floor, check_floors, read_floors
from benches.accuracy.on_disk import run_on_file, strip_of, version_of
from benches.accuracy.progress import Progress
from benches.accuracy.question import Answer, Op, Question, fenced
from benches.accuracy.replies import Agreement, pairs_of
from benches.accuracy.score import Score, judge
from benches.accuracy.study import write_studies
from benches.accuracy.tally import Count, misquoted, sums_of, verbatim
from benches.accuracy.worker import Worker
from benches.bench import TINY, Setting, benches
from benches.clock import Call, Effort, compare
from benches.documents import Document, document, documents, lines_changed, verdict
from benches.load import measure, render
from benches.parsers import parser_of
from benches.patches import (
    Rewrite,
    apply_by_hand,
    by_turns,
    is_done,
    lay_out,
    long_rewrite,
    patch_by_hand,
    small_rewrites,
    unified,
)
from benches.peers import Peer, Unavailable, peer_tables
from benches.programs import PROGRAMS, Program
from benches.run import main
from benches.subjects.structure import edit_of
from benches.table import Row, Table
from tests.table import table

pytestmark = pytest.mark.sweep

SUBJECTS = {
    "exact": ["Exact edit in memory"],
    "guarded": ["Exact edit of a .py file in memory", "Exact edit of a .html file in memory"],
    "speed": ["One edit near the end of the file"],
    "batch": ["20 edits to one file of 60 KB"],
    "commit": ["Durable change of one file of 4 KB", "Durable change of 10 files of 4 KB"],
    "journal": ["A journal of 151 records"],
    "audit": ["The account of a journal of 151 records", "Peak memory of a process, a journal of 151 records"],
    "review": ["A review of the changes of a task"],
    "fleet": [
        "A durable commit, processes at work at once",
        "One edit checked for conflicts, a journal of",
        "One file read",
    ],
    "impact": [
        "The articles that a change may concern, 20 articles × 5 changed files",
        "Peak memory of a process, 20 articles × 5 changed files",
    ],
    "startup": ["Start-up: wall time of a process", "Start-up: the first parse of a process"],
    "memory": ["Peak memory of a process, file of 200 KB, ASCII"],
    "diff": ["Unified diff of files", "Three-way merge of files", "Old text that is not in a file"],
    "dialects": [
        "A reply of 24 edits, read\n",
        "A reply of 6 edits, read while it arrives",
        "A reply of 24 edits, read and",
    ],
    "patch": [
        "A diff of 24 hunks, read",
        "A diff of 24 hunks, applied to a file of 240 lines",
        "A patch for 6 files of 4 KB",
        "Peak memory of a process, a diff of 24 hunks",
    ],
    "structure": [
        "One place found and changed by structure, 8 KB",
        "3 places changed by structure in one call, 4 KB",
    ],
    "hostile": ["Hostile inputs"],
    "bulk": ["16 jobs in 16 trees", "The most memory that a process has while it adds jobs"],
    "mcp": [
        "Round trip of one edit over stdio",
        "Tokens that a model reads",
        "Start-up of the MCP server, and its end",
        "Memory of the MCP server",
    ],
    "answers": ["Tokens of typical answers, as text", "Tokens of an answer over MCP, as text"],
}


NEVER_REFUSED = ("dialects", "patch", "structure")


def test_every_subject_is_tried_here() -> None:
    assert [bench.name for bench in benches()] == list(SUBJECTS)


@pytest.fixture
def _small_heap() -> None:
    """A bench has the garbage taken away before every turn, and need not look through what all tests before it left."""
    gc.collect()
    gc.freeze()


@pytest.mark.usefixtures("_small_heap")
@pytest.mark.parametrize("name", SUBJECTS)
def test_a_subject_runs_and_prints_its_tables(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--scale", "tiny", "--no-peers", "--folder", str(tmp_path), "--only", name]) == 0
    out, progress = capsys.readouterr()
    for title in SUBJECTS[name]:
        assert title in out
    assert out.count("floor: ") >= len(SUBJECTS[name])
    for word in ("given up", "CRASHED", "WRONG", *(["refused"] if name in NEVER_REFUSED else [])):
        assert word not in out
    assert f"… {name}" in progress
    assert list(tmp_path.iterdir()) == [], "a run leaves nothing behind"


def test_json_holds_the_same_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--scale", "tiny", "--no-peers", "--folder", str(tmp_path), "--only", "commit", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert answer["machine"]["cores"] >= 1
    single, several = answer["tables"]
    assert [row["label"] for row in several["rows"]] == ["one transaction", "10 calls of ws.edit"]
    for row in single["rows"]:
        assert row["value"] > 0
        assert row["floor"] > 0
        assert row["low"] <= row["ratio"] <= row["high"]


def test_a_peer_that_cannot_be_had_is_a_row_that_says_so(tmp_path: Path) -> None:
    peer = Peer("no-such-package", "aider", (99, 0), ("edit",))
    (table,) = peer_tables(Setting(TINY, tmp_path, with_peers=True), "edit", [peer])
    (row,) = table.rows
    assert row.value is None
    assert "not measured: needs Python 99.0" in row.remark


def test_a_call_that_passes_the_limit_is_given_up() -> None:
    def endless() -> None:
        while True:
            pass

    quick, slow = compare(
        lambda: None, [Call("quick", lambda: 1), Call("slow", endless)], Effort(rounds=2, seconds=0.1, limit=0.2)
    )
    assert quick.ratio is not None
    assert slow.value is None
    assert "given up" in slow.remark


def test_preparation_comes_before_every_turn_and_calls_take_turns() -> None:
    turns: list[str] = []
    call = Call("b", lambda: turns.append("b"), lambda: turns.append("prepare b"))
    floor = Call("a", lambda: turns.append("a"), lambda: turns.append("prepare a"))
    compare(floor, [call], Effort(rounds=2, seconds=1.0))
    once = ["prepare a", "a", "prepare b", "b"]
    assert turns == once + once + ["prepare b", "b", "prepare a", "a"]


def test_a_table_is_aligned() -> None:
    rows = [Row("short", 0.0012, 0.0006, 2.0, 1.9, 2.1, 15), Row("a longer label", None, remark="not measured: …")]
    lines = Table("Title", "the floor", rows).render().splitlines()
    assert lines[:3] == ["Title", "floor: the floor", ""]
    assert lines[3].startswith("what            ")
    assert lines[5] == "short           1.20 ms  600 µs  ×2.00    1.90–2.10    15"
    assert lines[6].endswith("–  not measured: …")


def test_a_long_patch_by_hand_gives_the_text_after_and_its_way_back_the_text_before() -> None:
    rewrite = long_rewrite(30)
    assert len(rewrite.changes) == 30
    assert apply_by_hand(rewrite.text, unified([rewrite])) == rewrite.after()
    assert rewrite.reversed().after() == rewrite.text
    assert apply_by_hand(rewrite.after(), unified([rewrite.reversed()])) == rewrite.text
    assert unified([rewrite], off=7) != unified([rewrite])


def test_a_patch_for_many_files_goes_there_and_back_by_turns(tmp_path: Path) -> None:
    rewrites = small_rewrites(4)
    ways_back = [rewrite.reversed() for rewrite in rewrites]
    lay_out(tmp_path, rewrites)
    turn = by_turns(lambda diff: patch_by_hand(tmp_path, diff), unified(rewrites), unified(ways_back))
    for wanted in (rewrites, ways_back, rewrites):
        assert not is_done(tmp_path, wanted)
        turn()
        assert is_done(tmp_path, wanted)


@table("given", list(documents(5_000)), ids=lambda given: given.format)
def test_a_document_has_places_all_over_it_and_each_edit_is_the_right_answer(given: Document) -> None:
    assert given == document(given.format, 5_000)
    assert 5_000 <= len(given.text) < 7_000
    assert parser_of(given.format)(given.text) is not None
    for spot in given.spots:
        done = sh.edit(given.text, [edit_of(given, spot)], path=given.path)
        assert done.text == given.after([spot]) != given.text
    spots = given.spread(3)
    assert len({spot.number for spot in spots}) == 3
    assert lines_changed(given.text, given.after(spots)) >= (0 if given.format == "Markdown" else 3)


def test_what_a_peer_did_to_everything_else_is_reported() -> None:
    given = document("YAML", 2_000)
    right = given.after([given.middle])
    assert verdict(given, right) == "every other byte kept"
    assert (
        verdict(given, right.replace("version: 2", "version:  2")) == f"1 of {right.count(chr(10))} other lines changed"
    )
    assert verdict(given, right + "# more\n") == "every other line kept, in another order or with more between them"


@table("program", [program for program in PROGRAMS if program.is_there], ids=lambda it: it.name)
def test_programs_take_the_patches_they_are_measured_with(program: Program, tmp_path: Path) -> None:
    rewrites: list[Rewrite] = [long_rewrite(20), *small_rewrites(3)]
    (tmp_path / "all.diff").write_text(unified(rewrites), encoding="utf-8")
    lay_out(tmp_path / "files", rewrites)
    program.run(tmp_path / "files", tmp_path / "all.diff")
    assert is_done(tmp_path / "files", rewrites)


def test_a_program_that_is_not_there_says_so() -> None:
    absent = Program("nothing", ("no-such-program-anywhere",))
    assert not absent.is_there
    assert absent.absence == "not measured: there is no no-such-program-anywhere on the path"
    with pytest.raises(SystemExit, match="no no-such-program-anywhere on the path"):
        version_of("no-such-program-anywhere")


BEFORE = "def f():\n    return 1\n"
AFTER = "def f():\n    return 2\n"
OPS = (Op("return 1", "return 2"),)


def case(
    expected: str | None = AFTER,
    *,
    id: str = "one",
    category: str = "exact",
    language: str = "python",
    near: tuple[str, ...] = (),
    question: Question | None = None,
) -> Case:
    return Case(id, category, language, question or Question("ops", "f.py", BEFORE, OPS), expected, near)


def row(id: str, category: str, expected: str | None, **fields: object) -> dict[str, object]:
    base = {"id": id, "category": category, "language": "python", "path": "f.py", "before": BEFORE}
    return {**base, "expected": expected, **fields}


def ops(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"old": old, "new": new} for old, new in pairs]


DIFF = "--- a/f.py\n+++ b/f.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 2\n"
ROWS = [
    row("right", "exact", AFTER, ops=ops(("return 1", "return 2"))),
    row("absent", "refuse-not-found", None, ops=ops(("class Nowhere(Nothing):", "pass"))),
    row("half", "refuse-partial-multi", None, ops=ops(("return 1", "return 2"), ("class Nowhere(Nothing):", "pass"))),
    row("patch", "diff-exact", AFTER, diff=DIFF),
    row("lazy", "llm-lazy-exact", AFTER, snippet="whatever", reply="```\nwhatever\n```\n"),
    row("said", "llm-sr-exact", AFTER, ops=ops(("return 1", "return 2")), reply=f"Here:\n\n{DIFF}"),
]


@pytest.fixture
def cases_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "cases"
    folder.mkdir()
    lines = [json.dumps(entry) + "\n" for entry in ROWS]
    (folder / "a.jsonl").write_text("".join(lines[:2]), encoding="utf-8")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress("".join(lines[2:]).encode()))
    (folder / "README.md").write_text("not cases\n", encoding="utf-8")
    return folder


@table(
    ("asked", "answer", "score", "how"),
    [
        pytest.param(case(None), Answer(True, AFTER), "wrong", "other text", id="applied what must be refused"),
        pytest.param(case(None), Answer(True, BEFORE), "wrong", "no-op", id="says applied, must be refused"),
        pytest.param(case(None), Answer(False, AFTER), "wrong", "partial", id="refused but changed"),
        pytest.param(case(), Answer(True, BEFORE), "wrong", "no-op", id="says applied and did nothing"),
        pytest.param(case(), Answer(False, AFTER), "wrong", "partial", id="refused, and the text is the right one"),
        pytest.param(case(), Answer(True, "def f():\n  return 2\n"), "wrong", "other text", id="indentation of Python"),
        pytest.param(case(), Answer(True, AFTER + "# x\n"), "wrong", "other text", id="a line too many"),
        pytest.param(case(), Answer(False, BEFORE, crashed=True), "crash", "", id="a crash"),
        pytest.param(case(None), Answer(False, BEFORE, crashed=True), "crash", "", id="a crash is no refusal"),
        pytest.param(case(), Answer(False, BEFORE), "refused", "", id="refused"),
        pytest.param(case(), Answer(True, AFTER.replace("\n", "\r\n")), "near", "", id="line endings"),
        pytest.param(case(), Answer(True, AFTER + "\n"), "near", "", id="a blank line"),
        pytest.param(case(language="c"), Answer(True, "def f():\nreturn 2\n"), "near", "", id="indentation of C"),
        pytest.param(case("say “x”\n"), Answer(True, 'say "x"\n'), "near", "", id="typography"),
        pytest.param(case(near=("other\n",)), Answer(True, "other\n"), "near", "", id="named as near"),
        pytest.param(
            case(None, near=("other\n",)), Answer(True, "other\n"), "wrong", "other text", id="near a refusal"
        ),
    ],
)
def test_what_is_not_correct_gets_its_own_score(asked: Case, answer: Answer, score: Score, how: str) -> None:
    verdict = judge(asked, answer)
    assert (verdict.score, verdict.how) == (score, how)


def test_correct_is_the_expected_text_to_the_byte_or_a_refusal_where_one_is_due() -> None:
    assert judge(case(), Answer(True, AFTER)).score == "correct"
    assert judge(case(None), Answer(False, BEFORE)).score == "correct"


@table(
    ("text", "complaint"),
    [
        ("{}\n", "line 1"),
        (json.dumps(ROWS[0]) + "\nnot json\n", "line 2"),
        (json.dumps(row("x", "y", None)) + "\n", "none of ops, diff, snippet, reply"),
        (json.dumps(row("x", "y", None, ops="text")) + "\n", "ops is no list"),
        (json.dumps(row("x", "y", None, ops=[{"old": "a"}])) + "\n", "'new'"),
    ],
)
def test_a_line_that_is_no_case_is_named_and_not_left_out(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(CasesError, match=complaint):
        load_cases(tmp_path)


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"{}\n")[:-4])
    with pytest.raises(CasesError, match=r"a\.jsonl\.gz"):
        load_cases(tmp_path)


def test_plain_and_packed_files_are_read_in_order(cases_folder: Path) -> None:
    cases = load_cases(cases_folder)
    assert [(each.id, each.kind, each.must_apply) for each in cases] == [
        ("right", "ops", True),
        ("absent", "ops", False),
        ("half", "ops", False),
        ("patch", "diff", True),
        ("lazy", "snippet", True),
        ("reply/lazy", "reply", True),
        ("said", "ops", True),
        ("reply/said", "reply", True),
    ]
    assert cases[0].question == Question("ops", "f.py", BEFORE, OPS)
    assert cases[3].question.text == DIFF


def test_a_case_with_a_reply_is_asked_twice_with_the_same_answer(cases_folder: Path) -> None:
    parsed, reply = load_cases(cases_folder, ["said"])
    assert (reply.parsed, reply.category) == ("said", "reply/llm-sr-exact")
    assert (reply.expected, reply.question.before, reply.question.ops) == (AFTER, BEFORE, parsed.question.ops)
    assert parsed.parsed == ""


@pytest.mark.parametrize(
    ("only", "ids"),
    [
        (["exact", "patch"], ["right", "patch"]),
        (["refuse-*"], ["absent", "half"]),
        (["llm-sr-exact"], ["said", "reply/said"]),
        (["reply/*"], ["reply/lazy", "reply/said"]),
        (["reply/said"], ["reply/said"]),
        (["nonsense"], []),
    ],
)
def test_cases_are_chosen_by_category_or_id_and_a_reply_comes_with_its_case(
    cases_folder: Path, only: list[str], ids: list[str]
) -> None:
    assert [each.id for each in load_cases(cases_folder, only)] == ids


def test_a_separator_inside_a_text_ends_no_line(tmp_path: Path) -> None:
    entry = row("x", "exact", "a\u2028b", ops=ops(("a", "a\x85")))
    (tmp_path / "a.jsonl").write_text(json.dumps(entry, ensure_ascii=False) + "\n", encoding="utf-8")
    (read,) = load_cases(tmp_path)
    assert read.expected == "a\u2028b"


def test_the_floor_takes_all_ops_or_none() -> None:
    both = Question("ops", "f.py", "a b\n", (Op("a", "x"), Op("b", "y")))
    assert replace(both) == Answer(True, "x y\n")
    for last in (Op("c", "z"), Op("", "z"), Op("b", "b")):
        assert not replace(Question("ops", "f.py", "a b\n", (Op("a", "x"), last))).applied
    assert replace(Question("ops", "f.py", "a a\n", (Op("a", "x"),))).text == "a a\n"


def test_the_floor_takes_a_diff_by_its_rows_alone() -> None:
    two = "@@ -1 +1 @@\n-a\n+x\n@@ @@\n b\n+c\n"
    assert patch(Question("diff", "f.py", "a\nb\n", text=two)) == Answer(True, "x\nb\nc\n")
    for text in ("nothing", "@@\n-z\n+x\n", "@@\n+x\n"):
        assert patch(Question("diff", "f.py", "a\nb\n", text=text)).text == "a\nb\n"
    assert not patch(Question("diff", "f.py", "a\na\n", text="@@\n-a\n+x\n")).applied


def test_a_program_that_patches_files_is_judged_by_its_exit_code_and_the_file_it_leaves() -> None:
    question = Question("diff", "src/f.py", BEFORE, text=DIFF)
    code = "import sys, pathlib; text = sys.stdin.read(); pathlib.Path(sys.argv[1]).write_text(text)"
    done = run_on_file(question, lambda file: [sys.executable, "-c", code, str(file)])
    assert (done.applied, done.text) == (True, DIFF)
    refused = run_on_file(question, lambda _file: [sys.executable, "-c", "raise SystemExit('no such lines')"])
    assert (refused.applied, refused.text, refused.detail) == (False, BEFORE, "no such lines")
    assert [strip_of(DIFF), strip_of("--- f.py\n+++ f.py\n")] == [1, 0]


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    assert fenced("a") == "```\na\n```\n"
    assert fenced("````x\n````\n", "md") == "`````md\n````x\n````\n`````\n"


@table(
    ("category", "expected", "is_verbatim", "is_misquoted"),
    [
        ("exact", AFTER, False, False),
        ("llm-sr-exact-unique", AFTER, True, False),
        ("llm-lazy-exact", AFTER, True, False),
        ("llm-v4a-exact-ambiguous", None, False, False),
        ("llm-sr-refuse", None, False, False),
        ("llm-json-indent", AFTER, False, True),
    ],
)
def test_what_a_model_wrote_is_verbatim_misquoted_or_to_be_refused(
    category: str, expected: str | None, is_verbatim: bool, is_misquoted: bool
) -> None:
    each = case(expected, category=category)
    assert (verbatim(each), misquoted(each)) == (is_verbatim, is_misquoted)


def standing(*given: tuple[str, Answer], expected: str | None = AFTER, name: str = "steadyhand") -> Standing:
    verdicts = [judge(case(expected, category=category), answer) for category, answer in given]
    return Standing(name, name, tuple(verdicts))


def asked_twice(*given: tuple[Answer, Answer]) -> Standing:
    verdicts = []
    for number, (parsed, reply) in enumerate(given):
        one = case(id=str(number), category="llm-sr-indent")
        other = Case(f"reply/{number}", "reply/llm-sr-indent", "python", Question("reply", "f.py", BEFORE), AFTER)
        verdicts += [judge(one, parsed), judge(dataclasses.replace(other, parsed=one.id), reply)]
    return Standing("steadyhand", "steadyhand", tuple(verdicts))


RIGHT, REFUSED, WRONG = Answer(True, AFTER), Answer(False, BEFORE), Answer(True, "other\n")


def test_sums_leave_out_what_counts_nothing() -> None:
    sums = sums_of(standing(("exact", RIGHT), ("exact", REFUSED), ("llm-sr-indent", WRONG)))
    assert {name: (count.cases, count.of["correct"]) for name, count in sums.items()} == {
        "made ops: must apply": (2, 1),
        "model's ops: misquoted": (1, 0),
    }


def test_a_whole_reply_is_held_against_the_same_case_taken_apart() -> None:
    crash = Answer(False, BEFORE, crashed=True)
    ours = asked_twice(
        (RIGHT, RIGHT), (REFUSED, REFUSED), (REFUSED, RIGHT), (RIGHT, REFUSED), (RIGHT, WRONG), (WRONG, crash)
    )
    assert Agreement.over(pairs_of(ours)) == Agreement(cases=6, same=2, gained=1, lost=2, newly_wrong=1)
    assert {name: count.cases for name, count in sums_of(ours).items()} == {
        "model's ops: misquoted": 6,
        "whole replies: must apply": 6,
    }
    floors = [
        Floor("ops", ("llm-*",), "sum", correct=0.5, wrong=1, same=1.0, newly_wrong=0),
        Floor("replies", ("reply/*",), "sum", same=0.5, newly_wrong=0),
        Floor("fewer", ("reply/*",), "sum", same=0.3, newly_wrong=1),
    ]
    assert [(item.floor, item.what) for item in check_floors(floors, ours, [])] == [
        ("replies", "in all: 2 of 6 the same (33.3%), 50% wanted"),
        ("replies", "in all: 1 wrong only as a whole reply, at most 0 allowed"),
    ]


def test_a_reply_whose_case_was_not_asked_is_no_pair() -> None:
    ours = asked_twice((RIGHT, RIGHT))
    assert pairs_of(dataclasses.replace(ours, verdicts=ours.verdicts[1:])) == []
    assert Agreement().same_share == 1.0


def test_a_floor_is_checked_for_each_category_or_for_their_sum() -> None:
    ours = standing(("a-1", RIGHT), ("a-1", RIGHT), ("a-2", RIGHT), ("a-2", REFUSED), ("b", WRONG))
    each = Floor("each", ("a-*",), "each", correct=0.7)
    total = Floor("sum", ("a-*",), "sum", correct=0.7)
    spared = Floor("spared", ("*",), "each", correct=0.7, other_than=("a-2", "b"))
    nothing = Floor("no cases", ("c",), "sum", correct=1.0, wrong=0)
    (broken,) = check_floors([each, total, spared, nothing], ours, [ours])
    assert broken.floor == "each"
    assert broken.what == "a-2: 1 of 2 correct (50.0%), 70% wanted"


def test_wrong_answers_are_held_against_a_number_or_another_contestant() -> None:
    ours = standing(("b", WRONG), ("b", Answer(False, BEFORE, crashed=True)))
    careful, careless = standing(("b", REFUSED), name="strfind"), standing(("b", WRONG), ("b", WRONG), name="strfind")
    named = Floor("wrong", ("b",), "sum", wrong="strfind")
    assert [item.what for item in check_floors([Floor("wrong", ("b",), "sum", wrong=1)], ours, [])] == [
        "in all: 2 wrong or crashed, at most 1 allowed"
    ]
    assert check_floors([named], ours, [careful])
    assert not check_floors([named], ours, [careless])
    assert check_floors([named], ours, []), "whoever is not there was never wrong"


def test_the_table_of_floors_is_read_and_names_only_contestants_that_always_run() -> None:
    floors = read_floors()
    always = {contestant.name for contestant in contestants(with_peers=False)}
    assert all(floor.over in ("each", "sum") for floor in floors)
    assert {floor.wrong for floor in floors if isinstance(floor.wrong, str)} <= always
    assert any(floor.wrong == 0 for floor in floors)


def test_a_count_of_nothing_breaks_nothing() -> None:
    assert Count.over([]).correct_share == 1.0


def worker(code: str, limit: float = 20.0) -> Worker:
    home = str(Path(__file__).resolve().parent.parent)
    serve = f"from benches.accuracy.question import *\n{code}\nserve('it', {{'ops': answer}})"
    return Worker([sys.executable, "-c", serve], {"PYTHONPATH": home}, limit)


def test_a_contestant_that_hangs_dies_or_raises_has_crashed_on_that_case_only() -> None:
    code = """
import os
def answer(question):
    if question.path == "hang":
        while True: pass
    if question.path == "die":
        os._exit(3)
    if question.path == "raise":
        raise RuntimeError("no such thing")
    print("chatter that is no answer")
    return Answer(True, question.before + "é")
"""
    with worker(code, limit=1.5) as asked:
        assert asked.greet().kinds == {"ops"}
        answers = [asked.ask(Question("ops", path, "a")) for path in ("", "hang", "", "die", "", "raise", "")]
    assert [answer.crashed for answer in answers] == [False, True, False, True, False, True, False]
    assert [answers[1].detail, answers[3].detail.split(":")[0]] == ["no answer within 1.5 s", "the process died"]
    assert "no such thing" in answers[5].detail
    assert answers[6].text == "aé"


def test_a_contestant_that_does_not_come_up_is_not_available() -> None:
    with worker("raise SystemExit('no licence')") as asked, pytest.raises(Unavailable, match="no licence"):
        asked.greet()


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = accuracy(["--no-peers", "--jobs", "2", *arguments])
    out, progress = capsys.readouterr()
    return code, out, progress


def test_a_run_prints_scores_by_category_and_sums(
    cases_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    only = ("--only", "exact", "refuse-*", "diff-*", "llm-sr-*")
    code, out, progress = run(capsys, "--cases", str(cases_folder), "--folder", str(tmp_path / "out"), "--check", *only)
    assert code == 0
    assert "every floor holds" in out
    rows = {line.split("  ")[0]: line.split() for line in out.splitlines()}
    assert rows["exact"][1:] == ["1", "1", "1"]
    assert rows["refuse-partial-multi"][1:] == ["1", "1", "1"]
    assert rows["diff-exact"][1:] == ["1", "1", "1"]
    assert rows["llm-sr-exact"][1:] == ["1", "1", "1", "1", "0", "0", "0"]
    assert out.count("\nBy category: ") + out.startswith("By category: ") == 2
    assert "not asked: 1 replies" in out
    assert "steadyhand: 6 of 6" in progress
    assert "0 wrong" in progress


def test_json_holds_the_same_counts(cases_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--cases", str(cases_folder), "--folder", str(tmp_path), "--json", "--only", "exact")
    ours, floor = json.loads(out)["contestants"]
    assert [ours["name"], floor["name"]] == ["steadyhand", "strfind"]
    assert ours["categories"]["exact"]["correct"] == 1
    assert ours["sums"]["made ops: must apply"]["cases"] == 1
    assert ours["replies"]["cases"] == 0


def test_a_broken_floor_is_reported_and_is_exit_code_1_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = row("other", "exact", "something else\n", ops=ops(("return 1", "return 2")))
    (tmp_path / "a.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    for arguments, expected in (((), 0), (("--check",), 1)):
        code, out, progress = run(capsys, "--cases", str(tmp_path), "--folder", str(tmp_path / "out"), *arguments)
        assert code == expected
        assert "nothing wrong: exact: 1 wrong" in out
        assert "1 wrong, each in a folder" in progress


def test_no_cases_are_said_plainly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, cases_folder: Path
) -> None:
    assert run(capsys, "--cases", str(tmp_path / "none"))[0] == 2
    code, _, reported = run(capsys, "--cases", str(cases_folder), "--only", "nonsense")
    assert (code, "no cases" in reported) == (2, True)
    monkeypatch.setattr("benches.accuracy.__main__._CASES", tmp_path / "none")
    code, out, reported = run(capsys)
    assert (code, out) == (0, "")
    assert "no cases: " in reported


def test_a_wrong_case_is_written_for_study_and_the_last_runs_are_gone(tmp_path: Path) -> None:
    (tmp_path / "wrong" / "stale").mkdir(parents=True)
    (tmp_path / "mine").write_text("kept\n", encoding="utf-8")
    verdicts = [
        judge(case(id="../up"), Answer(True, "other\r\n", "fuzzy")),
        judge(case(id="fine"), Answer(True, AFTER)),
    ]
    assert write_studies(tmp_path, verdicts, ["wrong", "crash"]) == {"wrong": 1, "crash": 0}
    (folder,) = (tmp_path / "wrong").iterdir()
    assert folder.parent == tmp_path / "wrong"
    assert {path.name for path in folder.iterdir()} == {
        "before",
        "expected",
        "expected.diff",
        "got",
        "got.diff",
        "ops.json",
        "outcome.json",
    }
    assert (folder / "got").read_bytes() == b"other\r\n"
    assert json.loads((folder / "ops.json").read_text(encoding="utf-8")) == ops(("return 1", "return 2"))
    assert json.loads((folder / "outcome.json").read_text(encoding="utf-8"))["detail"] == "fuzzy"
    assert (tmp_path / "mine").exists()


class Pipe:
    """A stream that writes down what it is given."""

    def __init__(self, *, terminal: bool) -> None:
        self.terminal, self.said = terminal, ""

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        self.said += text
        return len(text)

    def flush(self) -> None:
        pass


def test_progress_is_a_bar_on_a_terminal_and_few_lines_in_a_pipe() -> None:
    pipe, terminal = Pipe(terminal=False), Pipe(terminal=True)
    for stream in (pipe, terminal):
        progress = Progress("it", stream)  # type: ignore[arg-type]
        for done in range(1, 101):
            progress(done, 100)
    assert "\r" not in pipe.said
    assert len(pipe.said.splitlines()) == 5
    assert terminal.said.count("\r") == 100
    assert terminal.said.endswith("100 of 100\n")


def test_servers_are_measured_under_load(tmp_path: Path) -> None:
    """A few calls of each kind to both servers: what they hold is read, and the table has a row for each time."""
    readings = list(measure(tmp_path, seconds=2, every=1, rate=20, sizes=(1_000, 20_000)))
    assert [reading.server for reading in readings] == ["stdio", "HTTP"] * 2
    assert all(reading.calls and reading.sessions and 0 < reading.resident <= reading.peak for reading in readings)
    assert len(render(readings).splitlines()) == 4
