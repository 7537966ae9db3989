"""Evaluate: strategies against true boundaries."""
