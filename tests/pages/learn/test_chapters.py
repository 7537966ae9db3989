"""What the chapters claim, held against the engine."""

from __future__ import annotations

import numpy as np
import pytest

from chunking import ChunkscopeError, DocumentAnalysis, Models, from_text, strategies
from chunking.comparison.agreement import boundary_f1, chance
from chunking.signals.distances import semantic_distances
from chunking.signals.thresholds import apply
from pages.shared.learn import lesson
from pages.shared.learn.agreement import ALPHAS, alpha_band, chance_figure, f1_by_alpha, random_f1
from pages.shared.learn.chapter import NUMBERS, read_number
from pages.shared.learn.figures import _FIRST_SENTENCE, SIDES, STRATEGIES, _cuts_table, cosines, cuts_by_percentile
from pages.shared.learn.lesson import (
    DRAWS,
    FALSE_HEADINGS,
    ONE_SUBJECT,
    SAME_WORDS,
    SAMPLE,
    TWO_ERRORS,
    agreement_of_pairs,
    corrected_f1,
    cuts_of,
    from_own_text,
    sample,
)
from pages.shared.learn.texts import load

GOLD = [4, 10, 15, 20]


def cuts(setting: str, name: str = SAMPLE) -> list[int]:
    found: list[int] = cuts_of(strategies.parse(setting).run(sample(name).workspace)).tolist()
    return found


def test_the_sample_has_the_reference_that_the_chapters_speak_of() -> None:
    found = sample(SAMPLE)
    assert found.reference_gaps is not None and found.reference_gaps.tolist() == GOLD
    text = found.workspace.document.text
    assert found.boundaries is not None
    assert [text[place:].split(" ")[0] for place in found.boundaries] == ["The", "Bees", "The", "Rain"]


def test_chapter_1_abbreviations_end_no_sentence() -> None:
    candidates = sample(SAMPLE).candidates
    assert candidates.reference is not None
    assert candidates.inside.tolist() == candidates.reference.tolist()
    assert [candidates.pieces[gap][-3:] for gap in candidates.reference.tolist()] == ["Dr.", "St."]
    assert len(candidates.pieces) == len(sample(SAMPLE)) + 2, "after Dr. and after St."
    assert "5.30" in candidates.pieces[0], "a full stop inside a number is no place where a sentence might end"


def test_chapter_1_the_answer_is_counted_on_the_text() -> None:
    assert NUMBERS["1"](sample(SAMPLE)) == len(sample(SAMPLE).workspace.offsets) == 24


def test_chapter_2_the_order_of_words_does_not_count_and_a_negation_hardly() -> None:
    workspace = DocumentAnalysis(from_text("x"), Models(encoder="static", splitter="rules"))
    texts = ["The dog bites the man.", "The man bites the dog.", "They are sold out.", "They are not sold out."]
    vectors = workspace.embed(texts).astype(np.float64)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert unit[0] @ unit[1] == pytest.approx(1.0, abs=1e-5)
    assert unit[2] @ unit[3] > 0.9


def test_chapter_2_similarities_are_cosines() -> None:
    found = cosines(sample(SAMPLE))
    assert np.allclose(np.diag(found), 1.0)
    assert np.allclose(1 - np.diag(found, 1), sample(SAMPLE).workspace.semantic(0, 1), atol=1e-5)


def test_chapter_2_two_subjects_in_the_same_words_are_one_for_the_encoder() -> None:
    known = sample(SAME_WORDS)
    assert known.reference_gaps is not None
    between_courts, *others = known.reference_gaps.tolist()
    distances = known.workspace.semantic(0, 1)
    assert np.argmin(distances) == between_courts
    for setting in ("percentile:window=0;percentile=85", STRATEGIES["structural"], STRATEGIES["changepoint"]):
        assert between_courts not in cuts(setting, SAME_WORDS)
    assert set(others) <= set(cuts(STRATEGIES["changepoint"], SAME_WORDS))
    similar = cosines(known)[_FIRST_SENTENCE - 1]
    nearest = int(np.argsort(-similar)[1])
    assert nearest > between_courts >= _FIRST_SENTENCE - 1, "the nearest sentence is of the other subject"


def test_chapter_3_windows_of_two_ideal_subjects_are_blurred_and_blocks_are_not() -> None:
    ideal = np.array([[1.0, 0.0]] * 8 + [[0.0, 1.0]] * 8, dtype=np.float32)
    windows = np.stack([ideal[max(0, at - 1) : at + 2].mean(axis=0) for at in range(len(ideal))])
    blurred, sharp = semantic_distances(windows), semantic_distances(ideal, 3)
    assert blurred[6:9].round(2).tolist() == [0.11, 0.2, 0.11]
    assert sharp[6:9].round(2).tolist() == [0.55, 1.0, 0.55]
    assert NUMBERS["3"](sample(SAMPLE)) == 2


def test_chapter_3_windows_cut_one_gap_early_twice() -> None:
    found = cuts(f"{SIDES['window']};percentile=85")
    early = [gold for gold in GOLD if gold not in found and gold - 1 in found]
    assert len(early) == 2


def test_chapter_4_form_cuts_at_headings_that_begin_nothing_and_misses_a_subject_inside_a_paragraph() -> None:
    known = sample(FALSE_HEADINGS)
    assert known.reference_gaps is not None
    gold, texts = known.reference_gaps.tolist(), known.workspace.sentences.texts
    form = cuts("structural:preset=unlimited;alpha=0;percentile=85", FALSE_HEADINGS)
    assert [texts[gap + 1] for gap in sorted(set(form) - set(gold))] == ["NOTE", "IMPORTANT"]
    assert [texts[gap + 1] for gap in sorted(set(gold) - set(form))] == ["Sheep graze on the southern hills."]
    meaning = cuts("structural:preset=unlimited;alpha=1;percentile=85", FALSE_HEADINGS)
    assert set(gold) <= set(meaning)


def test_chapter_5_the_answer_is_that_of_the_engine() -> None:
    assert NUMBERS["5"](sample(SAMPLE)) == pytest.approx(0.35)


def test_chapter_5_each_distance_alone_errs_elsewhere_and_both_together_nowhere_over_a_range_of_alpha() -> None:
    known = sample(TWO_ERRORS)
    assert known.reference_gaps is not None
    gold = known.reference_gaps.tolist()

    def at(alpha: float) -> list[int]:
        return cuts(f"structural:preset=unlimited;alpha={alpha};percentile=85", TWO_ERRORS)

    meaning, form = at(1), at(0)
    for alone in (meaning, form):
        assert len(set(gold) - set(alone)) == len(set(alone) - set(gold)) == 1
    assert set(gold) - set(meaning) != set(gold) - set(form) and set(meaning) - set(gold) != set(form) - set(gold)
    assert [at(alpha) == gold for alpha in (0.16, 0.17, 0.5, 0.7, 0.92, 0.93)] == [False, *[True] * 4, False]


def test_chapter_5_the_band_below_alpha_is_what_the_engine_reaches() -> None:
    known = sample(TWO_ERRORS)
    segmentation = strategies.parse("structural:preset=unlimited;alpha=0.5;percentile=85").run(known.workspace)
    assert segmentation.signals is not None and known.reference_gaps is not None
    found = f1_by_alpha(segmentation.signals, known.reference_gaps, 85.0)
    for index in (0, 16, 17, 50, 92, 93, 100):
        setting = f"structural:preset=unlimited;alpha={ALPHAS[index]};percentile=85"
        engine = np.array(cuts(setting, TWO_ERRORS))
        assert found[index] == pytest.approx(boundary_f1(known.reference_gaps, engine))
    assert "From α 0.17 to 0.92" in alpha_band(found, load("en"))
    assert "Von α 0,17 bis 0,92" in alpha_band(found, load("de"))
    assert "höchstens 0,50" in alpha_band(found / 2, load("de"))


def test_chapter_6_the_comparison_is_strict_and_three_deviations_cut_nothing() -> None:
    known = apply("percentile", 50.0, np.array([0.1, 0.5, 0.9]))
    assert known.value == 0.5 and known.exceeded.tolist() == [False, False, True]
    assert cuts("structural:preset=unlimited;alpha=0.8;threshold=standard_deviation;deviations=3") == []


@pytest.mark.parametrize("gaps", [2, 5, 10, 21, 100])
@pytest.mark.parametrize("percentile", [50.0, 85.0, 90.0, 95.0, 99.9])
def test_chapter_7_the_formula_is_what_the_rule_cuts(gaps: int, percentile: float) -> None:
    expected = gaps - 1 - int(np.floor((gaps - 1) * percentile / 100 + 1e-9))
    assert cuts_by_percentile(gaps, percentile) == expected


def test_chapter_7_one_subject_is_cut_once_and_deviations_need_gaps() -> None:
    assert len(sample(ONE_SUBJECT)) == 11
    assert len(cuts("percentile:window=0;percentile=90", ONE_SUBJECT)) == 1
    assert cuts_by_percentile(10, 90.0) == 1
    assert NUMBERS["7"](sample(SAMPLE)) == 2
    for gaps, cut in ((10, 0), (11, 1)):
        values = np.zeros(gaps)
        values[0] = 1.0
        assert apply("standard_deviation", 3.0, values).exceeded.sum() == cut


def test_chapter_8_limits_hold_and_overlap_counts_towards_the_maximum() -> None:
    made = strategies.parse("structural:preset=unlimited;alpha=1;max_tokens=60;overlap=1").run(sample(SAMPLE).workspace)
    assert all(chunk.tokens + chunk.overlap_tokens <= 60 for chunk in made.chunks)
    assert any(chunk.cut and chunk.cut.reason == "token_limit" for chunk in made.chunks)
    assert NUMBERS["8"](sample(SAMPLE)) == 25


def test_chapter_9_change_points_find_the_reference_and_every_strategy_runs() -> None:
    assert cuts(STRATEGIES["changepoint"]) == GOLD
    assert all(cuts(setting) for setting in STRATEGIES.values())


def test_chapter_10_chance_is_that_of_the_library() -> None:
    gold, picked = np.array(GOLD), np.array([4, 9])
    known = corrected_f1(gold, picked, 25)
    assert known == chance(gold, picked, 25, "f1", draws=DRAWS)
    assert random_f1(gold, picked, 25).mean() == pytest.approx(known.mean)
    assert NUMBERS["10"](sample(SAMPLE)) == pytest.approx(2 / 3)
    drawn = chance_figure(random_f1(gold, picked, 25), {"you": 0.33, "engine": 1.0}, load("en"))
    assert drawn["data"][0]["y"].sum() == DRAWS
    assert [shape["x0"] for shape in drawn["layout"]["shapes"]] == [0.33, 1.0]


def test_pairs_without_a_reference_name_the_engine_alone() -> None:
    one, other = np.array([1, 2]), np.array([1])
    assert list(agreement_of_pairs(one, other, None, 6)) == ["pair_own_engine"]
    assert list(agreement_of_pairs(one, other, one, 6)) == ["pair_own_gold", "pair_own_engine", "pair_engine_gold"]
    assert agreement_of_pairs(one, other, one, 6)["pair_own_gold"].corrected == 1.0


def test_an_own_text_has_no_reference() -> None:
    found = from_own_text("One sentence here. Another one there.\n\nA third one is last.")
    assert (len(found), found.boundaries, found.reference_gaps) == (3, None, None)
    assert found.breaks == (False, True)
    assert found.candidates.reference is None


@pytest.mark.parametrize("text", ["", "Only one sentence.", "One word. " * 2_001])
def test_an_own_text_of_a_wrong_size_is_refused(text: str) -> None:
    with pytest.raises(ChunkscopeError) as caught:
        from_own_text(text)
    assert caught.value.remedy


def test_words_of_the_sample_have_no_reference_left_over() -> None:
    assert set(lesson.sample(ONE_SUBJECT).boundaries or ()) == set()
    assert "four boundaries" in load("en").chapters["9"].text


@pytest.mark.parametrize("percentile", [50.0, 66.7, 85.0, 89.9, 90.0, 90.1, 95.0, 99.9])
def test_chapter_7_the_table_that_follows_the_slider_is_what_the_rule_cuts(percentile: float) -> None:
    tables = _cuts_table((5, 10, 24, 100))
    held = tables[max(value for value in tables if value <= percentile)]
    assert held == [(f"{gaps}", f"{cuts_by_percentile(gaps, percentile)}") for gaps in (5, 10, 24, 100)]
    assert len(tables) < 150, "only where a number changes"


@pytest.mark.parametrize(("text", "number"), [("0.35", 0.35), (" 0,35 ", 0.35), ("25 %", 25.0), ("-1", -1.0)])
def test_a_number_is_read_as_learners_write_it(text: str, number: float) -> None:
    assert read_number(text) == number


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "1,000.5", "1e999", "٣x"])
def test_what_is_no_number_is_not_read(text: str) -> None:
    assert read_number(text) is None
