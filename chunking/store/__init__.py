"""A library of documents that lasts: files by their content, and what is known of each in a database.

:class:`.library.Library` is what one person may see of it; :func:`.storage.open_storage` opens the one that the
settings name. Beside it are :mod:`.sets`, :mod:`.drafts`, :mod:`.limits`, :mod:`.folders`, :mod:`.archive` and
:mod:`.carry`. Documents that are not to be kept are never added: measure them with a workspace that has no cache.
"""

from chunking.store.access import NotFoundError, StaleError
from chunking.store.documents import (
    Attachment,
    Choices,
    DocumentSet,
    Facets,
    LibraryDocument,
    Listing,
    NewDocument,
    Query,
)
from chunking.store.library import Library, OpenedDocument
from chunking.store.storage import LibraryStorage, open_storage

__all__ = [
    "Attachment",
    "Choices",
    "DocumentSet",
    "Facets",
    "Library",
    "LibraryDocument",
    "LibraryStorage",
    "Listing",
    "NewDocument",
    "NotFoundError",
    "OpenedDocument",
    "Query",
    "StaleError",
    "open_storage",
]
