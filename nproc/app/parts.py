"""One session of the page: what the server does for a user, from the data to the downloads."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from shiny import reactive, render, req, ui

from nproc.app import page as tags
from nproc.app import results
from nproc.app.data import (
    EXTENSIONS,
    LARGEST_SEED,
    MOST_BOXES,
    Source,
    check_size,
    gaps_barred,
    make_plan,
    page_words,
    refuse_empty,
    room_of,
    sample_source,
    whole_again,
)
from nproc.app.inputs import Inputs, picture_fits, upload_folder
from nproc.app.jobs import Job
from nproc.app.reading import read_uploaded
from nproc.app.results import FORMATS, Level, Result
from nproc.app.seen_rows import SeenTable
from nproc.checks import check_delta, check_level
from nproc.cli import best_text, match_label, rows_counted
from nproc.errors import InvalidInputError, NPError, warnings_heard
from nproc.fits import write_report
from nproc.persistence import save
from nproc.tables import summaries_as_text

# the one thread that draws for all sessions; what takes longer, such as a report, has a thread of its own
_DRAWING = ThreadPoolExecutor(1, "drawing")


class State:
    """The reactive values of a session, and its temporary folder.

    Attributes
    ----------
    source : Value of Source or None
        The table.
    job : Value of Job or None
        The fit that runs.
    progress : Value of float and str, or None
        How far it is.
    result : Value of Result or None
        The last fit.
    seen : list of (SeenTable, dict, bool)
        The tables whose bands have been seen, each with what was fixed at the first fit of its rows, and whether that
        table resembled an earlier one.
    class0_of : dict
        For each label column of uploads and its two labels, the class 0 that the user chose last.
    prevalences : Value of dict
        For each label column and class 0, the prevalence of class 0 that the user gave.
    level : Value of Level or None
        The level on the bands.
    new : Value of Source or None
        New rows to predict.
    problem : Value of str, or of tuple of (Room, float)
        What went wrong with the last thing that the user did, or the levels that the rows could not carry at Fit; empty
        if nothing.
    new_problem : Value of str
        The same of the new rows.
    folder : Path
        A temporary folder, which goes with the session.
    """

    def __init__(self):
        self.source: reactive.Value[Source | None] = reactive.value(None)
        self.job: reactive.Value[Job | None] = reactive.value(None)
        self.progress: reactive.Value[tuple[float, str] | None] = reactive.value(None)
        self.result: reactive.Value[Result | None] = reactive.value(None)
        self.level: reactive.Value[Level | None] = reactive.value(None)
        self.new: reactive.Value[Source | None] = reactive.value(None)
        self.problem: reactive.Value[str | tuple] = reactive.value("")
        self.new_problem = reactive.value("")
        self.seen = []
        self.class0_of = {}
        self.prevalences: reactive.Value[dict] = reactive.value({})
        self._folder = TemporaryDirectory(prefix="nproc-session-")
        self.folder = Path(self._folder.name)

    def stop_job(self):
        """Kill the fit that runs, if there is one."""
        with reactive.isolate():
            job = self.job()
        if job is not None:
            job.cancel()
            self.job.set(None)
            self.progress.set(None)

    def replace_source(self, source, problem=""):
        """Take another table, or none because of a problem; what came from the old one goes."""
        self.stop_job()
        self.source.set(source)
        for value in (self.result, self.level, self.new):
            value.set(None)
        self.problem.set(problem)
        self.new_problem.set("")

    def replace_new(self, source, plan, problem=""):
        """Take another table of new rows if it has the predictors of a plan; without both there are none."""
        self.new.set(None)
        self.new_problem.set(problem)
        if source is not None and plan is not None:
            with shown_in(self.new_problem):
                results.check_new_rows(source, plan)
                self.new.set(source)

    def after_seen(self, plan):
        """Return a plan with what changed since the first fit of its rows, from whatever file; it takes a while."""
        source, label = plan.source, plan.label
        for table, first, resembles in self.seen:
            if table.has_rows_of(source, label):
                return replace(plan.after(first), resembles=resembles)
        resembles = any(table.has_columns_of(source, label) for table, _, _ in self.seen)
        return replace(plan.after(None), resembles=resembles)

    def remember(self, plan):
        """Keep a plan of `after_seen` whose band is seen now, and what was fixed at the first fit of its rows."""
        if all(table.marks != plan.marks for table, _, _ in self.seen):
            seen = SeenTable.of(plan.source, plan.label), plan.first or plan.fixed(), plan.resembles
            self.seen.append(seen)

    def close(self):
        """Kill the fit that runs, and remove the temporary folder."""
        self.stop_job()
        self._folder.cleanup()


@contextmanager
def shown_in(problem):
    """Within it, an error of the package becomes the text of a reactive value, which is empty otherwise."""
    problem.set("")
    try:
        yield
    except NPError as error:
        problem.set(page_words(error))


def server(input, output, session):
    """Set up one session; everything it holds goes when it ends."""
    state = State()
    session.on_ended(state.close)
    input = Inputs(input)
    data_part(input, session, state)
    differences = fit_part(input, session, state)
    method = level_part(input, session, state)
    shown = result_part(input, session, state, method, differences)
    downloads(input, state, method, *shown, differences)


def on(*events):
    """Return a decorator of a function that runs at each of some events, and at no other."""
    return lambda function: reactive.effect(reactive.event(*events)(function))


def own_task(session, function):
    """Return a task that ends with its session; an effect that waits as long would hold up all sessions."""
    task = reactive.extended_task(function)
    session.on_ended(task.cancel)
    return task


async def draw_apart(function, *arguments, **named):
    """Return what a function gives that draws; the page answers meanwhile, and pictures are drawn one by one."""
    return await asyncio.get_running_loop().run_in_executor(_DRAWING, partial(function, *arguments, **named))


def reading_task(session):
    """Return a task that reads an upload; its result is a `Source` or None, and the problem."""

    async def reading(infos, texts=None):
        return await read_uploaded(infos, upload_folder(session), texts)

    return own_task(session, reading)


def data_part(input, session, state):
    """Register what reads the data and shows their columns."""
    reading = reading_task(session)

    def label():
        chosen = input.label()
        req(chosen in req(state.source()).frame.columns)
        return chosen

    @on(input.kind, input.sample)
    async def _load_sample():
        reading.cancel()
        is_sample = input.kind() == "sample"
        state.replace_source(await asyncio.to_thread(sample_source, input.sample()) if is_sample else None)

    @on(input.file)
    def _read_file():
        reading.cancel()
        if input.kind() == "upload":
            reading(input.file())

    @reactive.effect
    def _take_file():
        state.replace_source(*reading.result())

    @on(input.refused)
    def _refuse():
        with shown_in(state.problem):
            check_size(input.refused()["name"], input.refused()["size"])

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
        size = f"{source.name}: {len(source.frame)} rows, {source.frame.shape[1]} columns."
        names = [str(column) for column in source.frame.columns]
        return ui.TagList(
            tags.note(ui.tags.b(size)),
            tags.note(source.description) if source.description else None,
            ui.input_select("label", "Label column", names, selected=source.likely_label, width="100%"),
            tags.note(source.label_told) if source.label_told else None,
        )

    @render.ui
    def classes():
        column, source = label(), state.source()
        present = source.values[column]
        if present.problem:
            n_missing = int(source.frame[column].isna().sum())
            if n_missing and present.n_distinct == 2:
                return tags.unlabelled(column, n_missing, len(source.frame))
            return tags.trouble(present.problem)
        if not present.is_label:
            return tags.trouble(present.not_two(column))
        pairs = zip(present.first, present.counts, strict=True)
        choices = {str(value): f"{value} ({count} rows)" for value, count in pairs}
        # of other files nobody but the user knows it; "" marks none
        known = str(source.class0) if source.class0 in present.first else state.class0_of.get(asked_of(column), "")
        radio = ui.input_radio_buttons("class0", "Class 0, the class whose error you bound", choices, selected=known)
        return ui.TagList(tags.spelled_alike(column, present), radio, ui.output_ui("meaning"))

    def asked_of(column):
        return column, frozenset(map(str, state.source().values[column].first))

    @on(input.class0)
    def _remember_class0():
        column, chosen = label(), input.class0()
        if state.source().class0 is None and chosen in asked_of(column)[1]:
            state.class0_of[asked_of(column)] = chosen

    @render.ui
    def meaning():
        column, chosen = label(), input.class0()
        # while another label column is on its way, the question of the last one is still there
        req(state.source().values[column].is_label)
        first = state.source().values[column].first
        if chosen not in map(str, first):
            return tags.choose_class0(column, first)
        class0 = match_label(chosen, first)
        return tags.meaning(column, class0, next(value for value in first if value != class0))

    @on(input.labelled)
    def _leave_out_unlabelled():
        column = label()
        with shown_in(state.problem):
            state.replace_source(state.source().without_unlabelled(column))

    @render.ui
    def predictors():
        column, source = label(), state.source()
        usable, texts, unusable = source.predictors(column)
        likely = source.likely_predictors(column)
        parts, unlikely = [], [name for name in usable if name not in likely]
        if len(usable) > MOST_BOXES:
            parts.append(tags.note(f"All {len(likely)} columns that can predict are used."))
        elif usable:
            choices = {name: f"{name} (categories)" if name in texts else name for name in [*likely, *unlikely]}
            boxes = ui.input_checkbox_group("features", ui.span("Predictors"), choices, selected=likely)
            all_or_none = ui.input_action_link("all_features", "all"), ui.input_action_link("no_features", "none")
            parts += [ui.div(boxes, class_="predictor-list"), tags.note(all_or_none[0], " \u00b7 ", all_or_none[1])]
        if usable:
            parts.append(tags.note("Leave out columns that are known only after the label, such as a treatment."))
        if unlikely:
            reasons = [f"{name}: {source.identifiers[name]}." for name in unlikely]
            used = "are not used" if len(usable) > MOST_BOXES else "are used only if you tick them"
            parts.append(tags.folded(f"Columns that look like identifiers {used}", unlikely, reasons))
        if source.owners_told(column):
            parts.append(tags.owners_box(source, column))
        if unusable:
            reasons = list(unusable.values())
            parts.append(tags.folded("Cannot be a predictor", list(unusable), reasons, shown=True))
            line = rows_counted(" ".join(reasons), EXTENSIONS)
            parts += [tags.note(line)] * bool(line)
        parts.append(ui.output_ui("codes"))
        if source.columns_with_gaps.intersection(usable):
            parts += [ui.input_checkbox("omit", tags.OMIT, False, width="100%"), ui.output_ui("gaps")]
        return ui.TagList(*parts)

    @on(input.all_features)
    def _all():
        ui.update_checkbox_group("features", selected=req(state.source()).likely_predictors(input.label()))

    @on(input.no_features)
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
# the field that a refusal at Fit asks for, by its fault or its argument
ASKED_FOR = {
    "no data": "kind",
    "no label": "label",
    "no class 0": "class0",
    "no predictor": "features",
    "no method": "methods",
    "even splits": "n_splits",
    "none to set aside": "aside",
    "number of splits": "n_splits",
    **{name: name for name in ("alpha", "delta", "seed", "review_beta")},
}


def fit_part(input, session, state):
    """Register what fits; return a function that gives where the settings are no longer those of the result."""
    watch_again = Later()

    # sending the table to the process takes a while, for which an effect would hold up all sessions
    @reactive.extended_task
    async def starting(job):
        await asyncio.to_thread(job.start)

    def settings():
        source = state.source()
        found = {"source": source, "label": None, "class0": "", "features": [], "methods": input.methods() or ()}
        if source is not None:
            label = found["label"] = input.label()
            if label in source.frame.columns:
                usable = source.predictors(label)[0]
                few = 0 < len(usable) <= MOST_BOXES
                chosen = set(input.features() or ()) if few else source.likely_predictors(label)
                found["features"] = [name for name in usable if name in chosen]
                found["class0"] = input.class0() if source.values[label].is_label else ""
                # the box is there only then
                found["omit"] = bool(source.columns_with_gaps.intersection(usable)) and input.omit()
        found["aside_share"] = aside_share()
        return found | {name: getattr(input, name)() for name in ("n_splits", "alpha", "delta", "seed", "review_beta")}

    def aside_share():
        return float(input.aside()) if input.aside() else None

    @reactive.calc
    def differences():
        plan = req(state.result()).plan
        if input.label() != plan.label:
            # class 0 and predictors are those of the other label
            return [f"label (fitted {plan.label!r}, now {input.label()!r})"]
        return plan.differences(**settings())

    # page.js folds the settings only when a fit starts, and shows what was fitted or the field that a refusal asks for
    async def show_settings(field):
        await session.send_custom_message("fit_refused", field)

    @on(input.fit)
    async def _start():
        with shown_in(state.problem):
            try:
                plan = make_plan(**settings())
                # before a band of these rows is seen
                out_of_reach = plan.out_of_reach()
            except NPError as error:
                await show_settings(ASKED_FOR.get(error.fault or error.argument, ""))
                raise
            if out_of_reach:
                state.problem.set(out_of_reach)
                await show_settings(field_of(out_of_reach[0][0]))
                return
            # a tall table takes a while
            job = Job(await asyncio.to_thread(state.after_seen, plan))
            state.stop_job()
            starting.cancel()
            starting(job)
            state.job.set(job)
            state.progress.set((0.0, "Starting"))
            await session.send_custom_message("fit_started", True)

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
            new = state.new()
        if outcome is None:
            state.progress.set(job.progress)
            watch_again.again_in(WATCH_SECONDS)
            return
        state.job.set(None)
        state.progress.set(None)
        if outcome[0] == "error":
            state.problem.set(outcome[1])
            await show_settings("omit" if tags.OMIT in outcome[1] else "")
            return
        result = Result(job.plan, *outcome[1:])
        # they stay if they have the predictors of this plan, too
        state.replace_new(new, job.plan)
        state.remember(job.plan)
        state.level.set(result.planned())
        state.result.set(result)
        await session.send_custom_message("fit_ended", True)

    @reactive.calc
    def is_aside():
        """Return which rows will be set aside, as an array of bool; None for none."""
        if aside_share() is None:
            return None
        source, seed = req(state.source()), input.seed()
        req(input.label() in source.frame.columns and source.values[input.label()].is_label)
        # the fault of a seed is told at Fit
        req(isinstance(seed, int) and 0 <= seed <= LARGEST_SEED)
        return source.drawn(input.label(), aside_share(), seed)

    @reactive.calc
    def rooms():
        source, label = req(state.source()), input.label()
        # while the settings come from the browser one by one, there is nothing to say
        req(label in source.frame.columns and source.values[label].is_label)
        labels, now = source.values[label], settings()
        req(input.class0() in map(str, labels.first))
        class0, features = match_label(input.class0(), labels.first), now["features"]
        barred = "" if now.get("omit") else gaps_barred(source.frame[features], now["methods"])
        complete_in = features if now.get("omit") or barred else ()
        delta = check_delta(input.delta())
        of_class = partial(room_of, source, label, class0, delta, complete_in, is_aside=is_aside(), barred=barred)
        found = [of_class(number=number) for number in (0, 1)]
        req(all(room.left > 0 for room in found))
        return found

    def beyond():
        """Return the levels that Fit has said are out of reach, each as a pair of its `Room` and the level."""
        return () if isinstance(state.problem(), str) else state.problem()

    @render.ui
    def carries():
        parts, faults = [], {}
        for name, number in (("alpha", 0), ("review_beta", 1)):
            level = getattr(input, name)()
            # beta may be empty
            if level is None and number == 1:
                continue
            try:
                refuse_empty(level, name)
                refuse_empty(input.delta(), "delta")
                room, level = rooms()[number], check_level(level, name)
                if (room, level) not in beyond():
                    parts.append(tags.carries(room, level))
            except NPError as error:
                faults[page_words(error)] = None
        # what Fit has said above is said once
        faults.pop(state.problem(), None)
        return ui.TagList(*parts, *map(tags.trouble, faults))

    @render.ui
    def codes():
        source, now = req(state.source()), settings()
        req(now["label"] in source.frame.columns)
        return tags.codes(source.frame[now["features"]])

    @render.ui
    def gaps():
        source, now = req(state.source()), settings()
        req(now["label"] in source.frame.columns)
        dependent = bool(source.owners_told(now["label"]))
        return tags.gaps(source.frame[now["features"]], now["methods"], omitted=now["omit"], dependent=dependent)

    def field_of(room):
        return ("alpha", "review_beta")[room.number]

    def use_smallest_of(room):
        ui.update_numeric(field_of(room), value=float(room.smallest))

    @on(input.carried)
    def _use_carried():
        use_smallest_of(rooms()[0])

    @on(input.carried_beta)
    def _use_carried_beta():
        use_smallest_of(rooms()[1])

    def use_offered(number):
        for room, _ in beyond():
            if room.number == number:
                use_smallest_of(room)
        state.problem.set(tuple(pair for pair in beyond() if pair[0].number != number) or "")

    @on(input.carried_above)
    def _use_carried_above():
        use_offered(0)

    @on(input.carried_beta_above)
    def _use_carried_beta_above():
        use_offered(1)

    @on(input.cancel)
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
        if beyond():
            return ui.TagList(*(tags.too_few(room, level) for room, level in beyond()))
        return tags.trouble(state.problem()) if state.problem() else None

    @reactive.effect
    def _stage():
        ui.update_navset("stage", selected="start" if state.result() is None else "result")

    return differences


def level_part(input, session, state):
    """Register what moves the level; return a function that gives the method on show."""

    def method():
        methods = req(state.result()).plan.methods
        if len(methods) == 1:
            return methods[0]
        chosen = input.method_shown()
        return chosen if chosen in methods else methods[0]

    def by_click(result):
        x = input.bands_click().get("x")
        # beside the axes a click has no coordinates
        req(x is not None and 0 < x < 1)
        return result.by_eye(round(x, 4), method())

    def by_target(result):
        if input.target() is None:
            raise InvalidInputError("The target is empty: give a bound on the type II error.")
        return result.by_target(input.target(), method())

    def moved_by(event, choose):
        @on(event)
        def _move():
            result = req(state.result())
            # the controls are hidden then, but not the picture
            req(result.plan.review_beta is None)
            with shown_in(state.problem):
                state.level.set(choose(result))

    # by the slider or by typing
    moved_by(input.alpha_moved, lambda result: result.by_eye(input.alpha_moved(), method()))
    moved_by(input.bands_click, by_click)
    moved_by(input.find, by_target)
    moved_by(input.planned, Result.planned)
    moved_by(input.smallest, lambda result: result.smallest(method()))

    @on(state.result)
    async def _name_target():
        plan = req(state.result()).plan
        await session.send_custom_message("movable", plan.review_beta is None)
        ui.update_numeric("target", label=f"Or: share of {tags.called(plan.label, plan.class1, plan.class0)}, at most")

    @on(state.level)
    async def _show():
        if state.level() is not None:
            await session.send_custom_message("alpha", float(state.level().shown_alpha))

    @render.ui
    def which():
        methods = req(state.result()).plan.methods
        if len(methods) == 1:
            return None
        return ui.input_select("method_shown", "Method of the classifier", list(methods), width="100%")

    return method


NO_CLASSIFIER = f"There is no classifier at this level. {tags.WHY}"
PICTURE_TEXT = (
    "NP-ROC bands: one minus the type II error against alpha, the bound on the type I error. The numbers at the "
    f"chosen alpha are shown under \u201c{tags.CARD}\u201d."
)


def result_part(input, session, state, method, differences):
    """Register what shows the result; return functions that give the classifier, code, prevalence and alpha axis."""
    reading = reading_task(session)

    @reactive.calc
    def classifier():
        try:
            return req(state.result()).classifier(req(state.level()), method())
        except NPError as error:
            return error

    def fitted_classifier():
        req(not isinstance(classifier(), NPError))
        return classifier()

    def prevalence():
        plan = req(state.result()).plan
        return state.prevalences().get((plan.label, plan.class0))

    def python():
        share = prevalence()
        usable = share if share is not None and 0 < share < 1 and req(state.result()).plan.review_beta is None else None
        return results.python_code(
            req(state.result()),
            req(state.level()),
            method(),
            state.new(),
            usable,
            alpha_up_to=alpha_up_to(),
            width=input.picture_width(),
        )

    def alpha_up_to():
        return results.axis_end(req(state.result()), req(state.level()), input.zoom())

    @on(state.source)
    def _forget_new():
        reading.cancel()

    drawing = own_task(session, partial(draw_apart, results.drawn_picture))

    # the numbers need not wait for it
    @reactive.effect(priority=1)
    def _draw():
        drawing.cancel()
        client = session.clientdata
        result, level = req(state.result()), req(state.level())
        req(picture_fits(client, "bands"))
        shown = client.output_width("bands"), client.output_height("bands")
        # shiny knows the coordinates of a click only under the tight layout
        view = {"alpha_up_to": alpha_up_to(), "layout": "tight", "pixels": shown}
        drawing(result, level, client.pixelratio(), **view)

    @render.plot(alt=PICTURE_TEXT)
    async def bands():
        req(state.result() and picture_fits(session.clientdata, "bands"))
        # the next picture is on its way, and until then the last one stays, greyed
        req(drawing.status() != "cancelled", cancel_output="progress")
        return drawing.result()

    @render.ui
    def fitted():
        return tags.fitted(req(state.result()))

    @render.ui
    def stale():
        return tags.stale(differences())

    @render.ui
    def status():
        result, level = req(state.result()), req(state.level())
        values = result.band(method()).at(level.alpha)
        return tags.status(result, level, method(), values, classifier(), differences())

    @render.ui
    def plain():
        result, level = req(state.result()), req(state.level())
        values = result.band(method()).at(level.alpha)
        return tags.plainly(result, level, values, classifier())

    @render.ui
    def summary():
        fit = classifier()
        if isinstance(fit, NPError):
            return ui.p(NO_CLASSIFIER)
        with summaries_as_text(results.page_note):
            return ui.TagList(tags.earlier(differences()), tags.report(fit.summary()))

    @render.ui
    def prevalence_field():
        plan = req(state.result()).plan
        if plan.review_beta is not None:
            return tags.note("Predictive values are for two answers. Leave beta empty and press Fit to see them.")
        with reactive.isolate():
            return tags.prevalence_field(plan, prevalence())

    # an empty field is an answer too: no predictive values
    @reactive.effect
    @reactive.event(input.prevalence, ignore_none=False)
    def _keep_prevalence():
        plan = req(state.result()).plan
        state.prevalences.set({**state.prevalences(), (plan.label, plan.class0): input.prevalence()})

    @render.ui
    def predictive():
        share, level, fit = prevalence(), req(state.level()), classifier()
        req(share is not None and state.result().plan.review_beta is None)
        if isinstance(fit, NPError):
            return ui.p(NO_CLASSIFIER)
        try:
            values = state.result().predictive_values(level, method(), share)
        except NPError as error:
            return tags.trouble(page_words(error))
        return ui.TagList(tags.earlier(differences()), tags.predictive(state.result(), level, values, fit))

    @render.ui
    def comparison():
        found, level = req(state.result()).comparison, req(state.level())
        if found is None:
            return ui.p("Choose two or more methods and fit again to compare their bands.")
        try:
            best = best_text(found, found.best_at(level.alpha, fallback="estimate"), level.alpha)
        except NPError:
            best = NO_CLASSIFIER
        return ui.TagList(tags.earlier(differences()), tags.compared(state.result(), level, best))

    @render.ui
    def new_file_input():
        # made anew with the table: the rows are for the fit of that one
        req(state.source())
        label = "CSV file of new rows, not used for the fit"
        return ui.input_file("new_file", label, accept=list(EXTENSIONS), width="100%")

    @on(input.new_file)
    def _read_new():
        reading.cancel()
        reading(input.new_file(), req(state.result()).plan.texts_read)

    @reactive.effect
    def _take_new():
        source, problem = reading.result()
        with reactive.isolate():
            result = state.result()
        state.replace_new(source, result and result.plan, problem)

    counting = own_task(session, partial(asyncio.to_thread, results.count_errors))
    checking = own_task(session, partial(asyncio.to_thread, results.count_errors))
    # with many splits and rows they take a second or two
    looking = own_task(session, partial(asyncio.to_thread, results.checks_against))

    # before what shows the counts: the page rejects a value of an output that is made again in the same turn, and then
    # leaves all others as they were
    @reactive.effect(priority=1)
    def _count():
        counting.cancel()
        counting(req(state.new()), fitted_classifier(), req(state.result()).plan)

    @reactive.effect(priority=1)
    def _check():
        checking.cancel()
        plan = req(state.result()).plan
        checking(req(plan.aside), fitted_classifier(), plan)

    @reactive.effect(priority=1)
    def _look():
        looking.cancel()
        result = req(state.result())
        # at whatever level: the scores are the same
        with suppress(NPError):
            looking(result.classifier(result.planned(), method()))

    @render.ui
    def assumption():
        # without a classifier nothing is said to be proved
        return None if isinstance(classifier(), NPError) else tags.told_of_rows(looking.result())

    @render.ui
    def check():
        plan = req(state.result()).plan
        req(plan.aside is not None and not isinstance(classifier(), NPError))
        try:
            _, evaluation, said = checking.result()
        except NPError as error:
            return tags.trouble(page_words(error))
        return tags.check(plan, evaluation, said, classifier())

    def model_name():
        return STALE * bool(differences()) + f"{method()}.joblib"

    @render.ui
    def new_rows_shown():
        if state.new_problem():
            return tags.trouble(state.new_problem())
        if isinstance(classifier(), NPError):
            return ui.p(NO_CLASSIFIER)
        req(state.new())
        try:
            shown, fit = counting.result(), classifier()
            plan = state.result().plan
            told = {"renamed": results.renamed_told(state.new(), fit, plan), "n_methods": len(plan.methods)}
            return ui.TagList(tags.earlier(differences()), tags.new_rows(*shown, fit, **told))
        except NPError as error:
            return tags.trouble(page_words(error))

    @render.ui
    def certify_shown():
        if isinstance(classifier(), NPError):
            return None
        plan, new = state.result().plan, state.new()
        if new is None:
            return tags.certify_new(plan, model_name())
        try:
            barred = results.barred_from_certifying(new, classifier(), plan, counting.result()[1])
        except NPError:
            # it is said above
            barred = "they cannot be used"
        omits = not barred and not results.is_counted(new, classifier(), plan).all()
        return tags.certify_new(plan, model_name(), new, omits=omits, barred=barred)

    @render.ui
    def counted():
        req(not isinstance(classifier(), NPError))
        counts = None
        if state.new() is not None:
            # the tab with the new rows says what is wrong with them
            with suppress(NPError):
                _, evaluation, said = counting.result()
                counts = None if evaluation is None else tags.confusion(evaluation, said)
        return ui.TagList(counts, tags.more(state.result().plan))

    @render.ui
    def model_button():
        # no button where there is no classifier to save
        if isinstance(classifier(), NPError):
            return tags.earlier(differences())
        rows, _, unused = results.rows_of_report(state.new(), classifier(), (plan := req(state.result()).plan))
        which = "rows that were set aside" if plan.aside is not None and not rows else "new rows"
        told = tags.note(f"The report is without the {which}. {unused}") if unused else None
        saved = tags.saved_classifier(plan, model_name(), STALE * bool(differences()) + "rows-set-aside.csv")
        return ui.TagList(*saved, told, tags.earlier(differences()))

    @render.ui
    def code():
        return tags.report(ui.tags.code(python()))

    return fitted_classifier, python, prevalence, alpha_up_to


# a spreadsheet runs text that begins so as a formula
# the last four are wide forms, which some spreadsheets take for the signs
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
STALE = "earlier-settings-"


def downloads(input, state, method, fitted_classifier, code, prevalence, alpha_up_to, differences):
    """Register the downloads of what is on the screen; their names tell of settings that have changed since."""

    def file_name(name):
        return (STALE if differences() else "") + (name or f"{method()}.joblib")

    def picture(kind):
        shown = req(state.result()), req(state.level()), kind, input.picture_width()
        return draw_apart(results.picture_bytes, *shown, alpha_up_to=alpha_up_to())

    def model():
        return save(fitted_classifier(), state.folder / "model.joblib").read_bytes()

    def report():
        new, plan, fit = state.new(), req(state.result()).plan, fitted_classifier()
        rows, new_note, _ = results.rows_of_report(new, fit, plan)
        shown = results.BandOnShow(req(state.result()).band(method()), alpha_up_to(), plan)
        share = prevalence()
        unseen = results.unseen_rows(rows, new, fit, new_note, plan)
        summaries = partial(results.summaries, state.result(), req(state.level()), method(), share)

        def written():
            # of two that are written at once each has a file of its own
            with summaries_as_text(results.page_note), TemporaryDirectory(dir=state.folder) as folder:
                # what it warns of the new rows stands beside their errors
                with warnings_heard():
                    path = write_report(
                        fit,
                        Path(folder) / "report.html",
                        unseen,
                        data=plan.fitted_rows(fit),
                        band=shown,
                        summaries=summaries(),
                        named=(plan.data_name, plan.label),
                    )
                return path.read_bytes()

        return asyncio.to_thread(written)

    def bands():
        result = req(state.result())
        return csv_bytes(results.bounds_at_all_ranks(result, prevalence()), *result.plan.source.csv_signs)

    async def predictions():
        new, fit, plan = req(state.new()), fitted_classifier(), req(state.result()).plan
        return await asyncio.to_thread(lambda: csv_bytes(results.predict_rows(new, fit, plan), *new.csv_signs))

    async def fitted_rows():
        return await asyncio.to_thread(req(state.result()).plan.rows_file)

    async def rows_aside():
        return await asyncio.to_thread(partial(req(state.result()).plan.rows_file, aside=True))

    def offer(button, name, media_type, content):
        async def chunks():
            found = content()
            yield await found if asyncio.iscoroutine(found) else found

        # it is found by the name of its button
        chunks.__name__ = button
        render.download_button(filename=lambda: file_name(name), media_type=media_type)(chunks)

    offer("picture_svg", "np-roc-bands.svg", FORMATS["svg"], lambda: picture("svg"))
    offer("picture_png", "np-roc-bands.png", FORMATS["png"], lambda: picture("png"))
    offer("picture_pdf", "np-roc-bands.pdf", FORMATS["pdf"], lambda: picture("pdf"))
    offer("band_csv", "np-roc-bands.csv", "text/csv", bands)
    offer("model", None, "application/octet-stream", model)
    offer("report", "report.html", "text/html", report)
    offer("fitted_rows", "rows-of-the-fit.csv", "text/csv", fitted_rows)
    offer("rows_aside", "rows-set-aside.csv", "text/csv", rows_aside)
    offer("script", "np_classification.py", "text/x-python", code)
    offer("predictions", "predictions.csv", "text/csv", predictions)


def csv_bytes(frame, sep, decimal):
    """Return a DataFrame as CSV with one header row, in which no text can be taken for a formula.

    It is UTF-8 with a byte order mark, without which some spreadsheets read umlauts as other letters.
    """
    from pandas.api.types import is_numeric_dtype

    frame = whole_again(frame)
    safe = frame.set_axis([_no_formula(name, decimal) for name in frame.columns], axis=1)
    for number, dtype in enumerate(frame.dtypes):
        if not is_numeric_dtype(dtype):
            safe.isetitem(number, frame.iloc[:, number].astype(object).map(partial(_no_formula, decimal=decimal)))
    # with this end of lines a line break inside a cell is quoted, and begins no cell
    text = safe.to_csv(index=False, lineterminator="\r\n", sep=sep, decimal=decimal)
    return text.encode("utf-8-sig")


def _no_formula(value, decimal):
    """Return text that a spreadsheet would run with an apostrophe before it, and all else as it is."""
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value.replace(decimal, "."))
    except ValueError:
        return f"'{value}"
    return value  # a number, which nothing runs
