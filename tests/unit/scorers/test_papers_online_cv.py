"""OnlineNPClassifierCV: the search of one fit after another, at once."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils.estimator_checks import check_estimator

from nproc import OnlineNPClassifier, OnlineNPClassifierCV, np_score, npc
from nproc.errors import InvalidInputError, NotConvergedWarning, NPWarning
from nproc.scorers.papers.online_cv import first_of_the_best

SMALL = {"shares": (1.0,), "lams": (1e-3, 0.1), "taus": (1.0, 50.0), "max_iter": 20, "tol": 5.0}


def rows(n=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=n)
    return rng.normal(size=(n, 3)) + 1.5 * y[:, np.newaxis], y


def search(alpha=0.1, **changes):
    return OnlineNPClassifierCV(alpha, **{**SMALL, "random_state": 1, **changes})


# the grid tries levels of the training below the one that is scored
@pytest.mark.filterwarnings("ignore:np_score.* of its own")
@pytest.mark.parametrize("gamma0s", [("auto",), ("auto", 0.02)])
def test_it_chooses_what_a_grid_search_chooses(gamma0s):
    X, y = rows()
    cv = StratifiedKFold(3, shuffle=True, random_state=2)
    model = search(gamma0s=gamma0s, cv=cv, shares=(0.5, 1.0)).fit(X, y)
    one = OnlineNPClassifier(0.1, max_iter=20, tol=None, random_state=model.best_estimator_.random_state)
    grid = {"alpha": [0.05, 0.1], "lam": SMALL["lams"], "tau": SMALL["taus"], "gamma0": list(gamma0s)}
    peer = GridSearchCV(one, grid, scoring=np_score(0.1), cv=cv, error_score="raise").fit(X, y)
    by_settings = {
        tuple(p[name] for name in grid): -score
        for p, score in zip(peer.cv_results_["params"], peer.cv_results_["mean_test_score"], strict=True)
    }
    found = model.cv_results_
    assert len(found) == len(by_settings)
    for row in found.itertuples():
        assert row.loss == pytest.approx(by_settings[row.alpha, row.lam, row.tau, row.gamma0], abs=1e-12)
    assert model.best_params_ == {name: found[name][model.best_index_] for name in grid}
    assert found["loss"][model.best_index_] == -peer.best_score_
    alone = one.set_params(**model.best_params_).fit(X, y)
    np.testing.assert_array_equal(model.coef_, alone.coef_)
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_one_division_as_in_the_paper():
    X, y = rows()
    model = search(cv=StratifiedShuffleSplit(1, test_size=1 / 3, random_state=0)).fit(X, y)
    assert np.isnan(model.cv_results_["loss_std"]).all()
    assert model.cv_results_["loss"].notna().all()


def test_the_default_grid_is_that_of_the_paper_at_alpha_and_at_half_of_it():
    model = OnlineNPClassifierCV()
    assert (len(model.lams), len(model.taus), model.gamma0s, model.shares) == (7, 6, ("auto",), (1.0, 0.5))


def test_labels_of_any_kind_and_the_second_one_as_class_0():
    X, y = rows()
    plain = search().fit(X, y)
    names = np.array(["z", "a"])[y]
    text = search(class0="z").fit(X, names)
    assert text.classes_.tolist() == ["a", "z"]
    assert text.class0_ == "z"
    # class 0 is the second of the sorted labels
    np.testing.assert_array_equal(text.coef_, -plain.coef_)
    np.testing.assert_array_equal(text.predict(X) == "a", plain.predict(X) == 1)
    np.testing.assert_array_equal(text.best_estimator_.predict(X), text.predict(X))


def test_sparse_rows_frames_and_a_saved_model():
    X, y = rows()
    X[np.abs(X) < 0.5] = 0.0
    dense = search().fit(X, y)
    thin = search().fit(sparse.csc_matrix(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-8)
    framed = search().fit(pd.DataFrame(X, columns=list("abc")), pd.Series(y))
    np.testing.assert_array_equal(framed.coef_, dense.coef_)
    assert framed.feature_names_in_.tolist() == ["a", "b", "c"]
    again = pickle.loads(pickle.dumps(dense))
    np.testing.assert_array_equal(again.predict(X), dense.predict(X))


def test_the_same_seed_gives_the_same_and_the_global_state_is_left_alone():
    X, y = rows()
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, second = search().fit(X, y), search().fit(X, y)
    np.testing.assert_array_equal(first.coef_, second.coef_)
    assert not np.array_equal(search(random_state=2).fit(X, y).coef_, first.coef_)
    search(random_state=np.random.default_rng(1)).fit(X, y)
    search(random_state=np.random.RandomState(1)).fit(X, y)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_groups_go_to_the_splitter():
    X, y = rows()
    groups = np.arange(y.size) % 5
    assert len(search(cv=GroupKFold(5)).fit(X, y, groups=groups).cv_results_) == 4


def test_under_npc_and_its_linear_form():
    X, y = rows(1500)
    fit = npc(X, y, search(), alpha=0.1, delta=0.1, random_state=1)
    assert fit.evaluate(X, y).type1 < 0.2


# what is left is a model on rows of size 1e60 that is no better than a constant, which is told as well
@pytest.mark.filterwarnings("ignore:OnlineNPClassifierCV stopped after 20 iterations. the model is no better than")
def test_candidates_that_overflow_are_told_and_never_chosen():
    X, y = rows()
    far = {"gamma0s": (1e170, "auto"), "lams": (1e-180, 1e-185), "eta": 1e-3}
    with pytest.warns(NPWarning, match=r"the weights of \d of 8 candidates overflowed"):
        model = search(**far).fit(X * 1e60, y)
    assert model.best_params_["gamma0"] == "auto"
    assert np.isfinite(model.coef_).all()
    with pytest.raises(InvalidInputError, match="the weights of every candidate overflowed"):
        search(gamma0s=(1e170,), lams=(1e-180,), eta=1e-3).fit(X * 1e60, y)


# with such a penalty the weights are almost 0, which is told as well
@pytest.mark.filterwarnings("ignore:OnlineNPClassifierCV ")
def test_candidates_with_steps_that_would_reverse_the_weights_are_left_out():
    X, y = rows()
    small = 0.02 * X
    # of the default penalties, by the mean square norm of all rows
    lams = [lam for lam in OnlineNPClassifierCV().lams if 0.1 * lam < 0.9 * np.mean(np.sum(small**2, axis=1))]
    assert 0 < len(lams) < 7
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "gamma0|.*left out")
        model = OnlineNPClassifierCV(0.1, taus=(10.0,), max_iter=20, tol=5.0, random_state=1).fit(small, y)
    assert sorted(set(model.cv_results_["lam"])) == lams
    with pytest.warns(NPWarning, match=r"2 of 4 candidates are left out, because gamma0 \* lam is not below 1"):
        chosen = search(lams=(1e-3, 10.0)).fit(small, y)
    np.testing.assert_array_equal(chosen.coef_, search(lams=(1e-3,)).fit(small, y).coef_)
    with pytest.raises(InvalidInputError, match=r"for all lams and gamma0s it is .* Use smaller lams or gamma0s, or"):
        search(lams=(10.0, 20.0)).fit(small, y)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alpha": 1.5}, "alpha must"),
        ({"shares": (2.0,)}, "shares must lie in \\(0, 1\\], got 2.0"),
        ({"lams": ()}, "lams must be a sequence of one value or more, got \\(\\)"),
        ({"taus": 3.0}, "taus must be a sequence"),
        ({"gamma0s": "auto"}, "gamma0s must be a sequence of one value or more, got 'auto'"),
        ({"lams": (-1.0,)}, "lam must"),
        ({"cv": 1}, "cv must be at least 2"),
        ({"cv": None}, "cv must be a number of folds"),
        ({"cv": 200}, "cv=200 folds need as many rows of each class"),
        ({"loss": "hinge"}, "loss must be"),
        ({"random_state": "a"}, "random_state must be"),
    ],
)
def test_bad_settings(changes, message):
    X, y = rows()
    with pytest.raises(InvalidInputError, match=message):
        search(**changes).fit(X, y)


def test_a_fold_of_one_class():
    X, y = rows()
    order = np.argsort(y, kind="stable")
    with pytest.raises(InvalidInputError, match="validation rows of fold 1 hold one class only"):
        search(cv=[(order[50:], order[:50])]).fit(X, y)


def test_divisions_may_be_lists_or_masks(capsys):
    X, y = rows()
    train = np.arange(y.size) < 200
    divisions = [np.flatnonzero(train), np.flatnonzero(~train)]
    plain = search(cv=[tuple(divisions)]).fit(X, y)
    for cv in ([tuple(part.tolist() for part in divisions)], [(train, ~train)]):
        model = search(cv=cv, verbose=100).fit(X, y)
        np.testing.assert_array_equal(model.cv_results_["loss"], plain.cv_results_["loss"])
        assert "trained on 200 rows" in capsys.readouterr().err


def test_progress(capsys):
    X, y = rows()
    search(verbose=10).fit(X, y)
    told = capsys.readouterr().err.splitlines()
    epochs = [f"OnlineNPClassifier, epoch {n}" for n in (10, 20)]
    assert [line.split(":")[0] for line in told] == ["fold 1", "fold 2", "fold 3", "fold 4", *epochs]
    assert "4 candidates trained on 225 rows, least J" in told[0]


# as for OnlineNPClassifier: data are tiny there, and some checks are skipped with a warning
# scikit-learn's checks have labels of all kinds and never name class0
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:class0 is not given")
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_finds_nothing_to_say():
    assert len(check_estimator(search(max_iter=5, cv=2), on_fail="raise")) > 30


def test_of_equal_candidates_the_penalty_decides_and_then_the_usual_rate():
    candidates = [
        OnlineNPClassifier(alpha, lam=lam, tau=tau)
        for alpha in (0.1, 0.05)
        for lam in (1e-3, 1e-2)
        for tau in (0.1, 5.0, 100.0)
    ]
    losses = np.full(12, 0.2) + np.array([0, 1e-16] * 6)
    assert first_of_the_best(losses, candidates) == 4
    # that one worse: of those left with its penalty, 100 is nearer to 10 than 0.1 is
    losses[4] = 0.3
    assert first_of_the_best(losses, candidates) == 5
    losses[7] = 0.1
    assert first_of_the_best(losses, candidates) == 7


def test_advice_names_the_parameters_of_the_search():
    X, y = rows()
    with pytest.warns(
        NotConvergedWarning,
        match=r"^OnlineNPClassifierCV stopped .*Use more epochs \(max_iter\), other taus, lams or gamma0s",
    ):
        model = search(tol=1e-9).fit(X, y)
    # and those of the estimator where it is trained again by itself
    with pytest.warns(NotConvergedWarning, match=r"^OnlineNPClassifier stopped .* another tau, lam or gamma0"):
        model.best_estimator_.fit(X, y)


def test_an_alpha_of_less_than_one_row_is_told_once_and_as_it_was_given():
    X, y = rows(n=80)
    with pytest.warns(NPWarning, match="is less than one row") as caught:
        search(alpha=0.02, shares=(0.5,), tol=None, max_iter=2).fit(X, y)
    assert [str(one.message).startswith("alpha=0.02 times ") for one in caught] == [True]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search(alpha=0.05, shares=(0.5,), tol=None, max_iter=2).fit(X, y)


def test_divisions_that_judge_nothing_are_refused():
    X, y = rows()
    used = StratifiedKFold(3).split(X, y)
    search(cv=used).fit(X, y)
    for cv in (used, []):
        with pytest.raises(InvalidInputError, match="a generator that an earlier fit has used up"):
            search(cv=cv).fit(X, y)
    everything = np.arange(len(y))
    with pytest.raises(
        InvalidInputError, match="division 1 of cv has rows in both the training and the validation part"
    ):
        search(cv=[(everything, everything[:50])]).fit(X, y)
    with pytest.raises(InvalidInputError, match=r"division 1 of cv is not a pair .* of 300 rows: index 300 is out"):
        search(cv=[(everything[:200], everything[200:] + 1)]).fit(X, y)
