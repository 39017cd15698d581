"""Scores that need not fit in memory: where they come from, and what is kept of them."""
