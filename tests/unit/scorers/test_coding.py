"""Terms of a formula that learn from rows learn from the rows that train alone; offsets keep the coefficient 1."""

import pickle

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm

from nproc import load, np_threshold, npc, npc_multiclass, nproc, nproc_bands, roc_cv, save
from nproc.errors import InvalidInputError
from nproc.multiclass import npcs
from nproc.rows.formulas import fit_formula
from nproc.scorers import get_scorer
from nproc.splitting import make_splits

N = 600
RNG = np.random.default_rng(7)
FRAME = pd.DataFrame(
    {
        "ill": np.resize(["no", "yes"], N),
        "age": RNG.normal(50.0, 12.0, N) * np.where(np.arange(N) % 2, 1.0, 1.3),
        "dose": RNG.lognormal(size=N),
        "site": RNG.choice(["a", "b", "c"], N),
    }
)
CODES = (FRAME["ill"] == "yes").to_numpy().astype(int)
KNOWN = {"class0": "no", "alpha": 0.1, "split_ratio": 0.5, "random_state": 3}
LEARNING = ["scale(age)", "center(age)", "poly(age, 2)", "bs(age, df=5)", "cr(age, df=4)", "scale(age):site + dose"]


def rows_of_split(fit):
    codes = np.where(FRAME["ill"] == "no", 0, 1)
    return make_splits(codes, fit.n_splits, 0.5, fit.seed, leave_out_class1=False)


@pytest.mark.parametrize("terms", LEARNING)
def test_rows_that_set_the_threshold_have_no_part_in_what_a_term_learns(terms):
    fit = npc(f"ill ~ {terms}", data=FRAME, **KNOWN)
    left = rows_of_split(fit)[0].idx_left0
    # what the scorers know is the same whatever these rows hold
    other = FRAME.copy()
    other.loc[left, "age"] = 1e4 * RNG.normal(size=left.size)
    again = npc(f"ill ~ {terms}", data=other, **KNOWN)
    assert pickle.dumps(again.scorers[0].decision_function(FRAME)) == pickle.dumps(
        fit.scorers[0].decision_function(FRAME)
    )
    assert again.thresholds[0] != fit.thresholds[0]


def test_a_fit_by_splines_is_the_one_that_is_made_by_hand():
    fit = npc("ill ~ bs(age, df=5) + site", data=FRAME, **KNOWN)
    (split,) = rows_of_split(fit)
    coding, _, _ = fit_formula("ill ~ bs(age, df=5) + site", FRAME.iloc[split.idx_train])
    model = sm.GLM(
        CODES[split.idx_train], sm.add_constant(coding.code(FRAME.iloc[split.idx_train])), family=sm.families.Binomial()
    ).fit(tol=1e-12)
    left = sm.add_constant(coding.code(FRAME.iloc[split.idx_left0])) @ model.params
    assert fit.thresholds[0] == pytest.approx(np_threshold(left, alpha=0.1).value, abs=1e-7)
    assert fit.feature_names == ("age", "site")


def test_a_term_that_changes_the_units_alone_changes_no_label():
    plain, scaled = (npc(f"ill ~ {term} + site", data=FRAME, method="lda", **KNOWN) for term in ("age", "scale(age)"))
    assert plain.predict(FRAME).tolist() == scaled.predict(FRAME).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_splines_in_every_function(n_jobs, tmp_path):
    formula, known = "ill ~ bs(age, df=4) + site", {"data": FRAME, "class0": "no", "random_state": 1, "n_jobs": n_jobs}
    fit = npc(formula, n_splits=3, alpha=0.2, **known)
    # each split has knots of its own
    knots = {tuple(scorer["terms"].coding_.spec.transform_state["bs(age, df=4)"]["knots"]) for scorer in fit.scorers}
    assert len(knots) == 3
    save(fit, tmp_path / "fit.joblib")
    far = FRAME.assign(age=3 * FRAME["age"])
    assert load(tmp_path / "fit.joblib").predict(far).tolist() == fit.predict(far).tolist()
    band = nproc(formula, method="gradientboosting", **known)
    assert band.classifier(0.2).predict(far).size == N
    assert npc(formula, cross_fit=3, alpha=0.2, **known).predict(FRAME).size == N
    assert npc(formula, groups="site", alpha=0.4, delta=0.4, **known).predict(FRAME).size == N
    assert npc(formula, method="lda", split_ratio="adaptive", alpha=0.2, **known).predict(FRAME).size == N
    assert roc_cv(formula, **known).n_folds == 5
    bands = nproc_bands(formula, methods=["lda", "tree"], **known)
    assert [own.method for own in bands.values()] == ["lda", "tree"]


def test_splines_with_several_classes():
    kind = np.resize([0, 1, 2], N)
    frame = FRAME.assign(kind=np.array(["x", "y", "z"])[kind], age=FRAME["age"] + 40 * kind)
    given = {"method": "lda", "data": frame, "random_state": 1}
    fit = npc_multiclass("kind ~ bs(age, df=4)", priority=["x", "y", "z"], alphas=0.2, **given)
    assert fit.evaluate(frame).counts.sum() == N
    scaled, plain = (npcs(f"kind ~ {term} + site", alphas={"x": 0.3}, **given) for term in ("scale(age)", "age"))
    # the costs are found by a search that ends at a tolerance
    assert np.mean(scaled.predict(frame) == plain.predict(frame)) > 0.99


def test_the_twin_of_scikit_learn_takes_the_columns_of_the_formula():
    fit = npc("ill ~ bs(age, df=4)", data=FRAME, **KNOWN)
    assert fit.to_sklearn().predict(FRAME).tolist() == fit.predict(FRAME).tolist()


def test_an_offset_is_that_of_a_generalised_linear_model():
    formula = "ill ~ age + offset(log(dose)) + site + offset(0.1 * age)"
    fit = npc(formula, data=FRAME, **KNOWN)
    rows = rows_of_split(fit)[0].idx_train
    design = sm.add_constant(np.column_stack([FRAME["age"], FRAME["site"] == "b", FRAME["site"] == "c"]).astype(float))
    offset = (np.log(FRAME["dose"]) + 0.1 * FRAME["age"]).to_numpy()
    model = sm.GLM(CODES[rows], design[rows], family=sm.families.Binomial(), offset=offset[rows]).fit(tol=1e-12)
    scores = fit.decision_function(FRAME).ravel() + fit.thresholds[0]
    np.testing.assert_allclose(scores, design @ model.params + offset, atol=1e-7)
    columns = fit.design.coding.names
    assert [columns[j] for j in fit.scorers[0].offset] == ["offset(log(dose))", "offset(0.1 * age)"]
    assert fit.feature_names == ("age", "dose", "site")
    together = npc(f"{formula} + scale(dose)", data=FRAME, **KNOWN)
    assert [together.scorers[0]["scorer"].coef_[j] for j in together.scorers[0]["scorer"].offset] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("formula", "method", "message"),
    [
        ("ill ~ age + offset(dose)", "lda", "Only method='logistic' can do this"),
        ("ill ~ age + offset(dose):site", "logistic", "Write offset\\(\\) as a term of its own"),
        ("ill ~ age + scale(offset(dose))", "logistic", "Write offset\\(\\) as a term of its own"),
        ("ill ~ age + offset(site)", "logistic", "has an offset inside"),
    ],
)
def test_an_offset_that_cannot_be_used_is_refused(formula, method, message):
    with pytest.raises(InvalidInputError, match=message):
        npc(formula, data=FRAME, method=method, **KNOWN)


@pytest.mark.parametrize("offset", [[2], [-1], [0, 0], [True], ["a"], 1.5])
def test_an_offset_of_the_method_names_columns(offset):
    with pytest.raises((InvalidInputError, TypeError), match=r"offset must hold positions of columns|not iterable"):
        get_scorer("logistic", offset=offset).fit(RNG.normal(size=(20, 2)), np.resize([0, 1], 20))
