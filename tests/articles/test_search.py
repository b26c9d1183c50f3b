"""Which articles a change may concern: the evidence, exact and in a stable order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import steadyhand as sh
from tests.articles.repository import CONFIG, Repository, article, make_fixture
from tests.sampling import EXAMPLES


@pytest.fixture(scope="module")
def fixture(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return make_fixture(tmp_path_factory.mktemp("fixture"))


def evidence(root: Path, **more: Any) -> dict[str, list[tuple[str, str]]]:
    found = sh.impact.search(root, **more).to_json()
    assert found["articles"] == sorted(found["articles"], key=lambda each: each["path"])  # type: ignore[index]
    return {
        each["path"]: [(item["matchType"], item["changedFile"]) for item in each["evidence"]]
        for each in found["articles"]  # type: ignore[attr-defined]
    }


EXPECTED = {
    "docs/braces.md": [("glob", "web/new_name.ts")],
    "docs/exact.md": [("exact", "src/auth/tokens.py")],
    "docs/glob.md": [("glob", "src/auth/session.py"), ("glob", "src/auth/tokens.py")],
    "docs/login.md": [("symbol", "src/auth/session.py")],
    "docs/overview.md": [("article", "docs/changed.md")],
    "docs/renamed.md": [("exact", "web/new_name.ts")],
    "docs/renamed_new.md": [("exact", "web/new_name.ts")],
    "docs/session.md": [("symbol", "src/auth/session.py")],
    "docs/tries.md": [("key", "config/app.yaml")],
    "docs/unknown.md": [("exact", "src/auth/tokens.py")],
}


def test_the_fixture_comes_out_exactly(fixture: Repository) -> None:
    assert evidence(fixture.root) == EXPECTED
    first, second = (sh.impact.search(fixture.root).to_json() for _ in range(2))
    assert first == second
    assert [(each["path"], each["line"]) for each in first["problems"]] == [  # type: ignore[attr-defined,index]
        ("docs/broken.md", 2),
        ("docs/unknown.md", 4),
    ]


def test_an_article_names_itself_or_has_its_path(fixture: Repository) -> None:
    names = {each.article.path: each.article.jrn for each in sh.impact.search(fixture.root).articles}
    assert (names["docs/login.md"], names["docs/braces.md"]) == ("LOGIN", "docs/braces.md")


def test_evidence_says_which_rule(fixture: Repository) -> None:
    (found,) = sh.impact.search(fixture.root, docs=["docs/tries.md"]).articles
    (item,) = found.to_json()["evidence"]  # type: ignore[misc]
    assert item["rule"] == {"op": "key", "path": "config/app.yaml#login.max_tries"}  # type: ignore[index]


def test_another_repository_is_matched_by_its_name(fixture: Repository, tmp_path: Path) -> None:
    assert evidence(fixture.root, source="backend") == {"docs/elsewhere.md": [("exact", "src/auth/session.py")]}
    docs = Repository(tmp_path)
    docs.commit(
        "docs", **{"a.md": article("A", "op: symbol, path: src/auth/session.py#Session.login, source: backend")}
    )
    found = evidence(docs.root, source="backend", source_root=fixture.root)
    assert found == {"a.md": [("symbol", "src/auth/session.py")]}


def test_mentions_are_weak_and_asked_for(fixture: Repository) -> None:
    plain, more = sh.impact.search(fixture.root), sh.impact.search(fixture.root, mentions=True)
    assert "docs/mention.md" not in [each.article.path for each in plain.articles]
    (found,) = (each for each in more.articles if each.article.path == "docs/mention.md")
    assert [(item.match_type, item.changed_file, item.mention) for item in found.evidence] == [
        ("mention", "src/auth/session.py", "Session.login"),
        ("mention", "src/auth/tokens.py", "--dry-run"),
    ]


def test_a_file_that_cannot_be_parsed_counts_as_changed_and_says_so(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    pages = {"a.md": article("A", "op: key, path: c.yaml#a"), "b.md": article("B", "op: symbol, path: x.zzz#f")}
    base = repo.commit("one", **pages, **{"c.yaml": "a: 1\n", "x.zzz": "f\n"})
    repo.commit("two", **{"c.yaml": "a: [\n", "x.zzz": "g\n"})
    found = sh.impact.search(tmp_path, base=base)
    assert [(each.article.jrn, each.evidence[0].doubt is not None) for each in found.articles] == [
        ("A", True),
        ("B", True),
    ]


def test_a_definition_that_goes_or_comes_is_a_change(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    page = article("A", "op: symbol, path: a.py#f", "op: key, path: c.toml#x.y", "op: symbol, path: new.py#f")
    base = repo.commit("one", **{"a.md": page, "a.py": "def f(): pass\ndef g(): pass\n", "c.toml": "[x]\ny = 1\n"})
    repo.commit("two", **{"a.py": "def g(): pass\n", "c.toml": "[x]\n", "new.py": "def f(): pass\n"})
    found = evidence(tmp_path, base=base)
    assert found == {"a.md": [("symbol", "a.py"), ("symbol", "new.py"), ("key", "c.toml")]}


def test_keys_by_value_not_by_order_or_comment(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    page = article("A", "op: key, path: c.yaml#login", "op: key, path: d.json#a.b")
    base = repo.commit("one", **{"a.md": page, "c.yaml": CONFIG, "d.json": '{"a": {"b": 1, "c": 2}}\n'})
    repo.commit(
        "two", **{"c.yaml": "# new\nlogin: {lock: yes, max_tries: 5}\nserver: {}\n", "d.json": '{"a":{"c":3,"b":1}}'}
    )
    assert evidence(tmp_path, base=base) == {}
    repo.commit("three", **{"d.json": '{"a":{"c":3,"b":true}}'})
    assert evidence(tmp_path, base=base) == {"a.md": [("key", "d.json")]}


def test_a_deleted_article_is_known_by_the_id_it_had(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    base = repo.commit("one", **{"a.md": article("A", "op: article, path: B"), "b.md": article("B")})
    (tmp_path / "b.md").unlink()
    repo.commit("two")
    assert evidence(tmp_path, base=base) == {"a.md": [("article", "b.md")]}


def test_what_is_not_shown_is_compared_all_the_same(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    page = article("A", "op: symbol, path: gen.py#f", "op: key, path: .env#PORT")
    old = {"gen.py": "def f(): return 1\n\ndef g(): return 1\n", ".env": "PORT=1\nTOKEN=hunter2\n"}
    base = repo.commit("one", **{"a.md": page, ".gitattributes": "gen.py linguist-generated\n"}, **old)
    repo.commit("two", **{"gen.py": "def f(): return 1\n\ndef g(): return 2\n", ".env": "PORT=1\nTOKEN=hunter3\n"})
    assert evidence(tmp_path, base=base) == {}
    repo.commit("three", **{"gen.py": "def f(): return 3\n", ".env": "PORT=2\nTOKEN=hunter3\n"})
    assert evidence(tmp_path, base=base) == {"a.md": [("symbol", "gen.py"), ("key", ".env")]}
    assert "hunter" not in str(sh.impact.search(tmp_path, base=base).to_json())


def test_one_directory_is_given_as_a_list(tmp_path: Path) -> None:
    Repository(tmp_path).commit("one")
    for ask in (sh.impact.search, sh.impact.lint, sh.impact.suggest):
        with pytest.raises(sh.EditError) as refused:
            ask(tmp_path, docs="docs")  # type: ignore[operator]
        assert refused.value.kind == "bad-request"


def test_no_article_is_met_by_itself(tmp_path: Path) -> None:
    repo = Repository(tmp_path)
    page = article("A", 'op: file, path: "docs/**"', "op: article, path: A")
    base = repo.commit("one", **{"docs/a.md": page})
    repo.commit("two", **{"docs/a.md": page + "more\n"})
    assert evidence(tmp_path, base=base) == {}


# The dullest reference: every rule of every article, every path of two trees.

PLACES = ["src/a.py", "src/b.py", "src/x/c.py", "lib/d.py", "e.py"]
RULES = st.tuples(
    st.sampled_from(["", "!"]),
    st.sampled_from([*PLACES, "src/*.py", "src/**", "**/*.py", "{e,f}.py", "lib", "none.py"]),
)
TREES = st.dictionaries(st.sampled_from(PLACES), st.integers(0, 3), max_size=5)


def content(path: str, number: int) -> str:
    """Texts that have nothing in common, so that nothing is taken for a rename."""
    return (
        "".join(f"{path}_{number}_{line} = {number * 7 + line}\n" for line in range(6))
        .replace("/", "_")
        .replace(".", "_")
    )


def means(place: str, path: str) -> bool:
    import fnmatch

    match place:
        case "src/*.py":
            return path.startswith("src/") and path.count("/") == 1
        case "src/**":
            return path.startswith("src/")
        case "**/*.py":
            return fnmatch.fnmatch(path, "*.py")
        case "{e,f}.py":
            return path in ("e.py", "f.py")
        case _:
            return path == place or path.startswith(f"{place}/")


@settings(max_examples=EXAMPLES // 2)
@given(before=TREES, after=TREES, pages=st.lists(st.lists(RULES, max_size=4), min_size=1, max_size=4))
def test_search_agrees_with_a_dull_reference(
    tmp_path_factory: pytest.TempPathFactory,
    before: dict[str, int],
    after: dict[str, int],
    pages: list[list[tuple[str, str]]],
) -> None:
    repo = Repository(tmp_path_factory.mktemp("random"))
    for number, rules in enumerate(pages):
        listed = [f'op: file, path: "{mark}{place}"' for mark, place in rules]
        repo.write(f"docs/{number}.md", article(f"P{number}", *listed))
    base = repo.commit("before", **{path: content(path, number) for path, number in before.items()})
    for path in before:
        (repo.root / path).unlink()
    repo.commit("after", **{path: content(path, number) for path, number in after.items()})
    changed = sorted(path for path in {*before, *after} if before.get(path) != after.get(path))
    expected: dict[str, set[str]] = {}
    for number, rules in enumerate(pages):
        met = {
            path
            for path in changed
            if any(not mark and means(place, path) for mark, place in rules)
            and not any(mark and means(place, path) for mark, place in rules)
        }
        if met:
            expected[f"docs/{number}.md"] = met
    found = sh.impact.search(repo.root, base=base)
    assert {each.article.path: {item.changed_file for item in each.evidence} for each in found.articles} == expected
    assert [file.path for file in sh.impact.extract(repo.root, base=base).files] == changed
