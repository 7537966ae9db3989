"""A table for each value of a control, of which the one is shown that the control says while it is moved."""

from pages.shared.components.stepped_table.component import Bar, SteppedTable, stepped_table

__all__ = ["Bar", "SteppedTable", "stepped_table"]
