"""Retrieval: which strategy helps to find the answers of questions?

:mod:`~chunking.retrieval.questions` reads questions with their true answers, :mod:`~chunking.retrieval.search` cuts a
corpus into passages and finds some for each question, :mod:`~chunking.retrieval.measures` rates what was found,
:mod:`~chunking.retrieval.evaluate` does all of it for many strategies, :mod:`~chunking.retrieval.reports` shows the
result, and :mod:`~chunking.retrieval.misses` explains what kept a question from its answer.
"""
