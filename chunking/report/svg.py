"""Figures in SVG of fixed width: rows have their names on the left, values go from there to the right.

A figure has the colours of the page around it; as a file it needs nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from markupsafe import Markup

from chunking.report import html
from chunking.report.charts import Axis, tick_words
from chunking.report.theme import PALETTES, Palette

WIDTH, LEFT, RIGHT = 860, 280, 90
"""Of a figure, of the names in it, and of what is right of the values."""

TOP, FOOT = 10, 44

_LETTERS = 40
"""Letters of a name for which there is room."""


@dataclass(frozen=True)
class SvgFigure:
    """A figure.

    Attributes:
        markup: SVG inside HTML, in the colours of the page around it.
        height: in pixels.
    """

    markup: Markup
    height: float

    @property
    def file(self) -> str:
        """The figure as a file that needs nothing else, in the colours of light and dark themes."""
        dark = f"@media(prefers-color-scheme:dark){{{_color_rules(PALETTES['dark'])}}}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height:.0f}" width="{WIDTH}" '
            f'height="{self.height:.0f}" font-family="system-ui, sans-serif" class="figure">'
            f"<style>{_color_rules(PALETTES['light'])}{dark}</style>"
            f'<rect class="behind" width="100%" height="100%"/>{self.markup}</svg>\n'
        )


def _color_rules(palette: Palette) -> str:
    """Return the style sheet of figures with its colours: not every program that shows SVG knows variables."""
    rules = html.sheet("figure.css")
    for role, color in asdict(palette).items():
        rules = rules.replace(f"var(--{role})", color)
    return rules


def x_of(axis: Axis, value: float) -> float:
    """Return the horizontal position of a value."""
    return LEFT + (WIDTH - LEFT - RIGHT) * axis.share(value)


def text(value: object) -> Markup:
    """Return any text, as SVG."""
    return Markup(html.text(value).replace("\n", " "))


def label(name: str, middle: float) -> str:
    """Return the name of a row, whole where it is pointed at."""
    short_name = name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"
    words = f"<title>{text(name)}</title>{text(short_name)}"
    return f'<text class="end" x="{LEFT - 12}" y="{middle + 4:.1f}">{words}</text>'


def columns(axis: Axis, height: float, format_value: Callable[[float], str]) -> list[str]:
    """Return the lines of the ticks from top to bottom, with their values below."""
    return [part for tick in axis.ticks for part in column(x_of(axis, tick), height, tick_words(format_value(tick)))]


def column(x: float, height: float, words: str) -> list[str]:
    """Return a line from top to bottom, with its label below."""
    line = f'<path class="grid" d="M{x:.1f} {TOP}V{height - FOOT}"/>'
    return [line, f'<text class="quiet middle" x="{x:.1f}" y="{height - FOOT + 16}">{text(words)}</text>']


def levels(axis: Axis, y: Callable[[float], float], format_value: Callable[[float], str]) -> list[str]:
    """Return the lines of the ticks from the left to the right edge, with their values beside them.

    Args:
        axis: of the values.
        y: how high a value is.
        format_value: a value in words.
    """
    parts = []
    for tick in axis.ticks:
        parts.append(f'<path class="grid" d="M{LEFT} {y(tick):.1f}H{WIDTH - RIGHT}"/>')
        x = WIDTH - RIGHT + 6
        parts.append(f'<text class="quiet" x="{x}" y="{y(tick) + 4:.1f}">{text(tick_words(format_value(tick)))}</text>')
    return parts


def short(value: int) -> str:
    """Return a power of two in few letters."""
    return f"{value // 1024}k" if value >= 1024 else str(value)


def figure(height: float, title: str, parts: Sequence[str]) -> SvgFigure:
    """Return a figure of fixed width, with its title below."""
    caption = f'<text class="quiet" x="{LEFT}" y="{height - 8:.0f}">{text(title)}</text>'
    markup = (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" class="figure" role="img"><title>{text(title)}</title>'
        f"{''.join(parts)}{caption}</svg>"
    )
    return SvgFigure(Markup(markup), height)
