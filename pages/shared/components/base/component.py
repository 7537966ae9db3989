"""A Streamlit component out of an ES module and style sheets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from chunking.figures.theme import PALETTES
from chunking.web import joined_script


def component(name: str, wrapper: str, script: str, *styles: str, isolate_styles: bool = True) -> ComponentRenderer:
    """Return a Streamlit component.

    Args:
        name: of the component.
        wrapper: path of the Python module that defines it; the other paths are relative to its folder.
        script: its ES module, whose default export Streamlit calls at each update.
        styles: style sheets, which see the palettes of the figures as variables ``--cs-<role>``.
        isolate_styles: whether it lies in a shadow root. Plotly adds its own styles to the page, so what draws with it
            must not.
    """
    folder = Path(wrapper).parent
    css = "".join((_palette_css(), *((folder / style).read_text(encoding="utf-8") for style in styles)))
    return st.components.v2.component(name, css=css, js=joined_script(folder / script), isolate_styles=isolate_styles)


def _palette_css() -> str:
    """Return the palettes as CSS variables, chosen by the attribute ``data-cs-theme`` of a component."""
    rules = (
        f"[data-cs-theme={theme}] {{ {' '.join(f'--cs-{role}: {color};' for role, color in asdict(palette).items())} }}"
        for theme, palette in PALETTES.items()
    )
    return "\n".join(rules) + "\n"
