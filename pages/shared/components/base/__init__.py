"""The basis of every component: messages to the browser, reports from it, and one script out of many modules."""

from pages.shared.components.base.component import Callback, component, ignore, reported
from pages.shared.components.base.wire import Bytes, Float32s, Int32s, Json, Message, Natural, pack

__all__ = [
    "Bytes",
    "Callback",
    "Float32s",
    "Int32s",
    "Json",
    "Message",
    "Natural",
    "component",
    "ignore",
    "pack",
    "reported",
]
