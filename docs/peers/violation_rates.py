"""How often does each package's classifier break the bound on the type I error, on the same rows?

Simulation 1 of Tong, Feng and Li (2018): N(0, 1) against N(2, 1), 1000 rows, classes equally likely; one predictor,
so that the true errors of a classifier follow from its threshold by a formula. All packages train scikit-learn's
logistic regression. Needs MAPIE, which nothing else here needs; writes violation_rates.json beside itself.

    python docs/peers/violation_rates.py [number of data sets]
"""

import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from mapie.risk_control import BinaryClassificationController
from scipy import stats
from scipy.special import logit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split

from nproc import npc
from nproc.model_choice import np_loss
from nproc.orderstat import np_order, violation_rate
from nproc.simulate import simulation1

ALPHA, DELTA, N_ROWS = 0.05, 0.05, 1000
TARGET = Path(__file__).with_suffix(".json")


def errors_above(x):
    """Return the true type I and type II error of the rule that calls rows above `x` class 1."""
    return float(stats.norm.sf(x)), float(stats.norm.cdf(x - 2))


def cut_of(model, probability):
    """Return the x at which a logistic regression in one rising predictor has that probability."""
    return (logit(probability) - model.intercept_[0]) / model.coef_[0, 0]


def by_npc(X, y, seed):
    fit = npc(X, y, LogisticRegression(), alpha=ALPHA, delta=DELTA, random_state=seed)
    model = fit.scorers[0]
    # decision_function of the model is its log-odds
    return (fit.thresholds[0] - model.intercept_[0]) / model.coef_[0, 0]


def both_errors(y, predicted):
    return np.mean(predicted[y == 0] == 1), np.mean(predicted[y == 1] == 0)


def power_within_bound(y, predicted):
    """Share of class 1 found, or nothing where the type I error of these rows is above alpha."""
    type1, type2 = both_errors(y, predicted)
    return 1.0 - type2 if type1 <= ALPHA else 0.0


def minus_np_loss(y, predicted):
    """The criterion of validation J, which punishes the excess of the type I error."""
    return -np_loss(*both_errors(y, predicted), alpha=ALPHA)


def by_tuned_threshold(score):
    def threshold(X, y, seed):
        scoring = make_scorer(score)
        tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scoring, thresholds=200, random_state=seed)
        tuned.fit(X, y)
        return cut_of(tuned.estimator_, tuned.best_threshold_)

    return threshold


def by_mapie(**arguments):
    def threshold(X, y, seed):
        X_train, X_held, y_train, y_held = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
        model = LogisticRegression().fit(X_train, y_train)
        control = BinaryClassificationController(
            model.predict_proba, "fpr", target_level=ALPHA, confidence_level=1 - DELTA, **arguments
        )
        control.calibrate(X_held, y_held)
        # no probability is above 1: where no threshold is valid nobody is called class 1
        return np.inf if control.best_predict_param is None else cut_of(model, control.best_predict_param)

    return threshold


METHODS = {
    "nproc-py": by_npc,
    "scikit-learn, power within alpha": by_tuned_threshold(power_within_bound),
    "scikit-learn, criterion J": by_tuned_threshold(minus_np_loss),
    "MAPIE, default": by_mapie(),
    "MAPIE, fixed_sequence": by_mapie(fwer_method="fixed_sequence"),
}


def exact_rate():
    """Return the exact violation rate of nproc-py: that of its order statistic, averaged over the class sizes."""
    sizes = np.arange(370, 631)
    # half of class 0, rounded as the package rounds the other half, sets the threshold
    left_out = sizes - np.round(sizes / 2).astype(int)
    rates = [float(violation_rate(np_order(int(n), ALPHA, DELTA), int(n), ALPHA)) for n in left_out]
    return float(np.sum(stats.binom.pmf(sizes, N_ROWS, 0.5) * rates))


def main():
    n_data_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    found = {name: [] for name in METHODS}
    # MAPIE warns where no threshold is valid, which is counted below
    warnings.simplefilter("ignore", UserWarning)
    for seed in range(n_data_sets):
        sample = simulation1(N_ROWS, random_state=seed)
        for name, method in METHODS.items():
            found[name].append(errors_above(method(sample.X, sample.y, seed)))
    rows = {}
    for name, errors in found.items():
        type1, type2 = np.array(errors).T
        rows[name] = {
            "violations": int(np.sum(type1 > ALPHA)),
            "type1": float(type1.mean()),
            "type2": float(type2.mean()),
            "type2_sd": float(type2.std(ddof=1)),
            "no_rule": int(np.sum(type2 == 1)),
        }
    record = {
        "alpha": ALPHA,
        "delta": DELTA,
        "rows": N_ROWS,
        "data_sets": n_data_sets,
        "exact_rate": exact_rate(),
        "oracle_type2": float(stats.norm.cdf(stats.norm.isf(ALPHA) - 2)),
        "versions": {name: version(name) for name in ("nproc-py", "scikit-learn", "MAPIE", "numpy")},
        "methods": rows,
    }
    TARGET.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
