"""The definition of each term of a page, on hover, focus or tap."""

from chunking.report.html import explained
from pages.shared.components.glossary.component import explain_terms, term

__all__ = ["explain_terms", "explained", "term"]
