"""nproc.app: plans, levels, classifiers, new rows, and pictures, all without a browser."""

import ast
import asyncio
import dataclasses
import html
import io
import itertools
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from fitted_page import SETTINGS, check_made_again, fitted, plan_of
from matplotlib.backends import backend_agg
from matplotlib.figure import Figure
from matplotlib.path import Path
from pictures import collisions
from PIL import Image

from nproc import load, npc, save
from nproc.app.data import (
    NO_METHOD,
    Room,
    gaps_told,
    gaps_way,
    make_plan,
    page_words,
    room_of,
    sample_source,
    uploaded_source,
)
from nproc.app.page import (
    INTRODUCTION,
    ZOOMS,
    carries,
    choose_class0,
    compared,
    confusion,
    errors,
    gaps,
    meaning,
    named,
    new_rows,
    owners_box,
    plainly,
    predictive,
    prevalence_field,
    regions,
    score_note,
    stale,
    status,
    too_few,
    too_late,
)
from nproc.app.page import fitted as fitted_box
from nproc.app.parts import ASKED_FOR, csv_bytes, draw_apart
from nproc.app.results import (
    AROUND_ALPHA,
    BY_EYE,
    CHANGED,
    WIDTHS,
    BandOnShow,
    Result,
    axis_end,
    bounds_at_all_ranks,
    check_new_rows,
    checks_against,
    count_errors,
    draw,
    drawn_picture,
    known_rows,
    letters_of,
    new_rows_told,
    page_note,
    picture_bytes,
    predict_rows,
    python_code,
    renamed_told,
    rows_of_report,
    summaries,
    unseen_rows,
)
from nproc.checks import level_text
from nproc.cli import knots, main, read_table
from nproc.errors import InvalidInputError, NPError, NPWarning, TooFewSamplesError
from nproc.plotting import ENDS, as_svg
from nproc.plotting.levels import FLAT
from nproc.scorers import scorer_names
from nproc.tables import at_least, at_most

pytestmark = pytest.mark.usefixtures("reports_without_pictures")

# plans


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "z"}, "the label 'z' is not in the data"),
        ({"label": "x1"}, "has 1000 distinct value"),
        ({"class0": "2"}, "'2' is not a label"),
        ({"features": []}, "at least one predictor"),
        ({"methods": []}, "at least one method"),
        ({"methods": ["no such"]}, "no such"),
        ({"alpha": 1.0}, "alpha must lie"),
        ({"delta": 0}, "delta must lie"),
        ({"delta": None}, "delta is empty"),
        ({"n_splits": 0}, "number of splits"),
        (
            {"n_splits": 1001},
            "number of splits must be at most 999 .the server keeps one model for each split.*got 1001",
        ),
        ({"n_splits": 1e300}, "number of splits must be at most 999"),
        ({"seed": 2**32}, "seed must be at most 4294967295"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"class0": ""}, "'' is not a label"),
        ({"class0": None}, "Choose the class whose error you bound, 0 or 1. It is class 0, whose misclassification"),
        ({"seed": -1}, "seed|random_state"),
    ],
)
def test_a_wrong_setting_is_an_error_that_names_it(change, message):
    source = sample_source("simulation2")
    with pytest.raises(NPError, match=message):
        plan_of(source, **{"features": ["x1", "x2"], **change})


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("delta", 95.0, "delta must lie strictly between 0 and 1, got 95. For 95 % confidence give 0.05."),
        ("alpha", 5.0, "alpha must lie strictly between 0 and 1, got 5. For 5 % give 0.05."),
        ("review_beta", 5.0, "Beta must lie strictly between 0 and 1, got 5. For 5 % give 0.05."),
        ("alpha", 1.0, "alpha must lie strictly between 0 and 1, got 1. Write 0.01 for 1 %."),
    ],
)
def test_a_percentage_is_answered_by_one_number_which_the_page_takes(setting, value, message):
    source = sample_source("simulation2")
    with pytest.raises(InvalidInputError) as caught:
        plan_of(source, ["x1"], **{setting: value})
    assert page_words(caught.value) == message
    meant = float(re.findall(r"(?:give|Write) ([\d.]+\d)", message)[0])
    assert getattr(plan_of(source, ["x1"], **{setting: meant}), setting) == meant


@pytest.mark.parametrize(
    "change",
    [
        {"label": "x1"},
        {"class0": None},
        {"features": []},
        {"methods": []},
        {"alpha": 5.0},
        {"alpha": None},
        {"delta": 0},
        {"delta": None},
        {"n_splits": 2},
        {"n_splits": 0},
        {"n_splits": None},
        {"seed": 0.5},
        {"seed": -1},
        {"seed": None},
        {"review_beta": 5.0},
    ],
    ids=str,
)
def test_a_refusal_leads_to_the_field_that_was_wrong(change):
    with pytest.raises(NPError) as caught:
        plan_of(sample_source("simulation2"), **{"features": ["x1"], **change})
    assert ASKED_FOR[caught.value.fault or caught.value.argument] in change


def test_without_data_the_error_says_where_to_get_some():
    with pytest.raises(InvalidInputError, match="upload a CSV file, or pick a sample"):
        make_plan(None, label=None, class0="", features=[], **SETTINGS)


def room_of_size(n0):
    frame = pd.DataFrame({"x1": np.arange(n0 + 10.0), "y": np.repeat([0, 1], [n0, 10])})
    return room_of(dataclasses.replace(sample_source("simulation2"), frame=frame), "y", 0, 0.1)


def test_the_levels_that_the_rows_can_carry_are_told_before_the_fit():
    source = sample_source("simulation2")
    room = room_of(source, "y", 0, 0.1)
    plan = plan_of(source, ["x1"], alpha=float(room.smallest))
    band = fitted(plan).band("lda")
    # half a unit of the third digit above the exact level at most
    assert band.alpha[0] <= plan.alpha <= 1.01 * band.alpha[0]
    assert band.classifier(plan.alpha).guaranteed
    assert (room.left, room.rows) == (band.n0_left_out, 503)
    shown = str(carries(room, plan.alpha))
    assert f"{room.left} of the 503 class 0 rows are left out" in shown
    assert "button" not in shown
    shown = str(carries(room, 0.001))
    told = r"needs (\d+) left-out class 0 rows, so (\d+) in all, and 251 of the 503 are left out"
    needed, in_all = re.search(told, shown).groups()
    # half of them are left out, and of one row fewer not enough
    enough, too_small = (room_of_size(int(in_all) - fewer) for fewer in (0, 1))
    assert enough.left == int(needed) == 2302
    assert enough.carries(0.001)
    assert not too_small.carries(0.001)
    assert "npc plan" in INTRODUCTION
    assert f"Use alpha = {room.smallest}" in shown


def test_the_smallest_beta_that_the_rows_can_carry_is_told_and_offered_before_the_fit():
    source = sample_source("simulation2")
    room = room_of(source, "y", 0, 0.1, number=1)
    plan = plan_of(source, ["x1"], methods=["lda"], review_beta=float(room.smallest))
    assert plan.out_of_reach() == ()
    result = fitted(plan)
    fit = result.classifier(result.planned(), "lda")
    assert (room.left, room.rows) == (fit.n1_left_out, 497)
    # one per cent less, which is more than the rounding, is refused before a band is seen
    low = 0.99 * float(room.smallest)
    with pytest.raises(TooFewSamplesError):
        result.bands[0].classifier(0.1, review_beta=low)
    low_plan = plan_of(source, ["x1"], methods=["lda"], review_beta=low)
    assert low_plan.out_of_reach() == ((room, low),)
    shown = str(carries(room, low))
    assert "There are too few class 1 rows for beta = 0.0091" in shown
    assert f"Use beta = {room.smallest}" in shown
    assert f"With them beta can be {room.smallest} or larger" in shown
    assert "button" not in str(carries(room, plan.review_beta))
    both = plan_of(source, ["x1"], methods=["lda"], review_beta=0.005, alpha=0.005).out_of_reach()
    assert [(room.level, level) for room, level in both] == [("alpha", 0.005), ("beta", 0.005)]


def test_owners_of_the_table_of_a_fit_are_known_in_new_rows_however_few_they_are(tmp_path):
    frame = sample_source("simulation2").frame.assign(patient=np.arange(1000) // 2)
    frame.to_csv(tmp_path / "twice.csv", index=False)
    source = uploaded_source(tmp_path / "twice.csv", "twice.csv")
    result = fitted(plan_of(source, ["x1", "x2"], label="y", methods=["lda"]))
    few = frame[:120].assign(x1=frame["x1"] + 1, patient=np.arange(120) // 10)
    few.to_csv(tmp_path / "new.csv", index=False)
    new, fit = uploaded_source(tmp_path / "new.csv", "new.csv"), result.classifier(result.planned(), "lda")
    assert "120 rows share their 'patient' with another row of their class" in count_errors(new, fit, result.plan)[2]
    assert unseen_rows(known_rows(new, fit, result.plan)[0], new, fit, None, result.plan).dependent


@pytest.mark.slow
@pytest.mark.parametrize("text", ["", "P"])
def test_rows_of_one_owner_take_the_promise_away_on_the_page_and_in_the_report(tmp_path, text):
    frame = sample_source("simulation2").frame.assign(patient_id=[f"{text}{j // 2}" for j in range(1000)])
    frame.to_csv(tmp_path / "twice.csv", index=False)
    source = uploaded_source(tmp_path / "twice.csv", "twice.csv")
    result = fitted(plan_of(source, ["x1", "x2"], label="y", methods=["lda"]))
    reason = (
        "because rows of one patient, country or other unit are not independent: all 1000 rows share their "
        "'patient_id' with another row"
    )
    fit, box, notes = box_and_notes(result)
    assert "verdict open" in box
    assert "proved" not in box
    assert f"<b>not guaranteed</b> {reason}." in box
    assert "What would hold if all rows were independent" in notes
    said = html.unescape(str(owners_box(source, "y")))
    assert "The command npc fit --clusters patient_id can" in said
    # new rows of one owner in a class, in a column that is no predictor, are told of as well
    fit, owners = result.classifier(result.planned(), "lda"), np.arange(1000)
    for of_class, n_sharing in ((owners, 0), (np.where(frame["y"] == 0, owners // 8, owners), None)):
        rows = frame.assign(x1=frame["x1"] + 1, patient_id=[f"{text}{owner}" for owner in of_class])
        rows.to_csv(tmp_path / "new.csv", index=False)
        new = uploaded_source(tmp_path / "new.csv", "new.csv")
        if n_sharing is None:
            n_sharing = int(rows.duplicated(["patient_id", "y"], keep=False).sum())
        for told in (count_errors(new, fit, result.plan)[2], new_rows_told(new, fit, result.plan)):
            shared = f"{n_sharing} of the 1000 rows share their 'patient_id' with another row of their class."
            assert told.endswith(shared) is ("No intervals are shown" in told) is (n_sharing > 0)
        assert ("Clopper" in str(errors(count_errors(new, fit, result.plan)[1], fit))) is (n_sharing == 0)
        unseen = unseen_rows(known_rows(new, fit, result.plan)[0], new, fit, None, result.plan)
        assert bool(unseen.dependent) is (n_sharing > 0)
    # and so are rows set aside, also where only those of class 1 share an owner
    of_class1 = np.where(frame["y"] == 1, owners // 8, 5000 + owners)
    aside = fitted(
        plan_of(
            dataclasses.replace(source, frame=frame.assign(patient_id=[f"{text}{owner}" for owner in of_class1])),
            ["x1", "x2"],
            label="y",
            methods=["lda"],
            aside_share=0.3,
        )
    )
    fit_aside = aside.classifier(aside.planned(), "lda")
    kept, note, _ = rows_of_report(None, fit_aside, aside.plan)
    unseen = unseen_rows(kept, None, fit_aside, note, aside.plan)
    assert unseen.dependent == ""
    assert f"No intervals are shown, because {unseen.dependent_errors}." in note
    assert "No intervals are shown, because rows of one patient, country or other unit" in note
    assert "If rows with the same 'patient_id' do not belong together, upload the file without it." in said
    # crossed units: the page cannot tell which is the one, and the file without all of them is accused of nothing
    frame["ward_id"], frame["room_id"] = np.arange(1000) % 5, np.arange(1000) % 7
    crossed = dataclasses.replace(source, frame=frame)
    said = crossed.owners_way("y")
    among = "'patient_id', 'ward_id' or 'room_id'"
    assert f"Choose the one of {among} in which all rows that belong together share one value. Give it to the" in said
    without = f"If rows with the same {among} do not belong together, upload the file without all of these columns."
    assert said.endswith(without)
    assert not dataclasses.replace(source, frame=frame.drop(columns=re.findall(r"'(\w+)'", among))).owners_told("y")
    told, methods = re.split(
        "## What is assumed.*## For a methods section",
        fit.report(tmp_path / "report.md").read_text(encoding="utf-8").replace("\\", ""),
        flags=re.DOTALL,
    )
    assert f"Not guaranteed here, {reason}." in told
    assert f"Not guaranteed here, {reason}." in methods
    # what to do about it stands on the page; a paper has no use for it
    assert "This page" not in methods
    moved = result.by_eye(0.2, "lda")
    doubt = result.doubt(moved, result.classifier(moved, "lda"))
    assert doubt == f"because alpha was chosen on the band, and {reason}"


def test_text_columns_are_coded_as_the_command_line_does(mixed):
    plan = plan_of(mixed, ["age group", "job"], class0="yes")
    assert plan.arguments()["X"] == "`default` ~ ."
    assert (plan.class0, plan.class1, plan.texts) == ("yes", "no", ("job",))
    assert plan.advice() == ["Coded as categories: job."]


def staged(tmp_path):
    """An upload of patients with a column of stages, of which one is no number, and with the patients' numbers."""
    table = sample_source("simulation2").frame[["x1", "y"]].head(400)
    table.insert(0, "patient_id", np.arange(1000, 1400))
    table["inss_stage"] = np.resize(["1", "2", "3", "4", "4S"], 400)
    table.to_csv(tmp_path / "stages.csv", index=False)
    return uploaded_source(tmp_path / "stages.csv", "stages.csv")


def test_the_result_and_the_report_name_the_columns_that_were_left_out(tmp_path):
    source = staged(tmp_path)
    plan = plan_of(source, ["x1"], label="y", methods=["lda"])
    result = fitted(plan)
    shown = html.unescape(str(fitted_box(result)))
    assert "Columns that were not used, and why: inss_stage, patient_id" in shown
    assert "column 'inss_stage' is text because 80 of its 400 values are not numbers (such as '4S' in row 5)" in shown
    why = source.identifiers["patient_id"]
    assert f"patient_id: it looks like an identifier, because {why}. Tick it among the predictors to use it." in shown
    # to mend the column now is another setting
    assert too_late(plan) in shown
    text = result.classifier(result.planned(), "lda").report(tmp_path / "a.md", data_name=plan.data_name).read_text()
    assert (
        "Table: stages.csv (without its column inss_stage, which the page cannot use as a predictor)."
        in text.replace("\\", "")
    )
    # a column that the user has chosen is not left out
    chosen = plan_of(source, ["patient_id", "x1"], label="y")
    assert list(chosen.columns_left_out) == ["inss_stage"]
    # nothing is said of columns without a fault
    whole = plan_of(sample_source("simulation2"), ["x1"], methods=["lda"])
    assert (whole.columns_left_out, whole.data_name) == ({}, "Simulation 2, two predictors")
    assert "left out" not in str(fitted_box(fitted(whole)))


def test_beside_the_advice_of_a_method_stands_that_following_it_now_loses_the_guarantee_where_there_is_one(result):
    advice = "logistic: the classes are separated. Use method 'penlog', or fewer columns."
    told = dataclasses.replace(result, warnings=(advice,))
    shown = html.unescape(str(fitted_box(told)))
    assert shown.index(advice) < shown.index(too_late(result.plan))
    kept = "This result keeps its guarantee for the method that you chose before the fit. If you fit again with another"
    assert kept in shown
    one = fitted(plan_of(sample_source("simulation2"), ["x1"], methods=["lda"]))
    shown = html.unescape(str(fitted_box(dataclasses.replace(one, warnings=(advice,)))))
    assert "This result keeps its guarantee. If you fit again with another method" in shown
    assert "the new fit has none, because a band of these rows has been seen" in shown
    # without a warning there is no advice, and after a change nothing is left to lose
    changed = dataclasses.replace(told, plan=dataclasses.replace(result.plan, changed=("methods",)))
    for other in (result, changed):
        assert "keeps its guarantee" not in html.unescape(str(fitted_box(other)))


# levels


def test_the_level_fixed_before_the_fit_is_guaranteed_and_others_are_not(result):
    planned = result.classifier(result.planned(), "lda")
    assert planned.guaranteed
    moved = result.by_eye(0.2, "lda")
    fit = result.classifier(moved, "lda")
    assert (fit.alpha, fit.guaranteed) == (0.2, False)
    assert BY_EYE in " ".join(result.notes(fit))
    target = result.by_target(0.7, "lda")
    assert not result.classifier(target, "lda").guaranteed
    assert result.band("lda").at(target.alpha).type2_upper <= 0.7


def test_coming_back_to_the_planned_level_brings_the_promise_back(result):
    band = result.band("lda")
    step = 1 + int(np.flatnonzero(np.diff(band.type2_upper) < 0)[20])
    planned_there = Result(dataclasses.replace(result.plan, alpha=band.alpha[step] + 1e-6), result.bands)
    target = planned_there.by_target(band.type2_upper[step] + 1e-6, "lda")
    assert 0 <= target.alpha - band.alpha[step] < 1e-6
    fit = planned_there.classifier(planned_there.planned(), "lda")
    assert planned_there.classifier(target, "lda").orders == fit.orders  # one threshold, reached in two ways
    assert fit.guaranteed
    assert planned_there.by_eye(band.alpha[step] + 1e-6, "lda") == planned_there.planned()


@pytest.mark.parametrize(("change", "name"), [({"alpha": 0.2}, "alpha"), ({"delta": 0.3}, "delta")])
def test_a_level_set_again_after_the_first_band_is_no_promise(change, name):
    source = sample_source("simulation2")
    first = plan_of(source, ["x1"])
    again = fitted(plan_of(source, ["x1"], **change).after(first.fixed()))
    assert again.planned().choice.criterion == f"{name} {CHANGED}"
    assert not again.classifier(again.planned(), "lda").guaranteed
    assert plan_of(source, ["x1"]).after(first.fixed()).changed == ()
    assert first.after(None).changed == ()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"seed": 4}, "seed"),
        ({"methods": ["lda"]}, "methods"),
        ({"features": ["x2"]}, "predictors"),
        ({"class0": "1"}, "class 0"),
        ({"n_splits": 3}, "splits"),
    ],
)
def test_other_settings_changed_after_the_first_band_are_called_no_proof(change, name):
    source = sample_source("simulation2")
    first = plan_of(source, ["x1"])
    plan = plan_of(source, **{"features": ["x1"], **change}).after(first.fixed())
    assert plan.changed == (name,)
    result = fitted(plan)
    level = result.planned()
    fit = result.classifier(level, "lda")
    shown = str(status(result, level, "lda", result.band("lda").at(level.alpha), fit))
    assert "verdict open" in shown
    assert "verdict proved" not in shown
    # no level of this fit has a proof
    assert "without proof;" in shown
    assert "at this level" not in shown
    # the box gives the reason, and what is said of a fit stands under a heading that makes it a condition
    vote = ", and because 3 splits vote" * (name == "splits")
    assert f"<b>not guaranteed</b> because {name} {CHANGED}{vote}." in shown
    assert "What would hold if these settings had been fixed before the first fit" in shown
    assert "What that means, exactly" not in shown
    assert re.search(rf"\. (The )?{name} {'were' if name[-1] == 's' else 'was'} {CHANGED}", " ".join(fit.notes()), re.I)
    unchanged = fitted(plan_of(source, ["x1"]).after(first.fixed()))
    fit = unchanged.classifier(level, "lda")
    shown = str(status(unchanged, level, "lda", unchanged.band("lda").at(level.alpha), fit))
    assert "verdict proved" in shown
    assert "lda: Linear discriminant analysis" in shown
    assert "with probability at least 0.8; the estimate is" in shown


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"label": "x1"}, "label (fitted 'y', now 'x1')"),
        ({"class0": "1"}, "class 0 (fitted '0', now '1')"),
        ({"class0": None}, "class 0 (fitted '0', now empty)"),
        ({"features": ["x1"]}, "predictors (fitted x1, x2, now x1)"),
        ({"features": []}, "predictors (fitted x1, x2, now none)"),
        ({"methods": ("nb",)}, "methods (fitted lda, nb, now nb)"),
        ({"n_splits": 3}, "splits (fitted 1, now 3)"),
        ({"alpha": None}, "alpha (fitted 0.1, now empty)"),
        ({"delta": 0.05}, "delta (fitted 0.1, now 0.05)"),
        ({"seed": 4}, "seed (fitted 3, now 4)"),
    ],
)
def test_settings_that_changed_after_the_fit_are_told_and_nothing_stands_as_proved(result, change, words):
    plan = result.plan
    given = {"source": plan.source, "label": "y", "class0": "0", "features": ["x2", "x1"], **SETTINGS}
    assert plan.differences(**given) == []
    differences = plan.differences(**{**given, **change})
    assert differences == [words]
    level = result.planned()
    values, fit = result.band("lda").at(level.alpha), result.classifier(level, "lda")
    shown = str(status(result, level, "lda", values, fit, differences))
    assert "verdict proved" not in shown
    assert "proved for the settings that were fitted" in shown
    assert words in html.unescape(str(stale(differences)))
    assert stale([]) is None


def test_text_in_a_csv_file_is_no_formula_and_numbers_stay():
    names = ["=1+1", "label", "score", "mixed", "kind"]
    texts = ["=1+1", "+a", "-2-3", "@x", "\tx", "\rx", "\n=1", "\uff1d1", "-1.5", "+3", "a=b", None]
    frame = pd.DataFrame(
        dict(zip(names, [texts, texts, np.arange(-6.0, 6.0), [-1, "=x", *texts[2:]], texts], strict=True))
    )
    frame["kind"] = frame["kind"].astype("category")
    back = pd.read_csv(io.BytesIO(csv_bytes(frame, ",", ".")), dtype=str, keep_default_na=False)
    safe = ["'=1+1", "'+a", "'-2-3", "'@x", "'\tx", "'\rx", "'\n=1", "'\uff1d1", "-1.5", "+3", "a=b", ""]
    assert back.columns.tolist() == ["'=1+1", *names[1:]]
    for name in ("'=1+1", "label", "kind"):
        assert back[name].tolist() == safe
    assert back["mixed"].tolist() == ["-1", "'=x", *safe[2:]]
    assert back["score"].tolist() == [str(value) for value in np.arange(-6.0, 6.0)]
    # a number with a decimal comma is one in such a file alone
    frame = pd.DataFrame({"mixed": ["-1,5", "+1;2", "x"]})
    assert csv_bytes(frame, ";", ",").decode("utf-8-sig") == 'mixed\r\n-1,5\r\n"\'+1;2"\r\nx\r\n'
    assert csv_bytes(frame, ",", ".").decode("utf-8-sig") == "mixed\r\n\"'-1,5\"\r\n'+1;2\r\nx\r\n"


@pytest.mark.parametrize(
    ("written", "signs"),
    [
        ({"sep": ";", "decimal": ","}, (";", ",")),
        ({"sep": ";", "decimal": "."}, (";", ".")),
        ({"sep": ",", "decimal": "."}, (",", ".")),
        # at a double click no spreadsheet splits at tabs
        ({"sep": "\t", "decimal": ","}, (";", ",")),
        ({"sep": "\t", "decimal": "."}, (",", ".")),
    ],
)
def test_csv_files_of_the_page_are_like_the_upload_and_are_read_again(tmp_path, written, signs):
    rng, sick = np.random.default_rng(3), np.arange(200) % 2 == 1
    table = pd.DataFrame({"größe": rng.normal(size=200) + 2 * sick, "name": ["Müller", "Núñez"] * 100})
    table["fall"] = np.where(sick, "ja", "nein")
    table.to_csv(tmp_path / "klinik.csv", index=False, **written)
    source = uploaded_source(tmp_path / "klinik.csv", "klinik.csv")
    assert source.csv_signs == signs
    result = fitted(plan_of(source, ["größe"], class0="ja", methods=["lda"]))
    sep, decimal = signs
    for frame in (predict_rows(source, result.classifier(result.planned(), "lda"), result.plan), knots(result.bands)):
        path = tmp_path / "download.csv"
        path.write_bytes(csv_bytes(frame, *signs))
        # the mark by which a spreadsheet knows the encoding
        assert path.read_bytes().startswith(b"\xef\xbb\xbf")
        pd.testing.assert_frame_equal(pd.read_csv(path, sep=sep, decimal=decimal), frame)
        pd.testing.assert_frame_equal(read_table(path, sep=sep, decimal=decimal), frame, check_dtype=False)
        pd.testing.assert_frame_equal(uploaded_source(path, "download.csv").frame, frame, check_dtype=False)


def test_whole_numbers_between_semicolons_are_answered_with_decimal_commas(tmp_path):
    # scores such as 1.25 would become dates where numbers have decimal commas
    (tmp_path / "whole.csv").write_text("age;dose;y\n1;;a\n3;4;b\n", encoding="utf-8")
    source = uploaded_source(tmp_path / "whole.csv", "whole.csv")
    assert source.csv_signs == (";", ",")
    # the gap makes no 4,0 of the 4, nor of a long number of a case another one
    assert csv_bytes(source.frame, *source.csv_signs).decode("utf-8-sig") == "age;dose;y\r\n1;;a\r\n3;4;b\r\n"
    text = "y;Fallnummer;age\n" + "".join(f"{'ab'[j % 2]};{26061012300040017 + j};{j}\n" for j in range(40)) + "b;;\n"
    (tmp_path / "cases.csv").write_text(text, encoding="utf-8")
    source = uploaded_source(tmp_path / "cases.csv", "cases.csv")
    assert "Fallnummer" in source.identifiers
    files = [plan_of(source, ["age"], class0="a", aside_share=0.2).rows_file(aside=aside) for aside in (True, False)]
    lines = [line for file in files for line in file.decode("utf-8-sig").splitlines()[1:]]
    assert sorted(lines) == sorted(text.splitlines()[1:])


def test_a_shown_level_is_never_below_the_level(result):
    for alpha in result.band("lda").alpha:
        shown = float(result.by_eye(alpha, "lda").shown_alpha)
        assert alpha <= shown <= alpha + 1e-6
    assert result.by_eye(0.07, "lda").shown_alpha == "0.07"


def test_one_of_several_methods_says_what_picking_it_costs(result):
    notes = " ".join(result.notes(result.classifier(result.planned(), "nb")))
    assert "probability at most 0.2 (2 delta)" in notes
    # of methods that were added after a band was seen nothing is proved, and no note says otherwise
    first = plan_of(result.plan.source, ["x1", "x2"], methods=["lda"])
    added = Result(result.plan.after(first.fixed()), result.bands)
    notes = " ".join(added.notes(added.classifier(added.planned(), "nb")))
    assert "Nothing is proved for a fit that is chosen among several by their bands." in notes
    assert "2 delta" not in notes


def test_the_mean_type_1_error_of_the_rank_is_told_where_the_bound_is_proved(result):
    level = result.planned()
    fit, values = result.classifier(level, "lda"), result.band("lda").at(level.alpha)
    uniform = np.sort(np.random.default_rng(1).random((20_000, 251)), axis=1)
    mean = np.mean(1 - uniform[:, fit.orders[0] - 1])
    shown = str(status(result, level, "lda", values, fit))
    told = float(re.search(r"P\(predict 1 \| 0\): ([\d.]+) on average", shown).group(1))
    assert told == pytest.approx(mean, abs=1e-3)
    assert "ties" not in shown
    eye = result.by_eye(0.2, "lda")
    shown = str(status(result, eye, "lda", result.band("lda").at(0.2), result.classifier(eye, "lda")))
    assert "on average" not in shown


def test_scores_with_ties_have_less_on_average_and_one_that_calls_every_row_class_0_is_told():
    tree = fitted(plan_of(sample_source("simulation2"), ["x1", "x2"], methods=["tree"], alpha=0.01))
    for alpha, is_useless in ((0.02, True), (0.9, False)):
        level = dataclasses.replace(tree.planned(), alpha=alpha)
        values, fit = tree.band("tree").at(alpha), tree.classifier(level, "tree")
        both = np.concatenate([tree.bands[0].sorted0[0], tree.bands[0].sorted1[0]])
        assert bool(both.max() <= fit.thresholds[0]) is is_useless
        shown = str(status(tree, level, "tree", values, fit))
        why = "calls every left-out row 0, since many scores are equal. Choose a larger alpha or another method."
        assert (why in shown) is is_useless
        mean = (values.n0 - values.order + 1) / (values.n0 + 1)
        assert f"the scores have ties, so it is less than {mean:.3f} on average" in shown


def test_columns_that_do_not_predict_stand_beside_the_predictions(result, tmp_path):
    given = result.plan.source.frame.head(3).assign(patient=["a", "b", "c"], row=[7, 8, 9], score=0)
    given.to_csv(tmp_path / "new.csv", index=False)
    fit = result.classifier(result.planned(), "lda")
    table = predict_rows(uploaded_source(tmp_path / "new.csv", "new.csv"), fit, result.plan)
    own = ["row", "predicted", "score"]
    assert table.columns.tolist() == [*own, "patient", "row (from the file)", "score (from the file)", "y"]
    assert (table["row"].tolist(), table["row (from the file)"].tolist()) == ([1, 2, 3], [7, 8, 9])
    assert table["patient"].tolist() == ["a", "b", "c"]
    np.testing.assert_allclose(table["score"], fit.decision_function(given[["x1", "x2"]]))


def test_the_preview_of_predictions_has_the_names_and_values_of_the_columns_as_they_are_in_the_file(result, tmp_path):
    given = result.plan.source.frame.head(3).assign(patient_id=["a", "b", "c"], type2_lower="x_y", dominates="no")
    given.to_csv(tmp_path / "new.csv", index=False)
    source, fit = uploaded_source(tmp_path / "new.csv", "new.csv"), result.classifier(result.planned(), "lda")
    shown = str(new_rows(*count_errors(source, fit, result.plan), fit))
    heads = re.findall('<th scope="col">(.*?)</th>', shown.partition("Predictions, first")[2])
    assert heads == ["row", "predicted", "score", "patient_id", "type2_lower", "dominates", "y"]
    assert shown.count("x_y") == 3
    # nor are long numbers of cases others for a gap among them
    cases = ["26061012300040017", "", "26061012300040018"]
    given.assign(case=cases).to_csv(tmp_path / "new.csv", index=False)
    found = predict_rows(uploaded_source(tmp_path / "new.csv", "new.csv"), fit, result.plan)
    assert pd.read_csv(io.BytesIO(csv_bytes(found, ",", ".")), dtype=str)["case"].fillna("").tolist() == cases


def test_the_answers_of_the_page_have_the_plain_names_though_the_file_has_earlier_ones(result, tmp_path):
    given = result.plan.source.frame.head(3).rename(columns={"y": "true"})
    given.assign(predicted="?", score=1.5).to_csv(tmp_path / "again.csv", index=False)
    source, fit = uploaded_source(tmp_path / "again.csv", "again.csv"), result.classifier(result.planned(), "lda")
    table = predict_rows(source, fit, result.plan)
    np.testing.assert_array_equal(table["predicted"], fit.predict(given[["x1", "x2"]]))
    assert table["predicted (from the file)"].tolist() == ["?"] * 3
    told = renamed_told(source, fit, result.plan)
    assert told == (
        "again.csv has columns of its own with the names 'predicted', 'score'. Here and in the download "
        "\u201c(from the file)\u201d stands behind such a name. The name alone is that of a column of this page."
    )
    # said on the screen, but not of rows set aside, which have no table of predictions
    assert told in str(new_rows(*count_errors(source, fit, result.plan), fit, told))
    assert count_errors(source, fit, result.plan)[2] == ""
    assert renamed_told(result.plan.source, fit, result.plan) == ""


def test_the_scores_of_a_review_come_with_both_cuts():
    result = fitted(plan_of(sample_source("simulation2"), ["x1"], methods=["lda"], review_beta=0.2))
    fit = result.classifier(result.planned(), "lda")
    table, *_ = count_errors(result.plan.source, fit, result.plan)
    low = float(re.search(r"below (-[\d.]+) it is called 0", score_note(fit)).group(1))
    scores, predicted = table["score"].to_numpy(float), table["predicted"].astype(str)
    np.testing.assert_array_equal(predicted == "1", scores > 0)
    clear = np.abs(scores - low) > 1e-4
    np.testing.assert_array_equal((predicted == "0")[clear], (scores < low)[clear])
    assert set(predicted) == {"0", "1", "review"}
    assert score_note(Result(result.plan, result.bands).band("lda").classifier(0.1)) == (
        "score: how far the row is above the threshold; above 0 it is called 1."
    )


def test_a_level_below_the_first_knot_has_no_classifier(result):
    with pytest.raises(TooFewSamplesError):
        result.classifier(result.by_eye(0.0001, "lda"), "lda")


def test_the_page_offers_the_smallest_level_that_the_rows_can_meet(result):
    level = result.by_eye(0.0001, "lda")
    with pytest.raises(TooFewSamplesError) as caught:
        result.classifier(level, "lda")
    shown = str(status(result, level, "lda", result.band("lda").at(level.alpha), caught.value))
    smallest = result.smallest("lda")
    assert f"Use alpha = {smallest.alpha:g}" in shown
    # the label of an argument is no word of the page, and bounds of no classifier are none
    assert "n0=" not in shown
    assert "Type II error" not in shown
    assert result.classifier(smallest, "lda").orders[0] == result.band("lda").n0_left_out


def test_both_errors_are_told_in_plain_words(result):
    level = result.planned()
    values, fit = result.band("lda").at(level.alpha), result.classifier(level, "lda")
    shown = str(plainly(result, level, values, fit))
    missed = "This classifier misses at most 10 % of those with y = 0 (calls them 1), with 90 % confidence"
    assert f"{missed} for a method chosen beforehand." in shown
    # the numbers of the table of the band, in percent
    lower, upper = (f"{100 * float(text):.2f}" for text in (values.table_rows()[0][2], values.table_rows()[0][4]))
    about = f"about {100 * values.type2:.1f} % ({lower} to {upper} %, with 80 % confidence)"
    assert f"The other error: {about} of those with y = 1 are called 0." in shown
    box = str(status(result, level, "lda", values, fit)).split("<details")[0]
    assert f"between <b>{values.table_rows()[0][2]} and {values.table_rows()[0][4]}</b>" in box
    assert "proved</b>, if the method was chosen beforehand." in box
    assert "The aim" not in shown
    eye = result.by_eye(0.25, "lda")
    shown = str(plainly(result, eye, result.band("lda").at(0.25), result.classifier(eye, "lda")))
    aim = "The aim is to miss at most 25 % of those with y = 0 (to call them 1), with 90 % confidence."
    # the reason is told once, in the box
    assert f"The limit is not guaranteed; the reason stands below. {aim}" in shown
    assert " %, without proof) of those with y = 1" in shown
    assert "because" not in shown


@pytest.mark.parametrize(
    ("alpha", "words"), [(0.112128, "11.22 %"), (0.1234, "12.34 %"), (0.05, "5 %"), (0.200001, "20.01 %")]
)
def test_a_level_in_plain_words_has_two_decimals_and_is_never_rounded_down(result, alpha, words):
    level = result.by_eye(alpha, "lda")
    shown = str(plainly(result, level, result.band("lda").at(alpha), result.classifier(level, "lda")))
    assert f"at most {words} of those with y = 0" in shown


def test_a_drift_of_the_rows_is_told_and_independent_rows_are_not_suspected(result):
    fit = result.classifier(result.planned(), "lda")
    assert checks_against(fit) == ""
    # the same rows, sorted by what predicts
    source = dataclasses.replace(result.plan.source, frame=result.plan.source.frame.sort_values("x1"))
    drift = fitted(plan_of(source, ["x1"], methods=["lda"]))
    fit = drift.classifier(drift.planned(), "lda")
    assert len(fit.check_assumptions().against) == 3
    said = (
        "3 of 3 checks of the order of the rows speak against the assumption that they are independent; see the report"
    )
    assert checks_against(fit).startswith(said)
    # a level without a guarantee has the same scores
    assert checks_against(drift.classifier(drift.by_eye(0.3, "lda"), "lda")).startswith(said)


def box_and_notes(result):
    level, method = result.planned(), result.plan.methods[0]
    fit = result.classifier(level, method)
    shown = str(status(result, level, method, result.band(method).at(level.alpha), fit))
    return fit, *html.unescape(shown).split("<details")


def test_what_is_proved_of_a_vote_stands_in_the_box():
    source = sample_source("simulation2")
    fit, box, notes = box_and_notes(fitted(plan_of(source, ["x1"], methods=["lda"], n_splits=5)))
    assert f"<b>not guaranteed</b> because 5 splits vote. {fit.vote_bound().sentence()}" in box
    assert fit.vote_bound().sentence() in notes
    with_beta, box, notes = box_and_notes(fitted(plan_of(source, ["x1"], methods=["lda"], n_splits=5, review_beta=0.2)))
    assert "and type II error at most 0.2 with the same probability: <b>not guaranteed" in box
    # the same number in both places
    assert with_beta.vote_bound().sentence() in box
    assert with_beta.vote_bound().sentence() in notes


def promises_delta(result, level):
    """Whether the card or the table of a fit says what an alpha fixed beforehand promises."""
    fit = result.classifier(level, "lda")
    shown = str(status(result, level, "lda", result.band("lda").at(level.alpha), fit))
    table = " ".join(str(fit.summary()).split())
    told = ["above alpha in at most a share delta of the samples" in text for text in (shown, table)]
    assert told[0] == told[1]
    return told[0]


def test_at_a_level_chosen_on_the_band_the_page_says_what_a_fixed_one_promises_only_where_that_is_proved(tmp_path):
    source = sample_source("simulation2")
    one = plan_of(source, ["x1"], methods=["lda"])
    frame = source.frame.assign(patient_id=np.arange(1000) // 2)
    frame.to_csv(tmp_path / "twice.csv", index=False)
    twice = uploaded_source(tmp_path / "twice.csv", "twice.csv")
    vote = fitted(plan_of(source, ["x1"], methods=["lda"], n_splits=5))
    owners = fitted(plan_of(twice, ["x1"], label="y", methods=["lda"]))
    changed = fitted(plan_of(source, ["x1"], methods=["lda"], seed=4).after(one.fixed()))
    for result, proved in ((fitted(one), True), (vote, False), (owners, False), (changed, False)):
        for level in (result.by_eye(0.2, "lda"), result.by_target(0.9, "lda")):
            assert promises_delta(result, level) is proved
    # what was missing before alpha moved is still named
    level = vote.by_eye(0.2, "lda")
    doubt = vote.doubt(level, vote.classifier(level, "lda"))
    assert doubt == "because alpha was chosen on the band, and because 5 splits vote"
    assert doubt in str(status(vote, level, "lda", vote.bands[0].at(0.2), vote.classifier(level, "lda")))


def test_settings_fixed_before_the_first_fit_are_called_a_way_to_a_guarantee_of_one_split_only():
    source = sample_source("simulation2")
    for n_splits, way in ((1, True), (5, False)):
        first = plan_of(source, ["x1"], methods=["lda"], n_splits=n_splits)
        again = fitted(plan_of(source, ["x1"], methods=["lda"], n_splits=n_splits, alpha=0.2).after(first.fixed()))
        notes = " ".join(again.classifier(again.planned(), "lda").notes())
        assert ("fix all settings before the first fit" in notes) is way
        assert "certify the classifier on fresh class 0 rows that are independent" in notes


def test_nothing_is_proved_of_a_vote_whose_settings_changed(tmp_path):
    source = sample_source("simulation2")
    first = plan_of(source, ["x1"], methods=["lda"])
    fit, box, _ = box_and_notes(fitted(plan_of(source, ["x1"], methods=["lda"], n_splits=5).after(first.fixed())))
    assert "Proved" not in box
    assert f"The splits were {CHANGED}" in str(fit.summary()).replace("\n    ", " ")
    told = fit.report(tmp_path / "report.md").read_text(encoding="utf-8").split("## What is assumed")[0]
    assert f"The splits were {CHANGED}" in told


def test_what_a_band_says_of_single_splits_is_not_said_of_their_vote():
    result = fitted(plan_of(sample_source("simulation2"), ["x1"], methods=["lda"], n_splits=3))
    _, box, _ = box_and_notes(result)
    assert "as an average over 3 single splits, without proof; the estimate is" in box
    assert "The type II error of their vote may lie outside these bounds." in box
    level = result.planned()
    values, fit = result.bands[0].at(level.alpha), result.classifier(level, "lda")
    card = str(plainly(result, level, values, fit))
    assert "are called 0 (in a single split; in the vote it can be more or fewer)." in card
    with pytest.raises(InvalidInputError, match=r"must be odd, such as 1 or 3, got 2\. A tied vote"):
        plan_of(sample_source("simulation2"), ["x1"], methods=["lda"], n_splits=2)


def test_the_notes_say_why_the_command_npc_fit_gives_another_classifier(result):
    fit = result.classifier(result.planned(), "lda")
    (said,) = [note for note in result.notes(fit) if "npc fit" in note]
    assert said.startswith("Half of the rows of each class are left out, because a band bounds both errors")
    there = npc(**{**result.plan.arguments(), "random_state": 3}, method="lda", alpha=0.1)
    assert there.n0_left_out != fit.n0_left_out == 251


def test_the_notes_on_the_card_explain_no_column_of_a_table_in_another_place(result):
    level = result.planned()
    for shown in (result, fitted(plan_of(result.plan.source, ["x1"], methods=["lda"], review_beta=0.2))):
        fit = shown.classifier(level, "lda")
        said = str(status(shown, level, "lda", shown.band("lda").at(0.1), fit))
        assert "What that means, exactly" in said
        for column in ("Violation rate", "Type I upper", "Review 0", "Review 1"):
            assert column not in said
        assert any(column in " ".join(fit.notes()) for column in ("Violation rate", "Review 0"))


# predictive values


def test_predictive_values_have_the_bounds_of_the_band_by_label_rounded_outward():
    source = sample_source("breast_cancer")
    plan = plan_of(source, source.likely_predictors("diagnosis"), class0="malignant", methods=["lda"])
    result = fitted(plan)
    level = result.planned()
    fit, values = result.classifier(level, "lda"), result.predictive_values(level, "lda", 0.01)
    there = result.bands[0].predictive_values({"malignant": 0.01}).at(0.1)
    assert values.npv_lower == there.npv_lower
    shown = str(predictive(result, level, values, fit))
    cells = {
        "malignant": (there.npv_lower, there.npv, there.npv_upper),
        "benign": (there.ppv_lower, there.ppv, there.ppv_upper),
    }
    for name, (low, middle, high) in cells.items():
        numbers = at_least(low, 4), f"{middle:.4f}", at_most(high, 4)
        row = f"P({name} | called {name})</th>" + "".join(f"<td>{number}</td>" for number in numbers)
        assert row in re.sub(r"\s*\n\s*", "", shown)
    assert "both lower bounds hold with probability at least 0.9" in shown
    assert "are not what the separate bounds of the two errors would give." in " ".join(shown.split())
    assert "Prevalence: the share of malignant where the classifier will be used" in str(prevalence_field(plan, None))


def test_the_file_of_the_bands_has_the_predictive_values_that_the_command_writes(tmp_path, capsys):
    source = sample_source("simulation2")
    plan = plan_of(source, ["x1", "x2"], label="y")
    data, out = tmp_path / "data.csv", tmp_path / "bands.csv"
    source.frame.to_csv(data, index=False)
    command = f"bands {data} --label y --class0 0 --features x1,x2 --method lda --method nb --delta 0.1 --seed 3"
    assert main([*command.split(), "--prevalence", "0=0.3", "--out", str(out)]) == 0
    capsys.readouterr()
    shown = fitted(plan)
    pd.testing.assert_frame_equal(bounds_at_all_ranks(shown, 0.3), pd.read_csv(out), rtol=1e-12)
    # without a prevalence, with one that is none, and with three answers there are none
    review = dataclasses.replace(shown, plan=dataclasses.replace(plan, review_beta=0.2))
    for result, prevalence in ((shown, None), (shown, 30), (review, 0.3)):
        assert "ppv" not in bounds_at_all_ranks(result, prevalence)


def test_predictive_values_at_a_chosen_level_or_of_several_splits_or_methods_promise_no_more_than_is_proved(result):
    eye = result.by_eye(0.25, "lda")

    def promised(result, level):
        fit, values = result.classifier(level, "lda"), result.predictive_values(level, "lda", 0.3)
        return str(predictive(result, level, values, fit))

    assert "The bounds are not guaranteed because alpha was chosen on the band." in promised(result, eye)
    assert "They are for a method chosen beforehand." in promised(result, result.planned())
    three = fitted(plan_of(sample_source("simulation2"), ["x1"], methods=["lda"], n_splits=3))
    told = promised(three, three.planned())
    assert "The bounds are not guaranteed because 3 splits vote. They are about single splits." in told
    with pytest.raises(InvalidInputError, match="prevalence must lie strictly between 0 and 1, got 10") as caught:
        result.predictive_values(eye, "lda", 10)
    assert page_words(caught.value).endswith("got 10. For 10 % give 0.1.")


def test_what_each_error_is_stands_beside_the_choice_by_label():
    assert "ill called well: the error that you bound." in str(meaning("state", "ill", "well"))
    assert "ill = Yes called No: the error that you bound." in str(meaning("ill", "Yes", "No"))
    assert "y = 1 called 0: the other error." in str(meaning("y", 0, 1))
    said = " ".join(str(meaning("state", "ill", "well")).split())
    assert "If ill is the disease, sensitivity is meant to be at least 1 \u2212 alpha" in said
    assert "If well is the disease, sensitivity and specificity change places." in said
    asked = str(choose_class0("state", ("ill", "well")))
    assert "Choose one, before the first fit." in asked
    assert "<b>ill called well</b>" in asked
    assert "<b>well called ill</b>" in asked


def test_what_is_claimed_is_rounded_to_the_side_that_claims_less():
    assert [at_least(1 - 0.05), at_least(1 - 1e-9), at_least(0.0), at_most(1.0)] == ["0.95", "0.999999", "0", "1"]
    assert [at_least(0.1239, 3), at_most(0.1231, 3), at_least(0.0, 3)] == ["0.123", "0.124", "0.000"]
    percents = at_most(0.12345612, percent=True), at_least(1 - 0.00012345, percent=True), at_most(0.1, percent=True)
    assert percents == ("12.3457 %", "99.9876 %", "10 %")


def test_levels_outside_0_to_1_and_unreachable_targets_are_errors(result):
    with pytest.raises(InvalidInputError, match="alpha"):
        result.by_eye(1.5, "lda")
    with pytest.raises(InvalidInputError, match="no alpha has a type II upper bound"):
        result.by_target(0.0001, "lda")


# new rows


def test_new_rows_give_the_errors_and_predictions_of_the_classifier(result):
    source = sample_source("simulation2")
    fit = result.classifier(result.planned(), "lda")
    table, evaluation, repeated = count_errors(source, fit, result.plan)
    # the share of votes of one split would say what the prediction says
    assert table.columns.tolist() == ["row", "predicted", "score", "y"]
    np.testing.assert_array_equal(table["predicted"], fit.predict(source.frame[["x1", "x2"]]))
    assert evaluation.n_false1 == int(((table["y"] == 0) & (table["predicted"] == 1)).sum())
    assert (evaluation.n0 + evaluation.n1) == 1000
    assert repeated.startswith("All 1000 test rows equal a row of the fit")
    promise = f"The guarantee (alpha = {level_text(fit.alpha)}, delta = {fit.delta:g}) is about the type I error in the"
    assert promise in str(errors(evaluation, fit))
    assert "for independent rows." not in str(errors(evaluation, fit))
    assert "No intervals are shown, because they would not hold for these rows." in str(errors(evaluation, fit))
    assert str(errors(evaluation, fit)).count("<td>-</td>") == 4
    assert "95 %, for independent rows." in str(errors(dataclasses.replace(evaluation, own_rows=False), fit))
    chosen = result.bands[0].classifier(result.bands[0].choose_alpha(type2_max=0.5))
    told = str(errors(chosen.evaluate(source.frame[["x1", "x2"]], source.frame["y"]), chosen))
    assert "is not guaranteed" in told
    assert "The guarantee" not in told


def test_the_page_asks_whether_the_labels_of_new_rows_are_swapped(result):
    frame = sample_source("simulation2").frame.iloc[:300]
    rng = np.random.default_rng(8)
    frame = frame.assign(x1=frame["x1"] + rng.normal(0, 0.3, 300), x2=frame["x2"] + rng.normal(0, 0.3, 300))
    for fit in (result.classifier(result.planned(), "lda"), result.classifier(result.planned(), "nb")):
        for y, is_swapped in ((frame["y"], False), (1 - frame["y"], True)):
            new = dataclasses.replace(sample_source("simulation2"), frame=frame.assign(y=y))
            # a warning that reached the terminal would be an error here
            counted = count_errors(new, fit, result.plan)
            shown = str(new_rows(*counted, fit, n_methods=2))
            assert (
                "Rows of class 0 are clearly more often called class 1 than rows of class 1 are. Are the labels"
                in shown
            ) is is_swapped
            # each of two methods exceeds alpha with probability at most 0.1, and the interval misses with 0.025
            said = (
                "this happens with probability at most 0.225. Are the labels swapped, or has class 0 changed? See the"
            )
            assert (
                f"The whole interval of the type I error lies above alpha. Where class 0 is that of the fit, {said}"
                in shown
            ) is is_swapped
            assert ("In a finite table" in shown) is not is_swapped


def test_new_rows_without_a_predictor_are_refused_and_without_the_label_predicted(result, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("x2,x1\n1,2\n3,4\n", encoding="utf-8")
    source = uploaded_source(path, "new.csv")
    check_new_rows(source, result.plan)
    fit = result.classifier(result.planned(), "lda")
    table, *counted = count_errors(source, fit, result.plan)
    assert table.columns.tolist() == ["row", "predicted", "score"]
    assert counted == [None, ""]
    path.write_text("x2,x1\n" + 12 * "100,0\n", encoding="utf-8")
    assert re.fullmatch(
        "All 12 values of 'x2' lie outside .* to .*, the range in the rows of the fit. Are the units the same[?]",
        count_errors(uploaded_source(path, "new.csv"), fit, result.plan)[2],
    )
    # a forest takes missing values
    path.write_text("x2,x1\n" + 12 * ",0\n", encoding="utf-8")
    frame = result.plan.kept.frame
    forest = npc(frame[["x1", "x2"]], frame["y"], "randomforest", class0=0, alpha=0.1, random_state=1)
    told = count_errors(uploaded_source(path, "new.csv"), forest, result.plan)[2]
    assert told.startswith("Most new values are missing in columns without a missing value at the fit: all 12 of 'x2'.")
    # other columns are spoken of where there are some
    assert "other columns" not in str(new_rows(table, *counted, fit))
    assert "other columns" in str(new_rows(table.assign(patient=1), *counted, fit))
    rename = "Columns must have the names that they had in the fit: rename them, and upload the file again."
    for names, told in (
        ("x2,z", "1 of the predictors of the fit: 'x1'."),
        ("x2,X1", f"1 of the predictors of the fit: 'x1'. Did you mean 'X1'? {rename}"),
        ("X2,X1", f"2 of the predictors of the fit: 'x1', 'x2'. Did you mean 'X1' for 'x1', 'X2' for 'x2'? {rename}"),
    ):
        path.write_text(f"{names}\n1,2\n3,4\n", encoding="utf-8")
        with pytest.raises(InvalidInputError) as error:
            check_new_rows(uploaded_source(path, "new.csv"), result.plan)
        assert str(error.value) == f"new.csv lacks {told}"


@pytest.mark.parametrize("rate", ["", ";2,25"])
def test_new_rows_whose_points_may_stand_between_thousands_are_refused(result, tmp_path, rate):
    path = tmp_path / "new.csv"
    lines = "".join(f"{x};{k}{rate}\n" for k, x in enumerate(["1.169", "5.951", "701"]))
    path.write_text(f"x1;x2{';rate' * bool(rate)}\n{lines}", encoding="utf-8")
    with pytest.raises(
        InvalidInputError, match=r"'x1' of new.csv .* numbers .* '1.169'.* between thousands, write"
    ) as told:
        check_new_rows(uploaded_source(path, "new.csv"), result.plan)
    assert "decimal=" not in str(told.value)


@pytest.mark.slow
@pytest.mark.parametrize("sep", [",", ";"])
def test_text_among_the_numbers_of_new_rows_is_named_with_its_row(result, tmp_path, sep, monkeypatch):
    sign = {",": ".", ";": ","}[sep]
    rows = [["0.5", "1.5"], ["k.A.", "2.5"], ["<0.1", "3.5"], ["2.25", "n"], ["0.75", "1"], ["1.25", "0.125"]]
    path = tmp_path / "new.csv"
    lines = [sep.join(cell if cell == "k.A." else cell.replace(".", sign) for cell in row) for row in rows]
    path.write_text("\n".join([f"x1{sep}x2", *lines]) + "\n", encoding="utf-8")
    new = uploaded_source(path, "new.csv")
    check_new_rows(new, result.plan)
    fit = result.classifier(result.planned(), "lda")
    table, _, said = count_errors(new, fit, result.plan)
    assert said == (
        "3 of the 6 rows of new.csv have text where the fit has none, and get no prediction: 'x1' has 'k.A.' and 1 "
        "more (first in row 2); 'x2' has 'n' (in row 4). Rows count from 1 below the header: row 2 is line 3 of the "
        "file, or later if cells above have line breaks."
    )
    kept = pd.DataFrame({"x1": [0.5, 0.75, 1.25], "x2": [1.5, 1, 0.125]})
    assert np.flatnonzero(table["predicted"].notna()).tolist() == [0, 4, 5]
    assert table["reason"][1] == "text where the fit has none: x1 = k.A."
    assert table["score"].dropna().to_numpy() == pytest.approx(fit.decision_function(kept), rel=1e-12)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(python_code(result, result.planned(), "lda", new), names)
    assert names["predicted"].tolist() == fit.predict(kept).tolist()
    # a column without any number is not that of the fit
    path.write_text("\n".join([f"x1{sep}x2", f"k.A.{sep}n", f"<1{sep}2"]) + "\n", encoding="utf-8")
    with pytest.raises(InvalidInputError) as told:
        check_new_rows(uploaded_source(path, "new.csv"), result.plan)
    assert str(told.value) == (
        "new.csv: column 'x1' has text 'k.A.', the first in row 1, where the fit has numbers. Correct such cells, or "
        "leave these rows out, and upload the file again."
    )


@pytest.mark.slow
@pytest.mark.parametrize("sep", [",", ";"])
def test_columns_of_new_rows_are_numbers_or_text_as_they_were_in_the_fit(sep, tmp_path):
    rng, rows = np.random.default_rng(0), np.arange(300)
    frame = pd.DataFrame({"x": rng.normal(size=300).round(6) + rows % 2, "month": rows % 12 + 1})
    frame["ward"] = np.array(["01", "02", "10"])[rng.integers(3, size=300)]
    frame["patient_id"] = rng.permutation(900)[:300] + 100
    frame["y"] = rows % 2
    signs = {"index": False, "sep": sep, "decimal": {",": ".", ";": ","}[sep]}
    frame.to_csv(tmp_path / "old.csv", **signs)
    source = uploaded_source(tmp_path / "old.csv", "old.csv")
    path, of_one_ward = tmp_path / "new.csv", frame[frame["ward"] == "10"]
    padded = of_one_ward.assign(month=[f"{month:03d}" for month in of_one_ward["month"]])
    for features in (["x", "month"], ["x", "month", "ward"]):
        plan = plan_of(source, features, label="y", methods=["lda"])
        fit = fitted(plan).classifier(fitted(plan).planned(), "lda")
        # a code keeps its zeros where it does not predict
        padded.assign(patient_id="0123").to_csv(path, **signs)
        new = uploaded_source(path, "new.csv", plan.texts_read)
        check_new_rows(new, plan)
        found = predict_rows(new, fit, plan)
        np.testing.assert_array_equal(found["score"], fit.decision_function(of_one_ward[features]))
        assert set(found["patient_id"]) == {"0123"}
        assert count_errors(new, fit, plan)[1].n0 == (of_one_ward["y"] == 0).sum()
        # decimal commas between commas are not declared, with and without leading zeros
        for month in ("01,5", "1,5"):
            padded.assign(month=month).to_csv(path, index=False)
            with pytest.raises(InvalidInputError, match=rf"'month' of new.csv is text that looks like .* '{month}'"):
                check_new_rows(uploaded_source(path, "new.csv", plan.texts_read), plan)


@pytest.mark.slow
@pytest.mark.parametrize("with_job", [False, True], ids=["matrix", "formula"])
def test_text_where_the_fit_has_true_and_false_is_named_with_its_row(with_job, tmp_path, monkeypatch):
    rng, path = np.random.default_rng(0), tmp_path / "new.csv"
    frame = pd.DataFrame({"x": rng.normal(size=300), "smoker": rng.random(300) < 0.5})
    frame["job"] = rng.choice(["smith", "baker"], 300)
    frame = frame.assign(sick=np.where(frame["x"] > 0, "yes", "no"))
    frame.to_csv(tmp_path / "old.csv", index=False)
    features = ["x", "smoker", "job"][: 2 + with_job]
    plan = plan_of(uploaded_source(tmp_path / "old.csv", "old.csv"), features, class0="yes", methods=["lda"])

    def checked(**changes):
        frame[:9].assign(**changes).to_csv(path, index=False)
        source = uploaded_source(path, "new.csv")
        check_new_rows(source, plan)
        return source

    way_out = "Correct such cells, or leave these rows out, and upload the file again."
    told = "column 'smoker' has text 'unknown', the first in row 1, where the fit has true and false."
    with pytest.raises(InvalidInputError) as error:
        checked(smoker=["unknown", "ex"] * 4 + ["ex"])
    assert str(error.value) == f"new.csv: {told} {way_out}"
    with pytest.raises(InvalidInputError) as error:
        checked(x=["high"] * 9, smoker=["unknown"] * 9)
    assert str(error.value) == (
        f"new.csv: column 'x' has text 'high', the first in row 1, where the fit has numbers. And {told} {way_out}"
    )
    with pytest.raises(InvalidInputError, match="'x' has text 'True', the first in row 1, where the fit has numbers"):
        checked(x=[True, False, *[True] * 7])
    # 1 and 0 will do, and so will gaps
    fit = fitted(plan).classifier(fitted(plan).planned(), "lda")
    expected = fit.predict(frame[features][:9])
    # of some texts the other rows are predicted
    smoker = frame["smoker"][:9].astype(str).where(np.arange(9) != 2, "unknown")
    table, _, said = count_errors(checked(smoker=smoker), fit, plan)
    assert said.startswith("1 of the 9 rows of new.csv has text where the fit has none, and gets no prediction: 'smoke")
    assert table["predicted"].drop(index=2).tolist() == np.delete(expected, 2).tolist()
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(python_code(fitted(plan), fitted(plan).planned(), "lda", checked(smoker=smoker)), names)
    assert names["predicted"].tolist() == np.delete(expected, 2).tolist()
    for smoker in (frame["smoker"][:9].astype(int), frame["smoker"][:9].astype(object).where(np.arange(9) > 1)):
        found = predict_rows(checked(smoker=smoker), fit, plan)["predicted"]
        there = smoker.notna()
        assert found[there].tolist() == expected[there].tolist()
        assert found[~there].isna().all()


@pytest.mark.slow
def test_new_rows_with_categories_that_no_row_of_the_fit_has_are_counted_and_the_others_predicted(mixed, tmp_path):
    plan = plan_of(mixed, ["age group", "job"], class0="yes", methods=["lda"])
    fit = fitted(plan).classifier(fitted(plan).planned(), "lda")
    frame = mixed.frame.iloc[:50].copy()
    frame.loc[[10, 30, 40], "job"] = ["pilot", "smith", "pilot"]
    # a gap counts as one, whatever the category
    frame.loc[[10, 20], "age group"] = np.nan
    path = tmp_path / "new.csv"
    frame.to_csv(path, index=False)
    new = uploaded_source(path, "new.csv")
    table, evaluation, said = count_errors(new, fit, plan)
    left_out = (
        " have missing values in the predictors and get no prediction. 2 of the 50 rows have a category that no row of "
        "the fit has, and get no prediction: 'job' has 'smith' and 1 more (first in row 31). Rows count from 1 below "
        "the header: row 31 is line 32 of the file, or later if cells above have line breaks."
    )
    # the report has named the file before
    assert said.startswith(f"2 of the 50 rows of new.csv{left_out}")
    assert np.flatnonzero(table["predicted"].isna()).tolist() == [10, 20, 30, 40]
    gap, new_job = "a missing value: age group", "a category that no row of the fit has: job = "
    reasons = {10: gap, 20: gap, 30: f"{new_job}smith", 40: f"{new_job}pilot"}
    assert table["reason"].tolist() == [reasons.get(row, "") for row in range(50)]
    kept = frame.drop(index=[10, 20, 30, 40])
    assert table["predicted"].dropna().tolist() == fit.predict(kept[list(plan.features)]).tolist()
    assert evaluation.n0 + evaluation.n1 == 46
    assert new_rows_told(new, fit, plan) == (
        f"New rows: new.csv, 50 rows. 2 of the 50 rows{left_out} The errors below are those of the other 46 rows."
    )
    rows, _ = known_rows(new, fit, plan)
    assert len(rows[1]) == 46
    assert unseen_rows(rows, new, fit, None, plan).left_out == (
        "4 of the 50 new rows were left out: 2 had missing values and 2 had a category that no row of the fit has."
    )
    assert unseen_rows(rows, new, fit, None, plan).name == "new.csv"
    frame[frame.index == 30].to_csv(path, index=False)
    table, evaluation, said = count_errors(uploaded_source(path, "new.csv"), fit, plan)
    assert (table["predicted"].isna().tolist(), evaluation) == ([True], None)
    assert said == (
        "The one row of new.csv has a category that no row of the fit has, and gets no prediction: 'job' has 'smith' "
        "(in row 1). Rows count from 1 below the header: row 1 is line 2 of the file, or later if cells above have "
        "line breaks."
    )


def test_regions_that_all_hold_throughout_say_so_once():
    frame = pd.DataFrame({"better": ["a", "b"], "worse": ["b", "a"], "alpha_low": [0.1, 0.5], "alpha_high": [0.2, 0.6]})
    shown = str(regions(frame.assign(where="throughout")))
    assert shown.count("throughout") == 1
    shown = str(regions(frame.assign(where=["throughout", "somewhere"])))
    assert "<td>throughout</td>" in shown
    assert "<td>somewhere</td>" in shown
    # the notes of the comparison say that there is none
    assert regions(frame.assign(where="throughout").head(0)) is None


def test_every_method_of_the_list_says_in_words_what_it_is():
    texts = named(scorer_names())
    assert set(texts) == set(scorer_names())
    for name, text in texts.items():
        assert text.startswith(f"{name}: ")
        assert 10 <= len(text) <= 110


# pictures


@pytest.mark.slow
def test_the_picture_marks_the_level_and_compares_several_methods(result):
    figure = draw(result, result.by_eye(0.25, "lda"), alpha_up_to=0.5)
    (ax,) = figure.axes
    assert ax.get_xlim() == pytest.approx((-0.005, 0.505))
    assert r"$\alpha$ = 0.25" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert "nproc-dominance" in [child.get_gid() for child in ax.child_axes]


@pytest.mark.slow
@pytest.mark.parametrize("methods", [["lda"], ["lda", "nb"]])
def test_the_picture_has_the_names_of_both_classes_on_its_axes_within_the_figure(methods):
    source = sample_source("simulation2")
    names = {0: "an income of <=$50K", 1: "an income of more than that"}
    fitting = {0: "Zuckerkrank (bestätigt)", 1: "gesund"}
    long = {0: "relapse within five years of surgery", 1: "no relapse within five years of it"}
    text, german, longest = (
        dataclasses.replace(source, frame=source.frame.assign(y=source.frame["y"].map(of)), class0=None)
        for of in (names, fitting, long)
    )
    # bars of several methods leave less room below
    cut = "(relapse{0} ... of surgery called no relapse{0} ...{1} of it)"
    income = r"(an income of <=\$50K called an income of more than that)"
    shorter = income.replace("an income of m", "... m")
    for table, class0, x, y in (
        (source, "0", "(y = 0 called 1)", "(y = 1 called 1)"),
        (text, names[0], (income, shorter), "called an income of more than that)"),
        (german, fitting[0], "(Zuckerkrank (bestätigt) called gesund)", "(gesund called gesund)"),
        # a name that has no room in a line of its own is shortened in the middle
        (
            longest,
            long[0],
            (cut.format(" within", " years"), cut.format("", "")),
            "called no relapse within five years of it)",
        ),
    ):
        result = fitted(plan_of(table, ["x1", "x2"], class0=class0, methods=methods))
        figure = draw(result, result.planned(), alpha_up_to=0.3, layout="tight", pixels=(340, 560))
        figure.draw_without_rendering()
        (ax,) = figure.axes
        below = next(axes for axes in (ax, *ax.child_axes) if "error" in axes.get_xlabel())
        for label, end in ((below.xaxis.label, x), (ax.yaxis.label, y)):
            assert " ".join(label.get_text().split()).endswith(end)
            box = label.get_window_extent()
            assert min(box.x0, box.y0, figure.bbox.x1 - box.x1, figure.bbox.y1 - box.y1) >= 0


@pytest.mark.slow
def test_a_picture_is_drawn_ahead_as_it_is_shown_and_the_page_answers_meanwhile(result):
    how = {"layout": "tight", "pixels": (400, 300)}
    ahead, shown = io.BytesIO(), io.BytesIO()
    drawn_picture(result, result.planned(), 2, **how).savefig(ahead, format="png", dpi=72)
    figure = draw(result, result.planned(), **how)
    figure.savefig(shown, format="png", dpi=2 * figure.dpi)
    assert ahead.getvalue() == shown.getvalue()
    events, gate = [], threading.Event()

    def drawn(name):
        events.append(f"{name} begins")
        gate.wait(60)
        events.append(f"{name} ends")

    async def session():
        pictures = [asyncio.create_task(draw_apart(drawn, name)) for name in ("first", "second")]
        while not events:
            await asyncio.sleep(0.01)
        events.append("the page answers")
        gate.set()
        await asyncio.gather(*pictures)

    asyncio.run(session())
    # and no two are drawn at once
    assert events == ["first begins", "the page answers", "first ends", "second begins", "second ends"]


@pytest.mark.slow
def test_the_code_and_the_report_are_made_while_a_picture_is_drawn(result):
    again, written = threading.Event(), python_code(result, result.planned(), "lda")

    def drawn():
        # the other thread gets its turn between two pictures
        while not again.wait(0.001):
            picture_bytes(result, result.planned(), "png", alpha_up_to=0.3)

    def reported(ax):
        ax.set_title(rf"$\alpha = {next(numbers)}$")

    numbers = itertools.count()
    with ThreadPoolExecutor(1) as page:
        try:
            drawing = page.submit(drawn)
            for _ in range(2):
                # each session has a result of its own
                other = Result(result.plan, result.bands)
                assert python_code(other, other.planned(), "lda") == written
                as_svg(reported)
        finally:
            again.set()
        drawing.result()


@pytest.mark.slow
def test_three_methods_share_one_pair_of_axes_so_that_a_click_has_a_place(monkeypatch):
    result = fitted(plan_of(sample_source("simulation2"), ["x1", "x2"], methods=["lda", "nb", "logistic"]))
    made, renderer = [], backend_agg.RendererAgg
    monkeypatch.setattr(backend_agg, "RendererAgg", lambda *how: made.append(how) or renderer(*how))
    (ax,) = draw(result, result.planned()).axes
    # measuring hundreds of texts by a renderer each would take seconds
    assert len(made) == 1
    assert "nproc-dominance" in [child.get_gid() for child in ax.child_axes]
    assert ax.xaxis.get_visible()


@pytest.mark.slow
@pytest.mark.parametrize("pixels", [(340, 560), (460, 560)])
def test_at_the_size_at_which_it_is_shown_the_legend_of_the_picture_covers_no_curve(pixels):
    result = fitted(plan_of(sample_source("simulation2"), ["x1", "x2"], methods=["lda", "tree", "nb"]))
    figure = draw(result, result.planned(), layout="tight", pixels=pixels)
    assert figure.bbox.size == pytest.approx(pixels)
    figure.draw_without_rendering()
    (ax,) = figure.axes
    legend = ax.get_legend().get_window_extent()
    for line in ax.lines:
        if line.get_gid().startswith("nproc-band"):
            # the corners of its steps, in pixels
            x, y = (np.asarray(values, dtype=float) for values in line.get_data())
            steps = np.column_stack([np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]])
            assert not Path(ax.transData.transform(steps)).intersects_bbox(legend, filled=False)


def test_the_alpha_axis_shows_three_times_the_alpha_of_the_fit_or_ends_where_all_bands_are_nearly_flat(result):
    source = sample_source("breast_cancer")
    steep = fitted(plan_of(source, source.likely_predictors("diagnosis"), class0="malignant", alpha=0.25))
    level = steep.planned()
    end = axis_end(steep, level, AROUND_ALPHA)
    assert 0.1 < end < 1

    def away(alpha):
        ends = [(band.at(alpha), band.at(band.alpha[-1])) for band in steep.bands]
        names = ("type2_lower", "type2", "type2_upper")
        return max(abs(getattr(there, name) - getattr(last, name)) for there, last in ends for name in names)

    assert away(end) <= FLAT < away(ENDS[ENDS.index(end) - 1])
    assert axis_end(steep, steep.by_eye(0.4, "lda"), AROUND_ALPHA) == 0.5
    # bands that rise to the end are shown near the alpha of the fit, which does not move when another is looked at
    for alpha, end in ((0.03, 0.1), (0.05, 0.2), (0.1, 0.3), (0.15, 0.5), (0.2, 0.7), (0.24, 1.0)):
        rising = dataclasses.replace(result, plan=dataclasses.replace(result.plan, alpha=alpha))
        assert axis_end(rising, rising.planned(), AROUND_ALPHA) == end
        assert axis_end(rising, rising.by_eye(0.099, "lda"), AROUND_ALPHA) == end
        # but all of them are in sight
        assert axis_end(rising, rising.by_eye(0.5, "lda"), AROUND_ALPHA) == max(end, 0.7)
    # what the user says holds
    assert axis_end(steep, steep.by_eye(0.4, "lda"), "0.3") == 0.3
    assert next(iter(ZOOMS)) == AROUND_ALPHA
    assert ZOOMS["1"] == "0 to 1"


@pytest.mark.slow
@pytest.mark.usefixtures("with_pictures")
def test_the_report_and_the_code_draw_the_alphas_that_the_page_shows(result, tmp_path):
    fit = result.classifier(result.planned(), "lda")
    band = BandOnShow(result.band("lda"), 0.3, result.plan)
    ax = band.plot(ax=Figure().subplots(), alpha=0.1)
    assert ax.get_xlim() == pytest.approx((-0.003, 0.303))
    assert ax.get_ylabel().endswith("type II error (y = 1 called 1)")
    told = fit.report(tmp_path / "report.md", band=band).read_text(encoding="utf-8")
    assert told != fit.report(tmp_path / "whole.md", band=band.band).read_text(encoding="utf-8")
    assert str(band.summary()) == str(band.band.summary())
    code = python_code(result, result.planned(), "lda", alpha_up_to=0.3)
    assert "layout='overlay', xlim=(0, 0.3), figsize=(6.7, 6.3))" in code
    assert "xlim" not in python_code(result, result.planned(), "lda")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "mark", "millimetres"), [("svg", b"<svg", "170"), ("pdf", b"%PDF", "85"), ("png", b"\x89PNG", "170")]
)
def test_the_picture_is_a_file_of_its_kind_and_of_the_width_that_was_chosen(result, kind, mark, millimetres):
    file = picture_bytes(result, result.planned(), kind, millimetres)
    assert mark in file[:2000]
    if kind == "png":
        with Image.open(io.BytesIO(file)) as image:
            inches = image.width / image.info["dpi"][0]
    else:
        pattern = rb'<svg[^>]* width="([\d.]+)pt"' if kind == "svg" else rb"/MediaBox \[ ?0 0 ([\d.]+) "
        inches = float(re.search(pattern, file).group(1)) / 72
    assert 25.4 * inches == pytest.approx(float(millimetres), abs=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("methods", [["lda"], ["lda", "nb"], ["lda", "nb", "logistic", "penlog", "qda", "tree"]])
@pytest.mark.parametrize("millimetres", WIDTHS)
def test_nothing_in_a_picture_for_print_is_cut_or_covered_and_all_bars_have_room(methods, millimetres):
    source = sample_source("breast_cancer")
    plan = plan_of(source, ["mean_radius", "mean_texture"], class0="malignant", methods=methods)
    result = fitted(plan)
    # rows without room would warn
    with letters_of(millimetres):
        assert collisions(draw(result, result.planned(), width=millimetres)) == []


# three answers


def test_beta_gives_a_third_answer_in_the_table_the_counts_and_the_code(tmp_path, monkeypatch):
    source = sample_source("simulation2")
    result = fitted(plan_of(source, ["x1", "x2"], methods=["lda"], review_beta=0.1))
    fit = result.classifier(result.planned(), "lda")
    table, evaluation, _ = count_errors(source, fit, result.plan)
    assert set(table["predicted"]) == {0, 1, "review"}
    page = str(confusion(evaluation, ""))
    assert "verdict" not in page
    assert "Review" in page
    assert "is about both errors in the population" in str(errors(evaluation, fit))
    assert f">{evaluation.n0_review}<" in page
    assert f">{evaluation.n0 - evaluation.n0_review - evaluation.n_false1}<" in page
    said = str(plainly(result, result.planned(), result.bands[0].at(0.1), fit))
    alarms = "at most 10 % of those with y = 1 are called 0, with the same confidence."
    assert f"The other error: {alarms}" in said
    later = dataclasses.replace(result, plan=dataclasses.replace(result.plan, changed=("beta",)))
    said_later = str(plainly(later, later.planned(), result.bands[0].at(0.1), fit))
    assert f"The other error: the aim is that {alarms}" in said_later
    # how many rows a person has to look at, not that all others are theirs
    scores, cuts = (fit.scores0[0], fit.scores1[0]), (fit.review_rules[0].lower, fit.review_rules[0].upper)
    shares = [f"{100 * np.mean((cuts[0] <= s) & (s <= cuts[1])):.1f} %" for s in scores]
    review = f"Left to review: about {shares[0]} of those with y = 0, and {shares[1]} of those with y = 1."
    assert review in said
    assert "band.classifier(alpha, review_beta=0.1)" in python_code(result, result.planned(), "lda").replace(
        "bands['lda']", "band"
    )
    # it is a setting of the fit like any other
    assert result.plan.differences(**{**vars(result.plan), "review_beta": None}) == ["beta (fitted 0.1, now empty)"]


def test_the_page_says_where_no_row_is_left_to_review_and_that_a_vote_may_leave_more():
    source = sample_source("breast_cancer")
    told = {}
    for n_splits, beta in ((1, 0.3), (3, 0.05)):
        more = {"n_splits": n_splits, "review_beta": beta, "class0": "malignant", "methods": ["lda"]}
        result = fitted(plan_of(source, source.likely_predictors("diagnosis"), **more))
        fit = result.classifier(result.planned(), "lda")
        told[n_splits] = str(plainly(result, result.planned(), result.bands[0].at(0.1), fit))
        if n_splits == 1:
            assert fit.review_rules[0].crossed
            assert "review" not in fit.predict(source.frame)
    assert told[1].count("review") == 1
    assert "No row is left to review." in told[1]
    assert "(in a single split; in the vote it can be more or fewer)" in told[3]


@pytest.mark.slow
def test_with_beta_the_comparison_the_picture_and_the_report_say_that_their_errors_are_without_review():
    source = sample_source("simulation2")
    for beta, said in ((0.2, True), (None, False)):
        result = fitted(plan_of(source, ["x1", "x2"], review_beta=beta))
        level = result.planned()
        page = str(compared(result, level, "best"))
        report = " ".join(str(summaries(result, level, "lda", None)[0]).split())
        for text in (page, report):
            assert (f"t alpha = {level.shown_alpha}, without review" in text) is said
            assert ("This comparison is without review" in text) is said
        (ax,) = draw(result, level).axes
        assert ax.get_ylabel().endswith(f"type II error{', without review' * said} (y = 1 called 1)")


# tables with gaps


@pytest.fixture
def incomplete(tmp_path):
    """An upload with gaps in a predictor, and two rows without a label."""
    rng = np.random.default_rng(8)
    sick = np.arange(402) % 2 == 1
    table = pd.DataFrame({"dose": rng.normal(size=402) + 2 * sick, "age": rng.normal(size=402)})
    table.loc[::40, "age"] = np.nan
    table["sick"] = np.where(sick, "no", "yes")
    table.loc[400:, "sick"] = None
    path = tmp_path / "incomplete.csv"
    table.to_csv(path, index=False)
    return uploaded_source(path, "incomplete.csv")


def test_rows_without_a_label_go_at_a_button(incomplete):
    assert "has 2 missing value(s)" in incomplete.values["sick"].problem
    source = incomplete.without_unlabelled("sick")
    assert len(source.frame) == 400
    assert source.values["sick"].is_label
    assert source.description == "2 rows without a value in 'sick' are left out."
    assert source.code[1].endswith(".dropna(subset=['sick'])")
    first = incomplete.frame["sick"].isna().idxmax()
    one = dataclasses.replace(incomplete, frame=incomplete.frame.drop(index=first)).without_unlabelled("sick")
    assert one.description == "1 row without a value in 'sick' is left out."


def test_whole_numbers_are_whole_where_their_only_gap_was_in_a_row_without_a_label(tmp_path, monkeypatch):
    lines = [f"{20 + j},{j}.5,{j % 2}" for j in range(40)]
    (tmp_path / "ward.csv").write_text("\n".join(["age,dose,y", *lines, ",1.5,"]) + "\n", encoding="utf-8")
    uploaded = uploaded_source(tmp_path / "ward.csv", "ward.csv")
    # as they stand in the file, also while the gap is there
    assert str(uploaded.values["y"]) == "0, 1"
    source = uploaded.without_unlabelled("y")
    assert source.labels("y").first == (0, 1)
    plan = plan_of(source, ["age", "dose"], label="y", class0="0")
    assert (str(plan.class0), str(plan.class1)) == ("0", "1")
    assert plan.rows_file().decode("utf-8-sig").splitlines() == ["age,dose,y", *lines]
    # and the code that is printed names the same labels
    monkeypatch.chdir(tmp_path)
    assert eval(source.code[1], {"read_table": read_table})["y"].unique().tolist() == [0, 1]
    assert eval(source.code[1], {"read_table": read_table})["y"].dtype == source.frame["y"].dtype == np.int64


# also of methods that could take such rows: what is promised is about the others
@pytest.mark.slow
@pytest.mark.parametrize("method", ["lda", "randomforest", "averaged"])
def test_rows_with_gaps_are_left_out_where_the_box_is_ticked(incomplete, tmp_path, monkeypatch, method):
    source = incomplete.without_unlabelled("sick")
    if method != "randomforest":
        with pytest.raises(NPError, match=r"10 missing value|complete rows"):
            fitted(plan_of(source, ["dose", "age"], class0="yes", methods=[method]))
    plan = plan_of(source, ["dose", "age"], class0="yes", methods=[method], omit=True)
    with pytest.warns(match="left out 10 of 400 rows"):
        result = fitted(plan)
    fit = result.classifier(result.planned(), method)
    assert fit.design.n_omitted == plan.leaves_out == 10
    level = result.planned()
    card = str(plainly(result, level, result.bands[0].at(level.alpha), fit))
    assert "% of those with sick = yes without missing values (calls them no)" in card
    assert fit.n0 == plan.room.rows == 190
    assert plan.advice() == [
        "10 of the 400 rows have missing values and are left out. What is promised holds for rows without missing "
        "values."
    ]
    # nothing is promised of a fit whose settings were changed after a band was seen
    assert dataclasses.replace(plan, changed=("delta",)).advice() == [
        "10 of the 400 rows have missing values and are left out."
    ]
    some = dataclasses.replace(source, frame=source.frame.iloc[10:50])
    assert (
        plan_of(some, ["dose", "age"], class0="yes", omit=True)
        .advice()[0]
        .startswith("1 of the 40 rows has missing values and is left out. ")
    )
    assert plan.differences(**{**vars(plan), "omit": False}) == [
        "rows with missing values (fitted 'left out', now 'kept')"
    ]
    # without a gap among the chosen columns there is nothing to leave out
    assert plan_of(source, ["dose"], class0="yes", omit=True).leaves_out == 0

    # a row with a gap gets no prediction and counts in no error
    predictions, evaluation, said = count_errors(source, fit, plan)
    assert predictions["predicted"].isna().sum() == 10
    assert evaluation.n0 + evaluation.n1 == 390
    assert said.startswith("10 of the 400 rows of incomplete.csv have missing values in the predictors and get no pred")

    monkeypatch.chdir(tmp_path)
    names = {}
    with pytest.warns(match="left out 10 of 400 rows"):
        exec(python_code(result, result.planned(), method, source), names)
    np.testing.assert_array_equal(names["predicted"], predictions["predicted"].dropna())

    # the table of the fit is none of new rows
    rows, why = known_rows(source, fit, plan)
    assert (rows, why[:26]) == ((), "They are the rows of the f")
    rows, why = known_rows(dataclasses.replace(source, frame=source.frame.iloc[1:]), fit, plan)
    assert [len(part) for part in rows] == [390, 390]
    assert why == ""
    text = fit.report(tmp_path / "report.md", data=plan.fitted_rows(fit)).read_text(encoding="utf-8")
    assert "10 rows with missing values were left out" in text
    assert "na_action='omit'" in text


def test_the_report_of_the_page_says_which_new_rows_are_left_out_of_the_errors(incomplete, tmp_path):
    plan = plan_of(incomplete.without_unlabelled("sick"), ["dose", "age"], class0="yes", methods=["lda"], omit=True)
    with pytest.warns(match="left out 10 of 400 rows"):
        result = fitted(plan)
    fit = result.classifier(result.planned(), "lda")
    later = incomplete.frame.assign(dose=incomplete.frame["dose"] + 0.01)
    new = dataclasses.replace(incomplete, frame=later, name="folder/later.csv")
    told = new_rows_told(new, fit, plan)
    n_gaps, n_counted = int(later["age"].isna().sum()), int((later["age"].notna() & later["sick"].notna()).sum())
    assert told == (
        f"New rows: later.csv, 402 rows. {n_gaps} of the 402 rows have missing values in the predictors and get no "
        f"prediction. 2 of the 402 rows have no label and do not count in the errors. The errors below are those of "
        f"the other {n_counted} rows."
    )
    # as the tab says it, which names the file with its first number
    said = count_errors(new, fit, plan)[2].replace("402 rows of later.csv", "402 rows")
    assert said.startswith(told.partition("402 rows. ")[2].partition(" The errors")[0])
    rows, _ = known_rows(new, fit, plan)
    # the methods section names the causes that occurred alone; one of the rows without a label has a gap too
    for kept, left in (
        (np.ones(402, dtype=bool), f"were left out: {n_gaps} had missing values and 1 had no label."),
        (later["age"].notna(), "had no label and was left out."),
        (later["sick"].notna(), "had missing values and were left out."),
    ):
        some = dataclasses.replace(new, frame=later[kept])
        said = unseen_rows(known_rows(some, fit, plan)[0], some, fit, None, plan).left_out
        assert said == f"{kept.sum() - n_counted} of the {kept.sum()} new rows {left}"
    text = fit.report(tmp_path / "report.html", *rows, new_note=told).read_text(encoding="utf-8")
    assert f"<p>{told}</p>" in text
    whole = dataclasses.replace(new, frame=later.dropna())
    assert new_rows_told(whole, fit, plan) == f"New rows: later.csv, {n_counted} rows."
    with pytest.raises(InvalidInputError, match="new_note is about new rows"):
        fit.report(tmp_path / "report.html", new_note=told)


def test_gaps_are_told_before_the_fit_with_the_methods_that_can_use_them(incomplete):
    rows = incomplete.frame[["dose", "age"]]
    told = str(gaps(rows, ["lda"], omitted=False))
    assert "11 of the 402 rows have missing values: age (11)." in told
    assert "Tick the box, or choose" in told
    assert gaps_way(rows).endswith("choose gradientboosting, randomforest or tree, which can use such rows.")
    assert "randomforest can use them" in str(gaps(rows, ["randomforest"], omitted=False))
    left_out = str(gaps(rows, ["lda"], omitted=True))
    assert "They are left out. What is promised then holds for rows without missing values" in left_out
    assert "promised" not in str(gaps(rows, ["lda"], omitted=True, dependent=True))
    assert "no missing values" in str(gaps(rows[["dose"]], ["lda"], omitted=False))


def test_no_method_is_offered_for_gaps_in_a_column_of_text():
    rows = pd.DataFrame({"dose": [1.0, np.nan, 2.0], "ward": ["north", None, "south"]})
    told = str(gaps(rows, ["randomforest"], omitted=False))
    assert NO_METHOD in told
    assert "can use them" not in told
    assert NO_METHOD not in str(gaps(rows[["dose"]], ["randomforest"], omitted=False))


def test_a_level_that_the_rows_do_not_allow_is_refused_before_a_band_is_seen():
    source = sample_source("simulation2")
    assert plan_of(source, ["x1"], alpha=0.0092).out_of_reach() == ()
    ((room, level),) = plan_of(source, ["x1"], alpha=0.009).out_of_reach()
    assert "too few class 0 rows for alpha = 0.009 with" in str(too_few(room, level))
    assert Room(9, 5, 0.05).told(0.1).endswith("With them alpha can be 0.451 or larger.")
    # a coin errs less often, so that such a level is not offered
    for none in (Room(0, 0, 0.05), Room(9, 4, 0.05), Room(3, 1, 0.05), Room(1, 1, 1e-9)):
        assert none.told(0.1).endswith("No alpha of 0.5 or below is possible with them.")
        assert "button" not in str(too_few(none, 0.1))


def test_a_level_offered_before_rows_with_gaps_are_left_out_is_one_that_the_other_rows_carry():
    source = sample_source("simulation2")
    frame = source.frame.copy()
    frame.loc[::5, "x1"] = np.nan
    source = dataclasses.replace(source, frame=frame)
    ((room, level),) = plan_of(source, ["x1", "x2"], methods=["lda", "randomforest"], alpha=0.009).out_of_reach()
    told = str(too_few(room, level))
    assert "lda cannot use rows with missing values. Such rows are not counted here." in told
    offered = float(room.smallest)
    after = plan_of(source, ["x1", "x2"], methods=["lda"], alpha=offered, omit=True)
    assert after.out_of_reach() == ()
    assert (after.room.rows, after.room.left) == (room.rows, room.left)
    with pytest.warns(NPWarning, match="left out 200 of 1000 rows"):
        assert fitted(after).band("lda").classifier(offered).guaranteed
    # what can use all rows is offered what all carry
    ((able, _),) = plan_of(source, ["x1", "x2"], methods=["randomforest"], alpha=0.009).out_of_reach()
    assert (able.rows, able.barred) == (503, "")
    assert float(able.smallest) < offered


def test_all_columns_with_gaps_are_named_up_to_twenty():
    rows = pd.DataFrame(np.zeros((30, 25)), columns=[f"x{j}" for j in range(25)])
    rows.iloc[0, :20] = np.nan
    assert gaps_told(rows).count("(1)") == 20
    assert gaps_told(rows).endswith("x19 (1).")
    rows.iloc[0, :22] = np.nan
    assert gaps_told(rows).endswith("(1) and 2 more.")


def test_with_beta_a_level_set_again_after_the_first_band_has_no_classifier_and_the_page_says_why():
    source = sample_source("simulation2")
    first = plan_of(source, ["x1", "x2"], methods=["lda"], review_beta=0.2)
    again = plan_of(source, ["x1", "x2"], methods=["lda"], review_beta=0.2, alpha=0.3)
    result = fitted(again.after(first.fixed()))
    level = result.planned()
    with pytest.raises(InvalidInputError) as caught:
        result.classifier(level, "lda")
    shown = str(status(result, level, "lda", result.band("lda").at(0.3), caught.value))
    assert "Set alpha and delta to those of the first fit, or leave beta empty and press Fit" in shown
    assert "pointwise" not in shown


def test_a_fit_of_settings_that_changed_says_so_in_its_file_and_in_a_report(tmp_path):
    source = sample_source("simulation2")
    first = plan_of(source, ["x1"], methods=["lda"])
    result = fitted(plan_of(source, ["x1"], methods=["lda"], seed=9).after(first.fixed()))
    fit = result.classifier(result.planned(), "lda")
    told = fit.report(tmp_path / "report.md").read_text(encoding="utf-8").split("## What is assumed")[0]
    assert f"The seed was {CHANGED}. The bound holds for settings fixed beforehand." in told
    assert f"The seed was {CHANGED}" in load(save(fit, tmp_path / "fit.skops")).caveats[-1]


def parts_of_report(result, tmp_path):
    """What a report on the page's classifier claims, assumes, and offers for a methods section."""
    fit = result.classifier(result.planned(), result.plan.methods[0])
    text = fit.report(tmp_path / "report.html", band=result.bands[0]).read_text(encoding="utf-8")
    text = html.unescape(re.sub(r"src=\"[^\"]*\"", "", text))
    claim, rest = text.split("<h2>What is assumed</h2>")
    assumed, methods = rest.split("<h2>What was analysed</h2>")[0], rest.split("<h2>For a methods section</h2>")[1]
    return claim, assumed, methods


def test_a_report_tells_of_all_methods_that_were_compared(tmp_path):
    result = fitted(plan_of(sample_source("simulation2"), ["x1", "x2"], methods=["lda", "logistic"]))
    claim, assumed, methods = parts_of_report(result, tmp_path)
    for part in (claim, methods):
        assert "This is one of 2 methods whose NP-ROC bands were compared (lda, logistic)." in part
        assert f"would exceed alpha with probability at most {2 * result.plan.delta:g} (2 delta), not delta" in part
    assert not re.search(r"\byou\b", methods)
    assert "The method and all other settings were fixed before anybody looked at the scores." in assumed
    one = fitted(plan_of(sample_source("simulation2"), ["x1", "x2"], methods=["lda"]))
    assert "methods whose NP-ROC bands" not in "".join(parts_of_report(one, tmp_path))


@pytest.mark.parametrize("n_splits", [1, 3])
@pytest.mark.parametrize("beta", [None, 0.5])
def test_a_report_on_settings_that_changed_claims_nothing(n_splits, beta, tmp_path):
    source = sample_source("simulation2")
    first = plan_of(source, ["x1", "x2"], methods=["lda"], n_splits=n_splits, review_beta=beta)
    changed = plan_of(source, ["x1", "x2"], methods=["lda"], n_splits=n_splits, review_beta=beta, seed=9)
    result = fitted(changed.after(first.fixed()))
    fit = result.classifier(result.planned(), "lda")
    assert not fit.guaranteed
    claim, assumed, methods = parts_of_report(result, tmp_path)
    for part in (claim, methods):
        assert "If all settings had been fixed beforehand" in part
        assert f"would hold with probability at least {at_least(1 - fit.delta)}" in part
        assert " holds with probability" not in part
        assert f"The seed was {CHANGED}." in part
    assert "is proved under what is assumed" not in claim
    assert "The type I error of this classifier is not guaranteed." in claim
    assert "The bound would be proved only if all settings had been fixed beforehand." in assumed


def test_a_report_does_not_deny_what_the_band_in_it_bounds(tmp_path):
    result = fitted(plan_of(sample_source("simulation2"), ["x1", "x2"], methods=["lda"]))
    claim, _, _ = parts_of_report(result, tmp_path)
    assert "Nothing is promised" not in claim
    assert "The band below is about that error, and its notes say what is proved." in claim


def test_the_report_of_the_page_has_its_comparison_and_predictive_values(tmp_path):
    result = fitted(plan_of(sample_source("simulation2"), ["x1", "x2"], methods=["lda", "logistic"]))
    methods, comparison, shares = summaries(result, result.planned(), "lda", 0.3)
    methods, regions, shares = map(str, (methods, comparison.summary(), shares))
    values = result.predictive_values(result.planned(), "lda", 0.3)
    assert f"{at_least(values.npv_lower, 4)}  {values.npv:.4f}  {at_most(values.npv_upper, 4)}" in re.sub(
        " +", "  ", shares
    )
    assert "They are for a method chosen beforehand." in re.sub(r"\s+", " ", shares)
    # the tab names the heading under which the report has them
    level, fit = result.planned(), result.classifier(result.planned(), "lda")
    heading = "Other results"
    assert f"under \u201c{heading}\u201d" in str(predictive(result, level, values, fit))
    found = {"band": result.band("lda"), "summaries": summaries(result, level, "lda", 0.3)}
    report = fit.report(tmp_path / "report.html", **found).read_text(encoding="utf-8")
    assert "<th>P(class 1 | called class 1)</th>" in report.partition(f"<h2>{heading}</h2>")[2]
    compared = "We compared the fitted rules of lda and unpenalised logistic regression"
    assert compared in report.split("methods section")[1]
    for name in ("lda", "logistic"):
        values = result.band(name).at(0.1)
        assert re.search(rf"{name} +{at_least(values.type2_lower, 4)} +{values.type2:.4f}", methods)
    assert "Better" in regions
    # a share that is none is told on the page
    assert len(summaries(result, result.planned(), "lda", 2)) == 2


def run_lines(code, data):
    """What somebody gets who runs the lines of a report with the table."""
    names = {"data": data}
    *before, last = ast.parse(code).body
    exec(compile(ast.Module(before, []), "report", "exec"), names)
    return eval(compile(ast.Expression(last.value), "report", "eval"), names)


def whole_report(result, level, tmp_path):
    """The report that the page offers, and the lines in it that make its classifier again."""
    method, plan = result.plan.methods[0], result.plan
    fit, named = result.classifier(level, method), {"data_name": plan.source.name, "label_name": plan.label}
    found = {"band": result.band(method), "summaries": summaries(result, level, method, None)}
    text = fit.report(tmp_path / "report.md", data=plan.fitted_rows(fit), **found, **named).read_text(encoding="utf-8")
    return " ".join(text.replace("\\", "").split()), text.split("## To make it again")[1].split("```")[1]


@pytest.mark.slow
@pytest.mark.parametrize("beside", ["no", "one", "two"])
def test_the_lines_in_a_report_make_the_classifier_of_the_page_from_the_whole_file(
    beside, mixed, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    # the file has a column that the page left out, and text
    n, features = len(mixed.frame), ["age group", "job"]
    owners = [f"P{k // 2 if beside == 'two' else k:04d}" for k in range(n)]
    frame = mixed.frame if beside == "no" else mixed.frame.assign(patient_id=owners)
    frame.to_csv(tmp_path / "ward.csv", index=False)
    source = uploaded_source(tmp_path / "ward.csv", "ward.csv")
    methods = ["lda", "nb"] if beside == "two" else ["lda"]
    result = fitted(plan_of(source, features, label="default", class0="yes", methods=methods))
    for level in (result.planned(), result.by_eye(0.3, "lda"), result.by_target(0.9, "lda")):
        fit = result.classifier(level, "lda")
        text, code = whole_report(result, level, tmp_path)
        check_made_again(run_lines(code, pd.read_csv(tmp_path / "ward.csv")), fit, code)
        assert fit.guaranteed is (beside != "two" and level.choice is None)
        assert "Here data is the table ward.csv, as a DataFrame with the" in text
        # and so does the tab with the Python code
        names, code = {}, python_code(result, level, "lda")
        exec(code, names)
        check_made_again(names["classifier"], fit, code)


@pytest.mark.slow
def test_no_part_of_a_report_promises_what_the_page_does_not(tmp_path):
    source = sample_source("simulation2")
    first = plan_of(source, ["x1", "x2"])
    result = fitted(plan_of(source, ["x1", "x2"], seed=9).after(first.fixed()))
    reasons = "They would hold only if all settings had been fixed beforehand."
    for level in (result.planned(), result.by_eye(0.3, "lda")):
        text, _ = whole_report(result, level, tmp_path)
        for where in ("of the band", "below"):
            assert f"The probabilities in the notes {where} are not proved here. {reasons}" in text
        assert "The method and all other settings were fixed before anybody" not in text
        # another alpha does not make up for another seed
        assert not result.classifier(level, "lda").guaranteed
        assert f"The seed was {CHANGED}." in text
    alone = fitted(first)
    assert "The probabilities in the notes" not in whole_report(alone, alone.planned(), tmp_path)[0]
    assert (
        "What the notes of the band say of an alpha fixed beforehand is therefore not proved"
        in whole_report(alone, alone.by_eye(0.3, "lda"), tmp_path)[0]
    )


def test_a_level_found_on_the_band_is_written_in_one_way(tmp_path):
    result = fitted(plan_of(sample_source("simulation2"), ["x1", "x2"]))
    level = result.by_target(0.35, "lda")
    text, code = whole_report(result, level, tmp_path)
    # the lines have all digits
    text = re.sub(r"data:image[^)]*", "", text).replace(" ".join(code.split()), "")
    start = f"{level.alpha:.5g}"[:-1]
    found = {number for number in re.findall(r"0\.\d+", text) if number.startswith(start)}
    assert found == {level.shown_alpha}
    assert code.strip().endswith("band.classifier(band.choose_alpha(type2_max=0.35))")
    fit = result.classifier(level, "lda")
    legend = [entry.get_text() for entry in fit.plot(ax=Figure().subplots()).get_legend().get_texts()]
    assert any(entry.split(";")[0].endswith(f"= {level.shown_alpha}") for entry in legend)


def test_a_comparison_of_settings_that_changed_or_rows_of_one_owner_claims_nothing_on_the_page_and_in_the_report(
    result, tmp_path
):
    frame = sample_source("simulation2").frame.assign(patient_id=np.arange(1000) // 2)
    frame.to_csv(tmp_path / "twice.csv", index=False)
    twice = uploaded_source(tmp_path / "twice.csv", "twice.csv")
    first = plan_of(result.plan.source, ["x1", "x2"], seed=9)
    changed = Result(result.plan.after(first.fixed()), result.bands)
    owners = fitted(plan_of(twice, ["x1", "x2"], label="y"))
    found = [
        (changed, f"because seed {CHANGED}.", "What would hold if these settings had been fixed before the first fit"),
        (owners, "because rows of one patient, country or other unit", "What would hold if all rows were independent"),
    ]
    for fit, reason, title in found:
        level = fit.planned()
        box, _, rest = html.unescape(str(compared(fit, level, "best"))).partition("<table")
        assert "verdict open" in box
        assert f"None of the probabilities below is proved for this fit, {reason}" in box
        # each probability stands under the condition
        assert "2 delta" not in rest.partition(title)[0]
        assert "2 delta = 0.2" in rest.partition(title)[2]
        # the report says the same before the summaries of the comparison
        told = fit.classifier(level, "lda").report(tmp_path / "report.md", summaries=summaries(fit, level, "lda", None))
        more = told.read_text(encoding="utf-8").partition("## Other results")[2]
        assert "The probabilities in the notes below are not proved here." in more.partition("2 delta")[0]
    level = result.planned()
    page = str(compared(result, level, "best"))
    assert "verdict" not in page
    assert "or enter half of delta (0.05) before the first fit." in page
    assert "At alpha = 0.1" in page
    # without a classifier there are no bounds to tell
    page = str(compared(result, result.by_eye(0.001, "lda"), "no classifier"))
    assert "At alpha" not in page
    assert result.comparison.bounds_text not in page
    eye = result.by_eye(0.2, "lda")
    said = "None of the probabilities below is proved at alpha = 0.2, because alpha was chosen on the band."
    assert result.comparison_doubt(eye) == said
    assert changed.comparison_doubt(eye).endswith(f"the band, and because seed {CHANGED}.")


@pytest.mark.parametrize("setting", ["na_action='omit'", "--na-action omit"])
def test_notes_on_the_page_name_no_arguments_and_no_options(setting):
    assert page_note(f"10 rows were left out ({setting}). No new rows were given (X0_new).") == (
        "10 rows were left out. No new rows were given."
    )


def test_new_rows_with_labels_of_another_spelling_are_predicted_and_count_in_no_error(result):
    plan, fit = result.plan, result.classifier(result.planned(), "lda")
    table = plan.source.frame.assign(**{plan.label: plan.source.frame[plan.label].map({0: "nil", 1: "one"})})
    new = dataclasses.replace(plan.source, frame=table)
    rows, why = known_rows(new, fit, plan)
    assert rows == ()
    told = (
        "he labels of the fit are 0, 1, and the column 'y' of Simulation 2, two predictors has 'nil', 'one'. Write the "
        "labels in this file as in the fit, leave those of rows of neither class empty, and upload it again."
    )
    assert why == f"T{told}"
    predictions, evaluation, said = count_errors(new, fit, plan)
    np.testing.assert_array_equal(predictions["predicted"], fit.predict(table[["x1", "x2"]]))
    assert (evaluation, said) == (None, f"No errors are counted: t{told}")


@pytest.mark.slow
def test_the_picture_says_where_nothing_is_guaranteed_at_the_marked_alpha(result):
    for level, doubt in ((result.planned(), False), (result.by_target(0.8, "nb"), True)):
        ax = draw(result, level).axes[0]
        assert ax.get_title(loc="left").startswith("Nothing is guaranteed at the marked") == doubt
        # the legend speaks of one alpha fixed beforehand, and this one is not
        assert ax.get_title(loc="left").endswith("bounds hold for one $\\alpha$ fixed beforehand.") == doubt
        assert ("Nothing is guaranteed at the marked" in python_code(result, level, "lda")) == doubt
    # the level was fixed beforehand, and that is not what is missing
    plan, frame = result.plan, result.plan.source.frame
    visits = dataclasses.replace(plan.source, frame=frame.assign(patient=np.arange(len(frame)) // 2))
    for field, why in (({"source": visits}, "some rows depend"), ({"changed": ("methods",)}, "settings were changed")):
        other = dataclasses.replace(result, plan=dataclasses.replace(plan, **field))
        title = draw(other, other.planned()).axes[0].get_title(loc="left")
        assert title.startswith(f"Nothing in this picture is guaranteed:\n{why}")
