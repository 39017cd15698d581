"""What the estimators with a network share: the check of their settings, and lines of progress."""

from __future__ import annotations

import numbers
import sys

from nproc.checks import as_array, check_choice, check_count, shown
from nproc.errors import InvalidInputError
from nproc.losses.truncated import TruncatedLikelihood


def check_hidden(hidden):
    """Return the numbers of hidden units as a tuple; one number stands for one layer."""
    if isinstance(hidden, numbers.Number):
        hidden = (hidden,)
    if isinstance(hidden, str) or as_array(hidden, "hidden").ndim != 1:
        raise InvalidInputError(
            f"hidden must be the numbers of units of the hidden layers, such as (10,) or (20, 10), got {shown(hidden)}."
        )
    return tuple(check_count(units, "each number of hidden units") for units in hidden)


def check_shrinkage(gamma0, lam):
    """Raise an error if one step would turn the weights round instead of shrinking them."""
    if gamma0 * lam >= 1:
        raise InvalidInputError(
            f"gamma0 * lam must lie below 1 (each step multiplies the weights by 1 - gamma0 * lam), got "
            f"{gamma0:g} * {lam:g}. Use a smaller gamma0 or lam."
        )


def check_likelihood(loss, p_min, p_max):
    """Return the `TruncatedLikelihood` that the weights descend on, or None for the sigmoid loss."""
    likelihood = TruncatedLikelihood(p_min=p_min, p_max=p_max)
    if check_choice(loss, "loss", ("sigmoid", "truncated")) == "sigmoid":
        if (p_min, p_max) != (0.0, 1.0):
            raise InvalidInputError(
                f"p_min={p_min!r} and p_max={p_max!r} need loss='truncated'; the sigmoid loss has no interval. Leave "
                "them at 0 and 1, or change the loss."
            )
        return None
    if not p_min < 0.5 < p_max:
        raise InvalidInputError(
            f"1/2, where the network decides, must lie between p_min and p_max, got p_min={p_min:g} and "
            f"p_max={p_max:g}."
        )
    return likelihood


def progress(name, verbose):
    """Return a callback that writes every `verbose`-th epoch to standard error, or None."""
    every = check_count(verbose, "verbose", minimum=0)
    if every == 0:
        return None

    def write(epoch, objective, type1, type2, multiplier):
        if epoch % every == 0:
            sys.stderr.write(
                f"{name}, epoch {epoch}: objective {objective:.4f}, type I {type1:.4f}, type II {type2:.4f}, "
                f"multiplier {multiplier:.4g}\n"
            )

    return write
