"""A fit that left out rows with missing values: new rows with such values count nowhere, and are labelled with a word.

The method is a random forest, which takes missing values, so that nothing else keeps such rows out.
"""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from nproc import npc
from nproc.cli import main
from nproc.errors import InvalidInputError, NPWarning

pytestmark = pytest.mark.usefixtures("reports_without_pictures")

LEFT_OUT = "20 of the 200 rows have missing values and are left out"
LABELLED = "20 of the 200 rows have missing values. They are classified, but nothing is guaranteed there"
KNOWN = {"class0": "ill", "alpha": 0.2, "random_state": 1, "method_params": {"n_estimators": 50}}


def table(seed, n):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.resize(["ill", "well"], n))
    rows = pd.DataFrame(rng.normal(size=(n, 2)) + 1.5 * (y == "well")[:, None], columns=["a", "b"])
    rows.loc[rng.choice(n, n // 10, replace=False), "a"] = np.nan
    # a gap in a column that does not predict matters nowhere
    return rows.assign(y=y, site=np.resize(["x", "y"], n), who=1000 * seed + np.arange(n) // 2, more=np.nan)


OLD, NEW = table(1, 600), table(2, 200)
WHOLE = NEW[NEW["a"].notna()]


def fit_of(columns=("a", "b"), **options):
    with pytest.warns(NPWarning, match="left out 60 of 600 rows"):
        return npc(OLD[list(columns)], OLD["y"], "randomforest", na_action="omit", **KNOWN, **options)


@pytest.fixture(scope="module")
def fit():
    return fit_of()


def test_evaluate_and_certify_count_rows_without_gaps(fit):
    with pytest.warns(NPWarning, match=LEFT_OUT):
        found = fit.evaluate(NEW, NEW["y"])
    wanted = fit.evaluate(WHOLE, WHOLE["y"])
    assert repr(found) == repr(wanted)
    with pytest.warns(NPWarning, match=LEFT_OUT):
        assert fit.certify(NEW, NEW["y"]).n0 == wanted.n0
    with pytest.warns(NPWarning, match=LEFT_OUT):
        # two chunks, and one warning of all rows
        parts = fit.evaluate([(NEW[:70], NEW["y"][:70]), (NEW[70:], NEW["y"][70:])])
    assert repr(parts) == repr(wanted)
    with pytest.warns(NPWarning, match=LEFT_OUT):
        shares = fit.thresholds_table(NEW, NEW["y"], alphas=[0.2])
    assert shares["type1"].tolist() == [wanted.type1]
    with pytest.warns(NPWarning, match=LEFT_OUT):
        fit.plot_calibration(NEW, NEW["y"])
    plt.close("all")
    with pytest.raises(InvalidInputError, match="every row of X has a missing value"):
        fit.evaluate(NEW[NEW["a"].isna()], NEW["y"][NEW["a"].isna()])


def test_check_assumptions_compares_rows_without_gaps(fit):
    X0 = NEW[NEW["y"] == "ill"]
    with pytest.warns(NPWarning, match="rows have missing values and are left out"):
        found = fit.check_assumptions(X0)
    assert found.new_errors.found == fit.check_assumptions(X0[X0["a"].notna()]).new_errors.found
    with pytest.raises(InvalidInputError, match="every row of X0_new has a missing value"):
        fit.check_assumptions(X0[X0["a"].isna()])
    with pytest.raises(InvalidInputError, match="X0_new must be two-dimensional"):
        fit.check_assumptions(3.5)


@pytest.mark.parametrize("name", ["groups", "clusters"])
def test_groups_and_clusters_count_rows_without_gaps(name):
    column = {"groups": "site", "clusters": "who"}[name]
    fit = fit_of(("a", "b", column), **{name: column})
    with pytest.warns(NPWarning, match=LEFT_OUT):
        found = fit.evaluate(NEW, NEW["y"])
    assert found.summary().as_text() == fit.evaluate(WHOLE, WHOLE["y"]).summary().as_text()
    with pytest.warns(NPWarning, match=LEFT_OUT):
        # by values, one for each row
        beside = fit.evaluate(NEW[["a", "b"]], NEW["y"], NEW[column].tolist())
    assert beside.summary().as_text() == found.summary().as_text()
    with pytest.warns(NPWarning, match=LEFT_OUT):
        assert fit.certify(NEW, NEW["y"]).n0 == fit.certify(WHOLE, WHOLE["y"]).n0
    with pytest.warns(NPWarning, match=LABELLED):
        assert fit.predict(NEW).size == 200


@pytest.mark.parametrize("name", [None, "groups", "clusters"])
@pytest.mark.filterwarnings("ignore:.*have missing values")
def test_a_row_that_is_refused_is_counted_among_all_rows(tmp_path, name):
    column = {None: [], "groups": ["site"], "clusters": ["who"]}[name]
    fit = fit_of(("a", "b", *column), **({name: column[0]} if name else {}))
    row = np.flatnonzero(NEW["a"].notna() & (NEW["y"] == "ill"))[-1]
    assert NEW["a"][:row].isna().sum() > 9
    # the only row of its cluster
    new = NEW.assign(b=NEW["b"].mask(np.arange(200) == row, np.inf), who=np.arange(200))
    calls = {
        "evaluate": lambda: fit.evaluate(new, new["y"]),
        "certify": lambda: fit.certify(new, new["y"]),
        "report": lambda: fit.report(tmp_path / "r.md", new, new["y"]),
    }
    if name is None:
        calls["chunks"] = lambda: fit.evaluate([(new[:70], new["y"][:70]), (new[70:], new["y"][70:])])
        calls["calibration"] = lambda: fit.plot_calibration(new, new["y"])
    for called, call in calls.items():
        place = rf"in row {row + 1}\b" if called == "chunks" else rf"at \w+\.iloc\[{row}\]"
        with pytest.raises(InvalidInputError, match=place) as told:
            call()
        assert "inf" in str(told.value), called


@pytest.mark.parametrize("method", ["predict", "votes", "decision_function", "predict_proba", "p_values"])
def test_rows_with_gaps_are_labelled_with_a_warning(fit, method):
    with pytest.warns(NPWarning, match=LABELLED):
        found = getattr(fit, method)(NEW)
    assert found[NEW["a"].notna()].tolist() == getattr(fit, method)(WHOLE).tolist()


def test_rows_with_gaps_in_chunks_are_labelled_with_one_warning(fit):
    with pytest.warns(NPWarning, match=LABELLED) as heard:
        assert sum(map(len, fit.predict_chunks([NEW[:70], NEW[70:]]))) == 200
    assert len(heard) == 1


def test_a_fit_that_left_none_out_counts_rows_with_gaps():
    fit = npc(OLD[["a", "b"]], OLD["y"], "randomforest", **KNOWN)
    found = fit.evaluate(NEW, NEW["y"])
    assert found.n0 + found.n1 == fit.predict(NEW).size == 200


def test_the_report_counts_rows_without_gaps_and_says_so(fit, tmp_path):
    with pytest.warns(NPWarning, match=LEFT_OUT):
        text = fit.report(tmp_path / "r.md", NEW, NEW["y"], data=(OLD[["a", "b"]], OLD["y"])).read_text()
    assert "All statements are about rows without missing values" in text
    assert "20 of the 200 new rows have missing values and are left out." in text
    assert str(fit.evaluate(WHOLE, WHOLE["y"]).summary()) in text
    with pytest.warns(NPWarning), pytest.raises(InvalidInputError, match="are the rows of the fit"):
        fit.report(tmp_path / "r.md", OLD, OLD["y"], data=(OLD[["a", "b"]], OLD["y"]))


@pytest.mark.slow
def test_the_commands_count_the_same_rows(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, rows in (("old", OLD), ("new", NEW)):
        rows[["a", "b", "y"]].to_csv(f"{name}.csv", index=False)

    def run(*words):
        assert main(list(words)) == 0
        return capsys.readouterr()

    given = ("--label", "y", "--class0", "ill", "--alpha", "0.2", "--method", "randomforest", "--seed", "1")
    run("fit", "old.csv", *given, "--na-action", "omit", "--test", "new.csv", "--out", "m.joblib", "--json", "f.json")
    n0 = json.loads((tmp_path / "f.json").read_text())["test"]["n0"]
    assert n0 == (WHOLE["y"] == "ill").sum()
    out, err = run("predict", "m.joblib", "new.csv", "--label", "y")
    assert len(out.splitlines()) == 201
    assert "20 of the 200 rows of new.csv have missing values. They are classified, but nothing is guaranteed" in err
    assert err.count("missing values") == 1
    assert f" {n0} " in next(line for line in err.splitlines() if line.startswith("type I "))
    run("certify", "m.joblib", "new.csv", "--label", "y", "--json", "c.json")
    run("monitor", "new.csv", "--again", "--state", "s.json", "--label", "y", "--model", "m.joblib")
    assert json.loads((tmp_path / "c.json").read_text())["n0"] == n0
    assert json.loads((tmp_path / "s.json").read_text())["n"] == n0
