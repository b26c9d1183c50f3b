"""A scripted model, for demonstrations and for testing a pipeline without a real model.

A script is a list of replies, each a text or a call (`{"tool": …, "arguments": {…}}`), given in order in every
conversation; or several lists, chosen by a text in the conversation's instructions or first message, such as an
article's path. After the last reply the model says that the script is used up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from steadyhand.agents.model import Message, ModelError, Offered, Reply, Said, Tokens, ToolCall
from steadyhand.schema import bad_request

__all__ = ["ScriptedModel", "read_script"]

Replies = Sequence[str | Mapping[str, object]]


class ScriptedModel:
    """Replies from a script; keeps nothing, so that conversations do not meet."""

    def __init__(self, script: Mapping[str, Replies], name: str = "script") -> None:
        self.name = name
        self._script = script

    async def ask(self, instructions: str, messages: Sequence[Message], tools: Sequence[Offered]) -> Reply:
        """The next reply of the conversation, by how many there were."""
        del tools  # a script knows what it calls
        asked = instructions + "".join(message.text for message in messages[:1] if isinstance(message, Said))
        found = [replies for key, replies in self._script.items() if key in asked]
        if not found:
            raise ModelError("the script has no replies for this conversation")
        given = sum(isinstance(message, Reply) for message in messages)
        if given >= len(found[0]):
            return Reply("(the script has nothing more to say)", tokens=Tokens())
        step = found[0][given]
        if isinstance(step, str):
            return Reply(step, tokens=Tokens())
        return Reply("", (ToolCall(f"script-{given}", str(step.get("tool")), step.get("arguments", {})),), Tokens())


def read_script(value: object) -> dict[str, Replies]:
    """A script as JSON has it. Refuses with `bad-request` what is none."""
    lists = {"": value} if isinstance(value, list) else value
    if not isinstance(lists, dict) or not all(isinstance(each, list) for each in lists.values()):
        raise bad_request("script", "a list of replies is expected, or an object of such lists")
    for replies in lists.values():
        for each in replies:
            if not isinstance(each, str) and not (isinstance(each, dict) and isinstance(each.get("tool"), str)):
                raise bad_request(
                    "script", "a reply is a text or a call", 'such as {"tool": "edit_article", "arguments": {}}'
                )
    return lists
