"""What came out of a batch experiment: sizes of chunks, figures, and a report in HTML and Markdown."""
