"""nproc.cli: the command line, from files to text, JSON, predictions, pictures and exit codes."""

import argparse
import ast
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import warnings
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from pictures import collisions

import nproc
from nproc import cli, compare, load, npc
from nproc.app.data import make_plan, uploaded_source
from nproc.cli import main
from nproc.cli.fit_rows import repeated_note
from nproc.datasets import load_breast_cancer_np, load_logistic_world, load_simulation2
from nproc.errors import NPWarning
from nproc.fits import NO_SHARED_OWNERS
from nproc.plotting import column_letters, figure_for_file
from nproc.plotting.canvas import panels_of
from nproc.review import plan_review
from nproc.row_chunks.csv_files import exact_floats

pytestmark = pytest.mark.usefixtures("reports_without_pictures")

NOTE = (
    "note: class 0, whose misses are controlled, is {}, the first label in sorted order; to control the misses of "
    "the other, name it with --class0\n"
)
SIMULATION = str(files("nproc.data") / "simulation2.csv")


def strict(text):
    """Parse JSON; NaN and Infinity, which are not JSON, fail."""

    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    cancer = load_breast_cancer_np().frame
    cancer.insert(0, "id", [f"tumour {j}" for j in range(len(cancer))])
    cancer.iloc[:400].to_csv(folder / "cancer.csv", index=False)
    cancer.iloc[400:].to_csv(folder / "new.csv", index=False)
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    mixed = pd.DataFrame(
        {
            "age": rng.normal(size=400) + y,
            "job title": rng.choice(["clerk", "cook", "driver"], 400),
            "default": np.where(y == 1, "yes", "no"),
        }
    )
    mixed.to_csv(folder / "mixed.csv", index=False)
    return folder


@pytest.fixture
def run(capsys):
    """Run the command line; return exit code, standard output and standard error."""

    def run(*args):
        code = main([str(arg) for arg in args])
        return code, *capsys.readouterr()

    return run


def cancer_args(folder, *more):
    return (folder / "cancer.csv", "--label", "diagnosis", "--class0", "malignant", "--drop", "id", "--seed", 1, *more)


# fit and predict


def test_fit_and_predict_give_what_python_gives(folder, run, tmp_path):
    model, out = tmp_path / "model.joblib", tmp_path / "predictions.csv"
    code, text, err = run("fit", *cancer_args(folder, "--method", "lda", "--splits", 3, "--out", model))
    assert (code, err) == (0, "")
    frame = load_breast_cancer_np().frame
    train, new = frame.iloc[:400], frame.iloc[400:].drop(columns="diagnosis")
    fit = npc(
        train.drop(columns="diagnosis"), train["diagnosis"], "lda", n_splits=3, class0="malignant", random_state=1
    )
    assert text == f"{fit.summary()}\n"
    code, text, err = run("predict", model, folder / "new.csv", "--out", out, "--keep", "id", "--votes", "--scores")
    assert (code, text, err) == (0, "", "note: the column 'score' is the score minus the threshold.\n")
    predictions = pd.read_csv(out, **exact_floats())
    assert list(predictions.columns) == ["id", "predicted", "votes", "score"]
    assert predictions["id"][0] == "tumour 400"
    assert predictions["predicted"].tolist() == fit.predict(new).tolist()
    np.testing.assert_array_equal(predictions["votes"], fit.votes(new))
    np.testing.assert_array_equal(predictions["score"], fit.decision_function(new))


def test_fit_counts_errors_on_a_test_file(folder, run):
    code, text, err = run("fit", *cancer_args(folder, "--method", "lda", "--test", folder / "new.csv"))
    assert (code, err) == (0, "")
    assert "Errors on new data" in text
    assert "malignant called benign" in text


def test_fit_prints_every_number_as_json_and_nothing_else(folder, run):
    args = cancer_args(folder, "--method", "lda", "--splits", 3, "--test", folder / "new.csv")
    code, text, err = run("fit", *args, "--json")
    assert (code, err) == (0, "")
    record = strict(text)
    X, y = load_breast_cancer_np().frame.iloc[:400], load_breast_cancer_np().y[:400]
    fit = npc(X.drop(columns="diagnosis"), y, "lda", n_splits=3, class0="malignant", random_state=1)
    assert [split["threshold"] for split in record["splits"]] == fit.thresholds.tolist()
    assert [split["order"] for split in record["splits"]] == fit.orders.tolist()
    assert [split["violation_rate"] for split in record["splits"]] == fit.violation_rates.tolist()
    assert [split["type1_upper"] for split in record["splits"]] == fit.type1_uppers.tolist()
    assert (record["n0"], record["n1"], record["n0_left_out"]) == (fit.n0, fit.n1, fit.n0_left_out)
    assert (record["class0"], record["class1"], record["seed"]) == ("malignant", "benign", 1)
    test = record["test"]
    assert test["n_false1"] / test["n0"] == test["type1"]
    assert test["type2_interval"][0] <= test["type2"] <= test["type2_interval"][1]


def test_json_goes_to_a_file_beside_the_text(run, tmp_path):
    path = tmp_path / "fit.json"
    code, text, _ = run("fit", SIMULATION, "--label", "y", "--seed", 1, "--json", path)
    assert code == 0
    assert "Neyman-Pearson classifier" in text
    assert strict(path.read_text())["method"] == "logistic"
    assert strict(run("fit", SIMULATION, "--label", "y", "--seed", 1, "--json", "-")[1]) == strict(path.read_text())


def test_a_fresh_seed_is_shown_and_repeats_the_run(run):
    record = strict(run("fit", SIMULATION, "--label", "y", "--json")[1])
    again = strict(run("fit", SIMULATION, "--label", "y", "--seed", record["seed"], "--json")[1])
    assert again == record


def test_the_number_of_jobs_changes_nothing(run):
    args = ("fit", SIMULATION, "--label", "y", "--splits", 3, "--seed", 4, "--json")
    assert run(*args[:-1], "--jobs", 2, "--json")[1] == run(*args)[1]


def test_predict_writes_to_the_standard_output_with_row_numbers(run, tmp_path):
    run("fit", SIMULATION, "--label", "y", "--seed", 1, "--out", tmp_path / "m.joblib")
    code, text, err = run("predict", tmp_path / "m.joblib", SIMULATION)
    assert (code, err) == (0, "")
    predictions = pd.read_csv(io.StringIO(text))
    assert list(predictions.columns) == ["row", "predicted"]
    assert predictions["row"].tolist() == list(range(1, 1001))
    data = load_simulation2()
    assert predictions["predicted"].tolist() == npc(data.X, data.y, random_state=1).predict(data.X).tolist()


def test_predict_with_labels_prints_errors_on_the_standard_error(run, tmp_path):
    run("fit", SIMULATION, "--label", "y", "--out", tmp_path / "m.joblib")
    code, text, err = run("predict", tmp_path / "m.joblib", SIMULATION, "--label", "y")
    assert code == 0
    assert text.startswith("row,predicted\n")
    # the file is the one that the fit was made of
    assert "Errors, probably on rows of the fit" in err


def test_predict_takes_columns_by_name_and_ignores_others(run, tmp_path):
    run("fit", SIMULATION, "--label", "y", "--seed", 1, "--out", tmp_path / "m.joblib")
    frame = load_simulation2().X.assign(extra="?")[["extra", "x2", "x1"]]
    frame.to_csv(tmp_path / "turned.csv")
    text = run("predict", tmp_path / "m.joblib", tmp_path / "turned.csv")[1]
    assert text == run("predict", tmp_path / "m.joblib", SIMULATION)[1]


def test_predict_takes_models_from_arrays_by_position(run, tmp_path):
    data = load_simulation2()
    fit = npc(data.X.to_numpy(), data.y, "lda", random_state=1)
    nproc.save(fit, tmp_path / "m.joblib")
    text = run("predict", tmp_path / "m.joblib", SIMULATION, "--label", "y")[1]
    assert pd.read_csv(io.StringIO(text))["predicted"].tolist() == fit.predict(data.X.to_numpy()).tolist()


def test_predict_takes_saved_estimators(run, tmp_path):
    data = load_simulation2()
    estimator = nproc.NPClassifier("lda", random_state=1).fit(data.X, data.y)
    nproc.save(estimator, tmp_path / "m.joblib")
    text = run("predict", tmp_path / "m.joblib", SIMULATION)[1]
    assert pd.read_csv(io.StringIO(text))["predicted"].tolist() == estimator.predict(data.X).tolist()


def test_predict_takes_a_level_of_a_saved_band(run, tmp_path):
    args = (SIMULATION, "--label", "y", "--method", "lda", "--seed", 1, "--out", tmp_path / "band.joblib")
    assert run("bands", *args)[0] == 0
    code, text, _ = run("predict", tmp_path / "band.joblib", SIMULATION, "--alpha", 0.1)
    assert code == 0
    data = load_simulation2()
    expected = nproc.nproc(data.X, data.y, "lda", random_state=1).classifier(0.1).predict(data.X)
    assert pd.read_csv(io.StringIO(text))["predicted"].tolist() == expected.tolist()


def test_parameters_of_a_method_are_read_as_numbers_and_words(run, tmp_path):
    code, _, _ = run(
        "fit", SIMULATION, "--label", "y", "--method", "svm", "--param", "C=2.5", "--out", tmp_path / "m.joblib"
    )
    assert code == 0
    from nproc.cli.values import method_param

    assert [method_param(f"k={v}")[1] for v in ("1", "1e3", "True", "none", "text", "a=b")] == [
        1,
        1000.0,
        True,
        None,
        "text",
        "a=b",
    ]


# tables


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".parquet"])
def test_csv_and_parquet_give_the_same_result(suffix, run, tmp_path):
    path, frame = tmp_path / f"table{suffix}", load_simulation2().frame
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")
    args = ("--label", "y", "--seed", 1, "--json")
    assert run("fit", path, *args) == run("fit", SIMULATION, *args)


def test_parquet_without_pyarrow_names_the_extra(run, tmp_path, monkeypatch):
    (tmp_path / "table.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = run("fit", tmp_path / "table.parquet", "--label", "y")
    assert code == 2
    assert "pip install 'nproc-py[parquet]'" in err


def test_row_names_do_not_predict(run, tmp_path):
    load_simulation2().frame.to_csv(tmp_path / "named.csv")
    record = strict(run("fit", tmp_path / "named.csv", "--label", "y", "--json")[1])
    assert record["features"] == ["x1", "x2"]


def test_features_and_drop_choose_the_columns(run):
    args = ("fit", SIMULATION, "--label", "y", "--seed", 1, "--json")
    assert strict(run(*args[:-1], "--features", "x2", "--json")[1])["features"] == ["x2"]
    assert strict(run(*args[:-1], "--drop", "x1", "--json")[1]) == strict(
        run(*args[:-1], "--features", "x2", "--json")[1]
    )


def test_text_columns_are_coded_as_categories(folder, run, tmp_path):
    model = tmp_path / "m.joblib"
    code, _, err = run(
        "fit", folder / "mixed.csv", "--label", "default", "--class0", "yes", "--seed", 1, "--out", model
    )
    frame = pd.read_csv(folder / "mixed.csv", **exact_floats())
    jobs = f"note: coded as categories: job title ({frame['job title'].nunique()} values)\n"
    assert (code, err) == (0, jobs)
    expected = npc("default ~ age + `job title`", data=frame, class0="yes", random_state=1)
    text = run("predict", model, folder / "mixed.csv")[1]
    assert pd.read_csv(io.StringIO(text))["predicted"].tolist() == expected.predict(frame).tolist()
    frame.iloc[[0]].assign(**{"job title": "astronaut"}).to_csv(tmp_path / "other.csv", index=False)
    code, _, err = run("predict", model, tmp_path / "other.csv")
    assert code == 2
    assert "astronaut" in err


def test_a_formula_takes_the_place_of_label_and_columns(folder, run):
    code, text, _ = run("fit", folder / "mixed.csv", "--formula", "default ~ age + I(age**2)", "--seed", 3, "--json")
    assert code == 0
    assert strict(text)["formula"] == "default ~ age + I(age**2)"
    assert strict(text)["class0"] == "no"


@pytest.mark.slow
def test_a_formula_codes_no_numbers_as_categories_in_silence(folder, run, tmp_path):
    frame = pd.read_csv(folder / "mixed.csv", dtype=str)
    frame["x"] = frame["age"]
    frame.loc[4, "age"] = "?"
    frame["stage"] = np.resize(["1", "2", "3", "4S"], len(frame))
    frame["rate"] = np.resize(["1 %", "2 %", "10 %"], len(frame))
    frame.to_csv(tmp_path / "m.csv", index=False)
    given = ("fit", tmp_path / "m.csv", "--class0", "yes", "--seed", 1, "--formula")
    code, _, err = run(*given, "default ~ age + `job title`")
    assert code == 2
    assert "column 'age' is text because 1 of its" in err
    assert "is not a number ('?' in row 5). Correct it, or leave the cell empty where the value is missing." in err
    line = "Rows count from 1 below the header: row 5 is line 6 of the file, or later if cells above have line breaks."
    assert err.endswith(f"If its values are categories, write C(age) in the formula. {line}\n")
    jobs = f"note: coded as categories: job title ({frame['job title'].nunique()} values)\n"
    assert run(*given, "default ~ x + `job title`")[2] == jobs
    assert "write C(stage) in the formula" in run(*given, "default ~ x + stage")[2]
    told = "'1 %' in row 1. Write plain numbers. If its values are categories, write C(rate) in the formula."
    assert told in run(*given, "default ~ x + rate")[2]
    frame[["rate", "default"]].astype({"rate": "category"}).to_parquet(tmp_path / "m.parquet")
    err = run("fit", tmp_path / "m.parquet", "--label", "default")[2]
    assert "such as '1 %' in row 1. Write plain numbers. You can leave the column out by --drop" in err
    # who writes C() means it
    assert run(*given, "default ~ x + C( `job title`) + C(stage)", "--method", "lda")[::2] == (0, "")
    # names that a formula cannot have within C()
    frame.assign(**{"class": frame["stage"], "C": frame["stage"]}).to_csv(tmp_path / "m.csv", index=False)
    for column in ("class", "C"):
        told = f"rename the column, as C({column}) cannot be read, and write C() around the new name."
        assert told in run(*given, f"default ~ x + {column}")[2]
        assert run(*given, f"default ~ x + C({column})")[0] == 2


@pytest.mark.parametrize(
    ("values", "given", "expected"),
    [
        (["0", "1"], "1", 1),
        (["0", "1"], "1.0", 1),
        (["0.0", "1.0"], "1", 1.0),
        (["False", "True"], "true", True),
        (["False", "True"], "0", False),
        (["a", "b"], "b", "b"),
        (["-1", "1"], "-1", -1),
    ],
)
def test_class0_means_the_same_text_or_number(values, given, expected, run, tmp_path):
    frame = load_simulation2().frame
    frame["y"] = np.array(values)[frame["y"]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    code, text, _ = run("fit", tmp_path / "t.csv", "--label", "y", f"--class0={given}", "--json")
    assert code == 0
    assert strict(text)["class0"] == expected


def test_labels_of_another_type_in_the_test_file_are_matched(run, tmp_path):
    frame = load_simulation2().frame
    frame.assign(y=frame["y"].astype(float)).to_csv(tmp_path / "floats.csv", index=False)
    frame.assign(y=frame["y"] == 1).to_csv(tmp_path / "words.csv", index=False)
    records = [
        strict(run("fit", SIMULATION, "--label", "y", "--seed", 1, "--test", path, "--json")[1])["test"]
        for path in (SIMULATION, tmp_path / "floats.csv", tmp_path / "words.csv")
    ]
    assert records[0] == records[1] == records[2]


# bands and compare


@pytest.mark.slow
def test_bands_of_several_methods(folder, run, tmp_path):
    knots, picture = tmp_path / "knots.csv", tmp_path / "bands.png"
    args = cancer_args(folder, "--method", "lda", "--method", "nb", "--alphas", "0.01,0.1", "--type2-max", "0.2")
    code, text, err = run("bands", *args, "--out", knots, "--plot", picture)
    assert (code, err) == (0, "")
    assert text.count("NP-ROC band") == 2
    assert text.count("Not guaranteed") == 2
    assert picture.read_bytes().startswith(b"\x89PNG")
    record = strict(run("bands", *args, "--json")[1])
    frame = load_breast_cancer_np().frame.iloc[:400]
    table = pd.read_csv(knots, **exact_floats())
    for method, part in zip(("lda", "nb"), record["bands"], strict=True):
        band = nproc.nproc(
            frame.drop(columns="diagnosis"), frame["diagnosis"], method, class0="malignant", random_state=1
        )
        assert part["method"] == method
        assert part["knots"]["type2_upper"] == band.type2_upper.tolist()
        assert (part["auc_lower"], part["auc_upper"]) == (band.auc_lower, band.auc_upper)
        assert part["values"][0] == {
            "alpha": 0.01,
            "type2_lower": band.at(0.01).type2_lower,
            "type2": None,
            "type2_upper": 1.0,
            "order": None,
        }
        assert part["values"][1]["type2_upper"] == band.at(0.1).type2_upper
        assert part["chosen"]["alpha"] == band.choose_alpha(type2_max=0.2).alpha
        assert part["chosen"]["guaranteed"] is False
        np.testing.assert_array_equal(table.loc[table["method"] == method, "alpha"], band.alpha)


@pytest.mark.slow
def test_bands_with_a_cross_fitted_estimate(folder, run):
    args = cancer_args(folder, "--method", "lda", "--method", "nb", "--alphas", "0.05,0.2", "--cross-fit", "4")
    code, text, err = run("bands", *args)
    assert (code, err) == (0, "")
    assert text.count("Cross-fitted type II errors") == 2
    record = strict(run("bands", *args, "--json")[1])
    frame = load_breast_cancer_np().frame.iloc[:400]
    for method, part in zip(("lda", "nb"), record["bands"], strict=True):
        given = {"class0": "malignant", "random_state": 1, "cross_fit": 4}
        curve = nproc.nproc(frame.drop(columns="diagnosis"), frame["diagnosis"], method, **given).cross_fitted
        found = part["cross_fitted"]
        assert (found["n_folds"], found["guaranteed"]) == (4, False)
        assert found["knots"]["type2"] == curve.type2.tolist()
        assert found["values"] == [{"alpha": a, "type2": curve.at(a)} for a in (0.05, 0.2)]


def test_a_band_that_ends_somewhere_has_areas_up_to_there(run):
    args = (SIMULATION, "--label", "y", "--method", "lda", "--seed", 1, "--band", "simultaneous", "--alpha-max", "0.2")
    (part,) = strict(run("bands", *args, "--json")[1])["bands"]
    data = load_simulation2()
    band = nproc.nproc(data.X, data.y, "lda", random_state=1, band="simultaneous", alpha_max=0.2)
    area = band.partial_auc(0.2)
    areas = {"lower": area.lower, "estimate": area.estimate, "upper": area.upper}
    assert part["partial_auc"] == {"alpha": 0.2, **areas}
    assert part["alpha_max"] == 0.2
    assert "auc_upper" not in part


@pytest.mark.slow
@pytest.mark.parametrize("methods", [("lda",), ("lda", "nb")])
def test_pictures_of_bands_name_the_classes_and_mark_the_levels(methods, folder, run, monkeypatch):
    plots = []
    args = cancer_args(folder, *(word for method in methods for word in ("--method", method)))
    commands = [("bands", "--alphas", "0.05,0.1"), ("compare", "--alpha", "0.1")][: len(methods)]
    for command, *levels in commands:
        monkeypatch.setattr(f"nproc.cli.{command}.draw", lambda path, plot, **_: plots.append(plot))
        assert run(command, *args, *levels, "--plot", "picture.png")[0] == 0
    for plot in plots:
        figure = figure_for_file((7, 6))
        plot(ax=figure.subplots())
        axes = [one for ax in figure.axes for one in (ax, *ax.child_axes)]
        names = [name.replace("\n", " ") for one in axes for name in (one.get_xlabel(), one.get_ylabel())]
        assert any(name.endswith("(malignant called benign)") for name in names), names
        assert any(name.endswith("(benign called benign)") for name in names), names
    ax = _drawn(plots[0])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {r"$\alpha$ = 0.05", r"$\alpha$ = 0.1"} <= set(texts)
    levels = [line for line in ax.lines if line.get_gid().startswith("nproc-level-")]
    assert len({str(line._dash_pattern) for line in levels}) == 2


@pytest.mark.slow
@pytest.mark.parametrize("command", [("bands", "--alphas"), ("compare", "--alpha")])
@pytest.mark.parametrize(("view", "end"), [((), 1.0), (("0.05",), 0.2), (("0.05", "--xlim", "0,1"), 1.0)])
def test_pictures_of_bands_show_the_levels_around_the_alphas_unless_others_are_given(
    command, view, end, folder, run, monkeypatch
):
    plots, (name, option) = [], command
    monkeypatch.setattr(f"nproc.cli.{name}.draw", lambda path, plot, **_: plots.append(plot))
    args = cancer_args(folder, "--method", "lda", "--method", "nb", *([option] if view else []), *view)
    assert run(name, *args, "--plot", "picture.png")[0] == 0
    assert _drawn(plots[0]).get_xlim() == pytest.approx((-0.01 * end, 1.01 * end))


@pytest.mark.slow
@pytest.mark.parametrize("command", ["bands", "compare"])
@pytest.mark.parametrize("methods", [("lda", "nb"), ("lda", "nb", "qda")])
def test_a_picture_of_bands_has_the_part_of_its_vertical_axis_and_the_words_that_are_asked_for(
    command, methods, folder, run, monkeypatch
):
    plots = []
    monkeypatch.setattr(f"nproc.cli.{command}.draw", lambda path, plot, **_: plots.append(plot))
    args = cancer_args(folder, *(word for name in methods for word in ("--method", name)))
    view = ("--ylim", "0.7,1", "--scale", "sensitivity")
    assert run(command, *args, *view, "--plot", "picture.png")[0] == 0
    ax = _drawn(plots[0])
    # a curve along the frame has room, in each panel too
    for axes in panels_of(ax) or [ax]:
        assert axes.get_ylim() == pytest.approx((0.697, 1.003))
    words = " ".join(" ".join(text.get_text() for text in ax.figure.findobj(Text)).split())
    assert words.count("sensitivity for benign (share of benign called benign)") == 1
    assert words.count("upper bound $\\alpha$ (share of malignant called benign)") == 1
    assert "type I" not in words


def _drawn(plot):
    ax = figure_for_file((7, 6)).subplots()
    plot(ax=ax)
    return ax


@pytest.mark.slow
def test_one_band_is_saved_whole_with_its_youden_level(run, tmp_path):
    args = (SIMULATION, "--label", "y", "--method", "lda", "--seed", 1, "--youden")
    code, text, _ = run("bands", *args, "--out", tmp_path / "band.joblib", "--plot", tmp_path / "band.svg")
    assert code == 0
    choice = load(tmp_path / "band.joblib").choose_alpha("youden")
    assert f"alpha = {choice.alpha:.4g}" in " ".join(text.split())
    assert "<svg" in (tmp_path / "band.svg").read_text()


def test_a_level_that_one_of_two_bands_cannot_reach_is_a_warning(run, tmp_path):
    args = (SIMULATION, "--label", "y", "--seed", 1, "--method", "lda", "--method", "nb")
    record = strict(run("bands", *args, "--json")[1])
    lowest = [min(band["knots"]["type2_upper"]) for band in record["bands"]]
    bound = 1e-9 + min(lowest)
    if lowest[0] == lowest[1]:
        bound = min(lowest) / 2
    code, _, err = run("bands", *args, "--type2-max", bound)
    assert code == 0
    assert "no alpha reaches" in err
    code, _, err = run("bands", *args[:-2], "--type2-max", "0.0001")
    assert code == 2
    assert "no alpha has a type II upper bound" in err


@pytest.mark.slow
def test_compare_gives_the_regions_of_python(run, tmp_path):
    data = load_simulation2()
    args = (SIMULATION, "--label", "y", "--seed", 2, "--method", "lda", "--method", "nb", "--alpha", 0.1)
    code, text, err = run("compare", *args, "--plot", tmp_path / "c.pdf")
    assert (code, err) == (0, NOTE.format(0))
    expected = compare(*(nproc.nproc(data.X, data.y, method, random_state=2) for method in ("lda", "nb")))
    shown = " ".join(str(expected.summary()).split())
    asks = " Which method is better at one alpha: see comparison.best_at()."
    assert shown.endswith(asks)
    assert shown.removesuffix(asks) in " ".join(text.split())
    assert "Which method is better" not in text
    assert "Which method is better at one alpha: --alpha shows it." in " ".join(run("compare", *args[:-2])[1].split())
    best = expected.best_at(0.1, "estimate")
    dominates = expected.best_at(0.1, fallback=None) is not None
    assert (f"Best at alpha = 0.1: {best}; its type II bounds lie below those of all others." in text) is dominates
    none = "type II bounds that lie below those of all others at alpha = 0.1, so the best one is not known. The lowest"
    assert (none in text) is not dominates
    assert (tmp_path / "c.pdf").read_bytes().startswith(b"%PDF")
    record = strict(run("compare", *args, "--json")[1])
    assert record["regions"] == expected.to_frame().to_dict("records")
    assert record["best"] == expected.best_at(0.1, "estimate")
    assert [row["method"] for row in record["at_alpha"]] == ["lda", "nb"]


@pytest.mark.slow
def test_the_picture_of_a_comparison_names_the_classes_of_both_errors_also_in_panels(run, tmp_path):
    methods = ("lda", "nb", "qda")
    args = (SIMULATION, "--label", "y", "--seed", 2, *(word for name in methods for word in ("--method", name)))
    for number in (4, 6):
        run("compare", *args[: 5 + number], "--plot", tmp_path / "c.svg")
        drawn = (tmp_path / "c.svg").read_text()
        assert "(class 0 called class 1)" in drawn
        assert "(class 1 called class 1)" in drawn


def test_a_list_of_parameters_goes_in_brackets():
    from nproc.cli.values import method_param

    assert method_param("C1s=[1, 10.5]") == ("C1s", [1, 10.5])
    assert method_param("hidden=(20, 5)") == ("hidden", (20, 5))
    with pytest.raises(argparse.ArgumentTypeError, match=r"write a list as \[1, 10\]"):
        method_param("C1s=[1, ten]")
    with pytest.raises(argparse.ArgumentTypeError, match=r"not '0,5'; write C=0\.5, or C=\[0,5\] for a list"):
        method_param("C=0,5")


def test_parameters_with_the_name_of_a_method_go_to_it_alone(run):
    args = ("bands", SIMULATION, "--label", "y", "--seed", 1, "--method", "lda", "--method", "knn")
    first, second = strict(run(*args, "--param", "knn.n_neighbors=3", "--json")[1])["bands"]
    data = load_simulation2()
    assert first["auc_lower"] == nproc.nproc(data.X, data.y, "lda", random_state=1).auc_lower
    assert second["auc_lower"] == nproc.nproc(data.X, data.y, "knn", n_neighbors=3, random_state=1).auc_lower


@pytest.mark.slow
def test_pictures_do_not_touch_the_state_of_pyplot(run, tmp_path):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    assert run("fit", SIMULATION, "--label", "y", "--plot", tmp_path / "fit.png")[0] == 0
    assert plt.get_fignums() == before
    assert [p.name for p in tmp_path.iterdir()] == ["fit.png"]
    for size, shape in [("3.35x3", (900, 1005)), ("3.35X2.5", (750, 1005))]:
        assert run("fit", SIMULATION, "--label", "y", "--plot", tmp_path / "fit.png", "--figsize", size)[0] == 0
        assert plt.imread(tmp_path / "fit.png").shape[:2] == shape


@pytest.mark.slow
def test_a_comparison_of_three_methods_in_one_column_leaves_room_to_the_curves_and_all_bars(run, tmp_path, monkeypatch):
    drawn, save = [], Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *to, **how: (drawn.append(figure), save(figure, *to, **how)))
    methods = ("--method", "randomforest", "--method", "lda", "--method", "nb")
    given = ("compare", SIMULATION, "--label", "y", "--class0", 0, *methods, "--seed", 1, "--alpha", 0.1)
    assert run(*given, "--plot", tmp_path / "c.png", "--figsize", "3.35x3")[0] == 0
    curves = drawn[0].axes[0]
    with column_letters((3.35, 3)):
        assert collisions(drawn[0]) == []
    assert curves.get_window_extent().height > 0.4 * drawn[0].bbox.height
    assert "beats" in " ".join(text.get_text() for text in drawn[0].findobj(Text))
    assert not any("not shown" in text.get_text() and "bars" in text.get_text() for text in drawn[0].findobj(Text))


@pytest.mark.slow
@pytest.mark.parametrize(("command", "of_method"), [("fit", ()), ("bands", ("--method", "lda"))])
def test_a_picture_of_one_column_has_small_letters(command, of_method, run, tmp_path, monkeypatch):
    drawn, save = [], Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda figure, *to, **how: (drawn.append(figure), save(figure, *to, **how)))
    given = (command, SIMULATION, "--label", "y", "--class0", 0, *of_method, "--plot", tmp_path / "one.png")
    for size in ("3.35x3", "5x4"):
        assert run(*given, "--figsize", size)[0] == 0
    small, usual = (figure.axes[0].xaxis.label.get_fontsize() for figure in drawn)
    assert small <= 7 < usual


# plan


@pytest.mark.parametrize(("alpha", "delta", "n0"), [(0.05, 0.05, 59), (0.1, 0.05, 29), (0.05, 0.1, 45)])
def test_plan_gives_the_smallest_sizes(alpha, delta, n0, run):
    code, text, _ = run("plan", "--alpha", alpha, "--delta", delta)
    assert code == 0
    assert str(n0) in text.split()
    assert strict(run("plan", "--alpha", alpha, "--delta", delta, "--json")[1])["plan"][0]["n0"] == n0


def test_plan_names_the_least_number_of_rows_and_the_one_that_reaches_a_power(run):
    code, text, _ = run("plan", "--alpha", 0.1)
    plan = nproc.plan_class0(0.1, 0.05, power=0.8)
    assert code == 0
    assert {str(n) for n in (29, 37, plan.n0, plan.rows)} <= set(text.split())
    words = " ".join(text.split())
    assert "the size for 80 % power calls at least 80 % as many class 1 rows class 1 as that rule" in words
    assert "80 % power: put this size into a protocol." in words
    assert plan.n0_first < plan.n0
    assert "All larger sizes reach it, and some smaller ones may." in words
    # where the curve of a pilot is not concave, it may take more rows
    assert "A pilot (SCORES, --auc) gives the size for its own ROC curve, which is no larger if" in words
    found = strict(run("plan", "--alpha", 0.1, "--json")[1])["plan"][0]
    assert (found["n0_for_power"], found["rows_for_power"]) == (plan.n0, plan.rows)


def test_plan_names_the_rows_of_both_classes_by_the_share_of_either_class(run, tmp_path):
    rng = np.random.default_rng(3)
    pilot = pd.DataFrame({"score": rng.normal(size=200), "label": np.resize(["ill", "well"], 200)})
    pilot["score"] += 1.5 * (pilot["label"] == "well")
    pilot.to_csv(tmp_path / "s.csv", index=False)
    least, most = (nproc.plan_class0(power=power, prevalence=0.9) for power in (None, 0.8))
    scores = [pilot["score"][pilot["label"] == label] for label in ("ill", "well")]
    for given in (["0.9"], ["ill=0.1", "--class0", "ill"], ["well=0.9", "--class0", "ill"]):
        found = strict(run("plan", "--prevalence", *given, "--json")[1])["plan"][0]
        assert (found["rows_of_both"], found["rows_of_both_for_power"]) == (least.rows_of_both, most.rows_of_both)
    _, text, _ = run("plan", "--prevalence", "0.9")
    assert {str(least.rows_of_both), str(most.rows_of_both)} <= set(text.split())
    wanted = nproc.plan_class0(0.1, pilot=scores, prevalence=0.9).rows_of_both
    _, text, _ = run("plan", tmp_path / "s.csv", "--alpha", 0.1, "--prevalence", "ill=0.1")
    words = " ".join(text.split())
    assert f"Rows to draw, both classes: {wanted} " in words
    assert "if the share of well among all rows is 0.9." in words
    assert "Share of well: 0.9000 " in " ".join(run("plan", "--prevalence", "well=0.9", "--class0", "ill")[1].split())


@pytest.mark.parametrize("ratio", [0.1, 0.5, 0.7])
def test_the_rows_that_plan_names_suffice_and_one_less_does_not(ratio, run):
    rows = strict(run("plan", "--split-ratio", ratio, "--json")[1])["plan"][0]["rows"]
    rng = np.random.default_rng(0)
    for n0, enough in ((rows, True), (rows - 1, False)):
        X = rng.normal(size=(n0 + 50, 1))
        y = np.r_[np.zeros(n0), np.ones(50)]
        if enough:
            assert npc(X, y, "lda", split_ratio=ratio, random_state=1).n0_left_out >= 59
        else:
            with pytest.raises(nproc.TooFewSamplesError):
                npc(X, y, "lda", split_ratio=ratio, random_state=1)


def test_plan_shows_all_pairs_of_levels(run):
    record = strict(run("plan", "--alpha", "0.05,0.1", "--alpha", 0.2, "--delta", "0.05,0.1", "--json")[1])
    assert len(record["plan"]) == 6


def test_plan_says_what_given_rows_allow(run):
    record = strict(run("plan", "--n0", 59, "--json")[1])["plan"][0]
    assert record["order"] == 59
    assert record["violation_rate"] == nproc.violation_rate(59, 59, 0.05)
    assert record["type1_upper"] == nproc.orderstat.type1_upper(59, 59, 0.05)
    short = strict(run("plan", "--n0", 58, "--json")[1])["plan"][0]
    assert (short["order"], short["n0_needed"]) == (None, 59)
    assert short["smallest_alpha"] > 0.05
    code, text, _ = run("plan", "--n0", 58)
    assert code == 0
    assert "none" in text
    by_rows = strict(run("plan", "--rows", 117, "--json")[1])["plan"][0]
    assert (by_rows["n0"], by_rows["order"]) == (59, 59)


def test_plan_of_several_levels_says_of_each_how_many_rows_are_left_out(run):
    given = ("plan", "--rows", 172, "--alpha", "0.05,0.1,0.02")
    alone = [nproc.planning.supported_levels(rows=172, alpha=alpha) for alpha in (0.05, 0.1, 0.02)]
    assert len({levels.n0 for levels in alone}) == 3
    found = strict(run(*given, "--json")[1])["plan"]
    assert [(one["n0"], one["order"]) for one in found] == [(levels.n0, levels.order) for levels in alone]
    for one in alone:
        wanted = rf"^{one.alpha:g} +0.05 +{one.n0} +{one.order or 'none'} "
        assert re.search(wanted, run(*given)[1], re.MULTILINE)


def test_plan_names_a_split_ratio_by_which_too_few_rows_suffice(run):
    needed, given = nproc.min_class0_size(0.05, 0.005), ("plan", "--alpha", "0.05", "--delta", "0.005")
    for ratio in ((), ("--split-ratio", "0.5")):
        text = " ".join(run(*given, "--rows", 155, *ratio)[1].split())
        found = re.search(r"these rows suffice: --split-ratio (\S+) leaves out (\d+) of them", text)
        assert int(found[2]) == needed
        assert ("alpha that split ratio auto reaches" in text) == (not ratio)
        record = strict(run(*given, "--rows", 155, "--split-ratio", found[1], "--json")[1])["plan"][0]
        assert (record["n0"], record["order"]) == (needed, needed)
        levels = {"alpha": 0.05, "delta": 0.005, "split_ratio": float(ratio[1]) if ratio else "auto"}
        told = " ".join(str(nproc.planning.supported_levels(rows=155, **levels).summary()).split())
        assert f"these rows suffice: split_ratio={found[1]} leaves out {needed} of them" in told
    for enough in (("--rows", 250), ("--rows", needed + 1), ("--n0", needed - 1)):
        assert "suffice" not in run(*given, *enough)[1]


def test_a_predictor_that_looks_like_an_identifier_is_told(run, tmp_path):
    y = np.repeat([0, 1], 200)
    noise = np.random.default_rng(0).normal(size=400)
    table = pd.DataFrame({"patient_id": np.arange(400) // 2, "entry": np.arange(400) + 5, "x": noise + y, "y": y})
    table.to_csv(tmp_path / "t.csv", index=False)
    given = ("fit", tmp_path / "t.csv", "--label", "y", "--method", "lda", "--seed", 1, "--class0", 0)
    err = run(*given)[2]
    assert "warning: 'patient_id' is used as a predictor, but its name is that of an identifier" in err
    assert "some rows share their value" in err
    assert "belong together, such as those of one patient, give --clusters patient_id; with --drop" in err
    assert err.count("patient_id'") == 1
    assert "another whole number in each row. If it is one, give --drop entry." in err
    assert "identifier" not in run(*given, "--drop", "patient_id,entry")[2]
    assert "identifier" not in run(*given, "--features", "x,entry")[2]


@pytest.fixture
def patients(tmp_path):
    """Rows of which all but the first two share a patient with another one, as a CSV file."""
    y = np.tile([0, 1], 200)
    rng = np.random.default_rng(0)
    who = np.r_[[900, 901], np.arange(398) // 2]
    table = pd.DataFrame({"patient_id": who, "x": rng.normal(size=400) + y, "z": rng.normal(size=400), "y": y})
    table.to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


OWNERS = "rows of one patient, country or other unit are not independent: 398 of the 400 rows share their 'patient_id'"


@pytest.mark.parametrize(
    "columns",
    [
        ["--label", "y", "--drop", "patient_id"],
        ["--label", "y", "--features", "x,z"],
        ["--formula", "y ~ x"],
        ["--formula", "y ~ . - patient_id"],
    ],
)
def test_a_fit_without_the_identifier_of_its_patients_claims_no_guarantee(columns, run, patients, tmp_path):
    out = tmp_path / "fit.joblib"
    given = ("fit", patients, *columns, "--class0", 0, "--method", "lda", "--seed", 1)
    _, text, err = run(*given, "--out", out)
    assert f"warning: nothing is guaranteed for these rows, because {OWNERS}" in err
    assert "To take that into account, give --clusters patient_id." in err
    assert f"Not guaranteed here, because {OWNERS}" in " ".join(text.split())
    fit = nproc.load(out)
    assert (fit.guaranteed, fit.unmet) == (False, (NO_SHARED_OWNERS,))
    run("report", out, "--data", patients, "--label", "y", "--out", tmp_path / "r.md")
    report = (tmp_path / "r.md").read_text().replace("\\", "")
    assert OWNERS in report
    assert "The type I error of this classifier is not guaranteed." in report
    record = strict(run(*given, "--json")[1])
    assert not record["guaranteed"]
    assert any(OWNERS in note for note in record["notes"])


@pytest.mark.slow
def test_fresh_rows_that_share_a_patient_certify_nothing(run, patients, tmp_path):
    fresh, plain = pd.read_csv(patients), tmp_path / "plain.csv"
    fresh = fresh[fresh["y"] == 0].assign(patient_id=np.arange(200) // 2, visit_id=np.arange(200) // 3)
    fresh.to_csv(patients, index=False)
    fresh.drop(columns=["patient_id", "visit_id"]).to_csv(plain, index=False)
    model, rule = tmp_path / "m.joblib", tmp_path / "rule.json"
    training = fresh.assign(x=-fresh["x"]), fresh.assign(x=fresh["x"] + 3, y=1)
    pd.concat(training).drop(columns=["patient_id", "visit_id"]).to_csv(tmp_path / "train.csv", index=False)
    run("fit", tmp_path / "train.csv", "--label", "y", "--class0", 0, "--method", "lda", "--seed", 1, "--out", model)
    run("threshold", tmp_path / "train.csv", "--score", "x", "--label", "y", "--class0", 0, "--out", rule)
    both = "all 200 rows share their 'patient_id' with another row; all 200 rows share their 'visit_id'"
    for first, *given in ([model], [rule], [2.5, "--score", "x", "--class0", 0, "--alpha", 0.5]):
        _, text, err = run("certify", first, patients, "--label", "y", *given)
        assert "nothing is certified by these rows, because rows of one patient, country or other unit" in err
        assert both in err
        assert "If rows with the same 'patient_id' or 'visit_id' do not belong together, leave such a column out" in err
        words = " ".join(text.split())
        assert "no, dependent" in words
        assert (
            f"Nothing is certified, because rows of one patient, country or other unit are not independent: {both}"
            in words
        )
        assert strict(run("certify", first, patients, "--label", "y", *given, "--json")[1])["certified"] is False
        _, text, err = run("certify", first, plain, "--label", "y", *given)
        assert "certified by these rows" not in err
        assert "dependent rows" not in text
    for new, is_dependent in ((patients, True), (plain, False)):
        _, _, err = run("report", model, "--new", new, "--label", "y", "--out", tmp_path / "r.md")
        assert f"Table of the new rows: {new.name}." in (tmp_path / "r.md").read_text().replace("\\", "")
        assert ("nothing is certified by these rows" in err) is is_dependent
        text = (tmp_path / "r.md").read_text()
        assert "Certified type I error" in text
        assert ("no, dependent rows" in text) is is_dependent
    # one row of each patient counts
    clustered = pd.concat([fresh, fresh.assign(x=fresh["x"] + 3, y=1)]).drop(columns="visit_id")
    clustered.assign(patient_id=np.arange(400)).to_csv(tmp_path / "train.csv", index=False)
    run("fit", tmp_path / "train.csv", "--label", "y", "--class0", 0, "--clusters", "patient_id", "--out", model)
    fresh.drop(columns="visit_id").to_csv(patients, index=False)
    assert "certified by these rows" not in run("certify", model, patients, "--label", "y")[2]
    pd.concat([fresh, fresh[:7]])[["x", "z", "y"]].to_csv(plain, index=False)
    run("fit", tmp_path / "train.csv", "--label", "y", "--class0", 0, "--features", "x,z", "--out", model)
    assert (
        "14 of the 207 class 0 rows equal another one in all columns" in run("certify", model, plain, "--label", "y")[2]
    )


@pytest.mark.slow
def test_new_rows_of_a_class_that_share_a_patient_are_told_of_where_they_count_as_independent(run, patients, tmp_path):
    frame, fresh, model = pd.read_csv(patients), tmp_path / "fresh.csv", tmp_path / "m.joblib"
    frame.drop(columns="patient_id").to_csv(patients, index=False)
    options, places = ("--label", "y", "--class0", 0, "--method", "lda", "--seed", 1), np.arange(400)
    run("fit", patients, *options, "--out", model)
    # a patient has a row of each class; two of class 0; two of class 1
    cases = {
        "both": places // 2,
        "class 0": np.where(frame["y"] == 0, places // 4, 1000 + places),
        "class 1": np.where(frame["y"] == 1, places // 4, 1000 + places),
    }
    told = "because rows of one patient, country or other unit are not independent: 200 of the 400 rows share their"
    for case, owners in cases.items():
        frame.assign(patient_id=owners, x=frame["x"] + 0.1, z=frame["z"] + 0.1).to_csv(fresh, index=False)
        errors = {
            "predict": (model, fresh, "--label", "y", "--keep", "patient_id", "--out", tmp_path / "p.csv"),
            "fit": (patients, *options, "--test", fresh),
            "report": (model, "--new", fresh, "--label", "y", "--out", tmp_path / "r.md"),
        }
        for command, given in errors.items():
            _, out, err = run(command, *given)
            of_intervals = f"warning: the intervals of the errors do not hold, {told} 'patient_id' with another row of"
            assert (of_intervals in err) is (case != "both"), (case, command, err)
            told_there = (
                err if command == "predict" else (tmp_path / "r.md").read_text() if command == "report" else out
            )
            assert ("two-sided" in told_there) is (case == "both"), (case, command, told_there)
        text = (tmp_path / "r.md").read_text()
        for said in ("No intervals are shown, because rows", "the errors on new rows, because rows of one patient"):
            assert (said in text) is (case != "both"), case
        assert ("Intervals for errors on new rows are exact" in text) is (case == "both")
        state = ("--label", "y", "--state", tmp_path / f"{case}.json")
        of_class0 = {
            "the checks of new rows do not hold": ("check", model, "--new", fresh, "--label", "y"),
            "nothing is guaranteed by these rows": ("monitor", fresh, *state, "--model", model),
        }
        for lost, command in of_class0.items():
            assert (f"warning: {lost}, because rows of one patient" in run(*command)[2]) is (case == "class 0")


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_bands_without_the_identifier_of_their_patients_and_what_is_made_of_them_claim_no_guarantee(
    kind, run, patients, tmp_path
):
    out, options = tmp_path / "band.joblib", ("--label", "y", "--class0", 0, "--drop", "patient_id", "--seed", 1)
    options += ("--method", "lda", "--band", kind)
    code, text, err = run("bands", patients, *options, "--out", out, "--youden", "--prevalence", "1=0.2")
    assert code == 0
    assert f"warning: nothing is guaranteed for these rows, because {OWNERS}" in err
    assert "The command npc fit --clusters patient_id can." in err
    words = " ".join(text.split())
    condition = "hold only if no two rows were of one patient, country or other unit"
    # of the band and of its predictive values
    assert words.count(f"Not guaranteed here, because {OWNERS}") == 2
    assert words.count(condition) == 3
    assert "Not guaranteed: Nothing is proved at this alpha" in words
    band = load(out)
    fit = band.classifier(0.3)
    assert (fit.guaranteed, fit.unmet) == (False, (NO_SHARED_OWNERS,))
    assert any(OWNERS in caveat for caveat in fit.caveats)
    chosen = band.classifier(band.choose_alpha("youden"))
    assert not chosen.guaranteed
    assert "would hold only if no two rows were of one patient, country or other unit" in str(chosen.summary()).replace(
        "\n    ", " "
    )
    run("report", out, "--alpha", 0.3, "--out", tmp_path / "r.md")
    assert "The type I error of this classifier is not guaranteed." in (tmp_path / "r.md").read_text()
    record = strict(run("bands", patients, *options, "--json")[1])["bands"][0]
    assert OWNERS in record["caveats"][0]
    text, err = run("compare", patients, *options, "--method", "nb", "--alpha", 0.3)[1:]
    assert f"because {OWNERS}" in err
    words = " ".join(text.split())
    assert words.count("would hold only if no two rows were of one patient, country or other unit.") == 2


@pytest.mark.parametrize("made", ["on the command line", "with other signs", "in Python"])
def test_the_lines_in_a_report_read_the_file_as_the_command_line_did(made, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    ill = rng.random(400) < 0.5
    # a code that rises with the risk would be another predictor as a number
    table = pd.DataFrame({"dose": rng.normal(size=400) + ill, "zip": rng.choice(["007", "012", "450"], 400)})
    table = table.assign(ort=rng.choice(["Köln", "Bonn"], 400), ill=np.where(ill, "yes", "no"))
    form = {"sep": ";", "decimal": ",", "encoding": "cp1252"} if made == "with other signs" else {}
    table.to_csv("ward.csv", index=False, **form)
    given = ["--label", "ill", *(word for name, sign in form.items() for word in (f"--{name}", sign))]
    if made == "in Python":
        # it took the codes for numbers
        numbers = pd.read_csv("ward.csv", **exact_floats())
        fit = npc("ill ~ .", data=numbers, class0="yes", random_state=1)
        nproc.save(fit, "fit.joblib")
    else:
        assert run("fit", "ward.csv", *given, "--class0", "yes", "--seed", 1, "--out", "fit.joblib")[0] == 0
        fit = load("fit.joblib")
    code, _, err = run("report", "fit.joblib", "--data", "ward.csv", *given, "--out", "report.md")
    assert code == 0, err
    lines = Path("report.md").read_text("utf-8").split("## To make it again")[1].split("```")[1]
    assert ("texts=" in lines) == (made == "in Python")
    *before, last = ast.parse(lines).body
    names = {}
    exec(compile(ast.Module(before, []), "report", "exec"), names)
    again = eval(compile(ast.Expression(last.value), "report", "eval"), names)
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)
    assert str(again.summary()) == str(fit.summary())


@pytest.mark.slow
def test_a_column_with_a_single_value_is_no_predictor_so_that_another_hospital_can_be_labelled(
    run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    ill = rng.random(400) < 0.5
    table = pd.DataFrame({"dose": rng.normal(size=400) + ill, "sex": rng.choice(["m", "f"], 400), "hospital": "A"})
    table = table.assign(ward=3, ill=np.where(ill, "yes", "no"))
    table.to_csv("a.csv", index=False)
    table[:20].assign(hospital="B").to_csv("b.csv", index=False)
    given = ("--class0", "yes", "--alpha", 0.2, "--seed", 1, "--out", "m.joblib")
    fitting = ("fit", "a.csv", "--label", "ill", *given)
    told = "".join(
        f"note: column {column!r} has no value but {value!r} and is left out of the predictors\n"
        for column, value in (("hospital", "A"), ("ward", 3))
    )
    coded = "note: coded as categories: sex (2 values)\n"
    for more, said in (((), told), (("--drop", "hospital,ward"), ""), (("--features", "dose,sex"), "")):
        code, _, err = run(*fitting, *more)
        assert (code, err) == (0, f"{said}{coded}")
        assert load("m.joblib").feature_names == ("dose", "sex")
        assert run("predict", "m.joblib", "b.csv")[0] == 0
    table.assign(a=0, b=1, c=2.5).to_csv("many.csv", index=False)
    told = "note: 5 columns have a single value and are left out of the predictors: 'hospital', 'ward', 'a', 'b', 'c'\n"
    assert run("fit", "many.csv", *fitting[2:])[::2] == (0, f"{told}{coded}")
    # gaps may tell something
    table[["dose", "ill"]].assign(ward=np.where(rng.random(400) < 0.3, np.nan, 3)).to_csv("gaps.csv", index=False)
    code, _, err = run("fit", "gaps.csv", "--label", "ill", "--method", "gradientboosting", *given)
    assert (code, err) == (0, "")
    assert load("m.joblib").feature_names == ("dose", "ward")
    # a formula is not changed
    way_out = "note: column 'hospital' has no value but 'A', so that rows with another value cannot be predicted; "
    way_out += "to leave it out, write '- hospital' at the end of the formula\n"
    for formula, said, code in (("ill ~ .", way_out, 2), ("ill ~ . - hospital", "", 0)):
        assert run("fit", "a.csv", "--formula", formula, *given)[::2] == (0, f"{said}{coded}")
        assert run("predict", "m.joblib", "b.csv")[0] == code


def test_a_report_whose_new_rows_are_those_of_the_fit_is_refused_in_the_options_of_the_command(run, tmp_path):
    fitted, out = tmp_path / "fit.joblib", tmp_path / "r.md"
    run(
        "fit",
        SIMULATION,
        "--label",
        "y",
        "--class0",
        0,
        "--alpha",
        0.1,
        "--method",
        "lda",
        "--seed",
        1,
        "--out",
        fitted,
    )
    code, _, err = run("report", fitted, "--data", SIMULATION, "--new", SIMULATION, "--label", "y", "--out", out)
    assert code == 2
    assert f"--new {SIMULATION} has the rows of --data {SIMULATION}" in err
    assert err.endswith("Give rows that had no part in the fit, or leave --new out.\n")


def test_a_report_draws_the_band_of_the_file_marked_at_the_level(run, tmp_path):
    fitted, band, out = tmp_path / "fit.joblib", tmp_path / "band.joblib", tmp_path / "r.md"
    options = ("--label", "y", "--class0", 0, "--method", "lda", "--seed", 1, "--out")
    run("bands", SIMULATION, *options, band)
    run("fit", SIMULATION, "--alpha", 0.1, *options, fitted)
    run("report", band, "--alpha", 0.2, "--out", out)
    assert "![NP-ROC band, marked at alpha = 0.2; the axis ends at alpha = 0.7]" in out.read_text()
    # a band trains on fewer rows of class 1 than the fit
    run("report", fitted, "--band", band, "--out", out)
    assert "![NP-ROC band, marked at alpha = 0.1; the axis ends at alpha = 0.3]" in out.read_text()
    assert "The classifier of this report does not come from this band." in out.read_text()
    run("report", fitted, "--out", out)
    assert "![NP-ROC band" not in out.read_text()
    assert "npc report --band" in out.read_text()
    code, _, err = run("report", band, "--alpha", 0.2, "--band", band, "--out", out)
    assert (code, "is a band itself, which the report draws; leave out --band" in err) == (2, True)
    code, _, err = run("report", fitted, "--band", fitted, "--out", out)
    assert (code, "--band must be a file of a band" in err) == (2, True)


@pytest.mark.slow
def test_a_report_has_the_predictive_values_at_the_share_of_a_class(run, tmp_path):
    frame = pd.read_csv(SIMULATION).assign(y=lambda table: np.where(table["y"] == 0, "ill", "well"))
    for name, part in (("old.csv", frame[::2]), ("new.csv", frame[1::2])):
        part.to_csv(tmp_path / name, index=False)
    fitted, new, out = tmp_path / "fit.joblib", tmp_path / "new.csv", tmp_path / "r.md"
    options = ("--label", "y", "--class0", "ill", "--alpha", 0.1, "--method", "lda", "--seed", 1, "--out")
    run("fit", tmp_path / "old.csv", *options, fitted)
    words = ("report", fitted, "--label", "y", "--out", out)
    code, _, err = run(*words, "--new", new, "--prevalence", "ill=0.01")
    assert code == 0, err
    X, y = frame[1::2].drop(columns="y"), frame[1::2]["y"]
    table = load(fitted).thresholds_table(X, y, prevalence={"ill": 0.01})
    columns = [f"P({label} | called {label}){end}" for label in ("well", "ill") for end in ("", "_lower", "_upper")]
    text = out.read_text()
    (line,) = (line for line in text.split("Predictive values at another")[1].splitlines() if line.startswith("0.1 "))
    shown = [float(word) for word in line.split()[1:]]
    np.testing.assert_allclose(shown, table[table["alpha"] == 0.1][columns].iloc[0], atol=1.01e-4)
    assert re.search(r"P\(ill\): +0\.01\b", text)
    means = "If ill is the disease, P(ill | called ill) is the PPV and P(well | called well) the NPV."
    assert means in " ".join(text.split())
    for share in ({"ill": 0.01}, {"well": 0.99}):
        alike = load(fitted).report(tmp_path / "python.md", X, y, prevalence=share).read_text(encoding="utf-8")
        section, of_command = (one.split("Predictive values at another")[1].split("\n## ")[0] for one in (alike, text))
        assert section == of_command
    for more, told in (
        (("--prevalence", "ill=0.01"), "--prevalence is about the rows of --new"),
        (("--new", new, "--prevalence", "sick=0.01"), "'sick' is not a label"),
        (("--new", new, "--prevalence", "ill=0.01,0.1"), "--prevalence must be one share here"),
    ):
        code, _, err = run(*words[:2], *(() if "--new" not in more else words[2:4]), *words[4:], *more)
        assert code == 2
        assert told in err
    frame[1::2].query("y == 'ill'").to_csv(new, index=False)
    code, _, err = run(*words, "--new", new, "--prevalence", "ill=0.01")
    assert code == 2
    assert "--prevalence is for new rows of both classes, and these have none of well; leave it out." in err
    # in another unit: of a report that is not written there is nothing else to say
    X.mul(1000).assign(y="ill").to_csv(new, index=False)
    assert "Are the units the same?" in run(*words, "--new", new)[2]
    assert "Are the units the same?" not in run(*words, "--new", new, "--prevalence", "ill=0.01")[2]


def test_a_formula_does_not_code_a_text_of_many_values_in_silence(run, patients, tmp_path):
    frame = pd.read_csv(patients)
    frame["patient_id"] = "P-" + frame["patient_id"].astype(str)
    frame.to_csv(tmp_path / "named.csv", index=False)
    given = ("fit", tmp_path / "named.csv", "--class0", 0, "--seed", 1, "--formula")
    for formula in ("y ~ .", "y ~ x + patient_id"):
        code, _, err = run(*given, formula)
        assert code == 2
        assert "column 'patient_id' is text with" in err
        assert "write C(patient_id) in the formula" in err
        assert "leave it out of the formula, and give --clusters patient_id." in err
    for command, options, way_out in (
        ("bands", [], "use npc fit --clusters patient_id."),
        ("fit", ["--groups", "x"], "leave out --groups and give --clusters patient_id."),
        ("fit", ["--split-ratio", "adaptive"], "leave out --split-ratio adaptive and give --clusters patient_id."),
    ):
        err = run(command, *given[1:], "y ~ x + patient_id", *options)[2]
        assert f"leave it out of the formula, and {way_out}" in err, err
    assert "patient_id' is text" not in run(*given, "y ~ x")[2]
    # nor does it have to, where they say which rows belong together
    code, _, err = run(*given, "y ~ .", "--clusters", "patient_id", "--alpha", 0.3)
    assert (code, "is text with" in err, "coded as categories" in err) == (0, False, False)
    # nor is a second one told to replace them
    pd.read_csv(tmp_path / "named.csv").assign(family=np.arange(len(frame)) // 2).to_csv(given[1], index=False)
    for chosen, how in ((["--formula", "y ~ ."], "of the formula"), (["--label", "y"], "by --drop patient_id")):
        code, _, err = run(*given[:-1], *chosen, "--clusters", "family")
        assert code == 2
        assert f"If it is none of the measurements, leave it out {how}. Keep the clusters that you gave" in err
        assert "give --clusters" not in err


def test_bands_of_a_column_of_scores_see_the_identifier_beside_it(run, patients):
    given = ("bands", patients, "--label", "y", "--class0", 0)
    text, err = run(*given, "--score", "x")[1:]
    assert OWNERS in err
    # a fit would train
    assert "The command npc threshold --clusters patient_id can." in err
    assert "would hold only if no two rows were of one patient, country or other unit." in " ".join(text.split())
    assert "npc threshold --clusters patient_id can" in run("compare", *given[1:], "--score", "x", "--score", "z")[2]
    # the scores themselves are no identifier
    assert "independent" not in run(*given, "--score", "patient_id")[2]


def test_several_classes_without_the_identifier_of_their_patients_claim_no_guarantee(run, patients):
    given = (patients, "--label", "y", "--drop", "patient_id", "--method", "lda", "--seed", 1)
    text, err = run("multiclass", *given, "--priority", "0,1")[1:]
    assert OWNERS in err
    words = " ".join(text.split())
    unmet = "What follows would hold if no two rows were of one patient, country or other unit."
    assert f"Nothing is guaranteed. {unmet}" in words
    # levels that are aimed at have no guarantee anyway
    assert "independent" not in run("npcs", *given, "--alphas", "0=0.3")[2]


def test_rows_whose_dependence_is_declared_or_denied_keep_the_bound(run, patients, tmp_path):
    given = ("--class0", 0, "--method", "lda", "--seed", 1, "--json")
    for columns in (
        ["--label", "y", "--clusters", "patient_id"],
        # who names it as a predictor says that it is one
        ["--label", "y", "--features", "x,patient_id"],
        ["--formula", "y ~ x + patient_id"],
    ):
        _, out, err = run("fit", patients, *columns, *given)
        assert strict(out)["guaranteed"]
        assert "not independent" not in err
    table = pd.read_csv(patients)
    for harmless in (
        table.drop(columns="patient_id"),
        table.assign(patient_id=np.arange(400)),
        table.rename(columns={"patient_id": "visits"}),
        # without labels, and so left out
        table.assign(patient_id=np.arange(400) % 200, y=table["y"].where(np.arange(400) < 200)),
    ):
        harmless.to_csv(tmp_path / "t.csv", index=False)
        _, out, err = run("fit", tmp_path / "t.csv", "--label", "y", "--features", "x", "--na-action", "omit", *given)
        assert strict(out)["guaranteed"]
        assert "not independent" not in err


def test_owners_with_rows_in_several_clusters_take_the_guarantee_of_clusters(run, patients):
    table = pd.read_csv(patients)
    given = ("fit", patients, "--label", "y", "--class0", 0, "--method", "lda", "--seed", 1, "--json")
    given += ("--clusters", "visit", "--features", "x", "--alpha", 0.2)
    within, across = table["patient_id"], table.index % 100
    for visit, guaranteed in ((within, True), (across, False)):
        table.assign(visit=visit).to_csv(patients, index=False)
        _, out, err = run(*given)
        assert strict(out)["guaranteed"] == guaranteed
        # the visits of a patient and the patients of a visit cross: neither is the column to give
        by = "--clusters a column in which all rows that belong together share one value."
        assert (by in err) != guaranteed


def test_a_text_column_of_many_values_is_told_what_its_values_may_say_of_the_rows(run, patients):
    table = pd.read_csv(patients)
    for column, values, told in (
        ("patient_id", "P" + table["patient_id"].astype(str), "give --clusters patient_id; with --drop patient_id"),
        # with blanks, as between thousands
        ("patient_id", "943 479 " + (100 + table["patient_id"]).astype(str), "give --clusters patient_id; with --drop"),
        ("nhs", "943 479 " + (5100 + table["patient_id"]).astype(str), "give --clusters nhs. If they do not, leave"),
        ("home town", "T" + table["patient_id"].astype(str), "give --clusters 'home town'. If they do not, leave"),
        (
            "visit",
            pd.date_range("2021-03-01", periods=200).repeat(2).astype(str),
            "(at most 50). You can leave the column out by",
        ),
        ("name", "N" + pd.Series(np.arange(400)).astype(str), "(at most 50). You can leave the column out by --drop"),
    ):
        table.drop(columns="patient_id").assign(**{column: values}).to_csv(patients, index=False)
        code, _, err = run("fit", patients, "--label", "y", "--class0", 0)
        assert code == 2
        assert told in err
        _, _, err = run("bands", patients, "--label", "y", "--class0", 0)
        assert ("use npc fit --clusters" in err) == ("--clusters" in told)


@pytest.mark.slow
def test_plan_of_a_review_is_that_of_python(run, tmp_path):
    rng = np.random.default_rng(0)
    harmful, safe = rng.normal(size=300), rng.normal(2.9, 1, size=300)
    table = pd.DataFrame({"kind": np.repeat(["harmful", "safe"], 300), "score": np.r_[harmful, safe]})
    table.to_csv(tmp_path / "s.csv", index=False)
    given = ("plan", tmp_path / "s.csv", "--label", "kind", "--class0", "harmful", "--max-review", 0.1)
    code, text, _ = run(*given)
    assert code == 0
    assert re.search("Plan of a rule with review *\n=+\nClass 0: +harmful .*\nClass 1: +safe ", text)
    wanted = plan_review(harmful, safe, max_review=0.1)
    found = strict(run(*given, "--json")[1])["plan"][0]
    assert (found["n0_needed"], found["n1_needed"]) == (wanted.n0_needed, wanted.n1_needed) == (425, 425)
    assert found["review_limit"] == wanted.review_limit
    assert (found["class0"], found["class1"]) == ("harmful", "safe")
    levels = {"alpha": 0.1, "beta": 0.2, "delta0": 0.2, "delta1": 0.2, "prevalence": 0.9}
    wanted = plan_review(harmful, safe, max_review=0.01, **levels)
    more = ("--max-review", 0.01, "--alpha", 0.1, "--review-beta", 0.2, "--delta", 0.2, "--prevalence", 0.9)
    found = strict(run(*given, *more, "--json")[1])["plan"][0]
    assert {key: found[key] for key in levels} == levels
    assert [size["review"] for size in found["sizes"]] == wanted.review.tolist()


# errors


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "arguments are required: COMMAND"),
        (["fit"], "arguments are required: DATA"),
        (["fit", SIMULATION], "one of the arguments --label --formula is required"),
        (["fit", SIMULATION, "--label", "y", "--formula", "y ~ x1"], "not allowed with argument"),
        (["fit", SIMULATION, "--label", "y", "--alpha", "x"], "--alpha: give one number, not 'x' (see"),
        (["fit", SIMULATION, "--label", "y", "--alpha", "0,05"], "give one number, not '0,05'; write 0.05 (see"),
        (["fit", SIMULATION, "--label", "y", "--split-ratio", "0,5"], "or 'adaptive', not '0,5'; write 0.5 (see"),
        (["plan", "--auc", ",9"], "--auc: give one number, not ',9'; write .9 (see"),
        (["fit", SIMULATION, "--label", "y", "--alpha", "1.5"], "alpha must lie strictly between 0 and 1"),
        (["fit", SIMULATION, "--label", "y", "--alpha", "0.001"], "cannot meet alpha=0.001"),
        (["fit", SIMULATION, "--label", "y", "--splits", "0"], "--splits must be at least 1"),
        (["fit", SIMULATION, "--label", "y", "--split-ratio", "x"], "give a number, 'auto' or 'adaptive'"),
        (["fit", SIMULATION, "--label", "y", "--seed", "-1"], "at least 0"),
        (["fit", SIMULATION, "--label", "y", "--jobs", "0"], "--jobs must be"),
        (["fit", SIMULATION, "--label", "y", "--method", "magic"], "method must be one of"),
        (["fit", SIMULATION, "--label", "y", "--param", "C=1"], "has no parameter 'C'"),
        (["fit", SIMULATION, "--label", "y", "--param", "C"], "give it as key=value"),
        (["fit", SIMULATION, "--label", "y", "--param", "svm.C=1"], "'svm' is not one of the methods"),
        (["fit", SIMULATION, "--label", "z"], "'z' is not in the data. The columns are 'x1', 'x2', 'y'"),
        (["fit", SIMULATION, "--label", "Y"], "'Y' is not in the data. Did you mean 'y'? The columns are"),
        (
            ["fit", SIMULATION, "--label", "y", "--class0", "2"],
            "'2' is not a label in the label column, which has 0, 1",
        ),
        (["fit", SIMULATION, "--label", "y", "--features", "x1,x9"], "the feature 'x9' is not in the data"),
        (["fit", SIMULATION, "--label", "y", "--features", "X1,X2"], "Did you mean 'x1' for 'X1', 'x2' for 'X2'? The"),
        (["fit", SIMULATION, "--label", "y", "--features", "x1,y"], "the label 'y' is among the columns that predict"),
        (["fit", SIMULATION, "--label", "y", "--features", ","], "give names, separated by commas"),
        (
            ["fit", SIMULATION, "--label", "y", "--drop", "a\nb"],
            r"on one line, separated by commas, not 'a\nb'",
        ),
        (["fit", SIMULATION, "--label", "y", "--drop", "x1,x2"], "no predictor is left"),
        (["fit", SIMULATION, "--label", "y", "--drop", "x9"], "the column to drop 'x9' is not in the data"),
        (["fit", SIMULATION, "--formula", "y ~ x1", "--drop", "x2"], "leave out --features and --drop"),
        (["fit", SIMULATION, "--formula", "y ~ x9"], "x9"),
        (["fit", SIMULATION, "--formula", "x1"], "x1"),
        (["fit", "nothing.csv", "--label", "y"], "there is no file nothing.csv"),
        (["fit", SIMULATION, "--label", "y", "--test", "nothing.csv"], "there is no file nothing.csv"),
        (["fit", SIMULATION, "--label", "y", "--out", "no/m.joblib"], "there is no folder"),
        (["fit", SIMULATION, "--label", "y", "--json", "no/m.json"], "there is no folder"),
        (["fit", SIMULATION, "--label", "y", "--plot", "no/m.png"], "there is no folder"),
        (["fit", SIMULATION, "--label", "y", "--plot", "m.doc"], ".pdf, .pgf, .png"),
        (["fit", SIMULATION, "--label", "y", "--figsize", "3x3"], "give --plot, or leave it out"),
        (["bands", SIMULATION, "--label", "y", "--xlim", "0,1"], "--xlim is about the picture of --plot; give --plot"),
        (["bands", SIMULATION, "--label", "y", "--plot", "b.png", "--xlim", "0.2"], "such as 0,0.2, not '0.2'"),
        (["compare", SIMULATION, "--label", "y", "--ylim", "0,1"], "--ylim is about the picture of --plot; give"),
        (["compare", SIMULATION, "--label", "y", "--scale", "roc"], "--scale is about the picture of --plot; give"),
        (["bands", SIMULATION, "--label", "y", "--plot", "b.png", "--ylim", "1,0.7"], "such as 0,0.2, not '1,0.7'"),
        (["fit", SIMULATION, "--label", "y", "--plot", "m.png", "--figsize", "85"], "such as 3.35x3, not '85'"),
        (["fit", SIMULATION, "--label", "y", "--plot", "m.png", "--figsize", "nanx3"], "each from 1 to 100, such as"),
        (["bands", SIMULATION, "--label", "y", "--alphas", "a,b"], "give numbers separated by commas"),
        (["bands", SIMULATION, "--label", "y", "--alphas", "2"], "alphas must lie strictly between 0 and 1"),
        (["bands", SIMULATION, "--label", "y", "--type2-max", "2"], "type2-max must lie strictly between 0 and 1"),
        (["bands", SIMULATION, "--label", "y", "--type2-max", "0.3", "--youden"], "not allowed with argument"),
        (["bands", SIMULATION, "--label", "y", "--method", "lda", "--method", "lda"], "given twice"),
        (["bands", SIMULATION, "--label", "y", "--method", "lda", "--method", "nb", "--out", "b"], "saves one band"),
        (["compare", SIMULATION, "--label", "y", "--method", "lda"], "needs --method or --score at least twice, got 1"),
        (["compare", SIMULATION, "--label", "y"], "needs --method or --score at least twice, got 0"),
        (["predict", "nothing.joblib", SIMULATION], "there is no model file"),
        (["predict", SIMULATION, SIMULATION], "is not a model file of this package"),
        (["plan", "--alpha", "0"], "alpha must lie strictly between 0 and 1"),
        (["plan", "--n0", "0"], "n0 must be at least 1"),
        (["plan", "--rows", "1"], "rows must be at least 2"),
        (["plan", "--n0", "5", "--rows", "9"], "not allowed with argument"),
        (["plan", "--max-review", "0.1"], "--max-review needs a pilot"),
        (["plan", SIMULATION, "--max-review", "0.1", "--power", "0.9"], "leave these out"),
        (
            ["plan", SIMULATION, "--max-review", "0.1"],
            "csv has no column 'score', the default of --score, and no column 'label', the default of --label. The "
            "columns are 'x1', 'x2', 'y'. Name the columns by --score and --label.",
        ),
        (
            ["plan", SIMULATION, "--score", "x1"],
            "csv has no column 'label', the default of --label. The columns are 'x1', 'x2', 'y'. Name the column by "
            "--label.",
        ),
        (["plan", "--prevalence", "ill=0.1"], "say which is class 0: add --class0 ill if the error on the rows of ill"),
        (["plan", "--prevalence", "very ill=0.1"], "add --class0 'very ill' if the error on the rows of very ill"),
        (["plan", "--prevalence", "0.1,0.2"], "prevalence must be one number strictly between 0 and 1"),
        (["plan", "--prevalence", "0.1", "--n0", "50"], "is for numbers of rows to collect; leave out --n0"),
        (["plan", SIMULATION, "--review-beta", "0.1"], "error: --review-beta is for a rule with review; give --max"),
        (["plan", "--alpha", "0,05"], "'0,05' looks like one with a decimal comma; write 0.05"),
        (["plan", "--delta", "0.1,0,5"], "a comma separates several numbers, and '0,5' looks like"),
        (["plan", SIMULATION, "--max-review", "0.1", "--prevalence", "1=0,3"], "write 0.3"),
        (["bands", SIMULATION, "--label", "y", "--alphas", "0,05,0,1"], "write 0.05"),
        (["threshold", SIMULATION, "--score", "x1", "--label", "y", "--noise0", "0,02"], "write 0.02"),
        (["npcs", SIMULATION, "--label", "y", "--alphas", "0=0,05,1=0.1"], "write 0.05"),
        (["certify", "0,93", SIMULATION, "--class0", "0"], "'0,93' is neither a number nor a file; write 0.93."),
        (["certify", "no.npc", SIMULATION, "--class0", "0"], "'no.npc' is neither a number nor a file."),
        (["plan", SIMULATION, "--score", "x1", "--label", "y", "--max-review", "2"], "max-review must lie strictly"),
    ],
)
def test_mistakes_end_with_code_two_and_one_line(args, message, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, text, err = run(*args)
    assert code == 2
    assert text == ""
    assert message in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b"x,y\n", "has a header but no rows"),
        ("t.csv", b"x,x,y\n1,2,0\n", "several columns of the name(s) ['x']"),
        ("t.csv", b"x;y\n1;0\n", "--sep ';'"),
        ("t.csv", b'x,y\n1,0\n"2,1\n', "cannot be read as CSV"),
        ("t.csv", b"x,y\n1,0\n2,1,3,4\n", "cannot be read as CSV"),
        ("t.csv", b"x,y\n\xff\xfe,0\n", "cannot be read as CSV"),
        ("t.csv.gz", b"x,y\n1,0\n", "cannot be read as CSV"),
        ("t.parquet", b"x,y\n1,0\n", "cannot be read as Parquet"),
        ("t.dat", b"", "unknown extension"),
        *((f"t.{end}", b"", "Save the table as CSV in the encoding UTF-8") for end in ("XLSX", "xls", "ods")),
        ("t.csv", b"x,y\n1,0\n2,\n3,1\n4,\n", "has 2 missing value(s), the first in row 2"),
        ("t.csv", b"x,y\n1,a\n2,b\n3,c\n", "3 classes"),
        ("t.csv", b"x,y\n1,a\n2,a\n", "one class only"),
        ("t.csv", b"x,y\n1,0\n,1\n3,1\n", "1 missing value(s) in column(s) ['x'], the first in row 2"),
        ("t.csv", b"x,y\n1,0\n?,1\n3,1\n", "1 of its 3 values is not a number ('?' in row 2)"),
        ("t.csv", b"x,y\n5.0 %,0\n5.1 %,1\n", "row 1. Write plain numbers. You can leave the column out by --drop,"),
        ("t.csv", b"x,y\n" + b"".join(b"n%dz,%d\n" % (j, j % 2) for j in range(60)), "text with 60 different values"),
    ],
)
def test_bad_tables_end_with_code_two_and_one_line(name, content, message, run, tmp_path):
    (tmp_path / name).write_bytes(content)
    code, text, err = run("fit", tmp_path / name, "--label", "y")
    assert (code, text) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
    # the line is said where a row is named
    named = re.search(r"row (\d+)", message)
    assert ("is line" in err) == (named is not None)
    assert named is None or f"row {named[1]} is line {int(named[1]) + 1} of the file" in err


def test_predict_says_what_is_wrong(folder, run, tmp_path):
    model = tmp_path / "m.joblib"
    run("fit", SIMULATION, "--label", "y", "--out", model)
    run("bands", SIMULATION, "--label", "y", "--method", "lda", "--out", tmp_path / "b.joblib")
    load_simulation2().frame.assign(predicted=1).to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "l.csv").write_text("x1,x2,y\n1,2,maybe\n")
    (tmp_path / "c.csv").write_text("X1,X2,y\n1,2,1\n")
    for args, message in (
        ((model, folder / "cancer.csv"), "the new data lack 'x1', 'x2'"),
        ((model, tmp_path / "c.csv"), "the model needs. Did you mean 'X1' for 'x1', 'X2' for 'x2'? Columns must have"),
        ((model, SIMULATION, "--alpha", 0.1), "leave out --alpha"),
        ((tmp_path / "b.joblib", SIMULATION), "give --alpha"),
        ((model, SIMULATION, "--keep", "id"), "the column to keep 'id' is not in the data"),
        ((model, tmp_path / "p.csv", "--keep", "predicted"), "has a column 'predicted' of its own"),
        ((model, SIMULATION, "--label", "z"), "the label 'z' is not in the data"),
        ((model, SIMULATION, "--out", tmp_path / "no" / "p.csv"), "there is no folder"),
    ):
        code, text, err = run("predict", *args)
        assert (code, text) == (2, ""), args
        assert message in err
        assert len(err.splitlines()) == 1
    # of labels that the fit has not, the errors alone suffer
    code, text, err = run("predict", model, tmp_path / "l.csv", "--label", "y")
    assert (code, text) == (2, run("predict", model, tmp_path / "l.csv")[1])
    assert err == (
        "error: the rows are predicted, but no errors are counted: the labels of the fit are 0, 1, and the column 'y' "
        f"of {tmp_path / 'l.csv'} has 'maybe'. Write the labels in this file as in the fit. If a row is of neither "
        "class, leave it out of the file, or leave its label empty.\n"
    )
    (tmp_path / "empty.csv").write_text("x1,x2,y\n1,2,\n1,2,0\n")
    code, _, err = run("predict", model, tmp_path / "empty.csv", "--label", "y")
    assert code == 0
    code, text, err = run("certify", model, tmp_path / "l.csv", "--label", "y")
    assert (code, text) == (2, "")
    assert "leave its label empty and give --na-action omit." in err
    assert run("certify", model, tmp_path / "empty.csv", "--label", "y", "--na-action", "omit")[0] == 0


def test_deprecations_between_libraries_are_not_for_the_user(capsys):
    class BothKinds(UserWarning, DeprecationWarning):
        """As a library has made them."""

    with warnings.catch_warnings():
        cli._show_warnings_in_one_line(str)
        for kind in (BothKinds, DeprecationWarning):
            warnings.warn("'old' deprecated - use 'new'", kind, stacklevel=1)
        warnings.warn("about your rows", UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "warning: about your rows\n"


def test_warnings_are_one_line_each_on_the_standard_error(run):
    code, text, err = run("fit", SIMULATION, "--label", "y", "--splits", 2, "--json")
    assert code == 0
    strict(text)
    assert [line.split(":")[0] for line in err.splitlines()] == ["warning", "note"]
    assert "--splits 2 is even" in err


@pytest.mark.parametrize("command", ["fit", "bands"])
def test_a_class0_that_was_not_given_is_named(command, folder, run):
    args = [command, folder / "cancer.csv", "--label", "diagnosis", "--drop", "id", "--method", "lda"]
    code, _, err = run(*args)
    assert (code, err) == (0, NOTE.format("benign"))
    assert run(*args, "--class0", "malignant")[2] == ""


def test_test_rows_that_are_also_rows_of_the_fit_give_a_warning(folder, run, tmp_path):
    new = pd.read_csv(folder / "new.csv")
    pd.concat([new, pd.read_csv(folder / "cancer.csv").iloc[:7]]).to_csv(tmp_path / "test.csv", index=False)
    code, _, err = run("fit", *cancer_args(folder, "--method", "lda", "--test", tmp_path / "test.csv"))
    assert code == 0
    assert f"warning: 7 of the {len(new) + 7} test rows equal a row of the fit in all predictors" in err
    assert run("fit", *cancer_args(folder, "--method", "lda", "--test", folder / "new.csv"))[2] == ""


def test_common_values_are_no_repeated_rows():
    train, test = pd.DataFrame({"a": [1, 1, 2], "b": list("xxy")}), pd.DataFrame({"a": [1.0, 3.0], "b": list("xy")})
    assert repeated_note(train, test, ["a", "b"]) == ""
    assert repeated_note(train, pd.DataFrame({"a": [2.0], "b": ["y"]}), ["a", "b"]).startswith(
        "warning: the one test row equals a row"
    )
    # once there is one of them, all rows that equal a row of the fit are counted, as in a report
    both = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": list("xyy")})
    assert repeated_note(train, both, ["a", "b"]).startswith("warning: 2 of the 3 ")


def test_verbose_shows_progress_on_the_standard_error_only(run):
    code, text, err = run("fit", SIMULATION, "--label", "y", "--splits", 3, "-v", "--json")
    assert code == 0
    strict(text)
    assert "3 of 3 done" in err


def test_a_file_is_replaced_whole(run, tmp_path):
    path = tmp_path / "out.json"
    path.write_text("x" * 100_000)
    assert run("plan", "--json", path)[0] == 0
    assert strict(path.read_text())["command"] == "plan"
    assert [p.name for p in tmp_path.iterdir()] == ["out.json"]


@pytest.mark.parametrize("command", ["fit", "bands", "compare", "predict", "threshold", "plan", "demo"])
def test_every_command_has_help_with_an_example(command, run):
    code, text, err = run(command, "--help")
    assert (code, err) == (0, "")
    assert "example:" in text
    # but for the usage, which argparse breaks between options only
    assert max(map(len, text.split("\n\n", 1)[1].splitlines())) <= 80
    assert re.search(rf"\n    {command}\s", run("--help")[1])


def test_the_version_is_that_of_the_package(run):
    assert run("--version") == (0, f"nproc-py {nproc.__version__}\n", "")


# processes


def start(*args, **options):
    """Start ``python -m nproc``, with Ctrl-C as in a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "nproc", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


@pytest.mark.slow
def test_python_m_and_the_script_npc_give_the_same():
    process = start("plan", "--json")
    text, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    script = Path(sys.executable).parent / "npc"
    if not script.exists():
        pytest.skip("the console script is not installed")
    done = subprocess.run([script, "plan", "--json"], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout, done.stderr) == (0, text, "")


def test_no_script_hides_the_command_nproc_of_coreutils():
    names = {entry.name for entry in distribution("nproc-py").entry_points if entry.group == "console_scripts"}
    assert names == {"npc"}
    assert not (Path(sys.executable).parent / "nproc").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_long_run_quietly(jobs, tmp_path):
    process = start(
        *("fit", SIMULATION, "--label", "y", "--method", "randomforest", "--param", "n_estimators=100"),
        *("--splits", 9999, "--jobs", jobs, "--out", tmp_path / "m.joblib", "--plot", tmp_path / "m.png", "-v"),
    )
    first = process.stderr.readline()
    assert "split 1 of 9999 done" in first
    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    text, err = process.communicate(timeout=300)
    assert time.monotonic() - asked < 30
    assert process.returncode == 130
    assert text == ""
    assert err.splitlines()[-1] == "interrupted"
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
def test_a_reader_that_leaves_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "nproc", "plan"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=300)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_a_checkpoint_keeps_splits_for_the_same_command(run, tmp_path):
    words = [SIMULATION, "--label", "y", "--method", "lda", "--splits", "3", "--seed", "1"]
    code, first, _ = run("fit", *words)
    assert code == 0
    kept = tmp_path / "kept"
    for _ in range(2):
        assert run("fit", *words, "--checkpoint", str(kept))[:2] == (0, first)
    assert len(list(kept.glob("*/split-*.joblib"))) == 3
    assert run("bands", *words, "--checkpoint", str(kept))[0] == 0
    assert len(list(kept.glob("*/split-*.joblib"))) == 6
    code, _, err = run("fit", *words[:-2], "--checkpoint", str(kept))
    assert code == 2
    assert "--checkpoint requires --seed. " in err
    assert err.endswith("Give --seed 1, say.\n")
    procedures = ["--method", "qda", "--regions", "procedures", "--checkpoint", str(kept)]
    code, _, err = run("compare", *words, *procedures)
    assert code == 2
    assert "--checkpoint is for classifiers and bands" in err


def test_a_bad_value_is_named_by_its_option(capsys):
    data = [SIMULATION, "--label", "y"]
    split = {"--delta": "2", "--split-ratio": "0", "--splits": "-3", "--seed": "-1"}
    bad = {
        "fit": (data, {**split, "--alpha": "1.5"}),
        "bands": (data, split),
        "compare": ([*data, "--method", "lda", "--method", "qda"], split),
        "multiclass": (
            [*data, "--priority", "0,1"],
            {"--alphas": "2", "--deltas": "0", "--split-ratio": "1", "--seed": "-1"},
        ),
        "plan": (["--n0", "100"], {"--alpha": "2", "--delta": "0", "--split-ratio": "3"}),
    }
    wrong = []
    for command, (arguments, options) in bad.items():
        for option, value in options.items():
            code = main([command, *arguments, f"{option}={value}"])
            said = capsys.readouterr().err
            if code != 2 or not said.startswith(f"error: {option} must "):
                wrong.append((command, option, code, said))
    assert wrong == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("fit x.csv --label y --clas0 a", "there is no option --clas0. Did you mean --class0 (label of class 0)?"),
        (
            "bands x.csv --label y --clusters id",
            "there is no option --clusters, which belongs to npc fit, npc threshold, npc check. Keep one row of each "
            "cluster in the file, drawn at random",
        ),
        (
            "bands x.csv --label y --alpha 0.1",
            "there is no option --alpha. Did you mean --alphas (levels to tabulate, separated by commas)?",
        ),
        ("fit x.csv --label y --random-state 1", "Did you mean --seed (the same seed gives the same result)?"),
        ("plan --pilot 0.9", "there is no option --pilot. Did you mean --auc (pilot)?"),
        ("fit x.csv --label y --newdata new.csv", "Did you mean --test (rows with labels, not used for fitting, to"),
        (
            "compare x.csv --label y --methods lda,nb",
            "Did you mean --method (scoring method)? Give it once for each: --method A --method B.",
        ),
        ("plan x.csv y.csv", "y.csv is one argument too many"),
    ],
)
def test_an_option_that_a_command_has_not_is_named_with_the_nearest_one(arguments, told, capsys):
    assert main(arguments.split()) == 2
    message = capsys.readouterr().err
    assert told in message
    assert f"{arguments.split()[0]} --help)" in message


@pytest.mark.parametrize("method", ["lda,nb", "lda --method nb"])
def test_a_second_method_of_fit_is_refused_and_the_commands_that_take_several_are_named(method, folder, capsys):
    table = [str(folder / "cancer.csv"), "--label", "diagnosis"]
    assert main(["fit", *table, "--method", *method.split()]) == 2
    assert "the commands compare and bands take several, as --method lda --method nb" in capsys.readouterr().err
    assert main(["bands", *table, "--method", "lda,nb"]) == 2
    assert "give each its own option: --method lda --method nb." in capsys.readouterr().err


@pytest.mark.parametrize("names", [(0, 1), ("ill", "well")])
def test_rows_without_a_label_are_omitted_as_in_python(names, run, tmp_path):
    world = load_logistic_world()
    table = pd.DataFrame(np.asarray(world.X), columns=["a", "b"]).assign(state=np.array(names, dtype=object)[world.y])
    table.loc[[3, 11], "state"] = None
    table.loc[7, "a"] = np.nan
    table.to_csv(tmp_path / "t.csv", index=False)
    given = ("fit", tmp_path / "t.csv", "--label", "state", "--method", "lda", "--seed", 1, "--json")
    code, out, err = run(*given, "--na-action", "omit")
    assert code == 0
    assert "left out 3 of 1000 rows with missing values, in a (1), state (2)" in err
    record = json.loads(out)
    assert (record["class0"], record["class1"]) == names
    with pytest.warns(NPWarning, match="left out 3"):
        fit = npc(table[["a", "b"]], table["state"], "lda", class0=names[0], random_state=1, na_action="omit")
    assert record["splits"][0]["threshold"] == fit.thresholds[0]
    assert "Label those rows, or leave them out by --na-action omit." in run(*given)[2]
    assert "or leave them out of the file." in run("multiclass", *given[1:], "--priority", ",".join(map(str, names)))[2]


@pytest.mark.slow
def test_of_missing_labels_each_command_that_can_leave_the_rows_out_says_so(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    table = pd.DataFrame({"y": np.arange(400) % 2, "a": rng.normal(size=400), "score": rng.normal(size=400)})
    table.to_csv("old.csv", index=False)
    table.assign(y=table["y"].mask(table.index == 2), a=rng.normal(size=400)).to_csv("new.csv", index=False)
    shared = ["--label", "y", "--class0", "0"]
    fit = ["fit", "old.csv", *shared, "--features", "a", "--method", "lda", "--seed", 1, "--out", "m.joblib"]
    assert run(*fit)[0] == 0
    assert run("threshold", "old.csv", *shared, "--score", "score", "--out", "rule.json")[0] == 0
    commands = (
        ["certify", "m.joblib", "new.csv", "--label", "y"],
        ["certify", "rule.json", "new.csv", "--label", "y"],
        ["monitor", "new.csv", "--model", "m.joblib", "--label", "y", "--state", "s.json"],
        ["report", "m.joblib", "--new", "new.csv", "--label", "y", "--out", "r.md"],
        ["check", "m.joblib", "--new", "new.csv", "--label", "y"],
        ["threshold", "new.csv", *shared, "--score", "score"],
        ["plan", "new.csv", *shared, "--score", "score", "--power", "0.5"],
        ["bands", "new.csv", *shared, "--score", "score"],
    )
    missing = "the label column 'y' has 1 missing value(s), the first in row 3"
    for command in commands:
        code, _, err = run(*command)
        told = missing in err and "Label those rows, or leave them out by --na-action omit." in err
        assert (code, told) == (2, True), (command, err)
        assert missing not in run(*command, "--na-action", "omit")[2], command
    # of the rows of the fit none could be left out
    for command in (["check"], ["report", "--out", "r.md"]):
        code, _, err = run(*command, "m.joblib", "--data", "new.csv", "--label", "y")
        told = "new.csv has 1 row(s) without a label in the column 'y', and the fit left out no row. Give the file"
        assert (code, told in err) == (2, True), err


def test_of_a_gap_in_a_column_of_text_no_other_method_is_offered(run, tmp_path):
    rows = "".join(f"{j % 7},{'' if j == 5 else 'ab'[j % 3 > 0]},{j % 2}\n" for j in range(400))
    (tmp_path / "t.csv").write_text(f"x,ward,y\n{rows}", encoding="utf-8")
    err = run("fit", tmp_path / "t.csv", "--label", "y", "--method", "randomforest")[2]
    missing = "column 'ward' has 1 missing category value(s), the first in row 6; no row is dropped silently. "
    assert (
        f"{missing}The method may take missing numbers, but a coded category has no missing value. Write a word" in err
    )
    assert "--method" not in err
    assert f"{missing}Write a word" in run("fit", tmp_path / "t.csv", "--label", "y", "--method", "lda")[2]
    # in columns of numbers alone some methods take them
    assert "in columns of numbers" in " ".join(run("fit", "--help")[1].split())
    # a row of which every field is empty counts as a line of the file
    (tmp_path / "t.csv").write_text(f"x,ward,y\n1,a,1\n,,\n,a,1\n{rows}", encoding="utf-8")
    gaps = "column 'x' has 1 missing value(s) (NaN), the first in row 3, and so has 'ward' (1, the first in row 9); no"
    for command in (["fit"], ["bands", "--method", "lda"], ["compare", "--method", "lda", "--regions", "procedures"]):
        err = run(*command, tmp_path / "t.csv", "--label", "y", "--method", "logistic")[2]
        assert gaps in err, command
        assert ("by --na-action omit)" in err, "--method" in err) == (True, False)


def test_a_file_with_semicolons_is_told_of_decimal_commas_at_once(run, tmp_path):
    (tmp_path / "t.csv").write_text("a;y\n1,5;0\n2,5;1\n")
    err = run("fit", tmp_path / "t.csv", "--label", "y")[2]
    assert "give --sep ';', and --decimal ',' too if its numbers have decimal commas." in err


def test_columns_whose_names_have_a_comma_are_named_within_quotation_marks(run, tmp_path):
    world = load_logistic_world()
    table = pd.DataFrame(np.asarray(world.X), columns=["dose", "Age, years"]).assign(patient=world.y, y=world.y)
    table.to_csv(tmp_path / "t.csv", index=False)
    given = ("fit", tmp_path / "t.csv", "--label", "y", "--class0", 0, "--method", "lda", "--seed", 1, "--json")
    for option in ("--drop", "--features"):
        err = run(*given, option, "patient,Age, years")[2]
        names = re.search("In a list a name with a comma stands within quotation marks: (.*?)\\. The columns", err)[1]
        assert shlex.split(names) == ['"Age, years",patient']
    wanted = run("fit", tmp_path / "t.csv", "--formula", "y ~ dose", *given[4:])[1]
    for words in (["--drop", *shlex.split(names)], ["--drop", "patient", "--drop", '"Age, years"']):
        assert json.loads(run(*given, *words)[1])["splits"] == json.loads(wanted)["splits"]
    assert run(*given, "--features", 'dose, "Age, years"')[0] == 0
    # a hint to leave such a column out can be typed as it is printed
    rows = table.assign(**{"Age, years": np.resize([f"n{j}z" for j in range(60)], len(table))})
    rows.assign(code=rows["Age, years"]).to_csv(tmp_path / "t.csv", index=False)
    hint = re.findall(r"by (--drop '.*?')", run(*given)[2])[0]
    assert "Age, years" in shlex.split(hint)[1]
    assert run(*given, *shlex.split(hint), "--drop", "code")[0] == 0


def test_the_option_that_a_message_names_reads_a_file_with_tabs(run, tmp_path):
    world = load_logistic_world()
    frame = pd.DataFrame(np.asarray(world.X), columns=["a", "b"]).assign(y=world.y)
    frame.to_csv(tmp_path / "t.txt", index=False, sep="\t")
    given = ("fit", tmp_path / "t.txt", "--label", "y", "--class0", 0, "--method", "lda", "--seed", 1)
    err = run(*given)[2]
    sep = shlex.split(re.search(r"give (--sep \S+)\.\n", err)[1])
    assert sep == ["--sep", r"\t"]
    for option in (sep, ["--sep", r"\\t"], ["--sep", "tab"]):
        assert run(*given, *option)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("fitt x.csv --label y", "there is no command fitt. Did you mean fit? (see "),
        ("comparison", "there is no command comparison. Did you mean compare? (see "),
        ("banana", "there is no command banana. The commands are fit, bands, "),
    ],
)
def test_an_unknown_command_is_told_with_the_nearest_one(arguments, told, capsys):
    assert main(arguments.split()) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("method", ["lda", "randomforest"])
def test_an_empty_column_is_named_apart_from_gaps_with_the_option_that_leaves_it_out(run, tmp_path, method):
    rows = pd.DataFrame({"ill": ["no", "yes"] * 50, "age": np.arange(100.0), "id": [f"P{j}" for j in range(100)]})
    rows = rows.assign(age=rows["age"].mask(rows["age"] == 3), remark=np.nan)
    data, given = tmp_path / "raw.csv", ["--label", "ill", "--method", method, "--alpha", 0.2, "--seed", 1]
    rows.to_csv(data, index=False)
    for more in ([], ["--na-action", "omit"], ["--features", "age,remark"]):
        code, _, err = run("fit", data, *given, "--drop", "id", *more)
        assert (code, "column 'remark' is empty. Give --drop id,remark." in err, "'remark' has" in err) == (
            2,
            True,
            False,
        )
    # with other columns that cannot be used, it is named beside them
    err = run("fit", data, *given)[2]
    assert "Column 'remark' is empty. You can leave columns out by --drop id,remark, or" in err
    rows.assign(note=None, site="A").to_csv(data, index=False)
    err = run("fit", data, *given, "--drop", "id")[2]
    assert "Columns 'remark', 'note' are empty. You can leave columns out by --drop id,remark,note, or" in err
    formula = ["--formula", "ill ~ . - id - site", *given[2:], "--na-action", "omit"]
    rows.assign(site="A").to_csv(data, index=False)
    err = run("fit", data, *formula)[2]
    assert "column 'remark' is empty. Leave it out: write '- remark' at the end of the formula." in err
    formula[1] += " - remark"
    assert (
        run("fit", data, *formula)[0] == run("fit", data, *given, "--drop", "id,remark", "--na-action", "omit")[0] == 0
    )


@pytest.mark.parametrize("command", [["fit"], ["bands"], ["compare", "--method", "lda", "--method", "logistic"]])
def test_faults_of_a_table_that_a_look_shows_are_told_in_one_error(run, tmp_path, command):
    name, *options = command
    rows = pd.DataFrame({"ill": ["no", "yes"] * 50, "age": np.arange(100.0), "crp": [str(j) for j in range(100)]})
    rows = rows.assign(site=["A", "B", "C", "A"] * 25, remark="seen")
    gaps = rows.assign(age=rows["age"].mask(rows["age"] < 3), site=rows["site"].mask(rows["age"] == 9))
    # a column of text with a single value is left out, with its gaps
    gaps["remark"] = gaps["remark"].mask(rows["age"] == 5)
    text = "column 'crp' is text because 1 of its 100 values is not a number ('n.d.' in row 8)."
    unknown = "'well' is not a label in the label column, which has 'no', 'yes'."
    missing = "column 'age' has 3 missing value(s), 'site' has 1; --na-action omit leaves such rows out."
    words = [name, tmp_path / "raw.csv", "--label", "ill", *options, "--class0"]

    def told(table, *more):
        table.to_csv(tmp_path / "raw.csv", index=False)
        code, _, err = run(*words, *more)
        assert code == 2
        return err.partition("error: ")[2]

    all_faults = gaps.assign(crp=rows["crp"].replace("7", "n.d."))
    err = told(all_faults, "well")
    assert err.startswith(text)
    assert f"name the columns in a --formula. Also: {unknown} Also: {missing} Rows count from 1" in err
    err = told(all_faults, "well", "--na-action", "omit")
    assert (f"Also: {unknown} Rows" in err, "missing value(s)" in err) == (True, False)
    no_label = all_faults.assign(ill=rows["ill"].mask(rows["age"] == 20))
    assert "Also: the label column 'ill' has 1 missing value(s), the first in row 21 (empty" in told(no_label, "no")
    # one fault has the text that it has alone
    assert told(rows, "well") == f"{unknown}\n"
    assert "Also" not in told(rows.assign(crp=all_faults["crp"]), "no")
    assert "Also" not in told(gaps, "no")


def test_faults_of_labels_and_of_named_columns_are_told_in_one_error(run, tmp_path):
    rows = pd.DataFrame({"ill": ["no", "yes", "maybe"] * 40, "age": np.arange(120.0), "who": np.arange(120) // 2})
    rows["who"] = rows["who"].mask(rows["age"] == 5)
    rows.to_csv(tmp_path / "raw.csv", index=False)
    rows.assign(crp=[str(j) for j in range(119)] + ["n.d."]).to_csv(tmp_path / "text.csv", index=False)
    several = "the label column has 3 classes ['maybe', 'no', 'yes']. Only binary classification is supported here."
    gap = "the column of --clusters 'who' has 1 missing value(s), the first in row 6;"
    lost = "the column of --clusters 'whom' is not in the data. Did you mean 'who'?"

    def told(file, label, clusters, *more):
        code, _, err = run("fit", tmp_path / file, "--label", label, "--clusters", clusters, *more)
        assert code == 2
        return err.partition("error: ")[2]

    err = told("text.csv", "ill", "who")
    assert err.startswith("column 'crp' is text")
    assert (f"Also: {gap}" in err, f"Also: {several}" in err) == (True, True)
    err = told("raw.csv", "ill", "who")
    assert (err.startswith(gap), f"Also: {several}" in err) == (True, True)
    err = told("raw.csv", "il", "whom")
    assert (err.startswith(lost), "Also: the label 'il' is not in the data. Did you mean 'ill'?" in err) == (True, True)
    err = told("raw.csv", "il", "who")
    assert (err.startswith("the label 'il' is not in the data."), f"Also: {gap}" in err) == (True, True)
    err = told("raw.csv", "ill", "whom", "--sample-weight", "weigth")
    assert "Also: the column of --sample-weight 'weigth' is not in the data." in err
    # of gaps in predictors the fit alone would tell first
    rows.assign(who=np.arange(120) // 2, age=rows["age"].mask(rows["age"] == 7)).to_csv(tmp_path / "gap.csv")
    err = told("gap.csv", "ill", "who")
    assert (err.startswith(several), err.count(several), "Also: column 'age' has 1 missing" in err) == (True, 1, True)
    # one fault has the text that it has alone
    assert "Also" not in told("raw.csv", "ill", "who", "--na-action", "omit")


def test_missing_values_that_the_method_takes_are_no_fault_beside_others(run, tmp_path):
    rows = pd.DataFrame({"ill": [0, 1] * 50, "age": [np.nan, *range(99)]})
    rows.to_csv(tmp_path / "raw.csv", index=False)
    words = ["fit", tmp_path / "raw.csv", "--label", "ill", "--class0", "2", "--method"]
    gaps = "Also: column 'age' has 1 missing value(s); --na-action omit leaves such rows out."
    assert [gaps in run(*words, method)[2] for method in ("lda", "randomforest")] == [True, False]


def test_all_columns_that_cannot_be_used_are_named_at_once_with_one_way_to_leave_them_out(run, tmp_path):
    rows = pd.DataFrame({"y": np.arange(200) % 2, "u": np.arange(200.0)})
    rows["day"] = [f"{j % 28 + 1:02d}.{j // 28 + 1:02d}.2021" for j in range(200)]
    rows["sugar"] = ["k.A." if j == 17 else str(j) for j in range(200)]
    rows["cells"] = [f"{j + 1}.{j:03d}.000" for j in range(200)]
    rows.to_csv(tmp_path / "ward.csv", index=False)
    words = ["fit", str(tmp_path / "ward.csv"), "--label", "y"]
    code, _, err = run(*words)
    assert code == 2
    assert err.startswith("error: 3 columns cannot be used as they are. Column 'day' is text with 200 ")
    assert "'k.A.' in row 18" in err
    assert "You can leave columns out by --drop day,sugar,cells, or name" in err
    assert run(*words, "--drop", "day,sugar,cells")[0] == 0
    err = run(*words[:2], "--formula", "y ~ u + day + sugar")[2]
    assert err.startswith("error: 2 columns cannot be used as they are. Column 'day' is text with 200 ")
    assert "Column 'sugar' is text because 1 of its 200 values is not a number ('k.A.' in row 18)" in err
    # the way out of a column of owners is another one
    rows.assign(patient_id=[f"P{j // 3}" for j in range(200)]).to_csv(tmp_path / "ward.csv", index=False)
    err = run(*words)[2]
    assert "4 columns cannot be used as they are." in err
    assert "--drop day,sugar,cells, or name" in err
    assert "give --clusters patient_id; with --drop patient_id nothing is guaranteed" in err
    # where other columns show that the decimal sign was given, no other one is offered
    told = "with points, such as '1.000' in row 1. If they stand between thousands, write the numbers without them, or "
    for other, many in (("5.5", False), ("5,5", True)):
        days = {"days": [f"{j % 9 + 1}.{j:03d}" for j in range(200)], "karnofsky": "100%", "dose": other}
        rows[["y"]].assign(**days).to_csv(tmp_path / "ward.csv", index=False, sep=";")
        err = run(*words, "--sep", ";", "--decimal", ",")[2]
        assert told in err
        assert ("2 columns cannot" in err, "--decimal '.'" in err) == (many, not many)
    rows[["y", "u", "sugar"]].to_csv(tmp_path / "ward.csv", index=False)
    assert run(*words)[2].startswith("error: column 'sugar' is text because 1 of its 200 values is not a number")


def test_categories_that_may_mean_the_same_or_a_gap_are_told_by_the_command_and_the_page(run, tmp_path):
    rows = pd.DataFrame({"ill": np.arange(200) % 2, "u": np.arange(200.0) % 7})
    rows["sex"], rows["site"] = ["w", "W", "m", "w "] * 50, ["Maße", "Masse"] * 100
    rows["stage"] = ["I", "II", "k. A.", "IV"] * 50
    path = tmp_path / "ward.csv"
    rows.to_csv(path, index=False)
    gaps = (
        "In 'stage' 'k. A.' (50 rows) is taken for a category, and not for a missing value. If it should count as "
        "missing, leave the cell empty or write NA."
    )
    told = (
        "Categories of 'sex' differ only in capital letters or spaces: 'W', 'w' and 'w '. Spell those that are the "
        "same in one way in the file."
    )
    words = ["fit", str(path), "--class0", "1", "--alpha", "0.1"]
    for columns in (["--label", "ill"], ["--formula", "ill ~ u + sex + site + stage"]):
        code, _, err = run(*words, *columns)
        assert (code, f"note: {told}\nnote: {gaps}\n" in err, "'site' differ" in err) == (0, True, False)
    known = {"label": "ill", "class0": 1, "methods": ["lda"], "alpha": 0.1, "delta": 0.05, "n_splits": 1, "seed": 1}
    plan = make_plan(uploaded_source(path, path.name), features=["u", "sex", "site", "stage"], **known)
    assert plan.advice() == ["Coded as categories: sex, site, stage.", told, gaps]
