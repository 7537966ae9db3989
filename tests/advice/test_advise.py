"""Advice on real and odd documents: what is advised, on which evidence, and what is claimed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from chunking import DocumentAnalysis, from_text, load, parse, samples
from chunking.advice import Advice, SharedAdvice, StrategyScores, advise, advise_all, profile, rates, shared, summary
from chunking.advice.evidence import of_denser
from chunking.advice.profile import AdvisedMaximum
from chunking.advice.results import MeasuredSetting
from chunking.reference import Reference
from chunking.retrieval.significance import differences
from chunking.workspace import Models

STATIC = Models(encoder="static")
SIZES = "min_tokens=20;soft_min_tokens=64;max_tokens={};keep_together=yes"
TEXT = "# Tea\n\nBoil the water. Wait.\n\n# Bread\n\nKnead the dough. Bake it.\n\n# Soup\n\nCut the leeks. Stir.\n"


def of(text: str, name: str = "a.md", tools: Models = STATIC) -> Advice:
    return advise(DocumentAnalysis(load(text.encode(), name), tools))


def sample(name: str, tools: Models | None = None) -> DocumentAnalysis:
    return DocumentAnalysis(samples.load(name).document, tools)


@cache
def of_samples() -> SharedAdvice:
    """The advice for all samples with their references."""
    golds = [samples.load(name).boundaries for name in samples.names()]
    references = [Reference(gold, added=gold) for gold in golds]
    return advise_all([sample(name) for name in samples.names()], references)


def evidence(one: Advice) -> dict[str, str]:
    return {each.name: each.text for each in one.evidence}


@pytest.mark.parametrize("place", range(len(samples.names())), ids=samples.names())
def test_the_advice_for_a_sample_splits_it_within_the_encoder_limit(place: int) -> None:
    name, one = samples.names()[place], of_samples().documents[place]
    workspace = sample(name)
    result = parse(one.setting).run(workspace)
    assert "".join(chunk.text for chunk in result.chunks) == workspace.document.text
    assert len(result.chunks) == one.candidates[0].chunks
    assert max(chunk.tokens for chunk in result.chunks) <= one.maximum.tokens <= 254
    assert one.candidates[0].exceeding == 0
    values = parse(one.setting).values()
    assert values["max_tokens"] == one.maximum.tokens
    assert (values["min_tokens"], values["soft_min_tokens"], values["keep_together"]) == (20, 64, "yes")
    assert one.second.setting != one.setting
    assert {"kind", "layout", "language", "maximum", "sizes", "agreement", "reference"} <= evidence(one).keys()


@pytest.mark.parametrize("text", ["", "   \n", "One sentence.", "word" * 1000])
def test_a_document_without_a_gap_has_an_advice(text: str) -> None:
    one = of(text, "a.txt")
    assert one.setting == "changepoint"
    assert "agreement" not in evidence(one)
    assert "same chunks" in one.second.difference


@pytest.mark.parametrize(
    ("name", "text", "strategy"),
    [
        ("a.py", '"""A tool."""\n\nimport os\n\n\ndef one():\n    return 1\n\n\nclass Two:\n    x = 2\n', "code"),
        ("a.json", '{"tea": {"water": "hot", "time": 3}, "bread": {"flour": "rye"}}', "json"),
        ("a.yaml", "tea:\n  water: hot\nbread:\n  flour: rye\n", "hierarchical"),
        ("a.csv", "drink,price\n" + "tea,2\ncoffee,3\n" * 60, "markdown"),
        ("a.md", "```python\nx = 1\n\ny = 2\n```\n", "markdown"),
        ("a.chat", "Ann: Good morning.\nBob: Hello. How are you?\n" * 6, "structural"),
    ],
)
def test_a_format_with_parts_of_its_own_gets_the_strategy_that_keeps_them(name: str, text: str, strategy: str) -> None:
    one = of(text, name)
    assert one.strategy == strategy
    if one.kind in profile.UNMEASURED:
        assert one.claim.error_rate is None and not one.claim.rates
        assert one.claim.text.startswith("Not measured")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.yaml", "tea:\n  water: hot\nbread:\n  flour: rye\n", "Cut at the keys, then between entries"),
        ("a.csv", "drink,price\n" + "tea,2\ncoffee,3\n" * 60, "Keep tables and code whole"),
    ],
)
def test_the_advice_for_data_says_nothing_of_headings(name: str, text: str, words: str) -> None:
    advice = of(text, name)
    assert summary.text(shared([advice])).startswith(f"Advice for {name}: {words}")
    assert summary.as_dict(shared([advice, advice]))["advice"].startswith(words)


def test_a_text_in_an_unknown_language_says_so_and_is_not_divided_by_meaning() -> None:
    one = advise(sample("seoul-tides-article", STATIC))
    assert "does not include it" in evidence(one)["language"]
    assert one.kind == "headings", "its sections exceed the maximum, but the encoder does not know the language"
    assert any("trained on the language" in change for change in one.changes)


def test_an_encoder_that_was_chosen_by_the_language_divides_long_sections_by_meaning() -> None:
    one = of_samples().documents[samples.names().index("seoul-tides-article")]
    assert "char-ngrams compares letters" in evidence(one)["language"]
    assert one.kind == "long_sections"


def test_without_an_encoder_limit_the_maximum_is_the_default() -> None:
    one = of(TEXT)
    assert one.maximum.tokens == 256
    assert one.setting == f"heading:{SIZES.format(256)}"
    assert "no token limit, so the maximum is the default of 256 tokens" in evidence(one)["maximum"]
    assert one.claim.rates and all(rate.kind == "headings" for rate in one.claim.rates)


def test_in_its_own_tokens_the_maximum_is_exact() -> None:
    workspace = sample("seoul-tides-article").with_tokenizer(Models(tokenizer="encoder").tokenizer)
    one = advise(workspace)
    assert one.maximum.exact and one.maximum.tokens + one.maximum.path == 254
    assert one.candidates[0].exceeding == 0
    assert not any("--tokenizer" in change for change in one.changes)


def test_gold_of_one_document_is_reported_and_decides_nothing() -> None:
    known = samples.load("harbour-report")
    without = advise(sample("harbour-report"))
    given_gold = advise(sample("harbour-report"), Reference(known.boundaries, added=known.boundaries))
    assert given_gold.setting == without.setting
    assert "One document cannot show" in evidence(given_gold)["reference"]
    assert all(each.f1 is not None for each in given_gold.candidates)
    assert all(each.f1 is None for each in without.candidates)


def test_a_partial_reference_has_no_f1() -> None:
    known = samples.load("harbour-report")
    one = advise(sample("harbour-report"), Reference(known.boundaries[:3], complete=False))
    assert "judges 3 gaps only" in evidence(one)["reference"]
    assert one.candidates[0].f1 is None


def test_the_advice_for_many_is_that_of_most_with_the_median_of_the_maxima() -> None:
    found = of_samples()
    maxima = {one.document: one.maximum.tokens for one in found.documents if one.strategy == found.strategy}
    maximum = sorted(maxima.values())[(len(maxima) - 1) // 2]
    expected = parse(f"{found.strategy}:{SIZES.format(maximum)}").values()
    assert parse(found.setting).values() | {"percentile": expected["percentile"]} == expected
    statements = {each.name: each for each in found.evidence}
    counts = Counter(one.strategy for one in found.documents)
    assert statements["documents"].values["count"] == max(counts.values())
    assert statements["documents"].values["strategy"] == counts.most_common(1)[0][0]
    assert set(found.differing) == {one.document for one in found.documents if one.strategy != found.strategy}
    assert [each.name for each in found.evidence] == ["documents", "reference", "maximum", "section length"]
    assert found.claim.text.startswith("Error rate of the rule by kind of document"), "no candidate is better"


def test_references_on_which_another_candidate_is_significantly_better_decide_for_many() -> None:
    def better(candidate: MeasuredSetting) -> MeasuredSetting:
        return replace(candidate, f1=0.9 if candidate.setting.startswith("paragraph") else 0.2)

    documents = [
        replace(one, candidates=tuple(better(candidate) for candidate in one.candidates))
        for one in of_samples().documents
    ]
    found = shared(documents)
    assert found.strategy == "paragraph" and found.setting.startswith("paragraph:")
    assert found.claim.text.startswith("Chosen by the scores on your reference boundaries")


def test_without_references_the_advice_for_many_is_that_of_most_with_the_claim_of_each_kind() -> None:
    without = [
        replace(one, candidates=tuple(replace(candidate, f1=None) for candidate in one.candidates))
        for one in of_samples().documents
    ]
    found = shared(without)
    most = [one for one in found.documents if one.strategy == found.strategy]
    assert len(most) == max(Counter(one.strategy for one in found.documents).values())
    for kind in {one.kind for one in found.documents}:
        assert profile.TITLES[kind] in found.claim.text


def test_documents_that_are_denser_than_the_common_maximum_are_named() -> None:
    tokens = (250, 240, 235, 180, 100)
    made = [
        replace(one, document=f"{size}.md", maximum=AdvisedMaximum(size, 256, False))
        for one, size in zip(of_samples().documents, tokens, strict=False)
    ]
    (statement,) = of_denser(made, 240)
    assert "180.md, 100.md." in statement.text and "235.md" not in statement.text
    assert statement.values == {"maximum": 240, "smallest": 100, "documents": 2}
    assert of_denser(made[:3], 240) == []
    assert " and 2 more." in of_denser([made[4]] * 7, 240)[0].text


def scores(better: str, units: int = 40) -> StrategyScores:
    random = np.random.default_rng(0)
    values = {name: random.random(units) * 0.1 + (0.5 if name == better else 0.2) for name in profile.CANDIDATES}
    return StrategyScores("questions", "recall", "question", values, differences(values))


def test_questions_that_decide_come_before_the_rule() -> None:
    workspace = DocumentAnalysis(from_text(TEXT, "a.md", "markdown", "en"), STATIC)
    one = advise(workspace, questions=scores("paragraph"))
    assert one.strategy == "paragraph"
    assert one.claim.error_rate is None and "your questions" in one.claim.text
    assert "paragraph is significantly better than heading" in evidence(one)["questions"]
    few = advise(workspace, questions=scores("paragraph", 3))
    assert few.strategy == "heading"
    assert "So few cannot decide" in evidence(few)["questions"]


def test_the_statement_shown_is_that_of_the_rule_where_the_scores_agree_with_it() -> None:
    workspace = DocumentAnalysis(from_text(TEXT, "a.md", "markdown", "en"), STATIC)
    assert advise(workspace, questions=scores("heading")).claim == rates.claim("headings")


def test_one_document_alone_has_its_own_claim() -> None:
    one = of(TEXT)
    together = shared([one])
    assert (together.setting, together.claim, together.evidence) == (one.setting, one.claim, ())


def test_stubs_and_templates_do_not_count_among_others() -> None:
    stub, template = (
        of("# Soon\n\nTo come.\n"),
        of("# {{ page.title }}\n\n{{ page.content }} and {% include x %}\n" * 20),
    )
    page = of(TEXT * 5)
    assert (stub.left_out, template.left_out, page.left_out) == ("stub", "template", None)
    manual = TEXT * 5 + "Write `{{ name }}`:\n\n```\n" + "{{ steps.first.output }}\n" * 40 + "```\n"
    assert of(manual).left_out is None, "code shows templates to readers"
    together = shared([replace(stub, strategy="whole"), replace(template, strategy="whole"), page])
    assert (together.strategy, together.differing) == (page.strategy, ())
    assert shared([stub]).strategy == stub.strategy, "where there is nothing else they count"
