"""What is wrong with the chunks of a collection, held against the documents that they were made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunking import embedding, strategies
from chunking.checks import rules
from chunking.checks.places import FilePlace, FilePlaces
from chunking.checks.rules import RULES, Rule
from chunking.comparison.chunk_sizes import coverage
from chunking.comparison.cut_changes import cut_offsets
from chunking.embedding import Encoder
from chunking.errors import ChunkscopeError
from chunking.params import Parameters
from chunking.runtime.wording import plural
from chunking.strategies import Segmentation, foreign
from chunking.vector_stores.points import embedded_texts
from chunking.vector_stores.stored_chunks import StoredChunk
from chunking.workspace import DocumentAnalysis

_LIMIT = "over-encoder-limit"

COLLECTION_RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("mixed-encoders", "error", "The collection has vectors of several encoders."),
        Rule("gone-document", "error", "A document of the collection is not among the sources."),
        Rule("missing-document", "error", "A source has no chunk in the collection."),
        Rule("stale-chunk", "error", "The text of a chunk is not in its document."),
        Rule("lost-text", "error", "Text of a document is in no chunk."),
        Rule("mixed-settings", "warning", "The collection has chunks of several settings."),
        Rule("other-setting", "warning", "Chunks have another setting than the one that was given for them."),
        Rule("changed-document", "warning", "A document has changed since its chunks were stored."),
        Rule("repeated-chunk", "warning", "A chunk is stored more than once."),
        Rule("altered-chunk", "note", "The text of a chunk differs from that of its document."),
    )
}
"""The rules that a collection as a whole is held to."""

AUDIT_RULES: Mapping[str, Rule] = {
    rule.name: rule
    for level in reversed(rules.LEVELS)
    for rule in (*COLLECTION_RULES.values(), *RULES.values())
    if rule.level == level
}
"""All rules of an audit by name, the most severe first: those of ``check`` as well."""

_CHUNK_RULES = tuple(rule for rule in AUDIT_RULES.values() if rule.name in RULES and rule.name != _LIMIT)


@dataclass(frozen=True, slots=True)
class AuditFinding:
    """Something that is wrong.

    Attributes:
        rule: that is broken.
        document: path of the source, or the name in the collection where there is none; empty for the collection.
        message: why, without a full stop.
        place: in the file; ``None`` without one.
        start, end: half-open span of the text of the document; ``None`` without one.
        id: of the chunk in the store; empty where it is no single one.
    """

    rule: Rule
    document: str
    message: str
    place: FilePlace | None = None
    start: int | None = None
    end: int | None = None
    id: str = ""


@dataclass(frozen=True)
class DocumentAudit:
    """A document of a collection, held against its source.

    Attributes:
        document: path of the source.
        stored_as: its name in the collection; the path where it has no chunk.
        status: ``"current"``, ``"changed"`` since its chunks were stored, or ``"missing"`` in the collection; of chunks
            without the hash of their document ``"current"`` where all are found in it.
        chunks: how many chunks it has.
        boundaries: places at which chunks begin, but for the start of the text.
        characters: of its text without white space.
        lost: those of them that are in no chunk.
        largest_gap: characters of the largest stretch in no chunk.
        findings: what is wrong.
    """

    document: str
    stored_as: str
    status: str
    chunks: int = 0
    boundaries: int = 0
    characters: int = 0
    lost: int = 0
    largest_gap: int = 0
    findings: tuple[AuditFinding, ...] = ()


@dataclass(frozen=True)
class DocumentAuditor:
    """Holds the chunks of documents against their sources.

    Attributes:
        encoder: of the vectors; ``None`` where it is unknown, so that its limit is.
        setting: that the chunks should have; empty where none was given.
    """

    encoder: Encoder | None = None
    setting: str = ""

    def audit(self, workspace: DocumentAnalysis, path: str, chunks: Sequence[StoredChunk]) -> DocumentAudit:
        """Return what is wrong with the chunks of a document.

        Args:
            workspace: the document.
            path: of the document.
            chunks: those of the collection.
        """
        text = workspace.document.text
        characters = sum(map(len, text.split()))
        if not chunks:
            finding = AuditFinding(COLLECTION_RULES["missing-document"], path, f"{characters:,} characters in no chunk")
            status = "missing" if characters else "current"
            found = (finding,) if characters else ()
            return DocumentAudit(path, path, status, 0, 0, characters, characters, characters, found)
        segmentation = segment(workspace, chunks)
        look = _ChunkAudit(workspace, path, chunks, segmentation)
        findings = [
            *look.stale(),
            *look.altered(),
            *look.repeated(),
            *look.lost(),
            *self._other_setting(path, chunks),
            *look.broken_rules(),
            *(look.over_limit(self.encoder) if self.encoder else ()),
        ]
        is_changed = look.is_changed or any(finding.rule.name == "stale-chunk" for finding in findings)
        if look.is_changed:
            changed = AuditFinding(COLLECTION_RULES["changed-document"], path, "its text has another hash")
            findings.insert(0, changed)
        spans = coverage(segmentation).lost.tolist()
        return DocumentAudit(
            path,
            chunks[0].document,
            "changed" if is_changed else "current",
            len(chunks),
            len(cut_offsets(segmentation)),
            characters,
            sum(len(part) for start, end in spans for part in text[start:end].split()),
            max((end - start for start, end in spans), default=0),
            tuple(findings),
        )

    def _other_setting(self, path: str, chunks: Sequence[StoredChunk]) -> Iterator[AuditFinding]:
        others = Counter(chunk.setting for chunk in chunks if chunk.setting and chunk.setting != self.setting)
        for setting, count in others.items() if self.setting else ():
            yield AuditFinding(COLLECTION_RULES["other-setting"], path, f"{plural(count, 'chunk')} of {setting}")


def segment(workspace: DocumentAnalysis, chunks: Sequence[StoredChunk]) -> Segmentation:
    """Return the chunks of a collection as spans of their document, see :mod:`chunking.strategies.foreign`.

    They have the parameters of the setting with which they are stored, so that a cut inside a table that alone exceeds
    the maximum counts as unavoidable.
    """
    pieces = [chunk.piece for chunk in chunks]
    nests = any(chunk.nested for chunk in chunks)
    return foreign.segment(workspace, "yours", _params(chunks), pieces, reason="given", nests=nests)


def _params(chunks: Sequence[StoredChunk]) -> Parameters:
    """Return the parameters of the one setting of chunks; none where there are several, or it is unknown here."""
    settings = {chunk.setting for chunk in chunks}
    if len(settings) > 1 or "" in settings:
        return Parameters()
    try:
        return strategies.parse(settings.pop()).params
    except ChunkscopeError:
        return Parameters()


@dataclass
class _ChunkAudit:
    """The chunks of one document, looked at."""

    workspace: DocumentAnalysis
    path: str
    chunks: Sequence[StoredChunk]
    segmentation: Segmentation
    places: FilePlaces = field(init=False)

    def __post_init__(self) -> None:
        self.places = FilePlaces(self.workspace.document)
        self._ids: dict[str, list[str]] = {}
        for chunk in self.chunks:
            self._ids.setdefault(chunk.text, []).append(chunk.id)
        hashes = {chunk.document_hash for chunk in self.chunks}
        self.is_ours = "" not in hashes
        self.is_changed = any(digest not in ("", self.workspace.document.text_hash) for digest in hashes)

    def _finding(self, rule: Rule, message: str, start: int, end: int, at: int | None = None) -> AuditFinding:
        return AuditFinding(rule, self.path, message, self.places.at(start if at is None else at), start, end)

    def stale(self) -> Iterator[AuditFinding]:
        """Yield the chunks whose text is not in the document; of a changed one those that are not exactly in it."""
        rule = COLLECTION_RULES["stale-chunk"]
        for text in self.segmentation.unplaced:
            chunk_ids = self._ids.get(text, [])
            yield AuditFinding(
                rule, self.path, f"“{quote(text)}” is not found", id=chunk_ids.pop() if chunk_ids else ""
            )
        for index, message in self._differences() if self.is_changed else ():
            chunk = self.segmentation.chunks[index]
            yield self._finding(rule, message, chunk.indexed_start, chunk.end)

    def altered(self) -> Iterator[AuditFinding]:
        """Yield the chunks whose text differs from that of an unchanged document by more than white space."""
        for index, message in () if self.is_changed else self._differences():
            chunk = self.segmentation.chunks[index]
            yield self._finding(COLLECTION_RULES["altered-chunk"], message, chunk.indexed_start, chunk.end)

    def _differences(self) -> Iterator[tuple[int, str]]:
        for chunk in self.segmentation.chunks:
            if chunk.foreign and (chunk.foreign.missing or chunk.foreign.added):
                yield chunk.index, "; ".join(chunk.notes)

    def repeated(self) -> Iterator[AuditFinding]:
        """Yield the places of which several chunks have exactly the text."""
        spans = Counter((chunk.indexed_start, chunk.end, chunk.parent) for chunk in self.segmentation.chunks)
        for (start, end, _), count in spans.items():
            if count > 1:
                yield self._finding(COLLECTION_RULES["repeated-chunk"], f"stored {count:,} times", start, end)

    def lost(self) -> Iterator[AuditFinding]:
        """Yield the stretches of the text that are in no chunk."""
        text = self.workspace.document.text
        for start, end in coverage(self.segmentation).lost.tolist():
            lost = text[start:end]
            at = start + len(lost) - len(lost.lstrip())
            message = f"{plural(end - start, 'character')}: “{quote(lost)}”"
            yield self._finding(COLLECTION_RULES["lost-text"], message, start, end, at)

    def broken_rules(self) -> Iterator[AuditFinding]:
        """Yield where chunks break the rules of ``check``."""
        for violation in rules.violations(self.segmentation, self.workspace, _CHUNK_RULES).violations:
            yield self._finding(violation.rule, violation.message, violation.start, violation.end, violation.offset)

    def over_limit(self, encoder: Encoder) -> Iterator[AuditFinding]:
        """Yield the chunks that are longer than an encoder reads, ours with their heading paths."""
        chunks = self.segmentation.chunks
        if self.is_ours:
            texts = embedded_texts(self.segmentation)
        else:
            document = self.workspace.document.text
            texts = [c.foreign.text if c.foreign else document[c.indexed_start : c.end] for c in chunks]
        long = np.flatnonzero(embedding.truncated(texts, encoder)).tolist()
        counts = encoder.token_counts([texts[index] for index in long]).tolist() if long else []
        for index, count in zip(long, counts, strict=True):
            message = f"{count:,} tokens of {encoder.name}, which reads {encoder.max_tokens:,}"
            yield self._finding(RULES[_LIMIT], message, chunks[index].indexed_start, chunks[index].end)


def collection_findings(
    settings: Mapping[str, int], encoders: Mapping[str, int], meant: Collection[str] = ()
) -> Iterator[AuditFinding]:
    """Yield what is wrong with a collection as a whole.

    Args:
        settings, encoders: how many chunks there are of each; an empty name is that of chunks of other programs.
        meant: settings that documents should have, where they are known; a collection may mix these.
    """
    for name, counts in (("mixed-encoders", encoders), ("mixed-settings", settings)):
        if len(counts) > 1 and (name == "mixed-encoders" or not set(counts) <= set(meant)):
            ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            words = ", ".join(f"{plural(count, 'chunk')} of {value or 'an unknown one'}" for value, count in ordered)
            yield AuditFinding(COLLECTION_RULES[name], "", words)


def quote(text: str) -> str:
    """Return the beginning of a text on one line."""
    words = " ".join(text.split())
    return words if len(words) <= rules.QUOTED else words[: rules.QUOTED - 1] + "…"
