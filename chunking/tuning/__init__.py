"""Tuning: every setting of α and percentile at once, and which of them a reference supports."""
