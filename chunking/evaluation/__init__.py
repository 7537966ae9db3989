"""Evaluation: strategies against boundaries that a person set, over a whole set of documents.

:mod:`~chunking.evaluation.data` reads the set, :mod:`~chunking.evaluation.segmentation` runs the strategies,
:mod:`~chunking.evaluation.summary` makes means, intervals and paired tests of it (with
:mod:`~chunking.evaluation.intervals`; their types are in :mod:`~chunking.evaluation.results`),
:mod:`~chunking.evaluation.table` and :mod:`~chunking.evaluation.report` show them as text and as a file.
"""

from typing import TYPE_CHECKING

from chunking.evaluation.data import DataSet, SegmentedDocument, read, read_all
from chunking.evaluation.segmentation import SegmentationEvaluation, SegmentationOptions, evaluate
from chunking.evaluation.setting_lines import override_settings, read_settings
from chunking.evaluation.summary import summarize
from chunking.old_names import old_names

__all__ = [
    "DataSet",
    "SegmentationEvaluation",
    "SegmentationOptions",
    "SegmentedDocument",
    "evaluate",
    "override_settings",
    "read",
    "read_all",
    "read_settings",
    "summarize",
]

if not TYPE_CHECKING:  # a type checker knows the names of today alone
    __getattr__ = old_names(__name__, {"GoldDocument": "SegmentedDocument"})
