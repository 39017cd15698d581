"""Server side of the level: slider, number, click and target move one value, and nothing is fitted again."""

from __future__ import annotations

from shiny import reactive, render, req, ui

from nproc.app.sources import page_words
from nproc.errors import NPError


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
