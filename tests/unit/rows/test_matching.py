import warnings

import numpy as np
import pandas as pd
import pytest
from all_cases import check_all_cases
from sklearn.linear_model import LogisticRegression

from nproc import (
    NPClassifier,
    NPMultiClassifier,
    NPROCDisplay,
    OnlineNPClassifier,
    OnlineNPNetwork,
    QValueSVC,
    certify,
    npc,
    npc_multiclass,
    nproc,
    nproc_bands,
    roc_cv,
)
from nproc.comparison import compare_procedures
from nproc.errors import InvalidInputError
from nproc.expression import gene_score, top_genes
from nproc.groups import GroupThresholds, np_group_thresholds
from nproc.model_choice import np_score
from nproc.multiclass import NPCSClassifier, npcs
from nproc.planning import plan_split_ratio
from nproc.qvalues import accepted, q_values
from nproc.row_chunks import RowChunks
from nproc.rows.matching import check_same_rows
from nproc.scorers import get_scorer

RNG = np.random.default_rng(7)
N = 240
Y = pd.Series(np.arange(N) % 2, name="y")
X = pd.DataFrame(RNG.normal(size=(N, 2)) + 1.5 * Y.to_numpy()[:, None], columns=["a", "b"])
G = pd.Series(np.where(np.arange(N) % 4 < 2, "north", "south"))
C = pd.Series(np.arange(N))
W = pd.Series(np.ones(N))
LEVELS = {"alpha": 0.3, "delta": 0.3, "random_state": 1}


def reversed_rows(values):
    return values.iloc[::-1]


def half_other(values):
    return values.set_axis(np.arange(N) + N // 2)


def all_other(values):
    return values.set_axis([f"row {i}" for i in range(N)])


WAYS = [reversed_rows, half_other, all_other]


def fitted(**options):
    return npc(X, Y, "lda", **LEVELS, **options)


def multi():
    return npc_multiclass(X, Y, "lda", alphas=0.3, deltas=0.3, random_state=1)


def svm_of_q():
    return QValueSVC().fit(X, Y)


def formula_frame():
    return X.assign(y=Y)


# every function that takes two or more arguments with one entry a row; `move` makes the labels of one of them others
DOORS = {
    "npc y": lambda move: npc(X, move(Y), "lda", **LEVELS),
    "npc weights": lambda move: npc(X, Y, "logistic", sample_weight=move(W), **LEVELS),
    "npc weights and y alone": lambda move: npc(X.to_numpy(), Y, "logistic", sample_weight=move(W), **LEVELS),
    "npc groups": lambda move: npc(X, Y, "lda", groups=move(G), **LEVELS),
    "npc groups and y alone": lambda move: npc(X.to_numpy(), Y, "lda", groups=move(G), **LEVELS),
    "npc clusters": lambda move: npc(X, Y, "lda", clusters=move(C), **LEVELS),
    "npc formula and weights": lambda move: npc(
        "y ~ a + b", data=formula_frame(), method="logistic", sample_weight=move(W), **LEVELS
    ),
    "npc formula and groups": lambda move: npc(
        "y ~ a + b", data=formula_frame(), method="lda", groups=move(G), **LEVELS
    ),
    "npc prefit": lambda move: npc(X, move(Y), LogisticRegression().fit(X, Y), prefit=True, alpha=0.3, delta=0.3),
    "npc labels in a column": lambda move: npc(X, move(Y).to_frame(), "lda", **LEVELS),
    "nproc": lambda move: nproc(X, move(Y), "lda", random_state=1),
    "nproc_bands": lambda move: nproc_bands(X, move(Y), ["lda", "nb"], random_state=1),
    "compare_procedures": lambda move: compare_procedures(X, move(Y), ["lda", "nb"], random_state=1),
    "roc_cv": lambda move: roc_cv(X, move(Y), "lda", random_state=1),
    "plan_split_ratio": lambda move: plan_split_ratio(X, move(Y), "lda", rows=100, n_repeats=2, random_state=1),
    "NPClassifier": lambda move: NPClassifier("lda", **LEVELS).fit(X, move(Y)),
    "NPClassifier weights": lambda move: NPClassifier("logistic", **LEVELS).fit(X, Y, sample_weight=move(W)),
    "NPClassifier predict": lambda move: NPClassifier("lda", **LEVELS).fit(X, Y, groups=G).predict(X, groups=move(G)),
    "NPClassifier score": lambda move: NPClassifier("lda", **LEVELS).fit(X, Y).score(X, move(Y)),
    "NPClassifier score weights": lambda move: NPClassifier("lda", **LEVELS).fit(X, Y).score(X, Y, move(W)),
    "NPMultiClassifier score": lambda move: (
        NPMultiClassifier("lda", alphas=0.3, deltas=0.3).fit(X, Y).score(X, move(Y))
    ),
    "QValueSVC score": lambda move: svm_of_q().score(X, move(Y)),
    "evaluate": lambda move: fitted().evaluate(X, move(Y)),
    "evaluate pairs": lambda move: fitted().evaluate([(X, move(Y))]),
    "evaluate by group, y": lambda move: fitted(groups=G).evaluate(X, move(Y), G),
    "evaluate by group, groups": lambda move: fitted(groups=G).evaluate(X, Y, move(G)),
    "evaluate by group, arrays and groups": lambda move: fitted(groups=G).evaluate(X.to_numpy(), Y, move(G)),
    "predict by group": lambda move: fitted(groups=G).predict(X, move(G)),
    "votes by group": lambda move: fitted(groups=G).votes(X, move(G)),
    "decision_function by group": lambda move: fitted(groups=G).decision_function(X, move(G)),
    "evaluate by cluster": lambda move: fitted(clusters=C).evaluate(X, move(Y), C),
    "evaluate by cluster, clusters": lambda move: fitted(clusters=C).evaluate(X, Y, move(C)),
    "certify method": lambda move: fitted().certify(X, move(Y)),
    "certify by group": lambda move: fitted(groups=G).certify(X.to_numpy(), Y, groups=move(G)),
    "certify by cluster": lambda move: fitted(clusters=C).certify(X, move(Y), clusters=C),
    "certify": lambda move: certify(fitted(), X, move(Y)),
    "npc_multiclass": lambda move: npc_multiclass(X, move(Y), "lda", alphas=0.3, deltas=0.3),
    "npc_multiclass evaluate": lambda move: multi().evaluate(X, move(Y)),
    "npc_multiclass plot": lambda move: multi().plot(X, move(Y)),
    "NPMultiClassifier": lambda move: NPMultiClassifier("lda", alphas=0.3, deltas=0.3).fit(X, move(Y)),
    "npcs": lambda move: npcs(X, move(Y), "lda", alphas={0: 0.3}, random_state=1),
    "npcs evaluate": lambda move: npcs(X, Y, "lda", alphas={0: 0.3}, random_state=1).evaluate(X, move(Y)),
    "NPCSClassifier": lambda move: NPCSClassifier("lda", alphas={0: 0.3}).fit(X, move(Y)),
    "np_group_thresholds": lambda move: np_group_thresholds(X["a"], move(G), alpha=0.3, delta=0.3),
    "GroupThresholds.predict": lambda move: np_group_thresholds(X["a"], G, alpha=0.3, delta=0.3).predict(
        X["a"], move(G)
    ),
    "q_values": lambda move: q_values(X["a"], move(Y)),
    "accepted": lambda move: accepted(X["a"], move(Y), 0.2),
    "qsvm accepted": lambda move: svm_of_q().accepted(X, move(Y)),
    "RowChunks.from_arrays": lambda move: RowChunks.from_arrays(X, move(Y)),
    "NPROCDisplay.from_estimator": lambda move: NPROCDisplay.from_estimator(
        LogisticRegression().fit(X, Y), X, move(Y), plot=False
    ),
    "NPROCDisplay.from_predictions": lambda move: NPROCDisplay.from_predictions(Y, move(X["a"]), plot=False),
    "np_score": lambda move: np_score(0.3)(LogisticRegression().fit(X, Y), X, move(Y)),
    "np_score weights": lambda move: np_score(0.3)(LogisticRegression().fit(X, Y), X, Y, sample_weight=move(W)),
    "gene_score": lambda move: gene_score(X, move(Y)),
    "top_genes": lambda move: top_genes(X, move(Y), 1),
}
SCORERS = ["logistic", "nb", "npsvm", "slda", "averaged", "qnet", "qsvm"]
for name in SCORERS:
    DOORS[f"fit of {name}"] = lambda move, name=name: get_scorer(name).fit(X, move(Y))
for kind in (OnlineNPClassifier, OnlineNPNetwork):
    DOORS[f"fit of {kind.__name__}"] = lambda move, kind=kind: kind().fit(X, move(Y))
    DOORS[f"partial_fit of {kind.__name__}"] = lambda move, kind=kind: kind().partial_fit(X, move(Y), classes=[0, 1])


@pytest.mark.slow
def test_row_labels_that_do_not_match_are_refused():
    def check(door, move):
        with warnings.catch_warnings():
            # of small levels and short training, which are not the matter here
            warnings.simplefilter("ignore")
            with pytest.raises(InvalidInputError, match=r"(row labels).*rows are matched by position.*to_numpy\(\)"):
                door(move)

    check_all_cases(check, {f"{way.__name__}, {name}": (DOORS[name], way) for way in WAYS for name in DOORS})


def test_a_shuffled_y_does_not_spoil_the_errors_of_evaluate():
    order = RNG.permutation(N)
    fit, moved = fitted(), Y.iloc[order]
    with pytest.raises(InvalidInputError, match="X and y have the same row labels in a different order"):
        fit.evaluate(X, moved)
    # as the message says
    assert fit.evaluate(X, moved.loc[X.index]).type1 == fit.evaluate(X, Y).type1


def test_the_message_tells_how_many_labels_are_shared():
    with pytest.raises(InvalidInputError, match=r"1 of the 2 labels of X are among those of y"):
        check_same_rows(X=pd.DataFrame({"a": [1, 2]}), y=pd.Series([1, 2], index=[1, 2]))


@pytest.mark.parametrize(
    "index",
    [["a", "a", "b"], pd.MultiIndex.from_tuples([(1, "x"), (1, "y"), (2, "x")]), pd.CategoricalIndex(["u", "v", "w"])],
    ids=["repeated", "two levels", "categories"],
)
def test_equal_row_labels_pass_of_whatever_kind(index):
    check_same_rows(X=pd.DataFrame({"a": [1, 2, 3]}, index=index), y=pd.Series([1, 2, 3], index=list(index)))
    with pytest.raises(InvalidInputError, match="different row labels"):
        check_same_rows(X=pd.DataFrame({"a": [1, 2, 3]}, index=index), y=pd.Series([1, 2, 3]))


def test_whole_numbers_equal_the_same_numbers_with_a_point():
    check_same_rows(X=pd.DataFrame({"a": [1, 2]}), y=pd.Series([1, 2], index=[0.0, 1.0]))


def test_arrays_lists_and_none_have_no_row_labels():
    check_same_rows(X=X, y=Y.to_numpy(), groups=G.tolist(), clusters=None, sample_weight=tuple(W))


def test_another_number_of_rows_is_told_as_such():
    with pytest.raises(InvalidInputError, match="X has 240 rows and y has 100 labels"):
        npc(X, Y.iloc[:100], "lda", **LEVELS)


def test_scores_of_two_classes_are_of_different_rows():
    band = NPROCDisplay.from_predictions(Y, X["a"], plot=False).band
    assert band.n_splits == 1
    assert isinstance(np_group_thresholds(X["a"], G, alpha=0.3, delta=0.3), GroupThresholds)
