"""SQL: what is created, and how statements that the grammar does not know are kept from spoiling the rest.

Dialects differ more than one grammar knows. A statement that defines nothing is covered as a whole where the text has
errors, and the body of a routine or trigger by one that the grammar reads: names and ends stay where they are.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from steadyhand.lazy import lazy_pattern
from steadyhand.structure.code.language import Language, Unread, blank, brackets_of
from steadyhand.text.cancel import check_cancelled_at

_TOKEN = lazy_pattern(
    r"--[^\r\n]*|/\*.*?\*/|'[^']*'|\"[^\"]*\"|`[^`]*`|(\$\w*\$).*?\1|^[ \t]*DELIMITER[^\r\n]*|;"
    r"|\b(?:BEGIN|CASE|END(?:[ \t]+(?:IF|LOOP|WHILE|REPEAT|CASE))?)\b",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_DEFINES_NOTHING = lazy_pattern(
    r"\s*(?:;|(?:PRAGMA|GRANT|REVOKE|USE|VACUUM|ANALYZE|REINDEX|CLUSTER|REFRESH|TRUNCATE|(?:UN)?LOCK|DO|DROP|ALTER|SET|SHOW"
    r"|EXPLAIN|COMMENT|COPY|CALL|EXEC(?:UTE)?|PRINT|DECLARE|ATTACH|DETACH|MERGE|INSERT|REPLACE|UPDATE|DELETE|SELECT|WITH|IF"
    r"|DELIMITER|CREATE\s+(?:POLICY|DOMAIN|EXTENSION|ROLE|USER|LOGIN|DATABASE|AGGREGATE|EVENT|CAST|OPERATOR"
    r"|COLLATION|PUBLICATION|SUBSCRIPTION|SERVER|FOREIGN|RULE|SYNONYM|STATISTICS|TEXT|LANGUAGE|TABLESPACE|ACCESS))\b)",
    re.IGNORECASE,
)
_ROUTINE = lazy_pattern(
    r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?(DEFINER\s*=\s*\S+\s+)?(?:TEMP(?:ORARY)?\s+)?(TRIGGER|PROCEDURE|FUNCTION)\s+"
    r"(?:IF\s+NOT\s+EXISTS\s+)?[\w.`\"]+",
    re.IGNORECASE,
)
_LINE = lazy_pattern(r"[^\r\n]+")
_TRIGGER = "AFTER INSERT ON x EXECUTE FUNCTION x()"
_FUNCTION = "() RETURNS x AS ''"

_BRACKETED = lazy_pattern(r"(?<![\w\])])\[([A-Za-z_][\w $]{0,200})\]")  # a name of T-SQL
_PARTITION = lazy_pattern(
    r"(\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\w.`\"]+\s+)((?:PARTITION\s+OF|USING)\s[^;]{0,2000})(?=;)",
    re.IGNORECASE,
)
_PARTS = "(x int)"
_FROM_STDIN = lazy_pattern(r"\bFROM[ \t]+stdin\b[^;\r\n]{0,400};\r?\n", re.IGNORECASE)


def _without_rows(text: str) -> str:
    """The text without the rows of data that PostgreSQL writes behind `COPY … FROM stdin;`, up to a line `\\.`."""
    pieces, at = [], 0
    while (head := _FROM_STDIN.search(text, at)) is not None and (end := text.find("\n\\.", head.end() - 1)) >= 0:
        pieces += [text[at : head.end()], blank(text[head.end() : end + 3])]
        at = end + 3
    return "".join([*pieces, text[at:]])


# Words in the definition of a table that the grammar does not know, and the separators of batches.
_UNREAD = (
    Unread.of(r"(?im)^[ \t]*(go|/)(?=[ \t]*\r?$)", ";"),
    Unread.of(
        r"(?i)\b(AUTOINCREMENT|WITHOUT\s+ROWID|STRICT|COLLATE(?:\s+|\s*=\s*)\w+|ON\s+UPDATE\s+CURRENT_TIMESTAMP(?:\(\d*\))?"
        r"|(?:NOT\s+)?DEFERRABLE(?:\s+INITIALLY\s+(?:DEFERRED|IMMEDIATE))?|IDENTITY\s*\(\d+,\s*\d+\)|(?:NON)?CLUSTERED"
        r"|ON\s+\[?PRIMARY\]?)(?=[\s,;)])"
    ),
    Unread.of(r"(?m)^(\\[a-z!?][^\r\n]*)"),  # commands of psql
    _without_rows,
    Unread.of(r"(?i)(?<=')(\s*,\s*'[^'\r\n]{0,200}')(?=\s+(?:LANGUAGE|STRICT|IMMUTABLE|STABLE|VOLATILE|PARALLEL)\b|;)"),
    Unread.of(r"(?i),\s*((?:CONSTRAINT\s+\w+\s+)?EXCLUDE\s+USING\s+\w+\s*\([^()]{0,400}\))", "x"),
    Unread.of(r"(?i)(\bCONSTRAINT\s+(?:\w+|`\w+`))(?=\s+FOREIGN\b)"),
    Unread.of(r"(?i)\bCREATE\s+(VIRTUAL)(?=\s+TABLE\b)"),
    Unread.of(r"(?i)(?<=[,(\s])(FULLTEXT|SPATIAL)(?=\s+(?:KEY|INDEX)\b)"),
    lambda text: _BRACKETED.sub(lambda name: f'"{name.group(1)}"', text),
    lambda text: _PARTITION.sub(lambda found: found[1] + _PARTS.ljust(len(found[2].encode("utf-8", "replace"))), text),
)


def _readable(text: str) -> str:
    """The text with every statement covered that the grammar is known not to read."""
    return "".join(_covered(statement) for statement in _statements(text))


def _covered(statement: str) -> str:
    bare = statement.rstrip()
    if _DEFINES_NOTHING.match(_uncommented(bare)) and not any(brackets_of(bare)):
        return blank(statement)
    routine = _ROUTINE.match(_uncommented(bare))
    is_read = routine is not None and routine.group(2).upper() != "PROCEDURE" and not _BODY.search(bare)
    if routine is None or is_read or any(brackets_of(bare)):
        return statement
    filled = _filled(bare[routine.end() :], _TRIGGER if routine.group(2).upper() == "TRIGGER" else _FUNCTION)
    if filled is None:
        return statement
    start, end = routine.span(2)
    kind = "TRIGGER" if end - start == len("TRIGGER") else "FUNCTION".ljust(end - start)
    head = bare[:start]
    if routine.group(1):
        head = head[: routine.start(1)] + blank(routine.group(1)) + head[routine.end(1) :]
    return head + kind + bare[end : routine.end()] + filled + statement[len(bare) :]


_BODY = lazy_pattern(
    r"\bBEGIN\b|\bRETURN\s|[(,]\s{0,100}(?:IN)?OUT\s", re.IGNORECASE
)  # or parameters that the grammar cannot read


def _uncommented(statement: str) -> str:
    """A statement with blanks for the comments in front of it."""
    at = 0
    while (found := re.compile(r"\s*(?:--[^\r\n]*|/\*.*?\*/)", re.DOTALL).match(statement, at)) is not None:
        at = found.end()
    return " " * at + statement[at:]


def _filled(text: str, words: str) -> str | None:
    """Blanks for a text, and in them some words, in order; None where there is no room for them.

    A semicolon at its end stays. Line ends stay where the words have room on the lines.
    """
    end = ";" if text.endswith(";") else ""
    text = text.removesuffix(";")
    waiting = words.split()
    pieces: list[str] = []
    at = 0
    for line in _LINE.finditer(text):
        room = len(line.group().encode("utf-8", "surrogatepass"))
        is_apart = line.start() == 0 and text.startswith(" ")
        placed = [""] * is_apart  # what is joined to it has a blank before it
        while waiting and len(" ".join([*placed, waiting[0]])) <= room:
            placed.append(waiting.pop(0))
        pieces += [text[at : line.start()], " ".join(placed).ljust(room)]
        at = line.end()
    if not waiting:
        return "".join([*pieces, text[at:], end])
    room = len(text.encode("utf-8", "surrogatepass")) - 1
    return f" {words.ljust(room)}{end}" if len(words) <= room else None


def _statements(text: str) -> Iterator[str]:
    """The statements of a script, each with its end; one in a block of another is part of that."""
    start = depth = at = 0
    delimiter = ";"
    for count in itertools.count():
        check_cancelled_at(count)
        token = _TOKEN.search(text, at)
        bound = None if token is None else token.start() + len(delimiter)
        end = text.find(delimiter, at, bound) if delimiter != ";" else -1
        if end >= 0:
            at = end + len(delimiter)
            yield text[start:end] + ";".ljust(len(delimiter))
            start, depth = at, 0
            continue
        if token is None:
            break
        at, word = token.end(), token.group().upper()
        if word.lstrip().startswith("DELIMITER"):
            delimiter = token.group().split()[-1] if len(word.split()) > 1 else ";"
            yield text[start : token.start()]
            yield blank(token.group())
            start, depth = at, 0
        elif word in ("BEGIN", "CASE"):
            is_transaction = word == "BEGIN" and not _uncommented(text[start : token.start()]).strip()
            depth += not is_transaction
        elif word in ("END", "END CASE"):
            depth -= depth > 0
        elif word == delimiter == ";" and not depth:
            yield text[start:at]
            start = at
    yield text[start:]


_SQL_QUERY = """
(create_table (object_reference) @name) @table
(create_view (object_reference) @name) @view
(create_materialized_view (object_reference) @name) @view
(create_index column: (identifier) @name) @index
(create_function (keyword_function) . (object_reference) @name) @function
(create_trigger (keyword_trigger) . (object_reference) @name) @trigger
(create_trigger (keyword_exists) . (object_reference) @name) @trigger
(create_type (object_reference) @name) @type
(create_sequence (object_reference) @name) @sequence
(create_schema (identifier) @name) @schema
(statement . [(create_table) (create_view) (create_materialized_view) (create_index)] @inner .) @wrapper
(statement . [(create_function) (create_trigger) (create_type)] @inner .) @wrapper
(statement . [(create_sequence) (create_schema)] @inner .) @wrapper
(comment) @comment
(marginalia) @comment
"""

_BREAKPOINT = r"--> *statement-breakpoint[^\r\n]*"
_BETWEEN = lazy_pattern(
    rf"[ \t]*{_BREAKPOINT}|\s*(?:\r\n?|\n)[ \t]*(?:{_BREAKPOINT}|(?:[Gg][Oo]|/)[ \t]*(?=[\r\n]|\Z))"
    r"|\s*(?://|\$\$|@@|(?<=;);)(?=[ \t]*(?:[\r\n]|\Z))"  # what DELIMITER usually says
)

# What is created. Dialects differ more than one grammar knows, so its errors are not taken at their word.
SQL = Language(
    name="sql",
    is_extra=True,
    suffixes=(".sql",),
    package="tree_sitter_sql",
    query=_SQL_QUERY,
    layout="plain",
    strings=("literal", "function_body"),
    largest=200_000,  # the grammar needs more than linear time for text it does not know
    between=_BETWEEN,
    unread=(*_UNREAD, _readable),
    is_checked=False,
)
