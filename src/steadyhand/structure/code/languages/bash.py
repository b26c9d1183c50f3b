"""Shell scripts: functions, and variables set at the top."""

from __future__ import annotations

from steadyhand.structure.code.language import Language

_QUERY = """
(function_definition name: (_) @name body: (_) @body) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)
(declaration_command [(variable_assignment) (variable_name)] [(variable_assignment) (variable_name)]) @several
(list (function_definition) @inner) @wrapper
(list (redirected_statement) @inner) @wrapper
(list (list) @inner) @wrapper
(pipeline (function_definition) @inner) @wrapper
(redirected_statement (function_definition) @inner) @wrapper
(comment) @comment
"""

LANGUAGE = Language(
    name="bash",
    suffixes=(".sh", ".bash", ".bats", ".ksh", ".zsh"),
    names=(".bashrc", ".bash_profile", ".bash_aliases", ".profile"),
    package="tree_sitter_bash",
    query=_QUERY,
    strings=("heredoc_body", "heredoc_end", "string", "raw_string", "ansi_c_string"),
    interpreters=("sh", "bash", "dash", "ksh", "zsh"),
    is_checked=False,
)
