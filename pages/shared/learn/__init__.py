"""What the Learn page alone shows: its chapters, predictions and class exercises."""
