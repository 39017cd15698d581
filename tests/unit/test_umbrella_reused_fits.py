"""What is trained once where a later call may use it: counted by a scorer that counts, and equal to the last bit."""

import tracemalloc
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression

from nproc import NPClassifier, NPROCBand, compare, load, npc, nproc, nproc_bands, save
from nproc.comparison import compare_procedures
from nproc.errors import InvalidInputError, NPWarning, TooFewSamplesError
from nproc.row_chunks.chunks import RowChunks
from nproc.simulate import GaussianWorld
from nproc.splitting import n_train
from nproc.tuning import choose_split_ratio

SAMPLE = GaussianWorld([0, 0], [1.5, 1]).sample_classes(320, 280, 5)
X, Y = SAMPLE.X, SAMPLE.y
FRAME = pd.DataFrame(X, columns=["a", "b"])


class Counting(ClassifierMixin, BaseEstimator):
    """The first column plus `noise` times a random one; it counts how often any of its kind was trained."""

    fits = 0

    def __init__(self, noise=0.1, random_state=None):
        self.noise = noise
        self.random_state = random_state

    def fit(self, X, y):
        Counting.fits += 1
        self.classes_ = np.unique(y)
        self.weights_ = np.r_[1.0, self.noise * np.random.default_rng(self.random_state).normal()]
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, :2] @ self.weights_


@pytest.fixture(autouse=True)
def _from_zero():
    Counting.fits = 0


def fits_of(make):
    """What `make` gives, and how many scorers it trained."""
    before = Counting.fits
    return make(), Counting.fits - before


def labels_of(n0, n1):
    return np.random.default_rng(0).permutation(np.repeat([0, 1], [n0, n1]))


class TestOneFitForRatiosWithOneTrainingSet:
    def score(self, idx_train, idx_score, seed):
        self.calls.append((idx_train.tobytes(), idx_score.tobytes(), seed))
        rng = np.random.default_rng([seed, idx_train.size])
        return rng.normal(size=idx_score.size)

    def choose(self, y, **arguments):
        self.calls = []
        seed = np.random.SeedSequence(3)
        return choose_split_ratio(y, self.score, alphas=[0.2], delta=0.1, seed=seed, **arguments)

    @pytest.mark.parametrize("leave_out_class1", [False, True])
    @pytest.mark.parametrize(("n0", "n1"), [(60, 40), (45, 9), (150, 20)])
    def test_each_ratio_has_the_errors_that_it_has_alone(self, n0, n1, leave_out_class1):
        y = labels_of(n0, n1)
        choice = self.choose(y, leave_out_class1=leave_out_class1)
        alone = [self.choose(y, ratios=(r,), leave_out_class1=leave_out_class1).type2[0] for r in choice.ratios]
        assert list(choice.type2) == alone

    def test_no_fit_is_made_twice(self):
        # 6 of the 12 tuning rows may train, the others stand for the threshold
        choice = self.choose(labels_of(60, 40))
        assert choice.ratios == (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
        assert [n_train(6, r) for r in choice.ratios] == [2, 2, 3, 4, 4, 5]
        assert len(self.calls) == len(set(self.calls)) == 4 * 5

    def test_with_many_rows_no_two_ratios_share_a_training_set(self):
        choice = self.choose(labels_of(600, 40))
        assert len(self.calls) == len(set(self.calls)) == 5 * len(choice.ratios)


@pytest.fixture(scope="module")
def of_npc():
    """A fit by npc with an adaptive ratio."""
    return npc(X, Y, "lda", split_ratio="adaptive", random_state=1)


class TestAChoiceOfTheRatioIsPassedOn:
    def test_the_same_call_gives_the_same_fit_without_the_fits_of_the_choice(self):
        first, n_first = fits_of(lambda: npc(X, Y, Counting(), split_ratio="adaptive", n_splits=3, random_state=1))
        again, n_again = fits_of(
            lambda: npc(X, Y, Counting(), split_ratio=first.ratio_choice, n_splits=3, random_state=1)
        )
        assert n_first == 3 + 5 * len(first.ratio_choice.ratios)
        assert n_again == 3
        np.testing.assert_array_equal(first.thresholds, again.thresholds)
        assert again.ratio_choice is first.ratio_choice

    def test_a_band_hands_its_choice_to_bands_and_to_classifiers(self):
        band = nproc(X, Y, Counting(), split_ratio="adaptive", random_state=1)
        other, n_other = fits_of(lambda: nproc(X, Y, Counting(0.5), split_ratio=band.ratio_choice, random_state=2))
        fit, n_fit = fits_of(lambda: npc(X, Y, Counting(), alpha=0.1, split_ratio=band.ratio_choice, random_state=3))
        assert (n_other, n_fit) == (1, 1)
        assert other.split_ratio == fit.split_ratio == band.split_ratio

    @pytest.mark.parametrize("seed", range(5))
    def test_rows_that_were_looked_at_are_never_left_out(self, seed):
        choice = nproc(X, Y, Counting(), split_ratio="adaptive", random_state=1).ratio_choice
        looked_at = {tuple(row) for row in X[choice.used]}
        left = []

        class Watching(Counting):
            def fit(self, X, y):
                left.append({tuple(row) for row in SAMPLE.X} - {tuple(row) for row in np.asarray(X)})
                return super().fit(X, y)

        npc(X, Y, Watching(), alpha=0.1, delta=0.1, split_ratio=choice, random_state=seed)
        nproc(X, Y, Watching(), split_ratio=choice, random_state=seed)
        assert len(left) == 2
        assert [len(rows & looked_at) for rows in left] == [0, 0]
        assert min(len(rows) for rows in left) > 50

    @pytest.mark.slow
    def test_an_array_and_a_frame_of_the_same_numbers_are_the_same_rows(self):
        choice = npc(FRAME, Y, LogisticRegression(), split_ratio="adaptive", random_state=1).ratio_choice
        assert npc(X, Y, "lda", split_ratio=choice, random_state=1).split_ratio == choice.split_ratio
        formula = nproc("y ~ a + b", data=FRAME.assign(y=Y), method="lda", split_ratio="adaptive", random_state=1)
        with pytest.raises(InvalidInputError, match="other columns"):
            npc("y ~ a", data=FRAME.assign(y=Y), split_ratio=formula.ratio_choice, random_state=1)

    def test_other_rows_are_refused(self, of_npc):
        choice = of_npc.ratio_choice
        with pytest.raises(InvalidInputError, match=r"chosen on 600 rows, and there are 599"):
            npc(X[1:], Y[1:], "lda", split_ratio=choice, random_state=1)
        changed = X.copy()
        changed[7, 1] += 1e-9
        order = np.random.default_rng(0).permutation(600)
        for rows, labels in ((changed, Y), (X[order], Y[order]), (X, 1 - Y), (X[:, :1], Y)):
            with pytest.raises(InvalidInputError, match="other rows, another order of them, other columns or another"):
                npc(rows, labels, "lda", split_ratio=choice, random_state=1)
        with pytest.raises(InvalidInputError, match="another class0"):
            npc(X, Y, "lda", split_ratio=choice, class0=1, random_state=1)

    def test_a_choice_by_npc_has_looked_at_all_of_class_1_so_that_no_band_can_take_it(self, of_npc):
        choice = of_npc.ratio_choice
        with pytest.raises(InvalidInputError, match="chosen by npc, which looks at all class 1 rows"):
            nproc(X, Y, "lda", split_ratio=choice, random_state=1)
        with pytest.raises(InvalidInputError, match="chosen by npc, which looks at all class 1 rows"):
            nproc_bands(X, Y, ["lda", "tree"], split_ratio=choice, random_state=1)

    def test_too_strict_a_level_for_the_ratio_is_an_error(self):
        choice = npc(X, Y, "lda", alpha=0.3, split_ratio="adaptive", random_state=1).ratio_choice
        with pytest.raises(TooFewSamplesError, match="cannot meet alpha"):
            npc(X, Y, "lda", alpha=0.001, split_ratio=choice, random_state=1)

    def test_groups_and_clusters_refuse_it_as_they_refuse_a_ratio_to_be_chosen(self, of_npc):
        choice = of_npc.ratio_choice
        for name in ("groups", "clusters"):
            with pytest.raises(InvalidInputError, match=f"'adaptive' cannot be used with {name}"):
                npc(X, Y, "lda", split_ratio=choice, random_state=1, **{name: np.arange(600) % 2})

    def test_small_samples_take_it_as_they_take_an_adaptive_ratio(self, of_npc):
        fit = of_npc
        again = npc(X, Y, "lda", split_ratio=fit.ratio_choice, small_sample="normal", random_state=1)
        assert again.thresholds == fit.thresholds

    def test_the_estimator_takes_it_and_can_be_cloned(self, of_npc):
        fit = of_npc
        model = clone(NPClassifier("lda", split_ratio=fit.ratio_choice, random_state=1)).fit(X, Y)
        np.testing.assert_array_equal(model.thresholds_, fit.thresholds)
        assert "RatioChoice" in repr(model)

    def test_it_outlives_a_file(self, of_npc, tmp_path):
        fit = of_npc
        choice = load(save(fit, tmp_path / "model.joblib")).ratio_choice
        assert npc(X, Y, "lda", split_ratio=choice, random_state=1).thresholds == fit.thresholds

    def test_other_functions_still_want_a_number(self, of_npc):
        choice = of_npc.ratio_choice
        with pytest.raises(InvalidInputError, match="split_ratio must be a number"):
            compare_procedures(X, Y, ["lda", "tree"], split_ratio=choice, random_state=1)


def assert_same_band(one, other):
    for a, b in zip((*one.sorted0, *one.sorted1), (*other.sorted0, *other.sorted1), strict=True):
        np.testing.assert_array_equal(a, b)
    assert [split.rows for split in one.scored] == [split.rows for split in other.scored]
    assert (one.split_ratio, one.seed, repr(one)) == (other.split_ratio, other.seed, repr(other))
    # a tree has many equal scores
    told = pytest.warns(NPWarning, match="every row is called class 0") if one.method == "tree" else nullcontext()
    with told:
        assert one.classifier(0.1).thresholds.tolist() == other.classifier(0.1).thresholds.tolist()


class TestBandsOfSeveralMethods:
    METHODS = ("lda", "tree", LogisticRegression())

    @pytest.mark.slow
    @pytest.mark.parametrize(("table", "split_ratio"), [(X, "adaptive"), (FRAME, 0.6)], ids=["array", "frame"])
    def test_each_is_that_of_nproc_alone(self, table, split_ratio):
        settings = {"n_splits": 3, "split_ratio": split_ratio, "random_state": 1}
        bands = nproc_bands(table, Y, list(self.METHODS), **settings)
        assert list(bands) == ["lda", "tree", "LogisticRegression"]
        for method, band in zip(self.METHODS, bands.values(), strict=True):
            assert_same_band(band, nproc(table, Y, method, **settings))

    def test_processes_change_nothing(self):
        one, two = (nproc_bands(X, Y, ["lda", "nb"], n_splits=3, random_state=1, n_jobs=n) for n in (1, 2))
        for name in one:
            assert_same_band(one[name], two[name])

    def test_folds_are_those_of_nproc_alone_and_of_one_pool(self, capsys):
        bands = nproc_bands(X, Y, ["lda", "tree"], cross_fit=4, random_state=1, verbose=2)
        assert capsys.readouterr().err.splitlines()[-1].startswith("nproc_bands: fit in folds 8 of 8 done")
        for name, band in bands.items():
            alone = nproc(X, Y, name, cross_fit=4, random_state=1)
            assert_same_band(band, alone)
            np.testing.assert_array_equal(band.cross_fitted.type2, alone.cross_fitted.type2)
            np.testing.assert_array_equal(band.cross_fitted.alpha, alone.cross_fitted.alpha)

    def test_impossible_folds_are_refused_before_any_training(self):
        def refused(call):
            with pytest.raises(InvalidInputError, match="cross_fit=5000 requires at least 5000 rows of each class"):
                call()

        assert fits_of(lambda: refused(lambda: nproc_bands(X, Y, {"a": Counting()}, cross_fit=5000)))[1] == 0
        assert fits_of(lambda: refused(lambda: nproc(X, Y, Counting(), cross_fit=5000)))[1] == 0

    def test_weights_and_a_simultaneous_band_are_passed_on(self):
        weights = np.random.default_rng(0).random(600)
        settings = {"sample_weight": weights, "band": "simultaneous", "bounds": "dkw", "delta": 0.1, "random_state": 1}
        bands = nproc_bands(X, Y, ["logistic", "tree"], **settings)
        for name, band in bands.items():
            alone = nproc(X, Y, name, **settings)
            assert_same_band(band, alone)
            assert (band.band, band.bounds, band.delta) == ("simultaneous", "dkw", 0.1)

    def test_a_choice_of_the_ratio_serves_all_methods_which_are_then_paired(self):
        choice = nproc(X, Y, Counting(), split_ratio="adaptive", random_state=1).ratio_choice
        methods = {"little": Counting(0.1), "much": Counting(2.0)}
        bands, n_fits = fits_of(lambda: nproc_bands(X, Y, methods, split_ratio=choice, random_state=2))
        assert n_fits == 2
        assert compare(bands, regions="paired").names == ("little", "much")

    def test_fits_are_one_a_method_and_split(self):
        methods = {str(noise): Counting(noise) for noise in (0, 1, 2)}
        _, n_fits = fits_of(lambda: nproc_bands(X, Y, methods, n_splits=5, random_state=1))
        assert n_fits == 15

    def test_all_methods_and_splits_are_one_pool(self, capsys):
        nproc_bands(X, Y, ["lda", "nb"], n_splits=3, random_state=1, verbose=2)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 6
        assert lines[-1].startswith("nproc_bands: fit 6 of 6 done")

    def test_copies_of_rows_are_told_of_once(self):
        twice, labels = np.concatenate([X, X]), np.concatenate([Y, Y])
        told = (
            r"\d+ of \d+ left-out class 0 rows \([\d.]+ %\) and \d+ of \d+ of class 1 are exact copies of training rows"
        )
        with pytest.warns(NPWarning, match=told) as caught:
            bands = nproc_bands(twice, labels, ["lda", "nb", "qda"], random_state=1)
        assert len(caught) == 1
        # each band keeps it, as a band of one method alone does, and its classifiers with it
        with pytest.warns(NPWarning, match=told):
            alone = nproc(twice, labels, "nb", random_state=1)
        for band in (alone, *bands.values()):
            (kept,) = band.caveats
            assert str(caught[0].message).startswith(kept)
            assert " ".join(str(band.summary()).split()).count("are exact copies") == 1
            assert band.classifier(0.2).caveats.count(kept) == 1

    def test_parameters_go_to_their_method(self):
        bands = nproc_bands(X, Y, ["knn", "lda"], method_params={"knn": {"n_neighbors": 3}}, random_state=1)
        assert_same_band(bands["knn"], nproc(X, Y, "knn", n_neighbors=3, random_state=1))

    def test_a_checkpoint_saves_the_fits_of_the_methods_that_were_there(self, tmp_path):
        settings = {"n_splits": 3, "split_ratio": "adaptive", "random_state": 1, "checkpoint": tmp_path}
        one, n_first = fits_of(lambda: nproc_bands(X, Y, {"a": Counting(0.1)}, **settings))
        two, n_more = fits_of(lambda: nproc_bands(X, Y, {"a": Counting(0.1), "b": Counting(1.0)}, **settings))
        assert n_first == n_more == 3 + 5 * len(one["a"].ratio_choice.ratios)
        assert_same_band(one["a"], two["a"])
        _, n_again = fits_of(lambda: nproc_bands(X, Y, {"b": Counting(1.0)}, **settings))
        assert n_again == 0

    @pytest.mark.slow
    def test_splits_of_many_are_looked_at_one_by_one(self):
        settings = {"n_splits": 60, "alpha": 0.2, "delta": 0.2, "random_state": 1}
        rows, labels = np.repeat(X, 20, axis=0) + np.arange(20 * len(Y))[:, np.newaxis] * 1e-9, np.repeat(Y, 20)
        tracemalloc.start()
        compare_procedures(rows, labels, {"a": Counting(0.1), "b": Counting(1.0)}, **settings)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # the indices of all splits would take 60 times the 8 bytes of a row
        assert peak < 30 * 8 * labels.size + 4 * rows.nbytes

    def test_errors_name_the_method(self):
        class Failing(Counting):
            def fit(self, X, y):
                raise InvalidInputError("these rows are not for me.")

        with pytest.raises(InvalidInputError, match="method 'Failing': these rows are not for me"):
            nproc_bands(X, Y, ["lda", Failing()], random_state=1)

    @pytest.mark.parametrize(
        ("methods", "message"),
        [
            ("lda", "methods must be a list or dict of at least one method, got 'lda'"),
            ([], "at least one method"),
            (None, "at least one method"),
            (["lda", "lda"], "different names, got 'lda' twice"),
        ],
    )
    def test_methods_must_be_named_apart(self, methods, message):
        with pytest.raises(InvalidInputError, match=message):
            nproc_bands(X, Y, methods, random_state=1)

    @pytest.mark.parametrize(
        ("methods", "way_out"), [(["lda", "nb"], r"methods=\[\.\.\.\]"), ("lda", r"methods=\['lda'\]")]
    )
    @pytest.mark.parametrize("called", [nproc_bands, compare_procedures])
    def test_methods_in_the_place_of_the_table_of_a_formula_are_told_to_be_given_by_name(
        self, called, methods, way_out
    ):
        match = rf"after the formula 'y ~ \.' comes its table, got .*lda.* give them as {way_out}\."
        with pytest.raises(InvalidInputError, match=match):
            called("y ~ .", methods, data=pd.DataFrame(X).assign(y=Y))

    def test_parameters_of_a_method_that_is_not_there_are_an_error(self):
        with pytest.raises(InvalidInputError, match="method_params has 'svm', which is not one of the methods"):
            nproc_bands(X, Y, ["lda"], method_params={"svm": {"C": 1}}, random_state=1)

    @pytest.mark.parametrize("function", [nproc_bands, compare_procedures])
    def test_rows_in_chunks_are_for_methods_that_come_trained(self, function):
        with pytest.raises(InvalidInputError, match=r"train each method by train_in_chunks"):
            function(RowChunks.from_arrays(X, Y), None, ["lda", "nb"], random_state=1)

    def test_compare_takes_the_names_of_a_dict(self):
        bands = nproc_bands(X, Y, {"shallow": "tree", "straight": "lda"}, random_state=1)
        assert compare(bands).names == ("shallow", "straight")
        assert compare(bands, names=["u", "v"]).names == ("u", "v")

    @pytest.mark.parametrize("cross_fit", [None, 4])
    def test_a_band_carries_the_name_of_the_dict_wherever_it_goes(self, cross_fit):
        methods = {"rare words": LogisticRegression(), "all words": LogisticRegression(C=9)}
        bands = nproc_bands(X, Y, methods, cross_fit=cross_fit, random_state=1)
        ax = None
        for band in bands.values():
            ax = band.plot(ax=ax)
        assert {"rare words", "all words"} <= {text.get_text() for text in ax.get_legend().get_texts()}
        assert compare(list(bands.values())).names == ("rare words", "all words")
        assert "rare words" in str(bands["rare words"].summary())
        assert "method='all words'" in repr(bands["all words"])


class TestProcedures:
    def test_methods_and_splits_are_one_pool_without_a_fit_too_many(self, capsys):
        methods = {"little": Counting(0.1), "much": Counting(2.0)}
        result, n_fits = fits_of(
            lambda: compare_procedures(X, Y, methods, alpha=0.2, n_splits=3, random_state=1, verbose=2)
        )
        assert n_fits == 6
        assert "compare_procedures: fit 6 of 6 done" in capsys.readouterr().err
        band = nproc(X, Y, Counting(2.0), n_splits=3, random_state=1)
        assert band.at(0.2).type2 == pytest.approx(result.type2[:, 1].mean(), abs=1e-12)


class TestABandFirst:
    def test_its_classifiers_train_nothing(self):
        band = nproc(X, Y, Counting(), n_splits=3, random_state=1)
        _, n_fits = fits_of(lambda: [band.classifier(alpha) for alpha in (0.05, 0.1, 0.2)])
        assert n_fits == 0

    def test_after_npc_class_1_rows_that_it_never_had_give_the_band_of_its_scorer_without_a_fit(self):
        fit = npc(X, Y, Counting(), random_state=1)
        fresh = GaussianWorld([0, 0], [1.5, 1]).sample_classes(1, 150, 6)
        rows1 = fresh.X[fresh.y == 1]
        band, n_fits = fits_of(
            lambda: NPROCBand.from_scores(fit.scores0[0] - fit.thresholds[0], fit.decision_function(rows1))
        )
        assert n_fits == 0
        missed = np.mean(fit.predict(rows1) == 0)
        assert band.at(fit.alpha).type2 == missed
        assert band.at(0.2).type2 == np.mean(fit.with_levels(alpha=0.2).predict(rows1) == 0)


def test_a_choice_shows_itself_in_a_line_and_its_ratios_in_a_table(of_npc):
    choice = of_npc.ratio_choice
    best = choice.type2[choice.ratios.index(choice.split_ratio)]
    ends = f"{choice.ratios[0]:g} to {choice.ratios[-1]:g}"
    assert repr(choice) == (
        f"RatioChoice(split_ratio={choice.split_ratio:g} of {ends}, type2={best:.4g}, 344 of 600 rows looked at)"
    )
    # 64 rows of class 0, all of class 1
    assert choice.used[Y == 0].sum() == 64
    frame = choice.to_frame()
    assert frame["split_ratio"].tolist() == list(choice.ratios)
    assert frame["type2"].tolist() == list(choice.type2)
    assert frame.loc[frame["chosen"], "split_ratio"].tolist() == [choice.split_ratio]
    text = str(choice.summary())
    row = next(line for line in text.splitlines() if line.startswith(f"{choice.split_ratio:g} "))
    assert row.split()[1:] == [f"{best:.4f}", "chosen"]
    assert "training rows in every split" in " ".join(text.split())
