"""A fitted classifier: predict, votes, errors on new rows, certificates, p-values, and bounds of the vote."""
