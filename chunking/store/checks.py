"""Checks of what a person enters, before anything is stored."""

from __future__ import annotations

from chunking.errors import ChunkscopeError
from chunking.loading import MAX_FILE_BYTES, clean_name

TEXT_LIMIT = 200
"""Maximum length of a name, an owner, a team or a key, in characters, so that an index can hold them."""

TAG_LIMIT, MOST_TAGS = 60, 40
"""Characters of a tag, and tags of a document."""


def checked_name(name: str) -> str:
    """Return a name as it is kept.

    Raises:
        ChunkscopeError: it is empty.
    """
    if not name.strip():
        raise ChunkscopeError("The name is empty.", "Give it a name.")
    return clean_name(name)


def checked_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Return tags as they are kept: each once, in order, without white space around them.

    Raises:
        ChunkscopeError: one is empty or too long, or there are too many.
    """
    found = tuple(sorted({" ".join(tag.split()) for tag in tags}))
    if len(found) > MOST_TAGS or any(not tag or len(tag) > TAG_LIMIT for tag in found):
        raise ChunkscopeError(
            "The tags cannot be kept.", f"Give at most {MOST_TAGS} tags of 1 to {TAG_LIMIT} characters each."
        )
    return found


def check_key(text: str, what: str) -> None:
    """Check a text that an index has to hold.

    Raises:
        ChunkscopeError: it is empty or too long.
    """
    if not text or len(text) > TEXT_LIMIT:
        raise ChunkscopeError(f"{what} is empty or too long.", f"Use 1 to {TEXT_LIMIT} characters.")


def check_size(data: bytes) -> None:
    """Check the size of a file.

    Raises:
        ChunkscopeError: it is too large.
    """
    if len(data) > MAX_FILE_BYTES:
        raise ChunkscopeError(
            f"The file is larger than {MAX_FILE_BYTES // 2**20} MiB.",
            "Nothing was stored. Split it, and add the parts.",
        )
