"""Scores of every stage from any model: one column for each class but the last, larger = less like that class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import as_floats
from nproc.errors import InvalidInputError
from nproc.scorers import score_rows
from nproc.scorers.adapter import last_model

SCORES = ("against_lower", "own")
_LEAST = np.finfo(np.float64).tiny


@dataclass(frozen=True, eq=False)
class BinaryStages:
    """One binary scorer a stage, trained on the class of the stage against all classes of lower priority.

    Attributes
    ----------
    scorers : tuple
        Trained on 0 for the class of the stage and 1 for the lower classes.
    """

    scorers: tuple

    def scores(self, X):
        """Return the scores, shape (m, K - 1)."""
        return np.column_stack([score_rows(scorer, X) for scorer in self.scorers])


@dataclass(frozen=True, eq=False)
class ModelStages:
    """One model of all classes.

    Attributes
    ----------
    model : object
        Trained, with predict_proba or decision_function.
    classes : tuple
        Its own labels in the order of priority.
    stage_score : {"against_lower", "own"}
        What stage j looks at: the probability of class j among those of its own and lower priority, or its
        probability among all classes, as in the paper. Both as log odds against the class, which order rows alike.
    """

    model: object
    classes: tuple
    stage_score: str

    def scores(self, X):
        """Return the scores, shape (m, K - 1)."""
        values, are_probabilities = class_values(self.model, X, self.classes)
        if not are_probabilities:
            return _against_by_values(values, self.stage_score)
        against = np.cumsum(values[:, :0:-1], axis=1)[:, ::-1]
        if self.stage_score == "own":
            against[:, 1:] += np.cumsum(values[:, :-2], axis=1)
        # log odds resolve probabilities near 0 and near 1 alike, where a rounding guard about a probability would take
        # all small ones for tied; where both are 0 the model says nothing
        return np.log(np.maximum(against, _LEAST)) - np.log(np.maximum(values[:, :-1], _LEAST))


@dataclass(frozen=True, eq=False)
class FunctionStages:
    """A function of X that gives the scores.

    Attributes
    ----------
    function : callable
        Takes X and returns an array of shape (m, K - 1), column j larger = more like class j.
    n_stages : int
        K - 1.
    """

    function: object
    n_stages: int

    def scores(self, X):
        """Return the scores, shape (m, K - 1), with the sign turned."""
        given = self.function(X)
        values = as_floats(given, "the function", f"give numbers, shape (m, {self.n_stages})")
        if values.ndim == 1 and self.n_stages == 1:
            values = values[:, None]
        wanted = (X.shape[0] if hasattr(X, "shape") else len(X), self.n_stages)
        if values.shape != wanted:
            raise InvalidInputError(
                f"the function must give one score a row for every class but the last, shape {wanted}, "
                f"got {values.shape}. Column j is larger for rows more like class j."
            )
        return -_finite(values, "the function")


def _against_by_values(values, stage_score):
    if stage_score == "own":
        return -values[:, :-1]
    best_lower = np.maximum.accumulate(values[:, :0:-1], axis=1)[:, ::-1]
    return best_lower - values[:, :-1]


def class_values(model, X, classes):
    """Return one value a row and class, columns in the order of `classes`, and whether they are probabilities.

    Parameters
    ----------
    model : object
        Trained, with predict_proba or else decision_function.
    X : array-like, m rows
        Rows.
    classes : sequence
        The labels that the model must have been trained on.

    Returns
    -------
    values : ndarray of float, shape (m, K)
    are_probabilities : bool

    Raises
    ------
    InvalidInputError
        If the model has neither, knows other classes, or gives something else than K finite values a row.
    """
    name = type(model).__name__
    method = next((m for m in ("predict_proba", "decision_function") if hasattr(model, m)), None)
    if method is None:
        raise InvalidInputError(
            f"method needs predict_proba or decision_function; {name} has neither. Wrap it, for example in "
            "scikit-learn's CalibratedClassifierCV."
        )
    own = np.asarray(getattr(model, "classes_", np.arange(len(classes)))).tolist()
    if len(own) != len(classes) or set(own) != set(classes):
        raise InvalidInputError(
            f"{name} was trained on the classes {own}, but {list(classes)} are expected."
            if hasattr(model, "classes_")
            else f"{name} has no classes_, so that its columns would stand for {own}, but the labels are "
            f"{list(classes)}. Is it fitted?"
        )
    if method == "decision_function" and getattr(last_model(model), "decision_function_shape", None) == "ovo":
        # with three classes there are three pairs, so that the shape does not tell
        raise InvalidInputError(
            f"{type(last_model(model)).__name__} compares classes by pairs; set decision_function_shape='ovr'."
        )
    values = as_floats(getattr(model, method)(X), f"{name}.{method}(X)", "give numbers")
    if values.ndim == 1 and len(own) == 2:
        values = np.column_stack([-values, values])
    if values.ndim != 2 or values.shape[1] != len(own):
        raise InvalidInputError(f"{name}.{method}(X) must give {len(own)} values a row, got shape {values.shape}.")
    order = [own.index(label) for label in classes]
    return _finite(values, f"{name}.{method}(X)")[:, order], method == "predict_proba"


def _finite(values, name):
    if not np.isfinite(values).all():
        bad = int(np.sum(~np.isfinite(values)))
        raise InvalidInputError(f"{name} must give finite values, got {bad} that are not.")
    return values
