"""A kit as tools of smolagents. A result is a dict that code can read; a native tool's is its text.

A refusal is raised as an exception: it stops the code of a `CodeAgent` at that point, and the agent shows its text to
the model. As a returned value it could be ignored and taken for a success.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from steadyhand.schema import Field, Flag, Many, Number, Object, Text, plain_schema
from steadyhand.tools.framework_calls import Made, Watch, make_call, needs
from steadyhand.tools.kit import Kit
from steadyhand.tools.tool import Tool as Ours

if TYPE_CHECKING:
    from smolagents import Tool  # type: ignore[import-untyped]


_TYPES = {Text: "string", Number: "integer", Flag: "boolean", Many: "array", Object: "object"}


class Refused(Exception):
    """A call that was refused; `made` has everything that is known of it."""

    def __init__(self, made: Made) -> None:
        super().__init__(made.text)
        self.made = made


def tools(kit: Kit, *, watch: Watch | None = None) -> list[Tool]:
    """What an agent's `tools=` takes."""
    with needs("smolagents"):
        from smolagents import Tool

    class EditTool(Tool):  # type: ignore[misc]
        skip_forward_signature_validation = True

        def __init__(self, tool: Ours) -> None:
            super().__init__()
            self.name, self.description = tool.name, tool.summary
            self.inputs = {field.name: _input(field) for field in tool.parameters.fields}
            self.output_type = "string" if kit.toolset.is_native else "object"

        def forward(self, *args: object, **kwargs: object) -> Any:
            made = make_call(kit, self.name, {**dict(zip(self.inputs, args, strict=False)), **kwargs}, watch)
            if made.failed:
                raise Refused(made)
            return made.text if kit.toolset.is_native else made.result

    return [EditTool(tool) for tool in kit.tools]


def _input(field: Field) -> dict[str, str | type | bool]:
    """A parameter in the few types there are; what is inside an array or object is in its description."""
    kind = _TYPES.get(type(field.shape), "any")
    about = field.about or field.name
    if kind in ("array", "object", "any"):
        about = f"{about} As JSON Schema has it: {json.dumps(plain_schema(field.shape))}"
    described: dict[str, str | type | bool] = {"type": kind, "description": about}
    return described if field.required else {**described, "nullable": True}
