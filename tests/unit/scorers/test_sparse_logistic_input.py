"""What sparse logistic regression says of input that it cannot use."""

import numpy as np
import pytest
from scipy import sparse

from nproc import npc
from nproc.errors import InvalidInputError
from nproc.scorers import get_scorer
from nproc.scorers.papers.sparse_logistic import SparseLogisticClassifier, sparselogit

Y = np.repeat([0, 1], [210, 90])
X = np.random.default_rng(0).normal(size=(300, 2)) + Y[:, None]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"p_min": 0.4, "p_max": 0.4}, "p_min must be smaller than p_max, got p_min=0.4 and p_max=0.4"),
        ({"p_min": -0.1}, "p_min must be a number between 0 and 1, got -0.1"),
        ({"p_max": np.nan}, "p_max must be a number between 0 and 1, got nan"),
        ({"lam": -1.0}, "lam must be a finite number of at least 0, got -1.0"),
        ({"lam": np.inf}, "lam must be a finite number of at least 0, got inf"),
        ({"lam": 0.0, "kernel": "rbf"}, "lam must be above 0 with the dual solver, got 0"),
        ({"solver": "primal", "kernel": "rbf"}, "solver='primal' requires kernel='linear', got kernel='rbf'"),
        ({"solver": "newton"}, "solver must be one of 'auto', 'primal', 'dual', got 'newton'"),
        ({"kernel": "cubic"}, "kernel must be one of"),
        ({"interval": "both"}, "interval must be one of 'given', 'costs', 'alpha', got 'both'"),
        ({"interval": "costs"}, "interval='costs' needs cost0 and cost1"),
        ({"interval": "alpha", "p_min": 0.3}, r"p_min=0.3 and p_max=1.0 do not go with interval='alpha'.*'given'"),
        ({"interval": "costs", "cost0": 1, "cost1": 1, "p_max": 0.6}, "p_max=0.6 do not go with interval='costs'"),
        ({"interval": "alpha", "p_max": "a"}, "p_max must be a number between 0 and 1, got 'a'"),
        ({"cost0": 1.0}, "cost0 and cost1 must be given together"),
        ({"cost0": 1.0, "cost1": 0.0}, "cost1 must be a finite number above 0, got 0.0"),
        ({"alpha": 1.0}, "alpha must lie strictly between 0 and 1, got 1"),
        ({"factor": 1.0}, "factor must be at least 1.1, got 1"),
        ({"tol": 0.0}, "tol must be a finite number above 0"),
        ({"max_iter": 0}, "max_iter must be at least 1, got 0"),
        ({"n_folds": 1}, "n_folds must be at least 2, got 1"),
        ({"verbose": -1}, "verbose must be at least 0, got -1"),
        ({"class0": 2}, r"class0 must be one of the labels \[0, 1\] of y, got 2"),
    ],
    ids=str,
)
def test_bad_parameters_are_told(params, message):
    with pytest.raises(InvalidInputError, match=message):
        SparseLogisticClassifier(**params).fit(X, Y)


def test_values_that_are_not_finite_are_told():
    holes = X.copy()
    holes[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SparseLogisticClassifier().fit(holes, Y)
    with pytest.raises(ValueError, match="infinity"):
        SparseLogisticClassifier(kernel="precomputed").fit(np.diag(np.full(300, np.inf)), Y)


def test_a_precomputed_kernel_does_not_go_with_the_name():
    with pytest.raises(InvalidInputError, match="cannot be used with a method given by name"):
        get_scorer("sparselogit", kernel="precomputed")
    assert sparselogit(lam=3.0)[-1].lam == 3.0


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (Y[:-1], r"one of the labels \[0, 1\] for each of the 300 rows of X"),
        (np.where(Y == 1, 2, 0), r"one of the labels \[0, 1\] for each of the 300 rows of X"),
        (np.where(Y == 1, np.nan, 0.0), "y has .* NaN"),
    ],
)
def test_a_picture_needs_a_label_of_the_training_for_each_row(labels, message):
    model = SparseLogisticClassifier().fit(X, Y)
    with pytest.raises(InvalidInputError, match=message):
        model.plot(X, labels)


@pytest.mark.parametrize("n_groups", [0, 1.5])
def test_a_picture_needs_a_number_of_groups(n_groups):
    with pytest.raises(InvalidInputError, match="n_groups must be"):
        SparseLogisticClassifier().fit(X, Y).plot(X, Y, n_groups=n_groups)


def test_costs_do_not_go_with_the_name():
    with pytest.raises(InvalidInputError, match="interval='costs' cannot be used with a method given by name"):
        get_scorer("sparselogit", interval="costs")


def test_the_ends_of_an_interval_by_name_are_used():
    assert sparselogit()[-1].interval == "alpha"
    assert sparselogit(p_min=0, p_max=1)[-1].interval == "alpha"
    for ends in ({"p_min": 0.3}, {"p_max": 0.6}, {"p_min": 0.3, "p_max": 0.6}):
        assert sparselogit(**ends)[-1].interval == "given"
    fitted = npc(X, Y, "sparselogit", alpha=0.1, delta=0.2, p_min=0.3, p_max=0.6, random_state=0).scorers[0][-1]
    assert (fitted.p_min_, fitted.p_max_) == (0.3, 0.6)
    with pytest.raises(InvalidInputError, match="do not go with interval='alpha'"):
        npc(X, Y, "sparselogit", alpha=0.1, delta=0.2, interval="alpha", p_min=0.3, random_state=0)


WIDE = sparse.csr_array(([9.0, 9.0], ([1, 3], [0, 0])), shape=(4, 40_000))


@pytest.mark.parametrize(
    ("params", "rows", "message"),
    [
        ({"lam": 0.0}, WIDE, r"lam=0 with 40000 columns .* 12\.8 GB.* Use lam above 0 with"),
        ({"lam": 0.0}, WIDE.toarray(), r"lam=0 with 40000 columns and 4 rows .* 40001 x 40001 .* 12\.8 GB"),
        ({"solver": "primal"}, WIDE, r"lam=1 .* 12\.8 GB.* Use solver='dual'"),
    ],
)
def test_columns_whose_matrix_would_not_fit_are_refused_before_it_is_made(params, rows, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        SparseLogisticClassifier(**params).fit(rows, [0, 1, 0, 1])
    assert caught.value.argument == "lam"
    # with a penalty the same rows are no matter
    assert SparseLogisticClassifier().fit(rows, [0, 1, 0, 1]).coef_.shape == (1, 40_000)
