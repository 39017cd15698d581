"""Missing values of most new rows, in columns where no row of the fit had one, are told of."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from nproc import NPClassifier, NPWarning, npc, npc_multiclass, save
from nproc.cli import files, main
from nproc.rows.ranges import missing_told, ranges_of

COLUMNS = ["glucose", "age"]
SAID = "most new values are missing in columns without a missing value at the fit: all 80 of 'glucose'. Fill in"


def rows(n, seed):
    rng = np.random.default_rng(seed)
    ill = rng.choice(["yes", "no"], n)
    glucose = rng.uniform(71, 170, n) + 29 * (ill == "yes")
    return pd.DataFrame({"glucose": glucose, "age": rng.integers(21, 81, n), "ill": ill})


KNOWN, NEW = rows(300, 1), rows(80, 2)
LOST = NEW.assign(glucose=np.nan)
BOOSTED = HistGradientBoostingClassifier(max_iter=3, random_state=0)


def fit_of(method=BOOSTED, known=KNOWN, **options):
    return npc(known[COLUMNS], known["ill"], method, class0="yes", alpha=0.1, random_state=1, **options)


ASKED = {
    "predict": lambda fit, new: fit.predict(new[COLUMNS]),
    "decision_function": lambda fit, new: fit.decision_function(new[COLUMNS]),
    "evaluate": lambda fit, new: fit.evaluate(new[COLUMNS], new["ill"]),
    "certify": lambda fit, new: fit.certify(new[COLUMNS]),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize(
    "method", [BOOSTED, make_pipeline(SimpleImputer(), LogisticRegression())], ids=["boosted", "imputed"]
)
def test_each_answer_about_a_table_warns_once(asked, method):
    fit = fit_of(method)
    with pytest.warns(NPWarning) as heard:
        ASKED[asked](fit, LOST)
    assert [SAID in str(one.message) for one in heard] == [True]
    ASKED[asked](fit, NEW)


def test_an_estimator_and_a_fit_of_several_classes_warn():
    model = NPClassifier(BOOSTED, class0="yes", alpha=0.1, random_state=1).fit(KNOWN[COLUMNS], KNOWN["ill"])
    several = npc_multiclass(
        KNOWN[COLUMNS], np.arange(300) % 3, BOOSTED, priority=[0, 1, 2], alphas=0.2, scheme="separate", random_state=1
    )
    for one in (model, several):
        with pytest.warns(NPWarning, match="all 80 of 'glucose'"):
            one.predict(LOST[COLUMNS])


def test_half_of_the_values_or_fewer_than_ten_rows_or_a_gap_at_the_fit_are_no_reason():
    fit = fit_of()
    fit.predict(NEW[COLUMNS].assign(glucose=np.where(np.arange(80) < 40, np.nan, 100.0)))
    fit.predict(LOST[COLUMNS][:9])
    fit_of(known=KNOWN.assign(glucose=np.where(np.arange(300) == 7, np.nan, KNOWN["glucose"]))).predict(LOST[COLUMNS])


def test_a_fit_that_left_gaps_out_says_that_alone():
    known = KNOWN.assign(age=np.where(np.arange(300) == 7, np.nan, KNOWN["age"]))
    with pytest.warns(NPWarning):
        fit = fit_of(known=known, na_action="omit")
    with pytest.warns(NPWarning) as heard:
        fit.predict(LOST[COLUMNS])
    assert ["nothing is guaranteed there" in str(one.message) for one in heard] == [True]


@pytest.mark.parametrize("kind", [float, object, "Float64", "beside others"])
def test_columns_of_each_type_are_counted_in_parts(kind):
    ranges = ranges_of(np.arange(30.0).reshape(10, 3), ["a", "b", "c"])
    frame = pd.DataFrame({"a": [np.nan] * 9 + [1.0] * 3, "b": [np.nan, 1.0] * 6})
    frame = frame.assign(n=1, name="x") if kind == "beside others" else frame.astype(kind)
    counts = ranges.count_missing(frame[:7]) + ranges.count_missing(frame[7:])
    assert counts.tolist() == [[9, 6, 0], [12, 12, 0]]
    assert missing_told(ranges, counts).fact.endswith(": 9 of 12 of 'a'.")
    assert missing_told(ranges, ranges.count_missing(frame.fillna(1))) is None


CHUNKED = {
    "predict_chunks": lambda fit, new: list(fit.predict_chunks([new[COLUMNS][i : i + 9] for i in range(0, 80, 9)])),
    "evaluate": lambda fit, new: fit.evaluate([(new[i : i + 9], new["ill"][i : i + 9]) for i in range(0, 80, 9)]),
}


@pytest.mark.parametrize("asked", CHUNKED)
def test_the_values_of_all_chunks_are_counted_together(asked):
    fit = fit_of()
    with pytest.warns(NPWarning) as heard:
        CHUNKED[asked](fit, LOST)
    assert [str(one.message).startswith(f"chunks: {SAID}") for one in heard] == [True]
    # most values of a chunk alone
    fit.evaluate([(part, part["ill"]) for part in (LOST[:20], NEW[20:])])


def test_a_flag_that_is_missing_in_all_new_rows_is_told_of():
    flag = pd.array(np.arange(300) % 2 == 0, dtype="boolean")
    fit = npc("ill ~ glucose + flag", KNOWN.assign(flag=flag), BOOSTED, class0="yes", alpha=0.1, random_state=1)
    lost = NEW.assign(flag=pd.array([None] * 80, dtype="boolean"))
    with pytest.warns(NPWarning, match="all 80 of 'flag'"):
        fit.predict(lost)


def test_predictions_of_a_file_are_warned_of_once_for_all_parts(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "PART_ROWS", 16)
    save(fit_of(), "m.joblib")
    LOST.to_csv("new.csv", index=False)
    assert main(["predict", "m.joblib", "new.csv", "--out", "p.csv"]) == 0
    told = [line for line in capsys.readouterr().err.splitlines() if "missing" in line]
    assert len(told) == 1
    assert told[0].startswith(f"warning: new.csv: {SAID}")
