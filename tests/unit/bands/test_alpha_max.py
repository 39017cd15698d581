"""Simultaneous bands up to a level fixed beforehand: what they say beyond it, and what is refused."""

import numpy as np
import pytest

from nproc import NPROCBand, load, nproc, save
from nproc.bands.large import areas
from nproc.cli import main
from nproc.errors import InvalidInputError
from nproc.simulate import GaussianWorld
from nproc.simultaneous import local_level

RNG = np.random.default_rng(4)
SCORES0, SCORES1 = RNG.normal(size=1000), RNG.normal(1.5, 1, size=800)


def limited(alpha_max=0.1, **changes):
    return NPROCBand.from_scores(SCORES0, SCORES1, band="simultaneous", alpha_max=alpha_max, **changes)


def test_ranks_are_smaller_up_to_the_level_and_stay_as_they_are_beyond_it():
    band, full = limited(), NPROCBand.from_scores(SCORES0, SCORES1, band="simultaneous")
    assert (band.at(0.05).order, full.at(0.05).order) == (969, 972)
    beyond = band.at([0.1, 0.2, 0.9, 1.0])
    assert beyond.order[0] >= beyond.order[1] == beyond.order[2] == beyond.order[3] == 1001 - 103 + 1
    assert band.rule.level(1000, sides=1) > 3.9 * full.rule.level(1000, sides=1)
    assert band.choose_alpha(type2_max=0.6).guaranteed
    assert "for all alpha up to 0.1 at once" in " ".join(str(band.summary()).split())


def test_a_limit_of_nearly_one_changes_nothing_and_fewer_bounds_have_a_larger_level():
    assert limited(0.9999).rule.level(1000, sides=1) == local_level(1000, limited().rule.share, sides=1)
    levels = [local_level(500, 0.05, sides=1, most=most) for most in (1, 5, 50, 500)]
    assert levels[0] == pytest.approx(0.05, rel=1e-3)
    assert np.all(np.diff(levels) < 0)


def test_a_saved_band_keeps_its_limit_and_a_spline_follows_it(tmp_path):
    band = limited()
    save(band, tmp_path / "band.joblib")
    again = load(tmp_path / "band.joblib")
    np.testing.assert_array_equal(again.alpha, band.alpha)
    np.testing.assert_allclose(areas(band), (band.auc_lower, band.auc_upper), atol=1e-9)


def test_it_goes_with_fitted_bands_and_the_command_line(tmp_path, capsys):
    sample = GaussianWorld([0.0], [2.0]).sample_classes(400, 300, 1)
    band = nproc(sample.X, sample.y, "lda", band="simultaneous", alpha_max=0.2, random_state=1)
    fit = band.classifier(0.1)
    assert fit.guaranteed
    assert fit.orders[0] == band.at(0.1).order
    rows = np.column_stack([sample.X, sample.y])
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="a,y", comments="")
    options = ["bands", str(tmp_path / "rows.csv"), "--label", "y", "--class0", "0.0", "--method", "lda", "--seed", "1"]
    assert main([*options, "--band", "simultaneous", "--alpha-max", "0.2", "--json"]) == 0
    assert main([*options, "--alpha-max", "0.2"]) == 2
    assert "alpha_max can be used only with band='simultaneous'" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [{"band": "pointwise"}, {"band": "simultaneous", "bounds": "dkw"}])
def test_other_bands_do_not_depend_on_it(kind):
    with pytest.raises(
        InvalidInputError, match="alpha_max can be used only with band='simultaneous' and bounds='berk_jones'"
    ):
        NPROCBand.from_scores(SCORES0, SCORES1, alpha_max=0.1, **kind)
    with pytest.raises(InvalidInputError, match="alpha_max must lie strictly between 0 and 1, got 1"):
        limited(1)
