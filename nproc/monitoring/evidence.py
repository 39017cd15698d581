"""Evidence that a rate of errors is above a level, which may be looked at at any time."""

import numpy as np
from scipy.special import betaincc, gammaln

# below this the share of a tail has lost digits, or is 0
SMALLEST_SHARE = 1e-280
# coefficients of the series of log Gamma beyond Stirling's formula: 1/12, -1/360, 1/1260, ...
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def default_prior(level):
    """Return the parameters (a, b) of the beta density over rates that `log_evidence` uses for a level.

    Its rates are mostly of the size of the level: (1, 1 / (2 level)), but b is at least 1. Of the priors that were
    tried, it needs nearly the fewest rows at 1.6, 2 and 3 times the level (benchmarks/monitor.py).

    Examples
    --------
    >>> default_prior(0.05)
    (1.0, 10.0)
    """
    return 1.0, max(1.0, 0.5 / level)


def log_evidence(n_errors, n, level, prior):
    r"""Return the logarithm of the evidence against rates up to `level`, after `n` rows with `n_errors` errors.

    Parameters
    ----------
    n_errors, n : int or ndarray of int
        Counts; 0 <= n_errors <= n.
    level : float or ndarray
        In (0, 1).
    prior : tuple of float
        Parameters a, b > 0 of a beta density, which is cut off below `level`.

    Returns
    -------
    float or ndarray

    Notes
    -----
    The evidence is a likelihood ratio, averaged over rates p above the level :math:`\alpha`. With k errors in n rows

    .. math:: E = \int_\alpha^1 \left(\frac p\alpha\right)^k \left(\frac{1-p}{1-\alpha}\right)^{n-k} \pi(p)\, dp, \qquad
        \pi(p) \propto p^{a-1} (1-p)^{b-1} \text{ on } (\alpha, 1).

    *P(E is ever at least c) <= 1/c.* Let row t be an error with probability :math:`r_t \le \alpha` given all that came
    before. The factor of row t has mean :math:`r_t p/\alpha + (1-r_t)(1-p)/(1-\alpha)`. This is linear in r_t with the
    slope :math:`p/\alpha - (1-p)/(1-\alpha) > 0`, and 1 at :math:`r_t = \alpha`, hence at most 1. So each product, and
    by Fubini their average E, is a supermartingale that starts at 1, and Ville's inequality [ville1939]_ is the claim
    [robbins1970]_. The rates may drift and the rows may depend on each other, as long as no r_t is above the level.

    *Computed* as J(a + k, b + n - k) / J(a, b) with :math:`J(x, y) = \int_\alpha^1 t^{x-1} (1-t)^{y-1} dt / (\alpha^x
    (1-\alpha)^y)`. The powers cancel before they are formed: log J is a sum of binomial deviances, Stirling terms and
    the logarithm of a share of the beta distribution, or where that share is tiny a continued fraction.

    Examples
    --------
    >>> import math
    >>> round(math.exp(log_evidence(12, 100, 0.05, (1.0, 10.0))), 3)
    18.051
    """
    a, b = prior
    k, n = np.asarray(n_errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    found = _log_upper(a + k, b + (n - k), level) - _log_upper(np.float64(a), np.float64(b), level)
    return float(found) if np.ndim(found) == 0 else found


def rate_bounds(n_errors, n, delta, prior):
    """Return a lower and an upper bound on the rate; each holds at all times at once with probability 1 - `delta`.

    Parameters
    ----------
    n_errors, n : int or ndarray of int
        Counts, n at least 1.
    delta : float
        In (0, 1).
    prior : tuple of float
        As in `log_evidence`, here cut off at each rate in turn.

    Returns
    -------
    lower, upper : float or ndarray

    Notes
    -----
    The lower bound is the smallest rate against which the evidence for larger ones is below 1 / delta. A constant rate
    r is below it at some time only if the evidence against r reaches 1 / delta at that time, which has probability at
    most delta. For the upper bound all is mirrored.

    Examples
    --------
    >>> lower, upper = rate_bounds(30, 1000, 0.05, (1.0, 10.0))
    >>> round(lower, 4), round(upper, 4)
    (0.0158, 0.0487)
    """
    k, n = np.asarray(n_errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    lower, above = _first_below(k, n, -np.log(delta), prior), _first_below(n - k, n, -np.log(delta), prior[::-1])
    return (float(lower), float(1.0 - above)) if lower.ndim == 0 else (lower, 1.0 - above)


def _first_below(k, n, reached, prior):
    """Return the smallest rates, up to k / n, against which the evidence is below a limit; 0 without errors."""
    rate = np.minimum(k / n, 1.0 - 1e-12)
    # towards 0 on the scale of logarithms, since the evidence grows by about k per factor e
    grid = rate * np.exp(-40.0 * np.linspace(1.0, 0.0, 65) ** 2).reshape(-1, *[1] * rate.ndim)
    safe = np.where(k == 0, 0.5, grid)
    first = np.argmax(log_evidence(k, n, safe, prior) < reached, axis=0)
    low, high = (np.take_along_axis(safe, np.maximum(first + j, 0)[None], axis=0)[0] for j in (-1, 0))
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = log_evidence(k, n, middle, prior) < reached
        low, high = np.where(below, low, middle), np.where(below, middle, high)
    return np.where((k == 0) | (first == 0), 0.0, low)


def _log_upper(x, y, level):
    """Return log J of `log_evidence` for arrays of x and y."""
    x, y, level = np.broadcast_arrays(x, y, np.asarray(level, dtype=np.float64))
    share = betaincc(x, y, level)
    tiny = share < SMALLEST_SHARE
    with np.errstate(divide="ignore"):
        found = _log_beta_ratio(x, y, level) + np.log(share)
    if np.any(tiny):
        found = np.array(found, ndmin=1)
        where = np.atleast_1d(tiny)
        flat = [np.atleast_1d(values)[where] for values in (x, y, level)]
        found[where] = _log_far_tail(*flat)
        found = found.reshape(np.shape(tiny))
    return found


def _log_beta_ratio(x, y, p):
    """Return log(B(x, y) / (p^x (1 - p)^y)) without forming the large logarithms that cancel."""
    total = x + y
    deviance = _deviance(x, total * p) + _deviance(y, total * (1.0 - p))
    return deviance + 0.5 * np.log(2.0 * np.pi * total / (x * y)) + _stirling(x) + _stirling(y) - _stirling(total)


def _deviance(x, mean):
    """Return x log(x / mean) - x + mean, to the last digits also where x is near the mean."""
    d = (x - mean) / mean
    return mean * ((1.0 + d) * np.log1p(d) - d)


def _stirling(z):
    """Return what log Gamma is above Stirling's formula."""
    z = np.asarray(z, dtype=np.float64)
    large = np.maximum(z, 15.0)
    inverse = 1.0 / large
    series = sum(c * inverse ** (2 * j + 1) for j, c in enumerate(_SERIES))
    small = np.minimum(z, 15.0)
    exact = gammaln(small) - ((small - 0.5) * np.log(small) - small + 0.5 * np.log(2.0 * np.pi))
    return np.where(z >= 15.0, series, exact)


def _log_far_tail(x, y, p):
    """Return log J far above the mean of the beta distribution, by the continued fraction of the incomplete beta."""
    q = 1.0 - p
    # of I_q(y, x), by the method of Lentz
    tiny = 1e-300
    total, a1, a0 = x + y, y + 1.0, y - 1.0
    c = np.ones_like(x)
    d = 1.0 - total * q / a1
    d = 1.0 / np.where(np.abs(d) < tiny, tiny, d)
    h = d
    for m in range(1, 10_000):
        even = m * (x - m) * q / ((a0 + 2 * m) * (y + 2 * m))
        odd = -(y + m) * (total + m) * q / ((y + 2 * m) * (a1 + 2 * m))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / np.where(np.abs(d) < tiny, tiny, d)
            c = 1.0 + term / c
            c = np.where(np.abs(c) < tiny, tiny, c)
            h = h * d * c
        if np.all(np.abs(d * c - 1.0) < 1e-15):
            break
    return np.log(h / y)
