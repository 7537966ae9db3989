"""Review: true boundaries that people set, one by one, and what they say about strategies.

:mod:`~chunking.review.events` is what reviewers did, :mod:`~chunking.review.store` keeps it in a database,
:mod:`~chunking.review.state` is what it comes to.
"""
