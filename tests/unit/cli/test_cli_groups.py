"""nproc.cli.groups: groups and clusters on the command line."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nproc import load, npc, save
from nproc.cli import main
from nproc.groups import NPClusterFit, NPGroupFit
from nproc.monitoring import Type1Monitor

LEVELS = ["--alpha", "0.1", "--delta", "0.1", "--seed", "1", "--method", "lda"]


def table(seed, n):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return pd.DataFrame(
        {
            "u": (rng.normal(size=n) + 1.5 * y).round(6),
            "v": (rng.normal(size=n) + y).round(6),
            "site": rng.choice(["east", "west"], n),
            "patient": 1000 * seed + np.arange(n) // 4,
            "ill": np.where(y == 0, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups")
    table(1, 600).to_csv(folder / "rows.csv", index=False)
    table(2, 200).to_csv(folder / "new.csv", index=False)
    return folder


@pytest.fixture
def call(folder, capsys):
    def run_in_folder(*words):
        code = main([str(folder / w) if w.endswith((".csv", ".joblib", ".json", ".png")) else w for w in words])
        out, err = capsys.readouterr()
        return code, out, err

    return run_in_folder


FIT = ["fit", "rows.csv", "--label", "ill", "--class0", "yes", *LEVELS]


@pytest.mark.slow
def test_fit_by_groups_is_npc_by_groups(call, folder):
    code, out, _ = call(
        *FIT, "--groups", "site", "--drop", "patient", "--test", "new.csv", "--out", "g.joblib", "--plot", "g.png"
    )
    assert code == 0
    assert "type I error controlled in every group" in out
    assert "Errors on new data by group" in out
    assert (folder / "g.png").stat().st_size > 0
    rows = table(1, 600)
    ours = npc(
        rows[["u", "v"]],
        rows["ill"],
        "lda",
        groups=rows["site"],
        class0="yes",
        alpha=0.1,
        delta=0.1,
        random_state=1,
    )
    fit = load(folder / "g.joblib")
    assert isinstance(fit, NPGroupFit)
    assert fit.feature_names == ("u", "v")
    np.testing.assert_array_equal(fit.thresholds, ours.thresholds)
    # nor does a dot in a formula make it a predictor
    formula = ["--formula", "ill ~ .", "--groups", "site", "--class0", "yes", *LEVELS]
    assert call("fit", "rows.csv", *formula, "--out", "dot.joblib")[0] == 0
    dot = load(folder / "dot.joblib")
    assert (dot.feature_names, dot.group_column) == (("u", "v", "patient"), "site")


def test_predict_finds_the_groups_by_the_name_of_their_column(call, folder):
    call(*FIT, "--groups", "site", "--drop", "patient", "--out", "p.joblib")
    new = table(2, 200)
    fit = load(folder / "p.joblib")
    code, out, err = call("predict", "p.joblib", "new.csv", "--scores", "--votes", "--label", "ill")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "row,predicted,votes,score"
    assert [line.split(",")[1] for line in lines[1:]] == fit.predict(new[["u", "v"]], new["site"]).tolist()
    assert "Errors on new data by group" in err
    new.rename(columns={"site": "town"}).to_csv(folder / "renamed.csv", index=False)
    code, _, err = call("predict", "p.joblib", "renamed.csv")
    assert code == 2
    assert "the column of groups 'site' is not in the data" in err
    code, other, _ = call("predict", "p.joblib", "renamed.csv", "--groups", "town", "--scores", "--votes")
    assert (code, other) == (0, out)


def test_a_pooled_threshold_predicts_without_groups(call, folder):
    call(*FIT, "--groups", "site", "--group-thresholds", "pooled", "--drop", "patient", "--out", "o.joblib")
    table(2, 200)[["u", "v"]].to_csv(folder / "bare.csv", index=False)
    code, out, _ = call("predict", "o.joblib", "bare.csv")
    assert code == 0
    assert len(out.splitlines()) == 201


def test_json_holds_the_groups(call, folder):
    code, out, _ = call(*FIT, "--groups", "site", "--drop", "patient", "--test", "new.csv", "--json")
    record = json.loads(out)
    assert code == 0
    assert record["groups"] == ["east", "west"]
    assert (record["group_column"], record["pooled"]) == ("site", False)
    assert len(record["splits"]) == 2
    assert [part["group"] for part in record["test_by_group"]] == ["east", "west"]
    assert sum(part["n0"] for part in record["test_by_group"]) == record["test"]["n0"]
    assert "in all groups at once" in record["notes"][0]


def test_fit_by_clusters(call, folder):
    code, out, err = call(
        *FIT, "--clusters", "patient", "--drop", "site", "--test", "new.csv", "--out", "c.joblib", "--json", "c.json"
    )
    assert code == 0
    assert "classifier from clusters of rows" in out
    assert "note: errors are counted on one row of each class for each 'patient'" in err
    fit = load(folder / "c.joblib")
    assert isinstance(fit, NPClusterFit)
    assert fit.feature_names == ("u", "v")
    record = json.loads((folder / "c.json").read_text())
    assert (record["cluster_column"], record["n_clusters"], record["n_clusters0"]) == ("patient", 150, 150)
    assert record["test"]["n0"] == 50
    assert "from a new cluster" in record["notes"][0]
    assert call("predict", "c.joblib", "new.csv")[0] == 0


def test_a_model_of_clusters_that_calls_ties_at_random_takes_a_seed_beside_labels(call):
    fit = [*FIT, "--clusters", "patient", "--drop", "site", "--ties", "randomize", "--out", "t.joblib"]
    assert call(*fit)[0] == 0
    code, out, err = call("predict", "t.joblib", "new.csv", "--label", "ill", "--seed", "5")
    assert (code, len(out.splitlines()), "Errors on new data" in err) == (0, 201, True)


def test_a_column_among_the_features_predicts(call, folder):
    code, *_ = call(*FIT, "--groups", "site", "--features", "u,site", "--out", "f.joblib")
    assert code == 0
    assert load(folder / "f.joblib").feature_names == ("u", "site")


def test_columns_that_are_not_there_are_named(call):
    code, _, err = call(*FIT, "--groups", "town")
    assert code == 2
    assert "the column of --groups 'town' is not in the data" in err
    code, _, err = call("fit", "rows.csv", "--formula", "ill ~ u", "--clusters", "town", *LEVELS)
    assert code == 2
    assert "the column of --clusters 'town' is not in the data" in err


def test_groups_are_for_models_with_groups(call, folder):
    call(*FIT, "--drop", "site,patient", "--out", "n.joblib")
    code, _, err = call("predict", "n.joblib", "new.csv", "--groups", "site")
    assert code == 2
    assert "--groups is for a model that was fitted with groups" in err


def test_a_model_from_arrays_needs_the_name_of_the_column(call, folder):
    rows = table(1, 600)
    fit = npc(
        rows[["u", "v"]], rows["ill"], "lda", groups=rows["site"].tolist(), class0="yes", alpha=0.1, random_state=1
    )
    save(fit, folder / "a.joblib")
    code, _, err = call("predict", "a.joblib", "new.csv")
    assert code == 2
    assert "the model needs the groups of the rows; name their column with --groups" in err
    assert call("predict", "a.joblib", "new.csv", "--groups", "site")[0] == 0


def test_weights_and_rows_with_gaps_are_those_of_npc(call, folder):
    gappy = table(1, 600).assign(w=np.resize([1.0, 2.0, 3.0], 600))
    gappy.loc[[0, 7], "u"] = np.nan
    gappy.to_csv(folder / "gappy.csv", index=False)
    words = ["fit", "gappy.csv", *FIT[2:-2], "--method", "logistic", "--drop", "patient", "--sample-weight", "w"]
    code, _, err = call(*words)
    assert code == 2
    assert "(in a fit by --na-action omit)" in err
    code, out, err = call(*words, "--na-action", "omit", "--out", "gappy.joblib")
    assert code == 0
    assert "left out 2 of 600 rows with missing values, in u (2)" in err
    assert "2 rows with missing values were left out" in " ".join(out.split())
    known = {"class0": "yes", "alpha": 0.1, "delta": 0.1, "random_state": 1}
    rows = gappy.drop(index=[0, 7])
    ours = npc("ill ~ u + v + site", data=rows, sample_weight=rows["w"], **known)
    assert load(folder / "gappy.joblib").thresholds.tolist() == ours.thresholds.tolist()


def test_check_counts_one_new_row_of_each_cluster(call, folder):
    call(*FIT, "--clusters", "patient", "--drop", "site", "--out", "c.joblib")
    words = ("check", "c.joblib", "--new", "new.csv", "--label", "ill", "--json", "k.json")
    code, _, err = call(*words)
    assert code == 0
    assert err == "note: one of the new rows counts for each 'patient'\n"
    found = {one["check"]: one["found"] for one in json.loads((folder / "k.json").read_text())["checks"]}
    new = pd.read_csv(folder / "new.csv")
    fit, new0 = load(folder / "c.joblib"), new[new["ill"] == "yes"]
    wanted = fit.check_assumptions(new0[["u", "v"]], clusters_new=new0["patient"])
    assert found["new scores"] == wanted.new_scores.found
    # 200 rows of 50 patients
    assert found["new scores"].endswith("50 rows")
    assert found["new errors"] == wanted.new_errors.found
    table(2, 200).drop(columns="patient").to_csv(folder / "without.csv", index=False)
    code, _, err = call(*("without.csv" if word == "new.csv" else word for word in words))
    assert code == 0
    assert "clusters_new is missing, so each of the 100 rows is treated as its own cluster" in err
    # of a column of another name, where the model knows none
    save(replace(fit, cluster_column=None), folder / "unnamed.joblib")
    words = ("unnamed.joblib" if word == "c.joblib" else word for word in words)
    assert call(*words, "--data", "rows.csv", "--clusters", "patient")[0] == 0
    again = {one["check"]: one["found"] for one in json.loads((folder / "k.json").read_text())["checks"]}
    assert again["new scores"] == found["new scores"]


@pytest.mark.slow
def test_monitor_counts_the_rows_that_certify_counts_and_each_cluster_once(call, folder):
    call(*FIT, "--clusters", "patient", "--drop", "site", "--out", "c.joblib")
    (folder / "state.json").unlink(missing_ok=True)
    words = ("--state", "state.json", "--label", "ill", "--model", "c.joblib", "--json", "m.json")

    def monitored(file):
        code, _, err = call("monitor", file, *words)
        assert code == 0, err
        return json.loads((folder / "m.json").read_text()), err

    found, err = monitored("new.csv")
    assert err == "note: one row counts for each 'patient'\n"
    new = pd.read_csv(folder / "new.csv")
    bound = load(folder / "c.joblib").certify(new[["u", "v", "patient"]], new["ill"])
    assert (found["n"], found["n_errors"]) == (bound.n0, bound.n_called1)
    assert bound.n0 == 50
    # half of its patients come back
    pd.concat([new[:100], table(3, 80)]).to_csv(folder / "later.csv", index=False)
    found, err = monitored("later.csv")
    assert (found["n"], found["new_rows"]) == (70, 20)
    assert "note: 25 'patient' were counted in an earlier file, and do not count again" in err
    new.drop(columns="patient").to_csv(folder / "without.csv", index=False)
    code, _, err = call("monitor", "without.csv", *words)
    assert code == 2
    assert "clusters is missing" in err
    (folder / "state.json").unlink()
    found, err = monitored("without.csv")
    assert found["n"] == 100
    assert "clusters is missing, so each of the 100 rows is treated as its own cluster" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "column", "other"), [("--clusters", "patient", "site"), ("--groups", "site", "patient")]
)
def test_rows_without_a_group_or_cluster_are_left_out_where_that_is_asked_for(call, folder, option, column, other):
    fit = [*FIT, option, column, "--drop", other]
    assert call(*fit, "--out", "gap.joblib")[0] == 0
    # of class 0 and of class 1
    gaps = [30, 33]
    new = table(2, 200).drop(columns=other)
    new[column] = new[column].astype(object)
    new.loc[gaps, column] = None
    new.to_csv(folder / "gap.csv", index=False)
    new.drop(index=gaps).to_csv(folder / "rest.csv", index=False)
    truth, state = ("--label", "ill"), ("--state", "gap_state.json")
    for words in (
        ("predict", "gap.joblib", "gap.csv", *truth),
        ("certify", "gap.joblib", "gap.csv", *truth),
        ("monitor", "gap.csv", *truth, *state, "--model", "gap.joblib"),
        ("report", "gap.joblib", "--new", "gap.csv", *truth, "--out", str(folder / "gap.html")),
        (*fit, "--test", "gap.csv"),
        *([("check", "gap.joblib", "--new", "gap.csv", *truth)] if option == "--clusters" else ()),
    ):
        (folder / state[1]).unlink(missing_ok=True)
        code, _, err = call(*words)
        assert code == 2, words
        assert f"{column!r} has " in err
        assert "leave out these rows, as --na-action omit does" in " ".join(err.split())
        code, out, err = call(*words, "--na-action", "omit")
        assert code == 0, (words, err)
        (folder / state[1]).unlink(missing_ok=True)
        code, rest, told = call(*("rest.csv" if word == "gap.csv" else word for word in words), "--na-action", "omit")
        assert code == 0, (words, told)
        if words[0] == "predict":
            written = pd.read_csv(io.StringIO(out))
            assert written["reason"].dropna().to_dict() == dict.fromkeys(gaps, f"a missing value: {column}")
            assert written["predicted"].isna().sum() == 2
            # the errors are those of the other rows
            assert err.endswith(told[told.index("Errors on new data") :])
        elif words[0] != "report":
            assert "2 of the 200 rows of gap.csv have missing values and are left out" in " ".join(out.split())
            assert rest.splitlines()[-1] in out


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_a_gap_among_long_numbers_of_cases_makes_no_two_of_them_one(tmp_path, capsys, ending):
    def written(name, gap):
        # 17 digits, two more than a float64 holds for sure
        patient = pd.array(26061012300040017 + table(1, 600)["patient"], dtype="Int64")
        rows = table(1, 600).assign(patient=patient)
        rows.loc[gap, ["u", "patient", "ill"]] = [np.nan, pd.NA, None]
        path = tmp_path / f"{name}{ending}"
        if ending == ".parquet":
            rows.to_parquet(path, index=False)
        elif ending == ".csv":
            rows.to_csv(path, index=False)
        else:
            records = rows.astype(object).where(rows.notna(), None).to_dict("records")
            path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        return str(path)

    words = ["--label", "ill", "--class0", "yes", *LEVELS, "--drop", "site", "--na-action", "omit"]
    for name, gap in (("complete", []), ("blank", [0])):
        path, model, state = written(name, gap), str(tmp_path / f"{name}.joblib"), str(tmp_path / f"{name}.json")
        assert main(["fit", path, *words, "--clusters", "patient", "--out", model, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["n_clusters"] == 150
        watched = ["monitor", path, "--again", "--model", model, "--label", "ill", "--state", state, *words[-2:]]
        assert main([*watched, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["n"] == 150
        assert main(["fit", path, *words]) == 0
        assert "'patient' is used as a predictor, but its name is that of an identifier" in capsys.readouterr().err


@pytest.mark.slow
def test_errors_count_the_rows_of_the_whole_file_also_those_that_are_empty_or_of_another_class(folder, call):
    rng = np.random.default_rng(5)
    rows = [
        [f"{value:.6f}", f"{score:.6f}", "ab"[row % 2], row // 2, "no" if row % 4 else "yes"]
        for row, (value, score) in enumerate(rng.normal(size=(120, 2)))
    ]

    def written(name, place=None, column=None):
        there = [
            ["" if (row, j) == (place, column) else cell for j, cell in enumerate(cells)]
            for row, cells in enumerate(rows)
        ]
        # two rows without a value
        there[5:5] = [[""] * 5] * 2
        pd.DataFrame(there, columns=["x", "score", "site", "patient", "ill"]).to_csv(folder / name, index=False)
        return name

    label = ["--label", "ill", "--class0", "no"]
    levels = ["--alpha", "0.3", "--delta", "0.3"]
    whole = written("whole.csv")
    for option, column, other in (("--groups", "site", "patient"), ("--clusters", "patient", "site")):
        own, use = [option, column], ["--drop", f"{other},score"]
        assert call("fit", whole, *label, *levels, *own, *use, "--seed", "1", "--out", f"{column}.joblib")[0] == 0
        assert call("threshold", whole, "--score", "score", *label, *levels, *own, "--out", f"{column}.json")[0] == 0
    truth = ["--label", "ill"]
    # row 30 is of class 0 and row 32 of class 1
    calls = [
        (30, 1, ("threshold", "gap.csv", "--score", "score", *label)),
        (30, 1, ("bands", "gap.csv", "--score", "score", *label)),
        (30, 1, ("plan", "gap.csv", *label, "--power", "0.8")),
        (30, 1, ("certify", "0.5", "gap.csv", "--score", "score", *label)),
        (30, 1, ("certify", "site.json", "gap.csv", *truth)),
        (30, 1, ("monitor", "gap.csv", "--again", "--model", "site.json", *truth, "--state", "s.json")),
    ]
    for option, column, j in (("--groups", "site", 2), ("--clusters", "patient", 3)):
        own = [option, column]
        calls += [(30, j, ("fit", "gap.csv", *label, *levels, *own))]
        calls += [(row, j, ("threshold", "gap.csv", "--score", "score", *label, *levels, *own)) for row in (30, 32)]
        for model in (f"{column}.joblib", f"{column}.json"):
            calls += [(30, j, ("certify", model, "gap.csv", *truth))]
            calls += [(30, j, ("monitor", "gap.csv", "--again", "--model", model, *truth, "--state", "s.json"))]
        calls += [(32, j, ("predict", f"{column}.joblib", "gap.csv", *truth))]
    calls += [
        (30, 2, ("apply", "site.json", "gap.csv")),
        (30, 3, ("check", "patient.joblib", "--new", "gap.csv", *truth)),
    ]
    calls += [(30, 3, ("check", "site.joblib", "--data", "gap.csv", *truth, "--clusters", "patient"))]
    for row, j, words in calls:
        written("gap.csv", row, j)
        code, _, err = call(*words)
        assert (code, f"row {row + 3} is line {row + 4} of the file" in err) == (2, True), (words, err)
        # a gap is called one
        assert "'nan'" not in err


@pytest.mark.slow
@pytest.mark.parametrize("dropped", [["--drop", "site,patient"], ["--drop", "site"]])
def test_owners_of_the_rows_of_a_fit_are_known_in_new_files_however_few_they_are(call, folder, dropped):
    table(1, 800).to_csv(folder / "owned.csv", index=False)
    of_fit = "all 800 rows share their 'patient' with another row"
    fit = ["fit", "owned.csv", *FIT[2:], *dropped]
    assert call(*fit, "--out", "owned.joblib")[0] == 0
    # fewer than the name alone would need to be that of owners
    few = table(2, 120).assign(patient=np.arange(120) // 10)
    few.to_csv(folder / "few.csv", index=False)
    few.assign(patient=np.arange(120)).to_csv(folder / "alone.csv", index=False)
    truth = ("--label", "ill")
    for words in (
        ("predict", "owned.joblib", "few.csv", *truth),
        ("certify", "owned.joblib", "few.csv", *truth),
        ("monitor", "few.csv", *truth, "--state", "few_state.json", "--model", "owned.joblib"),
        ("check", "owned.joblib", "--new", "few.csv", *truth),
        ("report", "owned.joblib", "--new", "few.csv", *truth, "--out", str(folder / "few.html")),
        (*fit, "--test", "few.csv"),
    ):
        for file, told in (("few.csv", True), ("alone.csv", False)):
            (folder / "few_state.json").unlink(missing_ok=True)
            code, _, err = call(*(file if word == "few.csv" else word for word in words))
            # an alarm of the monitor ends with 3
            alarm = words[0] == "monitor" and Type1Monitor.read(folder / "few_state.json").alarm
            assert code == (3 if alarm else 0), (words, err)
            assert ("share their 'patient' with another row" in err.replace(of_fit, "")) == told, (words, err)


def test_rows_of_one_owner_in_several_clusters_share_it_with_rows_of_another_cluster(call, folder):
    visits = np.arange(600) // 2
    table(1, 600).assign(visit=visits).to_csv(folder / "visits.csv", index=False)
    fit = ["fit", "visits.csv", *FIT[2:], "--drop", "site,patient", "--clusters", "visit", "--out", "visits.joblib"]
    code, out, err = call(*fit)
    told = "all 600 rows share their 'patient' with a row of another cluster."
    assert (code, told in err, told in " ".join(out.split())) == (0, True, True)
    table(2, 200).assign(visit=1000 + visits[:200]).to_csv(folder / "fresh_visits.csv", index=False)
    code, _, err = call("predict", "visits.joblib", "fresh_visits.csv", "--label", "ill", "--out", "called.csv")
    assert (code, "share their 'patient' with a row of another cluster of their class." in err) == (0, True)


def test_a_fit_of_rows_with_other_owners_does_not_make_few_values_of_a_new_file_owners(call, folder):
    # each row has another patient
    table(1, 600).assign(patient=np.arange(600)).to_csv(folder / "single.csv", index=False)
    assert call("fit", "single.csv", *FIT[2:], "--drop", "site,patient", "--out", "single.joblib")[0] == 0
    table(2, 120).assign(patient=np.arange(120) // 10).to_csv(folder / "few.csv", index=False)
    code, _, err = call("certify", "single.joblib", "few.csv", "--label", "ill")
    assert (code, err) == (0, "")


@pytest.mark.slow
def test_owners_beside_an_option_that_excludes_clusters_are_not_told_to_give_both(call, folder):
    table(1, 800).assign(w=1.0).to_csv(folder / "owned.csv", index=False)
    given = ("owned.csv", "--label", "ill", "--class0", "yes", *LEVELS[:6])
    for command, options, left_out in (
        ("threshold", ["--groups", "site"], "--groups"),
        ("threshold", ["--groups", "site", "--epsilon", "0.2"], "--groups and --epsilon"),
        ("threshold", ["--noise0", "0.01"], "--noise0"),
        ("threshold", ["--weights", "w", "--weight-max", "1"], "--weights and --weight-max"),
        ("fit", ["--drop", "patient", "--groups", "site"], "--groups"),
        ("fit", ["--drop", "patient,site", "--cross-fit", "3"], "--cross-fit"),
        ("fit", ["--drop", "patient,site", "--vote", "random", "--splits", "3"], "--vote random"),
        # the package warns of a predictor
        ("fit", ["--groups", "site"], "--groups"),
    ):
        scores = ["--score", "u"] if command == "threshold" else ["--method", "lda"]
        code, _, err = call(command, *given, *scores, *options)
        way_out = f"leave out {left_out} and give --clusters patient"
        assert (code, way_out in err) == (0, True), (command, options, err)
