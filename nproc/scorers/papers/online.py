"""The stochastic Neyman-Pearson classifier, linear or with random features of a Gaussian kernel."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import KW_ONLY, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from nproc.checks import check_choice, check_count, check_flag, check_level, check_number, check_seed
from nproc.errors import InvalidInputError
from nproc.rows import Table, check_same_rows
from nproc.scorers.base import (
    STEPS_APART,
    Coefficients,
    ErrorShares,
    scale_advice,
    warn_plain_python,
    with_parameters,
)
from nproc.scorers.papers.chunk_learner import ChunkLearner, warn_of_sorted_rows
from nproc.scorers.papers.left_out import BY_FOLDS, scores_left_out
from nproc.scorers.papers.penalty_path import best_cut, choose_penalty, scores_of, set_aside
from nproc.scorers.scaling import register_scaled
from nproc.solvers import solve_stochastic_np, solve_stochastic_np_together
from nproc.solvers.sampling import RowSampler, draw_fourier_features
from nproc.solvers.stochastic.run import StochasticProblem, StochasticRun, mean_square_norm
from nproc.solvers.stochastic.solve import history_row
from nproc.solvers.stochastic.steps import repeats_an_entry

# measured: 540 on dense rows of 57 columns, 390 on sparse rows of 78 nonzeros
PLAIN_PYTHON_SLOWDOWN = 500
DEFAULT_ETA = {"sigmoid": 2.0, "ramp": 1.0}
# lam="auto" without a choice is this times the mean square norm of the rows over their number: where the labels matter,
# and where only the order of the scores does, as within npc
LABELS_FACTOR, ORDER_FACTOR = 0.3, 1.0
# of which a stream has at least so many, whatever the size of its first chunk
STREAM_ROWS = 10_000


def in_rows(X):
    """Return `X` with its rows contiguous in memory and one number an entry: itself, where it is so already."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X)
    # the order of the entries of a row does not matter, and to sort them would take a copy of all
    if not X.has_canonical_format and repeats_an_entry(X.indices, X.indptr, np.full(X.shape[1], -1)):
        # squares of the parts of an entry are not the square of their sum
        X = X.astype(np.float64)
        X.sum_duplicates()
    return X


def spread(X):
    """Return the variance of all entries of `X`, in the memory of a block of rows; 1 if they are all equal."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(X.mean())
        if sparse.issparse(X):
            variance = float(np.dot(X.data, X.data)) / np.prod(X.shape, dtype=float) - np.square(mean)
        else:
            blocks = (X[start : start + 1024] for start in range(0, X.shape[0], 1024))
            variance = sum(float(np.sum((block - mean) ** 2)) for block in blocks) / X.size
    # squares that underflow leave nothing to divide by either
    if variance <= np.finfo(np.float64).tiny:
        return 1.0
    if not np.isfinite(variance):
        raise InvalidInputError("X holds numbers whose squares overflow; bring the columns to one scale first.")
    return float(variance)


def is_auto(value):
    """Tell whether a parameter is the text 'auto'."""
    return isinstance(value, str) and value == "auto"


def penalised_by_rows(problem, X, features, n, factor=LABELS_FACTOR):
    """Return the problem with lam = factor r^2 / n where it has none, for rows whose mean square norm is r^2."""
    if problem.lam is not None:
        return problem
    # random features have a mean square norm of 1
    lam = factor * (mean_square_norm(X) if features is None else 1.0) / n
    # not 0, for which there is no error message: that for numbers too small tells the user to scale the columns up. And
    # not so large that the first step, of length gamma0, would reverse the weights
    lam = max(lam, 1e-300)
    return replace(problem, lam=lam if problem.gamma0 == "auto" else min(lam, 0.5 / problem.gamma0))


def draw_features(row_map, X, rng):
    """Return the random features that the rows are mapped to, or None where they stay as they are."""
    if row_map["kernel"] == "linear":
        return None
    gamma = 1.0 / (X.shape[1] * spread(X)) if row_map["gamma"] == "scale" else row_map["gamma"]
    return draw_fourier_features(X.shape[1], gamma=gamma, n_components=row_map["n_components"], rng=rng)


def epoch_line(epoch, row):
    """Return what is told of an epoch."""
    kind = "all rows" if row["full_data"] else "rows drawn"
    return (
        f"epoch {epoch}: objective {row['objective']:.4g}, type I {row['type1']:.4f}, type II {row['type2']:.4f} "
        f"({kind}), multiplier {row['multiplier']:.4g}"
    )


@with_parameters
class OnlineNPClassifier(Coefficients, ChunkLearner):
    r"""A linear Neyman-Pearson classifier trained by stochastic steps of one row each, for data beyond memory.

    Looks for a saddle point, in (w, b) and in the multiplier :math:`\lambda`, of

    .. math:: \tfrac{\lambda_c}{2} \|w\|^2 + \frac{1}{n_1} \sum_{y_i = 1} \ell(f(x_i))
              + \lambda \Bigl( \frac{1}{n_0} \sum_{y_i = 0} \ell(-f(x_i)) - \alpha \Bigr), \quad f(x) = w^\top x + b,

    where the loss :math:`\ell` is a smooth stand-in for the 0-1 loss. A step costs the nonzeros of a row, so that
    data of any size can be learnt, in memory or by `partial_fit`.

    Parameters
    ----------
    alpha : float
        Bound on the training type I error, P(predict 1 | class 0), in (0, 1). It is kept in the mean loss of
        class 0; the error itself ends near it, mostly a little below (``history_``).
    lam : float or 'auto'
        The paper's lambda_c = 1/C, above 0: the weight of the penalty. 'auto': `fit` chooses it, and the constant of
        the score with it, on a quarter of the rows, which do not train; see Notes. With few rows, in `partial_fit` and
        with random features it is 0.3 r^2 / n, and r^2 / n within `npc`, where r^2 is the mean square norm of the rows,
        or 1 with random features. n is the number of rows of `fit`. In `partial_fit` it is that of the first chunk, but
        at least 10,000, and the factor is always 0.3.
    loss : {'sigmoid', 'ramp'}
        'sigmoid' is 1 / (1 + exp(eta z)) of the margin z; 'ramp' is 1 below -eta, 0 above eta, straight in between.
        Rows on the flat parts of the ramp teach nothing, so the sigmoid is the safer of the two.
    eta : float, optional
        Parameter of the loss, above 0. None: 2 for the sigmoid and 1 for the ramp, which have the same slope at 0.
    gamma0 : float or 'auto'
        First learning rate; the rate of step t is gamma0 / (1 + lam t). 'auto': the paper's 0.1 for rows of norm
        about 1, applied to X / r with r^2 the mean square norm of the rows, and lam / r^2 in place of lam.
    tau : float
        The multiplier's rate is tau / n0, at most that of the weights, and at most 1/2.
    balanced : bool
        Draw each class with probability 1/2, and correct the weights; otherwise draw all rows alike.
    average : bool or int
        Return the mean of the iterates after this many epochs (or calls of `partial_fit`); True: of the second half
        of the epochs (all calls but the first). False: the last iterate, as in the paper.
    update : {'multiplicative', 'additive'}
        lambda <- lambda (1 + nu g), equation (12), or lambda <- max(0, lambda + nu g), as in the slides.
    kernel : {'linear', 'rbf'}
        'rbf' replaces the rows by random features of exp(-gamma ||x - x'||^2), which goes beyond the paper: its
        section 3.3 leaves kernels aside, since exact expansions do not stay sparse.
    gamma : float or 'scale'
        Of the rbf kernel, above 0; 'scale' is 1 / (p var(X)), of the first chunk under `partial_fit`.
    n_components : int
        Number of random features.
    max_iter : int
        Number of epochs, each of n steps (the paper: 100 for medium and 50 for large data).
    tol : float or None
        The certificate of a converged fit, below which there is no warning. None: no certificate; this spares a pass
        over all rows at the end, and no verdict is given.
    n0_total : int, optional
        For `partial_fit`: rows of class 0 in all chunks together, for the multiplier's rate. None: those seen so far.
    class0 : label, optional
        The class whose error is bounded; None: the first label in sorted order.
    random_state : int, Generator, RandomState or None
        Seed of the draws.
    verbose : int
        Above 0: a line on standard error every `verbose` epochs. Where `fit` chooses lam on a quarter of the rows,
        these are the lines of the model that it keeps, and they come after the training of all.

    Attributes
    ----------
    coef_ : ndarray, shape (1, p) or (1, n_components)
        Weights of the columns, or of the random features; larger score = more like ``classes_[1]``, as
        `decision_function`.
    intercept_ : ndarray, shape (1,)
        Constant term of that score.
    lam_ : float
        The lam of the training.
    shift_ : float
        By how much the score was lowered after the training, with lam='auto'; 0 otherwise. multiplier_, history_ and
        certificate_ are about the score before.
    multiplier_ : float
        lambda.
    history_ : DataFrame
        objective, type1, type2 and multiplier of each epoch, as means over its draws, each before its step; where
        ``full_data`` is 1, as in the last row of a fit with a tol, those of the model on all rows, with 0-1 errors.
    n_iter_ : int
        Epochs, or calls of `partial_fit`, since the last `fit`.
    t_ : int
        Steps.
    certificate_ : float or None
        After `fit`: the larger of the norm of the gradient of the Lagrangian on all rows, relative to the norms of
        its parts, and what the constraint lacks of holding, or of being tight, relative to alpha + 1/n0.
    converged_ : bool
        After `fit`: whether the certificate is at most tol and the model is better than a constant score, or all
        epochs were run where tol is None.
    random_features_ : FourierFeatures or None
        The map of the rows, for kernel='rbf'.
    classes_ : ndarray, shape (2,)
        The labels, sorted.
    class0_ : label
        The class whose error is bounded.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    OnlineNPClassifierCV : The same with its settings chosen by validation.
    nproc.solvers.solve_stochastic_np : The solver.

    Notes
    -----
    With lam='auto', if a quarter of the rows hold 10 / alpha rows of class 0 and 10 of class 1, six values of lam, from
    1e-4 to 10 times the mean square norm of the rows over n, are trained at once on the other rows. Each is judged by
    the least J (see `np_score`) that is to be expected on new rows at any cut, by the scores of the rows set aside (at
    most 10,000 of a class). The best one is the model, and its score is lowered by its best cut. This guarantees
    nothing: on test rows the mean type I error over 100 divisions was at most alpha in all six settings, but it was
    above alpha in some of the divisions (``benchmarks/online_defaults.py``). A lam that is given is trained on all
    rows, and the score is not lowered.

    With fewer rows, or with random features, lam='auto' trains on all rows, with lam = 0.3 r^2 / n. Up to 5,000 rows,
    four more models are each trained without a quarter of the rows. The score is lowered by the cut that is best for
    the scores that they give to the rows left out. Over 24 settings of text, standardised columns and normal classes
    with 300 to 2000 rows, the mean J on test rows was .42. It was .44 with r^2 / n, .43 with 0.1 r^2 / n, and 1.17
    without the cut.

    Within `npc`, which sets its own threshold, only the order of the scores matters. There lam = r^2 / n, and no model
    is trained for a cut. In the same settings the mean type II error was .516. It was .522 with 0.3 r^2 / n and .519
    with 3 r^2 / n (standard errors of these differences .0024 and .0029; ``benchmarks/online_few_rows.py``).

    Columns should be on one scale: the method name 'onpsvm' sees to that. The constraint is on the training rows and on
    a stand-in for the error; it is no promise about new rows. For that, use the method name 'onpsvm' in `npc`. The
    problem is not convex: another seed may end in another saddle point. Memory beyond the data is a few vectors of p
    numbers, one byte a row for the labels, and at most 2/3 of a byte for the list of a rare class; the choice of lam
    takes about 20 bytes a row more, and `partial_fit` 2 bytes a row of the chunk. So it is for an array of 64-bit
    floats stored by rows, and for a CSR matrix of them without repeated entries, in any order; with the linear kernel
    also for 32-bit floats, with which the steps are made in 64 bits. Anything else is copied once into an array or a
    matrix of 64-bit floats.

    References
    ----------
    Algorithm 4 and "Imbalanced dataset" of [gasso2011]_, with weights (2, 2 lambda); additive update:
    [gasso2011slides]_; random features: Algorithm 1 of [rahimi2007]_.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.papers.online import OnlineNPClassifier
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 500)
    >>> X = rng.normal(size=(1000, 2)) + 2.0 * y[:, None]
    >>> model = OnlineNPClassifier(alpha=0.1, max_iter=30, random_state=1).fit(X, y)
    >>> bool((model.predict(X[y == 0]) == 1).mean() <= 0.1), bool((model.predict(X[y == 1]) == 0).mean() < 0.25)
    (True, True)
    """

    alpha: float = 0.05
    _: KW_ONLY
    lam: str | float = "auto"
    loss: str = "sigmoid"
    eta: float | None = None
    gamma0: str | float = "auto"
    tau: float = 10.0
    balanced: bool = True
    average: bool | int = True
    update: str = "multiplicative"
    kernel: str = "linear"
    gamma: str | float = "scale"
    n_components: int = 500
    max_iter: int = 100
    tol: float | None = 0.2
    n0_total: int | None = None
    class0: object = None
    random_state: object = None
    verbose: int = 0

    _accepts_sparse = True
    # for the warning of a fit that has not converged, where another class makes it
    _others = None

    def fit(self, X: Table, y: ArrayLike) -> Self:
        """Train for `max_iter` epochs on the rows of `X`, from w = 0, b = 0 and lambda = 1; return self."""
        problem, row_map = self._problem(), self._row_map()
        self._n0_total()
        max_iter = check_count(self.max_iter, "max_iter")
        tol = None if self.tol is None else check_number(self.tol, "tol")
        average = self._average()
        write = self._progress(epoch_line)
        warn_plain_python(type(self).__name__, PLAIN_PYTHON_SLOWDOWN)
        X, codes = self._read_two_classes(X, y, np.uint8)
        X = in_rows(X)
        if self._made_by is None:
            self._check_alpha(int(codes.size - np.count_nonzero(codes)))
        rng = np.random.default_rng(check_seed(self.random_state))
        features = draw_features(row_map, X, rng)
        parts = set_aside(codes, problem.alpha, rng) if problem.lam is None and features is None else None
        training, aside = (None, None) if parts is None else parts
        shared, result = {"average": average, "max_iter": max_iter, "tol": tol, "rng": rng}, None
        if parts is not None:
            result = choose_penalty(X, codes, problem, *parts, **shared)
        if result is None:
            factor = LABELS_FACTOR if self._labels_matter() else ORDER_FACTOR
            problem = penalised_by_rows(problem, X, features, codes.size, factor)
            result = solve_stochastic_np(
                X, codes, **vars(problem), **shared, features=features, rows=training, callback=write
            )
        elif write is not None:
            for epoch in range(result.n_iter):
                write(epoch + 1, {name: values[epoch] for name, values in result.history.items()})
        # only now: weights and features that do not belong together would be worse than an old model
        self._rng, self.random_features_, self._run, self._row_map_trained = rng, features, result.run, row_map
        self._n1 = int(np.count_nonzero(codes))
        self._n0 = codes.size - self._n1
        self._keep_history(result.history)
        self.shift_ = 0.0
        scores, labels = None, codes
        if aside is not None:
            scores, labels = scores_of(X, aside, result.coef[np.newaxis], result.intercept)[:, 0], codes[aside]
        elif is_auto(self.lam) and self._labels_matter():
            scores = self._scores_by_folds(X, codes, problem, features, average, max_iter)
        if scores is not None:
            self.shift_ = float(best_cut(scores[labels == 0], scores[labels == 1], problem.alpha)[0])
        self._show(result.n_iter)
        self.converged_ = result.converged
        self.certificate_ = None if result.certificate is None else float(result.certificate)
        averaging = " average=True," if average is False else ""
        others = self._others or f"{averaging} another tau, lam or gamma0"
        # a model without power does not converge at any tol
        advice = f"{others}, or a larger tol" if result.only_tol else f" or{others}"
        self._warn_not_converged(result, f"Use more epochs (max_iter),{advice}.", X)
        if tol is not None and self.converged_ and self._labels_matter():
            new = []
            if scores is not None:
                how = BY_FOLDS if aside is None else "This was counted on rows set aside, which chose lam and the cut."
                new = [ErrorShares.of_scores(scores - self.shift_, labels, how)]
            advice = "Use another lam, tau, loss or seed, or a larger alpha."
            more = "Use another seed, lam or tau, or more class 0 rows."
            scale = scale_advice(X, by_descent=True)
            if not self._tell_of_use(advice, more, self._training_errors(X, codes), *new, scale=scale):
                self._tell_of_scale(X, STEPS_APART)
                # of rows set aside there are always enough
                if scores is not None and aside is None:
                    above = scores[labels == 0] > self.shift_
                    self._tell_of_luck(above.size, int(np.sum(above)), problem.alpha)
        return self

    def _scores_by_folds(self, X, codes, problem, features, average, max_iter):
        """Return the score of each row by a model trained without its fold; None if there are too many rows."""
        rows = X if features is None else features.transform(X)
        # what partial_fit will draw stays as it is
        rng = deepcopy(self._rng)

        def scores_without(training, left_out):
            result = solve_stochastic_np_together(
                rows, codes, [problem], average=average, rows=training, max_iter=max_iter, rng=rng
            )
            scores = scores_of(rows, left_out, result.coef, result.intercept)[:, 0]
            return scores if result.finite[0] else np.full(left_out.size, np.nan)

        return scores_left_out(scores_without, codes, rng)

    def partial_fit(self, X: Table, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Train further, by one epoch on a chunk: as many steps as it has rows, drawn at random; return self.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n, p)
            A chunk: rows in random order of the whole, best with several of each class. A chunk of one class only is
            drawn from plainly, with the weights (10) for the counts so far.
        y : array-like, shape (n,)
            Their labels.
        classes : array-like of two labels, optional
            Needed in the first call; may be left out later.

        Returns
        -------
        self : OnlineNPClassifier
            ``certificate_`` and ``converged_`` are not set: they need all rows at once. After a few calls both errors
            may still be far from where they end, the type I error far below alpha with hardly a row called class 1;
            ``history_`` has both for each call.

        Raises
        ------
        InvalidInputError
            If the weights overflow: the attributes stay those of the calls before, but training cannot go on. If
            class0, or a parameter of the problem, of its steps or of the kernel, is not what it was at the start, or
            average is turned off after averaging began.
        """
        first = not hasattr(self, "_run")
        problem, row_map, average = self._problem(), self._row_map(), self._average()
        n0_total = self._n0_total()
        write = self._progress(epoch_line)
        check_same_rows(X=X, y=y)
        X, y = self._validated(X, y, reset=first)
        if not first:
            self._refuse_other_classes(classes)
        elif classes is None:
            raise InvalidInputError(
                "classes must be given in the first call of partial_fit: the two labels that y can have."
            )
        else:
            self._read_classes(classes)
        codes = self._chunk_codes(y)
        X = in_rows(X)
        if first:
            warn_plain_python(type(self).__name__, PLAIN_PYTHON_SLOWDOWN)
            rng = np.random.default_rng(check_seed(self.random_state))
            features = draw_features(row_map, X, rng)
            problem = penalised_by_rows(problem, X, features, max(codes.size, STREAM_ROWS))
            run, n0, n1, n_iter = StochasticRun(problem, features=features), 0, 0, 0
        else:
            if problem.lam is None:
                problem = replace(problem, lam=self._run.problem.lam)
            self._refuse_changes(problem, row_map, average)
            rng, run, n0, n1, n_iter = self._rng, self._run, self._n0, self._n1, self.n_iter_
        sampler = RowSampler(codes, rng)
        warn_of_sorted_rows((n0, n1), (sampler.n0, sampler.n1))
        n0, n1 = n0 + sampler.n0, n1 + sampler.n1
        if average is not False and n_iter >= (1 if average is True else average) and run.average_from < 0:
            run.average_from = float(run.n_steps)
        total0 = n0 if n0_total is None else n0_total
        total1 = n1 if n0_total is None else max(1, round(n0_total * n1 / max(n0, 1)))
        tally = run.learn(X, codes, sampler, n0=total0, n1=total1)
        if first:
            # only now: where the first rows are refused nothing has been learnt, and the next call is the first
            self._rng, self.random_features_, self._run, self._row_map_trained = rng, features, run, row_map
            self._history, self.shift_ = [], 0.0
        self._n0, self._n1 = n0, n1
        self._history.append(history_row(run, tally))
        self._forget_certificate()
        self._show(n_iter + 1)
        if write is not None:
            write(self.n_iter_, self._history[-1])
        if first:
            self._tell_of_first_scale(X)
        return self

    def _refuse_changes(self, problem, row_map, average):
        # the run would not follow, and the parameters would tell of another model than this one
        now, began = {**vars(problem), **row_map}, {**vars(self._run.problem), **self._row_map_trained}
        for fields in (now, began):
            fields["update"] = "additive" if fields.pop("additive") else "multiplicative"
        now["class0"], began["class0"] = self._class0_now_and_before()
        told = ", ".join(
            f"{name} from {began[name]!r} to {now[name]!r}"
            for name in now
            if name in began and now[name] != began[name]
        )
        if told:
            raise InvalidInputError(
                f"partial_fit must be called with the settings of the first call; there is a change of {told}. Set it "
                "back, or train a new model."
            )
        if average is False and self._run.average_from >= 0:
            raise InvalidInputError(
                "the earlier chunks were trained with averaging, so their iterates are in the mean. Set it back, "
                "or train a new model with average=False."
            )

    def _show(self, n_iter):
        # the model as attributes
        self._keep_coefficients(self._run.intercept - self.shift_, weights=self._run.coef)
        self.lam_ = self._run.problem.lam
        self.multiplier_ = self._run.multiplier
        self.t_ = self._run.n_steps
        self.n_iter_ = n_iter

    def _rows_seen(self):
        return self._n0, self._n1

    def _score(self, X):
        if self.random_features_ is None:
            if X.dtype != np.float64:
                # in blocks: a product with the weights makes a copy in their type
                return scores_of(X, np.arange(X.shape[0]), self._weights[np.newaxis], self._constant)[:, 0]
            return np.asarray(X @ self._weights) + self._constant
        return self.random_features_.project(X, self._weights) + self._constant

    def _number_types(self):
        # the steps are in float64 on rows of either type; the map of an rbf kernel is not
        return [np.float64, np.float32] if self.kernel == "linear" else [np.float64]

    def _problem(self):
        loss = check_choice(self.loss, "loss", tuple(DEFAULT_ETA))
        return StochasticProblem(
            alpha=check_level(self.alpha, "alpha"),
            lam=None if is_auto(self.lam) else check_number(self.lam, "lam", otherwise="'auto'"),
            loss=loss,
            eta=DEFAULT_ETA[loss] if self.eta is None else check_number(self.eta, "eta"),
            gamma0="auto" if is_auto(self.gamma0) else check_number(self.gamma0, "gamma0", otherwise="'auto'"),
            tau=check_number(self.tau, "tau"),
            balanced=check_flag(self.balanced, "balanced"),
            additive=check_choice(self.update, "update", ("multiplicative", "additive")) == "additive",
        )

    def _n0_total(self):
        return None if self.n0_total is None else check_count(self.n0_total, "n0_total")

    def _average(self):
        if isinstance(self.average, bool | np.bool_):
            return bool(self.average)
        return check_count(self.average, "average", minimum=0)

    def _row_map(self):
        # the parameters that decide what the rows are mapped to
        if check_choice(self.kernel, "kernel", ("linear", "rbf")) == "linear":
            return {"kernel": "linear"}
        scaled = isinstance(self.gamma, str) and self.gamma == "scale"
        return {
            "kernel": "rbf",
            "gamma": "scale" if scaled else check_number(self.gamma, "gamma", otherwise="'scale'"),
            "n_components": check_count(self.n_components, "n_components"),
        }


onpsvm = register_scaled("onpsvm", OnlineNPClassifier, omit=("n0_total",), sparse=True, follows_alpha=True)
