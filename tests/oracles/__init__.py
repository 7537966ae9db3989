"""Plain, slow programs that the vectorised ones are tested and timed against."""
