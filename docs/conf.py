"""Configuration of the documentation site, whose generated pages are written before sphinx reads any."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from sitegen.api_pages import GROUPS, path_of  # noqa: E402
from sitegen.bibliography import cite_only, read_bibliography  # noqa: E402
from sitegen.build import write_pages  # noqa: E402
from sitegen.docstrings import escape_names, list_attributes  # noqa: E402
from sitegen.formulas import no_departure, visit_display, visit_inline  # noqa: E402
from sphinx.addnodes import pending_xref  # noqa: E402

import nproc  # noqa: E402

REPOSITORY = HERE.parent

project = "nproc-py"
author = "The nproc-py developers"
copyright = f"2026, {author}"
version = release = nproc.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "myst_nb",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "sitegen", "peers", "snippets", "_templates"]
default_role = "py:obj"

# notebooks are shown with the outputs that they were stored with
nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_numpy_docstring = True
napoleon_use_ivar = True
napoleon_use_rtype = False

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "nproc-py"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    # wide tables take the room of the contents
    "secondary_sidebar_items": {"**": ["page-toc"], "choosing": [], "papers": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
}
# pages that have no pages below them
ALONE = ("index", "install", "choosing", "guarantees", "training", "papers", "cost", "comparison", "changelog")
html_sidebars = {name: [] for name in (*ALONE, "contributing", "references")}
# a reference that no page cites is still one of the sources
suppress_warnings = ["ref.citation"]

BIBLIOGRAPHY = read_bibliography((REPOSITORY / "vignettes" / "references.bib").read_text(encoding="utf-8"))

# names of the API reference that stand in a room
GROUPED = [name for _, names in GROUPS.values() for name in names]
IN_ROOMS = {name: path for name in GROUPED if (path := path_of(name)) != name}


def replace_definitions(app, what, name, thing, options, lines):
    cite_only(lines, BIBLIOGRAPHY)
    list_attributes(lines)


def skip_what_is_told_elsewhere(app, what, name, thing, skip, options):
    # scikit-learn writes these methods into every estimator; fitted attributes stand in the docstring of their class
    inherited = re.fullmatch(r"set_\w+_request|get_metadata_routing", name)
    fitted = isinstance(thing, property) and re.fullmatch(r"[a-z]\w*_", name)
    return True if inherited or fitted else None


def escape_docstring(app, what, name, thing, options, lines):
    escape_names(lines)


def find_in_rooms(app, env, node, contnode):
    """Link a name that a docstring writes without its room, such as `NPGroupFit.predict`."""
    name, dot, member = node.get("reftarget", "").removeprefix("nproc.").partition(".")
    if node.get("refdomain") != "py" or name not in IN_ROOMS:
        return None
    target = f"nproc.{IN_ROOMS[name]}{dot}{member}"
    domain = env.get_domain("py")
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, contnode)


def unlink_words(app, doctree):
    """Leave the words of a type as they are, such as the n of ``shape (n, p)``: links are names of the reference."""
    for node in list(doctree.findall(pending_xref)):
        name = node.get("reftarget", "").partition(".")[0]
        if node.get("reftype") == "class" and name not in GROUPED and not name.startswith("nproc"):
            node.replace_self(node.children)


def setup(app):
    write_pages(REPOSITORY, HERE)
    app.add_html_math_renderer("mathml", (visit_inline, no_departure), (visit_display, no_departure))
    # before napoleon, which takes 500
    app.connect("autodoc-process-docstring", replace_definitions, priority=400)
    app.connect("doctree-read", unlink_words)
    app.connect("autodoc-process-docstring", escape_docstring, priority=600)
    app.connect("missing-reference", find_in_rooms)
    app.connect("autodoc-skip-member", skip_what_is_told_elsewhere)
