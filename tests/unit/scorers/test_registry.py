"""The registry of scoring methods."""

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from nproc import npc
from nproc.errors import InvalidInputError
from nproc.scorers import describe_scorers, get_scorer, register, registry, scorer_names, scorer_spec


@pytest.fixture
def clean_registry(monkeypatch):
    monkeypatch.setattr(registry, "_SPECS", dict(registry._SPECS))


def ridge(*, C=1.0):
    return LogisticRegression(C=C)


def other_ridge(*, C=2.0):
    return LogisticRegression(C=C)


def test_a_user_can_add_a_name(clean_registry):
    assert register("ridge", sparse=True)(ridge) is ridge
    assert get_scorer("ridge", C=0.5).C == 0.5
    spec = scorer_spec("ridge")
    assert (spec.name, spec.factory, spec.r_name, spec.allow_nan, spec.sparse) == (
        "ridge",
        ridge,
        None,
        False,
        True,
    )
    assert dict(spec.parameters) == {"C": 1.0}
    assert "ridge" in scorer_names()


def test_an_estimator_class_is_a_factory_too(clean_registry):
    register("plain")(LogisticRegression)
    assert get_scorer("plain", C=3.0).C == 3.0


def test_a_taken_name_is_an_error_unless_replaced(clean_registry):
    register("ridge")(ridge)
    register("ridge")(ridge)
    with pytest.raises(InvalidInputError, match=r"'ridge' is taken by .*ridge; choose another name"):
        register("ridge")(other_ridge)
    register("ridge", replace=True)(other_ridge)
    assert get_scorer("ridge").C == 2.0


@pytest.mark.parametrize("name", ["", "two words", None, 3])
def test_a_name_must_be_a_word(name):
    with pytest.raises(InvalidInputError, match="name must be a word without spaces"):
        register(name)


def test_a_factory_must_spell_out_its_keywords(clean_registry):
    with pytest.raises(InvalidInputError, match=r"must name all its keywords, got '\*\*anything'"):
        register("open")(lambda **anything: None)


def test_a_factory_must_have_defaults(clean_registry):
    with pytest.raises(InvalidInputError, match="'C' of method 'closed' needs a default"):
        register("closed")(lambda C: None)


def test_an_unknown_name_lists_the_valid_ones_and_the_nearest():
    with pytest.raises(InvalidInputError, match=r"^unknown method 'logit'\. .* one of acsvm, ada, .*, tree") as raised:
        get_scorer("logit")
    assert "'rf'" not in str(raised.value)
    with pytest.raises(InvalidInputError, match="Did you mean 'logistic'"):
        get_scorer("Logistics")


def test_a_misspelt_keyword_names_the_nearest():
    with pytest.raises(InvalidInputError, match=r"no parameter 'ntrees'.*n_estimators"):
        get_scorer("randomforest", ntrees=10)
    with pytest.raises(InvalidInputError, match="Did you mean 'n_neighbors'"):
        get_scorer("knn", n_neighbours=3)


def test_a_method_without_parameters_says_so():
    with pytest.raises(InvalidInputError, match="Its parameters are: none"):
        get_scorer("nb", usekernel=True)


def test_an_object_comes_back_untouched():
    model = LogisticRegression(C=0.3)
    assert get_scorer(model) is model
    assert get_scorer(len) is len


def test_parameters_beside_an_object_are_an_error():
    with pytest.raises(InvalidInputError, match=r"parameters \(C\) go with a method given by name"):
        get_scorer(LogisticRegression(), C=1)


def test_a_class_is_not_an_instance():
    with pytest.raises(InvalidInputError, match=r"pass an instance, LogisticRegression\(\)"):
        get_scorer(LogisticRegression)


@pytest.mark.parametrize("nothing", [None, 3, ["svm"]])
def test_what_cannot_score_is_refused(nothing):
    with pytest.raises(InvalidInputError, match="method must be one of"):
        get_scorer(nothing)


def test_descriptions_are_sorted_and_complete():
    assert [spec.name for spec in describe_scorers()] == scorer_names()


def test_methods_print_with_their_parameters():
    text = repr(describe_scorers())
    for spec in describe_scorers():
        assert re.search(rf"(?m)^{spec.name}\n    [A-Z]", text)
        assert all(f"{name}={value!r}".split()[0] in text for name, value in spec.parameters.items())
    assert max(map(len, text.split("\n"))) <= 78
    entries = dict(zip(scorer_names(), re.split(r"\n(?=\S)", text), strict=True))
    for spec in describe_scorers():
        said = " ".join(entries[spec.name].split())
        assert ("sparse X" in said, "missing values in columns of numbers." in said) == (spec.sparse, spec.takes_gaps)
    one = repr(describe_scorers("randomforest"))
    assert "n_members=11, sampling='bootstrap'" in repr(describe_scorers("averaged"))
    assert one.startswith("randomforest: A random forest")
    assert all(f"\n{name} : " in one for name in ("n_estimators", "max_features", "random_state"))
    with pytest.raises(InvalidInputError, match=r"has no parameter 'depth'.* describe_scorers\('tree'\) explains them"):
        get_scorer("tree", depth=3)


def test_each_call_builds_a_new_estimator():
    assert get_scorer("lda") is not get_scorer("lda")


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_a_number_that_is_not_finite_is_no_setting(value):
    with pytest.raises(InvalidInputError, match="C of method 'svm' must be finite, got"):
        get_scorer("svm", C=value)


@pytest.mark.parametrize(
    ("method", "params", "match"),
    [
        ("randomforest", {"ntree": 10}, "R's ntree is n_estimators here"),
        ("randomforest", {"mtry": 3}, "R's mtry is max_features here"),
        ("svm", {"cost": 10}, "R's cost is C here"),
        (
            "svm",
            {"class.weights": {0: 2}},
            "R's class.weights is class_weight here. Its keys are 0, for class 0",
        ),
        ("svm", {"probability": True}, "Leave it out: the decision value is the score"),
        ("svm", {"kernel": "radial"}, "R's kernel 'radial' is 'rbf' here"),
        ("npsvm", {"kernel": "polynomial"}, "R's kernel 'polynomial' is 'poly' here"),
        ("knn", {"k": 5}, "R's k is n_neighbors here"),
        ("nnb", {"bw": 1.0}, "R's bw is adjust here. It is a factor"),
        ("nb", {"usekernel": True}, "With a kernel the method is 'nnb'"),
        ("ada", {"iter": 9}, "R's iter is n_estimators here"),
        ("gradientboosting", {"nu": 0.1}, "R's nu is learning_rate here"),
        ("tree", {"minsplit": 9}, "R's minsplit is min_samples_split here"),
        ("penlog", {"nfolds": 5}, "R's nfolds is n_folds here"),
    ],
)
def test_parameters_of_r_are_told_by_their_names_here(method, params, match):
    rows, labels = np.arange(20.0)[:, None], np.tile([0, 1], 10)
    for call in (get_scorer, lambda method, **params: npc(rows, labels, method, **params)):
        with pytest.raises(InvalidInputError, match=match):
            call(method, **params)


def test_hints_name_parameters_that_some_method_has():
    known = {name for spec in describe_scorers() for name in spec.parameters}
    assert {name for names in registry._PARAMETERS_OF_R.values() for name in names} <= known
