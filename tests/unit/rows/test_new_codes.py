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


def test_numbers_that_may_be_measured_are_not_told_of():
    ranges = ranges_of(np.array([[3.0, -12.0], [998.0, 10.0]]), ["a", "b"])
    told = ranges.codes_outside(pd.DataFrame({"a": [99, -1, 999, 9999], "b": [-9, -1, -99, 5]}))
    assert {where: places.tolist() for where, places in told.items()} == {
        ("a", -1): [1],
        ("a", 999): [2],
        ("a", 9999): [3],
        ("b", -99): [2],
    }


def test_commands_name_the_rows_of_the_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "PART_ROWS", 6)
    save(fit_of(), "m.joblib")
    CODED.to_csv("new.csv", index=False)
    commands = [
        ["predict", "m.joblib", "new.csv", "--out", "p.csv"],
        ["certify", "m.joblib", "new.csv", "--label", "ill"],
        ["check", "m.joblib", "--new", "new.csv", "--label", "ill"],
        ["report", "m.joblib", "--new", "new.csv", "--label", "ill", "--out", "r.md"],
    ]
    said = "999 in column 'glucose' (2 rows, the first in row 5), -9 in column 'age' (1 row, in row 8). No row"
    for words in commands:
        assert main(words) == 0
        (told,) = [line for line in capsys.readouterr().err.splitlines() if "looks" in line or "look like" in line]
        assert told.startswith("warning: new.csv: some new values look like codes")
        assert said in told
        assert "leave these cells of the file empty" in told
