"""Tests of `nproc.fits.fit` and what it rests on: blocks, threads, chunks and products change no label."""

import gc
import itertools
import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import ThreadpoolController

from nproc import NPClassifier, npc
from nproc.errors import InvalidInputError, NPWarning
from nproc.fits import voting as vote_counts
from nproc.fits.voting import BLOCK_ROWS, LARGE_BLOCK_ROWS, NewRows, SeedOfRows, TieNumbers
from nproc.row_chunks import RowChunks
from nproc.rows.design import build_design
from nproc.scorers import score_rows
from nproc.thresholds import rounding_guard

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 150)
X = RNG.normal(size=(300, 3)) + np.outer(Y, [1.5, 0.5, 0.0])
# blocks of either kind, and a rest
N = LARGE_BLOCK_ROWS + 1001
X_NEW = RNG.normal(size=(N, 3)) + np.outer(np.arange(N) % 2, [1.5, 0.5, 0.0])
Y_NEW = np.arange(N) % 2
COLUMNS = ["a", "b", "c"]


def quietly(*args, **kwargs):
    with warnings.catch_warnings():
        # of an even number of splits and of tied scores, which are wanted here
        warnings.simplefilter("ignore", NPWarning)
        return npc(*args, **kwargs)


FITS = {
    "linear": npc(X, Y, "logistic", n_splits=5, alpha=0.1, random_state=1),
    "even": quietly(X, Y, "lda", n_splits=4, alpha=0.1, random_state=1),
    "tree": quietly(X, Y, "tree", n_splits=3, alpha=0.1, random_state=1),
    "at random": quietly(X, Y, "tree", n_splits=3, alpha=0.1, ties="randomize", random_state=1),
    "mixed": npc(X, Y, LogisticRegression(), n_splits=1, alpha=0.1, random_state=1),
}


def margins_by_hand(fit, rows):
    """Scores less thresholds of the whole table, one scorer after the other."""
    scores = np.column_stack([score_rows(scorer, rows) for scorer in fit.scorers])
    margins = scores - fit.thresholds
    guards = np.array([rounding_guard(s, t) for s, t in zip(fit.scores0, fit.thresholds, strict=True)])
    return np.where(np.abs(margins) <= guards, 0.0, margins)


def votes_by_hand(fit, rows, seed=None):
    margins = margins_by_hand(fit, rows)
    above = margins > 0
    if fit.ties == "randomize":
        uniform = np.random.default_rng(seed).random(margins.shape)
        above |= (margins == 0) & (uniform > [rule.tie_cut for rule in fit.rules])
    return above.mean(axis=1)


@pytest.mark.parametrize("name", FITS)
def test_blocks_and_products_give_what_each_scorer_gives_on_the_whole_table(name):
    fit = FITS[name]
    votes = votes_by_hand(fit, X_NEW, seed=7)
    np.testing.assert_array_equal(fit.votes(X_NEW, random_state=7), votes)
    np.testing.assert_array_equal(fit.predict(X_NEW, random_state=7), (votes > 0.5).astype(int))
    median = np.sort(margins_by_hand(fit, X_NEW), axis=1)[:, (fit.n_splits - 1) // 2]
    np.testing.assert_allclose(fit.decision_function(X_NEW), median, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", FITS)
def test_the_number_of_threads_changes_nothing(name):
    fit = FITS[name]
    for call in (fit.predict, fit.votes):
        np.testing.assert_array_equal(call(X_NEW, random_state=7, n_jobs=2), call(X_NEW, random_state=7))
    np.testing.assert_array_equal(fit.decision_function(X_NEW, n_jobs=2), fit.decision_function(X_NEW))
    assert repr(fit.evaluate(X_NEW, Y_NEW, n_jobs=2)) == repr(fit.evaluate(X_NEW, Y_NEW)) or fit.ties == "randomize"


def test_tied_rows_are_labelled_the_same_by_product_and_by_scorer():
    # profiles that are repeated: many rows equal the one at the threshold, and rounding must not part them
    profiles = np.random.default_rng(1).integers(0, 3, size=(9, 3)) * [1.0, 1e-3, 1e4] + [0.0, 1.0, 1e6]
    y = np.random.default_rng(2).integers(0, 2, size=900)
    fit = quietly(profiles[np.arange(900) % 9], y, "logistic", n_splits=5, alpha=0.3, random_state=1)
    rows = profiles[np.random.default_rng(3).integers(0, 9, size=BLOCK_ROWS + 77)]
    votes = fit.votes(rows)
    np.testing.assert_array_equal(votes, votes_by_hand(fit, rows))
    np.testing.assert_array_equal(votes > 0.5, fit.decision_function(rows) > 0)
    assert np.any(margins_by_hand(fit, profiles) == 0)


def test_only_a_member_with_a_row_at_its_threshold_is_asked_itself(monkeypatch):
    fit, asked = FITS["linear"], []

    def counted(scorer, rows, values=None):
        asked.append(scorer)
        return score_rows(scorer, rows, values)

    monkeypatch.setattr(vote_counts, "score_rows", counted)
    labels = fit.predict(X_NEW)
    assert asked == []
    # the very row that set the threshold of the third split
    at = np.flatnonzero(score_rows(fit.scorers[2], X) == fit.thresholds[2])
    rows = np.vstack([X_NEW, X[at]])
    np.testing.assert_array_equal(fit.predict(rows)[:N], labels)
    assert asked == [fit.scorers[2]]


def test_rows_of_any_kind_give_the_same_labels():
    fit, expected = FITS["linear"], FITS["linear"].predict(X_NEW)
    np.testing.assert_array_equal(fit.predict(np.asfortranarray(X_NEW)), expected)
    np.testing.assert_array_equal(fit.predict(X_NEW[::-1]), expected[::-1])
    np.testing.assert_array_equal(fit.predict(X_NEW.astype(object)), expected)
    whole = np.round(X_NEW * 4)
    np.testing.assert_array_equal(fit.predict(whole.astype(np.int64)), fit.predict(whole))
    np.testing.assert_array_equal(fit.predict(whole.astype(np.float32)), fit.predict(whole))
    named = npc(pd.DataFrame(X, columns=COLUMNS), Y, "logistic", n_splits=5, alpha=0.1, random_state=1)
    frame = pd.DataFrame(X_NEW, columns=COLUMNS)
    np.testing.assert_array_equal(named.predict(frame), expected)
    np.testing.assert_array_equal(named.predict(frame.set_index(frame.index[::-1])), expected)


@pytest.mark.slow
def test_sparse_rows_and_frames_of_users_models_give_the_labels_of_their_scores():
    held = np.where(np.abs(X) < 0.5, 0.0, X)
    new = np.where(np.abs(X_NEW) < 0.5, 0.0, X_NEW)
    for method in (LogisticRegression(), "penlog"):
        fit = quietly(sparse.csr_array(held), Y, method, n_splits=3, alpha=0.1, random_state=1)
        np.testing.assert_array_equal(fit.votes(sparse.csr_array(new)), votes_by_hand(fit, sparse.csr_array(new)))
        np.testing.assert_array_equal(fit.predict(sparse.csc_array(new)), fit.predict(sparse.csr_array(new)))
    frame = pd.DataFrame(X_NEW, columns=COLUMNS)
    fit = npc(pd.DataFrame(X, columns=COLUMNS), Y, LogisticRegression(), n_splits=3, alpha=0.1, random_state=1)
    np.testing.assert_array_equal(fit.votes(frame), votes_by_hand(fit, frame))


def test_a_formula_and_a_model_given_trained_are_labelled_in_blocks_too():
    frame = pd.DataFrame(X, columns=COLUMNS).assign(kind=np.where(X[:, 2] > 0, "one", "two"), y=Y)
    new = pd.DataFrame(X_NEW, columns=COLUMNS).assign(kind=np.where(X_NEW[:, 2] > 0, "one", "two"))
    fit = npc("y ~ a + b + kind", data=frame, n_splits=3, alpha=0.1, random_state=1)
    np.testing.assert_array_equal(fit.votes(new), votes_by_hand(fit, fit.design.transform(new)))
    model = LogisticRegression().fit(X, np.where(Y == 1, "ill", "well"))
    given = npc(X, np.where(Y == 1, "ill", "well"), model, class0="well", prefit=True, alpha=0.1)
    expected = score_rows(model, X_NEW, given.labels) > given.thresholds[0]
    np.testing.assert_array_equal(given.predict(X_NEW) == "ill", expected)


def test_groups_and_clusters_are_labelled_in_blocks_too():
    members = np.resize(["u", "v"], 300)
    frame = pd.DataFrame(X, columns=COLUMNS).assign(member=members)
    new = pd.DataFrame(X_NEW, columns=COLUMNS).assign(member=np.resize(["u", "v", "v"], N))
    for ties in ("conservative", "randomize"):
        fit = npc(frame, Y, "lda", groups="member", n_splits=3, alpha=0.2, delta=0.2, ties=ties, random_state=1)
        codes = np.searchsorted(fit.group_values, new["member"])
        scores = np.column_stack([score_rows(scorer, X_NEW) for scorer in fit.scorers])
        votes = (scores > fit.thresholds[:, codes].T).mean(axis=1)
        np.testing.assert_array_equal(fit.votes(new, random_state=1), votes)
        np.testing.assert_array_equal(fit.predict(new, random_state=1, n_jobs=2), votes > 0.5)
        np.testing.assert_array_equal(fit.decision_function(new) > 0, votes > 0.5)
        chunks = [new.iloc[:500], new.iloc[500:]]
        np.testing.assert_array_equal(np.concatenate(list(fit.predict_chunks(chunks))), votes > 0.5)
    frame = frame.assign(member=np.repeat(np.arange(150), 2))
    fit = npc(frame, Y, "lda", clusters="member", n_splits=3, alpha=0.2, delta=0.2, random_state=1)
    np.testing.assert_array_equal(fit.votes(new), votes_by_hand(fit, X_NEW))


def test_the_estimator_takes_its_own_number_of_threads(monkeypatch):
    model = NPClassifier("logistic", n_splits=3, alpha=0.1, random_state=1).fit(X, Y).set_params(n_jobs=2)
    expected = model.fit_.predict(X_NEW)
    used = []
    real = NewRows.for_each_block

    def watched(self, work, *, n_jobs=None, **options):
        used.append(n_jobs)
        real(self, work, n_jobs=n_jobs, **options)

    monkeypatch.setattr(NewRows, "for_each_block", watched)
    np.testing.assert_array_equal(model.predict(X_NEW), expected)
    assert used == [2]


# errors and warnings


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, r"X contains NaN: 2 missing value\(s\) in column\(s\) \[0, 2\]"),
        (np.inf, r"X has 2 infinite value\(s\)"),
    ],
)
def test_a_value_that_is_not_finite_is_counted_over_all_rows(value, message):
    rows = X_NEW.copy()
    rows[3, 2] = rows[-1, 0] = value
    for table in (rows, pd.DataFrame(rows)):
        for n_jobs in (None, 2):
            with pytest.raises(InvalidInputError, match=message):
                FITS["linear"].predict(table, n_jobs=n_jobs)
    with pytest.raises(InvalidInputError, match=message):
        FITS["even"].decision_function(rows)
    rows[3, 2] = 0.0
    with pytest.raises(InvalidInputError, match=r"column\(s\) \[0\]|1 infinite"):
        FITS["linear"].votes(rows)


def test_scores_that_are_not_finite_are_refused_with_the_rows_they_are_of():
    def score(rows):
        return np.where(rows[:, 0] > 1e6, np.nan, rows[:, 0])

    fit = npc(X, Y, score, prefit=True, alpha=0.1)
    rows = X_NEW.copy()
    rows[-1, 0] = 1e7
    with pytest.raises(
        InvalidInputError, match=rf"rows {LARGE_BLOCK_ROWS + 1} to {N} of {N}: score\(X\) must be finite"
    ):
        fit.predict(rows)
    with pytest.raises(InvalidInputError, match=r"^score\(X\) must be finite, got 1 NaN"):
        fit.predict(rows[-10:])


def test_sums_that_overflow_are_refused_as_the_scorer_refuses_them():
    rows = np.full((2, 3), 1e308)
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(InvalidInputError, match="must be finite"):
        FITS["linear"].predict(rows)


def test_names_are_looked_at_once_and_not_in_every_block():
    with pytest.warns(NPWarning, match="was fitted without feature names") as heard:
        FITS["linear"].predict(pd.DataFrame(X_NEW, columns=COLUMNS))
    assert len(heard) == 1
    named = npc(pd.DataFrame(X, columns=COLUMNS), Y, "logistic", n_splits=3, alpha=0.1, random_state=1)
    with pytest.raises(InvalidInputError, match="Feature names unseen at fit time:\n- d"):
        named.predict(pd.DataFrame(X_NEW, columns=["a", "b", "d"]))
    with pytest.raises(InvalidInputError, match="X has 2 features, but logistic is expecting 3"):
        FITS["linear"].predict(X_NEW[:, :2])
    with pytest.raises(InvalidInputError, match="X must be two-dimensional"):
        FITS["linear"].predict(X_NEW[:, 0])


@pytest.mark.parametrize("own", [LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_names_on_one_side_only_are_told_once_and_not_again_by_an_own_estimator(own):
    frame = pd.DataFrame(X, columns=COLUMNS)
    named = npc(frame, Y, own, n_splits=3, alpha=0.1, random_state=1)
    bare = npc(X, Y, own, n_splits=3, alpha=0.1, random_state=1)
    for fit, rows in ((named, X_NEW), (bare, pd.DataFrame(X_NEW, columns=COLUMNS))):
        for call in (fit.predict, fit.decision_function, fit.votes):
            with pytest.warns(NPWarning, match="columns are matched by position") as heard:
                found = call(rows)
            assert len(heard) == 1
            # sums of columns in another order in memory differ in the last digit
            np.testing.assert_allclose(found, call.__func__(bare, X_NEW), rtol=1e-12, atol=1e-14)
    with pytest.warns(NPWarning, match="columns are matched by position") as heard:
        named.evaluate(X_NEW, np.resize([0, 1], len(X_NEW)))
    assert len(heard) == 1


def test_a_warning_of_a_scorer_is_heard_once_for_all_blocks():
    def score(rows):
        warnings.warn("old model", UserWarning, stacklevel=2)
        return rows[:, 0]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fit = npc(X, Y, score, prefit=True, alpha=0.1)
    with pytest.warns(UserWarning, match="old model") as heard:
        fit.predict(X_NEW)
    assert len(heard) == 1


def test_a_wrong_number_of_threads_is_refused_for_few_rows_too():
    for call in (FITS["linear"].predict, FITS["linear"].votes, FITS["linear"].decision_function):
        with pytest.raises(InvalidInputError, match="n_jobs must be None or a whole number"):
            call(X, n_jobs=0)
    with pytest.raises(InvalidInputError, match="n_jobs must be None or a whole number"):
        FITS["linear"].predict_chunks([X], n_jobs=0)


# memory, threads


@pytest.mark.slow
@pytest.mark.parametrize(("name", "call"), [("linear", "predict"), ("linear", "decision_function"), ("even", "votes")])
def test_memory_beyond_the_rows_and_the_result_is_that_of_blocks(name, call):
    rows = np.random.default_rng(4).normal(size=(500_000, 3))
    function = getattr(FITS[name], call)
    function(rows[:100])
    gc.collect()
    tracemalloc.start()
    try:
        result = function(rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # M = 5 scores of half a million rows alone would be 20 MB
    assert peak - result.nbytes < 4e6


def test_a_forest_that_is_parallel_itself_is_not_run_by_several_threads_at_once(monkeypatch):
    forest = RandomForestClassifier(3, n_jobs=2, random_state=1).fit(X, Y)
    seen = []

    def score(rows):
        seen.append(joblib.effective_n_jobs(2))
        return forest.predict_proba(rows)[:, 1]

    fit = npc(X, Y, score, prefit=True, alpha=0.3)
    seen.clear()
    fit.predict(X_NEW, n_jobs=2)
    assert seen == [1, 1]


def test_uniform_numbers_do_not_depend_on_blocks():
    whole = np.random.default_rng(5).random((100, 3))
    numbers = TieNumbers(5, 3)
    np.testing.assert_array_equal(np.vstack([numbers.of_block(0, 40), numbers.of_block(40, 60)]), whole)
    numbers.first_row = 30
    np.testing.assert_array_equal(numbers.of_block(20, 5), whole[50:55])
    # some rows have those that they have among all
    places = np.array([3, 4, 50, 99])
    numbers = TieNumbers(SeedOfRows(5, places), 3)
    np.testing.assert_array_equal(np.vstack([numbers.of_block(0, 3), numbers.of_block(3, 1)]), whole[places])


def test_blocks_put_end_to_end_are_the_transformed_table():
    frame = pd.DataFrame({"a": np.arange(7), "b": [True, False] * 3 + [True], "c": np.linspace(0, 1, 7)})
    design = build_design(frame, numeric=True).design
    rows = NewRows(design, frame)
    np.testing.assert_array_equal(np.vstack([rows.block(0, 3), rows.block(3, 7)]), design.transform(frame))


# chunks


@pytest.mark.parametrize("name", FITS)
def test_the_labels_of_chunks_are_those_of_the_whole(name):
    fit = FITS[name]
    expected = fit.predict(X_NEW, random_state=3)
    cuts = [0, 5, 5, 20_000, N]
    chunks = [X_NEW[a:b] for a, b in itertools.pairwise(cuts)]
    found = list(fit.predict_chunks((chunk for chunk in chunks), random_state=3, n_jobs=2))
    assert [len(labels) for labels in found] == [5, 0, 19_995, N - 20_000]
    np.testing.assert_array_equal(np.concatenate(found), expected)


def test_chunks_are_taken_one_at_a_time():
    taken = []

    def chunks():
        for j in range(3):
            taken.append(j)
            yield X_NEW[j * 10 : j * 10 + 10]

    labels = FITS["linear"].predict_chunks(chunks())
    assert taken == []
    next(labels)
    assert taken == [0]


def test_a_single_table_is_no_iterable_of_chunks():
    for wrong in (X_NEW, pd.DataFrame(X_NEW), 3):
        with pytest.raises(InvalidInputError, match="chunks must be an iterable of tables"):
            FITS["linear"].predict_chunks(wrong)


def test_errors_of_chunks_add_up():
    fit = FITS["linear"]
    pairs = [(X_NEW[:100], Y_NEW[:100]), (X_NEW[:0], Y_NEW[:0]), (X_NEW[100:], Y_NEW[100:])]
    whole = fit.evaluate(X_NEW, Y_NEW, level=0.9)
    for chunks in (pairs, iter(pairs)):
        found = fit.evaluate(chunks, level=0.9)
        assert repr(found) == repr(whole)
    with pytest.raises(InvalidInputError, match="X has 100 rows and y has 99 labels"):
        fit.evaluate([(X_NEW[:100], Y_NEW[:99])])
    with pytest.raises(InvalidInputError, match="y is missing; give one label a row, or as X an iterable of pairs"):
        fit.evaluate([[0.0, 1.0, 2.0]])


def test_a_formula_finds_the_labels_of_chunks():
    frame = pd.DataFrame(X, columns=COLUMNS).assign(y=Y)
    fit = npc("y ~ a + b + c", data=frame, alpha=0.1, random_state=1)
    new = pd.DataFrame(X_NEW, columns=COLUMNS).assign(y=Y_NEW)
    assert repr(fit.evaluate([new[:50], new[50:]])) == repr(fit.evaluate(new))


def test_files_and_rows_in_chunks_are_predicted_and_evaluated(tmp_path):
    from nproc.row_chunks.reading import read_in_chunks

    fit = npc(pd.DataFrame(X, columns=COLUMNS), Y, "logistic", n_splits=3, alpha=0.1, random_state=1)
    new = pd.DataFrame(X_NEW[:5000], columns=COLUMNS)
    new.assign(y=Y_NEW[:5000], note="text")[["note", "c", "y", "b", "a"]].to_csv(tmp_path / "new.csv", index=False)
    expected = fit.predict(new)
    np.testing.assert_array_equal(np.concatenate(list(fit.predict_chunks(tmp_path / "new.csv"))), expected)
    rows = read_in_chunks(tmp_path / "new.csv", "y", features=COLUMNS, chunk_size=700)
    found = list(fit.predict_chunks(rows))
    assert [len(labels) for labels in found] == [700] * 7 + [100]
    np.testing.assert_array_equal(np.concatenate(found), expected)
    assert repr(fit.evaluate(rows)) == repr(fit.evaluate(new, Y_NEW[:5000]))


def test_a_dask_array_is_predicted_by_its_own_blocks():
    array = pytest.importorskip("dask.array")
    fit = FITS["linear"]
    rows = array.from_array(X_NEW, chunks=(10_000, 3))
    labels = rows.map_blocks(fit.predict, drop_axis=1, dtype=fit.labels.dtype)
    np.testing.assert_array_equal(labels.compute(scheduler="threads"), fit.predict(X_NEW))


@pytest.mark.slow
def test_frames_of_short_floats_give_the_labels_of_their_scores():
    # models add up float32 and float16 as such, and the product of float64 would call other rows
    spread = [1.0, 10.0, 100.0]
    for kind in ("float32", "float16"):
        frame, new = (pd.DataFrame(rows * spread, columns=COLUMNS).astype(kind) for rows in (X, X_NEW))
        for model in (
            make_pipeline(StandardScaler(), RidgeClassifier()),
            make_pipeline(StandardScaler(), LogisticRegression()),
        ):
            fit = quietly(frame, Y, model, n_splits=5, alpha=0.1, random_state=1)
            votes = votes_by_hand(fit, new)
            np.testing.assert_array_equal(fit.votes(new), votes)
            np.testing.assert_array_equal(fit.decision_function(new) > 0, votes > 0.5)


def test_rows_in_chunks_are_no_table_and_pairs_are_no_chunks():
    fit, rows = FITS["linear"], RowChunks.from_arrays(X, Y)
    for call in (fit.predict, fit.votes, fit.decision_function, fit.p_values):
        with pytest.raises(InvalidInputError, match=r"X is a RowChunks, whose rows come in chunks, .* predict_chunks"):
            call(rows)
    for wrong in ((X, Y), None):
        with pytest.raises(InvalidInputError, match=r"chunks must give tables of rows, and gave a .* go to evaluate"):
            list(fit.predict_chunks([wrong]))

    class Named:
        """A table of another library, which has a method of this name too."""

        columns = COLUMNS

        def rows(self):
            raise AssertionError("a single table is no source of chunks")

    with pytest.raises(InvalidInputError, match="chunks must be an iterable of tables"):
        fit.predict_chunks(Named())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["linear", "tree"])
def test_blas_has_one_thread_for_small_products_and_then_as_many_as_before(name, monkeypatch):
    def threads():
        pools = ThreadpoolController().select(user_api="blas").lib_controllers
        return {pool.num_threads for pool in pools}

    fit, seen, real = FITS[name], [], vote_counts.Voters._block_counts

    def watched(self, *args):
        seen.append(threads())
        return real(self, *args)

    monkeypatch.setattr(vote_counts.Voters, "_block_counts", watched)
    rows = np.tile(X_NEW, (3, 1))
    # if the machine has one processor only, the number is still what is asked for
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        before = threads()
        expected = fit.predict(rows)
        assert {frozenset(n) for n in seen} == {frozenset([1]) if name == "linear" else frozenset(before)}
        assert threads() == before
        # calls at the same time do not take each other's number for the one that was
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(fit.predict, [rows] * 8))
        assert threads() == before
    assert all(np.array_equal(labels, expected) for labels in found)


@pytest.mark.parametrize("offset", [1e6, 1e11, 1e13])
def test_an_offset_of_the_scores_loses_no_power(offset):
    fit = npc(X, Y, lambda rows: offset + rows[:, 0], prefit=True, alpha=0.1, random_state=1)
    plain = npc(X, Y, lambda rows: rows[:, 0], prefit=True, alpha=0.1, random_state=1)
    assert np.mean(fit.predict(X_NEW) == plain.predict(X_NEW)) > 0.99


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e5])
@pytest.mark.parametrize("method", ["lda", "logistic", "svm", "nb"])
def test_equal_rows_are_equal_alone_and_in_a_batch_also_where_large_numbers_cancel(method, shift):
    rows = np.hstack([X, np.random.default_rng(7).normal(size=(300, 20))]) + shift
    fit = npc(rows, Y, method, alpha=0.1, random_state=1)
    # the class 0 row at the threshold and its copies are called class 0, however many are scored with them
    scores = score_rows(fit.scorers[0], rows)
    at = rows[[np.argmin(np.abs(scores - fit.thresholds[0]))]]
    for copies in (1, 2, 7, 300):
        assert not fit.decision_function(np.repeat(at, copies, axis=0)).any()
        assert not fit.predict(np.vstack([rows[:50], np.repeat(at, copies, axis=0)]))[50:].any()
