"""Tests of `nproc.row_chunks.refused_rows`: what a method refuses of new rows is told with columns and rows."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from nproc import npc
from nproc.errors import InvalidInputError, NPWarning
from nproc.multiclass import npc_multiclass
from nproc.row_chunks import RefusedValuesError
from nproc.rows import UnseenCategoriesError

RNG = np.random.default_rng(3)
Y = np.arange(300) % 2
X = pd.DataFrame({"x": RNG.normal(size=300) + Y, "k": np.tile(list("abc"), 100), "m": np.repeat(["a", "b"], 150)})


def fitted(*steps, **options):
    return npc(X, Y, make_pipeline(*steps), **{"alpha": 0.2, "class0": 0, "random_state": 1} | options)


def encoded(kind=OneHotEncoder):
    return make_column_transformer(("passthrough", ["x"]), (kind(), ["k"]), (OneHotEncoder(), ["m"]))


def changed(*cells):
    rows = X.copy()
    for row, column, value in cells:
        rows.loc[row, column] = value
    return rows


def calls(fit):
    yield fit.predict
    yield fit.votes
    yield fit.decision_function
    yield fit.p_values
    yield fit.predict_proba
    yield lambda rows: fit.evaluate(rows, Y)
    yield lambda rows: fit.certify(rows, Y)
    yield lambda rows: fit.check_assumptions(X0_new=rows)
    yield lambda rows: list(fit.predict_chunks([rows[:4], rows[4:]]))


@pytest.mark.parametrize("n_rows", [1, 40])
def test_a_column_of_too_large_numbers_is_named_also_where_all_rows_have_such(n_rows):
    rows = X[["x"]].assign(v=1e-10 * RNG.normal(size=300))
    fit = npc(rows, Y, make_pipeline(StandardScaler(), LogisticRegression()), alpha=0.2, random_state=1)
    said = r"^X has numbers of a size up to 1e\+300 in column\(s\) \['v'\].*the model refuses what comes of them\. C"
    with np.errstate(over="ignore"), pytest.raises(InvalidInputError, match=said):
        fit.predict(rows[:n_rows].assign(v=-1e300))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [OneHotEncoder, OrdinalEncoder])
def test_new_categories_are_named_with_columns_and_rows_wherever_rows_are_scored(kind):
    fit = fitted(encoded(kind), HistGradientBoostingClassifier(max_iter=3))
    new, gap = changed((10, "k", "q"), (20, "k", "r"), (30, "m", "c")), changed((6, "k", None))
    for call in calls(fit):
        with pytest.raises(UnseenCategoriesError) as told:
            call(new)
        # only those of class 0 are certified
        # rows in chunks are counted
        first, other, gap_at = (rf"(at \w+\.iloc\[{row}\]|in row {row + 1}\b)" for row in (10, 30, 6))
        assert re.search(rf"column 'k' has 'q' and 1 more \(first {first}\); ", str(told.value))
        assert re.search(rf"column 'm' has 'c' \({other}\)", str(told.value))
        with pytest.raises(RefusedValuesError, match=rf"column 'k' has a missing .* {gap_at}; the model refuses it"):
            call(gap)
    with pytest.raises(UnseenCategoriesError) as told:
        fit.predict(new)
    assert np.flatnonzero(told.value.rows).tolist() == [10, 20, 30]
    assert "Found unknown categories" in str(told.value.__cause__)


def test_a_row_alone_is_told_with_its_column_where_what_is_said_shows_it():
    fit = fitted(encoded(), LogisticRegression())
    for column, value, said in (("k", "q", "column 'k' has 'q' (at X.iloc[0])"), ("k", None, "'k' has a missing")):
        with pytest.raises(InvalidInputError) as told:
            fit.predict(changed((0, column, value))[:1])
        assert said in str(told.value)
    with pytest.raises(RefusedValuesError, match=r"model refuses X\.iloc\[0\] \(Found unknown categories \['w'\]\)"):
        fit.predict(X[:1].assign(k="w", m="w"))


def test_a_category_that_another_column_knows_is_not_blamed():
    # 'c' is known in k and new in m; 'b' is known in both
    fit = fitted(encoded(), LogisticRegression())
    with pytest.raises(UnseenCategoriesError) as told:
        fit.predict(changed((4, "m", "c"), (7, "k", "e"), (9, "m", "e")))
    assert np.flatnonzero(told.value.rows).tolist() == [4, 7, 9]


def test_rows_of_later_blocks_and_columns_without_names_are_counted_over_all():
    plain = X[["x"]].assign(k=np.tile([1.0, 2.0, 3.0], 100)).to_numpy()
    method = make_pipeline(
        make_column_transformer((OneHotEncoder(), [1]), remainder="passthrough"), LogisticRegression()
    )
    fit = npc(plain, Y, method, alpha=0.2, class0=0, random_state=1)
    many = np.tile(plain, (300, 1))
    many[70_000, 1] = 7.0
    # of what follows the block nothing is known
    said = r"^at least 1 row has .*: column 1 has 7.0 \(at X\[70000\]\)"
    with pytest.raises(UnseenCategoriesError, match=said) as told:
        fit.predict(many)
    assert np.flatnonzero(told.value.rows).tolist() == [70_000]
    with pytest.raises(UnseenCategoriesError, match=r"^1 row has .*at X\[0\]"):
        fit.predict(many[70_000:70_100])


class OneAtATime:
    def __init__(self):
        self.times = 0

    def decision_function(self, rows):
        self.times += 1
        for value in rows["k"]:
            if value not in {"a", "b", "c"}:
                raise ValueError(f"Unknown category {value!r}")
        return rows["x"].to_numpy()


def test_all_new_categories_are_found_in_few_rounds_where_the_model_names_one_at_a_time():
    model = OneAtATime()
    fit = npc(X, Y, model, prefit=True, alpha=0.2, class0=0, random_state=1)
    model.times = 0
    new = changed(*((row, "k", f"c{row}") for row in range(0, 300, 6)))
    with pytest.raises(UnseenCategoriesError, match=r"^50 rows .*'c0' \(at X\.iloc\[0\]\); .*'c6' and 48 more") as told:
        fit.predict(new)
    assert np.flatnonzero(told.value.rows).tolist() == list(range(0, 300, 6))
    # each value once, and two searches
    assert model.times < 150


def coded(rows):
    return rows[["x"]].assign(k=[{"a": 0.0, "b": 1.0, "c": 2.0}[value] for value in rows["k"]])


def low(rows):
    if (rows["x"] < -20).any():
        raise ValueError("too low")
    return rows[["x"]]


def not_both(rows):
    if ((rows["x"] > 50) & (rows["k"] == "a")).any():
        raise ValueError("too much of both.")
    return rows[["x"]]


def some_rows(rows):
    if len(rows) < 3:
        raise ValueError("few rows.")
    return rows[["x"]]


def test_other_refusals_name_the_row_and_the_column_where_it_is_one():
    for code, rows, said in (
        (low, changed((4, "x", -30.0)), "column 'x' has the value -30.0 at X.iloc.4.; the model refuses it .too low"),
        (coded, changed((8, "k", "q")), "column 'k' has the value 'q' at X.iloc.8.; the model"),
        (not_both, changed((3, "x", 99.0)), "the model refuses X.iloc.3. .too much of both"),
        (some_rows, X[:2], r"^the method refuses these rows: few rows\. Correct them, "),
    ):
        fit = fitted(FunctionTransformer(code), LogisticRegression())
        with pytest.raises(InvalidInputError, match=said) as told:
            fit.predict(rows)
        assert type(told.value.__cause__) in (ValueError, KeyError)


def test_an_imputer_that_is_given_a_column_of_text_is_told_with_the_column():
    steps = make_column_transformer((SimpleImputer(), ["x"]), (OneHotEncoder(), ["k", "m"]))
    fit = npc(X, Y, make_pipeline(steps, LogisticRegression()), alpha=0.2, class0=0, random_state=1)
    said = r"column 'x' has text '34 years', the first at X\.iloc\[0\]; .*mean strategy .*: could not .*'\)\. C"
    for rows in (X, X[:1]):
        with pytest.raises(RefusedValuesError, match=said):
            fit.predict(rows.assign(x="34 years"))


def test_of_gaps_those_rows_are_refused_that_the_method_does_not_fill_in():
    new = X.assign(w=X["x"] + np.arange(300) % 7)
    steps = make_column_transformer(("passthrough", ["x"]), (SimpleImputer(), ["w"]), (OneHotEncoder(), ["k", "m"]))
    fit = npc(new, Y, make_pipeline(steps, LogisticRegression()), alpha=0.2, class0=0, random_state=1)
    new.loc[[7, 9, 200], "x"] = np.nan
    new.loc[[2, 9], "w"] = np.nan
    with pytest.raises(RefusedValuesError, match=r"'x' has .* X\.iloc\[7\], and so has 'w' \(X\.iloc\[2\]\)") as told:
        fit.predict(new)
    assert np.flatnonzero(told.value.rows).tolist() == [7, 9, 200]
    # the encoder speaks first where a later row has a new category
    new.loc[8, "k"] = "q"
    with pytest.raises(RefusedValuesError, match=r"'x' has a missing .*, the first at X\.iloc\[7\], and so") as told:
        fit.predict(new)
    assert np.flatnonzero(told.value.rows).tolist() == [7, 9, 200]


def test_new_categories_are_named_by_a_fit_of_several_classes():
    labels = np.arange(300) // 2 % 3
    fit = npc_multiclass(X, labels, make_pipeline(encoded(), LogisticRegression()), alphas=0.2, random_state=1)
    with pytest.raises(UnseenCategoriesError, match=r"column 'k' has 'q' \(at X\.iloc\[10\]\)"):
        fit.predict(changed((10, "k", "q")))


class ByType:
    """Refuses a category that the type of the column has and training did not, as XGBoost does."""

    def decision_function(self, rows):
        for value in rows["k"].cat.categories.difference(["a", "b", "c"]):
            raise ValueError(f"Found a category not in the training set: `{value}`")
        return rows["x"].to_numpy() + rows["k"].cat.codes.to_numpy()


def test_of_a_method_that_refuses_types_of_columns_the_rows_with_new_categories_are_told():
    fit = npc(X.astype({"k": "category"}), Y, ByType(), prefit=True, alpha=0.2, class0=0, random_state=1)
    new = changed((10, "k", "q"), (20, "k", "r"))
    for rows in (new, new.astype({"k": "category"})):
        with pytest.warns(NPWarning, match="'q' and 1 more"), pytest.raises(UnseenCategoriesError) as told:
            fit.predict(rows)
        assert np.flatnonzero(told.value.rows).tolist() == [10, 20]
        assert "'k' has 'q' (at X.iloc[10]); column 'k' has 'r' (at X.iloc[20])" in str(told.value)
    # other categories that stand in the type of the column alone do no harm
    known = X.assign(k=pd.Categorical(X["k"], categories=list("qcba")))
    np.testing.assert_array_equal(fit.predict(known), fit.predict(X))
