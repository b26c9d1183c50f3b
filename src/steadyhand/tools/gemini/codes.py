"""The names under which the Gemini command line reports why a tool failed."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.errors import EditError, Kind
from steadyhand.hints import Phrases
from steadyhand.tools.answer import Worded, answer_refusal
from steadyhand.workspace.refusal import shown

__all__ = ["code_of", "refused", "said_of"]

_CODES: Mapping[Kind, str] = {
    Kind.NO_MATCH: "edit_no_occurrence_found",
    Kind.LOW_CONFIDENCE: "edit_no_occurrence_found",
    Kind.DRIFT_CONFLICT: "edit_no_occurrence_found",
    Kind.ALREADY_APPLIED: "edit_no_occurrence_found",
    Kind.AMBIGUOUS_MATCH: "edit_expected_occurrence_mismatch",
    Kind.COUNT_MISMATCH: "edit_expected_occurrence_mismatch",
    Kind.NO_CHANGE: "edit_no_change",
    Kind.NO_SUCH_FILE: "file_not_found",
    Kind.EXISTS_ALREADY: "attempt_to_create_existing_file",
    Kind.TOO_LARGE: "file_too_large",
    Kind.READ_ONLY: "permission_denied",
    Kind.PROTECTED_PATH: "permission_denied",
    Kind.NOT_ALLOWED: "permission_denied",
    Kind.OUTSIDE_ROOT: "path_not_in_workspace",
    Kind.NOT_TEXT: "read_content_failure",
    Kind.BAD_REQUEST: "invalid_tool_params",
    Kind.DISK_REFUSED: "file_write_failure",
}


def code_of(kind: Kind) -> str:
    """Gemini's name for a kind of refusal."""
    return _CODES.get(kind, "edit_preparation_failure")


def said_of(error: EditError, path: str) -> str:
    """The first line of the answer for a refused change of the file that the model calls `path`."""
    return f"{code_of(error.kind)}: failed to edit {shown(path)[1:-1]}"


def refused(error: EditError, phrases: Phrases) -> dict[str, object]:
    """The answer for a refusal, which begins with its code also where no file is known."""
    return answer_refusal(error if isinstance(error, Worded) else Worded(error, code_of(error.kind)), phrases)
