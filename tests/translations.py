"""The scores of other packages in this one: the lines of a table in docs/comparison.md."""

import importlib

import numpy as np

RNG = np.random.default_rng(0)
# normal rows are class 0, strange ones class 1
TRAIN, NORMAL, STRANGE = (RNG.normal(size=(n, 2)) + shift for n, shift in ((300, 0), (300, 0), (300, 2)))


def of(module, name):
    """An attribute of a module that is imported when it is asked for."""
    return getattr(importlib.import_module(module), name)


def classifier():
    from sklearn.linear_model import LogisticRegression

    rows = np.concatenate([TRAIN, RNG.normal(size=(300, 2)) + 2])
    return LogisticRegression().fit(rows, np.repeat([0, 1], 300))


def score_samples():
    model = of("sklearn.ensemble", "IsolationForest")(random_state=1).fit(TRAIN)
    return lambda X: -model.score_samples(X)


def pyod():
    model = of("pyod.models.iforest", "IForest")(random_state=1).fit(TRAIN)
    return model.decision_function


def crepes_p_values():
    # of the hypothesis that a row is like the normal ones
    strangeness = score_samples()
    model = of("crepes", "ConformalClassifier")().fit(strangeness(RNG.normal(size=(300, 2))))
    return lambda X: 1 - model.predict_p(strangeness(X)[:, None], smoothing=False)[:, 0]


def nonconformity():
    model = classifier()
    hinge = of("crepes.extras", "hinge")
    # hinge is 1 minus the probability of a label; the one of class 0
    return lambda X: hinge(model.predict_proba(X))[:, 0]


def mapie_risk_of_false_positives():
    model = classifier()
    controller = of("mapie.risk_control", "BinaryClassificationController")(
        model.predict_proba, risk="fpr", target_level=0.2
    )
    return lambda X: controller._predict_function(X)[:, 1]


def guard():
    model = classifier()
    return lambda X: -model.predict_proba(X)[:, 0]


TRANSLATIONS = {
    (
        "scikit-learn, `score_samples` and `decision_function` of an outlier detector",
        "large: normal",
        "`-model.score_samples(X)`",
    ): score_samples,
    ("PyOD, `decision_function`", "large: strange", "`model.decision_function(X)`"): pyod,
    ("crepes, nonconform: conformal p-values", "small: strange", "`1 - p`"): crepes_p_values,
    (
        "crepes, MAPIE: nonconformity score of the label of class 0, such as `hinge`",
        "large: not this label",
        "as it is",
    ): nonconformity,
    (
        'MAPIE, `BinaryClassificationController(..., risk="fpr")`',
        "large: the positive label",
        "`predict_function(X)[:, 1]`, with `class0` the negative label",
    ): mapie_risk_of_false_positives,
    (
        "a guard or fraud score",
        "large: the label that must not be missed, class 0",
        "`-score`; `--larger-means class0` on the command line",
    ): guard,
}
