"""The terms of Chunkscope with their definitions, and the words that they replace.

Help texts take their definitions from here, ``docs/glossary.md`` is written from it, and a test keeps the replaced
words out of everything that a user reads. One concept has one term.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A term with its definition.

    Attributes:
        name: the term.
        meaning: its definition, one or two sentences of plain text.
        retired: words and phrases that must not be used instead, in lower case.
    """

    name: str
    meaning: str
    retired: tuple[str, ...] = ()


_TERMS = (
    Term(
        "advice",
        "The setting that a measured rule names for a document, with its evidence and with the share of development "
        "documents on which another candidate was clearly better.",
    ),
    Term("agreement", "How similar two sets of boundaries are; chance-corrected agreement is 0 for random boundaries."),
    Term(
        "α",
        "Weight of semantic against structural distance: 1 is semantic distance alone, 0 structural distance alone.",
    ),
    Term("attachment", "A file that belongs to a document of the library: a reference, own chunks or questions."),
    Term(
        "baseline",
        "A strategy or value to compare with: no boundary, even boundaries, random boundaries.",
        ("what any gap has",),
    ),
    Term("block", "A laid-out part of a document: heading, paragraph, list item, table, code, quote or page break."),
    Term("boundary", "A gap that a strategy cuts, with its reason."),
    Term("boundary F1", "Harmonic mean of precision and recall of boundaries, matched one to one within a tolerance."),
    Term(
        "boundary similarity",
        "Fournier's B: share of boundaries that agree; one that is a single gap away counts half.",
    ),
    Term("chunk", "A span of the document that is indexed, searched and returned as one unit."),
    Term(
        "context budget",
        "Number of retrieved tokens that are passed on, best passages first.",
        ("tokens of context", "tokens end here"),
    ),
    Term(
        "cross-validated",
        "Measured on documents, or parts of one, that were not used to choose the setting.",
        ("so chosen", "on unseen text"),
    ),
    Term("cut", "The division of a text at a boundary."),
    Term(
        "decision",
        "Whether a gap is cut; it flips at the value of α or the percentile where the other outcome begins.",
        ("flips it",),
    ),
    Term("difference", "The value of one strategy minus that of another.", ("less that of",)),
    Term("diluted", "Said of an answer that is retrieved poorly because its chunk is long.", ("drowned",)),
    Term("disabled feature", "A structural feature that the user switched off.", ("features off",)),
    Term("distance", "How different the two sides of a gap are, from 0 to 1.", ("how far the meanings",)),
    Term("document", "A text with its layout; all offsets refer to its one text."),
    Term("duplicated", "Contained in the text of more than one chunk, apart from overlap.", ("doubled",)),
    Term("embedded text", "What is indexed for a chunk: its text, alone or with headings or a title before it."),
    Term("encoder", "The model that turns sentences into vectors."),
    Term(
        "encoder limit",
        "The maximum number of tokens that the encoder reads; longer input is truncated.",
        ("the rest is not seen",),
    ),
    Term("error", "A measure for which lower is better.", ("less is better",)),
    Term("excluded", "Part of the document, but of no chunk.", ("set aside",)),
    Term("finding", "A reason to doubt a chunk: its kind, the chunk, the place and the reason."),
    Term(
        "fineness",
        "How finely change points divide a document, from coarse to fine: 0 is the number of boundaries that the text "
        "supports, each whole step up doubles it and each one down halves it.",
    ),
    Term("fragment", "A chunk too short to carry meaning by itself.", ("less than a thought",)),
    Term("fused distance", "α · semantic distance + (1 − α) · structural distance."),
    Term("gap", "The place between two neighbouring sentences; a document of n sentences has n − 1 gaps."),
    Term(
        "inactive feature",
        "A structural feature that adds nothing at the selected gap.",
        ("adds nothing here",),
    ),
    Term("late chunking", "Embedding a chunk as the mean of its token vectors, read with its document around them."),
    Term("library", "The documents that are kept, with what belongs to them, until they are deleted or evicted."),
    Term("limit violation", "A chunk above the maximum or below the minimum size.", ("limits broken", "asked and got")),
    Term(
        "merged",
        "Said of a boundary that was removed because a chunk would be below the minimum size.",
        ("merged away", "given up"),
    ),
    Term(
        "non-boundary",
        "A gap that a reviewer judged not to be a boundary.",
        ("places that are none", "that is none", "that are none"),
    ),
    Term("offset", "The number of characters before a place in the text."),
    Term("overlap", "Text directly before a chunk that is repeated with it for context."),
    Term("passage", "A chunk with its overlap, as it is indexed and retrieved."),
    Term(
        "penalty",
        "What a boundary costs in a change point division: a gap is cut if its score exceeds the penalty.",
        ("price of",),
    ),
    Term(
        "percentile",
        "Share of the gaps whose distance is at or below the threshold: at 90, a tenth of the gaps is cut.",
    ),
    Term(
        "Pk",
        "Share of windows, half a mean reference segment long, whose ends only one of two segmentations "
        "separates. An error: lower is better.",
    ),
    Term("precision", "Share of the found items that are correct."),
    Term("recall", "Share of the correct items that are found."),
    Term(
        "reference",
        "True boundaries that people set; also called gold.",
        ("set by a person", "that a person set", "bring gold in"),
    ),
    Term("removed", "Said of a boundary of the previous setting that the current one lacks.", ("a boundary went",)),
    Term("reviewer", "A person whose judgements of boundaries are stored.", ("who judges",)),
    Term("rule", "What chunks are held to in continuous integration, with a name and a level: error, warning or note."),
    Term(
        "score",
        "The value that is compared with the threshold; of a change point, how much a cut at the gap saves.",
        ("worth",),
    ),
    Term(
        "semantic distance",
        "1 − cosine similarity of the sentence vectors on the two sides of a gap; where several scales are compared, "
        "the learned evidence of all of them, 0.5 where they say nothing.",
        ("distance of meaning",),
    ),
    Term("sentence", "A span of characters; the unit that is embedded."),
    Term("sentence splitter", "The method that divides a text into sentences.", ("sentences by",)),
    Term("set of documents", "Documents of the library under a name, in an order."),
    Term(
        "settings file",
        "A TOML file with strategies and their parameters, the encoder, the tokenizer, the sentence splitter and the "
        "language.",
    ),
    Term(
        "significant",
        "Said of a difference whose interval excludes 0 and whose test is below 0.05.",
        ("on a par with", "not told from", "cannot be told from", "told apart"),
    ),
    Term("split", "Said of a chunk that was divided because it would exceed the maximum size.", ("forced by",)),
    Term("stable boundary", "A boundary that remains under small changes of the setting.", ("boundaries that stay",)),
    Term("strategy", "A named way to compute boundaries, with its parameters."),
    Term(
        "structural distance",
        "Difference in layout and wording across a gap: blank lines, headings, lists, tables, code, type.",
        ("what the form of the text says",),
    ),
    Term("threshold", "The value that a score must exceed to be cut."),
    Term("token", "The unit in which a tokenizer counts text."),
    Term("tokens per chunk", "Tokens of a chunk without its overlap.", ("own tokens",)),
    Term("tolerance", "The number of gaps by which two matched boundaries may differ."),
    Term("top k", "The k best passages of a ranking.", ("passages looked at", "is looked at", "are looked at")),
    Term("unknown", "Said of a name or value that does not exist.", ("there is no strategy", "names a strategy")),
    Term("violation", "A place where a chunk breaks a rule."),
    Term(
        "WindowDiff",
        "Share of windows, half a mean reference segment long, that differ in their number of boundaries. An "
        "error: lower is better.",
    ),
    Term(
        "(general)",
        "Report, request, continue, pass, resume, cancel.",
        (
            "is told",
            "are told",
            "was told",
            "tells of",
            "it goes on",
            "goes on behind",
            "go on",
            "is asked for",
            "are asked for",
            "was asked for",
            "what was asked",
            "is called for",
        ),
    ),
)

TERMS: Mapping[str, Term] = {term.name: term for term in _TERMS}
"""All terms by name, in alphabetical order."""


def define(name: str) -> str:
    """Return the definition of a term.

    Raises:
        KeyError: the glossary does not have the term.
    """
    return TERMS[name].meaning


def retired() -> dict[str, str]:
    """Return every retired word or phrase with the term to use instead."""
    return {word: term.name for term in _TERMS for word in term.retired}
