"""A Streamlit component out of an ES module and style sheets, and its reports: the values that the browser sets.

A report names the document it is about, so that one about another document is not taken for this one. Reports are
checked before anyone uses them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from pages.shared.components.base.modules import PALETTES_SHEET, path_in_tree, tree
from pages.shared.components.base.wire import Message
from pages.shared.state import widget_value

Callback = Callable[[], None]
Report = TypeVar("Report", bound=Message)

LOADER = "pages/shared/components/base/load.js"
"""The module that loads a component."""

_SCRIPT = """\
const draw = import(new URL({loader}, document.baseURI)).then((loader) => loader.load({files}));
const failed = () => {{ throw Object.assign(new Error({words}), {{ stack: "" }}); }};
export default async (component) => (await draw.catch(failed))(component);
"""
"""What is sent in every run. Streamlit makes a module of it that has no address: it can import no relative path."""

_FAILED = "This part of the page could not be loaded, or is of another version of Chunkscope. Reload the page."


def component(name: str, wrapper: str, script: str, *styles: str, isolate_styles: bool = True) -> ComponentRenderer:
    """Return a Streamlit component, which a server shows that has the routes of :mod:`.modules`.

    Args:
        name: of the component.
        wrapper: path of the Python module that defines it; the other paths are relative to its folder.
        script: its ES module, whose default export Streamlit calls at each update.
        styles: style sheets, which see the palettes of the figures as variables ``--cs-<role>``.
        isolate_styles: whether it lies in a shadow root. Plotly adds its own styles to the page, so what draws with it
            must not.
    """
    folder = Path(wrapper).parent
    files = [path_in_tree(folder / script), PALETTES_SHEET, *(path_in_tree(folder / style) for style in styles)]
    return st.components.v2.component(name, js=_script(files), isolate_styles=isolate_styles)


def _script(files: list[str]) -> str:
    """Return the script of a component: its module is the first of the files, the others are style sheets."""
    for path in files:
        tree().address(path)
    return _SCRIPT.format(
        loader=json.dumps(tree().address(LOADER)),
        files=", ".join(map(json.dumps, files)),
        words=json.dumps(_FAILED),
    )


# ---- reports


def ignore() -> None:
    """Do nothing: Streamlit reports a component's values only to a callback."""


def reported(key: str, name: str, form: type[Report], document: str | None = None) -> Report | None:
    """Return the last report of a component under a name; ``None`` without one that has the form.

    Args:
        key: Streamlit key of the element.
        name: of the report.
        form: a :class:`.Message` with the fields of the report.
        document: that it must be about, where it may be about another one.
    """
    value = (widget_value(key) or {}).get(name)
    if not isinstance(value, dict) or (document is not None and value.get("document") != document):
        return None
    try:
        return msgspec.convert(value, form)
    except msgspec.ValidationError:  # from a browser that is not ours
        return None
