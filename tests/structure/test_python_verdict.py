"""Whether a text is valid Python is what the compiler says, without its warnings and without a tree of the text."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steadyhand
from steadyhand.structure.code.python import python_fault
from tests.table import table

PACKAGE = Path(steadyhand.__file__).parent

WARNED = [
    'x = "a"(1)', "x = [1][a, b]", 'assert (a, "b")', 'assert (a), "b"', 'assert(a and\n b), "c"', "x is 1",
    "x is not 1", "x = (y is\n not 1)", 'x = (y is # why\n not "a")', 'if x is"a": pass', "1(2)", "1.5(2)", "{}[1]",
    "{1}(2)", "x is 1(2)", "x = 1 is 1 is not 2 is 3", '"a" is "b"', "(lambda: 1)()", "(x for x in y)()", 'f"a"(1)',
    'f"{x}"[1, 2]', 'b"a"("c")', 'x = "a" "b"(1)', "None()", "...[1]", "True is 1", 'x = "\\d"(1)', "x = 'a'\\\n(1)",
    '"a"\\\n is b', "x is\\\n not 1", "(1)(2)", "del (a)[0]", "@(a)(b)\ndef f(): pass", "x = 1 if (a)(b) else 'c'[0]",
    "for i in (1)(2): pass", "f = ([1]\n (2))", "class A: x = [1][0]", "x: 'a'[0] = 1",
]  # fmt: skip
UNWARNED = [
    "from x import (a)\n(b, c) = 1, 2", "from a import (\n  b,\n)\n[c for c in d]", '"doc"\n(a, b) = 1, 2',
    "x = [1]\n[y for y in x]", "f(x)(y)[z]", "x = a[0][1](2)", "if x is None: pass", "x = 'is not' + \"is 1\"",
]  # fmt: skip
WRONG = [
    "return (1)(2)", 'x = "a"(1) + (', 'x = "a"(1) + ) + "b"(2)', 'assert (a, "b") = 3', "assert (a), b, c",
    "x = 1(2) 3", "x = y is 1 1", "print 'a' (b)", "x is is 1", "x = (1)(2", "'a'(1); break",
]  # fmt: skip
STATEMENTS = st.sampled_from([*WARNED, *UNWARNED, *WRONG])


def compiled(text: str) -> tuple[int, str, int | None] | None:
    """What the compiler says where its warnings are ignored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<text>", "exec", dont_inherit=True, optimize=0)
        except SyntaxError as error:
            return error.lineno or 1, error.msg, error.offset
    return None


def check(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning would be taken for a fault
        fault = python_fault(text)
    assert (None if fault is None else (fault.line, fault.message, fault.column)) == compiled(text)


@table("text", [*WARNED, *UNWARNED, *WRONG])
def test_the_verdict_is_that_of_the_compiler(text: str) -> None:
    check(text + "\n")


@given(st.lists(STATEMENTS, max_size=5), st.sampled_from(["\n", "\n\n# (a) is 1\n", "\n'(a) is 1'\n"]))
def test_the_verdict_is_that_of_the_compiler_for_any_statements(statements: list[str], between: str) -> None:
    check(between.join(statements) + "\n")


@pytest.mark.sweep
def test_no_tree_of_a_text_is_made_in_the_process() -> None:
    """A tree that one thread makes breaks the one that another makes, on Python 3.11; and none bounds its depth."""
    calls = {}
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        if not re.search(r"^\s*(import|from)\b.*\b(ast|symtable|code|codeop)\b|\b(compile|eval)\(", text, re.M):
            continue  # to parse all of them takes seconds
        for node in ast.walk(ast.parse(text)):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not {"ast", "symtable", "code", "codeop"} & {*named, getattr(node, "module", None)}, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("compile", "eval"):
                calls[path.name] = node.func.id
    assert calls == {"python.py": "compile"}, "what the compiler is given is bounded there, and tested"


THREADS = """
import ast, gc, sys, threading
from steadyhand.structure.code.python import python_fault
sys.setswitchinterval(1e-6)
gc.set_threshold(50)
class Cycle:
    def __init__(self): self.me = self
    def __del__(self): any(range(50))
text = "".join(f"def f{n}(a):\\n    assert (a is {n}), a\\n" for n in range(100))
stop = threading.Event()
def judge(deep):
    if deep:
        return judge(deep - 1)
    while not stop.is_set():
        Cycle()
        assert python_fault(text) is None
judges = [threading.Thread(target=judge, args=[deep]) for deep in (1, 40)]
for thread in judges: thread.start()
try:
    for _ in range(60):
        Cycle()
        ast.parse(text)
finally:
    stop.set()
    for thread in judges: thread.join()
"""


@pytest.mark.sweep
def test_who_makes_a_tree_meanwhile_is_not_disturbed() -> None:
    ran = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3_000:]
