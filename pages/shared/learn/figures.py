"""The figure of each chapter: its controls and a picture, made by the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.comparison.agreement import boundary_f1
from chunking.params import Value
from chunking.reference import Reference
from chunking.runtime.arrays import Float64, Int64
from chunking.signals.features import Structure
from chunking.signals.thresholds import AMOUNT_OF, RULES, apply
from chunking.standalone import controls as moved
from chunking.strategies import Segmentation, Setting
from pages.shared import state
from pages.shared.components.curve_figure import curve_figure
from pages.shared.components.figure import figure
from pages.shared.components.stepped_table import Bar, SteppedTable, stepped_table
from pages.shared.documents import results
from pages.shared.frame import frame, markup
from pages.shared.learn import lanes
from pages.shared.learn.agreement import alpha_band, chance_figure, chance_table, f1_by_alpha, random_f1
from pages.shared.learn.lesson import DRAWS, Lesson, corrected_f1, cuts_of
from pages.shared.learn.texts import Texts
from pages.shared.settings import controls
from pages.shared.workbench import workbench
from pages.shared.workbench.workbench import ShownLane


@dataclass(frozen=True, eq=False)
class Scene:
    """What a figure is drawn from.

    Attributes:
        lesson: the text.
        texts: the language of the page.
        picked: the gaps that the learner predicted.
    """

    lesson: Lesson
    texts: Texts
    picked: Int64

    def run(self, setting: str) -> Segmentation:
        """Return what the engine makes of the text under a setting."""
        workspace = self.lesson.workspace
        return results.of(workspace).get(workspace, strategies.parse(setting)).segmentation


@dataclass(frozen=True, eq=False)
class FigureOutcome:
    """What the engine makes of a text in a figure.

    Attributes:
        gaps: ascending gaps that it cuts.
        settings: that made them, each in a line; none where no strategy did.
    """

    gaps: Int64
    settings: tuple[str, ...] = ()


def outcome_of(segmentation: Segmentation) -> FigureOutcome:
    """Return what a figure of one segmentation shows."""
    setting = Setting(strategies.get(segmentation.strategy), segmentation.params)
    return FigureOutcome(cuts_of(segmentation), (setting.text,))


def choose(scene: Scene, strategy: str, name: str, *, key: str = "", **bounds: float | str) -> Value:
    """Draw the control of a parameter, and return its value.

    Args:
        scene: the scene.
        strategy: whose parameter it is.
        name: of the parameter.
        key: of the control and of the parameter in the address; the name where it is not given.
        bounds: another default or other bounds than those of the parameter.
    """
    parameter = strategies.get(strategy).params.lookup(name)
    parameter = replace(parameter, title=scene.texts[f"param_{name}"], **bounds)  # type: ignore[arg-type]
    key = key or name
    value: Value = state.address().control(
        key,
        parameter.default,
        lambda texts: controls.read(parameter, texts[-1]),
        controls.accept(parameter),
        parameter.format,
    )
    controls.parameter(parameter, key, shape="slider", help=None)  # which the figure follows while it is moved
    return value


def chart(scene: Scene, segmentation: Segmentation, key_of: Callable[[str], str] = str, *, text: bool = False) -> None:
    """Draw the curves of a segmentation, which follow the controls while they are moved.

    Args:
        scene: the scene.
        segmentation: what to draw.
        key_of: the key of the control of a parameter.
        text: whether its chunks are shown in the text, too.
    """
    lesson, params, words = scene.lesson, segmentation.params, scene.texts
    setting = Setting(strategies.get(segmentation.strategy), params)
    lane = ShownLane(segmentation.strategy, setting.title, setting, segmentation)
    data = workbench.data_of(lesson.workspace, [lane], Reference(lesson.boundaries or ()))
    workbench.send(data.messages)
    names = {**workbench.SLIDERS, "amount": moved.amount_of(segmentation.strategy, params)}
    signals = segmentation.signals
    has_layout = signals is not None and signals.structure is not None
    curve_figure(
        "_learn_chart",
        {
            "document": lesson.key,
            "source": data.document,
            "lane": data.lanes[0],
            "setting": moved.setting_values(params, segmentation.strategy),
            "controls": {key_of(name): short for short, name in names.items() if name in params.values()},
            "text": text,
            "words": {
                "decimal": words["decimal"],
                "meaning": words["curve_meaning"],
                "layout": words["curve_layout"] if has_layout else "",
                "both": words["curve_both"] if has_layout else "",
                "threshold": words["curve_threshold"],
                "people": words["gold"] if lesson.boundaries else "",
                "chunks": words["curve_chunks"],
                "text": words["curve_text"],
            },
        },
    )
    if not len(cuts_of(segmentation)):  # in the language of the page, which the engine's own notes are not in
        markup.show(f'<p class="cs-quiet">{markup.escape(words["no_cut"])}</p>')


def table(caption: str, rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> None:
    """Show a table whose cells are HTML already.

    Args:
        caption: text above it.
        rows: of cells.
        head: titles of the columns, as HTML.
    """
    markup.show(
        f'<div class="cs-learn-table" tabindex="0" role="region" aria-label="{markup.escape(caption)}">'
        f"<b>{markup.escape(caption)}</b>{markup.table(head, rows)}</div>"
    )


def bar(share: float, role: str = "cs-meaning") -> Bar:
    """Return a cell that shows a share from 0 to 1."""
    return {"share": round(float(share), 4), "role": role}


# ---- chapters 1 to 3: sentences, their vectors, and distances between neighbours


_MOST_SENTENCES = 60
"""Sentences that a table lists at most."""
_NEAREST = 8
_FIRST_SENTENCE = 3
"""Whose neighbours are shown at first: in the sample, the nearest one is of another subject."""

SIDES = {
    "single": "percentile:window=0",
    "window": "percentile:window=1",
    "block": "percentile:window=0;block=3",
}
"""What is compared at a gap, as settings without their percentile."""


def sentences(scene: Scene) -> FigureOutcome:
    """Show the sentences with their offsets."""
    texts, split = scene.texts, scene.lesson.workspace.sentences
    rows = [
        (str(number), texts.number(start, ","), texts.number(end, ","), markup.escape(text))
        for number, ((start, end), text) in enumerate(
            zip(split.spans[:_MOST_SENTENCES].tolist(), split.texts[:_MOST_SENTENCES], strict=True), 1
        )
    ]
    table(texts["characters"], rows, ("", texts["start"], texts["end"], texts["sentence"]))
    return FigureOutcome(scene.lesson.candidates.inside)


def similarities(scene: Scene) -> FigureOutcome:
    """Show how similar the other sentences are to a chosen one."""
    lesson = scene.lesson
    sentence_number = controls.number(
        scene.texts["sentence"], 1, len(lesson), _FIRST_SENTENCE, name="sentence", slider=True
    )
    near = cosines(lesson)
    tables = {float(number): _nearest(scene, number - 1, near) for number in range(1, len(lesson) + 1)}
    stepped_table("_learn_nearest", "sentence", sentence_number, tables)
    return outcome_of(scene.run("percentile:window=0;percentile=85"))


def _nearest(scene: Scene, index: int, near: Float64) -> SteppedTable:
    """Return the sentences that are most similar to one."""
    sentences = scene.lesson.workspace.sentences.texts
    order = [other for other in np.argsort(-near[index], kind="stable").tolist() if other != index]
    rows = [
        (scene.texts.number(near[index, other], ".2f"), bar(near[index, other]), sentences[other])
        for other in order[:_NEAREST]
    ]
    return {"caption": scene.texts["nearest"], "lead": sentences[index], "head": (), "rows": rows}


def cosines(lesson: Lesson) -> Float64:
    """Return the ``(n, n)`` cosine similarities of all sentences."""
    vectors = lesson.workspace.vectors(0).astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    similarities: Float64 = unit @ unit.T
    return similarities


def neighbours(scene: Scene) -> FigureOutcome:
    """Show the semantic distances of single sentences, windows or blocks."""
    texts = scene.texts
    sides = controls.segments(
        texts["sides"], tuple(SIDES), name="sides", default="window", titles=lambda name: texts[name]
    )
    percentile = choose(scene, "percentile", "percentile", default=85.0)
    segmentation = scene.run(f"{SIDES[sides]};percentile={percentile}")
    chart(scene, segmentation)
    return outcome_of(segmentation)


# ---- chapters 4 to 7: the structural distance, its balance with the semantic one, and thresholds


_FEATURES = 6
_COUNTS = (5, 10, 20, 50, 100)
"""Numbers of gaps in the table of what a percentile cuts."""


def form(scene: Scene) -> FigureOutcome:
    """Show the structural distance, and the evidence at a chosen gap."""
    percentile = choose(scene, "structural", "percentile", default=85.0)
    segmentation = scene.run(f"structural:preset=unlimited;alpha=0;percentile={percentile}")
    chart(scene, segmentation)
    _evidence(scene, segmentation)
    return outcome_of(segmentation)


def _evidence(scene: Scene, segmentation: Segmentation) -> None:
    assert segmentation.signals is not None and segmentation.signals.structure is not None
    structural = segmentation.signals.structural
    strongest = int(np.argmax(structural)) + 1
    gap = controls.number(scene.texts["gap"], 1, len(structural), strongest, name="gap", slider=True)
    tables = {
        float(count): _evidence_at(scene, segmentation.signals.structure, count)
        for count in range(1, len(structural) + 1)
    }
    stepped_table("_learn_evidence", "gap", gap, tables)


def _evidence_at(scene: Scene, structure: Structure, gap: int) -> SteppedTable:
    """Return the strongest evidence at a gap, which counts from 1."""
    shares = structure.gap_shares(gap - 1)
    order = [feature for feature in np.argsort(-np.abs(shares), kind="stable").tolist() if shares[feature]][:_FEATURES]
    largest = float(np.abs(shares).max()) or 1.0
    rows = [
        (
            scene.texts.features.get(structure.features[feature].name, structure.features[feature].title),
            scene.texts.number(shares[feature], "+.3f"),
            bar(abs(shares[feature]) / largest, "" if shares[feature] > 0 else "cs-minus"),
        )
        for feature in order
    ]
    return {"caption": scene.texts["feature"].format(gap=gap), "lead": "", "head": (), "rows": rows}


def balance(scene: Scene) -> FigureOutcome:
    """Show both distances and their fusion under a moving α."""
    columns = st.columns(2)
    with columns[0]:
        alpha = choose(scene, "structural", "alpha", default=0.5)
        below_alpha = st.container()
    with columns[1]:
        percentile = choose(scene, "structural", "percentile", default=85.0)
    segmentation = scene.run(f"structural:preset=unlimited;alpha={alpha};percentile={percentile}")
    reference, signals = scene.lesson.reference_gaps, segmentation.signals
    if reference is not None and signals is not None:
        with below_alpha:
            markup.show(alpha_band(f1_by_alpha(signals, reference, float(str(percentile))), scene.texts))
    chart(scene, segmentation)
    return outcome_of(segmentation)


def threshold(scene: Scene) -> FigureOutcome:
    """Show the line of a threshold rule on the fused distance."""
    rule = controls.segments(
        scene.texts["param_threshold"], RULES, name="rule", titles=lambda name: scene.texts[f"rule_{name}"]
    )
    name = AMOUNT_OF[rule]
    default = 85.0 if name == "percentile" else 1.5
    amount = choose(scene, "structural", name, default=default)
    segmentation = scene.run(f"structural:preset=unlimited;alpha=0.8;threshold={rule};{name}={amount}")
    chart(scene, segmentation)
    return outcome_of(segmentation)


def share(scene: Scene) -> FigureOutcome:
    """Show what a percentile cuts in a text of one subject, and in any text."""
    percentile = float(str(choose(scene, "percentile", "percentile", key="share", default=90.0)))
    segmentation = scene.run(f"percentile:window=0;percentile={percentile}")
    chart(scene, segmentation, lambda name: "share" if name == "percentile" else name)
    counts = tuple(sorted({*_COUNTS, len(scene.lesson) - 1}))
    head = (scene.texts["gaps"], scene.texts["cuts"])
    tables: dict[float, SteppedTable] = {
        value: {"caption": scene.texts["always"], "lead": "", "head": head, "rows": rows}
        for value, rows in _cuts_table(counts).items()
    }
    stepped_table("_learn_always", "share", percentile, tables)
    return outcome_of(segmentation)


@lru_cache(maxsize=64)
def _cuts_table(counts: tuple[int, ...]) -> dict[float, list[tuple[str, str]]]:
    """Return how many of so many gaps a percentile cuts, by the percentiles from which on it is another number."""
    parameter = strategies.get("percentile").params.lookup("percentile")
    low, high, step = (float(bound or 0) for bound in (parameter.minimum, parameter.maximum, parameter.step))
    tables: dict[float, list[tuple[str, str]]] = {}
    last: list[tuple[str, str]] = []
    for percentile in np.arange(low, high + step / 2, step).round(6).tolist():
        rows = [(f"{gaps}", f"{cuts_by_percentile(gaps, percentile)}") for gaps in counts]
        if rows != last:
            tables[percentile] = last = rows
    return tables


def cuts_by_percentile(gaps: int, percentile: float) -> int:
    """Return how many of ``gaps`` different distances a percentile cuts, by applying the rule to them."""
    return int(apply("percentile", percentile, np.arange(gaps, dtype=np.float64)).exceeded.sum())


# ---- chapters 8 to 10: size limits, strategies beside each other, and agreement beyond chance


STRATEGIES = {
    "changepoint": "changepoint:preset=unlimited",
    "structural": "structural:preset=unlimited;percentile=85",
    "percentile": "percentile:window=1;percentile=85",
    "paragraph": "paragraph:min_tokens=1;max_tokens=100",
    "sentence": "sentence:max_tokens=80",
    "fixed_size": "fixed_size:max_tokens=80",
}
"""What the chapter on strategies compares, by name."""


def limits(scene: Scene) -> FigureOutcome:
    """Show the chunks under a minimum, a maximum and an overlap."""
    columns = st.columns(3)
    with columns[0]:
        largest = choose(scene, "structural", "max_tokens", default=60, minimum=0, maximum=400, step=5)
    with columns[1]:
        least = choose(scene, "structural", "min_tokens", default=0, minimum=0, maximum=200, step=5)
    with columns[2]:
        overlap = choose(scene, "structural", "overlap", default=1, minimum=0, maximum=5)
    line = f"structural:preset=unlimited;alpha=1;max_tokens={largest};min_tokens={least};overlap={overlap}"
    try:
        segmentation = scene.run(line)
    except ChunkscopeError as error:
        frame.show_error(error)
        return FigureOutcome(np.empty(0, dtype=np.int64), (line,))
    chart(scene, segmentation, text=True)
    return outcome_of(segmentation)


def strategies_beside(scene: Scene) -> FigureOutcome:
    """Show the cuts of several strategies on one axis; return the gaps that at least half of them cut."""
    texts, lesson = scene.texts, scene.lesson
    names = controls.several(
        texts["strategies"], tuple(STRATEGIES), name="strategies", default=tuple(STRATEGIES), kind="pills"
    )
    cuts_by_name = {name: cuts_of(scene.run(STRATEGIES[name])) for name in names}
    reference, gaps = lesson.reference_gaps, len(lesson) - 1
    rows = (
        []
        if reference is None
        else [(lanes.boundary_lane(markup.escape(texts["gold"]), reference, gaps, "gold"), f"{len(reference)}", "")]
    )
    for name, cuts in cuts_by_name.items():
        title = f"<code>{markup.escape(STRATEGIES[name])}</code>"
        rows.append((lanes.boundary_lane(title, cuts, gaps), f"{len(cuts)}", _beyond(scene, cuts)))
    lanes.lane_table(texts["strategies"], rows, (texts["cuts"], texts["beyond"]))
    votes = np.bincount(np.concatenate([*cuts_by_name.values(), np.empty(0, np.int64)]), minlength=len(lesson) - 1)
    majority = np.flatnonzero(2 * votes >= max(len(cuts_by_name), 1)).astype(np.int64)
    return FigureOutcome(majority, tuple(STRATEGIES[name] for name in names))


def _beyond(scene: Scene, cuts: Int64) -> str:
    reference = scene.lesson.reference_gaps
    if reference is None:
        return ""
    return scene.texts.number(corrected_f1(reference, cuts, len(scene.lesson)).corrected, ".2f")


def chance_beside(scene: Scene) -> FigureOutcome:
    """Show what random divisions reach, with the learner and a strategy in the same picture."""
    texts, lesson = scene.texts, scene.lesson
    name = controls.select(texts["engine"], tuple(STRATEGIES), name="measured")
    segmentation = scene.run(STRATEGIES[name])
    cuts = cuts_of(segmentation)
    reference = cuts if lesson.reference_gaps is None else lesson.reference_gaps
    learner_gaps = scene.picked
    values = random_f1(reference, learner_gaps, len(lesson))
    marks = {texts["own"]: boundary_f1(reference, learner_gaps)}
    if lesson.reference_gaps is not None:
        marks[texts["engine"]] = boundary_f1(reference, cuts)
    caption = texts["chance_curve"].format(draws=texts.number(DRAWS, ","))
    st.caption(caption)
    label = "; ".join([caption, *(f"{name} {texts.number(value, '.2f')}" for name, value in marks.items())])
    figure(
        "_learn_chance", chance_figure(values, marks, texts), label, chance_table(values, texts), texts["figure_table"],
    )  # fmt: skip
    return FigureOutcome(cuts, (STRATEGIES[name],))


FIGURES: Mapping[str, Callable[[Scene], FigureOutcome]] = {
    "1": sentences,
    "2": similarities,
    "3": neighbours,
    "4": form,
    "5": balance,
    "6": threshold,
    "7": share,
    "8": limits,
    "9": strategies_beside,
    "10": chance_beside,
}
"""By chapter: draws its controls and its picture, and returns what the engine makes of the text."""
