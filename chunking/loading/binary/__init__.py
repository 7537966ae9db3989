"""Loaders of binary formats: PDF, DOCX, EPUB.

A module has ``parse(data, name, params, progress) -> Parsed``, and runs in a process of its own with limits.
"""
