"""Advice: which setting to use for a document, on which evidence, and how often such advice was wrong.

:mod:`~chunking.advice.profile` measures a document and has the strategy for each kind of document,
:mod:`~chunking.advice.trials` runs the candidates, :mod:`~chunking.advice.evidence` puts the results into words, and
:mod:`~chunking.advice.rates` has the measured error rates. :func:`advise` and :func:`advise_all` do all of it.
"""

from chunking.advice.advise import advise, advise_all, advised_segmentation, shared
from chunking.advice.results import Advice, MeasuredClaim, SharedAdvice, Statement
from chunking.advice.scores import StrategyScores

__all__ = [
    "Advice",
    "MeasuredClaim",
    "SharedAdvice",
    "Statement",
    "StrategyScores",
    "advise",
    "advise_all",
    "advised_segmentation",
    "shared",
]
