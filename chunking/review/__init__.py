"""Review: boundaries that people set one by one, and the estimates of strategies that follow from them.

:mod:`~chunking.review.store` keeps the events of reviewers in a database, and :mod:`~chunking.review.final` makes the
reference of a document from them. :mod:`~chunking.review.candidates` gives the places to judge and their order,
:mod:`~chunking.review.estimates` what the judgements say of a strategy, :mod:`~chunking.review.agreement` how far
reviewers agree, and :mod:`~chunking.review.exchange` exports and imports reviews.
"""
