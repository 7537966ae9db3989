from __future__ import annotations

import pytest

from chunking.document import Block
from chunking.loading import from_text
from chunking.loading.text import latex
from tests.loading.checks import check_blocks


def checked(text: str) -> list[Block]:
    """The blocks of a text, which hold what every loader's do."""
    return check_blocks(text, latex.blocks(text) or ())


def shapes(text: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, text[block.content : block.end]) for block in checked(text)]


PAPER = r"""% A comment.
\documentclass[12pt]{article}
\newcommand{\hot}[1]{\emph{#1}

defined}
\title{On \emph{Tea} and~K\"uche}
\author{Ada}
\begin{document}
\maketitle
\begin{abstract}
We boil. % why?
\end{abstract}

\section[Short]{Begin}\label{sec:begin}
Tea is good,\footnote{Very. Really.} and $x=1$.
% between
More \verb|%{| here. \label{end}

\noindent Then
\[ E = mc^2 \]
follows \begin{align*}
a &= \begin{pmatrix} b \end{pmatrix}
\end{align*}

\subsection*{Cups}
\begin{itemize}
  \item One. Two.

  More.
  \item[Term] Three
  \begin{enumerate}
    \item Deep
  \end{enumerate}
  after
\end{itemize}
\begin{quote}
Said she.
\end{quote}
\begin{table}[htb]
\centering
\caption[short]{What \textbf{cups} cost.}
\begin{tabular}{l|r}
a & b \\
c & d \\
\end{tabular}
\end{table}
\begin{lstlisting}[language=C]
int main() { % not a comment
\end{lstlisting}
\begin{minted}{python}
  print("x")
\end{minted}
\begin{comment}
hidden
\end{comment}
\input{secret}
\footnotetext{Alone.}

{\em Grouped} words \url{http://a%20b}\par Next.
\begin{thebibliography}{9}
\bibitem[K]{k} Knuth.
\end{thebibliography}
\end{document}
Not shown.
"""


def test_a_paper() -> None:
    assert shapes(PAPER) == [
        ("heading", 1, r"On \emph{Tea} and~K\"uche"),
        ("paragraph", 0, "We boil."),
        ("heading", 2, "Begin"),
        ("paragraph", 0, "Tea is good,\\footnote{Very. Really.} and $x=1$.\n% between\nMore \\verb|%{| here."),
        ("paragraph", 0, "Then"),
        ("code", 0, "E = mc^2"),
        ("paragraph", 0, "follows"),
        ("code", 0, "a &= \\begin{pmatrix} b \\end{pmatrix}"),
        ("heading", 3, "Cups"),
        ("list_item", 1, "One. Two."),
        ("list_item", 1, "More."),
        ("list_item", 1, "[Term] Three"),
        ("list_item", 2, "Deep"),
        ("list_item", 1, "after"),
        ("quote", 1, "Said she."),
        ("caption", 0, r"What \textbf{cups} cost."),
        ("table", 0, "a & b \\\\\nc & d \\\\"),
        ("code", 0, "int main() { % not a comment"),
        ("code", 0, 'print("x")'),
        ("footnote", 0, "Alone."),
        ("paragraph", 0, r"{\em Grouped} words \url{http://a%20b}"),
        ("paragraph", 0, "Next."),
        ("list_item", 1, "Knuth."),
    ]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_every_line_end(end: str) -> None:
    other = shapes(PAPER.replace("\n", end))
    assert [(kind, level, words.replace(end, "\n")) for kind, level, words in other] == shapes(PAPER)


def test_blocks_begin_at_their_commands() -> None:
    starts = [PAPER[block.start : block.content] for block in checked(PAPER)]
    assert starts[0] == "\\title{"
    assert starts[2] == "\\section[Short]{"
    assert starts[9] == "\\item "
    assert starts[16] == "\\begin{tabular}{l|r}\n"
    assert starts[17] == "\\begin{lstlisting}[language=C]\n"


def test_paths_show_plain_words() -> None:
    document = from_text(PAPER, "tea.tex", "latex", "en")
    assert document.heading_path(PAPER.index("Said she")) == ("On Tea and Küche", "Begin", "Cups")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (r"\c{c}a \v s \ss{} caf\'e \'{\i}", "ça š ß café í"),
        (r"A \& B, 100\% $x_1$", "A & B, 100% x_1"),
        (r"one\\two~three", "one two three"),
        (r"\LaTeX\ is {\bf fine}", "LaTeX is fine"),
        (r"\textbf{}", r"\textbf{}"),
    ],
)
def test_words_of_titles(words: str, shown: str) -> None:
    (block,) = checked(rf"\section{{{words}}}")
    assert block.title == shown


def test_levels_are_ranks_among_those_used() -> None:
    text = "\\chapter{A}\n\\subsection{B}\n\\section*{C}\n\\paragraph{D} run in\n\\begin{frame}{E}\nx\n\\end{frame}\n"
    assert shapes(text) == [
        ("heading", 1, "A"), ("heading", 3, "B"), ("heading", 2, "C"), ("heading", 4, "D"), ("paragraph", 0, "run in"),
        ("heading", 5, "E"), ("paragraph", 0, "x"),
    ]  # fmt: skip


def test_a_text_without_commands_is_paragraphs() -> None:
    assert shapes("One.\n% no\n\nTwo\nlines.\n\n% only a comment\n") == [
        ("paragraph", 0, "One."),
        ("paragraph", 0, "Two\nlines."),
    ]


def test_escaped_and_commented_marks_are_none() -> None:
    assert shapes("50\\% of \\{ it % \\section{No}\n\nb\\\\[2pt] c\n\n\\iffalse\nhidden\n\\fi d\n") == [
        ("paragraph", 0, "50\\% of \\{ it"),
        ("paragraph", 0, "b\\\\[2pt] c"),
        ("paragraph", 0, "d"),
    ]


def test_what_is_never_closed_is_text() -> None:
    assert shapes("\\begin{itemize} a\n\nb \\[ c\n\n$$ d\n\n\\begin{tabular}{l} e\n\n\\section{f\n") == [
        ("paragraph", 0, "a"),
        ("paragraph", 0, "b \\[ c"),
        ("paragraph", 0, "$$ d"),
        ("paragraph", 0, "{l} e"),
        ("paragraph", 0, "\\section{f"),
    ]


def test_formulas_in_dollars() -> None:
    assert shapes("a $$ b $$ c\n") == [("paragraph", 0, "a"), ("code", 0, "b"), ("paragraph", 0, "c")]


def test_environments_closed_in_the_wrong_order() -> None:
    text = "\\begin{itemize}\\item a\\begin{quote} b \\end{itemize} c \\end{quote} d"
    assert [(kind, level) for kind, level, _ in shapes(text)] == [
        ("list_item", 1), ("quote", 1), ("paragraph", 0), ("paragraph", 0),
    ]  # fmt: skip


def test_definitions_are_in_no_block() -> None:
    assert shapes("\\def\\a#1.#2{x}\n\\let\\b=\\c\n\\newcommand*\\d[1]{y\n\nz}\n\\setlength{\\e}{1pt} words\n") == [
        ("paragraph", 0, "words")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{" * 9000 + "}" * 9000, "\\def\\a{" * 9000, "\\begin{itemize}\\item a " * 5000 + "\\end{itemize}" * 5000,
        "\\begin{figure}" + "[a" * 20_000, "\\label" + "{}" * 20_000, "\\section{" + "{" * 3000 + "a" + "}" * 3001,
    ],
)  # fmt: skip
def test_many_of_one_thing(text: str) -> None:
    checked(text)


def test_notes_and_labels_in_a_heading_are_no_words_of_its_title() -> None:
    text = (
        "\\begin{document}\n\\section{On tea\\thanks{Ann \\emph{Lee}.}\\label{tea}}\n\nx\n\n"
        "\\section{Cups of \\texorpdfstring{$n^2$}{n squared}\\footnote{Small.}}\n\nx\n\\end{document}\n"
    )
    document = from_text(text, format="latex", language="en")
    assert [document.heading_path(heading.start)[-1] for heading in document.headings] == [
        "On tea",
        "Cups of n squared",
    ]
