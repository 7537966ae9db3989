"""Documents as other parsers write them: what docling-core itself makes, and by hand in the formats of the others."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

DASHES = "-" * 48
MARKER = (
    f"\n\n{{0}}{DASHES}\n\n# Tea\n\nBoil the water. Wait a little.\n\n| a | b |\n|-|-|\n| 1 | 2 |\n"
    f"\n\n{{1}}{DASHES}\n\n- green\n- black\n\n\n\n{{2}}{DASHES}\n\n\n\n{{3}}{DASHES}\n\n## Bread\n\nKnead it."
)


def element(type_: str, text: str, **metadata: Any) -> dict[str, Any]:
    """An element as Unstructured writes it."""
    return {"type": type_, "element_id": f"{type_}-{text}", "text": text, "metadata": metadata}


ELEMENTS = [
    element("Header", "Annual report", page_number=1),
    element("Title", "Tea", page_number=1, category_depth=0),
    element("Title", "Leaves", page_number=1, parent_id="Title-Tea"),
    element(
        "NarrativeText", "Boil the water. Wait a little.", page_number=1, parent_id="Title-Leaves", languages=["eng"],
        coordinates={
            "points": [[10, 20], [10, 40], [90, 40], [90, 20]], "system": "PixelSpace", "layout_width": 100,
            "layout_height": 200,
        },
    ),
    element("ListItem", "Green", page_number=1, category_depth=1),
    element("PageBreak", ""),
    element(
        "Table", "Tea Price Green 2", page_number=2,
        text_as_html="<table><tr><th>Tea<th>Price<tr><td>Green<td>2</table>",
    ),
    element("Table", "Tea Price Black 3", page_number=2, text_as_html="<table><tr><td>Tea<td>Price</table>"),
    element("CodeSnippet", "x = 1\ny = 2", page_number=2),
    element("FigureCaption", "A pot", page_number=2),
    element("Image", "HOT", page_number=2),
    element("PageNumber", "2", page_number=2),
]  # fmt: skip

CONTENTS = [
    {"type": "header", "text": "Annual report", "page_idx": 0, "bbox": [0, 0, 1000, 20]},
    {"type": "text", "text": "Tea", "text_level": 1, "page_idx": 0, "bbox": [100, 50, 900, 80]},
    {"type": "text", "text": "Boil the water. Wait a little.", "page_idx": 0, "bbox": [100, 100, 900, 200]},
    {"type": "list", "sub_type": "text", "list_items": ["- Green", "- Black"], "page_idx": 0},
    {
        "type": "table", "img_path": "t.jpg", "table_caption": ["Prices"], "table_footnote": ["In pounds."],
        "table_body": "<table><tr><td>Green</td><td>2</td></tr><tr><td>Black</td><td>3</td></tr></table>",
        "page_idx": 1, "bbox": [100, 50, 900, 80],
    },
    {"type": "equation", "text": "$$x^2$$", "text_format": "latex", "page_idx": 1},
    {"type": "image", "img_path": "i.jpg", "image_caption": ["A pot"], "image_footnote": [], "page_idx": 1},
    {"type": "code", "code_body": "x = 1", "code_caption": ["Listing"], "page_idx": 2},
    {"type": "page_footnote", "text": "1 Hot.", "page_idx": 2},
    {"type": "page_number", "text": "3", "page_idx": 2},
]  # fmt: skip


@cache
def docling() -> dict[str, Any]:
    """A document as docling-core exports it; the caller changes nothing of it."""
    from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
    from docling_core.types.doc.common.content_layer import ContentLayer
    from docling_core.types.doc.common.reference import ProvenanceItem
    from docling_core.types.doc.document import DoclingDocument
    from docling_core.types.doc.items.table.table_data import TableCell, TableData
    from docling_core.types.doc.labels import DocItemLabel

    made = DoclingDocument(name="tea")
    for page in (1, 2):
        made.add_page(page_no=page, size=Size(width=600, height=800))

    def at(page: int, top: float, length: int, start: int = 0) -> ProvenanceItem:
        box = BoundingBox(l=50, t=top, r=550, b=top - 20, coord_origin=CoordOrigin.BOTTOMLEFT)
        return ProvenanceItem(page_no=page, bbox=box, charspan=(start, start + length))

    def cell(row: int, column: int, text: str, span: int = 1) -> TableCell:
        return TableCell(
            text=text, start_row_offset_idx=row, end_row_offset_idx=row + 1, start_col_offset_idx=column,
            end_col_offset_idx=column + span, col_span=span,
        )  # fmt: skip

    made.add_text(DocItemLabel.PAGE_HEADER, "Annual report", content_layer=ContentLayer.FURNITURE, prov=at(1, 795, 13))
    made.add_title("Tea", prov=at(1, 780, 3))
    made.add_heading("Leaves", level=1, prov=at(1, 740, 6))
    long = made.add_text(DocItemLabel.TEXT, "Boil the water. Wait a little.", prov=at(1, 100, 15))
    long.prov.append(at(2, 780, 15, 15))
    outer = made.add_list_group("list")
    item = made.add_list_item("Green", parent=outer, enumerated=True, marker="1.", prov=at(2, 700, 5))
    made.add_list_item("Sencha", parent=made.add_list_group("list", parent=item), prov=at(2, 680, 6))
    rows = [cell(0, 0, "Prices", 2), cell(1, 1, "2"), cell(1, 0, "Green")]
    made.add_table(
        TableData(num_rows=2, num_cols=2, table_cells=rows), caption=made.add_text(DocItemLabel.CAPTION, "Table 1"),
        prov=at(2, 600, 0),
    )  # fmt: skip
    made.add_code("x = 1\ny = 2")
    inline = made.add_inline_group()
    for word in ("Pour", "it", "out."):
        made.add_text(DocItemLabel.TEXT, word, parent=inline)
    picture = made.add_picture(caption=made.add_text(DocItemLabel.CAPTION, "A pot"), prov=at(2, 500, 0))
    made.add_text(DocItemLabel.TEXT, "HOT", parent=picture)
    made.add_text(DocItemLabel.FOOTNOTE, "1 Very hot.", prov=at(2, 60, 11))
    exported: dict[str, Any] = made.export_to_dict()
    return exported


SEEDS = {
    "unstructured": [json.dumps(ELEMENTS).encode(), b"\n".join(json.dumps(each).encode() for each in ELEMENTS)],
    "mineru": [json.dumps(CONTENTS).encode()],
    "marker": [MARKER.encode()],
}
