"""HTML of reports: one self-contained file, and the tables, lists and figures that it and the pages of the app show.

A file makes no request and forbids itself to load anything; a report has no script. Its colours are those of
:mod:`chunking.report.theme`, by the theme of whoever looks. The markup is in ``templates/``, whose values are escaped:
names, ids and texts may come from anywhere. Only a ``Markup`` is not escaped again.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from markupsafe import Markup, escape

from chunking import __version__, glossary
from chunking.errors import ChunkscopeError
from chunking.loading import files
from chunking.report.theme import PALETTES
from chunking.runtime.patterns import compile_pattern

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"

_UNPRINTABLE = compile_pattern("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

NOTHING = Markup("")


# --- escaping and templates ----------------------------------------------------------------------------------------


def text(value: object) -> Markup:
    """Return any text as HTML; what cannot be printed is shown as U+FFFD."""
    return escape(_printable(value))


def prose(value: str) -> Markup:
    """Return the text of a document as HTML: tabs, line ends and unusual spaces stay as they are."""
    return escape(_UNPRINTABLE.sub("\ufffd", value))


def explained(words: str, name: str = "") -> Markup:
    """Return words as HTML, with the definition of the term that they stand for on hover, focus or tap.

    Args:
        words: any text; it stays as it is where the glossary does not know it.
        name: of the term in :mod:`chunking.glossary`, where the words are not its own.

    Raises:
        KeyError: the glossary has no term of that name.
    """
    term = glossary.TERMS[name] if name else glossary.find(words)
    return text(words) if term is None else _macro("term", words, term.name, term.definition)


def render(template: str, **values: object) -> Markup:
    """Return a template of ``templates/`` with its values, as HTML."""
    return Markup(_environment().get_template(template).render(values))


def join(parts: Iterable[Markup]) -> Markup:
    """Return parts of HTML one after the other."""
    return NOTHING.join(parts)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only where a report is made

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, finalize=_finalize, undefined=StrictUndefined
    )
    environment.filters |= {"term": explained, "prose": prose}
    return environment


def _finalize(value: object) -> object:
    """Return a value of a template without characters that cannot be printed; markup stays as it is."""
    return _printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _printable(value: object) -> str:
    words = str(value)
    if words.isprintable():
        return words
    return "".join(letter if letter.isprintable() or letter == "\n" else "\ufffd" for letter in words)


@cache
def _blocks() -> Any:
    return _environment().get_template("blocks.html").module


def _macro(name: str, /, *values: object) -> Markup:
    return Markup(getattr(_blocks(), name)(*values))


# --- text and tables -----------------------------------------------------------------------------------------------


def heading(words: str, level: int = 3) -> Markup:
    """Return a heading."""
    return _macro("heading", words, level)


def paragraph(words: str, look: Literal["", "legend", "verdict"] = "", lead: str = "") -> Markup:
    """Return a paragraph, with quieter words before it where a lead is given."""
    return _macro("paragraph", words, look, lead)


def legend(words: str) -> Markup:
    """Return the words below a table or above a figure that say what it shows."""
    return paragraph(words, "legend")


def sections(entries: Iterable[tuple[str, str]]) -> Markup:
    """Return the parts of a page by their titles; those without content are left out."""
    return _macro("sections", entries)


def table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    look: Literal["", "numbers", "pairs", "words"] = "",
    quiet: Collection[str] = (),
    names: Collection[str] = (),
) -> Markup:
    """Return a table, with the definition of each head that the glossary knows.

    Args:
        heads: of the columns.
        rows: of cells; one that ends with ⚠ stands out.
        look: what the cells hold: a name and ``numbers``, which keep their lines; ``pairs`` of names, numbers and
            words at the end; ``words``, sentences in the first cell, with heads that may be long.
        quiet: rows whose first cell is one of these, which the glossary may define, are quieter.
        names: heads that are names of strategies, whatever the glossary knows under them.
    """
    return _macro("table", heads, rows, look, quiet, names)


def bullets(texts: Sequence[str]) -> Markup:
    """Return a list of remarks; empty where there is none."""
    return _macro("bullets", texts)


def definitions(entries: Mapping[str, str], facts: bool = False) -> Markup:
    """Return a definition list, or with ``facts`` a list of properties in two columns."""
    return _macro("definitions", entries, facts)


def command(line: str, name: str = "") -> Markup:
    """Return a line for a terminal, or a program; scripts find it by its name."""
    return _macro("command", line, name)


def folded(title: str, content: Markup) -> Markup:
    """Return content that is shown where its title is chosen."""
    return _macro("folded", title, content)


def grid(cells: Iterable[Markup]) -> Markup:
    """Return figures beside and below one another."""
    return _macro("grid", cells)


def strips(rows: Sequence[Mapping[str, object]]) -> Markup:
    """Return how sizes are distributed, a strip of counts for each setting.

    Args:
        rows: ``name``, ``bars`` (``height`` in percent and ``title``), the two ``ends`` and ``lines`` of words.
    """
    return _macro("strips", rows)


def dot_chart(title: str, rows: object, ticks: object, mark: str | None, step: str) -> Markup:
    """Return rows of dots with their axis; see :mod:`chunking.report.charts`."""
    return _macro("dot_chart", title, rows, ticks, mark, step)


# --- the file ------------------------------------------------------------------------------------------------------


def style(scope: str) -> Markup:
    """Return the style sheet of tables and figures inside the elements that a CSS selector names.

    They use the colours of :mod:`chunking.report.theme`, each in a property of its role's name (``--text``).
    """
    return Markup(f"{scope} {{\n{sheet('content.css')}{sheet('figure.css')}}}\n")


@cache
def sheet(name: str) -> str:
    """Return a style sheet of ``templates/``."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def page(title: str, body: Markup, *, rules: str = "", script: str = "") -> str:
    """Return a whole page.

    Args:
        title: of the window.
        body: HTML.
        rules: further rules of its style sheet.
        script: an ES module, which the page runs; no other script is allowed, and nothing can be loaded or sent.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii") if script else ""
    values = {"body": body, "digest": Markup(digest), "script": Markup(script), "version": __version__}
    all_rules = Markup(f"{_colors()}{style('body')}{sheet('page.css')}{rules}")
    return f"{render('page.html', title=title, rules=all_rules, **values)}\n"


def _colors() -> str:
    light, dark = asdict(PALETTES["light"]), asdict(PALETTES["dark"])
    pairs = "".join(f"--{role}:light-dark({color},{dark[role]});" for role, color in light.items())
    return f":root{{color-scheme:light dark;{pairs}}}\n"


def check_path(path: Path) -> None:
    """Check early that a file can be written to a path.

    Raises:
        ChunkscopeError: its folder does not exist, or it is a folder.
    """
    if not path.parent.is_dir() or path.is_dir():
        raise ChunkscopeError(f"{path} cannot be written.", "Choose a file in an existing folder.")


def write(path: Path, content: str) -> None:
    """Write a file.

    Raises:
        ChunkscopeError: it cannot be written.
    """
    files.write(path, content.encode("utf-8", "replace"), folders=False)
