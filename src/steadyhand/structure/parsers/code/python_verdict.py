"""Whether a text is valid Python: what the interpreter's own compiler says.

The compiler recurses on nested text. What it could not take without exhausting the stack is not given to it.
"""

from __future__ import annotations

import re
import warnings

from steadyhand.structure.format import Fault

_CHAIN = re.compile(r"(?:(?:not|lambda:|await)\s+|[-+~]\s*){1000}")


def python_fault(text: str) -> Fault | None:
    """The first place where a text is not Python, or None.

    >>> python_fault("x = (1\\n")
    Fault(line=1, message="'(' was never closed", column=5)
    """
    if _CHAIN.search(text):
        return Fault(1, "operators are nested too deep to be compiled")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<text>", "exec", dont_inherit=True, optimize=0)
        except SyntaxError as error:
            return Fault(error.lineno or 1, error.msg, error.offset)
        except (ValueError, RecursionError, MemoryError, OverflowError, UnicodeError) as error:
            return Fault(1, str(error) or "the text is nested too deep to be compiled")
    return None
