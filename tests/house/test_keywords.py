"""A misspelt argument is never passed over in silence: it is refused by name, with the name that was meant."""

import inspect

import numpy as np
import pytest
from public_names import PUBLIC
from sklearn.linear_model import LogisticRegression

import nproc as package
from nproc import NPClassifier, NPROCDisplay, compare, get_scorer, npc, npc_multiclass, nproc, roc_cv
from nproc.errors import InvalidInputError
from nproc.multiclass import npcs
from nproc.simulate import simulation1

SAMPLE = simulation1(400, random_state=1)
X, Y = SAMPLE.X, SAMPLE.y
THREE = np.where(Y == 1, 1 + np.arange(400) % 2, 0)
LEVELS = {"alpha": 0.2, "random_state": 1}


def _calls(tmp_path):
    """Return for each function or method a call with further arguments, and arguments that it lists."""
    fits = {
        "NPFit": (npc(X, Y, **LEVELS), {}, "random_state"),
        "NPClusterFit": (npc(X, Y, clusters=np.arange(400), **LEVELS), {"clusters": np.arange(400)}, "clusters"),
        "NPGroupFit": (npc(X, Y, groups=np.arange(400) % 2, **LEVELS), {"groups": np.arange(400) % 2}, "groups"),
        "NPReviewFit": (npc(X, Y, review_beta=0.3, **LEVELS), {}, "random_state"),
    }
    band, model, path = nproc(X, Y, random_state=1), LogisticRegression().fit(X, Y), tmp_path / "report.md"
    alphas = {0: 0.2, 1: 0.2, 2: 0.2}
    calls = {
        "npc": (lambda **more: npc(X, Y, **more), "max_iter"),
        "npc by a model": (lambda **more: npc(X, Y, model, prefit=True, **more), "on the object itself"),
        "nproc": (lambda **more: nproc(X, Y, **more), "max_iter"),
        "roc_cv": (lambda **more: roc_cv(X, Y, **more), "max_iter"),
        "npc_multiclass": (lambda **more: npc_multiclass(X, THREE, **more), "max_iter"),
        "npcs": (lambda **more: npcs(X, THREE, alphas=alphas, **more), "max_iter"),
        "get_scorer": (lambda **more: get_scorer("svm", **more), "gamma"),
        "method_params": (lambda **more: npc(X, Y, "svm", method_params=more), "gamma"),
        "NPClassifier.fit": (lambda **more: NPClassifier().fit(X, Y, **more), "sample_weight"),
        "NPClassifier.set_params": (NPClassifier().set_params, "delta"),
        "NPROCBand.plot": (band.plot, "figsize, color"),
        "ROCCurve.plot": (roc_cv(X, Y, random_state=1).plot, "figsize, label, color"),
        "Comparison.plot": (compare(band, band).plot, "layout"),
        "NPROCDisplay.plot": (NPROCDisplay(band).plot, "shade"),
    }
    for plot in (False, True):
        calls[f"NPROCDisplay.from_estimator, plot={plot}"] = (
            lambda plot=plot, **more: NPROCDisplay.from_estimator(model, X, Y, plot=plot, **more),
            "shade",
        )
        calls[f"NPROCDisplay.from_predictions, plot={plot}"] = (
            lambda plot=plot, **more: NPROCDisplay.from_predictions(Y, X[:, 0], plot=plot, **more),
            "shade",
        )
    for name, (fit, beside, listed) in fits.items():
        calls |= {
            f"{name}.report without rows": (lambda fit=fit, **more: fit.report(path, **more), listed),
            f"{name}.report": (
                lambda fit=fit, beside=beside, **more: fit.report(path, X, Y, **beside, **more),
                "summaries",
            ),
            f"{name}.certify": (
                lambda fit=fit, beside=beside, **more: fit.certify(X, Y, **beside, **more),
                "n_candidates",
            ),
        }
    return calls


def test_every_function_that_takes_any_keyword_refuses_one_that_it_does_not_know(tmp_path):
    calls, wrong = _calls(tmp_path), []
    for name, (call, listed) in calls.items():
        try:
            call(qqzz=1)
        except (InvalidInputError, ValueError) as error:
            if "qqzz" not in str(error) or listed not in str(error):
                wrong.append(f"{name}: {error}")
        else:
            wrong.append(f"{name}: no error")
    assert wrong == []
    assert list(tmp_path.iterdir()) == []
    assert _taking_any_keyword() - {name.partition(",")[0].partition(" ")[0] for name in calls} == set()


def test_every_public_function_tells_which_argument_was_meant():
    wrong = []
    for name, function in PUBLIC.items():
        arguments = inspect.signature(function).parameters if inspect.isfunction(function) else {}
        if not arguments or any(own.kind is own.VAR_KEYWORD for own in arguments.values()):
            continue
        meant = [own.name for own in arguments.values() if own.kind is not own.VAR_POSITIONAL][-1]
        try:
            function(**{meant[0] + meant: 1})
        except TypeError as error:
            if f"{name} has no argument '{meant[0] + meant}'. Did you mean '{meant}'?" not in str(error):
                wrong.append(f"{name}: {error}")
        else:
            wrong.append(f"{name}: no error")
    assert wrong == []


def _taking_any_keyword():
    """Return the names of all public functions and methods that take any keyword."""
    found = set()
    for name in package.__all__:
        one = getattr(package, name)
        members = {name: one} if inspect.isfunction(one) else {}
        if inspect.isclass(one) and one.__module__.startswith("nproc"):
            members = {f"{name}.{own}": value for own, value in inspect.getmembers(one, callable) if own[0] != "_"}
        for full, value in members.items():
            # estimators have the set_params of scikit-learn
            own = getattr(value, "__module__", "").startswith("nproc")
            kinds = {one.kind for one in inspect.signature(value).parameters.values()} if own else set()
            found |= {full} if inspect.Parameter.VAR_KEYWORD in kinds else set()
    return found


@pytest.mark.parametrize("given", [{"bands": 1}, {"dat": (X, Y)}, {"new_nte": "x"}])
def test_a_report_names_the_argument_that_was_meant(given, tmp_path):
    (name,) = given
    meant = {"bands": "band", "dat": "data", "new_nte": "new_note"}[name]
    with pytest.raises(InvalidInputError, match=f"report has no argument '{name}'. Did you mean '{meant}'[?]"):
        npc(X, Y, **LEVELS).report(tmp_path / "report.md", **given)


def test_a_report_without_new_rows_refuses_what_is_about_them(tmp_path):
    with pytest.raises(InvalidInputError, match="random_state is about new rows; give X and y"):
        npc(X, Y, **LEVELS).report(tmp_path / "report.md", random_state=1)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda fit: fit.with_levels(alhpa=0.1), "with_levels has no argument 'alhpa'. Did you mean 'alpha'[?]"),
        (lambda fit: fit.p_values(X, groups=Y), "p_values has no argument 'groups'. Its arguments are: X[.]$"),
        (lambda fit: fit.type1_upper_curve(delta=0.1), "Did you mean 'deltas'[?]"),
        (lambda fit: fit.monitor(alpha=0.1), "monitor has no argument 'alpha'. Its arguments are: delta[.]$"),
    ],
)
def test_a_fit_names_the_arguments_that_its_methods_have(ask, told):
    with pytest.raises(InvalidInputError, match=told):
        ask(npc(X, Y, **LEVELS))
