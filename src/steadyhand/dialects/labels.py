"""File names as replies give them: on a line of their own, in a fence's info, in a tag. Guesses nothing beyond form.

A line is a label only if it names one path and says nothing else of weight; whether there is such a file is not asked.
A word with a dot in it is mostly no file (`self.total`, `Node.js`), so a name without a folder needs an extension that
files have, and two words with a slash between them (`and/or`) are no path.
"""

from __future__ import annotations

import re

from steadyhand.lazy import lazy_pattern

__all__ = ["label_in", "label_in_info", "mention_in", "path_of"]

_LONGEST = 400
_WORDS_AT_MOST = 20
_PATH = lazy_pattern(r"(?:[A-Za-z]:)?[/\\]?(?:[\w.@+~=,()\[\]{}$!%&#-]+[/\\])*[\w.@+~=,()\[\]{}$!%&#-]+")
_EXTENSION = lazy_pattern(r"[^.]\.([A-Za-z]\w{0,9})$")
_EXTENSIONS = frozenset(
    """
    adoc asm aspx astro avsc awk bash bashrc bat bazel bib bzl c cabal cc cfg cgi cjs clj cljs cls cmake cmd
    coffee conf config cpp cr cs cshtml csproj css csv ctl cts cu cxx cypher d dart desktop diff dockerfile dtd
    ebuild eex ejs el elm env erb erl ex exs f90 fish fs fsx ftl gemspec geojson glsl gn go gql gradle graphql
    groovy gyp h haml hbs hcl heex hh hpp hrl hs htm html hxx in inc ini ino ipynb j2 java jinja jinja2 jl js json
    json5 jsonc jsonl jsp jsx kt kts ld lds leex less lhs liquid lisp lock log lua m m4 mak make md mdc mdown mdx
    mjs mk ml mli mm mod mts mustache nim nix nu nuspec org patch pbxproj php phtml pl plist pm po pod pot pp pri
    prisma pro properties proto ps1 psd1 psm1 pug puml purs py pyi pyx qml qrc r rake razor rb rbi rej rest rkt
    rmd rs rst rules s sass sbt scala scm scss service sh sln snap sol spec sql storyboard strings styl sum sv
    svelte svg swift t tcl tex textile tf tfstate tfvars thrift tmpl tmux toml tpl ts tsv tsx twig txt typ ui v vb
    vcxproj vert vhd vim vm vue wat wgsl wxs xaml xcconfig xhtml xml xsd xsl xslt yaml yang yml zig zsh zshrc
    """.split()
)
_BARE_NAMES = frozenset(
    """
    BUILD Brewfile CODEOWNERS Containerfile Dockerfile GNUmakefile Gemfile Jenkinsfile Justfile LICENSE Makefile
    Pipfile Procfile README Rakefile Vagrantfile WORKSPACE dockerfile justfile makefile
    """.split()
)
_NO_FILES = frozenset("node.js next.js vue.js nuxt.js react.js express.js three.js d3.js ember.js backbone.js".split())
_NO_FOLDERS = frozenset(
    """
    and/or before/after client/server either/or false/true find/replace if/else in/out input/output new/old old/new
    pass/fail read/write request/response search/replace start/end true/false try/catch try/except yes/no
    """.split()
)

_MARGIN = lazy_pattern(r"(?:(?:#{1,6}|//|--|;;|/\*|<!--|[-*+]|\d+[.)])\s+)*")
_WORDS = lazy_pattern(
    r"(?:(?:a|the|new|updated|modified|edited|existing|in|for|edit|update|modify|change|create|open)\s+)*"
    r"((?:file|path)(?:\s+\d+)?\s*:?\s+|(?:file_?(?:name|path)|path|file)\s*:\s*)?",
    re.I,
)
_TRAIL = lazy_pattern(r"\s*(?:\*/|-->)?\s*:?\s*$")
_REMARK = lazy_pattern(r"(?<=\S)\s+\([\w ,-]{1,30}\)$")
_LINES = lazy_pattern(r"(?<=\w):\d+(?:[-:]\d+)?$")
_WRAPS = (("**", "**"), ("`", "`"), ('"', '"'), ("'", "'"), ("*", "*"), ("__", "__"), ("(", ")"), ("<", ">"))
_LINK = lazy_pattern(r"\[([^\[\]]+)\]\(([^()\s]+)\)")
_TAG = lazy_pattern(
    r"""<(?!(?:a|img|script|link|meta|input|form|iframe|source|param|slot|use|image)\b)\w+[^<>]*?
        \b(?:path|file|name|file_?name|file_?path)\s*=\s*(?:"([^"<>]+)"|'([^'<>]+)'|([^"'<>\s]+))[^<>]*>""",
    re.I | re.X,
)
_ELEMENT = lazy_pattern(
    r"(?:<\w+>\s*)*<(path|file|file_?name|file_?path|target_file)>\s*([^<>]+?)\s*</\1>(?:\s*<\w+>)*", re.I
)
_ATTRIBUTE = lazy_pattern(
    r"""\b(?:title|path|file|name|file_?name|file_?path)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s"'{}]+))""", re.I
)
_BRACES = lazy_pattern(r"\{[^{}]*\}")
_QUOTED = lazy_pattern(r"`([^`\s]+)`")


def path_of(text: str) -> str | None:
    """The text itself, if it has the form of a relative or absolute path to a file.

    >>> path_of("src/app.py"), path_of("Makefile"), path_of("self.total"), path_of("https://x.org/a.py")
    ('src/app.py', 'Makefile', None, None)
    """
    if not text or len(text) > _LONGEST or "://" in text or text.endswith(("/", "\\", ".")):
        return None
    if _PATH.fullmatch(text) is None or not any(map(str.isalpha, text)):
        return None
    folder, _, name = text.replace("\\", "/").rpartition("/")
    return text if _is_name(name, text.lower(), in_folder=bool(folder)) else None


def label_in(line: str) -> str | None:
    """The path a line of its own names.

    >>> label_in("### `src/app.py`:"), label_in("File: a.txt"), label_in("see src/app.py for more")
    ('src/app.py', 'a.txt', None)
    """
    text = line.strip()
    if not _may_name(text):
        return None
    tag = _TAG.fullmatch(text) or _ELEMENT.fullmatch(text)
    if tag is not None:
        return _spaced(next(value for value in reversed(tag.groups()) if value))
    text, is_announced = _unwrapped(_without_lead(_MARGIN, text))
    link = _LINK.fullmatch(text)
    if link is not None:
        return path_of(link.group(1).strip("`")) or path_of(link.group(2))
    return _spaced(text) if is_announced else path_of(text)


def label_in_info(info: str) -> str | None:
    """The path that the info string of a fence names, after a language or alone.

    >>> label_in_info("python title=src/app.py"), label_in_info("ts:src/a.ts"), label_in_info("python")
    ('src/app.py', 'src/a.ts', None)
    """
    info = info[:_LONGEST]
    named = _ATTRIBUTE.search(info)
    if named is not None:
        return _spaced(next(value for value in named.groups() if value))
    for word in _BRACES.sub(" ", info).split():
        path = path_of(word) or path_of(word.rpartition(":")[2])
        if path is not None and ("." in path or "/" in path):
            return path
    return None


def mention_in(line: str) -> str | None:
    """The one path that a line of prose has in backticks; None where it has none or several.

    >>> mention_in("Now change `src/app.py` so that it adds up:"), mention_in("From `a.py` to `b.py`:")
    ('src/app.py', None)
    """
    found = {path for path in map(path_of, _QUOTED.findall(line[:_LONGEST])) if path is not None}
    return found.pop() if len(found) == 1 else None


def _may_name(text: str) -> bool:
    """Whether a line is worth a closer look: short, few words, and with something that a path has."""
    if not text or len(text) > _LONGEST or text.count(" ") > _WORDS_AT_MOST or text[-1] in ";{},=|&+":
        return False
    return "." in text or "/" in text or "\\" in text or any(name in text for name in _BARE_NAMES)


def _is_name(name: str, whole: str, *, in_folder: bool) -> bool:
    """Whether a file may be called so, alone or in a folder."""
    if name.partition(".")[0] in _BARE_NAMES or (name.startswith(".") and name[1:2].isalpha()):
        return True
    extension = _EXTENSION.search(name)
    if in_folder:
        return extension is not None or not (whole in _NO_FOLDERS or _is_abbreviation(whole, name))
    return extension is not None and extension.group(1).lower() in _EXTENSIONS and whole not in _NO_FILES


def _is_abbreviation(whole: str, name: str) -> bool:
    """`TCP/IP`, `n/a`, `w/o`."""
    first, _, rest = whole.partition("/")
    return "/" not in rest and (name.isupper() or len(first) == len(rest) == 1)


def _without_lead(lead: re.Pattern[str], text: str) -> str:
    found = lead.match(text)
    return text[found.end() :] if found is not None else text


def _unwrapped(text: str) -> tuple[str, bool]:
    """The text without emphasis, quotes and words around it; and whether those say that it is a file."""
    is_announced = False
    for _ in range(6):
        text = _LINES.sub("", _REMARK.sub("", _TRAIL.sub("", text)))
        marks = next((marks for marks in _WRAPS if _is_wrapped(text, *marks)), None)
        words = _WORDS.match(text)
        if marks is not None:
            text = text[len(marks[0]) : -len(marks[1])].strip()
        elif words is not None and words.end():
            text, is_announced = text[words.end() :], is_announced or words.group(1) is not None
        else:
            break
    return text, is_announced


def _is_wrapped(text: str, opening: str, closing: str) -> bool:
    inner = text[len(opening) : -len(closing)]
    return bool(inner) and text.startswith(opening) and text.endswith(closing) and opening not in inner


def _spaced(text: str) -> str | None:
    """A path may have blanks in it where it is said to be one; elsewhere that is a command, or prose."""
    return text if path_of(text.replace(" ", "_")) is not None else None
