"""The support vector machine with one cost for each class, chosen for a level of the type I error."""

from __future__ import annotations

import itertools
import numbers
import threading
import warnings
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import KW_ONLY
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from nproc.checks import as_floats, check_choice, check_count, check_number, check_real, check_seed
from nproc.errors import InvalidInputError, NotConvergedWarning, warn_at_call
from nproc.model_choice import np_loss
from nproc.parallel import check_n_jobs, run_tasks
from nproc.rows import Table
from nproc.scorers.base import (
    DISTANCES_APART,
    FAR_APART,
    Coefficients,
    ErrorShares,
    NPScorer,
    scale_advice,
    two_rows_each,
    with_parameters,
)
from nproc.scorers.classical.penalised import stratified_folds
from nproc.scorers.papers.kernel_machine import check_size, most_moved, told_of_rounding, total_variance
from nproc.scorers.scaling import register_scaled
from nproc.solvers.kernels import check_digits, squared_norms
from nproc.tables import table_frame

# the costs tried by default, for each class; the papers have 10 from 1e-2 to 1e2
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
# the kernel scales tried by default, as multiples of 1 / (sum of the variances of the columns)
GAMMA_FACTORS = (0.25, 1.0, 4.0)
# most passes of LIBLINEAR by default; LIBSVM has no limit
LINEAR_MAX_ITER = 10_000
# the kernels for which the columns of dense rows are centred
CENTRED_KERNELS = ("rbf", "linear")
# far below every tolerance in use, and above what rounding leaves of a gradient
SMALLEST_TOL = 1e-12
# of the C code of both
LARGEST_INT = 2**31 - 1
COUNTED = "LIBSVM and LIBLINEAR count no further"


def grid_values(given, default, name):
    """Return the values of a grid as a list of floats, sorted and each once."""
    values = np.unique(as_floats(default if given is None else given, name, "be a list of finite numbers above 0"))
    good = values.size > 0 and np.isfinite(values).all() and (values > 0).all()
    if isinstance(given, numbers.Number) or not good:
        raise InvalidInputError(f"{name} must be a list of finite numbers above 0, got {given!r}.")
    return [float(value) for value in values]


def usual_scales(X):
    """Return the kernel scales tried by default, which are blind to shifts of the columns, centred or not."""
    scale = 1.0 / total_variance(X)
    return tuple(scale * factor for factor in GAMMA_FACTORS)


def shared_parameters(model, seed):
    """Return the parameters of scikit-learn's machine that all fits of an `AsymmetricCostSVC` share."""
    given = {}
    if model.tol is not None:
        given["tol"] = check_number(model.tol, "tol")
        if given["tol"] < SMALLEST_TOL:
            raise InvalidInputError(
                f"tol must be at least {SMALLEST_TOL:g}, below which rounding may keep the solver from ever stopping, "
                f"got {given['tol']:g}."
            )
    cache_size, limit = check_number(model.cache_size, "cache_size"), None
    if model.max_iter is not None:
        limit = check_count(model.max_iter, "max_iter", maximum=LARGEST_INT, reason=COUNTED)
    if model.kernel == "linear":
        # LIBLINEAR solves the hinge in the dual only
        own = {"loss": model.loss, "dual": True if model.loss == "hinge" else "auto", "random_state": seed >> 1}
        return own | {"max_iter": limit or LINEAR_MAX_ITER} | given
    own = {
        "kernel": model.kernel,
        "degree": check_count(model.degree, "degree", maximum=LARGEST_INT, reason=COUNTED),
        "coef0": check_real(model.coef0, "coef0"),
        "cache_size": cache_size,
    }
    return own | {"max_iter": limit or -1} | given


def judged_candidates(rates, costs, scales, alpha):
    """Return a dict of columns, one entry a candidate, from error rates of shape (len(scales), len(costs), 2)."""
    gammas, pairs = np.array(scales, dtype=float), np.array(costs)
    type1, type2 = rates[:, :, 0].ravel(), rates[:, :, 1].ravel()
    return {
        "C1": np.tile(pairs[:, 0], gammas.size),
        "C0": np.tile(pairs[:, 1], gammas.size),
        "gamma": np.repeat(gammas, len(pairs)),
        "sigma": np.repeat(np.sqrt(0.5 / gammas), len(pairs)),
        "type1": type1,
        "type2": type2,
        "J": np_loss(type1, type2, alpha),
    }


def best_candidate(candidates):
    """Return the index of the least J; of equals the lower type I error, the smaller C1 + C0, gamma and C1."""
    total = candidates["C1"] + candidates["C0"]
    # the last key counts first
    keys = (candidates["C1"], candidates["gamma"], total, candidates["type1"], candidates["J"])
    return int(np.lexsort(keys)[0])


def errors_of_fits(X, y, fold, judge, costs, gamma, fixed):
    """Return the errors of both classes in fold `judge`, shape (len(costs), 2), and how many fits did not converge."""
    train, test = fold != judge, fold == judge
    X_train, X_test, y_test = X[train], X[test], y[test]
    errors, stopped = np.empty((len(costs), 2)), 0
    for row, pair in enumerate(costs):
        machine, converged, _ = trained_machine(X_train, y[train], pair, gamma, fixed)
        called1 = machine.decision_function(X_test) > 0
        errors[row] = np.sum(called1 & (y_test == 0)), np.sum(~called1 & (y_test == 1))
        stopped += not converged
    return errors, stopped


def trained_machine(X, y, costs, gamma, fixed):
    """Return a machine trained with costs (C1, C0), whether it converged, and how far rounding moves its scores."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC, LinearSVC

    weight = {0: costs[1], 1: costs[0]}
    machine = (
        LinearSVC(class_weight=weight, **fixed) if gamma is None else SVC(class_weight=weight, gamma=gamma, **fixed)
    )
    rows, centre = centred_rows(X, fixed.get("kernel", "linear"))
    # counted below, and told once for all fits; filters are global to a process: another thread must not touch them
    in_main = threading.current_thread() is threading.main_thread()
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning) if in_main else nullcontext():
        try:
            machine.fit(rows, y)
        except ValueError as error:
            if "not finite" not in str(error):
                raise
            scale = "" if gamma is None else f" and gamma={gamma:.3g}"
            raise InvalidInputError(
                f"AsymmetricCostSVC has no finite coefficients with C1={costs[0]:g}, C0={costs[1]:g}{scale}. The "
                "kernel of the rows is too large, or varies too little beside its size, to compute with. Standardise "
                "the columns."
            ) from error
    limit = fixed["max_iter"]
    moved = 0.0 if centre is None else moved_back(machine, centre, rows, X)
    return machine, limit < 0 or bool(np.max(machine.n_iter_) < limit), moved


def centred_rows(X, kernel):
    """Return (rows, centre): `X` less the means of its columns, far from which products of rows lose their digits.

    A shift of the columns changes neither the rbf kernel nor, apart from the penalty on its constant, a linear machine.
    It would change other kernels and fill sparse rows: those come back as they are, with no centre.
    """
    if sparse.issparse(X) or kernel not in CENTRED_KERNELS:
        return X, None
    centre = X.mean(axis=0)
    return X - centre, centre


def moved_back(machine, centre, rows, X):
    """Make a machine trained on `rows`, `X` less `centre`, one for rows such as `X`; return how far scores move."""
    if hasattr(machine, "support_"):
        # LIBSVM adds up squared differences when it scores: no digits are lost
        machine.support_vectors_ = X[machine.support_]
        return 0.0
    decision = machine.decision_function(rows)
    machine.intercept_ = machine.intercept_ - machine.coef_ @ centre
    return most_moved(machine.decision_function(X), decision)


KERNELS = ("rbf", "linear", "poly", "sigmoid")
LOSSES = ("hinge", "squared_hinge")


@with_parameters
class AsymmetricCostSVC(Coefficients, NPScorer):
    r"""A support vector machine with the costs of both errors chosen for a type I error (AC-SVM, or 2C-SVM).

    Each triple of a cost :math:`C_0` of class 0 errors, a cost :math:`C_1` of class 1 errors and a kernel scale gives a
    machine :math:`\min \tfrac12 \|f\|^2 + C_0 \sum_{y_i = 0} \xi_i + C_1 \sum_{y_i = 1} \xi_i`. The triple with the
    least :math:`J = P_{nd} + \max(0, P_{fa} - \alpha) / \alpha` on rows that have not trained it wins, and trains again
    on all rows.

    The search is slow: it trains a machine for each triple and fold, 300 by default. From 800 to 3,200 rows, twice the
    rows took about three to four times as long.

    Parameters
    ----------
    alpha : float
        Level of the type I error :math:`P_{fa}`, in (0, 1).
    kernel : {'rbf', 'linear', 'poly', 'sigmoid'}
        'linear' is trained by LIBLINEAR (`sklearn.svm.LinearSVC`), the others by LIBSVM (`sklearn.svm.SVC`).
    C1s, C0s : array-like, optional
        Costs to try, :math:`C_+` and :math:`C_-` of the paper; by default 0.01, 0.1, 1, 10, 100.
    gammas : array-like, optional
        Kernel scales to try, gamma = 1 / (2 sigma^2) for the rbf kernel exp(-||x - z||^2 / (2 sigma^2)); by default
        1/4, 1 and 4 over the sum of the variances of the columns. Not used by a linear kernel.
    degree : int
        Degree of 'poly'.
    coef0 : float
        Constant of 'poly' and 'sigmoid'.
    loss : {'hinge', 'squared_hinge'}
        Loss of the linear kernel. The squared one needs fewer passes.
    n_folds : int
        Folds of the cross-validation that judges the triples: both errors are counted over all folds. Fewer if a class
        has fewer rows.
    tol : float, optional
        Tolerance of the solver; by default 1e-3 (LIBSVM) or 1e-4 (LIBLINEAR), as in scikit-learn. At
        least 1e-12, below which LIBSVM may never stop.
    max_iter : int, optional
        Most iterations of each fit; by default no limit (LIBSVM) or 10 000 (LIBLINEAR).
    cache_size : float
        Kernel cache of each fit in MB.
    class0 : label, optional
        The class whose error is bounded; by default the first in sorted order.
    n_jobs : int, optional
        Processes for the search; the result does not depend on it.
    random_state : int, Generator, RandomState or None
        Seed of the folds, and of LIBLINEAR.
    verbose : int
        1: a progress bar over the blocks of fits on the standard error, 2: a line for each.

    Attributes
    ----------
    best_params_ : dict
        C1, C0 and gamma (None for a linear kernel) of the winner.
    history_ : DataFrame
        C1, C0, gamma, sigma, type1, type2 and J of each triple tried.
    type1_, type2_, loss_ : float
        Both errors and J of the winner on the rows that judged it.
    estimator_ : sklearn.svm.SVC or LinearSVC
        The winner, trained on all rows with 0 for the bounded class and 1 for the other.
    coef_, intercept_ : ndarray, shape (1, p) and (1,)
        Of the score, larger = more like ``classes_[1]``, as `decision_function`; coef_ for a linear kernel only.
    support_, dual_coef_ : ndarray, shape (s,) and (1, s)
        Support vectors and their coefficients in that score, except with a linear kernel.
    n_not_converged_ : int
        How many fits, the last one included, stopped at max_iter.
    converged_, n_iter_ : bool, int
        Of the last fit.

    Raises
    ------
    InvalidInputError
        For a parameter out of its range, a class with one row only, or columns of numbers too large, too small or too
        far from 0 to compute with.

    Notes
    -----
    Ties in J are broken by the lower type I error, then the smaller C1 + C0, the smaller gamma and the smaller C1.
    The J of the winner is optimistic, since the same rows chose it, and the level is not guaranteed for new rows;
    under the umbrella algorithm (`npc`) it is. Sparse rows are taken.
    Cost: 300 fits by default (75 triples, 4 folds). On 1,000 rows of spambase it took 1,000 times as long as logistic
    regression and 150 times as long as `NPSVC`, which trains one machine for alpha; with kernel='linear' 100 fits took
    480 times as long as logistic regression. Where the grid itself is not the point, use `NPSVC`, or
    `OnlineNPClassifier` for a linear score. The papers' grid, ten values of each, makes 4000 fits:
    ``C1s=C0s=np.geomspace(1e-2, 1e2, 10)`` and ``gammas=0.5 / np.geomspace(1e-2, 1e2, 10) ** 2``.
    Columns should be on one scale: `get_scorer("acsvm")` sees to that.
    With the rbf and the linear kernel the columns of dense rows are centred first, so that columns far from 0 lose no
    digits and the constant of LIBLINEAR, which penalises it too, stays small. Coefficients are those of the rows as
    given. With a large cost LIBLINEAR often stops at max_iter; one warning tells how many fits did.

    References
    ----------
    [davenport2010]_; sections 5.4 (4 folds, or a validation set) and 5.5 (linear) of [gasso2011]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.acsvm import AsymmetricCostSVC
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> X = rng.normal(size=(100, 2)) + 3 * y[:, None]
    >>> model = AsymmetricCostSVC(alpha=0.1, C1s=[1], C0s=[1, 10], gammas=[0.5], random_state=0).fit(X, y)
    >>> print(len(model.history_), model.predict([[0.0, 0.0], [3.0, 3.0]]))
    2 [0 1]
    """

    alpha: float = 0.05
    _: KW_ONLY
    kernel: str = "rbf"
    C1s: Sequence | None = None
    C0s: Sequence | None = None
    gammas: Sequence | None = None
    degree: int = 3
    coef0: float = 0.0
    loss: str = "hinge"
    n_folds: int = 4
    tol: float | None = None
    max_iter: int | None = None
    cache_size: float = 200
    class0: object = None
    n_jobs: int | None = None
    random_state: object = None
    verbose: int = 0

    _accepts_sparse = True

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Choose the costs and the scale, and train on all rows with them; return self."""
        check_choice(self.kernel, "kernel", KERNELS)
        check_choice(self.loss, "loss", LOSSES)
        n_jobs, seed = check_n_jobs(self.n_jobs), check_seed(self.random_state)
        verbose = check_count(self.verbose, "verbose", minimum=0)
        X, y = self._read_two_classes(X, y)
        check_size(X)
        n_folds = check_count(self.n_folds, "n_folds", minimum=2)
        needs = "AsymmetricCostSVC needs at least 2 rows of each class, one to train and one to judge"
        sizes = two_rows_each(y, needs)
        n_folds = min(n_folds, int(sizes.min()))
        fold = stratified_folds(y, n_folds, np.random.default_rng(seed))
        alpha = self._check_alpha(int(sizes[0]))
        fixed = shared_parameters(self, seed)
        costs = list(itertools.product(grid_values(self.C1s, COSTS, "C1s"), grid_values(self.C0s, COSTS, "C0s")))
        scales: list = [None] if self.kernel == "linear" else grid_values(self.gammas, usual_scales(X), "gammas")
        if self.kernel == "rbf":
            rows, _ = centred_rows(X, "rbf")
            largest = float(scales[-1])
            check_digits(largest, largest * float(np.max(squared_norms(rows))))
        tasks = [(k, costs, gamma, fixed) for gamma in scales for k in range(n_folds)]
        told = {"n_jobs": n_jobs, "verbose": verbose, "label": "block of fits"}
        results = run_tasks(errors_of_fits, tasks, shared=(X, y, fold), **told)
        # errors of class 0 and 1 for each scale and pair of costs, summed over the folds
        counts = np.array([errors for errors, _ in results]).reshape(len(scales), n_folds, len(costs), 2).sum(axis=1)
        self._keep_best(judged_candidates(counts / sizes, costs, scales, alpha))
        best = self.best_params_
        chosen = best["C1"], best["C0"]
        self.estimator_, self.converged_, moved = trained_machine(X, y, chosen, best["gamma"], fixed)
        self._keep_coefficients_of(self.estimator_)
        self.n_not_converged_ = sum(stopped for _, stopped in results) + (not self.converged_)
        if self.n_not_converged_ > 0:
            advice = "loss='squared_hinge', " if fixed.get("loss") == "hinge" else ""
            n_fits = len(tasks) * len(costs) + 1
            warn_at_call(
                f"AsymmetricCostSVC: {self.n_not_converged_} of {n_fits} fits stopped at max_iter. "
                f"Use a larger max_iter or tol, {advice}or smaller costs.",
                NotConvergedWarning,
            )
        elif moved > 0.0:
            self.converged_ = False
            warn_at_call(f"AsymmetricCostSVC: {told_of_rounding(moved)}", NotConvergedWarning)
        elif self._labels_matter():
            how = "This was counted on rows that did not train, and chose the costs."
            judged = ErrorShares(self.type1_, self.type2_, int(sizes[0]), int(sizes[1]), how)
            advice = "Use other C1s, C0s or gammas, or a larger alpha."
            more = "Use other C1s and C0s, or more class 0 rows."
            if not self._tell_of_use(advice, more, self._training_errors(X, y), judged, scale=scale_advice(X)):
                self._tell_of_scale(X, DISTANCES_APART if self.kernel == "rbf" else FAR_APART)
        return self

    def _keep_best(self, candidates):
        best = best_candidate(candidates)
        names = ("C1", "C0") if self.kernel == "linear" else ("C1", "C0", "gamma")
        self.best_params_ = {"gamma": None} | {name: float(candidates[name][best]) for name in names}
        self.type1_, self.type2_, self.loss_ = (float(candidates[name][best]) for name in ("type1", "type2", "J"))
        self.history_ = table_frame(candidates)

    def _keep_coefficients_of(self, machine):
        self.n_iter_ = int(np.max(machine.n_iter_))
        vars(self).pop("support_", None)
        if self.kernel == "linear":
            own = {"weights": machine.coef_[0]}
        else:
            self.support_, dual = machine.support_, machine.dual_coef_
            own = {"dual_weights": (dual.toarray() if sparse.issparse(dual) else dual)[0]}
        self._keep_coefficients(machine.intercept_[0], **own)

    def _score(self, X):
        return self.estimator_.decision_function(X)


acsvm = register_scaled(
    "acsvm", AsymmetricCostSVC, omit=("verbose", "degree", "coef0", "cache_size"), sparse=True, follows_alpha=True
)
