"""What stands before a scorer: terms of a formula that learn from rows, such as splines, and texts without a table."""

from functools import partial

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from nproc.errors import InvalidInputError


class FormulaTerms(TransformerMixin, BaseEstimator):
    """Makes the columns of a formula; what its terms learn, they learn from the rows of `fit`.

    The knots of ``bs(age, df=5)`` and the mean in ``scale(income)`` are learned here, inside each split, so that rows
    which set a threshold have no part in them. The categories of a column are known from all rows, without labels.

    Parameters
    ----------
    coding : FormulaCoding
        The formula, as `nproc.rows.fit_formula` has read it.

    Attributes
    ----------
    coding_ : FormulaCoding
        With the numbers that were learned from the rows of `fit`.

    Examples
    --------
    >>> import pandas as pd
    >>> from nproc.rows.formulas import fit_formula
    >>> frame = pd.DataFrame({"y": [0, 1, 0, 1], "age": [30.0, 40.0, 50.0, 90.0]})
    >>> coding, _, _ = fit_formula("y ~ center(age)", frame)
    >>> plain = coding.plain(frame)
    >>> FormulaTerms(coding).fit(plain[:3]).transform(plain).ravel()
    array([-10.,   0.,  10.,  50.])
    """

    def __init__(self, coding):
        self.coding = coding

    def fit(self, X, y=None):
        """Learn from rows that `FormulaCoding.plain` has returned; return self. `y` is ignored."""
        self.coding_ = self.coding.learned_from(X)
        return self

    def transform(self, X):
        """Return the columns of the formula for rows that `FormulaCoding.plain` has returned, shape (m, p)."""
        return self.coding_.code_plain(X)


class TextsOfColumn(TransformerMixin, BaseEstimator):
    """Gives the texts of a table of one column as a vectorizer takes them: one text a row, without a second dimension.

    Examples
    --------
    >>> TextsOfColumn().fit_transform(np.array([["good day"], ["bye"]], dtype=object))
    array(['good day', 'bye'], dtype=object)
    """

    def fit(self, X, y=None):
        """Return self; nothing is learned."""
        return self

    def transform(self, X):
        """Return the texts, shape (m,), of a table of one column in any form, or of texts that stand alone already."""
        return _texts_of(X)

    def __sklearn_is_fitted__(self):
        return True


def _texts_of(X):
    texts = np.asarray(X, dtype=object)
    return texts[:, 0] if texts.ndim == 2 else texts


def _score_texts(function, X):
    return function(_texts_of(X))


def with_coding(scorer, design):
    """Return the scorer that trains on what `design` makes of rows: with an offset, terms that learn, and bare texts.

    Parameters
    ----------
    scorer : estimator
        Unfitted; it is not changed.
    design : Design
        Of a formula or of a table.

    Returns
    -------
    estimator
        `scorer` itself, if the rows ask for none of these.

    Raises
    ------
    InvalidInputError
        If the formula has an offset and the scorer cannot hold a coefficient at 1.
    """
    coding = design.coding
    if design.bare_texts:
        from sklearn.pipeline import Pipeline

        if not any(hasattr(scorer, name) for name in ("decision_function", "predict_proba", "fit")):
            return partial(_score_texts, scorer)
        return Pipeline([("texts", TextsOfColumn()), ("scorer", scorer)])
    if coding is None:
        return scorer
    if coding.offsets:
        from sklearn.base import clone

        if "offset" not in getattr(scorer, "get_params", dict)():
            raise InvalidInputError(
                f"the formula {coding.formula!r} has an offset, whose coefficient is 1 and is not estimated. Only "
                "method='logistic' can do this. Use it, or leave out offset() so that the column gets a coefficient."
            )
        scorer = clone(scorer).set_params(offset=coding.offsets)
    if coding.learned_terms:
        # half a second of imports, and most fits have no formula
        from sklearn.pipeline import Pipeline

        scorer = Pipeline([("terms", FormulaTerms(coding)), ("scorer", scorer)])
    return scorer
