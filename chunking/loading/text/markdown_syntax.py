"""Block rules for what documentation systems add to Markdown: the marks are marks, and what they contain is Markdown.

============================== ========================================================================================
MkDocs                         ``!!! note``, ``??? tip`` and tabs ``=== "Linux"`` with indented content, ``/// note``
MyST, Docusaurus, Pandoc, …    ``:::note`` to ``:::``; directives in fences, whose content is Markdown or code by name
Hugo, Jekyll                   lines of shortcodes and tags; what ``highlight`` contains is code
MDX                            imports and exports, lines of components and of comments
Markdown Extra                 footnotes, definition lists
HTML                           a table with blank lines in it
============================== ========================================================================================

A mark is a token ``marker``: ``opens`` in its ``meta`` tells whether something follows that belongs to it. Its title is
a paragraph on the same line, whose ``meta`` has the columns of its words. Containers are tokens like those of lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import (
    StateBlock,
    blockquote,
    code,
    fence,
    heading,
    hr,
    html_block,
    list_block,
    reference,
)

from chunking.loading.text.rst import CODE, PATHS, SILENT, TABLES
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import word_set

MAX_NESTING = 32
"""Maximum depth of containers: 32 block quotes or 16 lists. Deeper markers are text, so that neither recursion nor time
grows with malicious input."""

Rule = Callable[[StateBlock, int, int, bool], bool]

CONTAINERS = ("definition", "footnote")
"""Containers whose first line begins with a marker; their ``meta`` has the column after it."""

_MAX_TAG_LINES = 50
"""Lines of a tag of a component or of a shortcode; without a limit each line of many open ones would be read again."""

_INDENTED = compile_pattern(
    r"(?:!!!|\?\?\?\+?)[ \t]*+[\w-]++(?:[ \t]++[\w-]++)*+(?:[ \t]++\"(?P<title>.*)\")?"
    r"|===[!+]{0,2}[ \t]++\"(?P<tab>.*)\""
)
_COLONS = compile_pattern(r":{3,}[ \t]*+(?P<name>[^:\s].*)?")
_SLASHES = compile_pattern(r"/{3,}[ \t]*+(?P<name>[\w-]++)?[ \t]*+(?:\|[ \t]*+(?P<title>.*))?")
_FENCE = compile_pattern(r"(?P<mark>`{3,}|~{3,}|:{3,})[ \t]*+\{(?P<name>[\w:.+-]++)\}[ \t]*+(?P<title>[^`]*+)")
_NAMED = compile_pattern(
    r"(?:\{[\w:.+-]++\}|[^\s\[{]++)(?:\[(?P<label>[^\]]*+)\])?(?:[ \t]*+\{[^}]*+\})?(?:[ \t]++(?P<title>.*))?"
)
_OPTION = compile_pattern(r"[ \t]*+:[\w-]++:(?:[ \t]|\Z)")
_YAML_KEY = compile_pattern(r"[\w-]++:(?:[ \t]|\Z)")
_YAML_RULE = compile_pattern(r"[ \t]*+---[ \t]*")

_TEMPLATE = (
    r"(?:\{\{<(?:[^>]|>(?!\}\}))*+>\}\}|\{\{%(?:[^%]|%(?!\}\}))*+%\}\}|\{%(?:[^%]|%(?!\}))*+%\}|"
    r"\{#(?:[^#]|#(?!\}))*+#\}|\{/\*(?:[^*]|\*(?!/\}))*+\*/\})"
)
_TEMPLATES = compile_pattern(rf"(?:{_TEMPLATE}\s*?)+(?=\n|\Z)")
_VERBATIM = compile_pattern(r"(?:\{\{[<%]|\{%)-?\s*+(?P<name>highlight|mermaid|code)\b(?!.*/[>%]\}\})")
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}"
_ATTRIBUTES = rf"(?:[^<>{{}}\"'/]|/(?!>)|\"[^\"]*+\"|'[^']*+'|{_BRACES})*+"
_COMPONENT = compile_pattern(rf"<(?P<close>/?)(?P<name>[A-Z][\w.]*+){_ATTRIBUTES}(?P<empty>/?)>")
_COMPONENTS = compile_pattern(rf"(?:</?[A-Z][\w.]*+{_ATTRIBUTES}/?>\s*?)+(?=\n|\Z)")
_COMPONENT_END = compile_pattern(r"</([A-Z][\w.]*+)[ \t]*+>")
_IMPORT = compile_pattern(
    r"import\s++(?:[\w*$\s,{}]{1,2000}?\sfrom\s++)?[\"'][^\"'\n]++[\"']|export\s++(?:default|const|let|var|function|async|class)\b|export\s*+[{*]"
)
_FOOTNOTE = compile_pattern(r"\[\^[^\]\s]{1,200}+\]:")
_DEFINITION = compile_pattern(r":[ \t]++(?=\S)")
_TABLE = compile_pattern(r"<table(?=[\s>]|\Z)", re.IGNORECASE)
_TABLE_TAG = compile_pattern(r"<(/?)table(?=[\s>]|\Z)", re.IGNORECASE)
_NOT_IN_TABLE = compile_pattern(r" {0,3}(?:#{1,6}[ \t]|```|~~~)")

MARKDOWN = word_set(
    "admonition attention caution danger error hint important note tip warning seealso todo versionadded "
    "versionchanged deprecated topic sidebar margin aside epigraph pull-quote highlights figure table tab-set tab-item "
    "tabs tab grid grid-item grid-item-card card card-carousel dropdown details glossary only container div "
    "compound rubric exercise solution example theorem proof prf:theorem prf:proof prf:definition prf:lemma "
    "prf:example prf:remark"
)
"""Directives in a fence of backticks whose content is Markdown; others may name a language."""


_ALL: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_ALL_BUT_LISTS: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
"""What a block may interrupt, as in CommonMark."""


def add_rules(parser: MarkdownIt) -> None:
    """Add the rules to a parser, and let its own look at nothing but lines that can begin one of their blocks.

    Each line of a paragraph is tried for every block that may interrupt it, and most lines begin none.
    """
    ruler = parser.block.ruler
    ruler.at("code", _without_components(code))
    ruler.at("fence", _beginning_with("`~", fence), _ALL)
    ruler.at("blockquote", _limit_nesting(_beginning_with(">", blockquote)), _ALL)
    ruler.at("hr", _beginning_with("*-_", hr), _ALL)
    ruler.at("list", _limit_nesting(_beginning_with("*+-0123456789", list_block)), _ALL_BUT_LISTS)
    ruler.at("reference", _beginning_with("[", reference))
    ruler.at("html_block", _beginning_with("<", html_block), _ALL_BUT_LISTS)
    ruler.at("heading", _beginning_with("#", heading), _ALL_BUT_LISTS)
    ruler.before("table", "documentation", _read_marks, _ALL)
    ruler.before("table", "import", _beginning_with("ie", _read_import))
    footnote = _limit_nesting(_beginning_with("[", _read_footnote))
    ruler.before("table", "footnote", footnote, {"alt": ["paragraph", "reference"]})
    ruler.before("table", "definition", _limit_nesting(_beginning_with(":", _read_definition)), {"alt": ["paragraph"]})


def _limit_nesting(rule: Rule) -> Rule:
    """Return a container's rule that finds none below :data:`MAX_NESTING`."""

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < MAX_NESTING and rule(state, start, end, silent)

    return limited


def _beginning_with(characters: str, rule: Rule) -> Rule:
    """Return the rule of a block that begins with one of these characters."""

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        begin = state.bMarks[start] + state.tShift[start]
        return begin < state.eMarks[start] and state.src[begin] in characters and rule(state, start, end, silent)

    return limited


def _read_marks(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    rule = _RULES.get(_first_character(state, start))
    return rule is not None and not state.is_code_block(start) and rule(state, start, end, silent)


def _first_character(state: StateBlock, number: int) -> str:
    """Return the first character of a line without the marks of the containers around it; empty if it is blank."""
    begin = state.bMarks[number] + state.tShift[number]
    return state.src[begin] if begin < state.eMarks[number] else ""


def _line(state: StateBlock, number: int) -> str:
    """Return a line without the marks of the containers around it, and without white space at its end."""
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip(" \t")


# Tokens --------------------------------------------------------------------------------------------------------------


def _push_marker(state: StateBlock, start: int, end: int, *, opens: bool, title: tuple[int, int] = (0, 0)) -> None:
    """Add a mark on some lines, and its title by its columns on the first."""
    token = state.push("marker", "", 0)
    token.map, token.meta = [start, end], {"opens": opens}
    begin = state.bMarks[start] + state.tShift[start]
    words = state.src[begin + title[0] : begin + title[1]].rstrip()
    if words:
        token = state.push("paragraph_open", "p", 1)
        column = _column(state, begin + title[0])
        token.map, token.meta = [start, start + 1], {"columns": (column, column + len(words))}
        token = state.push("inline", "", 0)
        token.map, token.content, token.children = [start, start + 1], words, []
        state.push("paragraph_close", "p", -1)
    state.line = end


def _column(state: StateBlock, offset: int) -> int:
    return offset - state.src.rfind("\n", 0, offset) - 1


def _push_code(state: StateBlock, kind: str, start: int, first: int, last: int, end: int, info: str = "") -> None:
    """Add code on the lines from ``start`` to ``end``, of which those from ``first`` to ``last`` are its content."""
    token = state.push(kind, "code", 0)
    token.map, token.info = [start, end], info
    token.content = state.getLines(first, last, state.blkIndent, True) if first < last else ""
    state.line = end


def _tokenize(state: StateBlock, first: int, last: int, indent: int) -> None:
    """Read the content of a container, on lines of at least this indentation."""
    saved = state.blkIndent, state.lineMax, state.parentType
    state.blkIndent, state.lineMax, state.parentType = indent, last, "container"
    state.md.block.tokenize(state, first, last)
    state.blkIndent, state.lineMax, state.parentType = saved


def _indented_end(state: StateBlock, first: int, end: int, indent: int) -> int:
    """Return the line after the content of a container, without the blank lines below it."""
    last = first
    for number in range(first, end):
        if not state.isEmpty(number):
            if state.sCount[number] < indent:
                break
            last = number + 1
    return last


# Containers ----------------------------------------------------------------------------------------------------------


def _read_indented(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read an admonition or a tab of MkDocs."""
    match = _INDENTED.fullmatch(_line(state, start))
    if match is None or state.level >= MAX_NESTING:
        return False
    if not silent:
        indent = state.blkIndent + 4
        last = max(_indented_end(state, start + 1, end, indent), start + 1)
        group = "tab" if match["tab"] is not None else "title"
        opening = state.push("container_open", "div", 1)
        opening.map = [start, last]
        _push_marker(state, start, start + 1, opens=True, title=match.span(group))
        _tokenize(state, start + 1, last, indent)
        state.push("container_close", "div", -1)
    return True


def _read_footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    match = _FOOTNOTE.match(_line(state, start))
    return match is not None and (silent or _read_item(state, "footnote", start, end, match.end(), 4))


def _read_definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a definition below its term or below another definition of it."""
    if state.is_code_block(start):
        return False
    match = _DEFINITION.match(_line(state, start))
    if match is None or silent:
        return match is not None
    if not _has_term(state, start):
        return False
    return _read_item(state, "definition", start, end, match.end(), 2)


def _has_term(state: StateBlock, start: int) -> bool:
    """Return whether a paragraph, HTML or a definition ends just above a line; note that the paragraph is a term."""
    before = state.tokens[-1].type if state.tokens else ""
    if before == "paragraph_close":
        opening = state.tokens[-3]
        if not opening.meta and opening.map and start - opening.map[1] <= 1:
            opening.meta = {"term": True}
            return True
    elif before == "html_block":
        return start - (state.tokens[-1].map or [0, 0])[1] <= 1
    return before == "definition_close"


def _read_item(state: StateBlock, name: str, start: int, end: int, marker: int, indent: int) -> bool:
    """Read a container with a marker on its first line, like an item of a list."""
    offset = state.bMarks[start] + state.tShift[start] + marker
    limit = state.eMarks[start]
    while offset < limit and state.src[offset] in " \t":
        offset += 1
    saved = state.tShift[start], state.sCount[start]
    indent += state.blkIndent
    if offset >= limit and start + 1 < end and state.sCount[start + 1] > state.sCount[start]:
        indent = min(indent, state.sCount[start + 1])
    last = _lazy_end(state, start + 1, end, indent)
    opening = state.push(f"{name}_open", "div", 1)
    opening.map, opening.meta = [start, last], {"column": _column(state, offset)}
    state.tShift[start] = offset - state.bMarks[start]
    state.sCount[start] = indent
    _tokenize(state, start, last, indent)
    opening.map[1] = state.line
    state.tShift[start], state.sCount[start] = saved
    state.push(f"{name}_close", "div", -1)
    return True


def _lazy_end(state: StateBlock, first: int, end: int, indent: int) -> int:
    """Return the line after an item: its first paragraph may continue on lines that are not indented."""
    number = first
    while number < end and not state.isEmpty(number) and state.sCount[number] < indent:
        if any(rule(state, number, end, True) for rule in state.md.block.ruler.getRules("paragraph")):
            return number
        number += 1
    return max(_indented_end(state, number, end, indent), number)


def _read_fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a directive in a fence of backticks or tildes whose content is not code."""
    match = _FENCE.fullmatch(_line(state, start))
    name = match["name"].lower() if match else ""
    if match is None or (name not in MARKDOWN and name not in SILENT) or state.level >= MAX_NESTING:
        return False
    if silent:
        return True
    closing = _closing_fence(state, start, end, match["mark"])
    after = min(closing + 1, end)
    if name in SILENT:
        _push_marker(state, start, after, opens=False)
        return True
    opening = state.push("container_open", "div", 1)
    opening.map = [start, after]
    first = _options_end(state, start + 1, closing)
    _push_marker(state, start, first, opens=True, title=(0, 0) if name in PATHS else match.span("title"))
    _tokenize(state, first, closing, state.blkIndent)
    state.push("container_close", "div", -1)
    _push_marker(state, closing, after, opens=False)
    return True


def _closing_fence(state: StateBlock, start: int, end: int, mark: str) -> int:
    """Return the line that closes a fence; ``end`` or the line at which its container ends if there is none."""
    for number in range(start + 1, end):
        if state.isEmpty(number):
            continue
        if state.sCount[number] < state.blkIndent:
            return number
        line = _line(state, number)
        if len(line) >= len(mark) and not line.strip(mark[0]) and not state.is_code_block(number):
            return number
    return end


def _options_end(state: StateBlock, first: int, end: int) -> int:
    """Return the line after the options of a directive, which directly follow its first line."""
    if first < end and _YAML_RULE.fullmatch(_line(state, first)):
        for number in range(first + 1, min(end, first + _MAX_TAG_LINES)):
            if _YAML_RULE.fullmatch(_line(state, number)):
                return number + 1
    number = first
    is_yaml = first < end and state.is_code_block(first) and bool(_YAML_KEY.match(_line(state, first)))
    while number < end and not state.isEmpty(number):
        if not (state.is_code_block(number) if is_yaml else _OPTION.match(_line(state, number))):
            break
        number += 1
    return number


def _read_colons(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read the line that opens or closes a directive."""
    match = _COLONS.fullmatch(_line(state, start))
    if match is None:
        return False
    if silent:
        return True
    line = match.group().rstrip(": \t")  # Pandoc's may end in colons
    directive = _FENCE.fullmatch(line)
    name = directive["name"].lower() if directive else ""
    if directive and name in CODE | TABLES:
        closing = _closing_fence(state, start, end, directive["mark"])
        _push_code(state, "fence", start, start + 1, closing, min(closing + 1, end), f"{{{name}}}")
        return True
    named = _NAMED.match(line, match.start("name")) if match["name"] else None
    title = (0, 0)
    if named and name not in PATHS | SILENT:
        title = named.span("label") if named["label"] else named.span("title")
    last = _options_end(state, start + 1, end) if match["name"] else start + 1
    _push_marker(state, start, last, opens=bool(match["name"]), title=title)
    return True


def _read_slashes(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read the line that opens or closes a block of Python-Markdown's extensions."""
    match = _SLASHES.fullmatch(_line(state, start))
    if match is None:
        return False
    if not silent:
        last = _options_end(state, start + 1, end) if match["name"] else start + 1
        title = match.span("title") if match["title"] and match["name"] != "html" else (0, 0)
        _push_marker(state, start, last, opens=bool(match["name"]), title=title)
    return True


# Lines of tags -------------------------------------------------------------------------------------------------------


def _tag_lines(state: StateBlock, start: int, end: int, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Match tags that are alone on their lines; a tag may take several."""
    begin = state.bMarks[start] + state.tShift[start]
    last = min(end, start + _MAX_TAG_LINES)
    line = pattern.match(state.src, begin, state.eMarks[start])
    return line or pattern.match(state.src, begin, state.eMarks[last - 1])


def _last_line(state: StateBlock, start: int, match: re.Match[str]) -> int:
    """Return the line after a match that begins on a line."""
    return start + 1 + match.group().rstrip().count("\n")


def _read_templates(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a line of shortcodes, template tags or comments of MDX."""
    match = _tag_lines(state, start, end, _TEMPLATES)
    if match is None:
        return False
    if silent:
        return True
    last = _last_line(state, start, match)
    verbatim = _VERBATIM.match(match.group())
    closing = _verbatim_end(state, last, end, verbatim["name"]) if verbatim else 0
    if closing:
        _push_code(state, "fence", start, last, closing - 1, closing)
    else:
        words = match.group()
        _push_marker(state, start, last, opens=not words.startswith(("{/", "{#")) and not _is_end(words))
    return True


def _is_end(words: str) -> bool:
    """Return whether a shortcode or tag ends something or contains nothing."""
    name = words.lstrip("{<%- \t")
    return name.startswith(("/", "end")) or words.rstrip().endswith(("/>}}", "/%}}"))


def _verbatim_end(state: StateBlock, first: int, end: int, name: str) -> int:
    """Return the line after the tag that ends code; 0 if there is none."""
    unclosed = state.env.setdefault("unclosed", set())
    if name in unclosed:
        return 0
    for number in range(first, end):
        line = _line(state, number)
        if line.startswith("{") and _is_end(line) and name in line[:100]:
            return number + 1
    unclosed.add(name)
    return 0


def _read_component(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a line of tags of components, or an HTML table."""
    if _TABLE.match(_line(state, start)):
        return _read_table(state, start, end, silent)
    match = _tag_lines(state, start, end, _COMPONENTS)
    tags = list(_COMPONENT.finditer(match.group())) if match else []
    if match is None or not all(_is_component(state, tag) for tag in tags):
        return False
    if not silent:
        depth = sum(0 if tag["empty"] else -1 if tag["close"] else 1 for tag in tags)
        state.env["components"] = max(state.env.get("components", 0) + depth, 0)
        _push_marker(state, start, _last_line(state, start, match), opens=depth > 0)
    return True


def _is_component(state: StateBlock, tag: re.Match[str]) -> bool:
    """Return whether a tag in angle brackets is one: a name in them that is never closed may be text."""
    if tag["close"] or tag["empty"]:
        return not tag["name"].isupper()
    ends = state.env.get("component_ends")
    if ends is None:
        ends = state.env["component_ends"] = frozenset(_COMPONENT_END.findall(state.src))
    return tag["name"] in ends and not tag["name"].isupper()


def _without_components(rule: Rule) -> Rule:
    """Return the rule of indented code that finds none in components, where MDX has none."""

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return not state.env.get("components") and rule(state, start, end, silent)

    return limited


def _read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read an HTML table up to its end, whatever blank lines it contains."""
    last = _table_end(state, start, end)
    if last and not silent:
        _push_code(state, "html_block", start, start, last, last)
    return bool(last)


def _table_end(state: StateBlock, start: int, end: int) -> int:
    """Return the line after a table; 0 if it is not closed, or arranges sections and code that are Markdown."""
    if start < state.env.get("not_tables", 0):
        return 0
    depth, after_blank = 0, False
    for number in range(start, end):
        line = _line(state, number)
        if state.isEmpty(number):
            after_blank = True
        elif state.sCount[number] < state.blkIndent or (after_blank and _NOT_IN_TABLE.match(line)):
            break
        for tag in _TABLE_TAG.finditer(line):
            depth += -1 if tag[1] else 1
        if depth <= 0:
            return number + 1
    else:
        number = end
    state.env["not_tables"] = number
    return 0


def _read_import(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read imports and exports of MDX, up to a blank line outside brackets."""
    if silent or state.level or state.sCount[start]:
        return False
    begin = state.bMarks[start]
    if not _IMPORT.match(state.src, begin, min(begin + 3000, state.eMarks[end - 1])):
        return False
    last = _import_end(state, start, end)
    _push_code(state, "code_block", start, start, last, last)
    return True


def _import_end(state: StateBlock, start: int, end: int) -> int:
    """Return the next blank line outside brackets, or the next at all if brackets are never closed."""
    if not state.env.get("open_brackets"):
        depth = 0
        for number in range(start, end):
            if state.isEmpty(number) and depth <= 0:
                return number
            depth += sum(_BRACKETS.get(mark, 0) for mark in _line(state, number))
        if depth <= 0:
            return end
        state.env["open_brackets"] = True
    return next((number for number in range(start, end) if state.isEmpty(number)), end)


_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}

_RULES: dict[str, Rule] = {
    **dict.fromkeys("!?=", _read_indented),
    **dict.fromkeys("`~", _read_fence),
    ":": _read_colons,
    "/": _read_slashes,
    "{": _read_templates,
    "<": _read_component,
}
