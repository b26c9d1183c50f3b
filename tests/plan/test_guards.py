"""Guards: what they must let through comes first."""

from __future__ import annotations

from steadyhand.plan.edit import Insert, Replace
from steadyhand.plan.guards import GUARDS, GuardedEdit, GuardInput, check_placeholder, is_placeholder
from steadyhand.plan.policy import Policy
from steadyhand.plan.preview import plan_write
from steadyhand.text.source import Source
from tests.checks import check_edit, check_refused
from tests.table import table

ORDINARY = [
    "...",
    "    ...",
    "def f() -> int: ...",
    "    def area(self) -> float: ...",
    "x = ...  # type: ignore",
    "…",
    "Wait … there is more.",
    "...args,",
    "    ...rest,",
    "  ...props,",
    "function f(...args) {",
    "const all = [...existing, ...remaining];",
    "return { ...state, items };",
    "// ...",
    "# ...",
    "# etc...",
    "...existingOptions,",
    "...other.options,",
    "# Loading...",
    "print('Loading existing code...')",
    "// TODO: handle the remaining cases",
    "# The rest of the arguments are passed on.",
    "# Rest of the arguments",
    "# Existing users keep their settings",
    "# existing code paths use the old name",
    "# Other options",
    "# other settings below",
    "## Unchanged",
    "The rest of the file is unchanged.",
    "and so on ... the existing users are migrated first",
    "# ... existing users are migrated first",
    "log.info('... existing code ...')",
    'expected = "# ... rest of code unchanged"',
    "assert '// ... existing code ...' in reply",
    "<!-- existing widgets -->",
    "[previous](previous.md)",
    "[1, 2, ..., 9]",
    "range(0, ..., 10)",
    "git log main...feature",
    "sys.path[...]",
    "a[..., 0]",
    "for line in remaining_lines:",
    "original_text = source.text",
    "/* reset */",
    "<p>...</p>",
    "-- previous version",
    "* remaining tests: 3",
]


@table("line", ORDINARY)
def test_ordinary_lines_are_no_elisions(line: str) -> None:
    assert not is_placeholder(line)
    check_edit("old\n", Replace("old", line), f"{line}\n")


ELISIONS = [
    "... rest of code unchanged",
    "... rest of the code unchanged ...",
    "// ... existing code ...",
    "    // ... existing code ...",
    "// …existing code…",
    "# ... existing code ...",
    "# ... (unchanged)",
    "# ... unchanged ...",
    "# ... rest of the function remains the same",
    "# ... rest of file ...",
    "// rest of the code remains unchanged",
    "// Rest of your component...",
    "/* ... existing styles ... */",
    "{/* ... existing code ... */}",
    "{/* ... */}",
    "<!-- ... -->",
    "<!-- ... existing content ... -->",
    "<!-- rest of the page unchanged -->",
    "-- ... remaining rows ...",
    "[previous content]",
    "[rest of file unchanged]",
    "[... existing content ...]",
    "(rest of the file remains the same)",
    "... (rest of the methods) ...",
    "# ... other methods unchanged",
    "// ... other methods ...",
    "# existing code here",
    "// ... same as before",
    "; ... existing settings ...",
    "foo();  // ... rest of the function unchanged",
    "# ... previous implementation ...",
    "// rest of the code",
    "[content omitted for brevity]",
]


@table("line", ELISIONS)
def test_lines_that_leave_others_out_are_refused(line: str) -> None:
    assert is_placeholder(line)
    error = check_refused("old\n", Replace("old", f"new\n{line}\nmore"), "placeholder-left", path="a.py")
    assert error.details["line"] == 2
    assert error.details["guard"] == "placeholder"


STAYING = [
    "# existing implementation",
    "    # keep existing implementation here",
    "// (unchanged)",
    "// no changes below this line",
    "// Rest of the class stays as is",
    "/* same as before */",
    "-- remaining code",
    "<!-- unchanged -->",
    "# etc.",
]
BODY = "def f():\n    one()\n    two()\n    three()\n\n\nrest = 1\n"


@table("line", STAYING)
def test_a_comment_in_the_place_of_lines_that_go_may_not_say_that_they_stay(line: str) -> None:
    new = f"def g():\n{line}\n"
    error = check_refused(BODY, Replace("def f():\n    one()\n    two()\n    three()\n", new), "placeholder-left")
    assert error.details["line"] == 2


@table("line", STAYING)
def test_a_comment_that_says_that_lines_stay_may_come_where_none_go(line: str) -> None:
    if not is_placeholder(line):
        check_edit(BODY, Replace("    one()\n", f"    one()\n{line}\n"), BODY.replace("one()\n", f"one()\n{line}\n"))
        check_edit(
            BODY,
            Replace("    one()\n    two()\n", f"{line}\n    one2()\n"),
            BODY.replace("    one()\n    two()\n", f"{line}\n    one2()\n"),
        )


@table(
    "line",
    ["# the original order matters", "// other users are kept", "# existing users", "x()  # unchanged", "# Etching"],
)
def test_other_comments_may_come_in_the_place_of_lines_that_go(line: str) -> None:
    old = "    one()\n    two()\n    three()\n"
    check_edit(BODY, Replace(old, f"    {line}\n"), BODY.replace(old, f"    {line}\n"))


class _Searched(str):
    """A text that counts how often something is looked for in it."""

    __slots__ = ("searches",)
    searches: int

    def __contains__(self, part: object) -> bool:
        self.searches += 1
        return isinstance(part, str) and self.find(part) >= 0


@table("line", ["x = previous(1)", "# the previous one", "// (unchanged)"])
def test_the_file_is_not_searched_for_lines_that_are_no_placeholders(line: str) -> None:
    before = _Searched("a\n")
    before.searches = 0
    given = GuardInput("a.py", before, None, (GuardedEdit(0, "a\n", f"{line}\n" * 50),), Policy())
    assert check_placeholder(given) is None
    assert before.searches == 0


def test_an_elision_that_was_there_before_may_stay() -> None:
    line = "// ... existing code ..."
    check_edit(f"a\n{line}\nb\n", Replace(f"a\n{line}", f"A\n{line}"), f"A\n{line}\nb\n")
    check_edit(f"doc: {line}\nb\n", Insert("b\n", f"{line}\n"), f"doc: {line}\nb\n{line}\n")


def test_a_heading_is_no_comment() -> None:
    check_edit("old\n", Replace("old", "# Rest of the code"), "# Rest of the code\n", path="notes.md")


def test_a_guard_can_be_left_out() -> None:
    check_edit("old", Replace("old", "# ... (unchanged)"), "# ... (unchanged)", guards=frozenset({"limits"}))


LINES = "".join(f"line {number}\n" for number in range(100))


def first(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(count))


@table(
    ("before", "content"),
    [(LINES, first(50)), (LINES, first(99)), (first(30), first(11)), (first(19), ""), (None, "x"), (LINES, LINES * 2)],
)
def test_a_write_that_keeps_half_or_drops_little_goes_through(before: str | None, content: str) -> None:
    source = None if before is None else Source.of_text(before)
    assert plan_write(source, content).ok


@table(("before", "content"), [(LINES, first(49)), (LINES, ""), (LINES, "x"), (first(20), "")])
def test_a_write_that_drops_most_of_the_file_is_refused_unless_allowed(before: str, content: str) -> None:
    refused = plan_write(Source.of_text(before), content, path="a.txt")
    assert not refused.ok
    assert refused.error is not None
    assert refused.error.kind == "suspicious-shrink"
    assert refused.error.details["path"] == "a.txt"
    assert plan_write(Source.of_text(before), content, allow_shrink=True).after.text == content


def test_an_edit_may_delete_as_much_as_it_quotes() -> None:
    check_edit(LINES + "end", Replace(LINES, ""), "end")


def test_a_whole_write_with_an_elision_is_refused() -> None:
    plan = plan_write(Source.of_text("a\nb\n"), "a\n# ... rest of the code unchanged\n")
    assert plan.error is not None
    assert plan.error.kind == "placeholder-left"
    assert plan_write(None, "# ... (unchanged)\n").error is not None
    assert plan_write(None, "# ... (unchanged)\n", policy=Policy(guards=frozenset())).ok


def test_the_guards_are_asked_in_this_order() -> None:
    assert [(guard.name, guard.stage) for guard in GUARDS] == [
        ("limits", "request"),
        ("placeholder", "edit"),
        ("unseen", "edit"),
        ("shrink", "file"),
        ("syntax", "file"),
        ("attention", "file"),
    ]


def test_a_large_file_may_be_written_as_a_whole() -> None:
    before = Source.of_text("a line of a large file\n" * 500_000)
    assert plan_write(before, before.text + "one more\n").error is None


@table("at", [0, 999_990, 999_999, 1_000_001])
def test_a_word_is_found_anywhere_in_a_long_text(at: int) -> None:
    text = "x" * at + "\n// The REST OF the code goes here\n" + "y" * 1_000
    made = plan_write(Source.of_text(""), text, path="a.js")
    assert made.refusal is not None
    assert made.refusal.kind == "placeholder-left"
    assert plan_write(Source.of_text(""), text.replace("REST OF", "BEST OF"), path="a.js").ok
