"""The Evaluate page: strategies measured against reference boundaries, and by questions with reference answers."""
