"""Server side of the data: sample or upload, label, class 0, predictors."""

from __future__ import annotations

import asyncio

from shiny import reactive, render, req, ui

from nproc.app.inputs import upload_folder
from nproc.app.reading import read_uploaded
from nproc.app.sources import EXTENSIONS, check_size, sample_source
from nproc.errors import InvalidInputError

# more boxes than this make the page slow; all columns that can predict are taken then
MOST_BOXES = 400


def data_part(input, session, state):
    """Register what reads the data and shows their columns."""

    # an effect that waits would hold up all sessions; such a task does not
    @reactive.extended_task
    async def reading(infos):
        return await read_uploaded(infos, upload_folder(session))

    session.on_ended(reading.cancel)

    @reactive.effect
    @reactive.event(input.kind, input.sample)
    async def _load_sample():
        reading.cancel()
        if input.kind() == "sample":
            state.replace_source(await asyncio.to_thread(sample_source, input.sample()))
        else:
            state.replace_source(None)

    @reactive.effect
    @reactive.event(input.file)
    def _read_file():
        reading.cancel()
        if input.kind() == "upload":
            reading(input.file())

    @reactive.effect
    def _take_file():
        source, problem = reading.result()
        state.replace_source(source)
        state.problem.set(problem)

    @reactive.effect
    @reactive.event(input.refused)
    def _refuse():
        try:
            check_size(input.refused()["name"], input.refused()["size"])
        except InvalidInputError as error:
            state.problem.set(str(error))

    @render.ui
    def file_input():
        # made anew with the kind, so that it never shows the name of a file that is no longer there
        req(input.kind() == "upload")
        return ui.input_file("file", "CSV file with one row of column names", accept=list(EXTENSIONS), width="100%")

    @render.ui
    def columns():
        if reading.status() == "running":
            return ui.p("Reading the file.", role="status", class_="help")
        source = req(state.source())
        about = [ui.p(line, class_="help") for line in [source.description] if line]
        size = f"{source.name}: {len(source.frame)} rows, {source.frame.shape[1]} columns."
        names = [str(column) for column in source.frame.columns]
        return ui.TagList(
            ui.p(ui.tags.b(size), class_="help"),
            *about,
            ui.input_select("label", "Label column", names, selected=source.likely_label, width="100%"),
        )

    @render.ui
    def classes():
        source = req(state.source())
        label = req(input.label())
        req(label in source.frame.columns)
        try:
            present = source.labels(label)
        except InvalidInputError as error:
            return ui.p(str(error), class_="verdict none")
        if present.n_distinct != 2:
            text = f"{label!r} has {present.n_distinct} distinct values; a label needs exactly two."
            return ui.p(text, class_="verdict none")
        pairs = zip(present.first, present.counts, strict=True)
        choices = {str(value): f"{value} ({count} rows)" for value, count in pairs}
        known = str(source.class0) if label == source.label else str(present.first[0])
        return ui.TagList(
            ui.input_radio_buttons("class0", "Class 0, whose misclassification is bounded", choices, selected=known),
        )

    @render.ui
    def predictors():
        source = req(state.source())
        label = req(input.label())
        req(label in source.frame.columns)
        usable, texts, unusable = source.predictors(label)
        left_out = [ui.tags.li(reason) for reason in unusable.values()]
        parts = []
        if len(usable) > MOST_BOXES:
            parts.append(ui.p(f"All {len(usable)} columns that can predict are used.", class_="help"))
        elif usable:
            choices = {name: f"{name} (categories)" if name in texts else name for name in usable}
            boxes = ui.input_checkbox_group("features", ui.span("Predictors"), choices, selected=usable)
            parts += [
                ui.div(boxes, class_="predictor-list"),
                ui.p(
                    ui.input_action_link("all_features", "all"),
                    " \u00b7 ",
                    ui.input_action_link("no_features", "none"),
                    class_="help",
                ),
            ]
        if left_out:
            summary = ui.tags.summary(f"{len(left_out)} column(s) cannot predict")
            parts.append(ui.tags.details(summary, ui.tags.ul(*left_out[:20]), class_="help"))
        return ui.TagList(*parts)

    @reactive.effect
    @reactive.event(input.all_features)
    def _all():
        ui.update_checkbox_group("features", selected=req(state.source()).predictors(input.label())[0])

    @reactive.effect
    @reactive.event(input.no_features)
    def _none():
        ui.update_checkbox_group("features", selected=[])
