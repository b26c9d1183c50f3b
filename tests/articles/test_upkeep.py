"""Keeping articles in order: lint, suggest, and what an edit broke."""

from __future__ import annotations

from pathlib import Path

import steadyhand as sh
from steadyhand.articles.checks import check_edit
from steadyhand.articles.library import read_library
from steadyhand.structure.page import anchor_name
from tests.articles.repository import CONFIG, SESSION, Repository, article, make_fixture
from tests.table import table


def write_tree(root: Path, **files: str) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def kinds(root: Path, **more: object) -> list[tuple[str, str, int | None]]:
    return [(each.kind, each.path, each.line) for each in sh.impact.lint(root, **more).findings]  # type: ignore[arg-type]


def test_the_fixture_has_a_cycle_and_broken_pages(tmp_path: Path) -> None:
    found = kinds(make_fixture(tmp_path).root)
    assert found == [
        ("front-matter", "docs/broken.md", 2),
        ("cycle", "docs/changed.md", None),
        ("dead-path", "docs/renamed.md", 4),
        ("front-matter", "docs/unknown.md", 4),
    ]


def test_each_kind_of_finding(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        **{
            "src/s.py": SESSION,
            "c.yaml": CONFIG,
            "ok.md": article(
                "OK",
                "op: file, path: src/s.py",
                'op: file, path: "src/**"',
                "op: file, path: src",
                "op: symbol, path: src/s.py#Session.login",
                "op: symbol, path: src/s.py#login",
                "op: key, path: c.yaml#login.max_tries",
                "op: article, path: TWIN",
                "op: file, path: nowhere.py, source: backend",
            ),
            "dead.md": article(
                "DEAD",
                "op: file, path: src/t.py",
                'op: file, path: "src/*.ts"',
                "op: symbol, path: src/s.py#Session.logout",
                "op: key, path: c.yaml#login.tries",
                "op: article, path: OKAY",
                "op: symbol, path: src/t.py#f",
            ),
            "one.md": article("TWIN"),
            "two.md": article("TWIN"),
        },
    )
    assert kinds(tmp_path) == [
        ("dead-path", "dead.md", 4),
        ("dead-glob", "dead.md", 5),
        ("dead-symbol", "dead.md", 6),
        ("dead-key", "dead.md", 7),
        ("dead-article", "dead.md", 8),
        ("dead-path", "dead.md", 9),
        ("duplicate-jrn", "one.md", None),
        ("duplicate-jrn", "two.md", None),
    ]
    assert kinds(tmp_path, docs=["ok.md"]) == []


def test_coverage_counts_pages_and_sources(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        **{"a.py": "x = 1\n", "b.py": "x = 1\n", "a.md": article("A", "op: file, path: a.py"), "b.md": "# B\n"},
    )
    found = sh.impact.lint(tmp_path, coverage=True)
    assert [(each.kind, each.path) for each in found.findings] == [("uncovered", "b.md")]
    assert found.coverage is not None
    assert (found.coverage.pages, found.coverage.sources, found.coverage.unattended) == (2, 2, ("b.py",))
    assert sh.impact.lint(tmp_path).findings == ()


def test_cycles_of_any_length_and_who_attends(tmp_path: Path) -> None:
    links = {"A": "B", "B": "C", "C": "A", "D": "A", "E": "E"}
    write_tree(tmp_path, **{f"{name}.md": article(name, f"op: article, path: {to}") for name, to in links.items()})
    with sh.Workspace(tmp_path, read_only=True) as ws:
        library = read_library(ws)
    assert [[each.jrn for each in group] for group in library.cycles()] == [["A", "B", "C"]]
    (first,) = library.by_name["A"]
    assert [each.jrn for each, _ in library.attending(first)] == ["C", "D"]


def test_rules_are_proposed_from_names_and_from_history(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    page = "# Log in\n\nSee [the code](../src/named.py), and call `Session.login()` after `max_tries_of()`. Run it.\n"
    files = {"docs/a.md": page, "src/s.py": SESSION, "src/named.py": "x = 1\n", "src/run.py": "def run(): pass\n"}
    repo.commit("one", **files, **{"src/t.py": "def max_tries_of(): pass\n", "src/u.py": "y = 0\n"})
    for number in range(3):
        repo.commit("both", **{"docs/a.md": page + f"{number}\n", "src/u.py": f"y = {number + 1}\n"})
    (found,) = sh.impact.suggest(tmp_path).articles
    assert [(each.op, each.path) for each in found.proposals] == [
        ("file", "src/named.py"),
        ("symbol", "src/s.py#Session.login"),
        ("symbol", "src/t.py#max_tries_of"),
        ("file", "src/u.py"),
    ]
    assert found.proposals[-1].why == "changed together with it in 4 of 4 commits"
    sh.impact.suggest(tmp_path, write=True)
    assert sh.impact.suggest(tmp_path).articles == ()
    assert sh.impact.lint(tmp_path).findings == ()
    with sh.Workspace(tmp_path) as ws:
        (entry,) = ws.history("docs/a.md")
        assert "names src/named.py" in (entry.record.reason or "")
        ws.undo(entry.record.id)
    assert (tmp_path / "docs/a.md").read_text() == page + "2\n"


@table(
    "front",
    [
        "",
        "---\ntitle: x\n---\n\n",
        "---\nattention:\n---\n\n",
        "---\njrn: A\nattention:\n  - op: file\n    path: other.py\n---\n\n",
        "---\nattention: [{op: file, path: other.py}]\n---\n\n",
        '+++\njrn = "A"\n+++\n\n',
    ],
)
def test_rules_are_written_into_whatever_front_matter_there_is(tmp_path: Path, front: str) -> None:
    write_tree(
        tmp_path, **{"src/named.py": "x = 1\n", "other.py": "x = 1\n", "a.md": f"{front}# A\n\nSee src/named.py.\n"}
    )
    sh.impact.suggest(tmp_path, write=True)
    with sh.Workspace(tmp_path, read_only=True) as ws:
        (found,) = read_library(ws).articles
    assert "src/named.py" in [rule.place for rule in found.rules]
    assert ("other.py" in [rule.place for rule in found.rules]) == ("other.py" in front)
    assert (tmp_path / "a.md").read_text().endswith("# A\n\nSee src/named.py.\n")


def broken(root: Path, before: str, after: str) -> list[tuple[str, str, int]]:
    with sh.Workspace(root, read_only=True) as ws:
        return [(each.kind, each.path, each.line) for each in check_edit(ws, "docs/a.md", before, after)]


def test_what_an_edit_broke(tmp_path: Path) -> None:
    before = "# A\n\n## Set up\n\n[b](b.md) [dead](gone.md)\n\n```python\nx = 1\n```\n\n```json\n{...}\n```\n"
    write_tree(
        tmp_path,
        **{"docs/a.md": before, "docs/b.md": "# B\n\n## Part\n\nSee [set up](a.md#set-up).\n", "src/x.py": "\n"},
    )
    assert broken(tmp_path, before, before + "[b](./b.md#part) [x](/src/x.py) [w](https://example.org)\n") == []
    assert broken(tmp_path, before, before + "[c](c.md) [p](b.md#nope) [me](#nope)\n") == [
        ("dead-anchor", "docs/a.md", 14),
        ("dead-anchor", "docs/a.md", 14),
        ("dead-link", "docs/a.md", 14),
    ]
    assert broken(tmp_path, before, before.replace("x = 1", "x = = 1")) == [("broken-code", "docs/a.md", 8)]
    assert broken(tmp_path, before, before.replace("{...}", "{…}")) == [], "it did not parse before either"
    assert broken(tmp_path, before, before.replace("## Set up", "## Install")) == [("lost-anchor", "docs/b.md", 5)]


def test_an_anchor_is_the_same_for_every_site_generator() -> None:
    assert anchor_name("What's new? `v1.2` — & more") == anchor_name("whats-new-v12---more")


def test_pages_in_html_are_checked_too(tmp_path: Path) -> None:
    page = '<h1 id="top">A</h1>\n<a href="#top">up</a> <img src="logo.png">\n'
    write_tree(tmp_path, **{"docs/a.html": page, "docs/logo.png": "x"})
    with sh.Workspace(tmp_path, read_only=True) as ws:
        assert check_edit(ws, "docs/a.html", page, page) == ()
        found = check_edit(ws, "docs/a.html", page, page.replace('id="top"', "").replace("logo", "nothing"))
    assert [each.kind for each in found] == ["dead-anchor", "dead-link"]
