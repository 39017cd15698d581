"""An effect that runs again later, and what happens when nobody waits for it any more."""

import asyncio
import gc

import pytest

pytest.importorskip("shiny", reason="shiny is not installed (pip install '.[app]')")

from shiny import reactive
from shiny.reactive import _core

from nproc.app.parts import Later

SECONDS = 0.01


@pytest.fixture(autouse=True)
def nothing_fails_unseen(monkeypatch, caplog):
    # shiny has one lock for the whole process, which belongs to the loop of the first test that waits for it
    monkeypatch.setattr(_core._reactive_environment, "_lock", None)
    yield
    # asyncio tells of a task that failed when the task is removed
    gc.collect()
    assert not caplog.records


def run(steps, *, wanted=3):
    """Run an effect until it has run `wanted` times for one job, with `steps` beside it; return what it did."""
    runs = []

    async def main():
        job, later = reactive.value("first"), Later()

        @reactive.effect
        def _watch():
            runs.append(job())
            if job() is not None and runs.count(job()) < wanted:
                later.again_in(SECONDS)

        async with reactive.lock():
            await reactive.flush()
        await steps(job, runs)
        _watch.destroy()

    asyncio.run(main())
    return runs


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(SECONDS)


async def change(job, value):
    job.set(value)
    await reactive.flush()


@pytest.mark.slow
def test_an_effect_runs_again_until_it_asks_no_more():
    async def steps(job, runs):
        await until(lambda: len(runs) == 3)
        await asyncio.sleep(5 * SECONDS)

    assert run(steps) == ["first"] * 3


@pytest.mark.slow
def test_a_job_that_is_cancelled_while_the_timer_waits_for_its_turn_leaves_no_word(capfd):
    async def steps(job, runs):
        async with reactive.lock():
            await asyncio.sleep(10 * SECONDS)
            await change(job, None)
        await asyncio.sleep(10 * SECONDS)

    assert run(steps) == ["first", None]
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_a_timer_that_runs_already_serves_the_next_job():
    async def steps(job, runs):
        async with reactive.lock():
            await change(job, "second")
        await until(lambda: len(runs) == 4)
        await asyncio.sleep(5 * SECONDS)

    # not one chain of runs for each job
    assert run(steps) == ["first", "second", "second", "second"]


@pytest.mark.slow
def test_the_loop_may_end_while_the_timer_waits(capfd):
    async def steps(job, runs):
        await reactive.lock().acquire()
        await asyncio.sleep(10 * SECONDS)
        reactive.lock().release()

    assert run(steps) == ["first"]
    assert capfd.readouterr() == ("", "")
