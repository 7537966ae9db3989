"""The encoder that compares letters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.embedding import describe_encoder, get_encoder, truncated

ENCODER = get_encoder("char-ngrams")


@given(st.lists(st.text(max_size=60), max_size=8))
def test_every_text_has_a_direction_of_its_own(texts: list[str]) -> None:
    vectors = ENCODER.encode(texts)
    assert vectors.shape == (len(texts), 1024)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    for place, text in enumerate(texts):
        assert np.array_equal(ENCODER.encode([text])[0], vectors[place])


@pytest.mark.parametrize(
    ("text", "alike", "other"),
    [
        ("The boat left the harbour.", "A boat in the harbour", "Interest on savings fell again."),
        ("소유권은 메모리를 관리하는 규칙입니다.", "메모리 관리 규칙", "어제 친구와 시장에 갔다."),
        ("这本书讲的是内存管理。", "内存管理很重要", "昨天我去了市场。"),
        ("ذهبت إلى السوق القديم", "السوق القديم مزدحم", "أحب قراءة الكتب"),
        ("เขาไปตลาดน้ำเมื่อวาน", "ตลาดน้ำคนเยอะ", "อากาศดีมาก"),
    ],
)
def test_shared_letters_make_texts_alike(text: str, alike: str, other: str) -> None:
    one, near, far = ENCODER.encode([text, alike, other])
    assert one @ near > 0.2 > one @ far


def test_case_and_width_make_no_difference() -> None:
    one, other = ENCODER.encode(["ＴＨＥ ＢＯＡＴ ﬁlled", "the boat filled"])
    assert np.allclose(one, other)


def test_it_says_what_it_is() -> None:
    info = describe_encoder("char-ngrams")
    assert info.sends_to is None
    assert info.languages == ENCODER.languages == ()
    assert "not of meaning" in info.about
    assert describe_encoder("all-MiniLM-L6-v2").languages == ("en",)
    assert not truncated(["word " * 100_000], ENCODER).any()


def test_it_is_the_same_on_every_machine() -> None:
    """Places and signs of the hash, as they are kept in caches."""
    vector = ENCODER.encode(["a"])[0]
    places = np.flatnonzero(vector)
    assert np.allclose(np.abs(vector[places]), 1 / np.sqrt(3))
    assert dict(zip(places.tolist(), np.sign(vector[places]).astype(int).tolist(), strict=True)) == {
        823: 1,
        833: -1,
        952: -1,
    }
