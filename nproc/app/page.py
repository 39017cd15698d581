"""The page: its controls, and how it shows results."""

import inspect
import math
import re
import shlex
from importlib.resources import files

from shiny import ui

from nproc.app.data import (
    ASIDE,
    IF_UNSEEN,
    LARGEST_SEED,
    MAX_BYTES,
    MAX_COLUMNS,
    MAX_SPLITS,
    NEW_FILE,
    NO_METHOD,
    ONE_SPELLING,
    SAMPLES,
    and_list,
    gaps_told,
    names_class,
    page_words,
    table_codes_told,
)
from nproc.app.results import AROUND_ALPHA, NO_REVIEW
from nproc.bands import estimate_text
from nproc.checks import count_of, level_text
from nproc.errors import NPError
from nproc.fits import NO_INTERVALS, above_told
from nproc.plotting import ENDS, TIMES_ALPHA
from nproc.rows import share_of_right_calls
from nproc.scorers import scorer_names, scorer_spec
from nproc.tables import at_least, at_most, format_number, region_ends

ZOOMS = {
    AROUND_ALPHA: "around your alpha",
    "1": "0 to 1",
    "0.5": "0 to 0.5",
    "0.3": "0 to 0.3",
    "0.1": "0 to 0.1",
}
WIDTHS_TOLD = {"170": "full width (170 mm)", "85": "one column (85 mm)"}
ENDS_TOLD = f"{', '.join(f'{end:g}' for end in ENDS[:-1])} or {ENDS[-1]:g}"
SLIDER_STEP = 0.005
FIRST_ALPHA = 0.05
INTRODUCTION = """\
## Control one error, minimise the other

To call a malignant tumour benign is worse than to call a benign one malignant. Here you choose the class whose error
you bound, and which share of its rows may be called the other class at most, such as 5 % of the malignant tumours. The
page makes a classifier that keeps this limit with a confidence that you choose, such as 95 %, and shows how much of the
other error that costs.

1. Pick a sample or upload a CSV file; say which column is the label, and the error of which label you bound.
2. Choose one method or several, and press Fit. Half of the rows of each class train; the band is computed from the
   others, because it bounds both errors at every alpha. If you set rows aside for a check, they are taken out
   first, and both errors are counted on them afterwards.
3. Move alpha to see what other limits would cost. The classifier and its errors on new rows follow without another fit.
   The guarantee is for the alpha that you fixed before the first fit.

In the words of the page, the class whose error you bound is class 0. The type I error, **P(predict class 1 |
class 0)**, is at most alpha with probability at least 1 \u2212 delta. The price is the type II error, P(predict class 0
| class 1), and the NP-ROC band shows it at every alpha.

A row is called class 1 if its score is above a threshold, which is one of the sorted scores of class 0 rows that did
not train (an order statistic). Scores are larger for class 1: the direction comes from the method and is not taken from
these rows, which would break the guarantee.

Groups, rows that belong together, more than two classes, and bounds from fresh rows are not on this page. Python has
them (`npc(..., groups=...)`, `npc(..., clusters=...)`, `npc_multiclass`, `fit.certify`), and so has the command line
(`npc fit --groups`, `npc fit --clusters`, `npc multiclass`, `npc certify`).

How many class 0 rows a study needs is not on this page either. The command `npc plan` tells it, and so does
`plan_class0` in Python.
"""


def page():
    """Return the page."""
    return ui.page_sidebar(
        ui.sidebar(
            # folds where the window is narrow; page.js closes it when a fit starts
            ui.tags.details(ui.tags.summary("Data and settings"), _data(), _level(), _method(), open="", id="settings"),
            ui.div(
                ui.input_action_button("fit", "Fit", class_="btn-primary w-100"),
                ui.output_ui("running"),
                class_="fit-bar",
            ),
            width="340px",
            open={"desktop": "open", "mobile": "always-above"},
        ),
        ui.head_content(
            ui.tags.meta(name="nproc-upload-limit", content=str(MAX_BYTES)),
            ui.tags.link(rel="icon", href="data:,"),
            ui.tags.style(_asset("page.css")),
            ui.tags.script(_asset("page.js")),
        ),
        # in sight wherever the reader is, and neither below the other
        ui.div(
            ui.div(ui.output_ui("problem"), role="alert", aria_live="assertive"),
            ui.div(ui.output_ui("stale"), role="status", aria_live="polite"),
            class_="top-bar",
        ),
        ui.navset_hidden(
            ui.nav_panel("", ui.div(ui.markdown(INTRODUCTION), class_="introduction"), value="start"),
            ui.nav_panel("", *_result(), value="result"),
            id="stage",
        ),
        title=ui.h1("Neyman-Pearson classification", class_="h4 m-0"),
        window_title="Neyman-Pearson classification",
        lang="en",
        fillable=False,
    )


def _asset(name):
    return files("nproc.app").joinpath(name).read_text(encoding="utf-8")


def _section(title, *content):
    return ui.tags.section(ui.h2(title), *content)


def note(*content):
    """Return a paragraph of help."""
    return ui.p(*content, class_="help")


def trouble(text):
    """Return what went wrong."""
    return ui.p(text, class_="verdict none")


OMIT = "Leave out the rows with missing values"


def of_class(column, label):
    """Return a label as the name of its class; one that does not say what it means comes with its column."""
    return label if names_class(label) else f"{column} = {label}"


def called(column, label, other):
    """Return in words what happens to a row of one label that is called the other."""
    return f"{of_class(column, label)} called {other}"


def choose_class0(column, labels):
    """Return the question which of two labels is class 0, and what each answer means."""
    first, second = labels
    return verdict(
        "open",
        "Choose one, before the first fit. The page cannot know which error matters more to you: ",
        ui.tags.b(called(column, first, second)),
        " or ",
        ui.tags.b(called(column, second, first)),
        ".",
    )


def meaning(column, class0, class1):
    """Return what each of the two errors is, by label."""
    return note(
        ui.tags.b(f"{called(column, class0, class1)}: the error that you bound."),
        " This is the type I error, which is meant to be at most alpha. ",
        ui.tags.b(f"{called(column, class1, class0)}: the other error."),
        f" This is the type II error, the price. If {of_class(column, class0)} is the disease, sensitivity is "
        "meant to be at least 1 \u2212 alpha, and the vertical axis shows specificity. If "
        f"{of_class(column, class1)} is the disease, sensitivity and specificity change places.",
    )


def folded(what, names, reasons, *, shown=False):
    """Return some columns that are not used, and in a fold the reason for each, `shown` at first or not."""
    listed = ", ".join(map(str, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    more = [f"and {len(reasons) - 20} more"] if len(reasons) > 20 else []
    reasons = map(ui.tags.li, [*reasons[:20], *more])
    return ui.tags.details(
        ui.tags.summary(f"{what}: {listed}"), ui.tags.ul(*reasons), class_="help", open="" if shown else None
    )


def owners_box(source, label):
    """Return why nothing is guaranteed for a table in which some owner has several rows, and what to do."""
    why = source.owners_told(label)
    said = f"Nothing on this page is guaranteed for these data, because {why}. {source.owners_way(label)}"
    return verdict("open", said)


def spelled_alike(column, values):
    """Return a warning where both labels of a column may be one in two spellings; None where they are not."""
    if not values.alike:
        return None
    said = f"Both labels of {column!r} {values.alike_told()}."
    return verdict("open", f"{said} If they mean the same, this column is no label with two classes. {ONE_SPELLING}")


def unlabelled(column, n_missing, n_rows):
    """Return what is wrong with a label column with gaps, and a button that leaves these rows out."""
    have = "has" if n_missing == 1 else "have"
    return verdict(
        "none",
        f"{count_of(n_missing, n_rows, first=True)} {have} no value in the label column {column!r}. Rows without "
        "a label can neither train nor set a threshold.",
        ui.br(),
        ui.input_action_button("labelled", "Leave these rows out", class_="btn-sm btn-outline-primary mt-2"),
    )


def gaps(rows, methods, *, omitted, dependent=False):
    """Return how many rows of the chosen predictors have missing values, where they are, and what that means.

    Of `dependent` rows nothing is promised that could hold for some of them.
    """
    from pandas.api.types import is_numeric_dtype

    told = gaps_told(rows)
    if not told:
        return note("The chosen predictors have no missing values.")
    if omitted:
        promised = "" if dependent else " What is promised then holds for rows without missing values."
        return note(f"{told} They are left out.{promised}")
    if not all(is_numeric_dtype(rows[name]) for name in rows.columns[rows.isna().any()]):
        return verdict("open", f"{told} {NO_METHOD} Tick the box, or leave out those columns.")
    able = [name for name in methods if scorer_spec(name).takes_gaps]
    if methods and len(able) == len(methods):
        return note(f"{told} {and_list(able)} can use them.")
    known = and_list([name for name in scorer_names() if scorer_spec(name).takes_gaps], "or")
    return verdict("open", f"{told} Tick the box, or choose {known}, which can use such rows.")


def codes(rows):
    """Return which numbers of the chosen predictors look like codes for missing values, before a fit says so."""
    told = table_codes_told(rows)
    return verdict("open", told) if told else None


def _data():
    return _section(
        "Data",
        ui.input_radio_buttons("kind", "Source of the data", {"sample": "a sample", "upload": "upload a CSV file"}),
        ui.panel_conditional(
            "input.kind == 'sample'",
            ui.input_select("sample", "Sample", {key: title for key, (title, _) in SAMPLES.items()}),
        ),
        ui.panel_conditional(
            "input.kind == 'upload'",
            ui.output_ui("file_input"),
            note(
                "UTF-8 or Windows-1252, separated by commas, semicolons or tabs, at most "
                f"{MAX_BYTES / 1e6:.0f} MB and {MAX_COLUMNS} columns. It stays on the computer that runs this page, in "
                "a temporary folder that goes when you leave. Another table takes the place of this one and of its "
                "result: download first what you want to keep."
            ),
        ),
        ui.output_ui("columns"),
        ui.output_ui("classes"),
        ui.input_radio_buttons("aside", "Rows set aside for a check", ASIDE, inline=True),
        note(
            "Rows that are set aside take no part in the fit, and both errors are then counted on them. They are drawn "
            "at random from each class, by the seed below. The price is fewer rows for the fit: it cannot carry as "
            "small an alpha, and its type II error is usually larger."
        ),
    )


def _level():
    return _section(
        "Alpha and delta",
        ui.div(
            ui.input_numeric("alpha", "Alpha", FIRST_ALPHA, min=0.001, max=0.999, step=0.01),
            ui.input_numeric("delta", "Delta", 0.05, min=0.001, max=0.999, step=0.01),
            class_="pairs",
        ),
        note(
            "Alpha is the largest share of class 0 rows that may be called class 1. With probability at "
            "least 1 \u2212 delta the share stays at or below it."
        ),
        ui.input_numeric("review_beta", "Beta, for three answers (optional)", None, min=0.001, max=0.999, step=0.01),
        note(
            "With beta, the share of class 1 rows that are called class 0 is bounded by it too. Rows that cannot be "
            "called either way are marked \u201creview\u201d and left to a person. After a fit with beta, alpha cannot "
            "be moved."
        ),
        ui.output_ui("carries"),
    )


def named(methods):
    """Return the text that stands for each method: its name and, from the docstring of its factory, what it is."""
    docs = {method: (inspect.getdoc(scorer_spec(method).factory) or "").partition("\n")[0] for method in methods}
    # the rest of the sentence says when to use it
    words = {method: re.split("[,;(.]", doc)[0].strip() for method, doc in docs.items()}
    return {method: f"{method}: {text}" if text else method for method, text in words.items()}


def _method():
    return _section(
        "Method and predictors",
        ui.input_selectize(
            "methods",
            "Methods, one or several",
            named(scorer_names()),
            selected=["lda"],
            multiple=True,
            width="100%",
            # Enter takes the best match of what is typed; otherwise a highlight from before the typing stays
            options={"setFirstOptionActive": True},
        ),
        ui.div(
            ui.input_numeric("n_splits", "Splits", 1, min=1, max=MAX_SPLITS, step=2),
            ui.input_numeric("seed", "Seed", 1, min=0, max=LARGEST_SEED, step=1),
            class_="pairs",
        ),
        note(
            "The promise is kept for the settings of the first fit. Nothing is promised for an alpha, a seed, a "
            "method or any other setting that you choose after you have seen a band, nor for a table that you correct "
            "then. The page recognises rows that it has already fitted, also in another order or with more or fewer "
            "columns, and says so. Sorting the rows differently is like another seed. If you correct values or labels, "
            "leave out or add rows, the page recognises them by the columns that can predict, if enough rows there "
            "differ from all others. It does not recognise them after it is loaded anew, if you rename the label "
            "column or the predictors, or if fewer than two columns that can predict keep their values, as after "
            "rounding or a change of units. The promise does not come back by that. Where a table has the same "
            "columns, or more or fewer of them, and other rows, it says what is proved if no band of them was seen "
            "before. It may mistake other rows for earlier ones if a column has the same fixed values in both tables, "
            "such as doses or ranks."
        ),
        note(
            "With several splits the bands are averaged and the classifiers vote. Results vary less. The bound on the "
            "type I error is then not proved at alpha, and the band is about single splits, not about their vote. The "
            "number must be odd, because a tied vote would be called class 0 and so raise the type II error."
        ),
        ui.output_ui("predictors"),
    )


def _result():
    return (
        ui.output_ui("fitted"),
        ui.layout_columns(
            # the choice first, and its price beside it
            ui.card(
                _level_controls(),
                ui.div(ui.output_ui("status"), ui.output_ui("assumption"), role="status", aria_live="polite"),
                ui.output_ui("counted"),
            ),
            ui.card(
                # of this height from the first: one that fills its card is drawn, stretched, and drawn again
                ui.output_plot("bands", click=True, height="560px", fill=False),
                ui.div(
                    ui.input_select("zoom", "Alpha axis shows", ZOOMS, width="13rem"),
                    ui.div(note("Click on the picture to move alpha there."), class_="moves-alpha"),
                    note(
                        f"With \u201c{ZOOMS[AROUND_ALPHA]}\u201d, the axis ends at {TIMES_ALPHA} times the alpha of "
                        f"the fit, rounded up to {ENDS_TOLD}. It ends earlier if all bands are nearly flat from "
                        "there on. It always shows the alpha that is marked."
                    ),
                    class_="below-picture",
                ),
            ),
            col_widths={"sm": 12, "xl": (5, 7)},
            class_="choice-and-price",
        ),
        ui.navset_card_underline(
            ui.nav_panel("Classifier", ui.output_ui("summary")),
            ui.nav_panel(PREDICTIVE, ui.output_ui("prevalence_field"), ui.output_ui("predictive")),
            ui.nav_panel("Compare", ui.output_ui("comparison")),
            ui.nav_panel(
                NEW_ROWS,
                ui.output_ui("new_file_input"),
                note("With the label column the file gives both errors; without it, predictions only."),
                ui.output_ui("new_rows_shown"),
                ui.output_ui("certify_shown"),
            ),
            ui.nav_panel("Python code", ui.output_ui("code")),
            ui.nav_panel(DOWNLOADS, _downloads()),
            id="tab",
        ),
    )


def tab_link(tab):
    """Return a link that opens a tab below the picture; page.js follows it."""
    return ui.tags.a(tab, href="#tab", data_tab=tab)


def _level_controls():
    return ui.div(
        ui.h2(CARD),
        ui.output_ui("which"),
        # page.js shows these where alpha can be moved, and the note elsewhere
        ui.div(
            _own_input(
                "alpha_slider",
                "Alpha",
                "range",
                class_="form-range",
                min=SLIDER_STEP,
                max=1 - SLIDER_STEP,
                step=SLIDER_STEP,
            ),
            _own_input("alpha_number", "Alpha, exactly", "number", class_="form-control", min=0, max=1, step="any"),
            note("Nothing is guaranteed for an alpha that you choose here, after you have seen the band."),
            class_="moves-alpha",
        ),
        ui.div(
            note(
                "With beta, alpha cannot be moved, because both limits are proved only for levels that were fixed "
                "before the first fit. To look at other levels, leave beta empty and press Fit."
            ),
            class_="alpha-stays",
            hidden="",
        ),
        ui.output_ui("plain"),
        ui.output_ui("check"),
        ui.div(
            ui.div(
                ui.input_numeric("target", "Or: type II error at most", 0.3, min=0, max=1, step=0.01),
                ui.input_action_button("find", "Find alpha"),
                class_="with-button",
            ),
            ui.input_action_link("planned", "Back to the alpha of the fit"),
            class_="moves-alpha",
        ),
    )


def _own_input(name, label, kind, **attributes):
    """Return an input that page.js attends to, so that only what the user does to it reaches the server."""
    field = ui.tags.input(id=name, type=kind, value=str(FIRST_ALPHA), **attributes)
    return ui.div(ui.tags.label(label, for_=name, class_="control-label"), field, class_="own-input")


def _downloads():
    buttons = (
        ("picture_svg", "Picture (SVG)"),
        ("picture_png", "Picture (PNG)"),
        ("picture_pdf", "Picture (PDF)"),
        ("band_csv", "Bands (CSV)"),
        ("script", "Python code"),
    )
    return ui.div(
        ui.input_select("picture_width", "Width in print", WIDTHS_TOLD, width="14rem"),
        *(ui.download_button(name, title, class_="btn-outline-primary") for name, title in buttons),
        ui.output_ui("model_button"),
        note(
            "In the CSV files of bands and predictions, text that begins with = + - @, a tab or a line break has an "
            "apostrophe before it, so that a spreadsheet does not run it; numbers stay as they are."
        ),
        class_="downloads",
    )


def saved_classifier(plan, model, aside="rows-set-aside.csv"):
    """Return the downloads of a classifier, and what a user does with the files; `model` and `aside` are two names."""
    rows_aside, said, certify = None, "", ()
    if plan.aside_share is not None:
        rows_aside = ui.download_button("rows_aside", "Rows set aside (CSV)", class_="btn-outline-primary")
        said = " The rows that were set aside are not in it. They are a file of their own."
        # whose bound is for independent rows
        if not plan.owners:
            certify = (
                note(
                    "This command bounds the type I error of the classifier by the rows that were set aside. The bound "
                    "holds only if you did not choose the method or alpha by the errors on these rows:"
                ),
                report(ui.tags.code(plan.certify_command(model, aside))),
            )
    options = plan.options_of_rows
    return [
        ui.download_button("model", "Classifier (model file)", class_="btn-outline-primary"),
        ui.download_button("report", "Report (HTML)", class_="btn-outline-primary"),
        ui.download_button("fitted_rows", "Rows of the fit (CSV)", class_="btn-outline-primary"),
        rows_aside,
        note(
            "Only nproc.load and the commands of npc, such as npc predict, read the model file. joblib.load does "
            "not. It is a pickle: load only files that you trust. Predictions of new rows are under New rows."
        ),
        note(
            "The rows of the fit are for the commands npc report and npc check. They read this file as --data",
            [", with ", ui.tags.code(shlex.join(options))] if options else None,
            f".{said}",
        ),
        *certify,
    ]


def certify_new(plan, model, new=None, *, omits=False, barred=""):
    """Return how the classifier in the file `model` is certified on new rows, those of `new` where they are there.

    Rows are left out if the command `omits` what gets no prediction or has no label. Where they are `barred`, it is
    said why there is no command.
    """
    name = NEW_FILE if new is None else new.name
    if barred:
        return note(f"There is no command that certifies the classifier by the rows in {name}, because {barred}.")
    must = "be independent"
    if new is not None and plan.label not in new.frame.columns:
        must = f"all be of class 0 ({of_class(plan.label, plan.class0)}), since they have no labels, be independent"
    return ui.TagList(
        note(
            "To certify the classifier on new rows, which bounds its type I error by them, download the model file "
            "under ",
            tab_link(DOWNLOADS),
            f" and run this command. The rows in {name} must {must}, and neither the fit nor a choice of yours may "
            "have used them:",
        ),
        report(ui.tags.code(plan.certify_new_command(model, new, omits=omits))),
    )


def score_note(fit):
    """Return what the score of a prediction is, and how it makes the prediction."""
    zero, one = fit.labels
    said = f"score: how far the row is above the threshold; above 0 it is called {one}"
    if not hasattr(fit, "review_rules"):
        return f"{said}."
    if fit.n_splits > 1:
        return f"{said}. A row is left to review where no class has more than half of the splits."
    rule = fit.review_rules[0]
    if rule.crossed:
        return f"{said}. One cut bounds both errors here, and no row is left to review."
    lowest = f"{rule.lower - fit.thresholds[0]:.4f}"
    return f"{said}, below {lowest} it is called {zero}, and between the two it is left to review."


PREDICTIVE, NEW_ROWS, DOWNLOADS = "Predictive values", "New rows", "Downloads"
CARD = "Alpha and its price"
# said within this card, too, which in a narrow window is not beside the picture but above it
WHY = f"The reason stands under \u201c{CARD}\u201d."
WHY_BELOW = "The reason stands below."
SEE_REPORT = "See the report, under \u201cChecks of the assumptions\u201d."
ROWS_SHOWN = 8
OTHERS_IN_DOWNLOAD = "The download has all other columns too, such as the number of a patient, but not the predictors."
# columns left out, the reasons of which are read without a click
MOST_OPEN = 3
# what columns of results are called on the page
PLAIN_NAMES = {
    "type2_lower": "type II error from",
    "type2": "estimate",
    "type2_upper": "to",
    "dominates": "better than",
    "alpha_low": "from alpha",
    "alpha_high": "to alpha (below)",
}


def verdict(kind, *content):
    """Return a box: "proved", "open" (no proof) or "none" (nothing there, or an error)."""
    return ui.div(*content, class_=f"verdict {kind}")


def bullets(sentences):
    """Return sentences as a list, or nothing for none."""
    return ui.tags.ul(*(ui.tags.li(sentence) for sentence in sentences), class_="notes") if sentences else None


def report(content):
    """Return a summary, or other text, in letters of one width."""
    text = content if isinstance(content, ui.Tag) else str(content)
    return ui.tags.pre(text, class_="report", tabindex="0")


def table(frame, caption, *, empty="none", of_file=False):
    """Return a DataFrame as a table with a caption.

    Columns of results get plain names. With `of_file` some are those of a file, and all keep the names they have.
    """
    if len(frame) == 0:
        return ui.p(ui.tags.b(caption), ": ", empty)
    names, rounded = list(frame.columns), {}
    if not of_file:
        names = [PLAIN_NAMES.get(name, name.replace("_", " ")) for name in names]
        rounded = {"type2_lower": lambda value: at_least(value, 4), "type2_upper": lambda value: at_most(value, 4)}
    # an empty cell for what is not there, such as the prediction of a row with a gap
    rows = [
        [
            "" if isinstance(value, float) and math.isnan(value) else rounded.get(name, format_number)(value)
            for name, value in zip(frame.columns, row, strict=True)
        ]
        for row in frame.itertuples(index=False)
    ]
    return number_table(caption, names, rows)


def regions(frame):
    """Return the table of regions, None without any; where all are so throughout, it says so once."""
    if len(frame) == 0:
        return None
    caption = "Regions of dominance"
    ends = [region_ends(*row) for row in frame[["alpha_low", "alpha_high", "where"]].itertuples(index=False)]
    frame = frame.assign(alpha_low=[low for low, _ in ends], alpha_high=[high for _, high in ends])
    if set(frame["where"]) == {"throughout"}:
        frame, caption = frame.drop(columns="where"), f"{caption}, each throughout from one alpha to the other"
    return table(frame, caption)


def number_table(caption, names, rows):
    """Return a table of texts and counts, the first of each row a heading."""
    head = ui.tags.tr(*(ui.tags.th(name, scope="col") for name in names))
    body = [ui.tags.tr(ui.tags.th(first, scope="row"), *map(ui.tags.td, map(str, cells))) for first, *cells in rows]
    made = ui.tags.table(ui.tags.caption(caption), ui.tags.thead(head), ui.tags.tbody(*body), class_="numbers")
    return ui.div(made, class_="scroll", tabindex="0")


def too_late(plan):
    """Return what becomes of the guarantee if a plan that keeps it is followed by another one for the same rows."""
    which = " for the method that you chose before the fit" * (len(plan.methods) > 1)
    kept = "If no band of these rows was seen before, this" if plan.resembles else "This"
    return (
        f"{kept} result keeps its guarantee{which}. If you fit again with another method, other columns or another "
        "setting, the new fit has none, because a band of these rows has been seen."
    )


def fitted(result):
    """Return what was fitted, and what the reader should know before looking at the band."""
    plan = result.plan
    splits = "1 split" if plan.n_splits == 1 else f"{plan.n_splits} splits"
    predictors = "1 predictor" if len(plan.features) == 1 else f"{len(plan.features)} predictors"
    methods = "method" if len(plan.methods) == 1 else "methods"
    beta = "" if plan.review_beta is None else f", beta = {plan.review_beta:g}"
    text = (
        f"{plan.source.name}: label {plan.label}, class 0 is {plan.class0!r}, class 1 is {plan.class1!r}; "
        f"{predictors}; {methods} {', '.join(plan.methods)}; {splits}, alpha = {plan.alpha:g}, delta = {plan.delta:g}"
        f"{beta}, seed {plan.seed}."
    )
    owners = owners_box(plan.source, plan.label) if plan.owners else None
    left_out, lost = plan.columns_left_out, None
    if left_out:
        why, shown = list(left_out.values()), len(left_out) <= MOST_OPEN
        lost = folded("Columns that were not used, and why", list(left_out), why, shown=shown)
    # they may advise another method, other columns or another file; where nothing is proved, nothing is left to lose
    is_advised = bool(result.warnings or plan.source.predictors(plan.label)[2] or plan.codes_told)
    said = [*plan.advice(), *result.warnings, *[too_late(plan)] * (is_advised and not plan.unmet)]
    return ui.div(ui.p(text, class_="mb-1"), owners, lost, bullets(said), class_="fitted")


def stale(differences):
    """Return a box that says where the settings are no longer those of the result; None where they are."""
    if not differences:
        return None
    return verdict(
        "open",
        ui.tags.b("The settings have changed since this fit"),
        f": {'; '.join(differences)}. What you see and download here belongs to the settings that were fitted, not "
        "to the new ones. Press Fit to use the new settings.",
    )


def earlier(differences):
    """Return the mark of a result in a tab that belongs to earlier settings; the box of `stale` says which."""
    return note("This is a result of the earlier settings.") if differences else None


def status(result, level, method, values, fit, differences=()):
    """Return the level, what the band says there, and what is promised; `differences` are those of `stale`."""
    plan = result.plan
    how = "fixed before the fit" if level.choice is None else level.choice.criterion
    failed = isinstance(fit, NPError)
    doubt = "" if failed else result.doubt(level, fit)
    lines = [ui.p(ui.tags.b(f"alpha = {level.shown_alpha}"), f" ({how}), {named([method])[method]}", class_="mb-1")]
    # left of the first threshold the bounds would be those of no classifier
    if plan.room.carries(level.alpha):
        sure = "without proof"
        if plan.n_splits > 1:
            # which are proved of no classifier
            sure = f"as an average over {plan.n_splits} single splits, without proof"
        elif not failed and not doubt and 2 * plan.delta < 1:
            sure = f"with probability at least {at_least(1 - 2 * plan.delta)}"
        type2 = ui.p(
            f"Type II error{' without review' * (plan.review_beta is not None)}, P(predict {plan.class0} | "
            f"{plan.class1}): between ",
            ui.tags.b(f"{at_least(values.type2_lower, 4)} and {at_most(values.type2_upper, 4)}"),
            f" {sure}; the estimate is {values.type2:.3f}.",
            " The type II error of their vote may lie outside these bounds." if plan.n_splits > 1 else "",
            class_="mb-2",
        )
        lines.append(type2)
        told = None if failed else result.nothing_called(level, method, fit)
        if told:
            lines.append(verdict("open", told))
        if not failed and not doubt and plan.n_splits == 1 and plan.review_beta is None:
            mean = f"{(values.n0 - values.order + 1) / (values.n0 + 1):.3f}"
            if result.has_ties(method):
                mean = f"the scores have ties, so it is less than {mean}"
            error = f"Type I error, P(predict {plan.class1} | {plan.class0})"
            lines.append(note(f"{error}: {mean} on average over samples of this size."))
    if failed:
        return ui.TagList(*lines, _no_classifier(plan, level, fit))
    return ui.TagList(*lines, _bound(result, level, fit, doubt, differences), _exactly(result, level, fit, doubt))


def _no_classifier(plan, level, error):
    """Return why there is no classifier at a level, and the way to one."""
    if not plan.room.carries(level.alpha):
        return too_few(plan.room, level.alpha, ("smallest",))
    if plan.review_beta is None or level.choice is None:
        return verdict("none", page_words(error))
    # alpha cannot be moved then, so it was set anew
    return verdict(
        "none",
        "With beta there is a classifier only at the alpha and delta that were fixed before the first fit of these "
        "rows, because both limits are proved only for such levels. Set alpha and delta to those of the first fit, or "
        "leave beta empty and press Fit.",
    )


def _bound(result, level, fit, doubt, differences):
    """Return the box with the bound on the type I error, and whether it is proved."""
    plan = result.plan
    beta = plan.review_beta
    bound = f"Type I error at most {level.shown_alpha}"
    if doubt:
        # of a vote less is proved, but not nothing
        less = (
            f" {fit.vote_bound().sentence()}" if level.choice is None and not plan.changed and not plan.owners else ""
        )
        other = "" if beta is None else f", and type II error at most {level_text(beta)} with the same probability"
        bound += f" with probability at least {at_least(1 - plan.delta)}{other}: "
        return verdict("open", bound, ui.tags.b("not guaranteed"), f" {doubt}.{less}")
    # the sentence in plain words has said how sure it is
    bound += ": " if beta is None else f", and type II error at most {level_text(beta)}: "
    conditions = ["if the method was chosen beforehand"] * (len(plan.methods) > 1) + [IF_UNSEEN] * plan.resembles
    condition = f", {and_list(conditions)}" if conditions else ""
    if differences:
        # the box above all says that those of now are not fitted yet
        return verdict("open", bound, ui.tags.b("proved for the settings that were fitted"), condition, ".")
    return verdict("proved", bound, ui.tags.b("proved"), condition, ".")


def _exactly(result, level, fit, doubt):
    """Return the notes on a classifier behind a fold, which is closed where the box has said all that matters."""
    title = "What that means, exactly"
    # these notes say what is proved of a fit; the box says why it is not of this one
    if level.choice is None and result.plan.unmet:
        title = _if_met(result.plan)
    return ui.tags.details(ui.tags.summary(title), bullets(result.notes(fit)), **({"open": ""} if doubt else {}))


def _if_met(plan):
    return f"What would hold {' and '.join(plan.unmet)}"


def compared(result, level, best):
    """Return what the bands say of several methods at a level, and what is proved of it; `best` names the best."""
    found, doubt, without = result.comparison, result.comparison_doubt(level), result.plan.without
    notes = bullets(found._notes(_share_of_delta(result.plan)))
    if result.plan.unmet:
        notes = ui.tags.details(ui.tags.summary(_if_met(result.plan)), notes, open="")
    at_level = [table(found.at(level.alpha).drop(columns="bounds"), f"At alpha = {level.shown_alpha}{without}")]
    at_level.append(ui.p(found.bounds_text))
    return ui.TagList(
        verdict("open", doubt) if doubt else None,
        ui.p(NO_REVIEW) if without else None,
        # left of the first threshold the bounds would be those of no classifier
        *(at_level if result.plan.room.carries(level.alpha) else []),
        ui.p(best),
        regions(found.regions),
        notes,
    )


def _share_of_delta(plan):
    """Return what to enter on the page so that a method chosen by a comparison keeps delta."""
    n = len(plan.methods)
    share = "half of delta" if n == 2 else f"delta / {n}"
    # rounded down, so that all together they are no more than delta
    return f"enter {share} ({at_least(plan.delta / n)}) before the first fit"


def use(button, room):
    """Return a button that sets a level to the smallest that some rows carry."""
    name = f"Use {room.level} = {room.smallest}"
    return ui.input_action_button(button, name, class_="btn-sm btn-outline-primary mt-2")


def carries(room, level):
    """Return which levels the rows of a class carry, before any fit."""
    return note(room.told(level)) if room.carries(level) else too_few(room, level, ("carried", "carried_beta"))


def too_few(room, level, buttons=("carried_above", "carried_beta_above")):
    """Return why the rows of a class cannot carry a level, and a button with one of use that they can, if any."""
    if not room.is_of_use:
        return verdict("none", room.told(level))
    return verdict("none", room.told(level), ui.br(), use(buttons[room.number], room))


def _percent_at_most(value):
    """Return an upper bound as a percentage with two decimals, or three significant digits, rounded up.

    Examples
    --------
    >>> [_percent_at_most(value) for value in (0.05, 0.112128, 0.1234, 0.000123456)]
    ['5 %', '11.22 %', '12.34 %', '0.0124 %']
    """
    number = at_most(value, max(4, 2 - math.floor(math.log10(value))), percent=True).removesuffix(" %")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number} %"


def plainly(result, level, values, fit):
    """Return both errors in a sentence each, for a reader who has never heard of them; None without a classifier."""
    if isinstance(fit, NPError):
        return None
    plan = result.plan
    doubt = result.doubt(level, fit)
    complete = " without missing values" * bool(plan.leaves_out)
    zero, one = (f"{members(plan.label, label)}{complete}" for label in (plan.class0, plan.class1))
    limit = f"at most {_percent_at_most(float(level.shown_alpha))} of {zero}"
    sure = f"with {at_least(1 - plan.delta, percent=True)} confidence"
    missed = f"This classifier misses {limit} (calls them {plan.class1}), {sure}"
    if doubt:
        limits = "limit is" if plan.review_beta is None else "limits are"
        missed = (
            f"The {limits} not guaranteed; the reason stands below. The aim is to miss {limit} (to call them "
            f"{plan.class1}), {sure}"
        )
    elif len(plan.methods) > 1:
        # of a choice among them less is proved
        missed += " for a method chosen beforehand"
    if plan.resembles and not doubt:
        missed += f", {IF_UNSEEN}"
    # the digits of tables and reports, so that one band has one pair of numbers
    lower, upper = at_least(values.type2_lower, 4, percent=True), at_most(values.type2_upper, 4, percent=True)
    # the two bounds fail with probability delta each
    sure = f"with {at_least(1 - 2 * plan.delta, percent=True)} confidence"
    if doubt or plan.n_splits > 1 or 2 * plan.delta >= 1:
        sure = "without proof"
    between = f"{lower.removesuffix(' %')} to {upper}, {sure}"
    about = f"about {100 * values.type2:.1f} % ({between}) of {one} are called {plan.class0}"
    if plan.n_splits > 1:
        about += " (in a single split; in the vote it can be more or fewer)"
    price = f"The other error: {about}."
    if plan.review_beta is not None:
        aim = "the aim is that " if doubt else ""
        price = (
            f"The other error: {aim}at most {_percent_at_most(plan.review_beta)} of {one} are called {plan.class0}, "
            f"with the same confidence. {_reviewed(plan, fit)}"
        )
    return ui.p(f"{missed}. {price}", class_="plainly")


def members(column, label):
    """Return what the rows of a class are called in a sentence.

    Examples
    --------
    >>> members("diagnosis", "malignant"), members("sick", "yes"), members("y", 0)
    ('the malignant cases', 'those with sick = yes', 'those with y = 0')
    """
    # a single word may stand before another one
    if names_class(label) and label.isalpha():
        return f"the {label} cases"
    return f"those with {column} = {label}"


def _reviewed(plan, fit):
    """Return how many rows of each class a person has to look at, in a sentence or two."""
    if fit.n_splits == 1 and fit.review_rules[0].crossed:
        return "No row is left to review."
    shares = 100 * fit.to_frame()[["review0", "review1"]].mean()
    zero, one = (members(plan.label, label) for label in (plan.class0, plan.class1))
    about = f"about {shares['review0']:.1f} % of {zero}, and {shares['review1']:.1f} % of {one}"
    if fit.n_splits > 1:
        about += " (in a single split; in the vote it can be more or fewer)"
    return f"Left to review: {about}."


def check(plan, evaluation, said, fit):
    """Return both errors on the rows that were set aside, below what is said of these rows."""
    said = f"{plan.unknown} {said}".strip()
    if evaluation is None:
        return note(f"No error can be counted on the rows that were set aside. {said}")
    limits = "These intervals hold only if you did not choose method or alpha by looking at this table."
    if not evaluation.intervals_hold:
        limits = f"No intervals are shown, because {evaluation.dependent}." if evaluation.dependent else None
    return ui.TagList(
        confusion(evaluation, said, f"{evaluation.n0 + evaluation.n1} rows set aside, which the fit has not seen"),
        errors(evaluation, fit, WHY_BELOW, n_methods=len(plan.methods)),
        note(limits) if limits else None,
    )


def more(plan):
    """Return where the page has more about the classifier on show."""
    links = ["To count errors on another file, see ", tab_link(NEW_ROWS), "."]
    if plan.review_beta is None:
        question = f"How many of the rows called {plan.class0} are {plan.class0}: see "
        links += [ui.br(), question, tab_link(PREDICTIVE), "."]
    return note(*links)


def confusion(evaluation, said, caption="Confusion table of the new rows"):
    """Return the counts of true and predicted labels, below what is said of these rows."""
    e, (zero, one) = evaluation, evaluation.labels
    columns = ["True label", f"Predicted {zero}", f"Predicted {one}", "Rows"]
    reviews = [getattr(e, name, 0) for name in ("n0_review", "n1_review")]
    rows = [
        [f"{zero} (class 0)", e.n0 - e.n_false1 - reviews[0], e.n_false1, e.n0],
        [f"{one} (class 1)", e.n_false0, e.n1 - e.n_false0 - reviews[1], e.n1],
    ]
    if hasattr(e, "n0_review"):
        columns.insert(3, "Review")
        for row, count in zip(rows, reviews, strict=True):
            row.insert(3, count)
    return ui.TagList(told_of_rows(said), number_table(caption, columns, rows))


def told_of_rows(said):
    """Return a box with what is said of some rows, such as that they are those of the fit; nothing for nothing."""
    return verdict("open", said) if said else None


def errors(evaluation, fit, why=WHY, *, n_methods=1):
    """Return both errors with their intervals, and whether a bound is proved; `why` says where the reason stands.

    The method of the fit may have been chosen among so many.
    """
    e = evaluation
    zero, one = e.labels
    coverage = at_least(e.level, percent=True)
    rows = []
    for name, what, rate, interval in (
        ("Type I", f"P(predict {one} | {zero})", e.type1, e.type1_interval),
        ("Type II", f"P(predict {zero} | {one})", e.type2, e.type2_interval),
    ):
        numbers = ["no rows", "-", "-"]
        if rate is not None:
            ends = [at_least(interval.lower, 4), at_most(interval.upper, 4)] if e.intervals_hold else ["-", "-"]
            numbers = [format_number(rate), *ends]
        rows.append([f"{name}: {what}", *numbers])
    promise = f"The type I error of this classifier is not guaranteed. {why}"
    if fit.guaranteed and e.is_above:
        # each of the methods breaks its bound with probability at most delta
        promise = above_told(n_methods * e.delta + (1 - e.level) / 2, SEE_REPORT)
    elif fit.guaranteed:
        what = "both errors" if hasattr(fit, "review_rules") else "the type I error"
        promise = (
            f"The guarantee (alpha = {level_text(e.alpha)}, delta = {e.delta:g}) is about {what} in the population. "
            "In a finite table an observed rate may exceed its bound with a probability above delta."
        )
    intervals = f"Intervals are Clopper-Pearson's, {coverage}, for independent rows."
    promise = note(f"{intervals if e.intervals_hold else NO_INTERVALS} {promise}")
    return ui.TagList(number_table("Errors", ["Error", "Rate", "From", "To"], rows), promise)


def prevalence_field(plan, value):
    """Return the field for the prevalence of class 0, and what it is for."""
    name = of_class(plan.label, plan.class0)
    return ui.TagList(
        ui.input_numeric(
            "prevalence",
            f"Prevalence: the share of {name} where the classifier will be used, such as 0.01",
            value,
            min=0,
            max=1,
            step=0.01,
            width="100%",
        ),
        note(
            f"How many of the rows called {plan.class0} are {plan.class0} depends on the prevalence. It is not taken "
            "from the file, which need not have the same share."
        ),
    )


def predictive(result, level, values, fit):
    """Return both predictive values by label, with their bounds and what is promised of these."""
    zero, one = values.classes
    cells = (
        (zero, values.npv_lower, values.npv, values.npv_upper),
        (one, values.ppv_lower, values.ppv, values.ppv_upper),
    )
    rows = [
        [share_of_right_calls(name), at_least(low, 4), estimate_text(middle), at_most(high, 4)]
        for name, low, middle, high in cells
    ]
    promise = result.predictive_promise(values, level, fit)
    return ui.TagList(
        number_table(f"At alpha = {level.shown_alpha}", ["Share of right calls", "From", "Estimate", "To"], rows),
        note(promise),
        note(
            "The HTML report has this table too, under \u201cOther results\u201d. The CSV file of the bands "
            "has the predictive values at every alpha where the band has a step."
        ),
    )


def new_rows(predictions, evaluation, said, fit, renamed="", *, n_methods=1):
    """Return the first rows of the predictions with their download, below what is said of them and both errors.

    `renamed` says which columns of the file have another name here.
    """
    parts = [told_of_rows(said)]
    if evaluation is not None:
        parts = [confusion(evaluation, said), errors(evaluation, fit, n_methods=n_methods)]
    has_others = not {"row", "predicted", "votes", "score", "reason"}.issuperset(predictions)
    caption = f"Predictions, first {min(ROWS_SHOWN, len(predictions))} of {len(predictions)} rows"
    return ui.TagList(
        *parts,
        note(renamed) if renamed else None,
        table(predictions.head(ROWS_SHOWN), caption, of_file=True),
        note("row: its number in the file, counted from 1 below the header."),
        note("votes: share of splits that say class 1. " if "votes" in predictions else "", score_note(fit)),
        note(OTHERS_IN_DOWNLOAD) if has_others else None,
        ui.download_button("predictions", "Predictions (CSV)", class_="btn-outline-primary"),
        ui.p(
            "In the download, text that begins with = + - @, a tab or a line break has an apostrophe before it.",
            class_="help mt-2",
        ),
    )
