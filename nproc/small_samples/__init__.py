"""Thresholds under a normal model, for class 0 samples that are too small for an order statistic."""
