"""The library of documents on the pages: whose it is, what it lists, and how it is looked after."""
