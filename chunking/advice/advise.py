"""Advice for a document, and for several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chunking.advice import evidence, profile, rates, scores, trials
from chunking.advice.contract import Advice, MeasuredClaim, SecondBest, SharedAdvice
from chunking.advice.profile import AdvisedMaximum, advised_maximum
from chunking.advice.scores import StrategyScores
from chunking.advice.texts import percent, words
from chunking.advice.trials import Trials
from chunking.embedding.vector_cache import VectorCache
from chunking.reference import NO_REFERENCE, Reference
from chunking.retrieval.questions.data import QuestionSet
from chunking.runtime.progress import Tell
from chunking.runtime.wording import plural
from chunking.workspace import DocumentAnalysis


def advise(
    workspace: DocumentAnalysis, reference: Reference = NO_REFERENCE, questions: StrategyScores | None = None
) -> Advice:
    """Return the setting that is advised for a document.

    The kind of the document decides (:mod:`chunking.advice.profile`), unless the scores on questions show that another
    candidate is significantly better.

    Args:
        workspace: the document.
        reference: its true boundaries; they are reported, but those of one document decide nothing.
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
    measured = tried.settings()
    statements = [evidence.of_kind(facts, kind), evidence.of_layout(facts)]
    statements += [evidence.of_sections(facts)] if facts.headings else []
    statements += [evidence.of_language(workspace), evidence.of_maximum(workspace, maximum, measured[0])]
    statements += [evidence.of_sizes(measured[0])]
    found = (evidence.of_agreement(tried), evidence.of_stability(tried), evidence.of_reference(tried, measured))
    statements += [each for each in found if each]
    statements += [questions.statement(names[0])] if questions else []
    strategy = tried.entries[0].segmentation.strategy
    return Advice(
        document=workspace.document.name,
        kind=kind,
        setting=measured[0].setting,
        strategy=strategy,
        maximum=maximum,
        evidence=tuple(statements),
        second=_second(tried, kind, maximum),
        changes=evidence.changes(facts, kind, maximum),
        claim=_claim(kind, maximum, strategy, better),
        candidates=measured,
    )


def _first(better: str | None, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with the one that is better in front."""
    return tuple(dict.fromkeys((better, *names))) if better else tuple(names)


def _second(tried: Trials, kind: profile.Kind, maximum: AdvisedMaximum) -> SecondBest:
    """Return the second best setting of a document, and how it differs from the advised one.

    It is the next one that cuts elsewhere: under a maximum, two strategies may be the same.
    """
    cuts = [found.gaps.tolist() for found in tried.compared.cuts]
    place = next((each for each in range(1, len(cuts)) if cuts[each] != cuts[0]), None)
    if place is None:
        label = tried.entries[min(1, len(cuts) - 1)].label
        return SecondBest(label, "It makes the same chunks on this document, as all other candidates do.")
    first, second = tried.entries[0], tried.entries[place]
    shared_cuts = plural(len(set(cuts[0]) & set(cuts[place])), "boundary", "boundaries")
    chunks = [len(entry.segmentation.chunks) for entry in (first, second)]
    words = [f"It makes {plural(chunks[1], 'chunk')} instead of {chunks[0]:,}; the two share {shared_cuts}."]
    if second.segmentation.strategy == profile.RANKINGS[kind][1]:
        words += filter(None, [rates.second_words(kind, maximum.tokens)])
    return SecondBest(second.label, " ".join(words))


def _claim(kind: profile.Kind, maximum: AdvisedMaximum, strategy: str, better: str | None) -> MeasuredClaim:
    """Return what may be claimed: the error rate of the rule, where the rule has chosen."""
    if better == strategy:
        return _own_claim("questions")
    if strategy != profile.RANKINGS[kind][0]:
        first = profile.RANKINGS[kind][0]
        return MeasuredClaim(words("claim", "not_run", strategy=first))
    return rates.claim(kind, maximum.tokens)


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
    significantly better on them.

    Args:
        workspaces: the documents, at least one, with the same tools.
        references: the true boundaries of each; may be left out.
        questions: questions that the candidates are searched with.
        cache: of vectors, for the questions.
        tell: receives what is being done and how far it is; may raise to stop.

    Raises:
        ChunkscopeError: the encoder cannot be used.
    """
    say = tell or (lambda *_: None)
    asked = None
    if questions:
        smallest = min(advised_maximum(each).tokens for each in workspaces)
        asked = scores.of_questions(questions, smallest, workspaces[0].tools, cache, tell)
    found: list[Advice] = []
    given = references or [NO_REFERENCE] * len(workspaces)
    for place, (workspace, reference) in enumerate(zip(workspaces, given, strict=True)):
        say("documents", place, len(workspaces))
        found.append(advise(workspace, reference, asked))
    return shared(found, asked)


def shared(documents: Sequence[Advice], questions: StrategyScores | None = None) -> SharedAdvice:
    """Return the setting that is advised for most documents, with the smallest maximum of these.

    Args:
        documents: the advice for each, at least one.
        questions: scores on questions, which each advice has regarded already.
    """
    counts = Counter(one.strategy for one in documents)
    strategy, count = max(counts.items(), key=lambda each: each[1])  # of equal ones the first
    statements = [evidence.of_documents(strategy, count, len(documents))] if len(documents) > 1 else []
    statements += [questions.statement(strategy)] if questions and len(documents) > 1 else []
    scored = scores.of_references(documents) if len(documents) > 1 else None
    better = scored.better_than(strategy) if scored else None
    statements += [scored.statement(strategy)] if scored else []
    strategy = better or strategy
    maxima = [one.maximum.tokens for one in documents if one.strategy == strategy] or [
        one.maximum.tokens for one in documents
    ]
    setting = trials.setting_of(strategy, min(maxima)).text
    differing = tuple(one.document for one in documents if one.strategy != strategy)
    claim = _own_claim("reference boundaries") if better else _claim_for(documents)
    return SharedAdvice(setting, strategy, tuple(statements), claim, differing, tuple(documents))


def _claim_for(documents: Sequence[Advice]) -> MeasuredClaim:
    """Return the claim of the kinds of some documents."""
    if len({one.claim.text for one in documents}) == 1:
        return documents[0].claim
    kinds = Counter(one.kind for one in documents)
    rates_of = {one.kind: one.claim.error_rate for one in documents}
    shown = [
        f"{profile.TITLES[kind]} ({plural(count, 'document')}): "
        + ("not measured" if rates_of[kind] is None else percent(rates_of[kind] or 0))
        for kind, count in kinds.most_common()
    ]
    return MeasuredClaim(words("claim", "by_kind", kinds="; ".join(shown)))
