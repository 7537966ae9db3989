"""Loaders of formats that are text, but whose document text is what a reader sees of it: HTML and notebooks.

A module has ``parse(text, name, params) -> Parsed`` and is imported when a file of it is first loaded. ``name`` is for
messages, ``params`` are for HTML.
"""
