"""Questions with their true answers: what they are, how folders and files of them are read, and a user's own."""
