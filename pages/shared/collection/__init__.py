"""The Collection page's parts: settings of single documents, and what a change costs an index of all of them."""
