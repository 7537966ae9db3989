"""The basis of every component: messages to the browser, reports from it, and one script out of many modules."""

from pages.shared.components.base.component import Callback, component, ignore, reported, whole_number
from pages.shared.components.base.wire import Bytes, Float32s, Int32s, Json, pack

__all__ = [
    "Bytes",
    "Callback",
    "Float32s",
    "Int32s",
    "Json",
    "component",
    "ignore",
    "pack",
    "reported",
    "whole_number",
]
