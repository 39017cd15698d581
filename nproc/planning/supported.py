"""The levels that a number of class 0 rows can support."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from nproc.checks import LARGEST_DELTA, check_count, check_delta, check_level, tells_names
from nproc.errors import InvalidInputError
from nproc.fits import certification_size
from nproc.orderstat import least_alpha, least_delta, min_class0_size, np_order, round_up, violation_rate
from nproc.planning.rank_law import RankLaw
from nproc.splitting import (
    check_split_ratio,
    least_levels,
    n_left_out,
    ratio_that_leaves,
    said,
    shown_ratio,
    smaller_ratio,
)
from nproc.tables import DataFrame, InNotebook, Summary, level_pairs, short, summary_table, table_frame


@dataclass(frozen=True, repr=False)
class SupportedLevels(InNotebook):
    """What a number of class 0 rows can support. Made by `supported_levels`.

    Attributes
    ----------
    n0 : int
        Left-out class 0 rows.
    rows : int or None
        Class 0 rows in all, where these were given.
    split_ratio : float or None
        Share that trains.
    alpha, delta : float
        Levels asked about.
    smallest_alpha : float
        Smallest alpha from which on there is a rule at `delta`, 1 - delta^(1 / m). Here m is `n0`; by
        ``split_ratio="auto"`` it is the largest number that auto leaves out at this alpha. Another ratio may leave out
        more.
    smallest_delta : float
        Smallest delta that a rule reaches at `alpha`, (1 - alpha)^m. One above 0.5 is not allowed, so no rule is made.
    n0_min : int
        Left-out rows that both levels together need.
    order : int or None
        Rank at both levels; None where the rows are too few.
    """

    n0: int
    rows: int | None
    split_ratio: float | str | None
    alpha: float
    delta: float
    smallest_alpha: float
    smallest_delta: float
    n0_min: int
    order: int | None

    @property
    def law(self) -> RankLaw | None:
        """`RankLaw` of the rank at both levels, or None where the rows are too few."""
        return None if self.order is None else RankLaw(self.n0, self.order, self.alpha, self.delta)

    def __repr__(self):
        of = "" if self.rows is None else f" of {self.rows} class 0 rows (split_ratio={said(self.split_ratio)})"
        few = f"too few for both levels, {self.n0_min} needed"
        met = few if self.order is None else f"rank {self.order} meets both levels"
        least = f"at delta={short(self.delta)} alpha >= {round_up(self.smallest_alpha)}"
        if self._has_delta:
            least += f", at alpha={short(self.alpha)} delta >= {round_up(self.smallest_delta)}"
        return f"SupportedLevels({self.n0} left out{of}: {met};\n  {least})"

    @property
    def _has_delta(self):
        # a larger delta is refused
        return float(round_up(self.smallest_delta)) <= LARGEST_DELTA

    def _smallest(self, level):
        """The smallest alpha or delta as text; by "auto" with the number of rows that this level leaves out."""
        text = round_up(getattr(self, f"smallest_{level}"))
        if self.split_ratio != "auto":
            return text
        levels = {"alpha": self.alpha, "delta": self.delta, level: float(text)}
        return f"{text} ({n_left_out(self.rows, 'auto', **levels)} left out)"

    def to_frame(self) -> DataFrame:
        """Return a DataFrame of one row with the attributes as columns; order is NaN where there is none."""
        return table_frame({name: [np.nan if value is None else value] for name, value in asdict(self).items()})

    def sizes(self) -> DataFrame:
        """Return the numbers of left-out rows that leave the smallest parts of alpha unused, a row each.

        Each is the smallest number whose rank lies so many scores below the largest. The type I error is then larger on
        average than with any smaller number. Between two of them it falls. A split ratio that was fixed before you
        looked at the data has the guarantee of `npc`, whichever of these sizes it takes.

        Returns
        -------
        DataFrame
            n0_left_out, at most `n0`, or less than `rows` where these were given; n0_train and split_ratio, which are
            NaN without `rows`; order, the rank; violation_rate; type1_mean, the type I error on average over samples
            with continuous scores.

        Examples
        --------
        >>> supported_levels(rows=120).sizes().round(4)
           n0_left_out  n0_train  split_ratio  order  violation_rate  type1_mean
        0           59        61        0.510     59          0.0485      0.0167
        1           93        27        0.225     92          0.0500      0.0213
        """
        most = self.n0 if self.rows is None else self.rows - 1
        found: list[tuple[float, ...]] = []
        while (size := certification_size(self.alpha, self.delta, n_errors=len(found))) <= most:
            order = size - len(found)
            train = ratio = np.nan
            if self.rows is not None:
                train, ratio = self.rows - size, ratio_that_leaves(size, self.rows)
            found.append(
                (size, train, ratio, order, violation_rate(order, size, self.alpha), (len(found) + 1) / (size + 1))
            )
        columns = ("n0_left_out", "n0_train", "split_ratio", "order", "violation_rate", "type1_mean")
        return table_frame({name: [row[i] for row in found] for i, name in enumerate(columns)})

    def summary(self) -> Summary:
        """Return a table of the levels that the rows support, as a summary of statsmodels."""
        pairs = [
            ("Class 0 rows left out", self.n0),
            ("Class 0 rows in all", "-" if self.rows is None else self.rows),
            ("Split ratio", "-" if self.split_ratio is None else shown_ratio(self.split_ratio)),
            *level_pairs(self, "alpha", "delta"),
            ("Least alpha", self._smallest("alpha")),
            ("Least delta", self._smallest("delta") if self._has_delta else "none"),
            ("Rank at both", "none" if self.order is None else self.order),
            ("Left-out rows needed", self.n0_min),
        ]
        note = (
            "Least alpha is the smallest alpha at this delta, and least delta the smallest delta at this alpha, both "
            "rounded up. At each of them the threshold is the largest left-out score."
        )
        if not self._has_delta:
            note += (
                f" Least delta none: at this alpha no delta up to {LARGEST_DELTA:g}, the largest allowed, is enough."
            )
        if self.split_ratio == "auto":
            note += (
                " With split ratio auto the number of left-out rows depends on the levels: beside each least level "
                "stands the number that is left out at this level. Another ratio may reach a smaller level."
            )
        if self.order is None and self.rows is not None and (smaller := smaller_ratio(self.n0_min, self.rows)):
            note += f" For both levels these rows suffice: {smaller.strip()}"
        return summary_table("What these class 0 rows support", pairs, notes=[note])


@tells_names
def supported_levels(
    n0: int | None = None,
    *,
    rows: int | None = None,
    split_ratio: float | Literal["auto"] = "auto",
    alpha: float = 0.05,
    delta: float = 0.05,
) -> SupportedLevels:
    """Find the smallest alpha and the smallest delta that the rows in hand can support.

    Parameters
    ----------
    n0 : int, optional
        Class 0 rows that will be left out to set the threshold.
    rows : int, optional
        Instead of `n0`: class 0 rows in all, of which `split_ratio` trains.
    split_ratio : float or "auto"
        Share of `rows` that trains, in (0, 1), or "auto" as in `npc`, for the levels wanted.
    alpha, delta : float
        The levels wanted: alpha in (0, 1), delta in (0, 0.5]. Each is held while the other is made as small as it
        can be.

    Returns
    -------
    SupportedLevels
        Its method `SupportedLevels.sizes` lists the numbers of left-out rows that leave the smallest parts of alpha
        unused, with the split ratio of each.

    Raises
    ------
    InvalidInputError
        If not exactly one of `n0` and `rows` is given, or an argument is out of range.

    See Also
    --------
    plan_class0 : how many rows given levels and power need.

    Notes
    -----
    With n left-out scores the largest one as the threshold breaks alpha with probability (1 - alpha)^n, the least that
    any rank reaches. By "auto" the number of left-out rows depends on the levels, so the smallest ones are searched.

    Examples
    --------
    >>> supported_levels(rows=80)
    SupportedLevels(59 left out of 80 class 0 rows (split_ratio='auto'): rank 59 meets both levels;
      at delta=0.05 alpha >= 0.048, at alpha=0.05 delta >= 0.0461)
    """
    if (n0 is None) == (rows is None):
        raise InvalidInputError("give either n0=, the rows left out, or rows=, the class 0 rows in all.")
    alpha, delta = check_level(alpha, "alpha"), check_delta(delta)
    ratio = None
    if rows is not None:
        rows, ratio = check_count(rows, "rows", minimum=2), check_split_ratio(split_ratio, words=("auto",))
        n0 = n_left_out(rows, ratio, alpha, delta)
        if n0 < 1:
            raise InvalidInputError(f"split_ratio={said(ratio)} of rows={rows} leaves none out; give a smaller one.")
    n0 = check_count(n0, "n0")
    if rows is None:
        smallest_alpha, smallest_delta = least_alpha(n0, delta), least_delta(n0, alpha)
    else:
        smallest_alpha, smallest_delta = least_levels(rows, ratio, alpha, delta)
    needed = min_class0_size(alpha, delta)
    order = np_order(n0, alpha, delta) if n0 >= needed else None
    return SupportedLevels(n0, rows, ratio, alpha, delta, smallest_alpha, smallest_delta, needed, order)
