"""Colour scales of the rasters, made from the palettes: even steps of lightness, so that equal steps look equal.

Lightness alone carries the value, so the scales are read alike by those who see fewer colours. It runs from what lies
behind the picture to the colour of words, in the space OKLab of Ottosson (2020), where equal distances look equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from chunking.figures.theme import PALETTES, Palette
from chunking.runtime.arrays import Float64, UInt8

STEPS = 256

_TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LEFT = 0.45
"""Of the colour, what is left of it at the strong end."""

_GREY = 0.2
"""Of the colour, what is left of it where the scale is quiet."""


def oklab(rgb: UInt8) -> Float64:
    """``(n, 3)`` uint8 of sRGB as ``(n, 3)`` lightness, green to red, blue to yellow."""
    values = rgb / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    lab: Float64 = np.cbrt(linear @ _TO_LMS.T) @ _TO_LAB.T
    return lab


def _srgb(lab: Float64) -> UInt8:
    linear = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T
    linear = np.clip(linear, 0, 1)
    values = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return (values * 255).round().astype(np.uint8)


def _colors(*names: str) -> UInt8:
    return np.array([[int(name[place : place + 2], 16) for place in (1, 3, 5)] for name in names], dtype=np.uint8)


def _ramp(palette: Palette, strength: float) -> UInt8:
    """From the surface through the colour of what is both towards that of words, at even steps of lightness."""
    anchors = oklab(_colors(palette.surface, palette.both, palette.text))
    # Words have next to no colour, and the few strongest cells must be told from quiet ones too.
    anchors[-1, 1:] = anchors[1, 1:] * _LEFT
    order = np.argsort(anchors[:, 0])
    lightness = np.linspace(anchors[0, 0], anchors[-1, 0], STEPS)
    sides = [np.interp(lightness, anchors[order, 0], anchors[order, axis]) * strength for axis in (1, 2)]
    return _srgb(np.stack([lightness, *sides], axis=1))


SCALES: Mapping[str, Mapping[str, UInt8]] = MappingProxyType(
    {theme: {"strong": _ramp(palette, 1.0), "quiet": _ramp(palette, _GREY)} for theme, palette in PALETTES.items()}
)
"""By theme: ``strong``, and ``quiet`` with the same lightness and little colour."""
