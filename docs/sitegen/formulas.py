"""Formulas as MathML, which browsers draw themselves: no script from elsewhere, at build time or when read."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

# MathML stretches brackets by itself
SIZES = re.compile(r"\\[Bb]igg?[lrm]?(?![a-z])")
# commands that docutils does not know, in those that it does
OTHER_NAMES = {r"\iff": r"\Leftrightarrow", r"\implies": r"\Rightarrow", r"\dots": r"\ldots"}
LOGGER = logging.getLogger(__name__)


def mathml(node, as_block):
    """Return a formula as MathML, or a warning and its source where it cannot be read."""
    formula = SIZES.sub("", node.astext())
    for name, known in OTHER_NAMES.items():
        formula = re.sub(re.escape(name) + r"(?![a-zA-Z])", lambda _, known=known: known, formula)
    try:
        return tex2mathml(formula, as_block=as_block)
    except MathError as error:
        LOGGER.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{nodes.Text(node.astext())}</code>"


def visit_inline(translator, node):
    """Write a formula in a line of text."""
    translator.body.append(mathml(node, False))
    raise nodes.SkipNode


def visit_display(translator, node):
    """Write a formula on lines of its own."""
    translator.body.append(translator.starttag(node, "div", CLASS="formula"))
    translator.body.append(mathml(node, True))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def no_departure(translator, node):
    """Nothing is left to close."""
