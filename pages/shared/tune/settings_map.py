"""The map of settings of the Tune page: what is sent to it, and what the user has left there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from chunking.params import Value
from chunking.standalone import controls
from chunking.strategies import Setting
from chunking.tuning.choice import Choice
from chunking.tuning.plane import nearest
from pages.shared import state
from pages.shared.components.tuner import Judge, Tuned, TunerChoice, TunerHead, tuner, tuner_report
from pages.shared.components.workbench import Moved, pack_data
from pages.shared.frame import frame
from pages.shared.settings import address_positions, strategy_settings
from pages.shared.state import go, session
from pages.shared.tune.tuned_document import TunedDocument
from pages.shared.workbench import workbench
from pages.shared.workbench.workbench import ShownLane

KEY = "_tuner"
"""Of the component."""

USUAL_TARGET = 150
"""Tokens of a chunk that are wanted where the address does not say."""

_TARGETS = (10, 2000)
_SHARES = [share / 2 for share in range(1, 101)]
"""Percents of the places that are cut, of which the map has one row each, from the bottom."""


@dataclass(frozen=True)
class _BrowserState:
    """What the browser shows, as far as Python knows, and the number under which that was sent."""

    source: str
    values: Mapping[str, Any]
    gap: int | None
    judge: Judge
    target: int
    revision: int = 0


_BROWSER: state.SessionValue[_BrowserState | None] = state.SessionValue("_tuner_left", session.empty)


def show(tuned: TunedDocument, setting: Setting) -> None:
    """Draw the map of a document at a setting."""
    workspace, segmentation = tuned.workspace, tuned.segmentation
    if not controls.is_live(workspace, segmentation):
        frame.show_empty(
            "The tokens of this text cannot be counted in the browser, so its settings cannot be compared there.",
            "Choose another tokenizer under “More”.",
        )
        return
    lane = ShownLane(setting.strategy.name, setting.title, setting, segmentation)
    data = workbench.data_of(workspace, [lane], tuned.reference)
    source = f"{data.document}/{data.lanes[0]}"
    values = controls.setting_values(segmentation.params, segmentation.strategy)
    now = _current(_BrowserState(source, values, tuned.gap, judge_of(tuned), target()))
    choice = {f"{source}/choice": _choice(tuned.choice)} if tuned.choice else {}
    workbench.send({**data.messages, **{name: pack_data(name, supported) for name, supported in choice.items()}})

    def take() -> None:
        report = tuner_report(KEY)
        if report is not None and report.document == workspace.document.key:
            _receive(report, tuned, setting, now)

    head: TunerHead = {
        "document": workspace.document.key,
        "source": data.document,
        "lane": data.lanes[0],
        "setting": values,
        "selected": now.gap,
        "judge": now.judge,
        "target": now.target,
        "choice": next(iter(choice), None),
        "revision": now.revision,
    }
    tuner(KEY, head, take)


def judge_of(tuned: TunedDocument) -> Judge:
    """Return what settings are judged by: what the address says, else people where a reference is complete."""
    return "people" if len(tuned.reference_gaps) and state.address().text("judge") != "size" else "size"


def target() -> int:
    """Return the size of a chunk that the address wants, in tokens."""
    text = state.address().text("target")
    size = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else USUAL_TARGET
    return min(max(size, _TARGETS[0]), _TARGETS[1])


def _current(now: _BrowserState) -> _BrowserState:
    """Return what is shown now; under a new number where that is not what the browser shows already."""
    previous = _BROWSER.get()
    now = replace(now, revision=previous.revision if previous else 0)
    if now != previous:
        now = replace(now, revision=now.revision + 1)
        _BROWSER.set(now)
    return now


def _receive(report: Tuned, tuned: TunedDocument, setting: Setting, sent: _BrowserState) -> None:
    """Take what the user has left on the map; in a callback."""
    _BROWSER.set(replace(sent, values=dict(report.setting), gap=report.gap, judge=report.judge, target=report.target))
    move = Moved("", report.setting, ("alpha", "amount"))
    values: dict[str, Value] = workbench.moved_values(move, setting)
    strategy_settings.change(setting.strategy.name, values)
    address_positions.put_gap(report.gap, tuned.opened.document)
    usual = "people" if len(tuned.reference_gaps) else "size"
    state.address().put("judge", None if report.judge == usual else report.judge)
    state.address().put("target", None if report.target == USUAL_TARGET else str(report.target))
    if report.is_opened:
        texts = {strategy_settings.KEY: strategy_settings.text(setting.strategy.name)}
        gap = "" if report.gap is None else address_positions.gap_text(report.gap, tuned.opened.document)
        go("pages/inspect.py", texts | {"gap": gap})


def _choice(choice: Choice) -> TunerChoice:
    """Return what the reference says, for the browser."""
    columns = [nearest(choice.percentiles, 100 - share) for share in _SHARES]
    steps = [nearest(choice.alphas, step / 100) for step in range(101)]
    honest, difference = choice.honest, choice.difference
    return {
        "best": list(choice.best),
        "honest": [_finite(value) for value in (honest.value, honest.low, honest.high)],
        "region": ["".join("01"[int(choice.region[row, column])] for column in columns) for row in steps],
        "shares": _SHARES,
        "better": choice.better,
        "difference": [_finite(value) for value in (difference.value, difference.low, difference.high)],
        "cuts": choice.n_boundaries,
    }


def _finite(value: float) -> float | None:
    """Return a number, ``None`` for NaN, which JSON does not have."""
    return value if value == value else None
