"""NP-ROC bands: the bounds at each level, bands of one or several splits, and predictive values."""
