"""Fits that several tests of the page look at."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fitted_page import fitted, plan_of

from nproc.app.data import sample_source, uploaded_source


@pytest.fixture(scope="module")
def result():
    return fitted(plan_of(sample_source("simulation2"), ["x1", "x2"]))


@pytest.fixture
def mixed(tmp_path):
    """An upload with text among the predictors and a class 0 that sorts second."""
    rng = np.random.default_rng(5)
    y = np.arange(300) % 2
    table = pd.DataFrame(
        {
            "age group": rng.normal(size=300) + y,
            "job": rng.choice(["cook", "clerk", "driver"], 300),
            "default": np.where(y == 1, "no", "yes"),
        }
    )
    path = tmp_path / "mixed.csv"
    table.to_csv(path, index=False)
    return uploaded_source(path, "mixed.csv")


@pytest.fixture
def upload(tmp_path):
    """Write an upload as shiny does, under a number, and read it under its own name."""

    def read(content, name="loans.csv"):
        path = tmp_path / ("0" + Path(name).suffix)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return uploaded_source(path, name)

    return read
