"""Strategies that follow the sections of a document: sections, headings and paragraphs.

Each module has ``STRATEGIES``; :mod:`chunking.strategies` registers them.
"""
