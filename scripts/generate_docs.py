"""Write the pages that are made from the code, or with `--check` say which of them have drifted.

    docs/errors.md   every kind of refusal, from `Kind`
    docs/tiers.md    every step of the search in order, every tier and every repair
    docs/dialects.md every format a patch may be written in
    docs/targets.md  every kind of address, and the formats of files that can be addressed
    docs/actions.md  every action, what it is done to and its arguments
    docs/tools.md    every toolset, its tools, their parameters, results and examples
    docs/protected.md every name that is protected, and why
    docs/cli.md      the help of every command
    docs/api/*.md    every public name of the library, by scripts/api_reference.py
    docs/benchmarks.md, README.md   the figures of the last full run of `make bench ARGS=--record`

    src/steadyhand/surfaces/mcp/lists/*.json  what an MCP client sees of each toolset

Nothing here is written by hand twice: to change a page, change what it is made from.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import click

from steadyhand.dialects.dialect import Dialect, dialects
from steadyhand.errors import Action, Kind
from steadyhand.match.resolve import Found, finder_of, resolve
from steadyhand.match.tier import Example, Repair, RepairExample, Step, Tier, repairs, steps, tiers
from steadyhand.schema import Either, Many, Object, Shape
from steadyhand.structure.action import Action as NodeAction
from steadyhand.structure.action import Parameter, actions
from steadyhand.structure.format import Format, formats
from steadyhand.structure.node import Node
from steadyhand.structure.target import Addressed, targets
from steadyhand.surfaces.cli.commands.agents import shape_name
from steadyhand.surfaces.cli.main import INTERRUPTED, READER_GONE, cli
from steadyhand.surfaces.mcp import front
from steadyhand.text.source import Source
from steadyhand.tools.tool import Example as ToolExample
from steadyhand.tools.tool import Tool
from steadyhand.tools.toolsets import tools_of, toolset_named, toolsets
from steadyhand.workspace.files.protection import GROUPS, HIDDEN_FOLDER

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
NOTE = "<!-- Made by scripts/generate_docs.py; `make docs` writes it again. -->\n"
HELP_WIDTH = 100

ACTIONS = {
    Action.CHANGE_REQUEST: "The call itself must change: send another one.",
    Action.RE_READ: "The caller's picture of the file is old: read it again, then send the edit for what is there now.",
    Action.RETRY_LATER: "The same call may go through in a moment.",
    Action.GIVE_UP: "No call of this caller can succeed; the host may allow it, install something or fix the setup.",
    Action.REPORT_BUG: "Steadyhand itself is wrong: report it.",
}
OTHER_CODES = {
    0: "Done.",
    1: "`steadyhand check` found something.",
    INTERRUPTED: "Interrupted; nothing was left half done.",
    READER_GONE: "Whoever read the output went away.",
}


VERDICTS = {
    "refused": ("Refused", "They can be read, not changed."),
    "secret": (
        "Refused and not shown",
        "They can be neither read nor changed; if the host allows it, no answer, record or log contains their content.",
    ),
    "flagged": ("Flagged", "They can be changed; the answer has a warning that says what they are."),
}
SHARED_TOOLS = "Tools that several toolsets share"
LONGEST_FILE = 300  # characters of a file that an example shows
TOOLS_INTRODUCTION = (
    "What models are given: toolsets, each for one kind of work, and their tools.",
    "`ws.tools(NAME)` hands one to a program, `steadyhand mcp --toolset NAME` to an MCP client,",
    "`steadyhand call TOOL JSON` calls a tool from the shell.",
    "`steadyhand tools NAME --schema STYLE` prints the schemas, `--prompt` the section of a system prompt.",
    "",
    "Arguments are repaired before they are checked: an array or object sent as a JSON string, a single object for an",
    "array, `\"true\"` and `\"3\"` for what they say, the usual other names of a field, snake for camel case.",
    "What was repaired is listed in `repaired`; what is unknown, missing or sent twice is refused by its name.",
    "",
    "Unless a tool says otherwise, a change is answered with `success`, `path`, `id` (the undo handle), `fileHash`,",
    "`lines` and `context`, a refusal with `success: false`, `error`, `kind`, `message`, `hint` and `details`.",
    "Kinds are listed in [errors.md](errors.md); a refusal has changed nothing.",
    "The tools of native toolsets answer with `content`, `is_error` and, where they refuse, `kind`.",
)  # fmt: skip
TRUST = {
    "read": "Changes nothing.",
    "write": "Changes files, without taking anything away.",
    "destructive": "Changes files.",
}


def errors_page() -> str:
    """Kinds grouped by what the caller should do next, in the order of their exit codes."""
    lines = [
        "# Errors",
        "",
        NOTE,
        "Every refusal has a kind from this closed list.",
        "The kind is the contract: programs and models branch on it, never on a message.",
        "The exit code is the command line's.",
    ]
    for action, meaning in ACTIONS.items():
        kinds = sorted((kind for kind in Kind if kind.action is action), key=lambda kind: kind.exit_code)
        lines += ["", f"## {action}", "", meaning, "", "| Kind | Exit code | Meaning |", "|---|---|---|"]
        lines += [f"| `{kind}` | {kind.exit_code} | {kind.doc} |" for kind in kinds]
    lines += ["", "## Other exit codes", "", "| Exit code | Meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in OTHER_CODES.items()]
    return "\n".join(lines) + "\n"


def dialects_page() -> str:
    """The dialects by rank, each with its own summary and example."""
    lines = [
        "# Dialects",
        "",
        NOTE,
        "The formats in which `sh.patch`, `ws.patch` and `steadyhand apply` read what a model wrote.",
        "`auto` reads a reply in all of them and chooses the one that fits.",
        "Formats with their own markers take precedence over those without.",
        "Anything inside a part of one format is its content, whatever it looks like.",
        "A reply with parts in two formats is refused: nothing is dropped silently.",
        "A reply with a whole file and edits of it is refused if the two results differ.",
        "`steadyhand convert --to` writes those marked as writable.",
        "",
        "| Format | Other names | Marks of its own | Can be written |",
        "|---|---|---|---|",
        *map(_dialect_row, dialects()),
    ]
    for dialect in dialects():
        fence = "`" * max(4, 1 + max((len(run) for run in re.findall(r"`+", dialect.example)), default=0))
        lines += [
            "",
            f"## {dialect.name}",
            "",
            dialect.summary,
            "",
            f"{fence}text",
            dialect.example.rstrip("\n"),
            fence,
        ]
    return "\n".join(lines) + "\n"


def _dialect_row(dialect: Dialect) -> str:
    names = ", ".join(f"`{name}`" for name in dialect.aliases)
    marked, written = ("yes" if fact else "no" for fact in (dialect.is_marked, dialect.write is not None))
    return f"| `{dialect.name}` | {names} | {marked} | {written} |"


def targets_page() -> str:
    """Every kind of address with its fields and examples, then the formats."""
    lines = [
        "# Targets",
        "",
        NOTE,
        "Where an edit applies, besides old text: every kind of target, as JSON and as an address.",
        "An address is `kind[.part][[nth]]:value`; `nth` counts the places that match the same address, from 1.",
        'In JSON a target is an object with one field, such as `{"heading": "Setup"}`, or `{"at": ADDRESS}`.',
        "`steadyhand outline FILE` lists what can be addressed; `steadyhand locate FILE ADDRESS` shows a place.",
    ]
    for kind in targets().values():
        lines += ["", f"## {kind.key}", "", *_paragraphs(kind.__doc__ or "")]
        if issubclass(kind, Addressed):
            lines += [
                "",
                "| Field | Usual value |",
                "|---|---|",
                *map(_field_row, dataclasses.fields(cast("Any", kind))),
            ]
            lines += ["", f"Parts: {', '.join(f'`{part}`' for part in kind.parts)}."] if kind.parts else []
        lines += ["", "```text", *kind.examples, "```"]
    lines += ["", "## Formats", "", "By name or suffix of a file; *checked*: an edit must not break its syntax.", ""]
    lines += ["| Format | Files | Checked |", "|---|---|---|", *map(_format_row, formats())]
    return "\n".join(lines) + "\n"


def _paragraphs(doc: str) -> list[str]:
    """The words of a docstring, without its examples."""
    return inspect.cleandoc(doc.split(">>>", maxsplit=1)[0]).rstrip().split("\n")


def _field_row(field: dataclasses.Field[Any]) -> str:
    usual = "must be given" if field.default is dataclasses.MISSING else f"`{json.dumps(field.default)}`"
    return f"| `{field.name}` | {usual} |"


def _format_row(known: Format) -> str:
    names = ", ".join(f"`{name}`" for name in (*known.names, *known.suffixes))
    return f"| {known.name} | {names} | {'yes' if known.fault is not None else 'no'} |"


def actions_page() -> str:
    """Every action with its arguments, grouped by what it is done to."""
    lines = [
        "# Actions",
        "",
        NOTE,
        "What can be done to an address that is more than replacing, inserting or deleting text.",
        "In Python `Act(target, name, …)`, on the command line `steadyhand act`,",
        'in JSON `{"target": …, "act": name, "args": {…}}`.',
    ]
    for action in actions().values():
        taken = ", ".join(sorted(_node_name(kind) for kind in action.takes))
        lines += ["", f"## {action.name}", "", action.summary, f"Done to: {taken}."]
        if action.parameters:
            lines += ["", "| Argument | Kind | Meaning |", "|---|---|---|", *map(_parameter_row, action.parameters)]
        lines += ["", *_action_example(action)]
    return "\n".join(lines) + "\n"


def _action_example(action: NodeAction) -> list[str]:
    """The call of an action's example, and what it changes, as a diff of whole lines."""
    shown = action.example
    call = {"target": {"at": shown.address}, "act": action.name, "args": dict(shown.arguments)}
    before, after = shown.before.splitlines(), shown.after.splitlines()
    changed = [line for line in difflib.ndiff(before, after) if not line.startswith("?")]
    diff = [(line[0] + line[2:]).rstrip() for line in changed]
    return [f"`{json.dumps(call)}` on `{shown.path}`:", "", "```diff", *diff, "```"]


def _node_name(kind: type[Node]) -> str:
    if kind is Node:
        return "anything"
    words = re.findall(r"[A-Z][a-z]*", kind.__name__.removesuffix("Node"))
    return " ".join(words).lower()


def _parameter_row(parameter: Parameter) -> str:
    choices = f": {', '.join(f'`{choice}`' for choice in parameter.choices)}" if parameter.choices else ""
    optional = "" if parameter.required else " (optional)"
    return f"| `{parameter.name}` | {parameter.kind}{choices} | {parameter.summary}{optional} |"


def tiers_page() -> str:
    """The steps by rank, then tiers and repairs, each with the sentence and the examples its own file declares."""
    lines = [
        "# Tiers",
        "",
        NOTE,
        "How old text is found, strictest first.",
        "The first step that finds anything decides; a laxer one never breaks a tie.",
        "`--tier`, and `tier` in a policy, set the laxest step allowed.",
        "",
        "| Step | Rank | Confidence | Looks for |",
        "|---|---|---|---|",
        *map(_step_row, steps()),
        "",
        "Confidence is a maximum; it is lower if less of the old text is in the file.",
        "In the examples, `⟦…⟧` marks the match, `⏎` is LF, `␍` is CR and `⇥` is a tab.",
    ]
    for tier in tiers():
        lines += _tier_section(tier)
    lines += [
        "",
        "## Repairs",
        "",
        "What is removed from an old text that was wrapped by accident, and from its new text alike.",
        "A repair is tried only if the old text as sent matches nowhere; the answer reports what was removed.",
    ]
    for repair in repairs():
        lines += _repair_section(repair)
    return "\n".join(lines) + "\n"


def _step_row(step: Step) -> str:
    looked_for = "the old text with a repair" if step.is_repaired else "the old text"
    names = ", ".join(f"[{tier.name}](#{tier.name})" for tier in step.tiers)
    confidence = min(max(tier.confidence for tier in step.tiers), _repaired_confidence() if step.is_repaired else 1.0)
    return _cells(
        [
            step.name,
            str(step.rank),
            f"{confidence:.2f}",
            f"{looked_for}, at the tier{'s' if len(step.tiers) > 1 else ''} {names}",
        ]
    )


def _repaired_confidence() -> float:
    """What is reported at most for an old text that had to be repaired: that of one which needs nothing else."""
    found = resolve(finder_of(Source.of_text("a\n")), "```\na\n```\n", new="```\nb\n```\n")
    assert isinstance(found, Found)
    return found.tier.confidence


def _tier_section(tier: Tier) -> list[str]:
    has_new = any(example.new is not None for example in (*tier.ignores, *tier.matches))
    heads = ["Old text", *(["New text"] if has_new else []), "File", "Path", "Found"]
    overlooked = ", ".join(tier.differs) or "nothing"
    return [
        *("", f"## {tier.name}", "", tier.summary, f"Overlooks: {overlooked}."),
        *(["Several matches are several guesses, never several places to change."] if tier.is_single else []),
        *("", _cells(heads), "|---" * len(heads) + "|"),
        *(_row(example, "no", has_new=has_new) for example in tier.ignores),
        *(_row(example, "yes", has_new=has_new) for example in tier.matches),
    ]


def _row(example: Example, found: str, *, has_new: bool) -> str:
    new = [] if not has_new else ["" if example.new is None else _shown(example.new)]
    path = "" if example.path is None else _shown(example.path)
    return _cells([_shown(example.needle), *new, _shown(example.text), path, found])


def _repair_section(repair: Repair) -> list[str]:
    heads = ["Old text", "New text", "Old text without it", "New text without it"]
    return [
        *("", f"### {repair.name}", "", repair.summary, "", _cells(heads), "|---" * len(heads) + "|"),
        *map(_repair_row, (*repair.leaves, *repair.examples)),
    ]


def _repair_row(example: RepairExample) -> str:
    old, new = (_shown(text) for text in (example.old, example.new))
    if example.repaired_old is None or example.repaired_new is None:
        return _cells([old, new, "left as it is", "left as it is"])
    return _cells([old, new, _shown(example.repaired_old), _shown(example.repaired_new)])


def _cells(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(text: str) -> str:
    """Text in a table cell, with what cannot be seen made visible."""
    shown = "".join(map(_visible, text))
    ticks = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    room = " " if len(ticks) > 1 else ""
    return f"{ticks}{room}{shown}{room}{ticks}" if text else "(empty)"


def _visible(char: str) -> str:
    names = {"\r": "␍", "\n": "⏎", "\t": "⇥", "|": "\\|"}
    is_unseen = char != " " and unicodedata.category(char) in ("Zs", "Zl", "Cf", "Mn")
    return f"⟨U+{ord(char):04X}⟩" if is_unseen else names.get(char, char)


def tools_page() -> str:
    """The toolsets and their tools."""
    return "\n".join(["# Tools", "", NOTE, *_tools_lines()]) + "\n"


def _tools_lines() -> Iterator[str]:
    """The page, without its title."""
    yield from TOOLS_INTRODUCTION
    shared = [tool for name in toolsets() for tool in tools_of(name) if tool.toolsets]
    for name in toolsets():
        yield from _toolset(name)
    yield from ("", f"## {SHARED_TOOLS}")
    for tool in {tool.name: tool for tool in shared}.values():
        yield from _tool(tool)


def _toolset(name: str) -> Iterator[str]:
    toolset = toolset_named(name)
    yield from ("", f"## {name}", "", toolset.summary)
    if toolset.extensions is not None:
        yield f"Files: {' '.join(f'`{ending}`' for ending in toolset.extensions)}."
    yield from ("", "| Tool | | |", "|---|---|---|")
    yield from (_tool_cells([f"`{tool.name}`", tool.title, TRUST[tool.trust]]) for tool in tools_of(name))
    for tool in tools_of(name):
        if not tool.toolsets:
            yield from _tool(tool)


def _tool(tool: Tool) -> Iterator[str]:
    yield from ("", f"### {tool.name}", "", _plain_words(tool.summary), "")
    if tool.also:
        yield f"Also called {', '.join(f'`{name}`' for name in tool.also)}."
    if tool.toolsets:
        yield f"In the toolsets {', '.join(tool.toolsets)}."
    if tool.modes is not None:
        yield f"Only in the mode {' and '.join(tool.modes)}."
    hints = ", ".join(f"`{name}`" for name, value in tool.annotations().items() if value is True)
    yield TRUST[tool.trust] + (f" MCP: {hints}." if hints else "")
    yield from ("", "| Parameter | Kind | Meaning |", "|---|---|---|", *_shape_rows(tool.parameters, ""))
    yield from ("", "| Result | Kind | Meaning |", "|---|---|---|", *_shape_rows(tool.result, ""))
    for example in tool.examples:
        yield from _tool_example(example)


def _shape_rows(shape: Object, above: str, answer: set[tuple[str, ...]] | None = None) -> Iterator[str]:
    """A row for each field at any depth; fields of an object that were described above are not repeated."""
    answer = {shape.names} if answer is None else answer
    for field in shape.fields:
        name = f"{above}{field.name}"
        needed = ", required" if field.required else ""
        yield _tool_cells([f"`{name}`", f"{shape_name(field.shape)}{needed}", field.about])
        for inner, path in _objects(field.shape, name):
            if inner.names not in answer:
                answer.add(inner.names)
                yield from _shape_rows(inner, f"{path}.", answer)


def _objects(shape: Shape, path: str) -> Iterator[tuple[Object, str]]:
    """The objects inside a shape, with how they are reached."""
    match shape:
        case Object():
            yield shape, path
        case Many():
            yield from _objects(shape.item, f"{path}[]")
        case Either():
            for each in shape.shapes:
                yield from _objects(each, path)
        case _:
            pass


def _tool_example(example: ToolExample) -> Iterator[str]:
    yield from ("", f"{example.about}:", "")
    for name, text in example.files.items():
        yield f"- `{name}` holds {_one_line(text)}"
    for name, value in example.settings.items():
        yield f"- the host sets `{name}` to {_one_line(json.dumps(value, ensure_ascii=False))}"
    for name, arguments in example.first:
        yield f"- after `{name}` with {_one_line(_example_json(arguments))}"
    if example.files or example.settings or example.first:
        yield ""
    yield from ("```json", _example_json(example.arguments), "```", "")
    yield from ("answers at least", "", "```json", _example_json(example.result), "```")


def _example_json(value: Mapping[str, object]) -> str:
    return re.sub(r'"\$hash:([^"]+)"', r'"<fileHash of \1>"', _as_shown(value, ""))


def _as_shown(value: object, indent: str) -> str:
    """JSON that is broken into lines only where a line would not do."""
    short = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(short) <= HELP_WIDTH or not isinstance(value, Mapping | list | tuple):
        return short
    inner = f"{indent}  "
    if isinstance(value, Mapping):
        rows = [f"{inner}{json.dumps(name)}: {_as_shown(each, inner)}" for name, each in value.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + _as_shown(each, inner) for each in value) + f"\n{indent}]"


def _one_line(text: str) -> str:
    """Text as code, with line breaks made visible."""
    shown = text.replace("\r", "␍").replace("\n", "⏎").replace("\t", "⇥")
    shown = shown if len(shown) <= LONGEST_FILE else f"{shown[:LONGEST_FILE]}…"
    ticks = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    room = " " if len(ticks) > 1 or shown.startswith("`") else ""
    return f"{ticks}{room}{shown}{room}{ticks}" if text else "nothing"


def _tool_cells(cells: Iterable[str]) -> str:
    return _cells(cell if cell.startswith("`") else _plain_words(cell).replace("|", "\\|") for cell in cells)


def _plain_words(text: str) -> str:
    """Words of a tool, none of which Markdown takes for a mark."""
    return re.sub(r"([*<_])", r"\\\1", text)


def protected_page() -> str:
    """The groups of names by verdict, each with its reason and its entries."""
    lines = [
        "# Protected names",
        "",
        NOTE,
        "A name is protected where a program that people use every day runs what the file says, on opening a folder or",
        "on a routine command, or where the file holds a secret.",
        "A protected path stays refused until the host allows it, with `--allow` or `allow=`:",
        "[hosting an agent](guides/hosting.md#protected-paths).",
        "",
        "An entry is a name at any depth, and protects what lies below it.",
        "An entry with a slash is a name in a certain directory.",
        "Case, invisible characters, compatibility forms, trailing dots and blanks, stream names and short names",
        "make no difference.",
        "The rule is the same for writing, renaming to the name and from it, links that lead to it, and undo.",
        "A file with another hard link, beside it or in a folder above it, that has a protected name is not written;",
        "if that name is one of a secret, it is not read either. Links from elsewhere are not found.",
        "",
        "Besides these names, files that would make a directory a git repository together (`HEAD`, `objects`, `refs`,",
        "`config`, `commondir`) are refused, because git runs what the settings of a repository say.",
    ]  # fmt: skip
    for verdict, (title, meaning) in VERDICTS.items():
        lines += ["", f"## {title}", "", meaning, "", "| What | Why | Names |", "|---|---|---|"]
        for group in (group for group in GROUPS if group.verdict == verdict):
            names = " ".join(f"`{entry}`" for entry in group.entries)
            more = f"; {group.pattern_text}" if group.pattern_text else ""
            lines.append(f"| {group.title} | {group.reason} | {names}{more} |")
        if verdict == "flagged":
            lines.append(
                f"| Hidden directories | {HIDDEN_FOLDER[0].upper()}{HIDDEN_FOLDER[1:]}. | every other `.NAME/` |"
            )
    return "\n".join(lines) + "\n"


def cli_page() -> str:
    """The help of the group and of every command, as a terminal of fixed width shows it."""
    lines = ["# The command line", "", NOTE, "`python -m steadyhand` is the same command."]
    settings = {**cli.context_settings, "terminal_width": HELP_WIDTH, "max_content_width": HELP_WIDTH}
    for context in _contexts(click.Context(cli, info_name="steadyhand", **settings)):
        lines += ["", f"## {context.command_path}", "", "```text", context.get_help().rstrip(), "```"]
    return "\n".join(lines) + "\n"


def _contexts(context: click.Context) -> Iterator[click.Context]:
    """The context and those of every command beneath it that is not hidden."""
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            if command is not None and not command.hidden:
                yield from _contexts(click.Context(command, parent=context, info_name=name))


def benchmarks_page() -> str:
    """The page with each of its tables as it was measured last; what is said of them is written by hand."""
    from benches.figures import read_figures, with_tables

    return with_tables((DOCS / "benchmarks.md").read_text(encoding="utf-8"), read_figures())


def readme_page() -> str:
    """README with the figures that users feel as they were measured last."""
    from benches.figures import read_figures, with_figures
    from benches.floors import read_floors

    page = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    return with_figures(page, read_floors(), read_figures())


PAGES: dict[str, Callable[[], str]] = {
    "errors.md": errors_page,
    "tiers.md": tiers_page,
    "dialects.md": dialects_page,
    "targets.md": targets_page,
    "actions.md": actions_page,
    "tools.md": tools_page,
    "protected.md": protected_page,
    "cli.md": cli_page,
    "benchmarks.md": benchmarks_page,
    "../README.md": readme_page,
}


def drifted() -> dict[Path, str | None]:
    """The files that are not what the code says now, with what they should say; None: they should not be there."""
    wanted: dict[Path, str | None] = {(DOCS / name).resolve(): make() for name, make in PAGES.items()}
    wanted |= dict.fromkeys((DOCS / "api").glob("*.md"))
    wanted |= {DOCS / name: page for name, page in _api_pages().items()}
    wanted |= dict.fromkeys(front.FOLDER.glob("*.json"))
    wanted |= {front.FOLDER / f"{name}.json": front.list_of(name) for name in toolsets()}
    return {path: text for path, text in wanted.items() if not _is_current(path, text)}


def _api_pages() -> dict[str, str]:
    from scripts.api_reference import pages

    return pages()


def _is_current(path: Path, text: str | None) -> bool:
    return path.read_text(encoding="utf-8") == text if path.is_file() else text is None


def main(arguments: list[str]) -> int:
    """Write, or check; the exit code says whether everything is current now."""
    sys.path.append(str(DOCS.parent))  # a script finds only what is beside it
    found = drifted()
    for path, text in found.items():
        name = path.relative_to(ROOT).as_posix()
        if "--check" in arguments:
            print(f"{name} is not what the code says; run: make docs", file=sys.stderr)
        elif text is None:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"{name} written")
    return 1 if found and "--check" in arguments else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
