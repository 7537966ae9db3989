"""Loaders of binary formats: PDF, Office and OpenDocument files, RTF, e-mails, XML, EPUB.

A module has ``parse(data, name, params, progress) -> Parsed``, and runs in a process of its own with limits.
"""
