"""Labels of new rows, a block at a time."""
