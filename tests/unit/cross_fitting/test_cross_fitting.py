"""Cross-fitting: what the classifier does, by hand, and what it refuses and says."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from nproc import NPClassifier, TooFewSamplesError, load, npc, save
from nproc.cli import main
from nproc.cross_fitting import NPCrossFit, cross_fit_bound
from nproc.cross_fitting.fit import make_folds
from nproc.errors import InvalidInputError, NPWarning
from nproc.orderstat import tail_mean
from nproc.simulate import GaussianWorld, simulation1

WORLD = GaussianWorld([0.0, 0.0], [1.5, 1.5])
SAMPLE, NEW = WORLD.sample_classes(203, 150, 1), WORLD.sample_classes(500, 500, 2)


def fitted(**changes):
    return npc(SAMPLE.X, SAMPLE.y, **{"method": "lda", "cross_fit": 5, "random_state": 3} | changes)


def test_each_class_0_row_is_left_out_once_and_all_class_1_rows_train():
    folds = make_folds(SAMPLE.y, 5, 7)
    left = np.concatenate([fold.idx_left0 for fold in folds])
    np.testing.assert_array_equal(np.sort(left), np.flatnonzero(SAMPLE.y == 0))
    assert sorted(fold.idx_left0.size for fold in folds) == [40, 40, 41, 41, 41]
    for fold in folds:
        rest = np.setdiff1d(np.arange(SAMPLE.y.size), fold.idx_left0)
        np.testing.assert_array_equal(fold.idx_train, rest)


def test_labels_are_those_of_the_rule_by_hand():
    fit = fitted()
    counts = np.zeros(NEW.y.size)
    for fold, model in zip(make_folds(SAMPLE.y, 5, fit.seed), fit.models, strict=True):
        left, new = (model.decision_function(rows) for rows in (SAMPLE.X[fold.idx_left0], NEW.X))
        counts += np.sum(left >= new[:, None], axis=1)
    order = int(fit.orders[0])
    assert order == 199
    np.testing.assert_array_equal(fit.predict(NEW.X), (counts <= 203 - order).astype(int))
    np.testing.assert_array_equal(fit.decision_function(NEW.X), 203 - order + 0.5 - counts)


def test_copies_are_counted_in_all_folds_together():
    X, y = np.concatenate([SAMPLE.X, SAMPLE.X[:30]]), np.concatenate([SAMPLE.y, SAMPLE.y[:30]])
    # each row has at most one copy, which trains the model of its fold unless both are in it
    n_trained, n0 = 0, int(np.sum(y == 0))
    for fold in make_folds(y, 5, 3):
        trained = {tuple(row) for row in X[fold.idx_train]}
        n_trained += sum(tuple(row) in trained for row in X[fold.idx_left0])
    assert n_trained > 0
    with pytest.warns(match=rf"^{n_trained} of {n0} left-out class 0 rows .*\(in all 5 folds together\)") as caught:
        fit = npc(X, y, "lda", cross_fit=5, alpha=0.2, random_state=3)
    (told,) = fit.caveats
    assert str(caught[0].message).startswith(told)
    # it is also said where there is no guarantee
    assert "guarantee" not in told
    assert "split" not in told


@pytest.mark.filterwarnings("ignore:.*exact copies")
def test_equal_scores_count_as_above():
    X = np.round(SAMPLE.X)
    fit = npc(X, SAMPLE.y, "lda", cross_fit=5, alpha=0.2, random_state=3)
    rows = np.round(NEW.X)
    above = sum(
        np.sum(known >= model.decision_function(rows)[:, None] - 1e-9, axis=1)
        for known, model in zip(fit.scorers[0].sorted0, fit.models, strict=True)
    )
    np.testing.assert_array_equal(fit.predict(rows) == 1, above <= 203 - fit.orders[0])


def test_processes_levels_files_and_the_estimator_change_nothing(tmp_path):
    fit = fitted()
    labels = fit.predict(NEW.X)
    np.testing.assert_array_equal(fitted(n_jobs=2).predict(NEW.X), labels)
    np.testing.assert_array_equal(fitted(alpha=0.2).with_levels(alpha=0.05).predict(NEW.X), labels)
    np.testing.assert_array_equal(np.concatenate(list(fit.predict_chunks([NEW.X[:300], NEW.X[300:]]))), labels)
    save(fit, tmp_path / "fit.skops")
    np.testing.assert_array_equal(load(tmp_path / "fit.skops").predict(NEW.X), labels)
    model = NPClassifier("lda", cross_fit=5, random_state=3).fit(SAMPLE.X, SAMPLE.y)
    assert isinstance(model.fit_, NPCrossFit)
    np.testing.assert_array_equal(model.predict(NEW.X), labels)


def test_a_checkpoint_resumes(tmp_path):
    first = fitted(checkpoint=tmp_path).predict(NEW.X)
    np.testing.assert_array_equal(fitted(checkpoint=tmp_path).predict(NEW.X), first)


def test_the_report_says_that_alpha_is_not_proved_and_what_is():
    fit = fitted()
    assert not fit.guaranteed
    text = " ".join(str(fit.summary()).split())
    assert "It is not proved that the type I error is at most 0.05 with probability at least 0.95" in text
    assert fit.bound().sentence() in text
    assert fit.bound().order == 199
    assert list(fit.to_frame()["n0_left_out"]) == [41, 41, 41, 40, 40]
    assert "the bound at alpha is not proved" in repr(fit)
    assert fit.certify(NEW.X, NEW.y).n0 == 500


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cross_fit": 1}, "cross_fit must be at least 2, got 1"),
        ({"cross_fit": 300}, "cross_fit=300 requires at least 300 class 0 rows, got 203"),
        ({"n_splits": 3}, "cross_fit divides all class 0 rows into folds; leave out n_splits=3"),
        ({"split_ratio": 0.5}, "leave out split_ratio=0.5"),
        ({"ties": "randomize"}, "leave out ties='randomize'"),
        ({"rank": "randomize"}, "rank='randomize' cannot be combined with cross_fit; leave one"),
        ({"small_sample": "normal"}, "cross_fit cannot be combined with small_sample"),
        ({"groups": SAMPLE.y}, "cross_fit cannot be combined with groups"),
        ({"method": lambda X: X[:, 0], "prefit": True}, "leave out prefit=True"),
    ],
)
def test_what_does_not_go_with_folds_is_refused(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        fitted(**arguments)


@pytest.mark.parametrize("name", ["p_values", "conditional_p_values", "type1_upper_curve", "vote_bound", "plot"])
def test_what_needs_one_scorer_is_refused_with_a_way_out(name):
    fit = fitted()
    with pytest.raises(InvalidInputError, match=r"cross-fit|one scale"):
        getattr(fit, name)(*([NEW.X] if "p_values" in name else []))


def test_too_few_rows_and_useless_scores_are_told():
    with pytest.raises(TooFewSamplesError, match="at least 299 are needed"):
        fitted(alpha=0.01)

    class Same(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, X):
            return np.zeros(len(X))

    with pytest.warns(NPWarning, match="gives every row the same score"):
        fit = fitted(method=Same())
    assert np.all(fit.predict(NEW.X) == 0)
    with pytest.warns(NPWarning, match="wrong sign"):
        fit = fitted(method=LogisticRegression(), class0=1, resample=_Swapped())
    assert "wrong sign" in " ".join(str(fit.summary()).split())


@pytest.mark.filterwarnings("ignore:.*are exact copies of training rows")
def test_tied_scores_are_counted_over_all_folds():
    # in some folds alone the largest scores are tied down to the rank, but rows are called class 1 all the same
    X = np.repeat(np.arange(1.0, 6.0), 60)[:, None]
    for seed in (1, 2, 3):
        y = (np.random.default_rng(4).random(300) < X[:, 0] / 6).astype(int)
        fit = npc(X, y, "logistic", alpha=0.15, cross_fit=5, random_state=seed)
        assert np.mean(fit.predict(X) == 1) == 0.2
        assert "called class 0" not in " ".join(str(fit.summary()).split())
    coarse, y = np.repeat([1.0, 2.0], 300)[:, None], np.tile([0, 0, 1], 200)
    with pytest.warns(NPWarning, match="none of the 200 class 1 rows that were looked at is. Use a scorer") as told:
        fit = npc(coarse, y, _FirstFloor(), alpha=0.15, cross_fit=5, random_state=1)
    assert not any("randomize" in str(one.message) for one in told)
    assert np.all(fit.predict(coarse) == 0)
    assert "out-of-fold class 0 scores are tied with the largest of their fold" in " ".join(str(fit.summary()).split())
    with pytest.warns(NPWarning, match="tell the classes apart"):
        npc(y[:, None] + 0.9 * coarse / 2, y, _FirstFloor(), alpha=0.15, cross_fit=5, random_state=1)


class _FirstFloor(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.floor(np.asarray(X)[:, 0])


class _Swapped:
    def fit_resample(self, X, y):
        return X, 1 - y


def test_the_command_line_fits_folds(tmp_path, capsys):
    frame = pd.DataFrame(SAMPLE.X, columns=["a", "b"]).assign(y=SAMPLE.y)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    options = ["fit", str(tmp_path / "rows.csv"), "--label", "y", "--class0", "0", "--cross-fit", "5", "--seed", "3"]
    assert main([*options, "--method", "lda", "--out", str(tmp_path / "fit.joblib")]) == 0
    assert "Cross-fitted Neyman-Pearson classifier" in capsys.readouterr().out
    np.testing.assert_array_equal(load(tmp_path / "fit.joblib").predict(frame[["a", "b"]]), fitted().predict(SAMPLE.X))
    assert main([*options, "--plot", str(tmp_path / "a.png")]) == 2


# --- the bound ---


def test_the_mean_of_a_tail_is_that_of_an_integral():
    law = beta(3, 40)
    cut = law.isf(0.05)
    grid = np.linspace(cut, 1, 200_001)
    assert tail_mean(3.0, 40.0, 0.05) == pytest.approx(np.trapezoid(grid * law.pdf(grid), grid) / 0.05, rel=1e-6)


@pytest.mark.parametrize(("n0", "n_folds", "alpha"), [(60, 5, 0.05), (200, 5, 0.05), (400, 3, 0.1), (80, 80, 0.2)])
def test_the_bounds_hold_for_uniform_scores_of_any_slope(n0, n_folds, alpha):
    # the bound is the least over slopes of a mean over folds; here is its value at one slope, by simulation
    rng = np.random.default_rng(0)
    bound = cross_fit_bound(n0, n_folds, alpha, 0.05)
    most, m = n0 - bound.order, n0 // n_folds
    counts = np.arange(m + 1)
    phi = np.maximum(0, 2 - counts * n0 / m / most) if most else (counts == 0).astype(float)
    folds = rng.dirichlet(np.ones(m + 1), size=(n_folds, 20_000)) @ phi
    # at worst all folds are alike, and at best they are independent
    for errors in (folds[0], folds.mean(axis=0)):
        assert bound.mean_type1_upper <= errors.mean() + 4 * errors.std() / np.sqrt(20_000)
    assert np.mean(folds.min(axis=0) > bound.type1_upper_at_delta) <= 0.05


def test_at_the_largest_score_the_largest_fold_alone_gives_the_bounds():
    # 62 rows in folds of 12 and 13; a row is called class 1 only above all scores of each of them
    bound = cross_fit_bound(62, 5)
    assert bound.order == 62
    assert bound.type1_upper_at_delta == pytest.approx(1 - 0.05 ** (1 / 13))
    assert bound.mean_type1_upper == pytest.approx(1 / 14)


@pytest.mark.slow
def test_the_bound_on_average_tends_to_twice_alpha_and_errors_are_named():
    uppers = [cross_fit_bound(n0, 5).mean_type1_upper for n0 in (10**3, 10**4, 10**5, 10**6)]
    assert np.all(np.diff(uppers) > 0)
    assert uppers[-1] == pytest.approx(0.1, rel=0.01)
    with pytest.raises(InvalidInputError, match="n_folds=7 requires at least 7 class 0 rows, got n0=6"):
        cross_fit_bound(6, 7, 0.5, 0.5)
    assert "Cross-fitting: what is proved" in str(cross_fit_bound(100).summary())


@pytest.mark.parametrize("n_folds", [5, 50])
def test_rows_of_the_fit_are_recognised_and_new_ones_are_not(n_folds):
    sample, new = simulation1(600, random_state=1), simulation1(600, random_state=2)
    fit = npc(sample.X, sample.y, "lda", cross_fit=n_folds, random_state=1)
    for call in (fit.certify, fit.evaluate):
        with pytest.warns(NPWarning, match="exactly the same score as a row that set the threshold"):
            call(sample.X, sample.y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(new.X, new.y)


def test_no_split_ratio_is_told_or_advised():
    sample = simulation1(600, random_state=1)
    fit = npc(sample.X, sample.y, "lda", cross_fit=5, random_state=1)
    assert fit.split_ratio is None
    with pytest.raises(TooFewSamplesError) as error:
        fit.with_levels(alpha=0.001)
    assert "split_ratio" not in str(error.value)
