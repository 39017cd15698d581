"""Support vector machine."""

from __future__ import annotations

from nproc.scorers.registry import register
from nproc.scorers.scaling import on_one_scale


@register("svm", r_name="svm", sparse=True)
def svm(*, kernel="rbf", C=1.0, gamma="auto", degree=3, coef0=0.0, class_weight=None):
    """Return a support vector machine on standardised columns; the score is its decision value.

    R: method "svm" (e1071::svm) with the same defaults: radial kernel, cost 1, gamma = 1 / p, columns scaled.
    R ranks by a probability from Platt's scaling, which needs an inner cross-validation; the decision
    value gives the same order without it.

    Parameters
    ----------
    kernel : {'rbf', 'linear', 'poly', 'sigmoid'}
        Kernel; e1071 calls 'rbf' "radial" and 'poly' "polynomial".
    C : float
        Cost of a violated margin (e1071: cost).
    gamma : 'auto', 'scale' or float
        Kernel width; 'auto' is 1 / p, the default of e1071.
    degree : int
        Degree of the polynomial kernel.
    coef0 : float
        Constant in the polynomial and sigmoid kernels.
    class_weight : None, 'balanced' or dict
        Weights of class 0 and 1 in the cost (e1071: class.weights).

    Returns
    -------
    estimator : sklearn.pipeline.Pipeline
        ColumnScaler, then sklearn.svm.SVC.

    Examples
    --------
    >>> from nproc.scorers import get_scorer
    >>> get_scorer("svm", C=10).named_steps["svc"]
    SVC(C=10, gamma='auto')
    """
    from sklearn.svm import SVC

    machine = SVC(kernel=kernel, C=C, gamma=gamma, degree=degree, coef0=coef0, class_weight=class_weight)
    return on_one_scale("svc", machine)
