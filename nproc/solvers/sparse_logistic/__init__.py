"""Sparse probabilistic classifiers: the truncated likelihood, by coordinates of the primal and the dual."""
