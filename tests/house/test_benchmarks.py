"""The benchmarks: which there are, what the page of results says of them, and what is stopped when its time is over."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from source_files import ROOT

sys.path.append(str(ROOT / "benchmarks"))

import measure
import page_rows
import paper_rows
import papers_page
import results_file
import run_all
import scaling
import suite

BENCHMARKS = ROOT / "benchmarks"
ENDING = (
    "*Run in 12 s: 2026-01-02 03:04 UTC, 2 cores, some processor, 8 GB of memory, Linux, load 0.1 at the start; Python*"
)


def section(*verdicts, ending=ENDING):
    rows = "\n".join(f"| what | 1.0 | {verdict} |" for verdict in verdicts)
    return f"How long?\n\n| what | ratio | met |\n| --- | --- | --- |\n{rows}\n\n{ending}"


def row_of(page, name):
    """Return the cells of the row that links to the details of a script."""
    rows = (line for line in page.read_text(encoding="utf-8").splitlines() if f"(results/{name}.md)" in line)
    return [cell.strip() for cell in next(rows).strip("|").split(" | ")]


def details_of(page, name):
    return (page.parent / "results" / f"{name}.md").read_text(encoding="utf-8")


# which there are


def test_the_shares_of_the_suite_and_the_time_to_stop_each_script_fit_into_twenty_minutes():
    shares = [benchmark.share for benchmark in suite.SUITE.values()]
    assert sum(shares) + 2 * run_all.GRACE * len(shares) <= suite.MOST_SECONDS == 1200


def test_every_benchmark_has_a_script_and_every_script_that_is_run_alone_is_a_benchmark():
    named = {benchmark.script for benchmark in suite.BENCHMARKS.values()}
    scripts = {p.stem for p in BENCHMARKS.glob("*.py") if "__main__" in p.read_text(encoding="utf-8")}
    assert named == scripts - {"run_all", "papers_page"}
    assert not set(suite.SUITE) & set(suite.STUDIES)


def test_a_name_that_is_no_benchmark_is_told_the_names(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["run_all.py", "nothing"])
    with pytest.raises(SystemExit, match=r"unknown benchmark\(s\) \['nothing'\]; there are threshold_and_band, "):
        run_all.main()


def test_the_help_lists_the_suite_and_the_studies_apart(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run_all.py", "--help"])
    with pytest.raises(SystemExit):
        run_all.main()
    suite_part, _, studies_part = capsys.readouterr().out.partition("the suite:\n")[2].partition("the studies:\n")
    assert suite_part.replace(",", " ").split() == list(suite.SUITE)
    assert studies_part.replace(",", " ").split() == list(suite.STUDIES)


def test_several_parts_were_run(tmp_path):
    path = tmp_path / "RESULTS.md"
    results_file.write_results(path, {"peers": section(), "cost_curves": section()})
    assert f"2 of the {len(suite.SUITE)} parts of the suite were run on" in path.read_text(encoding="utf-8")


def test_tiny_sizes_never_replace_the_results(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["run_all.py", "--tiny"])
    with pytest.raises(SystemExit, match="give --results another file"):
        run_all.main()


# the page of results and its files


def test_sections_come_back_from_the_files_as_they_were_written(tmp_path):
    page = tmp_path / "RESULTS.md"
    sections = {"real_data-small": section("yes"), "real_data": section("yes"), "cost_curves": section("yes", "**no**")}
    results_file.write_results(page, sections)
    assert results_file.earlier_sections(page) == sections
    # one file for a script, with all its sections
    assert re.findall(r"^## (\S+)$", details_of(page, "real_data"), re.MULTILINE) == ["real_data-small", "real_data"]
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["RESULTS.md", "cost_curves.md", "real_data.md", "results"]


def test_a_rerun_writes_the_file_of_its_script_and_its_row_and_leaves_the_other_files(tmp_path):
    page = tmp_path / "RESULTS.md"
    results_file.write_results(page, {"peers": section("yes"), "cost_curves": section("yes")})
    other = tmp_path / "results" / "peers.md"
    before = (other.stat().st_mtime_ns, row_of(page, "peers"))
    results_file.write_results(page, results_file.earlier_sections(page) | {"cost_curves": section("**no**")})
    assert (other.stat().st_mtime_ns, row_of(page, "peers")) == before
    assert row_of(page, "cost_curves")[3] == "**missed**, 1 of 1: what, 1.0"


def test_a_row_has_the_question_the_figure_the_target_the_outcome_and_the_link(tmp_path):
    page = tmp_path / "RESULTS.md"
    table = (
        "| what | median ratio | at most | met |\n| --- | --- | --- | --- |\n"
        "| npc | 1.16 | 1.15 | **no** |\n| NPClassifier | 0.9 | 1.15 | yes |\n| nproc | 7 | - | - |"
    )
    text = f"How long?\n\n{table}\n\n{ENDING}"
    results_file.write_results(page, {"import_time": text, "ensembles": section(), "cost_curves": section("yes")})
    assert row_of(page, "import_time") == [
        "How long?",
        # the row without a target is not in the range
        "0.9 to 1.16 times the imports that cannot be left out",
        "at most 1.15",
        "**missed**, 1 of 2: npc (1.16, at most 1.15)",
        "[import_time](results/import_time.md)",
        "2026-01-02 03:04",
    ]
    # misses first, then what is met, then what has no target
    links = re.findall(r"\(results/(\w+)\.md\)", page.read_text(encoding="utf-8"))
    assert links == ["import_time", "cost_curves", "ensembles"]
    assert row_of(page, "ensembles")[2:4] == ["none", "-"]
    text = page.read_text(encoding="utf-8")
    assert f"2 of the {len(suite.SUITE)} parts of the suite were run on 2026-01-02 03:04 UTC and took 24 s" in text
    assert re.search(r"Not run yet: .*`rcv1`", text)


@pytest.mark.parametrize(
    ("verdicts", "shown"),
    [
        (("inconclusive", "inconclusive"), "inconclusive, 2 of 2"),
        (("inconclusive", "yes"), "met, 1 of 1"),
        (("inconclusive", "**no**"), "**missed**, 1 of 1: what, 1.0"),
        (("-",), "-"),
    ],
)
def test_a_question_that_the_rows_cannot_answer_is_said_to_be_one(verdicts, shown):
    assert results_file.outcome(section(*verdicts)) == shown


def test_a_cell_is_found_by_the_cells_that_begin_its_row_and_a_missing_one_is_a_dash():
    text = "| n | alpha | type I |\n| --- | --- | --- |\n| 3 | 0.1 | 0.02 |\n| 3 | 0.2 | 0.04 (0.01) |"
    assert results_file.filled("{3; 0.2 | type I}, {*; 0.1 | type I}, {4 | type I}", text) == "0.04 (0.01), 0.02, -"
    assert results_file.filled("{type I}; {other}", text) == "0.02 to 0.04; -"


def test_a_miss_of_a_small_size_is_told_beside_the_study(tmp_path):
    page = tmp_path / "RESULTS.md"
    results_file.write_results(page, {"real_data-small": section("**no**"), "real_data": section("yes")})
    assert row_of(page, "real_data")[3] == "met, 1 of 1; real_data-small: **missed**, 1 of 1: what, 1.0"


@pytest.mark.parametrize(("how", "shown"), [("Failed", "**failed**"), ("Stopped", "**stopped**")])
def test_the_page_says_what_failed_and_what_was_stopped(tmp_path, how, shown):
    page = tmp_path / "RESULTS.md"
    results_file.write_results(page, {"peers": section("yes", ending=ENDING.replace("Run in", f"{how} after"))})
    assert row_of(page, "peers")[3] == shown


def test_every_section_of_the_results_ends_with_its_time_and_machine():
    sections = results_file.earlier_sections(BENCHMARKS / "RESULTS.md")
    assert len(sections) >= 20
    assert [name for name, text in sections.items() if not results_file.ENDING.match(text.splitlines()[-1])] == []
    assert set(sections) <= set(suite.BENCHMARKS)


def test_the_page_is_what_its_files_make_it_and_every_figure_that_it_names_is_found(tmp_path):
    page = BENCHMARKS / "RESULTS.md"
    results_file.write_results(tmp_path / "RESULTS.md", results_file.earlier_sections(page))
    assert (tmp_path / "RESULTS.md").read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
    assert set(page_rows.ROWS) == {benchmark.script for benchmark in suite.BENCHMARKS.values()}
    sections = results_file.earlier_sections(page)
    lost = {
        (script, place)
        for script, words in page_rows.ROWS.items()
        for place in re.findall(r"\{[^{}]+\}", " ".join(words))
        if script in sections and results_file.filled(place, sections[script]) == "-"
    }
    assert lost == set()


# the page of the papers


def sections_now():
    return results_file.earlier_sections(BENCHMARKS / "RESULTS.md")


def test_the_page_of_the_papers_is_what_the_stored_results_make_it():
    assert papers_page.papers_page(sections_now()) == papers_page.PAGE.read_text(encoding="utf-8")


def test_the_page_has_every_figure_and_table_of_the_five_papers():
    # those that the texts of the papers caption or cite
    wanted = (
        ["1", "2", "3", "4A", "4B", "5", "6", "S8", "S1 to S6", "S7", "S9"],
        ["1", "I", "2", "II", "III", "3", "4", "4, magic", "4, time", "5", "5, time", "5, SVMPerf", "6", "IV", "V"],
        ["the data sets", "results", "RCV1", "q-values"],
        ["1", "2", "3", "4", "5 to 7", "8 to 10"],
        ["1 and 2", "1", "3 to 5", "2", "3", "4", "6"],
    )
    labels = [[row.label for row in paper.rows] for paper in paper_rows.PAPERS]
    prefix = re.compile(r"^(Figs?\.|Table of|Tables?|Figures of) ")
    assert [[prefix.sub("", label) for label in one] for one in labels] == list(wanted)


def test_every_figure_of_the_page_is_found_and_every_row_has_a_verdict_and_a_source():
    sections, rows = sections_now(), [row for paper in paper_rows.PAPERS for row in paper.rows]
    places = {place for row in rows for place in re.findall(r"\{([^{}]+)\}", row.ours + row.reason)}
    assert sorted(place for place in places if papers_page.figure_at(place, sections) == "-") == []
    assert {row.verdict for row in rows} <= set(paper_rows.VERDICTS)
    # what is called measured names where; no figure of ours is typed
    assert [row.label for row in rows if not row.where and row.verdict == paper_rows.REPRODUCED] == []
    assert [row.label for row in rows if re.search(r"\d\.\d\d\d", re.sub(r"\{[^{}]+\}", "", row.ours))] == []


def test_a_figure_of_the_page_follows_the_results():
    sections = sections_now()
    place = "rcv1 > 10 %; ONP-SVM | P_fa, %"
    row = re.search(r"\| 10 % \| ONP-SVM \| ([^|]+) \|", sections["rcv1"])
    assert papers_page.figure_at(place, sections) == row[1]
    changed = sections | {"rcv1": sections["rcv1"].replace(row[0], "| 10 % | ONP-SVM | 7.65 |")}
    assert papers_page.figure_at(place, changed) == "7.65"
    assert papers_page.figure_at(place, {}) == "-"


# scripts that fail or take too long


def made(monkeypatch, tmp_path, code, share=60):
    """Put a script in the place of the benchmarks, and return the file of results for it."""
    (tmp_path / "made.py").write_text(f'"""Is it made?"""\n{code}\n', encoding="utf-8")
    monkeypatch.setattr(run_all, "HERE", tmp_path)
    for module in (run_all, results_file):
        monkeypatch.setattr(module, "BENCHMARKS", {"made": suite.Benchmark("made", share, ("--size", "3"))})
        monkeypatch.setattr(module, "SUITE", {"made": None})
    results = tmp_path / "RESULTS.md"
    monkeypatch.setattr(sys, "argv", ["run_all.py", "--results", str(results)])
    return results


VERDICT = "| met |\n| --- |\n| yes |"


def test_what_a_script_prints_is_its_section_with_its_question_and_sizes(monkeypatch, tmp_path, capsys):
    code = f"import os, sys\nprint({VERDICT!r})\nprint(sys.argv[1:], os.environ['NPROC_FIGURES'])"
    results = made(monkeypatch, tmp_path, code)
    run_all.main()
    text = details_of(results, "made")
    figures = tmp_path / "results" / "figures"
    assert f"## made\n\nIs it made?\n\nSizes: `--size 3`.\n\n{VERDICT}\n['--size', '3'] {figures}" in text
    assert row_of(results, "made")[3] == "met, 1 of 1"
    assert "met, 1 of 1" in capsys.readouterr().out


def test_a_script_that_fails_is_told_with_its_last_line_and_by_the_exit_code(monkeypatch, tmp_path):
    results = made(monkeypatch, tmp_path, "print('begun')\nraise ValueError('no rows')")
    with pytest.raises(SystemExit, match="failed or stopped: made"):
        run_all.main()
    text = details_of(results, "made")
    assert "**Failed.** ValueError: no rows It had printed:\n\nbegun\n" in text
    assert "*Failed after " in text


ENDLESS = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("child", child.pid, flush=True)
time.sleep(600)
"""


def is_there(process_id):
    """Whether a process runs; one that has ended and waits to be noticed does not."""
    try:
        with open(f"/proc/{process_id}/stat", encoding="utf-8") as stream:
            return stream.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until_gone(process_id):
    for _ in range(200):
        if not is_there(process_id):
            return True
        time.sleep(0.05)
    return False


needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")


@needs_proc
def test_a_script_is_stopped_with_its_children_when_its_time_is_over(monkeypatch, tmp_path):
    results = made(monkeypatch, tmp_path, ENDLESS, share=1)
    with pytest.raises(SystemExit, match="failed or stopped: made"):
        run_all.main()
    text = details_of(results, "made")
    assert "**Stopped** after " in text
    # what it had printed is kept
    child = int(re.search(r"child (\d+)", text)[1])
    assert wait_until_gone(child)


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_an_interrupt_ends_the_script_and_its_children_and_keeps_the_earlier_results(tmp_path, number):
    results = tmp_path / "RESULTS.md"
    results_file.write_results(results, {"peers": section("yes")})
    before = results.read_text(encoding="utf-8")
    code = (
        "import sys, pathlib, run_all, suite\n"
        f"run_all.HERE = pathlib.Path({str(tmp_path)!r})\n"
        "run_all.BENCHMARKS = {'endless': suite.Benchmark('endless', 600)}\n"
        "run_all.SUITE = {'endless': None}\n"
        f"sys.argv = ['run_all.py', '--results', {str(results)!r}]\n"
        "run_all.end_at_signals()\n"
        "run_all.main()\n"
    )
    script = ENDLESS.replace('print("child", child.pid, flush=True)', "open('child.txt', 'w').write(str(child.pid))")
    (tmp_path / "endless.py").write_text(f'"""Does it end?"""\n{script}', encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=BENCHMARKS, stderr=subprocess.DEVNULL, start_new_session=True
    )
    told = tmp_path / "child.txt"
    try:
        for _ in range(400):
            if told.is_file() and told.read_text(encoding="utf-8"):
                break
            time.sleep(0.05)
        child = int(told.read_text(encoding="utf-8"))
        process.send_signal(number)
        process.wait(30)
    finally:
        if process.poll() is None:
            process.kill()
    assert process.returncode != 0
    assert wait_until_gone(child)
    assert results.read_text(encoding="utf-8") == before
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".RESULTS")]


COUNTED = """
import pathlib
runs = pathlib.Path("runs.txt")
runs.write_text(runs.read_text() + "x" if runs.is_file() else "x")
if len(runs.read_text()) == 1:
    raise ValueError("the first time")
print("run", len(runs.read_text()))
"""


def test_a_run_with_a_checkpoint_goes_on_with_what_did_not_end_well(monkeypatch, tmp_path, capsys):
    results = made(monkeypatch, tmp_path, COUNTED)
    folder = tmp_path / "kept"
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--checkpoint", str(folder)])
    with pytest.raises(SystemExit, match="failed or stopped: made"):
        run_all.main()
    # what failed is not kept
    run_all.main()
    assert "\nrun 2\n" in (whole := details_of(results, "made"))
    (tmp_path / "results" / "made.md").unlink()
    run_all.main()
    assert "made: kept from an earlier run" in capsys.readouterr().err
    assert details_of(results, "made") == whole
    # another source is another benchmark
    (tmp_path / "made.py").write_text(f'"""Is it made?"""\n{COUNTED}# changed\n', encoding="utf-8")
    run_all.main()
    assert "\nrun 3\n" in details_of(results, "made")
    assert len(list((folder / "sections").iterdir())) == 2


# the exponent


def test_the_exponent_of_a_power_is_found_with_no_error_and_the_range_is_the_last_two_decades():
    seconds = {n: [2.0 * n**1.3, 1.0 * n**1.3, 9.0 * n**1.3] for n in (round(10 ** (j / 2)) for j in range(6, 15))}
    # what lies below the range has no part
    seconds[1000] = [1e9]
    fit = scaling.fit_exponent(seconds, "n log n")
    assert fit.exponent == pytest.approx(1.3, rel=1e-12)
    assert fit.standard_error == pytest.approx(0, abs=1e-12)
    assert (fit.smallest, fit.largest) == (100_000, 10_000_000)
    # between log log 10^5 and log log 10^7: a secant of the law
    assert 1 + 1 / np.log(1e7) < fit.of_law < 1 + 1 / np.log(1e5)


def test_the_exponent_and_its_standard_error_are_those_of_least_squares():
    sizes = [10**4, 31_623, 10**5, 316_228, 10**6]
    noise = np.exp(np.random.default_rng(1).normal(0, 0.1, 5))
    values = np.array(sizes) * noise
    fit = scaling.fit_exponent({n: [v] for n, v in zip(sizes, values, strict=True)}, "n")
    (slope, _), covariance = np.polyfit(np.log(sizes), np.log(values), 1, cov=True)
    assert fit.exponent == pytest.approx(slope, rel=1e-9)
    assert fit.standard_error == pytest.approx(np.sqrt(covariance[0, 0]), rel=1e-9)


@pytest.mark.parametrize(
    ("exponent", "error", "told"),
    [(1.1, 0.5, "yes"), (1.2, 0.02, "**no**"), (1.2, 0.05, "inconclusive"), (0.5, np.nan, "-")],
)
def test_an_exponent_above_its_law_is_a_miss_only_if_noise_does_not_explain_it(exponent, error, told):
    assert scaling.verdict(scaling.Exponent(exponent, error, 1.0, 10**4, 10**6), 1.15) == told


# all of the suite, at sizes that only show that it runs


@pytest.mark.slow
@pytest.mark.parametrize("name", suite.SUITE)
def test_a_part_of_the_suite_runs_at_a_tiny_size(tmp_path, name):
    results = tmp_path / "RESULTS.md"
    command = [sys.executable, "run_all.py", "--tiny", "--results", str(results), name]
    done = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True)
    if done.returncode and "FileNotFoundError" in done.stderr and not measure.SHARED.exists():
        pytest.skip(f"{name} reads data that are not at {measure.SHARED}")
    assert done.returncode == 0, done.stderr
    text = results_file.earlier_sections(results)[name]
    assert results_file.ENDING.match(text.splitlines()[-1])[1] == "Run in"
    # each picture that the section shows is beside its file
    shown = re.findall(r"\]\((figures/[^)]+)\)", text)
    assert [picture for picture in shown if not (tmp_path / "results" / picture).is_file()] == []
    assert bool(shown) == (name == "cost_curves")
