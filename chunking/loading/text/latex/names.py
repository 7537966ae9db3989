"""Names of commands and environments of LaTeX, by their effect on the text."""

from __future__ import annotations

from chunking.document import BlockKind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RAW = _words("verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim lstlisting minted alltt comment filecontents")
"""Environments without commands."""

HIDDEN = _words("comment filecontents filecontents*")
MATH = _words("equation align gather multline eqnarray displaymath flalign alignat dmath")
INLINE = _words(
    "math array matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases dcases rcases aligned alignedat "
    "gathered split subarray"
)
"""Environments inside formulas and lines."""

DRAWN = _words("tikzpicture picture pgfpicture algorithmic forest circuitikz tikzcd asy")
TABLES = _words("tabular tabularx tabulary longtable longtabu tabu supertabular xtabular tblr longtblr tabbing")
TWO_ARGUMENTS = _words("tabular* tabularx tabulary")
LISTS = _words(
    "itemize enumerate description compactitem compactenum compactdesc inparaenum trivlist list tasks thebibliography "
    "enumdescript"
)
QUOTES = _words("quote quotation displayquote verse blockquote displaycquote")
WITH_ARGUMENTS = _words(
    "figure table minipage multicols wrapfigure wraptable adjustbox thebibliography itemize enumerate description "
    "compactitem compactenum subfigure subtable list tcolorbox mdframed spacing sidewaystable sidewaysfigure columns "
    "column block alignat document letter scope"
)
"""Environments whose arguments are not part of the text."""

RANKS = ("title", "part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph", "frame")
HEADINGS = {**{name: rank for rank, name in enumerate(RANKS)}, "addchap": 2, "addsec": 3, "frametitle": 8}
CAPTIONS = _words("caption captionof subcaption")
FOOTNOTES = _words("footnote footnotetext")
BREAKS = _words("par newpage clearpage cleardoublepage pagebreak maketitle tableofcontents appendix bigskip medskip")
SWITCHES = BREAKS | _words(
    "noindent indent centering raggedright raggedleft smallskip vfill hfill hrule hrulefill null listoffigures "
    "listoftables listofalgorithms printbibliography printindex makeindex frontmatter mainmatter backmatter protect "
    "onecolumn normalsize small footnotesize scriptsize tiny large Large LARGE huge Huge toprule midrule bottomrule "
    "hline tightlist relax makeatletter makeatother begingroup endgroup bgroup egroup sloppy fussy doublespacing "
    "onehalfspacing singlespacing linenumbers allowdisplaybreaks balance leavevmode qed fi else newline linebreak"
)
"""Commands without output or arguments."""

SILENT = _words(
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

DEFINERS = _words(
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
