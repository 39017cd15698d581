"""Tests of `nproc.bands.bounds`: small results with names."""

import dataclasses

import pytest

from nproc.bands import AlphaChoice, BandValues


def test_a_choice_is_never_guaranteed_unless_somebody_says_so():
    choice = AlphaChoice(0.1, 0.2, 0.3, "youden")
    assert choice.guaranteed is False
    assert "10 to 17 % if Youden's index did" in choice.reason
    assert float(choice) == 0.1


@pytest.mark.parametrize("result", [AlphaChoice(0.1, 0.2, 0.3, "x"), BandValues(0.1, 0.2, 0.3, 0.25, 7)])
def test_results_cannot_be_changed(result):
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.alpha = 0.5
