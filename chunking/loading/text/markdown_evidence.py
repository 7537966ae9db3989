"""Markdown in files that are not named so: recognised only by several of its marks together."""

from __future__ import annotations

from chunking.loading.spans import line_spans
from chunking.loading.text.prose import is_prose
from chunking.runtime.patterns import compile_pattern

_HEAD = 200_000
"""Characters of a text that are looked at."""

_MIN_HEADINGS = 2
_MIN_MARKS = 3
"""Headings, and words in bold or code, from which they are evidence; fewer may be chance."""

_FENCE = compile_pattern(r"[ ]{0,3}(?P<mark>`{3,}|~{3,})[ ]?(?:[\w+#.-]{0,30}|\{[^{}`]{0,80}\})[ \t]*")
_HEADING = compile_pattern(r"(?P<mark>#{1,6})[ \t]+[^\s#=*/-][^\r\n]{0,200}")
_UNDERLINE = compile_pattern(r"(?:={3,}|-{3,})[ \t]*")
_LINK = compile_pattern(
    r"!?\[[^\[\]\n]{1,200}\]\((?:https?://|[./#]|mailto:|[\w-]{1,60}[./#])[^()\s]{0,500}(?:[ ]\"[^\"\n]{0,200}\")?\)"
)
_DEFINITION = compile_pattern(r"[ ]{0,3}\[[^\[\]\n]{1,100}\]:[ \t]+<?(?:https?://|[./#]|mailto:)\S{1,500}")
_MARK = compile_pattern(r"\*\*[^\s*][^*\n]{0,200}\*\*|(?<![`\w])`[^`\n]{1,100}`(?![`\w])")
_TABLE = compile_pattern(r"[ ]{0,3}\|?[ ]*+:?-{3,}+:?[ ]*+(?:\|[ ]*+:?-{3,}+:?[ ]*+)++\|?[ \t]*+")
_OTHER = compile_pattern(
    r"\.\.[ ][\w:-]{1,40}::|(?:\.\.[ ])?_[\w -]{1,60}:(?:[ ]|$)|\\(?:documentclass|begin\{)|\.(?:TH|SH|PP)\b|=pod\b"
)
"""Marks of reStructuredText, LaTeX, troff and POD, with which few lines of Markdown begin."""


def is_markdown(text: str) -> bool:
    """Return whether a text has so many marks of Markdown, and of nothing else, that it is Markdown.

    Headings with ``#`` are comments in other files: they count where they are on lines of their own, most lines that
    begin so are headings, and other marks are beside them or levels and prose below them.
    """
    head = text[:_HEAD]
    is_underlined = "](" in head and ("\n===" in head or "\n---" in head)
    if head.count("\n#") + head.startswith("#") < _MIN_HEADINGS and not is_underlined:
        return False
    marks = _Marks(head)
    if 5 * marks.others > marks.headings + marks.links:
        return False
    kinds = (marks.fences > 0) + (marks.links > 1) + (marks.words >= _MIN_MARKS) + (marks.tables > 0)
    if marks.headings >= _MIN_HEADINGS and 5 * marks.comments <= marks.headings:
        return kinds > 0 or (marks.levels > 1 and is_prose(marks.prose))
    return marks.underlined >= _MIN_HEADINGS and not marks.comments and marks.links > 1 and kinds > 1


class _Marks:
    """Counts of the marks of a text outside its fenced code.

    Attributes:
        fences, headings, underlined, links, tables: their number.
        words: words in bold or code.
        comments: lines that begin with ``#`` and are no headings.
        levels: levels of headings.
        prose: all other lines.
        others: lines with a mark of another markup language; Markdown may quote some.
    """

    def __init__(self, text: str) -> None:
        self.fences = self.headings = self.underlined = self.links = self.tables = self.words = self.comments = 0
        self.others = 0
        levels: set[int] = set()
        prose: list[str] = []
        fence, before = "", ""
        for start, end in line_spans(text):
            line = text[start:end]
            opening = _FENCE.fullmatch(line)
            if opening and (not fence or opening["mark"].startswith(fence)):
                self.fences += bool(fence)
                fence = "" if fence else opening["mark"]
            elif not fence:
                heading = _HEADING.fullmatch(line)
                if heading and not before.strip():
                    self.headings += 1
                    levels.add(len(heading["mark"]))
                elif line.startswith("#"):
                    self.comments += 1
                else:
                    self._count(line, before)
                    prose.append(line)
            before = line
        self.levels = len(levels)
        self.prose = "\n".join(prose)

    def _count(self, line: str, before: str) -> None:
        self.others += bool(_OTHER.match(line))
        if "](" in line or "]:" in line:
            self.links += len(_LINK.findall(line)) + bool(_DEFINITION.match(line))
        if "`" in line or "**" in line:
            self.words += len(_MARK.findall(line))
        self.tables += bool(_TABLE.fullmatch(line)) and "|" in before
        self.underlined += (
            bool(_UNDERLINE.fullmatch(line)) and bool(before.strip()) and not before.startswith(("=", "-"))
        )
