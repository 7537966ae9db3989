"""What strategies make of a document, as text: the chunks with their reasons, the curves, the explanation of gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from chunking import (
    REGISTRY,
    Chunk,
    ChunkscopeError,
    Cut,
    DocumentAnalysis,
    GapExplanation,
    Segmentation,
    explain_gap,
    parse,
)
from tests.golden.corpus import GoldenDocument
from tests.golden.settings import OTHER_SETTINGS, PAPER
from tests.golden.text import CURVE_DECIMALS, number, short, wrapped

EXPLAINED = 5
"""Gaps that are explained, from the first to the last."""

DRIVERS = {"semantic": "m", "structural": "l", "both": "b", "limit": "t", "": "distance"}
"""What drives a distance over the threshold: meaning, layout and wording, both, or the limit of tokens."""

NAMED = 0.01
"""Contributions of features from which they are recorded."""


def own_strategies() -> list[str]:
    """Return the strategies of Chunkscope, in the order of their list."""
    return [name for name, strategy in REGISTRY.items() if strategy.family != "peers"]


def peer_names() -> list[str]:
    """Return the strategies of other libraries, whether they are installed or not."""
    return [name for name, strategy in REGISTRY.items() if strategy.family == "peers"]


def installed_peers() -> list[str]:
    """Return the strategies of other libraries that are installed."""
    return [name for name in peer_names() if REGISTRY[name].installed()]


def absent_peers() -> list[str]:
    """Return the strategies of other libraries that are not installed."""
    return [name for name in peer_names() if not REGISTRY[name].installed()]


def peer_version(name: str) -> str:
    """Return the library of a strategy with its version."""
    return REGISTRY[name].version()


def recorded_settings() -> list[str]:
    """Return every strategy of Chunkscope at its defaults and at another setting, and the paper's."""
    return [line for name in own_strategies() for line in (name, f"{name}:{OTHER_SETTINGS[name]}")] + [PAPER]


def split_text(document: GoldenDocument, settings: Sequence[str]) -> str:
    """Return the chunks of some settings.

    The heading paths stand above, each with the first start of a chunk that has it.
    """
    results = {line: _run(line, document.workspace) for line in settings}
    paths = {
        chunk.start: chunk.heading_path
        for result in results.values()
        if isinstance(result, Segmentation)
        for chunk in reversed(result.chunks)
    }
    outline = Outline(dict(sorted(paths.items())))
    return "\n".join([*outline.lines(), "", *(_section(line, result, outline) for line, result in results.items())])


def peer_text(document: GoldenDocument, name: str) -> str:
    """Return the chunks of a strategy of another library at its defaults, with the version of that library.

    Heading paths are left out: they are Chunkscope's, and depend on the starts alone.
    """
    return f"{peer_version(name)}\n{_section(name, _run(name, document.workspace), None)}"


@dataclass(frozen=True)
class Outline:
    """The heading paths of a document, by the starts of chunks, ascending."""

    paths: Mapping[int, tuple[str, ...]]

    def lines(self) -> Iterator[str]:
        """Yield a line for each change of the path."""
        before: tuple[str, ...] = ()
        for start, path in self.paths.items():
            if path != before:
                before = path
                yield f"from {start}: {' › '.join(path)}"

    def deviation(self, chunk: Chunk) -> list[str]:
        """Return the heading path of a chunk where it differs from that of its start."""
        return [] if self.paths.get(chunk.start, ()) == chunk.heading_path else [f"‹{' › '.join(chunk.heading_path)}›"]


def _run(line: str, workspace: DocumentAnalysis) -> Segmentation | ChunkscopeError:
    try:
        return parse(line).run(workspace)
    except ChunkscopeError as error:
        return error


def _section(line: str, result: Segmentation | ChunkscopeError, outline: Outline | None) -> str:
    if isinstance(result, ChunkscopeError):
        return f"## {line}\nerror: {result}\n"
    return "\n".join([f"## {line}", *_segmentation_lines(result, outline), ""])


def _segmentation_lines(segmentation: Segmentation, outline: Outline | None) -> Iterator[str]:
    yield from (f"warning: {warning}" for warning in segmentation.warnings)
    if segmentation.signals is not None:
        yield f"threshold {number(segmentation.signals.threshold.value, CURVE_DECIMALS)}"
    if segmentation.suppressed:
        groups = [
            " ".join([why, *(str(cut.offset) for cut in cuts)]) for why, cuts in groupby(segmentation.suppressed, _why)
        ]
        yield wrapped(["suppressed", *groups], " | ", "")
    ends = [*(chunk.start for chunk in segmentation.chunks[1:]), len(segmentation.document.text)]
    chunks = zip(segmentation.chunks, ends, strict=False)
    yield wrapped([_chunk(chunk, end, outline) for chunk, end in chunks], " | ", "")
    yield from (f"unplaced: {text!r}" for text in segmentation.unplaced)


def _chunk(chunk: Chunk, following: int, outline: Outline | None) -> str:
    """Return the start of a chunk (its end where the next does not begin there), its tokens, overlap and cut."""
    parts = [str(chunk.start) if chunk.end == following else f"{chunk.start}-{chunk.end}", f"{chunk.tokens}t"]
    parts += [f"+{chunk.overlap.start}-{chunk.overlap.end} {chunk.overlap_tokens}t"] if chunk.overlap else []
    parts += [f"in {chunk.parent}"] if chunk.parent is not None else []
    parts += list(filter(None, [_reason(chunk.cut)])) if chunk.cut else []
    parts += [f"({short(note)})" for note in chunk.notes]
    parts += outline.deviation(chunk) if outline else []
    return " ".join([*parts, *_changes(chunk)])


def _changes(chunk: Chunk) -> list[str]:
    """Return what another library's text of a chunk has and lacks."""
    if chunk.foreign is None:
        return []
    missing = ",".join(f"{span.start}-{span.end}" for span in chunk.foreign.missing)
    return [f"missing {missing or 'nothing'}, added {list(chunk.foreign.added)}"]


def _reason(cut: Cut) -> str:
    parts = list(filter(None, [_why(cut)]))
    parts += [number(cut.score)] if cut.score is not None else []
    parts += [f"[{cut.detail}]"] if cut.detail else []
    return " ".join(parts)


def _why(cut: Cut) -> str:
    """Return the reason of a cut: of a distance, what drives it; nothing where a library gives none."""
    if cut.reason == "distance":
        return DRIVERS[cut.driver or ""]
    return "" if cut.reason == "library" else cut.reason


def explain_text(document: GoldenDocument) -> str:
    """Return the explanation of five gaps by the fused strategy and by change points."""
    sections = []
    for line in ("structural", "changepoint"):
        segmentation = parse(line).run(document.workspace)
        gaps = len(segmentation.signals) if segmentation.signals else 0
        chosen = sorted({round(step * (gaps - 1) / (EXPLAINED - 1)) for step in range(EXPLAINED)}) if gaps else []
        sections += [f"## {line}"] + [_explanation(explain_gap(segmentation, gap)) for gap in chosen]
    return "\n".join(sections) + "\n"


def _explanation(gap: GapExplanation) -> str:
    probability = "" if gap.probability is None else f", probability {number(gap.probability)}"
    lines = [
        f"# gap {gap.gap} at {gap.offset}: {gap.verdict}, {gap.driver}, rank {gap.rank}{probability}",
        f"sentences {gap.left.start}-{gap.left.end} {gap.right.start}-{gap.right.end}",
        f"semantic {number(gap.semantic)} structural {number(gap.structural)} raw {number(gap.structural_raw)}"
        f" fused {number(gap.fused)} clipped {number(gap.clipped)}",
        f"score {number(gap.score)} threshold {number(gap.threshold)} margin {number(gap.margin)}",
    ]
    flips = [f"amount {number(gap.amount_flip)}"] if gap.amount_flip is not None else []
    if gap.alpha_flips:
        exactly = "" if gap.alpha_flips.exact else " by search"
        flips.append(f"alpha {_optional(gap.alpha_flips.below)} {_optional(gap.alpha_flips.above)}{exactly}")
    if gap.count_flips:
        flips.append(f"boundaries {gap.count_flips.fewer} {gap.count_flips.now} {gap.count_flips.more}")
    lines += [f"flips {', '.join(flips)}"] if flips else []
    contributions = [*gap.scales, *gap.shares]
    large = [f"{part.name} {number(part.share)}" for part in contributions if abs(part.share) >= NAMED]
    return "\n".join([*lines, wrapped(large, ", ", "")] if large else lines)


def _optional(value: float | None) -> str:
    return "none" if value is None else number(value)
