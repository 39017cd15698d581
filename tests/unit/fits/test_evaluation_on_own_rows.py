"""A fit that is evaluated or certified on its own rows says so; on new rows it is silent."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from nproc import NPClassifier, NPMultiClassifier, certify, npc, npc_multiclass
from nproc.errors import NPWarning
from nproc.multiclass import npcs

pytestmark = pytest.mark.filterwarnings("error:at least a fifth")
RNG = np.random.default_rng(8)
N = 300
Y = np.repeat([0, 1], [2 * N, N])
X = RNG.normal(size=(3 * N, 4)) + Y[:, None]
NEW = RNG.normal(size=(3 * N, 4)) + Y[:, None]
OWN = "class 0 rows have exactly the same score as a row that set the threshold"


FOREST = RandomForestClassifier(20, random_state=1)


@pytest.mark.parametrize("method", ["lda", "svm", "knn", "nb", "gradientboosting", "tree", FOREST])
@pytest.mark.parametrize("n_splits", [1, 3])
def test_rows_of_the_fit_are_recognised_and_new_ones_are_not(method, n_splits):
    fit = npc(X, Y, method, alpha=0.3, n_splits=n_splits, random_state=1)
    for look in (
        lambda rows: fit.evaluate(rows, Y),
        lambda rows: fit.certify(rows, Y),
        lambda rows: fit.certify(rows[: 2 * N]),
        lambda rows: certify(fit, rows, Y),
        lambda rows: certify(fit, rows[: 2 * N]),
    ):
        assert "could not be checked" not in repr(look(NEW))
        with pytest.warns(NPWarning, match="at least a fifth"):
            look(X)


@pytest.mark.filterwarnings("ignore:the .* largest of|all .* left-out")
def test_rows_that_trained_are_recognised_too_and_in_any_kind_of_table():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X[:, 0] > 0, "x", "y"))
    new = pd.DataFrame(NEW, columns=list("abcd")).assign(kind=np.where(NEW[:, 0] > 0, "x", "y"))
    fit = npc("y ~ .", data=frame.assign(y=Y), method="lda", alpha=0.3, random_state=1)
    trained = frame[Y == 0][~np.isin(fit._scores(frame[Y == 0])[:, 0], fit.scores0[0])]
    assert len(trained) > 50
    for rows in (trained, trained[frame.columns[::-1]].astype({"kind": "category"}).reset_index(drop=True)):
        with pytest.warns(NPWarning, match="equal a class 0 row of the fit in all predictors"):
            assert fit.certify(rows).certified is False
    assert fit.certify(new[Y == 0]).own_rows is False


def first_rounded(Z):
    """Return scores that are tied, so that only the values tell rows of the fit."""
    first = Z.iloc[:, [0]] if hasattr(Z, "iloc") else Z[:, [0]]
    first = first.toarray() if sparse.issparse(first) else np.asarray(first)
    return np.round(first.ravel().astype(np.float64))


@pytest.mark.filterwarnings("ignore:the .* largest of|all .* left-out")
def test_rows_of_the_fit_are_recognised_with_other_types_of_the_same_values():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(e=X[:, 0] > 0, f=np.round(3 * X[:, 1]).astype(int))
    small, text = frame.astype(dict.fromkeys("abcd", np.float32)), frame.assign(g=np.where(Y, "x", "y"))
    for given, tables in (
        (frame, [frame.astype(object), small, frame.convert_dtypes(), frame.astype({"f": float, "e": object})]),
        (small, [small.astype(np.float64), frame]),
        (text, [text.astype(object), text.astype({"g": "category", "e": "boolean", "f": "Int32"})]),
        (X, [X.astype(object), X.astype(np.float32), X.tolist(), np.asfortranarray(X)]),
        (sparse.csr_matrix(X), [sparse.csc_matrix(X.astype(np.float32)), X]),
    ):
        fit = npc(given, Y, first_rounded, alpha=0.2, prefit=True)
        for table in (given, *tables):
            with pytest.warns(NPWarning, match="equal a class 0 row of the fit in all predictors"):
                assert fit.certify(table, Y).own_rows


@pytest.mark.filterwarnings("ignore:.*exact copies")
def test_where_nothing_can_tell_rows_of_the_fit_from_new_ones_the_bound_does_not_call_them_fresh():
    rng = np.random.default_rng(1)
    rows, more = (rng.integers(0, 40, size=(3 * N, 1)) + 3 * Y[:, None] for _ in range(2))
    fit = npc(rows, Y, "tree", alpha=0.4, random_state=1)
    for bound in (fit.certify(rows, Y), certify(fit, more, Y)):
        assert bound.own_rows is None
        assert "fresh" not in repr(bound)
        assert "if the classifier has not seen these rows, which could not be checked" in repr(bound)
        text = " ".join(str(bound.summary()).split())
        assert "It could not be checked whether the classifier has seen these rows" in text
        assert "Fresh class 0 rows" not in text


def test_rows_are_called_fresh_only_where_those_that_trained_were_looked_for_too():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [8000, 200])
    rows = rng.normal(size=(y.size, 3)) + y[:, None]
    fit = npc(rows, y, "lda", alpha=0.1, random_state=1)
    rows0 = rows[y == 0]
    trained = rows0[~np.isin(fit._scores(rows0)[:, 0], fit.scores0[0])]
    # the scores tell that none of them set the threshold, and too few of them have keys as small as those kept
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdicts = [fit.certify(rng.choice(trained, size=22, replace=False)).own_rows for _ in range(10)]
    assert False not in verdicts
    assert None in verdicts


def test_rows_of_a_classifier_that_is_no_fit_are_not_called_fresh():
    bound = certify(LogisticRegression().fit(X, Y), X, Y, class0=0)
    assert bound.own_rows is None
    assert "fresh" not in repr(bound)
    assert "Only fits of this package recognise their rows" in " ".join(str(bound.summary()).split())


NOT_CHECKED = "It could not be checked whether the classifier has seen these rows"


@pytest.mark.parametrize(
    "more", [{}, {"review_beta": 0.2}, {"groups": np.arange(3 * N) % 2}, {"clusters": np.arange(3 * N)}]
)
def test_rows_that_may_have_trained_the_model_of_a_prefit_fit_are_never_called_fresh(more, tmp_path):
    model = RandomForestClassifier(30, random_state=0).fit(NEW, Y)
    fit = npc(X, Y, model, prefit=True, alpha=0.2, **more)
    beside = {name: values for name, values in more.items() if name == "groups"}
    if "clusters" in more:
        beside["clusters"] = more["clusters"] + 3 * N
    assert "It must not have seen these rows; this was not checked." in " ".join(str(fit.summary()).split())
    found = fit.evaluate(NEW, Y, **beside)
    assert NOT_CHECKED in " ".join(str(found.summary()).split())
    if "review_beta" in more:
        return
    report = fit.report(tmp_path / "report.md", NEW, Y, **beside).read_text()
    assert "Fresh class 0 rows" not in report
    assert " ".join(report.split()).count(NOT_CHECKED) == 2
    bounds = [fit.certify(NEW, Y, **beside)]
    if not more:
        assert fit.evaluate((NEW[rows], Y[rows]) for rows in np.array_split(np.arange(3 * N), 3)).own_rows is None
        twin = NPClassifier(model, prefit=True, alpha=0.2).fit(X, Y)
        bounds += [certify(one, rows, Y) for one in (fit, twin) for rows in (NEW, RNG.normal(size=NEW.shape))]
        bounds.append(certify(model, NEW, Y, class0=0))
    for bound in bounds:
        assert bound.own_rows is None
        assert "fresh" not in repr(bound)
        assert "if the classifier has not seen these rows, which could not be checked" in repr(bound)
        assert "recognises the rows that set its threshold, but not those that trained" in " ".join(
            str(bound.summary()).split()
        )


def test_a_prefit_fit_of_several_classes_does_not_call_rows_fresh_that_may_have_trained_its_model():
    several = np.where((Y == 1) & (NEW[:, 0] > 1), 2, Y)
    fit = npc_multiclass(
        X, SEVERAL, LogisticRegression().fit(NEW, several), prefit=True, priority=[0, 1, 2], alphas=0.3
    )
    assert "It must not have seen these rows; this was not checked." in " ".join(str(fit.summary()).split())
    assert NOT_CHECKED in " ".join(str(fit.evaluate(NEW, several).summary()).split())
    assert "which could not be checked" in repr(certify(fit, NEW, several, class0=0))
    with pytest.warns(NPWarning, match="at least a fifth"):
        assert certify(fit, X, SEVERAL, class0=0).own_rows


@pytest.mark.parametrize("method", ["lda", RandomForestClassifier(20, random_state=1), "tree", "knn"])
def test_coarse_scores_of_new_rows_raise_nothing(method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="the .* largest of|all .* left-out|.*exact copies")
        for seed in range(10):
            rng = np.random.default_rng(seed)
            rows, more = (rng.integers(0, 40, size=(3 * N, 1)) + 3 * Y[:, None] for _ in range(2))
            npc(rows, Y, method, alpha=0.2, random_state=seed).evaluate(more, Y)


@pytest.mark.filterwarnings("ignore:.*exact copies")
def test_a_few_rows_that_are_twice_in_the_data_hide_nothing():
    rows, y = np.vstack([X, X[:16]]), np.append(Y, Y[:16])
    fit = npc(rows, y, "lda", alpha=0.1, random_state=3)
    assert 0 < fit.scores0[0].size - np.unique(fit.scores0[0]).size < 6
    fit.evaluate(NEW, Y)
    with pytest.warns(NPWarning, match=OWN):
        fit.evaluate(rows, y)


@pytest.mark.filterwarnings("ignore:.*exact copies")
@pytest.mark.parametrize("share", [0.1, 0.3])
def test_rows_of_the_fit_are_recognised_although_a_share_of_them_is_twice_in_the_data(share):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        # new rows come with copies of rows of the fit as often as those of the fit are copies of each other
        values, known = rng.normal(size=(3 * N, 2)) + Y[:, None], rng.normal(size=(6, 2))
        rows, more = values.copy(), rng.normal(size=values.shape) + Y[:, None]
        for table in (rows, more):
            twice = np.flatnonzero((rng.random(3 * N) < share) & (Y == 0))
            table[twice] = known[rng.integers(6, size=twice.size)]
        fit = npc(rows, Y, "lda", alpha=0.1, random_state=seed)
        fit.evaluate(more, Y)
        with pytest.warns(NPWarning, match=OWN):
            fit.evaluate(rows, Y)


def test_a_trained_model_that_set_its_threshold_on_these_rows_is_recognised():
    fit = npc(X, Y, lambda Z: Z.sum(axis=1), prefit=True)
    fit.evaluate(NEW, Y)
    with pytest.warns(NPWarning, match=OWN):
        fit.evaluate(X[::-1], Y[::-1])


def test_nothing_is_certified_on_rows_of_the_fit():
    fit = npc(X, Y, "lda", alpha=0.1, random_state=1)
    fresh = certify(fit, NEW, Y)
    assert "fresh rows" in repr(fresh)
    with pytest.warns(NPWarning, match=OWN):
        own = fit.certify(X, Y)
    assert own.certified is False
    assert "no bound holds if they are rows of the fit" in repr(own)
    assert "no, rows of the fit" in str(own.summary())


def far_out(Z):
    """Return scores of which that of a row with a large first value is 1e11."""
    return np.where(Z[:, 0] > 90, 1e11, Z.sum(axis=1))


def test_one_score_far_out_makes_no_new_row_a_row_of_the_fit_and_hides_none():
    rows = X.copy()
    rows[5, 0] = 99
    fit = npc(rows, Y, far_out, prefit=True)
    assert fit.scores0[0].max() == 1e11
    fit.evaluate(NEW, Y)
    fit.certify(NEW[: 2 * N])
    with pytest.warns(NPWarning, match=OWN):
        fit.evaluate(rows, Y)


def test_rows_of_the_fit_are_recognised_although_their_scores_differ_by_rounding():
    fit = npc(X, Y, far_out, prefit=True)
    shifted = 3.0 * (X / 3.0)
    assert np.mean(far_out(shifted) != far_out(X)) > 0.1
    with pytest.warns(NPWarning, match=OWN):
        fit.evaluate(shifted, Y)


def shows_no_interval(found):
    """Assert that intervals which do not hold are in no text and no frame."""
    text = " ".join(str(found.summary()).split())
    assert "No intervals are shown, because they would not hold for these rows." in text
    assert "Clopper" not in text
    assert not re.search(r"\[\d?\.\d|%\]", repr(found) + text)
    frame = found.to_frame()
    assert frame.filter(regex="(lower|upper)$").isna().to_numpy().all()
    assert frame.filter(regex="rate$").notna().to_numpy().any()


@pytest.mark.filterwarnings("ignore:the .* largest of|all .* left-out")
@pytest.mark.parametrize("how", [{}, {"review_beta": 0.2}])
def test_errors_on_rows_of_the_fit_are_headed_so_whether_they_come_at_once_or_in_chunks(how):
    fit = npc(X, Y, "lda", alpha=0.3, random_state=1, **how)
    places = np.array_split(np.random.default_rng(1).permutation(3 * N), 7)
    for look in (lambda rows: fit.evaluate(rows, Y), lambda rows: fit.evaluate((rows[i], Y[i]) for i in places)):
        found = look(NEW)
        assert found.own_rows is False
        assert "rows of the fit" not in repr(found) + str(found.summary())
        with pytest.warns(NPWarning, match="at least a fifth") as heard:
            found = look(X)
        assert len(heard) == 1
        assert found.own_rows
        assert "probably on rows of the fit" in repr(found)
        assert "Errors, probably on rows of the fit" in str(found.summary())
        assert "no bound holds" in " ".join(str(found.summary()).split())
        assert "on new data" not in found._repr_html_()
        shows_no_interval(found)


GROUPS = np.tile(["a", "b"], 3 * N // 2)
SEVERAL = np.where((Y == 1) & (X[:, 0] > 1), 2, Y)


@pytest.mark.parametrize(
    ("fit", "beside"),
    [
        (npc(X, Y, "lda", alpha=0.3, groups=GROUPS, random_state=1), {"groups": GROUPS}),
        (npc(X, Y, lambda Z: Z[:, 0], prefit=True, alpha=0.3, groups=GROUPS), {"groups": GROUPS}),
        (npc_multiclass(X, SEVERAL, "lda", priority=[0, 1, 2], alphas=0.3, deltas=0.3, random_state=1), {}),
        (npcs(X, SEVERAL, "lda", alphas={0: 0.3}, random_state=1), {}),
    ],
    ids=["groups", "prefit", "priority", "costs"],
)
def test_fits_of_groups_and_of_several_classes_say_it_too(fit, beside):
    found = fit.evaluate(NEW, Y, **beside)
    assert "rows of the fit" not in repr(found) + str(found.summary())
    with pytest.warns(NPWarning, match="at least a fifth of the (class 0 )?rows equal") as heard:
        found = fit.evaluate(X, Y, **beside)
    assert len(heard) == 1
    assert "probably on rows of the fit" in repr(found)
    assert "probably on rows of the fit" in str(found.summary())
    assert "no bound holds" in " ".join(str(found.summary()).split())
    assert "on new data" not in str(found.summary())
    shows_no_interval(found)


Y3 = np.repeat([0, 1, 2], N)


@pytest.mark.parametrize("class0", [0, 1])
@pytest.mark.parametrize("kind", ["npc_multiclass", "npcs", "classifier", "formula"])
def test_fits_of_several_classes_are_certified_by_new_rows_of_a_class_and_recognise_their_own(kind, class0):
    own, new = (2 * (table - Y[:, None]) + 2 * Y3[:, None] for table in (X, NEW))
    levels = {"alphas": 0.2, "method": "lda", "random_state": 1}
    if kind == "formula":
        own, new = (pd.DataFrame(table, columns=list("abcd")) for table in (own, new))
        fit = npc_multiclass("y ~ .", own.assign(y=Y3), priority=[0, 1, 2], **levels)
    elif kind == "npc_multiclass":
        fit = npc_multiclass(own, Y3, priority=[0, 1, 2], **levels)
    elif kind == "npcs":
        fit = npcs(own, Y3, alphas={0: 0.2}, method="lda", random_state=1)
    else:
        fit = NPMultiClassifier(priority=[0, 1, 2], **levels).fit(own, Y3)
    of_class = class0 == Y3
    few_own = new.copy()
    few_own[:2] = own[:2]
    for rows, n_own in ((new, 0), (few_own, 0), (own, N)):
        for given in ((rows, Y3), (rows[of_class],)):
            if n_own:
                with pytest.warns(NPWarning, match="equal a row of the fit"):
                    bound = certify(fit, *given, class0=class0, alpha=0.5)
                assert (bound.own_rows, bound.certified) == (True, False)
                assert "no bound holds" in repr(bound)
            else:
                bound = certify(fit, *given, class0=class0, alpha=0.5)
                assert (bound.own_rows, bound.certified) == (False, True)
            assert (bound.n0, bound.n_called1) == (N, np.sum(fit.predict(rows[of_class]) != class0))


def test_the_class_1_rows_of_a_fit_are_not_called_fresh_where_class_1_is_certified():
    bound = certify(npc(X, Y, "lda", alpha=0.3, random_state=1), X, Y, class0=1)
    assert bound.own_rows is None
    assert "could not be checked" in repr(bound)


def test_a_column_of_groups_is_no_predictor_by_which_rows_are_recognised():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(site=GROUPS)
    fit = npc(frame, Y, "lda", alpha=0.3, groups="site", random_state=1)
    with pytest.warns(NPWarning, match="at least a fifth"):
        found = fit.evaluate(frame.assign(site=GROUPS[::-1]), Y)
    assert found.overall.own_rows
    assert found["a"].own_rows


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*exact copies|the .* largest of|all .* left-out")
def test_a_formula_of_few_coarse_columns_is_told_its_rows_by_all_columns_of_the_table():
    rng = np.random.default_rng(3)

    def drawn():
        columns = {"a": rng.integers(0, 3, 3 * N), "b": rng.normal(size=3 * N), "c": rng.choice(list("xy"), 3 * N)}
        return pd.DataFrame(columns).assign(y=Y, d=lambda table: table["a"] + Y)[["b", "y", "a", "c", "d"]]

    own, new = drawn(), drawn()
    fit = npc("y ~ d", own, "lda", alpha=0.4, random_state=1)
    for table in (own, own[own.columns[::-1]].astype({"c": "category"})):
        for look in (fit.evaluate, fit.thresholds_table, fit.certify):
            with pytest.warns(NPWarning, match="equal a class 0 row of the fit in all columns of the table"):
                look(table)
    assert fit.evaluate(new).own_rows is False
    assert "could not be checked" not in str(fit.evaluate(new).summary()) + repr(fit.certify(new))
    # without the other columns nothing tells, and both say so
    for table in (own, new):
        found = fit.evaluate(table[["d", "y"]])
        assert found.own_rows is None
        assert "could not be checked" in " ".join(str(found.summary()).split())
        assert "could not be checked" in repr(fit.certify(table[["d", "y"]]))
    of_several = {"data": own, "method": "lda", "random_state": 1}
    for fit in (
        npc_multiclass("y ~ d", priority=[0, 1], alphas=0.4, deltas=0.3, **of_several),
        npcs("y ~ d", alphas={0: 0.3}, **of_several),
    ):
        with pytest.warns(NPWarning, match="equal a row of the fit in all columns of the table"):
            assert fit.evaluate(own[own.columns[::-1]]).own_rows
        assert fit.evaluate(new).own_rows is False
        assert fit.evaluate(own[["d", "y"]]).own_rows is None
