"""Diagrams of Office files (SmartArt): their texts in the order of their hierarchy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from chunking.loading.binary.drawing_text import paragraph_texts
from chunking.loading.binary.office import whole_number

D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
DIAGRAM = D + "relIds"
"""A reference to the parts of a diagram."""

MAX_DEPTH = 9
"""Limit of the levels that are distinguished."""

MAX_ORDER = 100_000
"""Limit of the place of a text among those below the same one."""


def diagram_items(root: Any) -> Iterator[tuple[int, str]]:
    """Yield the texts of a diagram, each with how many texts it is below, and one.

    Args:
        root: the part that a reference of a diagram names as its data.
    """
    points = {point.get("modelId") or "": point for point in root.iterfind(f"{D}ptLst/{D}pt")}
    below: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for connection in root.iterfind(f"{D}cxnLst/{D}cxn"):
        if connection.get("type", "parOf") == "parOf":
            order = whole_number(connection, "srcOrd", 0, MAX_ORDER)
            below[connection.get("srcId") or ""].append((order, connection.get("destId") or ""))
    # From the document down, then what no connection leads to.
    roots = sorted((int(point.get("type") != "doc"), number, id) for number, (id, point) in enumerate(points.items()))
    stack = [(depth, id) for depth, _, id in reversed(roots)]
    while stack:
        depth, id = stack.pop()
        point = points.pop(id, None)
        if point is None:
            continue
        words = point.find(D + "t")
        text = " ".join(paragraph_texts(words)) if words is not None else ""
        if text:
            yield max(depth, 1), text
        depth = min(depth + 1, MAX_DEPTH)
        stack.extend((depth, child) for _, child in sorted(below[id], reverse=True))
