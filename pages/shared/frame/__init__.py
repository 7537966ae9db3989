"""The frame of every page: routing, errors, response headers, and the one escape of document text."""
