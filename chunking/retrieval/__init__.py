"""Retrieval: does the cut help to find the answer?

:mod:`~chunking.retrieval.data` is questions with their true answers, :mod:`~chunking.retrieval.folders` reads them,
:mod:`~chunking.retrieval.passages` cuts a corpus, :mod:`~chunking.retrieval.ranking` finds passages for questions,
:mod:`~chunking.retrieval.measures` says how well, :mod:`~chunking.retrieval.evaluate` does all of it for many
strategies, and :mod:`~chunking.retrieval.summary` says what it comes to, which :mod:`~chunking.retrieval.table` and
:mod:`~chunking.retrieval.report` show as text and as a file. :mod:`~chunking.retrieval.blame` says what kept a question
from its answer, :mod:`~chunking.retrieval.remedy` seeks the smallest change that mends it, and
:mod:`~chunking.retrieval.ask` makes rankings to read.
"""
