"""Nonconvex support vector machines with a bound on one error: batch solvers of the multiplier and the weights."""
