"""From a file of scores to a rule and to labels, without Python: threshold, apply, certify, bands, plan."""

import gzip
import io
import json
import re
from dataclasses import replace

import jsonschema
import numpy as np
import pandas as pd
import pytest

from nproc import NPROCBand, certify, load, np_threshold, np_threshold_noisy, np_threshold_shifted, plan_class0
from nproc.cli import main
from nproc.groups import np_equal_thresholds, np_group_thresholds
from nproc.serving import SCHEMA, read_rule

RNG = np.random.default_rng(5)
N0, N1 = 300, 200
HARMFUL = RNG.beta(5, 2, size=N0)
SAFE = RNG.beta(2, 6, size=N1)
SCORES = np.r_[HARMFUL, SAFE]
TABLE = pd.DataFrame(
    {
        "id": [f"p{row}" for row in range(N0 + N1)],
        "label": np.repeat(["harmful", "safe"], [N0, N1]),
        "unsafe_score": SCORES,
        "kind": np.resize(["plain", "role play"], N0 + N1),
        "attack": np.arange(N0 + N1) // 2,
    }
)
GIVEN = ["--score", "unsafe_score", "--label", "label", "--class0", "harmful", "--larger-means", "class0"]


def write(table, path):
    """Write a table in the format of the ending of a path."""
    if path.suffix == ".parquet":
        table.to_parquet(path)
    elif path.suffix == ".jsonl":
        lines = (json.dumps(record) + "\n" for record in table.to_dict("records"))
        path.write_text("".join(lines), encoding="utf-8")
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in table.to_dict("records")).encode()))
    else:
        table.to_csv(path, index=False)
    return path


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments):
        code = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_command


@pytest.mark.parametrize("name", ["scores.csv", "scores.parquet", "scores.jsonl", "scores.jsonl.gz"])
def test_every_format_gives_the_threshold_of_np_threshold_to_the_last_bit(name, run, tmp_path):
    write(TABLE, tmp_path / name)
    code, text, _ = run("threshold", name, *GIVEN, "--alpha", 0.1, "--out", "rule.json")
    assert code == 0
    wanted = np_threshold(-HARMFUL, alpha=0.1)
    rule = read_rule("rule.json")
    assert rule.threshold == wanted
    assert json.loads((tmp_path / "rule.json").read_text())["value"] == -wanted.value
    assert rule.was_set_by(HARMFUL)
    assert str(-wanted.value) in text
    code, out, _ = run("apply", "rule.json", name, "--out", "labels.csv")
    assert (code, out) == (0, "")
    assert (
        pd.read_csv("labels.csv")["predicted"].tolist() == np.where(-wanted.value > SCORES, "safe", "harmful").tolist()
    )


def test_the_type_two_error_is_that_of_the_class_one_rows(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    record = json.loads(run("threshold", "scores.csv", *GIVEN, "--json")[1])
    assert record["type2"] == np.mean(record["value"] <= SAFE)
    assert record["n1"] == N1
    assert record["type2_interval"][0] < record["type2"] < record["type2_interval"][1]


def test_class_zero_rows_alone_are_enough(run, tmp_path):
    write(TABLE[TABLE["label"] == "harmful"].drop(columns="label"), tmp_path / "zeros.jsonl")
    code, _, said = run("threshold", "zeros.jsonl", "--score", "unsafe_score", "--out", "rule.json")
    assert code == 0
    assert "all 300 rows are taken to be of class 0" in said
    assert read_rule("rule.json").threshold == np_threshold(HARMFUL)
    named = ["--class0", "bad", "--class1", "good"]
    run("threshold", "zeros.jsonl", "--score", "unsafe_score", *named, "--out", "rule.json")
    assert run("apply", "rule.json", "zeros.jsonl", "--keep", "id")[1].startswith('{"id": "p0", "predicted": "bad"}\n')


def test_class_one_is_a_label_of_the_kind_of_class_zero(run, tmp_path):
    numbered = TABLE.assign(label=(TABLE["label"] == "safe").astype(int))
    write(numbered, tmp_path / "both.csv")
    write(numbered[numbered["label"] == 0], tmp_path / "zeros.csv")
    words = ["--score", "unsafe_score", "--larger-means", "class0", "--json"]
    for file, label in (("both.csv", "label"), ("zeros.csv", "label"), ("zeros.csv", None)):
        given = words if label is None else [*words, "--label", label, "--class0", "0"]
        record = json.loads(run("threshold", file, *given, "--class1", "1")[1])
        # 1.0 and true equal 1, too
        assert json.dumps([record["class0"], record["class1"]]) == "[0, 1]"
        code, _, said = run("threshold", file, *given, "--class1", "safe")
        assert code == 2
        told = "must be a number, because the label of class 0 is the number 0, got 'safe'"
        assert (told if file == "zeros.csv" else "the classes are 0, 'safe'") in said
    for text, number in (("12345678901234567891", 12345678901234567891), ("1.0", 1), ("1.5", 1.5)):
        record = json.loads(run("threshold", "zeros.csv", *words, "--class1", text)[1])
        assert json.dumps([record["class0"], record["class1"]]) == json.dumps([0, number])
    write(numbered.assign(label=numbered["label"] == 1), tmp_path / "flags.csv")
    record = json.loads(run("threshold", "flags.csv", *words, "--label", "label", "--class1", "true")[1])
    assert json.dumps([record["class0"], record["class1"]]) == "[false, true]"


def test_groups_of_another_file_are_found_by_their_text(run, tmp_path):
    table = TABLE.assign(kind=np.resize([1, 2], N0 + N1))
    write(table, tmp_path / "scores.csv")
    assert run("threshold", "scores.csv", *GIVEN, "--groups", "kind", "--out", "rule.json")[0] == 0
    wanted = np_group_thresholds(-HARMFUL, table["kind"][:N0])
    assert read_rule("rule.json").threshold.rules == wanted.rules
    write(table.astype({"kind": str}), tmp_path / "new.jsonl")
    code, out, _ = run("apply", "rule.json", "new.jsonl", "--keep", "id")
    called = [json.loads(line)["predicted"] for line in out.splitlines()]
    assert code == 0
    assert called == np.where(wanted.predict(-SCORES, table["kind"]), "safe", "harmful").tolist()
    write(table.assign(kind=3), tmp_path / "other.csv")
    code, _, said = run("apply", "rule.json", "other.csv")
    assert code == 2
    assert "3" in said
    assert "groups of the rule" in said


def test_a_bound_on_the_difference_of_two_groups_goes_from_scores_to_labels(run, tmp_path):
    write(TABLE, tmp_path / "scores.jsonl")
    options = ["--groups", "kind", "--epsilon", 0.12, "--gamma", 0.1, "--alpha", 0.1, "--out", "rule.json"]
    code, text, said = run("threshold", "scores.jsonl", *GIVEN, *options)
    assert code == 0, said
    wanted = np_equal_thresholds(-HARMFUL, TABLE["kind"][:N0], alpha=0.1, epsilon=0.12, gamma=0.1, ties="refuse")
    record = json.loads((tmp_path / "rule.json").read_text())
    jsonschema.validate(record, SCHEMA)
    assert [cut["value"] for cut in record["groups"]["rules"]] == (-wanted.values).tolist()
    assert record["difference"]["violation_rate"] == wanted.difference_violation_rate
    assert "differs by at most 12 percentage points" in " ".join(text.split())
    code, out, _ = run("apply", "rule.json", "scores.jsonl", "--keep", "id")
    called = [json.loads(line)["predicted"] for line in out.splitlines()]
    assert called == np.where(wanted.predict(-SCORES, TABLE["kind"]), "safe", "harmful").tolist()
    # scores with equal values have no law of the difference unless ties are drawn
    write(TABLE.assign(unsafe_score=SCORES.round(2)), tmp_path / "tied.csv")
    code, _, said = run("threshold", "tied.csv", *GIVEN, *options)
    assert code == 2
    assert "--ties" in said
    assert "randomize" in said
    drawn = [*options, "--ties", "randomize", "--seed", 4]
    assert run("threshold", "tied.csv", *GIVEN, *drawn)[0] == 0
    once, again = (run("apply", "rule.json", "tied.csv", "--seed", 1)[1] for _ in range(2))
    assert once == again
    code, _, said = run("threshold", "scores.jsonl", *GIVEN, "--epsilon", 0.1)
    assert code == 2
    assert "--epsilon bounds a difference between two groups" in said


def test_one_row_of_each_cluster_sets_the_threshold(run, tmp_path):
    write(TABLE, tmp_path / "scores.parquet")
    code, text, _ = run(
        "threshold", "scores.parquet", *GIVEN, "--clusters", "attack", "--seed", 3, "--out", "rule.json"
    )
    assert code == 0
    assert json.loads((tmp_path / "rule.json").read_text())["n0"] == N0 // 2
    assert "One class 0 row of each cluster" in text


def test_a_wrong_direction_is_told(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    code, _, said = run("threshold", "scores.csv", *GIVEN[:-2])
    assert code == 0
    assert "wrong sign" in said
    assert "--larger-means class0" in said


def test_a_rule_is_certified_on_fresh_rows_and_tells_its_own(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    run("threshold", "scores.csv", *GIVEN, "--out", "rule.json")
    fresh = TABLE.assign(unsafe_score=np.random.default_rng(9).beta(5, 2, size=N0 + N1))
    write(fresh, tmp_path / "fresh.jsonl")
    code, out, said = run("certify", "rule.json", "fresh.jsonl", "--label", "label", "--json")
    record = json.loads(out)
    value = read_rule("rule.json").to_dict()["value"]
    assert (code, said) == (0, "")
    assert (record["n0"], record["n_called1"]) == (N0, np.sum(fresh["unsafe_score"][:N0] < value))
    write(fresh[:20], tmp_path / "few.jsonl")
    few = " ".join(run("certify", "rule.json", "few.jsonl", "--label", "label")[1].split())
    assert "this does not speak against its guarantee, which rests on the rows that set its" in few
    assert "the very scores" in run("certify", "rule.json", "scores.csv", "--label", "label")[2]


def test_a_rule_of_clusters_is_certified_on_one_row_of_each(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    run("threshold", "scores.csv", *GIVEN, "--clusters", "attack", "--seed", 3, "--out", "rule.json")
    fresh = TABLE.assign(unsafe_score=np.random.default_rng(9).beta(5, 2, size=N0 + N1))
    write(fresh, tmp_path / "fresh.jsonl")
    code, out, said = run("certify", "rule.json", "fresh.jsonl", "--label", "label", "--json")
    assert (code, said) == (0, "note: one row counts for each 'attack'\n")
    record, rule = json.loads(out), read_rule("rule.json")
    wanted = certify(rule, fresh["unsafe_score"], fresh["label"], clusters=fresh["attack"])
    # prompts of an attack come in pairs
    assert (record["n0"], record["n_called1"]) == (N0 // 2, wanted.n_called1)
    words = " ".join(run("certify", "rule.json", "fresh.jsonl", "--label", "label")[1].split())
    assert "the clusters, not the rows, must be independent" in words
    assert "the very scores" in run("certify", "rule.json", "scores.csv", "--label", "label")[2]
    write(fresh.drop(columns="attack"), tmp_path / "without.csv")
    code, out, said = run("certify", "rule.json", "without.csv", "--label", "label", "--json")
    assert (code, json.loads(out)["n0"]) == (0, N0)
    assert "clusters is missing, so each of the 300 rows is treated as its own cluster" in said
    assert "write another value in each row" in said
    assert json.loads(out)["certified"] is False
    words = " ".join(run("certify", "rule.json", "without.csv", "--label", "label")[1].split())
    assert "Nothing is certified, because the classifier was made with clusters" in words


def test_the_type_two_error_of_a_rule_of_clusters_is_of_one_row_of_each(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    words = ("threshold", "scores.csv", *GIVEN, "--clusters", "attack", "--seed", 3)
    assert json.loads(run(*words, "--json")[1])["n1"] == N1 // 2
    told = " ".join(run(*words)[1].split())
    assert "estimated on one row of each of 100 clusters that are not of class harmful" in told


def test_the_sign_of_scores_is_judged_by_one_row_of_each_cluster(run, tmp_path):
    # both classes have one law, and 5 clusters of 80 equal rows are no 400 rows
    scores = np.r_[np.linspace(0, 1, 400), np.repeat([0.1, 0.2, 0.25, 0.3, 0.4], 80)]
    table = pd.DataFrame({"unsafe_score": scores, "label": np.repeat(["safe", "harmful"], 400)})
    table["attack"] = np.r_[np.arange(400), 400 + np.repeat(np.arange(5), 80)]
    write(table, tmp_path / "alike.csv")
    words = ("threshold", "alike.csv", *GIVEN[:4], "--class0", "safe")
    assert "wrong sign" in run(*words)[2]
    code, _, said = run(*words, "--clusters", "attack")
    assert code == 0
    assert "wrong sign" not in said


def test_a_cut_that_is_in_use_is_certified(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    record = json.loads(run("certify", 0.4, "scores.csv", *GIVEN, "--alpha", 0.1, "--json")[1])
    assert (record["n0"], record["n_called1"], record["method"]) == (N0, np.sum(HARMFUL < 0.4), "unsafe_score < 0.4")
    for direction, warned in ([], True), (["--larger-means", "class0"], False):
        code, _, said = run("certify", 0.4, "scores.csv", *GIVEN[:6], *direction)
        assert code == 0
        assert ("wrong sign, give --larger-means class0" in said) is warned
        assert ("give --candidates 2" in said) is warned
    code, _, said = run("certify", 0.4, "scores.csv", "--label", "label")
    assert (code, said) == (2, "error: a cut needs the column of scores; name it with --score.\n")


@pytest.mark.slow
def test_class_zero_rows_with_another_spelling_are_refused_and_not_left_out(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    named = ["--class1", "safe"]
    for more, rule in (([], "other.json"), (named, "named.json")):
        assert run("threshold", "scores.csv", *GIVEN, *more, "--out", rule)[0] == 0
    spellings = [("Harmful", "capital letters"), ("harmful ", "spaces"), (" HARMFUL", "capital letters or spaces")]
    for word, differ in [*spellings, ("harmfull", None)]:
        write(TABLE.assign(label=[word, *TABLE["label"][1:]], called=TABLE["label"]), tmp_path / "typed.jsonl")
        write(TABLE.assign(label=TABLE["label"].replace("harmful", word)), tmp_path / "all.jsonl")
        fault = f"the classes are 'harmful', 'safe', and the column 'label' also has {word!r}."
        if differ:
            fault = f"the column 'label' has {word!r}, and class 0 is 'harmful'. They differ only in {differ}. Spell"
        for path in ("typed.jsonl", "all.jsonl"):
            label = ["--label", "label"]
            calls = [
                ["certify", "other.json", path, *label],
                ["certify", "named.json", path, *label],
                ["monitor", path, "--state", "m.json", "--model", "named.json", *label],
            ]
            if path == "typed.jsonl":
                calls.append(["threshold", path, *GIVEN, *named])
            if path == "typed.jsonl" and differ:
                # a word that is not like class 0 may be another class where class 1 is not named
                calls += [
                    ["threshold", path, *GIVEN],
                    ["certify", 0.4, path, *GIVEN],
                    ["monitor", path, "--state", "m.json", "--predicted", "called", "--class0", "harmful", *label],
                ]
            for call in calls:
                code, out, said = run(*call)
                assert (code, out) == (2, ""), (call, said)
                assert fault in said, (call, said)
    assert not (tmp_path / "m.json").exists()


def test_a_rule_of_class_zero_alone_lets_all_other_labels_be(run, tmp_path):
    write(TABLE[TABLE["label"] == "harmful"], tmp_path / "zeros.csv")
    write(TABLE, tmp_path / "scores.csv")
    alone = [*GIVEN[:2], *GIVEN[4:], "--out", "rule.json"]
    assert run("threshold", "zeros.csv", *alone)[0] == 0
    record = json.loads(run("certify", "rule.json", "scores.csv", "--label", "label", "--json")[1])
    assert record["n0"] == N0


def test_a_rule_is_not_certified_on_both_classes_where_the_label_column_is_forgotten(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    write(TABLE.iloc[:N0], tmp_path / "zeros.csv")
    run("threshold", "scores.csv", *GIVEN, "--out", "rule.json")
    code, out, said = run("certify", "rule.json", "scores.csv")
    assert (code, out) == (2, "")
    assert "scores.csv has the column 'label' with the labels of both classes" in said
    assert "If it holds labels, give --label label" in said
    assert run("certify", "rule.json", "zeros.csv")[0] == 0


def test_rows_of_both_classes_do_not_all_count_as_class_zero_where_the_label_column_is_forgotten(run, tmp_path):
    write(TABLE.assign(text=[["a", "list"]] * len(TABLE)), tmp_path / "scores.jsonl")
    numbered = TABLE.assign(label=(TABLE["label"] == "safe").astype(int))
    write(numbered, tmp_path / "numbers.csv")
    write(TABLE.iloc[:N0].assign(visits=np.arange(N0) % 4), tmp_path / "zeros.csv")
    score, named = ["--score", "unsafe_score"], ["--class0", "harmful"]
    assert run("threshold", "zeros.csv", *score, *named, "--out", "rule.json")[0] == 0
    for call in (
        ["threshold", "scores.jsonl", *score, *named],
        ["threshold", "scores.jsonl", *score, *named, "--class1", "safe"],
        ["threshold", "numbers.csv", *score, "--class0", "1"],
        ["certify", "0.4", "scores.jsonl", *score, *named],
        ["certify", "rule.json", "scores.jsonl"],
    ):
        code, out, said = run(*call)
        assert (code, out) == (2, ""), call
        assert f"{call[1 + (call[0] == 'certify')]} has the column 'label' with " in said
        assert "If it holds labels, give --label label, or leave out the rows of other classes" in said
        # the way out for a column without labels
        assert "--class0 with a word that no column has." in said
    # the groups are known, and numbers of which there are many are counts
    assert run("threshold", "zeros.csv", *score, "--class0", "plain", "--groups", "kind")[0] == 0
    assert run("threshold", "zeros.csv", *score, "--class0", "1")[0] == 0
    assert run("threshold", "scores.jsonl", *score, "--class0", "ill")[0] == 0


def test_a_rule_that_was_set_with_labels_of_zero_and_one_is_not_certified_on_rows_of_both_classes(run, tmp_path):
    labels = (TABLE["label"] != "harmful").astype(int)
    write(TABLE.assign(label=labels), tmp_path / "scores.csv")
    write(TABLE.assign(label=labels).iloc[:N0], tmp_path / "zeros.csv")
    alone = ["--score", "unsafe_score", "--larger-means", "class0", "--out", "rule.json"]
    assert run("threshold", "scores.csv", *alone, "--label", "label")[0] == 0
    assert json.loads((tmp_path / "rule.json").read_text())["labelled"] is True
    code, out, said = run("certify", "rule.json", "scores.csv", "--json")
    assert (code, out) == (2, "")
    assert "scores.csv has the column 'label' with the labels of both classes" in said
    assert "note" in json.loads(run("certify", "rule.json", "scores.csv", "--label", "label", "--json")[1])
    # of a rule of rows without labels nothing is known of other rows: who reads the JSON is warned, too
    assert run("threshold", "zeros.csv", *alone)[0] == 0
    assert "labelled" not in json.loads((tmp_path / "rule.json").read_text())
    for call in (["rule.json", "scores.csv"], ["0.4", "scores.csv", *alone[:4]]):
        code, out, _ = run("certify", *call, "--json")
        told = "The column 'label' has 0 and 1. If it holds the labels, give --label label; otherwise all rows count as"
        assert (code, told in json.loads(out)["note"]) == (0, True)


@pytest.mark.parametrize("values", [(0, 1), (False, True), ("0", "1")], ids=str)
def test_rows_of_class_zero_alone_may_have_another_column_of_zero_and_one_and_a_warning_names_it(run, tmp_path, values):
    zeros = TABLE.iloc[:N0].drop(columns="label").assign(sex=np.resize(values, N0).tolist())
    write(zeros, tmp_path / "zeros.jsonl")
    write(zeros.assign(smoker=zeros["sex"]), tmp_path / "two.jsonl")
    score = ["--score", "unsafe_score", "--larger-means", "class0"]
    warned = f"the column 'sex' has {values[0]} and {values[1]}. If it holds the labels, give --label sex; otherwise "
    for call in (
        ["threshold", "zeros.jsonl", *score, "--out", "rule.json"],
        ["certify", "0.4", "zeros.jsonl", *score],
        ["certify", "rule.json", "zeros.jsonl"],
    ):
        code, _, said = run(*call)
        assert (code, f"warning: zeros.jsonl: {warned}all rows count as class 0.\n" in said) == (0, True), (call, said)
    code, _, said = run("threshold", "two.jsonl", *score)
    assert (code, "If one of them holds the labels, give its name by --label;" in said) == (0, True), said
    assert "warning" not in run("threshold", "zeros.jsonl", *score, "--class0", "ill")[2]


def test_bands_of_columns_of_scores_are_those_of_the_scores(run, tmp_path):
    write(TABLE.assign(noise=RNG.normal(size=N0 + N1)), tmp_path / "scores.csv")
    band = json.loads(run("bands", "scores.csv", *GIVEN, "--alphas", "0.1", "--out", "b.joblib", "--json")[1])["bands"][
        0
    ]
    wanted = NPROCBand.from_scores(-HARMFUL, -SAFE)
    assert band["method"] == "-unsafe_score"
    assert (band["class0"], band["class1"]) == ("harmful", "safe")
    # nothing is drawn
    assert band["seed"] is None
    assert re.search(r"Seed: +-\n", run("bands", "scores.csv", *GIVEN, "--alphas", "0.1")[1])
    np.testing.assert_array_equal(band["knots"]["type2_upper"], wanted.type2_upper)
    called = pd.read_csv(io.StringIO(run("predict", "b.joblib", "scores.csv", "--alpha", 0.1)[1]))["predicted"]
    assert called.tolist() == np.where(-np_threshold(-HARMFUL, alpha=0.1).value > SCORES, "safe", "harmful").tolist()
    two = ["--score", "noise", "--regions", "paired", "--json"]
    compared = json.loads(run("compare", "scores.csv", *GIVEN, *two)[1])
    assert compared["methods"] == ["-unsafe_score", "-noise"]
    assert {region["better"] for region in compared["regions"]} == {"-unsafe_score"}


def test_a_plan_starts_from_a_file_of_scores(run, tmp_path):
    write(TABLE, tmp_path / "pilot.jsonl")
    record = json.loads(run("plan", "--alpha", 0.1, "pilot.jsonl", *GIVEN, "--json")[1])["plan"][0]
    assert record["n0"] == plan_class0(0.1, 0.05, pilot=(-HARMFUL, -SAFE)).n0


def test_a_plan_and_a_band_say_that_smaller_scores_mean_class_1(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    means = "Smaller values of 'unsafe_score' are taken to mean safe."
    plan, band = (" ".join(run(command, "scores.csv", *GIVEN)[1].split()) for command in ("plan", "bands"))
    assert f"{means} A row is called safe if its value is below the order statistic in column Rank" in plan
    assert "exceeds the order statistic" not in plan
    assert means in band
    assert "Larger scores" not in band


@pytest.mark.parametrize(("class0", "name"), [(0, "class 1"), (1, "label 0")])
def test_a_plan_and_a_band_call_a_class_by_more_than_its_number(class0, name, run, tmp_path):
    labels = (TABLE["label"] == "safe").astype(int)
    write(TABLE.assign(label=labels if class0 == 0 else 1 - labels), tmp_path / "scores.csv")
    given = [class0 if word == "harmful" else word for word in GIVEN]
    for command in ("plan", "bands"):
        words = " ".join(run(command, "scores.csv", *given)[1].split())
        assert f"Smaller values of 'unsafe_score' are taken to mean {name}." in words
        assert (f"A row is called {name} if its value is below" in words) is (command == "plan")


@pytest.mark.parametrize("more", [[], ["--max-review", 0.3]])
def test_a_plan_warns_of_rows_of_one_patient_in_its_pilot(more, run, tmp_path):
    write(TABLE.drop(columns="id").assign(patient=TABLE["attack"]), tmp_path / "scores.csv")
    code, out, err = run("plan", "scores.csv", *GIVEN, *more)
    assert code == 0
    owners = "rows of one patient, country or other unit are not independent: all 500 rows share their 'patient'"
    assert f"nothing is guaranteed for these rows, because {owners} with another row. This command cannot" in err
    assert "Give rows of which no two share one." in err
    words = " ".join(out.split())
    if not more:
        condition = "would hold only if no two rows were of one patient, country or other unit. With probability at"
        assert condition in words
        assert f"The interval of E type II is not guaranteed, because {owners}" in words
        assert "The bound on the type I error holds for independent rows at each of these sample sizes;" in words
    assert owners in words
    (record,) = json.loads(run("plan", "scores.csv", *GIVEN, *more, "--json")[1])["plan"]
    assert owners in record["caveats"][0]


def test_a_plan_without_scores_has_no_rows_to_leave_out(run):
    for more in ([], ["--n0", 100], ["--auc", 0.8]):
        code, out, err = run("plan", *more, "--na-action", "omit")
        assert (code, out) == (2, "")
        assert "--na-action omit is about the rows of SCORES; give that file, or leave the option out." in err


def test_a_gap_in_a_column_of_scores_that_a_band_predicts_by_is_told_as_that_of_a_predictor(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    assert run("bands", "scores.csv", *GIVEN, "--out", "b.joblib")[0] == 0
    write(TABLE.assign(unsafe_score=TABLE["unsafe_score"].mask(TABLE.index == 6)), tmp_path / "gap.csv")
    code, _, err = run("predict", "b.joblib", "gap.csv", "--alpha", 0.1)
    told = "column 'unsafe_score' has a missing value (NaN), the first in row 7; the model refuses it (not all scores"
    assert (code, f"{told} are finite numbers). Leave such rows out by --na-action omit, or impute" in err) == (2, True)


def test_large_files_are_labelled_in_parts_as_a_whole(run, tmp_path, monkeypatch):
    write(TABLE, tmp_path / "scores.csv")
    write(TABLE.drop(columns="kind"), tmp_path / "new.jsonl")
    run("threshold", "scores.csv", *GIVEN, "--out", "rule.json")
    whole = [run("apply", "rule.json", name, "--keep", "id,attack")[1] for name in ("scores.csv", "new.jsonl")]
    monkeypatch.setattr("nproc.cli.files.PART_ROWS", 70)
    parts = [run("apply", "rule.json", name, "--keep", "id,attack")[1] for name in ("scores.csv", "new.jsonl")]
    assert whole == parts
    write(TABLE.assign(unsafe_score=[*SCORES[:399], "?", *SCORES[400:]]), tmp_path / "bad.jsonl")
    code, out, said = run("apply", "rule.json", "bad.jsonl")
    assert (code, out) == (2, "")
    assert "row 400 has '?'" in said


def test_ties_at_random_follow_the_seed(run, tmp_path):
    write(TABLE.round({"unsafe_score": 1}), tmp_path / "scores.csv")
    run("threshold", "scores.csv", *GIVEN, "--ties", "randomize", "--seed", 1, "--out", "rule.json")
    one, again, other = (run("apply", "rule.json", "scores.csv", "--seed", seed)[1] for seed in (1, 1, 2))
    assert one == again
    assert one != other


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('{"s": 1}\n[1]\n', "line 2 of x.jsonl is not a JSON object"),
        ('{"s": 1}\n{"s": }\n', "line 2 of x.jsonl cannot be read as JSON"),
        ('{"s": 1}\n\n{"s": 2}\n', "line 2 of x.jsonl is blank"),
        ("\n", "x.jsonl has no rows"),
        ('{"s": 1}\n{"t": 2}\n', "row 2 has nan (1 such row(s))"),
        ('{"s": 1}\n{"s": true}\n', "row 2 has True"),
        ('{"s": 1}\n{"s": {"a": 1}}\n', "row 2 has {'a': 1}"),
        ('{"s": 1}\n{"s": Infinity}\n', "row 2 has inf"),
        ('{"s": 1}\n{"s": 2}\n', "at least 59"),
        ('{"t": 1}\n', "the score 's' is not in the data"),
    ],
)
def test_what_is_wrong_in_a_file_of_json_lines_is_named(lines, message, run, tmp_path):
    (tmp_path / "x.jsonl").write_text(lines)
    code, _, said = run("threshold", "x.jsonl", "--score", "s")
    assert code == 2
    assert message in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["apply", "no.json", "scores.csv"], "there is no file no.json"),
        (["apply", "rule.json", "scores.csv", "--seed", "1"], "calls no row at random"),
        (["apply", "rule.json", "scores.csv", "--groups", "kind"], "needs no groups"),
        (["apply", "rule.json", "scores.csv", "--keep", "predicted"], "leave it out of --keep"),
        (["apply", "rule.json", "scores.csv", "--score", "unsafe"], "Did you mean 'unsafe_score'?"),
        (["certify", "rule.json", "scores.csv", "--alpha", "0.1"], "leave out --alpha"),
        (["certify", "rule.json", "scores.csv", "--class0", "safe"], "leave them out"),
        (["threshold", "scores.csv", "--score", "unsafe_score", "--label", "kind"], "need"),
        (["threshold", "scores.csv", "--score", "unsafe_score", "--label", "id"], "name the label of class 0"),
        (["bands", "scores.csv", *GIVEN, "--seed", "1"], "--seed is for methods that are trained"),
        (["bands", "scores.csv", "--label", "label", "--larger-means", "class0"], "--larger-means is for --score"),
        (["compare", "scores.csv", *GIVEN], "at least twice"),
    ],
)
def test_mistakes_are_named(arguments, message, run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    run("threshold", "scores.csv", *GIVEN, "--out", "rule.json")
    if "kind" in arguments and "threshold" in arguments:
        write(TABLE[:80], tmp_path / "scores.csv")
    code, _, said = run(*arguments)
    assert code == 2
    assert message in said


def test_noisy_labels_give_the_threshold_of_np_threshold_noisy_and_a_rule_that_apply_reads(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    wanted = np_threshold_noisy(-HARMFUL, -SAFE, noise0=(0.02, 0.05), noise1=0.1, alpha=0.1)
    noise = ("--noise0", "0.02,0.05", "--noise1", "0.1", "--alpha", "0.1")
    code, said, _ = run("threshold", "scores.csv", *GIVEN, *noise, "--out", "rule.json")
    assert code == 0
    assert (
        f"Type II error, estimated for rows with right labels if the noise is as assumed: {wanted.type2_estimate:.4f}"
        in said
    )
    rule = read_rule("rule.json")
    assert rule.threshold == wanted
    assert "a share of 0.02 to 0.05 of the rows labelled harmful are of class safe" in rule.statement
    jsonschema.validate(json.loads((tmp_path / "rule.json").read_text()), SCHEMA)
    code, said, _ = run("apply", "rule.json", "scores.csv", "--keep", "id")
    assert code == 0
    called = pd.read_csv(io.StringIO(said))["predicted"]
    np.testing.assert_array_equal(called == "safe", wanted.predict(-SCORES) == 1)
    changed = json.loads((tmp_path / "rule.json").read_text())
    changed["noise"]["noise0"] = [0.05, 0.02]
    (tmp_path / "rule.json").write_text(json.dumps(changed))
    code, _, told = run("apply", "rule.json", "scores.csv")
    assert code != 0
    assert "contradict each other" in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--noise0", "1.2"], "--noise0 must be a number in [0, 1)"),
        (["--noise0", "0.2,0.1"], "--noise0 must have its smaller end first"),
        (["--noise0", "0.1", "--groups", "kind"], "cannot be combined with --groups"),
        (["--noise0", "0.1", "--ties", "randomize"], "cannot be combined with --ties randomize"),
    ],
)
def test_options_of_noise_that_do_not_fit_are_refused(options, words, run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    code, _, told = run("threshold", "scores.csv", *GIVEN, *options)
    assert code != 0
    assert words in told


def test_noise_needs_labels(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    code, _, told = run("threshold", "scores.csv", "--score", "unsafe_score", "--noise0", "0.1")
    assert code != 0
    assert "need rows labelled class 1 too" in told


def test_weights_give_the_threshold_for_the_class_0_to_come_and_a_rule_that_apply_reads(run, tmp_path):
    weights = np.random.default_rng(6).choice([0.5, 1.5], TABLE.shape[0])
    table = TABLE.assign(w=weights)
    write(table, tmp_path / "scores.csv")
    is0 = (table["label"] == "harmful").to_numpy()
    wanted = np_threshold_shifted(-HARMFUL, weights[is0], weight_max=1.5, alpha=0.1, random_state=4)
    shift = ("--weights", "w", "--weight-max", "1.5", "--alpha", "0.1", "--seed", "4")
    code, said, told = run("threshold", "scores.csv", *GIVEN, *shift, "--out", "rule.json")
    assert code == 0, told
    rule = read_rule("rule.json")
    found = rule.threshold
    assert (found.value, found.order, found.n0) == (wanted.value, wanted.order, wanted.n_kept)
    assert found.violation_rate == wanted.violation_rate
    assert (rule.shift.column, rule.shift.weight_max, rule.shift.n0_given) == ("w", 1.5, HARMFUL.size)
    assert rule.was_set_by(HARMFUL)
    assert "where class 0 comes in the proportions of the weights" in rule.statement
    assert f"Each of {HARMFUL.size} class 0 scores was kept with probability weight /" in " ".join(said.split())
    jsonschema.validate(json.loads((tmp_path / "rule.json").read_text()), SCHEMA)
    code, said, _ = run("apply", "rule.json", "scores.csv", "--keep", "id")
    assert code == 0
    np.testing.assert_array_equal(pd.read_csv(io.StringIO(said))["predicted"] == "safe", wanted.predict(-SCORES) == 1)
    changed = json.loads((tmp_path / "rule.json").read_text())
    changed["shift"]["n0_given"] = 3
    (tmp_path / "rule.json").write_text(json.dumps(changed))
    code, _, told = run("apply", "rule.json", "scores.csv")
    assert code != 0
    assert "its entry shift contradicts" in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--weights", "kind"], "--weights needs --weight-max"),
        (["--weight-max", "2"], "name that column, too"),
        (["--weights", "kind", "--weight-max", "2", "--groups", "kind"], "cannot be combined with --groups"),
        (["--weights", "id", "--weight-max", "2", "--rank", "randomize"], "cannot be combined with --rank randomize"),
        (["--weights", "kind", "--weight-max", "2"], "must hold a finite number"),
        (
            ["--weights", "unsafe_score", "--weight-max", "0.01"],
            "--weight-max 0.01 is below 300 weight(s), the largest 0.978704, the first in row 1.",
        ),
        (["--weights", "nosuch", "--weight-max", "2"], "nosuch"),
    ],
)
def test_options_of_weights_that_do_not_fit_are_refused(options, words, run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    code, _, told = run("threshold", "scores.csv", *GIVEN, *options)
    assert code != 0
    assert words in told


def test_scores_of_32_bits_are_the_same_numbers_in_parquet_and_in_csv(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scores = np.round(np.random.default_rng(3).beta(2, 4, 2000), 1).astype(np.float32)
    pd.DataFrame({"s": scores}).to_parquet("scores.parquet")
    pd.DataFrame({"s": scores}).to_csv("scores.csv", index=False)
    assert main(["threshold", "scores.parquet", "--score", "s", "--alpha", "0.03", "--out", "rule.json"]) == 0
    called = []
    for ending in ("parquet", "csv"):
        assert main(["apply", "rule.json", f"scores.{ending}", "--out", f"{ending}.out.csv"]) == 0
        called.append(pd.read_csv(f"{ending}.out.csv")["predicted"].to_numpy())
    np.testing.assert_array_equal(*called)
    assert np.mean(called[0] == 1) <= 0.03


def test_a_column_of_weights_is_no_predictor_of_a_formula(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    y = np.arange(400) % 2
    pd.DataFrame({"y": y, "a": rng.normal(size=400) + y, "w": rng.random(400) + 0.5}).to_csv("rows.csv", index=False)
    given = ["fit", "rows.csv", "--formula", "y ~ .", "--class0", "0", "--alpha", "0.2", "--seed", "1"]
    assert main([*given, "--sample-weight", "w", "--out", "model.joblib"]) == 0
    assert load("model.joblib").design.coding.names == ("a",)
    assert main([*given, "--sample-weight", "nosuch"]) == 2
    assert "nosuch" in capsys.readouterr().err


@pytest.fixture
def rule_and_model(run, tmp_path):
    write(TABLE, tmp_path / "scores.csv")
    assert run("threshold", "scores.csv", *GIVEN, "--out", "rule.json")[0] == 0
    fitted = ["--label", "label", "--class0", "harmful", "--features", "unsafe_score", "--method", "lda", "--seed", 1]
    assert run("fit", "scores.csv", *fitted, "--out", "model.joblib")[0] == 0


@pytest.mark.usefixtures("rule_and_model")
def test_a_rule_where_a_model_is_wanted_is_called_a_rule(run):
    for arguments in (
        ["predict", "rule.json", "scores.csv"],
        ["check", "rule.json", "--new", "scores.csv"],
        ["report", "rule.json", "--out", "report.html"],
        ["report", "model.joblib", "--band", "rule.json", "--out", "report.html"],
    ):
        code, out, said = run(*arguments)
        assert (code, out) == (2, "")
        assert "rule.json must be a saved model, and it is a rule on a column of scores. `npc apply`" in said
        assert "`npc certify` and `npc monitor` take it too" in said


@pytest.mark.usefixtures("rule_and_model")
def test_a_model_where_a_rule_is_wanted_is_called_a_model(run):
    code, out, said = run("apply", "model.joblib", "scores.csv")
    assert (code, out) == (2, "")
    assert "model.joblib must be a rule, and it is a saved model or comparison. `npc predict`" in said


@pytest.mark.usefixtures("rule_and_model")
@pytest.mark.parametrize(("name", "other"), [("rule.json", "rule.txt"), ("model.joblib", "model.json")])
def test_certify_and_monitor_know_rules_and_models_by_their_contents(name, other, run, tmp_path):
    (tmp_path / other).write_bytes((tmp_path / name).read_bytes())
    for arguments in (["certify"], ["monitor", "--again", "--state", "state.json", "--model"]):
        answers = []
        for path in (name, other):
            (tmp_path / "state.json").unlink(missing_ok=True)
            given = [*arguments, path, "scores.csv", "--label", "label", "--json"]
            answers.append(run(*given))
            assert answers[-1][0] == 0, answers[-1]
        assert answers[0][1] == answers[1][1].replace(other, name)


def test_labels_with_leading_zeros_are_those_of_the_rule(run, tmp_path):
    write(TABLE.assign(label=np.repeat(["01", "2"], [N0, N1])), tmp_path / "scores.csv")
    for given in ("01", "1"):
        code, _, err = run("threshold", "scores.csv", *GIVEN[:4], "--class0", given, *GIVEN[6:], "--out", "rule.json")
        assert code == 0, err
        rule = json.loads((tmp_path / "rule.json").read_text())
        assert (rule["class0"], rule["class1"]) == ("01", "2")


def test_a_threshold_from_class_0_rows_that_share_a_patient_claims_no_guarantee(run, tmp_path):
    scores = np.random.default_rng(3).normal(size=400)
    table = pd.DataFrame({"patient": np.arange(400) // 4, "y": np.arange(400) % 2, "s": scores})
    table.to_csv(tmp_path / "scores.csv", index=False)
    given = ("threshold", "scores.csv", "--label", "y", "--class0", 0, "--score", "s")
    told = "rows of one patient, country or other unit are not independent: all 200 rows share their 'patient'"
    code, said, warned = run(*given, "--out", "rule.json")
    assert code == 0
    assert f"nothing is guaranteed for these rows, because {told}" in warned
    assert "To take that into account, give --clusters patient." in warned
    assert f"Nothing is guaranteed, because {told}" in " ".join(said.split())
    # a program that reads the file, and a certificate of the rule, know it too
    rule = read_rule(tmp_path / "rule.json")
    assert rule.statement.startswith(f"Nothing is guaranteed, because {told}")
    assert rule.to_dict() == json.loads((tmp_path / "rule.json").read_text())
    fresh = np.random.default_rng(4).normal(size=50)
    assert certify(rule, fresh, alpha=0.05).guaranteed_delta is None
    assert certify(replace(rule, dependent=""), fresh, alpha=0.05).guaranteed_delta == rule.delta
    _, said, warned = run(*given, "--clusters", "patient", "--out", "rule.json")
    assert "guaranteed" not in said + warned
    assert "dependent" not in json.loads((tmp_path / "rule.json").read_text())
    # a patient of both classes has one row that sets the threshold
    table.assign(patient=np.arange(400) // 2).to_csv(tmp_path / "scores.csv", index=False)
    _, said, warned = run(*given)
    assert "guaranteed" not in said + warned


def test_rows_without_a_score_are_left_out_of_a_rule_and_get_no_label_where_that_is_asked_for(run, tmp_path):
    gaps = [3, 20, 310]
    with_gaps = TABLE.assign(unsafe_score=TABLE["unsafe_score"].mask(TABLE.index.isin(gaps)))
    write(with_gaps, tmp_path / "gaps.csv")
    write(TABLE.drop(index=gaps), tmp_path / "kept.csv")
    assert run("threshold", "gaps.csv", *GIVEN)[0] == 2
    code, out, _ = run("threshold", "gaps.csv", *GIVEN, "--na-action", "omit", "--out", "rule.json")
    assert code == 0
    assert "3 of the 500 rows of gaps.csv have missing values and are left out. The threshold is set by" in out
    assert "its bound is about rows without missing values" in out
    run("threshold", "kept.csv", *GIVEN, "--out", "wanted.json")
    assert read_rule("rule.json").threshold == read_rule("wanted.json").threshold
    assert run("apply", "rule.json", "gaps.csv")[0] == 2
    wanted = pd.read_csv(io.StringIO(run("apply", "rule.json", "kept.csv", "--keep", "id")[1]))
    for name in ("gaps.csv", "gaps.jsonl"):
        write(with_gaps, tmp_path / name)
        code, out, err = run("apply", "rule.json", name, "--keep", "id", "--na-action", "omit")
        assert (code, f"note: 3 of the 500 rows of {name} have missing values and get no label." in err) == (0, True)
        read = pd.read_csv(io.StringIO(out)) if name == "gaps.csv" else pd.read_json(io.StringIO(out), lines=True)
        assert read["reason"][gaps].tolist() == ["a missing value: unsafe_score"] * 3
        assert read["predicted"][gaps].isna().all()
        others = read.drop(index=gaps)
        assert others["predicted"].tolist() == wanted["predicted"].tolist()
    write(with_gaps.loc[gaps], tmp_path / "none.csv")
    code, _, err = run("apply", "rule.json", "none.csv", "--na-action", "omit", "--out", "none.out.csv")
    assert (code, "each row of none.csv has missing values, so none can be labelled" in err) == (2, True)


@pytest.mark.parametrize("command", ["threshold FILE", "certify 0.4 FILE", "plan FILE", "certify rule.json FILE"])
def test_rows_without_a_label_are_left_out_where_that_is_asked_for(command, run, tmp_path):
    table = TABLE[["unsafe_score"]].assign(ill=pd.array(TABLE["label"] == "safe").astype("Int64"))
    score, direction = ["--score", "unsafe_score", "--label", "ill"], ["--class0", 0, "--larger-means", "class0"]
    gaps = [3, 20, 310]
    write(table.assign(ill=table["ill"].mask(table.index.isin(gaps))), tmp_path / "gaps.csv")
    write(table.drop(index=gaps), tmp_path / "kept.csv")
    assert run("threshold", "kept.csv", *score, *direction, "--out", "rule.json")[0] == 0

    def call(file, *options):
        return run(
            *command.replace("FILE", file).split(), *score, *(direction if "rule" not in command else []), *options
        )

    assert "the label column 'ill' has 3 missing value(s)" in call("gaps.csv")[2]
    told = "3 of the 500 rows of gaps.csv have no label in the column 'ill' and are left out."
    assert told in call("gaps.csv", "--na-action", "omit")[1]
    assert call("gaps.csv", "--na-action", "omit", "--json")[1] == call("kept.csv", "--json")[1]


@pytest.mark.parametrize(
    ("command", "more", "told"),
    [
        (["certify", "0.4", "FILE", *GIVEN], [], "The bound is about the other rows."),
        (["bands", "FILE", *GIVEN], [], "All statements about the errors then hold for rows without missing values."),
        (["bands", "FILE", *GIVEN], ["--score", "other"], "3 of 500 rows with missing values"),
        (["plan", "FILE", *GIVEN], [], "the plan is about rows without missing values"),
        (["plan", "FILE", *GIVEN], ["--max-review", "0.3"], "the plan is about rows without missing values"),
    ],
)
def test_rows_without_a_score_are_left_out_of_a_cut_of_bands_and_of_a_plan(command, more, told, run, tmp_path):
    gaps = [3, 20, 310]
    table = TABLE.assign(other=np.random.default_rng(2).normal(size=len(TABLE)))
    write(table.assign(unsafe_score=table["unsafe_score"].mask(table.index.isin(gaps))), tmp_path / "gaps.csv")
    write(table.drop(index=gaps), tmp_path / "kept.csv")

    def call(file, *options):
        return run(*[file if word == "FILE" else word for word in command], *more, *options)

    code, _, err = call("gaps.csv")
    assert (code, "leave these rows out by --na-action omit." in err) == (2, True)
    code, out, err = call("gaps.csv", "--na-action", "omit")
    assert code == 0
    assert told in out + err
    assert "3 of" in out + err
    assert call("gaps.csv", "--na-action", "omit", "--json")[1] == call("kept.csv", "--json")[1]


def test_a_cut_has_a_decimal_comma_where_the_file_has(run, tmp_path):
    TABLE.to_csv(tmp_path / "comma.csv", index=False, sep=";", decimal=",")
    code, out, _ = run("certify", "0,4", "comma.csv", *GIVEN, "--sep", ";", "--decimal", ",", "--json")
    assert (code, json.loads(out)["n_called1"]) == (0, np.sum(HARMFUL < 0.4))
    code, _, err = run("certify", "0,4", "comma.csv", *GIVEN, "--sep", ";")
    assert (code, "write 0.4" in err) == (2, True)


def test_owners_of_the_rows_that_set_a_threshold_are_known_in_new_files_however_few_they_are(run, tmp_path):
    def table(n, seed, first=0):
        scores = np.random.default_rng(seed).normal(size=n)
        return pd.DataFrame({"pat": first + np.arange(n) // 2, "y": np.arange(n) // 3 % 2, "s": scores})

    table(800, 1).to_csv(tmp_path / "scores.csv", index=False)
    given = ("scores.csv", "--label", "y", "--class0", 0, "--score", "s", "--out", "rule.json")
    assert run("threshold", *given)[0] == 0
    assert read_rule(tmp_path / "rule.json").owners == ("pat",)
    told = "share their 'pat' with another row"
    # patients of their own in each file, fewer than the name alone would need
    for day in (1, 2):
        table(20, day + 1, 1000 * day).to_csv(tmp_path / f"day{day}.csv", index=False)
    code, said, warned = run("certify", "rule.json", "day1.csv", "--label", "y")
    assert (code, told in warned, "Nothing is certified" in said) == (0, True, True)
    for day in (1, 2):
        watch = ("monitor", f"day{day}.csv", "--state", "state.json", "--label", "y", "--model", "rule.json")
        code, said, warned = run(*watch)
        assert (code, told in warned, "Nothing is guaranteed" in said) == (0, True, True)
    # without shared owners nothing is remembered of the column
    table(800, 1).assign(pat=np.arange(800)).to_csv(tmp_path / "scores.csv", index=False)
    assert run("threshold", *given)[0] == 0
    assert "owners" not in json.loads((tmp_path / "rule.json").read_text())
    assert "independent" not in run("certify", "rule.json", "day1.csv", "--label", "y")[2]


def test_a_rule_whose_owners_are_no_names_of_columns_is_refused(run, tmp_path):
    np.savetxt(tmp_path / "s.csv", np.arange(100.0), header="s", comments="")
    assert run("threshold", "s.csv", "--score", "s", "--out", "rule.json")[0] == 0
    known = json.loads((tmp_path / "rule.json").read_text())
    (tmp_path / "rule.json").write_text(json.dumps(known | {"owners": "pat"}))
    code, _, err = run("apply", "rule.json", "s.csv")
    assert code == 2
    assert "owners must be a list of names of columns, got 'pat'" in err
