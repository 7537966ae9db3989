"""Advice for a document, and for several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from statistics import median_low

from chunking.advice import evidence, profile, rates, scores, trials
from chunking.advice.profile import advised_maximum
from chunking.advice.results import Advice, MeasuredClaim, SecondBest, SharedAdvice
from chunking.advice.scores import StrategyScores
from chunking.advice.sections import section_length, with_sections
from chunking.advice.texts import percent, words
from chunking.advice.trials import Trials
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.reference import NO_REFERENCE, Reference
from chunking.retrieval.questions.data import QuestionSet
from chunking.runtime.progress import Tell
from chunking.runtime.wording import plural
from chunking.strategies import Segmentation, Setting
from chunking.workspace import DocumentAnalysis


def advise(
    workspace: DocumentAnalysis, reference: Reference = NO_REFERENCE, questions: StrategyScores | None = None
) -> Advice:
    """Return the setting that is advised for a document.

    The kind of the document decides (:mod:`chunking.advice.profile`), unless the scores on questions show that another
    candidate is significantly better.

    Args:
        workspace: the document.
        reference: its reference boundaries; they are reported, but those of one document decide nothing.
        questions: scores of the candidates on questions.

    Raises:
        ChunkscopeError: the encoder cannot be used.
    """
    maximum = advised_maximum(workspace)
    facts = profile.measure(workspace, maximum.tokens)
    kind = facts.kind()
    names = profile.ranked(kind)
    better = questions.better_than(names[0]) if questions else None
    tried = trials.run(workspace, _first(better, names), maximum.tokens, reference)
    measured_settings = tried.settings()
    statements = [evidence.of_kind(facts, kind), evidence.of_layout(facts)]
    statements += [evidence.of_sections(facts)] if facts.headings else []
    statements += [evidence.of_language(workspace), evidence.of_maximum(workspace, maximum, measured_settings[0])]
    statements += [evidence.of_sizes(measured_settings[0])]
    optional_statements = (
        evidence.of_agreement(tried),
        evidence.of_stability(tried),
        evidence.of_reference(tried, measured_settings),
    )
    statements += [statement for statement in optional_statements if statement]
    statements += [questions.statement(names[0])] if questions else []
    strategy = tried.entries[0].segmentation.strategy
    return Advice(
        document=workspace.document.name,
        kind=kind,
        setting=measured_settings[0].setting,
        strategy=strategy,
        maximum=maximum,
        evidence=tuple(statements),
        second=_second(tried, kind),
        changes=evidence.changes(facts, kind, maximum),
        claim=_claim(kind, strategy, better),
        candidates=measured_settings,
        left_out=profile.not_representative(facts, workspace.document),
        divided=tried.divided(),
    )


def advised_segmentation(workspace: DocumentAnalysis) -> tuple[Setting, Segmentation]:
    """Return the setting that :func:`advise` gives for a document without scores, and its chunks, without the evidence.

    Raises:
        ChunkscopeError: the encoder cannot be used, or no candidate can be run.
    """
    maximum = advised_maximum(workspace).tokens
    names = profile.ranked(profile.measure(workspace, maximum).kind())
    for name in names[:-1]:
        with suppress(ChunkscopeError):
            setting = trials.setting_of(name, maximum)
            return setting, setting.run(workspace)
    setting = trials.setting_of(names[-1], maximum)
    return setting, setting.run(workspace)


def _first(better: str | None, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with the one that is better in front."""
    return tuple(dict.fromkeys((better, *names))) if better else tuple(names)


def _second(tried: Trials, kind: profile.Kind) -> SecondBest:
    """Return the second best setting of a document, and how it differs from the advised one.

    It is the next one that cuts elsewhere: under a maximum, two strategies may be the same.
    """
    cuts = [candidate_cuts.gaps.tolist() for candidate_cuts in tried.compared.cuts]
    second_index = next((index for index in range(1, len(cuts)) if cuts[index] != cuts[0]), None)
    if second_index is None:
        label = tried.entries[min(1, len(cuts) - 1)].label
        return SecondBest(label, "It makes the same chunks on this document, as all other candidates do.")
    first, second = tried.entries[0], tried.entries[second_index]
    shared_cuts = plural(len(set(cuts[0]) & set(cuts[second_index])), "boundary", "boundaries")
    chunks = [len(entry.segmentation.chunks) for entry in (first, second)]
    words = [f"It makes {plural(chunks[1], 'chunk')} instead of {chunks[0]:,}; the two share {shared_cuts}."]
    if second.segmentation.strategy == profile.RANKINGS[kind][1]:
        words += filter(None, [rates.second_words(kind)])
    return SecondBest(second.label, " ".join(words))


def _claim(kind: profile.Kind, strategy: str, better: str | None) -> MeasuredClaim:
    """Return what may be claimed: the error rate of the rule, where the rule has chosen."""
    if better == strategy:
        return _own_claim("questions")
    if strategy != profile.RANKINGS[kind][0]:
        first = profile.RANKINGS[kind][0]
        return MeasuredClaim(words("claim", "not_run", strategy=first))
    return rates.claim(kind)


def _own_claim(source: str) -> MeasuredClaim:
    return MeasuredClaim(words("claim", "own_scores", source=source))


# Several documents ------------------------------------------------------------------------------------------------


def advise_all(
    workspaces: Sequence[DocumentAnalysis],
    references: Sequence[Reference] = (),
    questions: QuestionSet | None = None,
    cache: VectorCache | None = None,
    tell: Tell | None = None,
) -> SharedAdvice:
    """Return the setting that is advised for most of several documents, and the advice for each.

    References of :data:`chunking.advice.scores.ENOUGH` documents or more decide where another candidate is
    significantly better on them; of :data:`chunking.advice.sections.LEARNED_FROM` or more, how many sections are cut.

    Args:
        workspaces: the documents, at least one, with the same tools.
        references: the reference boundaries of each; may be left out.
        questions: questions that the candidates are searched with.
        cache: of vectors, for the questions.
        tell: receives what is being done and how far it is; may raise to stop.

    Raises:
        ChunkscopeError: the encoder cannot be used.
    """
    say = tell or (lambda *_: None)
    question_scores = None
    if questions:
        smallest = min(advised_maximum(workspace).tokens for workspace in workspaces)
        question_scores = scores.of_questions(questions, smallest, workspaces[0].tools, cache, tell)
    documents: list[Advice] = []
    all_references = references or [NO_REFERENCE] * len(workspaces)
    for index, (workspace, reference) in enumerate(zip(workspaces, all_references, strict=True)):
        say("documents", index, len(workspaces))
        documents.append(advise(workspace, reference, question_scores))
    return shared(documents, question_scores)


def shared(documents: Sequence[Advice], questions: StrategyScores | None = None) -> SharedAdvice:
    """Return the setting that is advised for most documents, with the median of their maxima, which no outlier moves.

    Args:
        documents: the advice for each, at least one.
        questions: scores on questions, which each advice has regarded already.
    """
    counted = [advice for advice in documents if not advice.left_out] or list(documents)
    counts = Counter(advice.strategy for advice in counted)
    strategy, count = max(counts.items(), key=lambda pair: pair[1])  # of equal ones the first
    several = len(counted) > 1
    statements = [evidence.of_documents(strategy, count, len(counted))] if several else []
    statements += evidence.of_left_out(documents) if len(counted) < len(documents) else []
    statements += [questions.statement(strategy)] if questions and several else []
    reference_scores = scores.of_references(counted) if several else None
    better = reference_scores.better_than(strategy) if reference_scores else None
    statements += [reference_scores.statement(strategy)] if reference_scores else []
    strategy = better or strategy
    alike = [advice for advice in counted if advice.strategy == strategy] or counted
    maximum = median_low(advice.maximum.tokens for advice in alike)
    statements += evidence.of_denser(alike, maximum)
    setting = trials.setting_of(strategy, maximum)
    length = section_length([advice.divided for advice in counted if advice.divided])
    if length:
        setting = with_sections(setting, length)
        statements.append(evidence.of_section_length(length))
    differing = tuple(advice.document for advice in counted if advice.strategy != strategy)
    claim = _own_claim("reference boundaries") if better else _claim_for(counted)
    return SharedAdvice(setting.text, strategy, tuple(statements), claim, differing, tuple(documents))


def _claim_for(documents: Sequence[Advice]) -> MeasuredClaim:
    """Return the claim of the kinds of some documents."""
    if len({advice.claim.text for advice in documents}) == 1:
        return documents[0].claim
    kinds = Counter(advice.kind for advice in documents)
    rates_of = {advice.kind: advice.claim.error_rate for advice in documents}
    kind_texts = [
        f"{profile.TITLES[kind]} ({plural(count, 'document')}): "
        + ("not measured" if rates_of[kind] is None else percent(rates_of[kind] or 0))
        for kind, count in kinds.most_common()
    ]
    return MeasuredClaim(words("claim", "by_kind", kinds="; ".join(kind_texts)))
