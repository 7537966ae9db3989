"""Files of the batch experiment: local or remote, whole or not at all, and what they hold between the steps."""
