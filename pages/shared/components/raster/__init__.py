"""What pictures that are painted cell by cell share: content, axes, legend and colour scales."""

from pages.shared.components.raster.component import (
    RasterBody,
    RasterHead,
    RasterScales,
    legend_mark,
    raster_field,
    raster_layout,
    share,
)
from pages.shared.components.raster.scales import SCALES, STEPS, oklab

__all__ = [
    "SCALES",
    "STEPS",
    "RasterBody",
    "RasterHead",
    "RasterScales",
    "legend_mark",
    "oklab",
    "raster_field",
    "raster_layout",
    "share",
]
