"""Write the pages that are made from the code, or with `--check` say which of them have drifted.

    docs/errors.md   every kind of refusal, from `Kind`
    docs/tiers.md    every tier, in the order they run
    docs/cli.md      the help of every command

Nothing here is written by hand twice: to change a page, change what it is made from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from steadyhand.errors import Action, Kind
from steadyhand.match.tier import Example, tiers
from steadyhand.surfaces.cli.main import INTERRUPTED, READER_GONE, cli

DOCS = Path(__file__).parent.parent / "docs"
NOTE = "<!-- Made by scripts/generate_docs.py; `make docs` writes it again. -->\n"
HELP_WIDTH = 100

ACTIONS = {
    Action.CHANGE_REQUEST: "The call itself must change: send another one.",
    Action.RE_READ: "The caller's picture of the file is old: read it again, then send the edit for what is there now.",
    Action.RETRY_LATER: "The same call may go through in a moment.",
    Action.GIVE_UP: "No call of this caller can go through; the host may open it, install a part or mend something.",
    Action.REPORT_BUG: "Steadyhand itself is wrong: report it.",
}
OTHER_CODES = {
    0: "Done.",
    1: "`steadyhand check` found something.",
    INTERRUPTED: "Interrupted; nothing was left half done.",
    READER_GONE: "Whoever read the output went away.",
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
    lines += ["", "## Exit codes that are no refusal", "", "| Exit code | Meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in OTHER_CODES.items()]
    return "\n".join(lines) + "\n"


def tiers_page() -> str:
    """Tiers by rank, each with the sentence and the examples its own file declares."""
    lines = [
        "# Tiers",
        "",
        NOTE,
        "How old text is found, strictest first.",
        "A laxer tier runs only when every stricter one found nothing; it never breaks a tie.",
        "In the examples `⟦…⟧` marks what is found, `⏎` is LF and `␍` is CR.",
    ]
    for tier in tiers():
        overlooked = ", ".join(tier.differs) or "nothing"
        lines += ["", f"## {tier.name}", "", tier.summary, f"Overlooks: {overlooked}.", ""]
        lines += ["| Old text | File | Found |", "|---|---|---|"]
        lines += [_row(example, "no") for example in tier.ignores]
        lines += [_row(example, "yes") for example in tier.matches]
    return "\n".join(lines) + "\n"


def _row(example: Example, found: str) -> str:
    return f"| {_shown(example.needle)} | {_shown(example.text)} | {found} |"


def _shown(text: str) -> str:
    """Text in a table cell, with what cannot be seen made visible."""
    visible = {"\r": "␍", "\n": "⏎", "\t": "⇥", "|": "\\|", "\u2028": "⟨U+2028⟩"}
    return f"`{''.join(visible.get(character, character) for character in text)}`" if text else "(empty)"


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


PAGES: dict[str, Callable[[], str]] = {"errors.md": errors_page, "tiers.md": tiers_page, "cli.md": cli_page}


def drifted() -> list[str]:
    """The pages that are not what the code says now."""
    return [name for name, make in PAGES.items() if not _is_current(DOCS / name, make())]


def _is_current(page: Path, text: str) -> bool:
    return page.is_file() and page.read_text(encoding="utf-8") == text


def main(arguments: list[str]) -> int:
    """Write, or check; the exit code says whether everything is current now."""
    names = drifted()
    if "--check" in arguments:
        for name in names:
            print(f"docs/{name} is not what the code says; run: make docs", file=sys.stderr)
        return 1 if names else 0
    for name in names:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"docs/{name} written")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
