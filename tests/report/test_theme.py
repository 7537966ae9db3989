"""Colours that colour-blind readers can tell apart, by simulation.

Matrices of complete dichromacy, on linear RGB: Machado, Oliveira and Fernandes, A physiologically-based model for
simulation of color vision deficiency, 2009. Differences: CIE 1976, where some 2.3 are just noticeable.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations

import numpy as np
import pytest

from chunking.report.theme import DRIVER_TITLES, DRIVERS, GLYPHS, PALETTES, SYMBOLS
from chunking.runtime.arrays import Float64

VISIONS = {
    "full": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
ROLES = ("semantic", "structural", "fused", "threshold", "gold", "both", "limit")
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
LEAST = 10.0


def linear(color: str) -> Float64:
    """Return a colour as the intensities of its channels."""
    encoded = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def lab(color: str, vision: Float64) -> Float64:
    """Return a colour as someone sees it, in CIELAB."""
    ratio = XYZ @ np.clip(vision @ linear(color), 0, 1) / WHITE
    x, y, z = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_the_conversion_is_that_of_the_standard() -> None:
    assert lab("#ffffff", VISIONS["full"]) == pytest.approx([100, 0, 0], abs=0.02)
    assert lab("#ff0000", VISIONS["full"]) == pytest.approx([53.24, 80.09, 67.20], abs=0.05)


@pytest.mark.parametrize("theme", PALETTES)
@pytest.mark.parametrize("vision", VISIONS)
def test_what_is_drawn_side_by_side_can_be_told_apart(theme: str, vision: str) -> None:
    palette, seen_by = PALETTES[theme], VISIONS[vision]  # type: ignore[index, unused-ignore]
    seen = {role: lab(getattr(palette, role), seen_by) for role in ROLES}
    close = {(one, other): float(np.linalg.norm(seen[one] - seen[other])) for one, other in combinations(ROLES, 2)}
    assert {pair: far for pair, far in close.items() if far < LEAST} == {}


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, WCAG 2.2."""
    low, high = sorted(float(XYZ[1] @ linear(color)) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", PALETTES)
def test_marks_and_words_stand_out_from_their_background(theme: str) -> None:
    palette = PALETTES[theme]
    for role, color in asdict(palette).items():
        if role not in ("surface", "grid"):
            wanted = 4.5 if role in ("text", "muted", "threshold") else 3.0
            assert contrast(color, palette.surface) >= wanted, role


def test_every_driver_has_a_shape_of_its_own_and_a_name() -> None:
    for table in (SYMBOLS, GLYPHS, DRIVER_TITLES):
        assert set(table) == set(DRIVERS)
        assert len(set(table.values())) == len(DRIVERS)
