"""A review as data and as a report: what it says of reviewers and strategies, and that it can be made again."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import numpy as np
import pytest

from chunking import DocumentAnalysis, Models, __version__, from_text, strategies
from chunking.alignment.relocation import anchor
from chunking.comparison import report as comparison
from chunking.reference import lines
from chunking.reference.events import Action, Event
from chunking.review import candidates, estimates, exchange, report, summary
from chunking.review.agreement import ceiling, cohen, fleiss
from chunking.review.results import ReviewSummary
from chunking.review.reviewed import ReviewedDocument
from chunking.review.summary import ReviewOptions

EVIL = "<img src=x onerror=alert(1)>"
TEXT = "".join(
    f"# Part {part}\n\nShips {part} sail. Ships {part} need wind.\n\nBread {part} is baked. Bread {part} is hot.\n\n"
    for part in range(8)
)
WORKSPACE = DocumentAnalysis(from_text(TEXT, name="parts.md", language="en"), Models("char-ngrams", splitter="rules"))
SETTING = strategies.parse("paragraph:min_tokens=0;max_tokens=20")
MADE = SETTING.run(WORKSPACE)
CUTS = [each.offset for each in candidates.proposals(MADE)]


def event(reviewer: str, action: Action, offset: int, **more: Any) -> Event:
    token = f"{reviewer} {action} {offset} {sorted(more)}"
    around = anchor(TEXT, offset)
    known = {"before": around.before, "after": around.after} | more
    return Event(token, WORKSPACE.document.text_hash, reviewer, action, offset, **known)


def judged(reviewer: str, wrong: set[int], places: list[int] = CUTS, **more: Any) -> list[Event]:
    """Every place but those with some numbers is a boundary."""
    return [
        event(reviewer, "reject" if number in wrong else "accept", offset, **{"proposed": SETTING.text} | more)
        for number, offset in enumerate(places)
    ]


def summed_up(events: list[Event], *lines_: str, **options: Any) -> ReviewSummary:
    entries = [comparison.entry(each, each.run(WORKSPACE)) for each in map(strategies.parse, lines_ or [SETTING.text])]
    return summary.summarize(ReviewedDocument(WORKSPACE, tuple(events)), entries, ReviewOptions(**options))


def found(events: list[Event], *lines_: str, **options: Any) -> dict[str, Any]:
    """The summary as it is in the exported JSON."""
    again: dict[str, Any] = json.loads(json.dumps(summed_up(events, *lines_, **options).as_dict(), allow_nan=False))
    return again


TWO = [*judged("Ada", {1, 3}), *judged("Bob", {1, 4}), event("Ada", "complete", 0), event("Bob", "complete", 0)]


def test_reviewers_are_counted_and_their_agreement_is_that_of_the_page() -> None:
    made = found(TWO)
    assert {each["name"]: each["boundaries"] for each in made["reviewers"]} == {
        "Ada": len(CUTS) - 2,
        "Bob": len(CUTS) - 2,
    }
    (pair,) = made["agreement"]["pairs"]
    votes = [[number not in wrong for number in range(len(CUTS))] for wrong in ({1, 3}, {1, 4})]
    known = cohen(list(zip(*votes, strict=True)))
    assert (pair["agreed"], pair["kappa"]["value"]) == (len(CUTS) - 2, known.value)
    assert known.interval is not None and pair["kappa"]["interval"] == list(known.interval)
    assert made["agreement"]["kappa"]["value"] == fleiss([dict(enumerate(each)) for each in votes]).value
    assert pair["whole"]["f1"]["corrected"] < pair["whole"]["f1"]["value"] < 1


def test_a_complete_reference_gives_corrected_scores_and_the_ceiling() -> None:
    made = found(
        [*TWO, *(event("Ada", "accept", CUTS[place], decides=True) for place in (3, 4))], SETTING.text, "whole"
    )
    assert made["reference"]["complete"]
    assert [each["outcome"] for each in made["disagreements"]] == ["decided", "decided"]
    own, whole = made["strategies"][SETTING.text], made["strategies"]["whole"]
    assert own["reference"]["f1"]["value"] == pytest.approx(2 * (len(CUTS) - 1) / (2 * len(CUTS) - 1))
    assert 0 < own["reference"]["f1"]["corrected"] < own["reference"]["f1"]["value"]
    assert whole["cuts"] == 0 and whole["precision"] is None and whole["reference"]["f1"]["value"] == 0
    assert own["precision"] == (len(CUTS) - 1) / len(CUTS)
    assert own["precision_interval"] == [own["precision"]] * 2, "all cuts are judged"
    gaps = {name: ReviewedDocument(WORKSPACE, tuple(TWO)).gaps(each) for name, each in boundaries_of(TWO).items()}
    cuts = np.unique([each.gap for each in candidates.candidates(candidates.proposals(MADE), WORKSPACE.offsets, "")])
    known = ceiling(gaps, {"own": cuts.astype(np.int64)}, len(WORKSPACE.sentences), "f1")
    assert known.people is not None
    assert own["people"]["f1"]["people"]["corrected"] == pytest.approx(known.people.corrected)
    assert own["people"]["f1"]["strategy"]["corrected"] == pytest.approx(known.strategies["own"].corrected)


def boundaries_of(events: list[Event]) -> dict[str, tuple[int, ...]]:
    return {name: own.boundaries for name, own in ReviewedDocument(WORKSPACE, tuple(events)).reviews.items()}


def test_a_share_of_the_first_cuts_has_no_interval_unless_the_order_was_random() -> None:
    some = judged("Ada", {2}, CUTS[:6])
    row = found(some)["strategies"][SETTING.text]
    assert (row["judged"], row["correct"], row["precision_interval"]) == (6, 5, None)
    assert "no fair sample" in row["caution"]
    low, high = found(some, order="random")["strategies"][SETTING.text]["precision_interval"]
    assert low < 5 / 6 < high


def test_a_blind_review_estimates_what_its_own_strategy_misses_and_no_other() -> None:
    seed = candidates.seed(WORKSPACE.document.text_hash, SETTING.text)
    mixed = candidates.candidates(
        candidates.proposals(MADE), WORKSPACE.offsets, SETTING.text, "text", blind=True, seed=seed
    )
    events = [
        event(
            "Ada",
            "accept" if each.proposed and number % 5 else "reject",
            each.offset,
            blind=True,
            proposed=each.proposed,
        )
        for number, each in enumerate(mixed)
    ]
    finer = strategies.parse("sentence:max_tokens=12;overlap=0").text
    rows = found(events, SETTING.text, finer)["strategies"]
    review = ReviewedDocument(WORKSPACE, tuple(events)).reviews["Ada"]
    known = estimates.of_blind(mixed, review, len(WORKSPACE.offsets))
    assert rows[SETTING.text]["blind"]
    assert rows[SETTING.text]["judged_blind"]["Ada"]["recall"] == known.recall.value
    assert rows[SETTING.text]["judged_blind"]["Ada"]["f1_interval"] == list(known.f1.interval)
    assert rows[finer]["judged_blind"] == {}, "what was mixed in is a sample of what the other strategy does not cut"


def test_nothing_depends_on_the_database_or_the_order_of_its_rows() -> None:
    events = [*TWO, event("Cho", "add", CUTS[0] + 8, note="here"), event("Ada", "accept", CUTS[3], decides=True)]
    reviewed = ReviewedDocument(WORKSPACE, tuple(events))
    line = exchange.export_reviews(
        reviewed.reference, reviewed.reviews, reviewed.decisions, WORKSPACE.document, reviewed.axis
    )
    again = exchange.import_reviews(lines.dump([line]).encode(), "gold.jsonl", WORKSPACE.document, "-").events
    assert found(list(again)) == found(events)
    others = [*events[len(CUTS) : 2 * len(CUTS)], *events[: len(CUTS)], *events[2 * len(CUTS) :]]
    assert found(others) == found(events)
    changed = found([*events, event("Bob", "reject", CUTS[5])])
    assert changed["judgements_sha256"] != found(events)["judgements_sha256"]


def test_without_names_no_name_and_no_note_is_in_the_report() -> None:
    events = [*TWO, *judged("Ada", {0}, CUTS[:1], note="as Bob said", decides=False, blind=True)]
    named, numbered = summed_up(events), summed_up(events, names=False)
    source = report.page(numbered, "command")
    assert "Ada" not in source and "Bob" not in source and "Ada" not in report.text(numbered)
    assert "Names and notes are left out" in source and "Reviewer 1" in source
    assert "as Bob said" in report.page(named, "command")
    assert numbered.agreement.kappa == named.agreement.kappa
    assert numbered.judgements_sha256 == named.judgements_sha256


def test_the_report_loads_nothing_escapes_all_and_says_how_to_make_it_again() -> None:
    events = [*TWO, *judged(EVIL, {0}, CUTS[:2], note=EVIL)]
    source = report.page(summed_up(events, SETTING.text, "heading"), f"evaluate review '{EVIL}'")
    assert EVIL not in source and html.escape(EVIL) in source
    assert not re.search(r"<(script|img|link|iframe|a)\b", source)
    shown = html.unescape(source)
    for words in (f"evaluate review '{EVIL}'", WORKSPACE.document.text_hash, __version__, "char-ngrams", "rules"):
        assert words in shown
    for title in ("Reviewers", "Agreement beyond chance", "Strategies", "Reference", "Disagreements", "Make it again"):
        assert f"<h2>{title}</h2>" in source
    assert source.count('class="chart"') == 2


def test_one_reviewer_and_no_strategy_make_a_report_too() -> None:
    made = summary.summarize(ReviewedDocument(WORKSPACE, tuple(judged("Ada", set(), CUTS[:2]))), [])
    source = report.page(made, "command")
    assert "Agreement needs at least two reviewers." in source
    assert "1 reviewer; 2 judgements; partial reference of 2 boundaries" in source
    assert report.text(made).count("\n\n") == 1
