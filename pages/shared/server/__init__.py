"""The server: its connections and workers, what its operator measures, and logs without any text of documents."""
