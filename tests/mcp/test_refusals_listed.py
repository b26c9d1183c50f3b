"""What is listed of a tool's answers holds for refusals too.

Clients on the TypeScript SDK hold `structuredContent` against `outputSchema` also where `isError` is set, and throw;
the model would then see a mismatch, and neither the kind nor the hint.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import jsonschema

import steadyhand as sh
from steadyhand.tools.result import failed
from steadyhand.tools.toolsets import tools_of, toolsets
from tests.mcp.clients import in_memory, serving
from tests.table import table
from tests.tools.examples import all_examples, lay_out, make_calls, split_settings

OWN = [name for name, toolset in toolsets().items() if not toolset.is_native]


async def listed_and_overdue(root: Path, name: str, mode: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the server lists of each tool's answers, and how it refuses a call of each for which there is no time."""
    async with in_memory(serving(root, toolsets=(name,), mode=mode, seconds=0.0)) as client:
        tools = (await client.list_tools()).tools
        refused = {tool.name: await client.call_tool(tool.name, {"nonsense": 1}) for tool in tools}
    assert all(result.is_error for result in refused.values())
    return {tool.name: tool.output_schema for tool in tools}, {
        name: result.structured_content for name, result in refused.items()
    }


@table("name", OWN)
def test_every_refusal_fits_what_is_listed_of_its_tool(name: str, tmp_path: Path) -> None:
    listed, answers = anyio.run(listed_and_overdue, tmp_path, name, None)
    if any(tool.modes is not None for tool in tools_of(name)):
        more, others = anyio.run(listed_and_overdue, tmp_path, name, "analyze")
        listed, answers = listed | more, answers | others
    said = [*answers.items(), *refused_examples(name, tmp_path)]
    assert {tool for tool, _ in said} == {tool.name for tool in tools_of(name)}
    for tool, answer in said:
        jsonschema.Draft202012Validator(listed[tool]).validate(answer)


def refused_examples(name: str, base: Path) -> list[tuple[str, dict[str, Any]]]:
    """Each refusal that a tool declares, as it comes out."""
    answers = []
    cases = [case for case in all_examples() if case[0] == name and failed(case[2].result)]
    for number, (_, tool, example) in enumerate(cases):
        root = base / str(number)
        lay_out(root, example.files)
        own, settings = split_settings(example.settings)
        with sh.Workspace(root, actor="examples", **own) as workspace:
            answers.append((tool.name, make_calls(workspace.tools(name, **settings), tool, example, root)))
    assert all(failed(answer) for _, answer in answers)
    return answers
