"""HTML and figures of the Retrieval part: bars of causes, chunks with answers marked, sizes against quality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from chunking.document import Span
from chunking.report.formatting import percent
from chunking.report.html import explained
from chunking.report.theme import ENTRY_ROLES, ROLES, TICK_FORMAT, frame_style, line_trace, plain
from chunking.retrieval.evaluate import RetrievalEvaluation
from chunking.retrieval.misses.causes import CAUSES, Cause, MissAnalysis
from chunking.retrieval.misses.passage_index import RetrievedPassage, SearchEvidence
from chunking.retrieval.questions.data import CorpusDocument
from chunking.retrieval.reports.figures import SizeName, front, size_and_quality
from chunking.retrieval.reports.results import RetrievalSummary
from chunking.retrieval.reports.table import said
from chunking.retrieval.search.bm25 import term_spans
from chunking.runtime.wording import plural
from chunking.strategies.context import (
    EMBED_CHUNK,
    EMBED_HEADINGS,
    EMBED_LATE,
    EMBED_TITLE,
    RETURN_CHUNK,
    RETURN_PARENT,
    RETURN_WINDOW,
    ContextParameters,
)
from pages.shared.frame import markup

CAUSE_TITLES: Mapping[Cause, str] = {
    "absent": "in no chunk",
    "cut": "cut by a boundary",
    "reach": "beyond the encoder limit",
    "diluted": "diluted by a long chunk",
    "outranked": "outranked",
}
RETIRED_TITLES: Mapping[str, str] = {
    "in no passage": CAUSE_TITLES["absent"],
    "beyond what the encoder reads": CAUSE_TITLES["reach"],
    "drowned in a long passage": CAUSE_TITLES["diluted"],  # in old links
}
"""Former titles, which old links name."""
_COLORS: Mapping[Cause, str] = {
    "absent": "selected",
    "cut": "structural",
    "reach": "both",
    "diluted": "semantic",
    "outranked": "muted",
}
"""The palette role of each cause."""

_AROUND = 700
"""Characters of a chunk shown before its first answer, where the chunk is longer than :data:`_LONG`."""
_LONG = 2400


def style() -> None:
    """Add the style sheet of everything below; once per page."""
    markup.add_style(markup.read_sheet(Path(__file__), "passages"))


def _color(cause: Cause) -> str:
    return f'style="--cs-c: var(--cs-{_COLORS[cause]})"'


# --- causes ----------------------------------------------------------------------------------------------------------


def bars(counts: Mapping[str, Mapping[Cause, int]], questions: int) -> str:
    """Return bars with how many questions of each row have each cause, as shares of all questions."""
    lines = []
    for name, row in counts.items():
        parts = "".join(
            f'<i {_width(cause, row[cause], questions)} title="{row[cause]:,} {CAUSE_TITLES[cause]}">{row[cause]:,}</i>'
            for cause in CAUSES
            if row[cause]
        )
        label = (
            ", ".join(f"{row[cause]} {CAUSE_TITLES[cause]}" for cause in CAUSES if row[cause]) or "no missed questions"
        )
        missed = f"{sum(row.values()):,} of {questions:,}"
        lines.append(
            f'<span title="{markup.escape(name)}">{markup.escape(name)}</span>'
            f'<div class="cs-r-bar" role="img" aria-label="{label}">{parts}</div><span class="cs-quiet">{missed}</span>'
        )
    return f'<div class="cs-r-bars">{"".join(lines)}</div>{key()}'


def _width(cause: Cause, count: int, questions: int) -> str:
    return _color(cause)[:-1] + f'; width: {100 * count / max(questions, 1):.3f}%"'


def key() -> str:
    """Return the colours of the causes with their titles."""
    parts = "".join(f"<span><i {_color(cause)}></i>{explained(CAUSE_TITLES[cause])}</span>" for cause in CAUSES)
    return f'<div class="cs-r-key">{parts}</div>'


def miss(cause: Cause, evidence: Sequence[str]) -> str:
    """Return a missed span with its evidence."""
    body = "".join(f"<p>{markup.escape(line)}</p>" for line in evidence)
    return f'<div class="cs-r-miss" {_color(cause)}>{body}</div>'


_MOST_MARKS = 40


def marks_of(counts: Mapping[Cause, int]) -> str:
    """Return a mark for each missed question in the colour of its cause, and their number; of many, one for several."""
    total = sum(counts.values())
    each = max(-(-total // _MOST_MARKS), 1)
    marks = "".join(f"<i {_color(cause)}></i>" * -(-counts[cause] // each) for cause in CAUSES if counts[cause])
    words = ", ".join(f"{counts[cause]:,} {CAUSE_TITLES[cause]}" for cause in CAUSES if counts[cause]) or "none"
    return f'<span role="img" aria-label="{words}" title="{words}">{marks}</span> {total:,}'


_BESIDE = 420
"""Characters of the text that are shown on either side of an answer."""


def broken_answer(evaluation: RetrievalEvaluation, strategy: str, analyzed: MissAnalysis) -> str:
    """Return the text around a missed answer: what is found of it, what is not, and where the strategy cuts.

    Args:
        evaluation: the evaluation.
        strategy: that cut the document.
        analyzed: the causes of a question.
    """
    leading = analyzed.leading
    source, made = evaluation.question_set.sources[leading.document], evaluation.passages[strategy]
    answer = leading.whole
    start, end = max(answer.start - _BESIDE, 0), min(answer.end + _BESIDE, len(source.text))
    missing = [(miss.start, miss.end) for miss in analyzed.misses if miss.document == leading.document]
    cuts = {int(cut) for cut in made.start[made.document == leading.document] if start < cut < end}
    edges = {start, end, *cuts, *answer, *(edge for span in missing for edge in span)}
    parts = ["… " * (start > 0)]
    for first, last in pairwise(sorted(edge for edge in edges if start <= edge <= end)):
        if first in cuts:
            breaks = answer.start < first < answer.end
            parts.append(f'<i class="cs-v-cut{" cs-v-breaks" * breaks}">{"✂ this cut breaks the answer" * breaks}</i>')
        piece = markup.escape(source.text[first:last])
        if any(begin <= first and last <= stop for begin, stop in missing):
            piece = f"<del>{piece}</del>"
        elif answer.start <= first and last <= answer.end:
            piece = f"<mark>{piece}</mark>"
        parts.append(piece)
    return f'<div class="cs-v-text" tabindex="0">{"".join(parts)}{" …" * (end < len(source.text))}</div>'


# --- sizes -----------------------------------------------------------------------------------------------------------


def pareto(summary: RetrievalSummary, size: SizeName, title: str) -> dict[str, Any]:
    """Return sizes against the main measure, one point per row with its interval, and the Pareto front.

    Args:
        summary: the evaluation.
        size: the measure of the size of passages.
        title: of the size axis.

    Returns:
        A Plotly figure in the colours of :data:`chunking.report.theme.ROLES`.
    """
    points = size_and_quality(summary, size, summary.primary)
    best = sorted(front(points), key=lambda name: points[name])
    others = [name for name in points if name not in best]
    line = line_trace(
        "", [points[name][0] for name in best], [100 * points[name][1] for name in best],
        {"color": ROLES.structural, "width": 1.5, "dash": "dot"},
    )  # fmt: skip
    data = [
        line | {"showlegend": False},
        _dots(summary, points, others, "circle-open", "others"),
        _dots(summary, points, best, "circle", "front"),
    ]
    axis = {"gridcolor": ROLES.grid, "zeroline": False, "linecolor": ROLES.muted, "automargin": True}
    measure = said(summary.primary)
    layout = {
        **frame_style(ROLES),
        "height": 430,
        "margin": {"l": 10, "r": 20, "t": 10, "b": 10},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "hoverlabel": {"bgcolor": ROLES.surface, "font": {"color": ROLES.text}, "align": "left"},
        "xaxis": axis | {"type": "log", "title": {"text": title}, "tickformat": TICK_FORMAT, "nticks": 8},
        "yaxis": axis | {"title": {"text": f"{measure} (%)"}},
    }
    return {"data": data, "layout": layout}


def _dots(
    summary: RetrievalSummary, points: Mapping[str, tuple[float, float]], names: Sequence[str], symbol: str, uid: str
) -> dict[str, Any]:
    color = getattr(ROLES, ENTRY_ROLES["strategy"])
    estimates = [summary.main(name) for name in names]
    ends = [interval or (mean, mean) for mean, interval in estimates]
    words = [f"{name}: {percent(*estimate)}" for name, estimate in zip(names, estimates, strict=True)]
    return {
        "type": "scatter", "mode": "markers+text", "uid": uid,
        "x": [points[name][0] for name in names], "y": [100 * mean for mean, _ in estimates],
        "error_y": {
            "type": "data", "symmetric": False, "color": color, "thickness": 1.2, "width": 3,
            "array": [100 * (high - mean) for (mean, _), (_, high) in zip(estimates, ends, strict=True)],
            "arrayminus": [100 * (mean - low) for (mean, _), (low, _) in zip(estimates, ends, strict=True)],
        },
        "text": [plain(name[:40]) for name in names], "textposition": "top right",
        "textfont": {"color": ROLES.text, "size": 11}, "marker": {"color": color, "size": 9, "symbol": symbol},
        "customdata": list(map(plain, words)), "hovertemplate": "%{customdata}<br>%{x:,.0f} tokens<extra></extra>",
    }  # fmt: skip


# --- passages --------------------------------------------------------------------------------------------------------


def context_words(context: ContextParameters) -> str:
    """Return what is embedded and returned, in words."""
    returned = _RETURNED[context.return_].format(neighbours=plural(context.neighbours, "neighbour"))
    return f"Embedded: {_EMBEDDED[context.embed]}. Returned: {returned}."


_EMBEDDED = {
    EMBED_CHUNK: "the chunk alone",
    EMBED_HEADINGS: "the chunk with its heading path",
    EMBED_TITLE: "the chunk with its document's title",
    EMBED_LATE: "the chunk, pooled from its document (late chunking)",
}
_RETURNED = {
    RETURN_CHUNK: "the chunk",
    RETURN_PARENT: "the chunk, or its parent where most of its chunks are found",
    RETURN_WINDOW: "the chunk with {neighbours} on either side",
}


def hits(
    ranking: Sequence[RetrievedPassage],
    sources: Sequence[CorpusDocument],
    edge: int | None = None,
    evidence: Sequence[SearchEvidence] = (),
) -> str:
    """Return a ranking: each chunk with its answers marked.

    Args:
        ranking: the retrieved chunks.
        sources: their documents.
        edge: the context limit in tokens, marked by a line.
        evidence: what brought each of them up, where that is shown.
    """
    parts, marked = [], edge is None
    for number, hit in enumerate(ranking):
        past = edge is not None and hit.before >= edge
        if past and not marked:
            parts.append(f'<div class="cs-r-edge">Context limit ({edge:,} tokens)</div>')
            marked = True
        search_evidence = evidence[number] if evidence else SearchEvidence()
        parts.append(_hit(hit, sources[hit.document], past, search_evidence))
    return f'<div class="cs-r-list">{"".join(parts)}</div>' if parts else _NOTHING


_NOTHING = markup.empty(
    "No chunk was found for this query.", "Use other words; a search by words needs one that is in the text."
)


def _hit(hit: RetrievedPassage, source: CorpusDocument, past: bool, why: SearchEvidence) -> str:
    holds = bool(hit.marks) or bool(hit.relevant)
    relevant = "<span>relevant document</span>" if hit.relevant else ""
    answer = "<span>contains part of the answer</span>" if hit.marks else ""
    overlap = f"<span>{hit.own - hit.start:,} characters of overlap</span>" if hit.own > hit.start else ""
    head = (
        f"<b>{hit.rank}</b><span>score {hit.score:.3f}</span><span>{hit.tokens:,} tokens</span>"
        f"<span>{hit.before + hit.tokens:,} cumulative</span><span>{markup.escape(source.id)} "
        f"{hit.start:,}–{hit.end:,}</span>{relevant}{answer}{overlap}"
    )
    look = f"cs-r-hit{' cs-holds' * holds}{' cs-past' * past}"
    spoken = _lit(hit, source, why)
    text = " ".join(_text(hit, span, source, spoken) for span in hit.spans)
    body = f'<div class="cs-r-text">{text}</div>' if text else ""
    return f'<div class="{look}"><div class="cs-r-head">{head}{_added(hit)}</div>{_why(why)}{body}</div>'


def _added(hit: RetrievedPassage) -> str:
    """Return what is returned with a chunk, or that it is returned already."""
    if not hit.spans:
        return "<span>returned with a chunk above</span>"
    if hit.returned is None or all(hit.start <= span.start and span.end <= hit.end for span in hit.spans):
        return ""
    return f"<span>returned with {', '.join(f'{span.start:,}–{span.end:,}' for span in hit.spans)}</span>"


def _why(why: SearchEvidence) -> str:
    """Return what brought a chunk up, in words."""
    lines = []
    if why.terms:
        terms = ", ".join(f"{term.term} {100 * term.share:.0f} %" for term in why.terms[:_TERMS])
        more = f" and {len(why.terms) - _TERMS} more" if len(why.terms) > _TERMS else ""
        lines.append(f"Words (share of the BM25 score): {terms}{more}")
    for sentence in why.sentences:
        what = "Closest sentence" if sentence.span else "Embedded before the text"
        lines.append(f"{what} (similarity {sentence.similarity:.2f}): {_shortened(sentence.text)}")
    return "".join(f'<div class="cs-r-why">{markup.escape(line)}</div>' for line in lines)


def _shortened(text: str) -> str:
    words = " ".join(text.split())
    return f"{words[:_LETTERS]}{'…' * (len(words) > _LETTERS)}"


_TERMS, _LETTERS = 6, 160
"""Terms, and characters of a sentence, that are listed."""


def _lit(hit: RetrievedPassage, source: CorpusDocument, why: SearchEvidence) -> list[tuple[int, int]]:
    """Return what is underlined in the text of a chunk: the terms and sentences that brought it up."""
    terms = {term.term for term in why.terms}
    start, end = hit.start, min(hit.end, hit.start + _SEARCHED)
    spans = (
        [(start + first, start + last) for first, last in term_spans(source.text[start:end], terms)] if terms else []
    )
    return spans + [sentence.span for sentence in why.sentences[:1] if sentence.span]


_SEARCHED = 20_000
"""Characters of a chunk in which terms are underlined."""


def _text(hit: RetrievedPassage, span: Span, source: CorpusDocument, lit: Sequence[tuple[int, int]]) -> str:
    """Return a part of what a chunk adds to the context.

    What is not of the chunk itself is dimmed: its overlap, its neighbours. Of a long part only what is around its first
    answer is shown, or around the first words that brought the chunk up.
    """
    start, end = span
    if end - start > _LONG:
        first = next((mark.start for mark in hit.marks if start <= mark.start < end), None)
        first = min((begin for begin, _ in lit if start <= begin < end), default=None) if first is None else first
        start = start if first is None else max(start, first - _AROUND)
        end = min(end, start + _LONG)
    while start < end and source.text[start].isspace():
        start += 1
    marks = [(mark.start, mark.end) for mark in hit.marks]
    offsets = [start, end, hit.own, hit.end, *(offset for span in (*marks, *lit) for offset in span)]
    bounds = sorted({min(max(offset, start), end) for offset in offsets})
    parts = ["… " * bool(source.text[span.start : start].strip())]
    for begin, stop in pairwise(bounds):
        piece = markup.escape(source.text[begin:stop])
        if any(first <= begin and stop <= last for first, last in lit):
            piece = f"<u>{piece}</u>"
        if any(first <= begin and stop <= last for first, last in marks):
            piece = f"<mark>{piece}</mark>"
        parts.append(piece if hit.own <= begin and stop <= hit.end else f"<s>{piece}</s>")
    return "".join(parts) + " …" * (end < span.end)
