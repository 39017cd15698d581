"""Estimators that train for a bound on one error, each an adapter of a solver of `nproc.solvers`."""
