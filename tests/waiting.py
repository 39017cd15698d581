"""Waiting for a condition, not for a time."""

import time

# seconds: a slow machine may take it, a fast one does not
PATIENCE = 120


def wait_for(answer):
    """Return the first true value of `answer()`; an AssertionError says that there was none."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = answer()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"nothing after {PATIENCE} s")
