"""Server side of the fit: start, progress, cancel, result."""

from __future__ import annotations

import asyncio

from shiny import reactive, render, req, ui

from nproc.app.data_part import MOST_BOXES
from nproc.app.jobs import Job
from nproc.app.later import Later
from nproc.app.plans import make_plan
from nproc.app.results import Result, new_rows
from nproc.app.sources import page_words
from nproc.errors import NPError

WATCH_SECONDS = 0.2


def fit_part(input, state):
    """Register what fits; return a function that gives where the settings are no longer those of the result."""
    watch_again = Later()

    # sending the table to the process takes a while, for which an effect would hold up all sessions
    @reactive.extended_task
    async def starting(job):
        await asyncio.to_thread(job.start)

    def settings():
        source, label = state.source(), None
        features = ()
        if source is not None:
            label = input.label()
            usable = source.predictors(label)[0] if label in source.frame.columns else []
            boxes = usable and len(usable) <= MOST_BOXES
            chosen = set(input.features() or ()) if boxes else usable
            features = [name for name in usable if name in chosen]
        two = source is not None and label in source.frame.columns and source.labels(label).n_distinct == 2
        return {
            "source": source,
            "label": label,
            "class0": input.class0() if two else "",
            "features": features,
            "methods": input.methods() or (),
            "n_splits": input.n_splits(),
            "alpha": input.alpha(),
            "delta": input.delta(),
            "seed": input.seed(),
        }

    @reactive.calc
    def differences():
        plan = req(state.result()).plan
        if input.label() != plan.label:
            # class 0 and predictors are those of the other label
            return [f"label (fitted {plan.label!r}, now {input.label()!r})"]
        return plan.differences(**settings())

    @reactive.effect
    @reactive.event(input.fit)
    async def _start():
        state.problem.set("")
        try:
            plan = make_plan(**settings())
            plan = plan.after(state.first_settings.get(state.rows_of(plan)))
        except NPError as error:
            state.problem.set(page_words(error))
            return
        state.stop_job()
        job = Job(plan)
        starting.cancel()
        starting(job)
        state.job.set(job)
        state.progress.set((0.0, "Starting"))

    @reactive.effect
    async def _watch():
        job = state.job()
        if job is None:
            return
        if starting.status() == "error":
            starting.result()
        outcome = await asyncio.to_thread(job.outcome)
        with reactive.isolate():
            if state.job() is not job:
                return
        if outcome is None:
            state.progress.set((job.progress.share, str(job.progress)))
            watch_again.again_in(WATCH_SECONDS)
            return
        state.job.set(None)
        state.progress.set(None)
        if outcome[0] == "error":
            state.problem.set(page_words(outcome[1]))
            return
        result = Result(job.plan, *outcome[1:])
        _fit_new_rows(state, job.plan)
        state.first_settings.setdefault(state.rows_of(job.plan), job.plan.settings())
        state.level.set(result.planned())
        state.result.set(result)

    @reactive.effect
    @reactive.event(input.cancel)
    def _cancel():
        state.stop_job()
        state.problem.set("The fit was cancelled.")

    @render.ui
    def running():
        # the button stays while the text beside it changes: one that is made anew may miss a click
        req(state.job())
        button = ui.input_action_button("cancel", "Cancel", class_="btn-outline-danger btn-sm mt-2")
        return ui.div(ui.output_ui("progress"), button, class_="progress-row")

    @render.ui
    def progress():
        share, text = req(state.progress())
        bar = ui.tags.progress(value=f"{share:.3f}", max="1", aria_label="Progress of the fit")
        return ui.TagList(ui.p(text, role="status", class_="help"), bar)

    @render.ui
    def problem():
        return ui.p(state.problem(), class_="verdict none") if state.problem() else None

    @reactive.effect
    def _stage():
        ui.update_navset("stage", selected="start" if state.result() is None else "result")

    return differences


def _fit_new_rows(state, plan):
    """Keep the new rows if they have the predictors of another plan."""
    with reactive.isolate():
        new = state.new()
    state.new_problem.set("")
    if new is not None:
        try:
            state.new.set(new_rows(new.source, plan))
        except NPError as error:
            state.new.set(None)
            state.new_problem.set(str(error))
