"""Review: boundaries that people set one by one, and the estimates of strategies that follow from them.

:mod:`~chunking.store.reviews` stores the events of reviewers in a database, and :mod:`~chunking.review.final` resolves
them into the reference of a document. :mod:`~chunking.review.candidates` lists the positions to judge,
:mod:`~chunking.review.estimates` estimates scores of a strategy from judgements, :mod:`~chunking.review.agreement`
measures how far reviewers agree, and :mod:`~chunking.review.exchange` exports and imports reviews.
"""
