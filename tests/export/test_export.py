from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shlex
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chunking import ChunkscopeError, embedding, export, from_text, load, samples, strategies
from chunking.__main__ import main
from chunking.alignment.pieces import Piece
from chunking.chunks.edits import edit_at
from chunking.document import Document
from chunking.params import Parameters
from chunking.retrieval.misses.passage_index import PassageIndex
from chunking.retrieval.questions import own
from chunking.retrieval.search import passages
from chunking.runtime.wording import plural
from chunking.settings import settings_of, settings_toml
from chunking.strategies import Segmentation, Strategy, foreign
from chunking.workspace import DocumentAnalysis, Models
from tests.vectors import Hashed

RULES = Models(splitter="rules")
STATIC = Models("static", splitter="rules")
NOTE = (
    "# Tea\n\nBoil the water. Wait a little; then pour it. Stir twice.\n\n## Green\n\nCool it first. Serve at once.\n\n"
    "# Bread\n\nKnead the dough. Let it rest for an hour. Bake it well.\n\n"
    "```python\ndef bake():\n    return 1\n```\n\n"
    "- flour\n- salt\n\n한국어 문장도 있다. Ça va bien 🙂. The end.\n"
)


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(embedding._encoders, embedding.Static.name, Hashed())


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "a note's (1).md"
    path.write_bytes(NOTE.encode())
    return path


def segmented(strategy: Strategy, path: Path, tools: Models = RULES) -> Segmentation:
    """The strategy with some parameters changed, on the document at ``path``."""
    if not strategy.installed():
        pytest.skip(f"{strategy.name} needs a library that is not installed")
    document = load(path.read_bytes(), path.name, language="en")
    try:
        return strategies.run(strategy.name, DocumentAnalysis(document, tools), changed(strategy))
    except ChunkscopeError as error:
        if strategy.family != "peers":
            raise
        pytest.skip(f"the library refuses the document: {error}")


def changed(strategy: Strategy) -> Parameters:
    known = {parameter.name for parameter in strategy.params.describe()}
    texts = {"overlap": "1", "chunk_size": "60", "chunk_overlap": "5", "max_tokens": "60"}
    given = {name: text for name, text in texts.items() if name in known}
    try:
        return strategies.parameters(strategy, given)
    except ChunkscopeError:  # where the strategy's own sizes leave no room for such a maximum
        return strategies.parameters(strategy, given | {"max_tokens": "4000"})


def spans(segmentation: Segmentation) -> list[tuple[int, int, int]]:
    return [(chunk.start, chunk.end, chunk.tokens) for chunk in segmentation.chunks]


def reached(segmentation: Segmentation) -> list[tuple[int, int, int]]:
    """The spans of the indexed texts."""
    return [(chunk.indexed_start, chunk.end, chunk.tokens) for chunk in segmentation.chunks]


LIBRARIES = [
    *(("LangChain", "langchain_text_splitters"), ("LlamaIndex", "llama_index.core")),
    *(("Haystack", "haystack"), ("Hugging Face", "datasets")),
]
"""What programs are written for, and the module that they need."""


def shown_by(kind: str) -> Callable[[Segmentation], list[tuple[int, int, int]]]:
    """Return what gives the spans that a program prints: rows of Parquet have the text without its overlap."""
    return spans if kind in ("Python", "Hugging Face") else reached


def printed(out: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, line.split()[:3])) for line in out.splitlines()]


def of_others(text: str, *pieces: str, nests: bool = False) -> Segmentation:
    """Chunks of another program."""
    workspace = DocumentAnalysis(Document(text, (), "other.txt", language="en"), RULES)
    found = [Piece(piece, None, None) for piece in pieces]
    return foreign.segment(workspace, "yours", Parameters(), found, reason="given", nests=nests)


@pytest.fixture
def tree() -> Segmentation:
    """A parent with three parts, one of which has two."""
    text = "One two. Three four. Five six. Seven."
    pieces = (text, "One two.", "Three four. Five six.", "Three four.", "Five six.", "Seven.")
    return of_others(text, *pieces, nests=True)


@pytest.fixture(scope="module")
def guide() -> Segmentation:
    sample = samples.load("field-guide-to-backups")
    strategy = strategies.get("structural")
    texts = {"alpha": "0.4", "overlap": "1", "max_tokens": "200", "min_tokens": "30", "features_off": "list_edge"}
    workspace = DocumentAnalysis(sample.document)
    return strategies.run("structural", workspace, strategies.parameters(strategy, texts))


def test_chunk_rows_have_the_stable_form(guide: Segmentation) -> None:
    text = guide.document.text
    for row in export.chunk_rows(guide):
        assert list(row) == ["index", "start", "end", "text", "overlap", "tokens", "heading_path", "cut", "id"]
        assert text[row["start"] : row["end"]] == row["text"]
        if row["cut"]:
            assert list(row["cut"]) == ["reason", "score", "threshold"]
    assert {row["cut"]["reason"] for row in export.chunk_rows(guide)[1:]} == {"distance", "token_limit"}


def test_gap_rows_have_the_stable_form(guide: Segmentation) -> None:
    rows = list(export.gap_rows(guide))
    starts = {row["start"] for row in export.chunk_rows(guide)}
    assert guide.signals is not None
    assert len(rows) == len(guide.signals)
    for row in rows:
        assert list(row) == [
            *("gap", "offset", "left", "right", "semantic", "structural", "structural_raw", "fused", "threshold"),
            *("boundary", "probability", "features"),
        ]
        assert row["boundary"] == (row["offset"] in starts)
        assert row["fused"] == pytest.approx(0.4 * row["semantic"] + 0.6 * row["structural"])
        assert row["left"][1] <= row["offset"] <= row["right"][0]


def test_a_table_spreads_nested_values_over_columns(guide: Segmentation) -> None:
    rows = list(csv.DictReader(io.StringIO(export.table(export.chunk_rows(guide), export.CHUNK_COLUMNS))))
    assert len(rows) == len(guide.chunks)
    assert rows[0]["cut_reason"] == ""
    overlapped = [row for row in rows if row["overlap_end"]]
    assert overlapped
    assert all(row["overlap_end"] == row["start"] for row in overlapped)
    gaps = list(csv.DictReader(io.StringIO(export.table(list(export.gap_rows(guide)), export.GAP_COLUMNS))))
    assert {"left_start", "right_end", "heading", "after_heading"} <= gaps[0].keys()


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@sum", "\tx", "\rx"])
def test_a_table_runs_no_formula(start: str) -> None:
    text = f"{start} and more"
    for spreadsheet, expected in ((True, f"'{text}"), (False, text)):
        content = export.table([{"text": text}], (), spreadsheet=spreadsheet)
        assert next(csv.DictReader(io.StringIO(content, newline="")))["text"] == expected


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\n\r"])
def test_no_line_end_within_a_cell_begins_a_row(end: str) -> None:
    text = f"Tea{end}=1+1"
    made = export.table([{"index": 0, "text": text}, {"index": 1, "text": "Bread"}], ())
    assert made.splitlines()[0] == "index,text" and made.endswith("1,Bread\n")
    assert f'0,"{text}"\n' in made


@contextlib.contextmanager
def started(words: Sequence[str], root: Path) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        words,
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        yield process


Run = tuple[Segmentation, list[str], str]
"""The chunks that are expected, the words of what prints them, and what that is: a kind of program, or a command."""


def check_runs(runs: Sequence[Run], root: Path) -> None:
    """Start every command as a user would, in a process of its own, all at once; each must print its chunks."""
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(started(run[1], root)) for run in runs]
        for (segmentation, _, kind), process in zip(runs, processes, strict=True):
            out, errors = process.communicate()
            assert process.returncode == 0, errors
            if kind == "command":
                rows = [json.loads(line) for line in out.splitlines()]
                assert [(row["start"], row["end"], row["tokens"]) for row in rows] == spans(segmentation)
            else:
                assert printed(out) == shown_by(kind)(segmentation), kind


def test_an_exported_program_and_command_give_the_same_spans(note: Path, root: Path, tmp_path: Path) -> None:
    segmentation = segmented(strategies.REGISTRY["structural"], note, STATIC)
    script = tmp_path / "program.py"
    script.write_text(export.CODE["Python"](segmentation, STATIC, str(note)), encoding="utf-8")
    python, *words = shlex.split(export.command_line(segmentation, STATIC, str(note)))
    assert [python, *words[:3]] == ["python", "-m", "chunking", "split"]
    runs = [
        (segmentation, [sys.executable, str(script)], "Python"),
        (segmentation, [sys.executable, *words], "command"),
    ]
    check_runs(runs, root)


@pytest.mark.parametrize("strategy", strategies.REGISTRY.values(), ids=lambda strategy: strategy.name)
def test_the_code_of_every_strategy_runs(
    strategy: Strategy, note: Path, hashed: None, capsys: pytest.CaptureFixture[str]
) -> None:
    segmentation = segmented(strategy, note)
    expected = spans(segmentation)
    assert expected or strategy.family == "peers", "some libraries find nothing in such a document"
    capsys.readouterr()
    exec(compile(export.python_code(segmentation, RULES, str(note)), "exported", "exec"), {})
    assert printed(capsys.readouterr().out) == expected
    words = shlex.split(export.command_line(segmentation, RULES, str(note)))
    assert main(words[3:]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["start"], row["end"], row["tokens"]) for row in rows] == expected


@pytest.mark.parametrize(("kind", "module"), LIBRARIES)
@pytest.mark.parametrize("strategy", strategies.REGISTRY.values(), ids=lambda strategy: strategy.name)
def test_the_code_for_other_libraries_runs(
    strategy: Strategy, kind: str, module: str, note: Path, hashed: None, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip(module)
    segmentation = segmented(strategy, note)
    capsys.readouterr()
    exec(compile(export.CODE[kind](segmentation, RULES, str(note)), "exported", "exec"), {})
    assert printed(capsys.readouterr().out) == shown_by(kind)(segmentation)


@pytest.mark.parametrize(("kind", "module"), [("Python", "chunking"), *LIBRARIES])
def test_the_code_of_edits_by_hand_runs(
    kind: str,
    module: str,
    note: Path,
    hashed: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip(module)
    document = load(note.read_bytes(), note.name)
    workspace = DocumentAnalysis(document, RULES)
    place = int(workspace.offsets[2])
    edits = [edit_at(document.text, "cut", place)]
    segmentation = strategies.run("whole", workspace.with_edits(edits))
    assert [chunk.start for chunk in segmentation.chunks] == [0, place]
    capsys.readouterr()
    exec(compile(export.CODE[kind](segmentation, RULES, str(note)), "exported", "exec"), {})
    shown = spans(segmentation) if kind == "Python" else shown_by(kind)(segmentation)
    assert printed(capsys.readouterr().out) == shown
    monkeypatch.chdir(note.parent)
    words = shlex.split(export.command_line(segmentation, RULES, note.name))
    Path(words[-1]).write_text(settings_toml(settings_of(segmentation, RULES)), encoding="utf-8")
    assert main(words[3:]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["start"], row["end"], row["tokens"]) for row in rows] == spans(segmentation)


@pytest.mark.parametrize(
    "line",
    ["heading:level=2", "sentence:max_tokens=12;overlap=0;embed=headings;return=window", "heading:return=parent"],
)
def test_the_code_of_a_search_returns_what_the_evaluation_does(
    line: str, tmp_path: Path, hashed: None, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "note.md").write_text(NOTE, encoding="utf-8")
    setting = strategies.parse(line, retrieval=True)
    code = export.retrieval_code(setting, RULES, "bm25", str(folder)).replace("What is this about?", "water serve")
    exec(compile(code, "exported", "exec"), {})
    sources = [own.source("note.md", load(NOTE.encode(), "note.md"))]
    cut = passages.cut(sources, {"": setting}, RULES)[""]
    found = PassageIndex(cut, sources, RULES).search("water serve", "bm25")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(found) > 0
    for printed_line, hit in zip(lines, found, strict=True):
        assert str([tuple(span) for span in hit.spans]) in printed_line


def test_a_setting_as_a_line_is_read_back(guide: Segmentation) -> None:
    setting = strategies.parse(export.setting_text(guide))
    assert (setting.strategy.name, setting.params) == ("structural", guide.params)
    assert setting.text == export.setting_text(guide)
    plain = replace(guide, params=strategies.get("structural").params())
    assert export.setting_text(plain) == "structural"


def test_a_value_with_spaces_stays_one_word(guide: Segmentation) -> None:
    words = shlex.split(export.command_line(guide, Models(splitter="a b; c"), "x.md"))
    assert words[words.index("--splitter") + 1] == "a b; c"


def test_a_path_with_quotes_and_spaces_stays_one_word(guide: Segmentation) -> None:
    odd = 'it\'s; a "path" $(x).md'
    assert shlex.split(export.command_line(guide, Models(), odd))[4] == odd
    compile(export.python_code(guide, Models(), odd), "code", "exec")
    assert shlex.split(export.command_line(guide, Models(), "-x.md"))[4] == "./-x.md", "a file, not an option"


def test_a_document_without_gaps_exports_nothing_but_its_chunk(hashed: None) -> None:
    one = strategies.run("structural", DocumentAnalysis(from_text("One sentence only.", language="en"), RULES))
    assert [row["text"] for row in export.chunk_rows(one)] == ["One sentence only."]
    assert list(export.gap_rows(one)) == []
    assert export.table([], export.GAP_COLUMNS).strip() == ",".join(export.GAP_COLUMNS)


def test_the_columns_of_an_empty_table_are_those_of_a_full_one(guide: Segmentation) -> None:
    chunks = export.table(export.chunk_rows(guide), ()).splitlines()[0].split(",")
    gaps = export.table(list(export.gap_rows(guide)), ()).splitlines()[0].split(",")
    assert tuple(chunks) == export.CHUNK_COLUMNS
    assert tuple(gaps[: len(export.GAP_COLUMNS)]) == export.GAP_COLUMNS


def test_what_the_limits_did_can_be_read(guide: Segmentation) -> None:
    forced = sum(chunk.cut is not None and chunk.cut.driver == "limit" for chunk in guide.chunks)
    words = export.limits_in_words(guide)
    assert f"{plural(len(guide.suppressed), 'cut')} removed by the limits" in words
    assert f"{plural(forced, 'cut')} added by the maximum" in words
    assert export.limits_in_words(strategies.parse("whole").run(DocumentAnalysis(guide.document))) == ""


def test_chunks_that_nest_tell_their_parent(tree: Segmentation, guide: Segmentation) -> None:
    rows = export.chunk_rows(tree)
    assert [row["parent"] for row in rows] == [None, 0, 0, 2, 2, 0]
    assert list(rows[0]) == [
        *("index", "start", "end", "text", "overlap", "tokens", "heading_path", "cut", "parent", "id"),
    ]
    header = export.table(rows, export.CHUNK_COLUMNS).splitlines()[0]
    assert header == ",".join([*export.CHUNK_COLUMNS[:-1], "parent", "id"])


def read_parquet(data: bytes) -> Any:
    files = pytest.importorskip("pyarrow.parquet")
    return files.read_table(io.BytesIO(data))


def test_parquet_holds_the_same_values(guide: Segmentation) -> None:
    table = read_parquet(export.parquet(guide))
    rows = table.to_pylist()
    assert len(rows) == len(guide.chunks)
    for row, chunk, given in zip(rows, guide.chunks, export.chunk_rows(guide), strict=True):
        assert all(
            row[name] == given[name] for name in ("id", "index", "start", "end", "text", "tokens", "heading_path")
        )
        overlap, cut = chunk.overlap, chunk.cut
        assert (row["overlap_start"], row["overlap_end"]) == (tuple(overlap) if overlap else (None, None))
        told = (cut.reason, cut.score, cut.threshold) if cut else (None, None, None)
        assert (row["cut_reason"], row["cut_score"], row["cut_threshold"]) == told
        assert (row["notes"], row["overlap_tokens"]) == (list(chunk.notes), chunk.overlap_tokens)
        assert row["parent"] is None and row["library_text"] is None
    assert any(row["overlap_start"] is not None for row in rows)
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["start"], types["text"], types["cut_score"]) == ("int64", "string", "double")
    assert types["heading_path"].startswith("list<") and "string" in types["heading_path"]
    about = {name.decode(): value.decode() for name, value in table.schema.metadata.items()}
    assert about["source"] == guide.document.name
    assert strategies.parse(f"{about['strategy']}:{about['parameters']}").params == guide.params


def test_parquet_holds_times_and_speakers_as_the_other_formats_do() -> None:
    cues = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Is it hot?\n\n00:03.000 --> 00:04.500\n<v Bo>It is.\n"
    document = load(cues.encode(), "tea.vtt")
    result = strategies.parse("sentence:max_tokens=30;overlap=0").run(DocumentAnalysis(document))
    rows, given = read_parquet(export.parquet(result)).to_pylist(), export.chunk_rows(result)
    names = ("start_time", "end_time", "speakers")
    assert [[row[name] for name in names] for row in rows] == [[row[name] for name in names] for row in given]
    assert [row["speakers"] for row in rows] == [["Ada"], ["Bo"]]
    empty = read_parquet(export.parquet(of_others(""))).schema
    assert empty.equals(read_parquet(export.parquet(result)).schema)


def test_parquet_has_the_same_columns_whatever_is_in_it(tree: Segmentation, guide: Segmentation) -> None:
    nested, empty = read_parquet(export.parquet(tree)), read_parquet(export.parquet(of_others("")))
    assert nested.schema.equals(empty.schema) and nested.schema.equals(read_parquet(export.parquet(guide)).schema)
    assert (len(empty), nested.column("parent").to_pylist()) == (0, [None, 0, 0, 2, 2, 0])


def test_text_that_another_library_changed_is_told() -> None:
    changed = of_others("One  two. Three four.", "One two.", "Three four.")
    assert [row["library_text"] for row in read_parquet(export.parquet(changed)).to_pylist()] == ["One two.", None]
    rows = export.langchain_rows(changed)
    assert [row["page_content"] for row in rows] == ["One two.", "Three four."]
    assert [row["metadata"]["altered"] for row in rows] == [True, False]
    assert [row["text"] for row in export.chunk_rows(changed)] == ["One  two.", "Three four."], "the source's own"


ODD = "Nul \0 here.\r\nTab\tand \u2028 line. Lone \ud83d one. Pair \ud83d\ude42 joined. \U0001f642 e\u0301 \ufeff end."


def odd() -> Segmentation:
    halves = of_others(ODD, ODD[:40], ODD[40:])
    assert "".join(chunk.text for chunk in halves.chunks) == ODD
    return halves


def texts_of_lines(lines: str, name: str) -> str:
    return "".join(json.loads(line)[name] for line in lines.encode("utf-8").decode("utf-8").split("\n") if line)


def test_odd_text_keeps_its_offsets_in_every_format() -> None:
    seen = "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in ODD)
    assert texts_of_lines(export.jsonl(export.chunk_rows(odd())), "text") == seen
    assert texts_of_lines(export.jsonl(export.langchain_rows(odd())), "page_content") == seen
    assert texts_of_lines(export.jsonl(export.llama_index_rows(odd())), "text") == seen
    assert texts_of_lines(export.jsonl(export.haystack_rows(odd())), "content") == seen
    assert "".join(row["text"] for row in read_parquet(export.parquet(odd())).to_pylist()) == seen
    table = export.table(export.chunk_rows(odd()), export.CHUNK_COLUMNS).encode("utf-8").decode("utf-8")
    assert "".join(row["text"] for row in csv.DictReader(io.StringIO(table, newline=""))) == seen


def test_a_langchain_row_is_a_document(guide: Segmentation) -> None:
    documents = pytest.importorskip("langchain_core.documents")
    text = guide.document.text
    for row, chunk in zip(export.langchain_rows(guide), guide.chunks, strict=True):
        row = json.loads(export.jsonl([row]))
        document = documents.Document(**row)
        assert document.model_dump() == row, "every field is the library's own"
        about = document.metadata
        assert text[about["start_index"] : about["end_index"]] == document.page_content
        assert text[about["chunk_start"] : about["chunk_end"]] == chunk.text
        assert (about["tokens"], about["source"]) == (chunk.tokens, guide.document.name)
        assert about["heading_path"] == " › ".join(chunk.heading_path)
        assert about["cut_reason"] == (chunk.cut.reason if chunk.cut else "")
        assert strategies.parse(f"{about['strategy']}:{about['parameters']}").params == guide.params
        assert all(isinstance(value, (str, int)) for value in about.values()), "flat, and never null"
    assert any(row["metadata"]["start_index"] < row["metadata"]["chunk_start"] for row in export.langchain_rows(guide))


def test_a_llama_index_row_is_a_text_node(guide: Segmentation) -> None:
    schema = pytest.importorskip("llama_index.core.schema")
    text = guide.document.text
    rows = [json.loads(line) for line in export.jsonl(export.llama_index_rows(guide)).split("\n") if line]
    nodes = [schema.TextNode.from_dict(row) for row in rows]
    for place, (row, node, chunk) in enumerate(zip(rows, nodes, guide.chunks, strict=True)):
        dumped = node.to_dict()
        assert {name: dumped[name] for name in row} == row, "every field is the library's own"
        assert text[node.start_char_idx : node.end_char_idx] == node.text
        assert (node.metadata["start_index"], node.metadata["end_index"]) == (node.start_char_idx, node.end_char_idx)
        assert (node.metadata["chunk_start"], node.metadata["chunk_end"]) == (chunk.start, chunk.end)
        before = f"heading_path: {' › '.join(chunk.heading_path)}\n\n" if chunk.heading_path else ""
        assert node.get_content(metadata_mode=schema.MetadataMode.EMBED) == f"{before}{node.text}".strip()
        assert node.get_content(metadata_mode=schema.MetadataMode.LLM) == node.text
        assert node.source_node.node_type == schema.ObjectType.DOCUMENT
        assert (node.prev_node.node_id if node.prev_node else None) == (nodes[place - 1].node_id if place else None)
        after = nodes[place + 1].node_id if place + 1 < len(nodes) else None
        assert (node.next_node.node_id if node.next_node else None) == after
        assert node.parent_node is None and node.child_nodes is None
    assert len({node.ref_doc_id for node in nodes}) == 1


def test_a_haystack_row_is_a_document(guide: Segmentation) -> None:
    haystack = pytest.importorskip("haystack")
    text = guide.document.text
    rows = [json.loads(line) for line in export.jsonl(export.haystack_rows(guide)).split("\n") if line]
    made = [haystack.Document.from_dict(row) for row in rows]
    for place, (row, document, chunk) in enumerate(zip(rows, made, guide.chunks, strict=True)):
        assert {name: document.to_dict(flatten=False)[name] for name in row} == row, "every field is the library's own"
        start = document.meta["split_idx_start"]
        assert text[start : start + len(document.content)] == document.content
        assert (document.meta["chunk_start"], document.meta["chunk_end"]) == (chunk.start, chunk.end)
        assert (document.meta["split_id"], document.meta["source"]) == (place, guide.document.name)
    assert len({document.meta["source_id"] for document in made}) == 1


def test_haystack_finds_the_text_around_a_chunk(guide: Segmentation) -> None:
    retrievers = pytest.importorskip("haystack.components.retrievers")
    stores = pytest.importorskip("haystack.document_stores.in_memory")
    documents = pytest.importorskip("haystack").Document
    store = stores.InMemoryDocumentStore()
    made = [documents.from_dict(row) for row in export.haystack_rows(guide)]
    store.write_documents(made)
    found = retrievers.SentenceWindowRetriever(store, window_size=1).run(retrieved_documents=[made[2]])
    first, last = guide.chunks[1], guide.chunks[3]
    assert found["context_windows"] == [guide.document.text[first.indexed_start : last.end]], "overlap is not repeated"


def test_nodes_of_a_tree_are_related(tree: Segmentation) -> None:
    schema = pytest.importorskip("llama_index.core.schema")
    nodes = [schema.TextNode.from_dict(row) for row in export.llama_index_rows(tree)]
    place = {node.node_id: number for number, node in enumerate(nodes)}

    def numbers(name: str) -> list[int | None]:
        found = [getattr(node, name) for node in nodes]
        return [place[other.node_id] if other else None for other in found]

    assert numbers("parent_node") == [None, 0, 0, 2, 2, 0]
    assert numbers("prev_node") == [None, None, 1, None, 3, 2]
    assert numbers("next_node") == [None, 2, 5, 4, None, None]
    parts = [[place[part.node_id] for part in node.child_nodes or []] for node in nodes]
    assert parts == [[1, 2, 5], [], [3, 4], [], [], []]
    rows = export.langchain_rows(tree)
    assert [row["metadata"].get("parent") for row in rows] == [None, 0, 0, 2, 2, 0]
    assert [row["metadata"]["index"] for row in rows] == list(range(6))


def test_ids_are_uuids_of_what_is_embedded(guide: Segmentation) -> None:
    first = [row["id"] for row in export.langchain_rows(guide)]
    assert len(set(first)) == len(first) and all(uuid.UUID(known) for known in first)
    assert [row["id_"] for row in export.llama_index_rows(guide)] == first
    assert [row["id"] for row in export.chunk_rows(guide)] == first
    other = replace(guide, params=strategies.parameters(strategies.get("structural"), {"alpha": "0.41"}))
    assert export.chunk_ids(other) == first, "whatever setting made the chunk"
    renamed = replace(guide, document=replace(guide.document, name="other.md"))
    assert not set(export.chunk_ids(renamed)) & set(first)


def test_an_edit_changes_the_id_of_the_chunk_it_is_in() -> None:
    def ids(text: str, setting: str = "heading") -> list[str]:
        return export.chunk_ids(strategies.parse(setting).run(DocumentAnalysis(from_text(text, "tea.md"))))

    text = "# Tea\n\nBoil.\n\n## Green\n\nCool.\n\n## White\n\nWait.\n\n## White\n\nWait.\n\n"
    before = ids(text)
    assert len(set(before)) == 4, "the same chunk twice has two"
    assert ids(text.replace("Cool", "Chill"))[2:] == before[2:] and ids("Before.\n\n" + text)[1:] == before
    renamed = ids(text.replace("# Tea", "# Tee"))
    assert not set(renamed) & set(before), "its heading path is embedded with each chunk"
    overlapping = ids("One two. Three four.\n\nFive six.\n", "fixed_size:max_tokens=6;overlap=3")
    assert len(overlapping) > 1
    edited = ids("One two. Three for.\n\nFive six.\n", "fixed_size:max_tokens=6;overlap=3")
    assert overlapping[1] != edited[1], "so is its overlap"
