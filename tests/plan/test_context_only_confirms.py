"""The lines that change decide, context only confirms: they are found once, whatever is quoted around them."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

import steadyhand as sh
from steadyhand import Policy, Replace
from tests.real_files import real_texts
from tests.sampling import EXAMPLES
from tests.table import table

SETUP = """\
def read(path):
    text = path.read_text()
    return text.splitlines()


def write(path, rows):
    # one row a line
    content = "\\n".join(rows)
    path.write_text(content)


@cached
def parse(rows):
    return [row.split(",") for row in rows]
"""


@dataclass(frozen=True)
class Case:
    """An edit of `SETUP`; `gone` are its lines that go, `come` those that come; None: it must be refused."""

    name: str
    old: str
    new: str
    gone: str | None
    come: str = ""


MADE = [
    Case(
        "context made up above and below",
        'def write(path, rows):\n    # save it\n    content = "\\n".join(rows)\n    return 1\n',
        'def write(path, rows):\n    # save it\n    content = "\\r\\n".join(rows)\n    return 1\n',
        '    content = "\\n".join(rows)\n',
        '    content = "\\r\\n".join(rows)\n',
    ),
    Case(
        "context altered above, a line left out below",
        'def write(file, rows):\n    # each row is a line\n    content = "\\n".join(rows)\n\n\n@cached\n',
        "def write(file, rows):\n    # each row is a line\n    content = join(rows)\n\n\n@cached\n",
        '    content = "\\n".join(rows)\n',
        "    content = join(rows)\n",
    ),
    Case(
        "lines that go, and nothing comes",
        '    content = "\\n".join(rows)\n    # write\n    path.write_text(content)\n    path.close()\n',
        '    content = "\\n".join(rows)\n    # write\n    path.close()\n',
        "    path.write_text(content)\n",
    ),
    Case(
        "quoted without indentation",
        "# the file as text\ntext = path.read_text()\nreturn text.split()\n",
        "# the file as text\ntext = path.read_text('utf-8')\nreturn text.split()\n",
        "    text = path.read_text()\n",
        "    text = path.read_text('utf-8')\n",
    ),
    Case(
        "a line put behind a known one, before one that is made up",
        '    content = "\\n".join(rows)\n    path.flush_to_disk()\n',
        '    content = "\\n".join(rows)\n    content += "\\n"\n    path.flush_to_disk()\n',
        '    content = "\\n".join(rows)\n',
        '    content = "\\n".join(rows)\n    content += "\\n"\n',
    ),
    Case(
        "lines put at the end, other context made up",
        "    for row in table:\n    return text.splitlines()\n",
        "    for row in table:\n    return text.splitlines()\n\n\ndef size(path):\n    return path.stat().st_size\n",
        "    return text.splitlines()\n",
        "    return text.splitlines()\n\n\ndef size(path):\n    return path.stat().st_size\n",
    ),
]

REFUSED = [
    Case(
        "the context is elsewhere, next to a line that was changed since",
        "def read(path):\n    path.write_text(content)\n",
        "def read(path):\n    path.write_bytes(content)\n",
        None,
    ),
    Case(
        "the line that changes says next to nothing",
        "for row in table:\n    # x\nelse:\n",
        "for row in table:\n    # y\nelse:\n",
        None,
    ),
    Case(
        "lines put before a known one that something above belongs to",
        "x = 1\n\n\ndef parse(rows):\n",
        "x = 1\n\n\ndef split(row):\n    return row.split()\n\n\ndef parse(rows):\n",
        None,
    ),
    Case(
        "lines put behind the head of a function whose body is made up",
        "def write(path, rows):\n    file = path.open()\n",
        "def write(path, rows):\n    check(rows)\n    file = path.open()\n",
        None,
    ),
    Case(
        "what is added is there already",
        "def write(path, lines):\n    path.write_text(content)\n    log.info(path)\n",
        'def write(path, lines):\n    content = "\\n".join(rows)\n    path.write_text(content)\n    log.info(path)\n',
        None,
    ),
    Case(
        "the made-up context says what the new line says, so it might be meant once or twice",
        "    text = path.read_text()\n    text = path.read_bytes()\n    return text.decode()\n",
        "    text = path.read_bytes()\n    text = path.read_bytes()\n    return text.decode()\n",
        None,
    ),
    Case(
        "the head above it is of a function that the file does not have",
        "def show(table):\n    path.write_text(content)\n",
        "def show(table):\n    path.write_bytes(content)\n",
        None,
    ),
    Case(
        "nothing of the context is there, so the line may be one that another file has as well",
        "    for name in names:\n        print(name)\n    path.write_text(content)\n    server.restart()\n",
        "    for name in names:\n        print(name)\n    path.write_bytes(content)\n    server.restart()\n",
        None,
    ),
    Case(
        "most of the context is not there",
        "    text = path.read_text()\n    check(text, against=schema)\n    report(errors_in(text))\n    return None\n",
        "    text = path.read_bytes()\n    check(text, against=schema)\n    report(errors_in(text))\n    return None\n",
        None,
    ),
]


@table("case", MADE, ids=[case.name for case in MADE])
@table("on_drift", ["refuse", "merge", "new"])
def test_misremembered_context_around_lines_that_occur_there_once(case: Case, on_drift: str) -> None:
    policy = Policy(on_drift=on_drift)  # type: ignore[arg-type]
    result = sh.edit(SETUP, [Replace(case.old, case.new)], path="a.py", policy=policy)
    assert result.ok, result.error
    assert result.text == SETUP.replace(case.gone or "", case.come)


@table("case", REFUSED, ids=[case.name for case in REFUSED])
@table("on_drift", ["refuse", "merge", "new"])
def test_context_that_speaks_for_another_place_or_meaning_is_a_reason_to_refuse(case: Case, on_drift: str) -> None:
    policy = Policy(on_drift=on_drift)  # type: ignore[arg-type]
    result = sh.edit(SETUP, [Replace(case.old, case.new)], path="a.py", policy=policy)
    assert result.error is not None
    assert result.text == SETUP


def test_the_answer_says_that_context_differed() -> None:
    case = MADE[0]
    outcome = sh.edit(SETUP, [Replace(case.old, case.new)], path="a.py").outcomes[0]
    assert outcome.tier == "fuzzy"
    assert "context that is not in the file" in outcome.differs
    assert outcome.confidence == 0.9
    assert outcome.similarity is not None
    assert outcome.similarity < 0.9


def test_a_stricter_policy_does_not_take_it() -> None:
    case = MADE[0]
    assert not sh.edit(SETUP, [Replace(case.old, case.new)], path="a.py", policy=Policy(tier="token")).ok


def test_a_refusal_says_that_only_the_lines_around_the_change_are_not_there() -> None:
    case = REFUSED[-2]
    error = sh.edit(SETUP, [Replace(case.old, case.new)], path="a.py").error
    assert error is not None
    assert error.details["changed_lines"] == [9, 9]
    assert "line 9 has what the edit changes" in error.message
    assert "corrected" not in error.details


def test_lines_that_occur_twice_are_not_distinguished_by_made_up_context() -> None:
    text = SETUP + SETUP.replace("read(", "load(").replace("parse(", "split(").replace("write(", "save(")
    case = MADE[0]
    assert not sh.edit(text, [Replace(case.old, case.new)], path="a.py").ok


def test_a_sibling_at_another_depth_is_not_taken_for_lines_that_are_gone() -> None:
    text = "if ready:\n    send_all(messages)\n\nfor name in names:\n    if ready:\n        pass\n"
    text += "    clear_all(messages)\n"
    old = "    if ready:\n        send_all(messages)\n    clear_all(messages)\n"
    assert not sh.edit(text, [Replace(old, old.replace("send_all", "post_all"))], path="a.py").ok


def test_blank_lines_of_the_file_behind_the_quoted_ones_lead_to_no_error() -> None:
    text = "  after: |-\n    Write the facts below, all of them:\n"
    text += "    ## 1. Facts\n    ### 1.1. Given\n    ### 1.2. Learned\n  \n"
    old = text.replace("after", "fater").replace("    ##", "    Write the facts below, all of them:\n\n    ##", 1)
    old = old.rstrip() + "\n"
    result = sh.edit(text, [Replace(old, old.replace("Given", "Said"))], path="a.yaml")
    assert result.text == (text.replace("Given", "Said") if result.ok else text)


def real_files() -> Iterator[tuple[str, list[str]]]:
    for suffix in (".py", ".md"):
        rows_of_files = (text.split("\n")[:-1] for text in real_texts(suffix))
        yield from ((f"a{suffix}", rows) for rows in rows_of_files if len(rows) >= 30)


def words_of(rows: Sequence[str]) -> set[str]:
    """Words, also those that names are made of: `AsyncIterator` is near `Iterator`."""
    return {word.lower() for row in rows for word in re.findall(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}", row)}


def shared_lines(files: Sequence[tuple[str, list[str]]]) -> Iterator[tuple[int, int, int, int]]:
    """Lines that two files of one format have, once each, as (file, row, other file, row there)."""
    known: dict[str, list[tuple[int, int]]] = {}
    for file, (_, rows) in enumerate(files):
        counts = Counter(map(str.strip, rows))
        for row, text in enumerate(rows):
            if sum(map(str.isalnum, text)) >= 12 and counts[text.strip()] == 1:
                known.setdefault(text.strip(), []).append((file, row))
    for places in known.values():
        pairs = ((one, two) for one in places for two in places if one[0] != two[0])
        # A code block of a page is a fenced quote of a module that has its only line.
        yield from ((*one, *two) for one, two in pairs if files[one[0]][0] == files[two[0]][0])


@pytest.mark.hypothesis
def test_on_real_files_an_edit_for_another_file_that_shares_the_line_is_refused() -> None:
    """The judge: no word of the context is near the line in the file that is asked."""
    chance = random.Random(15)
    files = list(real_files())
    places = list(shared_lines(files))
    chance.shuffle(places)
    rows_with = [Counter(word for row in rows for word in words_of([row])) for _, rows in files]
    asked = 0
    for file, row, other, there in places:
        if asked == EXAMPLES:
            break
        rows, (name, others) = files[file][1], files[other]
        above = rows[max(row - chance.randint(0, 3), 0) : row]
        below = rows[row + 1 : row + 1 + chance.randint(0, 3)]
        said = words_of([*above, *below])
        here = words_of([others[there]])
        if not said or any(rows_with[other][word] > (word in here) for word in said):
            continue
        asked += 1
        old, new = ("".join(f"{text}\n" for text in (*above, line, *below)) for line in (rows[row], "quux(zork)"))
        before = "".join(f"{text}\n" for text in others)
        for on_drift in ("refuse", "merge", "new"):
            policy = Policy(on_drift=on_drift, guards=frozenset())  # type: ignore[arg-type]
            assert not sh.edit(before, [Replace(old, new)], path=name, policy=policy).ok, (name, old)
    assert asked >= min(EXAMPLES, 50)  # how many there are depends on the files that are installed


def misquoted(rows: Sequence[str], chance: random.Random) -> list[str]:
    """Context with rows made up, left out or altered, none of which the file has."""
    made = list(rows)
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(made) + 1)
        match chance.choice(["made up", "left out", "altered"]):
            case "made up":
                made.insert(at, f"quux_{chance.randrange(1000)} = zork{chance.randrange(1000)}.frob()")
            case "left out":
                made[at : at + 1] = [row for row in made[at : at + 1] if not row.strip()]
            case _:
                made[at : at + 1] = [f"{row} quux{chance.randrange(1000)}" for row in made[at : at + 1]]
    return made


@pytest.mark.hypothesis
def test_on_real_files_such_an_edit_is_made_right_or_refused() -> None:
    chance = random.Random(15)
    files = list(real_files())
    made = 0
    for _ in range(EXAMPLES * 2):
        name, rows = chance.choice(files)
        at, count = chance.randrange(4, len(rows) - 8), chance.randint(1, 2)
        removed = rows[at : at + count]
        added = chance.choice([[], [f"{row} # quux" for row in removed], ["quux_of(zork)", "frob_of(zork)"]])
        above = rows[at - chance.randint(0, 3) : at]
        below = rows[at + count : at + count + chance.randint(0, 3)]
        if chance.random() < 0.7:
            above = misquoted(above, chance)
        else:
            below = misquoted(below, chance)
        old, new = ("".join(f"{row}\n" for row in (*above, *part, *below)) for part in (removed, added))
        if not all(map(str.strip, removed)) or old == new:
            continue  # which of several blank rows goes does not follow from what is around them
        before = "".join(f"{row}\n" for row in rows)
        after = "".join(f"{row}\n" for row in (*rows[:at], *added, *rows[at + count :]))
        result = sh.edit(before, [Replace(old, new)], path=name, policy=Policy(guards=frozenset()))
        assert result.text == (after if result.ok else before), (name, old, new)
        made += result.ok
    assert made > EXAMPLES / 2
