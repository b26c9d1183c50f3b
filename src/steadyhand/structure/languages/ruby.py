"""Ruby. Methods of the class itself are addressed as its other methods are: `Module.method`."""

from __future__ import annotations

import re

from steadyhand.structure.language import Language

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

_NEWER = re.compile(r"\bdef\b[^=]*=\s*[a-z_]\w*[?!]?\s+[^=\s]")

LANGUAGE = Language(
    name="ruby",
    suffixes=(".rb", ".rake", ".gemspec", ".ru"),
    names=("rakefile", "gemfile", "vagrantfile"),
    package="tree_sitter_ruby",
    query=_QUERY,
    layout="end",
    strings=("string", "heredoc_body", "string_array", "symbol_array"),
    unit="  ",
    interpreters=("ruby",),
    newer=_NEWER,
)
