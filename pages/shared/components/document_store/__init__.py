"""The document store: text and sentences of a document, kept in the browser for the components beside it."""

from pages.shared.components.document_store.component import document_store, layout_store

__all__ = ["document_store", "layout_store"]
