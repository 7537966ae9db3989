"""What the figures of all chapters share: the scene, controls for parameters, a chart, and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chunking import strategies
from chunking.params import Value
from chunking.reference import Reference
from chunking.runtime.arrays import Int64
from chunking.standalone import controls as moved
from chunking.strategies import Segmentation, Setting
from pages.shared import state
from pages.shared.components.curve_figure import curve_figure
from pages.shared.components.stepped_table import Bar
from pages.shared.documents import about_document, results
from pages.shared.frame import markup
from pages.shared.learn.lesson import Lesson
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


def choose(scene: Scene, strategy: str, name: str, *, key: str = "", **bounds: float | str) -> Value:
    """Draw the control of a parameter, and return its value.

    Args:
        scene: the scene.
        strategy: whose parameter it is.
        name: of the parameter.
        key: of the control and of the parameter in the address; the name where it is not given.
        bounds: another default or other bounds than those of the parameter.
    """
    known = strategies.get(strategy).params.lookup(name)
    known = replace(known, title=scene.texts[f"param_{name}"], **bounds)  # type: ignore[arg-type]
    key = key or name
    value: Value = state.current().control(
        key, known.default, lambda texts: controls.read(known, texts[-1]), controls.accept(known), known.format
    )
    controls.parameter(known, key, help=None)
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
    data = workbench.data_of(lesson.workspace, [lane], Reference(lesson.gold or ()))
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
                "meaning": words["curve_meaning"],
                "layout": words["curve_layout"] if has_layout else "",
                "both": words["curve_both"] if has_layout else "",
                "threshold": words["curve_threshold"],
                "people": words["gold"] if lesson.gold else "",
                "chunks": words["curve_chunks"],
                "text": words["curve_text"],
            },
        },
    )
    about_document.notes(segmentation.warnings)


def table(caption: str, rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> None:
    """Show a table whose cells are HTML already.

    Args:
        caption: text above it.
        rows: of cells.
        head: titles of the columns, as HTML.
    """
    titles = f"<tr>{''.join(f'<th scope=col>{cell}</th>' for cell in head)}</tr>" if head else ""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    markup.show(
        f'<div class="cs-learn-table" tabindex="0" role="region" aria-label="{markup.escape(caption)}">'
        f"<b>{markup.escape(caption)}</b><table>{titles}{body}</table></div>"
    )


def bar(share: float, role: str = "cs-meaning") -> Bar:
    """Return a cell that shows a share from 0 to 1."""
    return {"share": round(float(share), 4), "role": role}
