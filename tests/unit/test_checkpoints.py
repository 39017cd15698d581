"""Tests of `nproc.checkpoints`: only what is the same is used again, and then the bits are those of one run."""

import os

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from nproc import NPClassifier, checkpoints, npc, nproc, roc_cv
from nproc.checkpoints import digest_of
from nproc.errors import InvalidInputError, NPWarning
from nproc.outputs import written_whole

# trees often give class 0 rows the largest score, about which the warning is right
pytestmark = pytest.mark.filterwarnings("ignore:.*and no class 1 score lies above:nproc.errors.NPWarning")


def world(n=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], n // 2))
    return rng.normal(size=(n, 3)) + np.outer(y, [2.0, 0.0, 1.0]), y


X, Y = world()
LEVELS = {"alpha": 0.2, "delta": 0.2}
FITS = []


class Counted(ClassifierMixin, BaseEstimator):
    """Linear discriminant analysis that counts its trainings, and stops at one of them."""

    def __init__(self, shrinkage=None, stop=None):
        self.shrinkage = shrinkage
        self.stop = stop

    def fit(self, X, y, sample_weight=None):
        if STOPS and len(FITS) == STOPS[0]:
            raise KeyboardInterrupt
        FITS.append(len(y))
        self.classes_ = np.unique(y)
        self.model_ = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=self.shrinkage).fit(X, y)
        return self

    def decision_function(self, X):
        return self.model_.decision_function(X)


STOPS = []


@pytest.fixture(autouse=True)
def nothing_counted():
    FITS.clear()
    STOPS.clear()


def fits_of(call):
    """Return what `call` returns and how many trainings it made."""
    FITS.clear()
    return call(), len(FITS)


def run(folder, X=X, y=Y, method=None, n_splits=5, **more):
    settings = {"n_splits": n_splits, "random_state": 1, "checkpoint": folder} | LEVELS | more
    return npc(X, y, Counted() if method is None else method, **settings)


def same_fit(one, other):
    same_scores = all(np.array_equal(a, b) for a, b in zip(one.scores0, other.scores0, strict=True))
    return same_scores and np.array_equal(one.decision_function(X), other.decision_function(X))


def files(folder, pattern="*/*.joblib"):
    return sorted(folder.glob(pattern))


def test_an_interrupted_run_goes_on_where_it_was_and_gives_the_same_bits(tmp_path):
    whole, n = fits_of(lambda: run(None))
    assert n == 5
    FITS.clear()
    STOPS.append(3)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    assert len(files(tmp_path)) == 3
    STOPS.clear()
    resumed, n = fits_of(lambda: run(tmp_path))
    assert n == 2
    assert same_fit(resumed, whole)
    assert not files(tmp_path, "*/.*")


def test_an_interrupted_band_and_roc_curve_do_so_too(tmp_path):
    jobs = {
        "band": lambda folder: nproc(X, Y, Counted(), n_splits=5, random_state=1, checkpoint=folder).to_frame(),
        "folds": lambda folder: roc_cv(X, Y, Counted(), random_state=1, checkpoint=folder).to_frame(),
        "random": lambda folder: roc_cv(
            X, Y, Counted(), metric="subsample", random_state=1, checkpoint=folder
        ).to_frame(),
    }
    for name, job in jobs.items():
        STOPS.clear()
        whole, n = fits_of(lambda job=job: job(None))
        assert n == 5
        FITS.clear()
        STOPS.append(2)
        with pytest.raises(KeyboardInterrupt):
            job(tmp_path / name)
        STOPS.clear()
        resumed, n = fits_of(lambda job=job, name=name: job(tmp_path / name))
        assert n == 3
        pd.testing.assert_frame_equal(resumed, whole, check_exact=True)


def test_an_adaptive_ratio_is_kept_with_the_splits(tmp_path):
    def fit(folder):
        return run(folder, split_ratio="adaptive", n_splits=3)

    whole, n_fits = fits_of(lambda: fit(None))
    first, n_first = fits_of(lambda: fit(tmp_path))
    again, n_again = fits_of(lambda: fit(tmp_path))
    assert (n_first, n_again) == (n_fits, 0)
    assert again.split_ratio == whole.split_ratio
    assert same_fit(first, whole)
    assert same_fit(again, whole)


def test_more_splits_train_only_those_that_are_new(tmp_path):
    run(tmp_path)
    longer, n = fits_of(lambda: run(tmp_path, n_splits=9))
    assert n == 4
    assert same_fit(longer, run(None, n_splits=9))
    assert fits_of(lambda: run(tmp_path, n_splits=3))[1] == 0


def test_more_random_folds_train_only_those_that_are_new_and_more_folds_are_others(tmp_path):
    def curve(metric, n_folds):
        return roc_cv(X, Y, Counted(), metric=metric, n_folds=n_folds, random_state=1, checkpoint=tmp_path)

    assert [fits_of(lambda n=n: curve("subsample", n))[1] for n in (3, 5)] == [3, 2]
    assert [fits_of(lambda n=n: curve("cv", n))[1] for n in (3, 5, 3)] == [3, 5, 0]


def test_another_alpha_or_delta_trains_nothing(tmp_path):
    run(tmp_path, split_ratio=0.5)
    other, n = fits_of(lambda: run(tmp_path, alpha=0.1, delta=0.3, split_ratio=0.5))
    assert n == 0
    np.testing.assert_array_equal(other.thresholds, run(None, alpha=0.1, delta=0.3, split_ratio=0.5).thresholds)


def test_a_band_at_another_delta_trains_nothing_and_shares_nothing_with_npc(tmp_path):
    def band(delta):
        return nproc(X, Y, Counted(), delta=delta, random_state=1, checkpoint=tmp_path)

    run(tmp_path)
    assert [fits_of(lambda d=d: band(d))[1] for d in (0.1, 0.2)] == [1, 0]


def test_a_method_that_trains_at_alpha_is_another_one_at_another_alpha(tmp_path):
    for alpha in (0.2, 0.3):
        npc(X, Y, "npsvm", alpha=alpha, delta=0.2, random_state=1, checkpoint=tmp_path)
    assert len(files(tmp_path)) == 2


WEIGHTS = np.random.default_rng(3).uniform(size=Y.size)
CHANGED = X.copy()
CHANGED[7, 1] = np.nextafter(X[7, 1], 9.0)
CHANGES = {
    "one bit of one cell": {"X": CHANGED},
    "one label": {"y": np.where(np.arange(Y.size) == 3, 1 - Y, Y)},
    "order of rows": {"X": X[::-1], "y": Y[::-1]},
    "class0": {"class0": 1},
    "a parameter": {"method": Counted(shrinkage=0.1)},
    "the class": {"method": LinearDiscriminantAnalysis()},
    "seed": {"random_state": 2},
    "ratio": {"split_ratio": 0.4},
    "weights": {"sample_weight": WEIGHTS},
    "groups": {"groups": np.arange(Y.size) % 2},
    "clusters": {"clusters": np.arange(Y.size) // 2},
    "names of columns": {"X": pd.DataFrame(X, columns=list("abc"))},
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_decides_a_split_makes_another_run(change, tmp_path):
    run(tmp_path, n_splits=1)
    before = files(tmp_path)
    run(tmp_path, n_splits=1, **CHANGES[change])
    assert len(files(tmp_path)) == len(before) + 1


def test_another_version_makes_another_run(tmp_path, monkeypatch):
    run(tmp_path)
    versions = checkpoints.package_versions()
    monkeypatch.setattr(checkpoints, "package_versions", lambda: versions | {"numpy": "9.9"})
    assert fits_of(lambda: run(tmp_path))[1] == 5


def test_the_version_of_the_package_of_a_scorer_counts(tmp_path, monkeypatch):
    import imblearn
    from imblearn.over_sampling import RandomOverSampler

    run(tmp_path, resample=RandomOverSampler())
    assert f"imblearn {imblearn.__version__}" in files(tmp_path, "*/about.txt")[0].read_text()
    monkeypatch.setattr(imblearn, "__version__", "9.9")
    assert fits_of(lambda: run(tmp_path, resample=RandomOverSampler()))[1] == 5


def test_what_does_not_decide_a_split_makes_no_other_run(tmp_path):
    forest = RandomForestClassifier(5)
    fit = run(tmp_path, method=forest)
    # trained, with another generator that fresh copies do not take, as rows that are equal, and with more processes
    trained = RandomForestClassifier(5, random_state=np.random.RandomState(4)).fit(X, Y)
    again = run(tmp_path, X=X.copy(), method=trained, n_jobs=2, ties="randomize")
    assert len(files(tmp_path)) == 5
    assert same_fit(fit, again)


def test_an_estimator_resumes_as_npc_does(tmp_path):
    model = NPClassifier(Counted(), n_splits=3, random_state=1, checkpoint=tmp_path, **LEVELS)
    assert [fits_of(lambda: model.fit(X, Y))[1] for _ in range(2)] == [3, 0]
    assert fits_of(lambda: run(tmp_path, n_splits=3))[1] == 0


def test_a_small_sample_with_a_normal_threshold_is_kept_too(tmp_path):
    few = {"alpha": 0.01, "delta": 0.01, "small_sample": "normal"}
    with pytest.warns(NPWarning, match="normal"):
        run(tmp_path, **few)
    with pytest.warns(NPWarning, match="normal"):
        assert fits_of(lambda: run(tmp_path, **few))[1] == 0


@pytest.mark.parametrize("damage", ["truncated", "empty", "changed", "a bit", "no head"])
def test_a_damaged_file_is_named_and_computed_again(damage, tmp_path):
    whole = run(tmp_path)
    path = files(tmp_path)[2]
    data = path.read_bytes()
    damaged = {"truncated": data[: len(data) // 2], "empty": b"", "changed": data[:-1] + b"?"}
    damaged["a bit"] = data[:300] + bytes([data[300] ^ 1]) + data[301:]
    damaged["no head"] = data.partition(b"\n")[2]
    path.write_bytes(damaged[damage])
    with pytest.warns(NPWarning, match=r"split-00002\.joblib is damaged, or was not written by this run for this part"):
        again, n = fits_of(lambda: run(tmp_path))
    assert n == 1
    assert same_fit(again, whole)
    assert path.read_bytes() == data


def test_files_that_changed_places_are_named_and_computed_again(tmp_path):
    whole = run(tmp_path)
    one, two = files(tmp_path)[1], files(tmp_path)[3]
    data = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(data)
    with pytest.warns(NPWarning, match="was not written by this run for this part") as heard:
        again, n = fits_of(lambda: run(tmp_path))
    assert n == len(heard) == 2
    assert same_fit(again, whole)
    # what was computed again is written again
    assert fits_of(lambda: run(tmp_path))[1] == 0


FOREIGN = {
    "another seed": {"random_state": 2},
    "other rows": {"X": X + 0.5},
    "other labels": {"y": Y[::-1]},
    "another scorer": {"method": Counted(shrinkage=0.5)},
    "another ratio": {"split_ratio": 0.4},
}


@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_file_of_another_run_is_named_and_computed_again(foreign, tmp_path):
    whole = run(tmp_path / "this")
    run(tmp_path / "other", **FOREIGN[foreign])
    path, other = files(tmp_path / "this")[2], files(tmp_path / "other")[2]
    assert path.name == other.name
    path.write_bytes(other.read_bytes())
    with pytest.warns(NPWarning, match=r"split-00002\.joblib .* was not written by this run"):
        again, n = fits_of(lambda: run(tmp_path / "this"))
    assert n == 1
    assert same_fit(again, whole)


def test_the_folder_of_another_run_by_the_name_of_this_one_is_of_no_use(tmp_path):
    whole = run(tmp_path / "this", n_splits=3)
    run(tmp_path / "other", n_splits=3, random_state=2)
    (this,), (other,) = (list((tmp_path / name).iterdir()) for name in ("this", "other"))
    this.rename(tmp_path / "away")
    other.rename(this)
    with pytest.warns(NPWarning, match="was not written by this run"):
        again, n = fits_of(lambda: run(tmp_path / "this", n_splits=3))
    assert n == 3
    assert same_fit(again, whole)


def test_a_fold_of_another_metric_is_no_fold_of_this_one(tmp_path):
    def curve(metric, folder):
        return roc_cv(X, Y, Counted(), metric=metric, random_state=1, checkpoint=folder)

    whole = curve("cv", tmp_path / "this")
    curve("subsample", tmp_path / "other")
    for path, other in zip(files(tmp_path / "this"), files(tmp_path / "other"), strict=True):
        path.write_bytes(other.read_bytes())
    with pytest.warns(NPWarning, match="was not written by this run"):
        again, n = fits_of(lambda: curve("cv", tmp_path / "this"))
    assert n == 5
    pd.testing.assert_frame_equal(again.to_frame(), whole.to_frame(), check_exact=True)


def test_a_write_that_fails_leaves_no_file_behind(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InvalidInputError, match=r"checkpoint: no files can be written to .*No space left"):
        run(tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_full_disk_in_the_middle_keeps_what_was_done(tmp_path, monkeypatch):
    replace = os.replace

    def fail_at_three(source, target):
        if str(target).endswith("split-00003.joblib"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_at_three)
    with pytest.raises(InvalidInputError, match=r"no file can be written to .*No space left.*resumes from it"):
        run(tmp_path)
    monkeypatch.undo()
    assert len(files(tmp_path)) == 3
    assert not files(tmp_path, "*/.*")
    assert fits_of(lambda: run(tmp_path))[1] == 2


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    run(tmp_path, n_splits=1)
    path = files(tmp_path)[0]
    path.unlink()
    path.mkdir()
    with pytest.raises(InvalidInputError, match=r"checkpoint: .*split-00000\.joblib cannot be read"):
        run(tmp_path, n_splits=1)


def test_what_a_killed_program_left_half_written_is_removed_and_what_a_living_one_writes_is_not(tmp_path):
    run(tmp_path, n_splits=1)
    files(tmp_path)[0].with_name(".split-00001.joblib.a1.part").write_bytes(b"half")
    with written_whole(files(tmp_path)[0].with_name("split-00009.joblib")) as living:
        run(tmp_path, n_splits=3)
        assert files(tmp_path, "*/.*") == [living]
        assert len(files(tmp_path)) == 3


def test_the_folder_says_what_it_holds(tmp_path):
    run(tmp_path / "new" / "folder")
    note = files(tmp_path, "new/folder/*/about.txt")[0].read_text()
    for line in ("what: scored splits", "method: Counted", "rows: 200, 100 of class 0", "columns: 3", "seed: 1"):
        assert f"{line}\n" in note
    assert "scikit-learn" in note


def test_a_scorer_that_cannot_be_told_from_others_is_refused(tmp_path):
    method = make_pipeline(make_column_transformer((lambda rows: rows, [0])), LogisticRegression())
    with pytest.raises(
        InvalidInputError, match=r"Pipeline cannot be identified for the checkpoint .*defined in a module"
    ):
        run(tmp_path, method=method)


class KeepsAFunction(LinearDiscriminantAnalysis):
    def fit(self, X, y):
        self.function_ = lambda rows: rows
        return super().fit(X, y)


def test_a_trained_scorer_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(InvalidInputError, match="trained scorer cannot be written to a file"):
        run(tmp_path, method=KeepsAFunction())
    assert not files(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"random_state": None}, "checkpoint requires random_state.*Give random_state=1"),
        ({"checkpoint": 3}, "checkpoint must be None or the name of a folder, got 3"),
        ({"checkpoint": ""}, "checkpoint must be None or the name of a folder, got ''"),
        ({"checkpoint": __file__}, r"checkpoint must be a folder, and .* is a file"),
        (
            {"prefit": True, "method": lambda rows: rows[:, 0]},
            "prefit=True trains nothing, so there is nothing to save",
        ),
    ],
)
def test_a_checkpoint_that_cannot_be_used_is_refused(arguments, words, tmp_path):
    with pytest.raises(InvalidInputError, match=words):
        npc(**{"X": X, "y": Y, "random_state": 1, "checkpoint": tmp_path} | LEVELS | arguments)


TEXT = pd.DataFrame({"a": ["x", "y", "x"], "b": [1.0, 2.0, 3.0]})
TABLES = {
    "array": X,
    "float32": X.astype(np.float32),
    "one column": X[:, :1],
    "by columns": np.asfortranarray(X),
    "sparse": sparse.csr_matrix(np.where(X > 0, X, 0)),
    "another sparse": sparse.csr_matrix(np.where(X < 0, X, 0)),
    "frame": TEXT,
    "other names": TEXT.rename(columns={"a": "c"}),
    "another text": TEXT.replace("y", "z"),
    "categories": TEXT.astype({"a": pd.CategoricalDtype(["x", "y"])}),
    "other categories": TEXT.astype({"a": pd.CategoricalDtype(["y", "x"])}),
    "order of categories": TEXT.astype({"a": pd.CategoricalDtype(["x", "y"], ordered=True)}),
    "another type": TEXT.astype({"b": np.float32}),
    "another index": TEXT.set_index(np.array([2, 1, 0])),
    "text array": np.array([["x"], ["y"]], dtype=object),
    "another text array": np.array([["x"], ["z"]], dtype=object),
    "objects": pd.DataFrame({"a": pd.Series([1, "x", None], dtype=object)}),
    "a number as text": pd.DataFrame({"a": pd.Series(["1", "x", None], dtype=object)}),
    "not a number": pd.DataFrame({"a": pd.Series([1, "x", np.nan], dtype=object)}),
    "none": None,
}


def test_tables_that_differ_have_other_digests_and_copies_have_the_same():
    digests = {name: digest_of(table) for name, table in TABLES.items()}
    assert len(set(digests.values())) == len(TABLES)
    for name, table in TABLES.items():
        if table is not None:
            assert digest_of(table.copy(order="K") if isinstance(table, np.ndarray) else table.copy()) == digests[name]
    # a part of a larger array, and a frame put together in another way
    assert digest_of(np.hstack([X, X])[:, :3]) == digests["array"]
    assert digest_of(pd.concat([TEXT[["a"]], TEXT[["b"]]], axis=1)) == digests["frame"]


def test_a_frame_with_text_resumes(tmp_path):
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=np.where(Y + X[:, 1] > 0, "u", "v"))
    method = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["d"]), remainder="passthrough"), LogisticRegression()
    )
    first = run(tmp_path, X=frame, method=method)
    assert np.array_equal(run(tmp_path, X=frame.copy(), method=method).thresholds, first.thresholds)
    assert len(files(tmp_path)) == 5
