"""What a session knows: the address of each page, what its controls show, and values that no address holds.

:mod:`.address` alone reads and writes the browser's address, :mod:`.echo_filter` alone decides between the value of
a control and what the browser reports of it, and :mod:`.session` alone touches Streamlit's session state.
"""

from pages.shared.state.address import Address, address, arrive, go, unread
from pages.shared.state.session import SessionValue, widget_value

__all__ = ["Address", "SessionValue", "address", "arrive", "go", "unread", "widget_value"]
