"""The evidence of an advice, as named statements with their numbers, and what would change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np

from chunking.advice.profile import (
    FEWEST_HEADINGS,
    RANKINGS,
    STUB_TOKENS,
    TEMPLATE_SHARE,
    THRESHOLDS,
    TITLES,
    AdvisedMaximum,
    DocumentProfile,
    Kind,
)
from chunking.advice.results import Advice, MeasuredSetting, Number, Statement
from chunking.advice.scores import ENOUGH
from chunking.advice.sections import SectionLength
from chunking.advice.texts import percent, words
from chunking.advice.trials import AFFORDABLE, Trials
from chunking.embedding import CharNgrams
from chunking.embedding.own_tokens import AS_ENCODER
from chunking.loading import FORMATS
from chunking.loading.language import LANGUAGES
from chunking.reference import partial_score
from chunking.runtime.wording import plural
from chunking.workspace import DocumentAnalysis

_LOW = 0.3
"""Agreement beyond chance below which two strategies are said to disagree."""


def of_kind(profile: DocumentProfile, kind: Kind) -> Statement:
    """Return the kind of a document."""
    format, sentences = FORMATS[profile.format].title, plural(profile.sentences, "sentence")
    text = words("evidence", "kind", format=format, sentences=sentences, kind=TITLES[kind])
    return Statement("kind", text, {"kind": kind, "format": profile.format, "sentences": profile.sentences})


def of_layout(profile: DocumentProfile) -> Statement:
    """Return the layout at the gaps."""
    text = words(
        "evidence",
        "layout" if profile.layout else "no_layout",
        headings=percent(profile.heading_share),
        type=percent(profile.type_share),
        blocks=percent(profile.block_share),
        marked=percent(profile.marked),
    )
    values = {
        "headings": profile.heading_share,
        "type_or_space": profile.type_share,
        "new_blocks": profile.block_share,
        "speakers": profile.speech,
        "lists_tables_code": profile.marked,
    }
    return Statement("layout", text, values)


def of_sections(profile: DocumentProfile) -> Statement:
    """Return the lengths of the parts between headings."""
    longest, median = int(profile.sections.max()), float(np.median(profile.sections))
    exceeding = percent(profile.long_sections)
    limit = words("evidence", "sections_limit", exceeding=exceeding, maximum=profile.maximum)
    sections = plural(len(profile.sections), "section")
    text = words("evidence", "sections", sections=sections, median=median, largest=longest, limit=limit)
    values = {"sections": len(profile.sections), "median": median, "largest": longest}
    return Statement("sections", text, values | {"exceeding": profile.long_sections})


def of_language(workspace: DocumentAnalysis) -> Statement:
    """Return whether the encoder was trained on the language of the document."""
    language, encoder = workspace.document.language, workspace.encoder
    title = LANGUAGES.get(language, words("evidence", "unknown_language"))
    doubt = ""
    if encoder.languages:
        names = " and ".join(LANGUAGES.get(code, code) for code in encoder.languages)
        trained = words("evidence", "trained", encoder=encoder.name, languages=names)
        if language != "und":
            included = language in encoder.languages
            trained += words("evidence", "trained_included" if included else "trained_excluded")
            doubt = "" if included else words("evidence", "language_doubt")
    else:
        untrained = isinstance(encoder, CharNgrams)
        trained = words("evidence", "untrained" if untrained else "trained_unknown", encoder=encoder.name)
    text = words("evidence", "language", language=title, trained=trained, doubt=doubt)
    values = {"language": language, "encoder": encoder.name, "trained_on": " ".join(encoder.languages)}
    return Statement("language", text, values)


def of_maximum(workspace: DocumentAnalysis, maximum: AdvisedMaximum, advised: MeasuredSetting) -> Statement:
    """Return the reason of the maximum, and how many chunks of the advised setting exceed the encoder limit."""
    values = {"maximum": maximum.tokens, "limit": maximum.limit, "ratio": round(maximum.ratio, 3), "path": maximum.path}
    if not maximum.limit:
        text = words("evidence", "no_maximum", encoder=workspace.retrieval_encoder.name, maximum=maximum.tokens)
        return Statement("maximum", text, values)
    exceeding, chunks = "", plural(advised.exceeding, "chunk")
    if advised.exceeding:
        verb = "exceeds" if advised.exceeding == 1 else "exceed"
        exceeding = words("evidence", "maximum_exceeding", chunks=chunks, verb=verb)
    text = words(
        "evidence",
        "exact_maximum" if maximum.exact else "maximum",
        encoder=workspace.retrieval_encoder.name,
        limit=maximum.limit,
        maximum=maximum.tokens,
        ratio=maximum.ratio,
        path=words("evidence", "maximum_path", path=maximum.path) if maximum.path else "",
        tokenizer=workspace.tools.tokenizer,
        exceeding=exceeding,
    )
    return Statement("maximum", text, values | {"exceeding": advised.exceeding})


def of_sizes(advised: MeasuredSetting) -> Statement:
    """Return the sizes of the chunks of the advised setting."""
    chunks = plural(advised.chunks, "chunk")
    text = words("evidence", "sizes", chunks=chunks, median=advised.median, largest=advised.largest)
    values = {"chunks": advised.chunks, "median": advised.median, "largest": advised.largest}
    return Statement("sizes", text, values)


def of_agreement(trials: Trials) -> Statement | None:
    """Return how far the candidates agree with the advised one beyond chance; ``None`` of a document without a gap."""
    if len(trials.workspace.sentences) < 2 or len(trials.entries) < 2:
        return None
    if not trials.affordable:
        return _unaffordable("agreement")
    advised, *other_labels = [entry.label.partition(":")[0] for entry in trials.entries]
    values = dict(zip(other_labels, trials.agreement().corrected[0, 1:].tolist(), strict=True))
    low = words("evidence", "agreement_low") if max(values.values()) < _LOW else ""
    text = words("evidence", "agreement", advised=advised, listed=_list_scores(values), low=low)
    return Statement("agreement", text, {name: round(value, 4) for name, value in values.items()})


def of_stability(trials: Trials) -> Statement | None:
    """Return how many boundaries remain under nearby settings; ``None`` if the strategy has no such settings."""
    if not trials.affordable:
        return _unaffordable("stability")
    share = trials.stability()
    if share is None:
        return None
    return Statement("stability", words("evidence", "stability", share=percent(share)), {"share": round(share, 4)})


def _unaffordable(name: str) -> Statement:
    return Statement(name, words("evidence", "unaffordable", sentences=AFFORDABLE))


def of_reference(trials: Trials, measured_settings: Sequence[MeasuredSetting]) -> Statement | None:
    """Return the scores of the candidates against the reference of this document, and what these can show."""
    compared = trials.compared
    if compared.reference.partial:
        return _of_partial(trials)
    if not compared.reference.complete_boundaries:
        return None
    scores = {setting.setting.partition(":")[0]: setting.f1 for setting in measured_settings if setting.f1 is not None}
    best = max(scores, key=lambda setting: scores[setting])
    boundaries = plural(len(compared.reference_gaps), "reference boundary", "reference boundaries")
    text = words("evidence", "reference", boundaries=boundaries, listed=_list_scores(scores), best=best)
    values: Mapping[str, Number] = {"boundaries": len(compared.reference_gaps), **scores}
    return Statement("reference", text, values)


def _of_partial(trials: Trials) -> Statement:
    """Return the precision of the advised setting on the judged gaps."""
    compared = trials.compared
    score = partial_score(compared.reference, compared.cuts[0].gaps, compared.offsets, compared.sentences)
    precision = "unknown" if score.precision.value is None else f"{score.precision.value:.2f}"
    text = words("evidence", "partial_reference", gaps=plural(score.judgements, "gap"), precision=precision)
    return Statement("reference", text, {"judgements": score.judgements, "precision": score.precision.value})


def _list_scores(scores: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {score:.2f}" for name, score in sorted(scores.items(), key=lambda item: -item[1]))


def of_documents(strategy: str, count: int, documents: int) -> Statement:
    """Return for how many documents a strategy is advised."""
    text = words("evidence", "documents", strategy=strategy, count=count, documents=documents)
    return Statement("documents", text, {"strategy": strategy, "count": count, "documents": documents})


def of_left_out(documents: Sequence[Advice]) -> list[Statement]:
    """Return how many documents say nothing of how others should be split, and why."""
    counts = Counter[str](advice.left_out for advice in documents if advice.left_out)
    listed = ", ".join(plural(count, kind) for kind, count in counts.items())
    text = words("evidence", "left_out", listed=listed, stub=STUB_TOKENS, template=percent(TEMPLATE_SHARE))
    return [Statement("left out", text, dict(counts.items()))]


def of_section_length(length: SectionLength) -> Statement:
    """Return how long the sections are into which people divided some of the documents."""
    text = words("evidence", "section_length", **asdict(length), times=2.0**length.fineness)
    return Statement("section length", text, asdict(length))


def of_denser(documents: Sequence[Advice], maximum: int) -> list[Statement]:
    """Return which documents have more tokens of the encoder than a common maximum allows; nothing where none has."""
    denser = [advice for advice in documents if needs_smaller(advice, maximum)]
    if not denser:
        return []
    smallest = min(advice.maximum.tokens for advice in denser)
    named = ", ".join(advice.document for advice in denser[:_NAMED])
    more = words("evidence", "denser_more", count=len(denser) - _NAMED) if len(denser) > _NAMED else ""
    text = words("evidence", "denser", maximum=maximum, smallest=smallest, named=named, more=more)
    return [Statement("maximum", text, {"maximum": maximum, "smallest": smallest, "documents": len(denser)})]


def needs_smaller(advice: Advice, maximum: int) -> bool:
    """Return whether an encoder would leave more than a negligible part of the chunks of a document unread."""
    return advice.maximum.tokens < (1 - _NEGLIGIBLE) * maximum


_NEGLIGIBLE, _NAMED = 0.05, 5
"""The share of a chunk that an encoder may leave unread before its document is named, and how many are."""


# --- what would change an advice -------------------------------------------------------------------------------------


def changes(profile: DocumentProfile, kind: Kind, maximum: AdvisedMaximum) -> tuple[str, ...]:
    """Return what would change the advice for a document, the likeliest first.

    Args:
        profile: the facts about the document.
        kind: of the document.
        maximum: that is part of the advice.
    """
    return tuple(_changes(profile, kind, maximum))


def _changes(profile: DocumentProfile, kind: Kind, maximum: AdvisedMaximum) -> Iterator[str]:
    first: dict[Kind, str] = {ranked_kind: strategies[0] for ranked_kind, strategies in RANKINGS.items()}
    headings, long_sections, technical = first["headings"], first["long_sections"], first["technical"]
    if kind in ("headings", "long_sections"):
        edge = int(np.quantile(profile.sections, 1 - THRESHOLDS.long_sections, method="higher"))
        share = percent(THRESHOLDS.long_sections)
        if not profile.foreign and kind == "headings":
            yield words("changes", "lower_maximum", edge=edge, share=share, strategy=long_sections)
        if kind == "long_sections":
            yield words("changes", "higher_maximum", edge=edge, share=share, strategy=headings)
        yield words("changes", "no_headings", technical=technical, prose=first["prose"])
    if kind in ("technical", "prose"):
        yield words("changes", "headings", fewest=FEWEST_HEADINGS, strategy=headings, long=long_sections)
    if kind == "prose":
        yield words("changes", "marked", share=percent(THRESHOLDS.marked), strategy=technical)
    if kind in ("code", "json", "yaml", "blocks"):
        yield words("changes", "format")
    if profile.foreign:
        yield words("changes", "language")
    if maximum.limit and not maximum.exact:
        yield words("changes", "tokenizer", tokenizer=AS_ENCODER)
    if maximum.limit:
        yield words("changes", "encoder")
    yield words("changes", "scores", documents=ENOUGH)
