"""Right, refused or wrong under every policy and through every tool: the judge's rules, and what refusals offer."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import steadyhand as sh
from benches.accuracy.__main__ import main as accuracy
from benches.accuracy.adapters.steadyhand import Asked
from benches.accuracy.adapters.steadyhand import adapters as plain_adapters
from benches.accuracy.adapters.strfind import replace_all
from benches.accuracy.adapters.tools import adapters
from benches.accuracy.cases import Case, load_cases
from benches.accuracy.contestants import Contestant, Standing, contestants, run_cases, ways_to_ask, ways_without
from benches.accuracy.floors import check_ways
from benches.accuracy.misquote import KINDS, make_cases
from benches.accuracy.question import Answer, Offer, Op, Question
from benches.accuracy.report import render
from benches.accuracy.score import Rules, Verdict, judge, judge_offer
from benches.accuracy.tally import OfferCount, Spread
from benches.accuracy.ways import WAYS, way_named
from tests.sampling import EXAMPLES
from tests.table import table

CONFLICT = "refuse-stale-conflict"


def asked(
    category: str, before: str, *ops: tuple[str, str], expected: str | None = None, path: str = "src/app.py"
) -> Case:
    question = Question("ops", path, before, tuple(Op(old, new) for old, new in ops))
    return Case("one", category, "python", question, expected)


SOMEONE = asked(CONFLICT, "a\n  f(x, 4)\nb\n", ("  f(x, 3)", "  g(x, 3)"))
INSTEAD = asked(CONFLICT, "a\n  f(x, 4)\nb\n", ("  f(x, 3)", "  f(x, 9)"))


@table(
    ("case", "after", "drift", "score"),
    [
        (SOMEONE, "a\n  g(x, 4)\nb\n", "merge", "correct"),
        (SOMEONE, "a\n  g(x, 4)\nb\n", "refuse", "wrong"),
        (SOMEONE, "a\n  g(x, 3)\nb\n", "merge", "wrong"),
        (SOMEONE, "a\n  g(x, 3)\nb\n", "new", "correct"),
        (SOMEONE, "a\n  g(x, 3)\n", "new", "wrong"),
        (INSTEAD, "a\n  f(x, 94)\nb\n", "merge", "wrong"),
        (INSTEAD, "a\nf(x, 9)\nb\n", "new", "wrong"),
        (INSTEAD, "a\n  f(x, 9)\nb\n", "new", "correct"),
        (asked("refuse-near-dup", "a1\na2\n", ("a3", "b3")), "b1\na2\n", "merge", "wrong"),
        (asked("refuse-not-found", "a\n", ("x = 1", "x = 2")), "x = 2\n", "new", "wrong"),
        (asked("refuse-ambiguous", "a\na\n", ("a", "b")), "b\na\n", "new", "wrong"),
    ],
)
def test_a_policy_makes_right_only_what_it_asks_for_where_someone_changed_the_same_line(
    case: Case, after: str, drift: str, score: str
) -> None:
    verdict = judge(case, Answer(True, after), Rules(drift))  # type: ignore[arg-type]
    assert (verdict.score, verdict.how == "by policy") == (score, score == "correct")


def test_what_a_partial_call_keeps_is_what_it_says_it_kept() -> None:
    case = asked("refuse-partial-multi", "a\nb\n", ("a", "x"), ("none", "y"), ("b", "z"))
    partial, usual = Rules(keeps=True), Rules()
    both = Answer(False, "x\nz\n", kept=(0, 2))
    assert judge(case, both, partial).score == "correct"
    assert judge(case, both, usual).score == "wrong"
    for text, kept in (("x\nb\n", (0, 2)), ("x\nz\n", (0,)), ("x\nz\n", ()), ("x\ny\n", (0, 1))):
        assert judge(case, Answer(False, text, kept=kept), partial).score == "wrong"


def test_exact_tools_write_new_text_as_it_is_sent() -> None:
    case = asked("llm-sr-exact-subline", "  a\n  b\n", ("a", "a\nc"), expected="  a\n  c\n  b\n")
    literal = Answer(True, "  a\nc\n  b\n")
    assert judge(case, literal, Rules(is_literal=True)).score == "correct"
    assert judge(case, literal).score == "wrong"


@table(
    ("category", "offer", "score"),
    [
        ("misremembered", Offer("corrected", "a\nc\n"), "right"),
        ("misremembered", Offer("corrected", None), "again"),
        ("misremembered", Offer("corrected", "a\nd\n"), "wrong"),
        ("refuse-not-found", Offer("corrected", "a\nc\n"), "wrong"),
        ("refuse-near-dup", Offer("corrected", "a\nc\n"), "wrong"),
        ("refuse-near-dup", Offer("candidate", "a\nc\n"), "right"),
        (CONFLICT, Offer("corrected", "a\nc\n"), "right"),
        (CONFLICT, Offer("corrected", "c\n"), "wrong"),
        (CONFLICT, Offer("old", "a\nc\nb\n"), "wrong"),
        (CONFLICT, Offer("candidate", "a\nc\n"), "right"),
    ],
)
def test_an_offer_gives_what_the_edit_means_or_is_wrong(category: str, offer: Offer, score: str) -> None:
    expected = None if category.startswith("refuse") else "a\nc\n"
    case = asked(category, "a\nb\n", ("b", "c"), expected=expected)
    assert judge_offer(case, offer) == score


def standing(*offers: Offer) -> Standing:
    case = asked("misremembered", "a\nb\n", ("b", "c"), expected="a\nc\n")
    return Standing("steadyhand", "", (judge(case, Answer(False, "a\nb\n", offers=offers)),))


def test_one_wrong_answer_or_offer_breaks_the_floor_of_a_way() -> None:
    right, again, wrong = (Offer("corrected", text) for text in ("a\nc\n", None, "c\n"))
    assert not list(check_ways([standing(), standing(right)]))
    (broken,) = check_ways([standing(right, again, wrong)])
    assert broken.what == "2 of 3 corrected not right, none allowed"
    assert OfferCount.over(standing(right, wrong).verdicts).figures("corrected") == {
        "made": 2, "right": 1, "again": 0, "wrong": 1
    }  # fmt: skip


def test_a_spread_tells_the_two_halves_and_the_lowest_category() -> None:
    def verdict(number: int, category: str, *, is_right: bool) -> Verdict:
        text = "a\nc\n" if is_right else "a\nb\n"
        case = Case(str(number), category, "", Question("ops", "f", "a\nb\n"), "a\nc\n")
        return judge(case, Answer(is_right, text))

    verdicts = [verdict(number, f"c{number % 2}", is_right=number % 4 != 1) for number in range(40)]
    spread = Spread.over(verdicts)
    assert (spread.cases, spread.share, spread.lowest, spread.lowest_share) == (40, 0.75, "c1", 0.5)
    assert min(spread.halves) <= 0.75 <= max(spread.halves)
    assert (spread.rest_share, spread.deviation, spread.behind) == (1.0, 0.25, 1)


def test_what_becomes_of_cases_without_a_rule_is_reported() -> None:
    fenced = Question("ops", "f.py", "a = 1\n", (Op("```\na = 1\n```", "```\na = 2\n```"),))
    plain = Question("ops", "f.py", "a = 1\n", (Op("a = 1", "a = 2"),))
    cases = [Case("1", "fenced", "", fenced, "a = 2\n"), Case("2", "plain", "", plain, "a = 2\n")]
    asked = [Contestant("steadyhand", "steadyhand"), *ways_without(["repair of Markdown fence"])]
    usual, *left_out = (
        run_cases(one, cases, folder=Path(__file__).parent, jobs=1, limit=60.0, tell=lambda _done, _all: None)
        for one in asked
    )
    table = render([usual], left_out, {})
    assert re.search(r"^repair of Markdown fence +1 +0 +0 +fenced 1$", table, re.MULTILINE)


def test_every_policy_and_every_toolset_that_edits_text_is_a_way() -> None:
    tools = {way.tool.partition(".")[0] for way in WAYS if way.tool}
    assert tools >= {
        "article",
        "claude",
        "claude-code",
        "coder",
        "core",
        "gemini",
        "openai",
        "site",
        "surgical",
        "vault",
    }
    assert {way.policy.get("on_drift") for way in WAYS if not way.tool} >= {"merge", "new"}
    named = [each.name for each in ways_to_ask(["on_drift=*", "site.*"])]
    assert named == ["on_drift=merge", "on_drift=new", "site.editFile"]
    assert not {each.name for each in ways_to_ask()} & {each.name for each in contestants(with_peers=True)}


# ── what refusals offer is sent ───────────────────────────────────────────────────────────────────────────────────────

PYTHON = "def f(a):\n    x = load(a)\n    if x is None:\n        return 0\n    return x\n"
CSS = ".head { color: red; }\n.foot { color: blue; }\n.side { margin: 0 auto; }\n"
CALLS = [  # a refusal that has something to offer: the file, the edit, and what it means
    ("src/app.py", PYTHON, "    x = laod(a)\n    if x is None:", "    x = load(a, 3)\n    if x is None:"),
    ("src/app.py", PYTHON, "x = laod(a)\n    if x is None:", "x = load(a, 3)\n    if x is None:"),
    ("src/app.py", PYTHON, "    if x is Nil:\n        return 0\n", "    if x is None:\n        return -1\n"),
    ("site/a.css", CSS, ".foot { colour: blue; }", ".foot { color: green; }"),
]
MEANT = [
    PYTHON.replace("load(a)", "load(a, 3)"),
    PYTHON.replace("load(a)", "load(a, 3)"),
    PYTHON.replace("return 0", "return -1"),
    CSS.replace("blue", "green"),
]
PARTS = 32  # so that processes share the cases
OTHER_POLICIES: Sequence[dict[str, object]] = [{"on_drift": "merge"}, {"on_drift": "new"}, {"tier": "newline"}]
POLICIES: Sequence[dict[str, object]] = [{}, *OTHER_POLICIES]


def misquoted(number: int) -> Case:
    path, before, old, new = CALLS[number]
    return asked("misremembered", before, (old, new), expected=MEANT[number], path=path)


@table("policy", POLICIES, ids=str)
@table("number", range(len(CALLS)))
def test_a_refusal_offers_what_goes_through_as_it_is_or_nothing(number: int, policy: dict[str, object]) -> None:
    case = misquoted(number)
    verdict = judge(case, Asked(sh.Policy(**policy)).replace(case.question))  # type: ignore[arg-type]
    assert verdict.score in ("correct", "near", "refused"), verdict.answer
    assert set(verdict.offers) <= {"right"}, verdict.answer.offers


@table("name", [way.name for way in WAYS if "ops" in way.kinds and way.tool])
@table("number", range(len(CALLS)))
def test_a_tool_offers_a_call_that_goes_through_as_it_is_or_nothing(number: int, name: str) -> None:
    case = misquoted(number)
    verdict = judge(case, adapters(name)["ops"](case.question), way_named(name).rules)
    assert verdict.score in ("correct", "near", "refused"), verdict.answer
    assert set(verdict.offers) <= {"right"}, verdict.answer.offers


TWICE = "[fast]\ntimeout = 10\n\n[slow]\ntimeout = 10\n"


@table("name", [way.name for way in WAYS if "ops" in way.kinds and way.name != "vault.TextReplace"])
def test_each_of_several_places_is_offered_as_an_edit_that_changes_it_alone(name: str) -> None:
    case = asked("refuse-ambiguous", TWICE, ("timeout = 10", "timeout = 30"), path="app.toml")
    way = way_named(name)
    ask = adapters(name)["ops"] if way.tool else Asked(sh.Policy(**way.policy)).replace
    verdict = judge(case, ask(case.question), way.rules)
    assert (verdict.score, set(verdict.offers)) == ("correct", {"right"}), verdict.answer.offers
    texts = {TWICE.replace("10\n\n", "30\n\n"), TWICE.removesuffix("10\n") + "30\n"}
    assert {offer.text for offer in verdict.answer.offers} == texts


def development_cases() -> list[Case]:
    """The development cases, where they are; elsewhere the tests above and below have to do."""
    folder = Path(__file__).resolve().parent.parent.parent / "shared" / "cases"
    return load_cases(folder) if folder.is_dir() else []


def check_case(case: Case, policy: dict[str, object]) -> None:
    """Nothing is wrong, and whatever a refusal offers goes through and gives what the edit means."""
    ask = plain_adapters(Asked(sh.Policy(**policy)))[case.kind]  # type: ignore[arg-type]
    rules = Rules(policy.get("on_drift", "refuse"), is_literal="tier" in policy)  # type: ignore[arg-type]
    verdict = judge(case, ask(case.question), rules)
    assert verdict.score not in ("wrong", "crash"), (case.id, case.category, verdict.answer.detail)
    assert set(verdict.offers) <= {"right"}, (case.id, case.category, verdict.answer.offers)


@table("part", range(PARTS), every=64)
def test_every_offer_of_the_development_cases_is_right_when_it_is_sent(part: int) -> None:
    """Under the usual policy, all cases; the bench does the same under every other one (`--policies --check`).

    Cases that must be applied and are do not offer anything, so nothing is sent for them.
    """
    for case in development_cases()[part::PARTS]:
        check_case(case, {})


@pytest.mark.hypothesis
@table("policy", OTHER_POLICIES, ids=str, every=3)
def test_no_offer_is_wrong_under_any_other_policy(policy: dict[str, object]) -> None:
    """Some of the development cases, where there are some, and random misquotes of real files."""
    cases = development_cases()
    for case in (*random.Random(15).sample(cases, min(EXAMPLES, len(cases))), *make_cases(EXAMPLES, seed=15)):
        check_case(case, policy)


# ── misquotes made at random ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_seed_gives_the_same_cases_and_every_kind_has_some() -> None:
    made = make_cases(2 * len(KINDS), seed=3)
    assert made == make_cases(2 * len(KINDS), seed=3)
    assert {case.category.split("-", 2)[2] for case in made} == set(KINDS)
    for case in made:
        assert case.must_apply == ("-refuse-" not in case.category)
        assert case.expected != case.question.before


def test_what_is_not_misquoted_is_right_by_plain_replacement() -> None:
    for case in make_cases(20, seed=4, only=["exact", "stale-elsewhere"]):
        if case.kind == "ops" and "\r" not in case.question.before:
            assert replace_all(case.question.before, case.question.ops).text == case.expected


def test_a_run_asks_in_other_ways_too_and_counts_offers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"id": "x", "category": "misremembered", "path": "f.py", "before": PYTHON, "expected": MEANT[0]}
    row["ops"] = [{"old": CALLS[0][2], "new": CALLS[0][3]}]  # type: ignore[assignment]
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    given = ["--no-peers", "--jobs", "1", "--cases", str(tmp_path), "--folder", str(tmp_path / "out"), "--json"]
    assert accuracy([*given, "--policies", "on_drift=new", "core.edit"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [way["name"] for way in found["ways"]] == ["on_drift=new", "core.edit"]
    assert found["ways"][0]["categories"]["misremembered"]["correct"] == 1
    assert found["contestants"][0]["offers"]["corrected"]["wrong"] == 0
    assert found["broken_floors"] == []


def test_random_misquotes_are_measured_instead_of_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--no-peers", "--jobs", "1", "--folder", str(tmp_path), "--misquotes", "4", "--only", "exact"]
    assert accuracy(given) == 0
    assert "-exact" in capsys.readouterr().out
