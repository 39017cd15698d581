"""Tests of `nproc.bands.bounds`: small results with names."""

import dataclasses
import re

import numpy as np
import pytest

from nproc import NPROCBand, np_order
from nproc.bands import AlphaChoice, BandValues


def test_a_choice_is_never_guaranteed_unless_somebody_says_so():
    choice = AlphaChoice(0.1, 0.2, 0.3, "youden")
    assert choice.guaranteed is False
    assert "up to 4 delta if it was chosen by Youden's index" in choice.reason
    assert float(choice) == 0.1


@pytest.mark.parametrize("result", [AlphaChoice(0.1, 0.2, 0.3, "x"), BandValues(0.1, 0.2, 0.3, 0.25, 7)])
def test_results_cannot_be_changed(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.alpha = 0.5


def test_a_level_that_no_rank_meets_has_no_rank_in_tables():
    band = NPROCBand.from_scores(np.arange(100.0), np.arange(50.0, 150.0))
    values = band.at([0.01, 0.1])
    frame = values.to_frame()
    assert frame["order"].isna().tolist() == [True, False]
    assert frame["order"].tolist()[1] == values.order[1] == np_order(100, 0.1, 0.05)
    assert frame["type2_upper"].tolist() == values.type2_upper.tolist()
    assert frame["type2_lower"].tolist() == values.type2_lower.tolist()
    assert frame["type2"].isna().tolist() == [True, False]
    assert band.at(0.01).to_frame()["type2"].isna().all()
    known = band.predictive_values(0.2)
    assert known.at([0.01, 0.1]).to_frame()["order"].tolist() == frame["order"].tolist()
    assert frame["order"].dtype == known.at([0.1]).to_frame()["order"].dtype
    for found in (band, known):
        assert ", order=none," in repr(found.at(0.01))
        assert f", order=[none, {values.order[1]}]," in repr(found.at([0.01, 0.1]))
        assert ", order=<6 times none>," in repr(found.at(np.full(6, 0.01)))
        assert ", order=<2 x 3 numbers, 96 to 99 or none>," in repr(found.at([[0.01, 0.1, 0.1], [0.01, 0.05, 0.07]]))
    words = "no classifier at this alpha; the smallest alpha is 0.02952)"
    assert repr(band.at(0.01)) == f"BandValues(alpha=0.01, order=none,\n  {words}"
    # the smallest alpha has a classifier, as it is printed
    assert np.ceil(1e5 * values.smallest_alpha) == 2952
    assert band.at(0.02952).order == 100
    assert repr(band.at([0.01, 0.02])).endswith(words.replace("this alpha", "these levels"))
    assert "type2 is 1 below alpha=0.02952, where there is no classifier" in repr(values)
    few = NPROCBand.from_scores(np.arange(100.0), np.arange(50.0, 150.0), band="simultaneous", alpha_max=0.5)
    assert few.at(0.01).smallest_alpha == few.alpha[0]
    for text in (str(values.summary()), str(band.summary(alphas=[0.01, 0.1]))):
        assert re.search(r"0\.0100 +none +- +- +-\n", text)
        assert "no rank meets this alpha" in text
    assert "none" not in str(band.at([0.1, 0.2]).summary())
