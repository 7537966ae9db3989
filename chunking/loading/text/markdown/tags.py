"""Block rules for lines of tags: shortcodes and templates, attributes, components and imports of MDX, HTML tables."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from chunking.loading.text.markdown.marks import MAX_TAG_LINES, Rule, line_text, push_code, push_marker
from chunking.runtime.patterns import compile_pattern

_TEMPLATE = (
    r"(?:\{\{<(?:[^>]|>(?!\}\}))*+>\}\}|\{\{%(?:[^%]|%(?!\}\}))*+%\}\}|\{%(?:[^%]|%(?!\}))*+%\}|"
    r"\{#(?:[^#]|#(?!\}))*+#\}|\{/\*(?:[^*]|\*(?!/\}))*+\*/\}|\{:[^{}\n]*+\}|"
    r"\{[ \t]*+(?:[.#][\w-]|[\w-]++=)[^{}\n]*+\}|\{\{TOC\}\})"
)
_TEMPLATES = compile_pattern(rf"(?:{_TEMPLATE}\s*?)+(?=\n|\Z)")
_COMMENTS = compile_pattern(r"\{[/#:. ]|\{\{TOC|\{[\w-]+=")
"""How comments, attributes of another block and the place of the contents begin."""

_PLACES = {
    "[": compile_pattern(r"\[(?:TOC|\[toc\]|\[_TOC_\])\]", re.IGNORECASE),
    "(": compile_pattern(r"\([^()\s]{1,200}\)="),
    "-": compile_pattern(r"-{1,2}8<-{1,2}(?:[ \t].*)?"),
    "<": compile_pattern(r"<<<[ \t]+[@./\w].*"),
}
"""Lines in whose place a documentation system puts the contents, a file or a label, by their first character."""
_VERBATIM = compile_pattern(r"(?:\{\{[<%]|\{%)-?\s*+(?P<name>highlight|mermaid|code)\b(?!.*/[>%]\}\})")
_BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\}"
_ATTRIBUTES = rf"(?:[^<>{{}}\"'/]|/(?!>)|\"[^\"]*+\"|'[^']*+'|{_BRACES})*+"
_COMPONENT = compile_pattern(rf"<(?P<close>/?)(?P<name>[A-Z][\w.]*+){_ATTRIBUTES}(?P<empty>/?)>")
_COMPONENTS = compile_pattern(rf"(?:</?[A-Z][\w.]*+{_ATTRIBUTES}/?>\s*?)+(?=\n|\Z)")
_COMPONENT_END = compile_pattern(r"</([A-Z][\w.]*+)[ \t]*+>")
_IMPORT = compile_pattern(
    r"import\s++(?:[\w*$\s,{}]{1,2000}?\sfrom\s++)?[\"'][^\"'\n]++[\"']|export\s++(?:default|const|let|var|function|async|class)\b|export\s*+[{*]"
)

_TABLE = compile_pattern(r"<table(?=[\s>]|\Z)", re.IGNORECASE)
_TABLE_TAG = compile_pattern(r"<(/?)table(?=[\s>]|\Z)", re.IGNORECASE)
_NOT_IN_TABLE = compile_pattern(r" {0,3}(?:#{1,6}[ \t]|```|~~~)")


def _tag_lines(state: StateBlock, start: int, end: int, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """Match tags that are alone on their lines; a tag may take several."""
    begin = state.bMarks[start] + state.tShift[start]
    last = min(end, start + MAX_TAG_LINES)
    line = pattern.match(state.src, begin, state.eMarks[start])
    return line or pattern.match(state.src, begin, state.eMarks[last - 1])


def _last_line(state: StateBlock, start: int, match: re.Match[str]) -> int:
    """Return the line after a match that begins on a line."""
    return start + 1 + match.group().rstrip().count("\n")


def read_templates(state: StateBlock, start: int, end: int, silent: bool) -> bool:
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
        push_code(state, "fence", start, last, closing - 1, closing)
    else:
        words = match.group()
        push_marker(state, start, last, opens=not _COMMENTS.match(words) and not _is_end(words))
    return True


def read_place(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a line in whose place a documentation system puts the contents, a file or a label."""
    begin = state.bMarks[start] + state.tShift[start]
    if state.src[begin] == "-" and not state.src.startswith(("--8<", "-8<"), begin):
        return False  # an item of a list
    line = line_text(state, start)
    if not _PLACES[line[0]].fullmatch(line):
        return False
    if not silent:
        push_marker(state, start, start + 1, opens=False)
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
        line = line_text(state, number)
        if line.startswith("{") and _is_end(line) and name in line[:100]:
            return number + 1
    unclosed.add(name)
    return 0


def read_component(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a line of tags of components, or an HTML table."""
    if state.src.startswith("<<<", state.bMarks[start] + state.tShift[start]):
        return read_place(state, start, end, silent)
    if _TABLE.match(line_text(state, start)):
        return _read_table(state, start, end, silent)
    match = _tag_lines(state, start, end, _COMPONENTS)
    tags = list(_COMPONENT.finditer(match.group())) if match else []
    if match is None or not all(_is_component(state, tag) for tag in tags):
        return False
    if not silent:
        depth = sum(0 if tag["empty"] else -1 if tag["close"] else 1 for tag in tags)
        state.env["components"] = max(state.env.get("components", 0) + depth, 0)
        # MDX has no indented code, so that no indentation keeps a fence or a list in a component from being one.
        state._code_enabled = not state.env["components"]
        push_marker(state, start, _last_line(state, start, match), opens=depth > 0)
    return True


def _is_component(state: StateBlock, tag: re.Match[str]) -> bool:
    """Return whether a tag in angle brackets is one: a name in them that is never closed may be text."""
    if tag["close"] or tag["empty"]:
        return not tag["name"].isupper()
    ends = state.env.get("component_ends")
    if ends is None:
        ends = state.env["component_ends"] = frozenset(_COMPONENT_END.findall(state.src))
    return tag["name"] in ends and not tag["name"].isupper()


def without_components(rule: Rule) -> Rule:
    """Return the rule of indented code that finds none in components, where MDX has none."""

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return not state.env.get("components") and rule(state, start, end, silent)

    return limited


def _read_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read an HTML table up to its end, whatever blank lines it contains."""
    last = _table_end(state, start, end)
    if last and not silent:
        push_code(state, "html_block", start, start, last, last)
    return bool(last)


def _table_end(state: StateBlock, start: int, end: int) -> int:
    """Return the line after a table; 0 if it is not closed, or arranges sections and code that are Markdown."""
    if start < state.env.get("not_tables", 0):
        return 0
    depth, after_blank = 0, False
    for number in range(start, end):
        line = line_text(state, number)
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


def read_import(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read imports and exports of MDX, up to a blank line outside brackets."""
    if silent or state.level or state.sCount[start]:
        return False
    begin = state.bMarks[start]
    if not _IMPORT.match(state.src, begin, min(begin + 3000, state.eMarks[end - 1])):
        return False
    last = _import_end(state, start, end)
    push_code(state, "code_block", start, start, last, last)
    return True


def _import_end(state: StateBlock, start: int, end: int) -> int:
    """Return the next blank line outside brackets, or the next at all if brackets are never closed."""
    if not state.env.get("open_brackets"):
        depth = 0
        for number in range(start, end):
            if state.isEmpty(number) and depth <= 0:
                return number
            depth += sum(_BRACKETS.get(mark, 0) for mark in line_text(state, number))
        if depth <= 0:
            return end
        state.env["open_brackets"] = True
    return next((number for number in range(start, end) if state.isEmpty(number)), end)


_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
