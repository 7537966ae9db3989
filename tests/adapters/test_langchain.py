from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from chunking import ChunkscopeError, strategies
from chunking.strategies.gaps import PercentileParameters, StructuralParameters
from tests import loops
from tests.lazy import LazyModule

if TYPE_CHECKING:
    from chunking.adapters.langchain import ChunkscopeTextSplitter

MISSING = "needs requirements-peers.txt"
langchain = LazyModule("langchain_core.documents", MISSING)
splitters = LazyModule("langchain_text_splitters", MISSING)
adapter = LazyModule("chunking.adapters.langchain")


@pytest.fixture(autouse=True, scope="module")
def _langchain() -> None:
    pytest.importorskip("langchain_text_splitters", reason=MISSING)


def splitter(setting: str, **options: Any) -> ChunkscopeTextSplitter:
    made: ChunkscopeTextSplitter = adapter.ChunkscopeTextSplitter(setting, splitter="rules", language="en", **options)
    return made


def test_every_strategy_gives_its_own_spans(case: Any, texts: dict[str, str]) -> None:
    taken = case.taken(texts)
    given = [langchain.Document(page_content=text, metadata={"source": name}) for name, text in taken.items()]
    made = splitter(case.setting).split_documents(given)
    for name, text in taken.items():
        found = [document for document in made if document.metadata["source"] == name]
        chunks = case.expected(text, name).chunks
        assert [
            (each["chunk_start"], each["chunk_end"], each["tokens"], each["heading_path"])
            for each in (document.metadata for document in found)
        ] == [(chunk.start, chunk.end, chunk.tokens, " › ".join(chunk.heading_path)) for chunk in chunks]
        for document, chunk in zip(found, chunks, strict=True):
            about = document.metadata
            assert about["cut_reason"] == (chunk.cut.reason if chunk.cut else "")
            if not chunk.foreign:
                assert document.page_content == text[about["start_index"] : about["end_index"]]
    for name in texts.keys() - taken.keys():
        with pytest.raises(ChunkscopeError):
            splitter(case.setting).create_documents([texts[name]], [{"source": name}])


def test_text_comes_with_its_overlap(texts: dict[str, str]) -> None:
    setting = "percentile:percentile=50;window=0;overlap=1"
    made = splitter(setting, format="text")
    parts = made.split_text(texts["plain.txt"])
    documents = made.create_documents([texts["plain.txt"]])
    assert parts == [document.page_content for document in documents]
    assert len(parts) > 3
    assert all(document.metadata["start_index"] < document.metadata["chunk_start"] for document in documents[1:]), (
        "repeated sentences do not mislead it"
    )


def test_it_is_a_text_splitter_and_a_transformer(texts: dict[str, str]) -> None:
    made = splitter("structural")
    assert isinstance(made, splitters.TextSplitter)
    given = [langchain.Document(page_content=texts["note.md"], metadata={"source": "note.md"})]
    assert made.transform_documents(given) == made.split_documents(given)
    assert loops.run(made.atransform_documents(given)) == made.split_documents(given)


def test_metadata_are_kept_and_not_shared(texts: dict[str, str]) -> None:
    about = {"source": "note.md", "tags": ["a"], "tokens": "of another"}
    made = splitter("structural:percentile=50").create_documents([texts["note.md"]], [about])
    assert len(made) > 1
    assert all(document.metadata["tags"] == ["a"] for document in made)
    made[0].metadata["tags"].append("b")
    assert about["tags"] == made[1].metadata["tags"] == ["a"]
    assert about["tokens"] == "of another"
    assert all(isinstance(document.metadata["tokens"], int) for document in made), "the chunk's own win"


def test_an_empty_text_and_no_text_give_nothing() -> None:
    made = splitter("structural")
    assert made.split_text("") == made.create_documents([""]) == made.split_documents([]) == []


def test_offsets_are_those_of_the_text_as_it_was_given() -> None:
    text = "\ufeffOne here. Two \ud83d there.\r\n\r\nThree 🙂 now."
    made = splitter("structural:preset=unlimited;percentile=50;overlap=1", format="text").create_documents([text])
    assert len(made) > 1
    assert made[0].metadata["start_index"] == 1, "after the byte order mark"
    assert made[-1].metadata["end_index"] == len(text)
    for document in made:
        about = document.metadata
        span = text[about["start_index"] : about["end_index"]]
        assert document.page_content == span.replace("\ud83d", "\ufffd")


def test_the_format_follows_the_source_unless_it_is_given(texts: dict[str, str]) -> None:
    def paths(source: str | None, **options: Any) -> set[str]:
        metadata = [{"source": source}] if source else None
        made = splitter("structural:preset=unlimited;percentile=50", **options).create_documents(
            [texts["note.md"]], metadata
        )
        return {document.metadata["heading_path"] for document in made}

    assert "Tea › Green" in paths("a/note.MD") | paths(None)
    assert paths("note.MD") == paths(None) == paths("note.txt", format="markdown")
    assert paths("note.txt") == paths(None, format="text") != paths(None)


def test_parameters_can_be_given_apart(texts: dict[str, str]) -> None:
    text = adapter.ChunkscopeTextSplitter("structural:alpha=0.3;overlap=2")
    apart = adapter.ChunkscopeTextSplitter("structural:overlap=2", {"alpha": 0.3})
    typed = adapter.ChunkscopeTextSplitter("structural", StructuralParameters(alpha=0.3, overlap=2))
    assert text.setting == apart.setting == typed.setting
    assert strategies.parse(text.setting).params == StructuralParameters(alpha=0.3, overlap=2)


def test_a_splitter_is_made_of_a_settings_file(texts: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    models = 'encoder = "char-ngrams"\nsplitter = "rules"\nlanguage = "en"\n'
    file.write_text(f'{models}[settings.a]\nstrategy = "heading"\nlevel = 1\n[settings.b]\nstrategy = "whole"\n')
    made = adapter.ChunkscopeTextSplitter.from_config(file, "a", format="markdown")
    plain = adapter.ChunkscopeTextSplitter("heading:level=1", encoder="char-ngrams", splitter="rules", language="en")
    assert made.setting == plain.setting
    assert made.split_text(texts["note.md"]) == plain.split_text(texts["note.md"])
    assert adapter.ChunkscopeTextSplitter.from_config(file, "b", encoder="static").setting == "whole"
    with pytest.raises(ChunkscopeError, match="several settings"):
        adapter.ChunkscopeTextSplitter.from_config(file)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"setting": "telepathy"}, "Unknown strategy"),
        ({"setting": "structural:alpha=7"}, "alpha cannot be"),
        ({"params": {"colour": 1}}, "Unknown parameter"),
        ({"params": {"alpha": 7}}, "alpha cannot be"),
        ({"params": PercentileParameters()}, "no parameters of structural"),
        ({"encoder": "none such"}, "Unknown encoder"),
        ({"tokenizer": "none such"}, "none such"),
        ({"splitter": "none such"}, "none such"),
        ({"format": "docx"}, "docx"),
    ],
)
def test_what_does_not_exist_is_refused_at_once(words: dict[str, Any], said: str) -> None:
    with pytest.raises(ChunkscopeError, match=said):
        adapter.ChunkscopeTextSplitter(**words)


def test_vectors_are_kept_for_the_next_time(texts: dict[str, str], encoder: Any) -> None:
    splitter("structural").split_text(texts["note.md"])
    once = len(encoder.encoded)
    splitter("structural").split_text(texts["note.md"])
    assert 0 < once == len(encoder.encoded)
