"""Running an effect again after a while."""

from __future__ import annotations

import asyncio

from shiny import reactive


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
