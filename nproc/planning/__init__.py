"""Planning a study: how many class 0 rows, and what they buy."""
