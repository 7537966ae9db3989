"""The evaluation of retrieval as one HTML file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest

from chunking import __version__, strategies
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions, RetrievalRow
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, QuestionSetRemark
from chunking.retrieval.reports import report
from chunking.retrieval.reports.results import RetrievalSummary
from chunking.retrieval.reports.summary import summarize
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import Rankings
from chunking.runtime.arrays import Float64
from tests.report.test_html import Tags

EVIL = "<script>alert('x')</script>"
MAIN = "recall@1000"
Values = Callable[[int, int], Float64]


def random(place: int, questions: int) -> Float64:
    """Values of a row, better ones the later it is."""
    shares = np.random.default_rng(place).random(questions)
    return np.asarray(shares < 0.3 + place / 100).astype(np.float64)


def questions_of(count: int, truth: str) -> tuple[Question, ...]:
    if truth == "documents":
        return tuple(Question(f"q{n}", f"Question {n}? {EVIL}", grades={0: 1}) for n in range(count))
    return tuple(Question(f"q{n}", f"Question {n}? {EVIL}", answers=(Answer(0, 0, 4),)) for n in range(count))


def made(settings: Sequence[str], questions: int, truth: Any = "spans", values: Values = random) -> RetrievalEvaluation:
    """An evaluation of rows whose values are given."""
    asked = questions_of(questions, truth)
    known = QuestionSet(f"lamps {EVIL}", truth, (CorpusDocument("d0", "Lamp oil and wicks."),), asked)
    names = ("nDCG@10", "RR") if truth == "documents" else (MAIN, "recall@500", "rr")
    nothing = Rankings((np.zeros(0, dtype=np.int64),) * questions, (np.zeros(0, dtype=np.float32),) * questions)
    one = np.zeros(1, dtype=np.int64)
    rows, cut, chosen = [], {}, {}
    for place, name in enumerate(settings):
        chosen[name] = strategies.parse(name)
        cut[name] = Passages(chosen[name].text, one, one, one + 19, one, one + 7 + place)
        rows.append(
            RetrievalRow(
                name, name, "dense", {key: values(place, questions) for key in names}, nothing, {"searching": 1}
            )
        )
    options = RetrievalOptions(kept=Cutoffs(10, (500, 1000)))
    return RetrievalEvaluation(known, options, chosen, cut, tuple(rows), {"cutting": 2.0, "searching": 1.0}, {})


def page(found: RetrievalEvaluation, **options: Any) -> tuple[str, Tags]:
    """The report without its style sheet, and its elements."""
    given = summarize(found, **options)
    source = report.page(given, f"python -m chunking evaluate retrieval '{EVIL}'", report.words(found.question_set))
    return re.sub(r"<style>.*?</style>", "", source, flags=re.DOTALL), Tags(source)


def test_it_is_one_file_that_loads_nothing_and_escapes_all() -> None:
    found = made(["whole", "recursive:size=300", "paragraph"], 40)
    failed = replace(found.passages["whole"], failed=(QuestionSetRemark("", 0, f"d0 {EVIL}", f"It is empty. {EVIL}"),))
    remarks = tuple(QuestionSetRemark(f"queries.jsonl {EVIL}", n, EVIL, "odd") for n in range(1, 300))
    found = replace(
        found, passages={**found.passages, "whole": failed}, question_set=replace(found.question_set, remarks=remarks)
    )
    source, shown = page(found)
    names = {tag for tag, _ in shown.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "embed", "image", "use", "a", "base", "form"}
    assert not [key for _, attrs in shown.tags for key in attrs if key.startswith("on") or key in ("src", "href")]
    assert any("default-src 'none'" in (attrs.get("content") or "") for _, attrs in shown.tags)
    assert "url(" not in source and "@import" not in source
    assert not re.findall(r"https?://", source)
    words = "".join(shown.words)
    for told in (f"Retrieval: lamps {EVIL}", f"It is empty. {EVIL}", f"queries.jsonl {EVIL}", f"retrieval '{EVIL}'"):
        assert told in words
    assert "100 of 299 remarks." in words
    assert words.count("queries.jsonl") == 100 + 1  # one by one, and once among the notes
    setup = "Data, settings and versions"
    for title in (setup, "Results", "Size against quality", "Failures", "Cost", "Make it again"):
        assert f"<h2>{title}</h2>" in source
    assert words.index("better than") < words.index(setup) < words.index("Results"), "the verdict comes first"
    assert found.question_set.content_hash in words and __version__ in words


def test_every_value_of_the_results_is_there_with_its_interval() -> None:
    found = made(["whole", "paragraph", "heading"], 40)
    given = summarize(found)
    words = "".join(page(found)[1].words)
    for row in given.strategies.values():
        for mean, interval in row.measures.values():
            assert interval is not None
            assert f"{100 * mean:.1f}\n[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]" in words
    for pair in given.pairs[MAIN]:
        assert pair.verdict in words
    assert given.verdict in words


def test_the_line_is_the_best_of_those_that_go_by_size_alone() -> None:
    rows = ["heading", "fixed_size", "paragraph", "recursive:size=300"]
    found = made(rows, 4, values=lambda place, _: np.array([0.9, 0.2, 0.5, 0.6])[[place] * 4])
    given = summarize(found)
    assert report.baselines(given) == {"fixed_size", "recursive:size=300"}
    words = "".join(page(found)[1].words)
    assert "the best of them, recursive:size=300." in words
    charts = page(made(["heading", "paragraph"], 9))[1]
    assert len(charts.of("mark")) == 1, "none without such a strategy: this is the line at nought of the difference"
    assert "Grey" not in "".join(charts.words)


def test_the_questions_that_differ_most_come_first_and_of_those_the_worst() -> None:
    given = np.array([[1, 0.2, 1, 0.5], [0, 0.1, 1, 0.5], [1, 0.1, 0, 0.5], [0, 0.9, 0.2, 0.4]])
    found = made(["whole", "paragraph", "heading", "recursive"], 4, values=lambda place, _: given[place])
    source, _ = page(found)
    order = [source.index(f"Question {number}?") for number in (0, 2, 1, 3)]
    assert order == sorted(order)
    assert "Of 4 questions, 0 get 0 under every row, and 0 the same under all." in source


def test_a_large_evaluation_is_cut_to_what_can_be_read_and_says_so() -> None:
    found = made([f"recursive:overlap=0;size={300 + place}" for place in range(40)], 90)
    source, shown = page(found)
    words = "".join(shown.words)
    assert sum(f"Question {number}? " in words for number in range(90)) == 25
    assert "65 more questions are in the results as JSON." in words
    assert "Of 40 rows, the first 8 have a column." in words
    assert f"{40 * 39 // 2 - 39} more pairs are in the results as JSON." in words
    assert "<th>lowest</th><th>highest</th>" in source
    assert len(source) < 200_000


def test_one_strategy_and_one_question_are_enough() -> None:
    source, _ = page(made(["paragraph"], 1))
    assert "is the only row" in source
    assert "Differences of" not in source
    assert "<h2>Questions that fare worst</h2>" in source
    assert "1 questions are few" in source


def test_without_the_words_of_questions_their_ids_are_shown() -> None:
    source = report.page(summarize(made(["whole", "paragraph"], 12)), "line")
    assert "<td>q0</td>" in source and "Question 0" not in source


def test_judged_documents_have_their_own_words() -> None:
    source, shown = page(made(["whole", "paragraph"], 12, "documents"))
    words = "".join(shown.words)
    assert "By nDCG@10" in words and "<h2>nDCG@10</h2>" in source and "judged documents" in words
    assert "Järvelin" in words and "Smith and Troynikov" not in words
    assert "Context budget" not in words and "Recall by context" not in words
    spans = "".join(page(made(["whole", "paragraph"], 12))[1].words)
    assert "Smith and Troynikov" in spans and "Järvelin" not in spans
    assert "500, 1,000" in spans and "Recall by context budget" in spans


def test_rows_in_order_of_the_score_say_its_formula() -> None:
    found = made(["whole", "paragraph"], 12)
    assert "one score of sizes and retrieval" in page(found, rank="score")[0]
    with_formula = page(found, rank="score")[0].count("score = 0.4")
    assert with_formula == page(found)[0].count("score = 0.4") + 1, "beside the table, and among what the numbers are"


@pytest.mark.parametrize("measure", [MAIN, "rr"])
def test_differences_are_turned_to_the_side_that_is_asked_for(measure: str) -> None:
    given = summarize(made(["whole", "paragraph", "heading"], 30))
    means = {name: row.measures[measure].mean for name, row in given.strategies.items()}
    for other in means:
        pairs = given.against(measure, other)
        assert list(pairs) == [name for name in given.ranked if name != other]
        for name, pair in pairs.items():
            assert (pair.one, pair.other) == (name, other)
            assert pair.mean == pytest.approx(means[name] - means[other], abs=1e-9)
            assert pair.simultaneous[0] <= pair.mean <= pair.simultaneous[1]


def test_a_summary_is_the_same_from_a_file() -> None:
    found = summarize(made(["whole", "paragraph", "heading"], 12))
    content = json.dumps(msgspec.to_builtins(found))
    assert msgspec.convert(json.loads(content), RetrievalSummary) == found
