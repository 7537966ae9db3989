"""The Verdict view: which strategy finds most, what is certain about that, and where a cut breaks an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from chunking.report.formatting import percent
from chunking.report.html import explained
from chunking.retrieval.misses.causes import MissAnalysis, counts
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports import table
from chunking.retrieval.reports.results import RetrievalSummary
from chunking.retrieval.search.ranking import Method
from chunking.retrieval.significance import FEWEST, Difference, more_questions
from chunking.retrieval.tasks import Causes
from chunking.runtime.arrays import Float64
from chunking.runtime.wording import plural
from pages.shared.evaluate import causes, document_links, passages, verdict_rows
from pages.shared.evaluate.passages import CAUSE_TITLES
from pages.shared.evaluate.retrieval_jobs import RetrievalRequest, RetrievalResult
from pages.shared.evaluate.verdict_rows import VerdictRow
from pages.shared.frame import markup
from pages.shared.settings import controls

_MOST_LISTED = 12
"""Questions that are listed of those on which two strategies differ."""
_EQUAL = 1e-9


@dataclass(frozen=True, eq=False)
class Ranking:
    """The rows of one way to search, the best first.

    Attributes:
        summary: of the evaluation, ranked by the main measure.
        names: of the rows.
        causes: why each row misses answers; ``None`` where that is not known yet.
    """

    summary: RetrievalSummary
    names: tuple[str, ...]
    causes: Causes | None = None

    @property
    def best(self) -> str:
        """The row with the highest mean."""
        return self.names[0]

    @property
    def pairs(self) -> Mapping[str, Difference]:
        """The difference of every other row from the best."""
        return self.summary.against(self.summary.primary, self.best)

    def values(self, name: str) -> Float64:
        """Return ``(n_questions,)`` float64, the main measure of each question in a row."""
        return np.array(self.summary.strategies[name].per_question[self.summary.primary])


def show(request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult) -> None:
    """Show the verdict in a sentence, the rows with what is certain, and the questions on which two of them differ."""
    summary = replace(result.summary, rank="measure")
    method = _choose_method(summary)
    names = tuple(name for name in summary.ranked if summary.strategies[name].retriever == method)
    rows = st.container()
    traced = causes.traced_causes(request, question_set, result)
    ranking = Ranking(summary, names, traced)
    with rows:
        markup.show(f'<p class="cs-v-sentence">{sentence(ranking)}</p>{rows_html(ranking)}')
        for note in summary.language_notes:
            st.caption(markup.plain(note))
    if traced is not None and len(names) > 1 and question_set.truth == "spans":
        _show_differing(request, question_set, result, ranking)


def _choose_method(summary: RetrievalSummary) -> Method:
    """Show the ways to search where there are several; return the chosen one, at first that of the best row."""
    methods = tuple(dict.fromkeys(summary.strategies[name].retriever for name in summary.ranked))
    if len(methods) == 1:
        return methods[0]
    chosen: Method = controls.segments(
        "Search", methods, name="by", titles=lambda name: table.RETRIEVERS[name], label_visibility="collapsed"
    )
    return chosen


# ---- the verdict in words


def sentence(ranking: Ranking) -> str:
    """Return which row is best, by what is counted, and which of the others differ significantly, as HTML."""
    summary, best = ranking.summary, ranking.best
    measure = markup.escape(table.said(summary.primary))
    mean = f"<b>{percent(summary.main(best).mean)} %</b>"
    name = f"<b>{markup.escape(_title(summary, best))}</b>"
    is_alone = len(ranking.names) == 1
    if summary.data.truth != "spans":
        return f"{name}{'' if is_alone else ' ranks best'}: {measure} {mean}. {_certain(ranking)}"
    whole = int(np.count_nonzero(ranking.values(best) >= 1 - _EQUAL))
    return (
        f"{name} finds {'' if is_alone else 'most: '}{mean} of an answer on average ({measure}), "
        f"<b>{whole:,} of {plural(summary.data.questions, 'answer')}</b> whole. {_certain(ranking)}"
    )


def _title(summary: RetrievalSummary, name: str) -> str:
    return name.removesuffix(f" · {summary.strategies[name].retriever}")


def _certain(ranking: Ranking) -> str:
    """Return how many of the other rows differ significantly from the best."""
    pairs = ranking.pairs
    others = [pairs[name] for name in ranking.names[1:] if name in pairs]
    if not others:
        return ""
    if others[0].questions < FEWEST:
        return f"{plural(others[0].questions, 'question')} cannot decide: ask {FEWEST} at least."
    return verdict_rows.standing([pair.better == ranking.best for pair in others])


def words_against(pair: Difference | None) -> str:
    """Return how a row differs from the best one, in words."""
    if pair is None:
        return "the best"
    if pair.questions < FEWEST:
        return "too few questions"
    if pair.better:
        return verdict_rows.points(pair.mean, pair.simultaneous)
    if not pair.needed:
        return "no significant difference"
    return f"no significant difference · {more_questions(pair.needed)}"


# ---- the rows


def rows_html(ranking: Ranking) -> str:
    """Return the rows with their sizes, their means with intervals, and what is missed, as HTML."""
    summary = ranking.summary
    rows = []
    for name in ranking.names:
        row, estimate = summary.strategies[name], summary.main(name)
        against = markup.escape(words_against(ranking.pairs.get(name)))
        chunks = f'<td class="cs-quiet">{row.chunks.number:,} · {row.chunks.median:,.0f} tokens</td>'
        after = f"<td>{against}</td>{_missed(ranking, name)}"
        rows.append(VerdictRow(_title(summary, name), row.setting, estimate.mean, estimate.interval, chunks, after))
    sizes = verdict_rows.head(f"{explained('chunks')} · median")
    heads = [
        *verdict_rows.heads(table.said(summary.primary), _title(summary, ranking.best), sizes),
        *([verdict_rows.head(explained("missed", "missed question"))] if ranking.causes else []),
    ]
    label = f"Strategies by {table.said(summary.primary)}"
    return f"{verdict_rows.table(label, heads, rows)}{passages.key() if ranking.causes else ''}"


def _missed(ranking: Ranking, name: str) -> str:
    """Return a mark for each missed question in the colour of its cause."""
    if ranking.causes is None:
        return ""
    return f'<td class="cs-v-missed">{passages.marks_of(counts(ranking.causes[name]))}</td>'


# ---- the questions on which two rows differ


def _show_differing(
    request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult, ranking: Ranking
) -> None:
    """Show the questions on which the best row and another differ, and the text of one with the cut in it."""
    assert ranking.causes is not None
    other = controls.select(
        "Compared with", ranking.names[1:], name="versus", default=_most_cut(ranking), width=320,
        titles=lambda name: _title(ranking.summary, name),
    )  # fmt: skip
    one, two = ranking.values(ranking.best), ranking.values(other)
    apart = np.abs(one - two)
    order = [int(index) for index in np.argsort(-apart, kind="stable") if apart[index] > _EQUAL]
    titles = [_title(ranking.summary, name) for name in (ranking.best, other)]
    st.caption(
        markup.plain(
            f"{titles[0]} and {titles[1]} differ on {len(order):,} of {plural(len(one), 'question')}: "
            f"{titles[0]} finds more on {np.count_nonzero(one > two + _EQUAL):,}, {titles[1]} on "
            f"{np.count_nonzero(two > one + _EQUAL):,}."
        )
    )
    if not order:
        return
    by_id = {question_set.questions[index].id: index for index in order[:_MOST_LISTED]}
    left, right = st.columns([2, 3], gap="large")
    with left, st.container(key="_verdict_list"):

        def title(id: str) -> str:
            index = by_id[id]
            text = markup.plain(question_set.questions[index].text[:140])
            return f"{text}  \n{100 * one[index]:.0f} % · {100 * two[index]:.0f} %"

        chosen = controls.listed("Questions", tuple(by_id), name="differs", titles=title, label_visibility="collapsed")
        if len(order) > _MOST_LISTED:
            st.caption(f"The {_MOST_LISTED} that differ most; all are under “Questions”.")
    number = by_id[chosen]
    loser = other if one[number] > two[number] else ranking.best
    miss = next((miss for miss in ranking.causes[loser] if miss.question == number), None)
    with right:
        if miss is not None:
            _show_miss(request, question_set, result, loser, miss)


def _most_cut(ranking: Ranking) -> str:
    """Return the row, besides the best, whose cuts break the most answers; of equals, the one that misses the most."""
    assert ranking.causes is not None
    missed = {name: counts(ranking.causes[name]) for name in ranking.names[1:]}
    return max(missed, key=lambda name: (missed[name]["cut"], sum(missed[name].values())))


def _show_miss(
    request: RetrievalRequest, question_set: QuestionSet, result: RetrievalResult, name: str, analyzed: MissAnalysis
) -> None:
    """Show why a row misses a part of an answer, in the text of the document with the cuts of the row."""
    evaluation = result.evaluation
    assert evaluation is not None
    question, miss = question_set.questions[analyzed.question], analyzed.leading
    row = next(row for row in evaluation.rows if row.name == name)
    lines = causes.evidence(miss, analyzed, evaluation)
    markup.show(
        f"<p><b>{markup.escape(question.text)}</b></p>"
        f"<p>{markup.escape(name)} finds {100 * analyzed.value:.0f} %: {CAUSE_TITLES[analyzed.cause]}.</p>"
        f"{passages.miss(miss.cause, lines)}"
        f"{passages.broken_answer(evaluation, row.strategy, analyzed)}"
    )
    with st.container(horizontal=True):
        document_links.buttons(
            question_set.sources[miss.document], request.settings[row.strategy], miss.start, request.options.tools,
            "verdict",
        )  # fmt: skip
