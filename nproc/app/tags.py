"""Results as pieces of the page."""

from __future__ import annotations

from shiny import ui

from nproc.errors import NPError
from nproc.tables import format_number, format_percent

ROWS_SHOWN = 8


def verdict(kind, *content):
    """Return a box: "proved", "open" (no proof) or "none" (nothing there, or an error)."""
    return ui.div(*content, class_=f"verdict {kind}")


def bullets(sentences):
    """Return sentences as a list, or nothing for none."""
    return ui.tags.ul(*(ui.tags.li(sentence) for sentence in sentences), class_="notes") if sentences else None


def report(summary):
    """Return a summary as text of fixed width."""
    return ui.tags.pre(str(summary), class_="report", tabindex="0")


def table(frame, caption, *, empty="none"):
    """Return a DataFrame as a table with a caption."""
    if len(frame) == 0:
        return ui.p(ui.tags.b(caption), ": ", empty)
    names = [str(name).replace("_", " ") for name in frame.columns]
    rows = [[format_number(value) for value in row] for row in frame.itertuples(index=False)]
    return number_table(caption, names, rows)


def number_table(caption, names, rows):
    """Return a table of texts, the first of each row a heading."""
    head = ui.tags.tr(*(ui.tags.th(name, scope="col") for name in names))
    body = [ui.tags.tr(ui.tags.th(first, scope="row"), *(ui.tags.td(cell) for cell in cells)) for first, *cells in rows]
    made = ui.tags.table(ui.tags.caption(caption), ui.tags.thead(head), ui.tags.tbody(*body), class_="numbers")
    return ui.div(made, class_="scroll", tabindex="0")


def stale(differences):
    """Return a box that says where the settings are no longer those of the result; None where they are."""
    if not differences:
        return None
    return verdict(
        "open",
        ui.tags.b("The settings have changed since this fit"),
        f": {'; '.join(differences)}. All that is shown and downloaded here is of the settings that were fitted, and "
        "says nothing of the new ones. Press Fit for those.",
    )


def status(result, level, method, values, fit, differences=()):
    """Return the level, what the band says there, and what is promised; `differences` are those of `stale`."""
    plan = result.plan
    how = "fixed before the fit" if level.choice is None else level.choice.criterion
    failed = isinstance(fit, NPError)
    proved = not failed and fit.guaranteed and not plan.changed
    chance = f"both hold except with chance {min(2 * plan.delta, 1):g}" if proved else "without proof at this level"
    lines = [
        ui.p(ui.tags.b(f"alpha = {level.shown_alpha}"), f" ({how}), {method}", class_="mb-1"),
        ui.p(
            f"Type II error, P(predict {plan.class0} | {plan.class1}): between ",
            ui.tags.b(f"{values.type2_lower:.3f} and {values.type2_upper:.3f}"),
            f" (estimate {values.type2:.3f}); {chance}.",
            class_="mb-2",
        ),
    ]
    if failed:
        return ui.TagList(*lines, verdict("none", str(fit)))
    bound = f"Type I error at most {level.shown_alpha}, except with chance {plan.delta:g}: "
    one = " for a method chosen beforehand" if len(plan.methods) > 1 else ""
    if proved and differences:
        fitted = ui.tags.b("proved for the settings that were fitted")
        box = verdict("open", bound, fitted, one, ". Nothing is proved for those set now.")
    elif proved:
        box = verdict("proved", bound, ui.tags.b("proved"), one)
    else:
        box = verdict("open", bound, ui.tags.b("not guaranteed"))
    return ui.TagList(*lines, box, bullets(result.notes(fit)))


def confusion(evaluation):
    """Return the counts of true and predicted labels."""
    e = evaluation
    zero, one = (str(label) for label in e.labels)
    rows = [
        (f"{zero} (class 0)", e.n0 - e.n_false1, e.n_false1, e.n0),
        (f"{one} (class 1)", e.n_false0, e.n1 - e.n_false0, e.n1),
    ]
    names = ["True label", f"Predicted {zero}", f"Predicted {one}", "Rows"]
    return number_table("Confusion table of the new rows", names, [[str(cell) for cell in row] for row in rows])


def errors(evaluation):
    """Return both errors with their intervals."""
    e = evaluation
    zero, one = e.labels
    coverage = format_percent(e.level, 0)
    rows = []
    for name, what, rate, interval in (
        ("Type I", f"P(predict {one} | {zero})", e.type1, e.type1_interval),
        ("Type II", f"P(predict {zero} | {one})", e.type2, e.type2_interval),
    ):
        numbers = ["no rows", "-", "-"] if rate is None else [rate, interval.lower, interval.upper]
        rows.append([f"{name}: {what}", *(format_number(number) for number in numbers)])
    note = ui.p(
        f"Intervals are Clopper-Pearson's, {coverage}. The promise (alpha = {e.alpha:.4g}, delta = {e.delta:g}) "
        "concerns the type I error in the population: on a finite table the rate may exceed alpha by chance more often "
        "than delta.",
        class_="help",
    )
    return ui.TagList(number_table("Errors", ["Error", "Rate", "From", "To"], rows), note)


def first_rows(frame):
    """Return the first rows of the predictions."""
    caption = f"Predictions, first {min(ROWS_SHOWN, len(frame))} of {len(frame)} rows"
    return ui.TagList(
        table(frame.head(ROWS_SHOWN), caption),
        ui.p(
            "votes: share of splits that say class 1. score: score minus threshold, above 0 for class 1.", class_="help"
        ),
    )
