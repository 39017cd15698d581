"""Calls through R's reticulate: what its conversions make of R's objects, and that the page on it holds these calls.

reticulate makes a list of a vector, one value of a vector of length 1, a float of every plain number, a Fortran-ordered
array of a matrix, a pandas DataFrame of a data.frame with Categorical columns for factors, and a dict of a named list.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from nproc import compare, npc, nproc_bands, plan_class0, roc_cv
from nproc import nproc as band_of
from nproc.comparison import compare_aucs

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "from_r.md").read_text(encoding="utf-8")
N = 300
RNG = np.random.default_rng(1)
CODES = np.repeat([0, 1], N // 2)
MATRIX = np.asfortranarray(RNG.normal(size=(N, 2)) + CODES[:, None])
LABELS = ["bad" if code == 0 else "good" for code in CODES]
FRAME = pd.DataFrame(MATRIX, columns=["a", "b"])
FIT = npc(MATRIX, np.array(LABELS), "lda", class0="bad", alpha=0.1, random_state=1)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (MATRIX, LABELS),
        (MATRIX, pd.Categorical(LABELS)),
        (MATRIX, np.array(LABELS, dtype=object)),
        (FRAME, LABELS),
        (FRAME, pd.Categorical(LABELS, categories=["good", "bad"])),
        (FRAME.to_dict("series"), None),
    ],
    ids=["matrix and vector", "matrix and factor", "matrix and array", "data.frame", "other levels", "list of columns"],
)
def test_what_reticulate_makes_of_rows_and_labels_is_read(X, y):
    if y is None:
        with pytest.raises(ValueError, match="X is a dict"):
            npc(X, LABELS, "lda", class0="bad", alpha=0.1, random_state=1.0)
        return
    # a plain 1 of R is a float
    fit = npc(X, y, "lda", class0="bad", alpha=0.1, n_splits=1.0, random_state=1.0)
    np.testing.assert_array_equal(fit.thresholds, FIT.thresholds)
    assert fit.predict(X).tolist() == FIT.predict(MATRIX).tolist()


def test_labels_of_numbers_are_floats_there():
    fit = npc(MATRIX, CODES.astype(float).tolist(), "lda", class0=0.0, alpha=0.1, random_state=1.0)
    np.testing.assert_array_equal(fit.thresholds, FIT.thresholds)
    assert set(fit.predict(MATRIX)) == {0.0, 1.0}


def test_a_formula_with_a_factor_takes_a_data_frame():
    frame = FRAME.assign(job=pd.Categorical(np.resize(["x", "y"], N)), y=pd.Categorical(LABELS))
    fit = npc("y ~ a + job", data=frame, class0="bad", alpha=0.1, random_state=1.0)
    assert set(fit.predict(frame)) == {"bad", "good"}


def test_bands_comparisons_plans_and_parameters_of_methods_work():
    given = {"class0": "bad", "random_state": 1.0}
    band = band_of(MATRIX, LABELS, "svm", method_params={"C": 10.0}, **given)
    assert band.at([0.05, 0.1]).type2_upper.shape == (2,)
    compared = compare(nproc_bands(MATRIX, LABELS, ["lda", "nb"], **given), regions="paired")
    assert compared.names == ("lda", "nb")
    assert isinstance(FIT.to_frame(), pd.DataFrame)
    assert plan_class0(0.1, 0.1, power=0.5).rows > 0


@pytest.mark.parametrize("method", ["logistic", "penlog", "lda", "slda"])
def test_coefficients_are_those_of_class_1_so_that_a_glm_has_the_other_signs_if_class0_is_the_second_level(method):
    labels = np.where(CODES == 1, "Yes", "No")
    # R models the second level
    of_glm = LogisticRegression(C=np.inf).fit(MATRIX, labels == "Yes").coef_[0]
    for class0, sign in (("No", 1), ("Yes", -1)):
        scorer = npc(MATRIX, labels, method, class0=class0, alpha=0.1, random_state=1).scorers[0]
        assert np.sign(np.ravel(scorer.coef_)).tolist() == (sign * np.sign(of_glm)).tolist()
        np.testing.assert_allclose(
            scorer.decision_function(MATRIX), MATRIX @ np.ravel(scorer.coef_) + np.ravel(scorer.intercept_)
        )
    (row,) = (line for line in PAGE.splitlines() if line.startswith("| `coef(glm)` |"))
    assert 'if `class0` names that level, as "Yes" above, all signs are reversed' in row
    assert "`fit.scorers[0].intercept_`" in row


def test_the_page_has_a_row_for_what_other_packages_of_r_do():
    rows = {"rocCV(": "roc_cv(", "compare(roc1": "nproc_bands(", "confusionMatrix(": "evaluate("}
    rows |= {"cutpointr(": "thresholds_table(", "dca(": "thresholds_table(", "auc(roc, partial": "`partial.auc.focus ="}
    rows |= {"plot(roc(y, score))": "NPROCBand.from_scores(", "xtable(": "`fit.summary().as_latex()`"}
    for in_r, here in rows.items():
        (row,) = (line for line in PAGE.splitlines() if line.startswith(f"| `{in_r}"))
        assert here in row
    # what the page says of the package of LaTeX, and of the AUC of a curve
    assert (r"\usepackage{booktabs}" in row) is (r"\toprule" in FIT.summary().as_latex()) is True
    with pytest.raises(ValueError, match="in their place bands of one split"):
        compare_aucs(roc_cv(MATRIX, LABELS, "lda", class0="bad", random_state=1))
    assert "Its AUC has no interval here, and `compare_aucs` does not accept it" in PAGE


def test_the_net_benefit_of_the_page_is_that_of_a_count_for_either_event():
    found, p = FIT.evaluate(MATRIX[40:] + 0.1, LABELS[40:]), 0.2
    (row,) = (line for line in PAGE.splitlines() if line.startswith("| `dca("))
    known = {"type1": found.type1, "type2": found.type2, "share": found.n1 / (found.n0 + found.n1), "p": p}
    formulas = re.findall(r"If class (\d) is the event[^`]*`([^`]*)`", row)
    assert [event for event, _ in formulas] == ["1", "0"]
    called, truth = FIT.predict(MATRIX[40:] + 0.1), np.array(LABELS[40:])
    for (_, formula), event in zip(formulas, ("good", "bad"), strict=True):
        # of dcurves: those who are called the event are treated
        right, wrong = np.mean((called == event) & (truth == event)), np.mean((called == event) & (truth != event))
        assert eval(formula, known) == pytest.approx(right - wrong * p / (1 - p), rel=1e-12)


def test_the_page_names_only_what_there_is():
    import nproc
    import nproc.comparison
    import nproc.serving

    for module, name in re.findall(r"(nproc|nproc\$serving|nproc\$comparison)\$(\w+)\(", PAGE):
        room = {"nproc": nproc, "nproc$serving": nproc.serving, "nproc$comparison": nproc.comparison}[module]
        assert callable(getattr(room, name))
    for name in re.findall(r"fit\$(\w+)", PAGE):
        assert hasattr(FIT, name)


@pytest.mark.slow
def test_what_is_written_in_r_has_its_line():
    rng = np.random.default_rng(2)
    data = pd.DataFrame({"type": np.resize(["Yes", "No"], N), "npreg": rng.integers(0, 5, N)})
    for column in ("glu", "bmi", "age"):
        data[column] = np.exp(rng.normal(size=N) + (data["type"] == "No"))
    known = {"class0": "Yes", "alpha": 0.2, "random_state": 1}
    names = {"npc": npc, "pd": pd, "data": data, "known": known}
    names["fit"] = npc("type ~ glu + bmi", data=data, **known)
    names["other"] = npc("type ~ glu + bmi", data=data, method="qda", **known)
    table = PAGE.partition("## What you write in R, in Python")[2]
    calls = re.findall(r"\| `([^`]*)`[^|]*\|$", table, flags=re.MULTILINE)
    assert len(calls) == 8
    found = [eval(call, names) for call in calls]
    assert all(fit.guaranteed for fit in found[:5])
    assert [len(frame) for frame in found[5:]] == [1, 2, N]
