"""Tests of `nproc.scorers.linear` and `linear_stack`: weighted sums of columns give what the models score."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    RidgeClassifierCV,
    SGDClassifier,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from versions import since

from nproc.errors import InvalidInputError
from nproc.scorers import get_scorer, score_rows
from nproc.scorers.classical.logistic import LogisticRegressionML
from nproc.scorers.classical.penalised import L1LogisticCV, SparseLDA
from nproc.scorers.linear import linear_form, stack_linear
from nproc.scorers.papers.acsvm import AsymmetricCostSVC
from nproc.scorers.papers.constrained import ConstrainedNPClassifier
from nproc.scorers.papers.generative import GaussianNPClassifier
from nproc.scorers.papers.npsvm import NPSVC
from nproc.scorers.papers.online import OnlineNPClassifier
from nproc.scorers.papers.qvalue_svm import QValueSVC
from nproc.scorers.papers.sparse_logistic import SparseLogisticClassifier
from nproc.scorers.papers.svmperf import PrecisionAtKSVC

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 60)
# columns far from 0 and on other scales, so that centres and scales matter
X = (RNG.normal(size=(120, 3)) + np.outer(Y, [1.0, 0.5, 0.0])) * [1.0, 20.0, 0.1] + [0.0, 300.0, 5.0]
X_NEW = RNG.normal(size=(50, 3)) * [1.0, 20.0, 0.1] + [0.0, 300.0, 5.0]

OF_THE_PACKAGE = {
    "logistic": LogisticRegressionML(),
    "penlog": L1LogisticCV(n_lambdas=5, n_folds=3, random_state=1),
    "slda": SparseLDA(n_lambdas=5, n_folds=3, random_state=1),
    "constrained": ConstrainedNPClassifier(alpha=0.2),
    "svmperf": PrecisionAtKSVC(alpha=0.2),
    "onp": OnlineNPClassifier(alpha=0.2, max_iter=3, random_state=1),
    "gen": GaussianNPClassifier(alpha=0.2),
    "npsvm": NPSVC(alpha=0.2, kernel="linear"),
    "qsvm": QValueSVC(kernel="linear"),
    "sparselogit": SparseLogisticClassifier(kernel="linear"),
    "acsvm": AsymmetricCostSVC(alpha=0.2, kernel="linear", C1s=[1.0], C0s=[1.0], n_folds=2, random_state=1),
}
SINCE_1_8 = {"l1_ratios": (0,), "use_legacy_attributes": False} if since("scikit-learn", "1.8") else {}
OF_SKLEARN = [
    LogisticRegression(max_iter=1000),
    LogisticRegressionCV(Cs=2, cv=2, max_iter=2000, scoring="accuracy", **SINCE_1_8),
    SGDClassifier(random_state=1, max_iter=20),
    Perceptron(random_state=1, max_iter=20),
    RidgeClassifier(),
    RidgeClassifierCV(),
    LinearSVC(random_state=1, max_iter=200),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    LogisticRegression(fit_intercept=False, max_iter=1000),
]


def trained(model, rows=X, y=Y):
    with warnings.catch_warnings():
        # how well they are trained is not what is looked at
        warnings.simplefilter("ignore")
        return model.fit(rows, y)


def assert_same_scores(model, values=None, rows=X_NEW):
    form = linear_form(model, values)
    scores = score_rows(model, rows, values)
    size = np.abs(rows).max() * np.abs(form.weights).sum() + form.size
    np.testing.assert_allclose(rows @ form.weights + form.intercept, scores, rtol=1e-12, atol=1e-13 * size)


@pytest.mark.parametrize(
    ("name", "turned"),
    [(name, False) for name in OF_THE_PACKAGE]
    + [(name, True) for name, model in OF_THE_PACKAGE.items() if "class0" in model.get_params()],
)
def test_the_form_of_a_method_of_the_package_gives_its_scores(name, turned):
    model = OF_THE_PACKAGE[name]
    if turned:
        model = clone(model).set_params(class0=1)
    model = make_pipeline(StandardScaler(), model)
    y = 1 - Y if turned else Y
    assert_same_scores(trained(model, y=y))


@pytest.mark.parametrize("model", OF_SKLEARN, ids=lambda model: type(model).__name__)
def test_the_form_of_a_linear_classifier_of_sklearn_gives_its_scores(model):
    assert_same_scores(trained(model))
    assert_same_scores(trained(make_pipeline(StandardScaler(with_mean=False), "passthrough", model)))


@pytest.mark.parametrize("name", ["npsvm", "svmperf", "constrained", "gen", "onpsvm"])
def test_the_form_of_a_pipeline_with_the_packages_own_scaler_gives_its_scores(name):
    options = {"kernel": "linear"} if name == "npsvm" else {}
    model = trained(get_scorer(name, alpha=0.2, **options))
    assert type(model.steps[0][1]).__name__ == "ColumnScaler"
    assert_same_scores(model)


def test_the_users_labels_turn_the_form_as_they_turn_the_scores():
    model = trained(LogisticRegression(max_iter=1000), y=np.where(Y == 1, "ill", "well"))
    assert_same_scores(model, values=np.array(["well", "ill"]))
    assert_same_scores(model, values=np.array(["ill", "well"]))
    first, second = (linear_form(model, np.array(labels)) for labels in (["well", "ill"], ["ill", "well"]))
    np.testing.assert_array_equal(first.weights, -second.weights)
    with pytest.raises(InvalidInputError, match="was trained on the classes"):
        linear_form(model)


class Doubled(LogisticRegression):
    def decision_function(self, X):
        return 2 * super().decision_function(X)


@pytest.mark.parametrize(
    "model",
    [
        GaussianNB(),
        SVC(kernel="linear"),
        NPSVC(alpha=0.2),
        QValueSVC(),
        OnlineNPClassifier(alpha=0.2, kernel="rbf", n_components=5, max_iter=2, random_state=1),
        GaussianNPClassifier(alpha=0.2, kernel="rbf"),
        Doubled(max_iter=1000),
        CalibratedClassifierCV(LinearDiscriminantAnalysis(), cv=2),
        make_pipeline(MinMaxScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), GaussianNB()),
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_is_not_linear_or_not_known_has_no_form(model):
    assert linear_form(trained(model)) is None


def test_a_function_and_sparse_coefficients_have_no_form():
    assert linear_form(lambda rows: rows[:, 0]) is None
    assert linear_form(trained(SGDClassifier(random_state=1, max_iter=5)).sparsify()) is None


def test_a_stack_scores_all_linear_members_within_its_rounding():
    members = [
        trained(model) for model in (LinearDiscriminantAnalysis(), GaussianNB(), LogisticRegression(max_iter=1000))
    ]
    stack = stack_linear(members)
    assert stack.members.tolist() == [0, 2]
    product, sizes = stack.products(stack.plain_rows(X_NEW))
    for row, j in enumerate(stack.members):
        apart = np.abs(product[row] + stack.intercepts[row] - score_rows(members[j], X_NEW))
        assert apart.max() <= stack.rounding * sizes[row]
    assert stack.rounding * sizes.max() < 1e-8
    assert stack_linear([members[1]]) is None


def test_members_of_other_columns_are_left_out_of_a_stack():
    wide, narrow = trained(LinearDiscriminantAnalysis()), trained(LinearDiscriminantAnalysis(), X[:, :2])
    named = trained(LinearDiscriminantAnalysis(), pd.DataFrame(X, columns=["a", "b", "c"]))
    assert stack_linear([wide, narrow, named]).members.tolist() == [0]
    stack = stack_linear([named, wide])
    assert stack.names == ("a", "b", "c")
    assert stack.plain_rows(X_NEW) is None
    frame = pd.DataFrame(X_NEW, columns=["a", "b", "c"])
    np.testing.assert_array_equal(stack.plain_rows(frame), X_NEW)
    assert stack.plain_rows(frame[["b", "a", "c"]]) is None
    assert stack.plain_rows(frame.assign(a="1")) is None


def test_what_the_models_should_look_at_themselves_is_no_plain_table():
    stack = stack_linear([trained(LinearDiscriminantAnalysis())])
    assert stack.plain_rows(X_NEW.astype(np.float32)) is None
    assert stack.plain_rows(X_NEW[:, :2]) is None
    assert stack.plain_rows(sparse.csc_array(X_NEW)) is None
    np.testing.assert_array_equal(stack.plain_rows(sparse.csr_array(X_NEW)).toarray(), X_NEW)
    dense_only = stack_linear([trained(GaussianNPClassifier(alpha=0.2))])
    assert dense_only.plain_rows(sparse.csr_array(X_NEW)) is None
    centring = stack_linear([trained(make_pipeline(StandardScaler(), LinearDiscriminantAnalysis()))])
    assert centring.plain_rows(sparse.csr_array(X_NEW)) is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e305])
def test_values_that_are_not_finite_or_may_overflow_have_no_product(value):
    stack = stack_linear([trained(LinearDiscriminantAnalysis())])
    rows = X_NEW.copy()
    rows[7, 1] = value
    assert stack.products(rows) is None
    assert stack.products(sparse.csr_array(rows)) is None


def test_a_sparse_product_is_that_of_the_dense_rows():
    stack = stack_linear([trained(LinearDiscriminantAnalysis()), trained(RidgeClassifier())])
    rows = np.where(np.abs(X_NEW - X_NEW.mean(axis=0)) < X_NEW.std(axis=0), X_NEW, 0.0)
    dense, held = (stack.products(table)[0] for table in (rows, sparse.csr_array(rows)))
    np.testing.assert_allclose(held, dense, rtol=1e-12)
    nothing = sparse.csr_array((4, 3))
    np.testing.assert_array_equal(stack.products(nothing)[0], np.zeros((2, 4)))


@pytest.mark.parametrize(
    ("kinds", "plain"),
    [
        (("float64", "float64", "float64"), True),
        (("int64", "int32", "int64"), True),
        (("float32", "float64", "bool"), True),
        (("float32", "float32", "float32"), False),
        (("float32", "int8", "bool"), False),
        (("int16", "int8", "bool"), False),
    ],
)
def test_columns_that_models_may_add_up_in_less_than_float64_are_left_to_them(kinds, plain):
    stack = stack_linear([trained(LinearDiscriminantAnalysis(), pd.DataFrame(X, columns=["a", "b", "c"]))])
    frame = pd.DataFrame(X_NEW.round(), columns=["a", "b", "c"]).astype(dict(zip("abc", kinds, strict=True)))
    assert (stack.plain_rows(frame) is not None) == plain
