"""A score that depends on the rows beside it is refused: the threshold of one call says nothing of the next."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from nproc import certify, npc, npc_multiclass, nproc
from nproc.errors import InvalidInputError

RNG = np.random.default_rng(3)
Y = np.repeat([0, 1], [200, 200])
X = RNG.normal(size=(400, 2)) + 1.5 * Y[:, None]


def scaled_here(Z):
    return StandardScaler().fit_transform(Z)


BATCH = {
    "ranks": lambda Z: rankdata(np.asarray(Z)[:, 0]),
    "scaled": lambda Z: scaled_here(Z)[:, 0],
    "less its mean, far from 0": lambda Z: 2e6 + np.asarray(Z)[:, 0] - np.asarray(Z)[:, 0].mean(),
    "less its mean": lambda Z: np.asarray(Z)[:, 0] - np.asarray(Z)[:, 0].mean(),
    "sorted": lambda Z: np.sort(np.asarray(Z)[:, 0]),
}
REFUSED = "the score of a row depends on the other rows: .* gives a row the score .* among .* rows and .* No thresh"


@pytest.mark.parametrize("kind", BATCH)
@pytest.mark.parametrize("more", [{}, {"groups": np.tile(["a", "b"], 200)}, {"clusters": np.arange(400)}])
def test_functions_that_look_at_the_other_rows_are_refused(kind, more):
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(X, Y, BATCH[kind], prefit=True, alpha=0.1, **more)


@pytest.mark.parametrize("kind", ["ranks", "less its mean"])
def test_one_score_far_out_hides_no_dependence(kind):
    # the first class 0 row is none of the few that are scored again
    table = np.vstack([[[0.0, 1e11]], X])
    scores = lambda Z: np.where(Z[:, 1] > 1e10, 1e11, BATCH[kind](Z))  # noqa: E731
    with pytest.raises(InvalidInputError, match=REFUSED):
        npc(table, np.append(0, Y), scores, prefit=True, alpha=0.1)
    npc(table, np.append(0, Y), lambda Z: Z.sum(axis=1), prefit=True, alpha=0.1)


@pytest.mark.parametrize("face", [npc, nproc, npc_multiclass])
@pytest.mark.filterwarnings("ignore:the scores point")
def test_a_step_that_is_fitted_anew_at_each_call_is_refused(face):
    model = make_pipeline(FunctionTransformer(scaled_here), LogisticRegression())
    with pytest.raises(InvalidInputError, match=REFUSED):
        face(X, Y, model, random_state=1)


def test_a_pipeline_that_learns_its_scale_is_taken():
    fit = npc(X, Y, make_pipeline(StandardScaler(), LogisticRegression()), random_state=1)
    assert fit.predict(X).sum() > 50


@pytest.mark.parametrize("offset", [0.0, 1e13])
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_rounding_is_no_dependence(offset, scale):
    weights = np.array([1.0, 0.5]) * scale
    npc(X, Y, lambda Z: Z @ weights + offset * scale, prefit=True, alpha=0.1)


def test_a_last_digit_of_single_precision_is_no_dependence():
    def score(Z):
        scores = (1 + 1e-6 * np.asarray(Z)[:, 0]).astype(np.float32)
        # as sums of many rows are taken in another order than those of a few
        return np.nextafter(scores, np.float32(2)) if len(Z) > 100 else scores

    npc(X, Y, score, prefit=True, alpha=0.1)


@pytest.mark.filterwarnings("ignore:the .* largest of .* are tied")
def test_a_last_digit_of_a_probability_near_1_is_no_dependence():
    class NearOne(BaseEstimator):
        classes_ = np.array([0, 1])

        def predict_proba(self, Z):
            # many rows together have another last digit than a few: the log odds of 1 - p move by up to log 2
            p = 1 - 2.0**-53 * (1 + (np.asarray(Z)[:, 0] > 0) + (len(Z) > 100))
            return np.column_stack([1 - p, np.where(np.asarray(Z)[:, 1] > 0, p, 0.5)])

    npc(X, Y, NearOne(), prefit=True, alpha=0.1)


def test_random_scores_are_taken():
    rng = np.random.default_rng(0)
    npc(X, Y, lambda Z: Z[:, 0] + rng.normal(size=len(Z)), prefit=True, alpha=0.1)


class TestCertify:
    def test_labels_that_depend_on_the_rows_beside_are_refused(self):
        with pytest.raises(InvalidInputError, match="depends on the other rows"):
            certify(lambda Z: (rankdata(np.asarray(Z)[:, 0]) > 90).astype(int), X[Y == 0], class0=0)

    def test_labels_in_another_order_are_refused(self):
        frame = pd.DataFrame(X[Y == 0], columns=["a", "b"])
        with pytest.raises(InvalidInputError, match=r"order|beside it|same rows|index"):
            certify(lambda Z: (Z["a"] > 1).astype(int).sort_values(), frame, class0=0)

    def test_labels_drawn_at_random_are_taken(self):
        class Random(BaseEstimator):
            def predict(self, Z):
                return RNG.integers(0, 2, size=len(Z))

        assert certify(Random(), X[Y == 0], class0=0).type1_upper > 0.4
