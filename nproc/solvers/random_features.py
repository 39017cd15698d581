r"""Random Fourier features: a map z with z(x)'z(x') close to the Gaussian kernel exp(-gamma ||x - x'||^2).

References
----------
Algorithm 1 of [rahimi2007]_.

.. [rahimi2007] Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines. Advances in Neural
   Information Processing Systems 20.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

# entries of a block of rows, or of its features: 16 MB
BLOCK_ENTRIES = 1 << 21


@dataclass(frozen=True)
class FourierFeatures:
    r"""The map :math:`z(x) = \sqrt{2 / D} \, (\cos(\omega_d^\top x + \phi_d))_{d = 1, ..., D}`.

    With frequencies from N(0, 2 gamma I) and phases uniform on [0, 2 pi], E z(x)'z(x') is the kernel; the error of
    one entry is of size 1 / sqrt(D).

    Parameters
    ----------
    frequencies : ndarray, shape (p, D)
        One column a feature.
    phases : ndarray, shape (D,)
        In radians.

    See Also
    --------
    draw_fourier_features : Draws one.

    References
    ----------
    Algorithm 1 of [rahimi2007]_.

    Examples
    --------
    >>> features = draw_fourier_features(2, gamma=0.5, n_components=5000, rng=np.random.default_rng(0))
    >>> z = features.transform(np.array([[0.0, 0.0], [1.0, 0.0]]))
    >>> (z @ z.T).round(1)
    array([[1. , 0.6],
           [0.6, 1. ]])
    """

    frequencies: np.ndarray
    phases: np.ndarray

    @property
    def n_components(self):
        """Return the number D of features."""
        return self.phases.size

    @property
    def block_rows(self):
        """Return how many rows to transform at once, so that neither they nor their features take much memory."""
        return max(16, min(4096, BLOCK_ENTRIES // max(self.frequencies.shape)))

    def transform(self, X):
        """Return the features of the rows of `X` (dense or sparse), a new C-contiguous array of shape (n, D)."""
        z = np.empty((X.shape[0], self.n_components))
        for start in range(0, X.shape[0], self.block_rows):
            part = X[start : start + self.block_rows]
            angles = part @ self.frequencies
            if sparse.issparse(angles):
                angles = angles.toarray()
            angles += self.phases
            np.cos(angles, out=z[start : start + self.block_rows])
        z *= np.sqrt(2.0 / self.n_components)
        return z

    def project(self, X, coef):
        """Return z(x)'coef of the rows of `X`, shape (n,), without holding the features of all rows."""
        return np.concatenate(
            [self.transform(X[i : i + self.block_rows]) @ coef for i in range(0, X.shape[0], self.block_rows)]
        )


def draw_fourier_features(n_features, *, gamma, n_components, rng):
    """Return random features of the Gaussian kernel exp(-gamma ||x - x'||^2).

    Parameters
    ----------
    n_features : int
        Number p of columns of X.
    gamma : float
        Above 0.
    n_components : int
        Number D of features, at least 1.
    rng : numpy.random.Generator
        Where chance comes from.

    Returns
    -------
    features : FourierFeatures

    See Also
    --------
    FourierFeatures : What is returned.

    Notes
    -----
    Memory is p D numbers.

    References
    ----------
    Algorithm 1 of [rahimi2007]_.

    Examples
    --------
    >>> draw_fourier_features(3, gamma=0.5, n_components=10, rng=np.random.default_rng(0)).frequencies.shape
    (3, 10)
    """
    frequencies = rng.normal(scale=np.sqrt(2.0 * gamma), size=(n_features, n_components))
    return FourierFeatures(frequencies, rng.uniform(0.0, 2.0 * np.pi, size=n_components))
