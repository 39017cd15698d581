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
    for text in (str(values.summary()), str(band.summary(alphas=[0.01, 0.1]))):
        assert re.search(r"0\.0100 +none +", text)
        assert "no rank meets this alpha" in text
    assert "none" not in str(band.at([0.1, 0.2]).summary())
