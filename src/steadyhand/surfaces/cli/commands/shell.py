"""`completion`, `help` and `schema`: for the person or program at the keyboard.

A completion script hands over the command line up to the cursor in COMP_LINE and gets one line for each thing to offer:
`plain` or `file`, the value and its help, with tabs between. click splits such a line at what the shell takes for
words, and bash takes `heading:Notes` for three; so the line is split here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem, ShellComplete

from steadyhand.errors import Kind
from steadyhand.lazy import dataclass
from steadyhand.schema import nearest_name
from steadyhand.surfaces.cli.group import command, command_names
from steadyhand.surfaces.cli.invocation import Invocation, misused
from steadyhand.surfaces.cli.output import CommandResult
from steadyhand.surfaces.terminal import Line, Piece, pad


@command(
    "completion",
    section="Maintenance",
    examples="""
    steadyhand completion bash >> ~/.bashrc
    steadyhand completion zsh > ~/.zfunc/_steadyhand
    steadyhand completion fish > ~/.config/fish/completions/steadyhand.fish
    """,
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(invocation: Invocation, shell: str) -> CommandResult:
    """Print a completion script for a shell.

    It completes commands, options and their values, file names, actions, addresses in a file (`heading:`, `key:`,
    `symbol:` …) and the ids of the latest records.
    """
    text = script(shell)
    return CommandResult({"shell": shell, "script": text}, text=text)


VARIABLE = "_STEADYHAND_COMPLETE"
_ENDS_OF_WORDS = ":=@"  # of readline's, those that a word may have without quotes

# In bash 3, which macOS has, `compopt` is missing: file names are then not offered.
_BASH = r"""_steadyhand_completion() {
    local type value help
    COMPREPLY=()
    while IFS=$'\t' read -r type value help; do
        case $type in
            file) compopt -o default 2>/dev/null ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done < <(COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \
        _STEADYHAND_COMPLETE=bash "$1" 2>/dev/null)
}
complete -o nosort -F _steadyhand_completion steadyhand 2>/dev/null ||
    complete -F _steadyhand_completion steadyhand
"""

_ZSH = r"""#compdef steadyhand
_steadyhand_completion() {
    local type value help
    local -a values shown
    while IFS=$'\t' read -r type value help; do
        case $type in
            file) _files ;;
            plain) values+=("$value"); shown+=("$value${help:+  -- $help}") ;;
        esac
    done < <(COMP_LINE="${(j: :)words[1,CURRENT]}" _STEADYHAND_COMPLETE=zsh "$words[1]" 2>/dev/null)
    (( $#values )) && compadd -U -l -V steadyhand -d shown -a values
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _steadyhand_completion "$@"
else
    compdef _steadyhand_completion steadyhand
fi
"""

_FISH = r"""function __steadyhand_completion
    COMP_LINE=(commandline -cp) _STEADYHAND_COMPLETE=fish steadyhand 2>/dev/null | while read -d \t -l type value help
        switch $type
            case file
                __fish_complete_path (commandline -ct)
            case plain
                printf '%s\t%s\n' $value $help
        end
    end
end
complete --command steadyhand --no-files --arguments '(__steadyhand_completion)'
"""

SHELLS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def script(shell: str) -> str:
    """What a shell has to run to complete our commands."""
    return SHELLS[shell]


def answer(cli: click.Command, invocation: Invocation, shell: str) -> str:
    """What to offer for the line that a shell asks about."""
    typed = split_line(os.environ.get("COMP_LINE", ""), os.environ.get("COMP_WORDBREAKS", ""))
    invocation.typed = typed.words
    asked = ShellComplete(cli, {"obj": invocation}, "steadyhand", VARIABLE)
    found = asked.get_completions(list(typed.words[1:]), typed.word)
    return "\n".join(_rows(found, typed if shell == "bash" else None))


def _rows(found: list[CompletionItem[str]], typed: Typed | None) -> Iterator[str]:
    for item in found:
        value = item.value if typed is None or item.type != "plain" else typed.rest(item.value)
        help_text = " ".join((item.help or "").split())
        yield f"{item.type}\t{value}\t{help_text}".rstrip("\t")


@dataclass(frozen=True, slots=True)
class Typed:
    """A command line up to the cursor: the words before the last one, and the last one, which may be empty.

    `quote` is the quote that the last word is in; `before` is how much of it readline leaves alone, because it takes
    what comes after for a word of its own.
    """

    words: tuple[str, ...]
    word: str
    quote: str
    before: int

    def rest(self, value: str) -> str:
        """What readline is to put in the place of its own word, escaped as bash wants it there."""
        rest = value[self.before :]
        if self.quote == "'":
            return rest.replace("'", r"'\''")
        return re.sub(r'(["$`\\])' if self.quote else r"([^\w@%+=:,./-])", r"\\\1", rest)


def split_line(line: str, breaks: str = "") -> Typed:
    r"""Split a line as a shell does; `breaks` are the characters at which readline begins a word.

    >>> split_line("steadyhand locate a.md heading:No", ":")
    Typed(words=('steadyhand', 'locate', 'a.md'), word='heading:No', quote='', before=8)
    >>> split_line("steadyhand locate a.md 'heading:Two w", ":")
    Typed(words=('steadyhand', 'locate', 'a.md'), word='heading:Two w', quote="'", before=0)
    """
    words: list[str] = []
    word: str | None = None
    quote, before, is_escaped = "", 0, False
    for character in line:
        if is_escaped:
            word, is_escaped = (word or "") + character, False
        elif character == "\\" and quote != "'":
            word, is_escaped = word or "", True
        elif character == quote or (not quote and character in "'\""):
            quote, word = "" if quote else character, word or ""
            before = len(word)
        elif character.isspace() and not quote:
            if word is not None:
                words.append(word)
            word, before = None, 0
        else:
            word = (word or "") + character
            if not quote and character in _ENDS_OF_WORDS and character in breaks:
                before = len(word)
    while words and re.match(r"\w+=", words[0]):  # variables before the command
        del words[0]
    return Typed(tuple(words), word or "", quote, before)


_TOPICS = ("errors",)


@command(
    "help",
    section="Maintenance",
    examples="""
    steadyhand help
    steadyhand help edit
    steadyhand help errors
    """,
)
@click.argument("topic", required=False)
def help_command(invocation: Invocation, topic: str | None) -> CommandResult | int:
    """Show the help of a command, or what refusals and exit codes mean.

    `steadyhand help errors` lists every kind of refusal with its exit code.
    """
    context = click.get_current_context()
    group = context.find_root()
    if topic == "errors":
        return CommandResult({"errors": [_document(kind) for kind in Kind]}, _error_lines())
    if topic is None:
        invocation.output.plain(group.get_help() + "\n")
        return 0
    assert isinstance(group.command, click.Group)
    found = group.command.get_command(group, topic)
    if found is None:
        near = nearest_name(topic, (*command_names(), *_TOPICS))
        raise misused(
            f"there is no command {topic[:40]!r}",
            f"did you mean `steadyhand help {near}`?" if near else "steadyhand help lists them",
        )
    with click.Context(found, info_name=topic, parent=group) as inner:
        invocation.output.plain(found.get_help(inner) + "\n")
    return 0


def _document(kind: Kind) -> dict[str, object]:
    return {"kind": str(kind), "code": kind.exit_code, "action": str(kind.action), "meaning": kind.doc}


def _error_lines() -> Iterator[Line]:
    width = max(len(str(kind)) for kind in Kind)
    yield (Piece(f"{'exit':>4}  {pad('kind', width)}  meaning", "dim"),)
    yield (Piece(f"{0:>4}  {pad('', width)}  done"),)
    for kind in sorted(Kind, key=lambda kind: kind.exit_code):
        yield (Piece(f"{kind.exit_code:>4}  "), Piece(pad(str(kind), width), "id"), Piece(f"  {kind.doc}"))
    yield (Piece(f"{130:>4}  {pad('', width)}  interrupted"),)
    yield (Piece(f"{141:>4}  {pad('', width)}  the reader of the output closed it"),)


@command(
    "schema",
    section="Maintenance",
    examples="""
    steadyhand schema plan
    steadyhand schema plan > plan.schema.json
    """,
)
@click.argument("name", type=click.Choice(["plan"]))
def schema_command(invocation: Invocation, name: str) -> CommandResult:
    """Print the JSON Schema of a format.

    `plan` is what `steadyhand apply` and `Workspace.apply` take: files, and what to do to each. `steadyhand tools`
    prints the schemas of tools.
    """
    from steadyhand.plan.request import plan_schema

    schema = plan_schema()
    return CommandResult({"schema": schema}, text=json.dumps(schema, indent=2, ensure_ascii=True) + "\n")
