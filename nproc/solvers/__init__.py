"""Pure numerical solvers, one method a file: arrays in, a frozen result with a certificate out."""
