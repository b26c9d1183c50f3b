"""Ruby. Methods of the class itself are addressed as its other methods are: `Module.method`."""

from __future__ import annotations

from steadyhand.structure.code.language import Language, Unread

_QUERY = """
(module name: (_) @name body: (_) @body) @module
(module name: (_) @name) @module
(class name: (_) @name body: (_) @body) @class
(class name: (_) @name) @class
(method name: (_) @name body: (_) @body) @function
(method name: (_) @name) @function
(singleton_method name: (_) @name body: (_) @body) @function
(singleton_method name: (_) @name) @function
(program (assignment left: (constant) @name) @constant)
(body_statement (assignment left: (constant) @name) @constant)
(call method: (identifier) arguments: (argument_list . (method) @inner .)) @wrapper
(assignment right: (assignment)) @several
(comment) @comment
"""

_WORDS = r"(?:[^\"'`()\[\]{}\r\n#]|\"[^\"\r\n]*\"|'[^'\r\n]*'|\([^()\r\n]*\)|\[[^\[\]\r\n]*\]|\{[^{}\r\n]*\})+"

_UNREAD = (
    Unread.of(rf"(?m)\bdef\s+[\w.?!]+(?:\([^()\r\n]*\))?\s*=\s*([a-z_]\w*[?!]?[ \t]+(?!=){_WORDS})$", "x"),
    Unread.of(r"(?<![:\w]):(\$[^\w\s\"'])", "x"),
)

LANGUAGE = Language(
    name="ruby",
    suffixes=(".rb", ".rake", ".gemspec", ".ru"),
    names=("rakefile", "gemfile", "vagrantfile"),
    package="tree_sitter_ruby",
    query=_QUERY,
    layout="end",
    strings=("string", "heredoc_body", "regex", "subshell", "delimited_symbol"),
    unit="  ",
    interpreters=("ruby",),
    unread=_UNREAD,
)
