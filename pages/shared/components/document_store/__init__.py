"""The document store: text, sentences and layout of a document, kept in the browser for the components beside it."""

from pages.shared.components.document_store.component import document_store

__all__ = ["document_store"]
