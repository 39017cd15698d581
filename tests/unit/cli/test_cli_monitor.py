"""``npc monitor``: the counts of a file of new rows, added to a state from call to call."""

import json
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc import Type1Monitor, certify, load, npc, save
from nproc.cli import main
from nproc.cli.counted_rows import judge_rows, row_marks
from nproc.monitoring import Type1ChangeDetector
from nproc.serving import score_rule


def rows(n, seed):
    rng = np.random.default_rng(seed)
    ill = rng.choice(["yes", "no"], n)
    return pd.DataFrame({"u": rng.normal(size=n) + 1.5 * (ill == "no"), "ill": ill})


@pytest.fixture
def call(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = rows(600, 1)
    fit = npc(first[["u"]], first["ill"], "lda", class0="yes", alpha=0.1, random_state=1)
    save(fit, "model.joblib")
    score_rule(first["u"][first["ill"] == "yes"], class0="yes", class1="no", score="u", alpha=0.1).write("rule.json")

    def run(*words):
        code = main(["monitor", *map(str, words)])
        return code, *capsys.readouterr()

    run.fit = fit
    return run


@pytest.mark.parametrize("model", ["model.joblib", "rule.json"])
def test_two_files_are_one_stream(call, model):
    expected = Type1Monitor(0.1)
    for number, seed in enumerate((2, 3)):
        new = rows(300, seed)
        new.to_csv(f"new{number}.csv", index=False)
        class0 = new[new["ill"] == "yes"]
        cut = call.fit.predict(class0[["u"]]) if model == "model.joblib" else None
        if cut is None:
            rule = json.loads(Path("rule.json").read_text())
            cut = np.where(class0["u"] > rule["value"], "no", "yes")
        expected.update(cut != "yes")
        code, out, err = call(f"new{number}.csv", "--state", "s.json", "--label", "ill", "--model", model)
        assert code == 0, err
    read = Type1Monitor.read("s.json")
    assert len(read.about.pop("rows")) == len(read.about.pop("inputs")) == read.n
    marks = [sha256(Path(name).read_bytes()).hexdigest() for name in (model, "new0.csv", "new1.csv")]
    assert read.about == call.fit.monitor().about | {"models": marks[:1], "files": marks[1:]}
    expected.about = read.about
    assert read == expected
    assert "Monitor of the type I error" in out


def test_a_value_that_the_model_refuses_is_told_with_its_row_and_line_in_the_file(call):
    first, new = rows(600, 1), rows(300, 2)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    save(npc(first[["u"]], first["ill"], model, class0="yes", alpha=0.1, random_state=1), "own.joblib")
    # not the number among the rows of class 0
    row = int(np.flatnonzero(new["ill"] == "yes")[60])
    new.loc[row, "u"] = np.nan
    new.to_csv("new.csv", index=False)
    code, _, err = call("new.csv", "--state", "s.json", "--label", "ill", "--model", "own.joblib")
    assert (code, f"new.csv: column 'u' has a missing value (NaN), the first in row {row + 1};" in err) == (2, True)
    assert f"row {row + 1} is line {row + 2} of the file" in err


@pytest.mark.slow
def test_a_rule_of_clusters_counts_one_row_of_each_and_none_twice(call, capsys):
    first = rows(600, 1)
    zeros = first[first["ill"] == "yes"]
    patient = pd.Series(np.arange(len(zeros)) // 2, name="patient")
    rule = score_rule(zeros["u"].to_numpy(), clusters=patient, class0="yes", class1="no", score="u", alpha=0.1)
    # values alone name no column of a file
    assert rule.cluster_column is None
    replace(rule, cluster_column="patient").write("clusters.json")
    new = rows(300, 2).assign(patient=np.arange(300) // 10)
    new.to_csv("new.csv", index=False)
    words = ("--state", "s.json", "--label", "ill", "--model", "clusters.json", "--json")
    code, out, err = call("new.csv", *words)
    assert (code, err) == (0, "note: one row counts for each 'patient'\n")
    # the rows that certify counts
    bound = certify(rule, new["u"], new["ill"], clusters=new["patient"])
    found = json.loads(out)
    assert (found["n"], found["n_errors"]) == (bound.n0, bound.n_called1)
    assert bound.n0 == 30
    code, out, err = call("new.csv", *words)
    assert (code, json.loads(out)["new_rows"]) == (0, 0)
    assert "note: 30 'patient' were counted in an earlier file" in err
    # of the state's clusters one row counts, also where a column has the labels that were predicted
    named = new.assign(patient_id=new["patient"], called="no").drop(columns="patient")
    rule = score_rule(zeros["u"].to_numpy(), clusters=patient, class0="yes", class1="no", score="u", alpha=0.1)
    replace(rule, cluster_column="patient_id").write("named.json")
    named.to_csv("named.csv", index=False)
    of_state = ("--state", "named.s.json", "--label", "ill", "--json")
    assert call("named.csv", *of_state, "--model", "named.json")[0] == 0
    named.assign(patient_id=named["patient_id"] + 100).to_csv("named.csv", index=False)
    code, out, err = call("named.csv", *of_state, "--predicted", "called", "--class0", "yes")
    # all are called no, so that there is an alarm
    assert (code, json.loads(out)["new_rows"]) == (3, 30)
    assert "note: one row counts for each 'patient_id'" in err
    assert "nothing is guaranteed" not in err
    code, out, err = call(
        "named.csv", "--state", "plain.json", *of_state[2:], "--predicted", "called", "--class0", "yes"
    )
    assert "warning: nothing is guaranteed by these rows, because rows of one patient" in err
    new.drop(columns="patient").to_csv("without.csv", index=False)
    assert "clusters is missing: the 30 rows so far are one row of each" in call("without.csv", *words)[2]
    Path("s.json").unlink()
    n0 = sum(new["ill"] == "yes")
    code, out, err = call("without.csv", *words)
    found = json.loads(out)
    assert (found["n"], found["lower_bound"], found["upper_bound"]) == (n0, None, None)
    told = " ".join(str(Type1Monitor.read("s.json").summary()).split())
    assert "Nothing is guaranteed, because the classifier was made with clusters, and those of these rows are" in told
    assert f"clusters is missing, so each of the {n0} rows is treated as its own cluster" in err


@pytest.mark.parametrize("model", ["model.joblib", "rule.json"])
def test_rows_that_made_the_classifier_are_refused_or_nothing_is_guaranteed(call, model):
    rows(600, 1).to_csv("old.csv", index=False)
    words = ["old.csv", "--state", "s.json", "--label", "ill", "--model", model]
    code, out, err = call(*words)
    assert (code, out, Path("s.json").exists()) == (2, "", False)
    assert "the class 0 rows of old.csv are likely to have made the classifier, and no state is written" in err
    assert call(*words, "--again")[0] == 0
    monitor = Type1Monitor.read("s.json")
    assert monitor.rows_again == monitor.n == sum(rows(600, 1)["ill"] == "yes")
    assert "Nothing is guaranteed" in str(monitor.summary())


@pytest.mark.slow
def test_a_file_is_counted_twice_only_where_asked_for_and_later_calls_claim_nothing(call):
    late = ("--run-length", "3000")
    for kind, claim, others in ((Type1Monitor, "ever an alarm", ()), (Type1ChangeDetector, "for ever, the mean", late)):
        words = ["--state", f"{kind.__name__}.json", "--label", "ill", "--model", "model.joblib", *others]
        for name, seed in (("new.csv", 2), ("next.csv", 3), ("again.csv", 2), ("last.csv", 4)):
            rows(300, seed).to_csv(name, index=False)
            if name == "again.csv":
                before = Path(f"{kind.__name__}.json").read_bytes()
                code, out, err = call(name, *words)
                assert (code, out) == (2, "")
                assert f"{kind.__name__}.json has counted a file with the very bytes of again.csv before, and is" in err
                assert Path(f"{kind.__name__}.json").read_bytes() == before
                words += ["--again"]
            code, out, err = call(name, *words)
            told = f"warning: {kind.__name__}.json has counted a file with the very bytes of {name} before" in err
            assert (code, told) == (0, name == "again.csv")
            assert (claim in out) == (name in ("new.csv", "next.csv"))
        monitor = kind.read(f"{kind.__name__}.json")
        n = sum(rows(300, 2)["ill"] == "yes")
        assert monitor.rows_again == n
        assert f"guaranteed: {n} of the {monitor.n} rows" in " ".join(str(monitor.summary()).split())
        assert f"nothing is guaranteed, as {n} of the {monitor.n} rows" in repr(monitor)
        if kind is Type1Monitor:
            assert np.isnan([monitor.lower_bound, monitor.upper_bound]).all()
            assert monitor.to_frame()[["lower_bound", "upper_bound"]].isna().all(axis=None)
            rates, _ = monitor.plot()
            assert "rows that are not new: no bounds" in rates.get_legend_handles_labels()[1][1]
            assert not rates.collections
        found = json.loads(call("last.csv", *words, "--json")[1])
        assert found["rows_again"] == n + sum(rows(300, 4)["ill"] == "yes")
        assert (found.get("lower_bound"), found.get("upper_bound")) == (None, None)


@pytest.mark.slow
def test_equal_scores_are_called_by_other_coins_in_each_file(call):
    rule = score_rule(np.repeat([0.0, 1.0], 200), class0="yes", alpha=0.25, ties="randomize", random_state=2)
    rule.write("coin.json")
    pd.DataFrame({"score": [1.0], "ill": ["yes"]}).to_csv("one.csv", index=False)
    for _ in range(40):
        _, out, _ = call("one.csv", "--state", "s.json", "--label", "ill", "--model", "coin.json", "--again", "--json")
    # this score is called class 1 with probability 0.407, so that each end has one below 1e-9
    assert 0 < json.loads(out)["n_errors"] < 40


@pytest.mark.slow
def test_a_column_of_predictions_an_alarm_and_a_picture(call, tmp_path):
    new = pd.DataFrame({"y": np.zeros(400), "p": np.where(np.arange(400) % 4 == 0, 1, 0)})
    new.to_csv("new.csv", index=False)
    words = ["new.csv", "--state", "s.json", "--label", "y", "--predicted", "p", "--class0", "0", "--alpha", "0.05"]
    code, out, err = call(*words, "--plot", "m.png", "--figsize", "3.35x3", "--json")
    # a script reads the alarm
    assert code == 3, err
    found = json.loads(out)
    assert (found["n"], found["n_errors"], found["alarm"]) == (400, 100, True)
    assert found["lower_bound"] > 0.05
    assert imread("m.png").shape[:2] == (900, 1005)
    assert (tmp_path / "m.png").stat().st_size > 5000
    code, _, err = call(*words[:-1], "0.1")
    assert code == 2
    assert "--alpha 0.1 differs from the 0.05 of s.json" in err
    # also in a later call, of good rows
    pd.DataFrame({"y": np.zeros(40), "p": np.zeros(40)}).to_csv("new.csv", index=False)
    code, out, _ = call(*words)
    assert code == 3
    told = " ".join(out.split())
    assert "Alarm: the errors speak against a type I error of at most 0.05. Do not rely on this bound" in told
    assert "Then look at the latest class 0 rows that were called another class: has class 0 changed" in told


def test_a_level_that_nobody_gave_is_said_once(call):
    for seed, told in ((4, True), (5, False)):
        rows(60, seed).assign(p="yes").to_csv("new.csv", index=False)
        code, out, _ = call("new.csv", "--state", "s.json", "--label", "ill", "--predicted", "p", "--class0", "yes")
        assert (code, out.startswith("alpha is 0.05, because --alpha is not given.")) == (0, told)
    for words in (["--predicted", "p", "--class0", "yes", "--alpha", "0.2"], ["--model", "model.joblib"]):
        Path("s.json").unlink()
        assert "--alpha is not given" not in call("new.csv", "--state", "s.json", "--label", "ill", *words)[1]


@pytest.mark.slow
@pytest.mark.parametrize("which", ["model.joblib", "rule.json", None])
def test_rows_that_depend_on_each_other_are_told_in_the_table_from_then_on(call, which):
    words = ["--state", "s.json", "--label", "ill"]
    words += ["--model", which] if which else ["--predicted", "p", "--class0", "yes", "--alpha", "0.1"]
    rows(300, 2).assign(p="yes", patient=np.arange(300) // 10).to_csv("new.csv", index=False)
    rows(300, 3).assign(p="yes").to_csv("next.csv", index=False)
    for name in ("new.csv", "next.csv"):
        out = " ".join(call(name, *words)[1].split())
        assert "Nothing is guaranteed, because rows of one patient, country or other unit are not independent:" in out
        assert "share their 'patient' with another row. What follows would hold for independent rows." in out
        assert "Lower bound: -" in out
        assert "Upper bound: -" in out
    monitor = Type1Monitor.read("s.json")
    assert np.isnan([monitor.lower_bound, monitor.upper_bound]).all()
    assert "nothing is guaranteed, as rows depend on each other" in repr(monitor)
    assert "rows that depend on each other: no bounds" in monitor.plot()[0].get_legend_handles_labels()[1][1]
    rows(300, 4).assign(p="yes").to_csv("last.csv", index=False)
    found = json.loads(call("last.csv", *words, "--json")[1])
    assert "share their 'patient'" in found["dependent"]
    assert found["lower_bound"] is found["upper_bound"] is None


def test_a_picture_of_no_rows_is_said_not_to_be_drawn(call):
    rows(60, 5).assign(ill="no", p="yes").to_csv("none.csv", index=False)
    rows(60, 5).assign(p="yes").to_csv("good.csv", index=False)
    of_column = ["--label", "ill", "--predicted", "p", "--class0", "yes", "--plot", "p.png"]
    for state, name, late, why in (
        ("s.json", "none.csv", (), "no row counts so far"),
        ("t.json", "good.csv", ("--run-length", "100"), "no row was an error so far"),
    ):
        code, _, err = call(name, "--state", state, *of_column, *late)
        assert (code, f"note: p.png is not drawn, because {why}\n" in err) == (0, True)
        assert not Path("p.png").exists()


def test_rows_without_a_score_or_a_cluster_are_left_out_where_that_is_asked_for(call, capsys):
    new, patient = rows(300, 2), np.arange(300.0) // 2
    new.assign(patient=patient).to_csv("whole.csv", index=False)
    new.loc[[0, 7, 8], "u"] = np.nan
    new.to_csv("new.csv", index=False)
    words = ["--label", "ill", "--na-action", "omit"]
    assert call("new.csv", "--state", "s.json", "--label", "ill", "--model", "rule.json")[0] == 2
    code, out, err = call("new.csv", "--state", "s.json", *words, "--model", "rule.json")
    assert (code, err) == (0, "")
    told = "3 of the 300 rows of new.csv have missing values and are left out."
    assert out.startswith(f"{told} Only the other rows are counted.")
    n0 = int((new["u"].notna() & (new["ill"] == "yes")).sum())
    assert Type1Monitor.read("s.json").n == n0
    assert main(["certify", "rule.json", "new.csv", *words]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"{told} The bound is about the other rows.")
    assert f" {n0} " in " ".join(out.split())
    new.assign(u=np.nan).to_csv("none.csv", index=False)
    code, _, err = call("none.csv", "--state", "t.json", *words, "--model", "rule.json")
    assert (code, "no row is left. All 300 rows of none.csv have missing values" in err) == (2, True), err
    # a state of clusters, and a column of predictions
    first = rows(600, 1).assign(patient=np.arange(600) // 2)
    fit = npc(first[["u", "patient"]], first["ill"], "lda", class0="yes", alpha=0.1, clusters="patient")
    save(fit, "clusters.joblib")
    assert call("whole.csv", "--state", "c.json", "--label", "ill", "--model", "clusters.joblib")[0] == 0
    patient[:3] = np.nan
    new.assign(patient=patient + 1000, p="yes").to_csv("gaps.csv", index=False)
    of_column = ["gaps.csv", "--state", "c.json", "--label", "ill", "--predicted", "p", "--class0", "yes"]
    assert "the column of clusters 'patient' has" in call(*of_column)[2]
    code, out, _ = call(*of_column, "--na-action", "omit")
    assert code == 0
    assert out.startswith("3 of the 300 rows of gaps.csv have no value in the column 'patient' and are left out. Only")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--predicted", "p"], "--predicted needs --class0"),
        (["--predicted", "ill", "--class0", "yes"], "--predicted and --label are both 'ill', so that no row could be"),
        (["--model", "model.joblib", "--class0", "yes"], "--class0 is for --predicted"),
        (["--model", "model.joblib", "--score", "u"], "--score is for a rule"),
        (["--predicted", "q", "--class0", "yes"], "q"),
    ],
)
def test_what_does_not_go_together_is_refused(call, words, message):
    rows(50, 4).assign(p="yes").to_csv("new.csv", index=False)
    code, _, err = call("new.csv", "--state", "s.json", "--label", "ill", *words)
    assert code == 2
    assert message in err


@pytest.mark.slow
def test_a_file_without_class_0_is_told_with_its_labels_and_writes_no_state(call):
    rows(60, 5).assign(ill="no", p="no").to_csv("none.csv", index=False)
    rows(60, 6).assign(p="yes").to_csv("some.csv", index=False)
    told = "note: no row of none.csv is of class 0, yes: the column 'ill' has 'no'. "
    for which in (["--model", "model.joblib"], ["--model", "rule.json"], ["--predicted", "p", "--class0", "yes"]):
        words = ["--state", "s.json", "--label", "ill", *which, "--alpha", "0.1"]
        code, _, err = call("none.csv", *words)
        assert (code, err) == (0, f"{told}No state is written.\n")
        assert not Path("s.json").exists()
        assert call("some.csv", *words)[0] == 0
        before = Path("s.json").read_bytes()
        code, _, err = call("none.csv", *words)
        assert (code, err) == (0, f"{told}s.json stays as it is.\n")
        assert Path("s.json").read_bytes() == before
        Path("s.json").unlink()


def test_class_0_rows_that_are_all_left_out_write_no_state(call):
    first = rows(600, 1)
    first.loc[3, "u"] = np.nan
    first.to_csv("first.csv", index=False)
    fit = ["fit", "first.csv", "--label", "ill", "--class0", "yes", "--method", "lda", "--na-action", "omit"]
    assert main([*fit, "--out", "omit.joblib"]) == 0
    new = rows(60, 5)
    new.loc[new["ill"] == "yes", "u"] = np.nan
    new.to_csv("gaps.csv", index=False)
    code, _, err = call("gaps.csv", "--state", "s.json", "--label", "ill", "--model", "omit.joblib")
    assert code == 0
    assert "each class 0 row of gaps.csv has missing values and is left out. No state is written." in err
    assert not Path("s.json").exists()


def test_a_file_in_which_no_row_is_called_class_0_counts_and_is_told(call):
    rows(60, 5).assign(p="no").to_csv("none.csv", index=False)
    words = ["none.csv", "--state", "t.json", "--label", "ill", "--predicted", "p", "--class0", "yes"]
    code, _, err = call(*words)
    assert code == 3
    assert "note: no row was called yes; the column 'p' has 'no'" in err


def test_a_column_without_any_label_holds_no_predictions_and_leaves_the_state_alone(call):
    rows(60, 5).assign(p="yes", test="positive", flag=1).to_csv("new.csv", index=False)
    words = ["new.csv", "--state", "t.json", "--label", "ill", "--class0", "yes", "--predicted"]
    assert call(*words, "p")[0] == 0
    before = Path("t.json").read_bytes()
    for column, values in (("test", "'positive'"), ("flag", "1")):
        code, _, err = call(*words, column)
        assert code == 2
        assert f"--predicted {column} has {values}, which are no labels: the column 'ill' has 'no', 'yes'." in err
    assert Path("t.json").read_bytes() == before
    # with one class alone the other may have any name
    rows(60, 5).assign(ill="yes", p="well").to_csv("new.csv", index=False)
    assert call(*words, "p")[0] == 3


@pytest.mark.slow
def test_a_run_length_asks_for_the_detector_of_late_changes(call, tmp_path):
    new = rows(900, 4)
    new.to_csv("new.csv", index=False)
    wrong = call.fit.predict(new[["u"]][new["ill"] == "yes"]) != "yes"
    words = ["new.csv", "--state", "late.json", "--label", "ill", "--model", "model.joblib", "--again"]
    for _ in range(2):
        code, out, err = call(*words, "--run-length", 3000, "--plot", "late.png")
        assert code == 0, err
    read, expected = Type1ChangeDetector.read("late.json"), Type1ChangeDetector(0.1, 3000).update(np.tile(wrong, 2))
    expected.about = read.about
    assert read == expected
    assert "Detector of a late rise" in out
    last = np.flatnonzero(np.tile(wrong, 2))[-1] + 1
    assert read.evidence > 0
    assert f"is its value at the last error, row {last} of {read.n}." in " ".join(out.split())
    assert Path("late.png").stat().st_size > 1000
    record = json.loads(call(*words, "--run-length", 3000, "--json")[1])
    assert record["evidence_at"] == np.flatnonzero(np.tile(wrong, 3))[-1] + 1
    # a state is of one kind and one run length
    assert "differs from the 3000" in call(*words, "--run-length", 4000)[2]
    assert "is not a file of the format" in call(*words)[2]
    assert "give one" in call(*words, "--run-length", 3000, "--delta", 0.1)[2]


def test_a_model_of_another_level_or_with_other_labels_is_refused(call):
    new = rows(300, 2)
    new.to_csv("new.csv", index=False)
    words = ["new.csv", "--state", "s.json", "--label", "ill", "--again", "--model"]
    assert call(*words, "model.joblib")[0] == 0
    before = Path("s.json").read_bytes()
    other = rows(600, 9)
    X, y = other[["u"]], other["ill"]
    save(npc(X, y, "lda", class0="yes", alpha=0.3, random_state=1), "wide.joblib")
    code, _, err = call(*words, "wide.joblib")
    assert code == 2
    assert "wide.joblib was made for alpha=0.3, and s.json for alpha=0.1. Start a new state file" in err
    save(npc(-X, y, "lda", class0="no", alpha=0.1, random_state=1), "other.joblib")
    code, _, err = call(*words, "other.joblib")
    assert code == 2
    assert "in other.joblib class 0 is 'no', and in s.json it is 'yes'" in err
    new.assign(called="no").to_csv("new.csv", index=False)
    code, _, err = call(*words[:-1], "--predicted", "called", "--class0", "no")
    assert code == 2
    assert "in --class0 class 0 is 'no'" in err
    assert Path("s.json").read_bytes() == before
    # asked for by name, the level of the state is tested
    code, out, err = call(*words, "wide.joblib", "--alpha", "0.1")
    assert code == 0
    assert "note: wide.joblib is not the file that called the rows before" in err
    assert "The rows were called by 2 model files." in " ".join(out.split())
    # after a return to the first file there is one note, not one at each call
    notes = ["not the file that called the rows before" in call(*words, "model.joblib")[2] for _ in range(3)]
    assert notes == [True, False, False]


def test_a_level_that_was_asked_for_once_need_not_be_asked_for_again(call):
    rows(300, 2).to_csv("new.csv", index=False)
    rows(300, 3).to_csv("next.csv", index=False)
    words = ["--state", "s.json", "--label", "ill", "--model", "model.joblib"]
    assert call("new.csv", *words, "--alpha", "0.2")[0] == 0
    code, out, err = call("next.csv", *words)
    assert (code, err) == (0, "")
    assert "model files" not in out
    assert Type1Monitor.read("s.json").alpha == 0.2


def test_a_model_of_the_level_that_is_tested_is_accepted(call):
    new = rows(300, 2)
    new.to_csv("new.csv", index=False)
    words = ["new.csv", "--state", "s.json", "--label", "ill", "--again", "--model"]
    assert call(*words, "model.joblib", "--alpha", "0.2")[0] == 0
    for alpha in (0.2, 0.3):
        save(npc(new[["u"]], new["ill"], "lda", class0="yes", alpha=alpha, random_state=1), f"{alpha}.joblib")
    assert call(*words, "0.2.joblib")[0] == 0
    code, _, err = call(*words, "0.3.joblib")
    assert code == 2
    assert "0.3.joblib was made for alpha=0.3, and s.json for alpha=0.2. Start a new state file" in err


def test_labels_of_a_state_are_the_same_numbers_in_other_files(call):
    new = pd.DataFrame({"y": [0, 1] * 30, "p": [0, 1] * 30})
    new.to_csv("new.csv", index=False)
    words = ["new.csv", "--state", "s.json", "--label", "y", "--again", "--predicted", "p", "--class0"]
    assert call(*words, "0")[0] == call(*words, "0.0")[0] == 0
    assert call(*words, "1")[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("class0", ["yes", "1"])
def test_rows_that_predict_left_without_a_prediction_are_no_errors(call, class0):
    new = rows(300, 6)
    if class0 == "1":
        new["ill"] = (new["ill"] == "yes").astype(int)
        first = rows(600, 1)
        save(npc(first[["u"]], (first["ill"] == "yes").astype(int), "lda", class0=1, alpha=0.1), "model.joblib")
    new.loc[[0, 7], "u"] = np.nan
    new.to_csv("new.csv", index=False)
    predict = ["predict", "model.joblib", "new.csv", "--na-action", "omit", "--keep", "ill", "--out", "called.csv"]
    assert main(predict) == 0
    words = ["called.csv", "--state", "s.json", "--label", "ill", "--predicted", "predicted", "--class0", class0]
    code, _, err = call(*words)
    assert code == 2
    assert "column of predicted labels 'predicted' has 2 missing value(s), the first in row 1; give --na-action" in err
    code, out, err = call(*words, "--na-action", "omit")
    assert (code, err) == (0, "")
    assert "2 of the 300 rows of called.csv have no predicted label and are left out. Only the other rows" in out
    same = ["new.csv", "--state", "t.json", "--label", "ill", "--model", "model.joblib", "--na-action", "omit"]
    assert call(*same)[0] == 0
    by_name, by_model = Type1Monitor.read("s.json"), Type1Monitor.read("t.json")
    assert (by_name.n, by_name.n_errors) == (by_model.n, by_model.n_errors)
    assert by_name.n_errors > 0
    for given in (words, same):
        given = [*given[:2], "json.json", *given[3:], "--na-action", "omit", "--json"]
        found = json.loads(call(*given)[1])
        assert (found["n"], found["left_out"]) == (by_name.n, 2)
        Path("json.json").unlink()
    # only class 0 rows count, and need a prediction
    called = pd.read_csv("called.csv")
    is0, whole = (called["ill"].astype(str) == class0).to_numpy(), called["predicted"].fillna(called["ill"])
    called.assign(predicted=whole.where(is0)).to_csv("called.csv", index=False)
    assert call(*words[:2], "class 0.json", *words[3:])[0] == 0
    of_class0 = Type1Monitor.read("class 0.json")
    assert (of_class0.n, of_class0.n_errors) == (sum(is0), by_name.n_errors)
    called.assign(predicted=whole.mask(is0)).to_csv("called.csv", index=False)
    code, out, err = call(*words[:2], "none.json", *words[3:], "--na-action", "omit")
    assert (code, Path("none.json").exists()) == (0, False)
    named = {"yes": "class 0, yes", "1": "class 0 (label 1)"}[class0]
    assert f"note: no row of called.csv that is not left out is of {named}: the column 'ill' has " in err
    pd.read_csv("called.csv").assign(predicted=np.nan).to_csv("called.csv", index=False)
    code, _, err = call(*words, "--na-action", "omit")
    assert (code, "no row of called.csv has a value in the column 'predicted' of predicted labels" in err) == (2, True)


def test_a_state_needs_a_real_file(call):
    rows(50, 4).to_csv("new.csv", index=False)
    code, _, err = call("new.csv", "--state", os.devnull, "--label", "ill", "--model", "model.joblib")
    assert code != 0
    assert f"--state {os.devnull} is not a regular file" in err


@pytest.mark.parametrize("which", ["model.joblib", "rule.json", None])
def test_rows_that_an_earlier_file_had_count_once_however_the_new_file_is_written(call, which):
    words = ["--state", "s.json", "--label", "ill"]
    words += ["--model", which] if which else ["--predicted", "p", "--class0", "yes", "--alpha", "0.1"]
    first, second = rows(60, 2).assign(p="yes"), rows(90, 3).assign(p="yes")
    n1, n2 = (int(np.sum(part["ill"] == "yes")) for part in (first, second))
    first.to_csv("m1.csv", index=False)
    pd.concat([first, second]).to_csv("m12.csv", index=False)
    first[["p", "ill", "u"]].to_csv("m1crlf.csv", index=False, lineterminator="\r\n")
    assert call("m1.csv", *words)[0] == 0
    before = Path("s.json").read_bytes()
    for name, told in (("m12.csv", f"{n1} of the {n1 + n2}"), ("m1crlf.csv", f"all {n1}")):
        code, out, err = call(name, *words)
        assert (code, out, Path("s.json").read_bytes()) == (2, "", before)
        assert f"{told} class 0 rows of {name} equal rows that s.json has counted, and it is left" in err
    second.to_csv("m2.csv", index=False)
    assert call("m2.csv", *words)[::2] == (0, "")
    code, out, err = call("m12.csv", *words, "--again", "--json")
    found = json.loads(out)
    assert (code, found["n"], found["rows_again"]) == (0, 2 * (n1 + n2), n1 + n2)
    assert "Nothing is guaranteed where a row counts twice" in err


def test_few_rows_that_equal_counted_ones_count_and_are_told_in_the_table(call):
    words = ["--state", "s.json", "--label", "ill", "--model", "model.joblib"]
    first, second = rows(60, 2), rows(90, 3)
    first.to_csv("m1.csv", index=False)
    again = first[first["ill"] == "yes"].head(2)
    pd.concat([second, again]).to_csv("m2.csv", index=False)
    call("m1.csv", *words)
    code, out, err = call("m2.csv", *words)
    assert (code, "m2.csv equal rows that s.json has counted before. If they are the same" in err) == (0, True)
    assert "equal rows counted before, in all columns of the file. If they are the same" in " ".join(out.split())
    assert Type1Monitor.read("s.json").rows_alike == 2


@pytest.mark.parametrize("which", ["model.joblib", "rule.json"])
def test_rows_with_other_columns_that_the_classifier_does_not_read_count_once(call, which):
    words = ["--state", "s.json", "--label", "ill", "--model", which]
    rows(60, 2).assign(site=np.arange(60)).to_csv("m1.csv", index=False)
    assert call("m1.csv", *words)[::2] == (0, "")
    n = int(np.sum(rows(60, 2)["ill"] == "yes"))
    told = f"all {n} class 0 rows of m2.csv equal rows that s.json has counted in the columns that the classifier reads"
    for other in (rows(60, 2), rows(60, 2).assign(site=np.arange(60), batch=1)):
        other.to_csv("m2.csv", index=False)
        code, _, err = call("m2.csv", *words)
        assert (code, told in err) == (2, True)
    assert f"{told}, and now count again" in call("m2.csv", *words, "--again")[2]


def test_counted_rows_are_refused_also_where_they_are_few_of_a_file(call):
    words = ["--state", "s.json", "--label", "ill", "--model", "model.joblib"]
    first = rows(200, 2)
    first.to_csv("m1.csv", index=False)
    pd.concat([first, rows(1800, 3)]).to_csv("m2.csv", index=False)
    assert call("m1.csv", *words)[::2] == (0, "")
    code, _, err = call("m2.csv", *words)
    assert (code, "class 0 rows of m2.csv equal rows that s.json has counted, and it is left" in err) == (2, True)


@pytest.mark.parametrize("which", ["model", "rule", "predicted"])
def test_rows_that_were_counted_with_swapped_labels_are_known_when_they_come_with_right_ones(call, which):
    way = {"model": ["--model", "model.joblib"], "rule": ["--model", "rule.json"]}.get(which)
    way = way or ["--predicted", "called", "--class0", "yes", "--alpha", 0.1]
    right = [rows(120, seed).assign(visit=np.arange(120)) for seed in (2, 3)]
    right = [one.assign(called=np.where(one["u"] > 1.5, "no", "yes")) for one in right]
    swapped = right[1].assign(ill=right[1]["ill"].map({"yes": "no", "no": "yes"}))
    for name, one in (("first", right[0]), ("swapped", swapped), ("right", right[1])):
        one.to_csv(f"{name}.csv", index=False)
    said = {}
    for name in ("first", "swapped", "right"):
        code, out, said[name] = call(f"{name}.csv", "--state", "s.json", "--label", "ill", *way)
        assert code == (0 if name == "first" else 3)
        assert ("Rows with wrong labels stay in the counts: go back to a copy" in " ".join(out.split())) is (code == 3)
    n = int((right[1]["ill"] == "no").sum())
    told = (
        f"that are not of class 0, yes, {n} equal rows that s.json has counted as class 0. If their labels were wrong"
    )
    assert told in said["right"]
    assert "counted as class 0" not in said["first"] + said["swapped"]
    # the state remembers it
    rows(50, 9).assign(visit=range(300, 350), called="yes").to_csv("later.csv", index=False)
    _, out, _ = call("later.csv", "--state", "s.json", "--label", "ill", *way)
    assert f"{n} of the" in " ".join(out.split())
    assert "came again in a file in which they are not of class 0. If their labels were wrong" in " ".join(out.split())


def test_common_values_of_the_other_class_are_no_rows_that_were_counted(call):
    rng = np.random.default_rng(4)
    for seed in (2, 3):
        new = rows(400, seed)
        # of class 1 nearly all have the value 2, and of class 0 one in twenty
        share = np.where(new["ill"] == "no", 0.95, 0.05)
        new["u"] = np.where(rng.random(400) < share, 2.0, new["u"])
        new.to_csv(f"{seed}.csv", index=False)
        _, _, err = call(f"{seed}.csv", "--state", "s.json", "--label", "ill", "--model", "model.joblib")
        assert "counted as class 0" not in err


def test_few_counted_rows_do_not_tell_which_rows_are_the_same(call):
    words = ["--state", "s.json", "--label", "y", "--predicted", "p", "--class0", "0", "--alpha", "0.1"]
    Path("m1.csv").write_text("p,y\n0,0\n1,0\n")
    Path("m2.csv").write_text("y,p\n" + "0,0\n" * 30)
    for name in ("m1.csv", "m2.csv"):
        assert call(name, *words)[::2] == (0, "")


@pytest.mark.parametrize("which", ["model.joblib", None])
def test_a_short_file_is_known_again_within_a_longer_one(call, which):
    words = ["--state", "s.json", "--label", "ill"]
    words += ["--model", which] if which else ["--predicted", "p", "--class0", "yes", "--alpha", "0.1"]
    first = rows(12, 2).assign(p="yes")
    n = int(np.sum(first["ill"] == "yes"))
    first.to_csv("m1.csv", index=False)
    longer = pd.concat([first, rows(90, 3).assign(p="yes")])
    longer.to_csv("m2.csv", index=False)
    assert (call("m1.csv", *words)[::2], n < 10) == ((0, ""), True)
    code, _, err = call("m2.csv", *words)
    told = f"{n} of the {np.sum(longer['ill'] == 'yes')} class 0 rows of m2.csv equal rows that s.json has counted"
    assert (code, told in err) == (2, True)


def test_rows_of_few_values_that_are_numbered_in_each_file_are_new_rows(call):
    words = ["--state", "s.json", "--label", "y", "--predicted", "p", "--class0", "0", "--alpha", "0.2"]
    for seed, n in enumerate((12, 60, 70)):
        called = np.random.default_rng(seed).integers(20, size=n) == 0
        pd.DataFrame({"line": np.arange(1, n + 1), "p": called.astype(int), "y": 0}).to_csv("m.csv", index=False)
        assert call("m.csv", *words)[::2] == (0, "")


def test_a_state_without_hashes_of_rows_without_their_numbers_knows_the_rows_that_it_has_counted(call):
    words = ["--state", "s.json", "--label", "ill", "--predicted", "p", "--class0", "yes", "--alpha", "0.1"]
    new = rows(90, 2).assign(line=np.arange(1, 91), p="yes")
    new.to_csv("m1.csv", index=False)
    assert call("m1.csv", *words)[::2] == (0, "")
    state = json.loads(Path("s.json").read_text())
    del state["about"]["unnumbered"]
    Path("s.json").write_text(json.dumps(state))
    # other digits of the same numbers
    new.to_csv("m2.csv", index=False, float_format="%.20f")
    rows(70, 3).assign(line=np.arange(1, 71), p="yes").to_csv("m3.csv", index=False)
    # what the state learns of another file hides nothing
    for name, expected in (("m2.csv", 2), ("m3.csv", 0), ("m2.csv", 2)):
        code, _, err = call(name, *words)
        told = f"class 0 rows of {name} equal rows that s.json has counted, and it is left"
        assert (code, told in err) == (expected, expected == 2)


def test_the_hash_of_a_row_stays_what_it_was_when_the_state_was_written():
    table = pd.DataFrame({"b": [1, -3], "a": [1.5, -0.0], "c": ["x ", None], "d": ["2.50", "1e3"]})
    texts = [("1.5", "1.0", "x", "2.5"), ("0.0", "-3.0", "", "1000.0")]
    assert row_marks(table) == [sha256(f"['a', 'b', 'c', 'd']{cells!r}".encode()).hexdigest()[:16] for cells in texts]
    # a float would not tell these apart
    long = pd.DataFrame({"a": [2**53, 2**53 + 1, str(2**53 + 1), 2.0**60, 2**60]}, dtype=object)
    marks = row_marks(long)
    assert (len(set(marks)), marks[1] == marks[2], marks[3] == marks[4]) == (3, True, True)


def drawn_rows(rng, n_values, n):
    return list(map(str, rng.integers(n_values, size=n)))


@pytest.mark.slow
@pytest.mark.parametrize("n_values", [2, 20, 100, 250, 5000])
def test_new_rows_are_taken_for_counted_ones_once_in_a_thousand_files_at_most(n_values):
    rng, n_files, found = np.random.default_rng(1), 1000, 0
    for _ in range(n_files):
        counted, new = (drawn_rows(rng, n_values, rng.integers(1, most)) for most in (60, 80))
        found += judge_rows(new, counted)[1]
    # more have a probability below 1e-3
    assert found <= binom.ppf(1 - 1e-3, n_files, 1e-3)


@pytest.mark.parametrize(
    ("n_values", "n", "n_more"), [(50, 20, 0), (100, 60, 0), (200, 60, 60), (200, 300, 0), (500, 60, 60), (5000, 9, 90)]
)
def test_rows_that_come_twice_or_within_a_longer_file_are_known_again_although_some_are_equal(n_values, n, n_more):
    rng = np.random.default_rng(1)
    for _ in range(20):
        counted = drawn_rows(rng, n_values, n)
        assert judge_rows(counted + drawn_rows(rng, n_values, n_more), counted) == (mock.ANY, True)


def test_equal_numbers_of_few_values_in_each_file_are_no_copies():
    for n_values, of_each in ((10, 30), (50, 4)):
        rows_of_each = list(map(str, range(n_values))) * of_each
        assert judge_rows(rows_of_each, rows_of_each) == (0, False)


def test_one_row_that_equals_a_counted_one_is_told_in_the_singular(call):
    words = ["--state", "s.json", "--label", "ill", "--model", "model.joblib"]
    rows(60, 2).to_csv("m1.csv", index=False)
    first = rows(60, 2)
    first[first["ill"] == "yes"].head(1).to_csv("m2.csv", index=False)
    call("m1.csv", *words)
    assert "the one class 0 row of m2.csv equals a row that s.json has counted before" in call("m2.csv", *words)[2]


def test_rows_of_few_values_equal_one_another_by_chance_and_count(call):
    words = ["--state", "s.json", "--label", "ill", "--model", "model.joblib"]
    for seed in (2, 3):
        rows(300, seed).round(1).to_csv("new.csv", index=False)
        assert call("new.csv", *words)[::2] == (0, "")
    assert Type1Monitor.read("s.json").rows_alike == 0


@pytest.mark.parametrize("which", ["model.joblib", "rule.json", None])
def test_a_patient_of_an_earlier_file_is_refused_or_nothing_is_guaranteed(call, which):
    words = ["--state", "s.json", "--label", "ill"]
    words += ["--model", which] if which else ["--predicted", "p", "--class0", "yes", "--alpha", "0.1"]
    first = rows(60, 2).assign(p="yes", patient_id=np.arange(100, 160))
    second = rows(60, 3).assign(p="yes", patient_id=[*first["patient_id"][first["ill"] == "yes"][:5], *range(200, 255)])
    n_again = int(np.sum(second["ill"][:5] == "yes"))
    n = int(np.sum(second["ill"] == "yes"))
    first.to_csv("m1.csv", index=False)
    second.to_csv("m2.csv", index=False)
    assert call("m1.csv", *words)[::2] == (0, "")
    before = Path("s.json").read_bytes()
    told = f"{n_again} of the {n} rows share their 'patient_id' with a row of an earlier file"
    code, out, err = call("m2.csv", *words)
    assert (code, out, told in err, Path("s.json").read_bytes()) == (2, "", True, before)
    code, out, err = call("m2.csv", *words, "--again")
    assert (code, n_again > 1, told in " ".join(out.split()), told in err) == (0, True, True, True)
    # identifiers are kept as hashes
    assert '"100"' not in Path("s.json").read_text()


@pytest.mark.parametrize(
    "owners",
    [
        lambda file, row: f"5678e{900 + 60 * file + row}" if row % 2 else f"a{file}b{row}",
        lambda file, row: f"{'0' * file}7{row}",
        lambda file, row: 2**60 + 512 * row + file,
    ],
)
def test_different_patients_are_told_apart(call, owners):
    words = ["--state", "s.json", "--label", "ill", "--model", "model.joblib"]
    for file in (0, 1):
        rows(60, file + 2).assign(patient_id=[owners(file, row) for row in range(60)]).to_csv("new.csv", index=False)
        assert call("new.csv", *words)[::2] == (0, "")


def test_numbers_of_rows_that_begin_anew_in_each_file_are_no_patients(call):
    words = ["--state", "s.json", "--label", "ill", "--model", "model.joblib"]
    for name, seed in (("m1.csv", 2), ("m2.csv", 3)):
        numbers = dict.fromkeys(["id", "row_id", "lfdNr"], np.arange(1, 61))
        rows(60, seed).assign(**numbers).to_csv(name, index=False)
        assert call(name, *words)[::2] == (0, "")
    # the same numbers in another order are those of somebody
    rows(60, 4).assign(id=np.arange(60, 0, -1)).to_csv("m3.csv", index=False)
    err = call("m3.csv", *words)[2]
    assert "share their 'id' with a row of an earlier file" in err
    assert "or leave out the column if its numbers begin anew in each file" in " ".join(err.split())


def test_numbers_of_rows_are_no_patients_where_rows_are_left_out(call):
    words = ["--state", "s.json", "--label", "ill", "--model", "model.joblib", "--na-action", "omit"]
    for name, seed in (("m1.csv", 2), ("m2.csv", 3)):
        table = rows(60, seed).assign(id=np.arange(1, 61))
        table.loc[seed, "u"] = np.nan
        table.to_csv(name, index=False)
        code, out, err = call(name, *words)
        assert (code, err, "1 of the 60 rows" in out) == (0, "", True)


def test_rows_that_differ_in_a_long_whole_number_alone_are_different_rows(call):
    words = ["--state", "s.json", "--label", "ill", "--predicted", "p", "--class0", "yes", "--alpha", "0.1"]
    for file in (0, 1):
        # as floats the numbers of both files are the same
        stays = [2**60 + 512 * row + file for row in range(60)]
        pd.DataFrame({"ill": "yes", "p": "yes", "stay": stays}).to_csv("new.csv", index=False)
        assert call("new.csv", *words)[::2] == (0, "")


@pytest.mark.parametrize("column", ["country", "country_id"])
def test_countries_that_come_in_each_file_refuse_none(call, column, capsys):
    first = rows(600, 1).assign(**{column: np.arange(600) % 5})
    first.to_csv("fit.csv", index=False)
    words = ["--label", "ill", "--class0", "yes", "--features", "u", "--alpha", "0.1", "--seed", "1"]
    assert main(["fit", "fit.csv", *words, "--out", "of.joblib"]) == 0
    fit = load("of.joblib")
    save(replace(fit, design=replace(fit.design, owners=(column,))), "of.joblib")
    capsys.readouterr()
    words = ["--state", "s.json", "--label", "ill", "--model", "of.joblib"]
    # few rows of each in the last file
    for file, n in enumerate((4, 60, 60, 10)):
        rows(n, file + 2).assign(**{column: np.arange(n) % 5}).to_csv("new.csv", index=False)
        code, _, err = call("new.csv", *words)
        assert (code, f"share their {column!r} with a row of an earlier file" in err) == (0, file > 0), err


def test_a_patient_of_an_earlier_file_is_told_also_where_clusters_are_visits(call):
    first = rows(600, 1)
    zeros = first[first["ill"] == "yes"]
    rule = score_rule(zeros["u"].to_numpy(), clusters=np.arange(len(zeros)), class0="yes", score="u", alpha=0.1)
    replace(rule, cluster_column="visit").write("visits.json")
    for name, seed, visit in (("m1.csv", 2, 0), ("m2.csv", 3, 1000)):
        visits = np.arange(100) + visit
        rows(100, seed).assign(ill="yes", visit=visits, patient_id=np.arange(100)).to_csv(name, index=False)
        words = [name, "--state", "s.json", "--label", "ill", "--model", "visits.json"]
        if name == "m2.csv":
            assert "share their 'patient_id' with a row of an earlier file" in call(*words)[2]
            words.append("--again")
        code, out, _ = call(*words)
        told = "100 rows share their 'patient_id' with a row of an earlier file" in " ".join(out.split())
        assert (code in (0, 3), told) == (True, name == "m2.csv")
    # a file that is given again counts nothing, and makes nothing worse
    assert "0 of" not in call("m2.csv", "--state", "s.json", "--label", "ill", "--model", "visits.json")[2]
