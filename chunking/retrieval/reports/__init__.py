"""An evaluation of retrieval as JSON, as a table of text, as figures and as one HTML file."""

from chunking.retrieval.reports.summary import as_dict

__all__ = ["as_dict"]
