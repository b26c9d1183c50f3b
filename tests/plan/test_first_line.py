"""A first line quoted without its indentation changes nothing: the edit is that of the full quote, or is refused."""

from __future__ import annotations

from steadyhand import Delete, Kind, Policy, Replace, Result, edit
from steadyhand.plan.edit import edit_from_json
from tests.table import table

LOAD = "function f(a) {\n    x = load(a);\n    return x;\n}\n"
WIDE = "class A {\n  run() {\n    const one = first(1);\n    const two = second(2);\n    return one + two;\n  }\n}\n"

# Name, file, text, old text with a bare first line, new text, what it gives.
BARE = [
    ("issue", "a.js", LOAD, "x = laod(a);\n    return x;", "x = load(a, 3);\n    return x;", "    x = load(a, 3);"),
    (
        "only old",
        "a.js",
        LOAD,
        "x = laod(a);\n    return x;",
        "    x = load(a, 3);\n    return x;",
        "    x = load(a, 3);",
    ),
    (
        "a later line misquoted",
        "a.js",
        WIDE,
        "const one = first(1);\n    const two = secnod(2);\n    return one + two;",
        "const one = first(1);\n    const two = second(2, 3);\n    return one + two;",
        "    const one = first(1);\n    const two = second(2, 3);\n    return one + two;",
    ),
    (
        "a line added below a later line that is misquoted",
        "a.js",
        WIDE,
        "const one = first(1);\n    const tow = second(2);",
        "const one = first(1);\n    const tow = second(2);\n    check(one);",
        "    const one = first(1);\n    const two = second(2);\n    check(one);",
    ),
]


def run(path: str, text: str, old: str, new: str, **policy: object) -> Result[str]:
    return edit(text, [Replace(old, new)], path=path, policy=Policy(**policy))  # type: ignore[arg-type]


@table("on_drift", ["refuse", "merge", "new"])
@table(("name", "path", "text", "old", "new", "part"), BARE, ids=[name for name, *_ in BARE])
def test_a_bare_misquoted_first_line_keeps_its_indentation(
    name: str, path: str, text: str, old: str, new: str, part: str, on_drift: str
) -> None:
    result = run(path, text, old, new, on_drift=on_drift)
    if result.error is not None:
        assert result.error.kind in (Kind.DRIFT_CONFLICT, Kind.NO_MATCH)
        offer = result.error.details.get("corrected")
        if offer is None:
            return
        result = edit(text, [edit_from_json(offer)], path=path)
    assert f"\n{part}\n" in result.text, name
    assert len(result.text) - len(text) in range(len(part))


EXACT = [
    ("new text in full", "a()\n    b()", "    c()\n    b()", "    c()\n    b()\n"),
    ("the lines go", "a()\n    b()\n", "", ""),
    ("the first line goes", "a()\n    b()", "    b()", "    b()\n"),
    ("a blank line comes", "a()\n    b()", "\n    b()", "\n    b()\n"),
    ("one line in full", "a()", "    c()", "    c()\n    b()\n"),
    ("one line becomes blank", "a()", "", "\n    b()\n"),
    ("a line that closes comes first", "b()\n}", "}", "    a()\n}\n"),
]


@table(("name", "old", "new", "body"), EXACT, ids=[name for name, *_ in EXACT])
def test_a_bare_first_line_that_is_exact_leaves_no_blanks_behind(name: str, old: str, new: str, body: str) -> None:
    before = "if (x) {\n    a()\n    b()\n}\nend()\n"
    after = f"if (x) {{\n{body}" + ("" if "}" in body else "}\n") + "end()\n"
    result = run("a.js", before, old, new, guards=frozenset())
    assert result.text == after, name
    literal = run("a.js", before, old, new, guards=frozenset(), tier="exact")
    assert literal.text == before.replace(old, new)


def test_a_deletion_takes_the_indentation_along() -> None:
    before = "if x:\n    a()\n    b()\n    c()\n"
    assert edit(before, [Delete("a()\n    b()\n")], path="a.py").text == "if x:\n    c()\n"


def test_every_place_is_read_by_itself() -> None:
    before = "if (x) {\n  go();\n  on();\n}\nif (y) {\n    go();\n    on();\n}\n"
    result = edit(before, [Replace("go();", "go();\nrun();", occurrence="all")], path="a.js")
    assert result.text == before.replace("  go();\n  on", "  go();\n  run();\n  on").replace(
        "    go();\n    on", "    go();\n    run();\n    on"
    )
    assert result.outcomes[0].confidence == 0.95


@table(
    ("old", "new"),
    [
        ("    x = laod(a);\n    return x;", "x = load(a, 3);\n    return x;"),
        ("x = laod(a);\n    return x;", "x = load(a, 3);\ncheck(x);\n    return x;"),
    ],
    ids=["only new text is bare", "a further line may be bare too"],
)
def test_what_may_have_lost_its_indentation_or_not_is_refused(old: str, new: str) -> None:
    for on_drift in ("refuse", "merge", "new"):
        error = run("a.js", LOAD, old, new, on_drift=on_drift).error
        assert error is not None
        assert "corrected" not in error.details


def test_a_line_that_looks_like_a_bare_one_further_down_is_not_guessed_at() -> None:
    before = "fn a() {\n    if b {\n        c();\n    }\n}\n\nlast();\n"
    old, new = "}  \n}\n\nlast();", "}\n\nlast();"
    assert run("a.rs", before, old, new, guards=frozenset()).error is not None


def test_a_line_that_is_moved_is_the_files_although_it_is_misquoted() -> None:
    before = "start()\nalpha = load(first)\nbeta = store(second)\ngamma = close(third)\nend()\n"
    old = "start()\nalpha = load(first)\nbeta = stoer(second)\ngamma = close(third)\nend()\n"
    new = "start()\nbeta = stoer(second)\nalpha = load(first)\nfresh = 1\ngamma = close(third)\nend()\n"
    result = run("a.py", before, old, new, on_drift="new")
    assert result.error is not None or "stoer" not in result.text


LITERAL = [
    ("YAML at the end", "a.yaml", "a:\n  b: 1\n", "b: 1", "b: 1\nc: 2", "a:\n  b: 1\nc: 2\n"),
    ("YAML before a key", "a.yaml", "a:\n  b: 1\nd: 3\n", "b: 1", "b: 1\nc: 2", "a:\n  b: 1\nc: 2\nd: 3\n"),
    ("a Markdown footer", "a.md", "- a\n  - b\n\n# H\n", "- b", "- b\n\nFooter.", "- a\n  - b\n\nFooter.\n\n# H\n"),
    (
        "Python, else",
        "a.py",
        "if x:\n    a()\n    c()\n",
        "a()",
        "a()\nelse:\n    b()",
        "if x:\n    a()\nelse:\n    b()\n    c()\n",
    ),
    (
        "Python, a call below",
        "a.py",
        "def f():\n    return 1\n",
        "return 1",
        "return 1\n\n\nprint(f())",
        "def f():\n    return 1\n\n\nprint(f())\n",
    ),
    (
        "a block that ends",
        "a.js",
        "if (a) {\n  b();\n}\n",
        "b();",
        "b();\n} else {\n  c();",
        "if (a) {\n  b();\n} else {\n  c();\n}\n",
    ),
    (
        "CSS, another rule",
        "a.css",
        ".a {\n  x: 1;\n}\n",
        "x: 1;",
        "x: 1;\n}\n.b {\n  y: 2;",
        ".a {\n  x: 1;\n}\n.b {\n  y: 2;\n}\n",
    ),
]
MOVED = [
    ("YAML in the middle", "a.yaml", "a:\n  b: 1\n  d: 3\n", "b: 1", "b: 1\nc: 2", "a:\n  b: 1\n  c: 2\n  d: 3\n"),
    ("Python", "a.py", "if x:\n    a()\n    c()\n", "a()", "a()\nb()", "if x:\n    a()\n    b()\n    c()\n"),
    ("before a bracket", "a.json", '{\n  "a": 1\n}\n', '"a": 1', '"a": 1,\n"b": 2', '{\n  "a": 1,\n  "b": 2\n}\n'),
    (
        "a bracket that opens",
        "a.js",
        "go() {\n    a();\n}\n",
        "a();",
        "if (x) {\n    a();\n}",
        "go() {\n    if (x) {\n        a();\n    }\n}\n",
    ),
    (
        "HTML",
        "a.html",
        "<p>\n  <b>1</b>\n  <i>2</i>\n</p>\n",
        "<b>1</b>",
        "<b>1</b>\n<u>3</u>",
        "<p>\n  <b>1</b>\n  <u>3</u>\n  <i>2</i>\n</p>\n",
    ),
    ("the line comes again", "a.md", "- a\n  - b\n- c\n", "- b", "- x\n- b", "- a\n  - x\n  - b\n- c\n"),
    (
        "another unit",
        "a.go",
        "func f() {\n\ta()\n\tb()\n}\n",
        "a()",
        "a()\n    c()",
        "func f() {\n\ta()\n\tc()\n\tb()\n}\n",
    ),
]


@table(("name", "path", "before", "old", "new", "after"), LITERAL, ids=[name for name, *_ in LITERAL])
def test_further_lines_that_are_valid_as_they_are_sent_are_written_so(
    name: str, path: str, before: str, old: str, new: str, after: str
) -> None:
    result = run(path, before, old, new)
    assert result.text == after, name
    assert result.outcomes[0].tier == "exact"


@table(("name", "path", "before", "old", "new", "after"), MOVED, ids=[name for name, *_ in MOVED])
def test_further_lines_that_would_be_out_of_place_are_indented_and_not_sure(
    name: str, path: str, before: str, old: str, new: str, after: str
) -> None:
    result = run(path, before, old, new)
    assert result.text == after, name
    (outcome,) = result.outcomes
    assert (outcome.tier, outcome.differs, outcome.confidence) == ("whitespace", ("indentation",), 0.95)


@table(
    ("path", "before", "old", "new", "after"),
    [
        ("a.js", "class A {\n  f() {}\n}\n", "\nf() {}", "\n  g() {}", "class A {\n  g() {}\n}\n"),
        ("a.js", "class A {\n  f() {}\n}\n", "\nf() {}\n", "\n  g() {}\n", "class A {\n  g() {}\n}\n"),
        ("a.js", "class A {\n\n  f() {}\n}\n", "\nf() {}", "\n  g() {}", "class A {\n\n  g() {}\n}\n"),
        ("a.yaml", "a:\n  b: 1\n", "\nb: 1", "\n  c: 2", "a:\n  c: 2\n"),
        ("a.yaml", "a:\n  b: 1\n", "```\nb: 1\n```", "```\n  c: 2\n```", "a:\n  c: 2\n"),
        ("a.yaml", "a:\n  b: 1\n", "2| b: 1", "2|   c: 2", "a:\n  c: 2\n"),
        ("a.yaml", "a:\n  b: 1\n", "\nb: 1", "\nc: 2", "a:\n  c: 2\n"),
    ],
)
def test_a_shape_that_is_taken_off_does_not_double_the_indentation(
    path: str, before: str, old: str, new: str, after: str
) -> None:
    result = run(path, before, old, new)
    assert result.text == after
    assert result.outcomes[0].confidence is not None
    assert result.outcomes[0].confidence < 1


@table("old", ["x = load(1)", "x =  load(1)"])
def test_new_lines_of_an_edit_of_several_places_are_indented_alike_or_it_is_refused(old: str) -> None:
    change = Replace(old, "x = load(1)\ny = 2", occurrence="all")
    inside = "def f():\n    x = load(1)\n    z()\n    x = load(1)\n    z()\n"
    result = edit(inside, [change], path="a.py")
    assert result.text == inside.replace("load(1)\n", "load(1)\n    y = 2\n")
    at_end = inside.removesuffix("    z()\n")  # there both readings are valid
    assert edit(at_end, [change], path="a.py").text in (
        at_end,
        at_end.replace("load(1)\n", "load(1)\n    y = 2\n"),
    )


# Name, file, text, old text, new text, what it gives.
QUOTED = [
    (
        "a blank line above",
        "a.mk",
        "all:\n\tcc -c one.c\n",
        "cc -c one.c\n",
        "\ncc -c one.c\n",
        "all:\n\n\tcc -c one.c\n",
    ),
    (
        "a line that closes comes first",
        "a.js",
        "f(() => {\n    if (a) {\n        one();\n    }\n});\n",
        "one();\n    }",
        "}",
        "f(() => {\n    if (a) {\n    }\n});\n",
    ),
    (
        "a line that was further down comes first",
        "a.toml",
        'a = [\n  1, # done\n]\nempty = []\nroomy = "yes"\n',
        '1, # done\n  ]\n  empty = []\n  roomy = "yes"',
        ']\n  empty = []\n  roomy = "no"',
        'a = [\n]\nempty = []\nroomy = "no"\n',
    ),
    (
        "a shell line behind a tab",
        "Makefile",
        "all:\n\tfor a in b; do \\\n\t  install $$a; \\\n\tdone\n",
        "for a in b; do \\\n  install $$a; \\\ndone",
        "for a in b; do \\\n  install $$a; \\\n    check $$a; \\\ndone",
        "all:\n\tfor a in b; do \\\n\t  install $$a; \\\n\t    check $$a; \\\n\tdone\n",
    ),
    (
        "a first line in another unit, and the others at the margin",
        "a.md",
        "if TYPES:\n    import b\n```\n\nBehind it:\n    c\n",
        "        import b\n```\n\nBehind it:",
        "        if c:\n          import b\n```\n\nBehind that:",
        "if TYPES:\n    if c:\n      import b\n```\n\nBehind that:\n    c\n",
    ),
]


@table(("name", "path", "text", "old", "new", "after"), QUOTED, ids=[name for name, *_ in QUOTED])
def test_a_quote_that_is_moved_as_well_is_the_full_one(
    name: str, path: str, text: str, old: str, new: str, after: str
) -> None:
    assert run(path, text, old, new).text == after, name


# Name, file, text, old text, new text: what is meant depends on what the edit does not show.
UNSHOWN = [
    ("only new text is bare, in another unit", "a.py", "def f():\n        x = 1\n", "\tx = 1\n", "x = 2\n"),
    ("quoted further left, only new text bare", "a.md", "- a\n    b c d\n", "  b c d ", "b c e"),
    ("new text neither bare nor in full", "a.c", "f() {\n      g(one);\n}\n", "g(one); ", "   g(two);\n   g(one);"),
    (
        "the other lines have moved to the left",
        "a.c",
        "{\n    if (a) {\n        one = f(1);\n        two = f(2);\n    }\n}\n",
        "one = f(1) ;\n            two = f(2);",
        "one = f(3);\n        two = f(2);",
    ),
    (
        "a level of two blanks in a file of four",
        "a.c",
        "{\n    one = f(1);\n    if (a) {\n        two = f(2);\n    }\n}\n",
        "one = f(1);\nif (a) {",
        "one = f(1);\nif (b) {\n  three();\n}\nif (a) {",
    ),
    (
        "only a misquoted line shows the unit of a line that moves",
        "a.css",
        "a {\n  vertical-align: baseline;\n}\n\nsup { top: 1 }\nsub { top: 2 }\n",
        "    vertical-aleign: baseline;\n}\n\nsup { top: 1 }\nsub { top: 2 }\n",
        "    vertical-aleign: baseline;\n}\n@media print {\n\n    sup { top: 1 }\n    sub { top: 2 }\n",
    ),
    (
        "old text is further left, and new text as the file is or moved right",
        "a.html",
        "<main>\n  <div>\n    <form>\n    </form>\n  </div>\n  <footer>\n",
        "  </form>\n</div>\t\n<footer>\n",
        "  <hr>\n    </form_new>\n  </div>\n  <footer>\n",
    ),
    (
        "a bare line that goes on in the middle of a level",
        "a.css",
        "b {\n    c: d;\n}\n" * 3
        + "a {\n    /* One line, and\n       another one below */\n    left: 0px;\n    top: 0px;\n}\n",
        "another one below */\n  left: 0px;\n  top: 0px;",
        "     another one below it */\n  left: 0px;\n  top: 0px;",
    ),
    (
        "a level between two that are shown in another unit",
        "a.js",
        "  function f(e) {\n    one(e);\n    two = new Two(\n        three +\n        four);\n",
        "function f(e) {\n      one(e);\n      two = new Two(\n            three  +",
        "function f(e) {\n      one(e);\n      if (e) {\n         two = new Two(\n               three +",
    ),
    (
        "a deeper line below one at the margin, in another unit",
        "a.py",
        "def f(\n    one,\n    *,\n    two,\n) -> Any:\n    for a in b:\n        pass\n",
        "   oen,\n   *,\n   two,\n) -> Any:",
        "   oen,\n   *,\n   three,\n     two,\n) -> Any:\n     c = d",
    ),
    (
        "the same line at another indentation",
        "a.yaml",
        "a:\n  - one two\n  - three\n",
        "- one two",
        "\n      - one two",
    ),
]


@table(("name", "path", "text", "old", "new"), UNSHOWN, ids=[name for name, *_ in UNSHOWN])
def test_what_an_edit_does_not_show_is_refused(name: str, path: str, text: str, old: str, new: str) -> None:
    for on_drift in ("refuse", "merge", "new"):
        error = run(path, text, old, new, on_drift=on_drift, guards=frozenset()).error
        assert error is not None, name
        assert "corrected" not in error.details


@table("on_drift", ["refuse", "merge", "new"])
def test_a_misquoted_line_may_be_the_only_one_that_shows_how_new_text_is_indented(on_drift: str) -> None:
    """All is quoted four blanks further right, but for the first line of old text, which is bare."""
    text = "def f(client):\n    if client.base_url is None:\n        return False\n    return True\n"
    old, rest = "if client.base_url is None:\n", "            rteurn False\n"
    new = "        if client.other_url is None:\n" + rest
    result = run("a.py", text, old + rest, new, on_drift=on_drift, guards=frozenset())
    assert result.error is not None
    offer = edit_from_json(result.error.details["corrected"])  # type: ignore[arg-type]
    meant = text.replace("base_url", "other_url")
    assert edit(text, [offer], path="a.py").text == meant
    for shown in ("if client.other_url is None:\n", "    if client.other_url is None:\n"):
        assert run("a.py", text, old + rest, shown + rest, on_drift=on_drift).text == meant


def test_a_tag_below_a_tag_is_no_continuation() -> None:
    before = '<form>\n      <button class="btn">Go</button>\n    </form>\n'
    old, new = '<button class="btn">Go</button> \n', '<button class="btn">Go</button> \n    <button>No</button>\n'
    assert "\n    <button>No</button>\n" in run("a.html", before, old, new).text


@table(
    ("text", "old", "new", "why"),
    [
        ("spec:\n  ports:\n  - port: 80\n", "porst:", "  ports_new:\n  ports_new:", "two words are a letter away"),
        ("spec:\n  kinds:\n  - name: 80\n", "nmae:", "  names:\n  names:", "lines would come into the midst of one"),
    ],
)
def test_a_misspelt_part_of_a_line_that_may_be_another_is_refused(text: str, old: str, new: str, why: str) -> None:
    for on_drift in ("refuse", "merge", "new"):
        result = edit(text, [Replace(old, new)], path="a.yaml", policy=Policy(on_drift=on_drift, guards=frozenset()))
        assert not result.ok, why
