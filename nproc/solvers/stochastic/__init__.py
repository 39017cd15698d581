"""Stochastic gradient steps under a bound on one error, for one setting or for many in lockstep."""
