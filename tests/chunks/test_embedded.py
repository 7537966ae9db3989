"""What is embedded before a chunk takes part of what the encoder reads."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking import DocumentAnalysis, Models, embedding, from_text, load, strategies
from chunking.checks import checks
from chunking.chunks import Chunk, embedded_context
from chunking.chunks.embedded import context_tokens
from chunking.tokens import get_tokenizer
from tests.examples import examples

WORDS = ("tide", "harbour", "chart", "wind", "the", "keel", "mooring", "lantern", "fog", "signal")
TABLE = "| wind | sail |\n|---|---|\n" + "".join(
    f"| force {force} | {force} reefs in the main |\n" for force in range(9)
)
LIMIT = 60
LINES = ("structural:max_tokens=40", "fixed_size:max_tokens=20;overlap=0", "recursive", "section")


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A Markdown text of headings, paragraphs and tables, perhaps with something before its title."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    parts = [draw(st.sampled_from(["", "---\nweight: 3\n---", "<!-- of 1998 -->", "\n\n  "]))]
    for _ in range(draw(st.integers(1, 12))):
        kind = random.integers(0, 4)
        sentences = [" ".join(random.choice(WORDS, int(random.integers(2, 14)))) + "." for _ in range(1 + kind)]
        if kind == 0:
            parts.append("#" * int(random.integers(1, 4)) + " " + sentences[0].rstrip("."))
        else:
            parts.append(TABLE if kind == 3 else " ".join(sentences).capitalize())
    return "\n\n".join(parts)


@settings(max_examples=examples(60), deadline=None)
@given(
    documents(),
    st.sampled_from(["structural:max_tokens=40", "fixed_size:max_tokens=20;overlap=0", "recursive", "section"]),
)
def test_the_tokens_before_a_chunk_are_those_of_its_context(text: str, line: str) -> None:
    workspace, counter = DocumentAnalysis(load(text.encode(), "text.md"), Models("char-ngrams")), get_tokenizer()
    chunks = [chunk for chunk in strategies.parse(line).run(workspace).chunks if chunk.text.strip()]
    context = context_tokens(workspace.document, counter).at(np.array([chunk.start for chunk in chunks]))
    expected = counter.count([embedded_context(workspace.document, chunk) for chunk in chunks])
    assert context.tolist() == expected.tolist()


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    documents(),
    st.sampled_from(["structural", "changepoint", "changepoint_tree"]),
    st.sampled_from(["", "overlap=2", "overlap=12;overlap_unit=tokens"]),
)
def test_no_chunk_is_longer_than_the_encoder_reads(text: str, strategy: str, overlap: str) -> None:
    with mock.patch.object(embedding, "read_limit", return_value=LIMIT):
        workspace, counter = DocumentAnalysis(load(text.encode(), "text.md"), Models("char-ngrams")), get_tokenizer()
        made = strategies.parse(f"{strategy}:{overlap}").run(workspace)
    parents = {chunk.parent for chunk in made.chunks}
    leaves = [chunk for chunk in made.chunks if chunk.index not in parents]
    before = counter.count([embedded_context(workspace.document, chunk) for chunk in leaves]).tolist()
    for chunk, context in zip(leaves, before, strict=True):
        assert chunk.indexed_tokens <= max(LIMIT - context, LIMIT // 2)


@pytest.fixture
def manual() -> DocumentAnalysis:
    sentences = "The keel of the boat is cleaned and painted before the season begins in the harbour. "
    text = "# Handbook of the sailing club at the northern harbour\n\n## Work in winter\n\n" + sentences * 60
    return DocumentAnalysis(from_text(text, "manual.md"), Models("all-MiniLM-L6-v2", "encoder"))


def test_a_heading_path_takes_its_tokens_from_what_the_encoder_reads(manual: DocumentAnalysis) -> None:
    encoder = manual.retrieval_encoder

    def longest(line: str) -> int:
        made = strategies.parse(line).run(manual)
        return max(int(encoder.token_counts([read(manual, chunk)])[0]) for chunk in made.chunks)

    assert longest("structural:fit_encoder=no") > encoder.max_tokens >= longest("structural")
    assert checks.unread(strategies.parse("structural:fit_encoder=no").run(manual), encoder)


def read(workspace: DocumentAnalysis, chunk: Chunk) -> str:
    """What the encoder is given of a chunk."""
    return embedded_context(workspace.document, chunk) + workspace.document.text[chunk.indexed_start : chunk.end]


def test_where_another_tokenizer_counts_the_encoder_does_not_limit_chunks(manual: DocumentAnalysis) -> None:
    workspace = manual.with_tokenizer("cl100k_base")
    assert workspace.cut_points.encoder_limit == 0
    fitted, others = (strategies.parse(f"structural:fit_encoder={fits}").run(workspace) for fits in ("yes", "no"))
    assert [chunk.start for chunk in fitted.chunks] == [chunk.start for chunk in others.chunks]
