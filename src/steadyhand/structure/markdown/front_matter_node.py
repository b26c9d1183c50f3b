"""The front matter of a Markdown text as a whole: what stands between its marks.

The marks stay where the content is replaced, and go with it where it is deleted.
"""

from __future__ import annotations

from collections.abc import Sequence

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.structure.markdown.content import read_content
from steadyhand.structure.markdown.front import CLOSINGS
from steadyhand.structure.markdown.habit import blanks_below
from steadyhand.structure.markdown.marks import Front
from steadyhand.structure.markdown.outside import checked
from steadyhand.structure.markdown.reading import known_markdown
from steadyhand.structure.markdown.view import view_of
from steadyhand.structure.markdown.weave import weave
from steadyhand.structure.node import Node, Proposal, Refusal, Where
from steadyhand.text.lines import split_bodies, to_lf
from steadyhand.text.source import Source
from steadyhand.text.span import Span


@dataclass(frozen=True, slots=True)
class FrontMatterNode(Node):
    """The lines between the marks."""

    span: Span
    front: Front
    address: str = "front_matter:"
    kind: str = "front matter"

    @property
    def label(self) -> str:
        return f"front matter ({self.front.syntax})"

    def replace(self, source: Source, new: str) -> Proposal | Refusal:
        if to_lf(new) == to_lf(self.span.of(source.text)):
            return Proposal(())
        return self._written(source, self.span, self._bare(split_bodies(new)))

    def insert(self, source: Source, text: str, where: Where) -> Proposal | Refusal:
        match where:
            case "before":
                return Refusal(Kind.BAD_REQUEST, "front matter stands at the very top", "insert after it")
            case "after":
                return self._insert_after(source, text)
            case "start" | "end":
                at = self.span.start if where == "start" else self.span.end
                return self._written(source, Span(at, at), split_bodies(text))

    def delete(self, source: Source) -> Proposal | Refusal:
        document = known_markdown(source)
        end = self.front.end + blanks_below(document, self.front.end)
        return checked(source, Proposal.of(source, (Span(document.lead, document.table.start(end)), "")))

    def _insert_after(self, source: Source, text: str) -> Proposal | Refusal:
        document, content = known_markdown(source), read_content(text)
        if isinstance(content, Refusal):
            return content
        row = self.front.end + blanks_below(document, self.front.end)
        return weave(source, document, row, content) if content.lines else Proposal(())

    def _bare(self, lines: list[str]) -> list[str]:
        """Content without the marks, where it brings them."""
        closings = CLOSINGS[self.front.mark]
        if len(lines) > 1 and lines[0].rstrip() == self.front.mark and lines[-1].rstrip() in closings:
            return lines[1:-1]
        return lines

    def _written(self, source: Source, span: Span, lines: Sequence[str]) -> Proposal | Refusal:
        made = Proposal.of(source, (span, "".join(f"{line}\n" for line in lines)))
        view = view_of(source, made)
        rows = self.front.end + len(lines) - len(split_bodies(span.of(source.text)))
        if isinstance(view, Refusal) or view.after.front != Front(self.front.mark, rows):
            return Refusal(
                Kind.BAD_REQUEST,
                f"with this content the text between the {self.front.mark} lines would not be front matter",
                f"give {self.front.syntax} keys, without {self.front.mark} lines and without a blank first line",
            )
        own = Span(0, known_markdown(source).table.start(self.front.end))
        return checked(source, made, own=own, view=view)
