"""nproc.app.jobs: a fit in another process, its progress, its end and its cancellation."""

import dataclasses
import html
import os

import numpy as np
import pandas as pd
import pytest
from waiting import wait_for

from nproc import nproc
from nproc.app.data import MISSING, NO_METHOD, make_plan, sample_source
from nproc.app.jobs import Job, ProgressText
from nproc.app.page import codes, fitted, too_late
from nproc.app.results import Result


def plan_of(method, n_splits, sample="simulation1", features=("x1",), class0="0", **more):
    settings = {"n_splits": 1, "alpha": 0.1, "delta": 0.1, "seed": 3, **more}
    source = sample_source(sample)
    label = source.label
    plan = make_plan(source, label=label, class0=class0, features=list(features), methods=[method], **settings)
    # the page takes fewer than some of these tests need
    return dataclasses.replace(plan, n_splits=n_splits)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_job_gives_the_bands_of_the_same_call_here():
    plan = plan_of("lda", 3)
    job = Job(plan)
    job.start()
    kind, bands, warnings = wait_for(job.outcome)
    here = nproc(**plan.arguments(), method="lda")
    assert (kind, warnings) == ("bands", ())
    np.testing.assert_array_equal(bands[0].type2_upper, here.type2_upper)
    assert not alive(job.pid)
    assert job.progress[0] == 1


def test_an_error_of_the_fit_comes_back_as_its_text():
    source = sample_source("simulation1")
    frame = source.frame
    frame.loc[3, "x1"] = np.nan
    plan = plan_of("lda", 1)
    object.__setattr__(plan, "source", type(source)(frame, "holes.csv", source.code))
    job = Job(plan)
    job.start()
    kind, text = wait_for(job.outcome)
    assert kind == "error"
    assert "missing" in text or "NaN" in text


@pytest.mark.slow
def test_of_several_methods_the_error_names_the_one_that_fails():
    source = sample_source("simulation1")
    frame = source.frame
    frame.loc[3, "x1"] = np.nan
    plan = dataclasses.replace(plan_of("lda", 1), source=type(source)(frame, "holes.csv", source.code))
    job = Job(dataclasses.replace(plan, methods=("randomforest", "lda")))
    job.start()
    kind, text = wait_for(job.outcome)
    assert kind == "error"
    assert text.startswith("lda needs rows without missing values. 1 of the 1000 rows has missing values: x1 (1). Tick")
    assert "randomforest" in text.partition("or choose ")[2]


def test_a_gap_in_a_column_of_text_is_told_in_words_of_the_page(mixed):
    mixed.frame.loc[[3, 4], "job"] = None
    settings = {"n_splits": 1, "alpha": 0.1, "delta": 0.1, "seed": 3, "label": "default", "class0": "yes"}
    job = Job(make_plan(mixed, features=["age group", "job"], methods=["randomforest"], **settings))
    job.start()
    kind, text = wait_for(job.outcome)
    assert (kind, text) == ("error", f"{NO_METHOD} 2 of the 300 rows have missing values: job (2). {MISSING}")


def test_what_all_methods_warn_of_is_told_once():
    plan = plan_of("lda", 1)
    twice = dataclasses.replace(plan.source, frame=pd.concat([plan.source.frame] * 2, ignore_index=True))
    job = Job(dataclasses.replace(plan, source=twice, methods=("lda", "nb")))
    job.start()
    _, _, warnings = wait_for(job.outcome)
    told = [text for text in warnings if "are exact copies of training rows" in text]
    assert [text.partition(":")[0] for text in told] == ["all methods"]


def test_a_number_that_stands_for_missing_values_is_told_before_the_fit_and_not_again_after_it():
    plan = plan_of("lda", 1)
    frame = plan.source.frame.assign(x1=plan.source.frame["x1"].where(np.arange(1000) % 90 > 0, 999))
    plan = dataclasses.replace(plan, source=dataclasses.replace(plan.source, frame=frame))
    told = html.unescape(str(codes(frame[list(plan.features)])))
    assert plan.codes_told in told
    assert "it is used as a number: 999 in column 'x1'." in told
    assert "leave those cells of the file empty, and upload it again before the first fit." in told
    job = Job(plan)
    job.start()
    _, bands, warnings = wait_for(job.outcome)
    assert not [text for text in warnings if "999" in text]
    # a report on it still says so
    assert any("999 in column 'x1'" in text for text in bands[0].classifier(0.1).design.told)
    # that they can be emptied is advice as well, after which the guarantee would be lost
    assert too_late(plan) in html.unescape(str(fitted(Result(plan, bands))))
    # of columns that do not predict nothing is said
    assert codes(frame[[]]) is None
    assert plan_of("lda", 1).codes_told == ""


@pytest.mark.skipif(os.name == "nt", reason="asks for a process by a signal")
def test_a_cancelled_job_leaves_no_process():
    job = Job(plan_of("lda", 10001))
    job.start()
    assert alive(job.pid)
    wait_for(lambda: job.outcome() is None and job.progress[0] > 0)
    job.cancel()
    assert not alive(job.pid)
    assert job.outcome() is None
    job.cancel()  # twice does no harm


def test_a_job_cancelled_before_it_starts_is_killed_as_it_starts():
    job = Job(plan_of("lda", 10001))
    job.cancel()
    job.start()
    assert not alive(job.pid)


@pytest.mark.skipif(os.name == "nt", reason="ends a process by a signal")
def test_a_job_whose_process_dies_says_so():
    job = Job(plan_of("lda", 10001))
    job.start()
    os.kill(job.pid, 9)
    kind, text = wait_for(job.outcome)
    assert kind == "error"
    assert "the fit of lda ended without a result (exit code -9" in text


def test_progress_is_read_from_lines():
    told = []
    stream = ProgressText(told.append)
    stream.write("nproc: split 3 of 7 done, 0.1 s\n")
    stream.write("\n")
    stream.flush()
    assert told == [3]


def test_progress_counts_the_splits_of_all_methods():
    job = Job(dataclasses.replace(plan_of("lda", 5), methods=("lda", "nb")))
    job._at = (1, 2)
    share, text = job.progress
    assert share == pytest.approx(0.7)
    assert text == "Fitting nb (method 2 of 2): 2 of 5 splits done, 0 s"
