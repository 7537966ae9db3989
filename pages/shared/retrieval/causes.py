"""What kept each question from its answer, the evidence in words, and the smallest change that mends it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.retrieval.evaluate import Evaluation, Row
from chunking.retrieval.misses import blame
from chunking.retrieval.misses.blame import CAUSES, Blame, Instead, Miss
from chunking.retrieval.misses.looked import Within
from chunking.retrieval.misses.remedy import Change, Remedy
from chunking.retrieval.questions.data import QuestionSet
from chunking.retrieval.reports import table
from chunking.strategies import Setting, reasons
from pages.shared.frame import markup
from pages.shared.retrieval import data as retrieval_data
from pages.shared.retrieval import found as retrieval_found
from pages.shared.retrieval import look as retrieval_look
from pages.shared.retrieval import open as retrieval_open
from pages.shared.retrieval import rows as retrieval_rows
from pages.shared.retrieval import runs as retrieval_runs
from pages.shared.retrieval.found import Asked, Found
from pages.shared.retrieval.look import CAUSE_TITLES
from pages.shared.retrieval.rows import QUESTION
from pages.shared.retrieval.views import ordered
from pages.shared.settings import controls
from pages.shared.settings.lane_settings import ADDRESS

_ANY = "any cause"
_TABLE = "_retrieval_misses"
_SEEN = "_retrieval_miss_seen"
_LISTED = 6
"""Questions that a change moves and that are listed, of those it mends and of those it breaks."""


def show(asked: Asked, known: QuestionSet, found: Found) -> None:
    """Counts by cause, the missed questions, and the one that is chosen."""
    if not retrieval_rows.ready(asked, known, found):
        return
    evaluation = found.evaluation
    assert evaluation is not None
    within = asked.within if known.truth == "spans" else Within(asked.options.kept.passages)
    run = retrieval_runs.runs().get(retrieval_found.causes_key(found, within))

    def start() -> retrieval_runs.Run:
        return retrieval_found.start_causes(found, within)

    if run is None and asked.chosen.name == retrieval_data.SAMPLES:
        run = start()
    if run is None:
        st.caption("Each missed answer is traced to what did it; for that its sentences are embedded and compared.")
        retrieval_runs.button("Trace the missed answers", start, "_trace", "search")
        return
    if not retrieval_runs.shown(run, start):
        return
    causes: retrieval_found.Causes = run.result
    ranked = table.ranked(ordered(found.shown))
    st.caption(f"Questions whose answer is not wholly within {_looked(within)}, by main cause.")
    markup.show(retrieval_look.bars({name: blame.counts(causes[name]) for name in ranked}, len(known.questions)))
    if st.session_state.get("under") not in ranked:
        st.session_state.pop("under", None)
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        name = st.selectbox("Missed under", ranked, **controls.bound("under", "The row whose misses are listed."))
    row = next(row for row in evaluation.rows if row.name == name)
    with right:
        offered = [_ANY, *(CAUSE_TITLES[each] for each in CAUSES)]
        cause: str = st.selectbox("Cause", offered, **controls.bound("cause", ""))
    note = blame.unknown(row.method)
    if note:
        st.caption(markup.plain(note))
    listed = [each for each in causes[name] if cause in (_ANY, CAUSE_TITLES[each.cause])]
    chosen = _choose(known, listed)
    if chosen is not None:
        _one(asked, known, found, row, within, chosen)


def _looked(within: Within) -> str:
    if within.tokens:
        return f"{within.tokens:,} tokens"
    return f"the first {within.passages:,} document{'s' if within.passages != 1 else ''}"


def _choose(known: QuestionSet, listed: Sequence[Blame]) -> Blame | None:
    """The list of misses, and the one that the address names."""
    import pandas as pd  # type: ignore[import-untyped]

    if not listed:
        st.caption("No question is missed for that.")
        return None
    ordered_ = sorted(listed, key=lambda each: (each.value, each.question))
    frame = pd.DataFrame(
        {
            "question": [known.questions[each.question].text[:300] for each in ordered_],
            "cause": [CAUSE_TITLES[each.cause] for each in ordered_],
            "also": [", ".join(CAUSE_TITLES[other] for other in each.also) for each in ordered_],
            "found, %": [100 * each.value for each in ordered_],
            "rank": [each.rank for each in ordered_],
        }
    )
    event = st.dataframe(
        frame,
        key=_TABLE,
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=min(300, 38 + 35 * len(ordered_)),
        column_config={
            "question": st.column_config.TextColumn(width="large"),
            "found, %": st.column_config.NumberColumn(format="%.0f", help="How much of the answer is looked at"),
            "rank": st.column_config.NumberColumn(help="Of the first passage that holds some of the answer"),
        },
    )
    rows = event.selection.rows
    clicked = known.questions[ordered_[rows[0]].question].id if rows and rows[0] < len(ordered_) else None
    # A click is news only once: afterwards the address may say something newer.
    if clicked is not None and clicked != st.session_state.get(_SEEN):
        st.query_params[QUESTION] = clicked
    st.session_state[_SEEN] = clicked
    number = retrieval_rows.chosen_question(known)
    return next((each for each in listed if each.question == number), None)


# --- one of them -----------------------------------------------------------------------------------------------------


def _one(asked: Asked, known: QuestionSet, found: Found, row: Row, within: Within, blamed: Blame) -> None:
    """The evidence for a question, and the smallest change."""
    evaluation = found.evaluation
    assert evaluation is not None
    question = known.questions[blamed.question]
    parts = [f"<p><b>{markup.escape(question.id)} · {markup.escape(question.text)}</b></p>"]
    for each in blamed.misses[:8]:
        parts.append(retrieval_look.miss(each.cause, evidence(each, blamed, evaluation)))
    if len(blamed.misses) > 8:
        parts.append(f'<p class="cs-quiet">{len(blamed.misses) - 8} more parts are missing.</p>')
    markup.show("".join(parts))
    setting = asked.settings[row.strategy]
    leading = blamed.leading
    with st.container(horizontal=True):
        retrieval_open.buttons(
            known.sources[leading.document], setting, leading.start, asked.options.tools, "miss", tune=True
        )

    def start() -> retrieval_runs.Run:
        return retrieval_found.start_remedy(found, row, within, blamed)

    run = retrieval_runs.runs().get(retrieval_found.remedy_key(found, row, within, blamed))
    if run is None:
        retrieval_runs.button(
            "Find the smallest change that mends it", start, "_find_change", "build",
            help="Changes of the strategy's controls are tried on the whole set, the smallest first.",
        )  # fmt: skip
    elif retrieval_runs.shown(run, start):
        _remedies(asked, known, run.result, leading, setting)


def evidence(miss: Miss, blamed: Blame, evaluation: Evaluation) -> list[str]:
    """What is known of a missed stretch, in sentences.

    Args:
        miss: the stretch, or the relevant document.
        blamed: the question's blame.
        evaluation: whose passages they are.
    """
    source = evaluation.known.sources[miss.document]
    text = " ".join(source.text[miss.start : miss.end].split())
    also = f" Also: {', '.join(CAUSE_TITLES[each] for each in miss.also)}." if miss.also else ""
    lines = [
        f"{CAUSE_TITLES[miss.cause].capitalize()}: “{text[:220]}{'…' * (len(text) > 220)}” ({source.id} "
        f"{miss.start:,}–{miss.end:,}, {miss.own_tokens:,} tokens).{also}"
    ]
    if miss.passage is None:
        return [*lines, "No passage holds it: the document could not be cut, or the strategy leaves it out."]
    rank = f"at rank {miss.rank:,}" if miss.rank else "beyond the ranking"
    score = "" if miss.score is None else f", with a score of {miss.score:.3f}"
    edge = "" if blamed.edge is None else f"; the last that is looked at has {blamed.edge:.3f}"
    lines.append(f"Its passage of {miss.tokens:,} tokens stands {rank}{score}{edge}.")
    for cut in miss.cuts:
        lines.append(f"The answer is cut at {cut.offset:,}: {reasons.words(cut)}.")
    if miss.joined:
        lines.append(f"Its passages as one would {_stand(miss.joined)}.")
    if miss.alone:
        lines.append(f"Its own sentences alone would {_stand(miss.alone)}.")
    if miss.read and miss.read.tokens > miss.read.limit:
        lines.append(
            f"The encoder reads {miss.read.limit:,} of the passage's {miss.read.tokens:,} tokens of its own; the "
            f"answer begins after {miss.read.before:,}."
        )
    return lines


def _stand(instead: Instead) -> str:
    within = "and be looked at" if instead.within else "and still not be looked at to the end"
    return f"score {instead.score:.3f} with {instead.tokens:,} tokens, stand at rank {instead.rank:,} {within}"


def _remedies(asked: Asked, known: QuestionSet, tried: Sequence[Remedy], leading: Miss, setting: Setting) -> None:
    """What was tried, what it mended and broke, and the way to the setting that mends."""
    if not tried:
        st.caption(
            "Nothing can be changed for it: no stop of the strategy's controls makes another chunk of the answer."
        )
        return
    markup.show(_tried(tried))
    last = tried[-1]
    if not last.mended:
        st.caption("None of these mends it.")
        return
    parts = [f"<p><b>{markup.escape(_headline(last))}</b></p>"]
    for title, changes in (("Others that it breaks", last.worse), ("Others that it mends", last.better)):
        parts.append(_moved(title, changes, known, last.measure))
    markup.show("".join(parts))
    changed = retrieval_open.parsed(last.setting)
    with st.container(horizontal=True):
        retrieval_open.buttons(
            known.sources[leading.document], changed, leading.start, asked.options.tools, "changed", tune=True
        )
        st.button(
            "Add it to the strategies", key="_add_changed", icon=":material/playlist_add:", on_click=_add,
            args=([*asked.settings, last.setting],), disabled=last.setting in asked.settings,
        )  # fmt: skip


def _headline(last: Remedy) -> str:
    ends = f" [{100 * last.interval[0]:+.1f}, {100 * last.interval[1]:+.1f}]" if last.interval else ""
    return (
        f"{last.title} from {last.before} to {last.after} mends it: {table.said(last.measure)} from "
        f"{100 * last.value_before:.0f} to {100 * last.value_after:.0f} %. Over all questions {100 * last.mean:+.1f} "
        f"points{ends}; {last.passages[0]:,} passages become {last.passages[1]:,}."
    )


def _tried(tried: Sequence[Remedy]) -> str:
    rows = "".join(
        f"<tr><td>{markup.escape(each.title)}</td><td>{markup.escape(f'{each.before} → {each.after}')}</td>"
        f"<td>{'mends it' if each.mended else 'does not mend it'}</td><td>{100 * each.value_after:.0f} %</td>"
        f"<td>{len(each.better):,}</td><td>{len(each.worse):,}</td><td>{100 * each.mean:+.1f}</td></tr>"
        for each in tried
    )
    heads = "".join(
        f"<th>{head}</th>"
        for head in ("control", "change", "", "found", "others better", "others worse", "mean, points")
    )
    return f'<table class="cs-r-tried"><tr>{heads}</tr>{rows}</table>'


def _moved(title: str, changes: Sequence[Change], known: QuestionSet, measure: str) -> str:
    if not changes:
        return f"<p>{title}: none.</p>"
    lines = "".join(
        f"<p>{markup.escape(known.questions[each.question].text[:160])} "
        f"<small>{100 * each.before:.0f} → {100 * each.after:.0f} %</small></p>"
        for each in changes[:_LISTED]
    )
    more = f"<p>… and {len(changes) - _LISTED:,} more</p>" if len(changes) > _LISTED else ""
    return (
        f'<details class="cs-aside"><summary>{title}: {len(changes):,} ({markup.escape(table.said(measure))})</summary>'
        f"<div>{lines}{more}</div></details>"
    )


def _add(settings: list[str]) -> None:
    st.query_params[ADDRESS] = ",".join(settings)
