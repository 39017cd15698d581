"""q-values: the definition, by brute force, and what goes in and out."""

import numpy as np
import pytest

from nproc import QValueLinear, QValueSVC
from nproc.errors import InvalidInputError, NPWarning
from nproc.qvalues import accepted, q_values


def by_definition(scores, y, correction):
    # every threshold that can matter, and one below all scores
    thresholds = [*scores, min(scores) - 1]
    values = []
    for score in scores:
        least = 1.0
        for t in thresholds:
            known = sum(1 for s, label in zip(scores, y, strict=True) if s >= t and label == 0)
            found = sum(1 for s, label in zip(scores, y, strict=True) if s >= t and label == 1)
            if t <= score and found > 0:
                least = min(least, (correction + known) / found)
        values.append(least)
    return values


def random_case(rng):
    n = int(rng.integers(2, 16))
    y = rng.integers(0, 2, n)
    y[rng.permutation(n)[:2]] = [0, 1]
    # few distinct values: ties within and across the classes
    scores = rng.integers(-3, 4, n) * 0.5 + (y == 1) * rng.integers(0, 2)
    return scores, y


@pytest.mark.slow
@pytest.mark.parametrize("correction", [0, 1])
def test_q_values_equal_the_definition_on_1000_cases_with_ties(correction):
    rng = np.random.default_rng(20 + correction)
    for _ in range(1000):
        scores, y = random_case(rng)
        np.testing.assert_array_equal(q_values(scores, y, correction=correction), by_definition(scores, y, correction))


def test_q_values_fall_as_scores_rise_and_ties_share_one():
    rng = np.random.default_rng(3)
    scores = np.round(rng.normal(size=500), 1)
    y = (scores + rng.normal(size=500) > 0).astype(int)
    q = q_values(scores, y, correction=1)
    order = np.argsort(scores)
    assert np.all(np.diff(q[order]) <= 0)
    for value in np.unique(scores):
        assert np.unique(q[scores == value]).size == 1
    assert q.min() >= 1 / np.sum(y == 1)
    assert q.max() <= 1


def test_a_threshold_without_class_1_above_it_has_q_value_1_or_that_of_a_lower_one():
    np.testing.assert_array_equal(q_values([2.0, 1.0], [0, 1]), [1.0, 1.0])
    np.testing.assert_array_equal(q_values([9.0, 1.0, 1.0, 1.0], [0, 1, 1, 1]), np.repeat(1 / 3, 4))


def test_any_two_labels_and_any_class0_will_do():
    scores, y = np.array([3.0, 2.0, 1.0, 0.0]), np.array([1, 1, 0, 0])
    names = np.where(y == 1, "target", "decoy")
    np.testing.assert_array_equal(q_values(scores, names, class0="decoy"), q_values(scores, y))
    np.testing.assert_array_equal(q_values(scores, 1 - y, class0=1), q_values(scores, y))
    assert accepted(scores, names, 0.01, class0="decoy").tolist() == [True, True, False, False]


# a random case may have its scores the wrong way round
@pytest.mark.filterwarnings("ignore::nproc.errors.NPWarning")
@pytest.mark.parametrize("correction", [0, 1])
def test_accepted_are_the_class_1_rows_of_the_lowest_admissible_threshold(correction):
    rng = np.random.default_rng(4)
    for _ in range(200):
        scores, y = random_case(rng)
        level = rng.uniform(0.05, 0.95)
        most = 0
        for t in scores:
            known, found = np.sum((scores >= t) & (y == 0)), np.sum((scores >= t) & (y == 1))
            if found > 0 and (correction + known) / found <= level:
                most = max(most, found)
        chosen = accepted(scores, y, level, correction=correction)
        assert chosen.sum() == most
        assert not chosen[y == 0].any()


def test_nothing_is_changed_in_place():
    scores, y = np.array([1.0, 2.0]), np.array([0, 1])
    q_values(scores, y)
    assert scores.tolist() == [1.0, 2.0]
    assert y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        (([1.0, np.nan], [0, 1]), {}, "scores must be finite, got 1 NaN"),
        (([1.0, 2.0, 3.0], [0, 1]), {}, "got 3 scores and 2 labels"),
        (([], []), {}, "scores is empty"),
        (([1.0, 2.0], [1, 1]), {}, "y has one class only"),
        (([1.0, 2.0, 3.0], [0, 1, 2]), {}, "y has 3 classes"),
        (([1.0, 2.0], [0, 1]), {"class0": 5}, "class0=5 is not a label"),
        (([1.0, 2.0], [0, 1]), {"correction": -1}, "correction must be a finite number of at least 0"),
        (([1.0, 2.0], [0, 1]), {"correction": True}, "correction must be"),
        (([1.0, 2.0], [0, 1]), {"correction": np.inf}, "correction must be"),
    ],
)
def test_bad_input_is_explained(arguments, keywords, message):
    with pytest.raises(InvalidInputError, match=message):
        q_values(*arguments, **keywords)
    with pytest.raises(InvalidInputError, match=message):
        accepted(*arguments, **keywords)


@pytest.mark.parametrize("level", [0, 1, -0.1, 1.5, "small"])
def test_a_level_outside_0_and_1_is_an_error(level):
    with pytest.raises(InvalidInputError, match="q must"):
        accepted([1.0, 2.0], [0, 1], level)


def test_scores_the_wrong_way_round_are_noticed_where_nothing_is_accepted():
    scores, y = np.arange(20.0), np.repeat([0, 1], 10)
    assert accepted(scores, y, q=0.1).sum() == 10
    with pytest.warns(NPWarning, match=r"In 100% of the pairs .* the class 0 \(0\) row has the higher score"):
        assert not accepted(-scores, y, q=0.1).any()
    # the sign would be chosen by the same rows
    for of_rows in (q_values, accepted):
        with pytest.warns(NPWarning, match="If you change the sign because of this warning, use new rows of both"):
            of_rows(-np.arange(40.0), np.repeat([0, 1], 20))


@pytest.mark.filterwarnings("ignore:QValueLinear accepts 40 of 400 class 1 training rows at q=0.01")
def test_a_q_value_that_everything_keeps_is_told():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [20, 400])
    scores = rng.normal(size=420)
    with pytest.warns(NPWarning, match=r"q=0\.05 is at least the ratio of class 0 to class 1 rows .20 to 400."):
        assert accepted(scores, y, q=0.05).sum() == 400
    # 21 / 400 with the correction
    accepted(scores, y, q=0.05, correction=1)
    for model in (QValueSVC(0.1), QValueLinear([0.01, 0.1], max_iter=3, tol=1e9, random_state=0)):
        with pytest.warns(NPWarning, match=r"q=0\.1 is at least the ratio"):
            model.fit(scores[:, np.newaxis], y)


def test_numbers_and_words_are_not_one_kind_of_label():
    with pytest.raises(InvalidInputError, match=r"y mixes values of different types \(int, str\)"):
        q_values([3, 2, 1, 0], [1, "a", "a", 1])
