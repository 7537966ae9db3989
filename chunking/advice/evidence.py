"""The evidence of an advice, as named statements with their numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.advice.contract import MeasuredSetting, Statement
from chunking.advice.maximum import AdvisedMaximum
from chunking.advice.profile import TITLES, DocumentProfile, Kind
from chunking.advice.trials import AFFORDABLE, Trials
from chunking.loading import FORMATS
from chunking.loading.language import LANGUAGES
from chunking.reference import partial_score
from chunking.runtime.wording import plural
from chunking.workspace import Workspace


def of_kind(profile: DocumentProfile, kind: Kind) -> Statement:
    """Return what kind of document it is."""
    format = FORMATS[profile.format].title
    counted = plural(profile.sentences, "sentence")
    return Statement(
        "kind",
        f"{format}, {counted}: {TITLES[kind]}.",
        {"kind": kind, "format": profile.format, "sentences": profile.sentences},
    )


def of_layout(profile: DocumentProfile) -> Statement:
    """Return the layout at the gaps."""
    values = {
        "headings": profile.heading_share,
        "type_or_space": profile.type_share,
        "new_blocks": profile.block_share,
        "speakers": profile.speech,
        "lists_tables_code": profile.marked,
    }
    here = (
        f"A heading follows at {_percent(profile.heading_share)} of the gaps, type or space changes at "
        f"{_percent(profile.type_share)}, a block begins at {_percent(profile.block_share)}."
        if profile.layout
        else f"No gap has a heading, a step of type or extra space; a block begins at {_percent(profile.block_share)}."
    )
    marked = f"{_percent(profile.marked)} of the sentences are in lists, tables, quotes or code, or contain code."
    return Statement("layout", f"{here} {marked}", values)


def of_sections(profile: DocumentProfile) -> Statement:
    """Return the lengths of the parts between headings."""
    longest, middle = int(profile.sections.max()), float(np.median(profile.sections))
    limit = f"; {_percent(profile.long_sections)} exceed the maximum of {profile.maximum:,}" if profile.maximum else ""
    text = f"{plural(len(profile.sections), 'section')} of {middle:,.0f} tokens (median), {longest:,} at most{limit}."
    values = {"sections": len(profile.sections), "median": middle, "largest": longest}
    return Statement("sections", text, values | {"exceeding": profile.long_sections})


def of_language(workspace: Workspace) -> Statement:
    """Return whether the encoder was trained on the language of the document."""
    language, encoder = workspace.document.language, workspace.encoder
    title = LANGUAGES.get(language, "an unknown language")
    known = [LANGUAGES.get(code, code) for code in encoder.languages]
    if not known:
        trained = f"the languages that {encoder.name} was trained on are unknown"
    else:
        match = "which includes it" if language in encoder.languages else "which does not include it"
        trained = f"{encoder.name} was trained on {' and '.join(known)}"
        trained += "" if language == "und" else f", {match}"
    doubt = (
        ", so its semantic distances are less reliable" if known and language not in (*encoder.languages, "und") else ""
    )
    values = {"language": language, "encoder": encoder.name, "trained_on": " ".join(encoder.languages)}
    return Statement("language", f"The text is in {title}; {trained}{doubt}.", values)


def of_maximum(workspace: Workspace, maximum: AdvisedMaximum, advised: MeasuredSetting) -> Statement:
    """Return why the maximum is what it is, and how many chunks of the advised setting exceed the encoder limit."""
    encoder, tokenizer = workspace.encoder.name, workspace.tools.tokenizer
    values = {"maximum": maximum.tokens, "limit": maximum.limit, "ratio": round(maximum.ratio, 3)}
    if not maximum.limit:
        return Statement("maximum", f"{encoder} has no token limit, so no maximum is advised.", values)
    reads = f"{encoder} reads {maximum.limit:,} tokens"
    if maximum.exact:
        why = f"{reads}, special ones included, and they are counted as it counts: {maximum.tokens:,} is exact."
    else:
        why = (
            f"{reads}. In dense passages of this document it counts {maximum.ratio:.2f} tokens for each token of "
            f"{tokenizer}, so chunks of up to {maximum.tokens:,} are read to their end."
        )
    exceeding = (
        f" {plural(advised.exceeding, 'chunk')} of the advised setting nevertheless" if advised.exceeding else ""
    )
    exceeding += (" exceeds" if advised.exceeding == 1 else " exceed") + " the limit." if advised.exceeding else ""
    return Statement("maximum", why + exceeding, values | {"exceeding": advised.exceeding})


def of_sizes(advised: MeasuredSetting) -> Statement:
    """Return the sizes of the chunks of the advised setting."""
    middle = f"{advised.median:,.0f} tokens (median)"
    text = f"The advised setting makes {plural(advised.chunks, 'chunk')} of {middle}, {advised.largest:,} at most."
    values = {"chunks": advised.chunks, "median": advised.median, "largest": advised.largest}
    return Statement("sizes", text, values)


def of_agreement(trials: Trials) -> Statement | None:
    """Return how far the candidates agree with the advised one beyond chance; ``None`` of a document without a gap."""
    if len(trials.workspace.sentences) < 2 or len(trials.entries) < 2:
        return None
    if not trials.affordable:
        return _unaffordable("agreement")
    labels = [entry.label.partition(":")[0] for entry in trials.entries]
    row = dict(zip(labels[1:], trials.agreement().corrected[0, 1:].tolist(), strict=True))
    listed = ", ".join(f"{name} {value:.2f}" for name, value in sorted(row.items(), key=lambda each: -each[1]))
    text = f"Agreement with {labels[0]} beyond chance (1 is equal, 0 what random boundaries reach): {listed}."
    if max(row.values()) < _LOW:
        text += " No other candidate agrees, so the choice matters here: look at the boundaries."
    return Statement("agreement", text, {name: round(value, 4) for name, value in row.items()})


_LOW = 0.3
"""Agreement beyond chance below which two strategies are said to disagree."""


def of_stability(trials: Trials) -> Statement | None:
    """Return how many boundaries remain under nearby settings; ``None`` where the strategy has no such settings."""
    if not trials.affordable:
        return _unaffordable("stability")
    share = trials.stability()
    if share is None:
        return None
    text = f"Under small changes of its setting, a boundary remains in {_percent(share)} of the cases on average."
    return Statement("stability", text, {"share": round(share, 4)})


def _unaffordable(name: str) -> Statement:
    return Statement(name, f"Not computed for a document of more than {AFFORDABLE:,} sentences.")


def of_reference(trials: Trials, measured: Sequence[MeasuredSetting]) -> Statement | None:
    """Return the scores of the candidates against the reference of this document, and what these can show."""
    compared = trials.compared
    if compared.reference.partial:
        return _of_partial(trials)
    if not compared.gold:
        return None
    scores = {each.setting.partition(":")[0]: each.f1 for each in measured if each.f1 is not None}
    best = max(scores, key=lambda setting: scores[setting])
    listed = ", ".join(f"{name} {score:.2f}" for name, score in sorted(scores.items(), key=lambda e: -e[1]))
    text = (
        f"Boundary F1 on the {plural(len(compared.gold_gaps), 'reference boundary', 'reference boundaries')} of this "
        f"document: {listed}. One document cannot show which strategy is better on others, so it does not change the "
        f"advice; the best here is {best}."
    )
    return Statement("reference", text, {"boundaries": len(compared.gold_gaps), **scores})


def _of_partial(trials: Trials) -> Statement:
    """Return the precision of the advised setting on the judged gaps."""
    compared = trials.compared
    score = partial_score(compared.reference, compared.cuts[0].gaps, compared.offsets, compared.sentences)
    precision = "unknown" if score.precision.value is None else f"{score.precision.value:.2f}"
    text = (
        f"The reference judges {plural(score.judgements, 'gap')} only, so there is no F1; the precision of the advised "
        f"setting on them is {precision}."
    )
    return Statement("reference", text, {"judgements": score.judgements, "precision": score.precision.value})


def of_documents(strategy: str, count: int, documents: int) -> Statement:
    """Return for how many documents a strategy is advised."""
    text = f"{strategy} is advised for {count:,} of {documents:,} documents."
    return Statement("documents", text, {"strategy": strategy, "count": count, "documents": documents})


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
