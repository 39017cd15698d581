"""The errors of a classifier on new data, by group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nproc.errors import InvalidInputError
from nproc.evaluation import Evaluation
from nproc.reprs import InNotebook


@dataclass(frozen=True, repr=False, eq=False)
class GroupEvaluation(InNotebook):
    """Both errors of a classifier on new data, by group.

    Attributes
    ----------
    groups : tuple
        The groups.
    parts : tuple of Evaluation
        The errors in each group.
    overall : Evaluation
        Those of all rows together.
    """

    groups: tuple
    parts: tuple[Evaluation, ...]
    overall: Evaluation

    def __getitem__(self, group):
        """The `Evaluation` of one group."""
        if group not in self.groups:
            raise InvalidInputError(f"{group!r} is not one of the groups {list(self.groups)}.")
        return self.parts[self.groups.index(group)]

    def __repr__(self):
        worst = [part.type1 for part in self.parts if part.type1 is not None]
        highest = f", highest type I error {max(worst):.4f}" if worst else ""
        return f"GroupEvaluation({len(self.groups)} groups{highest})\n  all rows: {self.overall!r}"

    def to_frame(self):
        """Return a DataFrame with two rows a group, its two errors, as in `Evaluation.to_frame`, with the group."""
        from nproc.tables import table_frame

        frames = [part.to_frame() for part in self.parts]
        columns = {
            "group": [group for group, frame in zip(self.groups, frames, strict=True) for _ in range(len(frame))]
        }
        columns |= {name: np.concatenate([frame[name].to_numpy() for frame in frames]) for name in frames[0].columns}
        return table_frame(columns)

    def summary(self):
        """Return a table of both errors of each group with their intervals, as a summary of statsmodels."""
        from nproc.groups.reports import group_evaluation_report

        return group_evaluation_report(self)

    def plot(self, *, ax=None):
        """Draw the type I error of each group with its interval, and alpha; return the Axes."""
        from nproc.plotting.groups import plot_group_errors

        kept = [(group, part) for group, part in zip(self.groups, self.parts, strict=True) if part.n0]
        return plot_group_errors(
            [group for group, _ in kept],
            [part.type1 for _, part in kept],
            [part.type1_interval.lower for _, part in kept],
            [part.type1_interval.upper for _, part in kept],
            self.overall.alpha,
            [part.n0 for _, part in kept],
            ax=ax,
        )
