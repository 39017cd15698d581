"""nproc.app: rows that are set aside take no part in the fit, and both errors are counted on them."""

import dataclasses
import html
import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from fitted_page import SETTINGS, check_made_again, fitted, plan_of
from sklearn.model_selection import train_test_split

from nproc import nproc, save
from nproc.app.data import sample_source, uploaded_source
from nproc.app.page import certify_new, check, saved_classifier
from nproc.app.results import (
    CHANGED,
    barred_from_certifying,
    count_errors,
    is_counted,
    python_code,
    rows_of_report,
    unseen_rows,
)
from nproc.cli import main
from nproc.errors import InvalidInputError
from nproc.fits import write_report
from nproc.tables import at_least, at_most

pytestmark = pytest.mark.usefixtures("reports_without_pictures")

CANCER = {"class0": "malignant", "methods": ["lda"], "delta": 0.05, "seed": 1}


def cancer_plan(source, **more):
    return plan_of(source, source.likely_predictors("diagnosis"), **{**CANCER, **more})


def check_of(result):
    plan = result.plan
    fit = result.classifier(result.planned(), plan.methods[0])
    _, evaluation, said = count_errors(plan.aside, fit, plan)
    return fit, evaluation, str(check(plan, evaluation, said, fit))


def test_rows_set_aside_are_a_stratified_draw_and_change_nothing_of_the_fit():
    source = sample_source("breast_cancer")
    result = fitted(cancer_plan(source, aside_share=0.3))
    kept, aside = train_test_split(source.frame, test_size=0.3, stratify=source.frame["diagnosis"], random_state=1)
    fit, evaluation, shown = check_of(result)
    features = list(result.plan.features)
    band = nproc(kept.sort_index()[features], kept.sort_index()["diagnosis"], "lda", class0="malignant", random_state=1)
    np.testing.assert_array_equal(fit.thresholds, band.classifier(0.1).thresholds)
    # neither in n0 nor in n1, so that the promise stands
    assert (fit.n0, fit.n1) == tuple((kept["diagnosis"] == label).sum() for label in ("malignant", "benign"))
    assert fit.guaranteed
    # whatever they hold, the fit is the same
    frame = source.frame.copy()
    frame.loc[aside.index, features] = 1e6 * np.random.default_rng(0).normal(size=(len(aside), len(features)))
    other = fitted(cancer_plan(dataclasses.replace(source, frame=frame), aside_share=0.3))
    np.testing.assert_array_equal(other.bands[0].type2_upper, result.bands[0].type2_upper)
    np.testing.assert_array_equal(other.classifier(other.planned(), "lda").thresholds, fit.thresholds)
    # the counts and exact intervals are those of evaluate
    there = band.classifier(0.1).evaluate(aside[features], aside["diagnosis"])
    assert (evaluation.n0, evaluation.n1) == (there.n0, there.n1)
    assert (evaluation.n_false1, evaluation.n_false0) == (there.n_false1, there.n_false0)
    for rate, interval in ((there.type1, there.type1_interval), (there.type2, there.type2_interval)):
        numbers = f"{rate:.4f}", at_least(interval.lower, 4), at_most(interval.upper, 4)
        assert "".join(f"<td>{number}</td>" for number in numbers) in re.sub(r"\s+", "", shown)
    assert f"{len(aside)} rows set aside, which the fit has not seen" in shown
    assert "hold only if you did not choose method or alpha by looking at this table." in shown


def test_the_levels_that_are_offered_are_those_of_the_rows_of_the_fit():
    source = sample_source("breast_cancer")
    plan = cancer_plan(source, aside_share=0.2)
    assert (plan.room.rows, plan.room.left) == (170, 85)
    assert fitted(plan).bands[0].n0_left_out == 85
    # all rows carry this level, and those that are left do not
    assert cancer_plan(source, alpha=0.03).out_of_reach() == ()
    assert [room for room, _ in cancer_plan(source, alpha=0.03, aside_share=0.2).out_of_reach()] == [plan.room]


def test_another_share_marks_the_result_as_stale_and_is_another_look_at_the_rows():
    source = sample_source("breast_cancer")
    first = cancer_plan(source)
    settings = {**vars(first), "aside_share": 0.2}
    assert first.differences(**settings) == ["share of rows set aside (fitted 'none', now '20 %')"]
    result = fitted(cancer_plan(source, aside_share=0.2).after(first.fixed()))
    fit = result.classifier(result.planned(), "lda")
    assert not fit.guaranteed
    assert f"The share of rows set aside was {CHANGED}." in str(fit.caveats)


@pytest.fixture
def visits(tmp_path):
    """Two rows of each patient, text among the predictors, and gaps."""
    rng = np.random.default_rng(6)
    sick = np.repeat(np.arange(200) % 2, 2)
    table = pd.DataFrame({"patient_id": np.arange(400) // 2, "sick": np.where(sick, "yes", "no")})
    table["dose"] = rng.normal(size=400) - 2 * sick
    table["age"] = np.where(np.arange(400) % 20 == 0, np.nan, rng.normal(size=400))
    table["sex"] = rng.choice(["f", "m"], 400)
    table.to_csv(tmp_path / "visits.csv", index=False)
    return table


def run(result, folder, monkeypatch):
    names = {}
    monkeypatch.chdir(folder)
    exec(python_code(result, result.planned(), "lda"), names)
    return names


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize("with_owners", [False, True])
def test_the_code_makes_the_same_division_and_prints_the_same_errors(
    visits, with_owners, tmp_path, monkeypatch, capsys
):
    if not with_owners:
        visits.drop(columns="patient_id").to_csv(tmp_path / "visits.csv", index=False)
    source = uploaded_source(tmp_path / "visits.csv", "visits.csv")
    more = {"label": "sick", "class0": "yes", "methods": ["lda"], "omit": True, "aside_share": 0.2}
    result = fitted(plan_of(source, ["dose", "age", "sex"], **more))
    fit, evaluation, shown = check_of(result)
    # the methods section of the report begins with the rows of the file
    rows, note, _ = rows_of_report(None, fit, result.plan)
    unseen = unseen_rows(rows, None, fit, note, result.plan)
    n_aside, n_used = result.plan.n_aside, len(rows[0])
    assert unseen.set_aside == f"Of 400 rows, {n_aside} were drawn at random and set aside before the fit."
    assert unseen.left_out.startswith(f"{n_aside - n_used} of the {n_aside} new rows had missing values")
    path = write_report(fit, tmp_path / "a.md", unseen, data=None, band=None, summaries=(), named=(None, "sick"))
    assert f"error is controlled, is yes. {unseen.set_aside} {fit.design.n_omitted} of" in path.read_text()
    names = run(result, tmp_path, monkeypatch)
    pd.testing.assert_frame_equal(names["frame"], result.plan.kept.frame)
    np.testing.assert_array_equal(names["classifier"].thresholds, fit.thresholds)
    assert str(evaluation.summary()) in capsys.readouterr().out
    # patients stay whole, and neither the page nor its code shows intervals, which their rows make less than exact
    if with_owners:
        assert set(names["aside"]["patient_id"]).isdisjoint(result.plan.kept.frame["patient_id"])
    assert ("No intervals are shown, because rows of one patient" in shown) is with_owners
    assert ("Clopper" in shown) is ("Clopper" in str(evaluation.summary())) is not with_owners
    assert ("all rows of the same 'patient_id' together" in str(result.plan.advice())) is with_owners


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize(
    ("name", "signs", "options"),
    [
        ("visits.csv", (";", ","), ["--sep", ";", "--decimal", ","]),
        ("visits.tsv", ("\t", "."), []),
        ("visits.tsv", ("\t", ","), ["--sep", "\\t", "--decimal", ","]),
    ],
)
def test_the_rows_of_the_fit_are_a_file_that_the_commands_read(visits, name, signs, options, tmp_path, capsys):
    visits = visits.drop(columns="patient_id").assign(sick=np.where(visits["sick"] == "yes", "+", "-"))
    visits.to_csv(tmp_path / name, index=False, sep=signs[0], decimal=signs[1])
    source = uploaded_source(tmp_path / name, name)
    more = {"label": "sick", "class0": "+", "methods": ["lda"], "omit": True, "aside_share": 0.2}
    result = fitted(plan_of(source, ["dose", "age", "sex"], **more))
    plan, fit = result.plan, result.classifier(result.planned(), "lda")
    save(fit, tmp_path / "model.joblib")
    (tmp_path / "rows-of-the-fit.csv").write_bytes(plan.rows_file())
    shown = re.sub("</?code>", "", html.unescape("".join(map(str, saved_classifier(plan, "model.joblib")))))
    told = f", with {shlex.join(options)}" if options else ""
    assert f"They read this file as --data{told}. The rows that were set aside" in " ".join(shown.split())
    report = ["report", str(tmp_path / "model.joblib"), "--label", "sick", *options, "--out", str(tmp_path / "here.md")]
    check = ["check", str(tmp_path / "model.joblib"), "--label", "sick", *options]
    for command in (report, check):
        assert main([*command, "--data", str(tmp_path / name)]) == 2
        told = capsys.readouterr().err
        assert 'they are its download "Rows of the fit (CSV)"' in told
        assert "rows that were set aside" in told
    assert main([*report, "--data", str(tmp_path / "rows-of-the-fit.csv")]) == 0
    page = fit.report(tmp_path / "page.md", data=plan.fitted_rows(fit)).read_text(encoding="utf-8")
    (digest,) = re.findall("rows and labels of the fit: [0-9a-f]{64}", page)
    assert digest in (tmp_path / "here.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize("name", ["visits.csv", "mixed.csv"])
def test_the_rows_set_aside_are_a_file_that_certify_reads(visits, mixed, name, tmp_path, monkeypatch, capsys):
    table, more = visits.drop(columns="patient_id"), {"label": "sick", "omit": True}
    options, features = {"sep": ";", "decimal": ","}, ["dose", "age", "sex"]
    if name == "mixed.csv":
        table, more, options, features = mixed.frame.copy(), {"label": "default"}, {}, ["age group", "job"]
        # a category that no row of the fit has, in a row of class 0
        one = mixed.drawn("default", 0.3, SETTINGS["seed"]) & (table["default"] == "yes")
        table.loc[one.idxmax(), "job"] = "pilot"
    # a column that does not predict goes with the rows
    table = table.assign(number=[f"{j:05d}" for j in range(len(table))])
    table.to_csv(tmp_path / name, index=False, **options)
    source = uploaded_source(tmp_path / name, name)
    result = fitted(plan_of(source, features, class0="yes", methods=["lda"], aside_share=0.3, **more))
    fit, evaluation, _ = check_of(result)
    save(fit, tmp_path / "model.joblib")
    (tmp_path / "rows-set-aside.csv").write_bytes(result.plan.rows_file(aside=True))
    drawn = source.drawn(result.plan.label, 0.3, result.plan.seed)
    there = pd.read_csv(tmp_path / "rows-set-aside.csv", dtype={"number": str}, **options)
    pd.testing.assert_frame_equal(there, table[drawn].reset_index(drop=True), rtol=1e-12)
    shown = html.unescape("".join(map(str, saved_classifier(result.plan, "model.joblib"))))
    npc, *words = shlex.split(re.search(r"<code>(npc certify .*)</code>", shown)[1])
    monkeypatch.chdir(tmp_path)
    assert npc == "npc"
    assert main([*words, "--json"]) == 0
    bound = json.loads(capsys.readouterr().out)
    assert (bound["n0"], bound["n_called1"]) == (evaluation.n0, evaluation.n_false1)
    # rows are left out where there are some to leave out
    complete = dataclasses.replace(result.plan, features=("dose",), texts=())
    assert words[-2:] == ["--na-action", "omit"]
    if name == "visits.csv":
        assert complete.certify_command("m", "a") == "npc certify m a --label sick --sep ';' --decimal ,"
        # new rows that are not there yet are likely to come in the same form
        shown = html.unescape(str(certify_new(complete, "m.joblib")))
        assert "npc certify m.joblib new.csv --label sick --sep ';' --decimal ,<" in shown


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*left out")
def test_the_command_that_certifies_reads_the_new_rows_that_were_uploaded(visits, tmp_path, monkeypatch, capsys):
    table, features = visits.drop(columns="patient_id"), ["dose", "age", "sex"]
    monkeypatch.chdir(tmp_path)
    table[:280].to_csv("ward.csv", index=False)
    plan = plan_of(uploaded_source("ward.csv", "ward.csv"), features, label="sick", class0="yes", omit=True)
    plan = dataclasses.replace(plan, methods=("lda",))
    fit = (result := fitted(plan)).classifier(result.planned(), "lda")
    save(fit, "lda.joblib")
    new = table[280:]
    latin = "--label sick --encoding cp1252 --na-action omit"
    of_class0 = new[new["sick"] == "yes"].drop(columns="sick")
    for name, rows, signs, options in (
        ("later.csv", new, {"sep": ";", "decimal": ","}, "--label sick --sep ';' --decimal , --na-action omit"),
        ("later.tsv", new, {"sep": "\t"}, "--label sick --na-action omit"),
        ("-later.txt", new.dropna(), {"sep": "\t"}, r"--label sick --sep '\t'"),
        ("of_excel.csv", new.assign(note="\u00e4"), {"encoding": "cp1252"}, latin),
        ("ill.csv", of_class0.dropna(), {"sep": ";", "decimal": ","}, "--sep ';' --decimal ,"),
    ):
        rows.to_csv(name, index=False, **signs)
        source = uploaded_source(name, name, plan.texts_read)
        omits = not is_counted(source, fit, plan).all()
        shown = html.unescape(str(certify_new(plan, "lda.joblib", source, omits=omits)))
        command = re.search(r"<code>(npc certify .*)</code>", shown)[1]
        assert command == f"npc certify lda.joblib {'./' * name.startswith('-')}{name} {options}"
        assert f"The rows in {name} must" in shown
        assert ("must all be of class 0 (sick = yes), since they have no labels" in shown) is (name == "ill.csv")
        assert main([*shlex.split(command)[1:], "--json"]) == 0
        n_left = rows[features].dropna().shape[0] if name == "ill.csv" else (rows.dropna()["sick"] == "yes").sum()
        assert json.loads(capsys.readouterr().out)["n0"] == n_left
    # before there are any
    assert "npc certify lda.joblib new.csv --label sick<" in str(certify_new(plan, "lda.joblib"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_command_is_shown_for_new_rows_that_certify_nothing(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(7)
    table = pd.DataFrame(rng.normal(size=(900, 2)), columns=["dose", "other"])
    table["sick"] = np.resize(["yes", "no", "no"], 900)
    table["dose"] += table["sick"] == "yes"
    fitted_on, new = table[:300], table[300:].reset_index(drop=True)
    monkeypatch.chdir(tmp_path)
    fitted_on.to_csv("ward.csv", index=False)
    plan = plan_of(uploaded_source("ward.csv", "ward.csv"), ["dose"], label="sick", class0="yes", methods=["lda"])
    fit = (result := fitted(plan)).classifier(result.planned(), "lda")
    save(fit, "lda.joblib")
    twice = "share their 'patient_id' with another row"
    for rows, why in (
        (new, ""),
        (ill := new[new["sick"] == "yes"].drop(columns="sick"), ""),
        (new.assign(patient_id=np.arange(600) // 6), twice),
        (ill.assign(patient_id=np.arange(200) // 2), twice),
        (new[new["sick"] == "no"], "none of them is of class 0"),
        (new.rename(columns={"sick": "ill"}), "'ill' has the labels of both classes, which the fit knows by the name"),
        # the single predictor
        (ill[["dose"]], ""),
        (new.assign(sick=new["sick"].str.upper()), "no errors are counted on them"),
        (new.assign(sick=new["sick"].where(new.index > 3, "unclear")), "no errors are counted on them"),
        (fitted_on, "some of them equal rows of the fit"),
        (pd.concat([new, fitted_on[:3]]), "some of them equal rows of the fit"),
    ):
        rows.to_csv("later.csv", index=False)
        source = uploaded_source("later.csv", "later.csv", plan.texts_read)
        _, evaluation, _ = count_errors(source, fit, plan)
        barred = barred_from_certifying(source, fit, plan, evaluation)
        assert (why in barred, bool(why)) == (True, bool(barred)), barred
        shown = html.unescape(str(certify_new(plan, "lda.joblib", source, barred=barred)))
        assert ("<code>" in shown, f"by the rows in later.csv, because {barred}" in shown) == (not why, bool(why))
        code = main([*shlex.split(plan.certify_new_command("lda.joblib", source))[1:], "--json"])
        said = capsys.readouterr().out
        # a few rows of the fit escape the command
        if why != "some of them equal rows of the fit" or len(rows) == 300:
            assert (code == 0 and json.loads(said)["certified"]) is (not why), said


def test_the_command_that_certifies_takes_a_label_that_begins_like_an_option(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"dose": rng.normal(size=400)}).assign(**{"-sick": np.arange(400) % 2})
    table.to_csv(tmp_path / "ward.csv", index=False)
    source = uploaded_source(tmp_path / "ward.csv", "ward.csv")
    result = fitted(plan_of(source, ["dose"], label="-sick", class0="0", methods=["lda"], aside_share=0.3))
    save(result.classifier(result.planned(), "lda"), tmp_path / "m.joblib")
    (tmp_path / "aside.csv").write_bytes(result.plan.rows_file(aside=True))
    monkeypatch.chdir(tmp_path)
    words = shlex.split(result.plan.certify_command("m.joblib", "aside.csv"))
    assert main([*words[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n0"] == 60


def test_no_certificate_is_offered_where_none_can_be_had(visits, tmp_path):
    source = uploaded_source(tmp_path / "visits.csv", "visits.csv")
    for share in (None, 0.2):
        plan = plan_of(source, ["dose"], label="sick", class0="yes", methods=["lda"], aside_share=share)
        shown = "".join(map(str, saved_classifier(plan, "model.joblib")))
        # rows of one patient are not independent
        assert "npc certify" not in shown
        assert ("Rows set aside (CSV)" in shown) is (share is not None)
        assert ("set aside are not in it" in shown) is (share is not None)


@pytest.mark.slow
def test_the_report_has_the_errors_on_the_rows_set_aside_and_says_which_rows_were_fitted(tmp_path):
    source = sample_source("breast_cancer")
    result = fitted(cancer_plan(source, aside_share=0.2))
    plan, (fit, evaluation, _) = result.plan, check_of(result)
    rows, new_note, why = rows_of_report(None, fit, plan)
    assert why == ""
    named = {"data_name": plan.data_name, "label_name": plan.label, "new_note": new_note}
    text = fit.report(tmp_path / "report.md", *rows, data=plan.fitted_rows(fit), **named).read_text(encoding="utf-8")
    assert str(evaluation.summary()) in text
    assert "Table: Breast cancer without 114 of its 569 rows, which were set aside for a check" in text
    assert "New rows: 114 rows of Breast cancer, which were set aside and took no part in the fit." in text
    assert "Rows of the fit: 170 of malignant (class 0) and 285 of benign (class 1)." in text
    # new rows of another file are then told to be elsewhere
    assert "the rows that were set aside" in rows_of_report(source, fit, plan)[-1]


@pytest.mark.slow
@pytest.mark.parametrize("aside_share", [None, 0.2])
def test_a_report_says_how_many_rows_had_no_label(aside_share, tmp_path, monkeypatch):
    frame = sample_source("simulation2").frame[["x1", "y"]].astype({"y": "object"})
    frame.loc[frame.index[:30], "y"] = None
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    source = uploaded_source(tmp_path / "gaps.csv", "gaps.csv").without_unlabelled("y")
    more = {"label": "y", "class0": "0", "methods": ["lda"], "aside_share": aside_share}
    result = fitted(plan_of(source, ["x1"], **more))
    plan, fit = result.plan, result.classifier(result.planned(), "lda")
    n, left = len(source.frame), f"gaps.csv without 30 of its {len(frame)} rows, which have no value in y"
    aside = f", and without {plan.n_aside} of the other {n}, which were set aside" if aside_share else ""
    assert plan.data_name.startswith(left + aside)
    text = fit.report(tmp_path / "a.md", data=plan.fitted_rows(fit), data_name=plan.data_name).read_text("utf-8")
    assert f"Table: {left}{aside}" in text
    methods = text.partition("For a methods section")[2]
    assert f"gaps.csv was read without 30 of its {len(frame)} rows, which have no value in y." in methods
    names = run(result, tmp_path, monkeypatch)
    check_made_again(names["classifier"], fit, python_code(result, result.planned(), "lda"))


@pytest.mark.slow
def test_a_category_of_rows_set_aside_alone_is_told_and_takes_the_check_from_no_other_row(
    mixed, tmp_path, monkeypatch, capsys
):
    rare = np.flatnonzero(mixed.drawn("default", 0.2, 3))[:2]
    mixed.frame.loc[rare, "job"] = ["baker", "miller"]
    mixed.frame.to_csv(tmp_path / "mixed.csv", index=False)
    source = uploaded_source(tmp_path / "mixed.csv", "mixed.csv")
    result = fitted(plan_of(source, ["age group", "job"], class0="yes", methods=["lda"], aside_share=0.2))
    fit, evaluation, shown = check_of(result)
    assert evaluation.n0 + evaluation.n1 == 58
    rows, note, _ = rows_of_report(None, fit, result.plan)
    assert unseen_rows(rows, None, fit, note, result.plan).left_out == (
        "2 of the 60 new rows had a category that no row of the fit has and were left out."
    )
    assert "2 of the 60 rows set aside have a category that no row of the fit has, and count in no error." in shown
    run(result, tmp_path, monkeypatch)
    assert str(evaluation.summary()) in capsys.readouterr().out


def test_the_report_is_without_new_rows_that_the_classifier_cannot_take_and_the_page_says_why(mixed, tmp_path):
    mixed.frame.to_csv(tmp_path / "mixed.csv", index=False)
    source = uploaded_source(tmp_path / "mixed.csv", "mixed.csv")
    result = fitted(plan_of(source, ["age group", "job"], class0="yes", methods=["lda"]))
    fit = result.classifier(result.planned(), "lda")
    # numbers in the place of text
    mixed.frame["job"] = 3
    mixed.frame.to_csv(tmp_path / "later.csv", index=False)
    new = uploaded_source(tmp_path / "later.csv", "later.csv")
    rows, new_note, why = rows_of_report(new, fit, result.plan)
    assert (rows, new_note) == ((), None)
    assert why.startswith("Column 'job' held categories in training and now holds numbers")


def test_too_few_rows_to_divide_are_told(tmp_path):
    table = pd.DataFrame({"x": np.arange(50.0), "y": ["a"] * 4 + ["b"] * 46})
    table.to_csv(tmp_path / "few.csv", index=False)
    source = uploaded_source(tmp_path / "few.csv", "few.csv")
    plan = plan_of(source, ["x"], class0="b", methods=["lda"], aside_share=0.2)
    with pytest.raises(InvalidInputError, match=r"fewer than 5 rows, too few to set some of them aside .*none"):
        plan.out_of_reach()
