"""Programs for those who work on Chunkscope; none of them is part of the package."""
