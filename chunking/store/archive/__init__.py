"""A person's documents as one file, and copies of everything that a server keeps."""
