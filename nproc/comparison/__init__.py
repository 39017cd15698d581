"""Which method is better at which levels: of fitted rules, fitted scores, or procedures."""
