"""A bound in every group, and rows that come in clusters."""
