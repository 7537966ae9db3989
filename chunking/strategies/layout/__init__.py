"""Strategies that keep the units of a format whole: blocks of Markdown, HTML elements, JSON values, code.

Each module has ``STRATEGIES``; :mod:`chunking.strategies` registers them.
"""
