"""A rule on scores and its file: the threshold of `np_threshold` to the last bit, and no other."""

import hashlib
import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nproc import InvalidInputError, NPWarning, TooFewSamplesError, certify, np_threshold
from nproc.groups import np_equal_thresholds, np_group_thresholds, one_per_cluster
from nproc.serving import SCHEMA, read_rule, score_rule

SCORES0 = np.random.default_rng(3).normal(size=400)
GROUPS = np.repeat(["a", "b"], [250, 150])
KINDS = {
    "plain": {},
    "ties at random": {"ties": "randomize", "random_state": 5},
    "rank at random": {"rank": "randomize", "random_state": 2},
    "groups": {"groups": GROUPS},
    "one for all groups": {"groups": GROUPS, "pooled": True, "ties": "randomize", "random_state": 1},
    "groups of numbers": {"groups": np.repeat([1, 2], 200)},
    "equal groups": {"groups": GROUPS, "epsilon": 0.1},
    "equal groups, ties at random": {"groups": GROUPS, "epsilon": 0.1, "ties": "randomize", "random_state": 3},
    "clusters": {"clusters": np.arange(400) // 3, "random_state": 4},
}


def written(rule, folder):
    rule.write(folder / "rule.json")
    return read_rule(folder / "rule.json")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:all .* are tied")
@settings(deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=59, max_size=80), st.booleans())
def test_the_file_holds_the_threshold_to_the_last_bit(tmp_path_factory, scores, turned):
    folder = tmp_path_factory.getbasetemp()
    rule = written(score_rule(scores, larger_means="class0" if turned else "class1"), folder)
    wanted = np_threshold(-np.array(scores) if turned else scores)
    assert rule.threshold == wanted
    assert np.float64(rule.threshold.value).tobytes() == np.float64(wanted.value).tobytes() or wanted.value == 0
    stored = json.loads((folder / "rule.json").read_text(encoding="utf-8"))["value"]
    assert stored == (-wanted.value if turned else wanted.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("larger_means", ["class1", "class0"])
def test_a_rule_read_again_is_the_same_and_fits_the_schema(kind, larger_means, tmp_path):
    rule = score_rule(SCORES0, larger_means=larger_means, class0="bad", class1="good", **KINDS[kind])
    again = written(rule, tmp_path)
    assert again.to_dict() == rule.to_dict()
    jsonschema.validate(json.loads((tmp_path / "rule.json").read_text()), SCHEMA)
    new = np.r_[np.random.default_rng(4).normal(size=300), SCORES0[:100]]
    groups = np.resize(rule.groups, 400) if rule.groups else None
    one, other = (each.predict(new, groups, random_state=7) for each in (rule, again))
    assert one.tolist() == other.tolist()
    assert set(one) == {"bad", "good"}


def test_the_published_schema_is_that_of_the_package():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    published = Path(__file__).resolve().parents[3] / "docs" / "_static" / "rule.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == SCHEMA


@pytest.mark.parametrize("pooled", [False, True])
def test_groups_and_clusters_have_the_thresholds_of_their_functions(pooled):
    rule = score_rule(SCORES0, groups=GROUPS, pooled=pooled)
    wanted = np_group_thresholds(SCORES0, GROUPS, pooled=pooled)
    assert rule.threshold.rules == wanted.rules
    new = np.linspace(-3, 3, 100)
    assert rule.predict(new, np.resize(GROUPS, 100)).tolist() == wanted.predict(new, np.resize(GROUPS, 100)).tolist()
    clusters = np.arange(400) // 3
    drawn = score_rule(SCORES0, clusters=clusters, random_state=9)
    assert drawn.threshold == np_threshold(SCORES0[one_per_cluster(clusters, random_state=9)])


@pytest.mark.parametrize("turned", [False, True])
def test_groups_with_a_bound_on_their_difference_have_the_thresholds_and_bounds_of_their_function(turned, tmp_path):
    levels = {"alpha": 0.1, "delta": 0.04, "epsilon": 0.08, "gamma": 0.1}
    rule = score_rule(SCORES0, groups=GROUPS, larger_means="class0" if turned else "class1", **levels)
    wanted = np_equal_thresholds(-SCORES0 if turned else SCORES0, GROUPS, ties="refuse", **levels)
    for found in (rule.threshold, written(rule, tmp_path).threshold):
        assert found.to_frame().equals(wanted.to_frame())
        assert found.violation_rate == wanted.violation_rate <= 0.04
        assert found.difference_violation_rate == wanted.difference_violation_rate <= 0.1
        assert (found.share_lower, found.share_upper) == (wanted.share_lower, wanted.share_upper)
    said = str(rule.summary())
    assert "With probability at least 0.96" in " ".join(said.split())
    assert "With probability at least 0.9, this share differs by at most 8 percentage points" in " ".join(said.split())


@pytest.mark.parametrize("change", ["order", "tie_cut", "epsilon", "value", "share"])
def test_a_file_of_two_groups_that_does_not_keep_its_bounds_is_refused(change, tmp_path):
    known = score_rule(SCORES0, groups=GROUPS, epsilon=0.1).to_dict()
    first = known["groups"]["rules"][0]
    if change == "order":
        first["order"] -= 10
    elif change == "tie_cut":
        first["tie_cut"] = 0.5
    elif change == "epsilon":
        known["difference"]["epsilon"] = 0.01
    elif change == "value":
        first["value"] = float("nan")
    else:
        known["difference"]["share"] = [0.6, 0.7]
    (tmp_path / "rule.json").write_text(json.dumps(known))
    with pytest.raises(InvalidInputError, match=r"not a complete rule|contradicts itself"):
        read_rule(tmp_path / "rule.json")


def test_a_score_below_the_value_is_class_1_where_larger_scores_mean_class_0():
    rule = score_rule(SCORES0, larger_means="class0")
    value = rule.to_dict()["value"]
    assert rule.predict([value, np.nextafter(value, -9), np.nextafter(value, 9)]).tolist() == [0, 1, 0]
    assert np.mean(rule.predict(SCORES0) == 1) <= 0.05


def test_labels_keep_their_types():
    for class0, class1 in (("a", "b"), (0, 1), (True, False), (0, "other"), (1.5, 2.5)):
        rule = score_rule(SCORES0, class0=class0, class1=class1)
        found = rule.predict([-9.0, 9.0]).tolist()
        assert found == [class0, class1]
        assert [type(label) for label in found] == [type(class0), type(class1)]


def test_the_hash_is_that_of_the_sorted_scores():
    rule = score_rule(SCORES0)
    assert rule.scores_sha256 == hashlib.sha256(np.sort(SCORES0).astype("<f8").tobytes()).hexdigest()
    assert rule.was_set_by(SCORES0[::-1])
    assert not rule.was_set_by(SCORES0[1:])
    # all scores, whichever of them were drawn
    assert score_rule(SCORES0, clusters=np.arange(400) // 3, random_state=4).was_set_by(SCORES0[::-1])


def test_a_rule_can_be_certified_on_fresh_rows():
    fresh = np.random.default_rng(8).normal(size=500)
    rule = score_rule(SCORES0)
    bound = certify(rule, fresh, alpha=0.05)
    assert (bound.n_called1, bound.class0) == (np.sum(fresh > rule.threshold.value), 0)


def test_a_rule_of_clusters_is_certified_on_one_row_of_each():
    # rows of one cluster are alike, so that it does not matter which of them is drawn
    fresh = np.random.default_rng(8).normal(size=500)
    rule = score_rule(SCORES0, clusters=np.arange(400) // 3, random_state=4)
    bound = certify(rule, np.repeat(fresh, 3), clusters=np.repeat(np.arange(500), 3))
    assert (bound.n0, bound.n_called1) == (500, np.sum(fresh > rule.threshold.value))
    assert "One row was drawn of each cluster" in bound.note
    with pytest.warns(NPWarning, match="clusters is missing, so each of the 500 rows is treated as its own cluster"):
        assert certify(rule, fresh).n0 == 500


def test_scores_that_set_the_rule_certify_nothing():
    clusters = np.arange(400) // 3
    rules = (score_rule(SCORES0), None), (score_rule(SCORES0, clusters=clusters, random_state=4), clusters)
    for rule, names in rules:
        with pytest.warns(NPWarning, match="These are the very scores that set the threshold"):
            bound = certify(rule, SCORES0, alpha=0.2, clusters=names)
        assert (bound.own_rows, bound.certified) == (True, False)
        assert "no, rows of the rule" in str(bound.summary())
        assert "no bound holds because they set the threshold of the rule" in repr(bound)
        assert certify(rule, SCORES0 - 1.0, alpha=0.2, clusters=names).certified


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": None}, "not a complete rule"),
        ({"order": 350}, "violation_rate is .* above delta=0.05"),
        ({"order": 390}, "contradicts itself: violation_rate is"),
        ({"value": float("inf")}, "value must be a finite number"),
        ({"tie_cut": 5.0}, "tie_cut must be null or lie between 0 and 1"),
        ({"tie_cut": "0.2"}, "tie_cut must be null"),
        ({"coin": 7.0}, "coin must be null"),
        ({"class1": 0}, "are the same label"),
        ({"alpha": 0.1}, "contradicts itself: "),
        ({"alpha": 1.5}, "alpha must lie strictly between"),
        ({"n0": "many"}, "not a complete rule"),
        ({"class1_when": "score >= value"}, "not a complete rule"),
        ({"format_version": 2}, "install the version that wrote it"),
        ({"format": "other"}, "is not a rule of this package"),
        ({"added": 1}, "contradicts itself: added is 1"),
        ({"dependent": 5}, "not a complete rule: dependent must be text, got 5"),
        ({"dependent": ["x"]}, "dependent must be text"),
        ({"dependent": None}, "dependent must be text"),
    ],
)
def test_a_file_that_was_changed_is_refused(change, message, tmp_path):
    rule = score_rule(SCORES0)
    path = tmp_path / "rule.json"
    path.write_text(json.dumps(rule.to_dict() | change))
    with pytest.raises(InvalidInputError, match=message):
        read_rule(path)
    for name in rule.to_dict():
        if name != "statement":
            path.write_text(json.dumps({key: value for key, value in rule.to_dict().items() if key != name}))
            with pytest.raises(InvalidInputError):
                read_rule(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": GROUPS, "clusters": GROUPS}, "cannot be combined"),
        ({"groups": GROUPS, "rank": "randomize"}, "rank='randomize' works with one threshold only"),
        ({"epsilon": 0.1}, "epsilon bounds a difference between two groups"),
        ({"epsilon": 0.1, "groups": GROUPS, "pooled": True}, "leave out pooled"),
        ({"epsilon": 0.1, "groups": np.resize(["a", "b", "c"], 400)}, "must have exactly two different values"),
        ({"class0": 1}, "class0 and class1 are both 1"),
        ({"class0": None}, "class0"),
        ({"class1": (1, 2)}, "class1"),
        ({"score": ""}, "score must be the name"),
        ({"larger_means": "bad"}, "larger_means"),
        ({"clusters": np.arange(399)}, "clusters has 399 values and scores0 has 400"),
        ({"groups": [(i % 2,) for i in range(400)]}, "groups must hold text"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        score_rule(SCORES0, **arguments)


def test_too_few_scores_are_told_as_by_np_threshold():
    with pytest.raises(TooFewSamplesError):
        score_rule(SCORES0[:58])
