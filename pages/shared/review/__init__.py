"""Parts of the Review page, and the database of reviews."""
