"""Server side of the data: sample or upload, label, class 0, predictors."""

import asyncio

from shiny import reactive, render, req, ui

from nproc.app import page as tags
from nproc.app.data import EXTENSIONS, check_size, make_plan, page_words, sample_source
from nproc.app.inputs import picture_fits, upload_folder
from nproc.app.jobs import Job
from nproc.app.reading import read_uploaded
from nproc.app.results import FORMATS, Result, draw, new_rows, picture_bytes, python_code
from nproc.cli import best_text
from nproc.errors import InvalidInputError, NPError
from nproc.persistence import save

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


class Later:
    """A timer for one effect, which ends in silence with the session.

    Shiny's `reactive.invalidate_later` writes a traceback for a timer that is cancelled while it waits for its turn, as
    happens when the fit is cancelled or the page is closed while a picture is drawn. This one is never cancelled: when
    nobody waits for it any more, it has no effect.
    """

    def __init__(self):
        self._ticks = reactive.value(0)
        self._waits = False
        self._task = None

    def again_in(self, seconds):
        """Run the effect that calls this again in some seconds; a timer that runs already serves."""
        self._ticks()
        if not self._waits:
            self._waits = True
            self._task = asyncio.create_task(self._wait(seconds))

    async def _wait(self, seconds):
        await asyncio.sleep(seconds)
        async with reactive.lock():
            # the effect that runs now may ask for the next one
            self._waits = False
            with reactive.isolate():
                self._ticks.set(self._ticks() + 1)
            await reactive.flush()


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
            state.problem.set(outcome[1])
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
            state.new_problem.set(page_words(error))


def level_part(input, session, state):
    """Register what moves the level; return a function that gives the method on show."""

    def method():
        methods = req(state.result()).plan.methods
        if len(methods) == 1:
            return methods[0]
        chosen = input.method_shown()
        return chosen if chosen in methods else methods[0]

    def move(choose):
        result = req(state.result())
        state.problem.set("")
        try:
            state.level.set(choose(result))
        except NPError as error:
            state.problem.set(page_words(error))

    @reactive.effect
    @reactive.event(state.level)
    async def _show():
        if state.level() is not None:
            await session.send_custom_message("alpha", float(state.level().shown_alpha))

    @reactive.effect
    @reactive.event(input.alpha_moved)
    def _slide_or_type():
        move(lambda result: result.by_eye(input.alpha_moved(), method()))

    @reactive.effect
    @reactive.event(input.bands_click)
    def _click():
        # beside the axes a click has no coordinates
        x = input.bands_click().get("x")
        if x is not None and 0 < x < 1:
            move(lambda result: result.by_eye(round(x, 4), method()))

    @reactive.effect
    @reactive.event(input.find)
    def _find():
        if input.target() is None:
            state.problem.set("The target is empty: give a bound on the type II error.")
        else:
            move(lambda result: result.by_target(input.target(), method()))

    @reactive.effect
    @reactive.event(input.planned)
    def _planned():
        move(lambda result: result.planned())

    @render.ui
    def which():
        methods = req(state.result()).plan.methods
        if len(methods) == 1:
            return None
        return ui.input_select("method_shown", "Method of the classifier", list(methods), width="100%")

    return method


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
            best = page_words(error)
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
                problem = page_words(error)
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
            return ui.p(page_words(error), class_="verdict none")
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


# a spreadsheet runs text that begins so as a formula
# the last four are wide forms, which some spreadsheets take for the signs
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
STALE = "earlier-settings-"


def downloads(input, state, method, fitted_classifier, differences):
    """Register the downloads of what is on the screen; their names tell of settings that have changed since."""

    def named(name):
        return lambda: (STALE if differences() else "") + (name or f"{method()}.joblib")

    def picture(kind):
        zoom = float(input.zoom())
        return picture_bytes(req(state.result()), req(state.level()), kind, alpha_up_to=zoom)

    @render.download_button(filename=named("np-roc-bands.svg"), media_type=FORMATS["svg"])
    def picture_svg():
        yield picture("svg")

    @render.download_button(filename=named("np-roc-bands.pdf"), media_type=FORMATS["pdf"])
    def picture_pdf():
        yield picture("pdf")

    @render.download_button(filename=named("np-roc-bands.csv"), media_type="text/csv")
    def band_csv():
        import pandas as pd

        bands = req(state.result()).bands
        knots = [band.to_frame().assign(method=band.method) for band in bands]
        yield csv_text(pd.concat(knots, ignore_index=True))

    @render.download_button(filename=named(None), media_type="application/octet-stream")
    def model():
        path = save(fitted_classifier(), state.folder / "model.joblib")
        yield path.read_bytes()

    @render.download_button(filename=named("np_classification.py"), media_type="text/x-python")
    def script():
        yield python_code(req(state.result()), req(state.level()), method(), state.new())

    @render.download_button(filename=named("predictions.csv"), media_type="text/csv")
    async def predictions():
        new, fit, label = req(state.new()), fitted_classifier(), req(state.result()).plan.label
        yield await asyncio.to_thread(lambda: csv_text(new.predictions(fit, label)))


def csv_text(frame):
    """Return a DataFrame as CSV with one header row, in which no text can be taken for a formula."""
    from pandas.api.types import is_numeric_dtype

    safe = frame.set_axis([_no_formula(name) for name in frame.columns], axis=1)
    for number, dtype in enumerate(frame.dtypes):
        if not is_numeric_dtype(dtype):
            safe.isetitem(number, frame.iloc[:, number].astype(object).map(_no_formula))
    # with this end of lines a line break inside a cell is quoted, and begins no cell
    return safe.to_csv(index=False, lineterminator="\r\n")


def _no_formula(value):
    """Return text that a spreadsheet would run with an apostrophe before it, and all else as it is."""
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value  # a number, which nothing runs
