"""Controls made from the parameters of the strategies, and their place in the address."""
