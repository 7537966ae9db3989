"""Many documents as a list with a figure for each."""

from pages.shared.components.document_list.component import STATES, ListEvent, Row, document_list, list_event

__all__ = ["STATES", "ListEvent", "Row", "document_list", "list_event"]
