"""Docstrings of all public names: numpydoc's own validation, and every citation in the bibliography."""

import dataclasses
import inspect
import re

import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import validate
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
    for name in package.__all__:
        thing = getattr(package, name)
        yield name, thing, None
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and not isinstance(value, int | float | str | bool | tuple | type(None)):
                    yield f"{name}.{member}", value, thing


MEMBERS = {path: (thing, owner) for path, thing, owner in public_members()}


def is_attribute(thing):
    return isinstance(thing, property) or type(thing).__name__ == "cached_property"


def attributes_of(kind):
    return {entry.name for line in ClassDoc(kind)["Attributes"] for entry in [line]} | {
        name.strip() for line in ClassDoc(kind)["Attributes"] for name in line.name.split(",")
    }


def is_result(thing):
    return inspect.isclass(thing) and dataclasses.is_dataclass(thing)


@pytest.mark.parametrize("path", MEMBERS)
def test_the_docstring_of_a_public_name_is_valid(path):
    thing, owner = MEMBERS[path]
    if owner is not None and is_attribute(thing):
        name = path.split(".")[1]
        assert inspect.getdoc(thing) or name in attributes_of(owner), f"{path} is documented nowhere"
        return
    doc = inspect.getdoc(thing) or ""
    wanted = set(ALWAYS)
    if "\n" in doc and not is_result(thing):
        wanted |= set(ARGUMENTS)
    # a summary line may say itself what is returned: "Draw the band; return the Axes."
    if inspect.isfunction(thing) and owner is None and "return" not in doc.split("\n")[0].lower():
        wanted |= set(FUNCTIONS)
    found = [error for error in validate(f"nproc.{path}")["errors"] if error[0] in wanted]
    if owner is None and inspect.isclass(thing) and issubclass(thing, Exception):
        found = [error for error in found if error[0] != "PR01"]
    assert found == []


@pytest.mark.parametrize("name", [n for n in package.__all__ if inspect.isfunction(getattr(package, n))])
def test_a_public_function_says_what_it_returns_and_shows_an_example(name):
    doc = inspect.getdoc(getattr(package, name))
    assert "\nReturns\n-------\n" in doc
    assert "\nParameters\n----------\n" in doc or name == "scorer_names"
    assert ">>> " in doc or name == "load"


@pytest.mark.parametrize("name", [n for n in package.__all__ if is_result(getattr(package, n))])
def test_every_field_of_a_result_is_documented(name):
    kind = getattr(package, name)
    fields = {field.name for field in dataclasses.fields(kind)} - INNER_FIELDS.get(name, set())
    assert sorted(fields - attributes_of(kind)) == []


def bibliography():
    return set(re.findall(r"@\w+\{(\w+),", (ROOT / "vignettes" / "references.bib").read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_every_citation_is_in_the_bibliography(path):
    cited = set(re.findall(r"\[([a-z]\w*\d{4}\w*)\]_", path.read_text(encoding="utf-8")))
    assert sorted(cited - bibliography()) == []
