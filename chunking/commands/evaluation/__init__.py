"""Commands that measure strategies, and that make what they are measured with."""
