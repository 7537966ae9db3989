"""Documents of a session: samples, uploads, how they are read, and what was measured on them."""
