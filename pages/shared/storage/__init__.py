"""What lasts: the library of documents, as the person of a session opens it."""
