"""A number that is likely to stand for missing values is told of, and numbers that may be measured are not."""

import numpy as np
import pandas as pd
import pytest

from nproc import npc
from nproc.cli import main
from nproc.datasets import load_logistic_world
from nproc.errors import NPWarning
from nproc.rows.missing_codes import missing_codes

RNG = np.random.default_rng(0)
SAID = r"looks like a code for a missing value, and it is used as a number: 999 in column"


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (np.r_[RNG.lognormal(2, 1, 300), 999, 999], {999: 2}),
        # such as answers from 1 to 5, and ages
        (np.r_[RNG.integers(1, 6, 300), [99] * 4], {99: 4}),
        (np.r_[RNG.integers(60, 90, 300), [-1] * 5, [999] * 3, np.nan], {-1: 5, 999: 3}),
        # a single cell, and the only negative values
        (np.r_[RNG.lognormal(2, 1, 300), 999], {999: 1}),
        (np.r_[RNG.integers(44, 200, 300), -9], {-9: 1}),
        (np.r_[RNG.integers(0, 850, 300), [-9] * 2], {-9: 2}),
        (np.r_[RNG.integers(1, 90, 300), [-1] * 30], {-1: 30}),
        # an outlier, as others are below 0 or as far from the rest
        (np.r_[RNG.integers(44, 200, 300), -3, -9], {}),
        (np.r_[np.arange(0, 200, 10), -9], {}),
        # nothing tells a code among values that lie as far from each other
        (np.r_[RNG.uniform(0, 998, 300), 999, 999], {}),
        (np.r_[RNG.integers(0, 90, 300), [-1] * 5], {}),
        # changes
        (np.repeat([-1.0, 0.0, 1.0, 2.0, 3.0], [240, 80, 40, 20, 20]), {}),
        # infinite values are no numbers to be far from
        (np.r_[RNG.lognormal(2, 1, 300), 999, np.inf, -np.inf], {999: 1}),
        # prices
        (RNG.choice([199.0, 299.0, 399.0, 499.0, 999.0], 300), {}),
        # running numbers, in one block or two, years of two digits, and postcodes
        (np.arange(9000.0, 11000), {}),
        (np.r_[np.arange(600.0), np.arange(9900.0, 10000)], {}),
        (np.arange(1.0, 1000), {}),
        (np.r_[np.arange(95.0, 100), np.arange(10.0)], {}),
        (np.r_[RNG.integers(1067, 99998, 300), 99999.0], {}),
        # marks
        (RNG.choice([-1.0, 1.0], 300), {}),
        (RNG.choice([0.0, 99.0], 300), {}),
        (np.full(9, np.nan), {}),
    ],
)
def test_a_code_is_far_from_all_other_values_or_the_only_negative_one(values, codes):
    assert missing_codes(values) == codes


def test_nearly_no_column_of_measured_whole_numbers_seems_to_hold_a_code():
    rng = np.random.default_rng(1)
    columns = [
        *rng.poisson([[1]] * 300 + [[10]] * 300, (600, 100)).astype(float),
        *np.round(rng.exponential(30, (600, 100))),
        # of such a column the lowest value is often the only negative one
        *np.round(rng.normal(25, 10, (600, 100))),
    ]
    assert sum(bool(missing_codes(column)) for column in columns) < 0.01 * len(columns)


def rows_with_codes():
    world = load_logistic_world()
    frame = pd.DataFrame(np.asarray(world.X), columns=["a", "b"])
    frame.loc[frame.index[:16], "b"] = 999
    return frame, world.y


@pytest.mark.parametrize("form", ["frame", "array", "formula", "extension"])
def test_a_fit_warns_once_of_a_code(form):
    frame, y = rows_with_codes()
    given = {"X": frame if form == "frame" else frame.to_numpy(), "y": y}
    name = "1, counted from 0" if form == "array" else "'b'"
    if form == "formula":
        given = {"X": "y ~ a + b", "data": frame.assign(y=y)}
    if form == "extension":
        given["X"] = frame.astype("Float64")
    with pytest.warns(NPWarning, match=rf"{SAID} {name}\. If it is one, put NaN in its place") as heard:
        npc(**given, method="lda", class0=0, random_state=1)
    assert len(heard) == 1


def test_many_columns_of_a_survey_are_told_at_once_and_folds_say_the_same():
    rng = np.random.default_rng(0)
    answers = pd.DataFrame(rng.integers(1, 6, (300, 40)).astype(float)).add_prefix("q")
    rows = answers.mask(rng.random((300, 40)) < 0.1, 99).mask(rng.random((300, 40)) < 0.1, -9)
    y = np.arange(300) % 2
    told = set()
    for kept in (rows.index % 3 > 0, rows.index % 3 < 2):
        with pytest.warns(NPWarning, match=r"-9 and 99 in column 'q0', .*'q4', and 35 more columns\.") as heard:
            npc(rows[kept], y[kept], "nb", class0=0, alpha=0.3, delta=0.2, random_state=1)
        told |= {str(one.message) for one in heard if "missing value" in str(one.message)}
    assert len(told) == 1


def test_of_categories_nothing_is_said():
    frame, y = rows_with_codes()
    table = frame.assign(b=frame["b"].round().clip(-2, 999), y=y)
    npc("y ~ a + C(b)", data=table, method="lda", class0=0, random_state=1)


def test_the_command_line_says_what_to_do_in_the_file(tmp_path, capsys):
    frame, y = rows_with_codes()
    frame.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    assert main(["fit", str(tmp_path / "rows.csv"), "--label", "y", "--class0", "0", "--seed", "1"]) == 0
    assert "leave those cells of the file empty; --na-action omit then leaves" in capsys.readouterr().err
