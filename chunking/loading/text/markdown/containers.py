"""Block rules for containers: admonitions, tabs, directives, footnotes and definition lists."""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from chunking.loading.text.directives import CODE, MARKDOWN, PATHS, SILENT, TABLES
from chunking.loading.text.markdown.marks import (
    MAX_NESTING,
    MAX_TAG_LINES,
    column_of,
    indented_end,
    line_text,
    push_code,
    push_marker,
    tokenize,
)
from chunking.runtime.patterns import compile_pattern

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

_FOOTNOTE = compile_pattern(r"\[\^[^\]\s]{1,200}+\]:")
_DEFINITION = compile_pattern(r":[ \t]++(?=\S)")


def read_indented(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read an admonition or a tab of MkDocs."""
    match = _INDENTED.fullmatch(line_text(state, start))
    if match is None or state.level >= MAX_NESTING:
        return False
    if not silent:
        indent = state.blkIndent + 4
        last = max(indented_end(state, start + 1, end, indent), start + 1)
        group = "tab" if match["tab"] is not None else "title"
        opening = state.push("container_open", "div", 1)
        opening.map = [start, last]
        push_marker(state, start, start + 1, opens=True, title=match.span(group))
        tokenize(state, start + 1, last, indent)
        state.push("container_close", "div", -1)
    return True


def read_footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a footnote of Markdown Extra."""
    if state.is_code_block(start):
        return False
    match = _FOOTNOTE.match(line_text(state, start))
    return match is not None and (silent or _read_item(state, "footnote", start, end, match.end(), 4))


def read_definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a definition below its term or below another definition of it."""
    if state.is_code_block(start):
        return False
    match = _DEFINITION.match(line_text(state, start))
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
    opening.map, opening.meta = [start, last], {"column": column_of(state, offset)}
    state.tShift[start] = offset - state.bMarks[start]
    state.sCount[start] = indent
    tokenize(state, start, last, indent)
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
    return max(indented_end(state, number, end, indent), number)


def read_fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a directive in a fence of backticks or tildes whose content is not code."""
    match = _FENCE.fullmatch(line_text(state, start))
    name = match["name"].lower() if match else ""
    if match is None or (name not in MARKDOWN and name not in SILENT) or state.level >= MAX_NESTING:
        return False
    if silent:
        return True
    closing = _closing_fence(state, start, end, match["mark"])
    after = min(closing + 1, end)
    if name in SILENT:
        push_marker(state, start, after, opens=False)
        return True
    opening = state.push("container_open", "div", 1)
    opening.map = [start, after]
    first = _options_end(state, start + 1, closing)
    push_marker(state, start, first, opens=True, title=(0, 0) if name in PATHS else match.span("title"))
    tokenize(state, first, closing, state.blkIndent)
    state.push("container_close", "div", -1)
    push_marker(state, closing, after, opens=False)
    return True


def _closing_fence(state: StateBlock, start: int, end: int, mark: str) -> int:
    """Return the line that closes a fence; ``end`` or the line at which its container ends if there is none."""
    for number in range(start + 1, end):
        if state.isEmpty(number):
            continue
        if state.sCount[number] < state.blkIndent:
            return number
        line = line_text(state, number)
        if len(line) >= len(mark) and not line.strip(mark[0]) and not state.is_code_block(number):
            return number
    return end


def _options_end(state: StateBlock, first: int, end: int) -> int:
    """Return the line after the options of a directive, which directly follow its first line."""
    if first < end and _YAML_RULE.fullmatch(line_text(state, first)):
        for number in range(first + 1, min(end, first + MAX_TAG_LINES)):
            if _YAML_RULE.fullmatch(line_text(state, number)):
                return number + 1
    number = first
    is_yaml = first < end and state.is_code_block(first) and bool(_YAML_KEY.match(line_text(state, first)))
    while number < end and not state.isEmpty(number):
        if not (state.is_code_block(number) if is_yaml else _OPTION.match(line_text(state, number))):
            break
        number += 1
    return number


def read_colons(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read the line that opens or closes a directive."""
    match = _COLONS.fullmatch(line_text(state, start))
    if match is None:
        return False
    if silent:
        return True
    line = match.group().rstrip(": \t")  # Pandoc's may end in colons
    directive = _FENCE.fullmatch(line)
    name = directive["name"].lower() if directive else ""
    if directive and name in CODE | TABLES:
        closing = _closing_fence(state, start, end, directive["mark"])
        push_code(state, "fence", start, start + 1, closing, min(closing + 1, end), f"{{{name}}}")
        return True
    named = _NAMED.match(line, match.start("name")) if match["name"] else None
    title = (0, 0)
    if named and name not in PATHS | SILENT:
        title = named.span("label") if named["label"] else named.span("title")
    last = _options_end(state, start + 1, end) if match["name"] else start + 1
    push_marker(state, start, last, opens=bool(match["name"]), title=title)
    return True


def read_slashes(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read the line that opens or closes a block of Python-Markdown's extensions."""
    match = _SLASHES.fullmatch(line_text(state, start))
    if match is None:
        return False
    if not silent:
        last = _options_end(state, start + 1, end) if match["name"] else start + 1
        title = match.span("title") if match["title"] and match["name"] != "html" else (0, 0)
        push_marker(state, start, last, opens=bool(match["name"]), title=title)
    return True
