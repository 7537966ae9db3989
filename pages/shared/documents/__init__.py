"""The documents of a session: samples and uploads, how they are read, and their results."""
