"""Collections of vector stores: Qdrant, Chroma and PostgreSQL with pgvector, written and audited.

What Chunkscope keeps itself is in :mod:`chunking.store`.
"""

from chunking.vector_stores.base import Point, StoredRow, VectorStore
from chunking.vector_stores.location import StoreLocation, open_store, parse_location

__all__ = ["Point", "StoreLocation", "StoredRow", "VectorStore", "open_store", "parse_location"]
