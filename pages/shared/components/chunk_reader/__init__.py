"""The chunk reader: a document as chunked text."""

from pages.shared.components.chunk_reader.component import ReaderChunks, ReaderEvent, chunk_reader, reader_event

__all__ = ["ReaderChunks", "ReaderEvent", "chunk_reader", "reader_event"]
