"""Infrastructure that knows nothing of documents: arrays, caches, files, patterns, processes, JSON."""
