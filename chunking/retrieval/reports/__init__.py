"""An evaluation of retrieval summed up, as a table of text, as figures and as one HTML file."""
