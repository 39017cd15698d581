"""Tests of `nproc.rows.labels_beside`: rows that are said to be of class 0, and have other labels in a column."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from nproc import NPClassifier, certify, npc, npc_multiclass
from nproc.errors import InvalidInputError, NPWarning
from nproc.rows.labels_beside import columns_of_labels

RNG = np.random.default_rng(3)
CODES = np.repeat([0, 1], [400, 300])
TABLE = pd.DataFrame({"x": RNG.normal(size=700) + 2 * CODES, "z": RNG.normal(size=700)})
TABLE["visit"], TABLE["sex"] = np.arange(700) // 2, np.arange(700) % 2
LABELS = np.where(CODES == 1, "ok", "bad")
# rows that the fits have not seen
FRESH = TABLE.assign(x=TABLE["x"] + 0.01, z=TABLE["z"] + 0.01, visit=TABLE["visit"] + 1000, kind=LABELS)
SETTINGS = {"class0": "bad", "alpha": 0.2, "random_state": 1}

FITS = {
    "X and y": lambda: npc(TABLE[["x", "z"]], LABELS, "lda", **SETTINGS),
    "formula with another label": lambda: npc("y ~ x + z", TABLE.assign(y=LABELS), "lda", **SETTINGS),
    "groups": lambda: npc(TABLE[["x", "z", "sex"]], LABELS, "lda", groups="sex", **SETTINGS),
    "clusters": lambda: npc(TABLE[["x", "z", "visit"]], LABELS, "lda", clusters="visit", **SETTINGS),
}
MODELS = {
    "estimator": lambda: NPClassifier("lda", **SETTINGS).fit(TABLE[["x", "z"]], LABELS),
    "several classes": lambda: npc_multiclass(
        TABLE[["x", "z"]], LABELS, "lda", priority=["bad", "ok"], alphas=0.2, random_state=1
    ),
    "scikit-learn": lambda: make_pipeline(
        make_column_transformer(("passthrough", ["x", "z"])), LogisticRegression()
    ).fit(TABLE[["x", "z"]], LABELS),
}
TOLD = "X0 has the column 'kind' with the labels of both classes, and without y all rows would count as 'bad'"


@pytest.mark.parametrize("made", FITS.values(), ids=FITS)
def test_a_fit_refuses_rows_of_both_classes_without_labels(made):
    fit, rows0 = made(), FRESH[CODES == 0]
    with pytest.raises(InvalidInputError, match=TOLD) as refused:
        fit.certify(FRESH)
    assert "give y=X0['kind'], or leave out the rows of other classes" in str(refused.value)
    with pytest.raises(InvalidInputError, match=TOLD):
        certify(fit, FRESH)
    # with labels, and with rows of class 0 alone, the column does no harm
    counted = [one.n_called1 for one in (fit.certify(FRESH, FRESH["kind"]), fit.certify(rows0), certify(fit, rows0))]
    assert counted[1] == counted[2] == fit.certify(rows0.drop(columns="kind")).n_called1
    assert hasattr(fit, "n_clusters") or counted[0] == counted[1]
    if not hasattr(fit, "group_values"):
        with pytest.raises(InvalidInputError, match=r"X0_new has the column 'kind' .*both classes, and all"):
            fit.check_assumptions(FRESH)
        assert fit.check_assumptions(rows0).new_errors.made


@pytest.mark.parametrize("made", MODELS.values(), ids=MODELS)
def test_certify_refuses_them_for_each_classifier_that_names_its_columns(made):
    model = made()
    with pytest.raises(InvalidInputError, match=TOLD):
        certify(model, FRESH, class0="bad")
    assert certify(model, FRESH, LABELS, class0="bad").n0 == certify(model, FRESH[:400], class0="bad").n0 == 400


def test_the_column_of_the_groups_is_no_column_of_labels():
    fit = npc(TABLE[["x", "z", "sex"]], CODES, "lda", groups="sex", alpha=0.2, random_state=1, class0=0)
    assert fit.certify(FRESH[:400].drop(columns="kind")).n0 == 400
    told = "X0 has the column 'sick' with the same values as the labels, and without y all rows count as 0"
    with pytest.warns(NPWarning, match=told):
        fit.certify(FRESH.drop(columns="kind").assign(sick=CODES == 1))


@pytest.mark.parametrize("labels", [CODES, np.where(CODES == 1, "f", "m")], ids=["numbers", "words"])
def test_what_is_given_beside_the_rows_is_no_column_of_labels(labels):
    sex, fresh = TABLE["sex"], FRESH.drop(columns=["kind", "visit"])[:400]
    if labels is not CODES:
        sex = sex.map({0: "m", 1: "f"})
        fresh["sex"] = sex[:400]
    given = {"alpha": 0.2, "random_state": 1, "class0": labels[0]}
    by_sex = {"groups": fresh["sex"]}, {"groups": fresh["sex"].tolist()}, {"groups": fresh["sex"].rename(None)}
    for pooled in ({}, {"group_thresholds": "pooled"}):
        fit = npc(TABLE[["x", "z"]], labels, "lda", groups=sex, **pooled, **given)
        assert len({fit.certify(fresh, **by).n_called1 for by in by_sex}) == 1
    assert certify(fit, fresh.drop(columns="sex")).n0 == 400
    # other values by the name of the column
    assert fit.certify(fresh.assign(sex=fresh["sex"].to_numpy()[::-1]), groups=fresh["sex"]).n0 == 400
    halves = npc(TABLE[["x", "z"]], labels, "lda", clusters=TABLE["visit"] + 2, **given)
    assert halves.certify(fresh, clusters=fresh["sex"].tolist()).n0 == 2


def test_columns_of_numbers_are_warned_of_once_and_all_together():
    rows0 = FRESH[CODES == 0].assign(smoker=lambda rows: rows["visit"] % 3 == 0)
    told = "X0 has the columns 'sex', 'smoker' with the same values as the labels"
    clustered = npc(TABLE[["x", "z", "visit"]], CODES, "lda", clusters="visit", alpha=0.2, random_state=1)
    fits = [npc(TABLE[["x", "z"]], labels, "lda", alpha=0.2, random_state=1) for labels in (CODES, CODES == 1)]
    selected = make_column_transformer(("passthrough", ["x", "z"]))
    own = make_pipeline(selected, LogisticRegression()).fit(TABLE[["x", "z"]], CODES)
    calls = [fit.certify for fit in (*fits, clustered)] + [lambda X0: certify(fits[0], X0)]
    calls.append(lambda X0: certify(own, X0, class0=0))
    for call in calls:
        with pytest.warns(NPWarning, match=told) as heard:
            call(rows0)
        [said] = [str(one.message) for one in heard]
        assert said.endswith("If one of them holds the labels, give it as y, or leave out the rows of other classes.")
    with pytest.warns(NPWarning, match=told.replace("X0", "X0_new")):
        fits[0].check_assumptions(rows0)
    # nothing is said where the labels are given
    assert fits[0].certify(rows0, np.zeros(400, dtype=int)).n0 == 400


def test_columns_of_counts_do_not_stop_a_classifier_of_several_classes():
    codes = np.arange(700) % 3
    fit = npc_multiclass(TABLE[["x", "z"]].add(codes, axis=0), codes, "lda", alphas=0.2, random_state=1)
    with pytest.warns(NPWarning, match="X0 has the column 'children' with the same values as the labels"):
        certify(fit, FRESH[["x", "z"]].assign(children=np.arange(700)[::-1] % 3), class0=0)


def test_several_columns_of_words_are_refused_together():
    words = FRESH.assign(past=LABELS[::-1])
    with pytest.raises(InvalidInputError, match="X0 has the columns 'kind', 'past' with the labels of both") as refused:
        FITS["X and y"]().certify(words)
    assert "give it as y, or leave out the rows of other classes and the other columns. If none" in str(refused.value)


def test_labels_are_found_with_gaps_and_in_other_types_but_not_among_other_values():
    frame = pd.DataFrame({"a": [0, 1, 2], "b": ["1", "0", None], "c": [True, False, True], "d": [1, 1, None]})
    assert columns_of_labels(frame, [0, 1], []) == ["b", "c"]
    assert columns_of_labels(frame, [0, 1, 2], ["b"]) == ["a", "c"]
    assert columns_of_labels(frame.assign(e=[[1], [0], [1]]), ["ill", "well"], []) == []
