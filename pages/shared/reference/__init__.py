"""Chunks and reference boundaries that the user brings for a document."""
