"""Data sets for examples and tests: three simulated ones, and scikit-learn's breast cancer data.

Every loader returns a `Dataset`, which names its class 0: the class whose misclassification is controlled.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from nproc.checks import check_flag


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Predictors, labels and what they mean.

    Attributes
    ----------
    X : DataFrame or ndarray, shape (n, p)
        The predictors.
    y : Series or ndarray, shape (n,)
        The labels.
    class0 : object
        The label of class 0, to be passed as ``class0=``.
    description : str
        Source and meaning in a few lines.
    feature_names : tuple of str, length p
        Names of the columns of `X`.
    label_name : str
        Name of the label column in `frame`.
    """

    X: Any
    y: Any
    class0: Any
    description: str
    feature_names: tuple[str, ...]
    label_name: str = "y"

    @property
    def frame(self):
        """A new DataFrame: the predictors, then the label column (for formulas and the command line)."""
        import pandas as pd

        frame = pd.DataFrame(self.X)
        frame = frame.set_axis(list(self.feature_names), axis=1)
        return frame.assign(**{self.label_name: np.asarray(self.y)})

    def __repr__(self):
        labels = np.asarray(self.y)
        n0 = int(np.sum(labels == self.class0))
        rows, columns = self.X.shape
        return (
            f"Dataset({rows} rows, {columns} predictors, label {self.label_name!r}, class0={self.class0!r}: {n0} rows)"
        )


def load_simulation1():
    """Return the paper's Simulation 1, one data set of 1000 rows: `nproc.simulate.simulation1`, seed 1.

    Returns
    -------
    Dataset
        `X` a DataFrame with the column x1, `y` a Series of 0 and 1, class0 = 0.

    Examples
    --------
    >>> load_simulation1()
    Dataset(1000 rows, 1 predictors, label 'y', class0=0: ... rows)
    """
    return _load(
        "simulation1",
        "Simulation 1 of Tong, Feng and Li (2018): x1 is N(0, 1) in class 0 and N(2, 1) in class 1; each\n"
        "class has probability 1/2. Simulated, not measured.",
    )


def load_simulation2():
    """Return the paper's Simulation 2, one data set of 1000 rows: `nproc.simulate.simulation2`, seed 2.

    Returns
    -------
    Dataset
        `X` a DataFrame with the columns x1 and x2, `y` a Series of 0 and 1, class0 = 0.
    """
    return _load(
        "simulation2",
        "Simulation 2 of Tong, Feng and Li (2018): x1 and x2 are independent, N(0, 1) in class 0; in\n"
        "class 1, x1 is N(1, 1) and x2 is normal with mean 1 and variance 6; each class has probability\n"
        "1/2. Simulated, not measured.",
    )


def load_logistic_world():
    """Return the R examples' world, one data set of 1000 rows: `nproc.simulate.logistic_world`, seed 3.

    Returns
    -------
    Dataset
        `X` a DataFrame with the columns x1 and x2, `y` a Series of 0 and 1, class0 = 0.
    """
    return _load(
        "logistic_world",
        "The world of the R package nproc's examples: x1 and x2 are independent standard normals, and\n"
        "P(y = 1 | x) = 1 / (1 + exp(-1 - 3 x1)). Simulated, not measured.",
    )


def load_breast_cancer_np(as_frame=True):
    """Return scikit-learn's breast cancer data with the malignant tumours as class 0.

    Calling a malignant tumour benign is the error to control, so 'malignant' is class 0.

    Parameters
    ----------
    as_frame : bool
        True for a DataFrame and a Series, False for two arrays.

    Returns
    -------
    Dataset
        `X` with 569 rows and 30 columns, `y` with the labels 'malignant' (212 rows) and 'benign' (357
        rows), class0 = 'malignant', label column 'diagnosis'.

    Raises
    ------
    InvalidInputError
        If `as_frame` is not a bool.

    Notes
    -----
    Blanks in scikit-learn's column names become underscores, so that a formula can use them. The data come
    with scikit-learn; nothing is downloaded.

    Examples
    --------
    >>> load_breast_cancer_np()
    Dataset(569 rows, 30 predictors, label 'diagnosis', class0='malignant': 212 rows)
    """
    as_frame = check_flag(as_frame, "as_frame")
    from sklearn.datasets import load_breast_cancer

    source = load_breast_cancer()
    names = tuple(str(name).replace(" ", "_") for name in source.feature_names)
    X, y = source.data, source.target_names[source.target]
    if as_frame:
        import pandas as pd

        X, y = pd.DataFrame(X, columns=list(names)), pd.Series(y, name="diagnosis")
    description = (
        "Breast Cancer Wisconsin (Diagnostic): 30 measurements of cell nuclei from 569 breast masses, from\n"
        "scikit-learn. Class 0 is 'malignant': type I error is calling a malignant tumour benign."
    )
    return Dataset(X, y, "malignant", description, names, "diagnosis")


def _load(name, description):
    import pandas as pd

    # not read_csv: by default it may miss the last digit of a number
    header, *lines = (files("nproc.data") / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    columns = header.split(",")
    values = np.array([line.split(",") for line in lines], dtype=np.float64)
    X = pd.DataFrame(values[:, :-1], columns=columns[:-1])
    y = pd.Series(values[:, -1].astype(np.int64), name=columns[-1])
    return Dataset(X, y, 0, description, tuple(columns[:-1]))
