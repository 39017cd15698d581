"""Docstrings of all public names: numpydoc's own validation, and every citation in the bibliography."""

import dataclasses
import inspect
import re

from numpydoc.docscrape import ClassDoc
from numpydoc.validate import validate
from public_names import PATHS, PUBLIC
from sklearn.base import BaseEstimator
from source_files import FILES, ROOT, module_name

import nproc as package

ALWAYS = {
    "GL05": "tabs",
    "GL06": "an unknown section",
    "GL07": "sections in another order",
    "GL08": "no docstring",
    "GL10": "a malformed reference",
    "SS01": "no summary",
    "SS02": "a summary that does not begin with a capital",
    "SS03": "a summary without a full stop",
    "SS04": "a summary that begins with a blank",
    "PR02": "an argument that does not exist",
    "PR05": "a type that ends with a full stop",
    "PR07": "an argument without a description",
    "PR10": "a colon without a blank before it",
}
# arguments: a docstring of one line may leave the sections out; results list their fields as attributes
ARGUMENTS = {"PR01": "an argument is not documented"}
FUNCTIONS = {"RT01": "no Returns section"}
# fields that are the inside of a result
INNER_FIELDS = {"NPROCBand": {"sorted0", "sorted1", "split_ratio", "subject", "scored", "ratio_choice", "method"}}


def public_members():
    for name, thing in PUBLIC.items():
        yield name, thing, None
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and not isinstance(value, int | float | str | bool | tuple | type(None)):
                    yield f"{name}.{member}", value, thing


MEMBERS = {path: (thing, owner) for path, thing, owner in public_members()}


def full_path(path):
    """Return where a public name, or one of its members, is imported from."""
    name, dot, member = path.partition(".")
    return f"nproc.{PATHS.get(name, name)}{dot}{member}"


def is_attribute(thing):
    return isinstance(thing, property) or type(thing).__name__ == "cached_property"


def attributes_of(kind):
    return {entry.name for line in ClassDoc(kind)["Attributes"] for entry in [line]} | {
        name.strip() for line in ClassDoc(kind)["Attributes"] for name in line.name.split(",")
    }


def is_result(thing):
    return inspect.isclass(thing) and dataclasses.is_dataclass(thing) and not issubclass(thing, BaseEstimator)


def faults_of(path, thing, owner):
    """What is wrong with the docstring of a public name, as a list."""
    if owner is not None and is_attribute(thing):
        documented = inspect.getdoc(thing) or path.split(".")[1] in attributes_of(owner)
        return [] if documented else ["it is documented nowhere"]
    doc = inspect.getdoc(thing) or ""
    wanted = set(ALWAYS)
    if "\n" in doc and not is_result(thing):
        wanted |= set(ARGUMENTS)
    # a summary line may say itself what is returned: "Draw the band; return the Axes."
    if inspect.isfunction(thing) and owner is None and "return" not in doc.split("\n")[0].lower():
        wanted |= set(FUNCTIONS)
    if owner is None and inspect.isclass(thing) and issubclass(thing, Exception):
        wanted -= set(ARGUMENTS)
    return [error for error in validate(full_path(path))["errors"] if error[0] in wanted]


def test_docstrings_of_public_names_are_valid():
    members = list(public_members())
    assert len(members) > 300
    faults = {path: found for path, thing, owner in members if (found := faults_of(path, thing, owner))}
    assert faults == {}


def test_a_fault_in_a_docstring_is_found():
    assert [code for code, _ in faults_of("tables.summary_table", package.np_threshold, None)] == []
    assert faults_of("NPFit.nothing", property(lambda self: None), package.NPFit) == ["it is documented nowhere"]


def test_public_functions_say_what_they_return_and_show_an_example():
    wrong = []
    for name, thing in PUBLIC.items():
        doc = inspect.getdoc(thing) or ""
        needed = [
            "\nReturns\n-------\n",
            *["\nParameters\n----------\n"] * (name != "scorer_names"),
            *[">>> "] * (name != "load"),
        ]
        if inspect.isfunction(thing):
            wrong += [f"{name} lacks {part.split()[0]}" for part in needed if part not in doc]
    assert wrong == []


def test_every_field_of_a_result_is_documented():
    wrong = {}
    for name, kind in PUBLIC.items():
        if is_result(kind):
            fields = {field.name for field in dataclasses.fields(kind)} - INNER_FIELDS.get(name, set())
            wrong[name] = sorted(fields - attributes_of(kind))
    assert {name: lost for name, lost in wrong.items() if lost} == {}


def test_every_citation_is_in_the_bibliography():
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "vignettes" / "references.bib").read_text(encoding="utf-8")))
    cited = {module_name(p): set(re.findall(r"\[([a-z]\w*\d{4}\w*)\]_", p.read_text(encoding="utf-8"))) for p in FILES}
    assert {name: sorted(keys - known) for name, keys in cited.items() if keys - known} == {}


def test_the_door_of_the_solvers_gives_each_work_in_full_and_the_files_behind_it_its_key():
    room = ROOT / "nproc" / "solvers"
    texts = {path.relative_to(room).as_posix(): path.read_text(encoding="utf-8") for path in room.rglob("*.py")}
    defined = {name: re.findall(r"^ *\.\. \[(\w+)\] ", text, flags=re.MULTILINE) for name, text in texts.items()}
    door = defined.pop("__init__.py")
    assert {name: keys for name, keys in defined.items() if keys} == {}
    cited = {name: set(re.findall(r"\[([a-z]\w*\d{4}\w*)\]_", text)) for name, text in texts.items()}
    assert {name: sorted(keys - set(door)) for name, keys in cited.items() if keys - set(door)} == {}
    assert sorted(door) == sorted(set.union(*cited.values()))
