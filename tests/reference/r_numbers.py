"""Numbers of the R package nproc 2.1.5: a large set outside the repository, a small one beside this file."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "reference"
needs_folder = pytest.mark.skipif(
    not FOLDER.is_dir(),
    reason=f"the large set of R's numbers is not at {FOLDER}; the small set in this folder is tested",
)
# R's bounds are points of a grid of this step
GRID = 0.001
# noise was added to these before R's band (fewer than 10 distinct class 0 scores)
NOISY = ("few_unique_200_200", "binary_150_150", "constant_50_50")
TIED = (*NOISY, "ties1dec_1000_1000", "ties1dec_120_80_flip", "equalmeans_80_80", "multi11_ties")


def small_set():
    """The small set: a dict with the versions of R and its packages inside."""
    return json.loads((Path(__file__).parent / "r_numbers.json").read_text(encoding="utf-8"))


@cache
def table(name):
    """One file of the large set."""
    return pd.read_csv(FOLDER / name)


def read_sign(sample):
    """R's direction: 1 as given, -1 turned round first."""
    if not sample.startswith(("multi", "crossing")):
        core = table("npc_core.csv")
        return 1 if core.loc[core["sample"] == sample, "sign"].iloc[0] == 1 else -1
    return 1


@cache
def scores(sample):
    """Class 0 and class 1 scores of a sample in R's direction; lists of arrays where there are several splits."""
    if sample.startswith("crossing"):
        frame = table("compare_crossing_scores.csv")
        column = sample.removeprefix("crossing_")
        return tuple(frame.loc[frame["y"] == label, column].to_numpy() for label in (0, 1))
    if sample.startswith("multi"):
        frame = table("multisplit_scores.csv.gz")
        frame = frame[frame["sample"] == sample]
        return tuple(
            [part["score"].to_numpy() for _, part in frame[frame["y"] == label].groupby("split")] for label in (0, 1)
        )
    frame = table("scores.csv.gz")
    frame = frame[frame["sample"] == sample]
    return tuple(read_sign(sample) * frame.loc[frame["y"] == label, "score"].to_numpy() for label in (0, 1))


def noisy_scores(sample):
    """The scores with R's noise that its band was made from."""
    frame = table("find_order_jittered_inputs.csv.gz")
    frame = frame[frame["sample"] == sample]
    return tuple(frame.loc[frame["class"] == label, "jittered"].to_numpy() for label in (0, 1))


def simulated_rows(name):
    """X (x1, x2) and y of a data set."""
    frame = table(name)
    return frame[["x1", "x2"]].to_numpy(), frame["y"].to_numpy()


def groups(name, *keys):
    """Parts of a file by its key columns, as a list to parametrise a test with; empty where the file is absent."""
    if not FOLDER.is_dir():
        return []
    return [tuple(map(_plain, values)) for values in table(name)[list(keys)].drop_duplicates().to_numpy().tolist()]


def part(name, **wanted):
    """The rows of a file with these values."""
    frame = table(name)
    keep = np.ones(len(frame), dtype=bool)
    for column, value in wanted.items():
        keep &= (frame[column] == value).to_numpy()
    return frame[keep]


def _plain(value):
    return float(value) if isinstance(value, float) else value
