"""Searches of the studies of Figures 4 and 5 that are kept in a file, so that a later run goes on with the others."""

import csv
import time

KEYS = ("data", "division", "search", "alpha")


class Store:
    """A CSV file of outcomes: one line a data set, division, search and alpha.

    Parameters
    ----------
    path : Path
        The file; it need not exist yet.
    numbers : sequence of str
        What is kept of an outcome.
    """

    def __init__(self, path, numbers):
        self.path, self.numbers = path, tuple(numbers)

    def read(self):
        """Return ``{(data, division, search): {alpha: {number: value}}}`` of what has been run."""
        runs = {}
        if self.path.exists():
            with self.path.open(encoding="utf-8", newline="") as file:
                for line in csv.DictReader(file):
                    key = line["data"], int(line["division"]), line["search"]
                    runs.setdefault(key, {})[float(line["alpha"])] = {name: float(line[name]) for name in self.numbers}
        return runs

    def add(self, key, outcomes):
        """Add the outcomes of one search on one division, ``{alpha: {number: value}}``."""
        fresh = not self.path.exists()
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if fresh:
                writer.writerow((*KEYS, *self.numbers))
            for alpha, outcome in outcomes.items():
                writer.writerow((*key, alpha, *(f"{outcome[name]:.6g}" for name in self.numbers)))

    def fill(self, run, divisions, searches, minutes, one_in=None):
        """Run what is not in the file, until the time is over; a search that has begun is ended.

        Parameters
        ----------
        run : callable
            Takes a data set, a division and a search, and returns its outcomes.
        divisions : dict
            The number of divisions of each data set.
        searches : sequence of str
            What is run on each division.
        minutes : float
        one_in : dict, optional
            How many divisions of the first data set are run for one of each data set; all in turn without it.
        """
        done, end = set(self.read()), time.monotonic() + 60.0 * minutes
        turns = [
            ((division + 1) * (1 if one_in is None else one_in[name]), (name, division, search))
            for name, number in divisions.items()
            for division in range(number)
            for search in searches
        ]
        for _, key in sorted(turns, key=lambda turn: turn[0]):
            if time.monotonic() >= end:
                return
            if key not in done:
                self.add(key, run(*key))
