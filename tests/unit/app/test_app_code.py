"""nproc.app.results: the Python that gives what is on the screen."""

import ast
import dataclasses
import importlib
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fitted_page import check_made_again, fitted, plan_of

from nproc.app.data import SAMPLES, sample_source, uploaded_source
from nproc.app.results import WIDTHS, count_errors, draw, letters_of, predict_rows, python_code
from nproc.errors import TooFewSamplesError


def run_code(text, folder, monkeypatch):
    monkeypatch.chdir(folder)
    names = {}
    exec(compile(text, "code on the page", "exec"), names)
    return names


LEVELS = {
    "planned": lambda result, method: result.planned(),
    "by eye": lambda result, method: result.by_eye(0.2345, method),
    "by target": lambda result, method: result.by_target(0.8, method),
}


@pytest.mark.slow
@pytest.mark.parametrize(("level", "method"), [("planned", "lda"), ("by eye", "nb"), ("by target", "lda")])
def test_the_code_gives_the_bands_and_the_classifier_on_the_screen(
    result, level, method, tmp_path, monkeypatch, capsys
):
    chosen = LEVELS[level](result, method)
    code = python_code(result, chosen, method)
    # nothing is pasted that the call itself gives
    assert "replace(" not in code
    names = run_code(code, tmp_path, monkeypatch)
    for name, band in zip(result.plan.methods, result.bands, strict=True):
        np.testing.assert_array_equal(names["bands"][name].type2_upper, band.type2_upper)
        np.testing.assert_array_equal(names["bands"][name].type2_lower, band.type2_lower)
    fit = result.classifier(chosen, method)
    check_made_again(names["classifier"], fit, code)
    printed = capsys.readouterr().out
    _, below = printed.split(str(names["classifier"].summary()))
    told = " ".join(below.split())
    assert told.startswith("This is one of 2 methods whose NP-ROC bands were compared (lda, nb).") or level != "planned"
    assert all(caveat in told or caveat in names["classifier"].caveats for caveat in fit.caveats)
    pd.testing.assert_frame_equal(names["comparison"].regions, result.comparison.regions)


@pytest.mark.slow
def test_the_code_makes_no_classifier_where_none_is_on_the_screen(result, tmp_path, monkeypatch):
    level = result.by_eye(0.001, "lda")
    with pytest.raises(TooFewSamplesError):
        result.classifier(level, "lda")
    names = run_code(python_code(result, level, "lda", prevalence=0.2), tmp_path, monkeypatch)
    assert "classifier" not in names
    np.testing.assert_array_equal(names["bands"]["lda"].type2_upper, result.band("lda").type2_upper)


@pytest.mark.slow
def test_the_code_gives_the_predictive_values_of_the_prevalence_on_the_screen(result, tmp_path, monkeypatch, capsys):
    for level in (result.planned(), result.by_target(0.8, "nb")):
        run_code(python_code(result, level, "nb", prevalence=0.2), tmp_path, monkeypatch)
        assert str(result.predictive_values(level, "nb", 0.2).summary()) in capsys.readouterr().out


@pytest.mark.slow
def test_the_code_says_of_predictive_values_what_the_page_doubts(result, tmp_path, monkeypatch, capsys):
    changed = dataclasses.replace(result, plan=dataclasses.replace(result.plan, changed=("seed",)))
    target, why = result.by_target(0.8, "nb"), "because it was chosen on a band. If the choice was made on other rows"
    there = "because the threshold there was chosen on the band."
    for shown, level, said in (
        (result, target, f"at alpha = {target.shown_alpha}, {there}"),
        (result, result.by_target(0.8, "lda"), why),
        (result, result.by_eye(0.25, "nb"), f"Nothing is proved at alpha = 0.25, {there}"),
        (result, result.by_eye(0.25, "lda"), f"Nothing is proved at alpha = 0.25, {why}, give choice.alpha"),
        (changed, target, why),
        (changed, changed.planned(), "would hold only if all settings had been fixed beforehand."),
    ):
        run_code(python_code(shown, level, "nb", prevalence=0.2), tmp_path, monkeypatch)
        table = str(shown.predictive_values(level, "nb", 0.2).summary())
        assert table in capsys.readouterr().out
        assert said in " ".join(table.split())


@pytest.mark.slow
def test_the_code_reads_an_upload_and_new_rows_from_the_working_folder(mixed, tmp_path, monkeypatch, capsys):
    plan = plan_of(mixed, ["age group", "job"], class0="yes", methods=["lda"], n_splits=3)
    result = fitted(plan)
    path = tmp_path / "new.csv"
    # of one row the category is new, and it gets no prediction
    changed = mixed.frame[:50].assign(job=lambda rows: rows["job"].mask(rows.index == 7, "pilot"))
    changed["age group"] = [f"{age:09.4f}" for age in changed["age group"]]
    changed.to_csv(path, index=False)
    new = uploaded_source(path, "new.csv", plan.texts_read)
    names = run_code(python_code(result, result.planned(), "lda", new), tmp_path, monkeypatch)
    fit = result.classifier(result.planned(), "lda")
    assert not fit.guaranteed  # three splits vote
    np.testing.assert_array_equal(names["classifier"].thresholds, fit.thresholds)
    np.testing.assert_array_equal(names["predicted"], predict_rows(new, fit, plan)["predicted"].drop(7))
    assert str(count_errors(new, fit, plan)[1].summary()) in capsys.readouterr().out


@pytest.mark.slow
def test_a_name_in_the_file_is_never_run_as_code(tmp_path, monkeypatch):
    evil = 'y" + str(open("written", "w")) + "'
    rng = np.random.default_rng(5)
    path = tmp_path / "evil.csv"
    table = {
        "x": rng.normal(size=200) + np.arange(200) % 2,
        "job": rng.choice(["cook", "clerk"], 200),
        evil: np.arange(200) % 2,
    }
    pd.DataFrame(table).to_csv(path, index=False)
    plan = plan_of(uploaded_source(path, "evil.csv"), ["x", "job"], label=evil, methods=["lda"])
    result = fitted(plan)
    names = run_code(python_code(result, result.planned(), "lda"), tmp_path, monkeypatch)
    assert not (tmp_path / "written").exists()
    np.testing.assert_array_equal(names["bands"]["lda"].type2_upper, result.band("lda").type2_upper)


@pytest.mark.slow
@pytest.mark.parametrize("methods", [["lda"], ["lda", "nb"]])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_picture_of_the_code_has_the_names_and_the_size_of_the_one_of_the_page(
    width, methods, tmp_path, monkeypatch
):
    result = fitted(plan_of(sample_source("simulation2"), ["x1"], methods=methods))
    with plt.rc_context():
        names = run_code(python_code(result, result.planned(), "lda", width=width), tmp_path, monkeypatch)
    with letters_of(width):
        ax = draw(result, result.planned(), width=width).axes[0]
    for told in (type(ax).get_xlabel, type(ax).get_ylabel, lambda drawn: drawn.xaxis.label.get_size()):
        assert told(names["ax"]) == told(ax)
    assert tuple(names["ax"].figure.get_size_inches()) == tuple(ax.figure.get_size_inches())


@pytest.mark.slow
def test_the_code_of_a_level_set_again_says_why_it_is_no_promise(tmp_path, monkeypatch, capsys):
    source = sample_source("simulation2")
    first = plan_of(source, ["x1"], methods=["lda"])
    result = fitted(plan_of(source, ["x1"], methods=["lda"], delta=0.2).after(first.fixed()))
    code = python_code(result, result.planned(), "lda")
    names = run_code(code, tmp_path, monkeypatch)
    check_made_again(names["classifier"], result.classifier(result.planned(), "lda"), code)
    assert not names["classifier"].guaranteed
    assert "fix all settings before the first fit" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_long_lists_of_predictors_are_broken_between_names():
    source = sample_source("breast_cancer")
    plan = plan_of(source, source.predictors("diagnosis")[0], class0="malignant", methods=["lda"])
    result = fitted(plan)
    text = python_code(result, result.planned(), "lda")
    assert max(len(line) for line in text.splitlines()) <= 100
    names = {}
    exec(text[text.index("features") : text.index("methods")], names)
    assert tuple(names["features"]) == plan.features


def not_public(text):
    """Return the imports of a text from nproc that name a file, or a name that the door does not list."""
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom | ast.Import)]
    wrong = []
    for node in found:
        module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
        if module.partition(".")[0] == "nproc":
            room = importlib.import_module(module)
            # a room of one file, such as nproc.datasets, has no list: its own names without underscore are public
            own = [name for name, value in vars(room).items() if getattr(value, "__module__", "") == module]
            listed = getattr(room, "__all__", [name for name in own if not name.startswith("_")])
            deep = module.count(".") > 1 or isinstance(node, ast.Import)
            wrong += [(module, name.name) for name in node.names if deep or name.name not in listed]
    return wrong


def sources(mixed):
    samples = {key: (sample_source(key), None) for key in SAMPLES}
    return {**samples, "upload": (mixed, "yes")}


@pytest.mark.slow
def test_all_code_imports_public_names_only_and_runs(mixed, tmp_path, monkeypatch, capsys):
    tried, wrong = 0, {}
    for key, (source, class0) in sources(mixed).items():
        label = source.likely_label
        features = source.predictors(label)[0][:3]
        zero = str(source.class0) if class0 is None else class0
        for methods in (["lda"], ["lda", "nb"]):
            result = fitted(plan_of(source, features, class0=zero, methods=methods))
            path = tmp_path / f"{key}.csv"
            source.frame.head(40).to_csv(path, index=False)
            tables = [None, uploaded_source(path, path.name, result.plan.texts_read)]
            for (name, choose), new in product(LEVELS.items(), tables):
                text = python_code(result, choose(result, "lda"), "lda", new)
                # the first test of this file runs the code of the other levels
                if name == "planned":
                    run_code(text, tmp_path, monkeypatch)
                    plt.close("all")
                tried += 1
                if not_public(text):
                    wrong[key, name] = not_public(text)
    assert tried == 2 * 2 * len(LEVELS) * (len(SAMPLES) + 1)
    assert wrong == {}
    capsys.readouterr()
