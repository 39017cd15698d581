"""Convex risks under a bound on one of them, by splitting with outer approximations, and the exact solution."""
