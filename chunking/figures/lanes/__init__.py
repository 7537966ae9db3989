"""The picture of many strategies on one document: a lane each, like the tracks of a genome browser.

From top to bottom on one horizontal axis: the fused distance with its threshold, a ribbon that shows how many lanes
cut at a place, and a row a lane with a stroke at every boundary. All is a pure function from numbers and a palette to
a plain Plotly figure, as in :mod:`chunking.figures.plots`.

A position is the number of units (sentences, characters or tokens) that stand before a place, from 0 to the length of
the document. In sentences, gap ``i`` stands at ``i + 1``, as people count; a cut inside a sentence has a fraction.

Thousands of strokes are no traces, of which Plotly draws an SVG element a point, but :class:`Marks`: each group is one
path. :func:`lanes_figure` holds all of them; a page that can thin them out takes :func:`lanes_frame` and
:func:`lanes_marks` apart.
"""

from chunking.figures.lanes.data import (
    CHANGES,
    GONE,
    KINDS,
    UNITS,
    Kind,
    Lane,
    Lanes,
    Unit,
    consensus,
    full_range,
    score_range,
)
from chunking.figures.lanes.marks import (
    LEVELS,
    STYLES,
    TINT,
    Marks,
    boundary_marks,
    lanes_legend,
    lanes_marks,
    ribbon_marks,
)
from chunking.figures.lanes.picture import label, lanes_figure, lanes_frame, place_shape, to_figure

__all__ = [
    "CHANGES",
    "GONE",
    "KINDS",
    "LEVELS",
    "STYLES",
    "TINT",
    "UNITS",
    "Kind",
    "Lane",
    "Lanes",
    "Marks",
    "Unit",
    "boundary_marks",
    "consensus",
    "full_range",
    "label",
    "lanes_figure",
    "lanes_frame",
    "lanes_legend",
    "lanes_marks",
    "place_shape",
    "ribbon_marks",
    "score_range",
    "to_figure",
]
