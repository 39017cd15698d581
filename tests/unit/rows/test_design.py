"""Tables and formulas become the matrix of a scorer, and at predict the same again."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from nproc import npc
from nproc.errors import InvalidInputError, NPWarning
from nproc.rows.design import build_design, check_same_length
from nproc.serving import linear_rule


def people(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "default": rng.permutation(np.repeat(["no", "yes"], n // 2)),
            "age": rng.integers(20, 70, n),
            "income": rng.lognormal(3, 1, n),
            "job": rng.permutation(np.resize(["a", "b", "c"], n)),
            "owner": rng.permutation(np.resize([True, False], n)),
            "reg.afr": rng.permutation(np.resize([0, 1], n)),
            "past due": rng.normal(size=n),
        }
    )


def by_formula(formula, frame, **options):
    return build_design(formula, data=frame, numeric=True, **options)


def test_a_formula_needs_a_frame_and_no_y():
    frame = people()
    with pytest.raises(InvalidInputError, match="needs data="):
        build_design("default ~ age", numeric=True)
    with pytest.raises(InvalidInputError, match=r"data must be a DataFrame.*ndarray\. Give pandas\.DataFrame\(rows"):
        build_design("default ~ age", data=np.ones((3, 2)), numeric=True)
    with pytest.raises(InvalidInputError, match="data is empty: 0 rows"):
        build_design("default ~ age", data=frame.head(0), numeric=True)
    with pytest.raises(InvalidInputError, match="leave out y"):
        build_design("default ~ age", frame["default"], data=frame, numeric=True)
    with pytest.raises(InvalidInputError, match="data= goes with a formula"):
        build_design(frame[["age"]], frame["default"], data=frame, numeric=True)


def test_a_numeric_frame_becomes_an_array_and_keeps_its_names():
    frame = people()[["age", "income", "owner"]].astype({"age": "Int64"})
    built = build_design(frame, people()["default"], numeric=True)
    assert built.design.feature_names == built.design.required_columns == ("age", "income", "owner")
    np.testing.assert_array_equal(built.X, frame.astype(float).to_numpy())
    np.testing.assert_array_equal(built.design.transform(frame.head(2)), built.X[:2])
    assert built.design.formula is None


def test_text_columns_are_refused_for_numeric_scorers_and_pass_for_others():
    frame = people().drop(columns="default")
    with pytest.raises(InvalidInputError, match=r"columns that are not numbers: \['job'\]\. .* give a formula"):
        build_design(frame, numeric=True)
    built = build_design(frame, numeric=False)
    assert built.X is frame
    assert built.design.transform(frame) is frame


@pytest.mark.parametrize("numeric", [True, False])
def test_swapped_columns_are_matched_by_name_and_not_by_position(numeric):  # BEHAVIOUR 15
    frame = people()[["age", "income"]]
    design = build_design(frame, numeric=numeric).design
    swapped = frame[["income", "age"]]
    np.testing.assert_array_equal(np.asarray(design.transform(swapped)), np.asarray(design.transform(frame)))
    with pytest.raises(InvalidInputError, match="must be in the same order as they were in fit"):
        design.refuse_other_order(swapped)
    with pytest.raises(
        InvalidInputError,
        match=r"match those that were passed during fit.\nFeature names unseen at fit time:\n- wage\n"
        r"Feature names seen at fit time, yet now missing:\n- income\nX must have the missing columns too, also if "
        r"the method does not use them: give them, or fit without them\.",
    ):
        design.transform(frame.rename(columns={"income": "wage"}))


@pytest.mark.parametrize(
    "columns", [[0, 1], pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])], ids=["numbers", "levels"]
)
def test_the_advice_for_swapped_columns_without_text_names_can_be_followed(columns):
    frame = people()[["age", "income"]].set_axis(columns, axis=1)
    design = build_design(frame, numeric=True).design
    swapped = frame[frame.columns[::-1]]
    with pytest.raises(InvalidInputError, match=r"X\[list\(fit.design.columns\)\]"):
        design.transform(swapped)
    np.testing.assert_array_equal(design.transform(swapped[list(design.columns)]), design.transform(frame))


@pytest.mark.parametrize("numeric", [True, False])
def test_further_columns_such_as_the_labels_are_left_out_by_name(numeric):
    frame = people()[["age", "income"]]
    design = build_design(frame, numeric=numeric).design
    more = frame.assign(sick="yes")[["sick", "income", "age"]]
    np.testing.assert_array_equal(np.asarray(design.transform(more)), np.asarray(design.transform(frame)))
    with pytest.raises(InvalidInputError, match="yet now missing:\n- income"):
        design.transform(more[["sick", "age"]])


def test_long_lists_of_unknown_names_are_cut():
    frame = pd.DataFrame(np.ones((2, 8)), columns=list("abcdefgh"))
    design = build_design(frame, numeric=True).design
    with pytest.raises(InvalidInputError, match=r"- a1\n- b1\n- c1\n- d1\n- e1\n- \.\.\.\n"):
        design.transform(frame.add_suffix("1"))


def test_frames_with_the_same_number_labels_in_another_order_are_refused():
    frame = pd.DataFrame(np.arange(6.0).reshape(3, 2))
    design = build_design(frame, numeric=True).design
    assert design.feature_names is None
    with pytest.raises(InvalidInputError, match="same order"):
        design.transform(frame[[1, 0]])
    np.testing.assert_array_equal(design.transform(frame.to_numpy()), frame.to_numpy())
    np.testing.assert_array_equal(design.transform(frame.set_axis([5, 6], axis=1)), frame.to_numpy())


@pytest.mark.parametrize("numeric", [True, False])
def test_one_row_of_a_frame_is_refused_with_the_way_to_give_it_and_no_word_on_names(numeric):
    frame = people()[["age", "income"]]
    design = build_design(frame, numeric=numeric).design
    # warnings are errors: none comes first
    with pytest.raises(InvalidInputError, match=r"two-dimensional .* give frame\.iloc\[\[0\]\] for one row"):
        design.transform(frame.iloc[0])
    with pytest.raises(InvalidInputError, match=r"Give one row of a DataFrame as frame\.iloc\[\[0\]\]"):
        design.transform(people().iloc[0])
    assert design.transform(frame.iloc[[0]]).shape == (1, 2)
    coded = by_formula("default ~ age", people()).design
    with pytest.raises(InvalidInputError, match=r"got a vector\. Give one row of a DataFrame as frame\.iloc"):
        coded.transform(people().iloc[0])


def test_new_rows_with_text_for_numbers_are_told_what_new_rows_can_do():
    design = build_design(people()[["age", "income"]], numeric=True).design
    with pytest.raises(InvalidInputError, match=r"\['age'\]\. Give them as numbers, as in the training data\.$"):
        design.transform(people().assign(age="thirty"))


def test_names_on_one_side_only_give_a_warning():
    frame = people()[["age", "income"]]
    named = build_design(frame, numeric=True, method="lda").design
    unnamed = build_design(frame.to_numpy(), numeric=True).design
    with pytest.warns(NPWarning, match="does not have valid feature names, but lda was fitted with feature names"):
        from_array = named.transform(frame.to_numpy())
    with pytest.warns(NPWarning, match="has feature names, but this classifier was fitted without feature names"):
        from_frame = unnamed.transform(frame)
    np.testing.assert_array_equal(from_array, from_frame)


def test_repeated_and_mixed_column_names_are_refused():
    frame = pd.DataFrame(np.ones((3, 3)), columns=["a", "b", "a"])
    with pytest.raises(InvalidInputError, match=r"several columns of the name\(s\) \['a'\]"):
        build_design(frame, numeric=True)
    with pytest.raises(InvalidInputError, match=r"only supported if all input features have string names"):
        build_design(frame.set_axis(["a", 1, 2], axis=1), numeric=True)


@pytest.mark.parametrize("numeric", [True, False])
@pytest.mark.parametrize("make", [np.asarray, np.ndarray.tolist, sparse.csr_array, sparse.csr_matrix, pd.DataFrame])
def test_another_number_of_columns_is_refused_in_the_words_of_scikit_learn(make, numeric):
    X = np.ones((4, 2))
    design = build_design(make(X), numeric=numeric, accept_sparse=True, method="svm").design
    assert design.n_features == 2
    with pytest.raises(InvalidInputError, match="X has 3 features, but svm is expecting 2 features as input"):
        design.transform(make(np.ones((4, 3))))
    with pytest.raises(InvalidInputError, match="empty"):
        design.transform(make(np.ones((4, 2)))[:0])


@pytest.mark.parametrize("numeric", [True, False])
def test_a_table_needs_two_dimensions_rows_and_columns(numeric):
    for X in (
        np.ones(5),
        [1.0, 2.0],
        pd.Series([1.0, 2.0]),
        [0.0],
    ):
        with pytest.raises(InvalidInputError, match="Reshape your data"):
            build_design(X, numeric=numeric)
    for texts in (["a text", "another"], ["a text", None]):
        if numeric or None in texts:
            with pytest.raises(InvalidInputError, match="a vectorizer" if numeric else "must have a text in"):
                build_design(texts, numeric=numeric)
        else:
            assert build_design(texts, numeric=numeric).X.tolist() == [[text] for text in texts]
    with pytest.raises(InvalidInputError, match="empty"):
        build_design(np.ones((0, 3)), numeric=numeric)
    with pytest.raises(InvalidInputError, match=r"0 feature|0 columns"):
        build_design(np.ones((3, 0)), numeric=numeric)
    with pytest.raises(InvalidInputError, match="X is missing"):
        build_design(None, numeric=numeric)
    with pytest.raises(InvalidInputError, match="rows of equal length"):
        build_design([[1.0, 2.0], [3.0]], numeric=numeric)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix])
def test_sparse_input_becomes_csr(make):
    dense = np.array([[0.0, 1.0], [2.0, 0.0]])
    for numeric in (True, False):
        built = build_design(make(dense), numeric=numeric, accept_sparse=True)
        assert built.X.format == built.design.transform(make(dense)).format == "csr"
        np.testing.assert_array_equal(built.X.toarray(), dense)
    with pytest.raises(InvalidInputError, match="X is sparse, and method 'qda' needs a dense array"):
        build_design(make(dense), numeric=True, method="qda")


def test_a_float_array_is_not_copied_and_a_memmap_stays_on_disk(tmp_path):
    X = np.memmap(tmp_path / "X.bin", dtype=np.float64, mode="w+", shape=(6, 2))
    X[:] = np.arange(12).reshape(6, 2)
    for numeric in (True, False):
        built = build_design(X, numeric=numeric)
        assert np.shares_memory(built.X, X)
        assert np.shares_memory(built.design.transform(X), X)


def test_object_arrays_pass_to_scorers_of_the_user_and_become_floats_for_others():
    texts = np.array([["a", 1], ["b", 2]], dtype=object)
    assert build_design(texts, numeric=False).X is texts
    with pytest.raises(InvalidInputError, match="X must hold numbers"):
        build_design(texts, numeric=True)
    assert build_design(texts[:, [1]], numeric=True).X.dtype == np.float64


def test_nan_passes_only_where_welcome():
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(InvalidInputError, match="X contains NaN"):
        build_design(X, numeric=True)
    design = build_design(X, numeric=True, allow_nan=True).design
    assert np.isnan(design.transform(X)).sum() == 1
    assert build_design(X, numeric=False).X is X
    strict = build_design(X[1:], numeric=True).design
    with pytest.raises(InvalidInputError, match="contains NaN"):
        strict.transform(X)  # BEHAVIOUR 13


def test_other_data_frame_libraries_are_converted_or_refused():
    frame = people()[["age", "income"]]

    class Foreign:
        columns = ("age", "income")

        def __dataframe__(self):
            raise NotImplementedError

    class Convertible(Foreign):
        def to_pandas(self):
            return frame

    built = build_design(Convertible(), numeric=True)
    assert built.design.feature_names == ("age", "income")
    assert by_formula("age ~ income", Convertible()).X.shape == (40, 1)
    with pytest.raises(InvalidInputError, match="Foreign without to_pandas"):
        build_design(Foreign(), numeric=True)


def test_labels_of_another_number_are_refused():  # BEHAVIOUR 12
    X = np.ones((1000, 2))
    with pytest.raises(InvalidInputError, match="X has 1000 rows and y has 500 labels"):
        build_design(X, np.zeros(500), numeric=True)
    with pytest.raises(InvalidInputError, match="frame has 1000 rows and class has 3 labels"):
        check_same_length(X, [1, 2, 3], name="frame", name_y="class")
    check_same_length(sparse.csr_array(X), pd.Series(np.zeros(1000)))


def test_a_design_of_a_table_pickles_without_rows():
    design = build_design(people(1000)[["age", "income"]], numeric=True).design
    stored = pickle.dumps(design)
    assert len(stored) < 1000
    assert pickle.loads(stored) == design


@pytest.mark.parametrize("by_formula", [True, False])
def test_missing_values_of_new_rows_are_not_answered_by_what_helps_in_a_fit(by_formula):
    def built(frame):
        if by_formula:
            return build_design("y ~ a + b", data=frame, numeric=True)
        return build_design(frame[["a", "b"]], frame["y"], numeric=True)

    frame = pd.DataFrame({"y": [0, 1] * 50, "a": np.arange(100.0), "b": np.arange(100.0) ** 2})
    holes = frame.where(frame["a"] > 5).assign(y=frame["y"])
    with pytest.raises(InvalidInputError, match=r"'a'.*'b'.*na_action='omit'"):
        built(holes)
    design = built(frame).design
    with pytest.raises(InvalidInputError, match=r"'a'.*'b'.* Impute them as in the training data, or leave") as caught:
        design.transform(holes[["a", "b"]])
    assert "na_action" not in str(caught.value)


def test_a_column_of_another_spelling_is_told_wherever_columns_go_by_name(tmp_path):
    rng, ill = np.random.default_rng(1), np.arange(400) % 2
    table = pd.DataFrame({"age": rng.normal(size=400) + ill, "dose": rng.normal(size=400), "ill": ill})
    renamed, X = table.rename(columns={"age": "Age"}), table[["age", "dose"]]
    fit = npc(X, ill, "logistic", class0=0, random_state=1)
    by_formula = npc("ill ~ age + dose", table, "logistic", class0=0, random_state=1)
    calls = {
        "a table": lambda: fit.predict(renamed),
        "a formula": lambda: by_formula.predict(renamed),
        "the left side": lambda: npc("age ~ dose", renamed),
        "a term": lambda: npc("ill ~ age", renamed),
        "clusters": lambda: npc(renamed[["Age", "dose"]], ill, clusters="age"),
        "a rule": lambda: linear_rule(fit).predict(renamed[["Age", "dose"]]),
        "a report": lambda: fit.report(tmp_path / "r.md", data=(renamed[["Age", "dose"]], ill)),
        "a report by formula": lambda: by_formula.report(tmp_path / "r.md", data=renamed),
    }
    wrong = []
    for place, call in calls.items():
        with pytest.raises(InvalidInputError) as error:
            call()
        if "Did you mean 'Age'?" not in str(error.value):
            wrong.append(f"{place}: {error.value}")
    assert wrong == []
