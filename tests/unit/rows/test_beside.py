"""Weights, groups and clusters by the names of columns, and rows with missing values that are left out when asked."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from nproc import NPClassifier, npc, nproc, nproc_bands, roc_cv
from nproc.comparison import compare_procedures
from nproc.errors import InvalidInputError, NPWarning
from nproc.row_chunks import RowChunks

N = 300
RNG = np.random.default_rng(5)
Y = np.resize(["ill", "well"], N)
WHOLE = pd.DataFrame(RNG.normal(size=(N, 2)) + 2 * (Y == "well")[:, None], columns=["a", "b"]).assign(
    site=RNG.choice(["x", "y"], N), weight=RNG.uniform(0.5, 2, N), y=Y
)
GAPPY = WHOLE.copy()
GAPPY.loc[[3, 10], "a"] = np.nan
GAPPY.loc[[10, 20], "site"] = None
KEPT = GAPPY.index.difference([3, 10, 20])
KNOWN = {"method": "logistic", "class0": "ill", "random_state": 1}
FIT = KNOWN | {"alpha": 0.2}
TOLD = "left out 3 of 300 rows with missing values, in a (2), site (2)."


@pytest.fixture
def told():
    """What na_action='omit' says, here as part of what is tested."""
    with pytest.warns(NPWarning, match=re.escape(TOLD)):
        yield


def test_a_weight_by_its_name_is_that_column_and_no_predictor():
    by_name = npc(WHOLE[["a", "b", "weight"]], Y, sample_weight="weight", **FIT)
    by_values = npc(WHOLE[["a", "b"]], Y, sample_weight=WHOLE["weight"], **FIT)
    assert by_name.thresholds.tolist() == by_values.thresholds.tolist()
    assert by_name.feature_names == ("a", "b")
    by_formula = npc("y ~ .", data=WHOLE[["a", "b", "weight", "y"]], sample_weight="weight", **FIT)
    assert by_formula.thresholds.tolist() == by_values.thresholds.tolist()
    assert npc("y ~ a + weight", data=WHOLE, sample_weight="weight", **FIT).feature_names == ("a", "weight")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (WHOLE[["a", "b"]], "sample_weight='weight' is no column of the data; the columns are ['a', 'b']."),
        (WHOLE[["a", "b"]].to_numpy(), "sample_weight='weight' names a column, and the rows are a ndarray"),
    ],
)
def test_a_weight_whose_column_is_missing_is_an_error(X, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        npc(X, Y, sample_weight="weight", **FIT)


@pytest.mark.usefixtures("told")
def test_omitting_rows_is_the_same_as_leaving_them_out_by_hand():
    formula = "y ~ a + site"
    fit = npc(formula, data=GAPPY, na_action="omit", sample_weight="weight", **FIT)
    by_hand = npc(formula, data=GAPPY.loc[KEPT], sample_weight="weight", **FIT)
    assert fit.thresholds.tolist() == by_hand.thresholds.tolist()
    assert (fit.n0 + fit.n1, fit.design.n_omitted, by_hand.design.n_omitted) == (297, 3, 0)
    words = " ".join(str(fit.summary()).split())
    assert "3 rows with missing values were left out (na_action='omit')." in words
    assert "missing values" not in str(by_hand.summary())


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize("name", ["groups", "clusters"])
def test_members_lose_the_same_rows(name):
    members = {"groups": WHOLE["site"], "clusters": np.arange(N) // 2}[name]
    options = FIT | {"alpha": 0.3, "delta": 0.2}
    fit = npc("y ~ a + site", data=GAPPY, na_action="omit", **{name: members}, **options)
    kept = members[KEPT]
    by_hand = npc("y ~ a + site", data=GAPPY.loc[KEPT], **{name: kept}, **options)
    assert np.ravel(fit.thresholds).tolist() == np.ravel(by_hand.thresholds).tolist()
    assert "3 rows with missing values" in " ".join(str(fit.summary()).split())


def curves(function, **rows):
    if function is nproc:
        return nproc("y ~ a + site", **rows, **KNOWN).to_frame()
    if function is nproc_bands:
        return nproc_bands("y ~ a + site", methods=["lda"], class0="ill", random_state=1, **rows)["lda"].to_frame()
    if function is roc_cv:
        return roc_cv("y ~ a + site", **rows, **KNOWN).to_frame()
    pair = {"methods": ["lda", "tree"], "class0": "ill", "alpha": 0.3, "random_state": 1, "n_splits": 2}
    return compare_procedures("y ~ a + site", **pair, **rows).to_frame()


@pytest.mark.usefixtures("told")
@pytest.mark.filterwarnings("ignore:fewer than ten splits")
@pytest.mark.parametrize("function", [nproc, nproc_bands, roc_cv, compare_procedures])
def test_every_function_omits_alike(function):
    found = curves(function, data=GAPPY, na_action="omit")
    pd.testing.assert_frame_equal(found, curves(function, data=GAPPY.loc[KEPT]))


@pytest.mark.filterwarnings("ignore:na_action='omit' left out")
def test_messages_count_the_rows_of_the_table_that_was_given():
    table = GAPPY.assign(rate=[f"{j}.5" for j in range(N)]).set_index("b")
    table["rate"] = table["rate"].mask(np.arange(N) == 250, "k.A.")
    for rate in (table["rate"], table["rate"].astype("category")):
        with pytest.raises(
            InvalidInputError, match=r"1 of its 297 values is not a number \('k\.A\.' at data\.iloc\[250\]\)"
        ):
            npc("y ~ a + site + rate", data=table.assign(rate=rate), na_action="omit", **FIT)
    table["weight"] = table["weight"].where(np.arange(N) != 250, -1.0)
    with pytest.raises(InvalidInputError, match=r"1 negative value\(s\), the first at data\['weight'\]\.iloc\[250\];"):
        npc("y ~ a + site", data=table, na_action="omit", sample_weight="weight", **FIT)
    X = GAPPY[["a", "b"]].assign(note=[f"word{j}" for j in range(N)]).astype({"note": object})
    X.loc[X.index[250], "note"] = 3.5
    words = make_pipeline(make_column_transformer((CountVectorizer(), "note")), LogisticRegression())
    with pytest.raises(InvalidInputError, match=r"no text \(3\.5\), the first at X\.iloc\[250\]\."):
        npc(X, GAPPY["y"], words, class0="ill", na_action="omit", alpha=0.2, random_state=1)
    X = X[["a", "b"]].mask((np.arange(N) == 250)[:, None] & [True, False], np.inf)
    for function in (npc, nproc, roc_cv, nproc_bands, compare_procedures):
        method = ["lda", "qda"] if function in (nproc_bands, compare_procedures) else "lda"
        with pytest.raises(InvalidInputError, match=r"1 infinite value\(s\) .*, the first at X\.iloc\[250\];"):
            function(X, GAPPY["y"], method, class0="ill", na_action="omit")


def test_a_table_of_numbers_and_the_estimator():
    X = WHOLE[["a", "b"]].to_numpy().copy()
    X[[4, 5], 0] = np.nan
    with pytest.warns(NPWarning, match=re.escape("left out 2 of 300 rows with missing values, in X (2)")):
        model = NPClassifier("lda", class0="ill", alpha=0.2, na_action="omit", random_state=1).fit(X, Y)
    rest = np.delete(np.arange(N), [4, 5])
    by_hand = npc(X[rest], Y[rest].tolist(), "lda", class0="ill", alpha=0.2, random_state=1)
    assert model.thresholds_.tolist() == by_hand.thresholds.tolist()


def test_a_missing_label_weight_or_group_counts():
    y = pd.Series(Y).mask(np.arange(N) == 7)
    weights = np.where(np.arange(N) == 8, np.nan, 1.0)
    groups = ["u" if j != 9 else None for j in range(N)]
    expected = "left out 3 of 300 rows with missing values, in y (1), sample_weight (1), groups (1)."
    with pytest.warns(NPWarning, match=re.escape(expected)):
        fit = npc(WHOLE[["a", "b"]], y, groups=groups, sample_weight=weights, na_action="omit", **FIT)
    assert fit.n0 + fit.n1 == 297
    # a column keeps the name that it has in the user's table, unless a predictor has the same
    for name, told in (("state", "in state (1)."), ("a", "in y (1).")):
        with pytest.warns(NPWarning, match=re.escape(told)):
            npc(WHOLE[["a", "b"]].fillna(0.0), y.rename(name), na_action="omit", **FIT)


def test_without_gaps_nothing_is_said_or_changed():
    plain = npc(WHOLE[["a", "b"]], Y, **FIT)
    asked = npc(WHOLE[["a", "b"]], Y, na_action="omit", **FIT)
    assert str(plain.summary()) == str(asked.summary())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"na_action": "drop"}, "na_action must be one of 'error', 'omit', got 'drop'."),
        ({"data": GAPPY.assign(a=np.nan), "na_action": "omit"}, "every row has a missing value, in a (300), site (2)"),
        (
            {"data": GAPPY.assign(a=np.nan), "na_action": "omit"},
            "leaves no row. Leave out column(s) ['a'], which have no value in any row.",
        ),
        (
            {"data": GAPPY.assign(a=np.nan)},
            "column(s) ['a'] have no value in any row; column 'site' has 2 missing category value(s)",
        ),
        ({}, "column 'a' has 2 missing value(s)"),
    ],
)
def test_what_cannot_be_done_is_an_error(change, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        npc("y ~ a + site", **{"data": GAPPY} | change, **FIT)


def test_tables_of_other_kinds_lose_the_same_rows():
    polars = pytest.importorskip("polars")
    known = {"method": "lda", "na_action": "omit", **{k: v for k, v in FIT.items() if k != "method"}}
    frame = WHOLE[["a", "b"]].copy()
    frame.loc[7, "b"] = np.nan
    tables = [frame, frame.to_numpy(), polars.DataFrame({k: [None if v != v else v for v in frame[k]] for k in "ab"})]
    found = []
    for table in tables:
        with pytest.warns(NPWarning, match="left out 1 of 300 rows"):
            found.append(npc(table, polars.Series("y", Y.tolist()), **known).thresholds.tolist())
    assert found[0] == found[1] == found[2]
    entries = sparse.csr_array(WHOLE[["a", "b"]].to_numpy())
    entries.data[14] = np.nan
    with pytest.warns(NPWarning, match="left out 1 of 300 rows"):
        assert npc(entries, Y, **(known | {"method": "logistic"})).design.n_omitted == 1


def test_rows_in_chunks_are_cleaned_where_they_are_made():
    with pytest.raises(InvalidInputError, match="cannot be used with rows in chunks"):
        npc(RowChunks.from_arrays(WHOLE[["a", "b"]].to_numpy(), Y), na_action="omit", **FIT)
