"""`Type1Monitor`: the same bits however the rows are cut, a state that goes on, and words for bad input."""

import json

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from pictures import collisions

from nproc import Type1Monitor, npc
from nproc.errors import InvalidInputError, NPWarning
from nproc.monitoring import Type1ChangeDetector, log_evidence
from nproc.plotting.monitor import draw_evidence
from nproc.simulate import simulation1

RNG = np.random.default_rng(8)
STREAM = np.concatenate([RNG.random(3000) < 0.03, RNG.random(4000) < 0.12])


@pytest.mark.parametrize("cuts", [[], [1], [0, 3000, 3001, 6999], range(7, 7000, 7)], ids=["one", "two", "odd", "many"])
def test_chunks_decide_nothing(cuts):
    whole = Type1Monitor(0.05).update(STREAM)
    parts = Type1Monitor(0.05)
    late = Type1ChangeDetector(0.05)
    for part in np.split(STREAM, cuts):
        parts.update(part.astype(int))
        late.update(part)
    assert parts == whole
    assert parts.to_dict() == whole.to_dict()
    assert (parts.e_value, parts.lower_bound, parts.upper_bound) == (
        whole.e_value,
        whole.lower_bound,
        whole.upper_bound,
    )
    again = Type1ChangeDetector(0.05).update(STREAM)
    assert (late.evidence, late.alarm_at, late.n, late.n_errors) == (
        again.evidence,
        again.alarm_at,
        7000,
        int(STREAM.sum()),
    )


def test_the_alarm_comes_at_the_first_row_that_reaches_the_limit_and_stays():
    monitor = Type1Monitor(0.05, 0.05).update(STREAM)
    n = np.arange(1, STREAM.size + 1)
    evidence = log_evidence(np.cumsum(STREAM), n, 0.05, monitor.prior)
    assert monitor.alarm_at == int(n[evidence >= np.log(20)][0])
    monitor.update(np.zeros(5000))
    assert monitor.alarm
    assert monitor.e_value < 20


def test_one_by_one_counts_and_shapes():
    monitor = Type1Monitor(0.1)
    for value in (True, 0, 1.0, np.int8(0), [[0], [1]]):
        monitor.update(value)
    assert (monitor.n, monitor.n_errors) == (6, 3)
    counted = Type1Monitor(0.1).update(n_errors=3, n=6)
    assert counted.e_value == monitor.e_value
    assert (counted.lower_bound, counted.upper_bound) == (monitor.lower_bound, monitor.upper_bound)


def test_nothing_yet():
    monitor = Type1Monitor(0.1)
    assert (monitor.e_value, monitor.alarm, monitor.lower_bound, monitor.upper_bound) == (1.0, False, 0.0, 1.0)
    assert np.isnan(monitor.rate)
    assert len(monitor.to_frame()) == 0
    assert "0 errors in 0 class 0 rows, no alarm" in repr(monitor)
    assert "Monitor of the type I error" in str(monitor.summary())
    with pytest.raises(InvalidInputError, match="nothing to draw yet"):
        monitor.plot()
    assert monitor.update([]).n == 0


def test_evidence_beyond_all_floats():
    monitor = Type1Monitor(0.01).update(np.ones(2000))
    assert monitor.e_value == np.inf
    assert 5000 < monitor.log_e_value < 10_000
    quiet = Type1Monitor(0.5).update(np.zeros(100_000))
    assert 0 < quiet.e_value < 1e-4
    assert quiet.upper_bound < 1e-3


@pytest.mark.slow
def test_a_state_goes_on_where_it_was(tmp_path):
    first = Type1Monitor(0.05, 0.1, (1, 5)).update(STREAM[:4000])
    path = first.write(tmp_path / "state.json")
    assert Type1Monitor.read(path).update(STREAM[4000:]) == first.update(STREAM[4000:])
    # of many rows it stays small
    long = Type1Monitor(0.05).update(RNG.random(300_000) < 0.04)
    assert long.write(tmp_path / "long.json").stat().st_size < 30_000
    assert len(long.to_frame()) <= 1025
    for batch in range(3000):
        first.update(n_errors=batch % 3, n=20)
    assert len(first.to_frame()) <= 1025


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "nproc-rule"}, "is not a file of the format 'nproc-monitor'"),
        ({"format_version": 9}, "has version 9"),
        ({"alpha": 2}, "alpha must"),
        ({"n": 3}, "is not a saved Type1Monitor"),
        ({"n_errors": 400}, "is not a saved Type1Monitor"),
        ({"n_errors": 390}, "contradict each other"),
        ({"marks": {"step": 1, "n": [2, 1], "n_errors": [0, 0]}}, "contradict each other"),
        ({"prior": None}, "is not a saved Type1Monitor"),
        ({"about": {"labels": ["a", "b", "c"]}}, "labels must be at most two texts"),
        ({"about": {"labels": [0, 1]}}, "labels must be at most two texts"),
        ({"about": {"rows_again": -5}}, "rows_again must be at least 0"),
        ({"about": {"rows_again": True}}, "rows_again must be a whole number"),
        ({"about": {"rows_again": 392}}, r"rows_again must be at most 391 \(all rows of the state\), got 392"),
        ({"clusters": ["a", "b"]}, "clusters must be 391 different texts"),
        ({"clusters": ["a"] * 391}, "clusters must be 391 different texts"),
    ],
)
def test_a_file_that_was_changed_is_refused(change, message, tmp_path):
    state = Type1Monitor(0.05).update(np.zeros(391)).to_dict()
    path = tmp_path / "state.json"
    path.write_text(json.dumps(state | change))
    with pytest.raises(InvalidInputError, match=message):
        Type1Monitor.read(path)
    path.write_text("{")
    with pytest.raises(InvalidInputError, match="is not a JSON file"):
        Type1Monitor.read(path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Type1Monitor(0), "alpha must"),
        (lambda: Type1Monitor(0.1, 1), "delta must"),
        (lambda: Type1Monitor(0.1, prior=3), "prior must be two numbers above 0"),
        (lambda: Type1Monitor(0.1, prior=(0, 1)), "prior must"),
        (lambda: Type1Monitor(0.1).update(), "either errors"),
        (lambda: Type1Monitor(0.1).update([1], n=2), "either errors"),
        (lambda: Type1Monitor(0.1).update(n_errors=1), "either errors"),
        (lambda: Type1Monitor(0.1).update(n_errors=3, n=2), "n_errors=3 is more than the n=2 rows"),
        (lambda: Type1Monitor(0.1).update([0, 2]), "errors must be 0 or 1"),
        (lambda: Type1Monitor(0.1).update([0, np.nan]), "errors must be 0 or 1"),
        (lambda: Type1Monitor(0.1).update(["no", "yes"]), r"must be 0 or 1.* fit.predict\(X0\) == fit.labels\[1\]"),
        (lambda: Type1Monitor(0.1).update(np.zeros((2, 2))), r"got an array of shape \(2, 2\)"),
        (lambda: Type1ChangeDetector(0.1, 1), "run_length must be at least 2"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()


def test_a_fit_makes_its_monitor():
    sample, later = simulation1(600, random_state=1), simulation1(2000, random_state=2)
    fit = npc(sample.X, sample.y, "lda", alpha=0.2, delta=0.1, random_state=1)
    assert fit.monitor().delta == 0.1
    monitor = fit.monitor(0.01)
    assert (monitor.alpha, monitor.delta) == (0.2, 0.01)
    monitor.update(fit.predict(later.X[later.y == 0]) == fit.labels[1])
    assert monitor.rate == fit.evaluate(later.X, later.y).type1


@pytest.mark.parametrize("clusters", [None, [1, 2, 3]])
def test_the_monitor_of_a_model_that_was_trained_before_says_once_that_its_rows_are_not_new(clusters, tmp_path):
    sample = simulation1(600, random_state=1)
    told = "The model was trained before the fit. The rows that trained it are not new rows, so leave them out."
    for method, prefit in (("lda", False), (lambda rows: rows[:, 0], True)):
        monitor = npc(sample.X, sample.y, method, prefit=prefit, random_state=1).monitor()
        monitor.update([0, 1, 0], clusters=clusters)
        read = Type1Monitor.read(monitor.write(tmp_path / "state.json"))
        change = Type1ChangeDetector(0.05)
        change.about = monitor.about
        change.update([0, 1, 0], clusters=clusters)
        for watch in (monitor, read, change):
            assert " ".join(str(watch.summary()).split()).count(told) == prefit


@pytest.mark.parametrize("class0", [0, 1])
def test_predicted_labels_are_no_errors_where_class_0_is_1(class0):
    sample = simulation1(600, random_state=1)
    fit = npc(sample.X, sample.y, "lda", class0=class0, alpha=0.2, random_state=1)
    called = fit.predict(sample.X)
    change = Type1ChangeDetector(0.2)
    change.about = fit.monitor().about
    for watch in (fit.monitor(), change):
        if class0 == 1:
            for given in (called, called.astype(float), called.tolist()):
                with pytest.raises(InvalidInputError, match=r"True or False .* fit.predict\(X0\) == fit.labels\[1\]"):
                    watch.update(given)
        else:
            watch.update(called)
        before = watch.n_errors
        watch.update(called == fit.labels[1])
        assert watch.n_errors - before == np.sum(called != class0)


@pytest.mark.slow
def test_the_summary_and_the_picture_name_the_classes_by_their_labels():
    sample = simulation1(300, random_state=1)
    fit = npc(sample.X, np.where(sample.y == 0, "krank", "gesund"), "lda", class0="krank", alpha=0.2, random_state=1)
    monitor, change = fit.monitor(), Type1ChangeDetector(0.2, 1000)
    change.about = monitor.about
    alone = Type1Monitor(0.2)
    alone.about = {"labels": ["krank"]}
    for watch, called in [(monitor, "gesund"), (change, "gesund"), (alone, "another class")]:
        text = str(watch.update([0, 1, 0]).summary())
        assert "Rows of krank:" in text
        assert f"Called {called}:" in text
        assert "class 1" not in text
    rates, evidence = monitor.plot()
    assert rates.get_ylabel().replace("\n", " ") == "share of krank called gesund"
    assert evidence.get_xlabel() == change.plot().get_xlabel() == "rows of krank"
    assert alone.plot()[0].get_ylabel().replace("\n", " ") == "share of krank called another class"
    plt.close("all")


@pytest.mark.slow
def test_the_axis_of_shares_names_the_class_of_the_rows_where_three_lines_hold_both_names():
    monitor, width, lines = Type1Monitor(0.2).update([0, 1, 0] * 20), 85 / 25.4, []
    for labels in (["krank", "gesund"], ["progressive disease at one year", "stable disease at one year"], [0, 1]):
        monitor.about = {"labels": labels}
        lines.append(monitor.plot(figsize=(width, 3))[0].get_ylabel().split("\n"))
    assert " ".join(lines[0]) == "share of krank called gesund"
    assert " ".join(lines[1]) == "share called stable disease at one year"
    assert len(lines[0]) <= 3
    assert [line for line in lines[2] if line.endswith("class") or line[0] in "01"] == []
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("font", [7, 10])
def test_the_axis_of_shares_shortens_a_class_that_has_no_room_in_four_lines(font):
    monitor = Type1Monitor(0.2).update([0, 1, 0] * 20)
    longest = "acute lymphoblastic leukaemia of B-cell precursors with recurrent genetic abnormalities"
    monitor.about = {"labels": ["none of these", longest]}
    with mpl.rc_context({"font.size": font}):
        name = monitor.plot(figsize=(85 / 25.4, 3))[0].get_ylabel()
    assert name.count("\n") <= 3
    assert name.replace("\n", " ").startswith("share called")
    assert "..." in name
    plt.close("all")


@pytest.mark.slow
def test_the_picture_shows_the_alarm_and_takes_two_axes():
    monitor = Type1Monitor(0.05).update(STREAM)
    rates, evidence = monitor.plot()
    lines = {line.get_gid(): line for axes in (rates, evidence) for line in axes.lines}
    assert lines["nproc-monitor-alarm"].get_xdata()[0] == monitor.alarm_at
    assert lines["nproc-monitor-alpha"].get_ydata()[0] == 0.05
    np.testing.assert_allclose(lines["nproc-monitor-rate"].get_ydata()[-1], monitor.rate)
    told = [text.get_text() for text in evidence.get_legend().get_texts()]
    above, _ = lines["nproc-monitor-evidence-above"].get_data()
    above = f"evidence above the axis from row {above[0]:,.0f} on"
    assert told == ["alarm at evidence 20", above, f"alarm after {monitor.alarm_at:,} rows"]
    plt.close("all")
    figure, pair = plt.subplots(2, 1)
    assert monitor.plot(ax=pair)[0] is pair[0]
    with pytest.raises(InvalidInputError, match="ax must be two Axes"):
        monitor.plot(ax=pair[0])
    with pytest.raises(InvalidInputError, match="figsize is the size of a new figure"):
        monitor.plot(ax=pair, figsize=(3, 3))
    plt.close(figure)


@pytest.mark.parametrize("width", [3.35, 6.7])
def test_a_share_of_zero_lies_wholly_above_the_frame(width):
    with mpl.rc_context({"font.size": 7}):
        rates, _ = Type1Monitor(0.05).update(np.zeros(27)).plot(figsize=(width, 3))
        rates.figure.canvas.draw()
        (line,) = (line for line in rates.lines if line.get_gid() == "nproc-monitor-rate")
        frame = rates.spines["bottom"].get_linewidth()
        above = (rates.transData.transform((1, 0))[1] - rates.bbox.y0) * 72 / rates.figure.dpi
        assert above > (line.get_linewidth() + frame) / 2
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("width", [3.35, 6.7])
def test_no_line_of_the_picture_of_an_early_alarm_crosses_its_words(width):
    with mpl.rc_context({"font.size": 7}):
        rates, evidence = Type1Monitor(0.1).update(np.random.default_rng(0).random(300) < 0.2).plot(figsize=(width, 3))
        assert collisions(rates.figure) == []
    for axes in (rates, evidence):
        assert list(axes.texts) == []
        assert axes.get_legend().get_window_extent().y0 >= axes.get_window_extent().y1
    plt.close("all")


@pytest.mark.slow
def test_evidence_that_leaves_the_picture_ends_with_a_triangle():
    n = np.arange(1.0, 31)
    for slope, marker in ((1.0, "^"), (-1.0, "v"), (0.1, None)):
        ax = Figure().subplots()
        draw_evidence(ax, n, slope * n * np.log(10), 20, "alarm", "monitor")
        marks = [line for line in ax.lines if line.get_marker() in ("^", "v")]
        assert [line.get_marker() for line in marks] == [marker] * (marker is not None)
        for line in marks:
            (row,), (height,) = line.get_data()
            beyond = slope * n > height if marker == "^" else slope * n < height
            assert (row, height in ax.get_ylim()) == (n[beyond][0], True)
            where = "above" if marker == "^" else "below"
            assert line.get_label() == f"evidence {where} the axis from row {row:.0f} on"
    _, evidence = Type1Monitor(0.1).update(np.random.default_rng(2).random(1000) < 0.5).plot(figsize=(3.35, 2.6))
    assert sum(line.get_marker() == "^" for line in evidence.lines) == 1
    told = [text.get_text().replace("\n", " ") for text in evidence.get_legend().get_texts()]
    assert [text for text in told if text.startswith("evidence above the axis from row ")]
    assert collisions(evidence.figure) == []
    plt.close("all")


@pytest.mark.slow
def test_the_line_of_an_alarm_at_the_last_row_lies_wholly_beside_the_frame():
    errors = np.random.default_rng(0).random(300) < 0.3
    monitor = Type1Monitor(0.1).update(errors[: Type1Monitor(0.1).update(errors).alarm_at])
    assert monitor.alarm_at == monitor.n
    for axes in monitor.plot(figsize=(3.35, 3)):
        axes.figure.canvas.draw()
        (line,) = (line for line in axes.lines if line.get_gid() == "nproc-monitor-alarm")
        beside = (axes.bbox.x1 - axes.transData.transform((monitor.n, 0))[0]) * 72 / axes.figure.dpi
        assert beside > (line.get_linewidth() + axes.spines["right"].get_linewidth()) / 2
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize(("row", "told"), [(10, "last too high to draw at"), (15, "too high to draw until")])
def test_bounds_that_leave_the_axis_again_are_not_said_to_lie_above_it_all_the_time(row, told):
    monitor = Type1Monitor(0.2).update(np.arange(1, 201) == row)
    rates, _ = monitor.plot()
    upper = monitor.to_frame().iloc[:, 4].to_numpy()
    beyond = upper > rates.get_ylim()[1]
    last = np.flatnonzero(beyond)[-1]
    assert beyond[: last + 1].all() == (told == "too high to draw until")
    keys = [" ".join(text.get_text().split()) for text in rates.get_legend().get_texts()]
    assert [key.partition("; ")[2] for key in keys if ";" in key] == [f"{told} row {last + 1} (triangle)"]
    plt.close("all")


def test_the_axis_of_shares_ends_at_1():
    rates, _ = Type1Monitor(0.05).update(np.ones(60, dtype=bool)).plot()
    assert 1 < rates.get_ylim()[1] < 1.05
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "marked"), [(120, False), (2000, True)])
def test_no_share_and_no_bound_is_cut_off_without_a_mark(n, marked):
    errors = np.random.default_rng(2).random(n) < 0.05
    errors[:2] = True
    monitor = Type1Monitor(0.05).update(errors)
    frame = monitor.to_frame()
    for figsize in ((3.35, 2.6), None):
        rates, _ = monitor.plot(figsize=figsize)
        above = frame[frame.iloc[:, 4] > rates.get_ylim()[1]]
        legend = rates.get_legend()
        keys = [" ".join(text.get_text().split()) for text in legend.get_texts()]
        told = [key.partition("; ")[2] for key in keys if "too high" in key]
        assert told == [f"last too high to draw at row {row:,.0f} (triangle)" for row in above.iloc[-1:, 0]]
        # nothing stands in the legend without a key
        assert all(isinstance(key, Patch) or key.get_linestyle() != "None" for key in legend.legend_handles)
        # the only triangle is the one at the row
        assert not any(line.get_marker() == "^" for line in legend.get_lines())
        assert bool(told) == marked
        plt.close("all")


@pytest.mark.parametrize("kind", [Type1Monitor, Type1ChangeDetector])
def test_one_row_of_each_cluster_counts_and_none_counts_twice(kind, tmp_path):
    # rows of one cluster are alike, so that it does not matter which of them is drawn
    wrong = np.random.default_rng(1).random(60) < 0.3
    who = np.repeat(np.arange(60), 5)
    monitor = kind(0.1).update(np.repeat(wrong, 5)[:150], clusters=who[:150])
    assert (monitor.n, monitor.n_errors, monitor.clusters) == (30, wrong[:30].sum(), list(map(str, range(30))))
    read = kind.read(monitor.write(tmp_path / "state.json"))
    assert read == monitor
    # from cluster 20 on, of which ten have been counted; a gap elsewhere has made the numbers decimal
    read.update(np.repeat(wrong, 5)[100:], clusters=who[100:].astype(float))
    assert (read.n, read.n_errors, read.alarm_at) == (60, wrong.sum(), kind(0.1).update(wrong).alarm_at)
    assert read.update([1, 1], clusters=[3, 3]).n == 60
    assert "One row of each cluster counts" in " ".join(str(read.summary()).split())


@pytest.mark.slow
def test_a_monitor_of_a_fit_with_clusters_has_no_bounds_of_rows_without(tmp_path):
    for kind in (Type1Monitor, Type1ChangeDetector):
        monitor = kind(0.1)
        monitor.about = {"cluster_column": None, "seed": 1}
        with pytest.warns(NPWarning, match="clusters is missing, .* Nothing is guaranteed"):
            monitor.update([0, 1, 0, 0])
        monitor.write(tmp_path / "s.json")
        for one in (monitor, kind.read(tmp_path / "s.json")):
            assert "nothing is guaranteed, as the clusters of the rows are not known" in repr(one)
            told = " ".join(str(one.summary()).split())
            assert "Nothing is guaranteed, because the classifier was made with clusters" in told
    monitor = Type1Monitor(0.1)
    monitor.about = {"cluster_column": None, "seed": 1}
    # who counts may have counted one row of each
    assert 0 < monitor.update(n_errors=1, n=4).upper_bound < 1
    assert "No clusters were given: each row counts as its own cluster." in " ".join(str(monitor.summary()).split())
    with pytest.warns(NPWarning, match="clusters is missing"):
        monitor.update([0])
    assert np.isnan([monitor.lower_bound, monitor.upper_bound]).all()
    assert monitor.to_frame()["upper_bound"].isna().all()
    keys = [text.get_text() for text in monitor.plot()[0].get_legend().get_texts()]
    assert "rows of unknown clusters: no bounds, no valid alarm" in keys
    assert not any("at all times" in key for key in keys)


def test_no_rows_leave_a_monitor_of_a_fit_with_clusters_as_it_was():
    for kind in (Type1Monitor, Type1ChangeDetector):
        empty, other = kind(0.1), kind(0.1)
        empty.about, other.about = {"cluster_column": None, "seed": 1}, {"cluster_column": None, "seed": 1}
        assert empty.update([]) == other
        assert empty.update([0, 1, 0], clusters=["a", "b", "b"]) == other.update([0, 1, 0], clusters=["a", "b", "b"])


def test_each_call_draws_rows_of_clusters_anew():
    # the first row of each cluster is an error, and the second is none
    monitor = Type1Monitor(0.5)
    for cluster in range(400):
        monitor.update([1, 0], clusters=[cluster, cluster])
    assert 150 < monitor.n_errors < 250


def test_rows_with_clusters_and_rows_without_do_not_mix():
    with pytest.raises(InvalidInputError, match="the 2 rows so far came without their clusters"):
        Type1Monitor(0.1).update([0, 1]).update([0], clusters=["a"])
    known = Type1Monitor(0.1).update([0, 1], clusters=["a", "b"])
    with pytest.raises(InvalidInputError, match="clusters is missing: the 2 rows so far are one row of each cluster"):
        known.update([0])
    with pytest.raises(InvalidInputError, match="counts cannot be combined with clusters"):
        known.update(n_errors=1, n=2)
    with pytest.raises(InvalidInputError, match="clusters must have one value for each of the 2 class 0 rows"):
        known.update([0, 1], clusters=["c"])
    with pytest.raises(InvalidInputError, match="clusters has 1 missing values"):
        known.update([0, 1], clusters=["c", None])


def test_a_monitor_without_clusters_says_that_rows_must_be_independent():
    assert "The rows must be independent." in " ".join(str(Type1Monitor(alpha=0.1).summary()).split())
