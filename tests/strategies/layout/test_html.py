from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.strategies.base import Segmentation
from chunking.strategies.layout.html import STRATEGIES, HtmlParameters
from chunking.workspace import DocumentAnalysis, Models
from tests.examples import examples
from tests.strategies.checks import BLOCKS, check_layout, details, texts

ANY = st.text(st.characters(exclude_categories=()), max_size=80)


def run(text: str, kind: str = "text", name: str = "x", **params: Any) -> Segmentation:
    workspace = DocumentAnalysis(Document(text, BLOCKS[kind](text), name, kind), Models(splitter="rules"))
    return STRATEGIES[0].run(workspace, HtmlParameters(**params))


PIECES = [
    "<p>",
    "</p>",
    "<H2 class='a>b'>",
    "</h2>",
    "<li>",
    "<ul>",
    "</ul>",
    "<section>",
    "</section>",
    "<!-- <p> -->",
    "words é😀",
    "<script>'<p>'</script>",
    "<style>p{}</style>",
    "<",
    ">",
    "&amp;",
    "<br/>",
    "\r\n",
    "</",
    "<p",
]
sources = st.lists(st.one_of(st.sampled_from(PIECES), ANY), max_size=14).map("".join)


@settings(max_examples=examples(200))
@given(sources, st.sampled_from([0, 3, 12]))
def test_whatever_the_text_chunks_tile_and_keep_the_maximum(text: str, maximum: int) -> None:
    result = run(text, max_tokens=maximum)
    check_layout(result, text, {"element"}, maximum)
    for chunk in result.chunks:
        if chunk.cut and chunk.cut.reason == "element":
            assert chunk.text.lower().startswith(chunk.cut.detail.split(">")[0])
    assert result.chunks == run(text, max_tokens=maximum).chunks


@given(st.lists(st.tuples(st.sampled_from(["p", "h1", "h2", "li"]), st.text("aé字😀 \n", min_size=1)), min_size=1))
def test_every_element_begins_a_chunk(elements: list[tuple[str, str]]) -> None:
    parts = [f"<{tag}>{text}</{tag}>" for tag, text in elements]
    result = run("".join(parts))
    assert texts(result) == parts
    assert details(result) == [f"<{tag}>" for tag, _ in elements[1:]]


def test_elements_that_open_together_begin_one_chunk() -> None:
    result = run("<p>a</p>\n<section>\n <!-- c --><h2>A</h2><p>b</p></section>")
    assert texts(result) == ["<p>a</p>\n", "<section>\n <!-- c --><h2>A</h2>", "<p>b</p></section>"]
    assert details(result) == ["<section> <h2>", "<p>"]


def test_what_is_before_the_first_element_is_a_chunk_if_it_holds_anything() -> None:
    assert len(run("<!doctype html><html><body>\n<p>a").chunks) == 1
    assert texts(run("<html><title>t</title><body><p>a")) == ["<html><title>t</title><body>", "<p>a"]


def test_scripts_comments_and_attributes_hold_no_elements() -> None:
    text = "<p>a <script>x = '<p>b';</script><style>/*<li>*/</style><!-- <p> --><a title='<h1>'>b</a></p>"
    assert texts(run(text)) == [text]


def test_elements_without_end_tags_are_found() -> None:
    assert texts(run("<ul><li>a<li>b<p>c<p>d")) == ["<ul><li>a", "<li>b", "<p>c", "<p>d"]


def test_only_the_chosen_tags_cut() -> None:
    text = "<div>a</div><p>b</p><DIV>c</DIV>"
    assert texts(run(text, tags=("div",))) == ["<div>a</div><p>b</p>", "<DIV>c</DIV>"]


def test_a_text_without_such_elements_says_so() -> None:
    result = run("no <b>tag</b>", tags=("p", "li"))
    assert len(result.chunks) == 1
    assert result.warnings == ("None of these elements was found: <p>, <li>.",)
    assert not run("").chunks


def test_deep_and_broken_texts_work() -> None:
    for text in ("<div>" * 3000 + "<p>x", "<" * 3000, "</p>" * 500 + "<p>"):
        check_layout(run(text), text, {"element"})


def test_no_tag_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="No tag"):
        HtmlParameters(tags=())


def page(source: str, **params: Any) -> Segmentation:
    workspace = DocumentAnalysis(load(source.encode(), "page.html"), Models(splitter="rules"))
    return STRATEGIES[0].run(workspace, HtmlParameters(**params))


def test_a_page_is_cut_where_its_blocks_open_elements() -> None:
    result = page("<nav>n</nav><section><h2>A</h2><div>b</div><p>c</p></section><ul><li>d<li><p>e</ul>")
    assert texts(result) == ["n\n\n", "A\n\nb\n\n", "c\n\n", "d\n", "e"]
    assert details(result) == ["<section> <h2>", "<p>", "<li>", "<li> <p>"]
    assert texts(page("<h1>&lt;p&gt;</h1>b", tags=("p",))) == ["<p>\n\nb"]
    assert page("<h1>a</h1>b", tags=("p",)).warnings == ("None of these elements was found: <p>.",)


@settings(max_examples=50)
@given(st.lists(st.sampled_from([*PIECES[:9], *PIECES[10:17], "tea ", "pot"]), max_size=14).map("".join))
def test_chunks_of_a_page_tile_it_and_begin_with_a_block(source: str) -> None:
    result = page(source)
    check_layout(result, result.document.text, {"element"})
    assert {chunk.start for chunk in result.chunks[1:]} <= {block.start for block in result.document.blocks}
