"""The Retrieval part of Evaluate: strategies measured by questions with reference answers."""
