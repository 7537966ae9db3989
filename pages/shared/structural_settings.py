"""The controls of the fused strategy, with its presets."""

from __future__ import annotations

from typing import Any, cast

import streamlit as st

from chunking import ChunkscopeError, strategies
from chunking.strategies.gaps import AMOUNT_OF, StructuralParameters
from chunking.structure import FEATURES, FeatureSet
from chunking.thresholds import Rule
from pages.shared import controls, frame

STRATEGY = strategies.get("structural")


def choose() -> StructuralParameters:
    """All controls of the strategy, and the setting they make."""
    top = st.container()
    show = {known.name: known for known in STRATEGY.params.describe()}
    values = {}

    def put(name: str, **options: object) -> None:
        values[name] = controls.control(show[name], **options)  # type: ignore[arg-type]

    put("alpha")
    put("threshold")
    put(AMOUNT_OF[cast(Rule, values["threshold"])])
    with st.expander("Meaning", icon=":material/psychology:"):
        put("block")
        put("window")
    with st.expander("Structure", icon=":material/account_tree:"):
        put("structure")
        features = FEATURES[cast(FeatureSet, values["structure"])]
        put("features_off", choices=tuple(feature.name for feature in features))
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        put("overlap")
    with right:
        put("overlap_unit", label_visibility="collapsed")
    left, right = st.columns(2)
    with left:
        put("min_tokens")
    with right:
        put("max_tokens")
    params, problem = allowed(values)
    if problem:
        frame.show_error(problem)
    with top:
        presets(params)
    return params


def allowed(values: dict[str, Any]) -> tuple[StructuralParameters, ChunkscopeError | None]:
    """The setting; where its sizes contradict each other, without the minimum, else without the overlap, and why.

    The same values always give the same view, whatever was shown before.
    """
    problem = None
    for without in ((), ("min_tokens",), ("overlap",), ("min_tokens", "overlap")):
        try:
            params = StructuralParameters(**{name: value for name, value in values.items() if name not in without})
        except ChunkscopeError as error:
            problem = problem or error
            continue
        if problem:
            shown = f"Until then the view is without {' and '.join(without)}."
            problem = ChunkscopeError(problem.problem, f"{problem.remedy} {shown}")
        return params, problem
    raise AssertionError("without minimum and overlap no sizes contradict each other")


def presets(params: StructuralParameters) -> None:
    """Buttons that set every control of the method at once."""
    st.caption("Preset")
    for column, name in zip(st.columns(len(STRATEGY.presets)), STRATEGY.presets, strict=True):
        same = controls.matching_preset(STRATEGY, params) == name
        column.button(
            name.capitalize(),
            key=f"_preset_{name}",
            type="primary" if same else "secondary",
            width="stretch",
            help="The paper's method with its program's settings: 95 % surface structure, single sentences. The "
            "program fuses the distance before it is rescaled; its own cuts come at α = 0.06."
            if name == "reference"
            else "Chunkscope's own setting.",
            on_click=controls.apply_preset,
            args=(STRATEGY, name),
        )
