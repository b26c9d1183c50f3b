"""What is put around a whole text: a Markdown fence, blank lines."""

from __future__ import annotations

from collections.abc import Mapping

from steadyhand.lazy import dataclass, lazy_pattern
from steadyhand.match.tier import Repair, Repaired, RepairExample
from steadyhand.text.lines import body, split_lines

# A Markdown fence around the whole text, or its last line alone.
#
# The first and the last line are one fence only if the fence that opens first closes last: two pieces of code with
# prose between them are content. The new text has the same fence, half of it, or none at all; with any other fence
# in it nobody can tell which ones were meant, and the texts are left.

_FENCE = lazy_pattern(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})(.*)$")


@dataclass(frozen=True, slots=True)
class _Fence:
    row: int
    marks: str
    info: str

    def closes(self, opened: _Fence) -> bool:
        return not self.info and self.marks[0] == opened.marks[0] and len(self.marks) >= len(opened.marks)


@dataclass(frozen=True, slots=True)
class _Fenced:
    """The lines of a text without blank ones at its end, and the fences among them."""

    lines: list[str]
    fences: list[_Fence]

    @classmethod
    def of(cls, text: str) -> _Fenced:
        lines = split_lines(text)
        filled = [row for row, line in enumerate(lines) if line.strip()]
        lines = lines[: filled[-1] + 1] if filled else []
        found = ((row, _FENCE.match(body(line))) for row, line in enumerate(lines))
        return cls(lines, [_Fence(row, mark[1], mark[2].strip()) for row, mark in found if mark])

    def is_whole(self) -> bool:
        """Whether the fence of the first line closes with the last line and not before."""
        if len(self.fences) < 2 or not self.opens_with_a_fence():
            return False
        opened: list[_Fence] = []
        for fence in self.fences:
            if opened and fence.closes(opened[-1]):
                opened.pop()
            else:
                opened.append(fence)
            if not opened:
                return fence.row == len(self.lines) - 1
        return False

    def opens_with_a_fence(self) -> bool:
        return not any(map(str.strip, self.lines[: self.fences[0].row]))

    def has_only_the_end(self) -> bool:
        return len(self.fences) == 1 and self.fences[0].row == len(self.lines) - 1 and not self.fences[0].info

    def has_only_the_start(self, info: str) -> bool:
        return len(self.fences) == 1 and self.opens_with_a_fence() and self.fences[0].info == info


def take_off_fence(old: str, new: str) -> Repaired | None:
    """The lines between the fences."""
    if "```" not in old and "~~~" not in old:
        return None
    before, after = _Fenced.of(old), _Fenced.of(new)
    whole = before.is_whole()
    if not whole and not before.has_only_the_end():
        return None
    inner = before.lines[before.fences[0].row + 1 : -1] if whole else before.lines[:-1]
    if not any(map(str.strip, inner)):
        return None
    if not after.fences:
        return _beside_plain(inner, new)
    fresh = _inner(after, before.fences[0].info if whole else None)
    return None if fresh is None else _beside_fenced(inner, fresh)


def _inner(text: _Fenced, info: str | None) -> list[str] | None:
    """The lines of a new text with the old text's fence or half of it; `info` is None if the old has only its end."""
    if text.has_only_the_end():
        return text.lines[:-1]
    if info is None:
        return None
    if text.is_whole() and text.fences[0].info == info:
        return text.lines[text.fences[0].row + 1 : -1]
    return text.lines[text.fences[0].row + 1 :] if text.has_only_the_start(info) else None


def _beside_plain(inner: list[str], new: str) -> Repaired | None:
    """A new text without a fence says by its own end whether the last line's ending belongs to the edit.

    A blank line before the closing fence may be a part of either, so the new text must have one as well.
    """
    old = "".join(inner)
    if not inner[-1].strip():
        return Repaired(old, new) if new and not split_lines(new)[-1].strip() else None
    return Repaired(old if not new or body(new) != new else body(old), new)


def _beside_fenced(inner: list[str], fresh: list[str]) -> Repaired:
    """Without the last endings, for the file may not have one there; but whole lines where one side ends blank."""
    old, new = "".join(inner), "".join(fresh)
    if not fresh or not (inner[-1].strip() and fresh[-1].strip()):
        return Repaired(old, new)
    return Repaired(body(old), body(new))


# Blank lines before and after the text that the file does not have there.
#
# The blank lines go from both texts where both have the same number of them. Where the old text has a single one and
# the new text none, the new text is left alone. Anything else says something about blank lines, and so does an edit
# that deletes them along with the text: then it is no accident.


def take_off_blank_lines(old: str, new: str) -> Repaired | None:
    """Both texts from their first line that is not blank to their last."""
    lead = old[: len(old) - len(old.lstrip())]
    if "\n" not in lead and "\r" not in lead and body(old)[-1:].strip():
        return None  # neither the first line is blank nor the last
    before, after = split_lines(old), split_lines(new)
    head, tail = _edges(before)
    if head + tail in (0, len(before)):
        return None
    kept = "".join(before[head : len(before) - tail])
    if not any(map(str.strip, after)):
        return _deletion(kept, len(after), head + tail)
    if old != new and ((tail and new.startswith(old)) or (head and new.endswith(old))):
        return None  # something is added beyond the blank lines, so they say where
    new_head, new_tail = _edges(after)
    is_single = head + tail == 1 and min(head, new_head) == min(tail, new_tail) == 0
    if not is_single and not (head in (0, new_head) and tail in (0, new_tail)):
        return None
    if tail and new_tail and (body(old) == old) != (body(new) == new):
        return None  # the last blank line is a line on one side and the start of one on the other
    start = min(head, new_head)
    fresh = "".join(after[start : len(after) - min(tail, new_tail)])
    return Repaired(_ended_like(kept, fresh) if tail else kept, fresh)


def _edges(lines: list[str]) -> tuple[int, int]:
    """How many lines are blank at the start and at the end; all of them count as start."""
    filled = [row for row, line in enumerate(lines) if line.strip()]
    return (filled[0], len(lines) - 1 - filled[-1]) if filled else (len(lines), 0)


def _deletion(kept: str, blank_lines: int, edges: int) -> Repaired | None:
    """The new text is the old text's blank lines and nothing else. Whole lines go, or it is not certain."""
    return Repaired(kept, "") if body(kept) != kept and blank_lines == edges else None


def _ended_like(old: str, new: str) -> str:
    """The old text without its last ending where the new one has none, so that no two lines are joined."""
    return old if body(new) != new else body(old)


REPAIRS: Mapping[str, Repair] = {
    "fence": Repair(
        name="Markdown fence",
        rank=20,
        summary="A Markdown fence around the old text is removed.",
        apply=take_off_fence,
        examples=(
            RepairExample("```\na\n```", "```\nb\n```", "a", "b"),
            RepairExample("```py\n  a\n\n  b\n```\n", "```py\n  c\n```\n", "  a\n\n  b", "  c"),
            RepairExample("~~~ js x=1\na\n~~~", "~~~ js x=1\nb\n~~~", "a", "b"),
            RepairExample("\n```\na\n```\n\n", "```\nb\n```", "a", "b"),
            RepairExample("```\na\n```", "b", "a", "b"),
            RepairExample("```\na\n```", "b\n", "a\n", "b\n"),
            RepairExample("```\na\n```", "", "a\n", ""),
            RepairExample("```\na\n```", "```\n```", "a\n", ""),
            RepairExample("```\na\n\n```", "```\nb\n```", "a\n\n", "b\n"),
            RepairExample("```\na\n```", "b\n```", "a", "b"),
            RepairExample("```py\na\n```", "```py\nb", "a", "b"),
            RepairExample("a\n```", "b\n```", "a", "b"),
            RepairExample("a\n\n```", "\n```", "a\n\n", "\n"),
            RepairExample("```\na\n\n```", "b\n\n", "a\n\n", "b\n\n"),
            RepairExample("a\n```", "b", "a", "b"),
            RepairExample("````md\na\n```\nb\n```\n````", "````md\nc\n````", "a\n```\nb\n```", "c"),
            RepairExample("```md\na\n```sh\nb\n```\n```", "```md\nc\n```", "a\n```sh\nb\n```", "c"),
            RepairExample("```\r\na\r\n```", "```\r\nb\r\n```", "a", "b"),
        ),
        leaves=(
            RepairExample("a", "```\na\n```"),
            RepairExample("`a`", "`b`"),
            RepairExample("```a```", "```b```"),
            RepairExample("```", "```"),
            RepairExample("```\n```", "```\na\n```"),
            RepairExample("```\na", "```\nb"),
            RepairExample("```sh\na\n```\nprose\n```sh\nb\n```", "prose"),
            RepairExample("```sh\na\n~~~", "b"),
            RepairExample("````\na\n```", "b"),
            RepairExample("```sh\na\n```", "```bash\nb\n```"),
            RepairExample("```\na\n```", "```\nb\n```\n\nprose"),
            RepairExample("```\na\n```", "prose\n```\nb\n```"),
            RepairExample("a\n```", "b\n```\nc\n```"),
            RepairExample("a\n```", "```\nb\n```"),
            RepairExample("```\na\n\n```", "b"),
            RepairExample("```\na\n\n```", "b\n"),
            RepairExample("```\na\n\n```", ""),
        ),
        is_of_lines=True,
    ),
    "blank_lines": Repair(
        name="blank lines",
        rank=30,
        summary="Blank lines before or after the old text are removed.",
        apply=take_off_blank_lines,
        examples=(
            RepairExample("\na\n", "\nb\n", "a\n", "b\n"),
            RepairExample("a\n\n", "b\n\n", "a\n", "b\n"),
            RepairExample("\n\n  a", "\n\n  b", "  a", "  b"),
            RepairExample("a\n\nb\n \n", "a\n\nc\n\n", "a\n\nb\n", "a\n\nc\n"),
            RepairExample("\na\n", "b\n", "a\n", "b\n"),
            RepairExample("a\n\n", "b", "a", "b"),
            RepairExample("a\n    ", "b", "a", "b"),
            RepairExample("a\r\n\r\n", "b\r\n", "a\r\n", "b\r\n"),
            RepairExample("\na\n", "\nb\n\n", "a\n", "b\n\n"),
            RepairExample("\na\n\n", "\n\n", "a\n", ""),
        ),
        leaves=(
            RepairExample("a\n", "\nb\n"),
            RepairExample("a\n\nb", "a\nb"),
            RepairExample("\n\n", "a\n"),
            RepairExample("", ""),
            RepairExample("a\n\n\n", "a\n\n"),
            RepairExample("a\n\n\n", "a\n"),
            RepairExample("a\n\n", "a\n\n\n"),
            RepairExample("\na", ""),
            RepairExample("a\n\n", ""),
            RepairExample("\na\n\n", "b\n"),
            RepairExample("a\n\n", "b\n\t"),
            RepairExample("\na\n\n", "\nb\n"),
            RepairExample("\na\n", "\n\n\n"),
        ),
        is_of_lines=True,
    ),
}
