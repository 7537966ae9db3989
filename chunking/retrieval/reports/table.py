"""An evaluation of retrieval in words, as cells of tables, and as a text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from chunking.report.formatting import NOTHING, aligned, harmless, percent
from chunking.retrieval.questions.data import TRUTH_TITLES
from chunking.retrieval.reports.results import EqualSizes, RetrievalSummary, RetrieverComparison
from chunking.retrieval.significance import Difference
from chunking.runtime.patterns import compile_pattern
from chunking.strategies import setting

_RECALL_AT = compile_pattern(r"recall@(\d+)")


def headline(summary: RetrievalSummary) -> str:
    """Return a line that says what was evaluated."""
    data = summary.data
    methods = {row.retriever for row in summary.strategies.values()}
    searched = "BM25" if methods == {"bm25"} else f"encoder {summary.encoder}"
    if summary.boundary_encoders not in ((), (summary.encoder,)):
        searched += f", boundaries by {' and '.join(summary.boundary_encoders)}"
    if summary.search:
        searched += f", dense search {summary.search['dense']}"
    return (
        f"{data.name}: {data.documents:,} documents, {data.questions:,} questions with {TRUTH_TITLES[data.truth]}; "
        f"{searched}, the best {summary.top_k} passages, ranked by {'score' if summary.scored else summary.primary}"
    )


def searched(summary: RetrievalSummary) -> list[str]:
    """Return how vectors were compared, in sentences; empty if they were not."""
    if not summary.search:
        return []
    if summary.search["dense"] == "exact":
        return ["Dense search is exact: every passage is compared with every question."]
    lines = (f"{name}: {row.search.text}." for name, row in summary.strategies.items() if row.search)
    return [f"Dense search is {summary.search['dense']}; what it returns is scored exactly.", *lines]


def said(measure: str) -> str:
    """Return a measure in words."""
    budget = _RECALL_AT.fullmatch(measure)
    return f"recall within {int(budget[1]):,} tokens" if budget else measure


def titled(measure: str) -> str:
    """Return a measure in words, as a title; a name stays as it is."""
    words = said(measure)
    return words if words == measure else words.capitalize()


def measured_by(summary: RetrievalSummary) -> str:
    """Return the measure that the verdict is based on, as its prefix."""
    methods = {row.retriever for row in summary.strategies.values()}
    parts = [str(summary.encoder)] if methods != {"bm25"} else []
    parts += ["BM25"] if methods != {"dense"} else []
    return f"By {said(summary.primary)}, with {' and '.join(parts)}:"


def columns(summary: RetrievalSummary) -> list[str]:
    """Return the heads of the main table."""
    score = ["score", "of size", "of retrieval"] if summary.scored else []
    return ["strategy", *score, *summary.measures, "chunks", "median tokens", "s"]


def cells(summary: RetrievalSummary) -> list[list[str]]:
    """Return the rows of the main table."""
    rows = []
    for name in summary.ranked:
        row = summary.strategies[name]
        values = [
            percent(row.measures[measure].mean, row.measures[measure].interval if measure == summary.primary else None)
            for measure in summary.measures
        ]
        score = [f"{part:.1f}" for part in row.score.as_dict().values()] if summary.scored else []
        median = f"{row.chunks.median:,.0f}" if row.chunks.number else NOTHING
        rows.append([name, *score, *values, f"{row.chunks.number:,}", median, f"{sum(row.seconds.values()):.1f}"])
    return rows


def named(summary: RetrievalSummary) -> list[str]:
    """Return the settings of the rows that were given a name, one line each."""
    return setting.named_rows(
        {name.removesuffix(f" · {row.retriever}"): row.setting for name, row in summary.strategies.items()}
    )


RETRIEVERS = {"dense": "dense search", "bm25": "BM25", "hybrid": "hybrid search"}
"""Ways to search, in words."""


def conclusions(summary: RetrievalSummary) -> list[str]:
    """Return, in sentences, which way to search won and whether strategies with chunks of equal size differ."""
    return [*_winner(summary.retrievers), *_equal_sizes(summary.equal_sizes)]


def _winner(compared: RetrieverComparison | None) -> list[str]:
    if compared is None:
        return []
    means = sorted(compared.means.items(), key=lambda pair: -pair[1])
    best, words = means[0][0], ", ".join(f"{RETRIEVERS[name]} {percent(mean)} %" for name, mean in means)
    lines = [f"By {said(compared.measure)}, averaged over the strategies: {words}."]
    of_best = [pair for pair in compared.pairs if best in (pair.one, pair.other)]
    names = [RETRIEVERS[pair.other if pair.one == best else pair.one] for pair in of_best]
    beaten = [name for name, pair in zip(names, of_best, strict=True) if pair.better == best]
    undecided = [name for name in names if name not in beaten]
    if beaten:
        name = f"{RETRIEVERS[best][:1].upper()}{RETRIEVERS[best][1:]}"
        lines.append(f"{name} is significantly better than {' and '.join(beaten)}.")
    if undecided:
        lines.append(f"No significant difference between {RETRIEVERS[best]} and {' or '.join(undecided)}.")
    return [" ".join(lines)]


def _equal_sizes(counts: EqualSizes) -> list[str]:
    if not counts.pairs:
        return []
    share = f"{counts.different:,} of {counts.pairs:,}"
    about = f"chunks of about equal size (mean tokens within {100 * counts.ratio - 100:.0f} %)"
    words = f"Of the pairs of strategies with {about} and the same retriever, {share} differ significantly"
    if counts.different == counts.pairs:
        return [f"{words}."]
    return [f"{words}; the others differ by at most {100 * counts.beyond:.1f} points."]


def corpus_heads(summary: RetrievalSummary) -> list[str]:
    """Return the corpora with their numbers of questions."""
    return [f"{name or NOTHING} ({corpus.questions:,})" for name, corpus in summary.corpora.items()]


def corpus_cells(summary: RetrievalSummary, measure: str) -> list[list[str]]:
    """Return a measure with its interval by corpus, a row of the evaluation each."""
    corpora = summary.corpora.values()
    return [[name, *(percent(*corpus.rows[name][measure]) for corpus in corpora)] for name in summary.ranked]


DIFFERENCE = ("difference alone", "all together", "verdict")
"""The heads of a difference."""


def pair_cells(pairs: Iterable[Difference]) -> list[list[str]]:
    """Return differences as rows: both names, the difference with each interval, and the verdict."""
    return [
        [
            pair.one,
            pair.other,
            percent(pair.mean, pair.interval, "+"),
            f"[{', '.join(f'{100 * end:+.1f}' for end in pair.simultaneous)}]",
            pair.verdict,
        ]
        for pair in pairs
    ]


def against_cells(pairs: Iterable[Difference]) -> list[list[str]]:
    """Return the differences from one row as rows without its name."""
    return [[name, *cells] for name, _, *cells in pair_cells(pairs)]


def text(summary: RetrievalSummary) -> str:
    """Return the tables and notes, for a terminal."""
    main, corpora = summary.primary, [["strategy", *corpus_heads(summary)], *corpus_cells(summary, summary.primary)]
    pairs = pair_cells(summary.pairs.get(main, ()))
    parts = [
        headline(summary),
        "In %: mean over questions and its 95 % interval. s is without embedding.",
        aligned([columns(summary), *cells(summary)]),
        "\n".join(named(summary)),
        summary.score if summary.scored else "",
        f"{main}: {summary.verdict}.",
        "\n".join(conclusions(summary)),
        f"{main} by corpus:\n{aligned(corpora)}" if summary.corpora else "",
        f"Differences of {main} in points:\n" + aligned([["strategy", "less", *DIFFERENCE], *pairs]) if pairs else "",
        "\n".join(f"note: {note}" for note in summary.notes),
    ]
    return "\n\n".join(harmless(part) for part in parts if part) + "\n"
