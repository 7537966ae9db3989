"""Parts of a figure in SVG that needs nothing else, in the colours of the page, light and dark.

Rows have their names on the left; values go from there to the right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from chunking.figures import page
from chunking.figures.theme import PALETTES

WIDTH, LEFT, RIGHT = 860, 280, 90
"""Of a figure, of the names in it, and of what stands right of the values."""

TOP, FOOT = 10, 44

_LETTERS = 40
"""Of a name that has room beside the figure."""


@dataclass(frozen=True)
class Scale:
    """Values as places between the left and the right edge.

    Attributes:
        low, high: the values at the edges.
    """

    low: float
    high: float

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - self.low) / (self.high - self.low)


def text(value: object) -> str:
    """Return any text, as SVG."""
    return page.text(value).replace("\n", " ")


def label(name: str, middle: float) -> str:
    """Return the name of a row, whole where it is pointed at."""
    shown = name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"
    return f'<text class="end" x="{LEFT - 12}" y="{middle + 4:.1f}"><title>{text(name)}</title>{text(shown)}</text>'


def axis(values: Sequence[float]) -> tuple[float, Scale]:
    """Return a step of 1, 2 or 5 times a power of ten, and an axis of at most ten of them that holds all values.

    No step is below 0.001, the least that percentages with one decimal tell apart.
    """
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    step = next(base * 10.0**power for power in range(-3, 12) for base in (1, 2, 5) if base * 10.0**power * 8 >= span)
    return step, Scale(step * (low // step), step * max(-(-high // step), low // step + 1))


def ticks(step: float, scale: Scale, height: float, shown: Callable[[float], str]) -> list[str]:
    """Return the lines from top to bottom, with their values below."""
    parts = []
    for number in range(round((scale.high - scale.low) / step) + 1):
        value = scale.low + step * number
        parts.append(f'<path class="grid" d="M{scale(value):.1f} {TOP}V{height - FOOT}"/>')
        parts.append(below(scale(value), height, shown(value).removesuffix(".0")))
    return parts


def levels(step: float, scale: Scale, place: Callable[[float], float], shown: Callable[[float], str]) -> list[str]:
    """Return the lines from the left to the right edge, with their values beside it.

    Args:
        step: between two lines.
        scale: the values at the bottom and the top.
        place: how high a value is.
        shown: a value in words.
    """
    parts = []
    for number in range(round((scale.high - scale.low) / step) + 1):
        value = scale.low + step * number
        parts.append(f'<path class="grid" d="M{LEFT} {place(value):.1f}H{WIDTH - RIGHT}"/>')
        words = text(shown(value).removesuffix(".0"))
        parts.append(f'<text class="quiet" x="{WIDTH - RIGHT + 6}" y="{place(value) + 4:.1f}">{words}</text>')
    return parts


def below(place: float, height: float, words: str) -> str:
    """Return the label below the end of a line."""
    return f'<text class="quiet middle" x="{place:.1f}" y="{height - FOOT + 16}">{text(words)}</text>'


def short(value: int) -> str:
    """Return a power of two in few letters."""
    return f"{value // 1024}k" if value >= 1024 else str(value)


def figure(height: float, title: str, parts: Sequence[str]) -> str:
    """Return the whole figure, with its title below."""
    caption = f'<text class="quiet" x="{LEFT}" y="{height - 8:.0f}">{text(title)}</text>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" class="figure" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12"><title>{text(title)}</title><style>{_STYLE}</style>'
        f'<rect class="behind" width="{WIDTH}" height="{height:.0f}"/>{"".join(parts)}{caption}</svg>\n'
    )


def _style() -> str:
    rules = {
        "text": "fill:{text}",
        ".quiet,.small": "fill:{muted}",
        ".behind": "fill:{surface}",
        ".grid": "stroke:{grid};fill:none",
        ".bar": "stroke:{semantic};stroke-width:2;fill:none",
        ".reach": "stroke:{muted};stroke-opacity:.55;fill:none",
        ".dot": "fill:{semantic};stroke:{semantic};stroke-width:1.5",
        ".held": "fill:{semantic};fill-opacity:.65",
        ".mark": "stroke:{structural};stroke-width:2;stroke-dasharray:3 2;fill:none",
    }

    def themed(name: str) -> str:
        colours = asdict(PALETTES[name])
        return "".join(f"{_scoped(selector)}{{{body.format(**colours)}}}" for selector, body in rules.items())

    always = _scoped(".end") + "{text-anchor:end}" + _scoped(".middle") + "{text-anchor:middle}"
    always += _scoped(".small") + "{font-size:10px}"
    return f"{always}{themed('light')}@media(prefers-color-scheme:dark){{{themed('dark')}}}"


def _scoped(selectors: str) -> str:
    return ",".join(f".figure {each}" for each in selectors.split(","))


_STYLE = _style()
