from __future__ import annotations

import pytest

from chunking import DocumentAnalysis, from_text, parse
from chunking.advice.profile import AdvisedMaximum, advised_maximum
from chunking.checks.checks import unread
from chunking.chunks import before_chunk
from chunking.workspace import Models

ENGLISH = "The keeper climbs the steps at dusk and lights the lamp. " * 60
NUMBERS = "0x1f3a9c 7f2d-88aa-19ce 3.14159e-12 zzqx9 _kk__vv 55:12:09.331. " * 60


def of(text: str, tools: Models | None = None, language: str = "en") -> DocumentAnalysis:
    return DocumentAnalysis(from_text(text, "a.txt", "text", language), tools or Models())


def test_an_encoder_without_a_limit_has_the_default() -> None:
    assert advised_maximum(of(ENGLISH, Models(encoder="static"))) == AdvisedMaximum(256, 0, False)


def test_the_special_tokens_are_not_for_the_text() -> None:
    found = advised_maximum(of(ENGLISH, Models(tokenizer="encoder")))
    assert found == AdvisedMaximum(254, 256, True)


def test_room_is_left_for_the_heading_paths_that_are_embedded_before_chunks() -> None:
    headings = "\n\n".join(f"## Lamp number {number} of the tower\n\n{ENGLISH[:120]}" for number in range(9))
    document = from_text(f"# The keeper of the light\n\n{headings}", "a.md", "markdown", "en")
    workspace = DocumentAnalysis(document, Models(tokenizer="encoder"))
    found = advised_maximum(workspace)
    encoder = workspace.retrieval_encoder
    longest = "The keeper of the light › Lamp number 8 of the tower\n\n"
    assert found.path == encoder.token_counts([longest])[0] - 2
    assert found.tokens == 254 - found.path
    result = parse(f"recursive:size=9000;overlap=0;max_tokens={found.tokens}").run(workspace)
    embedded = [f"{before_chunk(chunk.heading_path)}{chunk.text}" for chunk in result.chunks]
    assert encoder.token_counts(embedded).max() <= 256


@pytest.mark.parametrize("text", ["", "Short.", ENGLISH])
def test_plain_english_loses_little(text: str) -> None:
    found = advised_maximum(of(text))
    assert not found.exact
    assert 230 <= found.tokens <= 250


def test_text_that_the_encoder_cuts_finer_has_a_smaller_maximum_at_which_chunks_are_read() -> None:
    workspace = of(NUMBERS)
    found = advised_maximum(workspace)
    assert found.ratio > 1 and found.tokens < 250
    result = parse(f"recursive:size=9000;overlap=0;max_tokens={found.tokens}").run(workspace)
    assert not unread(result, workspace.retrieval_encoder)
