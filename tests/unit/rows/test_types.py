"""nproc.rows.types: a CSV file of new rows is predicted as the frame that it was written from."""

import datetime

import numpy as np
import pandas as pd
import pytest
from pandas._libs.parsers import STR_NA_VALUES
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from nproc import load, npc, save
from nproc.cli import main
from nproc.errors import InvalidInputError, NPWarning
from nproc.rows import SIGNS_OF_GAPS, build_design

LEVELS = {"class0": "bad", "alpha": 0.2, "delta": 0.1, "random_state": 1}


def customers(n=600, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(["bad", "good"], n)
    good = y == "good"
    codes = np.where(rng.random(n) < np.where(good, 0.8, 0.3), "01", "02")
    status = np.where(rng.random(n) < np.where(good, 0.7, 0.2), "None", "NA")
    frame = pd.DataFrame({"code": codes, "status": status, "job": rng.choice(["a", "b"], n)})
    frame = frame.assign(n=rng.integers(0, 9, n), x=rng.normal(size=n) + good)
    return frame, y


def encoded():
    texts = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["code", "status", "job"]))
    return make_pipeline(texts, LogisticRegression())


class OnlyCategories(ClassifierMixin, BaseEstimator):
    """Refuses other columns than categories and whole numbers, as boosters do."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = LogisticRegression(max_iter=1000).fit(self._coded(X), y)
        return self

    def _coded(self, X):
        if not isinstance(X["code"].dtype, pd.CategoricalDtype) or X["n"].dtype != np.int64:
            raise ValueError("categorical columns do not match")
        return np.column_stack([X["code"].cat.codes, X["n"], X["x"]])

    def decision_function(self, X):
        return self.model_.decision_function(self._coded(X))


def test_the_signs_of_missing_values_are_those_of_pandas():
    assert set(SIGNS_OF_GAPS) == set(STR_NA_VALUES)


@pytest.mark.slow
@pytest.mark.parametrize("method", [encoded(), OnlyCategories()], ids=["pipeline", "categories"])
def test_a_csv_file_is_predicted_as_the_frame_that_it_was_written_from(method, tmp_path, monkeypatch):
    frame, y = customers()
    new, truth = customers(seed=1)
    if isinstance(method, OnlyCategories):
        # in an order of their own
        kind = pd.CategoricalDtype(["02", "01"])
        frame, new = (part.astype({"code": kind}) for part in (frame, new))
    fit = npc(frame, y, method, **LEVELS)
    model, path, out = save(fit, tmp_path / "m.joblib"), tmp_path / "new.csv", tmp_path / "out.csv"
    new.assign(y=truth).to_csv(path, index=False)
    expected = fit.predict(new)
    for part_rows in (10_000, 70):
        monkeypatch.setattr("nproc.cli.files.PART_ROWS", part_rows)
        main(["predict", str(model), str(path), "--out", str(out)])
        np.testing.assert_array_equal(pd.read_csv(out)["predicted"], expected)
    np.testing.assert_array_equal(np.concatenate(list(load(model).predict_chunks(str(path)))), expected)
    errors = fit.evaluate(new, truth)
    for command in (["certify", str(model), str(path), "--label", "y"], ["report", str(model), "--new", str(path)]):
        more = ["--label", "y", "--out", str(tmp_path / "r.md")] if command[0] == "report" else ["--json", str(out)]
        main(command + more)
    assert f" {errors.n_false1} " in " ".join((tmp_path / "r.md").read_text(encoding="utf-8").split())
    assert f'"n_called1": {errors.n_false1}' in out.read_text()


def test_text_that_came_back_as_numbers_is_refused_by_name_and_as_missing_is_told():
    frame, y = customers()
    fit = npc(frame, y, encoded(), **LEVELS)
    new = customers(seed=1)[0]
    with pytest.raises(InvalidInputError, match=r"column 'code' of X holds numbers, and held text at the fit.*'str'"):
        fit.predict(new.assign(code=new["code"].astype(int)))
    with pytest.warns(NPWarning, match=r"'status' of X has missing values and had none at the fit, where 'NA' was"):
        fit.predict(new.assign(status=new["status"].where(new["status"] != "None")))


def test_a_text_that_means_missing_stays_missing_where_the_fit_had_no_such_text(tmp_path):
    frame, y = customers()
    frame["status"] = frame["status"].replace({"NA": np.nan, "None": "rich"})
    fit = npc(frame, y, encoded(), **LEVELS)
    assert fit.design.texts == {"code": (), "status": (), "job": ()}
    new = customers(seed=1)[0]
    new["status"] = new["status"].replace({"None": "rich"})
    new.to_csv(tmp_path / "new.csv", index=False)
    labels = np.concatenate(list(fit.predict_chunks(str(tmp_path / "new.csv"))))
    np.testing.assert_array_equal(labels, fit.predict(new.assign(status=new["status"].replace({"NA": np.nan}))))


def test_formulas_know_the_texts_of_their_categories(tmp_path):
    frame, y = customers()
    fit = npc("y ~ code + status + x", data=frame.assign(y=y), method="lda", **LEVELS)
    assert fit.design.texts == {"code": (), "status": ("NA", "None")}
    new = customers(seed=1)[0]
    new.to_csv(tmp_path / "new.csv", index=False)
    labels = np.concatenate(list(fit.predict_chunks(str(tmp_path / "new.csv"))))
    np.testing.assert_array_equal(labels, fit.predict(new))


def test_a_new_category_stands_behind_the_known_ones_and_columns_of_other_kinds_stay_as_they_are():
    frame, _ = customers()
    frame = frame.astype({"job": "category"}).assign(lists=[[1]] * len(frame), when=pd.Timestamp("2020-01-01"))
    design = build_design(frame, numeric=False).design
    new = frame.astype({"job": object}).assign(job="c", n=frame["n"] + 0.5)
    with pytest.warns(NPWarning, match="column 'job' of X has 'c'"):
        found = design.transform(new)
    pd.testing.assert_frame_equal(found, new.assign(job=pd.Categorical(new["job"], categories=["a", "b", "c"])))
    kinds = design.transform(new.assign(job="b", n=3.0)).dtypes.astype(str)
    assert kinds[["job", "n"]].tolist() == ["category", "int64"]


def test_columns_of_numbers_are_no_texts():
    frame, y = customers()
    fit = npc(frame[["n", "x"]], y, make_pipeline(StandardScaler(), LogisticRegression()), **LEVELS)
    assert fit.design.texts == {}


def test_a_step_that_compares_texts_sees_them(tmp_path):
    frame, y = customers()
    coded = FunctionTransformer(lambda table: table.assign(code=(table["code"] == "01").astype(int))[["code", "x"]])
    fit = npc(frame, y, make_pipeline(coded, LogisticRegression()), **LEVELS)
    new = customers(seed=1)[0]
    new.to_csv(tmp_path / "new.csv", index=False)
    labels = np.concatenate(list(fit.predict_chunks(str(tmp_path / "new.csv"))))
    np.testing.assert_array_equal(labels, fit.predict(new))


def with_gaps(frame, y, signs, kind):
    """Return a frame with a column of objects whose values are missing in many rows, by each sign in turn."""
    rng = np.random.default_rng(len(frame))
    values = frame["job"].map({"a": 1, "b": 2} if kind == "whole numbers" else {"a": "a", "b": "b"}).to_numpy(object)
    missing = np.flatnonzero(rng.random(len(frame)) < np.where(y == "good", 0.6, 0.1))
    for number, sign in enumerate(signs):
        values[missing[number :: len(signs)]] = sign
    return pd.DataFrame({"job": pd.Series(values, dtype=object), "x": frame["x"]})


@pytest.mark.parametrize("kind", ["texts", "whole numbers"])
@pytest.mark.parametrize("signs", [(), (None,), (np.nan,)])
@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(),
        OneHotEncoder(handle_unknown="ignore"),
        OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-9, encoded_missing_value=-3),
    ],
    ids=["strict", "lenient", "ordinal"],
)
def test_a_gap_in_a_file_is_the_missing_value_that_the_fit_had(encoder, signs, kind, tmp_path):
    (frame, y), (new, truth) = customers(), customers(seed=1)
    frame, new = with_gaps(frame, y, signs, kind), with_gaps(new, truth, signs, kind)
    coded = make_column_transformer((encoder, ["job"]), remainder="passthrough")
    fit = npc(frame, y, make_pipeline(coded, LogisticRegression()), **LEVELS)
    model, path, out = save(fit, tmp_path / "m.joblib"), tmp_path / "new.csv", tmp_path / "out.csv"
    new.to_csv(path, index=False)
    expected = fit.predict(new)
    assert main(["predict", str(model), str(path), "--out", str(out)]) == 0
    np.testing.assert_array_equal(pd.read_csv(out)["predicted"], expected)
    np.testing.assert_array_equal(fit.predict(pd.read_csv(path)), expected)
    # rows without a gap, as a part of a file may be
    there = new["job"].notna()
    np.testing.assert_array_equal(fit.predict(pd.DataFrame(new[there].to_dict("list"))), expected[there])
    # a missing value is one that counts
    filled = new.assign(job=new["job"].where(there, new["job"].dropna().iloc[0]))
    assert (fit.predict(filled) != expected).any() == bool(signs)


def test_whole_numbers_among_objects_stay_whole():
    frame = with_gaps(*customers(), (None,), "whole numbers")
    design = build_design(frame, numeric=False).design
    found = design.transform(frame.astype({"job": float}))
    assert found["job"].tolist() == frame["job"].tolist()
    assert {type(value) for value in found["job"]} == {int, type(None)}


def test_two_signs_for_missing_values_at_the_fit_are_told_where_one_is_left():
    (frame, y), (new, truth) = customers(), customers(seed=1)
    frame, new = (with_gaps(*rows, (None, np.nan), "texts") for rows in ((frame, y), (new, truth)))
    coded = make_column_transformer((OneHotEncoder(), ["job"]), remainder="passthrough")
    fit = npc(frame, y, make_pipeline(coded, LogisticRegression()), **LEVELS)
    # both are there
    fit.predict(new)
    with pytest.warns(NPWarning, match=r"'job' of X has NaN .* had both None and NaN at the fit.*X\['job'\]\.fillna"):
        fit.predict(new.assign(job=new["job"].fillna(np.nan)))


DATES = {
    "dates": pd.date_range("2024-01-01", periods=600),
    "dates of a zone": pd.date_range("2024-01-01", periods=600, tz="UTC"),
    "spans": pd.to_timedelta(np.arange(600), unit="D"),
    "periods": pd.period_range("2024-01", periods=600, freq="D"),
    "objects": pd.Series([None, *[datetime.date(2024, 1, 1)] * 599], dtype=object),
}


@pytest.mark.parametrize("dates", list(DATES))
def test_dates_in_the_place_of_numbers_are_refused_by_name(dates, tmp_path, capsys):
    (frame, y), (new, _) = customers(), customers(seed=1)
    # such a scaler takes dates for nanoseconds
    scaled = make_column_transformer((StandardScaler(), ["n"]), (StandardScaler(), ["x"]))
    new = new[["n", "x"]].assign(x=DATES[dates])
    told = r"column 'x' of X holds dates or times, and held none at the fit\. Give it as numbers"
    for method in (make_pipeline(scaled, LogisticRegression()), make_pipeline(StandardScaler(), LogisticRegression())):
        fit = npc(frame[["n", "x"]], y, method, **LEVELS)
        for call in (fit.predict, fit.decision_function, lambda rows, fit=fit: list(fit.predict_chunks([rows]))):
            with pytest.raises(InvalidInputError, match=told):
                call(new)
    model, path = save(fit, tmp_path / "m.joblib"), tmp_path / "new.parquet"
    if dates != "periods":
        new.to_parquet(path)
        assert main(["predict", str(model), str(path)]) == 2
        assert "column 'x' of X holds dates or times" in capsys.readouterr().err
    new.to_csv(path.with_suffix(".csv"), index=False)
    assert main(["predict", str(model), str(path.with_suffix(".csv"))]) == 2
    assert "column 'x' has text '" in capsys.readouterr().err
    # by position, where the fit knows no names
    fit = npc(frame[["n", "x"]].to_numpy(), y, method, **LEVELS)
    with pytest.raises(InvalidInputError, match=told.replace("'x'", "1")):
        fit.predict(new.to_numpy())
    fit = npc(frame[["n", "x"]].set_axis([0, 1], axis=1), y, method, **LEVELS)
    with pytest.raises(InvalidInputError, match=told.replace("'x'", "1")):
        fit.predict(new.set_axis([0, 1], axis=1))


def test_an_array_of_dates_is_refused_and_dates_of_the_fit_are_not():
    frame, y = customers()
    fit = npc(frame[["n", "x"]].to_numpy(), y, make_pipeline(StandardScaler(), LogisticRegression()), **LEVELS)
    with pytest.raises(InvalidInputError, match="column 0 of X holds dates or times"):
        fit.predict(np.full((3, 2), np.datetime64("2024-01-01")))
    months = FunctionTransformer(lambda table: table.assign(when=table["when"].dt.month))
    frame = frame[["x"]].assign(when=DATES["dates"])
    fit = npc(frame, y, make_pipeline(months, LogisticRegression()), **LEVELS)
    assert len(fit.predict(frame)) == 600


def test_new_categories_of_a_method_that_takes_them_are_told_with_their_column_and_scored_as_missing():
    frame, y = customers()
    frame = frame[["x", "job"]].astype({"job": "category"})
    booster = HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype")
    fit = npc(frame, y, booster, **LEVELS)
    new = pd.DataFrame({"x": [0.0, 1.0, 2.0], "job": ["a", "b", "c"]})
    missing = fit.decision_function(new.assign(job=["a", "b", None]))
    for rows in (new, new.astype({"job": "category"})):
        with pytest.warns(NPWarning, match=r"column 'job' of X has 'c'.*known: \['a', 'b'\]"):
            np.testing.assert_array_equal(fit.decision_function(rows), missing)


def test_new_categories_are_not_told_where_an_encoder_says_what_becomes_of_them():
    frame, y = customers()
    frame = frame.astype({"job": "category"})
    assert len(npc(frame, y, encoded(), **LEVELS).predict(frame[:3].assign(job=["a", "b", "c"]))) == 3


def test_new_categories_are_told_of_the_columns_alone_that_come_to_the_model_past_the_encoder():
    frame, y = customers()
    frame = frame.astype({"job": "category", "code": "category", "status": "category"})
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["job"]),
        ("drop", ["status"]),
        remainder="passthrough",
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    fit = npc(frame, y, make_pipeline(coded, HistGradientBoostingClassifier(max_iter=5)), **LEVELS)
    new = frame[:3].assign(job=["a", "b", "c"], status="Monday")
    assert len(fit.predict(new)) == 3
    with pytest.warns(NPWarning, match=r"column 'code' of X has '03'.*CatBoost and TargetEncoder use a value") as heard:
        fit.predict(new.assign(code=["01", "02", "03"]))
    assert len(heard) == 1


def test_new_categories_of_a_column_are_told_once_a_call_however_many_chunks_have_some():
    frame, y = customers()
    frame = frame[["x", "job"]].astype({"job": "category"})
    fit = npc(frame, y, HistGradientBoostingClassifier(max_iter=5, categorical_features="from_dtype"), **LEVELS)
    chunks = [frame[:3].astype({"job": object}).assign(job=["a", "b", new]) for new in "cde"]
    labels = [y[:3]] * 3
    for call in (
        lambda: list(fit.predict_chunks(chunks)),
        lambda: fit.evaluate(zip(chunks, labels, strict=True)),
        lambda: fit.evaluate(chunks[0], labels[0]),
        lambda: fit.predict(chunks[0]),
    ):
        with pytest.warns(NPWarning) as heard:
            call()
        assert ["has 'c', which the fit did not have" in str(one.message) for one in heard] == [True]
    # between two chunks the calls of others warn by themselves
    with pytest.warns(NPWarning) as heard:
        assert [len(fit.predict(chunks[0])) for _ in fit.predict_chunks(chunks)] == [3, 3, 3]
    assert len(heard) == 4


def test_a_method_for_categories_gets_them_also_where_a_row_has_a_new_one():
    frame, y = customers()
    fit = npc(frame.astype({"code": "category"}), y, OnlyCategories(), **LEVELS)
    new = frame.assign(code=["03", *frame["code"][1:]])
    with pytest.warns(NPWarning, match="column 'code' of X has '03'"):
        found = fit.decision_function(new)
    np.testing.assert_array_equal(found[1:], fit.decision_function(frame)[1:])
