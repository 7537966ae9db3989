"""A document in which the answers of a question are marked."""

from pages.shared.components.answer_marker.component import Span, answer_marker, marked

__all__ = ["Span", "answer_marker", "marked"]
