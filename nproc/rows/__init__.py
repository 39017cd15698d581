"""The user's table becomes a matrix and labels, and at predict the same again."""
