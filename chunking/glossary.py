"""The terms of Chunkscope with their definitions, and the words that they replace.

Help texts take their definitions from here, ``docs/glossary.md`` is written from it, and a test keeps the replaced
words out of everything that a user reads. One concept has one term.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chunking.runtime.patterns import compile_pattern


@dataclass(frozen=True)
class Term:
    """A term with its definition.

    Attributes:
        name: the term.
        meaning: its definition, one or two sentences of plain text.
        retired: words and phrases that must not be used instead, in lower case.
        also: abbreviations and other forms under which it stands in tables and figures; case does not matter.
    """

    name: str
    meaning: str
    retired: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


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
        also=("alpha",),
    ),
    Term("attachment", "A file that belongs to a document of the library: a reference, own chunks or questions."),
    Term(
        "average precision",
        "Mean of the precisions at the rank of each relevant document; its mean over questions is called MAP.",
        also=("AP", "MAP"),
    ),
    Term(
        "baseline",
        "A strategy or value to compare with: no boundary, even boundaries, random boundaries.",
        ("what any gap has",),
    ),
    Term(
        "best setting",
        "The middle of the settings with the best score on this document. What it reaches on other text is the cross-"
        "validated score.",
        also=("best setting on this document", "best"),
    ),
    Term(
        "blind",
        "Said of a review that hides the reasons of the strategy and mixes in random gaps that it does not cut.",
        also=("judged blind",),
    ),
    Term("block", "A laid-out part of a document: heading, paragraph, list item, table, code, quote or page break."),
    Term(
        "BM25",
        "Search by words: a passage ranks higher the more often it has the words of the query, and rare words count "
        "more.",
    ),
    Term("boundary", "A gap that a strategy cuts, with its reason.", also=("boundaries before limits", "cut boundary")),
    Term(
        "boundary F1",
        "Harmonic mean of precision and recall of boundaries, matched one to one within a tolerance.",
        also=("F1", "mean boundary F1"),
    ),
    Term(
        "boundary F1 with tolerance",
        "Boundary F1 where a boundary may be away from its partner by as many gaps as the tolerance says.",
        also=("F1 with tolerance",),
    ),
    Term(
        "boundary similarity",
        "Fournier's B: share of boundaries that agree; one that is a single gap away counts half.",
        also=("B",),
    ),
    Term("candidate", "A gap that a reviewer is asked to judge."),
    Term(
        "cause",
        "What kept an answer from being found: a boundary through it, a long chunk around it, the encoder limit, or "
        "other chunks that rank higher.",
        also=("other causes",),
    ),
    Term(
        "chance",
        "What random cuts with the same chunk sizes reach; a chance-corrected value is 0 there and 1 where two sets "
        "are identical.",
        also=("chance level", "corrected for chance"),
    ),
    Term("chunk", "A span of the document that is indexed, searched and returned as one unit."),
    Term("complete", "Said of a reference in which every gap that is not a boundary counts as a non-boundary."),
    Term("consensus", "The share of the lanes that cut a gap: the taller and darker the stroke, the more."),
    Term(
        "context budget",
        "Number of retrieved tokens that are passed on, best passages first.",
        ("tokens of context", "tokens end here"),
        also=("context limit",),
    ),
    Term("contribution", "What a feature adds to the distance: its weight times its value."),
    Term(
        "cross-validated",
        "Measured on documents, or parts of one, that were not used to choose the setting.",
        ("so chosen", "on unseen text"),
    ),
    Term("cut", "The division of a text at a boundary."),
    Term("cut through", "Said of an answer that a boundary divides.", also=("cut by a boundary",)),
    Term("cuts per 100", "Boundaries per 100 sentences."),
    Term(
        "cuts per reference boundary",
        "Number of cuts divided by the number of reference boundaries: above 1, the strategy cuts more often than "
        "people do.",
        also=("cuts/gold", "cuts ÷ true boundaries"),
    ),
    Term(
        "decision",
        "Whether a gap is cut; it flips at the value of α or the percentile where the other outcome begins.",
        ("flips it",),
        also=("decision flips at",),
    ),
    Term("default setting", "The setting that the page begins with."),
    Term(
        "dense search",
        "Ranking of passages by the cosine similarity of their vectors to that of the query.",
        also=("dense",),
    ),
    Term("difference", "The value of one strategy minus that of another.", ("less that of",)),
    Term(
        "diluted",
        "Said of an answer that is retrieved poorly because its chunk is long.",
        ("drowned",),
        also=("diluted by a long chunk",),
    ),
    Term("disabled feature", "A structural feature that the user switched off.", ("features off",)),
    Term("disagreement", "A place that some reviewers accept and others reject."),
    Term("distance", "How different the two sides of a gap are, from 0 to 1.", ("how far the meanings",)),
    Term("document", "A text with its layout; all offsets refer to its one text.", also=("docs",)),
    Term(
        "duplicated",
        "Contained in the text of more than one chunk, apart from overlap.",
        ("doubled",),
    ),
    Term("embedded text", "What is indexed for a chunk: its text, alone or with headings or a title before it."),
    Term("encoder", "The model that turns sentences into vectors."),
    Term(
        "encoder limit",
        "The maximum number of tokens that the encoder reads; longer input is truncated.",
        ("the rest is not seen",),
        also=("beyond the encoder limit", "is longer than the encoder reads"),
    ),
    Term("error", "A measure for which lower is better.", ("less is better",)),
    Term("even", "The baseline with as many boundaries as the reference, evenly spaced."),
    Term("excluded", "Part of the document, but of no chunk.", ("set aside",)),
    Term(
        "feature",
        "A measurement of layout or wording on the two sides of a gap; the weighted features add up to the structural "
        "distance.",
    ),
    Term("finding", "A reason to doubt a chunk: its kind, the chunk, the place and the reason."),
    Term(
        "fineness",
        "How finely change points divide a document, from coarse to fine: 0 is the number of boundaries that the text "
        "supports, each whole step up doubles it and each one down halves it.",
    ),
    Term("found", "Share of the answer that is within the cutoff of the ranking."),
    Term(
        "fragment",
        "A chunk too short to carry meaning by itself.",
        ("less than a thought",),
        also=("is too short to stand alone",),
    ),
    Term("fused distance", "α · semantic distance + (1 − α) · structural distance.", also=("fused",)),
    Term("gap", "The place between two neighbouring sentences; a document of n sentences has n − 1 gaps."),
    Term(
        "hit rate",
        "Share of questions with some of the answer, or a relevant document, among the first k passages.",
        also=("hit",),
    ),
    Term(
        "holds",
        "Share of questions with a whole answer in one of the first k passages, or with a passage that is part of it.",
    ),
    Term("hybrid search", "Search that combines the rankings of dense search and BM25.", also=("hybrid",)),
    Term(
        "inactive feature",
        "A structural feature that adds nothing at the selected gap.",
        ("adds nothing here",),
    ),
    Term(
        "interval",
        "The range that contains the true value with a confidence of 95 %.",
        also=("95 % interval", "interval from", "interval to", "difference alone"),
    ),
    Term("IoU", "Intersection over union: answer found, divided by all text that is retrieved or part of the answer."),
    Term(
        "kappa",
        "Agreement of reviewers beyond chance: 0 is chance level, 1 is identical judgements (Cohen's kappa; of three "
        "or more, Fleiss' kappa).",
        also=("κ",),
    ),
    Term("lane", "A row with the boundaries of one strategy, from the beginning of the document to its end."),
    Term("largest chunk", "Tokens of the largest chunk that a setting makes."),
    Term("late chunking", "Embedding a chunk as the mean of its token vectors, read with its document around them."),
    Term("library", "The documents that are kept, with what belongs to them, until they are deleted or evicted."),
    Term("limit violation", "A chunk above the maximum or below the minimum size.", ("limits broken", "asked and got")),
    Term("lost", "Said of text that is in no chunk, apart from white space.", also=("in no chunk", "absent")),
    Term("median", "The middle value: half of the values are below it."),
    Term("median tokens", "Tokens of the middle chunk: half of the chunks are smaller."),
    Term(
        "merged",
        "Said of a boundary that was removed because a chunk would be below the minimum size.",
        ("merged away", "given up"),
    ),
    Term("missed question", "A question whose answer is not completely within the cutoff of the ranking."),
    Term(
        "nDCG",
        "How early the relevant documents are in the ranking, from 0 to 1 for the best order (normalized discounted "
        "cumulative gain).",
    ),
    Term(
        "non-boundary",
        "A gap that a reviewer judged not to be a boundary.",
        ("places that are none", "that is none", "that are none"),
    ),
    Term(
        "none",
        "The baseline without any boundary. In the head of a column: the value that it reaches.",
        also=("(none)",),
    ),
    Term("offset", "The number of characters before a place in the text."),
    Term("outranked", "Said of an answer that other chunks precede in the ranking, with no other cause known."),
    Term("overlap", "Text directly before a chunk that is repeated with it for context."),
    Term("p95", "The value that 95 % of the values do not exceed.", also=("95th percentile",)),
    Term("Pareto front", "The strategies for which no other one is at least as small and as good.", also=("front",)),
    Term(
        "partial",
        "Said of a reference in which gaps that nobody judged are unknown, so that F1 and Pk are not available.",
    ),
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
    Term(
        "plateau",
        "The settings around the current one at which exactly the same gaps are cut.",
        also=("same boundaries",),
    ),
    Term("precision", "Share of the found items that are correct.", also=("P",)),
    Term(
        "precision Ω",
        "Precision if exactly the passages with some of the answer were retrieved: the best that any search could do "
        "with these chunks.",
        also=("precision_omega",),
    ),
    Term(
        "probability",
        "How likely the gap is a boundary by all evidence together, whatever α is; learned from texts with known "
        "boundaries.",
    ),
    Term(
        "quartile",
        "A quarter of the values are below the first quartile, and a quarter above the third.",
        also=("25th percentile", "75th percentile"),
    ),
    Term(
        "random",
        "The baseline with as many boundaries as the reference, at random places: the expectation over many draws.",
    ),
    Term("rank", "The place in a ranking: 1 is the best."),
    Term("recall", "Share of the correct items that are found.", also=("R",)),
    Term(
        "recall within a budget",
        "Share of the answer that is in the first tokens of the ranking, as many for each strategy whatever the size "
        "of "
        "its chunks.",
    ),
    Term(
        "reciprocal rank",
        "1 divided by the rank of the first passage that is right; its mean over questions is called MRR.",
        also=("RR", "MRR"),
    ),
    Term(
        "reference",
        "True boundaries that people set; also called gold.",
        ("set by a person", "that a person set", "bring gold in"),
        also=("gold", "ref.", "reference boundary", "true boundary"),
    ),
    Term("removed", "Said of a boundary of the previous setting that the current one lacks.", ("a boundary went",)),
    Term("requested", "What the parameters of the strategy set, to compare with what came out."),
    Term("retriever", "The way to search: dense, BM25 or hybrid.", also=("search",)),
    Term("reviewer", "A person whose judgements of boundaries are stored.", ("who judges",)),
    Term("rule", "What chunks are held to in continuous integration, with a name and a level: error, warning or note."),
    Term(
        "score",
        "The value that is compared with the threshold; of a change point, how much a cut at the gap saves.",
        ("worth",),
    ),
    Term("seconds", "Computing time in seconds, without embedding.", also=("s",)),
    Term(
        "semantic distance",
        "1 − cosine similarity of the sentence vectors on the two sides of a gap; where several scales are compared, "
        "the learned evidence of all of them, 0.5 where they say nothing.",
        ("distance of meaning",),
        also=("meaning",),
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
    Term(
        "simultaneous interval",
        "A wider interval: with a confidence of 95 %, none of all compared pairs is outside its own.",
        also=("all together",),
    ),
    Term("skipped", "Said of a candidate on which a reviewer did not decide."),
    Term("split", "Said of a chunk that was divided because it would exceed the maximum size.", ("forced by",)),
    Term(
        "stability",
        "Share of small changes under which a boundary remains: of the setting, of the sentences around it, or of the "
        "encoder.",
    ),
    Term("stable boundary", "A boundary that remains under small changes of the setting.", ("boundaries that stay",)),
    Term("strategy", "A named way to compute boundaries, with its parameters."),
    Term(
        "structural distance",
        "Difference in layout and wording across a gap: blank lines, headings, lists, tables, code, type.",
        ("what the form of the text says",),
    ),
    Term("threshold", "The value that a score must exceed to be cut."),
    Term("token", "The unit in which a tokenizer counts text."),
    Term("tokens in the index", "Tokens of all passages together: text in an overlap counts each time."),
    Term(
        "tokens per chunk", "Tokens of a chunk without its overlap.", ("own tokens",), also=("mean tokens per chunk",)
    ),
    Term("tolerance", "The number of gaps by which two matched boundaries may differ."),
    Term("top k", "The k best passages of a ranking.", ("passages looked at", "is looked at", "are looked at")),
    Term("unit", "A sentence or block of a data set; boundaries are between units."),
    Term("unknown", "Said of a name or value that does not exist.", ("there is no strategy", "names a strategy")),
    Term(
        "verdict",
        "What the intervals say: which of two strategies is better, or that no significant difference is known.",
    ),
    Term("violation", "A place where a chunk breaks a rule."),
    Term("weight", "How much a feature counts in a distance."),
    Term(
        "WindowDiff",
        "Share of windows, half a mean reference segment long, that differ in their number of boundaries. An "
        "error: lower is better.",
        also=("WD",),
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


_BY_WORDS = {words.casefold(): term for term in _TERMS for words in (term.name, *term.also)}
_VARIABLE = (
    (compile_pattern(r"recall(@\d+| within [\d,]+ tokens?)"), "recall within a budget"),
    (compile_pattern(r"@\d+|, %$"), ""),
    (compile_pattern(r"difference vs\. .+"), "difference"),
    (compile_pattern(r"±\d+"), "with tolerance"),
)
"""What depends on the setting in a heading, and what stands for it in the glossary."""


def find(words: str) -> Term | None:
    """Return the term that a heading names, also as a plural or with a cutoff (``nDCG@10``); ``None`` if it is none."""
    return next((_BY_WORDS[form] for form in _forms(words) if form in _BY_WORDS), None)


def _forms(words: str) -> Iterator[str]:
    """Yield the words as the glossary may have them."""
    plain = words.strip().casefold()
    for variable, fixed in _VARIABLE:
        plain = variable.sub(fixed, plain)
    yield plain
    for ending, singular in (("ies", "y"), ("s", "")):
        if plain.endswith(ending):
            yield plain.removesuffix(ending) + singular


def define(name: str) -> str:
    """Return the definition of a term.

    Raises:
        KeyError: the glossary does not have the term.
    """
    return TERMS[name].meaning


def retired() -> dict[str, str]:
    """Return every retired word or phrase with the term to use instead."""
    return {word: term.name for term in _TERMS for word in term.retired}
