"""Estimated probabilities of a fitted classifier, and how well they fit new rows. Nothing is proved about them."""

from functools import partial

import numpy as np
from scipy.special import expit, logit

from nproc.checks import as_array, check_count, class_names, rows_in
from nproc.errors import InvalidInputError
from nproc.orderstat import calibration_groups
from nproc.row_chunks import score_new_rows, showing_rows
from nproc.rows import check_same_length, check_same_rows, encode_labels, one_share_of_class1
from nproc.scorers import class0_comes_second, name_of, rows_for

# a probability of 0 has no finite odds
LEAST = 1e-300


def class_probabilities(fit, X, prevalence):
    """Return estimated probabilities of both classes, shape (m, 2), class 0 first; see `NPFit.predict_proba`."""
    rows, values = fit.design.transform(fit._table(X)), fit.labels if fit.prefit else None
    with showing_rows(rows_in(X, "X")):
        of_class1 = np.mean([_of_scorer(fit, scorer, rows, values) for scorer in fit._models()], axis=0)
    return both_probabilities(of_class1, log_odds_shift(fit, prevalence))


def log_odds_shift(fit, prevalence=None):
    """Return what is added to the log odds of a scorer for the rows that did not train it; None of a prefit scorer."""
    if not fit.prefit:
        # from the shares of the classes among the rows that trained to those asked for
        trained, wanted = fit.n1 / (fit.n1 + fit.n0 * fit._share_trained()), fit.n1 / (fit.n1 + fit.n0)
        if prevalence is not None:
            wanted = one_share_of_class1(prevalence, fit.labels.tolist())
        return float(logit(wanted) - logit(trained))
    if prevalence is not None:
        raise InvalidInputError(
            "prevalence cannot be used with a prefit scorer, since the shares of the two classes among the rows that "
            "trained it are not known; leave it out.",
            argument="prevalence",
        )
    return None


def both_probabilities(of_class1, shift):
    """Return the probabilities of class 0 and class 1, shape (m, 2), with the log odds of class 1 moved by `shift`."""
    if shift is None:
        return np.column_stack([1 - of_class1, of_class1])
    log_odds = np.log(np.maximum(of_class1, LEAST)) - np.log(np.maximum(1 - of_class1, LEAST)) + shift
    return np.column_stack([expit(-log_odds), expit(log_odds)])


def probability_of_class1(scorer, rows, values):
    """Return the probability of class 1 by a trained scorer that has ``predict_proba``; `values` as in `score_rows`."""
    reverse = class0_comes_second(scorer, values)
    return as_array(scorer.predict_proba(rows_for(scorer, rows)), "predict_proba(X)")[:, 0 if reverse else 1]


def _of_scorer(fit, scorer, rows, values):
    if not hasattr(scorer, "predict_proba"):
        raise InvalidInputError(
            f"method {fit.method!r} ({name_of(scorer)}) gives scores and no probabilities. Use a method with "
            "probabilities, such as 'logistic', 'nb', 'lda', 'randomforest', or any scikit-learn classifier with "
            "predict_proba; CalibratedClassifierCV(SVC()) has it."
        )
    return score_new_rows(partial(probability_of_class1, scorer, values=values), rows)


def refuse_one_class(counts, labels):
    """Raise if there is no row of one of the classes."""
    missing = [str(label) for label, n in zip(labels, counts, strict=True) if n == 0]
    if missing:
        raise InvalidInputError(f"y must hold rows of both classes, got none of {missing[0]}.", argument="y")


def plot_probabilities(fit, X, y, *, n_groups, prevalence, ax, figsize):
    """Draw the share of class 1 in groups of rows against their probability; see `NPFit.plot_calibration`."""
    from nproc.plotting import plot_calibration

    n_groups = check_count(n_groups, "n_groups")
    check_same_rows(X=X, y=y)
    (X, y), counted = fit._counted_rows(X, y)
    codes = encode_labels(fit.design.labels_of(X, y), fit.labels)
    with counted:
        estimate = class_probabilities(fit, X, prevalence)[:, 1]
    check_same_length(estimate, codes)
    refuse_one_class(np.bincount(codes, minlength=2), fit.labels)
    fit._warn_of_own_rows(X, np.flatnonzero(codes == 0))
    groups = calibration_groups(estimate, codes, n_groups)
    return plot_calibration(**groups, p_min=0.0, p_max=1.0, ax=ax, figsize=figsize, label=class_names(fit.labels)[1])
