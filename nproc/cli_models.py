"""Classifiers from the files that the command line wrote."""

from __future__ import annotations

from pathlib import Path

from nproc.bands import NPROCBand
from nproc.errors import InvalidInputError
from nproc.persistence import ESTIMATORS, load


def load_classifier(path, alpha):
    """Return the `NPFit` in a model file; of a band that at a level."""
    if not Path(path).is_file():
        raise InvalidInputError(f"there is no model file {path}.")
    model = load(path)
    if isinstance(model, NPROCBand):
        if alpha is None:
            raise InvalidInputError(f"{path} holds a band; give --alpha to predict by its classifier at that level.")
        return model.classifier(alpha)
    if alpha is not None:
        raise InvalidInputError(f"{path} holds a classifier, whose alpha is fixed; leave out --alpha.")
    return model.fit_ if isinstance(model, ESTIMATORS) else model
