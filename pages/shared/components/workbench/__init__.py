"""The workbench: one view that owns everything that depends on a setting, computed in the browser."""

from pages.shared.components.workbench.component import (
    Moved,
    Rest,
    send_data,
    workbench,
    workbench_rest,
)

__all__ = ["Moved", "Rest", "send_data", "workbench", "workbench_rest"]
