"""What names a file and, first, what only looks like it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from steadyhand.dialects.labels import label_in, label_in_info, mention_in, path_of
from tests.table import table

NO_LABELS = [
    "",
    "and/or",
    "n/a",
    "TCP/IP",
    "SEARCH/REPLACE",
    "SEARCH/REPLACE:",
    "*SEARCH/REPLACE BLOCKS*",
    "### SEARCH/REPLACE block",
    "Node.js",
    "### Next.js",
    "self.total",
    "### `utils.parse`:",
    "com.example.Foo",
    "1.0.x",
    "v1.2.3",
    "3.7",
    "2024/01/02",
    "i.e.",
    "e.g",
    "etc...",
    "...",
    "https://example.org/a.py",
    "path/to/folder/",
    "## Changes",
    "## License",
    "# Title",
    "see src/app.py for more",
    "src/app.py and src/cart.py",
    "`python src/app.py`",
    "`npm run build`",
    "my file.py",
    "Here is the file:",
    "file:",
    "path:",
    "new file",
    "Files:",
    "import a.b",
    "x = a.py",
    "foo.bar()",
    "print(x)",
    "--- a.py",
    "+++ b/a.py",
    "@@ a.py",
    "<div class='a.py'>",
    "<script src='a.js' name='b.js'>",
    "<img name='a.svg'>",
    "</file>",
    "<diff>",
    "<<<<<<< SEARCH",
    "=======",
    "---",
    "```python",
    "a.py\n" * 200,
    "a/" * 300 + "a.py",
]


@table("line", NO_LABELS)
def test_prose_and_code_name_no_file(line: str) -> None:
    assert label_in(line) is None


@table(
    ("line", "path"),
    [
        ("src/app.py", "src/app.py"),
        ("  src/app.py  ", "src/app.py"),
        ("src/app.py:", "src/app.py"),
        ("src/app.py:12", "src/app.py"),
        ("src/app.py (new file)", "src/app.py"),
        ("`src/app.py`", "src/app.py"),
        ("**src/app.py**", "src/app.py"),
        ("**`src/app.py`**:", "src/app.py"),
        ("### `src/app.py`", "src/app.py"),
        ("### 1. `src/app.py`:", "src/app.py"),
        ("### File 1: `src/app.py`", "src/app.py"),
        ("- src/app.py", "src/app.py"),
        ("# src/app.py", "src/app.py"),
        ("// src/app.ts", "src/app.ts"),
        ("/* app.css */", "app.css"),
        ("<!-- index.html -->", "index.html"),
        ("File: app.py", "app.py"),
        ("**File: `app.py`**", "app.py"),
        ("Filename: app.py", "app.py"),
        ("In `app.py`:", "app.py"),
        ("Update file app.py:", "app.py"),
        ("Create a new file `src/app.py`:", "src/app.py"),
        ("File: `my file.py`", "my file.py"),
        ("[src/app.py](src/app.py)", "src/app.py"),
        ("[the app](src/app.py)", "src/app.py"),
        ('<file path="src/app.py">', "src/app.py"),
        ("<file path='my file.py'>", "my file.py"),
        ("<edit file=src/app.py mode=replace>", "src/app.py"),
        ("<path>src/app.py</path>", "src/app.py"),
        ("<replace_in_file><path>src/app.py</path>", "src/app.py"),
        ("<file_path>src/app.py</file_path>", "src/app.py"),
        ("Makefile", "Makefile"),
        ("Dockerfile.dev", "Dockerfile.dev"),
        (".gitignore", ".gitignore"),
        (".env.example", ".env.example"),
        ("bin/run", "bin/run"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("@app/x.ts", "@app/x.ts"),
        ("./app.py", "./app.py"),
        ("../app.py", "../app.py"),
        ("/srv/app.py", "/srv/app.py"),
        ("C:\\srv\\app.py", "C:\\srv\\app.py"),
        ("src\\app.py", "src\\app.py"),
        ("größe.py", "größe.py"),
        ("日本/語.txt", "日本/語.txt"),
    ],
)
def test_a_line_that_is_a_path_names_it(line: str, path: str) -> None:
    assert label_in(line) == path


@table("info", ["", "python", "c++", "python3.11", "js {1,3}", "diff", "vue.js", "self.total", "{.py}"])
def test_a_language_is_no_file(info: str) -> None:
    assert label_in_info(info) is None


@table(
    ("info", "path"),
    [
        ("src/app.py", "src/app.py"),
        ("python src/app.py", "src/app.py"),
        ("python:src/app.py", "src/app.py"),
        ("12:15:src/app.py", "src/app.py"),
        ("python title=src/app.py", "src/app.py"),
        ('python title="my file.py"', "my file.py"),
        ("python {file='app.py'}", "app.py"),
        ("js {1,3} app.js", "app.js"),
    ],
)
def test_the_info_of_a_fence_may_name_a_file(info: str, path: str) -> None:
    assert label_in_info(info) == path


def test_prose_mentions_a_file_only_if_it_mentions_no_other() -> None:
    assert mention_in("In `src/app.py`, the total is wrong; `src/app.py` again:") == "src/app.py"
    assert mention_in("Like `a.py`, `b.py`:") is None
    assert mention_in("Call `self.total`:") is None
    assert mention_in("src/app.py") is None


@given(st.text(st.characters(codec="utf-8"), max_size=60) | st.text("a/.`*<>=\"' :#-[]()", max_size=40))
def test_any_text_is_a_path_of_itself_or_none(text: str) -> None:
    assert path_of(text) in (None, text)
    for found in (label_in(text), label_in_info(text), mention_in(text)):
        assert found is None or found in text
