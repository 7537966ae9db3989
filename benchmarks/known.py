"""Retrieval against figures that others published, to see that the measures measure what they say.

SciFact, whole abstracts, the built-in model: MTEB's results of all-MiniLM-L6-v2 give an nDCG@10 of 0.645.

Chroma's report (Smith and Troynikov 2024, "Evaluating Chunking Strategies for Retrieval") has a table for
all-MiniLM-L6-v2 over five corpora. Two of them are here, so the figures may differ; what else could make them differ is
computed: an overlap that begins before a chunk, passages that only touch an answer, a passage looked up by its text
(Chroma's program takes the first place where it stands), and tokens in place of characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks.timing import table
from chunking import strategies, tokens
from chunking.embedding.vector_cache import default_cache
from chunking.retrieval import measures
from chunking.retrieval.evaluate import RetrievalEvaluation, RetrievalOptions, RetrievalRow, evaluate
from chunking.retrieval.measures import Cutoffs
from chunking.retrieval.questions import folders
from chunking.retrieval.questions.data import Answer, QuestionSet, Range
from chunking.retrieval.search.ranking import Rankings
from chunking.runtime.arrays import Int64
from chunking.tokens import TokenLocator

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
SCIFACT = 0.645
"""nDCG@10 of all-MiniLM-L6-v2 in the results of MTEB."""

CHROMA = {
    "size=250;overlap=125": (78.7, 4.9, 21.9, 4.9, 180),
    "size=250;overlap=0": (78.5, 5.4, 26.7, 5.4, 162),
    "size=200;overlap=0": (75.7, 6.5, 31.2, 6.5, 128),
}
"""Chroma's table for all-MiniLM-L6-v2, five chunks: recall, precision, precision-omega, IoU in %, mean tokens."""

Scores = dict[str, float]
NAMES = ("recall", "precision", "precision_omega", "iou")


def main() -> None:
    """Print the tables."""
    if not DATA.is_dir():
        print("\nRetrieval against published figures: the data is not beside the repository, so this is left out.")
        return
    chroma()
    scifact()


def scifact() -> None:
    """nDCG@10 of whole abstracts."""
    known = folders.read(DATA / "beir" / "scifact")
    found = evaluate(known, {"whole": strategies.parse("whole")}, RetrievalOptions(), default_cache())
    value = float(found.rows[0].values["nDCG@10"].mean())
    spent = sum(found.seconds.values())
    told = f"published {SCIFACT}, {value - SCIFACT:+.4f}"
    print(f"\nSciFact, whole abstracts: nDCG@10 {value:.4f} ({told}), {spent:.0f} s")


def chroma() -> None:
    """Compare the three settings, as measured here and in other ways, with the published figures."""
    known = folders.read(DATA / "chroma_dev")
    settings = {
        setting: strategies.parse(f"recursive:{setting};overlap_unit=tokens;separators=sentences") for setting in CHROMA
    }
    found = evaluate(known, settings, RetrievalOptions(kept=Cutoffs(5)), default_cache())
    for row in found.rows:
        _chroma_rows(found, row)


def _chroma_rows(found: RetrievalEvaluation, row: RetrievalRow) -> None:
    known, passages = found.question_set, found.passages[row.strategy]
    *published, mean = CHROMA[row.strategy]
    ranges = measures.ranges(passages, np.arange(len(passages)))
    stripped = [_stripped(known, each) for each in ranges]
    ways = [
        ("here, characters", ranges, 0),
        ("stripped, as LangChain does", stripped, 0),
        ("stripped, touching counts", stripped, 1),
        ("looked up by text, touching counts", [_looked_up(known, each) for each in stripped], 1),
    ]
    lines = [["published, five corpora", *(f"{value:.1f}" for value in published), f"{mean}"]]
    for title, some, touch in ways:
        lines.append([title, *_line(known, row, some, touch), f"{passages.tokens.mean():.0f}"])
    lines.append(["stripped, tokens", *_line(*_in_tokens(known, row, stripped), 0), ""])
    alone = RetrievalRow(row.name, row.strategy, row.method, {}, _in_own_document(found, row), {})
    lines.append(["here, each in its own corpus", *_line(known, alone, ranges, 0), ""])
    for name, numbers in _by_document(known):
        asked = QuestionSet(name, "spans", known.sources, tuple(known.questions[number] for number in numbers))
        part = RetrievalRow(row.name, row.strategy, row.method, {}, _some(row, numbers), {})
        lines.append([f"here, {name}", *_line(asked, part, ranges, 0), f"{len(numbers)} questions"])
    title = f"Recursive, {row.strategy}, the best five of {len(passages)} passages of two corpora, %"
    table(title, ["", *NAMES, "mean tokens"], lines)


def _line(known: QuestionSet, row: RetrievalRow, some: Sequence[Range], touch: int) -> list[str]:
    each = [
        _scores(some, places[:5], question.answers, touch)
        for question, places in zip(known.questions, row.hits.passages, strict=True)
    ]
    return [f"{100 * float(np.mean([scores[name] for scores in each])):.1f}" for name in NAMES]


def _scores(some: Sequence[Range], places: Int64, answers: Sequence[Answer], touch: int) -> Scores:
    found = measures.overlap_scores([some[place] for place in places.tolist()], answers)
    holding = [
        each
        for each in some
        if any(
            each[0] == answer.document and each[1] < answer.end + touch and each[2] > answer.start - touch
            for answer in answers
        )
    ]
    return {**found, "precision_omega": measures.omega(holding, answers)}


def _stripped(known: QuestionSet, each: Range) -> Range:
    document, start, end = each
    text = known.sources[document].text[start:end]
    return document, start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())


def _looked_up(known: QuestionSet, each: Range) -> Range:
    """Where Chroma's program finds a chunk: the first place of its text, without a full stop at its end."""
    document, start, end = each
    words = known.sources[document].text[start:end].removesuffix(".")
    place = known.sources[document].text.find(words)
    return document, place, place + len(words)


def _in_tokens(
    known: QuestionSet, row: RetrievalRow, some: Sequence[Range]
) -> tuple[QuestionSet, RetrievalRow, list[Range]]:
    """Return the same with the tokens of each document in place of its characters; one that is cut counts where it
    begins.
    """
    counter = tokens.get_tokenizer("cl100k_base")
    assert isinstance(counter, TokenLocator)
    starts = [counter.starts(source.text) for source in known.sources]

    def counted(document: int, start: int, end: int) -> Range:
        known_starts = starts[document]
        assert known_starts is not None
        first, last = np.searchsorted(known_starts, [start, end]).tolist()
        return document, first, last

    questions = []
    for question in known.questions:
        answers = [Answer(*counted(each.document, each.start, each.end)) for each in question.answers]
        questions.append(type(question)(question.id, question.text, answers=tuple(answers)))
    converted = QuestionSet(known.name, "spans", known.sources, tuple(questions))
    return converted, row, [counted(*each) for each in some]


def _in_own_document(found: RetrievalEvaluation, row: RetrievalRow) -> Rankings:
    """Return the ranking without the passages of other corpora, to see what more of them take away."""
    document = found.passages[row.strategy].document
    kept = [
        document[places] == question.answers[0].document
        for question, places in zip(found.question_set.questions, row.hits.passages, strict=True)
    ]
    return Rankings(
        tuple(places[some] for places, some in zip(row.hits.passages, kept, strict=True)),
        tuple(scores[some] for scores, some in zip(row.hits.scores, kept, strict=True)),
    )


def _by_document(known: QuestionSet) -> list[tuple[str, list[int]]]:
    numbers = sorted(range(len(known.questions)), key=lambda number: known.questions[number].answers[0].document)
    groups = groupby(numbers, key=lambda number: known.questions[number].answers[0].document)
    return [(known.sources[document].id, sorted(some)) for document, some in groups]


def _some(row: RetrievalRow, numbers: Sequence[int]) -> Rankings:
    passages = tuple(row.hits.passages[number] for number in numbers)
    return Rankings(passages, tuple(row.hits.scores[number] for number in numbers))


if __name__ == "__main__":
    main()
