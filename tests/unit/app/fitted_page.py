"""Plans and their fits, as the page makes them, for the tests of what is shown and of the code."""

from nproc import nproc
from nproc.app.data import make_plan
from nproc.app.results import Result

SETTINGS = {"methods": ["lda", "nb"], "n_splits": 1, "alpha": 0.1, "delta": 0.1, "seed": 3}


def plan_of(source, features, **more):
    return make_plan(source, **{"label": source.likely_label, "class0": "0", "features": features, **SETTINGS, **more})


def fitted(plan):
    return Result(plan, tuple(nproc(**plan.arguments(), method=method) for method in plan.methods))
