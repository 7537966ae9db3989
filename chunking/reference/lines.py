"""References of reviews as JSON Lines, a document a line: what reviews are kept as outside the database.

    {"id": …, "lang": …, "units": [text, …], "boundaries": [index, …],
     "document": hash, "name": …, "characters": …, "offsets": [offset, …], "before": [text, …], "after": [text, …],
     "complete": true, "rejected": [offset, …], "added": [offset, …], "completed_by": [reviewer, …],
     "reviews": {reviewer: [{"offset": …, "verdict": …, "note": …, …}, …]}, "decisions": [{…}, …]}

``units`` and ``boundaries`` are what ``evaluate segmentation`` reads (:mod:`chunking.evaluation.data`): the sentences,
and the index of the first one of each segment; they are left out where the text was not at hand. ``offsets`` are what
``compare --gold`` reads: the same boundaries in characters of the text whose hash (``Document.text_hash``) is
``document``; the text around them finds them again where it has changed. Where ``complete`` is false, places that are
neither among ``offsets`` nor among ``rejected`` are unknown, and there are no ``units``; without that key it is false
where there are reviews. ``added`` are the boundaries that no strategy proposed, ``completed_by`` those who declared the
document complete. A verdict is ``accept``, ``reject``, ``skip``,
``moved`` (with ``target``), or ``note``, which is words alone.

What has one meaning only is put right and reported: offsets that are not in order or come twice, and one at the very
start or end of the text, where nothing is divided. What could mean several things is refused with the number of its
line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from chunking.alignment.relocation import CONTEXT, Anchor
from chunking.errors import ChunkscopeError
from chunking.reference.events import NAME_LIMIT, NOTE_LIMIT
from chunking.reference.state import VERDICTS, Judgement, votes_of
from chunking.runtime.structured import json_lines
from chunking.runtime.surrogates import replace_surrogates


@dataclass(frozen=True)
class ReferenceLine:
    """The reference of one document.

    Attributes:
        id: unique in its file.
        document: hash of the text that the offsets belong to; empty if unknown.
        offsets: of the boundaries, ascending, unique, none at 0.
        before, after: the text on either side of each boundary; empty if unknown.
        name: of the document.
        characters: length of its text; ``None`` if unknown.
        language: code, or ``None``.
        units: its sentences; ``None`` if unknown.
        boundaries: index of the first unit of each segment but the first; ``None`` if ``units`` is.
        reviews: the judgements of each reviewer, in the order in which they were made.
        notes: of each reviewer, notes about positions that are not judged.
        decisions: judgements that settled disagreements.
        complete: whether every position that is not listed is a non-boundary, see
            :class:`chunking.reference.reference.Reference`, as for ``rejected`` and ``added``.
        completed_by: reviewers who declared the document complete.
        line: line number in the file, from 1; 0 if it is in none.
        repaired: corrections, in words without a full stop.
    """

    id: str
    document: str
    offsets: tuple[int, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    name: str = ""
    characters: int | None = None
    language: str | None = None
    units: tuple[str, ...] | None = None
    boundaries: tuple[int, ...] | None = None
    reviews: Mapping[str, tuple[Judgement, ...]] = field(default_factory=dict)
    notes: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    decisions: tuple[Judgement, ...] = ()
    complete: bool = True
    rejected: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    completed_by: tuple[str, ...] = ()
    line: int = 0
    repaired: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[Anchor, ...]:
        """Return every position that the line names with its context, ascending, unique."""
        judgements = (*(judgement for review in self.reviews.values() for judgement in review), *self.decisions)
        return anchors_of(self.offsets, self.before, self.after, judgements)


def anchors_of(
    offsets: Sequence[int], before: Sequence[str], after: Sequence[str], judgements: Iterable[Judgement]
) -> tuple[Anchor, ...]:
    """Return the positions with their context, ascending; of a move, the position of its target."""
    anchors = {anchor.offset: anchor for anchor in map(Anchor, offsets, before, after) if anchor.before or anchor.after}
    for judgement in judgements:
        offset = judgement.offset if judgement.target is None else judgement.target
        if judgement.before or judgement.after:
            anchors.setdefault(offset, Anchor(offset, judgement.before, judgement.after))
    return tuple(anchors[offset] for offset in sorted(anchors))


# --- writing -------------------------------------------------------------------------------------------------------


def dump(lines: Iterable[ReferenceLine]) -> str:
    """Return JSON Lines, in UTF-8 without escapes."""
    from chunking.export import jsonl as written  # all of the engine, which reading a reference does not need

    return written(_row(line) for line in lines)


def _row(line: ReferenceLine) -> dict[str, Any]:
    row: dict[str, Any] = {"id": line.id, "lang": line.language}
    if line.units is not None and line.boundaries is not None:
        row |= {"units": list(line.units), "boundaries": list(line.boundaries)}
    row |= {
        "document": line.document,
        "name": line.name,
        "characters": line.characters,
        "offsets": list(line.offsets),
        "before": list(line.before),
        "after": list(line.after),
        "complete": line.complete,
        "rejected": list(line.rejected),
        "added": list(line.added),
        "completed_by": list(line.completed_by),
        "reviews": {
            name: [
                *map(_entry, line.reviews.get(name, ())),
                *(
                    {"offset": offset, "verdict": "note", "note": note}
                    for offset, note in line.notes.get(name, {}).items()
                ),
            ]
            for name in {**line.reviews, **line.notes}
        },
        "decisions": list(map(_entry, line.decisions)),
    }
    return {key: value for key, value in row.items() if value is not None and value != ""}


def _entry(judgement: Judgement) -> dict[str, Any]:
    names = ("offset", "verdict", "target", "note", "proposed", "blind", "at", "before", "after")
    entry: dict[str, Any] = {name: getattr(judgement, name) for name in names}
    return {key: value for key, value in entry.items() if value not in (None, "", False) or key == "offset"}


# --- reading -------------------------------------------------------------------------------------------------------


def is_line(value: object) -> bool:
    """Return whether a JSON value looks like a line of a reference, and not like offsets or chunks alone."""
    return isinstance(value, dict) and ({"document", "offsets"} <= value.keys() or {"units", "boundaries"} <= {*value})


def read(data: bytes, name: str) -> tuple[ReferenceLine, ...]:
    """Read the references in a file; see the module for its format.

    Args:
        data: the whole file, UTF-8.
        name: its name, for messages.

    Raises:
        ChunkscopeError: a line is no reference, or there is no line.
    """
    lines = tuple(_Reader(where).line(number, row) for number, row, where in json_lines(data, name))
    if not lines:
        raise ChunkscopeError(f"{name:.80} holds no document.", "Write the reference of one document on each line.")
    return lines


_LARGEST = 2**53
"""No text has so many characters."""


@dataclass(frozen=True)
class _Reader:
    """Parser of a line, whose location in messages is ``where``."""

    where: str

    def line(self, number: int, row: Mapping[str, Any]) -> ReferenceLine:
        if "offsets" not in row:
            raise self.wrong(
                "it has no offsets", "Write references with offsets in characters; units alone are for evaluate."
            )
        characters = None if row.get("characters") is None else self.number(row, "characters", _LARGEST)
        offsets, before, after, repaired = self.offsets(row, characters)
        reviews, notes = self.reviews(row.get("reviews"), characters)
        document = self.text(row, "document")
        has_units = row.get("units") is not None and row.get("boundaries") is not None
        decisions = tuple(self.judgement(entry, characters) for entry in self.objects(row, "decisions"))
        largest = _LARGEST if characters is None else characters
        rejected = (
            self.numbers(row, "rejected", largest) if "rejected" in row else _rejected_offsets(reviews, decisions)
        )
        added = self.numbers(row, "added", largest) if "added" in row else offsets if not reviews else ()
        return ReferenceLine(
            id=str(row["id"]) if isinstance(row.get("id"), int) else self.text(row, "id") or document[:16],
            document=document,
            offsets=offsets,
            before=before,
            after=after,
            name=self.text(row, "name"),
            characters=characters,
            language=self.text(row, "lang") or None,
            units=tuple(self.texts(row, "units")) if has_units else None,
            boundaries=tuple(self.numbers(row, "boundaries", len(row["units"]))) if has_units else None,
            reviews=reviews,
            notes=notes,
            decisions=decisions,
            complete=self.flag(row, "complete", not reviews),
            rejected=tuple(sorted({*rejected} - {*offsets})),
            added=tuple(sorted({*added} & {*offsets})),
            completed_by=tuple(self.texts(row, "completed_by")),
            line=number,
            repaired=repaired,
        )

    def wrong(self, problem: str, remedy: str) -> ChunkscopeError:
        return ChunkscopeError(f"{self.where}: {problem}.", remedy)

    def text(self, row: Mapping[str, Any], key: str, limit: int | None = None) -> str:
        value = row.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.wrong(f"{key} is not text", "Write it in quotes.")
        if limit is not None and len(value) > limit:
            raise self.wrong(f"{key} has {len(value):,} characters", f"Shorten it to {limit:,} at most.")
        return replace_surrogates(value)

    def flag(self, row: Mapping[str, Any], key: str, default: bool) -> bool:
        value = row.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(f"{key} {_as_json(value)} is neither true nor false", "Write true or false.")
        return value

    def number(self, row: Mapping[str, Any], key: str, largest: int) -> int:
        value = row.get(key)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(f"{key} {_as_json(value)} is not a whole number", "Count characters from 0.")
        if not 0 <= value <= largest:
            raise self.wrong(
                f"{key} {_as_json(value)} lies outside the text"
                + (f" of {largest:,} characters" if largest < _LARGEST else ""),
                "Count characters (Unicode code points) of the text, from 0.",
            )
        return value

    def items(self, row: Mapping[str, Any], key: str) -> list[Any]:
        value = row.get(key)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self.wrong(f"{key} is not a list", "Write it in square brackets.")
        return value

    def numbers(self, row: Mapping[str, Any], key: str, largest: int) -> list[int]:
        return [self.number({key: item}, key, largest) for item in self.items(row, key)]

    def texts(self, row: Mapping[str, Any], key: str) -> list[str]:
        return [self.text({key: "" if item is None else item}, key) for item in self.items(row, key)]

    def objects(self, row: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
        entries = self.items(row, key)
        if not all(isinstance(entry, dict) for entry in entries):
            raise self.wrong(f"{key} holds an entry that is not an object", "Write each entry in braces.")
        return entries

    def offsets(
        self, row: Mapping[str, Any], characters: int | None
    ) -> tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """Return the offsets in order, the text before and after each, and the corrections."""
        offsets = self.numbers(row, "offsets", _LARGEST if characters is None else characters)
        around = [self.texts(row, key) or [""] * len(offsets) for key in ("before", "after")]
        for key, texts in zip(("before", "after"), around, strict=True):
            if len(texts) != len(offsets):
                raise self.wrong(
                    f"{key} has {len(texts):,} entries for {len(offsets):,} offsets", "Give one for each offset."
                )
        contexts = {
            offset: (left[-CONTEXT:], right[:CONTEXT]) for offset, left, right in zip(offsets, *around, strict=True)
        }
        inner_offsets = sorted(offset for offset in contexts if offset and offset != characters)
        repeat_count = len(offsets) - len(contexts)
        repaired = [
            *(["offsets sorted"] if any(left > right for left, right in pairwise(offsets)) else []),
            *([f"{repeat_count:,} offset{'s' * (repeat_count > 1)} that came twice left out"] if repeat_count else []),
            *(
                ["an offset at the very start or end of the text left out"]
                if len(inner_offsets) < len(contexts)
                else []
            ),
        ]
        before, after = (tuple(contexts[offset][side] for offset in inner_offsets) for side in (0, 1))
        return tuple(inner_offsets), before, after, tuple(repaired)

    def reviews(
        self, value: object, characters: int | None
    ) -> tuple[dict[str, tuple[Judgement, ...]], dict[str, dict[int, str]]]:
        """Return the judgements of each reviewer, and the notes about positions that are not judged."""
        if value is None:
            return {}, {}
        if not isinstance(value, dict):
            raise self.wrong("reviews is not an object", "List the entries of each reviewer under the reviewer's name.")
        reviews, notes = {}, {}
        for key in value:
            name = self.text({"a reviewer's name": key}, "a reviewer's name", NAME_LIMIT)
            if not name.strip():
                raise self.wrong("a reviewer has no name", f"Give a name of 1 to {NAME_LIMIT} characters.")
            entries = self.objects(value, key)
            reviews[name] = tuple(
                self.judgement(entry, characters) for entry in entries if entry.get("verdict") != "note"
            )
            words = [
                self.judgement(entry | {"verdict": "skip"}, characters)
                for entry in entries
                if entry.get("verdict") == "note"
            ]
            if words:
                notes[name] = {judgement.offset: judgement.note for judgement in words if judgement.note}
        return reviews, notes

    def judgement(self, entry: Mapping[str, Any], characters: int | None) -> Judgement:
        largest = _LARGEST if characters is None else characters
        verdict = entry.get("verdict")
        valid_verdict = next((choice for choice in VERDICTS.values() if choice == verdict), None)
        if valid_verdict is None:
            verdicts = ", ".join(dict.fromkeys(VERDICTS.values()))
            raise self.wrong(f"unknown verdict {_as_json(verdict)}", f"Choose one of: {verdicts}, note.")
        if (valid_verdict == "moved") != (entry.get("target") is not None):
            raise self.wrong("a target belongs to moved, and only there", "Add the target, or remove it.")
        return Judgement(
            offset=self.number(entry, "offset", largest),
            verdict=valid_verdict,
            note=self.text(entry, "note", NOTE_LIMIT),
            proposed=self.text(entry, "proposed"),
            blind=entry.get("blind") is True,
            target=self.number(entry, "target", largest) if valid_verdict == "moved" else None,
            at=self.text(entry, "at"),
            before=self.text(entry, "before")[-CONTEXT:],
            after=self.text(entry, "after")[:CONTEXT],
        )


def _rejected_offsets(reviews: Mapping[str, tuple[Judgement, ...]], decisions: tuple[Judgement, ...]) -> set[int]:
    """Return the places that someone rejected and nobody called a boundary, for files that do not list them."""
    votes = [
        votes_of({judgement.offset: judgement for judgement in judgements}.values())
        for judgements in (*reviews.values(), decisions)
    ]
    boundaries = {offset for reviewer_votes in votes for offset, is_boundary in reviewer_votes.items() if is_boundary}
    return {offset for reviewer_votes in votes for offset in reviewer_votes if offset not in boundaries}


def _as_json(value: object) -> str:
    return f"{json.dumps(value, ensure_ascii=False):.40}"
