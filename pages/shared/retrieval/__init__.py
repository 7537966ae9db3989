"""Evaluate: strategies against questions with true answers."""
