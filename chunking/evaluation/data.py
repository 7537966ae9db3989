"""Documents with reference boundaries, from JSON Lines.

A document a line: ``{"id": …, "units": [text, …], "boundaries": [index, …]}``. Units are sentences or blocks, in order;
a boundary is the index of the first unit of a segment, and 0, where every document begins, is left out. Optional are
``lang`` (a language code) and ``group`` (results are given for each group as well); anything else is not looked at.

Unambiguous faults are corrected and reported: blank units (they cannot be embedded) are removed and boundaries
renumbered, so that one at a blank unit moves to the next with text; boundaries are sorted, each once; a boundary 0 is
dropped; half a surrogate pair becomes U+FFFD. Ambiguous lines are rejected with their number.
Documents of fewer than two units have no gap to decide on: they are left out and reported. So are reviews
(:mod:`chunking.reference.lines`) that judge only some places of a document, and those without its text, which have
offsets and no units.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import PurePath
from typing import Any

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.loading import from_text
from chunking.runtime.arrays import Int64
from chunking.runtime.structured import json_lines
from chunking.runtime.surrogates import count_surrogates, replace_surrogates
from chunking.runtime.wording import plural
from chunking.sentences import Sentences


@dataclass(frozen=True, eq=False)
class SegmentedDocument:
    """A document with its reference boundaries.

    Attributes:
        id: unique in its set.
        line: its line in the file, from 1; 0 without a file.
        units: two texts or more, none blank.
        reference: ascending int64: the gaps that are reference boundaries. Gap ``g`` lies before unit ``g + 1``.
        language: code that the file gives, else ``None``.
        group: that the file gives, else ``None``.
        sentences: the units as a document with its layout has them; ``None``: they are paragraphs of one plain text.
    """

    id: str
    line: int
    units: tuple[str, ...]
    reference: Int64
    language: str | None = None
    group: str | None = None
    sentences: Sentences | None = None

    @property
    def gaps(self) -> int:
        """The number of gaps."""
        return len(self.units) - 1


@dataclass(frozen=True)
class Remark:
    """A remark on a document of a file.

    Attributes:
        line: its line, from 1; 0 if the document is from no file.
        id: of the document.
        what: the remark, without a full stop.
    """

    line: int
    id: str
    what: str


@dataclass(frozen=True, eq=False)
class DataSet:
    """The documents of a file, with remarks.

    Attributes:
        name: of the file.
        documents: in the order of their ids, so that the order of lines changes nothing.
        repaired: corrections, by line.
        left_out: excluded documents with the reason, by line.
        several: whether they are from several files; ids in remarks then begin with the file.
    """

    name: str
    documents: tuple[SegmentedDocument, ...]
    repaired: tuple[Remark, ...] = ()
    left_out: tuple[Remark, ...] = ()
    several: bool = False

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of its documents: ids, units, boundaries, languages, groups and layouts, whatever its name."""
        digest = hashlib.sha256()
        for document in self.documents:
            laid_out = document.sentences.document.key if document.sentences else None
            labels = (document.id, document.language, document.group, laid_out)
            digest.update(
                repr((labels, document.units, document.reference.tolist())).encode("utf-8", "backslashreplace")
            )
        return digest.hexdigest()

    @cached_property
    def key(self) -> str:
        """A digest of everything that an evaluation reads and reports of it."""
        lines = [document.line for document in self.documents]
        made_of = (self.content_hash, self.name, lines, self.repaired, self.left_out)
        return hashlib.sha256(repr(made_of).encode("utf-8", "backslashreplace")).hexdigest()


def read(data: bytes, name: str) -> DataSet:
    """Return the documents of a file; see the module for what it may hold.

    Args:
        data: the whole file, UTF-8; a byte order mark and blank lines do not count.
        name: the name to report.

    Raises:
        ChunkscopeError: a line is no such document, an id is there twice, or no document is left.
    """
    documents: dict[str, SegmentedDocument] = {}
    repaired: list[Remark] = []
    left_out: list[Remark] = []
    lines: dict[str, int] = {}
    for number, row, where in json_lines(data, name):
        if "offsets" in row and ("units" not in row or _is_partial(row)):
            id_text = _label(row.get("id"), "id", where) or ""
            why = _PARTIAL if _is_partial(row) else "it has offsets but no units"
            left_out.append(Remark(number, id_text, why))
            continue
        document, remarks = _document(row, number, where)
        if document.id in lines:
            raise ChunkscopeError(
                f"{where}: the id {document.id!r:.60} is already used on line {lines[document.id]}.",
                "Give every document its own id.",
            )
        lines[document.id] = number
        repaired += [Remark(number, document.id, what) for what in remarks]
        if len(document.units) < 2:
            what = "it has a single unit" if document.units else "it has no unit with text"
            left_out.append(Remark(number, document.id, f"{what}, so it has no gap"))
        else:
            documents[document.id] = document
    if left_out and not documents and all(remark.what == _PARTIAL for remark in left_out):
        raise ChunkscopeError(
            f"{name:.80} holds reviews of only some places, and no document that is judged completely.",
            'Mark the documents as complete in Review and export them again, or write "complete": true on their lines.',
        )
    if not documents:
        what = "no document of two units or more" if lines or left_out else "no document"
        raise ChunkscopeError(
            f"{name:.80} holds {what}.", 'Write one per line: {"id": …, "units": [text, …], "boundaries": [index, …]}.'
        )
    return DataSet(name, tuple(documents[key] for key in sorted(documents)), tuple(repaired), tuple(left_out))


def read_all(files: Mapping[str, bytes]) -> DataSet:
    """Return the documents of several files as one set, of one as :func:`read` does.

    Each file is a group, named as the file; where its documents have groups, as the file and the group. An id that two
    files have is preceded by the name of the file.

    Args:
        files: by path.

    Raises:
        ChunkscopeError: as :func:`read`, of any of them.
    """
    names = _file_names(list(files))
    sets = {name: read(data, name) for name, data in zip(names, files.values(), strict=True)}
    if len(sets) == 1:
        return next(iter(sets.values()))
    stems = _stems(list(sets))
    counts = Counter(document.id for data_set in sets.values() for document in data_set.documents)
    documents: dict[str, SegmentedDocument] = {}
    for name, data_set in sets.items():
        stem = stems[name]
        for document in data_set.documents:
            id = document.id if counts[document.id] == 1 else f"{name}: {document.id}"
            group = stem if document.group is None else f"{stem}: {document.group}"
            documents[id] = replace(document, id=id, group=group)
    repaired = _of_files({name: data_set.repaired for name, data_set in sets.items()})
    left_out = _of_files({name: data_set.left_out for name, data_set in sets.items()})
    return DataSet(", ".join(sets), tuple(documents[id] for id in sorted(documents)), repaired, left_out, several=True)


def _stems(names: Sequence[str]) -> dict[str, str]:
    """Return the names without their suffixes, except where two would be the same."""
    bare = [PurePath(name).with_suffix("").as_posix() for name in names]
    return {name: stem if bare.count(stem) == 1 else name for name, stem in zip(names, bare, strict=True)}


def _of_files(remarks: Mapping[str, Sequence[Remark]]) -> tuple[Remark, ...]:
    """Return the remarks on the documents of several files, which their ids name."""
    return tuple(
        replace(remark, id=f"{name}: {remark.id}") for name, remarks_of in remarks.items() for remark in remarks_of
    )


def _file_names(paths: Sequence[str]) -> list[str]:
    """Return the files' names, or their whole paths where two have the same name; each path once."""
    names = [PurePath(path).name for path in paths]
    return [name if names.count(name) == 1 else path for name, path in zip(names, paths, strict=True)]


_PARTIAL = "only some of its places are judged"


def _is_partial(row: dict[str, Any]) -> bool:
    """Return whether a line holds reviews that do not cover the whole document."""
    return not row.get("complete", not row.get("reviews"))


def _document(row: dict[str, Any], number: int, where: str) -> tuple[SegmentedDocument, list[str]]:
    """Return the document of a line, and what was put right."""
    missing_keys = [key for key in ("id", "units", "boundaries") if key not in row]
    if missing_keys:
        raise ChunkscopeError(
            f"{where}: {' and '.join(missing_keys)} missing.", "A document has id, units and boundaries."
        )
    name, group, language = (_label(row.get(key), key, where) for key in ("id", "group", "lang"))
    if name is None:
        raise ChunkscopeError(f"{where}: id is null.", "Give every document its own id.")
    units, halves = _units(row["units"], where)
    bounds, remarks = _boundaries(row["boundaries"], len(units), where)
    if halves:
        remarks.append(f"{plural(halves, 'broken character')} replaced by U+FFFD")
    nonblank_indices = np.array([index for index, unit in enumerate(units) if unit.strip()], dtype=np.int64)
    if len(nonblank_indices) < len(units):
        bounds, remark = _without_blank(bounds, nonblank_indices, len(units))
        units = [units[index] for index in nonblank_indices]
        remarks.append(remark)
    return SegmentedDocument(name, number, tuple(units), bounds - 1, _language(language, where), group), remarks


def _language(code: str | None, where: str) -> str | None:
    try:
        return language_code(code) if code else None
    except ChunkscopeError as error:
        raise ChunkscopeError(f"{where}: {error.problem}", error.remedy) from error


@lru_cache(maxsize=256)
def language_code(code: str) -> str:
    """Return a language code as documents have it.

    Raises:
        ChunkscopeError: it is invalid.
    """
    return from_text("", language=code).language


def _label(value: object, key: str, where: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise ChunkscopeError(f"{where}: {key} is neither text nor a whole number.", "Write it as text.")
    return replace_surrogates(value if isinstance(value, str) else f"{value:d}")


def _units(value: object, where: str) -> tuple[list[str], int]:
    """Return the units, and how many halves of surrogate pairs, which nothing can encode, were replaced."""
    if not isinstance(value, list):
        raise ChunkscopeError(f"{where}: units is not a list.", "Give a list of texts.")
    wrong = next((index for index, unit in enumerate(value) if not isinstance(unit, str)), None)
    if wrong is not None:
        raise ChunkscopeError(f"{where}: unit {wrong} is not text.", "Give a list of texts.")
    return [replace_surrogates(unit) for unit in value], sum(map(count_surrogates, value))


def _boundaries(value: object, units: int, where: str) -> tuple[Int64, list[str]]:
    """Return first units of segments, ascending, each once, and what was put right."""
    if not isinstance(value, list):
        raise ChunkscopeError(f"{where}: boundaries is not a list.", "Give a list of unit indices.")
    for boundary in value:
        if isinstance(boundary, bool) or not isinstance(boundary, int):
            shown_value = json.dumps(boundary)
            raise ChunkscopeError(
                f"{where}: boundary {shown_value:.60} is not a whole number.", "Give indices of units."
            )
        if not 0 <= boundary < max(units, 1):
            raise ChunkscopeError(
                f"{where}: boundary {boundary!s:.60} is out of range: there are {plural(units, 'unit')}.",
                "Give the index of the first unit of each segment except the first, from 1 to the last unit.",
            )
    remarks = []
    if any(left > right for left, right in pairwise(value)):
        remarks.append("boundaries sorted")
    if len(value) > len(set(value)):
        remarks.append(f"{plural(len(value) - len(set(value)), 'boundary', 'boundaries')} that occurred twice removed")
    if 0 in value:
        remarks.append("boundary 0, the start of the document, removed")
    return np.array(sorted(set(value) - {0}), dtype=np.int64), remarks


def _without_blank(bounds: Int64, nonblank_indices: Int64, units: int) -> tuple[Int64, str]:
    """Return boundaries counted in the units that are kept, and in words what became of the others."""
    moved = np.unique(np.searchsorted(nonblank_indices, bounds))
    remaining_bounds = moved[(moved > 0) & (moved < len(nonblank_indices))].astype(np.int64)
    removed = f"{plural(units - len(nonblank_indices), 'blank unit')} removed"
    n_lost = len(bounds) - len(remaining_bounds)
    return remaining_bounds, removed + (f", and with them {plural(n_lost, 'boundary', 'boundaries')}" if n_lost else "")


def groups(documents: Sequence[SegmentedDocument]) -> dict[str, list[int]]:
    """Return the places of the documents of each group, in the order of names; those without a group are in none."""
    members: dict[str, list[int]] = {}
    for index, document in enumerate(documents):
        if document.group is not None:
            members.setdefault(document.group, []).append(index)
    return dict(sorted(members.items()))
