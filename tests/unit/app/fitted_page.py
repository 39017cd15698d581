"""Plans and their fits, as the page makes them, for the tests of what is shown and of the code."""

import ast
import dataclasses

import numpy as np

from nproc import nproc
from nproc.app.data import make_plan
from nproc.app.results import Result

SETTINGS = {"methods": ["lda", "nb"], "n_splits": 1, "alpha": 0.1, "delta": 0.1, "seed": 3}


def plan_of(source, features, **more):
    return make_plan(source, **{"label": source.likely_label, "class0": "0", "features": features, **SETTINGS, **more})


def fitted(plan):
    return Result(plan, tuple(nproc(**plan.arguments(), method=method) for method in plan.methods))


def check_made_again(again, fit, code):
    """The code makes a classifier again, and its comments, or what it prints, say what the page tells beside."""
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)
    assert again.guaranteed is fit.guaranteed
    assert str(again.summary()) == str(dataclasses.replace(fit, caveats=again.caveats).summary())
    words = [line[2:] for line in code.splitlines() if line.startswith("# ")]
    words += [node.value for node in ast.walk(ast.parse(code)) if isinstance(getattr(node, "value", None), str)]
    said = " ".join(words)
    assert [told for told in fit.caveats if told not in again.caveats and told not in said] == []
