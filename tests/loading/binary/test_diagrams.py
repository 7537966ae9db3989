"""The texts of SmartArt, from its raw XML."""

from __future__ import annotations

from importlib import import_module

from chunking.loading.binary.diagrams import MAX_DEPTH, diagram_items

NAMES = (
    'xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)


def point(id: str, *paragraphs: str, kind: str = "node") -> str:
    words = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    return f'<dgm:pt modelId="{id}" type="{kind}"><dgm:t>{words}</dgm:t></dgm:pt>'


def below(parent: str, child: str, order: int, kind: str = "") -> str:
    return f'<dgm:cxn {kind} srcId="{parent}" destId="{child}" srcOrd="{order}"/>'


def data(points: str, connections: str = "") -> str:
    return (
        f"<dgm:dataModel {NAMES}><dgm:ptLst>{points}</dgm:ptLst><dgm:cxnLst>{connections}</dgm:cxnLst></dgm:dataModel>"
    )


def items(points: str, connections: str = "") -> list[tuple[int, str]]:
    return list(diagram_items(import_module("lxml.etree").fromstring(data(points, connections))))


def test_texts_are_in_the_order_of_the_hierarchy() -> None:
    points = point("c", "Cups") + point("g", "Green", "leaf") + point("t", "Tea") + point("d", kind="doc")
    connections = below("d", "c", 1) + below("d", "t", 0) + below("t", "g", 0) + below("g", "c", 0, 'type="presOf"')
    assert items(points + point("", kind="parTrans"), connections) == [(1, "Tea"), (2, "Green leaf"), (1, "Cups")]


def test_texts_without_a_place_follow_and_circles_end() -> None:
    points = point("d", kind="doc") + point("a", "a") + point("b", "b") + point("lone", "lone")
    assert items(points, below("d", "a", 0) + below("a", "b", 0) + below("b", "a", 0)) == [
        (1, "a"), (2, "b"), (1, "lone"),
    ]  # fmt: skip
    assert items(point("a", "a") + point("b", "b"), below("a", "b", 0) + below("b", "a", 0)) == [(1, "a"), (2, "b")]


def test_no_text_is_deeper_than_the_limit() -> None:
    points = point("0", kind="doc") + "".join(point(str(number), f"n{number}") for number in range(1, 2_000))
    connections = "".join(below(str(number), str(number + 1), 0) for number in range(1_999))
    found = items(points, connections)
    assert [text for _, text in found] == [f"n{number}" for number in range(1, 2_000)]
    assert max(depth for depth, _ in found) == MAX_DEPTH
