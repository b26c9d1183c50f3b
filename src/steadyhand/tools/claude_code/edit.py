"""Claude Code's Edit: one old text for one new text, everywhere if the model says so.

An empty old text makes a new file. That the file was read before is asked for only if the host wants it: the old
text itself proves what the model knows.
"""

from __future__ import annotations

from steadyhand.plan.edit import Replace
from steadyhand.tools.answer import ANSWER, answer_refusal, worded
from steadyhand.tools.call import Call
from steadyhand.tools.claude_code.wording import said_of, tell_change
from steadyhand.tools.creation import created
from steadyhand.tools.seen import check_read
from steadyhand.tools.shape import Field, Flag, Object, Text
from steadyhand.tools.tool import Example, Fields, Result, Tool

PARAMETERS = Object(
    (
        Field("file_path", Text(), "The file.", required=True),
        Field("old_string", Text(), "The text as it stands; empty for a new file.", required=True),
        Field("new_string", Text(), "What stands there afterwards.", required=True),
        Field("replace_all", Flag(), "Every place, not the only one."),
    )
)


def run(call: Call, fields: Fields) -> Result:
    """Edit the file, or make it."""
    shown, old, new = str(fields["file_path"]), str(fields["old_string"]), str(fields["new_string"])
    everywhere = bool(fields.get("replace_all"))
    with worded(said_of):
        path = call.path(shown)
        if not old:
            return tell_change(created(call, path, new, "Edit: create"), shown).to_json()
        check_read(call, path)
        edit = Replace(old, new, occurrence="all" if everywhere else "unique")
        receipt = call.workspace.edit(path, edit, reason="Edit: replace all" if everywhere else "Edit: replace")
    return tell_change(receipt, shown, everywhere=everywhere).to_json()


TOOL = Tool(
    name="Edit",
    title="Edit a file",
    summary=(
        "Replace old_string, which must stand in exactly one place unless replace_all is true. "
        "An empty old_string makes a new file."
    ),
    parameters=PARAMETERS,
    result=ANSWER,
    examples=(
        Example(
            about="A text that stands once",
            files={"app.py": "def run():\n    return 1\n"},
            arguments={"file_path": "app.py", "old_string": "return 1", "new_string": "return 2"},
            result={"is_error": False},
            after={"app.py": "def run():\n    return 2\n"},
        ),
        Example(
            about="A text that stands twice",
            files={"a.txt": "x = 1\nx = 1\n"},
            arguments={"file_path": "a.txt", "old_string": "x = 1", "new_string": "x = 2"},
            result={"is_error": True, "kind": "ambiguous-match"},
        ),
    ),
    run=run,
    trust="destructive",
    verbs=frozenset({"edit", "create"}),
    rank=20,
    refused=answer_refusal,
)
