"""Inline marks of Markdown and reStructuredText: emphasis, code, links, images, each with its place in the source.

markdown-it-py parses those of Markdown but keeps no places, so its rules are wrapped: what a rule took is noted on its
tokens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from chunking.loading.spans import runs
from chunking.rendering.rendering import ElementKind, RenderingWriter
from chunking.runtime.patterns import compile_pattern

MAX_LENGTH = 10_000
"""Length from which a paragraph is shown without its marks."""

_Rule = Callable[[StateInline, bool], bool]

_PAIRED: dict[str, ElementKind] = {"em": "emphasis", "strong": "strong", "s": "deleted", "link": "link"}
_FORMATTING = compile_pattern(
    r"</?(?:a|abbr|b|bdi|big|center|cite|code|del|dfn|div|em|font|i|ins|kbd|mark|p|q|s|samp|small|span|strike|strong"
    r"|sub|sup|tt|u|var|wbr)(?![\w-])",
    re.IGNORECASE,
)
"""Tags that a reader does not miss; others are shown: ``<your-key>`` is meant to be read."""

_BREAK = compile_pattern(r"<br\s*/?>", re.IGNORECASE)


class Inline:
    """A paragraph, heading or cell of Markdown that is written into a rendering.

    Attributes:
        content: its words with their marks.
        offsets: offset of each of its characters in the text.
        env: the link definitions of the document, as the block parser found them.
    """

    def __init__(self, content: str, offsets: Sequence[int], env: dict[str, Any]) -> None:
        self.content = content
        self.offsets = offsets
        self.env = env

    def write(self, to: RenderingWriter) -> None:
        """Show the words, hide the marks and add their elements."""
        for start, end in runs(self.offsets):
            to.show(start, end)
        if len(self.content) > MAX_LENGTH:
            return
        open_tokens: list[Token] = []
        for token in self._tokens():
            kind, _, edge = token.type.rpartition("_")
            if kind in _PAIRED and edge == "open":
                open_tokens.append(token)
            elif kind in _PAIRED and edge == "close" and open_tokens:
                self._pair(to, _PAIRED[kind], open_tokens.pop(), token)
            elif "end" in token.meta:
                self._single(to, token)

    def _tokens(self) -> list[Token]:
        tokens: list[Token] = []
        parser = _parser()
        state = _State(self.content, parser, self.env, tokens)
        parser.inline.tokenize(state)
        for rule in parser.inline.ruler2.getRules(""):
            rule(state)
        return tokens

    def _pair(self, to: RenderingWriter, kind: ElementKind, opening: Token, closing: Token) -> None:
        """Add the element between two marks, which are hidden."""
        wide = len(opening.markup) - 1 if kind == "strong" else 0  # of two marks, the inner ones are the tokens
        start, end = opening.meta["start"] - wide, closing.meta["end"] + wide
        first, last = opening.meta["end"], closing.meta["start"]
        to.add(kind, *self._span(start, end), title=str(opening.attrGet("href") or ""))
        self._hide(to, start, first)
        self._hide(to, last, end)

    def _single(self, to: RenderingWriter, token: Token) -> None:
        start, end = token.meta["start"], token.meta["end"]
        match token.type:
            case "code_inline":
                marks = len(token.markup)
                to.add("literal", *self._span(start, end))
                self._hide(to, start, start + marks)
                self._hide(to, end - marks, end)
            case "image":
                to.add("image", *self._span(start, end), title=str(token.attrGet("src") or ""))
                self._hide(to, start, start + 2)
                self._hide(to, start + 2 + len(token.content), end)
            case "text_special" if token.info == "entity":
                to.replace(*self._span(start, end), token.content)
            case "text_special" if token.content != token.markup:
                self._hide(to, start, start + 1)
            case "hardbreak":
                self._break(to, start, end)
            case "html_inline" if _BREAK.fullmatch(token.content):
                self._break(to, start, end)
            case "html_inline" if _FORMATTING.match(token.content):
                self._hide(to, start, end)

    def _break(self, to: RenderingWriter, start: int, end: int) -> None:
        to.add("break", *self._span(start, end))
        self._hide(to, start, end)

    def _hide(self, to: RenderingWriter, start: int, end: int) -> None:
        if start < end:
            to.hide(*self._span(start, end))

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return self.offsets[start], self.offsets[end - 1] + 1


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("strikethrough").disable("fragments_join")
    names = parser.get_active_rules()["inline"]
    for name, rule in zip(names, parser.inline.ruler.getRules(""), strict=True):
        parser.inline.ruler.at(name, _trace(rule))
    return parser


class _State(StateInline):
    """A state that notes where its tokens were made."""

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        token.meta["at"] = self.pos
        return token


def _trace(rule: _Rule) -> _Rule:
    """Return a rule that notes on its tokens what each of them took of the source."""

    def traced(state: StateInline, silent: bool) -> bool:
        if not isinstance(state, _State):  # the description of an image, which is shown as written
            return rule(state, silent)
        start, before = state.pos, len(state.tokens)
        waiting = bool(state.pending)  # becomes a token before those of the rule
        is_match = rule(state, silent)
        tokens = state.tokens[before:] if is_match and not silent else []
        opening = next((token for token in tokens[:2] if token.type == "link_open"), None)
        if opening:
            opening.meta |= {"start": start, "end": start + 1}
            # Only the address between angle brackets is made into a link without going through it.
            last = state.pos - 1 if opening.markup == "autolink" else tokens[-1].meta["at"]
            tokens[-1].meta |= {"start": last, "end": state.pos}
        elif tokens and tokens[-1].type == "text":  # marks of emphasis, a token each
            for token in tokens[waiting:]:
                token.meta |= {"start": start, "end": start + len(token.content)}
                start += len(token.content)
        elif tokens:
            tokens[-1].meta |= {"start": start, "end": state.pos}
        return is_match

    return traced


# reStructuredText ---------------------------------------------------------------------------------------------------
#
# By the rules of its specification: a mark opens after white space or an opening character and before a letter, and
# closes after a letter and before white space or punctuation; so ``2 * 3`` and ``*args`` have none.

_BEFORE = r"(?:(?<=[\s'\"(\[{<\-/:])|(?<![\s\S]))"
_AFTER = r"(?=[\s'\")\]}>\-/:.,;!?\\]|\Z)"
_MARKED = compile_pattern(
    rf"{_BEFORE}(?:"
    rf"(?P<literal>``)(?=\S)[^`]{{1,500}}?(?<=\S)``{_AFTER}"
    rf"|(?P<strong>\*\*)(?=[^\s*])[^*]{{1,500}}?(?<=[^\s])\*\*{_AFTER}"
    rf"|(?P<emphasis>\*)(?=[^\s*])[^*]{{1,500}}?(?<=[^\s])\*{_AFTER}"
    rf"|(?P<role>(?::[\w.+-]{{1,40}}:){{1,2}})`(?=\S)[^`]{{1,500}}`{_AFTER}"
    rf"|`(?P<words>[^`<\s]++(?:\s++[^`<\s]++)*+)\s*+(?:<(?P<address>[^`<>]{{1,2000}})>)?`__?{_AFTER}"
    r")"
)
_TARGET = compile_pattern(r"\s<[^<>]*>\Z")
_KINDS: tuple[ElementKind, ...] = ("literal", "strong", "emphasis")


def write_rst(to: RenderingWriter, start: int, end: int) -> None:
    """Hide the marks of reStructuredText in a paragraph that is shown, and add their elements."""
    if end - start > MAX_LENGTH:
        return
    text = to.text[start:end]
    for match in _MARKED.finditer(text):
        first, last = start + match.start(), start + match.end()
        kind = next((kind for kind in _KINDS if match[kind]), None)
        if kind:
            marks = len(match[kind])
            to.add(kind, first, last)
            to.hide(first, first + marks)
            to.hide(last - marks, last)
        elif match["role"]:
            words = start + match.end("role") + 1
            to.add("literal", first, last)
            to.hide(first, words)
            target = _TARGET.search(to.text, words, last - 1)
            to.hide(target.start() if target else last - 1, last)
        else:
            to.add("link", first, last, title=match["address"] or "")
            to.hide(first, first + 1)
            to.hide(start + match.end("words"), last)
    if text.endswith("::"):  # the paragraph before code, whose second colon nobody sees
        to.hide(end - (2 if text in ("::",) or text[-3:-2].isspace() else 1), end)
