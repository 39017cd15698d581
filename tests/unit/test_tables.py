"""Tests of `nproc.tables`: layout in 78 columns, numbers, escapes, nothing dropped silently."""

import csv
import io
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from statsmodels.iolib.summary import Summary

from nproc import NPROCBand, np_threshold, nproc
from nproc.checks import level_text
from nproc.groups import np_group_thresholds
from nproc.planning import type1_law
from nproc.review import np_review
from nproc.tables import (
    format_number,
    format_percent,
    rounded_down,
    rounded_up,
    summaries_as_text,
    summary_table,
    table_frame,
)

PAIRS = [("Method", "logistic"), ("alpha", 0.05), ("delta", 0.05), ("Splits", 11), ("Seed", 2**31)]
COLUMNS = ["split", "rank", "threshold"]
ROWS = [(j, 104, 0.25 * j) for j in range(1, 51)]


def text_lines(summary):
    return str(summary).splitlines()


def test_layout_is_that_of_a_statsmodels_summary():
    lines = text_lines(summary_table("Fit", PAIRS, COLUMNS, ROWS[:1], ["One split."]))
    assert lines == [
        "Fit".center(78),
        "=" * 78,
        "Method:                      logistic   Splits:                             11",
        "alpha:                         0.0500   Seed:                       2147483648",
        "delta:                         0.0500                                         ",
        "=" * 78,
        "split                              rank                              threshold",
        "-" * 78,
        "1                                   104                                 0.2500",
        "=" * 78,
        "",
        "Notes:",
        "[1] One split.",
    ]


def test_summary_is_one_of_statsmodels_and_prints_itself():
    summary = summary_table("Fit", PAIRS, COLUMNS, ROWS[:2])
    assert isinstance(summary, Summary)
    assert repr(summary) == str(summary) == summary.as_text()
    assert len(summary.tables) == 2
    assert summary._repr_html_() == summary.as_html()
    assert summary._repr_latex_() == summary.as_latex()


@pytest.mark.parametrize(
    "given",
    [
        ("Fit", PAIRS, COLUMNS, ROWS[:3], ["One split.", "A note that is long. " * 9]),
        ("Fit", PAIRS[:1]),
        ("A title that is wider than the table below it, as some are", [], ["a", "b"], []),
        ("Fit", [("Scorer", "x" * 90), ("n", 3)], [f"a rather long header {j}" for j in range(5)], [range(5)]),
        ("Fit", [], ["Methods", "p"], [("StandardScaler+PolynomialFeatures+LogisticRegression - svm" * 2, 0.25)]),
        ("Gro\u00dfe", [("Class 0", "\u4e2d")], ["one column"], [[1]], ["x"]),
    ],
)
def test_a_summary_as_text_alone_is_the_text_that_statsmodels_prints(given):
    whole = summary_table(*given)
    with summaries_as_text():
        alone = summary_table(*given)
    assert not isinstance(alone, Summary)
    assert str(alone) == alone.as_text() == str(whole)
    assert (alone.as_html(), alone.as_latex(), alone.as_csv()) == (whole.as_html(), whole.as_latex(), whole.as_csv())
    assert isinstance(summary_table(*given), Summary)


def test_survives_pickling():
    summary = summary_table("Fit", PAIRS, COLUMNS, ROWS[:2], ["Note."])
    assert str(pickle.loads(pickle.dumps(summary))) == str(summary)


def test_table_may_stand_alone_and_may_be_empty():
    lines = text_lines(summary_table("Regions", [], ["better", "worse"], []))
    assert lines[0].strip() == "Regions"
    assert lines[4].split() == ["none"]


def test_max_rows_says_how_many_rows_are_left_out():
    shown = text_lines(summary_table("Fit", PAIRS, COLUMNS, ROWS, max_rows=11))
    assert shown[-2].rstrip() == "... 39 more"
    assert sum(line.split()[1:2] == ["104"] for line in shown) == 11
    everything = text_lines(summary_table("Fit", PAIRS, COLUMNS, ROWS))
    assert sum(line.split()[1:2] == ["104"] for line in everything) == 50
    assert "more" not in str(summary_table("Fit", PAIRS, COLUMNS, ROWS, max_rows=50))


def test_long_values_and_notes_wrap_and_lose_nothing():
    value = "Pipeline(steps=[('scale', StandardScaler()), ('svc', SVC(C=10, gamma='scale'))])"
    note = "The bound on the type I error holds with probability at least 0.95 " * 3
    summary = summary_table("Fit", [*PAIRS, ("Scorer", value)], notes=[note, "Second."])
    assert max(map(len, text_lines(summary))) <= 78
    start = text_lines(summary)[4].index("Scorer:") + len("Scorer:")
    right = "".join(line[start:] for line in text_lines(summary)[4:6])
    assert right.replace(" ", "") == value.replace(" ", "")
    assert " ".join(note.split()) in " ".join(str(summary).split())
    assert text_lines(summary)[-1] == "[2] Second."
    name = "GridSearchCV(estimator=ColumnTransformer(transformers=[SimpleImputer+OneHotEncoder,SimpleImputer]),cv=3)"
    below_wide = summary_table("Fit", [], ["x" * 60, "y" * 60], [[1, 2]], [f"Scorer: {name}", note])
    lines = text_lines(below_wide)[text_lines(below_wide).index("Notes:") :]
    assert lines[1:3] == ["[1] Scorer: GridSearchCV(estimator=ColumnTransformer(", f"    {name[41:]}"]
    assert max(map(len, lines)) <= 78
    assert note.strip() in " ".join(" ".join(lines).split())


def test_an_unbroken_long_value_and_a_wide_table_still_line_up():
    wide = [f"a rather long header {j}" for j in range(5)]
    summary = summary_table("Fit", [("Label", "x" * 90), ("n", 3)], wide, [range(5)])
    rules = {len(line) for line in text_lines(summary) if set(line) == {"="}}
    assert rules == {len(text_lines(summary)[0])}
    assert str(summary).count("x") == 90
    assert all(header in str(summary) for header in wide)


def test_a_long_name_takes_the_room_that_the_other_side_spares_and_breaks_at_its_joints():
    lines = text_lines(summary_table("Fit", [("Method", "StandardScaler+LogisticRegression"), ("Splits", 11)]))
    assert lines[2] == "Method: StandardScaler+LogisticRegression   Splits:" + "11".rjust(27)
    name = "StandardScaler+PolynomialFeatures+SelectFromModel+LogisticRegression"
    lines = text_lines(summary_table("Fit", [("Method", name), ("Rows", 10**9), ("delta", 0.05)]))
    assert {len(line) for line in lines} == {78}
    start = lines[2].index("delta:")
    left = [line[:start].removeprefix("Method:").strip() for line in lines[2:-1]]
    assert left[:2] == ["StandardScaler+PolynomialFeatures+SelectFromModel+", "LogisticRegression"]


@pytest.mark.parametrize("swapped", [False, True])
def test_words_are_not_broken_where_the_other_side_can_break_at_a_space(swapped):
    sides = [("Class 0 (controlled)", "gradientboosting"), ("Classifiers certified", "no, too few rows")]
    text = str(summary_table("Fit", sides[::-1] if swapped else sides))
    assert "gradientboosting" in text
    assert {"too", "few", "rows"} <= set(text.split())
    assert len({len(line) for line in text.split("\n")}) == 1


def test_long_names_in_the_table_break_and_its_headers_and_numbers_do_not():
    long, header = "StandardScaler+PolynomialFeatures+LogisticRegression", "a header of some thirty letters"
    summary = summary_table("Differences", [], ["Methods", header, "p"], [(f"{long} - {long}", "short", 0.25)] * 2)
    lines = text_lines(summary)
    assert {len(line) for line in lines} == {78}
    assert header in lines[2]
    assert lines[4].split() == ["StandardScaler+PolynomialFeatures+", "short", "0.2500"]
    # what goes on in the next line does not look like another row
    assert [line[:2].isspace() for line in lines[4:-1]] == 2 * [False, *[True] * ((len(lines) - 5) // 2 - 1)]
    cells = "".join(line[:38].strip() for line in lines[4:-1])
    assert cells.replace(" ", "") == 2 * f"{long}-{long}"
    # elsewhere a cell is a cell
    assert f"<th>{long} - {long}</th>" in summary.as_html()
    assert f"{long} - {long},short,0.2500\n" in summary.as_csv()


def test_labels_of_users_keep_their_letters_on_one_line():
    label = "Gro\u00dfe \u00e9\n\u4e2d \u0645\u200c\u0646"
    summary = summary_table(label, [("Class 0", label), (label, 1)], [label, "n"], [(label, 1)], [label])
    plain = label.replace("\n", " ")
    assert str(summary).count(plain) == 6
    assert all(plain in written for written in (summary.as_csv(), summary.as_html(), summary.as_latex()))


def test_a_label_cannot_move_the_cursor_of_a_terminal():
    assert "a\\x1b[2Jb \\ud800" in str(summary_table("T", [("Class 0", "a\x1b[2Jb \ud800")]))


def test_latex_escapes_special_characters_also_in_notes():
    latex = summary_table("A & B", [("n_0", "5 %")], ["a<b", "c"], [("[1]", "x^2")], ["12 % # {a}"]).as_latex()
    for piece in (r"A \& B", r"n\_0: & 5 \% \\", r"a\textless{}b & c \\", r"{[}1{]} & x\textasciicircum{}2"):
        assert piece in latex
    assert r"12 \% \# \{a\}" in latex
    # \textquotedbl is an error in LaTeX's default encoding
    assert r"say {\char34}no{\char34}" in summary_table("T", [("n", 'say "no"')]).as_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2


def test_html_escapes_special_characters_also_in_notes():
    page = summary_table("A & B", [("n", "<b>")], ["x", "y"], [("1 > 0", 2)], ["a < b"]).as_html()
    assert "<strong>A &amp; B</strong>" in page
    assert "<td>&lt;b&gt;</td>" in page
    assert "<th>x</th><th>y</th>" in page
    assert "<th>1 &gt; 0</th><td>2</td>" in page
    assert "a &lt; b" in page
    assert page.startswith('<div class="tex2jax_ignore mathjax_ignore">')
    assert page.endswith("</div>")


def test_csv_quotes_commas_and_reads_back():
    summary = summary_table("Fit", [("Labels", "a, b")], ["x", "y"], [('say "no"', 2)], ["One, two."])
    assert list(csv.reader(io.StringIO(summary.as_csv()))) == [
        ["Fit"],
        ["Labels:", "a, b"],
        ["x", "y"],
        ['say "no"', "2"],
        ["[1] One, two."],
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (59, "59"),
        (np.int64(10**9), "1000000000"),
        (0.04855, "0.0486"),
        (np.float32(0.5), "0.5000"),
        (1.2e-7, "1.20e-07"),
        (4.9e-5, "4.90e-05"),
        (-0.0, "0.0000"),
        (-1e-9, "-1.00e-09"),
        (123456.5, "123456.5000"),
        (1e6, "1.00e+06"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (True, "yes"),
        (np.bool_(False), "no"),
        (None, ""),
        ("lda", "lda"),
    ],
)
def test_format_number(value, text):
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0.0%"), (1, "100.0%"), (0.0486, "4.9%"), (1e-5, "<0.1%"), (1 - 1e-5, ">99.9%"), (0.999, "99.9%")],
)
def test_format_percent_rounds_to_0_or_100_only_when_it_is(share, text):
    assert format_percent(share) == text


def test_table_frame_keeps_the_order_of_columns():
    frame = table_frame({"split": [1, 2], "threshold": np.array([0.3, 0.4])})
    assert list(frame.columns) == ["split", "threshold"]
    assert frame.shape == (2, 2)


@pytest.mark.slow
def test_import_stays_light():
    # scikit-learn's own import may bring pandas along
    code = "import sys, nproc.tables; print({'statsmodels', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_probability_is_never_said_to_be_larger_than_it_is():
    said = str(np_threshold(np.arange(100.0), alpha=0.5, delta=1e-7).summary())
    assert "with probability at least 0.999999 " in " ".join(said.split())


def test_no_bound_is_shown_better_than_it_is():
    rng = np.random.default_rng(2)
    values = np.concatenate([rng.random(500), 10.0 ** -rng.uniform(3, 12, 500), [0.0, 1.0, 0.05, 1 - 0.95]])
    for value in values:
        up, down = float(rounded_up(value)), float(rounded_down(value))
        # less the rounding error of a difference such as 1 - 0.95
        assert down <= value + 1e-15
        assert up >= value - 1e-15
        assert up - down <= max(1.01e-4, 0.02 * value)


def test_no_bound_is_shown_above_the_level_that_it_keeps():
    rng = np.random.default_rng(3)
    levels = np.concatenate([rng.random(300), 10.0 ** -rng.uniform(3, 12, 300), [0.05, 1 - 0.95, 0.156623, 0.14 / 3]])
    for limit in levels.tolist():
        # at the level and a little below
        for value in (limit, limit * (1 - 1e-7), limit * (1 - 1e-5), limit * 0.9):
            shown = float(rounded_up(value, limit))
            assert value - 1e-15 <= shown <= float(level_text(limit))
        assert rounded_up(1.1 * limit, limit) == rounded_up(1.1 * limit)
    # levels that are read off a band are bounds with more than four digits
    rng, y = np.random.default_rng(4), np.repeat([0, 1], [150, 120])
    x = (rng.normal(size=270) + 1.5 * y)[:, None]
    for kind in ("pointwise", "simultaneous"):
        band = nproc(x, y, "lda", class0=0, band=kind, random_state=1)
        for type2_max in (0.3, 0.4, 0.5, 0.6):
            fit = band.classifier(band.choose_alpha(type2_max=type2_max))
            most = float(level_text(fit.alpha))
            for text in (repr(fit), str(fit.summary()), repr(fit.rules[0]), str(fit.rules[0].summary())):
                found = re.search(r"(?:type I error <= |type1_upper=|Type I upper: +)([0-9.]+)", text)
                shown = found[1] if found else re.search(r"Type I upper\n-+\n.* ([0-9.]+)\n", text)[1]
                assert fit.type1_uppers[0] <= float(shown) <= most


def test_a_bound_of_a_result_is_rounded_outward():
    band = NPROCBand.from_scores(np.arange(90.0), np.arange(45.0, 135.0))
    shown = re.findall(r"Area, (?:lower|upper) curve: +([0-9.]+)", str(band.summary()))
    assert float(shown[0]) <= band.auc_lower
    assert float(shown[1]) >= band.auc_upper
    rule = np_threshold(np.arange(90.0))
    assert float(re.search(r"type1_upper=([0-9.]+)", repr(rule))[1]) >= rule.type1_upper
    assert float(re.search(r"Type I upper: +([0-9.]+)", str(rule.summary()))[1]) >= rule.type1_upper
    values = band.predictive_values(0.3)
    lines = [line.split() for line in str(values.summary(alphas=[0.2])).splitlines() if "P(class" in line]
    lower, upper = (values.at(0.2).ppv_lower, values.at(0.2).ppv_upper)
    assert lower - 1e-4 <= float(lines[0][-3]) <= lower
    assert float(lines[0][-1]) >= upper


@pytest.mark.slow
def test_the_smallest_alpha_of_a_summary_can_be_used():
    rng = np.random.default_rng(1)
    for kind in ("pointwise", "simultaneous"):
        for n0 in range(30, 60):
            band = NPROCBand.from_scores(rng.normal(size=n0), rng.normal(1, 1, 40), band=kind)
            shown = float(re.search(r"Smallest alpha: +([0-9.]+)", str(band.summary()))[1])
            assert band.at(shown).order == n0
            assert shown - band.alpha[0] < 1e-4


@pytest.mark.slow
def test_each_probability_of_a_summary_that_must_be_small_is_shown_no_smaller_than_it_is():
    rng = np.random.default_rng(2)
    for n in range(120, 160):
        scores0, scores1, groups = rng.normal(size=2 * n), rng.normal(1, 1, n), np.repeat(["a", "b"], n)
        rule, by_group = np_threshold(scores0), np_group_thresholds(scores0, groups)
        review, law = np_review(scores0, scores1), type1_law(n)
        band = NPROCBand.from_scores(scores0, scores1, band="simultaneous")
        at = band.at(0.3)
        share = -np.expm1(np.log1p(-0.05) / 2)
        for text, pattern, computed in (
            (rule.summary(), r"Violation rate: +(\S+)", rule.violation_rate),
            (repr(rule), r"violation_rate=([0-9.]+)", rule.violation_rate),
            (by_group.summary(), r"any group: +(\S+)", by_group.violation_rate),
            (by_group.summary(), r"(?m)^a .* (\S+) +\S+$", by_group.violation_rates[0]),
            (review.summary(), r"rate, type I: +(\S+)", review.violation_rate0),
            (law.summary(), r"Violation rate: +(\S+)", law.violation_rate),
            (band.summary(), r"fail with probability at most\s+(\S+)\. ", share),
            (repr(at), r"type2_upper=([0-9.]+)", at.type2_upper),
        ):
            shown = float(re.search(pattern, str(text))[1])
            assert computed <= shown < computed + 1e-4, (pattern, shown, computed)
        assert at.type2_lower - 1e-4 < float(re.search(r"type2_lower=([0-9.]+)", repr(at))[1]) <= at.type2_lower
