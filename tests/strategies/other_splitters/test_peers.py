"""Every peer on every odd document, with the defaults and the true offsets of its library."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import samples
from chunking.alignment.pieces import Piece
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.params import Parameters
from chunking.runtime.arrays import Float32
from chunking.strategies import other_splitters
from chunking.strategies.other_splitters import INSTALL, PEERS, Peer, get, installed
from chunking.tokens import Cl100k, get_tokenizer
from chunking.workspace import DocumentAnalysis, Models
from tests.vectors import hashed


class Quick(DocumentAnalysis):
    """A workspace whose vectors are made of a hash, so that no model is loaded."""

    embedded_texts: int = 0

    def embed(self, texts: Sequence[str]) -> Float32:
        self.embedded_texts += len(texts)
        return hashed(texts)


def need(peer: Peer) -> None:
    if not installed(peer):
        pytest.skip(f"{peer.package} is missing: pip install -r requirements-peers.txt")


def split(name: str, text: str, document: str = "untitled", tools: Models | None = None, **params: Any) -> list[Piece]:
    peer = get(name)
    need(peer)
    return peer.split(Quick(Document(text, (), document), tools), peer.params(**params))


each_peer = pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)

MARKDOWN = samples.load("field-guide-to-backups").document.text
PLAIN = samples.load("on-walking-to-work").document.text
HTML = """<html><head><title>Head</title></head><body>
<h1>Tides</h1><p>The sea <b>rises</b> twice a day.</p><p>It falls as often.</p>
<ul><li>Ebb.</li><li>Flood.</li></ul><div>In no chosen element.</div></body></html>"""
CODE = "import os\n\n\n@cache\ndef first(a: int) -> int:\n    return a + 1\n\n\nclass Second:\n    x = 'é漢😀'\n\n" * 30
JSON = '{"title": "Tides", "parts": [{"name": "ebb", "hours": 6}, {"name": "flood", "hours": 6}]}'
CJK = "潮は一日に二度満ちます。そして同じだけ引きます！本当ですか？はい、本当です。" * 60
EMOJI = "He said 👍🏽 to it. Cafe\u0301 is open!\r\n\r\nA family: 👩‍👩‍👧‍👦. Is it? Yes; 漢字.\r\n" * 80

ODD = {
    "markdown": MARKDOWN,
    "plain": PLAIN,
    "html": HTML,
    "code": CODE,
    "json": JSON,
    "empty": "",
    "word": "word",
    "white": " \n\n\t \r\n",
    "long word": "x" * 1000,
    "cjk": CJK,
    "emoji": EMOJI,
    "surrogate": "One \ud800 two. Three \udfff four. " * 40,
    "nul": "One\0two. Three four. " * 40,
}


@pytest.mark.parametrize("odd", ODD)
@each_peer
def test_every_document_gives_pieces_or_says_why_not(peer: Peer, odd: str) -> None:
    need(peer)
    try:
        pieces = peer.split(Quick(Document(ODD[odd], ())), peer.params())
    except ChunkscopeError as error:
        assert peer.name == "llamaindex_code"
        assert "is not known from its name" in error.problem
        return
    assert all(isinstance(piece, Piece) and isinstance(piece.text, str) for piece in pieces)
    assert all((piece.start is None) == (piece.end is None) for piece in pieces)
    if odd in ("markdown", "plain", "cjk", "emoji", "word", "long word") and peer.name not in MADE_FOR:
        got, source = ("".join("".join(piece.text for piece in pieces).split()), "".join(ODD[odd].split()))
        assert len(got) >= 0.9 * len(source), "next to nothing of a text is lost, but for headings and white space"


MADE_FOR = {"llamaindex_html": "html", "llamaindex_json": "json", "llamaindex_code": "code"}

EXACT = [
    "langchain_recursive",
    "llamaindex_sentence",
    "llamaindex_semantic",
    "chonkie_token",
    "chonkie_sentence",
    "chonkie_recursive",
    "chonkie_semantic",
    "semchunk",
    "semantic_text_splitter",
    "llamaindex_hierarchical",
]
"""Peers whose offsets are true on ordinary text."""


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("odd", ["markdown", "plain", "cjk", "emoji"])
def test_the_offsets_count_characters_of_the_source(name: str, odd: str) -> None:
    small: dict[str, dict[str, Any]] = {
        "langchain_recursive": {"chunk_size": 100, "chunk_overlap": 20},
        "llamaindex_sentence": {"chunk_size": 60, "chunk_overlap": 10},
        "chonkie_token": {"chunk_size": 100, "chunk_overlap": 10},
        "chonkie_sentence": {"chunk_size": 100},
        "chonkie_recursive": {"chunk_size": 100},
        "chonkie_semantic": {"chunk_size": 100},
        "semchunk": {"chunk_size": 50, "overlap": 10},
        "semantic_text_splitter": {"capacity": 100, "overlap": 10},
    }
    pieces = split(name, ODD[odd], **small.get(name, {}))
    # Chonkie knows no Japanese stop, and meaning need not change in text that repeats itself.
    assert len(pieces) > 1 or odd in ("cjk", "emoji")
    for piece in pieces:
        assert piece.start is not None
        assert ODD[odd][piece.start : piece.end] == piece.text
    if not get(name).nests and name != "langchain_recursive":
        starts = [piece.start or 0 for piece in pieces]
        assert starts == sorted(starts)


def test_children_lie_inside_their_parents() -> None:
    pieces = split("llamaindex_hierarchical", PLAIN * 4, chunk_size_1=400, chunk_size_2=100, chunk_size_3=50)
    spans = [(piece.start or 0, piece.end or 0) for piece in pieces]
    count = get_tokenizer().count([piece.text for piece in pieces])
    leaves = [span for span, size in zip(spans, count, strict=True) if size <= 50]
    parents = [span for span, size in zip(spans, count, strict=True) if size > 100]
    assert len(leaves) > len(parents) > 1
    assert all(any(start <= leaf[0] and leaf[1] <= end for start, end in parents) for leaf in leaves)


# Each library's own defaults

_PARSERS = "llama_index.core.node_parser"
SIGNATURES = {
    "langchain_recursive": ("langchain_text_splitters", "TextSplitter", "chunk_size chunk_overlap"),
    "langchain_semantic": ("langchain_experimental.text_splitter", "SemanticChunker", "buffer=buffer_size"),
    "llamaindex_sentence": (_PARSERS, "SentenceSplitter", "chunk_size chunk_overlap"),
    "llamaindex_semantic": (
        _PARSERS,
        "SemanticSplitterNodeParser.from_defaults",
        "breakpoint_percentile_threshold buffer_size",
    ),
    "llamaindex_html": (_PARSERS, "HTMLNodeParser.from_defaults", "tags"),
    "llamaindex_code": (_PARSERS, "CodeSplitter", "max_chars max_tokens count_mode"),
    "llamaindex_hierarchical": (_PARSERS, "HierarchicalNodeParser.from_defaults", "chunk_overlap"),
    "chonkie_token": ("chonkie", "TokenChunker", "chunk_size chunk_overlap"),
    "chonkie_sentence": (
        "chonkie",
        "SentenceChunker",
        "chunk_size chunk_overlap min_sentences_per_chunk min_characters_per_sentence include_delim",
    ),
    "chonkie_recursive": ("chonkie", "RecursiveChunker", "chunk_size min_characters_per_chunk"),
    "chonkie_semantic": (
        "chonkie",
        "SemanticChunker",
        " ".join(known.name for known in get("chonkie_semantic").params.describe()),
    ),
}
"""Module, class or function, and the parameters with its defaults; ``OURS=THEIRS`` where names differ."""


@pytest.mark.parametrize("name", SIGNATURES)
def test_defaults_are_those_of_the_library(name: str) -> None:
    need(get(name))
    module, path, names = SIGNATURES[name]
    target: Any = importlib.import_module(module)
    for part in path.split("."):
        target = getattr(target, part)
    known = inspect.signature(target).parameters
    defaults = get(name).params()
    for ours, _, theirs in (pair.partition("=") for pair in names.split()):
        value = getattr(defaults, ours)
        assert (list(value) if isinstance(value, tuple) else value) == known[theirs or ours].default, ours


def test_defaults_that_no_signature_states() -> None:
    need(get("langchain_semantic"))
    from langchain_experimental.text_splitter import BREAKPOINT_DEFAULTS

    params = get("langchain_semantic").params
    for rule, amount in BREAKPOINT_DEFAULTS.items():
        assert getattr(params.parse({"threshold": rule}), "amount") == amount  # noqa: B009
    from llama_index.core.node_parser import HierarchicalNodeParser

    defaults: Any = get("llamaindex_hierarchical").params()
    made = HierarchicalNodeParser.from_defaults()
    assert [f"chunk_size_{size}" for size in defaults.sizes] == made.node_parser_ids


def llama_index_default(monkeypatch: pytest.MonkeyPatch, stopwords: object) -> Callable[[str], list[str]]:
    """Return LlamaIndex's default sentence splitter, which reads stop words that it does not use."""
    from llama_index.core.node_parser.text import utils
    from llama_index.core.utils import GlobalsHelper

    monkeypatch.setattr(utils, "globals_helper", GlobalsHelper())
    monkeypatch.setattr(GlobalsHelper, "wait_for_nltk_check", lambda _: None)
    monkeypatch.setattr("nltk.corpus.stopwords", stopwords)
    splitter: Callable[[str], list[str]] = utils.split_by_sentence_tokenizer()
    return splitter


def test_what_is_set_otherwise_for_speed_or_safety_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """LlamaIndex's sentences are the default's; Chonkie's and LangChain's pieces are those of a plain call."""
    need(get("llamaindex_sentence"))
    need(get("chonkie_recursive"))
    need(get("langchain_recursive"))
    from chonkie import RecursiveChunker, SentenceChunker
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    from chunking.strategies.other_splitters import llama_index

    default = llama_index_default(monkeypatch, SimpleNamespace(words=lambda _: []))
    for text in (MARKDOWN, PLAIN, CJK, EMOJI):
        assert llama_index._punkt_splitter()(text) == default(text)
        assert texts(split("chonkie_recursive", text)) == [chunk.text for chunk in RecursiveChunker().chunk(text)]
        assert texts(split("chonkie_sentence", text)) == [chunk.text for chunk in SentenceChunker().chunk(text)]
        assert texts(split("langchain_recursive", text)) == RecursiveCharacterTextSplitter().split_text(text)


def test_no_splitter_reads_the_stop_words_that_nltk_refuses_where_they_are_a_hard_link(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """uv installs the files of a package as hard links to its cache."""
    need(get("llamaindex_sentence"))
    read: Any = importlib.import_module("nltk.corpus.reader").WordListCorpusReader
    (tmp_path / "cache").write_text("the\n")
    (tmp_path / "english").hardlink_to(tmp_path / "cache")
    monkeypatch.setattr("nltk.data.path", [str(tmp_path)])
    default = llama_index_default(monkeypatch, read(str(tmp_path), ["english"]))
    with pytest.raises(PermissionError, match="st_nlink=2"):
        default(PLAIN)
    for name in ("llamaindex_sentence", "llamaindex_semantic", "llamaindex_hierarchical"):
        assert split(name, PLAIN)


def texts(pieces: list[Piece]) -> list[str]:
    return [piece.text for piece in pieces]


# Parameters reach the library


@pytest.mark.parametrize(
    ("name", "params", "smaller"),
    [
        ("langchain_recursive", {"chunk_size": 300, "chunk_overlap": 0}, {"unit": "tokens"}),
        (
            "langchain_recursive",
            {"chunk_size": 300, "chunk_overlap": 0, "separators": "markdown"},
            {"keep_separator": "end"},
        ),
        ("langchain_recursive", {"chunk_size": 300, "chunk_overlap": 0}, {"separators": "markdown"}),
        ("langchain_markdown", {}, {"level": 1}),
        ("langchain_markdown", {}, {"headings": "keep"}),
        ("langchain_semantic", {}, {"percentile": 50}),
        ("langchain_semantic", {}, {"threshold": "standard_deviation", "deviations": 1}),
        ("langchain_semantic", {}, {"threshold": "interquartile", "iqr_factor": 0.2}),
        ("langchain_semantic", {}, {"threshold": "gradient"}),
        ("langchain_semantic", {}, {"buffer": 0}),
        ("langchain_semantic", {"percentile": 20}, {"min_chunk_size": 900}),
        ("llamaindex_sentence", {}, {"chunk_size": 300}),
        ("llamaindex_sentence", {"chunk_size": 300}, {"chunk_overlap": 0}),
        ("llamaindex_semantic", {}, {"breakpoint_percentile_threshold": 50}),
        ("llamaindex_semantic", {}, {"buffer_size": 3}),
        ("llamaindex_hierarchical", {}, {"chunk_size_3": 64}),
        ("chonkie_token", {}, {"chunk_size": 100}),
        ("chonkie_token", {"chunk_size": 100}, {"chunk_overlap": 20}),
        ("chonkie_token", {"chunk_size": 100}, {"unit": "tokens"}),
        ("chonkie_sentence", {}, {"chunk_size": 300}),
        ("chonkie_sentence", {"chunk_size": 300}, {"unit": "tokens"}),
        ("chonkie_sentence", {"chunk_size": 20}, {"min_sentences_per_chunk": 5}),
        ("chonkie_recursive", {}, {"chunk_size": 300}),
        ("chonkie_recursive", {"chunk_size": 300}, {"unit": "tokens"}),
        ("chonkie_semantic", {}, {"threshold": 0.2}),
        ("chonkie_semantic", {}, {"similarity_window": 1}),
        ("chonkie_semantic", {}, {"chunk_size": 50}),
        ("semchunk", {}, {"chunk_size": 60}),
        ("semchunk", {"chunk_size": 60}, {"overlap": 20}),
        ("semantic_text_splitter", {}, {"capacity": 200}),
        ("semantic_text_splitter", {"capacity": 200}, {"unit": "tokens"}),
        ("semantic_text_splitter", {"capacity": 200}, {"syntax": "markdown"}),
        ("semantic_text_splitter", {"capacity": 200}, {"trim": "no"}),
        ("semantic_text_splitter", {"capacity": 200}, {"overlap": 100}),
    ],
    ids=lambda value: value if isinstance(value, str) else "+".join(value),
)
def test_each_parameter_changes_the_pieces(name: str, params: dict[str, Any], smaller: dict[str, Any]) -> None:
    assert texts(split(name, MARKDOWN, **params)) != texts(split(name, MARKDOWN, **(params | smaller)))


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "all-MiniLM-L6-v2"])
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("langchain_recursive", {"chunk_size": 40, "chunk_overlap": 0, "unit": "tokens"}),
        ("llamaindex_sentence", {"chunk_size": 40, "chunk_overlap": 0}),
        ("chonkie_token", {"chunk_size": 40, "unit": "tokens"}),
        ("chonkie_recursive", {"chunk_size": 40, "unit": "tokens"}),
        ("semchunk", {"chunk_size": 40}),
        ("semantic_text_splitter", {"capacity": 40, "unit": "tokens"}),
    ],
)
def test_tokens_are_those_of_the_workspace(name: str, params: dict[str, Any], tokenizer: str) -> None:
    pieces = split(name, PLAIN, tools=Models(tokenizer=tokenizer), **params)
    counts = get_tokenizer(tokenizer).count(texts(pieces))
    # LangChain adds up the tokens of the parts that it joins, which need not be those of the whole; nor need those
    # of a text that Chonkie has cut out be those that it counted.
    assert counts.max() <= (45 if name in ("langchain_recursive", "chonkie_token") else 40)
    assert np.median(counts) > 15


@pytest.mark.parametrize("params", [{"overlap": 1}, {"overlap": 19}, {"chunk_size": 2}])
def test_semchunk_says_which_sizes_a_character_exceeds(params: dict[str, Any]) -> None:
    """With an overlap it splits down to the smaller of the overlap and the rest, and for ever below a character."""
    text = "항구는 괄호 안에 있다. " * 20
    with pytest.raises(ChunkscopeError, match=r"semchunk .*makes? pieces of [12], but the character '.' has 3 tokens"):
        split("semchunk", text, **({"chunk_size": 20} | params))
    assert len(split("semchunk", text, chunk_size=20, overlap=3)) > 1
    assert len(split("semchunk", text, chunk_size=3)) > 1


def test_the_longest_token_is_known() -> None:
    counter = get_tokenizer("cl100k_base")
    assert isinstance(counter, Cl100k)
    assert max(map(len, counter._encoding.token_byte_values())) == other_splitters.others._longest_token("cl100k_base")


@pytest.mark.parametrize("name", ["langchain_semantic", "llamaindex_semantic", "chonkie_semantic"])
def test_the_semantic_peers_embed_through_the_workspace(name: str) -> None:
    peer = get(name)
    need(peer)
    workspace = Quick(Document(PLAIN, ()))
    assert len(peer.split(workspace, peer.params())) > 1
    assert workspace.embedded_texts > 10


# Formats


def test_every_language_of_langchain_is_offered() -> None:
    need(get("langchain_recursive"))
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    choices = set(get("langchain_recursive").params.lookup("separators").choices) - {"text"}
    for language in choices:
        assert split("langchain_recursive", CODE, separators=language)
    for missing in {language.value for language in Language} - choices:
        with pytest.raises(ValueError, match="not implemented"):
            RecursiveCharacterTextSplitter.from_language(Language(missing))


def test_html_is_split_by_its_elements() -> None:
    found = texts(split("llamaindex_html", HTML))
    assert found[0] == "Tides"
    assert any("It falls as often." in text for text in found)
    assert not any("In no chosen element" in text for text in found)
    assert any("In no chosen element" in text for text in texts(split("llamaindex_html", HTML, tags=("div",))))


@pytest.mark.parametrize(("name", "params"), [("llamaindex_html", {}), ("langchain_recursive", {"separators": "html"})])
def test_what_reads_tags_gets_the_file_that_a_page_was_read_from(name: str, params: dict[str, Any]) -> None:
    peer = get(name)
    need(peer)
    page = load(HTML.encode(), "tides.html")
    pieces = peer.split(Quick(page, Models()), peer.params(**params))
    assert texts(pieces) == texts(split(name, HTML, **params))
    assert {piece.start for piece in pieces} == {None}


def test_json_is_rewritten_as_paths() -> None:
    assert texts(split("llamaindex_json", JSON))[0].split("\n")[0] == "title Tides"
    assert len(split("llamaindex_json", '[{"a": 1}, {"b": 2}]')) == 2
    assert split("llamaindex_json", "not JSON") == []
    with pytest.raises(ChunkscopeError, match="LlamaIndex cannot split this document: ValueError: JSON is invalid"):
        split("llamaindex_json", "3")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.py", "def f():\n    pass\n"),
        ("a.js", "function f() {}\n"),
        ("A.RS", "fn main() {}\n"),
        ("a.c", "int main() { return 0; }\n"),
        ("a.html", "<p>a</p>\n"),
        ("a.json", '{"a": 1}\n'),
    ],
)
def test_the_language_comes_from_the_name(name: str, code: str) -> None:
    pieces = split("llamaindex_code", code * 30, document=name, max_chars=60)
    assert len(pieces) > 1
    assert "".join("".join(texts(pieces)).split()) == "".join((code * 30).split())


def test_the_language_of_code_can_be_chosen() -> None:
    assert len(split("llamaindex_code", CODE, document="notes.txt", language="python", max_chars=200)) > 5
    assert len(split("llamaindex_code", CODE, document="a.py", count_mode="token", max_tokens=40)) > 5
    with pytest.raises(ChunkscopeError, match=r"language of 'notes\.txt' is not known"):
        split("llamaindex_code", CODE, document="notes.txt")
    with pytest.raises(ChunkscopeError, match="Could not parse code"):
        split("llamaindex_code", CJK, document="a.py")


# Errors


def test_every_name_is_its_own_and_every_peer_is_described() -> None:
    assert len({peer.name for peer in PEERS}) == len(PEERS) == 16
    for peer in PEERS:
        assert peer.summary.endswith(".")
        assert all(known.help.endswith(".") and known.title for known in peer.params.describe())
        assert issubclass(peer.params, Parameters)
        if installed(peer):
            assert importlib.metadata.version(peer.package) in peer.origin
            assert peer.licence in peer.origin
    with pytest.raises(ChunkscopeError, match="Unknown peer 'nobody'"):
        get("nobody")


def test_a_missing_library_is_said() -> None:
    for module in ("no_such_module", "no_such_package.module", "chunking.no_such_module"):
        peer = replace(get("semchunk"), modules=(module,))
        assert not installed(peer)
        assert "not installed" in peer.origin
        with pytest.raises(ChunkscopeError) as caught:
            peer.split(Quick(Document("text", ())), peer.params())
        assert caught.value.problem == "semchunk (semchunk) is not installed."
        assert caught.value.remedy == INSTALL


def raising(error: Exception) -> Callable[[DocumentAnalysis, Any], list[Piece]]:
    def call(workspace: DocumentAnalysis, params: Any) -> list[Piece]:
        raise error

    return call


def test_what_a_library_raises_names_it() -> None:
    workspace = Quick(Document("text", ()))
    peer = replace(get("semchunk"), modules=("json",))
    with pytest.raises(ChunkscopeError, match="semchunk cannot split this document: KeyError: 'a'"):
        replace(peer, call=raising(KeyError("a"))).split(workspace, peer.params())
    with pytest.raises(ChunkscopeError, match=r"semchunk cannot be used: no b\. Install it"):
        replace(peer, call=raising(ImportError("no b"))).split(workspace, peer.params())
    with pytest.raises(ChunkscopeError, match="^ours$"):
        replace(peer, call=raising(ChunkscopeError("ours"))).split(workspace, peer.params())


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("langchain_recursive", {"chunk_size": 10, "chunk_overlap": 11}),
        ("llamaindex_sentence", {"chunk_size": 10, "chunk_overlap": 11}),
        ("llamaindex_hierarchical", {"chunk_size_3": 10, "chunk_overlap": 11}),
        ("llamaindex_hierarchical", {"chunk_size_2": 128}),
        ("chonkie_token", {"chunk_size": 10, "chunk_overlap": 10}),
        ("chonkie_sentence", {"chunk_size": 10, "chunk_overlap": 10}),
        ("chonkie_semantic", {"filter_window": 3}),
        ("semchunk", {"chunk_size": 10, "overlap": 10}),
        ("semantic_text_splitter", {"capacity": 10, "overlap": 10}),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(name: str, params: dict[str, int]) -> None:
    with pytest.raises(ChunkscopeError, match="too large|do not decrease"):
        get(name).params(**params)


CHARACTERS = st.sampled_from(list("ab.?! \n\r\t#-`\"'{}[](),;漢。é\u0301😀👍🏽\u200d\u2028\u3000\x00"))


@each_peer
@settings(max_examples=25)
@given(text=st.text(CHARACTERS, max_size=120), size=st.integers(1, 40))
def test_any_text_and_any_size(peer: Peer, text: str, size: int) -> None:
    need(peer)
    names = {known.name for known in peer.params.describe()}
    smallest = {"chunk_size": size, "chunk_overlap": size // 3, "capacity": size, "max_chars": size, "overlap": 0}
    if "chunk_size_1" in names:
        smallest = {"chunk_size_1": size + 2, "chunk_size_2": size + 1, "chunk_size_3": size, "chunk_overlap": 0}
    params = peer.params(**{name: value for name, value in smallest.items() if name in names})
    try:
        pieces = peer.split(Quick(Document(text, (), "a.py")), params)
    except ChunkscopeError as error:
        # LlamaIndex parses no broken code and, like semchunk, splits no character of more tokens than the size.
        refusals = (
            "LlamaIndex cannot split this document: ValueError",
            "semchunk cannot split this document: Recursion",
            "semchunk cannot make pieces of",
        )
        assert error.problem.startswith(refusals)
        return
    assert all(piece.start is None or 0 <= piece.start <= len(text) for piece in pieces)
