"""What ``make bench`` prints: figures to compare, never a pass or a fail."""
