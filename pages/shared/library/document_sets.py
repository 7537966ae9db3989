"""The sets of the person of this session, as other pages choose from them; the address names one by its id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chunking import ChunkscopeError
from chunking.store import LibraryDocument, Query
from chunking.store.sets import MOST_MEMBERS, DocumentSets
from pages.shared import identity, state
from pages.shared.frame import frame
from pages.shared.storage.current import is_begun, library

CHOICE = "set"
"""Name of the set in the address."""


@dataclass(frozen=True)
class OfferedSets:
    """The sets that can be chosen.

    Attributes:
        titles: their names by id.
        problem: why there are none, where the library does not answer.
    """

    titles: dict[str, str] = field(default_factory=dict)
    problem: ChunkscopeError | None = None

    def title(self, id: str) -> str:
        """Return the name of a set; any other text as it is."""
        return self.titles.get(id, id)


def offered() -> OfferedSets:
    """Return the sets of this person; none where nobody is logged in or the library does not answer."""
    if not identity.current().may("reader"):
        return OfferedSets()
    try:
        known = DocumentSets(library()).list() if is_begun() else []
        return OfferedSets({each.id: each.name for each in known})
    except ChunkscopeError as error:
        return OfferedSets(problem=error)


def show_missing(sets: OfferedSets, options: Sequence[str], name: str = CHOICE) -> None:
    """Show why the set that the address names cannot be chosen, where it is none of the options."""
    requested = state.current().text(name)
    if requested and requested not in options:
        missing = ChunkscopeError(
            f"There is no such set of documents: {requested:.60}.",
            "It was deleted, or belongs to somebody else. Choose another one.",
        )
        frame.show_error(sets.problem or missing)


def members(id: str) -> list[LibraryDocument]:
    """Return the documents of a set in its order, without reading their files.

    Raises:
        NotFoundError: there is no such set, or not for this person.
    """
    here = library()
    chosen = DocumentSets(here).get(id)
    known = {each.id: each for each in here.list(Query(document_set=id, superseded=True, limit=MOST_MEMBERS)).documents}
    return [known[each] for each in chosen.documents if each in known]
