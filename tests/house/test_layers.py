"""The house has floors: a module imports from lower floors only, and outside packages have their rooms."""

import graphlib
import inspect

import pytest
from source_files import FILES, MODULES, PACKAGE, imported_modules, module_name

import nproc as package

# from the ground up; a package is one room, whose modules may import each other without cycles
FLOORS = [
    ["errors", "warning_place", "table_lines", "starting"],
    ["matching_rows", "sequences"],
    ["checks"],
    ["labels", "outputs", "frames", "ranks", "crossing", "parallel", "tables", "reprs", "datasets"],
    ["locallevel", "score_chunks"],
    [
        "orderstat",
        "simultaneous",
        "errorbounds",
        "rows",
        "formulas",
        "plotting",
        "reports",
        "world",
        "losses",
        "expression",
        "qvalues",
        "model_choice",
        "safe_files",
    ],
    ["solvers"],
    ["predictivepoints"],
    ["design", "splitting", "thresholds", "evaluation", "bandpoints", "scorers", "score_direction", "worlds", "rnaseq"],
    ["sklearn_face", "inputs", "bandrules", "manyknots", "tuning", "simulate", "same_rows"],
    ["predictive", "row_chunks", "fit_bounds"],
    ["predicting"],
    ["fitted"],
    ["checkpoints", "split_warnings"],
    ["umbrella"],
    ["groups", "small_samples", "planning", "multiclass"],
    ["bands", "crossval"],
    ["bandfit"],
    ["comparison"],
    ["api"],
    ["estimator", "display"],
    ["persistence"],
    ["tabular", "pictures", "cli_models", "cli_plan", "cli_predictive", "cli_records", "cli_values"],
    ["table_parts", "demo", "cli_planning", "cli_groups", "cli_regions"],
    ["cli_commands"],
    ["app"],
    ["cli_certify", "cli_multiclass", "cli_predict"],
    ["cli_options"],
    ["cli"],
    ["__main__"],
]
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
PACKAGES = (
    "scorers",
    "plotting",
    "solvers",
    "losses",
    "fit_bounds",
    "groups",
    "small_samples",
    "planning",
    "multiclass",
    "comparison",
    "parallel",
    "score_chunks",
    "row_chunks",
    "predicting",
    "app",
)

COMMAND_LINE = (
    "cli",
    "cli_certify",
    "cli_commands",
    "cli_multiclass",
    "cli_options",
    "cli_models",
    "cli_plan",
    "cli_predict",
    "cli_predictive",
    "cli_records",
    "cli_regions",
    "tabular",
    "table_parts",
    "demo",
    "pictures",
)
ROOMS_OF_OTHERS = {
    "matplotlib": ("plotting", "app", *COMMAND_LINE),
    "pandas": (
        "design",
        "formulas",
        "frames",
        "rows",
        "tables",
        "datasets",
        "checkpoints",
        "row_chunks",
        "app",
        *COMMAND_LINE,
    ),
    "dask": ("score_chunks",),
    "pyarrow": ("frames", "tabular", "row_chunks", "score_chunks"),
    "formulaic": ("formulas",),
    "numba": ("solvers",),
    "shiny": ("app",),
    "uvicorn": ("app",),
    "joblib": ("parallel", "persistence", "checkpoints"),
    "threadpoolctl": ("parallel",),
    "distributed": ("parallel",),
    "skops": ("safe_files",),
    "tqdm": ("parallel",),
    "statsmodels": ("scorers", "tables"),
    "sklearn": (
        "scorers",
        "estimator",
        "sklearn_face",
        "multiclass",
        "crossval",
        "fit_bounds",
        "datasets",
        "row_chunks",
        "model_choice",
        "safe_files",
    ),
}
PARTS_OF_SKLEARN = {
    "estimator": {"sklearn.base", "sklearn.utils.validation"},
    "multiclass": {"sklearn.base", "sklearn.utils.validation"},
    "sklearn_face": {"sklearn.exceptions"},
    "crossval": {"sklearn.model_selection", "sklearn.metrics"},
    "datasets": {"sklearn.datasets"},
    "model_choice": {"sklearn.metrics", "sklearn.utils.metadata_routing"},
    "row_chunks": {"sklearn.pipeline", "sklearn.preprocessing"},
    "fit_bounds": {"sklearn.base", "sklearn.frozen", "sklearn.model_selection"},
    "safe_files": {
        "sklearn.feature_extraction",
        "sklearn.feature_extraction.text",
        "sklearn.preprocessing",
        "sklearn.svm._base",
    },
}


def room_of(module):
    """The room of a module of the package: its first part after the package name."""
    return module.split(".")[1]


def inner_imports(path):
    return {name for name in imported_modules(path) if name.split(".")[0] == "nproc"}


def outer_imports(path):
    return {name for name in imported_modules(path) if name.split(".")[0] in ROOMS_OF_OTHERS}


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_every_file_has_a_floor(path):
    module = module_name(path)
    assert module == "nproc" or room_of(module) in FLOOR_OF, f"give {path.name} a floor in FLOORS"


def test_every_room_has_a_file():
    rooms = {room_of(module) for module in MODULES if module != "nproc"}
    assert sorted(set(FLOOR_OF) - rooms - {"tabular", "pictures", "demo", "__main__"} - set(COMMAND_LINE)) == []


@pytest.mark.parametrize("path", [p for p in FILES if p != PACKAGE / "__init__.py"], ids=module_name)
def test_a_module_imports_from_lower_floors_only(path):
    room = room_of(module_name(path))
    for name in inner_imports(path):
        assert name != "nproc", f"{path.name} imports the package itself; name the module"
        other = room_of(name)
        if other != room:
            assert FLOOR_OF[other] < FLOOR_OF[room], f"{path.name} imports {name}, which is not on a lower floor"
        else:
            assert room in PACKAGES


@pytest.mark.parametrize("room", PACKAGES)
def test_modules_of_one_package_import_each_other_without_cycles(room):
    inside = {m: path for m, path in MODULES.items() if m.startswith(f"nproc.{room}")}
    graph = {m: inner_imports(path) & set(inside) for m, path in inside.items()}
    # raises CycleError, which names the cycle
    assert list(graphlib.TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_outside_packages_stay_in_their_rooms(path):
    module = module_name(path)
    room = "nproc" if module == "nproc" else room_of(module)
    for name in outer_imports(path):
        assert room in ROOMS_OF_OTHERS[name.split(".")[0]], f"{path.name} imports {name}"
        if name.startswith("sklearn") and room in PARTS_OF_SKLEARN:
            assert name in PARTS_OF_SKLEARN[room], f"{path.name} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_imports_are_absolute(path):
    assert [name for name in imported_modules(path) if name.startswith(".")] == []


def test_no_module_hides_a_public_function():
    functions = {name.lower() for name in package.__all__ if inspect.isfunction(getattr(package, name))}
    assert [path.name for path in PACKAGE.iterdir() if path.stem.lower() in functions] == []


def test_no_file_is_a_drawer_for_everything():
    drawers = {"util", "utils", "helper", "helpers", "common", "misc", "tools", "shared"}
    assert [path.name for path in FILES if path.stem.lower().strip("_") in drawers] == []
