r"""Blocks of LaTeX, by the names of commands and environments.

The source is tokenised once (commands, braces, comments, blank lines) and never expanded: a document's own commands are
text. pylatexenc's parser, which knows the arguments of more commands, is not used, since it is recursive: it fails if
groups or environments are nested 300 deep. Nothing is ever included: ``\input`` and the like are no blocks.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from chunking.document import Block, BlockKind
from chunking.loading.spans import trim_span
from chunking.loading.text.latex.source import RAW, STAR, Source, Token
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.wording import word_set

# Names of commands and environments ---------------------------------------------------------------------------------


HIDDEN = word_set("comment filecontents filecontents*")
MATH = word_set("equation align gather multline eqnarray displaymath flalign alignat dmath")
INLINE = word_set(
    "math array matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases dcases rcases aligned alignedat "
    "gathered split subarray"
)
"""Environments inside formulas and lines."""

DRAWN = word_set("tikzpicture picture pgfpicture algorithmic forest circuitikz tikzcd asy")
TABLES = word_set("tabular tabularx tabulary longtable longtabu tabu supertabular xtabular tblr longtblr tabbing")
TWO_ARGUMENTS = word_set("tabular* tabularx tabulary")
LISTS = word_set(
    "itemize enumerate description compactitem compactenum compactdesc inparaenum trivlist list tasks thebibliography "
    "enumdescript"
)
QUOTES = word_set("quote quotation displayquote verse blockquote displaycquote")
WITH_ARGUMENTS = word_set(
    "figure table minipage multicols wrapfigure wraptable adjustbox thebibliography itemize enumerate description "
    "compactitem compactenum subfigure subtable list tcolorbox mdframed spacing sidewaystable sidewaysfigure columns "
    "column block alignat document letter scope"
)
"""Environments whose arguments are not part of the text."""

RANKS = ("title", "part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "frame")
HEADINGS = {**{name: rank for rank, name in enumerate(RANKS)}, "addchap": 2, "addsec": 3, "frametitle": 8}
CAPTIONS = word_set("caption captionof subcaption")
FOOTNOTES = word_set("footnote footnotetext")
BREAKS = word_set("par newpage clearpage cleardoublepage pagebreak maketitle tableofcontents appendix bigskip medskip")
SWITCHES = BREAKS | word_set(
    "noindent indent centering raggedright raggedleft smallskip vfill hfill hrule hrulefill null listoffigures "
    "listoftables listofalgorithms printbibliography printindex makeindex frontmatter mainmatter backmatter protect "
    "onecolumn normalsize small footnotesize scriptsize tiny large Large LARGE huge Huge toprule midrule bottomrule "
    "hline tightlist relax makeatletter makeatother begingroup endgroup bgroup egroup sloppy fussy doublespacing "
    "onehalfspacing singlespacing linenumbers allowdisplaybreaks balance leavevmode qed fi else newline linebreak"
)
"""Commands without output or arguments."""

SILENT = word_set(
    "label vspace hspace input include includeonly subfile import bibliography bibliographystyle addbibresource "
    "usepackage RequirePackage documentclass documentstyle newtheorem theoremstyle setlength addtolength setcounter "
    "addtocounter stepcounter refstepcounter pagestyle thispagestyle pagenumbering includegraphics graphicspath "
    "markboth markright index glossary nocite hypersetup geometry definecolor colorlet DeclareMathOperator "
    "numberwithin tikzset usetikzlibrary pgfplotsset lstset captionsetup addcontentsline addtocontents hypertarget "
    "phantomsection phantom hphantom vphantom color rule title author date institute affiliation email address "
    "keywords thanks subjclass MSC pacs includepdf pdfbookmark bookmark newcounter newlength newsavebox usebox "
    "fontsize fontfamily selectfont selectlanguage setmainfont setstretch titleformat titlespacing newcolumntype "
    "cline cmidrule usetheme usecolortheme lstinputlisting verbatiminput inputminted newif crefname Crefname"
)
"""Commands whose arguments are not shown in place; those of a title page are shown by another command."""

DEFINERS = word_set(
    "newcommand renewcommand providecommand DeclareRobustCommand newenvironment renewenvironment def gdef edef xdef "
    "let newcommandx NewDocumentCommand RenewDocumentCommand NewDocumentEnvironment DeclareDocumentCommand "
    "ProvideDocumentCommand declaretheorem"
)


def is_quote(name: str) -> bool:
    """Return whether an environment is a quotation."""
    return name.removesuffix("*") in QUOTES


def block_kind(name: str) -> BlockKind | None:
    """Return the kind of the block that a whole environment is; ``None`` if its content is read."""
    if name in TABLES:
        return "table"
    return "code" if name in MATH or name in DRAWN or name in RAW else None


# Words of headings --------------------------------------------------------------------------------------------------

_ACCENTS = dict(
    zip(
        "\"'`^~=.cuvHkrbd",
        map(chr, (776, 769, 768, 770, 771, 772, 775, 807, 774, 780, 779, 808, 778, 817, 803)),
        strict=True,
    )
)
"""Combining character of each accent command."""

_ACCENT = compile_pattern(
    r"\\(?:([\"'`^~=.])\s?|([cuvHkrbd])(?![a-zA-Z])\s?)(?:\{\s?(\\[ij]|[^\W\d_])\s?\}|(\\[ij](?![a-zA-Z])|[^\W\d_]))"
)
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "TeX": "TeX", "LaTeX": "LaTeX", "ldots": "…", "dots": "…", "textendash": "–", "textemdash": "—",
}  # fmt: skip
_LETTER = compile_pattern(rf"\\({'|'.join(_LETTERS)})(?![a-zA-Z])(?:\{{\}}|\s+)?")
_MACRO = compile_pattern(r"\\[a-zA-Z@]+\*?\s*|\\([%&$#_{} ])|\\[\s\S]?|[{}$]")


_ARGUMENT = r"\{((?:[^{}]|\{[^{}]*+\})*+)\}"
_NOTE = compile_pattern(rf"\\(?:thanks|footnote(?:mark|text)?|label|index)(?:\[[^\]]*+\])?{_ARGUMENT}")
"""Notes and labels in a heading, which are no words of its title."""

_BOOKMARK = compile_pattern(rf"\\texorpdfstring\s*+\{{(?:[^{{}}]|\{{[^{{}}]*+\}})*+\}}\s*+{_ARGUMENT}")


def plain_words(words: str) -> str:
    """Return the displayed words of a heading; empty if they equal the source."""
    if not any(char in words for char in "\\{}$~%"):
        return ""
    displayed = _BOOKMARK.sub(r"\1", _NOTE.sub("", words))
    displayed = _ACCENT.sub(_apply_accent, displayed.replace("\\\\", " ").replace("~", " "))
    displayed = _LETTER.sub(lambda match: _LETTERS[match[1]], displayed)
    return " ".join(_MACRO.sub(lambda match: match[1] or "", displayed).split()) or " ".join(words.split())


def _apply_accent(match: re.Match[str]) -> str:
    letter = (match[3] or match[4]).removeprefix("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[match[1] or match[2]])


# Blocks -------------------------------------------------------------------------------------------------------------


class _OpenContainer(NamedTuple):
    """An open list or quotation."""

    name: str
    level: int


@dataclass
class LatexReader:
    """One pass over the tokens.

    Attributes:
        source: the text.
        blocks: the blocks so far; headings have their rank as level, until all are known.
        containers: the lists and quotations that are open, outermost first.
        open: the number of open lists and of open quotations.
        names: the number of each name.
        start, end: span of the open paragraph; ``start`` is -1 if there is none.
        content: start of its words.
        worded: whether it has any.
        formula: start of an open displayed formula, or -1, and its opening token.
        before: the paragraph at that point.
        body: whether the text is past the preamble.
    """

    text: str
    source: Source = field(init=False)
    blocks: list[Block] = field(default_factory=list)
    containers: list[_OpenContainer] = field(default_factory=list)
    open: list[int] = field(default_factory=lambda: [0, 0])
    names: Counter[str] = field(default_factory=Counter)
    start: int = -1
    end: int = -1
    content: int = -1
    worded: bool = False
    formula: tuple[int, str] = (-1, "")
    before: tuple[int, int, int, bool] = (-1, -1, -1, False)
    body: bool = False

    def __post_init__(self) -> None:
        self.source = Source(self.text)

    def run(self) -> list[Block]:
        """Return the blocks of the whole text."""
        self.body = not self.source.document
        read: dict[str, Callable[[Token], int]] = {
            "begin": self._begin,
            "end": self._finish,
            "raw": self._raw,
            "command": self._command,
            "symbol": self._symbol,
            "math": self._math,
        }
        offset = 0
        while (token := self.source.next(offset)) is not None:
            self._plain(offset, token.start)
            match token.kind:
                case "comment":
                    offset = token.end
                case "blank":
                    self._flush()
                    offset = token.end
                case "plain":
                    self._extend(token.start, token.end, worded=True)
                    offset = token.end
                case "open" | "close":
                    self._extend(token.start, token.end, worded=False)
                    offset = token.end
                case kind:
                    offset = read[kind](token)
                    if offset < 0:
                        break
        else:
            self._plain(offset, len(self.text))
        self._flush()
        return self._rank_headings()

    def _rank_headings(self) -> list[Block]:
        """Return the blocks with each heading's rank among those used as its level."""
        used = sorted({block.level for block in self.blocks if block.kind == "heading"})
        levels = {rank: level for level, rank in enumerate(used, 1)}
        return [
            replace(block, level=levels[block.level]) if block.kind == "heading" else block for block in self.blocks
        ]

    # Paragraphs ----------------------------------------------------------------------------------------------------

    def _plain(self, start: int, end: int) -> None:
        """Add text without commands."""
        if start < end and self.body:
            start, end = trim_span(self.text, start, end)
            if start < end:
                self._extend(start, end, worded=any(map(str.isalnum, self.text[start:end])))

    def _extend(self, start: int, end: int, worded: bool) -> None:
        if not self.body:
            return
        if self.start < 0:
            if self.text[start] == "}":
                return
            self.start = self.content = start
        if self.content > start:
            self.content = start
        self.end = end
        self.worded = self.worded or worded

    def _flush(self) -> None:
        """End the open paragraph."""
        start, content = self.start, self.content
        worded, end = self.worded, self.end
        self.start = self.end = self.content = -1
        self.worded = False
        self.formula = (-1, "")
        if start < 0 or not worded:
            return
        _, end = trim_span(self.text, start, end)
        container = self.containers[-1] if self.containers else None
        if container is None and self.text.startswith(("\\item", "\\bibitem"), start) and content > start:
            container = _OpenContainer("itemize", 1)
        kind: BlockKind = "paragraph" if container is None else "quote" if is_quote(container.name) else "list_item"
        self.blocks.append(Block(kind, start, end, container.level if container else 0, min(content, end)))

    def _leaf(self, kind: BlockKind, start: int, inner: int, close: int) -> bool:
        """Add a block with the words from ``inner`` to ``close``; return False if there are none."""
        self._flush()
        content, end = trim_span(self.text, inner, close)
        if content >= end:
            return False
        self.blocks.append(Block(kind, start, end, 0, content))
        return True

    # Environments --------------------------------------------------------------------------------------------------

    def _begin(self, token: Token) -> int:
        name = token.name.removesuffix("*")
        if name == "document":
            self.body = True
            self.start = -1
            return token.end
        if not self.body:
            return token.end
        close = self.source.ends.get(token.start)
        kind = block_kind(name)
        if kind and close:
            inner = token.end
            if kind == "table" and name != "tabbing":
                inner = self.source.arguments(inner, 2 if token.name in TWO_ARGUMENTS else 1)
            elif name in DRAWN:
                inner = self.source.option(inner)
            self._leaf(kind, token.start, min(inner, close.start), close.start)
            return close.end
        if name in INLINE:
            self._extend(token.start, token.end, worded=False)
            return token.end
        self._flush()
        # A list that is never closed would take the rest of the document.
        if close and (name in LISTS or name in QUOTES):
            self.open[name in QUOTES] += 1
            self.containers.append(_OpenContainer(token.name, self.open[name in QUOTES]))
            self.names[token.name] += 1
        if name == "frame":
            begin = self.source.gap(self.source.option(token.end))
            group = self.source.group(begin)
            if group:
                self._heading("frame", token.start, group)
                return group[1] + 1
            return begin
        return self.source.arguments(token.end) if name in WITH_ARGUMENTS else token.end

    def _finish(self, token: Token) -> int:
        name = token.name.removesuffix("*")
        if name == "document" and self.body:
            return -1
        if name in INLINE:
            self._extend(token.start, token.end, worded=False)
            return token.end
        self._flush()
        while self.names[token.name]:
            closed = self.containers.pop()
            self.open[is_quote(closed.name)] -= 1
            self.names[closed.name] -= 1
            if closed.name == token.name:
                break
        return token.end

    def _raw(self, token: Token) -> int:
        if self.body and token.name not in HIDDEN:
            inner = token.inner
            while (after := self.source.option(inner)) > inner:
                inner = after
            group = self.source.group(inner) if token.name == "minted" else None
            if token.name == "minted" and group is None and self.text.startswith("{", inner):
                # Braces inside are not matched, but the name of the language has none.
                inner = self.text.find("}", inner, token.end) + 1 or inner
            self._leaf("code", token.start, inner, token.end - len(token.name) - 6)
        return token.end

    # Commands ------------------------------------------------------------------------------------------------------

    def _command(self, token: Token) -> int:
        name = token.name
        if name in HEADINGS and (self.body or name == "title"):
            group = self.source.argument(token.end)
            if group:
                self._heading(name, token.start, group)
                return group[1] + 1
        if name in DEFINERS:
            return self.source.definition(token.end)
        if not self.body:
            return self.source.arguments(token.end) if name in SILENT else token.end
        if name in SWITCHES:
            if name in BREAKS:
                self._flush()
            return token.end
        if name in SILENT:
            star = STAR.match(self.text, token.end)
            return self.source.arguments(star.end() if star else token.end)
        if name in ("item", "bibitem"):
            return self._item(token)
        if name in CAPTIONS or (name in FOOTNOTES and self.start < 0):
            after = self.source.argument(token.end)
            if name == "captionof" and after:
                after = self.source.argument(after[1] + 1)
            if after:
                self._leaf("caption" if name in CAPTIONS else "footnote", token.start, *after)
                return after[1] + 1
        self._extend(token.start, token.end, worded=False)
        return token.end

    def _item(self, token: Token) -> int:
        self._flush()
        offset = token.end
        if token.name == "bibitem":
            offset = self.source.arguments(offset)
        self.start = token.start
        self.end = offset
        begin = self.source.gap(offset)
        # Words move it back: until then there is only the marker.
        self.content = len(self.text)
        after = self.source.option(begin)
        if after > begin:
            self._extend(begin, after, worded=any(map(str.isalnum, self.text[begin:after])))
            return after
        return offset

    def _heading(self, name: str, start: int, group: tuple[int, int]) -> None:
        self._flush()
        content, end = trim_span(self.text, *group)
        if content < end:
            title = plain_words(self.text[content:end])
            self.blocks.append(Block("heading", start, end, HEADINGS[name] + 1, content, title))

    def _symbol(self, token: Token) -> int:
        if token.name == "\\[":
            return self._math(token)
        if token.name == "\\]" and self.formula[1] == "\\[":
            return self._close_formula(token)
        self._extend(token.start, token.end, worded=False)
        return token.end

    # Formulas ------------------------------------------------------------------------------------------------------

    def _math(self, token: Token) -> int:
        """Begin or end a displayed formula; one interrupted by a blank line or the like is text."""
        if token.kind == "math" and self.formula[1] == "$$":
            return self._close_formula(token)
        if self.body and not self.formula[1]:
            self.formula = (token.start, token.name or "$$")
            self.before = (self.start, self.end, self.content, self.worded)
        self._extend(token.start, token.end, worded=False)
        return token.end

    def _close_formula(self, token: Token) -> int:
        start, _ = self.formula
        self.start, self.end, self.content, self.worded = self.before
        self._leaf("code", start, start + 2, token.start)
        return token.end


def blocks(text: str) -> tuple[Block, ...]:
    r"""Return the blocks of a LaTeX text, in order, without overlap.

    - ``\title`` and ``\part`` to ``\subparagraph``, starred or not, and titles of frames are headings. Their level
      is their rank among those in the document; they begin at the command, their words are its argument.
    - Paragraphs end at a blank line, at ``\par``, and where another block begins.
    - Items of lists and bibliographies are list items, including their further paragraphs; text in ``quote`` and the
      like is a quote; ``\caption`` a caption; ``tabular`` and the like a table, with a row per line.
    - ``verbatim``, ``lstlisting``, ``minted``, drawings and algorithms are code. So is a displayed formula: it is kept
      whole, is in no language, and divides its paragraph.
    - A ``\footnote`` in a paragraph is part of it, since blocks do not nest; one between paragraphs is a footnote.

    Comments, the preamble except the title, definitions, labels, and commands without output are in no block, unless
    they are between words of one paragraph. The content of an environment's block begins after ``\begin`` and its
    arguments; ``\end`` is outside.
    """
    return tuple(LatexReader(text).run())
