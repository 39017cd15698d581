"""The result of a plan: sizes, and what they buy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.checks import as_array, check_count
from nproc.errors import InvalidInputError
from nproc.planning.rank_law import type1_law
from nproc.reprs import InNotebook, short
from nproc.splitting import rows_in_all


@dataclass(frozen=True, repr=False, eq=False)
class ClassZeroPlan(InNotebook):
    """Class 0 rows for given levels and power, and what they buy. Made by `plan_class0`.

    Attributes
    ----------
    n0 : int
        Left-out class 0 rows from which on, for this and every larger number, the power is reached.
    n0_first : int
        Smallest number at which it is reached; some numbers between this and `n0` fall short again.
    n0_min : int
        Smallest number for which any rule exists, `min_class0_size`.
    alpha, delta : float
        Bound on the type I error and the chance of breaking it.
    power : float or None
        Share of the oracle's power that the rule has in expectation; None asks for the smallest sizes.
    split_ratio : float
        Share of the class 0 rows that trains.
    level : float
        Chance that the bounds from the pilot do not hold.
    curve : object
        ROC curve of the pilot.

    Notes
    -----
    Properties tell the rest: `law` (`RankLaw` at `n0`: rank, expected type I error, price of conservatism), `rows` and,
    with a pilot, `type2_mean`, `type2_oracle`, `type2_price`, `type2_bounds`.
    """

    n0: int
    n0_first: int
    n0_min: int
    alpha: float
    delta: float
    power: float | None
    split_ratio: float
    level: float
    curve: object

    @property
    def law(self):
        """`RankLaw` of `n0` rows."""
        return self.at(self.n0)

    @property
    def order(self):
        """Rank of the threshold among `n0` rows."""
        return self.law.order

    @property
    def type1_mean(self):
        """Expected type I error at `n0`, (n0 + 1 - order) / (n0 + 1)."""
        return self.law.type1_mean

    @property
    def price(self):
        """Price of conservatism at `n0`, alpha - type1_mean."""
        return self.law.price

    @property
    def violation_rate(self):
        """Chance, reached at `n0`, of a type I error above alpha."""
        return self.law.violation_rate

    @property
    def rows(self):
        """Class 0 rows in all, of which `split_ratio` trains."""
        return rows_in_all(self.n0, self.split_ratio)

    @property
    def has_pilot(self):
        """Whether type II errors are known or estimated."""
        return self.curve.is_pilot

    @property
    def type2_oracle(self):
        """Type II error of the threshold with type I error alpha exactly, or None without a pilot."""
        return 1 - float(self.curve.power_at(self.alpha)) if self.has_pilot else None

    @property
    def type2_mean(self):
        """Expected type II error at `n0` under the pilot's ROC curve, or None."""
        return self._type2(self.n0) if self.has_pilot else None

    @property
    def type2_price(self):
        """Price of conservatism in type II error, type2_mean - type2_oracle, or None."""
        return self.type2_mean - self.type2_oracle if self.has_pilot else None

    @property
    def type2_bounds(self):
        """Lower and upper bound on the expected type II error at `n0`, which hold together, or None."""
        if not self.curve.has_bounds:
            return None
        low, high = self.curve.mean_bounds(self.n0 - self.order, self.n0)
        return 1 - float(high), 1 - float(low)

    def at(self, n0):
        """Return the `RankLaw` of another number of left-out class 0 rows at the same levels.

        Parameters
        ----------
        n0 : int
            Number of rows.

        Returns
        -------
        RankLaw

        Raises
        ------
        TooFewSamplesError
            If no rule exists for so few.
        """
        return type1_law(n0, self.alpha, self.delta)

    def to_frame(self, n0=None):
        """Return a DataFrame with a row a number of left-out class 0 rows: the curves of the plan.

        Parameters
        ----------
        n0 : int or sequence of int, optional
            Numbers of rows, each at least `n0_min`; None takes some from `n0_min` to twice `n0`.

        Returns
        -------
        DataFrame
            Columns n0, order, type1_mean, price, violation_rate, power_share; with a pilot type2_mean, and with pilot
            scores type2_lower and type2_upper.
        """
        from nproc.tables import table_frame

        given = self._grid(400) if n0 is None else np.atleast_1d(as_array(n0, "n0")).tolist()
        sizes = [check_count(n, "n0") for n in given]
        laws = [self.at(n) for n in sizes]
        names = ("n0", "order", "type1_mean", "price", "violation_rate", "power_share")
        columns = {name: [getattr(law, name) for law in laws] for name in names}
        above, sizes = np.array([law.n0 - law.order for law in laws]), np.array(sizes)
        if self.has_pilot:
            columns["type2_mean"] = 1 - self.curve.mean_power(above, sizes)
        if self.curve.has_bounds:
            low, high = self.curve.mean_bounds(above, sizes)
            columns |= {"type2_lower": 1 - high, "type2_upper": 1 - low}
        return table_frame(columns)

    def summary(self):
        """Return a table of the sizes and of what they buy, as a summary of statsmodels."""
        from nproc.planning.reports import plan_report

        return plan_report(self)

    def plot(self, *, ax=None, what=None):
        """Draw the type I or type II error against the number of left-out class 0 rows; return the Axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; None makes a figure.
        what : {"type1", "type2"}, optional
            Type I error: expectation and the range that holds 90 % of samples. Type II error: expectation under the
            pilot, with bounds where there are scores. None takes type II where there is a pilot.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from nproc.plotting.plan import plot_plan_type1, plot_plan_type2

        if what is None:
            what = "type2" if self.has_pilot else "type1"
        known = ("type1", "type2") if self.has_pilot else ("type1",)
        if not isinstance(what, str) or what not in known:
            raise InvalidInputError(f"what must be 'type1', or with a pilot 'type2', got {what!r}.")
        frame = self.to_frame(self._grid(1500))
        columns = {name: frame[name].to_numpy() for name in frame.columns}
        marks = {"n0": self.n0, "n0_first": self.n0_first}
        if what == "type2":
            return plot_plan_type2(columns, self.type2_oracle, marks=marks, ax=ax)
        laws = [self.at(n) for n in columns["n0"].tolist()]
        ranges = np.array([law.quantile([0.05, 0.95]) for law in laws])
        return plot_plan_type1(columns, ranges[:, 0], ranges[:, 1], self.alpha, marks=marks, ax=ax)

    def __repr__(self):
        asked = "smallest" if self.power is None else f"power >= {short(self.power)} of the oracle's"
        type2 = f", E[type II]={short(self.type2_mean)} (oracle {short(self.type2_oracle)})" if self.has_pilot else ""
        return (
            f"ClassZeroPlan(n0={self.n0}, alpha={short(self.alpha)}, delta={short(self.delta)}, {asked}; "
            f"n0_first={self.n0_first}, n0_min={self.n0_min})\n  rank {self.order}, {self.rows} class 0 rows in all at "
            f"split_ratio={short(self.split_ratio)}, E[type I]={short(self.type1_mean)}{type2}"
        )

    def _type2(self, n0):
        return 1 - float(self.curve.mean_power(n0 - self.at(n0).order, n0))

    def _grid(self, most):
        high = max(2 * self.n0, self.n0_min + 20)
        # with a step of more than one the teeth of the saw are sampled, each number shown being exact
        step = max(1, -(-(high - self.n0_min) // most))
        return sorted({*range(self.n0_min, high + 1, step), self.n0, self.n0_first})
