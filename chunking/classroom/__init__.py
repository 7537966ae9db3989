"""Class exercises: a text on which many people predict boundaries without a name, and what came out.

:mod:`.exercises` keeps them in the database of the reviews, in tables of their own; :mod:`.results` measures them.
"""
