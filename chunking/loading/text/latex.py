r"""Blocks of LaTeX, by the names of commands and environments.

The source is tokenised once (commands, braces, comments, blank lines) and never expanded: a document's own commands are
text. pylatexenc's parser, which knows the arguments of more commands, is not used, since it is recursive: it fails if
groups or environments are nested 300 deep. Nothing is ever included: ``\input`` and the like are no blocks.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, cast

from chunking.document import Block, BlockKind

MAX_GROUPS = 1000
"""Maximum depth of matched braces; TeX itself allows 255."""

_TOKEN = re.compile(
    r"(?P<comment>%[^\r\n]*)"
    r"|(?P<blank>(?:\r\n?+|\n)[^\S\r\n]*(?:\r\n?|\n)\s*)"
    r"|\\(?P<edge>begin|end)[ \t]*\{(?P<name>[^{}\\\r\n]{0,60})\}"
    r"|(?P<plain>\\(?:verb|lstinline)\*?(?P<mark>[^\sa-zA-Z*{\[])[^\r\n]{0,500}?(?P=mark)"
    r"|\\(?:url|path|nolinkurl|href)\{[^{}\r\n]{0,2000}\})"
    r"|\\(?P<command>[a-zA-Z@]+)"
    r"|(?P<symbol>\\(?:\r\n|[\s\S]|\Z))"
    r"|(?P<math>\$\$)"
    r"|(?P<open>\{)|(?P<close>\})"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RAW = _words("verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim lstlisting minted alltt comment filecontents")
"""Environments without commands."""

_HIDDEN = _words("comment filecontents filecontents*")
_MATH = _words("equation align gather multline eqnarray displaymath flalign alignat dmath")
_INLINE = _words(
    "math array matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases dcases rcases aligned alignedat "
    "gathered split subarray"
)
"""Environments inside formulas and lines."""

_DRAWN = _words("tikzpicture picture pgfpicture algorithmic forest circuitikz tikzcd asy")
_TABLES = _words("tabular tabularx tabulary longtable longtabu tabu supertabular xtabular tblr longtblr tabbing")
_TWO_ARGUMENTS = _words("tabular* tabularx tabulary")
_LISTS = _words(
    "itemize enumerate description compactitem compactenum compactdesc inparaenum trivlist list tasks thebibliography "
    "enumdescript"
)
_QUOTES = _words("quote quotation displayquote verse blockquote displaycquote")
_WITH_ARGUMENTS = _words(
    "figure table minipage multicols wrapfigure wraptable adjustbox thebibliography itemize enumerate description "
    "compactitem compactenum subfigure subtable list tcolorbox mdframed spacing sidewaystable sidewaysfigure columns "
    "column block alignat document letter scope"
)
"""Environments whose arguments are not part of the text."""

_RANKS = ("title", "part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "frame")
_HEADINGS = {**{name: rank for rank, name in enumerate(_RANKS)}, "addchap": 2, "addsec": 3, "frametitle": 8}
_CAPTIONS = _words("caption captionof subcaption")
_FOOTNOTES = _words("footnote footnotetext")
_BREAKS = _words("par newpage clearpage cleardoublepage pagebreak maketitle tableofcontents appendix bigskip medskip")
_SWITCHES = _BREAKS | _words(
    "noindent indent centering raggedright raggedleft smallskip vfill hfill hrule hrulefill null listoffigures "
    "listoftables listofalgorithms printbibliography printindex makeindex frontmatter mainmatter backmatter protect "
    "onecolumn normalsize small footnotesize scriptsize tiny large Large LARGE huge Huge toprule midrule bottomrule "
    "hline tightlist relax makeatletter makeatother begingroup endgroup bgroup egroup sloppy fussy doublespacing "
    "onehalfspacing singlespacing linenumbers allowdisplaybreaks balance leavevmode qed fi else newline linebreak"
)
"""Commands without output or arguments."""

_SILENT = _words(
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

_DEFINERS = _words(
    "newcommand renewcommand providecommand DeclareRobustCommand newenvironment renewenvironment def gdef edef xdef "
    "let newcommandx NewDocumentCommand RenewDocumentCommand NewDocumentEnvironment DeclareDocumentCommand "
    "ProvideDocumentCommand declaretheorem"
)
_NAME = re.compile(r"\s{0,20}\\(?:[a-zA-Z@]+|[^a-zA-Z@\s])")
_PARAMETERS = re.compile(r"(?:[ \t=#0-9]|\.(?=#)){0,40}(?:\\[a-zA-Z@]+)?")
_GAP = re.compile(r"[ \t]*(?:(?:\r\n?|\n)[ \t]*)?")
_STAR = re.compile(r"\*?")
_MOST_ARGUMENTS = 9
_LONGEST_OPTION = 1000
_SPECIAL = re.compile(r"[\]{]|\\[\s\S]")

_ACCENTS = dict(
    zip(
        "\"'`^~=.cuvHkrbd",
        map(chr, (776, 769, 768, 770, 771, 772, 775, 807, 774, 780, 779, 808, 778, 817, 803)),
        strict=True,
    )
)
"""Combining character of each accent command."""

_ACCENT = re.compile(
    r"\\(?:([\"'`^~=.])\s?|([cuvHkrbd])(?![a-zA-Z])\s?)(?:\{\s?(\\[ij]|[^\W\d_])\s?\}|(\\[ij](?![a-zA-Z])|[^\W\d_]))"
)
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
    "i": "ı", "j": "ȷ", "TeX": "TeX", "LaTeX": "LaTeX", "ldots": "…", "dots": "…", "textendash": "–", "textemdash": "—",
}  # fmt: skip
_LETTER = re.compile(rf"\\({'|'.join(_LETTERS)})(?![a-zA-Z])(?:\{{\}}|\s+)?")
_MACRO = re.compile(r"\\[a-zA-Z@]+\*?\s*|\\([%&$#_{} ])|\\[\s\S]?|[{}$]")


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
    return tuple(_LatexReader(text).run())


_TokenKind = Literal["comment", "blank", "begin", "end", "raw", "plain", "command", "symbol", "math", "open", "close"]


class _Token(NamedTuple):
    """A piece of source that is not plain text.

    ``raw`` is a whole environment without commands, ``inner`` the start of its content.
    """

    kind: _TokenKind
    start: int
    end: int
    name: str = ""
    inner: int = 0


@dataclass
class _Source:
    """The text, its tokens, and the closing token of each opening one.

    Attributes:
        text: the source.
        opens, closes: offsets of opening braces and of their closing ones, or -1.
        ends: offset of each closed ``\\begin``, and its closing token.
        absent: ends of environments that do not occur further on.
        document: whether it has a preamble.
    """

    text: str
    opens: array[int] = field(default_factory=lambda: array("q"))
    closes: array[int] = field(default_factory=lambda: array("q"))
    ends: dict[int, _Token] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    document: bool = False

    def __post_init__(self) -> None:
        stack: list[int] = []
        deeper = 0
        begun: dict[str, list[int]] = {}
        for token in self.tokens():
            match token.kind:
                case "open" if len(stack) < MAX_GROUPS:
                    stack.append(len(self.opens))
                    self.opens.append(token.start)
                    self.closes.append(-1)
                case "open":
                    deeper += 1
                case "close" if deeper:
                    deeper -= 1
                case "close" if stack:
                    self.closes[stack.pop()] = token.start
                case "begin":
                    begun.setdefault(token.name, []).append(token.start)
                    self.document = self.document or token.name == "document"
                case "end" if begun.get(token.name):
                    self.ends[begun[token.name].pop()] = token

    def tokens(self) -> Iterator[_Token]:
        """Yield all tokens from the start."""
        place = 0
        while (token := self.next(place)) is not None:
            yield token
            place = token.end

    def next(self, place: int) -> _Token | None:
        """Return the first token from ``place`` on."""
        match = _TOKEN.search(self.text, place)
        if match is None:
            return None
        start, end = match.span()
        kind = match.lastgroup
        if kind == "open" or kind == "close":
            return _Token("open" if kind == "open" else "close", start, end)
        if match["edge"] == "end":
            return _Token("end", start, end, match["name"].strip())
        if match["edge"]:
            return self._begin(match["name"].strip(), start, end)
        if match["command"]:
            if match["command"] == "iffalse" and (close := self._find("\\fi", end)) >= 0:
                return _Token("comment", start, close + 3)
            return _Token("command", start, end, match["command"])
        if kind in ("comment", "blank", "symbol", "math"):
            return _Token(cast("_TokenKind", kind), start, end, self.text[start:end] if kind == "symbol" else "")
        return _Token("plain", start, end)

    def _begin(self, name: str, start: int, end: int) -> _Token:
        if name not in _RAW and name != "filecontents*":
            return _Token("begin", start, end, name)
        closing = "\\end{" + name + "}"
        close = self._find(closing, end)
        if close < 0:
            return _Token("begin", start, end, name)
        return _Token("raw", start, close + len(closing), name, end)

    def _find(self, closing: str, place: int) -> int:
        """Return the next occurrence of ``closing``; a text without one is searched once."""
        if closing in self.absent:
            return -1
        found = self.text.find(closing, place)
        if found < 0:
            self.absent.add(closing)
        return found

    def group(self, place: int) -> tuple[int, int] | None:
        """Return the span inside the braces that open at ``place``."""
        index = bisect_left(self.opens, place)
        if index == len(self.opens) or self.opens[index] != place or self.closes[index] < 0:
            return None
        return place + 1, self.closes[index]

    def gap(self, place: int) -> int:
        """Return the offset after white space that may precede an argument."""
        match = _GAP.match(self.text, place)
        return match.end() if match else place

    def option(self, place: int) -> int:
        """Return the offset after the argument in brackets at ``place``; ``place`` if there is none."""
        limit = place + _LONGEST_OPTION
        if not self.text.startswith("[", place) or self.text.find("]", place, limit) < 0:
            return place
        here = place + 1
        while (special := _SPECIAL.search(self.text, here, limit)) is not None:
            here = special.end()
            if special[0] == "]":
                return here
            group = self.group(special.start()) if special[0] == "{" else None
            here = group[1] + 1 if group else here
        return place

    def arguments(self, place: int, most: int = _MOST_ARGUMENTS) -> int:
        """Return the offset after the arguments at ``place``, in brackets and up to ``most`` in braces."""
        while most:
            begin = self.gap(place)
            after = self.option(begin)
            if after == begin:
                most -= 1
                group = self.group(begin)
                if group is None:
                    break
                after = group[1] + 1
            place = after
        return place

    def argument(self, place: int) -> tuple[int, int] | None:
        """Return the span of the first argument in braces from ``place`` on, after a star and one in brackets."""
        star = _STAR.match(self.text, place)
        place = self.gap(star.end() if star else place)
        place = self.gap(self.option(place))
        return self.group(place)

    def definition(self, place: int) -> int:
        """Return the offset after the arguments of a command that defines another."""
        star = _STAR.match(self.text, place)
        place = star.end() if star else place
        name = _NAME.match(self.text, place)
        if name:
            parameters = _PARAMETERS.match(self.text, name.end())
            place = parameters.end() if parameters else name.end()
        return self.arguments(place)

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """Return the span without white space at its ends."""
        words = self.text[start:end]
        return start + len(words) - len(words.lstrip()), start + len(words.rstrip())


class _OpenContainer(NamedTuple):
    """An open list or quotation."""

    name: str
    level: int


@dataclass
class _LatexReader:
    """One pass over the tokens.

    Attributes:
        source: the text.
        found: the blocks so far; headings have their rank as level, until all are known.
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
    source: _Source = field(init=False)
    found: list[Block] = field(default_factory=list)
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
        self.source = _Source(self.text)

    def run(self) -> list[Block]:
        """Return the blocks of the whole text."""
        self.body = not self.source.document
        read: dict[str, Callable[[_Token], int]] = {
            "begin": self._begin,
            "end": self._finish,
            "raw": self._raw,
            "command": self._command,
            "symbol": self._symbol,
            "math": self._math,
        }
        place = 0
        while (token := self.source.next(place)) is not None:
            self._plain(place, token.start)
            match token.kind:
                case "comment":
                    place = token.end
                case "blank":
                    self._flush()
                    place = token.end
                case "plain":
                    self._extend(token.start, token.end, worded=True)
                    place = token.end
                case "open" | "close":
                    self._extend(token.start, token.end, worded=False)
                    place = token.end
                case kind:
                    place = read[kind](token)
                    if place < 0:
                        break
        else:
            self._plain(place, len(self.text))
        self._flush()
        return self._levelled()

    def _levelled(self) -> list[Block]:
        """Return the blocks with each heading's rank among those used as its level."""
        used = sorted({block.level for block in self.found if block.kind == "heading"})
        levels = {rank: level for level, rank in enumerate(used, 1)}
        return [
            Block("heading", block.start, block.end, levels[block.level], block.content, block.title)
            if block.kind == "heading"
            else block
            for block in self.found
        ]

    # Paragraphs ----------------------------------------------------------------------------------------------------

    def _plain(self, start: int, end: int) -> None:
        """Add text without commands."""
        if start < end and self.body:
            start, end = self.source.trim(start, end)
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
        _, end = self.source.trim(start, end)
        inside = self.containers[-1] if self.containers else None
        if inside is None and self.text.startswith(("\\item", "\\bibitem"), start) and content > start:
            inside = _OpenContainer("itemize", 1)
        kind: BlockKind = "paragraph" if inside is None else "quote" if _is_quote(inside.name) else "list_item"
        self.found.append(Block(kind, start, end, inside.level if inside else 0, min(content, end)))

    def _leaf(self, kind: BlockKind, start: int, inner: int, close: int) -> bool:
        """Add a block with the words from ``inner`` to ``close``; return False if there are none."""
        self._flush()
        content, end = self.source.trim(inner, close)
        if content >= end:
            return False
        self.found.append(Block(kind, start, end, 0, content))
        return True

    # Environments --------------------------------------------------------------------------------------------------

    def _begin(self, token: _Token) -> int:
        name = token.name.removesuffix("*")
        if name == "document":
            self.body = True
            self.start = -1
            return token.end
        if not self.body:
            return token.end
        close = self.source.ends.get(token.start)
        kind = _block_kind(name)
        if kind and close:
            inner = token.end
            if kind == "table" and name != "tabbing":
                inner = self.source.arguments(inner, 2 if token.name in _TWO_ARGUMENTS else 1)
            elif name in _DRAWN:
                inner = self.source.option(inner)
            self._leaf(kind, token.start, min(inner, close.start), close.start)
            return close.end
        if name in _INLINE:
            self._extend(token.start, token.end, worded=False)
            return token.end
        self._flush()
        # A list that is never closed would take the rest of the document.
        if close and (name in _LISTS or name in _QUOTES):
            self.open[name in _QUOTES] += 1
            self.containers.append(_OpenContainer(token.name, self.open[name in _QUOTES]))
            self.names[token.name] += 1
        if name == "frame":
            begin = self.source.gap(self.source.option(token.end))
            group = self.source.group(begin)
            if group:
                self._heading("frame", token.start, group)
                return group[1] + 1
            return begin
        return self.source.arguments(token.end) if name in _WITH_ARGUMENTS else token.end

    def _finish(self, token: _Token) -> int:
        name = token.name.removesuffix("*")
        if name == "document" and self.body:
            return -1
        if name in _INLINE:
            self._extend(token.start, token.end, worded=False)
            return token.end
        self._flush()
        while self.names[token.name]:
            closed = self.containers.pop()
            self.open[_is_quote(closed.name)] -= 1
            self.names[closed.name] -= 1
            if closed.name == token.name:
                break
        return token.end

    def _raw(self, token: _Token) -> int:
        if self.body and token.name not in _HIDDEN:
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

    def _command(self, token: _Token) -> int:
        name = token.name
        if name in _HEADINGS and (self.body or name == "title"):
            group = self.source.argument(token.end)
            if group:
                self._heading(name, token.start, group)
                return group[1] + 1
        if name in _DEFINERS:
            return self.source.definition(token.end)
        if not self.body:
            return self.source.arguments(token.end) if name in _SILENT else token.end
        if name in _SWITCHES:
            if name in _BREAKS:
                self._flush()
            return token.end
        if name in _SILENT:
            star = _STAR.match(self.text, token.end)
            return self.source.arguments(star.end() if star else token.end)
        if name in ("item", "bibitem"):
            return self._item(token)
        if name in _CAPTIONS or (name in _FOOTNOTES and self.start < 0):
            after = self.source.argument(token.end)
            if name == "captionof" and after:
                after = self.source.argument(after[1] + 1)
            if after:
                self._leaf("caption" if name in _CAPTIONS else "footnote", token.start, *after)
                return after[1] + 1
        self._extend(token.start, token.end, worded=False)
        return token.end

    def _item(self, token: _Token) -> int:
        self._flush()
        place = token.end
        if token.name == "bibitem":
            place = self.source.arguments(place)
        self.start = token.start
        self.end = place
        begin = self.source.gap(place)
        # Words move it back: until then there is only the marker.
        self.content = len(self.text)
        after = self.source.option(begin)
        if after > begin:
            self._extend(begin, after, worded=any(map(str.isalnum, self.text[begin:after])))
            return after
        return place

    def _heading(self, name: str, start: int, group: tuple[int, int]) -> None:
        self._flush()
        content, end = self.source.trim(*group)
        if content < end:
            title = _plain_words(self.text[content:end])
            self.found.append(Block("heading", start, end, _HEADINGS[name] + 1, content, title))

    def _symbol(self, token: _Token) -> int:
        if token.name == "\\[":
            return self._math(token)
        if token.name == "\\]" and self.formula[1] == "\\[":
            return self._close_formula(token)
        self._extend(token.start, token.end, worded=False)
        return token.end

    # Formulas ------------------------------------------------------------------------------------------------------

    def _math(self, token: _Token) -> int:
        """Begin or end a displayed formula; one interrupted by a blank line or the like is text."""
        if token.kind == "math" and self.formula[1] == "$$":
            return self._close_formula(token)
        if self.body and not self.formula[1]:
            self.formula = (token.start, token.name or "$$")
            self.before = (self.start, self.end, self.content, self.worded)
        self._extend(token.start, token.end, worded=False)
        return token.end

    def _close_formula(self, token: _Token) -> int:
        start, _ = self.formula
        self.start, self.end, self.content, self.worded = self.before
        self._leaf("code", start, start + 2, token.start)
        return token.end


def _is_quote(name: str) -> bool:
    return name.removesuffix("*") in _QUOTES


def _block_kind(name: str) -> BlockKind | None:
    if name in _TABLES:
        return "table"
    return "code" if name in _MATH or name in _DRAWN or name in _RAW else None


def _plain_words(words: str) -> str:
    """Return the displayed words of a heading; empty if they equal the source."""
    if not any(char in words for char in "\\{}$~%"):
        return ""
    shown = _ACCENT.sub(_accented, words.replace("\\\\", " ").replace("~", " "))
    shown = _LETTER.sub(lambda match: _LETTERS[match[1]], shown)
    return " ".join(_MACRO.sub(lambda match: match[1] or "", shown).split()) or " ".join(words.split())


def _accented(match: re.Match[str]) -> str:
    letter = (match[3] or match[4]).removeprefix("\\")
    return unicodedata.normalize("NFC", letter + _ACCENTS[match[1] or match[2]])
