"""The code in messages runs on the tables of each library, and what it makes is taken."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from nproc import NPSVC, NPClassifier, OnlineNPClassifier, npc, rank_features
from nproc.errors import InvalidInputError

polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 400)
NUMBERS = RNG.normal(size=400) + Y
LABELS = np.array(["bad", "good"])[Y].tolist()
TEXTS = RNG.choice(["u", "v", "w"], 400).tolist()
GAP = [None, *LABELS[1:]]
LEVELS = {"class0": "bad", "alpha": 0.2, "random_state": 1}

TABLES = {"pandas": pd.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}
COLUMNS = {
    "pandas": pd.Series,
    "polars": polars.Series,
    "pyarrow": lambda values: pyarrow.chunked_array([values]),
    "list": list,
    "array": lambda values: np.array(values, dtype=object),
}


def refusal(function):
    with pytest.raises(InvalidInputError) as error:
        function()
    return str(error.value)


def run(code, **names):
    return eval(code, {"pandas": pd, "polars": polars, "numpy": np, **names})


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_texts_become_categories(table):
    X, model = table({"a": NUMBERS, "t": TEXTS}), NPClassifier(HistGradientBoostingClassifier(), **LEVELS)
    code = re.search(r"into categories by (.*), give a formula", refusal(lambda: model.fit(X, LABELS)))[1]
    model.fit(run(code.replace("NAME", "'t'"), X=X), LABELS)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_column_of_labels_is_taken_out(table):
    X = table({"a": NUMBERS, "y": LABELS})
    code = re.search(r"X without it: (.*)\. Or give", refusal(lambda: npc(X, "y", "logistic", **LEVELS)))[1]
    fit = npc(*run(code, X=X), "logistic", **LEVELS)
    assert fit.feature_names == ("a",)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_labels_that_are_numbers_are_left_out_of_the_predictors(table):
    X = table({"a": NUMBERS, "y": Y})
    y = pd.Series(Y, name="y")
    code = re.search(r"Leave it out: (.*)\.$", refusal(lambda: npc(X, y, "logistic", alpha=0.2)))[1]
    npc(run(code, X=X), y, "logistic", alpha=0.2, random_state=1)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_rows_without_a_label_are_left_out_of_the_table_of_a_formula(table):
    data = table({"a": NUMBERS, "y": GAP})
    code = re.search(r"or leave them out: (.*)\. A fit", refusal(lambda: npc("y ~ a", data, **LEVELS)))[1]
    npc("y ~ a", run(code, data=data), **LEVELS)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_missing_texts_become_a_category(table):
    data = table({"a": NUMBERS, "t": [None] * 40 + TEXTS[40:], "y": LABELS})
    code = re.search(r"a category by (.*), or leave", refusal(lambda: npc("y ~ a + t", data, **LEVELS)))[1]
    made = run(code.replace("[column]", "['t']"), data=data)
    if isinstance(made, pd.Series):
        made = pd.DataFrame({"a": NUMBERS, "t": made, "y": LABELS})
    npc("y ~ a + t", made, **LEVELS)


@pytest.mark.parametrize("gap", [GAP, [None, *Y[1:].tolist()]], ids=["texts", "numbers"])
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_rows_with_labels_are_kept(table, column, gap):
    X, y = table({"a": NUMBERS}), column(gap)
    told = refusal(lambda: npc(X, y, "lda", **LEVELS | {"class0": gap[-1]}))
    mask, rows, labels = re.search(r"keep = (.*), then (\S+) and (\S+)\. A fit", told).groups()
    keep = run(mask, y=y)
    fit = npc(run(rows, X=X, keep=keep), run(labels, y=y, keep=keep), "lda", **LEVELS | {"class0": gap[-1]})
    assert fit.n0 + fit.n1 == 399


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_dates_as_labels_become_texts(column):
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="M8[ms]")[Y]
    y = dates if column is COLUMNS["array"] else column(dates)
    code = re.search(r"such as (.*)\.$", refusal(lambda: npc(NUMBERS[:, np.newaxis], y, "lda", alpha=0.2)))[1]
    assert {text[:4] for text in run(code, y=y)} == {"2020", "2021"}


@pytest.mark.parametrize("gap", [None, np.nan])
def test_the_estimators_of_the_papers_say_of_missing_labels_what_a_fit_says(gap):
    X, y = NUMBERS[:, np.newaxis], [gap, *LABELS[1:]]
    told = refusal(lambda: npc(X, y, "lda", **LEVELS)).partition(" A fit by npc")[0]
    assert told.startswith("y has 1 missing (NaN or None) labels. Label those rows, or keep only the others: keep")
    for model in (NPSVC(class0="bad"), OnlineNPClassifier(class0="bad")):
        assert refusal(lambda model=model: model.fit(X, y)) == told
    assert refusal(lambda: OnlineNPClassifier(class0="bad").partial_fit(X, y, classes=["bad", "good"])) == told


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_columns_in_another_order_are_put_in_order(table):
    model = NPClassifier("lda", **LEVELS).fit(table({"a": NUMBERS, "b": NUMBERS**2}), LABELS)
    X = table({"b": NUMBERS**2, "a": NUMBERS})
    code = re.search(r"in order by (.*), or predict by", refusal(lambda: model.predict(X)))[1]
    assert (model.predict(run(code, X=X, model=model)) == model.fit_.predict(X)).all()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_texts_become_columns_of_numbers_to_rank(table):
    X = table({"a": NUMBERS, "t": TEXTS})
    code = re.search(r"categories by (.*), or leave", refusal(lambda: rank_features(X, LABELS, class0="bad")))[1]
    made = run(code.replace("NAME", "'t'"), X=X)
    assert list(made.columns) == ["a", "t_u", "t_v", "t_w"]


@pytest.mark.parametrize("texts", [NUMBERS.astype(str), [str(number).replace(".", ",") for number in NUMBERS]])
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_texts_that_are_numbers_become_numbers(table, texts):
    names = {"X": table({"a": list(texts)}), "pandas": pd, "polars": polars}
    told = refusal(lambda: npc(names["X"], LABELS, "lda", **LEVELS))
    exec(re.search(r"text: (.*) makes|numbers of them by (.*?)\. If", told).expand(r"\1\2"), names)
    assert npc(names["X"], LABELS, "lda", **LEVELS).feature_names == ("a",)
