"""Tests of `nproc.rows.label_columns`: a predictor that is the labels in other words is told."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from nproc import NPClassifier, npc, npc_multiclass, nproc
from nproc.errors import NPWarning
from nproc.rows.label_columns import FEWEST_ROWS, label_columns

RNG = np.random.default_rng(2)
CODES = np.repeat([0, 1], 150)
LABELS = np.where(CODES == 1, "ok", "bad")
X = pd.DataFrame({"x": RNG.normal(size=300) + CODES, "z": RNG.normal(size=300)})


def test_only_columns_that_tell_the_label_of_every_row_are_found():
    texts = np.array(["no", "yes"], dtype=object)[CODES]
    one_wrong = np.where(np.arange(300) == 11, "yes", texts)
    of_one_class = np.where(CODES == 1, 7.0, RNG.normal(size=300))
    frame = X.assign(a=texts, b=one_wrong, c=of_one_class, d=9 - CODES, e=1.0)
    assert label_columns(frame, CODES) == [2, 5]
    assert label_columns(frame[["x", "d", "c"]].to_numpy(), CODES) == [1]
    assert label_columns(frame.assign(d=np.where(CODES == 1, np.nan, 1.0)), CODES) == [2]
    assert label_columns(np.arange(300)[:, None] // 100, np.arange(300) // 100) == [0]
    few = np.repeat([0, 1], [FEWEST_ROWS - 1, 200])
    assert label_columns(few[:, None], few) == label_columns(sparse.csr_array(CODES[:, None]), CODES) == []


@pytest.mark.parametrize("method", ["lda", LogisticRegression()])
def test_a_column_made_from_the_labels_is_told_by_a_fit(method):
    model = NPClassifier(method, class0="bad", alpha=0.2, random_state=1)
    told = "the column 'target' tells the label of every row.*Leave it out then"
    with pytest.warns(NPWarning, match=told + ("[.]" if method == "lda" else ", unless your method does so")):
        model.fit(X.assign(target=CODES * 1.0), LABELS)
    # an array has no names, and a model that is trained already learns from no column
    with pytest.warns(NPWarning, match="column 2 of X, counted from 0, tells"):
        model.fit(X.assign(target=CODES * 1.0).to_numpy(), LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, LABELS)


@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
def test_a_summary_tells_of_it_in_short():
    table, settings = X.assign(target=CODES), {"class0": "bad", "random_state": 1}
    told = "The column 'target' tells the label of every row, and may not be known for new rows."
    for made in (
        npc(table, LABELS, "lda", alpha=0.2, **settings),
        npc(table.assign(g=np.arange(300) % 2), LABELS, "lda", alpha=0.2, groups="g", **settings),
        nproc(table, LABELS, "lda", **settings),
        npc_multiclass(table, LABELS, "lda", priority=["bad", "ok"], alphas=0.2, random_state=1),
    ):
        assert told in " ".join(str(made.summary()).split())
    assert "tells the label" not in str(npc(X, LABELS, "lda", alpha=0.2, **settings).summary())
    own = npc(table, LABELS, LogisticRegression(), alpha=0.2, **settings)
    assert f"{told} Leave it out then, unless your method does so." in " ".join(str(own.summary()).split())


@pytest.mark.parametrize(("formula", "without"), [("y ~ .", "y ~ . - target"), ("y ~ scale(x) + target", "y ~ x + z")])
def test_a_fit_by_formula_tells_it_of_the_columns_that_the_formula_uses(formula, without):
    table = X.assign(target=CODES * 1.0, y=LABELS)
    model = NPClassifier("lda", class0="bad", alpha=0.2, random_state=1)
    with pytest.warns(NPWarning, match="the column 'target' tells the label of every row"):
        model.fit(formula, table)
    assert model.fit_.design.told[0].startswith("The column 'target' tells")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.fit(without, table).fit_.design.told == ()


def test_scores_that_tell_the_classes_apart_are_not_said_to_be_too_coarse():
    with pytest.warns(NPWarning) as heard:
        NPClassifier("gradientboosting", class0="bad", alpha=0.2, random_state=1).fit(X.assign(target=CODES), LABELS)
    told = [str(one.message) for one in heard]
    assert any("all class 1 scores that were looked at lie above: the scores tell" in one for one in told)
    assert not any("finer scores" in one or "type II error may be large" in one for one in told)
