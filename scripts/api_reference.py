"""The reference of the Python API as Markdown, from the classes and functions themselves.

    docs/api/README.md   the pages and what each is for
    docs/api/*.md        every public name: its signature, its docstring, its fields and methods

A name without a leading underscore is public unless `HIDDEN` lists it: some members of public classes serve other
rooms of the package, and no caller should build on them.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import steadyhand as sh
from scripts.public_types import Met, types_met
from steadyhand.structure.target import Target

NOTE = "<!-- Made by scripts/api_reference.py; `make docs` writes it again. -->\n"

# Members of public classes that serve other rooms of the package.
HIDDEN = {
    "AsyncWorkspace": "",
    "AutoAccept": "takes",
    "Batch": "close commit leave source",
    "ChangeSet": "after_spans delta of",
    "CheckReport": "of",
    "Conversation": "failed mistakes succeeded",
    "Dialect": "is_whole_if_asked rank read_clean reader write",
    "KeptConflict": "named",
    "EditError": "advised message_in predicate subject",
    "EditFile": "check_shown shown",
    "Encoding": "decode encode",
    "Fault": "of",
    "FileReceipt": "change changed_columns changed_rows of present",
    "GcReport": "of",
    "Kit": "",
    "Patch": "as_whole_files beside mapped of overwriting",
    "Policy": "wants_guard",
    "Record": "arriving leaving",
    "Replace": "signs alternatives",
    "Source": (
        "apply changed_to characters check_base derive derived feeds_before in_encoding is_large keep length "
        "lines_after lines_of near newline_at read reads_back settle table"
    ),
    "Span": "of",
    "Tool": (
        "also_reads annotations examples fitted lasts modes native parameters rank refused result run toolsets under "
        "verbs"
    ),
    "Toolset": "guards modules phrases policy",
    "Writes": "of",
}
# Classes that callers are handed and never make themselves.
HANDED_OUT = {"AsyncAudits", "AsyncBatch", "AsyncKit", "AsyncReview", "Audits", "Batch", "Kit", "Review"}

_SHOWN_ONCE = {
    "from_json": "The value that `to_json` wrote.",
    "to_json": "The same as a JSON object.",
    "delete": "Delete a file; undo brings it back.",
    "close": "Close it; what is asked of it later is refused.",
}


@dataclass(frozen=True, slots=True)
class Page:
    """One page: the public names it has, in the order in which a reader should meet them."""

    name: str
    title: str
    about: str
    names: str


PAGES = (
    Page(
        "functions",
        "Functions on texts",
        "Edit a text without a workspace: no file is read or written.",
        "edit patch read_patch PatchStream outline locate parse_address requests_from_json Result Patch Piece Note "
        "Dialect",
    ),
    Page(
        "workspace",
        "Workspace",
        "A directory whose files are edited safely, with history and undo.",
        "Workspace Batch Audits Receipt FileReceipt Outcome Listing Source Encoding Event Statistics Tally TallyRow "
        "Proportion CheckReport Problem Drift GcReport Storage DirEntry",
    ),
    Page(
        "asyncio",
        "AsyncWorkspace",
        "The same for programs that run on asyncio.",
        "AsyncWorkspace AsyncBatch AsyncAudits AsyncKit",
    ),
    Page(
        "edits",
        "Edits and requests",
        "What a caller asks for, as values.",
        "Replace Insert Delete Act Old Policy Requests EditFile WriteFile CreateFile DeleteFile RenameFile CopyFile "
        "MoveText MergeFile ChangeMode",
    ),
    Page(
        "targets",
        "Targets",
        "Where an edit goes, besides old text; [targets.md](../targets.md) has the addresses and examples.",
        "Target Heading Block CodeBlock FrontMatter Table Selector Symbol Key Cell Lines Anchor Outline OutlineEntry "
        "Fault Location",
    ),
    Page(
        "errors",
        "Refusals",
        "How a call says that it changed nothing; [errors.md](../errors.md) has every kind.",
        "EditError Kind Action hints",
    ),
    Page(
        "history",
        "History and others' work",
        "Records, reasons, conflicts and leases.",
        "Entry Record State FileChange FileState Ownership EditNote ToolCall Why Outside KeptConflict Writes Party "
        "Lease ActiveLease Notice Finding",
    ),
    Page(
        "review",
        "Review",
        "Changes to decide about, hunk by hunk.",
        "Review ReviewChange DiskConflict Decision Feedback AutoAccept AsyncReview",
    ),
    Page(
        "tools",
        "Tools for models",
        "What `ws.tools()` gives; [tools.md](../tools.md) has every toolset.",
        "Kit Tool Toolset Settings Conversation impact",
    ),
    Page(
        "text",
        "Texts and changes",
        "The values that everything else is made of.",
        "ChangeSet Clash Splice Span",
    ),
)


def pages() -> dict[str, str]:
    """Every page by its path in `docs`."""
    listed = " ".join(page.names for page in PAGES).split()
    public = set(sh.__all__) - {"__version__"}
    if missing := public.symmetric_difference(listed):
        raise SystemExit(f"scripts/api_reference.py: each public name belongs to one page: {' '.join(sorted(missing))}")
    return {"api/README.md": _contents()} | {f"api/{page.name}.md": _page(page) for page in PAGES}


def met() -> Met:
    """The types that a caller of the public names meets."""
    public = {name: getattr(sh, name) for name in sh.__all__ if name != "__version__"}
    return types_met(public, members, HANDED_OUT)


def members(cls: type) -> Iterator[tuple[str, object]]:
    """The public members of a class in the order in which they are written, those of its bases last.

    A member is given as the class has it: a function, a property, a `staticmethod`; a field as its annotation.
    Values of the built-in types that a class extends are not its members. Of a target only the fields are.
    """
    hidden = set(HIDDEN.get(cls.__name__, "").split())
    is_target = issubclass(cls, Target)
    fields = getattr(cls, "__lazy_fields__", {})
    for name, field in fields.items():
        if not name.startswith("_") and name not in hidden:
            yield name, field.type
    seen = {*fields, *hidden}
    for base in cls.__mro__:
        if is_target or not base.__module__.startswith("steadyhand"):
            continue
        for name, member in vars(base).items():
            is_member = isinstance(member, property | staticmethod | classmethod) or inspect.isfunction(member)
            if name.startswith("_") or name in seen or not is_member:
                continue
            seen.add(name)
            yield name, member


def doc_of(cls: type, name: str) -> str:
    """The docstring of a method; one that many classes have, or a verb that a workspace has too, is explained once."""
    said = inspect.getdoc(getattr(cls, name))
    if not said and cls in (sh.Batch, sh.AsyncBatch):
        said = inspect.getdoc(getattr(sh.Workspace, name))
    return said or _SHOWN_ONCE.get(name, "") or ("As in `os`." if cls is sh.Storage else "")


def _contents() -> str:
    lines = ["# Python API", "", NOTE, "`import steadyhand as sh` has the names below; each is loaded when first used."]
    lines += ["What is not listed here may change without notice.", "", "| Page | Names |", "|---|---|"]
    for page in PAGES:
        names = ", ".join(f"[`{name}`]({page.name}.md#{name.lower()})" for name in page.names.split())
        lines.append(f"| [{page.title}]({page.name}.md) | {names} |")
    lines += ["", "## Type aliases", "", "Names that signatures use for types that are written often.", ""]
    lines += ["| Alias | Means |", "|---|---|"]
    lines += [_cells(f"`{name}`", f"`{meaning}`") for name, meaning in sorted(met().aliases.items())]
    return "\n".join(lines) + "\n"


def _page(page: Page) -> str:
    lines = [f"# {page.title}", "", NOTE, page.about]
    for name in page.names.split():
        lines += _section(name, getattr(sh, name))
    return "\n".join(lines) + "\n"


def _section(name: str, value: object) -> list[str]:
    lines = ["", f"## {name}", ""]
    if isinstance(value, ModuleType):
        return [*lines, *_docstring(value.__doc__), *_names_of(value)]
    if not inspect.isclass(value):
        return [*lines, *_code(f"sh.{name}", value), "", *_docstring(inspect.getdoc(value))]
    if name not in HANDED_OUT and not issubclass(value, enum.Enum) and value.__init__ is not object.__init__:
        lines += [*_code(f"sh.{name}", value), ""]
    lines += _docstring(inspect.getdoc(value))
    if issubclass(value, enum.Enum):
        return [*lines, "", "Values: " + ", ".join(f"`{member.value}`" for member in value) + "."]
    fields = [(each, kind) for each, kind in members(value) if isinstance(kind, str)]
    shown = [(each, kind.fget) for each, kind in members(value) if isinstance(kind, property) and kind.fget]
    if fields or shown:
        lines += ["", "| Attribute | Type | |", "|---|---|---|"]
        lines += [_row(each, kind, "") for each, kind in fields]
        lines += [_row(each, get.__annotations__.get("return", ""), inspect.getdoc(get) or "") for each, get in shown]
    for each, member in members(value):
        if not isinstance(member, str | property):
            function = member.__func__ if isinstance(member, staticmethod | classmethod) else member
            lines += ["", f"### {name}.{each}", "", *_code(each, function), "", *_docstring(doc_of(value, each))]
    return lines


def _names_of(module: ModuleType) -> Iterator[str]:
    """A line for each class of a module that has many small ones, a section for each function."""
    short = module.__name__.rpartition(".")[2]
    short = {"api": "impact"}.get(short, short)
    public = [(name, getattr(module, name)) for name in module.__all__]
    functions = [(name, value) for name, value in public if inspect.isfunction(value)]
    yield from ("", f"| `sh.{short}` | |", "|---|---|")
    for name, value in public:
        first = (inspect.getdoc(value) or "").split("\n")[0]
        if inspect.isclass(value):
            yield _cells(f"`{_signature(name, value)}`", first)
    for name, value in functions:
        yield from ("", f"### {short}.{name}", "", *_code(f"sh.{short}.{name}", value), "")
        yield from _docstring(inspect.getdoc(value))


def _row(name: str, kind: str, doc: str) -> str:
    return _cells(f"`{name}`", f"`{kind}`", doc.split("\n\n", maxsplit=1)[0].replace("\n", " "))


def _cells(*cells: str) -> str:
    shown = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(shown)} |"


def _code(name: str, value: Any) -> list[str]:
    prefix = "async " if inspect.iscoroutinefunction(value) else ""
    return ["```text", prefix + _signature(name, value, width=100), "```"]


def _signature(name: str, value: Any, width: int | None = None) -> str:
    """A signature, on several lines if it is too long for one."""
    signature = inspect.signature(value)
    given = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
    returns = signature.return_annotation
    answer = "" if inspect.isclass(value) or returns is signature.empty else f" -> {_bare(returns)}"
    words: list[str] = []
    is_keyword = False
    for each in given:
        if each.kind is each.KEYWORD_ONLY and not is_keyword:
            words.append("*")
            is_keyword = True
        kind = "" if each.annotation is each.empty else f": {_bare(each.annotation)}"
        usual = "" if each.default is each.empty else f" = {_usual(each.default)}"
        stars = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
        words.append(f"{stars}{each.name}{kind}{usual}" if kind else f"{stars}{each.name}{usual.replace(' ', '')}")
    line = f"{name}({', '.join(words)}){answer}"
    if width is None or len(line) <= width:
        return line
    return f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){answer}"


def _bare(annotation: object) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def _usual(value: object) -> str:
    """A default as it would be written; one that is an object of ours is named by its class alone."""
    shown = repr(value)
    return shown if len(shown) <= 40 and " at 0x" not in shown else f"{type(value).__name__}(…)"


def _docstring(doc: str | None) -> list[str]:
    """A docstring as Markdown: one sentence on a line, examples in fences, indented lines as code."""
    paragraphs = re.split(r"\n{2,}", inspect.cleandoc(doc or ""))
    return "\n\n".join(_paragraph(each) for each in paragraphs).split("\n")


def _paragraph(text: str) -> str:
    for mark, language in ((">>>", "pycon"), ("    ", "text")):
        before, found, code = (
            text.partition(f"\n{mark}") if not text.startswith(mark) else ("", mark, text[len(mark) :])
        )
        if found:
            prose = f"{_paragraph(before)}\n\n" if before else ""
            return f"{prose}```{language}\n{mark}{code}\n```"
    return re.sub(r"(?<=[a-z`)][.?!]) (?=[A-Z])", "\n", _plain(text.replace("\n", " ")))


def _plain(line: str) -> str:
    """A line of prose; outside of code no character of it means anything to Markdown."""
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else re.sub(r"([*<_])", r"\\\1", part) for part in parts)
