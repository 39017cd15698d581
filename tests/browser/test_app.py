"""The web page in a real browser: upload, fit, level, comparison, downloads, bad files, two sessions, cancel."""

import os
import re
import sys

import numpy as np
import pandas as pd
import pytest
from served_page import download, fit, level_in, missing, press_fit, shown, unfold, upload
from waiting import wait_for

from nproc import load, nproc
from nproc.app.data import MAX_BYTES
from nproc.app.results import CHANGED
from nproc.datasets import load_breast_cancer_np
from nproc.tables import at_least, at_most, rounded_down

LINUX = sys.platform == "linux"
# where tests decide what lands, a missing browser must not look like a pass
pytestmark = pytest.mark.skipif(missing() is not None and not os.environ.get("CI"), reason=str(missing()))


# inputs that a screen reader could not name; the text beside a file button is read with it
NAMELESS = """() => [...document.querySelectorAll("input, select, textarea, button, progress, img")]
    .filter(e => e.type !== "hidden" && !e.readOnly && e.offsetParent !== null)
    .filter(e => !(e.labels && e.labels.length) && !e.ariaLabel && !e.alt && !e.innerText?.trim())
    .map(e => e.outerHTML)"""

# whether the middle of a part is what a reader sees at its place
IN_SIGHT = """place => {
    const part = document.querySelector(place), box = part.getBoundingClientRect();
    return part.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}"""
FAULT = "#problem .verdict"

# height by width of the picture on the screen, over that of the picture that was drawn
STRETCH = """() => {
    const img = document.querySelector("#bands img"), box = img.getBoundingClientRect();
    return (box.height / box.width) / (img.naturalHeight / img.naturalWidth);
}"""

# from now on, what the picture shows while it waits for the next one, and whether it then takes a click
WATCH = """() => {
    const bands = document.getElementById("bands");
    window.seen = {};
    new MutationObserver(() => {
        const waits = bands.classList.contains("recalculating") ? "waits" : "new";
        const clicks = getComputedStyle(bands).pointerEvents === "none" ? "no click" : "click";
        seen[`${bands.querySelector("img") ? "picture" : "blank"}, ${waits}, ${clicks}`] = true;
    }).observe(bands, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] });
}"""


@pytest.mark.slow
def test_a_sample_is_fitted_compared_moved_and_downloaded(visit, tmp_path, monkeypatch):
    window = visit()
    fit(window, "lda", "nb", alpha=0.1)
    assert "proved" in shown(window, "#status", "alpha = 0.1")
    assert "class 0 is 'malignant'" in shown(window, "#fitted", "Breast cancer")
    window.locator("#bands img").wait_for()
    assert window.evaluate(STRETCH) == pytest.approx(1, abs=0.01)

    # the slider, by the keyboard
    window.locator("#alpha_slider").press("ArrowRight")
    assert "not guaranteed" in shown(window, "#status", "alpha = 0.105 (chosen after the band was seen)")
    # or a number
    window.fill("#alpha_number", "0.1234")
    window.keyboard.press("Enter")
    assert "not guaranteed" in shown(window, "#status", "alpha = 0.1234 (chosen after the band was seen)")
    window.click("#planned")
    assert "proved" in shown(window, "#status", "alpha = 0.1 (fixed before the fit)")
    # a row of quick moves never blanks the picture
    drawn = window.get_attribute("#bands:not(.recalculating) img", "src")
    window.evaluate(WATCH)
    for _ in range(4):
        window.locator("#alpha_slider").press("ArrowRight")
        window.wait_for_timeout(250)
    shown(window, "#status", "alpha = 0.12 (chosen after the band was seen)")
    wait_for(lambda: window.get_attribute("#bands:not(.recalculating) img", "src") != drawn)
    # and while the last one waits for the next it takes no click, which would be on the old axis
    assert sorted(window.evaluate("Object.keys(seen)")) == ["picture, new, click", "picture, waits, no click"]
    window.click("#planned")
    shown(window, "#status", "alpha = 0.1 (fixed before the fit)")
    # a click on the picture, whose alpha axis begins and ends a little inside
    drawn = window.get_attribute("#bands:not(.recalculating) img", "src")
    window.select_option("#zoom", "1")
    wait_for(lambda: window.get_attribute("#bands:not(.recalculating) img", "src") != drawn)
    box = window.locator("#bands img").bounding_box()
    window.locator("#bands img").click(position={"x": 0.4 * box["width"], "y": 0.4 * box["height"]})
    status = shown(window, "#status", "chosen after the band was seen")
    assert 0.2 < level_in(status) < 0.5
    # a target
    window.fill("#target", "0.2")
    window.click("#find")
    status = shown(window, "#status", "smallest alpha with type II upper bound <= 0.2")
    assert "not guaranteed" in status

    window.get_by_role("tab", name="Compare").click()
    assert "better than" in shown(window, "#comparison", "At alpha =")
    window.get_by_role("tab", name="Python code").click()
    code = shown(window, "#code", "choose_alpha(type2_max=0.2)")

    # what is downloaded is what the code gives
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    choice = names["alpha"]
    assert float(choice.shown_alpha) == level_in(status)
    assert f"{at_least(choice.type2_lower, 4)} and {at_most(choice.type2_upper, 4)}" in status
    cancer = load_breast_cancer_np()
    model = load(download(window, "model", tmp_path))
    np.testing.assert_array_equal(model.predict(cancer.X), names["classifier"].predict(cancer.X))
    knots = pd.read_csv(download(window, "band_csv", tmp_path))
    there = knots[knots["method"] == "nb"]["type2_upper"].to_numpy()
    np.testing.assert_allclose(there, names["bands"]["nb"].type2_upper, rtol=1e-12)
    assert b"<svg" in download(window, "picture_svg", tmp_path).read_bytes()
    assert download(window, "picture_pdf", tmp_path).read_bytes().startswith(b"%PDF")
    assert download(window, "script", tmp_path).read_text().strip() == code.strip()
    # for one column of a journal, in the file and in the code
    window.select_option("#picture_width", "85")
    window.get_by_role("tab", name="Python code").click()
    shown(window, "#code", "figsize=(3.35, ")
    assert b'width="241.2pt"' in download(window, "picture_svg", tmp_path).read_bytes()


@pytest.mark.slow
def test_an_upload_is_fitted_and_new_rows_are_counted_and_predicted(visit, tmp_path):
    rng = np.random.default_rng(2)
    y = np.arange(400) % 2
    table = pd.DataFrame(
        {
            "age": rng.normal(size=400).round(5) + 2 * y,
            "job": rng.choice(["cook", "clerk"], 400),
            "default": np.where(y == 1, "no", "yes"),
        }
    )
    table[:300].to_csv(tmp_path / "loans.csv", index=False, sep=";")
    padded = [f"{age:09.5f}" for age in table["age"][300:]]
    table[300:].assign(age=padded).to_csv(tmp_path / "new.csv", index=False)
    window = visit(width=390)
    upload(window, tmp_path / "loans.csv")
    shown(window, "#columns", "loans.csv: 300 rows, 3 columns")
    window.select_option("#label", "default")
    window.check("input[name=class0][value=yes]")
    fit(window, "lda", alpha=0.1)
    shown(window, "#fitted", "Coded as categories: job")
    assert window.evaluate(NAMELESS) == []
    # nothing is wider than a telephone
    assert window.evaluate("document.documentElement.scrollWidth") <= 390

    window.get_by_role("tab", name="New rows").click()
    window.locator("#new_file").set_input_files(tmp_path / "new.csv")
    counted = shown(window, "#new_rows_shown", "Confusion table")
    band = nproc("default ~ age + job", data=table[:300], method="lda", class0="yes", random_state=1)
    there = band.classifier(0.1)
    evaluation = there.evaluate(table[300:])
    assert f"{evaluation.type1:.4f}\t{rounded_down(evaluation.type1_interval.lower)}" in counted
    assert f"{evaluation.type2:.4f}\t{rounded_down(evaluation.type2_interval.lower)}" in counted
    with window.expect_download() as caught:
        window.click("#predictions")
    caught.value.save_as(tmp_path / "predictions.csv")
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "predictions.csv")["predicted"], there.predict(table[300:]))

    # another alpha, set once a band of these rows has been seen, is no promise; the new rows stay
    fit(window, "lda", alpha=0.2)
    assert "not guaranteed" in shown(window, "#status", f"alpha = 0.2 (alpha {CHANGED})")
    evaluation = band.classifier(0.2).evaluate(table[300:])
    shown(
        window,
        "#new_rows_shown",
        re.compile(rf"{evaluation.type1:.4f}\s+{rounded_down(evaluation.type1_interval.lower)}"),
    )

    # nor is another seed, which may be picked for its band; the same rows in another file have been seen
    table[:300].to_csv(tmp_path / "again.csv", index=False)
    upload(window, tmp_path / "again.csv")
    window.locator("#fitted p").wait_for(state="detached")
    window.select_option("#label", "default")
    # the choice among the same labels is kept
    window.locator("input[name=class0][value=yes]:checked").wait_for()
    window.fill("#seed", "2")
    fit(window, "lda", alpha=0.1)
    assert "not guaranteed" in shown(window, "#status", f"seed {CHANGED}")
    unfold(window)
    window.fill("#seed", "1")
    press_fit(window)
    shown(window, "#status", "Type I error at most 0.1: proved")


@pytest.mark.slow
def test_a_table_with_gaps_an_identifier_and_decimal_commas_is_fitted_and_reported(visit, tmp_path):
    rng = np.random.default_rng(4)
    sick = np.arange(402) % 2 == 1
    table = pd.DataFrame({"patient_id": rng.permutation(9000)[:402], "dose": rng.normal(size=402) + 2 * sick})
    table["age"] = np.where(np.arange(402) % 40 == 0, np.nan, rng.normal(size=402))
    table["ward"] = "north"
    table["sick"] = np.where(sick, "no", "yes")
    table.loc[400:, "sick"] = None
    table.to_csv(tmp_path / "ward.csv", index=False, sep=";", decimal=",")
    window = visit(width=700)
    upload(window, tmp_path / "ward.csv")
    assert "Numbers are read with decimal commas" in shown(window, "#columns", "ward.csv: 402 rows")
    window.select_option("#label", "sick")
    shown(window, "#classes", "2 of the 402 rows have no value in the label column 'sick'")
    window.click("#labelled")
    shown(window, "#columns", "ward.csv: 400 rows")
    window.check("input[name=class0][value=yes]")
    shown(window, "#predictors", "Columns that look like identifiers are used only if you tick them: patient_id")
    shown(window, "#predictors", "Cannot be a predictor: ward")
    shown(window, "#predictors", "Leave out columns that are known only after the label, such as a treatment.")
    fit(window, "lda", alpha=0.1)
    shown(window, "#problem", "lda needs rows without missing values. 10 of the 400 rows")
    wait_for(lambda: window.evaluate(IN_SIGHT, FAULT) and window.evaluate(IN_SIGHT, "#omit"))
    window.check("#omit")
    shown(window, "#gaps", "They are left out")
    # a decimal comma is read as the point it stands for, and one between thousands is none
    for field, typed, read in [("delta", "0,02", "0.02"), ("alpha", "0,125", "0.125"), ("seed", "1,234", "1234")]:
        window.fill(f"#{field}", "")
        window.locator(f"#{field}").press_sequentially(typed)
        assert window.input_value(f"#{field}") == read
    press_fit(window)
    assert "proved" in shown(window, "#status", "alpha = 0.125")
    assert "alpha = 0.125, delta = 0.02, seed 1234." in shown(window, "#fitted", "2 predictors;")
    assert "2 predictors;" in shown(window, "#fitted", "10 of the 400 rows have missing values and are left out")
    text = download(window, "report", tmp_path).read_text(encoding="utf-8")
    assert "10 rows with missing values were left out" in text
    assert "na_action=&#x27;omit&#x27;" in text


@pytest.mark.slow
def test_two_rows_of_each_patient_are_warned_of_before_and_after_the_fit_and_their_numbers_go_with_predictions(
    visit, tmp_path
):
    rng = np.random.default_rng(6)
    table = pd.DataFrame({"patient_id": np.arange(300) // 2, "sick": np.where(np.arange(300) % 2, "no", "yes")})
    table["dose"] = rng.normal(size=300) + 2 * (table["sick"] == "no")
    table["insulin"] = rng.normal(size=300).round(2).astype(str)
    table.loc[5, "insulin"] = "-"
    table.to_csv(tmp_path / "twice.csv", index=False)
    window = visit()
    upload(window, tmp_path / "twice.csv")
    shown(window, "#columns", "twice.csv: 300 rows")
    window.select_option("#label", "sick")
    window.check("input[name=class0][value=yes]")
    # both reasons can be read without a click
    assert "('-' in row 6)" in shown(window, "#predictors .verdict.open", "all 300 rows share") + shown(
        window, "#predictors", "Cannot be a predictor: insulin"
    )
    fit(window, "lda", alpha=0.1)
    assert "proved" not in shown(window, "#status .verdict", "not guaranteed because rows of one patient")
    shown(window, "#fitted .verdict.open", "npc fit --clusters patient_id")
    # the comparison promises no more than the card
    fit(window, "lda", "nb", alpha=0.1)
    shown(window, "#fitted", "methods lda, nb")
    window.get_by_role("tab", name="Compare").click()
    shown(window, "#comparison .verdict.open", "None of the probabilities below is proved for this fit")
    shown(window, "#comparison details[open]", "What would hold if")
    fit(window, "lda", alpha=0.1)
    shown(window, "#fitted", "method lda")
    fresh = table.assign(dose=rng.normal(size=300) + 2 * (table["sick"] == "no"))
    fresh.to_csv(tmp_path / "new.csv", index=False)
    window.get_by_role("tab", name="New rows").click()
    window.locator("#new_file").set_input_files(tmp_path / "new.csv")
    shown(window, "#new_rows_shown", "Confusion table")
    with window.expect_download() as caught:
        window.click("#predictions")
    caught.value.save_as(tmp_path / "predictions.csv")
    predictions = pd.read_csv(tmp_path / "predictions.csv")
    assert predictions.columns.tolist() == ["row", "predicted", "score", "patient_id", "insulin", "sick"]
    assert predictions["patient_id"].tolist() == table["patient_id"].tolist()


@pytest.mark.slow
def test_codes_for_missing_values_are_told_at_upload_and_emptied_after_a_band_they_cost_the_guarantee(visit, tmp_path):
    rng = np.random.default_rng(6)
    y = np.arange(300) % 2
    table = pd.DataFrame(
        {
            "age": rng.integers(30, 90, 300),
            "crp": rng.lognormal(1 + y, 1).round(2),
            "bmi": rng.normal(27, 4, 300).round(1),
            "relapse": np.where(y == 1, "no", "yes"),
        }
    )
    table.loc[::20, "crp"] = 999
    table.to_csv(tmp_path / "codes.csv", index=False)
    table.replace({"crp": 999}, np.nan).to_csv(tmp_path / "gaps.csv", index=False)
    window = visit()
    upload(window, tmp_path / "codes.csv")
    told = shown(window, "#codes", "looks like a code for a missing value")
    assert "999 in column 'crp'" in told
    assert "upload it again before the first fit" in told
    window.check("input[name=class0][value=yes]")
    fit(window, "lda", alpha=0.1)
    assert "code" not in window.locator("#fitted .fitted ul").first.inner_text().partition("This result keeps")[0]
    shown(window, "#status", "proved.")
    upload(window, tmp_path / "gaps.csv")
    shown(window, "#columns", "gaps.csv")
    window.check("#omit")
    fit(window, "nb", alpha=0.2)
    late = (
        "methods, alpha, rows with missing values and content of the table changed after a band of these rows was seen"
    )
    shown(window, "#status", f"not guaranteed because {late}")


def test_bad_files_and_settings_are_told_and_a_large_file_is_not_sent(visit, server, tmp_path):
    bad = {
        "picture.csv": (b"\x89PNG\r\n\x1a\n\0\0", "picture.csv cannot be read as CSV: line 3 holds binary data"),
        "empty.csv": (b"", "empty.csv is empty"),
        "neither.csv": (b"name,y\nJos\x81,1\n", "Save the table as CSV in the encoding UTF-8"),
    }
    window = visit()
    # the encoding of Excel is read, and told with a word by which to judge
    (tmp_path / "latin.csv").write_bytes("name,y\nJosé,1\n".encode("cp1252"))
    upload(window, tmp_path / "latin.csv")
    shown(window, "#columns", "is read as Windows-1252, in which Excel writes CSV files: 'José' in 'name'.")
    for name, (content, message) in bad.items():
        (tmp_path / name).write_bytes(content)
        upload(window, tmp_path / name)
        shown(window, "#problem", message)
    with (tmp_path / "large.csv").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    window.locator("#file").set_input_files(tmp_path / "large.csv")
    shown(window, "#problem", "large.csv has 200 MB and was not read")
    press_fit(window)
    shown(window, "#problem", "there are no data yet")

    (tmp_path / "one.csv").write_text("x,y\n" + "".join(f"{j}.5,a\n" for j in range(9)), encoding="utf-8")
    window.locator("#file").set_input_files(tmp_path / "one.csv")
    shown(window, "#columns", "one.csv: 9 rows")
    window.select_option("#label", "y")
    shown(window, "#classes", "1 distinct value")
    press_fit(window)
    shown(window, "#problem", "has 1 distinct value ('a'). A label needs exactly two.")
    (tmp_path / "few.csv").write_text("x,y\n1,a\n2,b\n3,b\n4,b\n", encoding="utf-8")
    window.locator("#file").set_input_files(tmp_path / "few.csv")
    shown(window, "#columns", "few.csv: 4 rows")
    shown(window, "#meaning", "a called b")
    window.check("input[name=class0][value=a]")
    shown(window, "#meaning", "y = a called b: the error that you bound.")
    press_fit(window)
    shown(window, "#problem", "class 0 rows")
    # a long label stands beside its button in each line, and a long name of a file ends in dots in its field
    long = tmp_path / f"{'name_' * 12}.csv"
    long.write_text("".join(["x,y\n", *(f"{j},{'label ' * (8 + j % 2)}\n" for j in range(4))]), encoding="utf-8")
    window.locator("#file").set_input_files(long)
    shown(window, "#columns", f"{long.name}: 4 rows")
    shown(window, "#classes", "label label")
    button, text = (window.locator(f"#class0 .radio >> nth=0 >> {part}").bounding_box() for part in ("input", "span"))
    assert text["height"] > 1.5 * button["height"]
    assert text["x"] > button["x"] + button["width"]
    field = window.locator("#file_input input[readonly]")
    assert field.evaluate("field => [field.scrollWidth > field.clientWidth, getComputedStyle(field).textOverflow]") == [
        True,
        "ellipsis",
    ]
    # each upload was read and removed
    assert [path.name for path in server.temporary.rglob("*.csv")] == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 700])
def test_a_file_is_fitted_after_a_choice_of_class_0_and_faults_and_predictive_values_are_in_sight(
    visit, tmp_path, width
):
    cancer = load_breast_cancer_np()
    cancer.frame.to_csv(tmp_path / "tumours.csv", index=False)
    window = visit(width)
    upload(window, tmp_path / "tumours.csv")
    # neither class is marked, and Fit says that one has to be chosen
    shown(window, "#meaning", "malignant called benign")
    assert window.locator("input[name=class0]:checked").count() == 0
    fit(window, "lda", alpha=0.1)
    shown(window, "#problem", "Choose the class whose error you bound, 'benign' or 'malignant'")
    assert window.locator("#fitted").inner_text() == ""
    # the field that it asks for is in sight, and neither below the fault nor folded away
    wait_for(lambda: window.evaluate(IN_SIGHT, FAULT) and window.evaluate(IN_SIGHT, "#class0"))
    window.check("input[name=class0][value=malignant]")
    shown(window, "#meaning", "malignant called benign: the error that you bound.")
    press_fit(window)
    shown(window, "#status", "alpha = 0.1 (fixed before the fit)")
    assert window.locator("#alpha").is_visible() is (width > 800)

    # the link below the bound leads to the predictive values
    window.get_by_role("link", name="Predictive values").click()
    window.fill("#prevalence", "0.01")
    values = nproc(cancer.X, cancer.y, "lda", class0="malignant", random_state=1).predictive_values({"malignant": 0.01})
    there = values.at(0.1)
    numbers = at_least(there.npv_lower, 4), f"{there.npv:.4f}", at_most(there.npv_upper, 4)
    said = shown(window, "#predictive", "P(malignant | called malignant)")
    assert "\t".join(numbers) in said
    window.get_by_role("tab", name="Python code").click()
    shown(window, "#code", "predictive_values({'malignant': 0.01})")
    # without a prevalence there are no values of an earlier one
    window.get_by_role("tab", name="Predictive values").click()
    window.fill("#prevalence", "")
    window.wait_for_function("() => !document.querySelector('#predictive').innerText.includes('called malignant')")

    # however far down the reader is, a fault is neither outside the window nor below another box
    unfold(window)
    window.fill("#alpha", "7")
    shown(window, "#stale", "The settings have changed since this fit")
    window.evaluate("document.querySelector('#tab').scrollIntoView()")
    window.evaluate("document.querySelector('#fit').click()")
    shown(window, "#problem", "alpha must lie strictly between 0 and 1, got 7.")
    wait_for(lambda: window.evaluate(IN_SIGHT, FAULT) and window.evaluate(IN_SIGHT, "#alpha"))


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 700])
def test_a_label_in_six_spellings_is_told_before_fit_and_a_change_to_it_leaves_no_traceback(
    visit, server, tmp_path, width
):
    spellings = ["Yes", "YES", "yes", "No", "NO", "no"]
    lines = [f"{'fm'[j // 6 % 2]},{j}.5,{spellings[j % 6]}" for j in range(60)]
    (tmp_path / "case.csv").write_text("\n".join(["sex,age,sepsis", *lines]), encoding="utf-8")
    window = visit(width)
    upload(window, tmp_path / "case.csv")
    told = shown(window, "#classes", "The column 'sepsis' has 6 distinct values.")
    assert "differ only in capital letters: 'NO', 'No' and 'no'; 'YES', 'Yes' and 'yes'." in told
    # from a label to a column that is none, without and with a chosen class; the log must stay empty, as `server` asks
    for choose in (False, True):
        window.select_option("#label", "sex")
        shown(window, "#classes", "Class 0")
        if choose:
            window.check("input[name=class0][value=f]")
            shown(window, "#meaning", "sex = f called m: the error that you bound.")
        window.select_option("#label", "sepsis")
        shown(window, "#classes", "The column 'sepsis' has 6 distinct values.")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 700])
def test_a_beta_that_the_rows_cannot_carry_is_refused_before_a_band_is_seen_and_one_is_offered(visit, tmp_path, width):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"outcome": np.where(np.arange(500) < 25, "death", "survived")})
    table["age"] = rng.normal(size=500) + 2 * (np.arange(500) < 25)
    table.to_csv(tmp_path / "few.csv", index=False)
    window = visit(width)
    upload(window, tmp_path / "few.csv")
    shown(window, "#columns", "few.csv: 500 rows")
    window.select_option("#label", "outcome")
    window.check("input[name=class0][value=survived]")
    window.fill("#delta", "")
    shown(window, "#carries", "delta is empty or no number: give a number, such as 0.05, with a point.")
    window.fill("#delta", "0.05")
    window.fill("#review_beta", "0.05")
    shown(window, "#carries", "With them beta can be 0.206 or larger.")
    fit(window, "lda", alpha=0.05)
    shown(window, "#problem", "There are too few class 1 rows for beta = 0.05")
    assert window.locator("#fitted").inner_text() == ""
    # said once, with a button beside it that is in sight although the settings may be folded
    assert window.get_by_text("With them beta can be 0.206 or larger.").count() == 1
    window.get_by_role("button", name="Use beta = 0.206").click()
    window.locator("#problem .verdict").wait_for(state="detached")
    unfold(window)
    shown(window, "#carries", "13 of the 25 class 1 rows are left out")
    press_fit(window)
    # no band was seen, so the promise stands
    shown(window, "#status", "and type II error at most 0.206: proved")
    said = shown(window, "#plain", "Left to review: about")
    assert "of the survived cases, and" in said
    # alpha stays, and the page says so in place of all that would move it
    shown(window, ".alpha-stays", "With beta, alpha cannot be moved")
    for control in ("#alpha_slider", "#alpha_number", "#target", "#find", "#planned"):
        assert window.locator(control).is_hidden()
    assert window.get_by_text("Click on the picture").is_hidden()
    window.locator("#bands img").wait_for()
    box = window.locator("#bands img").bounding_box()
    window.locator("#bands img").click(position={"x": 0.5 * box["width"], "y": 0.5 * box["height"]})
    # the server draws the picture anew after it has had the click
    # the picture is drawn anew after the server has had the click
    drawn = window.get_attribute("#bands img", "src")
    window.select_option("#zoom", "0.1")
    wait_for(lambda: window.get_attribute("#bands img", "src") != drawn)
    assert "alpha = 0.05 (fixed before the fit)" in window.locator("#status").inner_text()
    # without beta they are back
    unfold(window)
    window.fill("#review_beta", "")
    fit(window, "lda")
    window.locator("#alpha_number").wait_for()
    window.locator(".alpha-stays").wait_for(state="hidden")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 700])
def test_rows_set_aside_are_counted_beside_the_band_and_the_script_and_the_report_give_the_same_numbers(
    visit, tmp_path, width, monkeypatch, capsys
):
    window = visit(width)
    # too small an alpha is answered by a button in sight, although the settings may be folded, and said once
    window.check("input[name=aside][value='0.2']")
    fit(window, "lda", alpha=0.01)
    told = "85 of the 170 are left out. With them alpha can be 0.0347 or larger."
    shown(window, "#problem", told)
    assert window.get_by_text(told).count() == 1
    window.get_by_role("button", name="Use alpha = 0.0347").click()
    window.locator("#problem .verdict").wait_for(state="detached")
    unfold(window)
    assert window.input_value("#alpha") == "0.0347"
    fit(window, "lda", alpha=0.1)
    said = "This classifier misses at most 10 % of the malignant cases (calls them benign), with 95 % confidence."
    shown(window, "#plain", said)
    assert "proved" in shown(window, "#status", "alpha = 0.1 (fixed before the fit)")
    shown(window, "#fitted", "30 predictors; method lda; 1 split")
    shown(window, "#fitted", "114 of the 569 rows, drawn at random within each class, are set aside")
    card = shown(window, "#check", "114 rows set aside, which the fit has not seen")
    window.locator("#bands img").wait_for()
    # no column of the tables is out of sight
    assert window.evaluate(
        "[...document.querySelectorAll('#check .scroll')].every(e => e.scrollWidth <= e.clientWidth)"
    )

    script = download(window, "script", tmp_path).read_text()
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(script, names)
    e = names["classifier"].evaluate(names["aside"][names["features"]], names["aside"]["diagnosis"])
    assert str(e.summary()) in capsys.readouterr().out
    assert f"malignant (class 0)\t{e.n0 - e.n_false1}\t{e.n_false1}\t{e.n0}" in card
    assert f"benign (class 1)\t{e.n_false0}\t{e.n1 - e.n_false0}\t{e.n1}" in card
    for rate, interval in ((e.type1, e.type1_interval), (e.type2, e.type2_interval)):
        assert f"{rate:.4f}\t{at_least(interval.lower, 4)}\t{at_most(interval.upper, 4)}" in card
    text = download(window, "report", tmp_path).read_text(encoding="utf-8")
    assert "114 of its 569 rows, which were set aside for a check" in text
    assert f"{e.n_false1} of {e.n0}" in text

    # the table follows alpha, and another share is another look at the rows
    window.fill("#alpha_number", "0.2")
    window.keyboard.press("Enter")
    there = (
        names["bands"]["lda"].classifier(0.2).evaluate(names["aside"][names["features"]], names["aside"]["diagnosis"])
    )
    shown(window, "#check", re.compile(rf"{there.type1:.4f}\s+{rounded_down(there.type1_interval.lower)}"))
    unfold(window)
    window.check("input[name=aside][value='']")
    shown(window, "#stale", "share of rows set aside (fitted '20 %', now 'none')")
    press_fit(window)
    assert "not guaranteed" in shown(window, "#status", f"share of rows set aside {CHANGED}")
    window.wait_for_function("() => !document.querySelector('#check').innerText.includes('set aside')")


@pytest.mark.slow
def test_without_a_classifier_at_this_alpha_new_rows_and_downloads_say_so(visit, tmp_path):
    window = visit()
    table = load_breast_cancer_np().frame
    numbers = table.columns.drop("diagnosis")
    # no rows of the fit, for which there would be a warning
    table[numbers] *= 1 + 1e-3 * np.random.default_rng(0).normal(size=table[numbers].shape)
    table.to_csv(tmp_path / "new.csv", index=False)
    fit(window, "lda", alpha=0.1)
    shown(window, "#status", "alpha = 0.1 (fixed before the fit)")
    window.fill("#alpha_number", "0.001")
    window.keyboard.press("Enter")
    shown(window, "#status", "There are too few class 0 rows for alpha = 0.001")
    window.get_by_role("tab", name="New rows").click()
    window.locator("#new_file").set_input_files(tmp_path / "new.csv")
    told = "There is no classifier at this level. The reason stands under \u201cAlpha and its price\u201d."
    shown(window, "#new_rows_shown", told)
    window.get_by_role("tab", name="Downloads").click()
    assert "model file" not in shown(window, ".downloads", "Bands (CSV)")
    # the rows are still there when there is one, and all of the page shows the new level
    window.click("#planned")
    assert "read the model file" in shown(window, ".downloads", "Classifier (model file)")
    shown(window, "#status", "alpha = 0.1 (fixed before the fit)")
    window.get_by_role("tab", name="New rows").click()
    # what is out of sight is not made
    window.locator("#new_rows_shown").scroll_into_view_if_needed()
    said = shown(window, "#new_rows_shown", "Confusion table")
    assert "The download has all other columns too, such as the number of a patient, but not the predictors." in said


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 700])
def test_what_is_said_of_new_rows_stands_in_the_card_as_it_does_in_the_tab(visit, tmp_path, width):
    table = load_breast_cancer_np().frame
    numbers = table.columns.drop("diagnosis")
    table.loc[:51, numbers[0]] = None
    # few enough rows of the fit that the terminal says nothing of them
    table.loc[80:, numbers] *= 1 + 1e-3 * np.random.default_rng(0).normal(size=table.loc[80:, numbers].shape)
    table.to_csv(tmp_path / "new.csv", index=False)
    window = visit(width)
    window.check("input[name=aside][value='0.2']")
    fit(window, "lda", alpha=0.1)
    shown(window, "#status", "alpha = 0.1 (fixed before the fit)")
    window.get_by_role("tab", name="New rows").click()
    window.locator("#new_file").set_input_files(tmp_path / "new.csv")
    told = shown(window, "#new_rows_shown .verdict.open", "test rows equal a row of the fit in all predictors")
    assert told.startswith("52 of the 569 rows of new.csv have missing values in the predictors and get no prediction.")
    assert shown(window, "#counted .verdict.open", "test rows equal a row of the fit") == told
    assert "Confusion table of the new rows" in window.locator("#counted").inner_text()
    aside = pd.read_csv(download(window, "rows_aside", tmp_path))
    n_checked = re.search(r"(\d+) rows set aside, which the fit has not seen", window.locator("#check").inner_text())[1]
    assert (len(aside), set(aside)) == (int(n_checked), set(table))
    window.get_by_role("tab", name="New rows").click()
    window.locator("#new_rows_shown").scroll_into_view_if_needed()

    # the reason is under the heading that both places name
    window.fill("#alpha_number", "0.2")
    window.keyboard.press("Enter")
    where = "is not guaranteed. The reason stands under \u201cAlpha and its price\u201d."
    shown(window, "#check", "is not guaranteed. The reason stands below.")
    shown(window, "#new_rows_shown", where)
    card = window.locator(".card", has=window.get_by_role("heading", name="Alpha and its price"))
    assert "not guaranteed because alpha was chosen on the band" in card.inner_text()


@pytest.mark.slow
@pytest.mark.skipif(not LINUX, reason="reads /proc")
def test_a_fit_can_be_cancelled_and_sessions_share_nothing(visit, server):
    first = visit()
    second = visit()
    fit(first, "lda")
    shown(first, "#status", "alpha = 0.05")
    before = server.processes()
    first.fill("#n_splits", "999")
    fit(first, "randomforest")
    shown(first, "#progress", re.compile(r"[1-9]\d* of 999 split"))
    (worker,) = server.processes() - before
    # the other window sees none of it
    assert second.locator("#running").inner_text() == ""
    assert second.locator("#fitted").inner_text() == ""
    first.click("#cancel")
    shown(first, "#problem", "cancelled")
    wait_for(lambda: worker not in server.processes())
    shown(first, "#status", "alpha = 0.05")  # the earlier result is still there

    # a window that is closed in the middle of a fit takes its process and its folder along
    press_fit(first)
    shown(first, "#progress", re.compile(r"[1-9]\d* of 999 split"))
    assert len(server.sessions()) >= 2
    folders = set(server.sessions())
    first.context.close()
    wait_for(lambda: len(folders - set(server.sessions())) >= 1)
    wait_for(lambda: server.processes() <= before)


def test_settings_scroll_below_the_button_that_folds_them_and_not_under_it(visit):
    window = visit()
    where = """() => {
        const side = document.querySelector(".bslib-sidebar-layout > .sidebar");
        side.scrollTop = 300;
        return [side.scrollTop, side.getBoundingClientRect().top + side.clientTop];
    }"""
    scrolled, top = window.evaluate(where)
    button = window.locator(".collapse-toggle").bounding_box()
    assert scrolled == 300
    assert top >= button["y"] + button["height"]
    window.locator(".collapse-toggle").click()
    window.locator(".bslib-sidebar-layout.sidebar-collapsed").wait_for()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 900, 700])
def test_after_fit_the_answer_is_in_view_and_its_summary_is_not_cut(visit, width):
    window = visit(width)
    window.mouse.move(width / 2, 400)
    window.mouse.wheel(0, 3000)
    press_fit(window)
    shown(window, "#status", "alpha = 0.05 (fixed before the fit)")
    top = "document.getElementById('status').closest('.card').getBoundingClientRect().top"
    wait_for(lambda: -1 <= window.evaluate(top) < 450)
    summary = window.locator("#summary pre")
    summary.scroll_into_view_if_needed()
    shown_width, whole = summary.evaluate("text => [text.clientWidth, text.scrollWidth]")
    assert whole <= shown_width


@pytest.mark.slow
def test_the_exact_name_of_a_method_and_enter_choose_that_method(visit):
    window = visit()
    box = window.locator("#methods-selectized")
    chosen = "document.getElementById('methods').selectize.items"
    names = ["lda", "svm", "nb"]
    for name in names:
        # Backspace shows the whole list again, with a highlight of its own
        window.evaluate("document.getElementById('methods').selectize.setValue(['lda', 'nb', 'randomforest'])")
        box.click()
        for _ in range(3):
            box.press("Backspace")
        box.press_sequentially(name)
        box.press("Enter")
        assert window.evaluate(chosen) == [name]
    box.press_sequentially("zzz")
    box.press("Enter")
    assert window.evaluate(chosen) == names[-1:]
    # an arrow key has the last word
    window.evaluate("document.getElementById('methods').selectize.setValue([])")
    box.fill("")
    box.press_sequentially("svm")
    box.hover()
    box.press("ArrowDown")
    marked = window.evaluate("document.getElementById('methods').selectize.$activeOption.attr('data-value')")
    box.press("Enter")
    assert marked != "svm"
    assert window.evaluate(chosen) == [marked]
