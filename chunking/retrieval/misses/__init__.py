"""Questions that miss their answer: what kept them from it, the smallest change that mends it, rankings to read."""
