"""Counts by the encoder's own tokenizer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError, embedding, strategies, tokens
from chunking.embedding.own_tokens import own_tokens
from chunking.loading import from_text
from chunking.workspace import DocumentAnalysis, Models
from tests.retrieval.made import TOOLS, word_counts  # noqa: F401

RUSSIAN = "Смотритель поднимается на закате по девяноста ступеням и зажигает лампу. " * 30


def test_the_usual_encoder_has_its_tokenizer_by_its_name() -> None:
    assert Models(tokenizer="encoder").tokenizer == "all-MiniLM-L6-v2"


def test_other_encoders_are_counted_as_they_count() -> None:
    tools = Models("static", "encoder")
    assert tools.tokenizer == "encoder:static"
    encoder = embedding.get_encoder("static")
    found = tokens.get_tokenizer(tools.tokenizer).count([RUSSIAN, "", "word"])
    assert found.tolist() == encoder.token_counts([RUSSIAN, "", "word"]).tolist()


@pytest.mark.parametrize("encoder", ["char-ngrams", "openai:some-model"])
def test_an_encoder_without_tokens_is_refused(encoder: str) -> None:
    with pytest.raises(ChunkscopeError, match="has no tokenizer that can be used here"):
        Models(encoder, "encoder")


def test_an_unknown_encoder_is_named() -> None:
    with pytest.raises(ChunkscopeError, match="Unknown encoder"):
        Models("nobody/knows", "encoder")


@settings(max_examples=60)
@given(st.text(st.sampled_from("ab Ж\n\t.字é"), max_size=30))
def test_no_token_straddles_a_seam(text: str) -> None:
    counter = own_tokens(embedding.get_encoder("static"))
    seams = np.flatnonzero(counter.seams(text)).tolist()
    whole = counter.count([text])[0]
    for place in seams:
        assert counter.count([text[:place], text[place:]]).sum() == whole


@pytest.mark.usefixtures("word_counts")
def test_without_known_seams_only_the_ends_are_seams() -> None:
    counter = own_tokens(embedding.get_encoder(TOOLS.retrieval_encoder))
    assert np.flatnonzero(counter.seams("some words here")).tolist() == [0, 15]
    chunks = (
        strategies.parse("fixed_size:max_tokens=16;overlap=0")
        .run(
            DocumentAnalysis(
                from_text("One two three four. " * 20, language="en"), Models(TOOLS.encoder, "encoder", "rules")
            )
        )
        .chunks
    )
    assert max(chunk.tokens for chunk in chunks) <= 16


def test_no_passage_exceeds_a_maximum_in_the_tokens_of_the_encoder() -> None:
    encoder = embedding.get_encoder()
    setting = strategies.parse("sentence:max_tokens=200;overlap=0")
    document = from_text(RUSSIAN, language="ru")
    own = setting.run(DocumentAnalysis(document, Models(tokenizer="encoder"))).chunks
    usual = setting.run(DocumentAnalysis(document, Models())).chunks
    assert not embedding.truncated([chunk.text for chunk in own], encoder).any()
    assert embedding.truncated([chunk.text for chunk in usual], encoder).any()
