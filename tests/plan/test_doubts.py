"""Places that a tier has found and that are not believed; most with a twin that is, so that the doubt refuses."""

from __future__ import annotations

import pytest

from steadyhand.plan.edit import Replace
from tests.checks import check_edit, check_refused

SETUP = """\
def setup(app):
    app.name = "demo"
    app.debug = False
    app.logger = make_logger(app)
    app.cache = make_cache(app)
    # register everything now
    register(app)
    return app
"""
MISREMEMBERED = SETUP.replace("everything now", "all of it now")
ADDED = ("    register(app)\n", '    register(app)\n    log("ready")\n')


def over_escaped(text: str) -> str:
    return text.replace('"', '\\"')


def test_an_escaped_text_with_a_misremembered_line_does_not_bring_its_escapes_into_the_file() -> None:
    """Neither mistake alone stops the edit; together no step sees through both, and the escapes would be written."""
    check_refused(
        SETUP,
        Replace(over_escaped(MISREMEMBERED), over_escaped(MISREMEMBERED.replace(*ADDED))),
        "no-match",
        path="a.py",
    )
    check_edit(SETUP, Replace(MISREMEMBERED, MISREMEMBERED.replace(*ADDED)), SETUP.replace(*ADDED), path="a.py")
    check_edit(
        SETUP, Replace(over_escaped(SETUP), over_escaped(SETUP.replace(*ADDED))), SETUP.replace(*ADDED), path="a.py"
    )


PAGE = "<ul>\n  <li title='&quot;'>one</li>\n  <li>two</li>\n  <li>three of them</li>\n  <li>four of them</li>\n</ul>\n"


def test_entities_for_plain_signs_in_a_file_with_entities_of_its_own_are_not_written() -> None:
    quoted = PAGE.replace("<li>two</li>", "&lt;li&gt;two&lt;/li&gt;")
    longer = quoted.replace("four of them", "four &lt;b&gt;of&lt;/b&gt; them")
    check_refused(PAGE, Replace(quoted, longer), "no-match", path="a.html")
    plain = PAGE.replace("<li>two</li>", "<li>twice</li>")
    check_edit(
        PAGE,
        Replace(plain, plain.replace("four of them", "four of us")),
        PAGE.replace("four of them", "four of us"),
        path="a.html",
    )


TWINS = """\
rows = read_rows(path, strict=True)
mode(1)
log.info("about to clean what was read from the path", path)
rows = clean_rows(rows, path)
store(sort_rows(rows))

rows = read_rows(path, strict=True)
mode(2)
rows = clean_rows(rows, path)
store(sort_rows(rows))
"""


def test_an_edit_that_was_made_is_not_made_again_at_a_sibling() -> None:
    new = TWINS[: TWINS.index("\n\n") + 1]
    old = "".join(line for line in new.splitlines(keepends=True) if not line.startswith("log"))
    check_refused(TWINS, Replace(old, new), "no-match", path="a.py")


FENCED = "Run it:\n\n```\nmake all\nmake test\n```\n\nThat is all.\n"


def test_fences_that_the_file_has_around_the_place_were_no_accident() -> None:
    quoted = "```sh\nmake all\nmake test\n```"
    check_refused(FENCED, Replace(quoted, quoted.replace("test", "check")), "no-match", path="a.md")
    bare = FENCED.replace("```\n", "")
    check_edit(bare, Replace(quoted, quoted.replace("test", "check")), bare.replace("test", "check"), path="a.md")


@pytest.mark.parametrize("depth", [5, 6, 9])
def test_a_line_quoted_between_two_depths_may_be_either(depth: int) -> None:
    before = "    - cargo build\nx\n          - cargo build\n"
    quoted = " " * depth + "- cargo build"
    check_refused(before, Replace(quoted, quoted.replace("build", "test")), "ambiguous-match", path="a.yml")
