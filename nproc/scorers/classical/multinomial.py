"""Models of all classes at once, by name: those of the registered methods that know more than two."""

import numpy as np

from nproc.errors import InvalidInputError
from nproc.scorers.registry import get_scorer, scorer_names

# registered methods whose models take any number of classes and estimate probabilities
SEVERAL_CLASSES = ("lda", "qda", "randomforest", "tree", "ada", "gradientboosting")


def multinomial_model(name, **params):
    """Build an unfitted model of several classes by name, for methods that need probabilities of all of them.

    Parameters
    ----------
    name : str
        "logistic", multinomial logistic regression without a penalty, or one of the registered methods in
        `SEVERAL_CLASSES`.
    **params
        Arguments of the method; "logistic" takes those of scikit-learn's LogisticRegression.

    Returns
    -------
    object

    Raises
    ------
    InvalidInputError
        If the name is unknown, or its method is for two classes only.

    Examples
    --------
    >>> multinomial_model("lda")
    LinearDiscriminantAnalysis()
    """
    if name == "logistic":
        return _logistic(params)
    if name in SEVERAL_CLASSES:
        return get_scorer(name, **params)
    why = "is for two classes" if name in scorer_names() else "is unknown"
    raise InvalidInputError(
        f"method {name!r} {why}; use one of 'logistic', {', '.join(map(repr, SEVERAL_CLASSES))}, or a scikit-learn "
        "classifier with predict_proba."
    )


def _logistic(params):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    known = LogisticRegression().get_params()
    unknown = sorted(set(params) - set(known))
    if unknown:
        raise InvalidInputError(
            f"method 'logistic' has no parameter {unknown[0]!r} for several classes. Its parameters are: "
            f"{', '.join(known)}."
        )
    return make_pipeline(StandardScaler(), LogisticRegression(**{"C": np.inf, "max_iter": 10_000, **params}))
