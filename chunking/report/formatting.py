"""Cells of tables: numbers as text, and rows as aligned lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

NOTHING = "–"


def percent(value: float | None, interval: Sequence[float] | None = None, sign: str = "") -> str:
    """Return a fraction in percent, with its interval where there is one."""
    if value is None:
        return NOTHING
    ends = f" [{', '.join(_points(end, sign) for end in interval)}]" if interval else ""
    return _points(value, sign) + ends


def _points(value: float, sign: str) -> str:
    # A zero that rounding alone made negative has no sign.
    return f"{round(100 * value, 1) + 0.0:{sign}.1f}"


def p_value(value: float | None) -> str:
    """Return a p-value, to three decimals."""
    return NOTHING if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows of cells as lines, columns under one another."""
    printable = [[harmless(cell).replace("\n", "?") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*printable, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in printable
    )


def harmless(line: str) -> str:
    """Return text without characters that would steer a terminal."""
    return "".join(character if character.isprintable() or character == "\n" else "?" for character in line)
