"""Tests of the package as its users import it: names, fields and arguments that callers rely on."""

import dataclasses
import inspect
import subprocess
import sys
from importlib import resources

import pytest
from public_names import PATHS, PUBLIC, api_pages

import nproc as package
from nproc import losses, simulate, solvers

# outside callers rely on these
RELIED_ON = """
    np_order violation_rate min_class0_size np_threshold npc nproc NPROCBand compare roc_cv register get_scorer
    scorer_names NPClassifier NPROCDisplay NPFit Comparison ROCCurve Threshold Evaluation NPError InvalidInputError
    TooFewSamplesError NPWarning NotConvergedWarning
"""


def test_the_package_lists_about_fifty_names_and_no_others():
    assert set(RELIED_ON.split()) <= set(package.__all__)
    assert len(set(package.__all__)) == len(package.__all__) <= 60


def test_completion_lists_the_public_names_and_the_rooms_of_the_api_reference():
    rooms = {path.partition(".")[0] for path in PATHS.values() if "." in path}
    rooms |= {module.split(".")[1] for module in [*api_pages.MODULES, *api_pages.solver_names()]}
    assert dir(package) == sorted({*package.__all__, *rooms})


def test_what_is_listed_is_what_the_rooms_define():
    wrong = [name for name in package.__all__ if getattr(package, name).__name__ != name]
    assert wrong == []


def test_a_name_that_is_not_there_is_told():
    with pytest.raises(AttributeError, match="'nproc' has no attribute 'np_treshold'"):
        package.np_treshold  # noqa: B018
    assert not hasattr(package, "np.threshold")


@pytest.mark.slow
def test_the_main_job_loads_few_modules():
    code = "import sys, nproc; print(sum(name.partition('.')[0] == 'nproc' for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 90


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("np_order", ["n0", "alpha", "delta"]),
        ("violation_rate", ["order", "n0", "alpha"]),
        ("min_class0_size", ["alpha", "delta"]),
        ("np_threshold", ["scores0", "alpha", "delta", "ties"]),
        ("type1_upper", ["order", "n0", "delta"]),
        ("type2_bounds", ["n_missed", "n1", "delta"]),
        ("npc", ["X", "y", "method", "alpha", "delta", "n_splits", "split_ratio", "n_jobs", "random_state", "class0"]),
        ("nproc", ["X", "y", "method", "delta", "n_splits"]),
        ("roc_cv", ["X", "y", "method", "metric", "n_folds"]),
        ("compare", ["bands"]),
        ("register", ["name"]),
        ("get_scorer", ["name_or_object", "params"]),
        (
            "NPClassifier",
            ["method", "alpha", "delta", "n_splits", "split_ratio", "class0", "ties", "prefit", "resample",
             "method_params", "n_jobs", "random_state", "verbose"],
        ),
    ],
)  # fmt: skip
def test_arguments_that_callers_rely_on_have_their_names(name, arguments):
    given = list(inspect.signature(PUBLIC[name]).parameters)
    assert [a for a in arguments if a not in given] == []


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("Threshold", "value order n0 alpha delta violation_rate type1_upper"),
        (
            "NPFit",
            "thresholds orders violation_rates type1_uppers n0 n1 n0_left_out alpha delta method seed labels class0 "
            "predict decision_function votes evaluate summary plot to_frame",
        ),
        (
            "NPROCBand",
            "alpha type2_lower type2_upper delta auc_lower auc_upper seed at classifier choose_alpha summary plot "
            "to_frame from_scores",
        ),
        ("BandValues", "alpha type2_lower type2_upper"),
        ("Comparison", "regions best_at summary plot to_frame"),
        ("ROCCurve", "fpr tpr summary plot to_frame"),
        ("NPROCDisplay", "from_estimator from_predictions"),
    ],
)
def test_results_have_the_members_that_callers_rely_on(name, members):
    kind = PUBLIC[name]
    fields = {f.name for f in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    assert [m for m in members.split() if m not in fields and not hasattr(kind, m)] == []


def test_every_result_is_a_frozen_dataclass_and_never_a_tuple():
    for name in (
        "Threshold",
        "NPFit",
        "NPROCBand",
        "BandValues",
        "AlphaChoice",
        "Comparison",
        "ROCCurve",
        "Evaluation",
    ):
        kind = PUBLIC[name]
        assert kind.__dataclass_params__.frozen
        assert not issubclass(kind, tuple)


def test_the_version_is_that_of_the_installed_distribution():
    from importlib.metadata import version

    assert package.__version__ == version("nproc-py")


def unannotated(function):
    """Return the parameters of a function that have no annotation, and "return" if that has none."""
    signature = inspect.signature(function)
    names = [p.name for p in signature.parameters.values() if p.annotation is p.empty and p.name not in ("self", "cls")]
    return names + ["return"] * (signature.return_annotation is signature.empty)


def functions_of(thing):
    """Return a public function, or the public methods and properties of a public class that this package wrote."""
    if not inspect.isclass(thing):
        return [thing] * inspect.isfunction(thing)
    members = [value for name, value in vars(thing).items() if not name.startswith("_") or name == "__init__"]
    inner = [getattr(member, "fget", None) or getattr(member, "func", None) or member for member in members]
    inner = [getattr(function, "__func__", function) for function in inner]
    return [
        f for f in inner if inspect.isfunction(f) and f.__module__.startswith("nproc.") and f.__name__ != "<lambda>"
    ]


def test_public_functions_are_annotated():
    rooms = (solvers, simulate, losses)
    things = [*PUBLIC.values(), *(getattr(room, name) for room in rooms for name in room.__all__)]
    found = [(f"{f.__module__}.{f.__qualname__}", unannotated(f)) for thing in things for f in functions_of(thing)]
    assert len(found) > 350
    assert [(name, missing) for name, missing in found if missing] == []


def test_type_checkers_are_told_of_the_annotations():
    assert resources.files("nproc").joinpath("py.typed").is_file()


@pytest.mark.slow
def test_rooms_are_attributes_whatever_was_imported_before():
    # in a process of its own, since this one has imported them
    rooms = [*sorted({*dir(package)} - {*package.__all__}), "qvalues", "persistence"]
    code = f"import nproc; print([getattr(nproc, room).__name__ for room in {rooms}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([f"nproc.{room}" for room in rooms])
    with pytest.raises(AttributeError, match="has no attribute"):
        _ = package.no_such_room
