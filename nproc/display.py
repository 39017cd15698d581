"""scikit-learn's display convention over NP-ROC bands."""

from __future__ import annotations

from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from nproc.api import nproc
from nproc.bands import NPROCBand
from nproc.checks import check_flag, check_keywords, check_scores, keywords_of
from nproc.errors import InvalidInputError
from nproc.rows import Table, check_labels, check_same_length, check_same_rows
from nproc.tables import Axes


class NPROCDisplay:
    """An NP-ROC band that was drawn, or can be drawn again, as scikit-learn's displays.

    Parameters
    ----------
    band : NPROCBand
        The band.
    name : str, optional
        Name in the legend; None gives that of the band.

    Attributes
    ----------
    band : NPROCBand
        The band.
    ax_, figure_ : matplotlib objects
        What was drawn on, after `plot`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> display = NPROCDisplay.from_predictions(y, rng.normal(size=200) + 2 * y, plot=False)
    >>> display.band.n0_left_out
    100
    """

    def __init__(self, band: NPROCBand, *, name: str | None = None) -> None:
        if not isinstance(band, NPROCBand):
            raise InvalidInputError(f"band must be an NPROCBand, as nproc() returns it, got {type(band).__name__}.")
        self.band = band
        self.name = name

    def __repr__(self):
        return f"NPROCDisplay({self.band!r})"

    def plot(self, ax: Axes | None = None, *, name: str | None = None, **style: Any) -> Self:
        """Draw the band; return self with ``ax_`` and ``figure_``."""
        check_keywords(style, _known(self.plot), "plot")
        self.ax_ = self.band.plot(ax=ax, label=name or self.name, **style)
        self.figure_ = self.ax_.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Table,
        y: ArrayLike,
        *,
        delta: float = 0.05,
        band: Literal["pointwise", "simultaneous"] = "pointwise",
        bounds: Literal["berk_jones", "dkw"] = "berk_jones",
        class0: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        plot: bool = True,
        **style: Any,
    ) -> NPROCDisplay:
        """Draw the band of a fitted estimator on rows that it never saw.

        Parameters
        ----------
        estimator : object
            Fitted, with decision_function or predict_proba.
        X, y : array-like
            Left-out rows and their labels.
        delta : float
            Bound on the probability, in (0, 0.5], that each bound does not hold.
        band, bounds : str
            "pointwise" or "simultaneous", and the kind of simultaneous bounds, as in `nproc`.
        class0 : label, optional
            The label of class 0. None takes that of the estimator, of the last step of a pipeline or of the best
            estimator of a search, as `NPClassifier` has it, and otherwise the first label in sorted order.
        name : str, optional
            Name in the legend.
        ax : matplotlib.axes.Axes, optional
            Where to draw.
        plot : bool
            Draw at once.
        **style
            As in `NPROCBand.plot`.

        Returns
        -------
        NPROCDisplay
        """
        check_keywords(style, _known(cls.from_estimator), "from_estimator")
        plot = check_flag(plot, "plot")
        display = cls(
            nproc(X, y, estimator, prefit=True, delta=delta, band=band, bounds=bounds, class0=class0), name=name
        )
        return display.plot(ax, **style) if plot else display

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        delta: float = 0.05,
        band: Literal["pointwise", "simultaneous"] = "pointwise",
        bounds: Literal["berk_jones", "dkw"] = "berk_jones",
        class0: object = None,
        name: str | None = None,
        ax: Axes | None = None,
        plot: Any = True,
        **style: Any,
    ) -> NPROCDisplay:
        """Draw the band of scores of rows that the scoring function never saw.

        Parameters
        ----------
        y_true : array-like, shape (n,)
            Labels.
        y_score : array-like, shape (n,)
            Scores, larger = more like class 1.
        delta, band, bounds, class0, name, ax, plot, **style
            As in `from_estimator`.

        Returns
        -------
        NPROCDisplay
        """
        check_keywords(style, _known(cls.from_predictions), "from_predictions")
        plot = check_flag(plot, "plot")
        check_same_rows(y_true=y_true, y_score=y_score)
        labels = check_labels(y_true, class0, name="y_true")
        scores = check_scores(y_score, "y_score")
        check_same_length(scores, labels.y, name="y_score", name_y="y_true")
        name = name or "scores"
        scores0, scores1 = scores[labels.y == 0], scores[labels.y == 1]
        display = cls(
            NPROCBand.from_scores(scores0, scores1, delta=delta, name=name, band=band, bounds=bounds), name=name
        )
        return display.plot(ax, **style) if plot else display


def _known(method):
    """Return the arguments of a method that draws, with those of `NPROCBand.plot` that it hands on."""
    return [name for name in keywords_of(method, NPROCBand.plot) if name != "label"]


__all__ = ["NPROCDisplay"]
