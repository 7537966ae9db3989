"""Answers that a model gives from the passages that a strategy retrieves, and whether they are right.

:mod:`~chunking.retrieval.answers.plan` says what would be sent, :mod:`~chunking.retrieval.answers.model_calls` sends
it to the endpoint that a user names, :mod:`~chunking.retrieval.answers.exchanges` keeps what came back, and
:mod:`~chunking.retrieval.answers.summary` counts right and wrong answers by strategy.
"""
