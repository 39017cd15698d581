"""What else can be said of a fitted classifier: a certificate, the whole trade-off, p-values, its scikit-learn twin."""

from __future__ import annotations

import numpy as np

from nproc.checks import check_level
from nproc.design import check_same_length
from nproc.errors import InvalidInputError
from nproc.fit_bounds.certification import bound_of_count
from nproc.fit_bounds.certified_bound import ALL_GROUPS
from nproc.fit_bounds.fitted_vote import HasVoteBound
from nproc.fit_bounds.other_levels import HasOtherLevels
from nproc.fit_bounds.pvalues import combine_votes, conditional_of_counts, count_below, p_of_counts
from nproc.fit_bounds.type1_curve import curve_of
from nproc.labels import encode_labels
from nproc.matching_rows import check_same_rows
from nproc.thresholds import Threshold, rounding_guard


class FitBounds(HasVoteBound, HasOtherLevels):
    """Methods of `NPFit` that follow from the ranks of left-out scores, or from fresh rows."""

    def certify(self, X0, y=None, *, delta=None, n_candidates=1, **options):
        """Return an upper bound on the type I error of this very classifier, from fresh class 0 rows.

        It holds for any number of splits and any way of choosing alpha, since it looks at predictions alone.

        Parameters
        ----------
        X0 : DataFrame, array-like or sparse matrix, n rows
            Class 0 rows that took no part in the fit, nor in choosing this classifier among others. A fit keeps no
            rows: it recognises its own only by scores that set the threshold, if these are not tied.
        y : array-like, shape (n,), optional
            Labels, where `X0` holds class 1 rows too: only class 0 counts.
        delta : float, optional
            Chance that the bound fails, in (0, 1); None takes that of the fit.
        n_candidates : int
            How many classifiers, all fixed beforehand, are certified on these rows, each of them once. Looking again
            as rows come in is not covered, see `nproc.certify`.
        **options
            Passed on to `predict`: ``random_state`` for ties called at random, ``groups`` for a fit with groups, of
            which the bound is that of all groups together, in the proportions of `X0`. For a bound in each give the
            rows of one group at a time, with `n_candidates` the number of groups.

        Returns
        -------
        CertifiedBound
            With `alpha` of the fit to compare with.

        Raises
        ------
        InvalidInputError
            If a label is missing or not one of the fit's, there is no class 0 row, or the rows do not match the fit.

        Warns
        -----
        NPWarning
            If many of the rows score exactly as rows that set the threshold, as rows of the fit do.

        See Also
        --------
        nproc.certify : the same for any classifier, with the proof.
        nproc.certification_size : how many rows it takes.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, n_splits=5, random_state=1)
        >>> fresh = simulation1(2000, random_state=2)
        >>> fit.certify(fresh.X, fresh.y).certified
        True
        """
        check_same_rows(X0=X0, y=y, groups=options.get("groups"))
        called1 = encode_labels(self.predict(X0, **options), self.labels)
        codes = np.zeros_like(called1) if y is None else encode_labels(y, self.labels)
        check_same_length(called1, codes)
        called1 = called1[codes == 0]
        if called1.size == 0:
            raise InvalidInputError(f"y has no label {self.class0!r}; certify needs rows of class 0.")
        self._warn_of_own_rows(X0, codes)
        return bound_of_count(
            int(called1.sum()),
            called1.size,
            delta=self.delta if delta is None else delta,
            alpha=self.alpha,
            n_candidates=n_candidates,
            class0=self.class0,
            method=self.method if self.n_splits == 1 else f"{self.method}, {self.n_splits} splits",
            note=ALL_GROUPS if hasattr(self, "group_values") else "",
        )

    def type1_upper_curve(self, deltas=None):
        """Return the bound on the type I error against the chance delta that it fails, for the rank in use.

        Parameters
        ----------
        deltas : array-like of float, optional
            Chances in (0, 1); None takes 199 that show both tails.

        Returns
        -------
        Type1Curve
            With at, delta_at, summary, to_frame and plot. With several splits it is the curve of each split, all of
            which have the same rank; for the vote there is no such law, only `certify`.

        Raises
        ------
        InvalidInputError
            If a chance is not in (0, 1).

        Notes
        -----
        P(type I error <= bound) is at least 1 - delta for each delta, with equality for continuous scores. As the curve
        depends on rank and number of scores alone, delta may be chosen from it, see `Type1Curve`.

        References
        ----------
        Proposition 1 and equation 3 of [tong2018]_.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> curve = npc(sample.X, sample.y, random_state=1).type1_upper_curve()
        >>> round(curve.mean, 4), round(curve.at(0.05), 4), round(curve.at(0.001), 4)
        (0.0276, 0.0463, 0.0697)
        """
        self._need_ranks("type1_upper_curve")
        fixed = self.n_splits == 1 and not self.alpha_chosen and not self.simultaneous
        return curve_of(self.rules[0], deltas, alpha=self.alpha, n_splits=self.n_splits, guaranteed=fixed)

    def p_values(self, X):
        r"""Return a p-value for each row, of the hypothesis that it is of class 0.

        For one split it is the share of left-out class 0 scores, with the row's own, that are as large as the row's.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.

        Returns
        -------
        ndarray of float, shape (m,)
            From 1 / (n0_left_out + 1) to 1. For one split `predict` says class 1 exactly where it is at most
            (n0_left_out + 1 - order) / (n0_left_out + 1); with ``ties="randomize"``, but for exact ties. Not so where
            the threshold is of a normal model, ``small_sample="normal"``, and no rank.

        Raises
        ------
        InvalidInputError
            If the columns are not those of the fit, or a value is not finite.

        See Also
        --------
        conditional_p_values : valid given the left-out rows.
        nproc.p_values : from scores, with the proof.

        Notes
        -----
        P(p <= t) <= t for a new row of class 0, over the draw of the left-out rows and the new one; it does not matter
        whether alpha was chosen. For M splits, each gives such a p-value, and theirs are dependent in an unknown way.
        With r the smallest majority, the r-th smallest of them times M / r is a p-value under any dependence
        [ruger1978]_ (2 M / (M + 1) times the median for odd M): {p_(r) <= c} is the vote at the cut c, and by
        Markov's inequality its probability is at most M c / r. An average of p-values is none.

        References
        ----------
        [vovk2005]_, [ruger1978]_

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> npc(sample.X, sample.y, random_state=1).p_values([[0.0], [2.0], [4.0]]).round(3)
        array([0.421, 0.039, 0.004])
        """
        self._need_ranks("p_values")
        scores = self._scores(X)
        columns = [p_of_counts(self._below(j, scores[:, j]), self.scores0[j].size) for j in range(self.n_splits)]
        return combine_votes(np.column_stack(columns))

    def conditional_p_values(self, X, *, delta=None):
        """Return p-values that hold for the left-out rows at hand, but for a chance of delta; for one split.

        Parameters
        ----------
        X : DataFrame, array-like or sparse matrix, shape (m, p)
            New rows, with the columns of the fit.
        delta : float, optional
            Chance, over the left-out rows, that they are not valid, in (0, 1); None takes that of the fit.

        Returns
        -------
        ndarray of float, shape (m,)
            Larger than those of `p_values`, for any delta of at most 0.5.

        Raises
        ------
        InvalidInputError
            If there are several splits, or the rows are not as those of the fit.

        See Also
        --------
        nproc.conditional_p_values : from scores, with the proof.

        References
        ----------
        [bates2023]_
        """
        self._need_ranks("conditional_p_values")
        if self.n_splits > 1:
            raise InvalidInputError(
                f"conditional p-values are of one split, and this fit has {self.n_splits}; fit with n_splits=1, or use "
                "p_values."
            )
        delta = check_level(self.delta if delta is None else delta, "delta")
        return conditional_of_counts(self._below(0, self._scores(X)[:, 0]), self.scores0[0].size, delta)

    def to_sklearn(self):
        """Return a scikit-learn ``FixedThresholdClassifier`` that predicts the same labels; for one split.

        Returns
        -------
        sklearn.model_selection.FixedThresholdClassifier
            Fitted, so that it serves at once in a pipeline, under ``FrozenEstimator`` and wherever else
            ``check_is_fitted`` is asked. Its estimator is the trained scorer, frozen: ``fit`` takes rows and labels and
            changes no prediction, as it must not, since the threshold belongs to this scorer. ``clone`` gives a copy
            with the same scorer and threshold that counts as unfitted until its own ``fit``. Where scikit-learn would
            read labels or columns otherwise (labels other than 0 and 1, frames, formulas, plain functions), a small
            estimator of this package stands in between. A fit with clusters drops their column from new rows; its twin
            expects rows without it.

        Raises
        ------
        InvalidInputError
            If there are several splits, whose vote is no single threshold, or tied scores are called at random.

        Notes
        -----
        scikit-learn calls class 1 where ``score >= threshold`` and this package where ``score > threshold`` by more
        than rounding error: the threshold is moved up to the next score that is called class 1. What is promised of
        the fit holds for its twin, as long as its threshold is left as it is.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, "lda", random_state=1)
        >>> twin = fit.to_sklearn()
        >>> type(twin).__name__, bool((twin.predict(sample.X) == fit.predict(sample.X)).all())
        ('FixedThresholdClassifier', True)
        """
        from nproc.fit_bounds.fixed_threshold import fixed_threshold_classifier

        self._need_ranks("to_sklearn")
        if self.n_splits > 1:
            raise InvalidInputError(
                f"the vote of {self.n_splits} splits has no single threshold; fit with n_splits=1, or use "
                "NPClassifier, which is a scikit-learn estimator for any number of splits."
            )
        if self.ties == "randomize":
            raise InvalidInputError(
                "ties='randomize' calls tied scores at random, which no fixed threshold does; fit with "
                "ties='conservative', or use NPClassifier."
            )
        threshold = float(self.thresholds[0])
        guard = float(rounding_guard(self.scores0[0], threshold))
        return fixed_threshold_classifier(self.scorers[0], self.design, self.labels, self.prefit, threshold, guard)

    def notes(self):
        """Return what holds for this fit and what does not, as a list of sentences."""
        from nproc.reports import fit_notes

        return fit_notes(self)

    def _need_ranks(self, what):
        if not isinstance(self.rules[0], Threshold):
            raise InvalidInputError(
                f"{what} is for thresholds at an order statistic of one sample of class 0 scores, and this fit has "
                "others, by group or from a model of the scores. certify takes any classifier."
            )

    def _below(self, split, scores):
        """Left-out class 0 scores of a split that lie below each score, as its thresholds would judge."""
        sorted0 = np.sort(self.scores0[split])
        return count_below(sorted0, scores, rounding_guard(self.scores0[split], sorted0))
