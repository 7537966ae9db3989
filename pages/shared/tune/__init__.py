"""Parts of the Tune page."""
