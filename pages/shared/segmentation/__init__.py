"""The Boundaries part of Evaluate: strategies measured against reference boundaries."""
