"""The report on a fit: one file that needs no other, says no more than is proved, and can be made again."""

import ast
import re
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.stats import loguniform
from sklearn import config_context
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from nproc import NPROCBand, compare, load, np_score, npc, nproc, save
from nproc.checks import level_text
from nproc.cli import main
from nproc.comparison import compare_aucs, compare_procedures, nproc_bands
from nproc.errors import InvalidInputError
from nproc.fits import NO_SHARED_OWNERS, SETTINGS_FIXED
from nproc.fits.made_again import call_of, needed_for
from nproc.fits.report import Text, hash_of_rows
from nproc.fits.unmet import NO_FROZEN_LABELS, NO_LABELS_IN_FRONT
from nproc.tables import at_least, at_most

RNG = np.random.default_rng(11)
EVIL = "<script>alert('1')</script>"
Y = np.repeat([EVIL, "b|`*_"], [300, 200])
X = pd.DataFrame(RNG.normal(size=(500, 2)) + 1.5 * (Y == "b|`*_")[:, None], columns=["age", "dose"])
GROUPS, CLUSTERS, WEIGHTS = np.arange(500) % 2, np.arange(500) // 2, RNG.uniform(0.5, 2, 500)
ORDER = RNG.permutation(500)
X, Y = X.iloc[ORDER].reset_index(drop=True), Y[ORDER]
X_NEW = X + RNG.normal(0, 0.3, size=X.shape)
LEVELS = {"class0": EVIL, "alpha": 0.1, "delta": 0.1, "random_state": 1}
FIT = npc(X, Y, "lda", **LEVELS)

pytestmark = pytest.mark.usefixtures("reports_without_pictures")


@pytest.mark.slow
@pytest.mark.usefixtures("with_pictures")
def test_a_report_needs_no_other_file_and_runs_nothing(tmp_path):
    band = nproc(X, Y, "lda", class0=EVIL, random_state=1)
    path = FIT.report(tmp_path / "report.html", X_NEW, Y, data=(X, Y), band=band)
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert set(re.findall(r'(?:src|href)="([^:]*:[^;]*)', text)) == {"data:image/svg+xml"}
    for part in ("What is claimed", "What is assumed", "Errors on new rows", "Checks of the assumptions", "methods"):
        assert part in text
    # who reads it need not have the package
    assert not re.findall("anytime|candidates|check_assumptions|npc check|--[a-z]+", text.split("To make it again")[0])


@pytest.mark.usefixtures("with_pictures")
@pytest.mark.slow
def test_the_same_call_writes_the_same_file_in_both_formats(tmp_path):
    for ending in ("html", "md"):
        files = [tmp_path / f"{name}.{ending}" for name in ("first", "second")]
        for file in files:
            FIT.report(file, X_NEW, Y)
        assert files[0].read_bytes() == files[1].read_bytes()
    assert (tmp_path / "first.md").read_text().startswith("# Report on a Neyman-Pearson classifier")


def test_numbers_are_those_of_the_fit_and_of_the_new_rows(tmp_path):
    text = FIT.report(tmp_path / "report.md", X_NEW, Y, data=(X, Y)).read_text(encoding="utf-8")
    errors = FIT.evaluate(X_NEW, Y)
    assert f"{errors.n_false1}  300  {errors.type1:.4f}" in text
    assert hash_of_rows(X_NEW, Y) in text
    assert hash_of_rows(X, Y) in text
    assert re.search(rf"1 +{FIT.thresholds[0]:.4f} +{FIT.orders[0]} +{FIT.n0_left_out}", text)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"n_splits": 3},
        {"n_splits": 3, "vote": "random"},
        {"cross_fit": 4},
        {"rank": "randomize"},
        {"ties": "randomize"},
        {"split_ratio": 0.37},
        {"split_ratio": "adaptive"},
        {"groups": GROUPS, "alpha": 0.2},
        {"groups": GROUPS, "alpha": 0.2, "group_thresholds": "pooled"},
        {"clusters": CLUSTERS, "alpha": 0.2},
        {"review_beta": 0.2},
        {"review_beta": 0.2, "split_ratio": 0.4},
        {"small_sample": "normal"},
        {"small_sample": "log_concave"},
        {"method": "svm", "C": 7.5},
        {"method": "npsvm"},
        {"method": "npsvm", "method_params": {"alpha": 0.3}},
        {"method": "logistic", "sample_weight": WEIGHTS},
        {"method": make_pipeline(StandardScaler(), RandomForestClassifier(5, min_samples_leaf=20)), "n_splits": 3},
        {"method": RandomForestClassifier(5, min_samples_leaf=20, random_state=4), "n_splits": 3},
        {"method": LogisticRegression().fit(X, Y), "prefit": True},
    ],
)
def test_the_call_that_is_written_makes_the_same_fit(how):
    fit = npc(X, Y, **{"method": "lda", **LEVELS, **how})
    again = made_again(call_of(fit), how.get("method"))
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)
    assert type(again) is type(fit)
    asked = {"groups": GROUPS} if "groups" in how else {"random_state": 1}
    np.testing.assert_array_equal(again.predict(X_NEW, **asked), fit.predict(X_NEW, **asked))


def test_the_lines_make_a_fit_to_texts_again():
    texts = [f"{'odd' if row % 3 else 'even'} word{row % 50} n{row}" for row in range(500)]
    fit = npc(texts, Y, make_pipeline(CountVectorizer(), LogisticRegression()), **LEVELS)
    np.testing.assert_array_equal(made_again(call_of(fit), X=texts).thresholds, fit.thresholds)
    assert "X is the list of texts that was fitted, with its 500 rows" in needed_for(fit, None, None)


def made_again(call, method=None, data=X, **more):
    """What somebody has who runs the lines with the table of the fit."""
    names = {
        "data": data,
        "y": Y,
        "groups": GROUPS,
        "clusters": CLUSTERS,
        "sample_weight": WEIGHTS,
        "method": method,
        **more,
    }
    *before, last = ast.parse(call).body
    exec(compile(ast.Module(before, []), "report", "exec"), names)
    return eval(compile(ast.Expression(last.value), "report", "eval"), names)


@pytest.mark.parametrize(
    "method",
    [
        GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, cv=StratifiedKFold(3, shuffle=True)),
        GridSearchCV(RandomForestClassifier(5), {"min_samples_leaf": [5, 20]}, cv=StratifiedKFold(3)),
        make_pipeline(
            make_column_transformer((StandardScaler(), make_column_selector(dtype_include="number"))),
            LogisticRegression(),
        ),
        # the second step finds columns by names, which only set_output gives
        make_pipeline(
            SimpleImputer(missing_values=np.nan).set_output(transform="pandas"),
            make_column_transformer((FunctionTransformer(np.tanh), ["dose"]), remainder="passthrough"),
            GridSearchCV(
                LogisticRegression(),
                {"C": np.logspace(-2, 0.1, 3)},
                scoring=make_scorer(roc_auc_score, max_fpr=0.1, response_method="decision_function"),
                cv=RepeatedStratifiedKFold(n_splits=2, n_repeats=2),
            ),
        ),
        RandomizedSearchCV(LogisticRegression(), {"C": loguniform(0.1, 1)}, n_iter=2, scoring=np_score(0.1)),
    ],
)
@pytest.mark.parametrize("n_splits", [1, 3])
def test_the_lines_make_searches_and_selectors_again_with_imports_of_their_own(method, n_splits):
    fit = npc(X, Y, method, **LEVELS, n_splits=n_splits)
    again = made_again(call_of(fit))
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)


def asking_for_weights():
    # made when it is used: scikit-learn's clone drops requests that are older than the first import of imbalanced-learn
    with config_context(enable_metadata_routing=True):
        return LogisticRegression().set_fit_request(sample_weight=True)


def with_own_function():
    return make_pipeline(FunctionTransformer(lambda rows: 3 * rows), LogisticRegression())


@pytest.mark.parametrize("make", [with_own_function, asking_for_weights])
def test_a_method_that_cannot_be_written_is_named_in_a_comment(make):
    method = make()
    fit = npc(X, Y, method, **LEVELS)
    assert re.search(r"# method: \S+ as it was given, of which a part cannot be written as text", call_of(fit))
    np.testing.assert_array_equal(made_again(call_of(fit), method).thresholds, fit.thresholds)


def says(text, part):
    """Whether a text says something, wherever its lines break."""
    return part in " ".join(text.replace("\\", "").split())


def cells(text, first):
    """The other cells of the line of an HTML table that begins with some words."""
    return re.findall(r"<td>(.*?)</td>", re.search(f"<tr><th>{first}</th>.*?</tr>", text, re.DOTALL)[0])


# a table with a column that is no predictor, and one that is text
WARD = X.assign(patient=[f"P{k // 2}" for k in range(500)], sex=np.where(np.arange(500) % 3, "f", "m"), kind=Y)


@pytest.mark.parametrize(
    "how",
    [
        {"X": "kind ~ .", "data": WARD[["age", "dose", "sex", "kind"]]},
        {"X": "kind ~ age + sex", "data": WARD},
        {"X": "kind ~ .", "data": WARD[["age", "sex", "dose", "kind"]], "groups": "sex", "alpha": 0.2},
        {"X": WARD[["dose", "age"]], "y": WARD["kind"]},
    ],
)
def test_the_call_names_the_columns_so_that_a_wider_table_gives_the_same_fit(how):
    fit = npc(**{**LEVELS, **how}, method="lda")
    assert "None" not in call_of(fit, "kind")
    again = made_again(call_of(fit, "kind"), data=WARD)
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)
    np.testing.assert_array_equal(again.predict(WARD), fit.predict(WARD)) if "data" in how else None
    told = needed_for(fit, "ward.csv", "kind")
    assert told == "Here data is the table ward.csv, as a DataFrame with the 500 rows of the fit in their order."


def test_the_types_that_a_csv_file_may_lose_are_named_so_that_it_gives_the_same_fit(tmp_path):
    stage = pd.Categorical(np.where(CLUSTERS % 2 == 0, "late", "early"), ["late", "early"])
    zips = np.array(["007", "012", "450"])[np.arange(500) % 3]
    table = WARD.assign(zip=zips, stage=stage)
    fit = npc("kind ~ age + dose + zip + stage", data=table, method="lda", **LEVELS)
    told = needed_for(fit, None, "kind")
    reading = re.search(r"the types that they had at the fit: (pd\.read_csv\(.*\))\.$", told)[1]
    table.to_csv(tmp_path / "ward.csv", index=False)
    read = eval(reading.replace("...", repr(str(tmp_path / "ward.csv"))), {"pd": pd})
    assert (read["zip"].tolist(), read["stage"].dtype) == (zips.tolist(), stage.dtype)
    again = made_again(call_of(fit, "kind"), data=read.assign(age=table["age"], dose=table["dose"]))
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)
    # a pipeline that takes the text itself keeps the columns, and not what stands in them
    coding = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
    text = npc(WARD[["age", "sex"]], WARD["kind"], make_pipeline(coding, LogisticRegression()), **LEVELS)
    assert "dtype={'sex': 'str'}" in needed_for(text, None, "kind")
    # lines that read the file say it themselves
    assert "pd.read_csv" not in needed_for(fit, None, "kind", "data = table")
    assert call_of(fit, "kind", "import a\ndata = a.b").splitlines()[:3] == [
        "from nproc import npc",
        "import a",
        "data = a.b",
    ]


def test_the_call_of_a_fit_whose_groups_predict_too_gives_their_values():
    table = X.assign(kind=Y, half=np.arange(500) % 2)
    for rows in ((table.drop(columns="kind"), Y), ("kind ~ .",)):
        fit = npc(*rows, data=table if len(rows) == 1 else None, groups=table["half"], **LEVELS | {"alpha": 0.2})
        again = made_again(call_of(fit), data=table)
        assert again.feature_names == fit.feature_names
        assert "half" in fit.feature_names
        np.testing.assert_array_equal(again.thresholds, fit.thresholds)


def test_what_is_needed_beside_the_table_is_named():
    array = npc(X.to_numpy(), Y, "lda", **{**LEVELS, "alpha": 0.2}, groups=GROUPS, sample_weight=None)
    assert needed_for(array, None, None) == (
        "Here X is the array or matrix that was fitted, with its 500 rows in their order, and y has their labels, and "
        "groups has the group of each row."
    )
    assert needed_for(FIT, None, None).endswith("the 500 rows of the fit in their order, and y has their labels.")


def test_the_lines_that_make_a_fit_again_carry_over_what_it_tells_of_itself():
    band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1)
    told = {"caveats": ("The seed was changed later.\nIt was 2.",), "unmet": (SETTINGS_FIXED,)}
    target, of_other = (one.choose_alpha(type2_max=0.6) for one in (band, nproc(X, Y, "nb", class0=EVIL)))
    broken = replace(band, unmet=(SETTINGS_FIXED,))
    plain = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1)
    for fit, code in (
        (FIT, "npc(X, y, 'lda', "),
        (replace(FIT, **told), "replace(npc(X, y, 'lda', "),
        (plain.classifier(0.3), "band.classifier(0.3)"),
        (band.classifier(target), "band.classifier(band.choose_alpha(type2_max=0.6))"),
        # the band knows its choices by their numbers too
        (band.classifier(target.alpha), "band.classifier(band.choose_alpha(type2_max=0.6))"),
        (broken.classifier(target), "band.classifier(band.choose_alpha(type2_max=0.6))"),
        (plain.classifier(plain.choose_alpha("youden")), "band.classifier(band.choose_alpha(criterion='youden'))"),
        (plain.classifier(plain.choose_alpha(by_eye=0.25)), "band.classifier(band.choose_alpha(by_eye=0.25))"),
        # to this band a choice on another one is a level
        (plain.classifier(of_other), f"band.classifier(band.choose_alpha(by_eye={of_other.alpha!r}))"),
    ):
        lines = call_of(fit)
        assert lines.splitlines()[-1].startswith(code)
        assert ("replace(" in lines) == bool(fit.unmet)
        again = made_again(lines)
        np.testing.assert_array_equal(again.thresholds, fit.thresholds)
        assert (again.guaranteed, again.alpha_chosen) == (fit.guaranteed, fit.alpha_chosen)
        # what the call does not know stands before it
        beyond = [caveat for caveat in fit.caveats if caveat not in again.caveats]
        comments = " ".join(line[2:] for line in lines.splitlines() if line.startswith("# "))
        assert comments == " ".join(" ".join(beyond).split())
        assert str(again.summary()) == str(replace(fit, caveats=again.caveats).summary())


def test_the_call_of_a_fit_whose_adaptive_ratio_was_kept_has_this_ratio():
    first = npc(X, Y, "lda", **LEVELS, split_ratio="adaptive")
    fit = first.with_levels(alpha=0.3, delta=0.3)
    again = made_again(call_of(fit), ratio_choice=first.ratio_choice)
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)
    assert needed_for(fit, None, None).endswith("and ratio_choice is that of the fit, fit.ratio_choice.")


@pytest.mark.parametrize("thresholds", ["separate", "pooled"])
def test_the_call_of_moved_groups_moves_the_first_fit(thresholds):
    first = npc(X, Y, "lda", **LEVELS, groups=np.arange(500) % 7 < 3, group_thresholds=thresholds)
    fit = first.with_levels(alpha=0.25, delta=0.3).with_levels(alpha=0.2)
    again = made_again(call_of(fit), groups=np.arange(500) % 7 < 3, first_alpha=0.1, first_delta=0.1)
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)
    assert again.caveats == fit.caveats
    assert needed_for(fit, None, None).endswith("first_delta are the levels of the fit that with_levels moved.")


@pytest.mark.parametrize(
    ("kind", "review"),
    [
        ({}, {}),
        ({}, {"review_beta": 0.2}),
        ({"band": "simultaneous", "alpha_max": 0.5}, {}),
        ({"n_splits": 3, "split_ratio": 0.4}, {"review_beta": 0.2}),
    ],
)
def test_the_call_that_is_written_for_a_classifier_of_a_band_makes_the_band(kind, review):
    fit = nproc(X, Y, "svm", C=3.0, class0=EVIL, delta=0.1, random_state=1, **kind).classifier(0.3, **review)
    again = made_again(call_of(fit))
    np.testing.assert_array_equal(again.thresholds, fit.thresholds)
    np.testing.assert_array_equal(again.predict(X_NEW), fit.predict(X_NEW))


@pytest.mark.usefixtures("with_pictures")
@pytest.mark.parametrize(
    "how",
    [
        {"groups": np.arange(500) % 2, "alpha": 0.2},
        {"clusters": np.arange(500) // 2, "alpha": 0.2},
        {"small_sample": "normal"},
        {"small_sample": "log_concave"},
        {"cross_fit": 4},
        {"n_splits": 5},
        {"review_beta": 0.2},
    ],
)
def test_every_kind_of_fit_has_a_report_that_claims_no_more_than_it_does(how, tmp_path):
    fit = npc(X, Y, "lda", **{**LEVELS, **how})
    asked = {"groups": GROUPS} if "groups" in how else {"clusters": 1000 + CLUSTERS} if "clusters" in how else {}
    text = fit.report(tmp_path / "report.md", X_NEW, Y, data=(X, Y), **asked).read_text(encoding="utf-8")
    assert "## Errors on new rows" in text
    told = text.split("## What is assumed")[0]
    assert "holds with probability" in told or "Not proved: " in told or "with probability" in told
    assert ("proved under what is assumed below." in text) is fit.guaranteed
    assert ("had no part in the training" in text) is not hasattr(fit, "n_folds")
    # one table of levels, where one cut decides
    assert ("Other levels on the same rows" in text) is not ({"groups", "review_beta"} & how.keys() != set())
    assert ("Upper and lower: the ends of two-sided 95" in text) is ("Other levels on the same rows" in text)
    if "Other levels on the same rows" in text:
        # a vote has no single threshold
        lines = text.split("Other levels on the same rows")[1].splitlines()
        row = next(line.split() for line in lines if line.startswith(f"{fit.alpha:g} "))[1:]
        one = [f"{fit.thresholds[0]:.4f}"] * (fit.n_splits == 1)
        assert row[: 1 + len(one)] == [str(fit.orders[0]), *one]
        assert len(row) == 7 + len(one)
    assert ("one row of each cluster and class counts" in text) is ("clusters" in how)
    # what the columns of a summary hold is not said where the summary is not shown
    assert "Of: the number of" not in text
    assert "fit.check()" not in text
    if "clusters" in how:
        # so do the checks of new rows, of which one of each cluster is independent of the others
        n0, n1 = np.unique(CLUSTERS[Y == EVIL]).size, np.unique(CLUSTERS[Y != EVIL]).size
        assert re.search(rf"new scores +distance \S+, {n0} rows", text)
        counted = f"{n0} new rows of class 0 and the type II error on {n1} new rows of class 1, one row of each cluster"
        assert f"We counted the type I error on {counted} and class." in text


@pytest.mark.slow
def test_a_new_row_that_is_refused_is_counted_among_all_new_rows(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 600)
    table = pd.DataFrame({"a": rng.normal(size=600) + y, "job": rng.choice(["x", "z"], 600)})
    steps = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    fit = npc(table[:400], y[:400], make_pipeline(steps, LogisticRegression()), random_state=1)
    new, codes = table[400:].reset_index(drop=True), y[400:]
    # the last row of class 0 behind one of class 1
    ones, zeros = np.flatnonzero(codes == 1), np.flatnonzero(codes == 0)
    for column, value in (("a", np.nan), ("job", "new")):
        for rows in (zeros[[-1]], np.r_[ones[0], zeros[-2:]]):
            told = []
            for call in (fit.evaluate, lambda X, y: fit.report(tmp_path / "report.md", X, y)):
                with pytest.raises(InvalidInputError) as caught:
                    call(new.assign(**{column: new[column].mask(new.index.isin(rows), value)}), codes)
                told.append(str(caught.value))
            assert told[0] == told[1]
            assert f"X.iloc[{rows[0]}]" in told[0]


@pytest.mark.slow
@pytest.mark.usefixtures("with_pictures")
@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_a_classifier_of_a_band_has_a_report(kind, tmp_path):
    band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, band=kind, random_state=1)
    fit = band.classifier(band.choose_alpha(type2_max=0.6))
    text = fit.report(tmp_path / "report.md", X_NEW, Y, band=band).read_text()
    assert ("proved under what is assumed below." in text) is (kind == "simultaneous")
    assert ("alpha was chosen on the scores. This is why the type I" in text) is (kind == "pointwise")
    assert "is not proved for the classifier as a whole" not in text
    # a paper says which levels were used, whether or not they are proved
    levels = f"at alpha = {level_text(fit.alpha)} and delta = 0.1. Class 0, whose error is controlled, is {EVIL}."
    paragraph, papers = paragraph_and_papers(text)
    assert levels in paragraph
    how = "The level alpha was chosen from the NP-ROC band as the smallest with an upper bound on the type II error of"
    assert f"{how} at most 0.6. " in paragraph
    without = "At an alpha fixed beforehand these bounds would hold with probability at least 0.8."
    fixed = band.classifier(0.3).report(tmp_path / "fixed.md", band=band).read_text()
    at = band.at(0.3)
    # the interval is random, and not the error
    within = (
        f"{at_least(at.type2_lower, 4)} to {at_most(at.type2_upper, 4)} is an interval for the type II error on new"
    )
    within += " rows with confidence at least 0.8."
    assert (without in paragraph, within in fixed) == (kind == "pointwise",) * 2
    cited = ("exact simultaneous bounds (Berk and Jones 1979; Moscovich et al. 2016)", "Berk, R. H.", "Moscovich, A.")
    assert [part in paragraph + papers for part in cited] == [kind == "simultaneous"] * 3
    assert ("(Berk and Jones 1979" in " ".join(str(band.summary()).split())) is (kind == "simultaneous")
    if kind == "simultaneous":
        # the promise is made once
        assert paragraph.count("With probability at least 0.9, at all alpha at once, the type I error is at most") == 1
        assert "as the smallest with an upper bound on the type II error of at most 0.6." in paragraph
        assert not re.search("holds with probability|Choice of alpha|<=", paragraph)
    # the bounds at the level of the fit stand in the table of the band
    row = next(line for line in text.split("NP-ROC band  ")[1].splitlines() if line.startswith(level_text(fit.alpha)))
    assert row.split()[1] == str(int(fit.orders[0]))
    assert float(row.split()[-1]) == pytest.approx(band.at(float(fit.alpha)).type2_upper, abs=1e-4)


def paragraph_and_papers(text):
    """The paragraph of a report in Markdown that is to be pasted, as it is, and the references below it."""
    return re.search(r"\n## For a methods section\n\n```\n(.*)\n```\n\n(.*)", text, re.DOTALL).groups()


def test_a_chosen_alpha_is_said_to_be_chosen_in_the_way_that_it_was(tmp_path):
    for kind in ({}, {"bounds": "dkw"}, {"alpha_max": 0.5}):
        band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, band="simultaneous", random_state=1, **kind)
        fit = band.classifier(band.choose_alpha("youden"))
        paragraph, papers = paragraph_and_papers(fit.report(tmp_path / "a.md").read_text())
        assert "alpha was chosen from the NP-ROC band by the largest 1 - alpha - upper bound" in paragraph
        assert f"at all alpha{' up to 0.5' * ('alpha_max' in kind)} at once" in paragraph
        assert ("(Massart 1990)" in paragraph and "Massart, P." in papers) is ("bounds" in kind)
    votes = nproc(X, Y, "lda", class0=EVIL, delta=0.1, band="simultaneous", n_splits=3, random_state=1)
    fit = votes.classifier(votes.choose_alpha("youden"))
    paragraph, _ = paragraph_and_papers(fit.report(tmp_path / "a.md").read_text())
    # nothing is proved of the average
    assert "lies in the band" not in paragraph
    assert fit.notes(columns=False)[0] in paragraph


def test_the_paragraph_to_paste_says_what_was_compared_and_needs_no_package_to_be_read(tmp_path):
    settings = {"class0": EVIL, "delta": 0.1, "random_state": 1}
    bands = nproc_bands(X, Y, {"lda": "lda", "tree": "tree", "mine": GaussianNB()}, **settings)
    fit = bands["lda"].classifier(0.2)
    paired, aucs = compare(bands, regions="paired"), compare_aucs(bands)
    plain = paragraph_and_papers(fit.report(tmp_path / "a.md").read_text())
    paragraph, papers = paragraph_and_papers(fit.report(tmp_path / "a.md", summaries=[paired, aucs]).read_text())
    assert "with linear discriminant analysis (lda, solver='svd'), at alpha" in paragraph
    assert f"P(predict b|`*_ | {EVIL}) <= 0.2" in paragraph
    compared = "We compared the fitted scores of lda, a classification tree (tree, "
    assert compared in paragraph
    assert "and mine by exact sign tests on the same left-out rows, with Holm's procedure (Holm 1979), for" in paragraph
    assert "all pairs at once at level 0.1. AUCs and their differences have approximate 95 % intervals" in paragraph
    for author in ("DeLong, E. R.", "Holm, S.", "Sun, X."):
        assert papers.count(author) == 1
        assert author not in plain[1]
    assert compared not in plain[0]
    # one of three thresholds, each of which may have a type I error above alpha
    chosen = (
        "If the method was chosen by a comparison of 3 methods on these rows, the type I error is above alpha with "
    )
    chosen += f"probability at most 3 delta = {3 * fit.delta:g}, not delta."
    assert (chosen in paragraph, chosen in plain[0]) == (True, False)
    assert (tmp_path / "a.md").read_text().count(chosen) == 2
    # of a mere summary it is not known how it was made
    assert paragraph_and_papers(fit.report(tmp_path / "a.md", summaries=[aucs.summary()]).read_text()) == plain
    others = [compare(bands), compare(bands, regions="simultaneous"), compare_aucs(bands["tree"])]
    others.append(compare_procedures(X, Y, ["lda", "tree"], n_splits=10, **settings))
    paragraph, _ = paragraph_and_papers(fit.report(tmp_path / "a.md", summaries=others).read_text())
    for said in (
        "by their NP-ROC bands, at each alpha by itself.",
        "(Berk and Jones 1979; Moscovich et al. 2016) with delta / 3 for each method, for all alpha",
        "The AUC of tree has an approximate 95 % interval by DeLong's method",
        "We compared the type II errors of lda and tree on average over training samples",
        "t tests from 10 splits (seed 1) with a corrected variance",
    ):
        assert said in paragraph


def test_results_of_another_split_are_told_to_be_of_it_and_not_about_the_classifier(tmp_path):
    settings = {"class0": EVIL, "delta": 0.1}
    bands = nproc_bands(X, Y, ["lda", "nb"], random_state=9, **settings)
    paired, aucs = compare(bands, regions="paired"), compare_aucs(bands["lda"])
    n0, n1 = bands["lda"].n0_left_out, bands["lda"].n1_left_out
    other = f"the left-out rows of another split ({n0} of class 0 and {n1} of class 1, seed 9)"
    votes = nproc(X, Y, "lda", n_splits=3, random_state=1, **settings)
    for fit, own in ((FIT, False), (bands["lda"].classifier(0.2), True), (bands["nb"].classifier(0.2), True)):
        given = {"summaries": [paired, aucs], "band": bands["lda"]}
        text = fit.report(tmp_path / "a.md", **given).read_text()
        paragraph, _ = paragraph_and_papers(text)
        where = "the same left-out rows" if own else f"{other}, the same for all methods"
        assert f"by exact sign tests on {where}, with Holm's" in paragraph
        assert f"The AUC of lda{'' if own else f' on {other}'} has an approximate" in paragraph
        assert paragraph.endswith(f"seed {fit.seed}{'' if own else ' where no other is named'}.")
        told = (
            "Results of another random split have scorers that were trained on the training rows of that split, so "
            "none of these scorers is the "
        )
        for whose in ("classifier above", "classifier of this report"):
            assert says(text, told + whose) is not own
        # once for the band and the comparison
        assert paragraph.count("another random split") == (not own)
        # a band to which the classifier does not belong is another result
        rows = "the same left-out rows" if own else other
        made = f"We also made an NP-ROC band with linear discriminant analysis (lda, solver='svd'), from {rows}, with"
        assert (made in paragraph) is (fit.method != "lda" or not own)
    # the same seed makes no split the same
    same = compare(nproc_bands(X, Y, ["lda", "nb"], random_state=1, **settings))
    text = FIT.report(tmp_path / "a.md", summaries=[same]).read_text()
    paragraph, _ = paragraph_and_papers(text)
    assert f"of class 0 and {n1} of class 1, seed 1)." in paragraph
    assert paragraph.endswith(f"seed {FIT.seed}.")
    mixed = compare(bands["lda"], votes, names=["one", "three"])
    assert (
        "on the left-out rows of other splits (seeds 1, 9)."
        in FIT.report(tmp_path / "a.md", summaries=[mixed]).read_text()
    )
    text = FIT.report(tmp_path / "a.md", summaries=[compare_aucs(votes.sorted0[0], votes.sorted1[0])]).read_text()
    assert f"The AUC of method 1 on given scores of {n0} rows of class 0 and {n1} of class 1 has" in text
    assert says(text, "it cannot be told whether they are those of the classifier of this report.")


@pytest.mark.filterwarnings("ignore:.*exact copies")
def test_a_few_copies_leave_the_level_of_a_comparison_and_are_counted_once(tmp_path):
    twice, labels = pd.concat([X, X[:8]], ignore_index=True), np.concatenate([Y, Y[:8]])
    bands = nproc_bands(twice, labels, ["lda", "nb"], class0=EVIL, delta=0.1, random_state=1)
    told = re.compile(
        r"\d+ of \d+ left-out class 0 rows [^.]*(\.\d[^.]*)?are exact copies of training rows with the same"
    )
    for fit, own in ((bands["lda"].classifier(0.2), True), (FIT, False)):
        text = fit.report(tmp_path / "a.md", summaries=[compare(bands, regions="paired")]).read_text()
        paragraph, _ = paragraph_and_papers(text)
        assert "(Holm 1979), for all alpha and all pairs at once at level 0.1." in paragraph
        assert len(told.findall(paragraph)) == 1
        assert ("In this comparison: " in paragraph) is not own


def test_results_of_rows_of_several_origins_are_told_each_of_its_own(tmp_path):
    settings = {"class0": EVIL, "delta": 0.1}
    own = nproc_bands(X, Y, ["lda", "nb"], random_state=1, **settings)
    fit = own["lda"].classifier(0.2)
    n0, n1 = own["lda"].n0_left_out, own["lda"].n1_left_out
    model = LogisticRegression().fit(X, Y)
    others = {
        f"the left-out rows of another split ({n0} of class 0 and {n1} of class 1, seed 9)": nproc(
            X, Y, "nb", random_state=9, **settings
        ),
        f"the left-out rows of 3 other splits ({n0} of class 0 and {n1} of class 1 in each, seed 1)": nproc(
            X, Y, "nb", n_splits=3, random_state=1, **settings
        ),
        "given scores of 100 rows of class 0 and 50 of class 1": NPROCBand.from_scores(
            np.arange(100.0), np.arange(50.0) + 60, delta=0.1
        ),
        f"{fit.n0} rows of class 0 and {fit.n1} of class 1 that had no part in the training": nproc(
            X, Y, model, prefit=True, random_state=5, **settings
        ),
    }
    for rows, other in others.items():
        mixed = compare(own["lda"], other, names=["one", "other"])
        paragraph, _ = paragraph_and_papers(fit.report(tmp_path / "a.md", summaries=[mixed]).read_text())
        assert "on the same left-out rows and on " in paragraph
        assert rows in paragraph
    # another table of the same sizes is split at the same places
    elsewhere = nproc_bands(X + 1, Y, ["lda", "nb"], random_state=1, **settings)
    assert elsewhere["lda"].scored[0].rows == own["lda"].scored[0].rows
    places = np.argsort(Y == EVIL, kind="stable")
    shuffled = nproc_bands(X.iloc[places], Y[places], ["lda", "nb"], random_state=1, **settings)
    for bands, is_same in ((own, True), (elsewhere, False), (shuffled, False)):
        # a generator is read once
        summaries = (one for one in [compare(bands, regions="paired")])
        text = fit.report(tmp_path / "a.md", summaries=summaries).read_text()
        assert ("by exact sign tests on the same left-out rows" in paragraph_and_papers(text)[0]) is is_same
        assert "## Other results" in text


@pytest.mark.slow
def test_results_of_other_rows_are_not_told_to_be_of_another_split_of_the_rows_of_the_fit(tmp_path):
    settings = {"class0": EVIL, "delta": 0.1, "random_state": 1}
    table = X.assign(label=Y, note=0.0)
    used, fewer = "label ~ age + dose", "label ~ age"
    half = np.arange(len(Y)) % 2 == 0
    fit = npc(used, table[half], "lda", alpha=0.3, **settings)
    another, others, other = "another split", "another set of rows", "Results of another set of rows have scorers"
    for formula, rows, where in (
        (used, table[half], another),
        (used, table[~half], others),
        (used, table, others),
        # all columns of the table tell its rows again
        (fewer, table[half], another),
        (fewer, table[half].assign(dose=0.0), others),
        # which rows these are is not known
        (fewer, table[half][["label", "age"]], f"{another}, perhaps of other rows"),
    ):
        bands = nproc_bands(formula, rows, ["lda", "nb"], **settings)
        n0, n1 = bands["lda"].n0_left_out, bands["lda"].n1_left_out
        text = fit.report(tmp_path / "a.md", summaries=[compare_aucs(bands)], band=bands["nb"]).read_text()
        paragraph, _ = paragraph_and_papers(text)
        on = f"the left-out rows of {where} ({n0} of class 0 and {n1} of class 1, seed 1)"
        assert f"AUCs on {on} and their" in paragraph
        assert f", from {on}, with delta" in paragraph
        assert says(text, f"{other} that were trained on rows of that set, so none") == (where == others)
        assert says(text, "Results of another random split have scorers") == (where != others)


def test_results_of_another_class_0_are_refused(tmp_path):
    other = next(label for label in np.unique(Y).tolist() if label != EVIL)
    swapped = nproc_bands(X, Y, ["lda", "nb"], class0=other, random_state=1)
    renamed = nproc_bands(X, np.where(Y == EVIL, "u", "v"), ["lda", "nb"], class0="u", random_state=1)
    for bands in (swapped, renamed):
        for result in (compare(bands), compare_aucs(bands)):
            with pytest.raises(InvalidInputError, match="summaries must hold results of the same classes as the fit, "):
                FIT.report(tmp_path / "a.md", summaries=[result])


def test_a_comparison_may_end_below_the_level_of_the_fit_and_a_band_may_not(tmp_path):
    ending = nproc_bands(X, Y, ["lda", "nb"], class0=EVIL, band="simultaneous", alpha_max=FIT.alpha / 2, random_state=9)
    text = FIT.report(tmp_path / "a.md", summaries=[compare(ending, regions="simultaneous")]).read_text()
    assert "## Other results" in text
    with pytest.raises(InvalidInputError, match=r"band must reach the alpha of the fit, .* or leave band out\."):
        FIT.report(tmp_path / "a.md", band=ending["lda"])


def test_a_band_of_another_kind_beside_the_classifier_is_told_and_cited(tmp_path):
    for kind, bounds, author in (
        ({}, "bounds for one alpha fixed beforehand", None),
        ({"band": "simultaneous", "alpha_max": 0.5}, "2016), at all alpha up to 0.5 at once", "Berk, R. H."),
        ({"band": "simultaneous", "bounds": "dkw"}, "(Massart 1990), at all alpha at once", "Massart, P."),
    ):
        band = nproc(X, Y, "nb", class0=EVIL, delta=0.05, random_state=7, n_splits=3, **kind)
        paragraph, papers = paragraph_and_papers(FIT.report(tmp_path / "a.md", band=band).read_text())
        assert "We also made an NP-ROC band with Gaussian naive Bayes (nb" in paragraph
        assert f"from the left-out rows of 3 other splits ({band.n0_left_out} of class 0 and" in paragraph
        assert "of class 1 in each, seed 7), with delta = 0.05 and " in paragraph
        assert "so none of these scorers is the classifier above" in paragraph
        assert f"{bounds}. It is about the errors of its own classifiers, and not about the classifier" in paragraph
        assert [name for name in ("Berk, R. H.", "Massart, P.") if name in papers] == [author] * (author is not None)
    scores = NPROCBand.from_scores(np.arange(100.0), np.arange(50.0) + 60)
    paragraph, _ = paragraph_and_papers(FIT.report(tmp_path / "a.md", band=scores).read_text())
    assert "We also made an NP-ROC band of given scores of 100 rows of class 0 and 50 of class 1, with" in paragraph


@pytest.mark.parametrize("again", [True, False])
def test_rows_of_scorers_trained_beforehand_are_those_of_the_fit_where_the_scores_are(again, tmp_path):
    models = {"first": LogisticRegression().fit(X[::2], Y[::2]), "second": GaussianNB().fit(X[::2], Y[::2])}
    levels = {"class0": EVIL, "delta": 0.1, "prefit": True, "random_state": 1}
    bands = {name: nproc(X[1::2], Y[1::2], model, **levels) for name, model in models.items()}
    rows = slice(1, None, 2) if again else slice(0, None, 2)
    fit = npc(X[rows], Y[rows], models["first"], alpha=0.2, **levels)
    text = fit.report(tmp_path / "a.md", summaries=[compare(bands, regions="paired")]).read_text()
    assert ("by exact sign tests on the same left-out rows, with" in text) is again
    assert ("of class 1 that had no part in the training, the same for all methods" in text) is not again


def pictures_of(html):
    return "".join(b64decode(found).decode() for found in re.findall(r'data:image/svg\+xml;base64,([^"]*)', html))


@pytest.mark.slow
@pytest.mark.usefixtures("with_pictures")
def test_a_level_that_was_fixed_is_not_called_chosen_because_a_choice_on_the_band_has_its_rank(tmp_path):
    band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1)
    choice = band.choose_alpha(type2_max=0.6)
    told = "chosen on a band", "the threshold there was chosen on the band"
    for level, is_chosen in ((choice.alpha + 1e-4, False), (choice.alpha, True)):
        assert band.at(level).order == band.at(choice).order
        fit = npc(X, Y, "lda", **LEVELS | {"alpha": level, "split_ratio": 0.5})
        text = fit.report(tmp_path / "report.html", band=band).read_text()
        assert "was fixed before anybody looked at the scores" in text
        assert (told[0] in pictures_of(text)) is is_chosen
    own = band.classifier(choice).report(tmp_path / "own.html", band=band).read_text()
    assert f"So were {band.n1_left_out} of the 200 class 1 rows, which bound the type II error." in own
    assert told[0] in pictures_of(own)
    # what is known of the choice stays with the band, and so do the choices of other ranks
    assert told[1] in band.at(choice).note
    other = band.choose_alpha("youden")
    assert band.at(other).order != band.at(choice).order
    assert told[1] in band._with_level_fixed(choice.alpha + 1e-4).at(other).note


def test_a_vote_is_claimed_to_do_what_is_proved_of_it(tmp_path):
    fit = npc(X, Y, "lda", **LEVELS, n_splits=5)
    text = fit.report(tmp_path / "report.md").read_text()
    claims, methods = text.split("## What is assumed")[0], text.split("## For a methods section")[1]
    left = f"In each of 5 random splits, {fit.n0_left_out} of the {fit.n0} class 0 rows were left out"
    assert left in methods
    # there are none
    assert "Intervals for errors on new rows" not in methods
    assert "Clopper" not in methods
    for part in (claims, methods):
        assert Text(fit.vote_bound().sentence()).as_md() in part


@pytest.mark.parametrize(
    ("how", "proved"),
    [
        ({}, True),
        ({"n_splits": 2}, True),
        ({"n_splits": 3, "vote": "random"}, True),
        ({"n_splits": 3}, False),
        ({"cross_fit": 4}, False),
    ],
)
@pytest.mark.filterwarnings("ignore:n_splits=2 is even")
def test_the_share_of_future_rows_is_told_where_the_bound_is_proved(how, proved, tmp_path):
    fit = npc(X, Y, "lda", **LEVELS, **how)
    told = says(fit.report(tmp_path / "a.md").read_text(), "at most 10 % of all future rows of")
    assert told is proved is fit.guaranteed


def test_after_rows_with_gaps_were_left_out_the_promise_is_about_rows_without(tmp_path):
    gaps = X.assign(age=X["age"].where(np.arange(len(X)) % 9 > 0))
    with pytest.warns(match="left out"):
        fit = npc(gaps, np.where(Y == EVIL, "ill", "well"), "lda", na_action="omit", **{**LEVELS, "class0": "ill"})
    text = " ".join(fit.report(tmp_path / "a.md").read_text().split())
    assert "at most 10 % of all future rows of ill without missing values are called well." in text


def test_the_first_sentences_of_a_report_say_what_is_promised_in_the_names_of_the_classes(tmp_path):
    fit = npc(X, np.where(Y == EVIL, "ill", "well"), "lda", **{**LEVELS, "class0": "ill"})
    text = " ".join(fit.report(tmp_path / "a.md").read_text().split())
    assert "claimed Class 0 is ill. If what is assumed below holds, then with" in text
    assert "at most 10 % of all future rows of ill are called well. Nothing is promised here about rows of well" in text
    # neither error is a false alarm by itself: a filter may call class 0 what it lets pass
    assert "about rows of well that are called ill (the type II error)." in text
    assert "If ill is the disease, sensitivity is 1 - type I error and specificity 1 - type II error." in text


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*exact copies")
@pytest.mark.parametrize("how", [{"vote": "random", "n_splits": 5}, {"ties": "randomize"}])
def test_rows_that_are_called_at_random_are_called_the_same_in_each_report(how, tmp_path):
    rounded = X.round(0)
    fit = npc(rounded, Y, "lda", **LEVELS, **how)
    texts = [fit.report(tmp_path / f"{k}.md", X_NEW.round(0), Y).read_text() for k in range(2)]
    assert texts[0] == texts[1]
    assert "here random\\_state=1." in texts[0]
    other = fit.report(tmp_path / "other.md", X_NEW.round(0), Y, random_state=3).read_text()
    assert "here random\\_state=3." in other


def test_what_must_be_known_of_a_proved_bound_stands_beside_the_claim(tmp_path):
    fit = replace(FIT, caveats=("The seed was changed later.",))
    told = fit.report(tmp_path / "report.md").read_text().split("## What is assumed")[0]
    assert "The seed was changed later." in told


def test_the_claim_and_the_methods_text_count_a_random_rank_in(tmp_path):
    fit = npc(X, Y, "lda", **LEVELS, rank="randomize")
    text = fit.report(tmp_path / "report.md").read_text()
    drawn = "over the draw of the left-out class 0 rows and the random choice between two ranks (Proposition 1)"
    assert drawn in fit.notes()[0]
    # a text of its own names the paper
    of_paper = drawn.replace("1)", "1 of Tong, Feng and Li 2018)")
    for title, said in (("## What is claimed", drawn), ("## For a methods section", of_paper)):
        assert said in text.split(title)[1].split("\n## ")[0]
    assert "random choice" not in FIT.notes()[0]


def test_two_cuts_rest_on_rows_of_both_classes(tmp_path):
    fit = npc(X, Y, "lda", **LEVELS, review_beta=0.2)
    text = fit.report(tmp_path / "report.md").read_text()
    assert "The rows of each class that set the cuts" in text
    assert "The rows that set the cuts had no part in the training" in text
    assert "The levels alpha and beta were fixed before anybody looked" in text
    assert "at alpha = 0.1, beta = 0.2 and delta = 0.1." in text
    assert (
        f"{fit.n1_left_out} of the 200 class 1 rows were left out of the training, and their scores set both cuts"
        in text
    )


def test_the_checks_are_those_of_the_assumptions(tmp_path):
    order = np.argsort(X["age"].to_numpy(), kind="stable")
    sorted_fit = npc(X.iloc[order], Y[order], "lda", **LEVELS)
    text = sorted_fit.report(tmp_path / "a.md").read_text()
    # all but how to make the check of clusters, which is for who has the package
    assert str(sorted_fit.check_assumptions().summary()).partition("Not made: clusters.")[0] in text
    assert "Not made: clusters. It is not known here which rows belong together." in " ".join(text.split())
    assert "trend" in [check.name for check in sorted_fit.check_assumptions().against]
    # who reads the claim, the assumption or the methods paragraph alone reads it too
    parts = dict(part.split("\n", 1) for part in text.split("\n## "))
    told = re.escape(repr(sorted_fit.check_assumptions()).split("against the assumptions: ")[1].split("\n")[0])
    for title, what in {
        "What is claimed": "what is assumed",
        "What is assumed": "this assumption",
        "For a methods section": "this assumption",
    }.items():
        said = parts[title].replace("\\", "")
        assert re.search(rf"All 3 checks speak against {what}: {told}\.", said)
        assert ("See Checks of the assumptions below." in said) is ("methods" not in title)
    assert FIT.check_assumptions().against == ()
    assert not says(FIT.report(tmp_path / "c.md").read_text(), "against this assumption:")
    text = FIT.report(tmp_path / "b.md", X_NEW, Y, data=(X, Y)).read_text()
    new0 = X_NEW[Y == EVIL].reset_index(drop=True)
    assert str(FIT.check_assumptions(new0, X=X, y=Y).summary()).partition("Not made: clusters.")[0] in text


def test_a_separation_of_the_training_rows_is_told_in_the_methods_paragraph_too(tmp_path):
    rare = X.assign(rare=(np.arange(500) % 5 == 0) & (Y != EVIL))
    with pytest.warns(match="quasi-complete separation"):
        fit = npc(rare, Y, "logistic", **LEVELS)
    told = (
        "There is quasi-complete separation: a linear rule is right for certain about some training rows and ties on "
        "the others, as with a rare category that occurs in one class only. So logistic"
    )
    for title in ("## The classifier", "## For a methods section"):
        part = fit.report(tmp_path / "a.md").read_text().split(title)[1].split("\n## ")[0]
        assert says(part, told)
        assert says(part, "but the coefficient of rare is arbitrary in size.")
        # the reader of a paper needs no advice
        assert says(part, "would avoid this") == (title == "## The classifier")
    assert says(part, "The training of the method did not converge.")
    assert "converge" not in FIT.report(tmp_path / "b.md").read_text().split("## For a methods section")[1]


def test_copies_are_counted_in_the_rows_of_the_fit(tmp_path):
    twice = pd.concat([X, X.iloc[:7]], ignore_index=True)
    labels = np.concatenate([Y, Y[:7]])
    with pytest.warns(match="exact copies"):
        fit = npc(twice, labels, "lda", **LEVELS)
    text = fit.report(tmp_path / "report.html", data=(twice, labels)).read_text()
    assert cells(text, "rows of the fit with an exact copy") == ["14", "look at them"]
    assert "Copies were not looked for" not in text


@pytest.mark.filterwarnings("ignore:.*exact copies")
@pytest.mark.parametrize("n_splits", [1, 3])
def test_copies_across_the_split_are_counted_as_the_fit_counts_them(n_splits, tmp_path):
    twice = pd.concat([X, X.iloc[:90]], ignore_index=True)
    labels = np.concatenate([Y, Y[:90]])
    with pytest.warns(match="exact copies") as caught:
        fit = npc(twice, labels, "lda", **LEVELS, n_splits=n_splits)
    n_shared = re.match(r"\d+", str(caught[0].message))[0]
    text = fit.report(tmp_path / "report.html", data=(twice, labels)).read_text()
    found = cells(text, "left-out class 0 rows with a copy that trained")
    assert found == [f"{n_shared} of {fit.n0_left_out}", "look at them"]
    # both give the share of class 0, on whose independence of the training the bound rests
    share = f"{100 * int(n_shared) / fit.n0_left_out:.2g} %"
    assert f"{n_shared} of {fit.n0_left_out} left-out class 0 rows ({share}) are exact" in str(caught[0].message)
    assumed = text.split("What is assumed")[1].split("<h2>")[0]
    save(fit, tmp_path / "fit.joblib")
    # without the rows, too: the fit has counted them
    alone = load(tmp_path / "fit.joblib").report(tmp_path / "alone.html").read_text()
    assert says(alone, "the fit looked among its training rows")
    assert says(alone, "and found some: see What is assumed.")
    for one in (text, alone):
        assumed = one.split("What is assumed")[1].split("<h2>")[0]
        assert says(assumed, f"at random. But {n_shared} of {fit.n0_left_out} left-out class 0 rows ({share}")
        assert says(assumed, "not independent of the training, and errors on new rows can be larger")
        assert one.split("What was analysed")[0].count("entered twice") == 1
        # advice is not for text to be pasted
        methods = one.split("For a methods section")[1]
        assert says(methods, f"{n_shared} of {fit.n0_left_out} left-out class 0 rows ({share}) are exact copies")
        assert "entered twice" not in methods
        assert "no harm" not in methods
    assert "replace(" not in alone
    assert cells(text, "tied class 0 scores")[1] == "counted exactly"
    assert says(text, "They are counted exactly, so they do not weaken the bound.")
    assert says(text, "the number is that of the split with the most") is (n_splits > 1)


@pytest.mark.filterwarnings("ignore:.*exact copies")
@pytest.mark.parametrize("differ", [False, True])
def test_a_report_says_which_columns_two_numbers_of_copies_are_about(differ, tmp_path):
    twice = pd.concat([X, X.iloc[:90]], ignore_index=True).assign(kind=np.concatenate([Y, Y[:90]]), place="here")
    twice.loc[545:, "place"] = "there" if differ else "here"
    fit = npc("kind ~ age + dose", data=twice, method="lda", **LEVELS)
    text = fit.report(tmp_path / "a.html", data=twice).read_text()
    of_fit = re.match(r"(\d+) of \d+ left-out", fit.caveats[0])[1]
    of_report = re.match(r"\d+", cells(text, "left-out class 0 rows with a copy that trained")[0])[0]
    assert (int(of_fit) < int(of_report)) is differ
    assert says(text, "The number in What is assumed is that of rows which agree in all columns that the") is differ


@pytest.mark.filterwarnings("ignore:.*exact copies")
@pytest.mark.parametrize("formula", [False, True])
def test_columns_that_the_fit_does_not_use_change_nothing_in_a_report(formula, tmp_path):
    twice = pd.concat([X, X.iloc[:7]], ignore_index=True)
    labels = np.concatenate([Y, Y[:7]])
    wide = twice.assign(kind=labels, record=np.arange(len(twice)))[["record", "dose", "kind", "age"]]
    fit = (
        npc("kind ~ age + dose", data=wide, method="lda", **LEVELS) if formula else npc(twice, labels, "lda", **LEVELS)
    )
    texts = [
        fit.report(tmp_path / "a.html", new, labels, data=(table, labels)).read_text()
        for new, table in ((twice + 1, twice), (wide.assign(age=twice["age"] + 1, dose=twice["dose"] + 1), wide))
    ]
    assert cells(texts[1], "rows of the fit with an exact copy") == ["14", "look at them"]
    assert texts[0] == texts[1]
    for table in (twice, twice + 1):
        assert hash_of_rows(table[list(fit.feature_names)], labels) in texts[1]
    with pytest.raises(InvalidInputError, match="X and y are the rows of the fit"):
        fit.report(tmp_path / "b.html", wide, labels, data=(twice, labels))


def test_data_of_another_width_or_without_a_column_are_refused(tmp_path):
    of_array = npc(X.to_numpy(), Y, "lda", **LEVELS)
    wide = np.column_stack([X, np.arange(500)])
    with pytest.raises(InvalidInputError, match="data must have the 2 columns of the fit, in their order, got 3"):
        of_array.report(tmp_path / "a.html", data=(wide, Y))
    with pytest.raises(InvalidInputError, match="data lacks the column 'dose' of the fit"):
        FIT.report(tmp_path / "a.html", data=(X[["age"]], Y))
    with pytest.raises(InvalidInputError, match="data has 500 rows and y has 499 labels"):
        FIT.report(tmp_path / "a.html", data=(X, Y[1:]))


@pytest.mark.parametrize("how", [{}, {"method": "tree"}, {"groups": GROUPS, "alpha": 0.2}, {"cross_fit": 4}])
@pytest.mark.filterwarnings("ignore:at least a fifth", "ignore:.*exceed", "ignore:.*every row")
def test_new_rows_that_stand_in_the_data_are_counted_in_both_classes(how, tmp_path):
    fit = npc(X, Y, **{"method": "lda", **LEVELS, "alpha": 0.3, **how})
    codes = (Y != EVIL).astype(int)
    # rows of the fit among others: a few of them, and then half
    for few in (10, 250):
        new = pd.concat([X[:few], X_NEW[few:]])
        asked = {"groups": GROUPS} if "groups" in how else {}
        # of the others the scores tell it, and evaluate warns
        if few == 250 and ("method" in how or "groups" in how):
            with pytest.warns(match="250 of the 500 new rows equal a row of the fit"):
                path = fit.report(tmp_path / "a.html", new, Y, data=(X, Y), **asked)
        else:
            path = fit.report(tmp_path / "a.html", new, Y, data=(X, Y), **asked)
        text = path.read_text()
        n0 = int(np.sum(codes[:few] == 0))
        said = f"{few} of the 500 new rows equal a row of the fit in all predictors; of class 0, {n0} of 300. If they"
        assert says(text, said)
        assert ("<h2>Errors on rows that the fit has seen" in text) is (few == 250)
        # the rows that are certified may be the same ones
        doubted = f"{n0} of the 300 new class 0 rows equal a row of the fit in all predictors. If they are the same"
        assert says(text, f"{doubted} observations, no bound holds.") is (few == 10)
        assert says(text, "All new rows that equal a row of the fit in all predictors were counted.") is (few == 10)
        assert not says(text, "Fewer are not noticed")
        assert says(text, "Chance does not explain so many, unless copies were dropped before the fit.") is (few == 250)
        assert "cannot be told" not in text
    none = fit.report(tmp_path / "a.html", X_NEW, Y, data=(X, Y), **asked).read_text()
    assert cells(none, "new rows that equal a row of the fit") == ["0 of 500; of class 0, 0 of 300", "none"]


def test_rows_too_few_to_be_recognised_are_known_to_be_new_where_a_report_has_the_rows_of_the_fit(tmp_path):
    few = np.flatnonzero(Y == EVIL)[:1]
    for data, unknown in (((X, Y), False), (None, True)):
        text = FIT.report(tmp_path / "a.html", X_NEW.iloc[few], Y[few], data=data).read_text()
        assert says(text, "It could not be checked whether the classifier has seen these rows.") is unknown
        assert not says(text, "Fewer are not noticed")


@pytest.mark.slow
def test_new_rows_bound_the_type1_error_as_certify_does_and_rows_of_the_fit_do_not(tmp_path):
    text = FIT.report(tmp_path / "a.md", X_NEW, Y, data=(X, Y)).read_text()
    assert str(FIT.certify(X_NEW[Y == EVIL], delta=LEVELS["delta"]).type1_upper)[:5] in text.partition("Certified")[2]
    few = " ".join(FIT.report(tmp_path / "a.md", X_NEW[:20], Y[:20]).read_text().split())
    stands = "This does not speak against the guarantee of the fit, which rests on its left-out rows"
    assert f"{stands}. See the check 'new errors'." in few
    half = pd.concat([X[:250], X_NEW[250:]])
    assert "Certified type I error" not in FIT.report(tmp_path / "a.md", half, Y, data=(X, Y)).read_text()
    clustered = npc(X, Y, "lda", clusters=CLUSTERS, **{**LEVELS, "alpha": 0.2})
    text = clustered.report(tmp_path / "a.md", X_NEW, Y, clusters=1000 + CLUSTERS).read_text()
    bound = clustered.certify(X_NEW, Y, clusters=1000 + CLUSTERS)
    assert re.search(rf"Called [^ ]+ +{bound.n_called1} ", text.partition("Certified")[2])
    for seed in range(5):
        drawn = {"clusters": 1000 + CLUSTERS, "random_state": seed}
        parts = clustered.report(tmp_path / "a.md", X_NEW, Y, **drawn).read_text().partition("Certified")
        n_false1 = clustered.evaluate(X_NEW, Y, **drawn).n_false1
        assert re.search(rf"new errors +{n_false1} of ", parts[0] + parts[2])
        assert re.search(rf"Called [^ ]+ +{n_false1} ", parts[2])
    assert re.search(rf"Fresh class 0 rows: +{bound.n0} |Class 0 rows: +{bound.n0} ", text.partition("Certified")[2])


@pytest.mark.filterwarnings("ignore:.*exact copies")
def test_values_that_are_common_make_no_rows_of_the_fit_of_new_ones(tmp_path):
    rng = np.random.default_rng(5)
    draw = lambda: pd.DataFrame(rng.integers(0, 3, size=(500, 2)) + (Y != EVIL)[:, None], columns=["a", "b"])  # noqa: E731
    fit = npc(old := draw(), Y, "lda", **LEVELS)
    text = fit.report(tmp_path / "a.html", draw(), Y, data=(old, Y)).read_text()
    assert says(text, "All 500 new rows equal a row of the fit")
    assert "<h2>Errors on new rows" in text


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"path": "report.txt"}, "path must end in .html or .md"),
        ({"path": "report", "fmt": "pdf"}, "fmt must be one of 'html', 'md'"),
        ({"path": "report.md", "data": (X[:20], Y[:20])}, "data must be the rows of the fit, 300 of class 0"),
        ({"path": "report.md", "data": (X_NEW, Y)}, "is not the table of this fit"),
        ({"path": "report.md", "data": WARD}, r"data must be a pair \(X, y\), the rows of the fit and their labels"),
        ({"path": "report.md", "y": Y}, "y has the labels of new rows; give their X too, or leave it out"),
        ({"path": "report.md", "band": FIT}, "band must be an NPROCBand"),
        ({"path": "report.md", "prevalence": {EVIL: 0.1}}, "prevalence is about new rows; give X and y"),
        (
            {"path": "report.md", "X": X_NEW, "y": Y, "prevalence": {EVIL: (0.1, 0.2)}},
            "prevalence must be one number strictly between 0 and 1",
        ),
        (
            {"path": "report.md", "band": nproc(X, Y, "lda", class0=Y[Y != EVIL][0], delta=0.1, random_state=1)},
            "band must have the same classes as the fit",
        ),
        (
            {
                "path": "report.md",
                "band": nproc(X, Y, "lda", class0=EVIL, band="simultaneous", alpha_max=0.08, random_state=1),
            },
            "band must reach the alpha of the fit, 0.1, and it ends at alpha_max=0.08. Make the band again without",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(given, match, tmp_path):
    with pytest.raises(InvalidInputError, match=match):
        FIT.report(**{**given, "path": tmp_path / given["path"]})
    for fmt in (None, "md"):
        with pytest.raises(InvalidInputError, match=r"path must be the file to write, .* Give the rows"):
            FIT.report(X_NEW, Y, fmt=fmt)


def test_a_hash_depends_on_every_value_and_name():
    base = hash_of_rows(X, Y)
    assert hash_of_rows(X.copy(), Y.copy()) == base
    assert hash_of_rows(X.rename(columns={"age": "years"}), Y) != base
    other = X.copy()
    other.iloc[3, 1] += 1e-12
    assert hash_of_rows(other, Y) != base
    assert hash_of_rows(X, Y[::-1]) != base


@pytest.mark.slow
def test_the_command_line_writes_a_report(tmp_path, capsys):
    save(FIT, tmp_path / "fit.joblib")
    X_NEW.assign(kind=Y).to_csv(tmp_path / "new.csv", index=False)
    new = ["--new", str(tmp_path / "new.csv"), "--label", "kind", "--out", str(tmp_path / "report.html")]
    assert main(["report", str(tmp_path / "fit.joblib"), *new]) == 0
    assert "Errors on new rows" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "report.html" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "fit.joblib"), *new[:2], *new[4:]]) == 2
    assert "--new and --data need --label" in capsys.readouterr().err
    X.assign(kind=Y).to_csv(tmp_path / "data.csv", index=False)
    assert main(["report", str(tmp_path / "fit.joblib"), "--data", str(tmp_path / "data.csv"), *new]) == 0
    assert hash_of_rows(X, Y) in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("ending", ["joblib", "skops"])
def test_a_saved_classifier_knows_the_call_that_makes_it(ending, tmp_path):
    of_band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1).classifier(0.3, review_beta=0.2)
    for fit in (npc(X, Y, "svm", C=3.0, **LEVELS), of_band):
        again = load(save(fit, tmp_path / f"fit.{ending}"))
        assert call_of(again) == call_of(fit)


@pytest.mark.filterwarnings("ignore:at least a fifth")
def test_a_report_on_rows_of_the_fit_says_so(tmp_path):
    text = FIT.report(tmp_path / "report.md", X, Y).read_text()
    assert "## Errors on rows that the fit has seen: they tell nothing about new rows" in text
    assert "Errors on new rows" not in text
    methods = text.split("## For a methods section")[1]
    counted = "We counted the type I error on 300 rows of class 0 and the type II error on 200 rows of class 1."
    assert f"{counted} The fit has seen many of these rows, so these errors tell nothing about new rows. All" in methods
    assert "Clopper" not in methods
    assert re.search(rf"new rows that set the +{FIT.n0_left_out} of 300 of class 0 +the errors on", text)
    assert "Not made: new scores, new errors. New rows were given. They are not used here" in " ".join(text.split())
    new = FIT.report(tmp_path / "report.md", X_NEW, Y).read_text()
    assert "## Errors on new rows" in new
    assert re.search(r"new rows that set the threshold +0 of 300 of class 0 +none", new)
    # a sixth of the rows are those of the fit, and half of its class 0 rows set the threshold
    mixed = pd.concat([X[:80], X_NEW[80:]])
    some = FIT.report(tmp_path / "report.md", mixed, Y).read_text()
    n_own = np.isin(*(np.round(scores, 9) for scores in (FIT._scores(mixed[Y == EVIL])[:, 0], FIT.scores0[0]))).sum()
    assert 0 < n_own < 60
    assert re.search(rf"new rows that set the +{n_own} of 300 of class 0 +errors may look", some)
    with pytest.raises(InvalidInputError, match="X and y are the rows of the fit"):
        FIT.report(tmp_path / "report.md", X, Y, data=(X, Y))


def test_scores_that_are_equal_by_chance_are_counted_in_all_rows_and_raise_no_alarm(tmp_path):
    fit = npc(X, Y, lambda table: np.round(table["dose"], 4), prefit=True, **LEVELS)
    n_equal = np.isin(np.round(X_NEW["dose"][Y == EVIL], 4), fit.scores0[0]).sum()
    assert n_equal > 0
    for given, judgement in (({"data": (X, Y)}, "none: equal scores by"), ({}, "errors may look too")):
        text = fit.report(tmp_path / "report.md", X_NEW, Y, **given).read_text()
        assert re.search(rf"new rows that set the +{n_equal} of 300 of class 0 +{judgement}", text)


def test_rows_that_trained_are_not_said_to_be_none_of_the_fit(tmp_path):
    rows0 = X[Y == EVIL]
    trained = rows0[~np.isin(FIT._scores(rows0)[:, 0], FIT.scores0[0])]
    new, y = pd.concat([trained, X_NEW[Y != EVIL]]), np.append(np.full(len(trained), EVIL), Y[Y != EVIL])
    with pytest.warns(match="more than chance explains, unless copies were dropped before the fit"):
        text = FIT.report(tmp_path / "report.md", new, y).read_text()
    assert not re.search("of class 0 +none", text)
    assert re.search(r"new rows that set the +equal to rows of the fit +the errors on them", text)


def test_a_report_on_cross_fitting_looks_at_the_scores_of_the_folds(tmp_path):
    hashes = set()
    for seed in (1, 2):
        fit = npc(X, Y, "tree", **{**LEVELS, "random_state": seed, "alpha": 0.3}, cross_fit=5)
        text = fit.report(tmp_path / "report.md").read_text()
        assert "The order of the rows and the distribution of new rows are not checked" in text
        assert not re.search(r"tied class 0 scores +0 of 300", text)
        hashes.add(re.search(r"left-out class 0 scores: (\w+)", text)[1])
    assert len(hashes) == 2


def test_a_report_tells_what_was_analysed_and_how_many_rows_were_left_out(tmp_path):
    gaps = X.copy()
    gaps.iloc[:40, 0] = np.nan
    with pytest.warns(match="left out 40 of 500 rows"):
        fit = npc(gaps, Y, "lda", **LEVELS, na_action="omit")
    text = fit.report(tmp_path / "a.md", data_name="ward.csv", label_name="kind").read_text().replace("\\", "")
    analysed = text.split("## What was analysed")[1].split("## The classifier")[0]
    for said in (
        "Table: ward.csv.",
        "Label column: kind.",
        f"{fit.n0} of {EVIL} (class 0)",
        "Predictors (2): age, dose.",
    ):
        assert said in analysed
    methods = text.split("## For a methods section")[1]
    for part in (analysed, methods):
        assert "40 of 500 rows had missing values and were left out." in part
    assert "were left out." not in FIT.report(tmp_path / "b.md").read_text()
    # also of the new rows, on which the intervals of that section are
    new = gaps.iloc[30:].sample(frac=1, random_state=1)
    with pytest.warns(match="10 of the 470 rows"):
        text = fit.report(tmp_path / "c.md", new + 1e-3, Y[new.index]).read_text()
    methods = text.split("## For a methods section")[1]
    assert "10 of the 470 new rows had missing values and were left out. Intervals for errors on new rows" in methods
    n0, n1 = np.sum(Y[new.index[new.index >= 40]] == EVIL), np.sum(Y[new.index[new.index >= 40]] != EVIL)
    counted = (
        f"We counted the type I error on {n0} new rows of class 0 and the type II error on {n1} new rows of class 1."
    )
    assert f"{counted} 10 of the" in methods
    assert f"All {fit.n1} class 1 rows were used for training." in methods
    assert "(Proposition 1 of Tong, Feng and Li 2018)" in methods


def test_what_a_fit_warned_of_in_its_table_stands_in_its_report_and_its_checks(tmp_path):
    label = np.where(Y == EVIL, "x", "y")
    columns = {
        "its name is that of an identifier": {"id": np.arange(500)},
        "looks like a code for a missing value": {"pulse": np.where(np.arange(500) % 9, X["age"] * 5 + 70, -999)},
        "tells the label of every row": {"outcome": (Y == EVIL) * 1.0},
    }
    for number, (told, more) in enumerate(columns.items()):
        with pytest.warns(match=told) as heard:
            fit = npc(X.assign(**more), label, "nb", **LEVELS | {"class0": "x"})
        fact = next(str(one.message) for one in heard if told in str(one.message)).split(". ")[0]
        said = f"{fact[0].upper()}{fact[1:]}"
        for data in (None, (X.assign(**more), label)):
            text = fit.report(tmp_path / f"{number}.md", data=data).read_text().replace("\\", "")
            assert said in text.split("## What was analysed")[1].split("## The classifier")[0]
            # once
            assert " ".join(text.split()).count(told) == 1
        checks = load(save(fit, tmp_path / f"{number}.joblib")).check_assumptions()
        assert said in " ".join(str(checks.summary()).split())


def test_bare_numbers_as_labels_have_the_name_of_their_column(tmp_path):
    fit = npc(X, (Y != EVIL).astype(int), "lda", **LEVELS | {"class0": 0})
    text = fit.report(tmp_path / "a.md", X + 1e-3, (Y != EVIL).astype(int), label_name="ill").read_text()
    # in the tables too
    for line in (
        "Class 0 (controlled): ill = 0 ",
        "A row is called ill = 1 (class 1)",
        "type II ill = 1 called ill = 0 ",
    ):
        assert says(text, line)
    assert says(text, "P(predict ill = 1 | ill = 0) <= 0.1 holds with")
    assert says(
        text,
        "Class 0 is ill = 0. If what is assumed below holds, then with 90 % confidence at most 10 % of all future "
        "rows of class 0 are called ill = 1.",
    )
    drawn = npc(X, Y, "lda", **LEVELS, rank="randomize").report(tmp_path / "d.md").read_text()
    assert says(
        drawn, "90 % confidence, over the draw of the rows and the random choice between two ranks, at most 10 %"
    )
    assert says(text, f"{fit.n0} of ill = 0 (class 0) and {fit.n1} of ill = 1 (class 1).")
    assert says(text.split("## For a methods section")[1], "P(predict ill = 1 | ill = 0)")
    assert says(fit.report(tmp_path / "b.md").read_text(), "P(predict 1 | 0) <= 0.1 holds with")
    one = fit.report(tmp_path / "one.md", X[Y != EVIL] + 1e-3, [1] * int(np.sum(Y != EVIL))).read_text()
    assert says(one, "None of the new rows is of class 0.")
    assert "class 0, 0." not in one
    # names say it themselves
    assert not says(FIT.report(tmp_path / "c.md", label_name="ill").read_text(), "ill = ")


@pytest.mark.slow
def test_where_two_descriptions_of_the_scorer_differ_by_its_seed_the_report_says_why(tmp_path):
    seeded = RandomForestClassifier(5, min_samples_leaf=20, random_state=0)
    for method, differ in ((seeded, True), (GaussianNB(), False), ("randomforest", False)):
        text = npc(X, Y, method, **LEVELS).report(tmp_path / "a.md").read_text().replace("\\", "")
        assert ("leave out its random_state; the lines above have it." in text) == differ
        # a seed of its own in each split is none of the scorer
        several = npc(X, Y, method, **LEVELS, n_splits=3)
        for text in (several.report(tmp_path / "b.md").read_text(), str(several.summary())):
            assert not says(text, "leave out its random_state")
            assert says(text, "Its random_state is 0 in all splits.") == differ


def test_at_most_twenty_predictors_are_named(tmp_path):
    wide = pd.DataFrame(np.random.default_rng(1).normal(size=(500, 25)), columns=[f"x{j}" for j in range(25)])
    text = npc(wide, Y, "lda", **LEVELS).report(tmp_path / "a.md").read_text()
    assert "x18, x19 and 5 more." in text


def test_a_band_beside_a_classifier_with_review_is_told_to_be_without_it(tmp_path):
    band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1)
    text = band.classifier(0.1, review_beta=0.2).report(tmp_path / "a.md", band=band).read_text()
    assert "Without review: this band is that of classifiers which call every row" in text
    assert "Without review" not in band.classifier(0.1).report(tmp_path / "b.md", band=band).read_text()
    # a methods section is read without the table
    assert "Review 0" not in text.split("## For a methods section")[1]
    assert "We also made an NP-ROC band with linear discriminant analysis" in paragraph_and_papers(text)[0]
    assert "from the same left-out rows, with delta = 0.1" in paragraph_and_papers(text)[0]


def test_a_report_without_a_band_says_where_one_comes_from(tmp_path):
    band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1)
    of_band = "This classifier comes from an NP-ROC band, which was not given"
    assert says(band.classifier(0.1).report(tmp_path / "a.md").read_text(), "if alpha = 0.1 was fixed before the band")
    for fit, source in ((FIT, "nproc(X, y, ...) makes one"), (band.classifier(0.1), of_band)):
        without = fit.report(tmp_path / "a.md").read_text()
        assert source in without
        assert "npc report --band" in without
        assert "npc report --band" not in fit.report(tmp_path / "b.md", band=band).read_text()
    # a band has no groups
    grouped = npc(X, Y, "lda", groups=np.arange(500) % 2, **LEVELS).report(tmp_path / "c.md").read_text()
    assert "npc report --band" not in grouped


def test_bounds_in_a_report_are_rounded_outward(tmp_path):
    band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1)
    values = band.at([0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
    rows = values.table_rows()
    # a level that no rank meets has no bounds
    met = np.array([row[2] != "-" for row in rows])
    assert met.tolist() == [False] + [True] * 6
    low, high = (np.array([float(row[column]) for row in np.array(rows)[met]]) for column in (2, 4))
    assert np.all(low <= values.type2_lower[met])
    assert np.all(high >= values.type2_upper[met])
    # nearest would not do
    assert np.any(low != np.round(values.type2_lower[met], 4))
    text = FIT.report(tmp_path / "a.md", X_NEW, Y, band=band).read_text()
    assert "Proved bound" in text
    assert "type1_bound" not in text
    for row in rows:
        estimate = row[3] if row[3] == "-" else f"{row[3]:.4f}"
        assert re.search(rf"{row[2]} +{estimate} +{row[4]}", text)


def test_other_summaries_stand_in_the_report_and_wide_tables_scroll(tmp_path):
    summary = FIT.evaluate(X_NEW, Y).summary()
    text = FIT.report(tmp_path / "a.html", summaries=[summary]).read_text()
    assert "<h2>Other results</h2>" in text
    assert f'<div class="wide" tabindex="0">{summary.as_html()}</div>' in text
    assert "Other results" not in FIT.report(tmp_path / "b.html").read_text()
    # a result stands for its summary
    assert text == FIT.report(tmp_path / "a.html", summaries=[FIT.evaluate(X_NEW, Y)]).read_text()
    for wrong in (summary, FIT, "abc", 3):
        with pytest.raises(InvalidInputError, match="summaries must be a list of summaries, or of results that have"):
            FIT.report(tmp_path / "a.html", summaries=wrong)
    with pytest.raises(InvalidInputError, match=r"summaries must hold summaries, such as band.summary\(\), .* got 3"):
        FIT.report(tmp_path / "a.html", summaries=[summary, 3])


def test_intervals_of_errors_are_rounded_outward(tmp_path):
    errors = FIT.evaluate(X_NEW, Y)
    text = FIT.report(tmp_path / "a.md", X_NEW, Y).read_text()
    for count, n, rate, interval in (
        (errors.n_false1, errors.n0, errors.type1, errors.type1_interval),
        (errors.n_false0, errors.n1, errors.type2, errors.type2_interval),
    ):
        assert re.search(
            rf"{count} +{n} +{rate:.4f} +{at_least(interval.lower, 4)} +{at_most(interval.upper, 4)}", text
        )


def test_other_rows_are_refused_as_those_of_a_fit_whose_table_has_its_clusters(tmp_path):
    table = X.assign(who=CLUSTERS)
    fit = npc(table, Y, "lda", clusters="who", **{**LEVELS, "alpha": 0.2})
    text = fit.report(tmp_path / "report.md", data=(table, Y)).read_text(encoding="utf-8")
    assert "rank correlation" in text
    # the column of clusters is named wherever they are spoken of
    assert "with 90 % confidence at most 20 % of the future rows of " in text
    assert ", one drawn at random from each new value of who, are called" in text
    assert f"Clusters of rows that belong together: {fit.n_clusters}, by the column who." in text
    assert re.search("rows that belong together +declared: column who +only you know", text)
    assert "Rows with the same value in the column who form a cluster." in text
    with pytest.raises(InvalidInputError, match="is not the table of this fit with its rows in their order"):
        fit.report(tmp_path / "report.md", data=(table[::-1], Y[::-1]))


def test_a_fit_by_formula_takes_its_table_as_data(tmp_path):
    fit = npc("kind ~ age + dose", data=WARD, method="lda", **LEVELS)
    text = fit.report(tmp_path / "a.md", data=WARD).read_text()
    assert hash_of_rows(X, Y) in text
    assert text == fit.report(tmp_path / "b.md", data=(WARD[["age", "dose"]], WARD["kind"])).read_text()
    with pytest.raises(InvalidInputError, match="it lacks the column 'kind'"):
        fit.report(tmp_path / "c.md", data=X)


OTHER = "The classifier of this report does not come from this band. The bounds on the type II error are about"


@pytest.mark.parametrize("prefit", [False, True])
def test_only_of_its_own_band_a_report_says_that_the_notes_are_about_the_classifier(prefit, tmp_path):
    method = LogisticRegression().fit(X[::2], Y[::2]) if prefit else "lda"
    rows, levels = (X[1::2], Y[1::2]), {"class0": EVIL, "delta": 0.1, "random_state": 1, "prefit": prefit}
    band = nproc(*rows, method, **levels)
    # a trained model is the same in both, and so is its threshold
    for fit, own in ((band.classifier(0.1), True), (npc(*rows, method, alpha=0.1, **levels), prefit)):
        text = fit.report(tmp_path / "a.md", band=band).read_text()
        assert says(text, "The band below is about that error, and its notes say") is own
        assert says(text, OTHER) is not own
        assert says(text, "The band below bounds that error of its own classifiers, and not of this one.") is not own
        assert says(text, "trained on a part of the class 1 rows only, and this one on all.") is not own
    if not prefit:
        # a name that the user gave to the method of the band is not one of its classifiers
        named = nproc_bands(*rows, {"mine": method}, class0=EVIL, delta=0.1, random_state=1)["mine"]
        text = named.classifier(0.1).report(tmp_path / "c.md", band=named).read_text()
        assert says(text, "The band below is about that error")
        assert not says(text, OTHER)
    simultaneous = nproc(*rows, method, band="simultaneous", **levels)
    # there the rank is another
    assert says(band.classifier(0.1).report(tmp_path / "b.md", band=simultaneous).read_text(), OTHER)


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"method": "nb"}, "its method is nb, not lda"),
        ({"delta": 0.05}, "its delta is 0.05, not 0.1"),
        ({"n_splits": 3}, "it has 3 splits, not 1"),
        ({"X": X[:400], "y": Y[:400]}, "it is of other rows, "),
        ({"X": X[["age"]]}, "its predictors are other columns"),
    ],
)
def test_a_report_tells_what_differs_between_the_fit_and_a_band(how, told, tmp_path):
    given = {"X": X, "y": Y, "method": "lda", "class0": EVIL, "delta": 0.1, "random_state": 1}
    text = FIT.report(tmp_path / "a.md", band=nproc(**given | how)).read_text()
    assert says(text, "The band also differs from this fit in its settings or rows: " + told)
    alike = says(text, "The class 0 rows of the band equal those of this fit, as far as hashes of their values tell.")
    assert alike is not ("X" in how)
    assert says(text, "It cannot be told whether the band is of the same rows") is ("X" in how and "y" not in how)
    same = FIT.report(tmp_path / "b.md", band=nproc(**given)).read_text()
    assert says(same, OTHER)
    assert not says(same, "The band also differs")


def test_a_band_from_scores_is_told_to_be_of_scores(tmp_path):
    band = NPROCBand.from_scores(np.arange(100.0), np.arange(50.0) + 60)
    text = FIT.report(tmp_path / "a.md", band=band).read_text()
    assert says(text, "This band was made from scores.")


def test_notes_of_the_band_and_of_other_results_are_not_left_alone_where_nothing_is_proved(tmp_path):
    band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1)
    summary = band.summary()
    unmet = replace(band.classifier(0.3), unmet=(NO_SHARED_OWNERS,))
    text = unmet.report(tmp_path / "a.md", band=band, summaries=[summary]).read_text()
    for where in ("of the band", "below"):
        said = (
            f"The probabilities in the notes {where} are not proved here. They would hold only if no two rows were "
            "of one patient"
        )
        assert says(text, said)
    chosen = band.classifier(band.choose_alpha(type2_max=0.6))
    text = chosen.report(tmp_path / "b.md", band=band, summaries=[summary]).read_text()
    for where in ("of the band", "below"):
        assert says(text, f"What the notes {where} say of an alpha fixed beforehand is therefore not proved")
    fine = band.classifier(0.3).report(tmp_path / "c.md", band=band, summaries=[summary]).read_text()
    assert "the notes of the band" not in fine
    assert "the notes below" not in fine


def test_a_report_does_not_assume_what_it_knows_to_be_false(tmp_path):
    parts = {}
    for condition in (SETTINGS_FIXED, NO_SHARED_OWNERS, NO_LABELS_IN_FRONT, NO_FROZEN_LABELS):
        text = replace(FIT, unmet=(condition,)).report(tmp_path / "a.md").read_text()
        parts[condition] = text.split("## What is assumed")[1]
    fixed = "The method and all other settings were fixed before anybody looked at the scores."
    assert [says(part, fixed) for part in parts.values()] == [False, True, True, True]
    independent = "and those that will be classified, are independent"
    assert [says(part, independent) for part in parts.values()] == [True, False, True, True]
    told = "rows that belong together rows of one patient or other unit not independent"
    assert [says(part, told) for part in parts.values()] == [
        False,
        True,
        False,
        False,
    ]
    no_part = "The rows that set the threshold had no part in the training"
    assert [says(part, no_part) for part in parts.values()] == [True, True, False, False]
    assert says(parts[NO_LABELS_IN_FRONT], "but a step in front of it had learned from their labels.")
    assert says(parts[NO_FROZEN_LABELS], "but a step in front of it may have learned from their labels.")


@pytest.mark.slow
def test_a_chosen_level_in_the_picture_gives_the_same_rank_when_typed_in():
    band = nproc(X, Y, "lda", class0=EVIL, delta=0.1, random_state=1)
    for alpha in band.alpha[band.alpha < 1].tolist()[::7]:
        fit = band.classifier(alpha)
        legend = " ".join(text.get_text() for text in fit.plot(ax=Figure().subplots()).get_legend().get_texts())
        shown = float(re.search(r"alpha\$ = ([0-9.e-]+?)(;|$)", legend)[1])
        assert band.at(shown).order == band.at(alpha).order
        assert call_of(fit).endswith(f".classifier({alpha!r})")


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"n_splits": 3, "vote": "random"},
        {"cross_fit": 4},
        {"groups": GROUPS},
        {"clusters": CLUSTERS},
        {"review_beta": 0.3},
        {"small_sample": "normal"},
    ],
)
def test_a_level_of_many_digits_is_never_claimed_to_be_smaller_than_it_is(how):
    # up to twelve digits are printed as they are, and of more six, rounded up
    for alpha, text in ((0.20000041, "0.20000041"), (0.2 + 1e-6 / 3, "0.200001")):
        told = " ".join(str(npc(X, Y, "lda", **LEVELS | {"alpha": alpha}, **how).summary()).split())
        assert re.search(rf"\b{re.escape(text)}\b", told)
        assert not re.search(r"(?:alpha:|<=|at most) 0\.2\b(?!\.?\d)", told)


def test_new_rows_of_one_class_have_the_errors_of_this_class_and_no_other_levels(tmp_path):
    ill = Y == EVIL
    text = FIT.report(tmp_path / "report.md", X_NEW[ill], Y[ill]).read_text(encoding="utf-8")
    assert says(text, "Type I")
    assert "Other levels on the same rows" not in text
    assert "Other levels on the same rows" in FIT.report(tmp_path / "both.md", X_NEW, Y).read_text(encoding="utf-8")
