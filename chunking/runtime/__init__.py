"""Infrastructure that knows nothing of documents: a bounded disk cache, processes, JSON Lines."""

from chunking.runtime.disk_cache import DiskCache, Layout, default_folder
from chunking.runtime.processes import cores, fresh

__all__ = ["DiskCache", "Layout", "cores", "default_folder", "fresh"]
