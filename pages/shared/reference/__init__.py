"""Chunks and true boundaries that the user brings for a document."""
