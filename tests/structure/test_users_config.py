"""What users of other tools complain about in configuration files and notebooks, each as the behaviour they wanted."""

from __future__ import annotations

import json
import tomllib

import yaml

from steadyhand.plan.edit import Act, Delete, Replace
from steadyhand.structure.config.key import Key
from steadyhand.structure.notebook import Cell
from tests.checks import check_edit

WORKFLOW = """\
# Größe: 日本 – kept as it is
on:  # not a truth value
    push: { branches: [ main ] }   # flow, with blanks
jobs:
    build:
        steps:
        - uses: actions/checkout@v4   # pinned
        - run: |
            make   test
            make lint

        # deploys only from main
        - run: "deploy"

    # the last one
    docs: &docs
        if: 'true'
    other: *docs
"""

PROJECT = """\
# project file
[project]
name    = "demo"      # aligned
version = '1.2.0'     # bump me
dependencies = [
    "click>=8",   # command line
    "rapidfuzz",
]

[tool.x]  # tool
on = true
"""

PACKAGE = (
    '{\n\t"name": "démo",\n\t"version": "1.0.0",\n\t"scripts": {"test": "a && b"},\n\t"zeta": 1e3,\n\t"alpha": []\n}\n'
)


def test_comments_order_unicode_and_indentation_stay_when_one_value_changes() -> None:
    after = WORKFLOW.replace("checkout@v4", "checkout@v5")
    check_edit(
        WORKFLOW, Act(Key("jobs.build.steps[0].uses"), "set-key", value="actions/checkout@v5"), after, path="ci.yml"
    )


def test_lists_keep_their_indentation_when_an_item_joins_them() -> None:
    step = {"run": "echo done"}
    result = check_edit(
        WORKFLOW,
        Act(Key("jobs.build.steps"), "append-item", value=step),
        WORKFLOW.replace('        - run: "deploy"\n', '        - run: "deploy"\n        - run: echo done\n'),
        path="ci.yml",
    )
    assert yaml.safe_load(result.text)["jobs"]["build"]["steps"][-1] == step


def test_a_new_item_takes_the_quotes_that_all_others_have() -> None:
    ports = 'ports:\n  - "80:80"\n  - "8443:443"\nversion: "3.8"\n'
    after = ports.replace('  - "8443:443"\n', '  - "8443:443"\n  - "443:443"\n')
    check_edit(ports, Act(Key("ports"), "append-item", value="443:443"), after, path="c.yml")
    check_edit(ports, Act(Key(""), "add-key", name="name", value="web"), ports + "name: web\n", path="c.yml")


def test_a_comment_stays_with_the_entry_it_is_at() -> None:
    gone = '\n        # deploys only from main\n        - run: "deploy"\n'
    check_edit(WORKFLOW, Delete(Key("jobs.build.steps[2]")), WORKFLOW.replace(gone, ""), path="ci.yml")
    added = WORKFLOW.replace("        if: 'true'\n", "        if: 'true'\n        more: 1\n")
    check_edit(WORKFLOW, Act(Key("jobs.docs"), "add-key", name="more", value=1), added, path="ci.yml")


def test_an_anchor_keeps_its_aliases() -> None:
    result = check_edit(
        WORKFLOW, Replace(Key("jobs.docs.if"), "'false'"), WORKFLOW.replace("'true'", "'false'"), path="ci.yml"
    )
    assert yaml.safe_load(result.text)["jobs"]["other"] == {"if": "false"}


def test_a_new_version_leaves_dependencies_quotes_and_alignment_alone() -> None:
    bump = Act(Key("project.version"), "set-key", value="1.3.0")
    check_edit(PROJECT, bump, PROJECT.replace("'1.2.0'", "'1.3.0'"), path="pyproject.toml")
    one_more = Act(Key("project.dependencies"), "append-item", value="tomlkit")
    result = check_edit(
        PROJECT,
        one_more,
        PROJECT.replace('    "rapidfuzz",\n', '    "rapidfuzz",\n    "tomlkit",\n'),
        path="pyproject.toml",
    )
    assert tomllib.loads(result.text)["project"]["dependencies"] == ["click>=8", "rapidfuzz", "tomlkit"]


def test_a_package_file_is_never_replaced_wholesale() -> None:
    added = PACKAGE.replace('"alpha": []', '"alpha": [],\n\t"private": true')
    check_edit(PACKAGE, Act(Key(""), "add-key", name="private", value=True), added, path="package.json")
    check_edit(PACKAGE, Replace(Key("version"), '"1.0.1"'), PACKAGE.replace("1.0.0", "1.0.1"), path="package.json")


NOTEBOOK = """\
{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Title\\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "load",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "12\\n"
     ]
    }
   ],
   "source": [
    "import json\\n",
    "print(12)"
   ]
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
"""


def test_a_cell_is_changed_in_place_and_neither_doubled_nor_retyped() -> None:
    after = NOTEBOOK.replace("print(12)", "print(13)")
    result = check_edit(NOTEBOOK, Replace(Cell("load"), "import json\nprint(13)"), after, path="n.ipynb")
    cells = json.loads(result.text)["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code"]
    assert cells[1]["outputs"] == json.loads(NOTEBOOK)["cells"][1]["outputs"]


def test_a_new_cell_goes_where_it_was_asked_for_and_not_to_the_top() -> None:
    act = Act(Cell("load"), "add-cell", type="markdown", source="Done.", where="after")
    result = check_edit_after(act)
    assert [cell["cell_type"] for cell in result["cells"]] == ["markdown", "code", "markdown"]
    assert result["cells"][:2] == json.loads(NOTEBOOK)["cells"]


def check_edit_after(act: Act) -> dict[str, list[dict[str, object]]]:
    from steadyhand.plan.preview import edit

    result = edit(NOTEBOOK, act, path="n.ipynb")
    assert result.error is None, result.error
    loaded: dict[str, list[dict[str, object]]] = json.loads(result.text)
    return loaded


def test_a_source_that_is_a_list_of_lines_stays_one() -> None:
    result = check_edit(
        NOTEBOOK,
        Replace(Cell(0), "# Title\nmore\ntext"),
        NOTEBOOK.replace('    "# Title\\n",\n', '    "# Title\\n",\n    "more\\n",\n'),
        path="n.ipynb",
    )
    assert json.loads(result.text)["cells"][0]["source"] == ["# Title\n", "more\n", "text"]
