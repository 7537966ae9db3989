"""Review: boundaries judged one by one, by keyboard, and the reference that results."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.chunks import Cut, Driver, reason_words
from chunking.document import Document
from chunking.reference.events import NAME_LIMIT, Event, with_context
from chunking.reference.state import VERDICTS
from chunking.review import candidates
from chunking.review.candidates import ORDERS, Order
from chunking.signals.signals import Signals
from chunking.strategies import Segmentation, Setting
from chunking.syntax import programs
from chunking.workspace import DocumentAnalysis
from pages.shared import identity, state
from pages.shared.components import review_desk as desk
from pages.shared.components.workbench import send_text
from pages.shared.documents import about_document, add_documents, documents, embedding, results, session_documents
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, markup
from pages.shared.library import document_sets
from pages.shared.reference import review_store
from pages.shared.reference.review_store import StoredReviews
from pages.shared.review import views
from pages.shared.review.context import ReviewContext
from pages.shared.settings import controls, strategy_settings
from pages.shared.state import session

frame.require_app_frame("pages/review.py")

_DESK, _NAME_DESK = "_desk", "_desk_name"
_REVIEWER, _STRATEGY, _ORDER, _BLIND = "reviewer", "judged", "order", "blind"
_MISSING: state.SessionValue[tuple[str, str] | None] = state.SessionValue("_review_missing_document", session.empty)
_NEXT = state.SessionValue("_review_next", bool)
_OPEN: state.SessionValue[str | None] = state.SessionValue("_review_open", session.empty)
_BY: dict[Driver, str] = {
    "semantic": "by meaning",
    "structural": "by structure",
    "both": "by both",
    "limit": "by a limit",
    "hand": "by hand",
}
_REASONS, _LEAST_SHARE = 2, 0.05
"""Number of structural features that are named, and the least share of the distance that each must have."""
_NO_SET = "Open here"
_HEIGHT = "max(18rem, calc(100vh - 25rem))"


@dataclass(frozen=True)
class Task:
    """The boundaries to judge, the reviewer and the manner.

    Attributes:
        reviewer: name; empty where it is not known yet.
        setting: the strategy.
        order, blind: see :mod:`chunking.review.candidates`.
        set_id: of the set of the library that the documents to review are of; empty for none.
    """

    reviewer: str
    setting: Setting
    order: Order
    blind: bool
    set_id: str = ""


def main() -> None:
    following = _OPEN.pop()
    if following:
        documents.open_(following)
    with st.sidebar:
        requested = documents.open_name()
        opened, tools = documents.choose()
        task = choose()
        counted_by = controls.tokenizer(tools)
    state.address().write()
    add_documents.read_waiting()
    if is_missing(requested, opened):
        return
    workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
    windows = task.setting.windows
    if not embedding.ready(workspace, windows):
        return
    try:
        segmentation = results.of(workspace).get(workspace, task.setting.before_limits).segmentation
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    markup.show(markup.title(opened.title, about_document.kind(workspace)))
    send_text(key_of(workspace), opened.document.text, workspace.sentences.spans, workspace.sentences.kinds)
    if task.reviewer:
        bench(opened, workspace, task, segmentation)
    elif not identity.current().is_known:
        ask_name(opened, workspace)


def is_missing(requested: str, opened: OpenDocument) -> bool:
    """Return whether the document that the address names is not here, and say so.

    Judgements must not go to the document that is open in its place until the reviewer has chosen that herself.
    """
    if requested and requested not in documents.names():
        _MISSING.set((requested, opened.name))
    missing, instead = _MISSING.get() or ("", "")
    if not missing or opened.name != instead:
        _MISSING.clear()
        return False
    frame.show_error(
        ChunkscopeError(
            f"{missing:.80} is not open in this session.",
            "Add it again in the sidebar, and its review continues. Or choose another document.",
        )
    )
    st.button(
        f"Review {markup.plain(opened.title)} instead",
        key="_review_instead",
        on_click=_MISSING.clear,
    )
    return True


# ---- the sidebar


def choose() -> Task:
    """Draw the controls of the review and return their values."""
    name = choose_name()
    setting = chosen_setting()
    blind = controls.toggle(
        "Blind",
        name=_BLIND,
        help="Hide the reasons of the strategy, and mix in as many random gaps that it does not cut.",
    )
    order = controls.select(
        "Order",
        ORDERS,
        name=_ORDER,
        disabled=blind,
        help="Order of the text, random, farthest above the threshold first, or nearest to the threshold first.",
    )
    return Task(name, setting, order, blind, choose_set())


def choose_set() -> str:
    """Draw the choice of the documents to review where there are sets; return the id of the set, or nothing."""
    sets = document_sets.offered()
    document_sets.show_missing(sets, (_NO_SET, *sets.titles))
    if not sets.titles:
        return ""
    set_id = controls.select(
        "Next documents", (_NO_SET, *sets.titles), name=document_sets.CHOICE, titles=sets.title,
        help="Which documents follow this one once it is reviewed: those open here, or those of a set of the library.",
    )  # fmt: skip
    return "" if set_id == _NO_SET else set_id


def choose_name() -> str:
    """Return the reviewer's name: that of who is logged in, else the one that is typed here; empty if there is none."""
    if identity.current().is_known:
        return account_name()
    name = controls.text(
        "Reviewer name",
        name=_REVIEWER,
        max_chars=NAME_LIMIT,
        help="Stored with each judgement. Several reviewers can judge a document.",
    )
    return " ".join((name or "").split())[:NAME_LIMIT]


def account_name() -> str:
    """Return the name of who is logged in, and show it; empty if she may not review, or the database has no answer."""
    try:
        identity.current().require("reviewer", "A review")
        name = review_store.own_name()
    except ChunkscopeError as error:
        frame.show_error(error)
        return ""
    markup.show(f'<span class="cs-quiet">Reviewer</span> {markup.escape(name)}')
    return name


def chosen_setting() -> Setting:
    """Return the strategy whose boundaries are judged: an offered setting, or any that is typed."""
    offered = offered_settings()
    line = controls.select(
        "Boundaries of",
        list(offered),
        name=_STRATEGY,
        accept_new_options=True,
        help="Strategy whose boundaries are judged. Any setting can be typed: percentile:window=1;percentile=90",
    )
    try:
        return strategies.parse(line or next(iter(offered)))
    except ChunkscopeError as error:
        frame.show_error(ChunkscopeError(error.problem, f"Until it is corrected, {next(iter(offered))} is judged."))
        return next(iter(offered.values()))


def offered_settings() -> dict[str, Setting]:
    """Return settings by their line: the defaults, those of Inspect in this session, and each strategy's default."""
    settings = [strategies.parse("structural"), strategies.parse("changepoint")]
    settings += strategy_settings.settings_of_session()
    settings += [strategies.parse(strategy.name) for strategy in strategies.REGISTRY.values() if strategy.installed()]
    return {setting.text: setting for setting in settings}


# ---- the page


def key_of(workspace: DocumentAnalysis) -> str:
    """Return the browser's key of the document with these sentences."""
    return f"{workspace.document.key}-{len(workspace.sentences)}"


def ask_name(opened: OpenDocument, workspace: DocumentAnalysis) -> None:
    """Ask for the reviewer's name in place of the desk."""

    def take() -> None:
        name = desk.named(_NAME_DESK)
        if name:
            state.address().put(_REVIEWER, name)

    frame.show_empty(
        "No reviewer name is set.",
        "Enter yours to begin. Each boundary of the strategy is then shown, to accept or to reject; your judgements "
        "are stored with your name and become the reference of the document.",
    )
    desk.review_desk(_NAME_DESK, desk.Desk(key_of(workspace), opened.document.text_hash, reviewer=""), take)


@st.fragment
def bench(opened: OpenDocument, workspace: DocumentAnalysis, task: Task, segmentation: Segmentation) -> None:
    """Show the desk and the results of the review; a judgement runs this part alone."""
    document = opened.document
    review_store.sit_down(task.reviewer)
    sent = desk.sent(_DESK, document.text_hash, len(document.text))
    stored = review_store.exchange(document, completed(sent.events, workspace, task, segmentation))
    judged = candidates.candidates(
        candidates.proposals(segmentation), workspace.offsets, task.setting.text, task.order, task.blind,
        candidates.seed(document.text_hash, task.setting.text),
    )  # fmt: skip
    context = ReviewContext(
        workspace, stored.events, task.setting, segmentation, judged, task.order, task.blind, task.reviewer
    )
    following = next_document(opened, context, task.set_id)
    if _NEXT.pop() and following:
        _OPEN.set(following.name)
        st.rerun()
    show_desk(context, stored, sent, following)
    views.show(opened, context, stored.problem)
    state.address().write()  # a run of this part alone does not reach the end of the app


def show_desk(context: ReviewContext, stored: StoredReviews, sent: desk.Sent, following: OpenDocument | None) -> None:
    """Show the desk itself."""
    workspace, document = context.workspace, context.workspace.document

    def take() -> None:
        if desk.is_next_requested(_DESK):
            _NEXT.set(True)

    content = desk.Desk(
        key_of(workspace),
        document.text_hash,
        reviewer=context.reviewer,
        order=f"{proposal_id(context.setting)} {context.order} {context.blind} {len(workspace.offsets)}",
        stored=stored.stored,
        refused=sent.refused,
        problem=stored.problem,
        at=address_offset(document),
        address_key=document.key[:4],
        content=desk.ReviewDeskBody(
            proposal_id=proposal_id(context.setting),
            blind=context.blind,
            candidates=desk_candidates(context),
            places=workspace.offsets,
            events=[
                (event.token, event.action, event.offset, event.target, event.note, event.undoes)
                for event in context.own.history
                if not event.decides
            ],
            disputes=views.disputes(context),
            next=following.title if following else "",
            mono=programs.language_of(document) is not None,
            height=_HEIGHT,
        ),
    )
    desk.review_desk(_DESK, content, take)


def next_document(opened: OpenDocument, context: ReviewContext, set_id: str = "") -> OpenDocument | None:
    """Return the document to review after this one: the next that the reviewer has not begun, once this one is done."""
    if context.progress(context.reviewer).open:
        return None
    reviewed = review_store.reviewed()
    for candidate in document_sets.documents_after(set_id, opened.name) if set_id else _after(opened):
        reviews = reviewed.get(candidate.document.text_hash)
        if reviews is None or context.reviewer not in reviews.reviewers:
            return candidate
    return None


def _after(opened: OpenDocument) -> Iterator[OpenDocument]:
    """Yield the documents after the open one, and then those before it: the user's own, or the samples."""
    own_names = list(session_documents.kept())
    names = own_names if opened.name in own_names else [name for name in documents.names() if name not in own_names]
    index = names.index(opened.name)
    yield from map(documents.get, names[index + 1 :] + names[:index])


def address_offset(document: Document) -> int | None:
    """Return the offset of the candidate that the address names, unless it belongs to another document."""
    offset, _, key = state.address().text("at").partition("@")
    is_of_document = offset.isascii() and offset.isdigit() and len(offset) < 10 and document.key.startswith(key)
    return int(offset) if is_of_document else None


def desk_candidates(context: ReviewContext) -> list[desk.Candidate]:
    """Return the candidates as the desk shows them: of a blind one the place alone."""
    if context.blind:
        return [desk.Candidate(candidate.offset) for candidate in context.candidates]
    cuts = {chunk.start: chunk.cut for chunk in context.segmentation.chunks}
    return [
        desk.Candidate(candidate.offset, why(cut, context.segmentation.signals), cut.driver or "")
        if (cut := cuts.get(candidate.offset))
        else desk.Candidate(candidate.offset)
        for candidate in context.candidates
    ]


def why(cut: Cut, signals: Signals | None) -> str:
    """Return why the strategy cuts: the driver, both distances, the strongest structural features, the threshold."""
    parts = [_BY[cut.driver]] if cut.driver else []
    if signals is not None and cut.gap is not None:
        parts.append(f"meaning {signals.semantic[cut.gap]:.2f}")
        if signals.structure is not None:
            shares = signals.structure.gap_shares(cut.gap, signals.off)
            most = [feature for feature in np.argsort(-shares)[:_REASONS].tolist() if shares[feature] >= _LEAST_SHARE]
            titles = ", ".join(signals.structure.features[feature].title.lower() for feature in most)
            parts.append(f"structure {signals.structural[cut.gap]:.2f}" + (f" ({titles})" if titles else ""))
    return " · ".join([*parts, reason_words(cut)])


# ---- events from the browser


def proposal_id(setting: Setting) -> str:
    """Return the browser's name of a setting, which a reviewer who judges blind does not read by chance."""
    return base64.urlsafe_b64encode(setting.text.encode()).decode()


def completed(
    events: tuple[Event, ...], workspace: DocumentAnalysis, task: Task, segmentation: Segmentation
) -> tuple[Event, ...]:
    """Return events with the words around the place and the setting that proposed it, known to the server alone."""
    segmentations: dict[str, Segmentation | None] = {proposal_id(task.setting): segmentation}
    placed_events = []
    for event in events:
        if event.proposed not in segmentations:
            segmentations[event.proposed] = _segmentation(event.proposed, workspace)
        proposal = segmentations[event.proposed]
        proposes = proposal is not None and any(chunk.start == event.offset for chunk in proposal.chunks)
        proposed = _setting_text(event.proposed) if proposes and event.action in VERDICTS else ""
        placed_events.append(with_context(replace(event, proposed=proposed), workspace.document.text))
    return tuple(placed_events)


def _segmentation(proposal: str, workspace: DocumentAnalysis) -> Segmentation | None:
    """Return the result of a setting that was judged before another one was chosen."""
    try:
        setting = strategies.parse(_setting_text(proposal))
        return results.of(workspace).get(workspace, setting.before_limits).segmentation
    except ChunkscopeError:
        return None


def _setting_text(proposal: str) -> str:
    try:
        return base64.urlsafe_b64decode(proposal.encode("ascii", "replace")).decode()
    except (ValueError, binascii.Error):
        return ""


frame.run(main)
