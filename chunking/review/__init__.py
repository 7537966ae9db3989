"""Review: boundaries that people set one by one, and the estimates of strategies that follow from them.

:mod:`chunking.store.reviews` stores the events of reviewers, and :mod:`.reviewed` resolves them into the reference of a
document. :mod:`.candidates` lists the positions to judge, :mod:`.estimates` estimates scores of a strategy from
judgements, :mod:`.agreement` compares reviewers, and :mod:`.exchange` exports and imports reviews. :mod:`.exercises`
stores class exercises, and :mod:`.class_results` measures them.
"""
