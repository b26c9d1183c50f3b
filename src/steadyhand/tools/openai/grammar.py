"""The grammar of a patch in its envelope, for APIs that hold a model to one while it writes.

In Lark's syntax, without lookarounds or lazy repetition, which such APIs do not take.
"""

from __future__ import annotations

__all__ = ["GRAMMAR"]

GRAMMAR = r"""
start: begin file+ end
begin: "*** Begin Patch" LF
end: "*** End Patch" LF?

file: added | deleted | updated
added: "*** Add File: " TEXT LF new_row+
deleted: "*** Delete File: " TEXT LF
updated: "*** Update File: " TEXT LF (moved part* | part+)
moved: "*** Move to: " TEXT LF

part: place+ row+ last? | row+ last?
place: "@@" LF | "@@ " TEXT LF
row: /[ +-]/ TEXT? LF
new_row: "+" TEXT? LF
last: "*** End of File" LF

TEXT: /[^\n]+/

%import common.LF
""".lstrip()
