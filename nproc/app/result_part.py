"""Server side of the result: picture, status, tables and code; all follow from the bands and the level."""

from __future__ import annotations

import asyncio

from shiny import reactive, render, req, ui

from nproc.app import tags
from nproc.app.code import python_code
from nproc.app.drawing import draw
from nproc.app.inputs import picture_fits, upload_folder
from nproc.app.reading import read_uploaded
from nproc.app.results import new_rows
from nproc.app.sources import EXTENSIONS
from nproc.cli_records import best_text
from nproc.errors import NPError

PICTURE_TEXT = (
    "NP-ROC bands: one minus the type II error against alpha, the bound on the type I error. The numbers at the chosen "
    "alpha stand beside the picture."
)


def result_part(input, session, state, method, differences):
    """Register what shows the result; return a function that gives the classifier, or the error that there is none."""

    @reactive.calc
    def classifier():
        try:
            return req(state.result()).classifier(req(state.level()), method())
        except NPError as error:
            return error

    @reactive.extended_task
    async def reading(infos):
        return await read_uploaded(infos, upload_folder(session))

    session.on_ended(reading.cancel)

    @reactive.effect
    @reactive.event(state.source)
    def _forget_new():
        reading.cancel()

    def fitted_classifier():
        fit = classifier()
        req(not isinstance(fit, NPError))
        return fit

    @render.plot(alt=PICTURE_TEXT)
    def bands():
        req(picture_fits(session.clientdata, "bands"))
        # shiny knows the coordinates of a click only under the tight layout
        return draw(req(state.result()), req(state.level()), alpha_up_to=float(input.zoom()), layout="tight")

    @render.ui
    def fitted():
        result = req(state.result())
        plan = result.plan
        splits = "1 split" if plan.n_splits == 1 else f"{plan.n_splits} splits"
        text = (
            f"{plan.source.name}: label {plan.label}, class 0 is {plan.class0!r}, class 1 is {plan.class1!r}; "
            f"{len(plan.features)} predictor(s); {', '.join(plan.methods)}; {splits}, alpha = {plan.alpha:g}, "
            f"delta = {plan.delta:g}, seed {plan.seed}."
        )
        remarks = [*plan.advice(), *result.warnings]
        return ui.div(ui.p(text, class_="mb-1"), tags.bullets(remarks), class_="fitted")

    @render.ui
    def stale():
        return tags.stale(differences())

    @render.ui
    def status():
        result, level = req(state.result()), req(state.level())
        values = result.band(method()).at(level.alpha)
        return tags.status(result, level, method(), values, classifier(), differences())

    @render.ui
    def summary():
        fit = classifier()
        if isinstance(fit, NPError):
            return ui.p(str(fit), class_="verdict none")
        return ui.TagList(tags.stale(differences()), tags.report(fit.summary()))

    @render.ui
    def comparison():
        found, level = req(state.result()).comparison, req(state.level())
        if found is None:
            return ui.p("Choose two or more methods and fit again to compare their bands.")
        try:
            best = best_text(found, found.best_at(level.alpha), level.alpha)
        except NPError as error:
            best = str(error)
        return ui.TagList(
            tags.stale(differences()),
            tags.table(found.at(level.alpha), f"At alpha = {level.shown_alpha}"),
            ui.p(best),
            tags.table(found.regions, "Regions of dominance", empty="No band lies above another at any alpha."),
            tags.report(found.summary()),
        )

    @render.ui
    def new_file_input():
        # made anew with the table: the rows are for the fit of that one
        req(state.source())
        label = "CSV file of new rows, not used for the fit"
        return ui.input_file("new_file", label, accept=list(EXTENSIONS), width="100%")

    @reactive.effect
    @reactive.event(input.new_file)
    def _read_new():
        reading.cancel()
        reading(input.new_file())

    @reactive.effect
    def _take_new():
        source, problem = reading.result()
        with reactive.isolate():
            result = state.result()
        new = None
        if source is not None and result is not None:
            try:
                new = new_rows(source, result.plan)
            except NPError as error:
                problem = str(error)
        state.new.set(new)
        state.new_problem.set(problem)

    @reactive.extended_task
    async def counting(new, fit, plan):
        return await asyncio.to_thread(new.counted, fit, plan)

    session.on_ended(counting.cancel)

    @reactive.effect
    def _count():
        counting.cancel()
        counting(req(state.new()), fitted_classifier(), req(state.result()).plan)

    @render.ui
    def new_rows_shown():
        if state.new_problem():
            return ui.p(state.new_problem(), class_="verdict none")
        req(state.new())
        try:
            predictions, evaluation, repeated = counting.result()
        except NPError as error:
            return ui.p(str(error), class_="verdict none")
        parts = [tags.first_rows(predictions)]
        if evaluation is not None:
            warning = [tags.verdict("open", repeated)] if repeated else []
            parts = [*warning, tags.confusion(evaluation), tags.errors(evaluation), *parts]
        button = ui.download_button("predictions", "Predictions (CSV)", class_="btn-outline-primary")
        escaped = "In the file, text that begins with = + - @, a tab or a line break has an apostrophe before it."
        return ui.TagList(tags.stale(differences()), *parts, button, ui.p(escaped, class_="help mt-2"))

    @render.ui
    def model_button():
        # no button where there is no classifier to save
        button = ui.download_button("model", "Classifier (model file)", class_="btn-outline-primary")
        return ui.TagList(None if isinstance(classifier(), NPError) else button, tags.stale(differences()))

    @render.ui
    def code():
        text = python_code(req(state.result()), req(state.level()), method(), state.new())
        return ui.tags.pre(ui.tags.code(text), class_="report", tabindex="0")

    return fitted_classifier
