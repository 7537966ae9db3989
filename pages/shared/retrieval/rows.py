"""Each question with its values under every row, and one of them down to its rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import streamlit as st

from chunking.figures.plots import LIGHT
from chunking.retrieval.misses import ask
from chunking.retrieval.misses.ask import Hit
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports import table
from pages.shared.frame import markup
from pages.shared.retrieval import found as retrieval_found
from pages.shared.retrieval import look as retrieval_look
from pages.shared.retrieval import open as retrieval_open
from pages.shared.retrieval import runs as retrieval_runs
from pages.shared.retrieval.found import Asked, Found
from pages.shared.retrieval.views import ordered
from pages.shared.settings import controls

QUESTION = "question"
"""What the address calls the chosen question."""

_TABLE = "_retrieval_questions"
_SEEN = "_retrieval_question_seen"
_ALL, _MISSED, _DIFFER = "All", "Missed by", "Differ most between"
_COLORED = 50_000
_DEPTH = 10
_SIDE = 4
"""Rankings side by side, at most."""
_QUESTION = "question"


def show(asked: Asked, known: QuestionSet, found: Found) -> None:
    """The table of questions, and the one that is chosen."""
    shown = ordered(found.shown)
    ranked = table.ranked(shown)
    values = np.array([shown["strategies"][name]["per_question"][shown["primary"]] for name in ranked])
    places = _filtered(shown, ranked, values)
    st.caption(
        markup.plain(f"{table.said(shown['primary'])} in %, {len(places):,} of {len(known.questions):,} questions. ")
        + "Choose one to see its rankings."
    )
    event = st.dataframe(
        _frame(known, ranked, values, places),
        key=_TABLE,
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=min(330, 38 + 35 * max(len(places), 1)),
        column_config=_columns(ranked),
    )
    rows = cast(Any, event).selection.rows
    chosen = known.questions[places[rows[0]]].id if rows and rows[0] < len(places) else None
    # A click is news only once: afterwards the address may say something newer.
    if chosen is not None and chosen != st.session_state.get(_SEEN):
        st.query_params[QUESTION] = chosen
    st.session_state[_SEEN] = chosen
    number = chosen_question(known)
    if number is not None:
        one(asked, known, found, number)


def chosen_question(known: QuestionSet) -> int | None:
    """The place of the question that the address names."""
    asked = st.query_params.get(QUESTION)
    return next((place for place, each in enumerate(known.questions) if each.id == asked), None)


def _filtered(shown: dict[str, Any], ranked: Sequence[str], values: npt.NDArray[np.float64]) -> list[int]:
    """Places of the questions that are asked for, in the order they are shown in."""
    left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
    with left:
        which = st.segmented_control(
            "Questions", (_ALL, _MISSED, _DIFFER), default=_ALL, required=True, **controls.bound("filter", "")
        )
    if which == _ALL:
        order = np.argsort(values.mean(axis=0), kind="stable") if len(values) else np.arange(0)
        return [int(place) for place in order]
    for name in ("one", "other"):
        if st.session_state.get(name) not in ranked:
            st.session_state.pop(name, None)
    with middle:
        one = ranked.index(st.selectbox("Row", ranked, **controls.bound("one", "")))
    if which == _MISSED:
        short = values[one] < (1.0 if shown["data"]["truth"] == "spans" else 1e-9)
        return [int(place) for place in np.argsort(values[one], kind="stable") if short[place]]
    with right:
        other = ranked.index(st.selectbox("and", ranked, min(1, len(ranked) - 1), **controls.bound("other", "")))
    apart = np.abs(values[one] - values[other])
    return [int(place) for place in np.argsort(-apart, kind="stable") if apart[place] > 0]


def _frame(known: QuestionSet, ranked: Sequence[str], values: npt.NDArray[np.float64], places: list[int]) -> Any:
    """The table, each cell the bluer the better."""
    import pandas as pd  # type: ignore[import-untyped]

    frame = pd.DataFrame(
        {_QUESTION: [known.questions[place].text[:300] for place in places]}
        | {name: 100 * values[row, places] for row, name in enumerate(ranked)}
    )
    return frame if frame.size > _COLORED else frame.style.map(_color, subset=list(ranked))


def _color(value: float) -> str:
    # Seen through, so that it is right on the surface of either theme.
    return f"background-color: {LIGHT.semantic}{round(0.6 * 2.55 * min(max(value, 0), 100)):02x}"


def _columns(ranked: Sequence[str]) -> dict[str, Any]:
    return {_QUESTION: st.column_config.TextColumn(_QUESTION, width="large", pinned=True)} | {
        name: st.column_config.NumberColumn(name, format="%.0f", width=110) for name in ranked
    }


# --- one question ----------------------------------------------------------------------------------------------------


def one(asked: Asked, known: QuestionSet, found: Found, number: int) -> None:
    """A question with its answers, and its ranking under some rows."""
    question = known.questions[number]
    answers = "".join(
        f'<div class="cs-side">{markup.escape(known.sources[each.document].text[each.start : each.end][:1500])}</div>'
        for each in question.answers[:6]
    )
    relevant = [document for document, grade in question.grades.items() if grade > 0]
    if relevant:
        listed = ", ".join(known.sources[document].id for document in relevant[:12])
        answers = f'<p class="cs-quiet">Relevant documents: {markup.escape(listed)}</p>'
    markup.show(f"<p><b>{markup.escape(question.id)} · {markup.escape(question.text)}</b></p>{answers}")
    if not ready(asked, known, found):
        return
    evaluation = found.evaluation
    assert evaluation is not None
    names = side_by_side(table.ranked(ordered(found.shown)))
    by_name = {row.name: row for row in evaluation.rows}
    rankings = {name: ask.of_question(evaluation, by_name[name], number, _DEPTH) for name in names}
    heads = {}
    for name in names:
        value = by_name[name].values[found.shown["primary"]][number]
        heads[name] = f"{table.said(found.shown['primary'])}: {100 * value:.1f} %"
    columns(asked, known, rankings, heads)


def ready(asked: Asked, known: QuestionSet, found: Found) -> bool:
    """Whether rankings are there; those of a result that came from disk are made again, behind the page."""
    if found.evaluation is not None:
        return True
    run = retrieval_found.run_of(asked, known) or retrieval_found.start(asked, known)
    st.caption(
        "These figures were kept from before the server was started anew. The rankings are made again; what was "
        "embedded is in the cache, so it takes a moment."
    )
    retrieval_runs.shown(run, lambda: retrieval_found.start(asked, known))
    return False


def side_by_side(names: Sequence[str]) -> list[str]:
    """The rows whose rankings are shown."""
    kept = [name for name in st.session_state.get("side", []) if name in names]
    if st.session_state.get("side") is not None and kept != st.session_state["side"]:
        st.session_state["side"] = kept
    chosen: list[str] = st.multiselect(
        "Side by side", names, list(names[:2]), max_selections=_SIDE, **controls.bound("side", "")
    )
    return chosen


def columns(
    asked: Asked, known: QuestionSet, rankings: dict[str, tuple[Hit, ...]], heads: dict[str, str] | None = None
) -> None:
    """Rankings side by side, and the way to a passage's document."""
    if not rankings:
        st.caption("Choose rows to see their rankings.")
        return
    edge = asked.within.tokens if known.truth == "spans" else None
    ways = retrieval_found.rows(asked)
    for place, (name, hits) in zip(st.columns(len(rankings)), rankings.items(), strict=True):
        with place:
            head = f'<div class="cs-quiet">{markup.escape(heads[name])}</div>' if heads else ""
            markup.show(f"<b>{markup.escape(name)}</b>{head}{retrieval_look.hits(hits, known.sources, edge)}")
            if hits:
                _opener(asked, known, name, hits, ways[name][0])


def _opener(asked: Asked, known: QuestionSet, name: str, hits: tuple[Hit, ...], strategy: str) -> None:
    first = next((hit.rank for hit in hits if hit.marks or hit.relevant), 1)
    ranks = [hit.rank for hit in hits]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rank = st.selectbox(
            "Passage", ranks, ranks.index(first), key=f"_passage_{name}", width=90, label_visibility="collapsed"
        )
        hit = hits[ranks.index(rank)]
        place = hit.marks[0].start if hit.marks else hit.own
        retrieval_open.buttons(
            known.sources[hit.document], asked.settings[strategy], place, asked.options.tools, f"hit_{name}"
        )
