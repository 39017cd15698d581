"""Tests of `nproc.persistence` through save and load: models come back, and what is not trusted is refused."""

import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, NuSVC

import nproc
from nproc import NPClassifier, NPROCBand, NPWarning, load, npc, save
from nproc.errors import InvalidInputError
from nproc.outputs import HEAD
from nproc.persistence import check_numbers

pytest.importorskip("skops")

Y = np.arange(300) % 2
X = np.random.default_rng(0).normal(size=(300, 3)) + 1.5 * Y[:, None]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
NAMES = np.array(["well", "ill"])[Y]


class Shifted(LogisticRegression):
    """An estimator that no list of trusted types has."""


TEXTS = make_pipeline(CountVectorizer(), LogisticRegression())


def first_column(rows):
    return rows[:, 0]


@pytest.mark.parametrize(
    ("rows", "y", "arguments"),
    [
        (X, Y, {"method": "lda", "n_splits": 3}),
        (FRAME, NAMES, {"method": "npsvm", "class0": "well"}),
        (FRAME, NAMES.astype(object), {"method": "lda", "class0": "ill", "split_ratio": "adaptive", "alpha": 0.3}),
        (X.round(1), Y, {"method": "nnb", "ties": "randomize"}),
        (X, Y, {"method": "qsvm", "q": [0.05, 0.2]}),
        (X, Y, {"method": "onpsvm", "method_params": {"kernel": "rbf", "n_components": 20, "tol": None}}),
        (FRAME, Y, {"method": make_pipeline(StandardScaler(), LogisticRegression())}),
        (
            [f"no{j} " + " ".join(f"x{k}at{v:.0f}" for k, v in enumerate(row)) for j, row in enumerate(X)],
            Y,
            {"method": TEXTS},
        ),
    ],
)
def test_a_fit_comes_back_with_the_same_scores(rows, y, arguments, tmp_path):
    fit = npc(rows, y, random_state=1, **{"alpha": 0.1, **arguments})
    again = load(save(fit, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.decision_function(rows), fit.decision_function(rows))
    np.testing.assert_array_equal(again.predict(rows, random_state=1), fit.predict(rows, random_state=1))
    assert (repr(again), str(again.summary()), again.versions) == (repr(fit), str(fit.summary()), fit.versions)


def test_an_estimator_and_bands_come_back(tmp_path):
    model = NPClassifier(LogisticRegression(), alpha=0.1, class0="ill", random_state=1).fit(FRAME, NAMES)
    np.testing.assert_array_equal(load(save(model, tmp_path / "m.SKOPS")).predict(FRAME), model.predict(FRAME))
    band = nproc.nproc(X, Y, "lda", n_splits=2 + 1, random_state=1)
    chosen = band.choose_alpha("youden")
    again = load(save(band, tmp_path / "band.skops"))
    np.testing.assert_array_equal(again.type2_upper, band.type2_upper)
    # that alpha was chosen on this band is not forgotten
    assert again.classifier(chosen.alpha).alpha_chosen
    raw = NPROCBand.from_scores(X[Y == 0, 0], X[Y == 1, 0])
    np.testing.assert_array_equal(load(save(raw, tmp_path / "raw.skops")).alpha, raw.alpha)


@pytest.mark.slow
def test_another_process_predicts_the_same(tmp_path):
    fit = npc(X, Y, "onpsvm", alpha=0.1, random_state=1)
    np.save(tmp_path / "X.npy", X)
    save(fit, tmp_path / "model.skops")
    code = (
        "import sys, pickle, numpy as np, nproc\n"
        "pickle.load = pickle.loads = pickle.Unpickler = None\n"
        "fit = nproc.load(sys.argv[1] + '/model.skops')\n"
        "np.save(sys.argv[1] + '/scores.npy', fit.decision_function(np.load(sys.argv[1] + '/X.npy')))\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=120)
    np.testing.assert_array_equal(np.load(tmp_path / "scores.npy"), fit.decision_function(X))


def test_types_that_are_not_trusted_are_listed_and_can_be_trusted(tmp_path):
    fit = npc(X, Y, Shifted(), alpha=0.1, random_state=1)
    path = save(fit, tmp_path / "model.skops")
    name = f"{__name__}.Shifted"
    with pytest.raises(InvalidInputError, match=rf"types that are not trusted: {name}\. .*trusted=\['{name}'\]"):
        load(path)
    np.testing.assert_array_equal(load(path, trusted=[name]).predict(X), fit.predict(X))


def test_trees_are_for_those_who_trust_the_file(tmp_path):
    path = save(npc(X, Y, "tree", alpha=0.1, ties="randomize", random_state=1), tmp_path / "model.skops")
    with pytest.raises(InvalidInputError, match=r"not trusted: sklearn\.tree\._tree\.Tree"):
        load(path)
    assert load(path, trusted=["sklearn.tree._tree.Tree"]).method == "tree"


def test_a_function_of_a_module_needs_trust_and_a_lambda_cannot_be_saved(tmp_path):
    path = save(npc(X, Y, first_column, prefit=True, alpha=0.1), tmp_path / "model.skops")
    with pytest.raises(InvalidInputError, match="first_column"):
        load(path)
    with pytest.raises(InvalidInputError, match="not a lambda"):
        save(npc(X, Y, lambda rows: rows[:, 0], prefit=True, alpha=0.1), tmp_path / "other.skops")
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.skops"]


def test_a_formula_is_refused_with_the_reason(tmp_path):
    fit = npc("y ~ a + b", data=FRAME.assign(y=NAMES), method="lda", alpha=0.1, class0="ill", random_state=1)
    with pytest.raises(InvalidInputError, match=r"by a formula \('y ~ a \+ b'\) cannot be saved .* Python code"):
        save(fit, tmp_path / "model.skops")
    assert load(save(fit, tmp_path / "model.joblib")).method == "lda"


def pairs(one, other):
    values = np.empty(300, dtype=object)
    values[:] = [(one, other)[label] for label in Y]
    return values


KEPT = {
    "dates": (date(2020, 1, 1), date(2021, 1, 1)),
    "times": (datetime(2020, 1, 1, tzinfo=UTC), datetime(2021, 1, 1, tzinfo=UTC)),
    "decimals": (Decimal("1.5"), Decimal("2.5")),
    "ids": (UUID(int=1), UUID(int=2)),
    "bytes": (b"a", b"b"),
    "Booleans": (False, True),
    "large numbers": (10**30, 10**31),
}
NOT_KEPT = {
    "Timestamp": (pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")),
    "Timedelta": (pd.Timedelta(1, "D"), pd.Timedelta(2, "D")),
}


def with_labels(one, other):
    return npc(X, pairs(one, other), "lda", alpha=0.1, class0=one, random_state=1)


def with_groups(one, other):
    rows, labels = np.r_[X, X + 0.01], np.r_[Y, 1 - Y]
    groups = np.r_[pairs(one, other), pairs(one, other)]
    return npc(rows, labels, "lda", alpha=0.3, groups=groups, random_state=1)


def with_columns(one, other):
    return npc(
        pd.DataFrame(X[:, :2], columns=pd.Index([one, other], dtype=object)), Y, "lda", alpha=0.1, random_state=1
    )


@pytest.mark.parametrize("values", KEPT)
@pytest.mark.parametrize("make", [with_labels, with_groups, with_columns])
def test_plain_values_as_labels_groups_and_columns_come_back(make, values, tmp_path):
    fit = make(*KEPT[values])
    again = load(save(fit, tmp_path / "model.skops"))
    assert str(again.summary()) == str(fit.summary())
    assert repr(again.labels) == repr(fit.labels)
    assert [type(label) for label in again.labels] == [type(label) for label in fit.labels]


@pytest.mark.parametrize("kind", NOT_KEPT)
@pytest.mark.parametrize(
    ("make", "place"),
    [(with_labels, r"labels\[0\]"), (with_groups, r"rules\[0\]\.groups\[0\]"), (with_columns, r"design\.columns\[0\]")],
)
def test_what_a_file_could_not_give_back_is_refused_when_it_is_saved(make, place, kind, tmp_path):
    fit = make(*NOT_KEPT[kind])
    with pytest.raises(
        InvalidInputError, match=rf"^{place}, of type pandas\..*{kind}, cannot be saved as .skops .* as \.joblib"
    ):
        save(fit, tmp_path / "model.skops")
    assert list(tmp_path.iterdir()) == []
    assert repr(load(save(fit, tmp_path / "model.joblib")).labels) == repr(fit.labels)


def test_a_parameter_that_would_come_back_as_another_is_refused(tmp_path):
    # the format takes the keys of a table for text
    fit = npc(X, Y, Shifted(class_weight={False: 1.0, True: 2.0}), alpha=0.1, random_state=1)
    with pytest.raises(InvalidInputError, match=r"^scorers\[0\]\.class_weight cannot be stored exactly"):
        save(fit, tmp_path / "model.skops")


def test_neighbours_by_all_distances_are_for_those_who_trust_the_file(tmp_path):
    # without a tree in the file: labels of rows are followed, too
    fit = npc(X, Y, KNeighborsClassifier(algorithm="brute"), alpha=0.1, ties="randomize", random_state=1)
    path, name = save(fit, tmp_path / "model.skops"), "sklearn.neighbors._classification.KNeighborsClassifier"
    with pytest.raises(InvalidInputError, match=rf"not trusted: {name}\. "):
        load(path)
    np.testing.assert_array_equal(load(path, trusted=[name]).decision_function(X), fit.decision_function(X))


@pytest.mark.parametrize(
    "scorer",
    [
        make_pipeline(FunctionTransformer(np.rint), OneHotEncoder(handle_unknown="ignore"), LogisticRegression()),
        make_pipeline(
            FunctionTransformer(np.rint),
            OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=3, drop="first", sparse_output=False),
            LogisticRegression(),
        ),
        SVC(kernel="poly"),
        NuSVC(nu=0.2),
    ],
)
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_models_that_are_looked_at_come_back(scorer, tmp_path):
    fit = npc(X, Y, scorer, alpha=0.2, ties="randomize", random_state=1)
    again = load(save(fit, tmp_path / "model.skops"))
    np.testing.assert_array_equal(again.decision_function(X), fit.decision_function(X))


@pytest.mark.parametrize("words", [{"a": 0, "b": 2}, {"a": 0, "b": -1}, {"a": 0, "b": 0.5}, [0, 1]])
def test_a_table_of_words_has_a_column_for_each(words):
    vectorizer = CountVectorizer().fit(["aa bb"])
    check_numbers([{"one": (vectorizer,)}])
    vectorizer.vocabulary_ = words
    with pytest.raises(ValueError, match="the vocabulary_ of its CountVectorizer cannot be right"):
        check_numbers([{"one": (vectorizer,)}])


def test_a_generator_has_a_place_among_its_numbers():
    generator = np.random.Generator(np.random.MT19937(1))
    check_numbers({"rng": generator})
    generator.bit_generator.state = {**generator.bit_generator.state, "state": {"key": np.zeros(624), "pos": 10**6}}
    with pytest.raises(ValueError, match="the state of its Generator"):
        check_numbers({"rng": generator})


def test_a_generator_that_would_take_hours_to_make_is_refused(tmp_path):
    path = save(npc(X, Y, "onpsvm", alpha=0.3, delta=0.3, random_state=1), tmp_path / "model.skops")
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    text = entries["schema.json"].decode()
    start = text.index('"content"', text.index('"pool_size": {'))
    entries["schema.json"] = (text[:start] + text[start:].replace('"4"', '"2147483647"', 1)).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    with pytest.raises(InvalidInputError, match="pool of a random generator is too large"):
        load(path)


def test_a_pickle_by_that_name_is_never_opened_as_one(tmp_path):
    path = save(npc(X, Y, "lda", alpha=0.1, random_state=1), tmp_path / "model.joblib")
    path = path.rename(tmp_path / "model.skops")
    with pytest.raises(InvalidInputError, match="not in the format of skops"):
        load(path)


def test_foreign_and_damaged_files_say_so(tmp_path):
    import skops.io

    skops.io.dump({"a": 1}, tmp_path / "foreign.skops")
    with pytest.raises(InvalidInputError, match="is not a model file of this package"):
        load(tmp_path / "foreign.skops")
    with zipfile.ZipFile(tmp_path / "foreign.skops", "a") as archive:
        archive.writestr(HEAD, "{}")
    with pytest.raises(InvalidInputError, match="holds a dict, no NPFit, NPClassifier, NPROCBand"):
        load(tmp_path / "foreign.skops")
    path = save(npc(X, Y, "lda", alpha=0.1, random_state=1), tmp_path / "model.skops")
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InvalidInputError, match="is damaged"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.skops")


def test_other_versions_give_a_warning(tmp_path):
    path = save(npc(X, Y, "lda", alpha=0.1, random_state=1), tmp_path / "model.skops")
    changed = tmp_path / "changed.skops"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == HEAD:
                content = json.dumps({**json.loads(content), "scikit-learn": "0.1"})
            new.writestr(name, content)
    with pytest.warns(NPWarning, match=r"other versions: scikit-learn 0\.1 \(now"):
        assert load(changed).seed == 1


def test_without_skops_the_error_says_what_to_install(tmp_path, monkeypatch):
    fit = npc(X, Y, "lda", alpha=0.1, random_state=1)
    path = save(fit, tmp_path / "model.skops")
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for act in (lambda: save(fit, tmp_path / "other.skops"), lambda: load(path)):
        with pytest.raises(InvalidInputError, match=r"pip install 'nproc-py\[safe\]'"):
            act()


@pytest.mark.parametrize("trusted", ["sklearn.tree._tree.Tree", [int], True])
def test_trusted_is_a_list_of_names(trusted, tmp_path):
    path = save(npc(X, Y, "lda", alpha=0.1, random_state=1), tmp_path / "model.skops")
    with pytest.raises(InvalidInputError, match="trusted must be a list of names"):
        load(path, trusted=trusted)


def test_trusted_does_not_go_with_a_pickle(tmp_path):
    path = save(npc(X, Y, "lda", alpha=0.1, random_state=1), tmp_path / "model.joblib")
    with pytest.raises(InvalidInputError, match=r"trusted applies only to files that end in \.skops"):
        load(path, trusted=["a.B"])


@pytest.mark.parametrize("field", ["labels", "no scores", "scores", "mean_", "scale_"])
def test_a_fit_whose_numbers_cannot_be_right_is_refused(field, tmp_path):
    fit = npc(X, Y, "svm", alpha=0.1, class0=0, random_state=1)
    scaler = fit.scorers[0].steps[0][1].scaler_
    if field == "labels":
        fit = replace(fit, labels=np.array([-5, -5]))
    elif field == "no scores":
        fit = replace(fit, scores0=(np.empty(0),))
    elif field == "scores":
        fit = replace(fit, scores0=(np.full(fit.n0_left_out, np.nan),))
    else:
        setattr(scaler, field, np.full(X.shape[1], np.nan))
    for name in ("fit.skops", "fit.joblib") if "_" not in field else ("fit.skops",):
        save(fit, tmp_path / name)
        with pytest.raises(InvalidInputError, match=r"is damaged \(.* cannot be right\); save the model again"):
            load(tmp_path / name)
