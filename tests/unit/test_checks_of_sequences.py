import numpy as np
import pandas as pd
import pytest
from all_cases import check_all_cases

from nproc import NPROCBand, compare, npc, npc_multiclass, read_in_chunks
from nproc.errors import InvalidInputError
from nproc.groups import np_group_thresholds, one_per_cluster
from nproc.row_chunks import RowChunks
from nproc.score_chunks import ScoreChunks

RNG = np.random.default_rng(2)
N = 120
Y = np.arange(N) % 2
X = RNG.normal(size=(N, 2)) + Y[:, None]
KINDS = np.array(["a", "b", "c"])[np.arange(N) % 3]
LEVELS = {"alpha": 0.3, "delta": 0.3, "random_state": 1}
MULTI = {"alphas": 0.3, "deltas": 0.3, "random_state": 1}

UNORDERED = {
    "set": set,
    "frozenset": frozenset,
    "dict": lambda values: dict(enumerate(values)),
    "keys": lambda values: dict(enumerate(values)).keys(),
    "values": lambda values: dict(enumerate(values)).values(),
    "items": lambda values: dict(enumerate(values)).items(),
    "generator": lambda values: (value for value in values),
    "map": lambda values: map(str, values),
}
DOORS = {
    "priority": lambda make: npc_multiclass(X, KINDS, "lda", priority=make(["a", "b", "c"]), **MULTI),
    "alphas": lambda make: npc_multiclass(
        X, KINDS, "lda", priority=list("abc"), **{**MULTI, "alphas": make([0.3, 0.4])}
    ),
    "deltas": lambda make: npc_multiclass(
        X, KINDS, "lda", priority=list("abc"), **{**MULTI, "deltas": make([0.3, 0.4])}
    ),
    "y": lambda make: npc(X, make(Y.tolist()), "lda", **LEVELS),
    "X": lambda make: npc(make(X.tolist() if make not in (set, frozenset) else X[:, 0].tolist()), Y, "lda", **LEVELS),
    "groups": lambda make: npc(X, Y, "lda", groups=make(KINDS.tolist()), **LEVELS),
    "clusters": lambda make: npc(X, Y, "lda", clusters=make(list(range(N))), **LEVELS),
    "groups of scores": lambda make: np_group_thresholds(X[:, 0], make(KINDS.tolist()), alpha=0.3, delta=0.3),
    "clusters of a draw": lambda make: one_per_cluster(make(list(range(N)))),
    "y of chunks": lambda make: RowChunks.from_arrays(X, make(Y.tolist())),
    "y of evaluate": lambda make: npc(X, Y, "lda", **LEVELS).evaluate(X, make(Y.tolist())),
    "y of certify": lambda make: npc(X, Y, "lda", **LEVELS).certify(X, make(Y.tolist())),
}


def test_what_has_no_order_is_refused_where_order_means_something():
    def check(door, make):
        with pytest.raises(
            InvalidInputError,
            match=rf"{door.partition(' ')[0]} is a .*, "
            "(which has no order|which has values by name|which can be read only once)",
        ):
            DOORS[door](make)

    check_all_cases(check, {f"{kind} for {door}": (door, UNORDERED[kind]) for kind in UNORDERED for door in DOORS})


def test_names_and_features_are_lists(tmp_path):
    bands = [NPROCBand.from_scores(RNG.normal(size=80), RNG.normal(size=80)) for _ in range(2)]
    with pytest.raises(InvalidInputError, match="names is a set, which has no order"):
        compare(*bands, names={"one", "two"})
    path = tmp_path / "rows.csv"
    pd.DataFrame(X, columns=["a", "b"]).assign(y=Y).to_csv(path, index=False)
    with pytest.raises(InvalidInputError, match="features is a set, which has no order"):
        read_in_chunks(path, "y", features={"a", "b"})
    with pytest.raises(InvalidInputError, match="drop is a set, which has no order"):
        read_in_chunks(path, "y", drop={"b"})
    with pytest.raises(InvalidInputError, match="the first chunk of scores is a dict"):
        ScoreChunks([{"a": [1.0]}])
