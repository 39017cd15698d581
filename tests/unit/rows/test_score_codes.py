"""A number among scores that is likely to stand for a missing value is told of, as it may become the threshold."""

import numpy as np
import pandas as pd
import pytest

from nproc import NPROCBand, NPWarning, np_threshold
from nproc.cli import main

RNG = np.random.default_rng(0)
SCORES0, SCORES1 = RNG.uniform(0.0, 0.7, 200), RNG.uniform(0.3, 1.0, 200)
CODED = np.r_[SCORES0, -9, -9]


def test_a_threshold_and_a_band_of_scores_warn_of_a_code():
    said = r"scores0 has -9 \(2 times\), apart from all others.*leave those rows out"
    with pytest.warns(NPWarning, match=said):
        np_threshold(CODED, alpha=0.1, delta=0.1)
    with pytest.warns(NPWarning, match=said):
        NPROCBand.from_scores(CODED, SCORES1)
    # the other scores alone are told of nothing
    np_threshold(SCORES0, alpha=0.1, delta=0.1)


def test_the_commands_name_the_rows_of_the_file_once(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame({"y": np.repeat([0, 1], [202, 200]), "score": np.r_[CODED, SCORES1]})
    frame.to_csv("s.csv", index=False)
    levels = ["--label", "y", "--class0", "0", "--score", "score"]
    commands = [
        ["threshold", "s.csv", *levels, "--alpha", "0.1", "--delta", "0.1", "--out", "rule.json"],
        ["bands", "s.csv", *levels],
        ["apply", "rule.json", "s.csv", "--out", "labels.csv"],
    ]
    for words in commands:
        assert main(words) == 0
        (told,) = [line for line in capsys.readouterr().err.splitlines() if "looks like a code" in line]
        assert "the column 'score' has -9 (2 times, the first in row 201)" in told
