"""A formula codes the columns of a frame, and at predict the same columns in the same way."""

import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from nproc.errors import InvalidInputError
from nproc.rows.design import build_design
from nproc.rows.formulas import fit_formula

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"


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


# what comes out


def test_a_formula_gives_treatment_coding_without_intercept_and_the_raw_labels():
    frame = people()
    built = by_formula("default ~ age + job", frame)
    assert built.design.feature_names == ("age", "job[T.b]", "job[T.c]")
    expected = np.column_stack([frame["age"], frame["job"] == "b", frame["job"] == "c"])
    np.testing.assert_array_equal(built.X, expected)
    assert built.X.dtype == np.float64
    assert built.labels.tolist() == frame["default"].tolist()
    assert built.design.formula == "default ~ age + job"
    assert built.design.required_columns == ("age", "job")
    assert built.design.n_features == 3


def test_the_dot_means_all_columns_but_the_label():
    built = by_formula("default ~ .", people())
    assert built.design.feature_names == (
        "age",
        "income",
        "job[T.b]",
        "job[T.c]",
        "owner",
        "reg.afr",
        "past due",
    )
    assert by_formula("default ~ . - job - income", people()).design.required_columns == (
        "age",
        "owner",
        "reg.afr",
        "past due",
    )


@pytest.mark.parametrize(
    ("left", "label"),
    [("default", "default"), ("`default`", "default"), ("`reg.afr`", "reg.afr"), ("`past due`", "past due")],
)
def test_the_label_may_stand_in_backticks(left, label):
    frame = people()
    built = by_formula(f"{left} ~ age", frame)
    assert built.labels.tolist() == frame[label].tolist()


def test_a_label_with_a_tilde_in_its_name_stands_in_backticks():
    frame = people().rename(columns={"default": "a~b"})
    assert by_formula("`a~b` ~ age", frame).labels.tolist() == frame["a~b"].tolist()


@pytest.mark.parametrize(
    "terms",
    [
        "age * job",
        "I(age**2) + log(income)",
        "np.log(income):owner",
        "C(`reg.afr`) + `past due`",
        "poly(age, 2) + scale(income) + center(`past due`)",
        "bs(age, df=4) + job",
        "cr(age, df=4)",
        "C(job, contr.sum)",
        "I(job == 'a') + hashed(job, levels=4)",
        "C(np.round(age / 10))",
    ],
)
def test_any_rows_of_the_training_data_are_coded_as_at_the_fit(terms):
    frame = people()
    built = by_formula(f"default ~ {terms}", frame)
    rows = np.array([5, 3, 17])
    new = frame.drop(columns="default").iloc[rows][::-1]
    coding = built.design.coding
    coded = fit_formula(f"default ~ {terms}", frame)[1]
    np.testing.assert_allclose(coding.code(new), coded[rows[::-1]], rtol=1e-12, atol=1e-12)
    assert coding.code(new).dtype == np.float64


def test_a_single_new_row_with_other_index_and_column_order_is_coded():
    frame = people()
    built = by_formula("default ~ log(age) + C(job)", frame)
    new = frame.loc[[7], ["job", "age"]].set_index(pd.Index(["someone"]))
    np.testing.assert_array_equal(built.design.transform(new), built.X[[7]])


def test_the_index_of_the_frame_has_no_influence():
    frame = people()
    odd = frame.set_index(np.resize([3, 3, 1], len(frame)))
    expected = by_formula("default ~ C(job) * age + bs(income, df=4)", frame)
    built = by_formula("default ~ C(job) * age + bs(income, df=4)", odd)
    np.testing.assert_array_equal(built.X, expected.X)
    np.testing.assert_array_equal(built.design.transform(odd), expected.X)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float32", "uint8", "object"])
def test_numeric_dtypes_code_alike(dtype):
    frame = people()
    expected = by_formula("default ~ age + log(age)", frame)
    built = by_formula("default ~ age + log(age)", frame.astype({"age": dtype}))
    np.testing.assert_allclose(built.X, expected.X, rtol=1e-7)  # float32 rounds the log
    np.testing.assert_allclose(built.design.transform(frame), expected.X, rtol=1e-7)


@pytest.mark.parametrize("dtype", ["object", "string", "str", "category"])
def test_text_dtypes_code_alike_and_may_change_between_fit_and_predict(dtype):
    frame = people()
    built = by_formula("default ~ job * age", frame.astype({"job": dtype}))
    np.testing.assert_array_equal(built.X, by_formula("default ~ job * age", frame).X)
    for other in ["object", "string", "category"]:
        np.testing.assert_array_equal(built.design.transform(frame.astype({"job": other})), built.X)


@pytest.mark.parametrize("dtype", ["bool", "boolean", "object"])
def test_boolean_columns_are_one_column_of_zeros_and_ones(dtype):
    frame = people().astype({"owner": dtype})
    built = by_formula("default ~ owner", frame)
    assert built.design.feature_names == ("owner",)
    np.testing.assert_array_equal(built.X[:, 0], frame["owner"].astype(float))
    assert by_formula("default ~ C(owner)", frame).design.feature_names == ("C(owner)[T.True]",)


def test_a_categorical_keeps_its_order_and_loses_unused_levels():
    frame = people()
    frame["job"] = pd.Categorical(frame["job"], categories=["z", "c", "b", "a"])
    assert by_formula("default ~ job", frame).design.feature_names == ("job[T.b]", "job[T.a]")


def test_a_categorical_of_numbers_may_come_back_as_numbers():
    frame = people()
    frame["age"] = pd.Categorical(frame["age"] // 10)
    built = by_formula("default ~ age", frame)
    np.testing.assert_array_equal(built.design.transform(frame.astype({"age": int})), built.X)


def test_whole_numbers_as_categories_have_short_names():
    frame = people().assign(age=lambda data: (data["age"] // 10).astype("int8"))
    names = by_formula("default ~ C(age)", frame).design.feature_names
    assert names == ("C(age)[T.3]", "C(age)[T.4]", "C(age)[T.5]", "C(age)[T.6]")


def test_small_integer_dtypes_do_not_overflow():
    frame = people().astype({"age": "int8"})
    np.testing.assert_array_equal(
        by_formula("default ~ I(age * age) + age:age", frame).X[:, 0], frame["age"].astype(float) ** 2
    )


def test_a_column_with_one_category_gives_no_coded_column():
    frame = people().assign(country="x")
    assert by_formula("default ~ age + country", frame).design.feature_names == ("age",)


def test_a_column_named_intercept_is_a_predictor():
    frame = people().rename(columns={"income": "Intercept"})
    built = by_formula("default ~ age + Intercept", frame)
    assert built.design.feature_names == ("age", "Intercept")
    np.testing.assert_array_equal(built.X[:, 1], frame["Intercept"])


def test_terms_that_learn_from_the_rows_are_named():
    design = by_formula("default ~ scale(age) + job + log(income) + poly(income, 2)", people()).design
    assert design.learned_terms == ("poly(income, 2)", "scale(age)")
    assert build_design(np.ones((2, 1)), numeric=True).design.learned_terms == ()


def test_german_credit_with_all_twenty_columns_by_formula():
    path = DATA / "german_categorical20.csv"
    if not path.exists():
        pytest.skip("german_categorical20.csv is not beside the repository (../shared/data)")
    frame = pd.read_csv(path)
    built = by_formula("y ~ .", frame)
    # 7 numeric columns, 13 categorical ones with k - 1 columns each
    n_coded = sum(1 if pd.api.types.is_numeric_dtype(frame[c]) else frame[c].nunique() - 1 for c in frame.columns[:-1])
    assert built.X.shape == (1000, n_coded)
    assert n_coded == 48
    assert np.linalg.matrix_rank(np.column_stack([np.ones(1000), built.X])) == 49
    np.testing.assert_array_equal(built.design.transform(frame.tail(100)), built.X[-100:])
    with pytest.raises(InvalidInputError, match=r"'purpose' has 'A99'.*known: \['A40'"):
        built.design.transform(frame.head(3).assign(purpose="A99"))


# pickling


@pytest.mark.parametrize("terms", [".", "age * job", "bs(age, df=5) + poly(income, 2) + scale(income) + C(job)"])
def test_a_design_pickles_small_and_holds_no_training_rows(terms):
    sizes = {}
    for n in (100, 10_000):
        frame = people(n)
        design = by_formula(f"default ~ {terms}", frame).design
        stored = pickle.dumps(design)
        sizes[n] = len(stored)
        again = pickle.loads(stored)
        np.testing.assert_array_equal(again.transform(frame), design.transform(frame))
    assert sizes[10_000] < 8000
    assert abs(sizes[10_000] - sizes[100]) < 200


# errors


@pytest.mark.parametrize("formula", ["default", "~ age", "default ~", "default ~ age ~ job", "data.csv", ""])
def test_a_text_without_two_sides_is_not_a_formula(formula):
    with pytest.raises(InvalidInputError, match="a formula reads 'label ~ terms'"):
        by_formula(formula, people())


@pytest.mark.parametrize("formula", ["log(age) ~ job", "default + age ~ job", "nobody ~ age"])
def test_the_left_side_is_one_column(formula):
    with pytest.raises(InvalidInputError, match=r"must be one column name.*'past due'\]"):
        by_formula(formula, people())


@pytest.mark.parametrize(
    "terms", ["age +", "(age", ". [ (", "age @ job", "age job", '"x"', "2 * age", "log(age", "age + %"]
)
def test_a_syntax_error_names_the_formula_and_the_columns(terms):
    with pytest.raises(InvalidInputError, match=r"formula 'default ~ .*cannot be read.*Columns: \['age'") as caught:
        by_formula(f"default ~ {terms}", people())
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("term", "way"),
    [
        ("age %*% income", r"has %\*%: .* Write a:b for an interaction"),
        ("age + age %o% income", "has %o%: .* Write a:b for an interaction"),
        ("age %% 2", r"has %%: the remainder is written I\(a % b\)"),
        ("I(age %/% 2)", r"has %/%: the whole part of a quotient is written I\(a // b\)"),
    ],
)
def test_operators_of_r_are_refused_and_not_read_as_others(term, way):
    with pytest.raises(InvalidInputError, match=way):
        fit_formula(f"default ~ {term}", people())
    # what the messages offer
    coding, matrix, _ = fit_formula("default ~ I(age % 7) + I(age // 7)", people())
    assert coding.names == ("I(age % 7)", "I(age // 7)")
    age = people()["age"].to_numpy()
    np.testing.assert_array_equal(matrix, np.c_[age % 7, age // 7])


@pytest.mark.parametrize("terms", ["agee", "age + jobs", "age.x", "`no such`", "age:foo"])
def test_an_unknown_column_is_named(terms):
    with pytest.raises(InvalidInputError, match=r"names the column '.*not in data.*\['default', 'age'"):
        by_formula(f"default ~ {terms}", people())


@pytest.mark.parametrize(
    ("terms", "way"),
    [
        ("factor(job)", r"is written C\(a\)"),
        ("as.factor(job)", r"is written C\(a\)"),
        ("I(age^2)", r"written \*\*, as in I\(a\*\*2\)"),
        ("poly(age, 2, raw=TRUE)", "written True and False"),
        ("ns(age, df=3)", r"natural splines are written cr\(a, df=4\)"),
        ("rcs(age, 3)", r"natural splines are written cr\(a, df=4\)"),
        ("age + (1|job)", r"no random effects \(1 \| g\); .* give clusters='g' to npc"),
        ("(1 + age | job)", "there are no random effects"),
        ("I(age>30 & income>3)", r"brackets round each comparison, as in I\(\(a > 1\) & \(b > 2\)\)"),
        ("age>30", r"a comparison is written inside I\(\), as in I\(a > 1\)"),
        ("bs(age, df=4) + income==3", r"a comparison is written inside I\(\)"),
        ("strata(job)", r"C\(a\) makes a predictor of a, and groups= in npc bounds"),
        ("age + log1p(income)", r"written with np\., such as np\.log1p\(a\)"),
        ("as.numeric(job)", "write the column itself"),
        ("ifelse(age > 30, 1, 0)", "compute such a term before the call"),
        ("is.na(age)", "compute such a term before the call"),
    ],
)
def test_terms_that_only_r_knows_are_told_by_their_form_here(terms, way):
    with pytest.raises(InvalidInputError, match=rf"formula 'default ~ .*cannot be (read|evaluated): .*{way}"):
        fit_formula(f"default ~ {terms}", people())


@pytest.mark.parametrize("terms", ["age %in% job", "age + job%in%age", "I(age %in% c(30, 40))"])
def test_in_of_r_is_refused_since_it_would_add_a_main_effect(terms):
    with pytest.raises(InvalidInputError, match=r"has %in%: write the interaction a:b, .* compute that before"):
        fit_formula(f"default ~ {terms}", people())


def test_roots_and_logarithms_of_a_base_are_those_of_the_numbers():
    frame = people()
    _, matrix, _ = fit_formula("default ~ sqrt(age) + log(age, 2) + log(age) + exp(age / 100)", frame)
    age = frame["age"].to_numpy(dtype=float)
    np.testing.assert_allclose(matrix, np.c_[np.sqrt(age), np.log2(age), np.log(age), np.exp(age / 100)])


def test_a_misspelt_column_is_guessed():
    with pytest.raises(InvalidInputError, match=r"names the column 'agee'.* Did you mean 'age'\?"):
        fit_formula("default ~ agee + income", people())


def test_an_offset_alone_is_no_predictor():
    with pytest.raises(InvalidInputError, match="gives no predictor but the offset"):
        fit_formula("default ~ offset(age)", people())


def test_the_quotes_of_patsy_are_answered_with_backticks():
    with pytest.raises(InvalidInputError, match=r"Q\('my age'\), which is known in patsy alone.*: `my age`\."):
        by_formula("default ~ income + Q('my age')", people().rename(columns={"age": "my age"}))


@pytest.mark.parametrize("terms", ["foo(age)", "I(agee + 1)", "log(job)", "I(age.mean())", "I(job + 1)"])
def test_an_expression_that_fails_is_reported_with_its_formula(terms):
    with pytest.raises(InvalidInputError, match="cannot be evaluated"):
        by_formula(f"default ~ {terms}", people())


def test_the_callers_variables_are_not_part_of_a_formula():
    shift = 3
    with pytest.raises(InvalidInputError, match="'shift' is not defined"):
        by_formula("default ~ I(age + shift)", people())
    assert shift == 3


def test_text_made_by_an_expression_goes_into_c():
    with pytest.raises(InvalidInputError, match=r"that gives text into C\(\)"):
        by_formula("default ~ np.where(age > 40, 'old', 'young')", people())
    built = by_formula("default ~ C(np.where(age > 40, 'old', 'young'))", people())
    assert built.X.shape == (40, 1)


def test_the_right_side_has_one_part():
    with pytest.raises(InvalidInputError, match=r"one part, without '\|'"):
        by_formula("default ~ age | job", people())


@pytest.mark.parametrize("terms", ["age + default", "C(default)", "`default`"])
def test_the_label_is_not_a_predictor(terms):
    with pytest.raises(InvalidInputError, match="label 'default' on both sides"):
        by_formula(f"default ~ {terms}", people())


@pytest.mark.parametrize("terms", ["0 + job", "age - 1", "-1 + age", "job + 0"])
def test_removing_the_intercept_is_refused(terms):
    with pytest.raises(InvalidInputError, match="removes the intercept"):
        by_formula(f"default ~ {terms}", people())


@pytest.mark.parametrize("terms", [".", "`1`", "age + `1`"])
def test_a_column_named_one_is_not_lost_in_the_intercept(terms):
    frame = people().rename(columns={"income": "1"})
    with pytest.raises(
        InvalidInputError, match="column named '1', which would be read as the intercept; rename the column"
    ):
        by_formula(f"default ~ {terms}", frame)
    assert by_formula("default ~ age + 1", frame).design.feature_names == ("age",)


@pytest.mark.parametrize("terms", ["1", "country"])
def test_a_formula_without_predictor_is_refused(terms):
    with pytest.raises(InvalidInputError, match="gives no predictor"):
        by_formula(f"default ~ {terms}", people().assign(country="x"))


@pytest.mark.parametrize(
    "terms", ["age - age.mean()", "age.rank()", "age / max(age)", "np.cumsum(age)", "age > age.median()"]
)
def test_a_term_that_depends_on_other_rows_is_refused(terms):
    with pytest.raises(InvalidInputError, match="depends on the other rows"):
        by_formula(f"default ~ {{{terms}}}", people())


@pytest.mark.parametrize("terms", ["log(`past due`)", "log(zero)", "I(1 / zero)", "age + lag(age)"])
def test_a_term_that_is_not_finite_is_named(terms):
    with pytest.raises(InvalidInputError, match="gives NaN or infinite values in"):
        by_formula(f"default ~ {terms}", people().assign(zero=0), allow_nan=True)


def test_an_infinite_column_is_named():
    with pytest.raises(InvalidInputError, match=r"infinite values in \['income'\]"):
        by_formula("default ~ age + income", people().assign(income=np.inf))


def test_levels_that_do_not_cover_the_data_are_refused():
    with pytest.raises(InvalidInputError, match="outside its levels"):
        by_formula("default ~ C(job, levels=['a', 'b'])", people())


@pytest.mark.parametrize(
    ("values", "content"),
    [
        (pd.date_range("2020-01-01", periods=40), "datetime64"),
        (np.resize(np.array([1, "a"], dtype=object), 40), "mixed-integer"),
        (np.ones(40) * 1j, "complex"),
    ],
)
def test_other_dtypes_are_refused_only_where_used(values, content):
    frame = people().assign(when=values)
    with pytest.raises(InvalidInputError, match=f"'when' of the formula .* holds {content}"):
        by_formula("default ~ .", frame)
    assert by_formula("default ~ age", frame).X.shape == (40, 1)


def test_repeated_and_unnamed_columns_are_refused():
    frame = people()
    twice = pd.concat([frame, frame[["age"]]], axis=1)
    with pytest.raises(InvalidInputError, match="2 columns of the name 'age'"):
        by_formula("default ~ age", twice)
    with pytest.raises(InvalidInputError, match="several columns of the name 'default'"):
        by_formula("default ~ age", pd.concat([frame, frame[["default"]]], axis=1))
    with pytest.raises(InvalidInputError, match=r"'\.' .* needs columns whose names are text"):
        by_formula("default ~ .", frame.rename(columns={"job": 3}))
    assert by_formula("default ~ age", frame.rename(columns={"job": 3})).X.shape == (40, 1)


# missing values


@pytest.mark.parametrize("dtype", ["float64", "Float64", "Int64", "object"])
def test_a_missing_number_is_an_error_unless_nan_is_welcome(dtype):
    frame = people().astype({"age": dtype})
    frame.loc[[3, 8], "age"] = None
    with pytest.raises(InvalidInputError, match=r"column 'age' has 2 missing value\(s\)"):
        by_formula("default ~ age + job", frame)
    built = by_formula("default ~ age + job", frame, allow_nan=True)
    assert built.X.shape == (40, 3)
    assert np.flatnonzero(np.isnan(built.X).any(axis=1)).tolist() == [3, 8]
    assert built.design.transform(frame.iloc[[3]]).shape == (1, 3)
    # the right side decides, not what else the frame holds
    assert by_formula("default ~ income", frame).X.shape == (40, 1)


@pytest.mark.parametrize("dtype", ["object", "string", "str", "category"])
@pytest.mark.parametrize("allow_nan", [True, False])
def test_a_missing_category_is_always_an_error(dtype, allow_nan):
    frame = people()
    complete = by_formula("default ~ age + job", frame, allow_nan=allow_nan)
    frame = frame.astype({"job": dtype})
    frame.loc[[3, 8], "job"] = None
    numbers = " The method may take missing numbers, but a coded category has no missing value." * allow_nan
    gaps = r"column 'job' has 2 missing category .*, the first at (data|X)\.iloc\[3\]; no row is dropped silently\."
    message = rf"{gaps}{numbers} (Make|Impute)"
    with pytest.raises(InvalidInputError, match=message):
        by_formula("default ~ age + job", frame, allow_nan=allow_nan)
    with pytest.raises(InvalidInputError, match=message):
        complete.design.transform(frame)


def test_a_missing_number_used_as_a_category_is_an_error():
    frame = people().astype({"age": float})
    frame.loc[2, "age"] = np.nan
    for term in ("C(age)", "C(np.round(age))"):
        with pytest.raises(InvalidInputError, match="'age' has 1 missing category"):
            by_formula(f"default ~ {term}", frame, allow_nan=True)


def test_a_column_of_nothing_at_predict_is_all_missing():
    frame = people()
    built = by_formula("default ~ age + job", frame, allow_nan=True)
    assert np.isnan(built.design.transform(frame.head(2).assign(age=None))[:, 0]).all()
    with pytest.raises(InvalidInputError, match="'job' has 2 missing category"):
        built.design.transform(frame.head(2).assign(job=None))


def test_a_missing_number_at_predict_is_an_error_unless_welcome_at_the_fit():
    frame = people()
    built = by_formula("default ~ age", frame)
    with pytest.raises(InvalidInputError, match=r"column 'age' has 40 missing value\(s\)"):
        built.design.transform(frame.assign(age=np.nan))


# predict


@pytest.mark.parametrize("term", ["job", "C(job)", "C(job, contr.sum)", "age:job"])
def test_an_unseen_category_is_named_with_the_known_ones(term):
    built = by_formula(f"default ~ {term}", people())
    new = people().head(3).assign(job=["a", "zebra", "b"])
    for dtype in ("object", "string", "category"):
        with pytest.raises(InvalidInputError, match=r"'job' has 'zebra' \(at X\.iloc\[1\]; known: \['a', 'b', 'c'\]"):
            built.design.transform(new.astype({"job": dtype}))


def test_a_category_must_be_known_to_all_terms_of_its_column():
    built = by_formula("default ~ job + C(job, levels=['a', 'b', 'c', 'd'])", people())
    np.testing.assert_array_equal(built.design.transform(people()), built.X)
    with pytest.raises(InvalidInputError, match=r"'job' has 'd' .*known: \['a', 'b', 'c'\]"):
        built.design.transform(people().assign(job="d"))


def test_an_unseen_number_in_c_is_named():
    built = by_formula("default ~ C(`reg.afr`)", people())
    with pytest.raises(InvalidInputError, match=r"'reg.afr' has 7.*known: \[0, 1\]"):
        built.design.transform(people().assign(**{"reg.afr": 7}))


def test_an_unseen_category_of_an_expression_is_an_error():
    built = by_formula("default ~ C(np.round(age / 10))", people())
    with pytest.raises(InvalidInputError, match=r"outside its levels.*20"):
        built.design.transform(people().assign(age=200))


def test_columns_that_changed_kind_are_refused():
    built = by_formula("default ~ age + job", people())
    with pytest.raises(InvalidInputError, match="'job' held categories in training and now holds numbers"):
        built.design.transform(people().assign(job=1.0))
    with pytest.raises(InvalidInputError, match="'age' held numbers in training and now holds categories"):
        built.design.transform(people().assign(age="old"))


def test_missing_columns_and_other_tables_are_refused_at_predict():
    built = by_formula("default ~ age + log(income)", people())
    with pytest.raises(InvalidInputError, match=r"lacks the column\(s\) \['income'\]"):
        built.design.transform(people()[["age", "job"]])
    with pytest.raises(InvalidInputError, match="must be a DataFrame"):
        built.design.transform(built.X)
    with pytest.raises(InvalidInputError, match="X is empty: 0 rows"):
        built.design.transform(people().head(0))


def test_a_spline_continues_beyond_the_rows_that_it_learned_from_unless_it_is_told_not_to():
    # without knots inside, the columns of bs are those of all cubic polynomials, also where they are continued
    frame = people()
    far = pd.DataFrame({"age": np.linspace(-200.0, 300.0, 40)})
    spline, polynomial = (
        np.column_stack([np.ones(40), fit_formula(f"default ~ {term}", frame)[0].code(far)])
        for term in ("bs(age, df=3)", "poly(age, 3)")
    )
    coefficients, *_ = np.linalg.lstsq(spline, polynomial, rcond=None)
    np.testing.assert_allclose(spline @ coefficients, polynomial, rtol=1e-9, atol=1e-6)
    coding = fit_formula("default ~ bs(age, df=3, extrapolation='raise')", frame)[0]
    with pytest.raises(InvalidInputError, match="cannot be evaluated"):
        coding.code(far)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["5.0 %", "7.5 %"], "text that looks like numbers, such as '5.0 %' at data.iloc[0]. Write plain numbers."),
        (["12 345", "7"], "text that looks like numbers, such as '12 345' at data.iloc[0]. Write plain numbers."),
        (
            ["2", "1,5"],
            "numbers with commas, such as '1,5' at data.iloc[1].* by "
            "data['dose'] = pandas.to_numeric(data['dose'].str.replace(',', '.'))",
        ),
        (
            ["1,101.50", "2"],
            "with commas between thousands, such as '1,101.50' at data.iloc[0]. Write the numbers without",
        ),
        (["2", "5", "?", "7", "9"], "1 of its 5 values is not a number ('?' at data.iloc[2]). Correct it, or leave"),
    ],
)
def test_numbers_with_signs_are_not_coded_as_categories_in_silence(texts, told):
    # the index has no part in the numbers of the rows
    frame = pd.DataFrame({"y": np.arange(len(texts)), "x": 1.0 * np.arange(len(texts)), "dose": texts}).set_index("x")
    frame = frame.assign(x=frame.index)
    for terms in (".", "x + dose", "x * `dose`"):
        with pytest.raises(InvalidInputError) as caught:
            fit_formula(f"y ~ {terms}", frame)
        for part in told.split(".*"):
            assert part in str(caught.value)
        # all such columns at once
        with pytest.raises(InvalidInputError) as of_three:
            fit_formula(f"y ~ {terms} + more + most", frame.assign(more=texts, most=texts))
        assert str(of_three.value) == f"{caught.value} The same must be done for the columns ['more', 'most']."
        # not for a column with another fault
        other = ["2 %", "3 %"] if "1,5" in texts else ["2", "1,5", "3", "4", "5"][: len(texts)]
        with pytest.raises(InvalidInputError) as of_two:
            fit_formula(f"y ~ {terms} + more", frame.assign(more=other))
        assert str(of_two.value) == f"{caught.value} The column 'more' must be made numbers too."
        assert "are categories, write C(dose) in the formula." in str(caught.value) or "thousands" in told
        # as after rows with gaps were left out
        with pytest.raises(InvalidInputError) as moved:
            fit_formula(f"y ~ {terms}", frame, places=np.arange(len(texts)) + 396)
        later = re.sub(r"iloc\[(\d)", lambda found: f"iloc[{int(found[1]) + 396}", str(caught.value))
        assert str(moved.value) == later
        with pytest.raises(InvalidInputError) as of_categories:
            fit_formula(f"y ~ {terms}", frame.astype({"dose": "category"}))
        assert str(of_categories.value) == str(caught.value)
    # who writes C() means it
    for made in (frame, frame.astype({"dose": "category"})):
        assert len(fit_formula("y ~ C(dose)", made)[0].names) == len(texts) - 1
