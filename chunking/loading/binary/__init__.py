"""Loaders of binary formats: PDF, Office and OpenDocument files, RTF, e-mails, XML, EPUB.

A module has ``parse(data, name, params, progress) -> Parsed``, and runs in a process of its own with limits. ``name``
is for messages, ``params`` are for HTML in the file, and ``progress`` is called with what is done and the total: pages,
slides, sheets, chapters, messages or elements of the body.
"""
