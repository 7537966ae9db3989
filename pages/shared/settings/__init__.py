"""The controls of the strategies' parameters, and their place in the address."""
