"""The rule is chosen without the set that it is judged on, and the rates are counts of documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import advice
from benchmarks.advice import GoldSource, JudgedDocument
from chunking.advice.profile import CANDIDATES, DocumentProfile
from chunking.runtime.arrays import Float64


def profile(headings: int = 0, marked: float = 0.0, sections: tuple[int, ...] = (100,)) -> DocumentProfile:
    tokens = np.array(sections, dtype=np.int64)
    return DocumentProfile("text", 9, headings, 0.1, 0.0, 0.5, 0.0, marked, 0.0, False, tokens, 0)


def f1(**scores: float) -> Float64:
    return np.array([scores.get(name, 0.0) for name in CANDIDATES])


def document(name: str, scores: Float64, facts: DocumentProfile | None = None, text: str = "a") -> JudgedDocument:
    return JudgedDocument(GoldSource(name, text, (), name), "plain", facts or profile(), scores)


def test_a_choice_is_wrong_where_another_candidate_is_clearly_better() -> None:
    one = document("a", f1(changepoint=0.5, structural=0.46, heading=0.44))
    wrong = dict(zip(CANDIDATES, one.wrong.tolist(), strict=True))
    assert (wrong["changepoint"], wrong["structural"], wrong["heading"]) == (False, False, True)


def test_a_set_is_judged_by_what_the_others_choose() -> None:
    documents = [document("a", f1(structural=0.9))] * 3 + [document("b", f1(changepoint=0.9))] * 3
    rules = advice.held_out(documents)
    assert rules["a"].rankings["prose"][0] == "changepoint"
    assert rules["b"].rankings["prose"][0] == "structural"
    found = advice.judged(documents, rules)
    assert [(rate.set, rate.documents, rate.advised, rate.changepoint) for rate in found] == [
        ("a", 3, 3, 3),
        ("b", 3, 3, 0),
    ]
    assert all(rate.random == pytest.approx(3 * 7 / 8, abs=0.01) for rate in found)


def test_kinds_of_text_weigh_alike_however_many_documents_they_have() -> None:
    documents = [document("a", f1(structural=0.9), text="x")] * 9 + [document("b", f1(changepoint=0.9), text="y")] * 3
    weights = advice._weights(documents)
    assert weights[:9].sum() == pytest.approx(weights[9:].sum()) == pytest.approx(0.5)


def test_a_kind_that_the_others_do_not_have_falls_back_on_all_of_them() -> None:
    headed = document("a", f1(heading=0.9), profile(headings=5))
    rules = advice.held_out([headed, document("b", f1(recursive=0.9))])
    assert rules["a"].rankings["headings"][0] == "recursive"
    assert rules["b"].rankings["headings"][0] == "heading"


def test_without_the_data_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    advice.main(tmp_path)
    assert "this part is left out" in capsys.readouterr().out
