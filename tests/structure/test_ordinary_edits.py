"""Edits that people make every day, each in the format where it is harder than it looks."""

from __future__ import annotations

import json
import tomllib

import yaml

from steadyhand.plan.edit import Act, Delete, Edit, Insert, Replace
from steadyhand.plan.preview import edit
from steadyhand.structure.config.key import Key
from steadyhand.structure.target import parse_address
from tests.table import table


def after(text: str, *edits: Edit, path: str) -> str:
    result = edit(text, list(edits), path=path)
    assert result.error is None, result.error
    assert result.changes.invert().apply(result.text) == text
    return result.text


def insert(address: str, text: str, where: str) -> Insert:
    return Insert(parse_address(address), text, where=where)


GO = "package a\n\ntype Reader interface {\n\tRead(p []byte) (int, error)\n}\n"


@table(
    ("text", "where", "made"),
    [
        (GO, "end", GO.replace("error)\n", "error)\n\tClose() error\n")),
        (GO, "start", GO.replace("\tRead", "\tClose() error\n\tRead")),
        ("package a\n\ntype I interface{}\n", "end", "package a\n\ntype I interface{\n\tClose() error\n}\n"),
    ],
)
def test_a_method_joins_an_interface_of_go(text: str, where: str, made: str) -> None:
    name = "Reader" if "Reader" in text else "I"
    assert after(text, insert(f"symbol:{name}", "Close() error", where), path="a.go") == made


CARGO = """\
[package]
name = "x"

[target.'cfg(windows)'.dependencies]
winapi = "0.3"

[dependencies]
serde = "1"
"""
WINDOWS = 'target."cfg(windows)"'


def test_headers_in_single_quotes_keep_them() -> None:
    deleted = after(CARGO, Delete(Key(f"{WINDOWS}.dependencies")), path="Cargo.toml")
    assert deleted == CARGO.replace(
        "[target.'cfg(windows)'.dependencies]\nwinapi = \"0.3\"\n", "[target.'cfg(windows)']\n"
    )
    added = after(CARGO, Act(Key(WINDOWS), "add-key", name="dev", value={"a": "1"}), path="Cargo.toml")
    assert "\n[target.'cfg(windows)'.dev]\na = \"1\"\n" in added
    moved = after(CARGO, Act(Key("dependencies"), "move-key", to=WINDOWS, name="dev"), path="Cargo.toml")
    assert "\n[target.'cfg(windows)'.dev]\nserde = \"1\"\n" in moved


def test_a_key_that_is_to_follow_a_table_goes_before_the_tables() -> None:
    result = edit(CARGO, Act(Key(""), "add-key", name="cargo-features", value=[], after="package"), path="Cargo.toml")
    assert result.text == "cargo-features = []\n\n" + CARGO
    assert "keys before tables" in str(result.outcomes[0])
    table = after(CARGO, Act(Key(""), "add-key", name="lib", value={"name": "y"}, after="package"), path="Cargo.toml")
    assert list(tomllib.loads(table)) == ["package", "lib", "target", "dependencies"]


WORKFLOW = "on: push\njobs:\n  a:\n    steps:\n      - run: |\n          make\n          make test"


@table("sign", ["|", "|+", ">", "|-"])
def test_what_follows_a_text_at_the_end_of_a_file_without_newline(sign: str) -> None:
    text = WORKFLOW.replace("|", sign)
    step = Act(Key("jobs.a.steps"), "append-item", value={"run": "x"})
    result = edit(text, step, path="ci.yml")
    assert result.text == f"{text}\n      - run: x"
    before, now = (yaml.safe_load(each)["jobs"]["a"]["steps"] for each in (text, result.text))
    assert now[1:] == [{"run": "x"}]
    assert now[0]["run"] == before[0]["run"] + ("" if sign == "|-" else "\n")
    assert ("now ends with one" in str(result.outcomes[0])) == (sign != "|-")


PAGE = "<!DOCTYPE html>\n<html>\n<body>\n<p>x</p>\n</body>\n<script src=a.js></script>\n</html>\n"
LATE = "<script src=a.js></script>\n"


@table(
    ("text", "change", "made"),
    [
        (PAGE, Delete(parse_address("selector:script")), PAGE.replace(LATE, "")),
        (
            PAGE,
            Act(parse_address("selector:script"), "set-attribute", attr="src", value="b.js"),
            PAGE.replace("a.js", "b.js"),
        ),
        (
            PAGE,
            insert("selector:script", "<script></script>", "after"),
            PAGE.replace("</script>", "</script><script></script>"),
        ),
        (PAGE + LATE.replace("a", "z"), Delete(parse_address("selector:script[src='z.js']")), PAGE),
        (PAGE.replace(LATE, ""), insert("selector:body", LATE, "after"), PAGE.replace(f"\n{LATE}", f"{LATE}\n")),
    ],
)
def test_a_script_behind_the_end_of_the_body(text: str, change: Edit, made: str) -> None:
    assert after(text, change, path="a.html") == made


def test_a_class_with_a_colon_and_a_pseudo_class() -> None:
    change = Replace(parse_address(r"selector.inner:.md\:flex:first-child"), "y")
    assert after('<div><p class="md:flex">x</p></div>', change, path="a.html") == '<div><p class="md:flex">y</p></div>'


ENUMS = {
    "ts": "enum E {\n  A,\n  B\n}\n",
    "rs": "enum E {\n    A,\n    B\n}\n",
    "java": "enum E {\n    A,\n    B\n}\n",
    "c": "enum E {\n    A,\n    B\n};\n",
    "cpp": "enum class E {\n    A,\n    B\n};\n",
    "cs": "enum E {\n    A,\n    B\n}\n",
    "kt": "enum class E {\n    A,\n    B\n}\n",
}


@table("suffix", ENUMS)
def test_members_of_enums_come_and_go_with_their_commas(suffix: str) -> None:
    text, path = ENUMS[suffix], f"a.{suffix}"
    unit = "  " if suffix == "ts" else "    "
    assert after(text, insert("symbol:E", "Z", "start"), path=path) == text.replace("A,", f"Z,\n{unit}A,")
    assert after(text, insert("symbol:E", "Z", "end"), path=path) == text.replace("B\n", f"B,\n{unit}Z\n")
    assert after(text, insert("symbol:E.A", "Z", "after"), path=path) == text.replace("A,", f"A,\n{unit}Z,")
    assert after(text, Delete(parse_address("symbol:E.A")), path=path) == text.replace(f"{unit}A,\n", "")
    assert after(text, Delete(parse_address("symbol:E.B")), path=path) == text.replace(f",\n{unit}B", "")
    empty = text.replace(f"{unit}A,\n{unit}B\n", "")
    assert after(empty, insert("symbol:E", "Z", "start"), path=path) == text.replace(f"A,\n{unit}B", "Z")


def test_an_enum_of_java_takes_members_before_and_methods_behind_its_semicolon() -> None:
    text = "enum E {\n    A,\n    B;\n\n    int x;\n}\n"
    assert after(text, insert("symbol:E", "C", "end"), path="E.java") == text.replace("B;", "B,\n    C;")
    method = after(text, insert("symbol:E", "int f() {\n    return 1;\n}", "end"), path="E.java")
    assert method == text.replace("int x;\n", "int x;\n\n    int f() {\n        return 1;\n    }\n")


@table(
    ("path", "text", "key", "container", "made"),
    [
        ("a.json", '{\n  "a": 1,\n  "b": 2\n}\n', "b", "", '{\n  "a": 1,\n  "c": 3\n}\n'),
        ("a.json", '{\n  "b": 2\n}\n', "b", "", '{\n  "c": 3\n}\n'),
        ("a.yml", "x:\n  b: 2\n", "x.b", "x", "x:\n  c: 3\n"),
        ("a.yml", "b: 2\n", "b", "", "c: 3\n"),
        ("a.yml", "a: 1\nb: 2\n", "b", "", "a: 1\nc: 3\n"),
        ("a.toml", "[a]\nb = 2\n", "a.b", "a", "[a]\nc = 3\n"),
        ("a.toml", "x.b = 2\n", "x.b", "x", "x.c = 3\n"),
        ("a.ini", "[a]\nb = 2\n", "a.b", "a", "[a]\nc = 3\n"),
        (".env", "B=2\n", "B", "", "c=3\n"),
    ],
)
def test_the_last_key_goes_and_another_comes_in_one_call(
    path: str, text: str, key: str, container: str, made: str
) -> None:
    add = Act(Key(container), "add-key", name="c", value=3)
    assert after(text, Delete(Key(key)), add, path=path) == made


def test_another_key_comes_and_the_last_one_goes_in_one_call() -> None:
    edits = (Act(Key(""), "add-key", name="c", value=3), Delete(Key("b")))
    assert after('{\n  "a": 1,\n  "b": 2\n}\n', *edits, path="a.json") == '{\n  "a": 1,\n  "c": 3\n}\n'
    assert after("a: 1\nb: 2\n", *edits, path="a.yml") == "a: 1\nc: 3\n"


def test_all_keys_go_and_another_comes_in_one_call() -> None:
    edits = (Delete(Key("x.a")), Delete(Key("x.b")), Act(Key("x"), "add-key", name="c", value=3))
    assert after("x:\n  a: 1\n  b: 2\ny: 0\n", *edits, path="a.yml") == "x:\n  c: 3\ny: 0\n"
    assert json.loads(after('{"x": {"a": 1, "b": 2}}', *edits, path="a.json")) == {"x": {"c": 3}}


ENV_FILES = ".env.local.sample .env.production.example .envrc .env.staging.local .flaskenv .envrc.example env.sample"


@table("path", ENV_FILES.split())
def test_every_file_of_variables_is_known_by_its_name(path: str) -> None:
    assert after("export A=1\n", Act(Key("A"), "set-key", value="2"), path=path) == "export A=2\n"


def test_commands_between_the_variables_of_direnv_stay() -> None:
    text = "source_up\nexport A=1\nPATH_add bin\nif true; then\n  export B='x y'\nfi\n"
    assert after(text, Act(Key("A"), "set-key", value="2"), path=".envrc") == text.replace("A=1", "A=2")
    assert after(text, Act(Key("B"), "set-key", value="z"), path=".envrc") == text.replace("x y", "z")


def test_the_first_line_of_a_wrapped_task_names_it() -> None:
    text = "- [ ] a long task that\n  goes on here\n- [ ] another\n"
    done = Act(parse_address("block:a long task that"), "check-item")
    assert after(text, done, path="a.md") == text.replace("[ ]", "[x]", 1)
