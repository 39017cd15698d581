"""The same scorers at other levels: a fit whose thresholds are set anew, without training."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nproc.checks import check_level
from nproc.errors import InvalidInputError
from nproc.orderstat import order_or_error
from nproc.scorers import scorer_names, scorer_spec
from nproc.splitting import stream
from nproc.thresholds import threshold_at

WAY_OUT = "The left-out rows are those of this fit; npc with a smaller split_ratio leaves out more, and trains again."
RATIO_KEPT = (
    "The adaptive split ratio was chosen once, for the levels of the first fit: that may cost type II error, and takes "
    "nothing from the bound."
)


class HasOtherLevels:
    """The method of a fitted classifier that sets its thresholds for other levels; it reads the fields of `NPFit`."""

    def with_levels(self, *, alpha=None, delta=None):
        """Return this classifier at other levels: the same scorers and left-out scores, other ranks, no training.

        Parameters
        ----------
        alpha : float, optional
            Bound on the type I error, in (0, 1); None keeps that of the fit.
        delta : float, optional
            Chance, in (0, 1), with which it may be broken; None keeps that of the fit.

        Returns
        -------
        NPFit
            Of the class of this fit.

        Raises
        ------
        TooFewSamplesError
            If the left-out class 0 rows cannot meet the levels.
        InvalidInputError
            If a level is not in (0, 1), or the fit comes from a band on which alpha was chosen, or whose bounds hold at
            all alpha at once: `NPROCBand.classifier` knows that, and trains nothing either.

        See Also
        --------
        nproc.nproc : the bounds at every alpha; with ``band="simultaneous"`` alpha may be chosen on them.

        Notes
        -----
        Neither the splits nor the scorers depend on the levels, so that the result is that of `npc` called with these
        levels and the same seed, to the last bit. Two exceptions, of which the summary tells. A method that trains for
        a level ("npsvm") has trained for that of the first fit, and `npc` would train again. An adaptive split ratio
        stays as it was chosen; the result is that of `npc` with ``split_ratio=fit.ratio_choice``. The bound holds in
        both, since Proposition 1 takes any score and any ratio that have not seen the left-out rows.

        The promise is for a level fixed beforehand. Of several levels each has its own: with probability at least
        1 - delta at that level, not for all of them at once. K levels fixed beforehand hold together with probability
        at least 1 - K delta (union bound), and so does the one of them that is picked by looking at the classifiers. A
        level found on the scores has no promise; for that take a simultaneous band.

        Where all scores near a new threshold are tied, `npc` would warn that nothing is called class 1; this does not.

        References
        ----------
        Proposition 1 of [tong2018]_, which is applied to each level by itself.

        Examples
        --------
        >>> from nproc import npc
        >>> from nproc.simulate import simulation1
        >>> sample = simulation1(1000, random_state=1)
        >>> fit = npc(sample.X, sample.y, alpha=0.05, random_state=1)
        >>> stricter = fit.with_levels(alpha=0.02)
        >>> anew = npc(sample.X, sample.y, alpha=0.02, random_state=1)
        >>> bool(stricter.thresholds == anew.thresholds), bool(stricter.orders == anew.orders)
        (True, True)
        """
        alpha = self.alpha if alpha is None else check_level(alpha, "alpha")
        delta = self.delta if delta is None else check_level(delta, "delta")
        if self.alpha_chosen or self.simultaneous:
            raise InvalidInputError(
                "this classifier comes from a band "
                + ("on which alpha was chosen" if self.alpha_chosen else "whose bounds hold at all alpha at once")
                + "; take band.classifier(alpha), which trains nothing either."
            )
        caveats = dict.fromkeys([*self.caveats, *self._kept(alpha, delta)])
        return replace(self, alpha=alpha, delta=delta, rules=self._rules_at(alpha, delta), caveats=tuple(caveats))

    def _kept(self, alpha, delta):
        """What the levels would change in a new call of `npc`, and do not change here."""
        kept = []
        if self.ratio_choice is not None and (alpha, delta) != (self.alpha, self.delta):
            kept.append(RATIO_KEPT)
        if alpha != self.alpha and self.method in scorer_names() and scorer_spec(self.method).follows_alpha:
            kept.append(
                f"The method {self.method!r} can train for a level, and npc called at this alpha may train it anew; "
                "the scorers here are those of the first fit, for which the bound holds as well."
            )
        return kept

    def _rules_at(self, alpha, delta):
        if any(scores0.size != self.n0_left_out for scores0 in self.scores0):
            raise InvalidInputError(
                "this fit does not keep all of its left-out class 0 scores, so that there is no other rank to take; "
                "call npc again at the new level."
            )
        order = order_or_error(self.n0_left_out, alpha, delta, way_out="" if self.prefit else WAY_OUT)
        seeds = [int(seed.generate_state(1)[0]) for seed in self._tie_seeds()]
        return tuple(
            threshold_at(scores0, order, alpha, delta, self.ties, seed)
            for scores0, seed in zip(self.scores0, seeds, strict=True)
        )

    def _tie_seeds(self):
        """The seed of the uniform numbers of ties in each split, as it was when the classifier was made."""
        root = np.random.SeedSequence(self.seed)
        return [stream(own, "ties") for own in ([root] if self.prefit else root.spawn(self.n_splits))]
