"""Rows that need not fit in memory: reading, dividing, mixing, training and scoring them by chunks."""
