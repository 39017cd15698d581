"""New rows with a usual code for a missing value, of which the fit had none, are told of, with their places."""

import numpy as np
import pandas as pd
import pytest

from nproc import NPWarning, npc, npc_multiclass, save
from nproc.cli import files, main
from nproc.rows.ranges import ranges_of

SAID = "999 in column 'glucose' (2 rows, the first at X.iloc[4]), -9 in column 'age' (1 row, at X.iloc[7])"


def rows(n, seed):
    rng = np.random.default_rng(seed)
    ill = rng.choice(["yes", "no"], n)
    glucose = rng.uniform(71, 170, n) + 29 * (ill == "yes")
    return pd.DataFrame({"glucose": glucose, "age": rng.integers(21, 81, n), "ill": ill})


NEW = rows(80, 2)
# of a row of class 0 each
NEW.loc[[4, 5, 7], "ill"] = "yes"
CODED = NEW.copy()
CODED.loc[[4, 5], "glucose"] = 999
CODED.loc[7, "age"] = -9


def fit_of(**options):
    known = rows(300, 1)
    X, y = known[["glucose", "age"]], known["ill"]
    return npc(X, y, "lda", class0="yes", alpha=0.1, random_state=1, **options)


ASKED = {
    "predict": lambda fit, X, y: fit.predict(X),
    "decision_function": lambda fit, X, y: fit.decision_function(X),
    "p_values": lambda fit, X, y: fit.p_values(X),
    "evaluate": lambda fit, X, y: fit.evaluate(X, y),
    "certify": lambda fit, X, y: fit.certify(X, y),
    "thresholds_table": lambda fit, X, y: fit.thresholds_table(X, y, alphas=[0.1, 0.2]),
}


@pytest.mark.parametrize("asked", ASKED)
def test_each_answer_about_a_table_warns_once(asked):
    fit, columns = fit_of(), ["glucose", "age"]
    said = SAID.replace("X.iloc", "X0.iloc") if asked == "certify" else SAID
    with pytest.warns(NPWarning) as heard:
        ASKED[asked](fit, CODED[columns], CODED["ill"])
    assert [said in str(one.message) for one in heard] == [True]
    ASKED[asked](fit, NEW[columns], NEW["ill"])


def test_a_fit_of_clusters_counts_all_rows():
    fit = fit_of(clusters=np.arange(300))
    new = {"clusters": np.arange(1000, 1080) // 2 * 2}
    for ask in (fit.evaluate, fit.certify):
        with pytest.warns(NPWarning) as heard:
            ask(CODED[["glucose", "age"]], CODED["ill"], **new)
        assert ["999 in column 'glucose' (2 rows, the first at" in str(one.message) for one in heard] == [True]


def test_the_checks_of_the_assumptions_count_the_rows_that_were_given():
    fit = npc("ill ~ .", data=rows(300, 1), method="lda", class0="yes", alpha=0.1, random_state=1)
    # the rows of class 0 are found among them
    with pytest.warns(NPWarning, match=r"\(2 rows, the first at X0_new\.iloc\[4\]\)"):
        fit.check_assumptions(CODED)


def test_a_fit_of_several_classes_warns():
    known = rows(300, 1)
    X, y = known[["glucose", "age"]], np.arange(300) % 3
    fit = npc_multiclass(X, y, "lda", priority=[0, 1, 2], alphas=0.2, scheme="separate", random_state=1)
    with pytest.warns(NPWarning, match="999 in column 'glucose'"):
        fit.predict(CODED[["glucose", "age"]])


@pytest.mark.parametrize(
    ("ends", "new", "codes"),
    [
        # ages, and prices
        ((18, 97), [99, 999], {999: [1]}),
        ((1099, 9499), [9999, 99, 99999], {99999: [2]}),
        # changes, and what may be measured below 0
        ((0, 40), [-1, -1, 3], {}),
        ((0, 850), [-9, -99], {-99: [1]}),
        ((-12, 10), [-9, -1, -99], {-99: [2]}),
        # measured values are not below 0 several times if none of the fit is, or are not so far from the others
        ((0, 850), [-9, 5, -9], {-9: [0, 2]}),
        ((21, 80), [-9, 50], {-9: [0]}),
        ((60, 90), [-1, 70], {-1: [0]}),
        ((0, np.inf), [999, -9], {}),
        # running numbers, which go on beyond the code or end with it, one with gaps, and another unit
        ((0, 599), range(9000, 11000), {}),
        ((0, 599), range(9990, 10000), {}),
        ((0, 599), range(99999, 100010), {}),
        ((0, 599), [9999, 20000, 30000, 40000], {}),
        ((0, 1), [*range(40, 99, 2), 99], {}),
        # two numbers as far out may be codes too, and single values errors of typing
        ((1, 5), [3, 97, 98, 99, 4], {99: [3]}),
        ((20, 90), [999, 40, 999, 55, 1000000, 70, 999], {999: [0, 2, 6]}),
        ((20, 900), [9999, 1200, 1500, 1800, 9999], {9999: [0, 4]}),
        # temperatures below 0, prices, and ages of which some end in 9
        ((0, 35), [-9, -9, -4.5, -3, -7], {}),
        ((0, 35), [-9, -9, 4.5, 3, 7], {-9: [0, 1]}),
        ((199, 499), [199, 249, 299, 350, 999], {}),
        ((20, 80), [29, 39, 69, 999, 50], {999: [3]}),
    ],
)
@pytest.mark.parametrize("kind", [float, object, "Float64", "with a text"])
def test_a_new_code_is_far_outside_the_range_or_negative_as_nearly_no_other_value_is(ends, new, codes, kind):
    ranges = ranges_of(np.array(ends, dtype=float)[:, np.newaxis], ["a"])
    frame = pd.DataFrame({"a": np.array(new, dtype=float)}).astype(float if kind == "with a text" else kind)
    frame = frame.assign(name="x") if kind == "with a text" else frame
    told = ranges.codes_outside(frame)
    assert {code: places.tolist() for (_, code), places in told.items()} == codes


CHUNKS = {
    "predict_chunks": lambda fit, rows: list(fit.predict_chunks([rows[["glucose", "age"]][:3], rows[3:6], rows[6:]])),
    "evaluate": lambda fit, rows: fit.evaluate([(part, part["ill"]) for part in (rows[:3], rows[3:6], rows[6:])]),
}


@pytest.mark.parametrize("asked", CHUNKS)
def test_rows_in_chunks_warn_once_with_the_first_row_of_all(asked):
    fit = fit_of()
    with pytest.warns(NPWarning) as heard:
        CHUNKS[asked](fit, CODED)
    said = "999 in column 'glucose' (2 rows, the first in row 5), -9 in column 'age' (1 row, in row 8). No row"
    words = f"chunks: some new values look like codes for missing values, and are used as numbers: {said}"
    assert [words in str(one.message) for one in heard] == [True]
    CHUNKS[asked](fit, NEW)


def test_rows_of_a_file_in_chunks_warn_with_the_row_of_the_file(tmp_path):
    CODED.to_csv(tmp_path / "new.csv", index=False)
    with pytest.warns(NPWarning, match=r"new\.csv: .*999 in column 'glucose' \(2 rows, the first in row 5\)"):
        list(fit_of().predict_chunks(tmp_path / "new.csv"))


@pytest.mark.slow
def test_commands_name_the_rows_of_the_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "PART_ROWS", 6)
    save(fit_of(), "m.joblib")
    CODED.to_csv("new.csv", index=False)
    rows(300, 1).to_csv("rows.csv", index=False)
    fit = ["rows.csv", "--label", "ill", "--method", "lda", "--seed", "1"]
    several = ["multiclass", *fit, "--priority", "yes,no"]
    commands = [
        ["predict", "m.joblib", "new.csv", "--out", "p.csv"],
        ["certify", "m.joblib", "new.csv", "--label", "ill"],
        ["check", "m.joblib", "--new", "new.csv", "--label", "ill"],
        ["report", "m.joblib", "--new", "new.csv", "--label", "ill", "--out", "r.md"],
        ["fit", *fit, "--class0", "yes", "--test", "new.csv"],
        [*several, "--test", "new.csv"],
        [*several, "--new", "new.csv", "--predictions", "p.csv"],
    ]
    said = "999 in column 'glucose' (2 rows, the first in row 5), -9 in column 'age' (1 row, in row 8). No row"
    for words in commands:
        assert main(words) == 0
        (told,) = [line for line in capsys.readouterr().err.splitlines() if "looks" in line or "look like" in line]
        assert told.startswith("warning: new.csv: some new values look like codes")
        assert said in told
        assert "leave these cells of the file empty" in told
