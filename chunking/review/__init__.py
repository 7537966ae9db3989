"""Review: true boundaries that people set, one by one, and what they say about strategies.

:mod:`~chunking.gold.events` is what reviewers did, :mod:`~chunking.review.store` keeps it in a database,
:mod:`~chunking.gold.state` is what it comes to for each of them, and :mod:`~chunking.review.final` for all.
:mod:`~chunking.review.candidates` says what to judge and in which order, :mod:`~chunking.review.statistics` what that
says of a strategy, and how far reviewers agree. :mod:`~chunking.gold.lines` is gold as a file,
:mod:`~chunking.review.exchange` takes reviews out to one and in from one, and :mod:`~chunking.gold.carry` finds
places again in a text that has changed.
"""
