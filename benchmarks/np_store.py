"""Searches of the studies of Figures 4 and 5 that are kept in a file, so that a later run goes on with the others."""

import csv
import time

import joblib

KEYS = ("data", "division", "search", "alpha")


def with_key(run, key):
    """Return a key and what was run for it."""
    return key, run(*key)


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

    def complete(self, names, searches):
        """Return ``{data: [{search: {alpha: {number: value}}}, ...]}``: the divisions on which all searches were run.

        A data set without any is left out.
        """
        runs, found = self.read(), {}
        for name, division in sorted({key[:2] for key in runs}):
            if name in names and all((name, division, search) in runs for search in searches):
                found.setdefault(name, []).append({search: runs[name, division, search] for search in searches})
        return {name: found[name] for name in names if name in found}

    def told(self, divisions, results):
        """Return two sentences: how many of the `divisions` of each data set are in `results`, and how to run more."""
        counts = ", ".join(f"{name} {len(results.get(name, ()))} of {number}" for name, number in divisions.items())
        return (
            f"Repetitions so far: {counts}. `python benchmarks/{self.path.stem.removesuffix('_runs')}.py --minutes 60`"
            f" runs those that are not in `benchmarks/results/{self.path.name}` yet."
        )

    def add(self, key, outcomes):
        """Add the outcomes of one search on one division, ``{alpha: {number: value}}``."""
        fresh = not self.path.exists()
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if fresh:
                writer.writerow((*KEYS, *self.numbers))
            for alpha, outcome in outcomes.items():
                writer.writerow((*key, alpha, *(f"{outcome[name]:.6g}" for name in self.numbers)))

    def fill(self, run, divisions, searches, minutes, *, one_in=None, processes=1):
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
        processes : int
            How many searches are run at a time; this process alone writes the file.
        """
        done, end = set(self.read()), time.monotonic() + 60.0 * minutes
        turns = [
            ((division + 1) * (1 if one_in is None else one_in[name]), (name, division, search))
            for name, number in divisions.items()
            for division in range(number)
            for search in searches
        ]

        def tasks():
            for _, key in sorted(turns, key=lambda turn: turn[0]):
                if time.monotonic() >= end:
                    return
                if key not in done:
                    yield joblib.delayed(with_key)(run, key)

        settings = {"pre_dispatch": "n_jobs", "batch_size": 1, "return_as": "generator_unordered"}
        for key, outcomes in joblib.Parallel(processes, **settings)(tasks()):
            self.add(key, outcomes)
