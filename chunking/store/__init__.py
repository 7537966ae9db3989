"""A store of documents, reviews and people that lasts: files by their content, and all else in a database.

:class:`.library.Library` is what one person may see of the documents; :func:`.storage.open_storage` opens the store
that the settings name. Beside it are :mod:`.sets`, :mod:`.limits`, :mod:`.folders` and :mod:`.archive`;
:mod:`.reviews` has the judgements of reviewers, :mod:`.identity`, :mod:`.audit` and :mod:`.quotas` what a server knows
of people. Documents that are not to be kept are never added: measure them with a workspace that has no cache.
"""

from chunking.store.document_table import NotFoundError, StaleError
from chunking.store.documents import (
    Attachment,
    DocumentSet,
    DocumentSettings,
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
    "DocumentSet",
    "DocumentSettings",
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
