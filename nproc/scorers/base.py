"""What the package's own estimators of two classes share."""

import math
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from scipy import sparse
from scipy.special import betainc, betaincc, expit, gammaln
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from nproc.checks import as_floats, check_count, check_level, is_label, refuse_text_columns, shown
from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning, PlainPythonWarning, warn_at_call
from nproc.rows import check_same_rows, plain_frame, refuse_missing, unmixed, warn_of_first_label
from nproc.solvers import jit
from nproc.tables import table_frame

LABELS_AT_A_TIME = 1 << 14
# in a training for scores alone, whose threshold is set elsewhere, the labels of the model do not matter
_RANKS_ONLY = ContextVar("nproc_ranks_only", default=False)
# what a share of rows is said to show holds with this probability, by an exact binomial bound
CONFIDENCE = 0.95
# a type I error shown to be above alpha is told from this multiple of alpha on: with many rows the least excess shows
WORTH_TELLING = 1.5
# the same of power among rows left out, since each of these has trained the models of others
CONFIDENCE_LEFT_OUT = 0.975
AS_LEFT_OUT = "This estimate scores each training row as if it had been left out."
# a power that is of no use whatever it is compared with: twice what benchmarks/useless_models.py counts as none
LITTLE_POWER = 0.02
TOO_LITTLE = "but too little for predict to be of use."
# with fewer class 0 rows for each number learnt, models of eight data sets had 2 to 18 times alpha on new rows
ROWS_EACH = 5
# from this share of alpha down, a training type I error is far below alpha
FAR_BELOW = 0.1
# columns are on one scale up to this ratio of the largest to the smallest standard deviation
ONE_SCALE = 10.0
# from this ratio on the scales are told if nothing else is: beyond it models in raw columns often had far less power
# than in standardised ones, below it rarely
FAR_APART = 1000.0
# the same for models that know rows by distances, and for rules that are trained by single steps: both lose more
# by such columns, from smaller ratios on
DISTANCES_APART = 100.0
STEPS_APART = 100.0
# a type I error above 2 alpha by the luck of few class 0 rows is told from this probability on
BY_LUCK = 0.1
# in standard deviations of a column
FAR_FROM_ZERO = 5.0
# the same of rows far out: with the logarithms of columns that have such rows, a linear rule for q-values found 61 to
# 68 % of class 1 of a real data set in place of 2 to 15 %
OUTLYING = 10.0
SCALE_ROWS = 10_000
# gigabytes of dense rows that are worth a thought
LARGE_GB = 0.5
# fitted attributes that are a DataFrame
FRAMES = {"history_", "cv_results_"}


Kind = TypeVar("Kind")


@dataclass_transform(eq_default=False)
def with_parameters(kind: type[Kind]) -> type[Kind]:
    """Make the annotated fields of an estimator the parameters of its constructor.

    Their defaults stand in the constructor alone: a child whose constructor forgets to set one has no such attribute.
    """
    made: Any = dataclass(eq=False, repr=False)(kind)
    for entry in fields(made):
        if entry.name in vars(made):
            delattr(made, entry.name)
    return made


def labels_to_validate(y):
    """Return labels as scikit-learn may check them: none missing, and no masks, fields or texts that were numbers."""
    if y is None or sparse.issparse(y):
        return y
    values = unmixed(y, "y")
    if values.ndim:
        refuse_missing(values, "y", y)
    # what has row labels or categories stays as it is
    return values if isinstance(y, list | tuple) else y


class RowClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose accuracy is that of rows which belong together."""

    def score(self, X, y, sample_weight=None):
        """Give the accuracy: the share of the rows of `X` that are called by their label in `y`.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix, shape (m, p)
            The rows.
        y : array-like, shape (m,)
            Their labels.
        sample_weight : array-like, shape (m,), optional
            Weights of the rows.

        Returns
        -------
        float

        Raises
        ------
        InvalidInputError
            If pandas objects among the three have other row labels, or the same ones in another order.
        """
        check_same_rows(X=X, y=y, sample_weight=sample_weight)
        return super().score(X, y, sample_weight)


class BinaryScorer(RowClassifier):
    """A classifier of two classes with a score, larger = more like ``classes_[1]``.

    A child sets ``_accepts_sparse``, calls `_read_training` in ``fit`` and defines ``_score(X)``; its score is above
    zero where it predicts ``classes_[1]``. Its parameters are the fields of a dataclass, so that each is declared once:
    scikit-learn reads them from the constructor that the dataclass makes. ``__eq__`` and ``__repr__`` stay
    scikit-learn's.
    """

    _accepts_sparse = False

    def decision_function(self, X):
        """Score the rows of `X`, shape (n,); larger = more like ``classes_[1]``."""
        return self._score(self._read_new(X))

    def predict(self, X):
        """Call each row of `X` by one of the labels, shape (n,): the score is cut at zero."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.int64)]

    def _validated(self, X, *y, reset):
        """Return what scikit-learn's ``validate_data`` does, which alone takes masks away and makes numbers of text."""
        types = self._number_types()
        # an array of another library's table has lost the names of its columns
        X = plain_frame(X)
        if hasattr(X, "iloc") and getattr(X, "ndim", 2) == 2:
            refuse_text_columns(X, "X")
        elif sparse.issparse(X):
            self._refuse_sparse(X)
        elif X is not None and not (type(X) is np.ndarray and X.dtype in types):
            X = as_floats(X, "X")
        known = {"reset": reset, "dtype": types, "accept_sparse": "csr" if self._accepts_sparse else False}
        return validate_data(self, X, *map(labels_to_validate, y), **known)

    def _number_types(self):
        """Return the types of numbers that rows may have; those of any other become the first."""
        return [np.float64]

    def _refuse_sparse(self, X):
        """Raise if `X` is sparse and this estimator, with its parameters, needs dense rows."""
        if self._accepts_sparse:
            return
        size = 8 * math.prod(X.shape) / 1e9
        # below it the other way costs nothing
        dense = "X.toarray() makes them" if size < LARGE_GB else f"X.toarray() would take {size:.3g} GB"
        raise InvalidInputError(
            f"X is sparse, and {type(self).__name__}{self._why_dense()} needs dense rows: {dense}. OnlineNPClassifier, "
            "SparseLogisticClassifier and NPSVC(kernel='linear') take sparse rows, as do the named methods 'onpsvm', "
            "'sparselogit' and 'npsvm'.",
            argument="X",
        )

    def _why_dense(self):
        return ""

    def _read_new(self, X):
        """Return checked new rows; raise before training."""
        check_is_fitted(self)
        return self._validated(X, reset=False)

    def _read_training(self, X, y):
        """Return checked `X` and the 0/1 codes of `y` as floats, and set ``classes_`` and ``n_features_in_``."""
        X, y = self._read_rows(X, y)
        return X, (y == self.classes_[1]).astype(np.float64)

    def _read_rows(self, X, y):
        """Return checked `X` and `y` as they are, and set ``classes_`` and ``n_features_in_``."""
        check_same_rows(X=X, y=y)
        X, y = self._validated(X, y, reset=True)
        self._set_classes(y)
        return X, y

    def _set_classes(self, y):
        """Set ``classes_`` by labels of two values."""
        # in parts: sorting all labels at once would take a copy of them, and the check of numbers with a point two more
        parts = [y[start : start + LABELS_AT_A_TIME] for start in range(0, y.shape[0], LABELS_AT_A_TIME)]
        if y.dtype.kind not in "biu":
            # whole numbers are classes; the check takes as long as an epoch of a fast solver
            for part in parts:
                check_classification_targets(part)
        try:
            self.classes_ = np.unique(np.concatenate([np.unique(part) for part in parts]))
        except TypeError as error:
            kinds = sorted({type(label).__name__ for label in y.tolist()})
            raise InvalidInputError(
                f"y mixes values of different types ({', '.join(kinds)}); give all labels the same type."
            ) from error
        if self.classes_.size > 2:
            raise InvalidInputError(
                f"Only binary classification is supported. The type of the target is {type_of_target(y)}."
            )
        if self.classes_.size < 2:
            raise InvalidInputError(
                f"y has one class only ({self.classes_[0]!r}); {type(self).__name__} needs 2 classes."
            )

    def __getstate__(self):
        # a frame as its columns: a saved model is then free of pandas, whose inside is not for other versions
        state = dict(super().__getstate__())
        for frame in FRAMES.intersection(state):
            state[frame] = {name: column.to_numpy() for name, column in state[frame].items()}
        return state

    def __setstate__(self, state):
        frames = {frame: table_frame(state[frame]) for frame in FRAMES.intersection(state)}
        super().__setstate__({**state, **frames})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self._accepts_sparse
        return tags


def two_rows_each(codes, needs, rest=""):
    """Return the numbers of rows of codes 0 and 1; raise where one is below 2: `needs` says who needs them for what."""
    sizes = np.bincount(codes.astype(np.int64), minlength=2)
    if sizes.min() < 2:
        raise InvalidInputError(f"{needs}, got {sizes.tolist()}{rest}.")
    return sizes


_told_of_numba = False


class LogOddsScorer(BinaryScorer):
    """A `BinaryScorer` whose score is the estimated log odds of ``classes_[1]``."""

    def predict_proba(self, X):
        """Estimate the probabilities of both classes, shape (n, 2), in the shares of the classes of the training."""
        log_odds = self.decision_function(X)
        return np.column_stack([expit(-log_odds), expit(log_odds)])


@contextmanager
def ranks_only():
    """Within it, models are trained for their scores, and none warns of labels of no use."""
    token = _RANKS_ONLY.set(True)
    try:
        yield
    finally:
        _RANKS_ONLY.reset(token)


class NPScorer(BinaryScorer):
    """A classifier of two labels that bounds the training error of class 0.

    A child has the parameters ``alpha`` and ``class0`` (None: the first label in sorted order, with a warning unless
    they are 0 and 1, -1 and 1, or False and True), calls
    `_read_two_classes` in ``fit`` and defines ``_score(X)``: above zero where a row is called class 1. ``classes_``
    stays sorted, and `decision_function` flips the sign of the score where ``class0`` is the second of them, as
    scikit-learn expects.
    """

    # the name of the estimator that a user fits, where that one makes this one: what warnings name
    _made_by = None

    def decision_function(self, X):
        """Score the rows of `X`, shape (n,); larger = more like ``classes_[1]``."""
        scores = super().decision_function(X)
        if self.class0_ == self.classes_[0]:
            return scores
        # a score of exactly 0 is called class 0, here classes_[1], whose scores lie above 0
        return np.where(scores == 0, np.nextafter(0.0, 1.0), -scores)

    def _read_two_classes(self, X, y, dtype=np.int64):
        """Return checked `X` and `y` as `dtype`, 0 for class 0 and 1 for the other; set ``class0_``."""
        X, y = self._read_rows(X, y)
        self._set_class0()
        # a view: one byte a row is all that many rows may take
        return X, (y != self.class0_).view(np.uint8).astype(dtype, copy=False)

    def _set_class0(self):
        """Set ``class0_`` by ``classes_`` and the parameter; warn if neither says which label is meant."""
        label = self.classes_[int(self._class0_is_second())]
        # a plain value of Python, which dates of numpy would not become unchanged
        self.class0_ = label.item() if isinstance(label, np.generic) and label.dtype.kind not in "mM" else label
        if self.class0 is None:
            warn_of_first_label(self.classes_)

    def _class0_is_second(self):
        if self.class0 is None:
            return False
        # a list would be compared place by place, or not at all
        found = np.flatnonzero(self.classes_ == self.class0) if is_label(self.class0) else np.zeros(0)
        if found.size != 1:
            raise InvalidInputError(
                f"class0 must be one of the labels {self.classes_.tolist()} of y, got {shown(self.class0)}."
            )
        return bool(found[0] == 1)

    def _check_alpha(self, n0, meaning="the constraint asks for no training error in class 0", rows="class 0 rows"):
        """Return alpha; warn if `n0` training rows of class 0 make the constraint one of no error at all."""
        alpha = check_level(self.alpha, "alpha")
        if not one_row(alpha, n0):
            warn_at_call(
                f"alpha={alpha:g} times {n0} class 0 training rows is less than one row: {meaning}. Use alpha of at "
                f"least {least_alpha(n0):g}, or more {rows}.",
                NPWarning,
            )
        return alpha

    def _keep_run(self, result, advice, X=None):
        """Set what a solver says of its run; warn if it has not converged, as `_warn_not_converged`."""
        self.history_ = table_frame(result.history)
        self.n_iter_, self.converged_ = int(result.n_iter), bool(result.converged)
        self.certificate_ = float(result.certificate)
        self._warn_not_converged(result, advice, X)

    def _progress(self, words):
        """Return a callback ``(number, ...)`` that writes `words` of it at every `verbose`-th number; None for 0."""
        every = check_count(self.verbose, "verbose", minimum=0)

        def write(number, *rest):
            if number % every == 0:
                sys.stderr.write(f"{type(self).__name__}, {words(number, *rest)}\n")

        return write if every else None

    def _labels_matter(self):
        """Whether it is of interest how the model calls its training rows."""
        return not _RANKS_ONLY.get()

    def _training_errors(self, X, codes):
        """Return the errors on the training rows, by the scores that `predict` uses."""
        return ErrorShares.of_scores(self._score(X), codes)

    def _tell_of_use(self, for_power, for_type1, *looked_at, scale=""):
        """Warn if the labels of the fitted model are of no use, or its type I error is above alpha.

        Every estimator whose alpha bounds a type I error calls this after a fit that has converged (one that has not
        says so already), unless `_labels_matter` is False. It looks at the `ErrorShares` on the training rows, and at
        those of rows that did not train (left out, or set aside for validation) where the estimator has them. What is
        told, and when, stands in `nproc.scorers.papers`. `for_power` and `for_type1` say what may help, and `scale`
        what to do first for either, as `scale_advice` says it. One warning says what is wrong with either error.
        Returns whether it has warned.
        """
        alpha = float(self.alpha)
        on_type1 = next(filter(None, (errors.finding_on_type1(alpha) for errors in looked_at)), "")
        on_power = next(filter(None, (errors.finding_on_power(alpha) for errors in looked_at)), "")
        if on_type1:
            # what raises the power raises this error as well, so that it is no advice here
            also = f"Besides, it {on_power} " if on_power else ""
            said = f"{on_type1} {also}{scale}{for_type1} Or use npc, which sets the threshold on rows left out."
        elif on_power:
            # at a small level that is what a right model may find
            advice = "A larger alpha finds more." if TOO_LITTLE in on_power else f"{scale}{for_power}"
            said = f"{on_power} {advice} To set a threshold on the scores of any model, use npc."
        else:
            return False
        warn_at_call(f"{type(self).__name__} {said}", NPWarning)
        return True

    def _tell_of_scale(self, X, far_apart=FAR_APART):
        """Warn if dense columns are so far apart in scale that a few of them decide alone."""
        ratio = scale_ratio(X)
        if ratio > far_apart:
            warn_at_call(
                f"{type(self).__name__} was trained on columns whose standard deviations differ by a factor of about "
                f"{rounded(ratio)}. The columns with the largest values then decide, whether they matter or not. "
                "Standardise the columns first, as by sklearn.preprocessing.StandardScaler.",
                NPWarning,
            )

    def _tell_of_luck(self, n0, n_above, alpha):
        """Warn if `n0` class 0 scores, `n_above` of them above, are too few to set a threshold.

        Each is the score of a training row by a model that was trained without it.
        """
        # the law of the type I error at this order statistic of scores of rows left out
        chance = float(betaincc(n_above + 1.0, n0 - n_above, min(2 * alpha, 1.0)))
        if alpha * n0 >= 1 and chance > BY_LUCK:
            warn_at_call(
                f"{type(self).__name__} sets its threshold on {n0} class 0 training rows, each scored by a model "
                f"trained without it. Of them {n_above} may exceed it. So few rows cannot keep the type I error near "
                f"alpha={alpha:g}. Even if the final model had not seen these rows, it would be above {2 * alpha:g} "
                f"with probability {chance:.2g}. Use more class 0 rows. npc says how many its guarantee needs.",
                NPWarning,
            )

    def _warn_of_few_rows(self, errors, learnt, what, one, if_low=""):
        """Warn if `learnt` numbers are many beside the class 0 rows; `one` says what there is one for.

        `errors` are those on the training rows, None where labels do not matter. Nothing is said of a model without
        power: `_tell_of_use` and `_warn_not_converged` speak of it. `if_low` says what may help where the type I error
        is far below alpha.
        """
        alpha = float(self.alpha)
        if errors is None or errors.n0 >= ROWS_EACH * learnt or errors.finding_on_power(alpha):
            return
        few = f"With fewer than {ROWS_EACH} rows for each {one}, the type I error on new rows"
        finding = f"{few} is as a rule far above alpha={alpha:g}."
        if errors.type1 <= FAR_BELOW * alpha:
            called = f"It calls {format_share(errors.type1)} of them class 1, far below alpha={alpha:g}."
            finding = f"{called} {if_low}{few} may still be above alpha."
        warn_at_call(
            f"{type(self).__name__} learns {what} from {errors.n0} class 0 rows. {finding} Use npc, which sets the "
            "threshold on rows left out, or more class 0 rows.",
            NPWarning,
        )

    def _warn_not_converged(self, result, advice, X=None):
        """Warn, with the solver's reason and some advice, if `result` has not converged.

        With the training rows `X` of a descent method, the advice begins with their `scale_advice`.
        """
        if not result.converged:
            name = self._made_by or type(self).__name__
            scale = "" if X is None else scale_advice(X, by_descent=True)
            message = f"{name} stopped after {result.n_iter} iterations: {result.reason} {scale}{advice}"
            warn_at_call(message, NotConvergedWarning)


def scale_advice(X, *, by_descent=False):
    """Return the advice to standardise the columns of dense rows, where their scales differ by much; "" elsewhere.

    A model trained `by_descent` steps also needs columns that do not lie far from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.base import scale_advice
    >>> X = np.array([[0.0, 0.0], [1.0, 500.0]])
    >>> scale_advice(X)
    'Standardise the columns first: their standard deviations differ by a factor of about 500. '
    >>> scale_advice(X / X.std(axis=0))
    ''
    """
    spread, centre = spread_and_centre(X)
    if spread.size == 0:
        return ""
    ratio = float(spread.max() / spread.min())
    if ratio > ONE_SCALE:
        apart = f"their standard deviations differ by a factor of about {rounded(ratio)}"
        return f"Standardise the columns first: {apart}. "
    if by_descent and np.max(centre / spread) > FAR_FROM_ZERO:
        return f"Standardise the columns first: some means are over {FAR_FROM_ZERO:g} standard deviations from 0. "
    return ""


def _varying(X):
    """Return the dense columns that vary on some rows at most."""
    some = X[:: -(-X.shape[0] // SCALE_ROWS) or 1]
    return some[:, np.ptp(some, axis=0) > 0]


def outlier_advice(X):
    """Return the advice to transform dense columns with rows far from their mean, as skewed ones have; "" elsewhere.

    Of a column with two values there is nothing to transform.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.base import outlier_advice
    >>> X = np.append(np.arange(400.0) % 5, 1000.0)[:, np.newaxis]
    >>> outlier_advice(X)
    'Some rows lie over 10 standard deviations from the mean of a column: transform columns with outliers or skew. '
    >>> outlier_advice(np.log1p(X)), outlier_advice(np.where(X > 5, 1.0, 0.0))
    ('', '')
    """
    some = _varying(X)
    low, high = some.min(axis=0), some.max(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = some.mean(axis=0)
        far = np.maximum(high - mean, mean - low) > OUTLYING * some.std(axis=0)
    if not np.any(far & np.any((some != low) & (some != high), axis=0)):
        return ""
    return (
        f"Some rows lie over {OUTLYING:g} standard deviations from the mean of a column: transform columns with "
        "outliers or skew. "
    )


def spread_and_centre(X):
    """Return the standard deviation and the absolute mean of each dense column that varies, on some rows at most."""
    if not sparse.issparse(X):
        some = _varying(X)
        with np.errstate(over="ignore", invalid="ignore"):
            spread, centre = some.std(axis=0), np.abs(some.mean(axis=0))
        if spread.size and 0 < spread.min() <= spread.max() < np.inf:
            return spread, centre
    return np.zeros(0), np.zeros(0)


def scale_ratio(X):
    """Return the ratio of the largest to the smallest standard deviation of dense columns, 1 where there is none."""
    spread, _ = spread_and_centre(X)
    return float(spread.max() / spread.min()) if spread.size else 1.0


def rounded(ratio):
    """Return a ratio to two digits, without an exponent."""
    return f"{float(f'{ratio:.2g}'):.15g}"


def shown_above(share, n, level, confidence=CONFIDENCE):
    """Return whether a `share` of `n` rows shows a probability above `level`: its exact lower bound is above it.

    Examples
    --------
    >>> from nproc.scorers.base import shown_above
    >>> shown_above(0.07, 100, 0.05), shown_above(0.07, 1000, 0.05)
    (False, True)
    """
    k = round(share * n, 6)
    # the chance of so many rows or more if the probability is the level itself
    return bool(k > 0 and betainc(k, n - k + 1.0, level) < 1 - confidence)


def shown_larger(share, n, other, n_other, confidence=CONFIDENCE):
    """Return whether a `share` of `n` rows is shown to be larger than the `other` of `n_other` by Fisher's exact test.

    Examples
    --------
    >>> from nproc.scorers.base import shown_larger
    >>> shown_larger(0.1, 100, 0.05, 100), shown_larger(0.1, 1000, 0.05, 1000)
    (False, True)
    """
    called, called_other = round(share * n), round(other * n_other)
    total = called + called_other
    # not by scipy.stats, which takes a second to import
    k = np.arange(called, min(n, total) + 1)
    logs = log_choose(n, k) + log_choose(n_other, total - k) - log_choose(n + n_other, total)
    return bool(np.exp(logs).sum() < 1 - confidence)


def log_choose(n, k):
    """Return the logarithm of the number of ways to choose `k` of `n`.

    Examples
    --------
    >>> import numpy as np
    >>> from nproc.scorers.base import log_choose
    >>> round(float(np.exp(log_choose(5, 2))), 9)
    10.0
    """
    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)


@dataclass(frozen=True)
class ErrorShares:
    """Both errors of a model on some rows, as shares of `n0` and `n1` rows.

    `how` says how errors of rows that did not train came about; it is empty for those of training rows. The scores of
    the classes are None where the errors alone are known. `of_fewer` says that the models were trained on far fewer
    rows than the one that is judged; their type I error may then be above alpha where that of the model is not.
    """

    type1: float
    type2: float
    n0: int
    n1: int
    how: str = ""
    scores0: np.ndarray | None = field(default=None, repr=False, compare=False)
    scores1: np.ndarray | None = field(default=None, repr=False, compare=False)
    of_fewer: bool = False

    @classmethod
    def of_scores(cls, scores, codes, how="", of_fewer=False):
        """Count the errors where rows of these `codes` are called class 1 if their scores are above 0."""
        scores0, scores1 = scores[codes == 0], scores[codes == 1]
        type1, type2 = float(np.mean(scores0 > 0)), float(np.mean(scores1 <= 0))
        return cls(type1, type2, scores0.size, scores1.size, how, scores0, scores1, of_fewer)

    def finding_on_power(self, alpha=None):
        """Return in words that the power is tiny, or not shown to be above `alpha` and the type I error of these rows.

        "" elsewhere, or if the rows are too few to show any power. With None, where no level sets the cut, the type I
        error alone counts.
        """
        power, level = 1.0 - self.type2, self.type1
        confidence = CONFIDENCE_LEFT_OUT if self.how else CONFIDENCE
        by_alpha = alpha is not None and self.type1 <= alpha
        if by_alpha:
            at_random, level = f"calling rows at random at the level alpha={alpha:g}", alpha
        else:
            at_random = f"calling rows at random as often as it calls those of class 0 ({100 * self.type1:.3g} %)"
        if by_alpha and not self.how:
            shown = shown_above(power, self.n1, alpha, confidence)
        else:
            # rows that were left out know the level of their cut no better than n0 rows can
            shown = shown_larger(power, self.n1, level, self.n0, confidence)
        if alpha is None:
            too_few = not shown_larger(1.0, self.n1, 0.0, self.n0, confidence)
        else:
            too_few = not shown_above(1.0, self.n1, level, confidence)
        above = power > level and (shown or too_few)
        if above and power > LITTLE_POWER:
            return ""
        if power <= level and by_alpha and shown_larger(power, self.n1, self.type1, self.n0, confidence):
            finding = (
                f"{at_random[0].upper()}{at_random[1:]} would find as many, so predict is of little use. Of class 0, "
                f"{format_share(self.type1)} are called class 1{self._lower_cut(alpha, confidence)}."
            )
        elif power <= level:
            finding = f"{at_random[0].upper()}{at_random[1:]} would do as well, so predict is of no use."
        elif above:
            finding = f"That is more than {at_random} would find, {TOO_LITTLE}"
        else:
            finding = f"That does not show more power than {at_random}, so predict may be of no use."
        return f"{self._calls(power, self.n1, 1)} {finding}{self._how()}"

    def _lower_cut(self, alpha, confidence):
        """Return in words what a cut at alpha of these rows finds; "" if it is not shown to find more than alpha."""
        if self.scores0 is None or self.scores1 is None:
            return ""
        # the share is a count: 0.1 * 30 is 3, whatever its last digits
        last = self.n0 - 1 - min(int(alpha * self.n0 * (1 + 1e-12)), self.n0 - 1)
        power = float(np.mean(self.scores1 > np.partition(self.scores0, last)[last]))
        if not shown_larger(power, self.n1, alpha, self.n0, confidence):
            return ""
        return (
            f": the cut lies too high. One that calls at most {format_share(alpha)} of these rows of class 0 would "
            f"call {format_share(power)} of class 1"
        )

    def finding_on_type1(self, alpha):
        """Return in words that the type I error is shown to be above `alpha`; "" where it is not."""
        if self.of_fewer or self.type1 <= WORTH_TELLING * alpha or not shown_above(self.type1, self.n0, alpha):
            return ""
        nothing = " Nothing is promised for new rows." if self.how else ""
        return f"{self._calls(self.type1, self.n0, 0, f', but you asked for alpha={alpha:g}')}{nothing}{self._how()}"

    def _calls(self, share, n, code, rest=""):
        if self.how:
            about = "about " if share else ""
            return f"would call {about}{format_share(share)} of new class {code} rows class 1{rest}."
        return f"calls {format_share(share)} of the {n} class {code} training rows class 1{rest}."

    def _how(self):
        return f" {self.how}" if self.how else ""


def format_share(share):
    """Return a share as per cent for a message: "none" for 0."""
    return "none" if share == 0 else f"{100 * share:.3g} %"


def one_row(alpha, n0):
    """Return whether a share `alpha` of `n0` rows is at least one row, whatever the last digits of 1 / n0."""
    return alpha * n0 >= 1 - 1e-12


def least_alpha(n0):
    """Return a short number that is a share of at least one of `n0` rows.

    Examples
    --------
    >>> from nproc.scorers.base import least_alpha
    >>> least_alpha(30), least_alpha(100), least_alpha(1)
    (0.034, 0.01, 1.0)
    """
    # rounded up: 0.033 would be less than one row of 30
    digits = 1 - math.floor(math.log10(1 / n0))
    return math.ceil(round(10**digits / n0, 9)) / 10**digits


def warn_plain_python(name, slowdown):
    """Warn, once in a session, that the solver of `name` runs as plain Python, `slowdown` times slower."""
    global _told_of_numba
    if _told_of_numba or jit.numba_installed():
        return
    _told_of_numba = True
    warn_at_call(
        f"numba is not installed: the solver of {name} runs as plain Python, about {slowdown} times slower. "
        "Install it with pip install 'nproc-py[fast]'.",
        PlainPythonWarning,
    )


class Coefficients:
    """What an `nproc.scorers.base.NPScorer` that adds up columns, or values of a kernel, shows of its score.

    A child calls `_keep_coefficients` in ``fit`` and scores by ``_weights`` or ``_dual_weights`` and ``_constant``, all
    towards class 1. The properties flip their sign where `decision_function` flips that of
    the score. Their arrays cannot be written to: a change of what may be a flipped copy would not reach the model.
    """

    @property
    def coef_(self):
        """The weights of the score, shape (1, p); larger score = more like ``classes_[1]``."""
        return self._signed(self._kept("_weights", "coef_", "columns"))

    @property
    def intercept_(self):
        """The constant of the score, shape (1,); larger score = more like ``classes_[1]``."""
        self._kept("_constant", "intercept_", "")
        return self._signed(self._constant_of_score())[0]

    @property
    def dual_coef_(self):
        """The coefficients of the kernel values, shape (1, s); larger score = more like ``classes_[1]``."""
        return self._signed(self._kept("_dual_weights", "dual_coef_", "kernel values of training rows"))

    def _keep_coefficients(self, constant, *, weights=None, dual_weights=None):
        # those of an earlier fit with another kernel go as well
        self._constant, self._weights, self._dual_weights = float(constant), weights, dual_weights

    def _score(self, X):
        return X @ self._weights + self._constant

    def _constant_of_score(self):
        return self._constant

    def _kept(self, private, name, terms):
        if not hasattr(self, "_constant"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet, so it has no {name}.")
        value = getattr(self, private)
        if value is None:
            raise AttributeError(
                f"this {type(self).__name__} has no {name}: its score is not kept as a weighted sum of {terms}."
            )
        return value

    def _signed(self, values):
        values = np.array(values, dtype=np.float64, copy=None, ndmin=1)
        # not -values, which makes -0.0 of the zeros of a sparse model
        signed = 0.0 - values if self.class0_ != self.classes_[0] else values.view()
        signed.flags.writeable = False
        return signed[np.newaxis, :]
