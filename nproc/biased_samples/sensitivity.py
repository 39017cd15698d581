"""How the threshold moves with the noise that is assumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nproc.biased_samples.noisy import NoisyThreshold, check_noises, noisy_threshold_at, warn_of_sign
from nproc.checks import as_floats, check_delta, check_level, check_scores, level_text, tells_names
from nproc.errors import InvalidInputError
from nproc.score_direction import warn_labels
from nproc.tables import DataFrame, InNotebook, Summary, short, summary_table, table_frame


@dataclass(frozen=True, repr=False, eq=False)
class NoiseSensitivity(InNotebook):
    """Thresholds against the noise that is assumed; made by `noise_sensitivity`.

    Attributes
    ----------
    thresholds : tuple of NoisyThreshold
        One for each assumed noise, in the order given.
    alpha, delta : float
        For each alone: type I error at most `alpha` with probability at least 1 - `delta`, if its noise is right.
    """

    thresholds: tuple[NoisyThreshold, ...]
    alpha: float
    delta: float

    def __repr__(self):
        values = np.array([one.value for one in self.thresholds])
        noise0 = np.array([one.noise0[0] for one in self.thresholds])
        return (
            f"NoiseSensitivity({values.size} noises, noise0={short(noise0)}, thresholds={short(values)}, "
            f"alpha={short(self.alpha)}, delta={short(self.delta)})"
        )

    def to_frame(self) -> DataFrame:
        """Return a DataFrame with a row a noise: the noise, the threshold, and who is called class 1.

        Its columns are noise0, noise1, threshold, order, called1_of_labelled0 and called1_of_labelled1 (shares of
        the rows at hand), type1_estimate and type2_estimate (for rows with right labels, if this noise is right).
        """
        return table_frame(
            {
                "noise0": [one.noise0[0] for one in self.thresholds],
                "noise1": [one.noise1[0] for one in self.thresholds],
                "threshold": [one.value for one in self.thresholds],
                "order": [one.order for one in self.thresholds],
                "called1_of_labelled0": [one.n_above0 / one.n0 for one in self.thresholds],
                "called1_of_labelled1": [one.n_above1 / one.n1 for one in self.thresholds],
                "type1_estimate": [one.type1_estimate for one in self.thresholds],
                "type2_estimate": [one.type2_estimate for one in self.thresholds],
            }
        )

    def summary(self) -> Summary:
        """Return a table with a row a noise, as a summary of statsmodels."""
        first = self.thresholds[0]
        pairs = [
            ("Rows labelled 0", first.n0),
            ("Rows labelled 1", first.n1),
            ("alpha", level_text(self.alpha)),
            ("delta", f"{self.delta:g}"),
        ]
        columns = ["noise0", "noise1", "Threshold", "Called 1 of labelled 0", "Called 1 of labelled 1"]
        shown = ["noise0", "noise1", "threshold", "called1_of_labelled0", "called1_of_labelled1"]
        rows = list(self.to_frame()[shown].itertuples(index=False, name=None))
        notes = [
            "A threshold has its guarantee only if you fixed the shares of wrong labels before you saw this table, "
            "and if they are right. If class 1 has the higher scores, shares below the true ones are safe too. If you "
            "choose the shares from this table, nothing is guaranteed.",
        ]
        return summary_table("Thresholds against the assumed noise", pairs, columns, rows, notes)

    def plot(self, *, ax: Any = None, figsize: tuple[float, float] | None = None) -> Any:
        """Draw the threshold against the noise in rows labelled 0, and below it who is called class 1.

        Parameters
        ----------
        ax : sequence of two Axes, optional
            Where to draw; None makes a figure.
        figsize : (float, float), optional
            Width and height of a new figure, in inches.

        Returns
        -------
        ndarray of two Axes
        """
        from nproc.plotting import plot_noise_sensitivity

        frame = self.to_frame().sort_values("noise0", kind="stable")
        return plot_noise_sensitivity(
            frame["noise0"].to_numpy(),
            frame["threshold"].to_numpy(),
            frame["called1_of_labelled0"].to_numpy(),
            frame["called1_of_labelled1"].to_numpy(),
            ax=ax,
            figsize=figsize,
        )


@tells_names
def noise_sensitivity(
    scores0: ArrayLike,
    scores1: ArrayLike,
    *,
    noise0: ArrayLike = (0.0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2),
    noise1: ArrayLike = 0.0,
    alpha: float = 0.05,
    delta: float = 0.05,
) -> NoiseSensitivity:
    """Show how the threshold of `np_threshold_noisy` and what it calls class 1 depend on the assumed noise.

    Parameters
    ----------
    scores0, scores1 : array-like of float, shapes (n0,) and (n1,)
        Scores of rows labelled 0 and labelled 1, as in `np_threshold_noisy`.
    noise0 : array-like of float, shape (k,)
        Shares of class 1 among rows labelled 0 to assume.
    noise1 : float or array-like of float, shape (k,)
        Share of class 0 among rows labelled 1: one for all, or one for each.
    alpha, delta : float
        As in `np_threshold_noisy`.

    Returns
    -------
    NoiseSensitivity

    Raises
    ------
    TooFewSamplesError
        If there are too few scores for one of the noises.
    InvalidInputError
        As `np_threshold_noisy`, or if `noise0` and `noise1` have different lengths.

    Warns
    -----
    NPWarning
        If `scores0` and `scores1` look like the labels and the scores of the same rows, or the scores of rows labelled
        1 are clearly smaller than those of rows labelled 0.

    See Also
    --------
    nproc.np_threshold_noisy : the threshold for one noise or an interval, and what is proved.

    Notes
    -----
    Each threshold is that of `np_threshold_noisy`. The curve shows how much rests on the noise; it must not be used to
    choose it. Where class 1 scores higher, the threshold falls as more noise is assumed, and the smallest noise that
    may be true is the safe one.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> labelled0 = np.concatenate([rng.normal(size=900), rng.normal(2, size=100)])
    >>> labelled1 = rng.normal(2, size=500)
    >>> curve = noise_sensitivity(labelled0, labelled1, noise0=[0, 0.05, 0.1], alpha=0.1)
    >>> curve.to_frame()["threshold"].round(2).tolist()
    [1.73, 1.47, 1.3]
    """
    scores0, scores1 = check_scores(scores0, "scores0"), check_scores(scores1, "scores1")
    first = as_floats(noise0, "noise0", "be a list of numbers in [0, 1)")
    second = as_floats(noise1, "noise1", "be a number in [0, 1), or a list of them")
    if first.ndim != 1 or first.size == 0:
        raise InvalidInputError(
            f"noise0 must be a list of one or more shares, got the shape {first.shape}.", argument="noise0"
        )
    if second.shape not in ((), first.shape):
        raise InvalidInputError(
            f"noise1 must be one number, or one for each of the {first.size} values of noise0, got the shape "
            f"{second.shape}.",
            argument="noise1",
        )
    boxes = [check_noises(*pair) for pair in zip(first, np.broadcast_to(second, first.shape), strict=True)]
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    warn_labels(scores0, scores1, "noise_sensitivity")
    scores0, scores1 = np.sort(scores0), np.sort(scores1)
    warn_of_sign(scores0, scores1)
    found = tuple(noisy_threshold_at(scores0, scores1, box, alpha, delta) for box in boxes)
    return NoiseSensitivity(found, alpha, delta)
