"""The loaders of nproc.datasets, and that the files of the package are what nproc.simulate makes."""

from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from nproc.datasets import (
    Dataset,
    load_breast_cancer_np,
    load_logistic_world,
    load_simulation1,
    load_simulation2,
)
from nproc.errors import InvalidInputError
from nproc.rows.labels import check_labels
from nproc.simulate import logistic_world, simulation1, simulation2

SIMULATED = [
    (load_simulation1, simulation1, 1),
    (load_simulation2, simulation2, 2),
    (load_logistic_world, logistic_world, 3),
]


@pytest.mark.parametrize(("load", "make", "seed"), SIMULATED)
def test_a_loader_gives_the_numbers_of_the_call_in_the_readme(load, make, seed):
    dataset, sample = load(), make(n=1000, random_state=seed)
    assert np.array_equal(dataset.X.to_numpy(), sample.X)
    assert np.array_equal(dataset.y.to_numpy(), sample.y)
    assert dataset.X.columns.tolist() == list(dataset.feature_names)
    assert dataset.class0 == 0
    readme = (files("nproc.data") / "README.md").read_text(encoding="utf-8")
    row = next(line for line in readme.splitlines() if line.startswith(f"| {make.__name__}.csv"))
    assert f"`{make.__name__}(n=1000, random_state={seed})`" in row
    assert f"| {', '.join([*dataset.feature_names, 'y'])} | {np.sum(sample.y == 0)} |" in row


@pytest.mark.parametrize("load", [load_simulation1, load_simulation2, load_breast_cancer_np])
def test_frame_is_a_new_frame_with_the_labels_last(load):
    dataset = load()
    frame = dataset.frame
    assert frame.columns.tolist() == [*dataset.feature_names, dataset.label_name]
    assert frame[dataset.label_name].tolist() == dataset.y.tolist()
    pd.testing.assert_frame_equal(frame.iloc[:, :-1], dataset.X)
    frame.iloc[0, 0] = -99.0
    assert dataset.X.iloc[0, 0] != -99.0


def test_breast_cancer_is_scikit_learns_with_malignant_as_class_0():
    dataset, source = load_breast_cancer_np(), load_breast_cancer()
    assert dataset.class0 == "malignant"
    assert np.array_equal(dataset.X.to_numpy(), source.data)
    assert np.array_equal(dataset.y.to_numpy() == "malignant", source.target == 0)
    assert set(dataset.y) == {"malignant", "benign"}
    assert dataset.y.name == dataset.label_name == "diagnosis"
    assert all(name.isidentifier() for name in dataset.feature_names)
    labels = check_labels(dataset.y, dataset.class0)
    assert (labels.n0, labels.n1) == (212, 357)


def test_breast_cancer_as_arrays_has_the_same_values():
    arrays, frame = load_breast_cancer_np(as_frame=False), load_breast_cancer_np()
    assert isinstance(arrays.X, np.ndarray)
    assert isinstance(arrays.y, np.ndarray)
    assert np.array_equal(arrays.X, frame.X.to_numpy())
    assert arrays.y.tolist() == frame.y.tolist()
    pd.testing.assert_frame_equal(arrays.frame, frame.frame, check_dtype=False)


def test_as_frame_must_be_a_bool():
    with pytest.raises(InvalidInputError, match="as_frame must be True or False, got 'yes'"):
        load_breast_cancer_np(as_frame="yes")


def test_frame_keeps_the_types_and_the_index_of_the_columns():
    X = pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}, index=[7, 9])
    dataset = Dataset(X, pd.Series([True, False], index=[7, 9]), False, "two rows", ("a", "b"))
    assert dataset.frame.dtypes.tolist() == [X["a"].dtype, X["b"].dtype, np.dtype(bool)]
    assert dataset.frame.index.tolist() == [7, 9]
    assert repr(dataset) == "Dataset(2 rows, 2 predictors, label 'y', class0=False: 1 rows)"
