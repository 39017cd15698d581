"""Each line of the table of scores in docs/comparison.md gives scores that are larger for class 1."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from translations import NORMAL, STRANGE, TRANSLATIONS

from nproc import np_threshold

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "comparison.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", TRANSLATIONS, ids=lambda line: line[0])
def test_the_translated_score_is_larger_for_class_1(line):
    assert "| " + " | ".join(line) + " |" in PAGE
    try:
        score = TRANSLATIONS[line]()
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    scores0, scores1 = score(NORMAL), score(STRANGE)
    assert roc_auc_score(np.repeat([0, 1], 300), np.r_[scores0, scores1]) > 0.9
    rule = np_threshold(scores0, alpha=0.1)
    assert rule.predict(scores1).mean() > 0.5
