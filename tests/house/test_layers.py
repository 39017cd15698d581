"""The house has rooms on floors: a room imports from lower floors only, and outside packages have their rooms."""

import ast
import graphlib
import importlib
import inspect
import re

from public_names import PUBLIC
from source_files import FILES, MODULES, PACKAGE, imported_modules, module_name, nodes_of

import nproc as package
from nproc import solvers

# from the ground up; a room is a folder or a file of its own
FLOORS = [
    ["doors", "errors", "starting"],
    ["checks", "outputs"],
    ["datasets", "losses", "parallel", "plotting", "rows", "score_chunks", "simulate", "simultaneous", "tables"],
    ["expression", "model_choice", "monitoring", "orderstat", "score_direction"],
    ["qvalues"],
    ["solvers", "splitting", "thresholds"],
    ["scorers"],
    ["assumptions", "checkpoints", "tuning"],
    ["inputs"],
    ["row_chunks"],
    ["fits"],
    ["umbrella"],
    ["review"],
    ["bands", "biased_samples", "cross_fitting", "crossval", "feature_ranking", "groups", "planning", "small_samples"],
    ["comparison", "serving"],
    ["api"],
    ["display", "estimator"],
    ["multiclass"],
    ["persistence"],
    # the page reads files as the command line does, which starts it
    ["app", "cli", "__main__"],
]
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
ONE_FLOOR = {"app", "cli", "__main__"}

ROOMS_OF_OTHERS = {
    "matplotlib": {"plotting", "app", "cli"},
    "pandas": {"rows", "tables", "datasets", "checkpoints", "row_chunks", "app", "cli"},
    "dask": {"score_chunks"},
    "pyarrow": {"rows", "row_chunks", "score_chunks", "cli"},
    "formulaic": {"rows"},
    "numba": {"solvers"},
    "shiny": {"app"},
    "uvicorn": {"app"},
    "joblib": {"parallel", "persistence", "checkpoints"},
    "threadpoolctl": {"parallel"},
    "distributed": {"parallel"},
    "skops": {"persistence"},
    "tqdm": {"parallel"},
    "statsmodels": {"scorers", "tables"},
    "sklearn": {
        "scorers",
        "estimator",
        "multiclass",
        "crossval",
        "fits",
        "datasets",
        "row_chunks",
        "model_choice",
        "persistence",
        "parallel",
        "app",
    },
}
PARTS_OF_SKLEARN = {
    "estimator": {"sklearn.base", "sklearn.exceptions", "sklearn.utils.validation"},
    "multiclass": {"sklearn.base", "sklearn.utils.validation"},
    "crossval": {"sklearn.model_selection", "sklearn.metrics"},
    "app": {"sklearn.model_selection"},
    "datasets": {"sklearn.datasets"},
    "model_choice": {"sklearn.metrics", "sklearn.utils.metadata_routing"},
    "parallel": {"sklearn"},
    "row_chunks": {"sklearn.pipeline", "sklearn.preprocessing"},
    "fits": {
        "sklearn.base",
        "sklearn.feature_selection",
        "sklearn.frozen",
        "sklearn.model_selection",
        "sklearn.utils.metaestimators",
    },
    "persistence": {
        "sklearn.feature_extraction",
        "sklearn.feature_extraction.text",
        "sklearn.preprocessing",
        "sklearn.svm._base",
    },
}


def room_of(module):
    """The room of a module of the package: its first part after the package name."""
    return module.split(".")[1] if "." in module else module


def test_every_room_has_a_floor():
    rooms = {room_of(module) for module in MODULES} - {"nproc"}
    assert rooms == set(FLOOR_OF)


def test_a_room_imports_from_lower_floors_only():
    wrong = []
    for module, path in MODULES.items():
        room = room_of(module)
        for name in imported_modules(path) if module != "nproc" else ():
            if name.split(".")[0] != "nproc":
                continue
            other = room_of(name)
            lower = name != "nproc" and (FLOOR_OF[other] < FLOOR_OF[room] or {room, other} <= ONE_FLOOR)
            if other != room and not lower:
                wrong.append(f"{module} imports {name}")
    assert wrong == []


def test_nobody_imports_past_the_door_of_a_room():
    folders = {room_of(module) for module in MODULES if module.count(".") > 1}
    past = []
    for module, path in MODULES.items():
        # the estimators of the papers know the insides of their solvers, and their base asks whether numba is there
        of_papers = module.startswith(("nproc.scorers.papers.", "nproc.scorers.base"))
        for name in imported_modules(path):
            room = room_of(name)
            inside = room == room_of(module) or (of_papers and room == "solvers")
            if name.startswith("nproc.") and name.count(".") > 1 and room in folders and not inside:
                past.append(f"{module} imports from {name}")
    assert past == []


def imports_of_door(path):
    """Return the module of each name that a door imports at once, and of each that it imports for type checkers."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    at_once, later = (
        {alias.name: node.module for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
        for nodes in (tree.body, [node for block in blocks for node in block.body])
    )
    return at_once, later


def test_what_doors_export_is_there_and_told_to_editors():
    wrong = []
    for module, path in MODULES.items():
        door = importlib.import_module(module)
        if path.name != "__init__.py" or not hasattr(door, "__all__"):
            continue
        at_once, later = imports_of_door(path)
        told = at_once | later
        for name in door.__all__:
            thing = getattr(door, name)
            home = getattr(importlib.import_module(told[name]), name) if name in told else vars(door).get(name)
            wrong += [f"{module}.{name}"] * (thing is not home)
        # the package lists its rooms too
        if "__dir__" in vars(door) and module != "nproc":
            wrong += [f"dir({module})"] * (dir(door) != sorted(door.__all__))
    assert wrong == []


def test_lazy_doors_look_up_the_names_that_type_checkers_see_and_no_others():
    wrong = []
    for module, path in MODULES.items():
        door = importlib.import_module(module)
        if not hasattr(door, "__getattr__"):
            continue
        at_once, later = imports_of_door(path)
        # the package tells editors of its rooms too
        later = {name: home for name, home in later.items() if home != "nproc"}
        own = {name for name, thing in vars(door).items() if getattr(thing, "__module__", None) == module}
        wrong += [f"{module}.{name}" for name in set(later) ^ (set(door.__all__) - set(at_once) - own)]
        for name, home in later.items():
            wrong += [f"{module}.{name}"] * (door.__getattr__(name) is not getattr(importlib.import_module(home), name))
    assert wrong == []


def test_files_without_an_annotation_do_not_postpone_annotations():
    idle = []
    for path in FILES:
        noted = [getattr(node, "annotation", None) or getattr(node, "returns", None) for node in nodes_of(path)]
        if "from __future__ import annotations\n" in path.read_text(encoding="utf-8") and not any(noted):
            idle.append(path.name)
    assert idle == []


def test_modules_of_one_room_import_each_other_without_circles():
    for room in FLOOR_OF:
        inside = {m: path for m, path in MODULES.items() if room_of(m) == room}
        graph = {m: imported_modules(path) & set(inside) for m, path in inside.items()}
        # raises CycleError, which names the circle
        assert list(graphlib.TopologicalSorter(graph).static_order())


def test_outside_packages_stay_in_their_rooms():
    wrong = []
    for module, path in MODULES.items():
        room = room_of(module)
        for name in imported_modules(path):
            rooms = ROOMS_OF_OTHERS.get(name.split(".")[0])
            known = name in PARTS_OF_SKLEARN.get(room, {name}) or not name.startswith("sklearn")
            if rooms is not None and not (room in rooms and known):
                wrong.append(f"{module} imports {name}")
    assert wrong == []


def test_imports_are_absolute():
    assert [module_name(p) for p in FILES if any(name.startswith(".") for name in imported_modules(p))] == []


def test_few_files_lie_in_the_hall():
    assert len(list(PACKAGE.glob("*.py"))) <= 26


def test_no_module_hides_a_public_function():
    functions = {name.lower() for name in package.__all__ if inspect.isfunction(getattr(package, name))}
    assert [path.name for path in PACKAGE.iterdir() if path.stem.lower() in functions] == []


def test_no_file_is_a_drawer_for_everything():
    drawers = {"util", "utils", "helper", "helpers", "common", "misc", "tools", "shared"}
    assert [path.name for path in FILES if path.stem.lower().strip("_") in drawers] == []


def test_inner_functions_have_at_most_ten_parameters():
    # users call these, and what numba compiles takes its numbers and arrays one by one
    faces = {*PUBLIC, *solvers.__all__, "plot_band"}
    many = []
    for module, path in MODULES.items():
        for node in nodes_of(path):
            if not isinstance(node, ast.FunctionDef) or node.name in faces:
                continue
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            compiled = any(ast.unparse(decorator).startswith("hot") for decorator in node.decorator_list)
            if len([name for name in names if name not in ("self", "cls")]) > 10 and not compiled:
                many.append(f"{module}.{node.name}")
    assert many == []


def test_nobody_imports_a_private_name_of_another_file():
    wrong = []
    for module, path in MODULES.items():
        nodes = [node for node in nodes_of(path) if isinstance(node, ast.ImportFrom)]
        own = [node for node in nodes if (node.module or "").startswith("nproc")]
        wrong += [f"{module}: {a.name}" for node in own for a in node.names if re.match("_[a-zA-Z]", a.name)]
    assert wrong == []
