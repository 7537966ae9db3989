"""A corpus cut into passages, and the passages that a question finds: by meaning, by words, or by both."""
