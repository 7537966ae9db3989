"""The basis of every component: messages to the browser, reports from it, and one script out of many modules."""

from pages.shared.components.base.component import component
from pages.shared.components.base.reports import Callback, chosen, ignore, reported, reported_view, whole_number
from pages.shared.components.base.wire import pack

__all__ = [
    "Callback",
    "chosen",
    "component",
    "ignore",
    "pack",
    "reported",
    "reported_view",
    "whole_number",
]
