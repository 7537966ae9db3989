"""Loaders of formats whose document text is the decoded file: each module gives the blocks of one family.

A module has ``blocks(text) -> tuple[Block, ...] | None`` and is imported when a file of it is first loaded.
"""
