"""Short texts that the browser keeps."""

from pages.shared.components.browser_store.component import browser_store, stored_items

__all__ = ["browser_store", "stored_items"]
