r"""How the stochastic Neyman-Pearson classifier learns: all rows at once, or chunk by chunk.

References
----------
.. [gasso2011] Gasso, G., Pappaioannou, A., Spivak, M. and Bottou, L. (2011). Batch and online learning algorithms for
   nonconvex Neyman-Pearson classification. ACM Transactions on Intelligent Systems and Technology 2(3), 28.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy import sparse

from nproc.checks import check_choice, check_count, check_flag, check_level, check_number, check_seed
from nproc.errors import InvalidInputError
from nproc.labels import distinct_labels
from nproc.matching_rows import check_same_rows
from nproc.scorers.binary import validate_numbers
from nproc.scorers.coefficients import Coefficients
from nproc.scorers.np_scorer import NPScorer, history_frame, warn_plain_python
from nproc.scorers.row_order import warn_of_sorted_rows
from nproc.solvers.random_features import draw_fourier_features
from nproc.solvers.sampling import RowSampler
from nproc.solvers.stochastic import history_row, solve_stochastic_np
from nproc.solvers.stochastic_run import StochasticRun
from nproc.solvers.stochastic_setting import StochasticProblem

# measured: 205 on dense rows of 57 columns, 110 on sparse rows of 78 nonzeros
PLAIN_PYTHON_SLOWDOWN = 200
DEFAULT_ETA = {"sigmoid": 2.0, "ramp": 1.0}


class StochasticScorer(Coefficients, NPScorer):
    """A Neyman-Pearson classifier trained by Algorithm 4 of [gasso2011]_; a child has the parameters."""

    _accepts_sparse = True
    # for the warning of a fit that has not converged, where another class makes it
    _advice = None

    def fit(self, X, y):
        """Return self after `max_iter` epochs on the rows of `X`, from w = 0, b = 0 and lambda = 1."""
        problem, row_map = self._problem(), self._row_map()
        self._n0_total()
        max_iter = check_count(self.max_iter, "max_iter")
        tol = None if self.tol is None else check_number(self.tol, "tol")
        average = self._average()
        verbose = check_count(self.verbose, "verbose", minimum=0)
        warn_plain_python(type(self).__name__, PLAIN_PYTHON_SLOWDOWN)
        X, codes = self._read_two_classes(X, y, np.uint8)
        X = in_rows(X)
        self._check_alpha(int(codes.size - np.count_nonzero(codes)))
        rng = np.random.default_rng(check_seed(self.random_state))
        features = self._draw_features(X, rng)
        result = solve_stochastic_np(
            X,
            codes,
            **vars(problem),
            average=average,
            features=features,
            tol=tol,
            stop_early=check_flag(self.stop_early, "stop_early"),
            max_iter=max_iter,
            rng=rng,
            callback=progress_line(verbose) if verbose else None,
        )
        # only now: weights and features that do not belong together would be worse than an old model
        self._rng, self.random_features_, self._run, self._row_map_trained = rng, features, result.run, row_map
        self._n1 = int(np.count_nonzero(codes))
        self._n0 = codes.size - self._n1
        self._history = [
            dict(zip(result.history, row, strict=True)) for row in zip(*result.history.values(), strict=True)
        ]
        self._show(result.n_iter)
        self.converged_, self.certificate_ = result.converged, result.certificate
        self._warn_not_converged(result, self._advice or advice(averaged=average is not False))
        return self

    def partial_fit(self, X, y, classes=None):
        """Return self after one epoch on the rows of a chunk: as many steps as it has rows, drawn from it at random.

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
            ``certificate_`` and ``converged_`` are not set: they need all rows at once.

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
        verbose = check_count(self.verbose, "verbose", minimum=0)
        check_same_rows(X=X, y=y)
        X, y = validate_numbers(self, X, y, reset=first, dtype=np.float64, accept_sparse=self._sparse_format)
        codes = self._chunk_codes(y, classes, first)
        X = in_rows(X)
        if first:
            warn_plain_python(type(self).__name__, PLAIN_PYTHON_SLOWDOWN)
            rng = np.random.default_rng(check_seed(self.random_state))
            features = self._draw_features(X, rng)
            run, n0, n1, n_iter = StochasticRun(problem, features=features), 0, 0, 0
        else:
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
            self._history = []
        self._n0, self._n1 = n0, n1
        self._history.append(history_row(run, tally))
        for name in ("certificate_", "converged_"):
            vars(self).pop(name, None)
        self._show(n_iter + 1)
        if verbose:
            progress_line(verbose)(self.n_iter_, self._history[-1])
        return self

    def _refuse_changes(self, problem, row_map, average):
        # the run would not follow, and the parameters would tell of another model than this one
        labels = self.classes_.tolist()
        now = {**as_parameters(problem), **row_map, "class0": labels[int(self._class0_is_second())]}
        began = {
            **as_parameters(self._run.problem),
            **self._row_map_trained,
            "class0": labels[int(self.class0_ != self.classes_[0])],
        }
        changed = [name for name in now if name in began and now[name] != began[name]]
        if changed:
            told = ", ".join(f"{name} from {began[name]!r} to {now[name]!r}" for name in changed)
            raise InvalidInputError(
                f"partial_fit goes on with what training began with, but there is a change of {told}. Set it back, or "
                "train a new model."
            )
        if average is False and self._run.average_from >= 0:
            raise InvalidInputError(
                "average was not False when the chunks before were learnt, and their iterates are in the mean. Set it "
                "back, or train a new model with average=False."
            )

    def __sklearn_is_fitted__(self):
        # a refused first chunk leaves the labels and the number of columns, but no weights
        return hasattr(self, "_run")

    @property
    def history_(self):
        """Return a DataFrame of objective, type1, type2, multiplier and full_data, one row an epoch."""
        if not hasattr(self, "_history"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet, so it has no history_.")
        return history_frame({name: [row[name] for row in self._history] for name in self._history[0]})

    def _show(self, n_iter):
        # the model as attributes
        self._keep_coefficients(self._run.intercept, weights=self._run.coef)
        self.multiplier_ = self._run.multiplier
        self.t_ = self._run.n_steps
        self.n_iter_ = n_iter

    def _score(self, X):
        if self.random_features_ is None:
            return np.asarray(X @ self._weights) + self._constant
        return self.random_features_.project(X, self._weights) + self._constant

    def _chunk_codes(self, y, classes, first):
        # 0 for the class whose error is bounded and 1 for the other, as one byte a row
        if first:
            if classes is None:
                raise InvalidInputError(
                    "classes must be given in the first call of partial_fit: the two labels that y can have."
                )
            self.classes_, _ = distinct_labels(classes, "classes")
            if self.classes_.size != 2:
                raise InvalidInputError(f"classes must hold 2 labels, got {self.classes_.tolist()}.")
            self._set_class0()
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise InvalidInputError(
                f"classes must be the labels {self.classes_.tolist()} of the first call, "
                f"got {np.unique(classes).tolist()}."
            )
        codes = y == self.classes_[int(self.class0_ == self.classes_[0])]
        known = y == self.class0_
        known |= codes
        if not known.all():
            raise InvalidInputError(
                f"y must hold only the labels {self.classes_.tolist()} given as classes, got {y[~known][0]!r}."
            )
        return codes.view(np.uint8)

    def _problem(self):
        loss = check_choice(self.loss, "loss", tuple(DEFAULT_ETA))
        gamma0 = self.gamma0
        if not (isinstance(gamma0, str) and gamma0 == "auto"):
            gamma0 = check_number(gamma0, "gamma0", otherwise="'auto'")
        return StochasticProblem(
            alpha=check_level(self.alpha, "alpha"),
            lam=check_number(self.lam, "lam"),
            loss=loss,
            eta=DEFAULT_ETA[loss] if self.eta is None else check_number(self.eta, "eta"),
            gamma0=gamma0,
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

    def _draw_features(self, X, rng):
        row_map = self._row_map()
        if row_map["kernel"] == "linear":
            return None
        gamma = 1.0 / (X.shape[1] * spread(X)) if row_map["gamma"] == "scale" else row_map["gamma"]
        return draw_fourier_features(X.shape[1], gamma=gamma, n_components=row_map["n_components"], rng=rng)


def advice(*, averaged):
    """Return what helps a fit that has not converged."""
    average = "" if averaged else " average=True,"
    return f"Use more epochs (max_iter),{average} another tau, lam or gamma0, or a larger tol."


def as_parameters(problem):
    """Return the fields of a `StochasticProblem` under the names and values that the user gave them by."""
    fields = dict(vars(problem))
    fields["update"] = "additive" if fields.pop("additive") else "multiplicative"
    return fields


def in_rows(X):
    """Return `X` with its rows contiguous in memory and one number an entry: itself, where it is so already."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X)
    if not X.has_canonical_format:
        # squares of the parts of an entry are not the square of their sum
        X = X.copy()
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


def progress_line(every):
    """Return a callback that writes a line on standard error every so many epochs."""

    def write(epoch, row):
        if epoch % every == 0:
            kind = "all rows" if row["full_data"] else "rows drawn"
            sys.stderr.write(
                f"epoch {epoch}: objective {row['objective']:.4g}, type I {row['type1']:.4f}, type II "
                f"{row['type2']:.4f} ({kind}), multiplier {row['multiplier']:.4g}\n"
            )

    return write
