"""Tests of `nproc.api`: the doors that validate, and agree with each other."""

import inspect
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from nproc import NPClassifier, NPMultiClassifier, compare, npc, npc_multiclass, nproc, nproc_bands, roc_cv
from nproc.errors import InvalidInputError
from nproc.multiclass import NPCSClassifier

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 130)
X = RNG.normal(size=(260, 2)) + 2 * Y[:, None]


def test_the_two_faces_have_the_same_arguments_and_defaults():
    function = {k: p.default for k, p in inspect.signature(npc).parameters.items()}
    estimator = {k: p.default for k, p in inspect.signature(NPClassifier).parameters.items()}
    for name in ("X", "y", "data", "groups", "clusters", "sample_weight", "params"):
        function.pop(name)
    # its predictions have a third label, which is none of the classes of an estimator
    function.pop("review_beta")
    assert function == estimator


def test_everything_after_the_method_goes_by_keyword():
    for function in (npc, nproc, roc_cv):
        kinds = [p.kind for p in inspect.signature(function).parameters.values()]
        assert kinds[:3] == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 3
        assert set(kinds[3:-1]) == {inspect.Parameter.KEYWORD_ONLY}


def test_parameters_of_a_method_go_as_keywords_or_in_one_dict():
    by_keyword, by_dict = (
        npc(X, Y, "svm", C=5, random_state=1),
        npc(X, Y, "svm", method_params={"C": 5}, random_state=1),
    )
    np.testing.assert_array_equal(by_keyword.thresholds, by_dict.thresholds)
    assert npc(X, Y, "svm", random_state=1).thresholds[0] != by_dict.thresholds[0]


@pytest.mark.parametrize("function", [npc, nproc, roc_cv])
def test_a_parameter_given_twice_is_refused(function):
    with pytest.raises(InvalidInputError, match=r"argument\(s\) \['C'\] are given twice"):
        function(X, Y, "svm", method_params={"C": 5}, C=5)


@pytest.mark.parametrize("function", [npc, nproc, roc_cv])
def test_a_misspelt_argument_is_refused(function):
    with pytest.raises(
        InvalidInputError, match=f"{function.__name__} has no argument 'randomstate'. Did you mean 'ran"
    ):
        function(X, Y, "lda", randomstate=2)
    with pytest.raises(InvalidInputError, match=r"method 'svm' has no parameter 'gama'\. Did you mean 'gamma'\?"):
        function(X, Y, "svm", gama=2)
    with pytest.raises(InvalidInputError, match="unknown argument 'seed': use random_state"):
        function(X, Y, LogisticRegression(), seed=2)


def test_progress_goes_to_the_standard_error(capsys):
    npc(X, Y, "lda", n_splits=3, verbose=1, random_state=1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "npc: split: 100%" in captured.err
    assert "3/3" in captured.err


@pytest.mark.parametrize(
    ("function", "argument", "advice"),
    [
        (npc, "split", "use n_splits"),
        (npc, "randSeed", "use random_state"),
        (npc, "model", "use method, which takes a name or an estimator"),
        (nproc, "clf", "use method, which takes a name or an estimator"),
        (npc, "n.cores", "use n_jobs"),
        (npc, "kernel", "it belongs to methods such as 'svm'"),
        (nproc, "pred_score", "with scores of your own, use np_threshold"),
        (roc_cv, "loc_prob", "leave it out. The rank of the threshold follows"),
        (nproc_bands, "randSeed", "use random_state"),
        (nproc, "alpha", r"use band.at\(alpha\) or npc\(\)"),
        (roc_cv, "delta", r"use npc\(\) or nproc\(\)"),
    ],
)
def test_an_argument_of_r_or_of_another_function_is_named(function, argument, advice):
    with pytest.raises(InvalidInputError, match=f"unknown argument '{argument}': {advice}"):
        function(X, Y, "lda", **{argument: 0.1})


@pytest.mark.parametrize("function", [npc, nproc, roc_cv, nproc_bands])
def test_the_rows_by_their_name_in_r_are_told_the_name_here(function):
    with pytest.raises(InvalidInputError, match="unknown argument 'x': use X, or give the rows first"):
        function(x=X, y=Y)


def test_a_parameter_of_a_method_is_told_its_place_in_the_estimator():
    with pytest.raises(InvalidInputError, match=r"it is a parameter of 'svm'. Give method_params=\{'C': ...\}"):
        NPClassifier("svm", C=3)
    with pytest.raises(InvalidInputError, match=r"Give method_params=\{'max_depth': ...\}"):
        NPClassifier(method="tree", max_depth=3)


def test_scores_in_place_of_rows_are_told_their_function():
    with pytest.raises(InvalidInputError, match=r"unknown argument 'pred.score': with scores of your own, use np_thr"):
        npc(**{"pred.score": [1.0], "y": [0]})


@pytest.mark.parametrize("function", [npc, nproc, roc_cv])
def test_a_formula_by_its_name_in_r_is_told(function):
    with pytest.raises(InvalidInputError, match="unknown argument 'formula': give the formula first"):
        function(formula="y ~ a", data={"a": X[:, 0], "y": Y})


@pytest.mark.parametrize(
    ("given", "way"),
    [
        ({"main": "A"}, r"plot has no argument 'main': set the title of the Axes that plot returns: ax\.set_title"),
        ({"col": 2}, "plot has no argument 'col': use color"),
        ({"colour": "red"}, "plot has no argument 'colour': the arguments are ax, .*color, linestyle, "),
    ],
)
def test_arguments_of_the_plots_of_r_are_told_by_their_names_here(given, way):
    for made in (nproc(X, Y, "lda", random_state=1), roc_cv(X, Y, "lda", random_state=1)):
        with pytest.raises(InvalidInputError, match=way):
            made.plot(**given)


@pytest.mark.parametrize(
    ("call", "way"),
    [
        (lambda r: nproc_bands(X, Y, method=["lda"]), "unknown argument 'method': use methods, a list"),
        (lambda r: r.fit.predict(X, type="response"), "'type': predict returns labels. Use decision_function"),
        (lambda r: r.fit.predict(newdata=X), "'newdata': use X, or give the new rows first"),
        (lambda r: r.fit.predict(X, data=X), "'data': use X, or give the new rows first and without a name"),
        (lambda r: r.fit.evaluate(data=X), "'data': use X, or give the new rows first and without a name"),
        (lambda r: r.grouped.evaluate(newdata=X), "'newdata': use X, or give the new rows first"),
        (lambda r: r.clustered.evaluate(data=X), "'data': use X, or give the new rows first"),
        (lambda r: r.several.evaluate(data=X), "'data': use X, or give the new rows first"),
        (lambda r: r.clustered.thresholds_table(Xs=X), "has no argument 'Xs'. Did you mean 'X'"),
        (lambda r: r.several.predict(data=X), "'data': use X, or give the new rows first"),
        *[
            (lambda r, fit=fit, name=name: getattr(getattr(r, fit), name)(newdata=X), "'newdata': use X, or give")
            for fit in ("fit", "grouped", "clustered")
            for name in ("votes", "decision_function")
        ],
        (lambda r: r.several.decision_function(data=X), "'data': use X, or give the new rows first"),
        (lambda r: r.fit.certify(data=X), "'data': use X0, or give the new rows of class 0 first"),
        (lambda r: r.clustered.certify(X=X), "'X': use X0, or give the new rows of class 0 first"),
        (lambda r: r.fit.check_assumptions(data=X), "'data': use X and y for the rows of the fit"),
        (lambda r: compare(r.bands, alpha=0.2), r"'alpha': the regions cover all alpha. Use \.at\(alpha\)"),
        (lambda r: compare(r.bands, method="paired"), "'method': use regions='pointwise', 'simultaneous' or 'paired'"),
        (lambda r: r.fit.plot(main="A"), r"'main': set the title of the Axes that plot returns: ax\.set_title"),
        (lambda r: r.fit.plot(col=2), "'col': the arguments are ax, figsize"),
        (lambda r: compare(r.bands).plot(main="A"), r"'main': set the title of the Axes that plot returns"),
        (lambda r: r.bands["lda"].choose_alpha(youden=True), r"'youden': write choose_alpha\('youden'\)"),
    ],
)
def test_methods_of_results_tell_the_names_of_r_too(call, way):
    results = SimpleNamespace(
        fit=npc(X, Y, "lda", random_state=1),
        bands=nproc_bands(X, Y, ["lda", "nb"], random_state=1),
        grouped=npc(X, Y, "lda", groups=np.zeros(len(Y)), random_state=1),
        clustered=npc(X, Y, "lda", clusters=np.arange(len(Y)), random_state=1),
        several=npc_multiclass(X, Y, "lda", random_state=1),
    )
    with pytest.raises(InvalidInputError, match=way):
        call(results)


@pytest.mark.parametrize("name", ["predict", "report"])
def test_a_band_says_that_its_classifier_has_what_it_has_not(name):
    band = nproc(X, Y, "lda", random_state=1)
    with pytest.raises(AttributeError, match=rf"use band\.classifier\(alpha\)\.{name}\."):
        getattr(band, name)
    # Python adds its own guess to this, which begins with a full stop
    with pytest.raises(AttributeError, match=r"no attribute 'colour'$"):
        _ = band.colour


@pytest.mark.parametrize("name", ["x", "split", "kernel", "pred_score", "loc_prob", "randSeed"])
def test_the_estimator_names_arguments_of_r_too(name):
    with pytest.raises(InvalidInputError, match=f"unknown argument '{name}': "):
        NPClassifier(**{name: 1})
    with pytest.raises(TypeError, match="NPClassifier has no argument 'colour'"):
        NPClassifier(colour=1)


def test_the_estimators_tell_the_levels_of_two_and_of_several_classes_apart():
    for name in ("alpha", "delta"):
        with pytest.raises(InvalidInputError, match=f"unknown argument '{name}': use {name}s, one level or one for"):
            NPMultiClassifier(priority=["a", "b", "c"], **{name: 0.1})
        with pytest.raises(InvalidInputError, match=f"unknown argument '{name}s': use {name}. Several levels are"):
            NPClassifier(**{f"{name}s": 0.1})
    with pytest.raises(InvalidInputError, match="unknown argument 'class0': use alphas, a level for each label"):
        NPCSClassifier(class0="a")
    for model in (NPMultiClassifier(alphas=0.1, deltas=0.2), NPCSClassifier(alphas={"a": 0.1})):
        assert clone(model).get_params() == model.get_params()


def test_a_kernel_reaches_the_methods_that_have_one():
    fit = npc(X, Y, "svm", kernel="linear", random_state=1)
    assert "kernel='linear'" in str(fit.summary())


def test_a_band_that_is_only_asked_for_as_in_r_is_told_to_be_there_always():
    with pytest.raises(
        InvalidInputError, match=r"got True\. There is always a band, so leave it out or say which kind"
    ):
        nproc(X, Y, band=True)


def test_a_formula_may_be_followed_by_its_table_as_in_r():
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "y": rng.integers(0, 2, 300)})
    known = {"class0": 0, "random_state": 1}
    by_name = npc("y ~ .", data=data, method="lda", **known)
    np.testing.assert_array_equal(npc("y ~ .", data, "lda", **known).thresholds, by_name.thresholds)
    np.testing.assert_array_equal(
        nproc("y ~ .", data, "lda", **known).type2_upper, nproc("y ~ .", data=data, method="lda", **known).type2_upper
    )
    assert list(nproc_bands("y ~ .", data, ["lda", "nb"], **known)) == ["lda", "nb"]
    with pytest.raises(InvalidInputError, match="leave out y"):
        npc("y ~ .", data["y"], data=data, **known)


def test_parameters_of_a_method_come_as_a_dict():
    with pytest.raises(InvalidInputError, match="method_params must be a dict such as"):
        npc(X, Y, "svm", method_params=["C", 10])


@pytest.mark.parametrize("make", [nproc, nproc_bands])
def test_a_band_says_that_it_is_for_independent_rows_and_leaves_clusters_to_npc(make):
    method = "lda" if make is nproc else ["lda"]
    with pytest.raises(InvalidInputError, match=r"clusters is an argument of npc and not of bands.* independent rows"):
        make(X, Y, method, clusters=np.arange(len(Y)))
    with pytest.raises(InvalidInputError, match=r"small_sample is an argument of npc and not of bands. Use npc"):
        make(X, Y, method, small_sample="normal")
