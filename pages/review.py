"""Review: boundaries judged one by one, by keyboard, and what the judgements come to."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.chunks import Cut, Driver
from chunking.curves.signals import Signals
from chunking.document import Document
from chunking.gold.events import NAME_LIMIT, Event
from chunking.gold.state import Review
from chunking.review import candidates
from chunking.review.candidates import ORDERS, Candidate, Order
from chunking.strategies import Segmentation, Setting, reasons
from chunking.syntax import programs
from chunking.workspace import Workspace
from pages.shared.components import review_desk as desk
from pages.shared.components.document_store import document_store
from pages.shared.documents import about_document, documents, embedding, own_documents, results
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.review import store as review_store
from pages.shared.review import views as review_views
from pages.shared.review.store import Kept
from pages.shared.review.views import Reviewed
from pages.shared.settings import controls, strategy_settings

frame.routed("pages/review.py")
frame.recall("pages/review.py", ("at",))

_DESK, _NAME_DESK = "_desk", "_desk_name"
_REVIEWER, _STRATEGY, _ORDER, _BLIND = "reviewer", "judged", "order", "blind"
_BY: dict[Driver, str] = {
    "semantic": "by meaning",
    "structural": "by structure",
    "both": "by both",
    "limit": "by a limit",
}
_REASONS, _SPEAKS = 2, 0.05
"""Features of the structure that are named, where they add so much to its distance."""
_HEIGHT = "max(18rem, calc(100vh - 25rem))"


@dataclass(frozen=True)
class Task:
    """Whose boundaries are judged, by whom and how.

    Attributes:
        reviewer: who judges; empty where that is not known yet.
        setting: the strategy.
        order, blind: see :mod:`chunking.review.candidates`.
    """

    reviewer: str
    setting: Setting
    order: Order
    blind: bool


def main() -> None:
    markup.style()
    with st.sidebar:
        opened, tools = documents.choose()
        task = choose()
        counted_by = controls.tokenizer()
    own_documents.read_waiting()
    workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
    window = getattr(task.setting.params, "window", None)
    if window is not None and not embedding.ready(workspace, (window,)):
        return
    try:
        segmentation = results.of(workspace).get(workspace, task.setting).segmentation
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    head(opened, workspace)
    document_store(key_of(workspace), opened.document.text, workspace.sentences.spans, workspace.sentences.kinds)
    if task.reviewer:
        bench(opened, workspace, task, segmentation)
    else:
        ask_name(opened, workspace)


# ---- the sidebar


def choose() -> Task:
    """The controls of the review, and what they make."""
    name = st.text_input(
        "Your name",
        max_chars=NAME_LIMIT,
        placeholder="Who judges?",
        **controls.bound(_REVIEWER, "Stands beside all that you judge. Several reviewers can judge a document."),
    )
    setting = chosen_setting()
    blind = st.toggle(
        "Blind",
        **controls.bound(
            _BLIND,
            "Without seeing what the strategy says; as many gaps that it does not cut are mixed in, at random.",
        ),
    )
    order = st.selectbox(
        "Order",
        ORDERS,
        disabled=blind,
        **controls.bound(
            _ORDER, "As they come in the text, at random, farthest over the threshold first, or nearest to it first."
        ),
    )
    return Task(" ".join((name or "").split())[:NAME_LIMIT], setting, cast(Order, order), blind)


def chosen_setting() -> Setting:
    """The strategy whose boundaries are judged: one of the offered settings, or any that is typed."""
    offered = offered_settings()
    asked = st.selectbox(
        "Boundaries of",
        list(offered),
        accept_new_options=True,
        **controls.bound(
            _STRATEGY,
            "The strategy whose boundaries are judged. Any setting can be typed: percentile:window=1;percentile=90",
        ),
    )
    try:
        return strategies.parse(asked or next(iter(offered)))
    except ChunkscopeError as error:
        frame.show_error(ChunkscopeError(error.problem, f"Until then {next(iter(offered))} is judged."))
        return next(iter(offered.values()))


def offered_settings() -> dict[str, Setting]:
    """Settings by their line: the defaults, those that Inspect was set to, and each strategy's own default."""
    found = [strategies.parse("structural"), strategies.parse("changepoint")]
    found += strategy_settings.settings_of_session()
    found += [strategies.parse(known.name) for known in strategies.REGISTRY.values() if known.installed()]
    return {setting.text: setting for setting in found}


# ---- the page


def key_of(workspace: Workspace) -> str:
    """What the browser calls the document with these sentences."""
    return f"{workspace.document.key}-{len(workspace.sentences)}"


def head(opened: Opened, workspace: Workspace) -> None:
    """Title and kind of the document."""
    kind = about_document.kind(opened.document, workspace.sentences.splitter)
    title = f'<b>{markup.escape(opened.title)}</b> <span class="cs-quiet cs-kind">{markup.escape(kind)}</span>'
    markup.show(title)


def ask_name(opened: Opened, workspace: Workspace) -> None:
    """The desk before anybody sits at it."""

    def take() -> None:
        name = desk.named(_NAME_DESK)
        if name:
            st.session_state[_REVIEWER] = name

    desk.review_desk(_NAME_DESK, key_of(workspace), opened.document.text_hash, reviewer="", on_event=take)


@st.fragment
def bench(opened: Opened, workspace: Workspace, task: Task, segmentation: Segmentation) -> None:
    """The desk, and what has come of it; a judgement runs this part alone."""
    document = opened.document
    sent = desk.sent(_DESK, document.text_hash, len(document.text))
    kept = review_store.exchange(document, completed(sent.events, workspace, task, segmentation))
    judged = candidates.candidates(
        candidates.proposals(segmentation), workspace.offsets, task.setting.text, task.order, task.blind,
        candidates.seed(document.text_hash, task.setting.text),
    )  # fmt: skip
    seen = Reviewed(workspace, task.setting, segmentation, judged, task.order, task.blind, task.reviewer, kept.events)
    show_desk(workspace, task, segmentation, seen, kept, sent)
    review_views.show(opened, seen, kept.problem)


def show_desk(
    workspace: Workspace, task: Task, segmentation: Segmentation, seen: Reviewed, kept: Kept, sent: desk.Sent
) -> None:
    """The desk itself."""
    document = workspace.document

    def take() -> None:
        at = desk.sent(_DESK, document.text_hash, len(document.text)).at
        if at is not None:
            st.query_params["at"] = f"{at}@{document.key[:4]}"

    own = seen.reviews.get(task.reviewer, Review())
    desk.review_desk(
        _DESK,
        key_of(workspace),
        document.text_hash,
        reviewer=task.reviewer,
        desk=f"{task.setting.text} {task.order} {task.blind} {len(workspace.offsets)}",
        lot=lot(task.setting),
        blind=task.blind,
        candidates=shown(seen.candidates, segmentation, task.blind),
        places=workspace.offsets,
        events=[
            desk.Known(each.token, each.action, each.offset, each.target, each.note, each.undoes)
            for each in own.history
            if not each.decides
        ],
        disputes=review_views.disputes(seen),
        stored=kept.stored,
        refused=sent.refused,
        problem=kept.problem,
        at=place(document),
        mono=programs.language_of(document) is not None,
        height=_HEIGHT,
        on_event=take,
    )


def place(document: Document) -> int | None:
    """The candidate that the address names, unless it says that this was in another document."""
    asked, _, key = st.query_params.get("at", "").partition("@")
    known = asked.isascii() and asked.isdigit() and len(asked) < 10 and document.key.startswith(key)
    return int(asked) if known else None


def shown(judged: tuple[Candidate, ...], segmentation: Segmentation, blind: bool) -> list[desk.Candidate]:
    """What the desk is told of each candidate: of a blind one the place alone."""
    if blind:
        return [desk.Candidate(each.offset) for each in judged]
    cuts = {chunk.start: chunk.cut for chunk in segmentation.chunks}
    return [
        desk.Candidate(each.offset, why(cut, segmentation.signals), cut.driver or "")
        if (cut := cuts.get(each.offset))
        else desk.Candidate(each.offset)
        for each in judged
    ]


def why(cut: Cut, signals: Signals | None) -> str:
    """Why the strategy cuts there: what drives it, both distances, what of the structure speaks for it, the numbers."""
    parts = [_BY[cut.driver]] if cut.driver else []
    if signals is not None and cut.gap is not None:
        parts.append(f"meaning {signals.semantic[cut.gap]:.2f}")
        if signals.structure is not None:
            shares = signals.structure.gap_shares(cut.gap, signals.off)
            most = [place for place in np.argsort(-shares)[:_REASONS].tolist() if shares[place] >= _SPEAKS]
            titles = ", ".join(signals.structure.features[place].title.lower() for place in most)
            parts.append(f"structure {signals.structural[cut.gap]:.2f}" + (f" ({titles})" if titles else ""))
    return " · ".join([*parts, reasons.words(cut)])


# ---- what arrives


def lot(setting: Setting) -> str:
    """What the browser calls a setting: nothing that a reviewer who judges blind would read by chance."""
    return base64.urlsafe_b64encode(setting.text.encode()).decode()


def completed(
    events: tuple[Event, ...], workspace: Workspace, task: Task, segmentation: Segmentation
) -> tuple[Event, ...]:
    """Events with what the server alone knows: the words around the place, and which setting had proposed it."""
    known: dict[str, Segmentation | None] = {lot(task.setting): segmentation}
    found = []
    for event in events:
        if event.proposed not in known:
            known[event.proposed] = _of_lot(event.proposed, workspace)
        made = known[event.proposed]
        proposes = made is not None and any(chunk.start == event.offset for chunk in made.chunks)
        proposed = _text_of(event.proposed) if proposes and event.action not in ("undo", "note") else ""
        found.append(review_store.placed(replace(event, proposed=proposed), workspace.document.text))
    return tuple(found)


def _of_lot(name: str, workspace: Workspace) -> Segmentation | None:
    """What a setting makes that was judged before another one was chosen."""
    try:
        setting = strategies.parse(_text_of(name))
        return results.of(workspace).get(workspace, setting).segmentation
    except ChunkscopeError:
        return None


def _text_of(name: str) -> str:
    try:
        return base64.urlsafe_b64decode(name.encode("ascii", "replace")).decode()
    except (ValueError, binascii.Error):
        return ""


main()
