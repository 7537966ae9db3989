"""An inspection or a comparison as one self-contained HTML file, for a browser without a server and for notebooks."""

from chunking.standalone.page import OUTPUT, StandalonePage

__all__ = ["OUTPUT", "StandalonePage"]
