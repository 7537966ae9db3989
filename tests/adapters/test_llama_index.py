from __future__ import annotations

import pickle
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from chunking import ChunkscopeError, strategies
from chunking.adapters import SplitPlan, SplitText
from chunking.alignment.pieces import Piece
from chunking.params import Parameters
from chunking.strategies import foreign
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis
from tests import loops
from tests.lazy import LazyModule

if TYPE_CHECKING:
    from llama_index.core.schema import Document

    from chunking.adapters.llama_index import ChunkscopeNodeParser

MISSING = "needs requirements-peers.txt"
ingestion = LazyModule("llama_index.core.ingestion", MISSING)
node_parser = LazyModule("llama_index.core.node_parser", MISSING)
schema = LazyModule("llama_index.core.schema", MISSING)
adapter = LazyModule("chunking.adapters.llama_index")


@pytest.fixture(autouse=True, scope="module")
def _llama_index() -> None:
    pytest.importorskip("llama_index.core", reason=MISSING)


def parser(setting: str, **options: Any) -> ChunkscopeNodeParser:
    made: ChunkscopeNodeParser = adapter.ChunkscopeNodeParser(setting, splitter="rules", language="en", **options)
    return made


def places(nodes: Iterable[Any]) -> list[tuple[int, int, str]]:
    return [(node.start_char_idx, node.end_char_idx, node.text) for node in nodes]


def document(name: str, text: str) -> Document:
    made: Document = schema.Document(text=text, metadata={"file_name": name}, id_=name)
    return made


def test_every_strategy_gives_its_own_spans(case: Any, texts: dict[str, str]) -> None:
    taken = case.taken(texts)
    made = parser(case.setting).get_nodes_from_documents([document(*each) for each in taken.items()])
    for name, text in taken.items():
        found = [node for node in made if node.ref_doc_id == name]
        chunks = case.expected(text, name).chunks
        assert [
            (each["chunk_start"], each["chunk_end"], each["tokens"], each["heading_path"])
            for each in (node.metadata for node in found)
        ] == [(chunk.start, chunk.end, chunk.tokens, " › ".join(chunk.heading_path)) for chunk in chunks]
        for node, chunk in zip(found, chunks, strict=True):
            assert node.end_char_idx == chunk.end
            if not chunk.foreign:
                assert node.text == text[node.start_char_idx : node.end_char_idx]
            parent = chunk.parent
            assert (node.parent_node and node.parent_node.node_id) == (
                None if parent is None else found[parent].node_id
            )


def test_nodes_are_related_as_by_the_librarys_own_parsers(texts: dict[str, str]) -> None:
    given = [document("a.md", texts["note.md"]), document("b.md", texts["note.md"])]
    ours = parser("structural:percentile=50").get_nodes_from_documents(given)
    theirs = node_parser.TokenTextSplitter(chunk_size=15, chunk_overlap=0).get_nodes_from_documents(given)
    for nodes in (ours, theirs):
        assert [node.ref_doc_id for node in nodes] == sorted(str(node.ref_doc_id) for node in nodes)
        place = {node.node_id: number for number, node in enumerate(nodes)}
        for number, node in enumerate(nodes):
            same = [other for other in nodes if other.ref_doc_id == node.ref_doc_id]
            assert (
                node.source_node == next(each for each in given if each.id_ == node.ref_doc_id).as_related_node_info()
            )
            assert (node.prev_node is None) == (node is same[0])
            assert (node.next_node is None) == (node is same[-1])
            if node.next_node:
                assert place[node.next_node.node_id] == number + 1
            if node.prev_node:
                assert place[node.prev_node.node_id] == number - 1
    for before, after in pairwise(ours[: len(ours) // 2]):
        assert before.next_node == after.as_related_node_info(), "with the metadata and the hash that it ends up with"
        assert after.prev_node == before.as_related_node_info()
    alone = parser("structural:percentile=50", include_prev_next_rel=False).get_nodes_from_documents(given)
    assert len(alone) == len(ours)
    assert not any(node.prev_node or node.next_node for node in alone)


def test_a_strategy_that_nests_gives_parents_and_children(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "One two. Three four. Five six."
    pieces = [
        Piece(each, None, None) for each in (text, "One two.", "Three four. Five six.", "Three four.", "Five six.")
    ]
    real = SplitPlan._split

    def nested(plan: SplitPlan, text: str, name: str, cache: Any) -> SplitText:
        workspace: DocumentAnalysis = DocumentAnalysis(real(plan, text, name, cache).segmentation.document, plan.tools)
        return SplitText(foreign.segment(workspace, "yours", Parameters(), pieces, reason="given", nests=True))

    monkeypatch.setattr(SplitPlan, "_split", nested)
    nodes = parser("structural").get_nodes_from_documents([document("tree.txt", text)])
    place = {node.node_id: number for number, node in enumerate(nodes)}
    assert [node.parent_node and place[node.parent_node.node_id] for node in nodes] == [None, 0, 0, 2, 2]
    children = [[place[child.node_id] for child in node.child_nodes or []] for node in nodes]
    assert children == [[1, 2], [], [3, 4], [], []]
    assert [node.next_node and place[node.next_node.node_id] for node in nodes] == [None, 2, None, 4, None]
    assert [node.metadata["index"] for node in nodes] == [0, 1, 2, 3, 4]
    assert all(node.text == text[node.start_char_idx : node.end_char_idx] for node in nodes)


def test_metadata_are_kept_and_of_the_chunks_own_the_heading_path_is_embedded(texts: dict[str, str]) -> None:
    given = schema.Document(
        text=texts["note.md"],
        metadata={"file_name": "note.md", "author": "Kim", "page": 3},
        excluded_embed_metadata_keys=["page"],
        excluded_llm_metadata_keys=["file_name"],
    )
    before = given.to_dict()
    nodes = parser("structural:percentile=50").get_nodes_from_documents([given])
    assert len(nodes) > 1
    for node in nodes:
        assert (node.metadata["author"], node.metadata["page"]) == ("Kim", 3)
        embedded = node.get_content(metadata_mode=schema.MetadataMode.EMBED)
        path = node.metadata["heading_path"]
        own = f"\nheading_path: {path}" if path else ""
        assert embedded == f"file_name: note.md\nauthor: Kim{own}\n\n{node.text}".strip()
        assert node.get_metadata_str(schema.MetadataMode.LLM) == "author: Kim\npage: 3"
    assert any(node.metadata["heading_path"] for node in nodes)
    assert given.to_dict() == before, "the document itself stays as it was"
    without = parser("structural:percentile=50", include_metadata=False).get_nodes_from_documents([given])
    assert "author" not in without[0].metadata
    assert without[0].metadata["start_index"] == 0


def test_it_runs_in_an_ingestion_pipeline(texts: dict[str, str]) -> None:
    given = [document(*each) for each in texts.items()]
    made = parser("percentile:percentile=60;window=0;overlap=1")
    assert isinstance(made, node_parser.NodeParser)
    pipeline = ingestion.IngestionPipeline(transformations=[made])
    expected = places(made.get_nodes_from_documents(given))
    assert places(pipeline.run(documents=given)) == expected
    assert places(pipeline.run(documents=given)) == expected, "from its cache"
    assert places(loops.run(pipeline.arun(documents=given))) == expected


def test_a_node_can_be_parsed_again(texts: dict[str, str]) -> None:
    first = parser("structural:percentile=80").get_nodes_from_documents([document("note.md", texts["note.md"])])
    again = parser("structural:percentile=50").get_nodes_from_documents(first)
    assert len(again) >= len(first)
    assert {node.ref_doc_id for node in again} == {"note.md"}, "the source stays the document"
    assert all(isinstance(node, schema.TextNode) for node in again)
    assert "".join(node.text for node in again) == texts["note.md"]


def test_it_comes_back_from_a_dictionary_and_from_a_pickle(texts: dict[str, str]) -> None:
    made = parser("structural:alpha=0.3", params={"overlap": 1}, format="markdown", include_prev_next_rel=False)
    given = [document("note.md", texts["note.md"])]
    expected = places(made.get_nodes_from_documents(given))
    for back in (
        adapter.ChunkscopeNodeParser.from_dict(made.to_dict()),
        adapter.ChunkscopeNodeParser.from_json(made.to_json()),
        pickle.loads(pickle.dumps(made)),
    ):
        assert back.to_dict() == made.to_dict()
        assert strategies.parse(back.setting).params == StructuralParameters(alpha=0.3, overlap=1)
        assert places(back.get_nodes_from_documents(given)) == expected
    assert made.to_dict()["class_name"] == "ChunkscopeNodeParser"


def number(place: int, source: Any) -> str:
    return f"{source.node_id}-{place}"


def test_ids_can_be_made_by_a_function(texts: dict[str, str]) -> None:
    made = parser("structural:percentile=50", id_func=number)
    nodes = made.get_nodes_from_documents([document("note.md", texts["note.md"])])
    assert [node.node_id for node in nodes] == [f"note.md-{place}" for place in range(len(nodes))]
    with pytest.raises(ChunkscopeError, match="id_func"):
        adapter.ChunkscopeNodeParser.from_dict(made.to_dict())
    assert adapter.ChunkscopeNodeParser.from_dict(made.to_dict(), id_func=number).id_func is number
