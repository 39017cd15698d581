"""A trained model that has a class 0 of its own gives it to what is made of it, and rows of its own fit are told of."""

import warnings

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE
from imblearn.pipeline import make_pipeline as make_sampling
from imblearn.under_sampling import RandomUnderSampler
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nproc import NPClassifier, NPROCDisplay, OnlineNPClassifier, certify, npc, nproc
from nproc.errors import InvalidInputError, NPWarning
from nproc.model_choice import np_score
from nproc.row_chunks import RowChunks
from nproc.scorers import NPSVC

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 600)
X = RNG.normal(size=(600, 2)) + 1.2 * Y[:, None]
NEW_Y = RNG.integers(0, 2, 600)
NEW = RNG.normal(size=(600, 2)) + 1.2 * NEW_Y[:, None]
LDA = NPClassifier("lda", class0=1, alpha=0.1, random_state=1)
HOLDERS = {
    "itself": lambda: LDA.fit(X, Y),
    "its fit": lambda: LDA.fit(X, Y).fit_,
    "a method of its fit": lambda: LDA.fit(X, Y).fit_.decision_function,
    "a pipeline": lambda: make_pipeline(StandardScaler(), LDA).fit(X, Y),
    "a search": lambda: GridSearchCV(LDA, {"split_ratio": [0.4, 0.5]}, scoring=np_score(0.1), cv=2).fit(X, Y),
    "a frozen estimator": lambda: FrozenEstimator(LDA.fit(X, Y)),
}
TRAINED = {
    "npsvm in a pipeline": lambda: make_pipeline(StandardScaler(), NPSVC(class0=1, alpha=0.3)).fit(X, Y),
    "partial_fit": lambda: OnlineNPClassifier(class0=1, alpha=0.3).partial_fit(X, Y, classes=[0, 1]),
}
# each returns the label of class 0
DOORS = {
    "npc": lambda model, X, y, **class0: npc(X, y, model, prefit=True, alpha=0.2, **class0).class0,
    "npc of chunks": lambda model, X, y, **class0: (
        npc(RowChunks.from_arrays(X, y), method=model, prefit=True, alpha=0.2, **class0).class0
    ),
    "nproc": lambda model, X, y, **class0: nproc(X, y, model, prefit=True, **class0).subject.labels[0],
    "display": lambda model, X, y, **class0: NPROCDisplay.from_estimator(
        model, X, y, plot=False, **class0
    ).band.subject.labels[0],
    "NPClassifier": lambda model, X, y, **class0: (
        NPClassifier(model, prefit=True, alpha=0.2, **class0).fit(X, y).class0_
    ),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("holder", [*HOLDERS, *TRAINED])
def test_class_0_is_that_of_the_model_unless_another_is_given_which_is_told(door, holder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NPWarning)
        model = (HOLDERS | TRAINED)[holder]()
    assert DOORS[door](model, NEW, NEW_Y) == 1
    with warnings.catch_warnings():
        # by the scores of the fit itself, which are larger for label 0
        warnings.filterwarnings("ignore", "the scores seem to have the wrong sign")
        with pytest.warns(NPWarning, match="class0=1 of its own. It controls the errors of 1 rows, but this call"):
            assert DOORS[door](model, NEW, NEW_Y, class0=0) == 0


def test_certify_takes_the_class_0_of_the_model_in_a_pipeline_or_a_search():
    for holder in ("a pipeline", "a search"):
        assert certify(HOLDERS[holder](), NEW, NEW_Y).class0 == 1


def test_a_method_of_an_estimator_whose_classes_give_the_direction_is_told_of():
    # larger for label 1, which is class 0 of the model
    scores = LDA.fit(X, Y).decision_function
    with pytest.warns(NPWarning, match="NPClassifier has class0=1.* the model itself as method, with class0=1"):
        assert nproc(NEW, NEW_Y, scores, prefit=True).subject.labels[0] == 0


@pytest.mark.parametrize(("holder", "way_out"), [("itself", r"trained\.$"), ("its fit", r"trained, or give class0\.$")])
def test_labels_that_the_model_does_not_know_are_refused(holder, way_out):
    model, y = HOLDERS[holder](), np.where(NEW_Y, "ill", "well")
    told = rf" has the labels \['ill', 'well'\], but NP\w+ has class0=1 of its own\. .*{way_out}"
    with pytest.raises(InvalidInputError, match=f"^y{told}"):
        nproc(NEW, y, model, prefit=True)
    with pytest.raises(InvalidInputError, match=f"^y{told}"):
        nproc(RowChunks.from_arrays(NEW, y), method=model, prefit=True)


def test_a_given_class_0_is_a_way_out_for_a_model_without_classes():
    model, y = HOLDERS["its fit"](), np.where(NEW_Y, "ill", "well")
    assert nproc(NEW, y, model, prefit=True, class0="ill").subject.labels.tolist() == ["ill", "well"]
    of_chunks = nproc(RowChunks.from_arrays(NEW, y), method=model, prefit=True, class0="ill")
    assert of_chunks.subject.labels.tolist() == ["ill", "well"]


def test_a_method_of_a_model_with_the_name_class0_is_not_its_label():
    class Ranked:
        def class0(self):
            return "rows of class 0"

        def decision_function(self, X):
            return X[:, 0]

    assert nproc(NEW, NEW_Y, Ranked(), prefit=True).subject.labels[0] == 0
    with pytest.raises(InvalidInputError, match="class0 is missing"):
        certify(Ranked(), NEW, NEW_Y)


@pytest.mark.parametrize("door", sorted({*DOORS} - {"npc of chunks"}))
@pytest.mark.parametrize("holder", HOLDERS)
def test_rows_of_the_fit_of_the_model_are_told_of_and_new_rows_are_not(door, holder):
    model = HOLDERS[holder]()
    DOORS[door](model, NEW, NEW_Y)
    with pytest.warns(NPWarning, match="at least a fifth of the class 0 rows"):
        DOORS[door](model, X, Y)


@pytest.mark.parametrize("sampler", [SMOTE(random_state=1), RandomUnderSampler(random_state=1), "passthrough"])
@pytest.mark.parametrize("searched", [False, True])
def test_a_sampler_in_front_of_the_model_leaves_new_rows_as_they_are(sampler, searched):
    model = make_sampling(StandardScaler(), sampler, LDA)
    if searched:
        model = GridSearchCV(model, {"npclassifier__split_ratio": [0.5]}, scoring=np_score(0.1), cv=2)
    with warnings.catch_warnings():
        # a sampler in front of the split breaks the guarantee, which the fit says
        warnings.simplefilter("ignore", NPWarning)
        model.fit(X, Y)
    assert DOORS["npc"](model, NEW, NEW_Y) == 1
    # of rows that a sampler has changed it is not known whether they come from these
    assert certify(model, NEW, NEW_Y).own_rows is None
    with pytest.warns(NPWarning, match="at least a fifth of the class 0 rows"):
        DOORS["npc"](model, X, Y)


def test_certify_does_not_vouch_for_rows_where_a_sampler_stands_alone_in_front():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NPWarning)
        model = make_sampling(RandomUnderSampler(random_state=1), LDA).fit(X, Y)
    assert certify(model, NEW, NEW_Y).own_rows is None


def test_certify_recognises_rows_of_the_fit_in_a_pipeline_and_does_not_vouch_for_the_steps_in_front():
    model = HOLDERS["a pipeline"]()
    with pytest.warns(NPWarning, match="at least a fifth of the class 0 rows"):
        assert certify(model, X, Y, alpha=0.5).certified is False
    assert certify(model, NEW, NEW_Y).own_rows is None
    search = HOLDERS["a search"]()
    assert certify(search, NEW, NEW_Y).own_rows is False
