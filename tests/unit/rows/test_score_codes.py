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


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ([-1] * 40, r"scores0 has -1 \(40 times\), the only negative value\. This looks"),
        ([-9] * 3 + [999], r"-9 \(3 times\), the only negative value, and 999 \(1 time\), apart from all others\."),
    ],
)
def test_a_code_that_is_not_far_from_the_other_scores_is_called_the_only_negative_value(codes, said):
    with pytest.warns(NPWarning, match=said):
        np_threshold(np.r_[RNG.integers(1, 90, 300), codes], alpha=0.1, delta=0.1)


def test_grades_from_minus_1_on_are_no_codes():
    np_threshold(np.repeat([-1.0, 0.0, 1.0, 2.0, 3.0], [240, 80, 40, 20, 20]), alpha=0.1, delta=0.1, ties="randomize")


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
