"""A page of the app without a browser."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

TIMEOUT = 1200
"""Seconds of a run of a page: only reached where it hangs."""


def open_page(root: Path, page: str, address: Mapping[str, Any], state: Mapping[str, Any] | None = None) -> AppTest:
    """Open a page by its own file, whose frame the test stands for, at an address and with a state of the session."""
    app = AppTest.from_file(str(root / "pages" / f"{page}.py"), default_timeout=TIMEOUT)
    app.session_state["_framed"] = True
    for name, value in (state or {}).items():
        app.session_state[name] = value
    for name, value in address.items():
        app.query_params[name] = value
    return calm(app.run())


def calm(app: AppTest) -> AppTest:
    """Return the app, which has raised nothing."""
    assert not app.exception, app.exception
    return app


def shown(app: AppTest) -> str:
    """Return all text of a page that is neither a control, a component nor a style sheet."""
    said = (str(element.proto) for kind in ("html", "text", "caption", "info") for element in app.get(kind))
    return "\n".join(text for text in said if "<style>" not in text)


def paste(app: AppTest, text: str) -> AppTest:
    """Open a text of the user's own."""
    app.text_area(key="_pasted").set_value(text)
    return calm(app.button(key="_open_pasted").click().run())


def give(app: AppTest, field: str, name: str, data: bytes) -> AppTest:
    """Upload a file in the field whose key begins so."""
    key = next(str(each.key) for each in app.file_uploader if str(each.key).startswith(field))
    return calm(app.file_uploader(key=key).upload(name, data).run())


def workbench(app: AppTest) -> dict[str, Any]:
    """Return the state that the workbench is sent."""
    return head_of(app, "chunkscope_workbench")


def workbench_data(app: AppTest, name: str) -> dict[str, Any]:
    """Return data of a workbench by their name."""
    data: dict[str, Any] = json.loads(zlib.decompressobj().decompress(_workbench_column(app, name)))
    return data


def workbench_picture(app: AppTest, name: str) -> bytes:
    """Return a picture of a workbench by its name."""
    return _workbench_column(app, name)


def _workbench_column(app: AppTest, name: str) -> bytes:
    """Return the column of bytes in a message with data of a workbench."""
    parts = [each.proto.bytes for each in app.get("bidi_component") if "workbench_data" in each.proto.component_name]
    heads = [json.loads(part[8 : 8 + int.from_bytes(part[:4], "little")]) for part in parts]
    (part,) = (part for part, head in zip(parts, heads, strict=True) if head["source"] == name)
    columns = 8 + int.from_bytes(part[:4], "little") + int.from_bytes(part[4:8], "little")
    return bytes(part[columns + -columns % 8 :])


def head_of(app: AppTest, component: str) -> dict[str, Any]:
    """Return the part of a component's message that is read each time."""
    (element,) = (each for each in app.get("bidi_component") if each.proto.component_name == component)
    data = element.proto.bytes
    length = int.from_bytes(data[:4], "little")
    state: dict[str, Any] = json.loads(data[8 : 8 + length])
    return state
