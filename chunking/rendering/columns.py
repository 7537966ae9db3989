"""A rendering as columns of numbers, for a browser: it builds the elements of its page from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

import numpy as np

from chunking.rendering.rendering import ELEMENT_KINDS, Rendering
from chunking.runtime.arrays import AnyInts


class ElementColumns(TypedDict):
    """Elements; kinds and titles are indices of the lists of names."""

    kind: AnyInts
    depth: AnyInts
    start: AnyInts
    end: AnyInts
    level: AnyInts
    title: AnyInts


class SubstitutionColumns(TypedDict):
    """Characters that are shown otherwise than written; their text is an index of the list of names."""

    start: AnyInts
    end: AnyInts
    text: AnyInts


class RenderingColumns(TypedDict):
    """A :class:`chunking.rendering.Rendering`; the first name is empty."""

    elements: ElementColumns
    substitutions: SubstitutionColumns
    kind_names: list[str]
    names: list[str]
    reflowed: bool


def columns_of(rendering: Rendering) -> RenderingColumns:
    """Return a rendering as columns: kinds and depths uint8, all else int32."""
    names: dict[str, int] = {"": 0}

    def column(values: Iterable[int]) -> AnyInts:
        return np.fromiter(values, dtype=np.int32)

    def small(values: Iterable[int]) -> AnyInts:
        return np.fromiter(values, dtype=np.uint8)

    def named(texts: Iterable[str]) -> AnyInts:
        return column(names.setdefault(text, len(names)) for text in texts)

    elements, substitutions = rendering.elements, rendering.substitutions
    return {
        "elements": {
            "kind": small(ELEMENT_KINDS.index(element.kind) for element in elements),
            "depth": small(element.depth for element in elements),
            "start": column(element.start for element in elements),
            "end": column(element.end for element in elements),
            "level": column(element.level for element in elements),
            "title": named(element.title for element in elements),
        },
        "substitutions": {
            "start": column(substitution.start for substitution in substitutions),
            "end": column(substitution.end for substitution in substitutions),
            "text": named(substitution.text for substitution in substitutions),
        },
        "kind_names": list(ELEMENT_KINDS),
        "names": list(names),
        "reflowed": rendering.reflowed,
    }
