"""Names of `.env` files: what is refused, each operation, and that no answer ever has a value in it."""

from __future__ import annotations

import io
from random import Random

from dotenv import dotenv_values
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.errors import Kind
from steadyhand.plan.edit import Act, Insert, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.config.editor import Keys
from steadyhand.structure.config.env import SYNTAX
from steadyhand.structure.config.item import plain_of
from steadyhand.structure.config.key import Key
from steadyhand.structure.format import format_of
from steadyhand.structure.node import Proposal, Refusal
from steadyhand.text.changeset import ChangeSet
from steadyhand.text.source import Source
from tests.sampling import examples
from tests.structure.keyed import acted, after, missed, refused
from tests.structure.laws import check_only_inside
from tests.table import table

PATH = ".env.example"
TEXT = "# head\nA=1\n\n# group\nexport B='two' # b\nC=\"three\"\n"
SECRET = "hunter2-very-secret"
FORMAT = format_of(PATH)


@table(
    ("text", "line"),
    [
        ('A=1\nB="open\nC=3\n', 2),
        ("A='open\n", 1),
        ('A="x" y\n', 1),
        ("1A=2\n", 1),
        ("some prose\n", 1),
        ("A=1\n=2\n", 2),
        ("A=`x\ny`\n", 1),
    ],
)
def test_what_is_no_env_file_is_unparsable_with_its_line(text: str, line: int) -> None:
    refusal = SYNTAX.read(Source.of_text(text))
    assert isinstance(refusal, Refusal)
    assert (refusal.kind, refusal.details["line"]) == (Kind.UNPARSABLE, line)


@table(
    ("key", "action", "given", "kind"),
    [
        ("A", "set-key", {"value": None}, Kind.BAD_REQUEST),
        ("A", "set-key", {"value": {"x": 1}}, Kind.BAD_REQUEST),
        ("A", "set-key", {"value": [1]}, Kind.BAD_REQUEST),
        ("A", "set-key", {"value": "a\x00b"}, Kind.BAD_REQUEST),
        ("C", "set-key", {"value": "ends with \\"}, Kind.BAD_REQUEST),
        ("B", "set-key", {"value": "it's $5"}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "A B", "value": 1}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "9", "value": 1}, Kind.BAD_REQUEST),
        ("", "add-key", {"name": "A", "value": 1}, Kind.EXISTS_ALREADY),
        ("", "add-key", {"name": "D", "value": {}}, Kind.BAD_REQUEST),
        ("A", "rename-key", {"name": "B"}, Kind.EXISTS_ALREADY),
        ("A", "rename-key", {"name": "B=C"}, Kind.BAD_REQUEST),
        ("", "append-item", {"value": 1}, Kind.BAD_REQUEST),
    ],
)
def test_what_an_env_file_cannot_say_is_refused(key: str, action: str, given: dict[str, object], kind: Kind) -> None:
    assert refused(TEXT, key, action, PATH, **given).kind == kind


def test_a_name_that_is_there_twice_is_ambiguous() -> None:
    assert missed("A=1\nA=2\n", "A", PATH).kind == Kind.AMBIGUOUS_MATCH
    assert after("A=1\nA=2\n", Key("A", nth=2), "set-key", PATH, value=3) == "A=1\nA=3\n"


@table("line", [f"A={SECRET}", f'A="{SECRET}"', f"A='{SECRET}'", f'A="{SECRET}', f'A="{SECRET}" x'])
def test_no_answer_ever_shows_a_value(line: str) -> None:
    text = f"{line}\nB=1\nB=2\n"
    source = Source.of_text(text, path=PATH)
    assert FORMAT is not None
    answers: list[object] = [FORMAT.outline(source), Key("nope").resolve(source), Key("B").resolve(source)]
    found = Key("A").resolve(source)
    if not isinstance(found, Refusal):
        answers += [found[0].label, found[0].address]
        for action, given in (
            ("set-key", {"value": None}),
            ("set-key", {"value": "a\x00"}),
            ("add-key", {"name": "x", "value": 1}),
            ("append-item", {"value": 1}),
            ("rename-key", {"name": "1"}),
            ("move-key", {"to": "B"}),
        ):
            answers.append(acted(text, "A", action, PATH, **given))
        for new in ("x y", '"', "a\nb=c"):
            answers.append(edit(text, Replace(Key("A"), new), path=PATH).error)
    refusals = [one for one in answers if not isinstance(one, str)]
    assert not any(SECRET in str(one) for one in [*refusals, *map(repr, refusals)])
    assert not any(SECRET in str(getattr(one, "hint", "")) for one in refusals)


@table(
    ("old", "value", "new"),
    [
        ("K=1", 2, "K=2"),
        ("K=1 # c", True, "K=true # c"),
        ("K=1", "a b", 'K="a b"'),
        ("K=1", "a#b", 'K="a#b"'),
        ("K=1", "$X", 'K="$X"'),
        ("K=", "x", "K=x"),
        ("K", "x", "K=x"),
        ("K = 1", "x", "K = x"),
        ("K=# c", "x", "K=x # c"),
        ("K='a'", "b c", "K='b c'"),
        ("K='a'", "$x", "K='$x'"),
        ("K='a'", "it's", 'K="it\'s"'),
        ('K="a"', 'q"r\\s', 'K="q\\"r\\\\s"'),
        ('K="a"', "b\nc", 'K="b\\nc"'),
        ('K="a\nb"', "c\nd", 'K="c\nd"'),
        ('K="a" # c', "", 'K="" # c'),
        ("export K=a", "b", "export K=b"),
    ],
)
def test_a_value_keeps_its_quotes_and_gets_some_where_it_needs_them(old: str, value: object, new: str) -> None:
    assert after(f"A=1\n{old}\nZ=1\n", "K", "set-key", PATH, value=value) == f"A=1\n{new}\nZ=1\n"


@table(
    ("text", "given", "expected"),
    [
        ("", {}, "N=v w"),
        ("A=1\n", {}, "A=1\nN=v w\n"),
        ("A=1", {}, "A=1\nN=v w"),
        ("A='1'\n", {}, "A='1'\nN='v w'\n"),
        ("export A=1\n", {}, "export A=1\nexport N=v w\n"),
        ("A = 1\n", {}, "A = 1\nN = v w\n"),
        ("# c\nA=1\nB=2\n", {"before": "B"}, "# c\nA=1\nN=v w\nB=2\n"),
        ("# c\n", {}, "# c\nN=v w\n"),
    ],
)
def test_a_name_is_added_as_its_siblings_are(text: str, given: dict[str, object], expected: str) -> None:
    quoted = expected if "'v w'" in expected else expected.replace("v w", '"v w"')
    made = after(text, "", "add-key", PATH, name="N", value="v w", **given)
    assert made == (quoted if text else quoted + "\n")


def test_names_are_deleted_renamed_and_moved_with_their_comments() -> None:
    assert after(TEXT, "B", "delete-key", PATH) == TEXT.replace("export B='two' # b\n", "")
    assert after(TEXT, "B", "rename-key", PATH, name="BB") == TEXT.replace("B=", "BB=")
    moved = after(TEXT, "B", "move-key", PATH, to="")
    assert moved == "# head\nA=1\n\n# group\nC=\"three\"\nexport B='two' # b\n"


def test_entries_are_inserted_as_they_are_written() -> None:
    written = "# k\nC='x y' # z\n"
    assert edit("A=1\nB=2\n", Insert(Key("A"), written, where="after"), path=PATH).text == f"A=1\n{written}B=2\n"


def test_new_lines_get_the_endings_of_the_file() -> None:
    text = 'A=1\r\nB="x\r\ny"\r\n'
    edits = [Act(Key("B"), "set-key", value="p\nq"), Act(Key(""), "add-key", name="C", value=1)]
    assert edit(text, edits, path="prod.env").text == 'A=1\r\nB="p\r\nq"\r\nC=1\r\n'


def test_values_of_several_lines_are_moved_with_their_endings() -> None:
    text = 'A=1\r\nB="x\r\ny"\r\nC=3\r\n'
    result = edit(text, Act(Key("B"), "move-key", to=""), path="prod.env")
    assert result.text == 'A=1\r\nC=3\r\nB="x\r\ny"\r\n'


def test_long_lines_of_quotes_and_backslashes_end_in_an_answer() -> None:
    for text in ('A="' + "\\" * 300_001, "A='" + "\\'" * 150_000, "A=" + " #" * 150_000, "\n" * 300_000, "A" * 300_000):
        assert SYNTAX.read(Source.of_text(text)) is not None


def loaded(text: str) -> dict[str, str | None]:
    return dict(dotenv_values(stream=io.StringIO(text), interpolate=False))


def env(chance: Random) -> str:
    values = ["1", "two words", "", "'a b'", '"c # d"', '"e\\nf"', "x#y", "$V", '"g\nh"', "'it\\'s'", '""', "a  # c"]
    text = ""
    for name in chance.sample(["A", "B_C", "d", "E9", "F.G"], chance.randint(1, 5)):
        text += chance.choice(["", "", "# note\n", "\n", "\n# group\n"])
        text += f"{chance.choice(['', '', 'export '])}{name}{chance.choice(['=', '=', ' = '])}{chance.choice(values)}\n"
    return text.rstrip("\n") if chance.random() < 0.2 else text


VALUES = ["plain", "two words", "", "it's", 'q"r', "a\nb", "#x", "$Y", "b\\c", "é", "tab\there"]


@examples(25)
@given(st.randoms(use_true_random=False))
def test_after_each_operation_dotenv_reads_the_asked_change(chance: Random) -> None:
    text = env(chance)
    keys = Keys.of(SYNTAX, Source.of_text(text, path=PATH))
    assert isinstance(keys, Keys)
    data = loaded(text)
    top = keys.reading.documents[0]
    assert plain_of(top) == data
    item = chance.choice(top.children)
    name = str(item.path[-1])
    match chance.choice(["set", "set", "add", "delete", "rename", "move"]):
        case "set":
            data[name] = new = chance.choice(VALUES)
            proposal = keys.set_value(item, new)
        case "add":
            data["NEW"] = new = chance.choice(VALUES)
            proposal = keys.add(top, "NEW", new, None)
        case "delete":
            del data[name]
            proposal = keys.delete(item)
        case "rename":
            data["NEW"] = data.pop(name)
            proposal = keys.rename(item, "NEW")
        case _:
            proposal = keys.move(item, top, None, None)
    assert isinstance(proposal, Proposal), proposal
    changes = ChangeSet(proposal.splices)
    made = changes.apply(text)
    assert loaded(made) == data
    assert changes.invert().apply(made) == text
    check_only_inside(text, made, changes)


def test_a_mark_at_the_head_of_a_text_is_no_part_of_the_first_line() -> None:
    assert after("\ufeffA=1\nB=2\n", "A", "delete-key", ".env") == "\ufeffB=2\n"
    assert after("\ufeffA=1\n", "", "add-key", ".env", name="B", value=2, before="A") == "\ufeffB=2\nA=1\n"
