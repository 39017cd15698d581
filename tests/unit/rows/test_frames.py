import decimal
import subprocess
import sys
import textwrap
from datetime import date

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from nproc import NPClassifier, NPROCBand, NPROCDisplay, certify, np_threshold, npc, npc_multiclass, q_values
from nproc.comparison import compare_scores
from nproc.errors import InvalidInputError
from nproc.expression import gene_score
from nproc.groups import np_group_thresholds
from nproc.row_chunks import RowChunks
from nproc.rows.frames import as_column, as_table
from nproc.score_chunks import ScoreChunks

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed (extra [test])")
pl = pytest.importorskip("polars", reason="polars is not installed (extra [test])")
nw = pytest.importorskip("narwhals", reason="narwhals is not installed (extra [test])")
xr = pytest.importorskip("xarray", reason="xarray is not installed (extra [test])")

RNG = np.random.default_rng(3)
N = 240
Y = np.arange(N) % 2
ROWS = RNG.normal(size=(N, 2)) + 1.5 * Y[:, None]
SITES = np.where(np.arange(N) % 4 < 2, "north", "south")
TEXTS = np.where(Y == 0, "ill", "well")
X = pd.DataFrame(ROWS, columns=["a", "b"])
LEVELS = {"alpha": 0.3, "delta": 0.3, "random_state": 1}

TABLES = {
    "polars": pl.from_dict({"a": ROWS[:, 0], "b": ROWS[:, 1]}),
    "narwhals of polars": nw.from_native(pl.from_dict({"a": ROWS[:, 0], "b": ROWS[:, 1]})),
    "narwhals of pandas": nw.from_native(X),
    "pyarrow": pa.table({"a": ROWS[:, 0], "b": ROWS[:, 1]}),
    "pyarrow batch": pa.record_batch({"a": ROWS[:, 0], "b": ROWS[:, 1]}),
}
# a column of each library; reticulate sends vectors of R as lists, and factors as categoricals
COLUMNS = {
    "list": lambda values: values.tolist(),
    "tuple": lambda values: tuple(values.tolist()),
    "categorical": pd.Categorical,
    "polars": lambda values: pl.Series(values.tolist()),
    "polars table": lambda values: pl.DataFrame({"v": values.tolist()}),
    "narwhals": lambda values: nw.from_native(pl.Series(values.tolist()), series_only=True),
    "pyarrow": lambda values: pa.array(values.tolist()),
    "pyarrow chunks": lambda values: pa.chunked_array([values[:100].tolist(), values[100:].tolist()]),
    "pyarrow table": lambda values: pa.table({"v": values.tolist()}),
    "xarray": xr.DataArray,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_of_another_library_is_the_pandas_frame_with_its_names(table):
    pd.testing.assert_frame_equal(as_table(table, "X"), X)
    fit, expected = npc(table, Y, "lda", **LEVELS), npc(X, Y, "lda", **LEVELS)
    assert fit.feature_names == ("a", "b")
    np.testing.assert_array_equal(fit.thresholds, expected.thresholds)
    np.testing.assert_array_equal(fit.predict(table), expected.predict(X))
    assert fit.evaluate(table, Y).type2 == expected.evaluate(X, Y).type2
    assert fit.certify(table, Y).n_called1 == certify(expected, X, Y).n_called1
    chunks = list(fit.predict_chunks([table, table]))
    np.testing.assert_array_equal(np.concatenate(chunks), np.tile(expected.predict(X), 2))
    np.testing.assert_array_equal(NPClassifier("lda", **LEVELS).fit(table, Y).predict(table), expected.predict(X))
    np.testing.assert_array_equal(gene_score(table, Y), gene_score(X, Y))
    multi = npc_multiclass(table, Y, "lda", alphas=0.3, deltas=0.3, random_state=1)
    assert multi.evaluate(table, Y).counts.sum() == N


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*the names? of (a cluster|clusters) of the fit")
@pytest.mark.parametrize("library", ["polars", "narwhals of polars", "pyarrow"])
def test_formulas_groups_and_clusters_take_tables_of_other_libraries(library):
    frame = X.assign(y=TEXTS, site=SITES, person=np.arange(N))
    table = pa.Table.from_pandas(frame)
    if library != "pyarrow":
        table = pl.from_arrow(table)
    if library == "narwhals of polars":
        table = nw.from_native(table)
    options = {"class0": "ill", **LEVELS}
    for formula in ("y ~ a + b", "y ~ a + site"):
        fit = npc(formula, data=table, method="lda", **options)
        expected = npc(formula, data=frame, method="lda", **options)
        np.testing.assert_array_equal(fit.thresholds, expected.thresholds)
        # without y the labels are those of the formula
        assert fit.evaluate(table).type2 == expected.evaluate(frame).type2
    fit = npc("y ~ a + b", data=table, method="lda", groups="site", **options)
    assert fit.group_values == ("north", "south")
    assert fit.evaluate(table).overall.n0 == N // 2
    fit = npc("y ~ a + b", data=table, method="lda", clusters="person", **options)
    assert fit.evaluate(table).n0 == N // 2
    assert fit.certify(table, table["y"]).n0 == N // 2


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("labels", [Y, TEXTS, Y == 1], ids=["numbers", "texts", "Boolean"])
def test_labels_of_any_library_go_with_a_frame_at_every_face(column, labels):
    y, class0 = column(labels), labels[0].item()
    expected = npc(X, labels, "lda", class0=class0, **LEVELS)
    fit = npc(X, y, "lda", class0=class0, **LEVELS)
    np.testing.assert_array_equal(fit.thresholds, expected.thresholds)
    assert fit.evaluate(X, y).type2 == expected.evaluate(X, labels).type2
    assert fit.evaluate([(X, y)]).type2 == expected.evaluate(X, labels).type2
    assert fit.certify(X, y).n0 == certify(fit, X, y).n0 == N // 2
    model = NPClassifier("lda", class0=class0, **LEVELS).fit(X, y)
    np.testing.assert_array_equal(model.thresholds_, expected.thresholds)
    multi = npc_multiclass(X, y, "lda", priority=[class0, labels[1].item()], alphas=0.3, deltas=0.3, random_state=1)
    assert multi.evaluate(X, y).counts.sum() == N
    np.testing.assert_array_equal(
        q_values(X["a"], y, class0=class0), q_values(X["a"].to_numpy(), labels, class0=class0)
    )
    display = NPROCDisplay.from_predictions(y, X["a"], class0=class0, plot=False)
    assert display.band.n_splits == 1
    assert RowChunks.from_arrays(X, y, class0=class0).label_counts() == {class0: N // 2, labels[1].item(): N // 2}


@pytest.mark.filterwarnings("ignore:.*the names? of (a cluster|clusters) of the fit")
@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_groups_clusters_and_weights_of_any_library_go_with_a_frame(column):
    groups = column(SITES)
    fit = npc(X, Y, "lda", groups=groups, **LEVELS)
    assert fit.group_values == ("north", "south")
    np.testing.assert_array_equal(fit.predict(X, groups), npc(X, Y, "lda", groups=SITES, **LEVELS).predict(X, SITES))
    assert np_group_thresholds(X["a"], groups, alpha=0.3, delta=0.3).groups == ("north", "south")
    clusters = column(np.arange(N) // 2)
    assert npc(X, Y, "lda", clusters=clusters, **LEVELS).evaluate(X, Y, clusters).n0 == N // 2
    if column is not pd.Categorical and not hasattr(groups, "columns"):
        weights = np.linspace(1.0, 2.0, N)
        weighted = [npc(X, Y, "logistic", sample_weight=w, **LEVELS).thresholds for w in (weights, column(weights))]
        np.testing.assert_array_equal(*weighted)


SCORES = {
    "polars": pl.Series(ROWS[:, 0]),
    "polars table": pl.DataFrame({"score": ROWS[:, 0]}),
    "narwhals": nw.from_native(pl.Series(ROWS[:, 0]), series_only=True),
    "pyarrow": pa.array(ROWS[:, 0]),
    "pyarrow chunks": pa.chunked_array([ROWS[:100, 0], ROWS[100:, 0]]),
    "xarray": xr.DataArray(ROWS[:, 0], dims="row"),
    "xarray column": xr.DataArray(ROWS[:, :1]),
}


@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
def test_scores_of_any_library_are_the_same_scores(scores):
    expected = np_threshold(ROWS[:, 0], alpha=0.3, delta=0.3)
    assert np_threshold(scores, alpha=0.3, delta=0.3).value == expected.value
    assert np_threshold(ScoreChunks(scores), alpha=0.3, delta=0.3).value == expected.value
    twice = np_threshold(np.tile(ROWS[:, 0], 2), alpha=0.3, delta=0.3)
    assert np_threshold(ScoreChunks([scores, scores]), alpha=0.3, delta=0.3).value == twice.value
    band = NPROCBand.from_scores(scores, scores)
    assert band.at(0.3).type2 == NPROCBand.from_scores(ROWS[:, 0], ROWS[:, 0]).at(0.3).type2
    np.testing.assert_array_equal(q_values(scores, Y), q_values(ROWS[:, 0], Y))


def test_scores_of_several_methods_come_from_a_table_of_polars():
    names = ["one", "two"]
    frames = [pd.DataFrame(RNG.normal(shift, 1, size=(200, 2)), columns=names) for shift in (0, 1)]
    result = compare_scores(*map(pl.from_pandas, frames))
    assert result.names == compare_scores(*frames).names == ("one", "two")


def test_an_array_of_xarray_is_an_array_whatever_holds_its_numbers():
    expected = npc(ROWS, Y, "lda", **LEVELS)
    assert npc(xr.DataArray(ROWS, dims=("row", "column")), Y, "lda", **LEVELS).thresholds == expected.thresholds
    dask_array = pytest.importorskip("dask.array", reason="dask is not installed (extra [test])")
    lazy = xr.DataArray(dask_array.from_array(ROWS[:, 0], chunks=50))
    assert ScoreChunks(lazy).size == N
    assert "dask array of 5 blocks" in repr(ScoreChunks(lazy))
    plain = np_threshold(ROWS[:, 0], alpha=0.3, delta=0.3).value
    assert np_threshold(lazy, alpha=0.3, delta=0.3).value == plain


def test_what_is_no_table_yet_is_refused_with_its_own_reason():
    data = xr.Dataset({"a": ("row", ROWS[:, 0]), "b": ("row", ROWS[:, 1])})
    with pytest.raises(InvalidInputError, match=r"X is a Dataset of xarray.*give X\.to_dataframe\(\)"):
        npc(data, Y, "lda", **LEVELS)
    np.testing.assert_array_equal(npc(data.to_dataframe(), Y, "lda", **LEVELS).feature_names, ["a", "b"])
    with pytest.raises(InvalidInputError, match="the first chunk of scores is a Dataset"):
        ScoreChunks([data])
    for lazy in (TABLES["polars"].lazy(), nw.from_native(TABLES["polars"].lazy())):
        with pytest.raises(InvalidInputError, match=r"X is a LazyFrame of polars.*give X\.collect\(\)"):
            npc(lazy, Y, "lda", **LEVELS)
    pytest.importorskip("dask", reason="dask is not installed (extra [test])")
    dask_frame = pytest.importorskip("dask.dataframe", reason="dask's frames are not installed")
    with pytest.raises(InvalidInputError, match=r"X is a DataFrame of dask.*give X\.compute\(\)"):
        npc(dask_frame.from_pandas(X, npartitions=2), Y, "lda", **LEVELS)


def mixed_columns():
    return {
        "whole": [1, 2, 3],
        "whole with a gap": [1, None, 3],
        "number": [1.5, None, 2.5],
        "truth": [True, False, True],
        "truth with a gap": [True, None, False],
        "decimal": [decimal.Decimal("1.5"), None, decimal.Decimal("2.5")],
        "text": ["b", "a", None],
        "nothing": [None, None, None],
    }


MIXED = {
    "polars": lambda: pl.DataFrame(mixed_columns()),
    "narwhals": lambda: nw.from_native(pl.DataFrame(mixed_columns())),
    "pyarrow": lambda: pa.table(mixed_columns()),
}


@pytest.mark.parametrize("make", MIXED.values(), ids=MIXED)
def test_gaps_become_nan_and_truth_values_and_decimals_numbers(make):
    frame = as_table(make(), "X")
    numbers = {
        "whole": [1, 2, 3],
        "whole with a gap": [1, np.nan, 3],
        "number": [1.5, np.nan, 2.5],
        "truth with a gap": [1, np.nan, 0],
        "decimal": [1.5, np.nan, 2.5],
    }
    for name, values in numbers.items():
        assert frame[name].dtype.kind in "if", name
        np.testing.assert_array_equal(frame[name], values, err_msg=name)
    assert frame["truth"].dtype == bool
    assert frame["text"].tolist()[:2] == ["b", "a"]
    assert frame["text"].isna().tolist() == [False, False, True]
    assert frame["nothing"].isna().all()


def test_categories_stay_categories_in_their_order():
    kinds = {"any": pl.Categorical, "fixed": pl.Enum(["z", "b", "a"])}
    table = pl.DataFrame({name: pl.Series(["b", "a", None], dtype=kind) for name, kind in kinds.items()})
    frame = as_table(table, "X")
    assert frame["any"].cat.categories.tolist() == ["b", "a"]
    assert frame["fixed"].cat.categories.tolist() == ["z", "b", "a"]
    assert (frame["any"].cat.ordered, frame["fixed"].cat.ordered) == (False, True)
    # as polars itself does it where pyarrow is installed
    pd.testing.assert_frame_equal(frame, table.to_pandas())


def test_a_pipeline_sees_the_columns_of_a_polars_table_by_name():
    frame = X.assign(site=SITES)
    coded = make_column_transformer((OneHotEncoder(), ["site"]), remainder="passthrough")
    model = make_pipeline(coded, LogisticRegression())
    fits = [npc(table, Y, model, **LEVELS) for table in (frame, pl.from_pandas(frame))]
    np.testing.assert_array_equal(fits[0].thresholds, fits[1].thresholds)


@pytest.mark.parametrize("values", [[date(2020, 1, 1)] * N, [[1]] * N], ids=["dates", "lists"])
def test_columns_that_are_no_numbers_are_refused_by_name(values):
    with pytest.raises(InvalidInputError, match=r"X has columns that are not numbers: \['odd'\]"):
        npc(TABLES["polars"].with_columns(pl.Series("odd", values)), Y, "lda", **LEVELS)


def test_missing_numbers_of_polars_are_told_as_missing():
    table = pl.DataFrame({"a": [None, *ROWS[1:, 0]], "b": ROWS[:, 1]})
    with pytest.raises(InvalidInputError, match="X contains NaN: 1 missing value"):
        npc(table, Y, "lda", **LEVELS)
    with pytest.raises(InvalidInputError, match="scores0 must be finite, got 1 NaN"):
        np_threshold(table["a"])
    with pytest.raises(InvalidInputError, match="y has 1 missing"):
        npc(X, pl.Series([None, *TEXTS[1:].tolist()]), "lda", **LEVELS)


class ArrowOnly:
    """A table that gives its columns to Arrow and to nobody else, as DuckDB's does."""

    columns = ("a", "b")

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def test_a_table_that_only_arrow_can_read_is_read_by_pyarrow(monkeypatch):
    table = ArrowOnly(TABLES["pyarrow"])
    pd.testing.assert_frame_equal(as_table(table, "X"), X)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        InvalidInputError, match="X is a ArrowOnly, which is read by pyarrow, and pyarrow is not installed"
    ):
        as_table(table, "X")


@pytest.mark.slow
def test_polars_works_without_pyarrow():
    # in a process of its own, where the import of pyarrow fails
    code = """
        import sys

        class Blocked:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] == "pyarrow":
                    raise ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")

        sys.meta_path.insert(0, Blocked())
        import numpy as np, polars as pl
        from nproc import np_threshold, npc
        rng = np.random.default_rng(3)
        y = np.arange(240) % 2
        site = pl.Series(["n", "s", "s"] * 80, dtype=pl.Categorical)
        table = pl.DataFrame({"a": rng.normal(size=240) + y, "b": [None, True] * 120, "site": site, "y": y})
        fit = npc("y ~ a + C(site)", data=table, method="lda", alpha=0.3, delta=0.3, random_state=1)
        print(fit.evaluate(table).n0, fit.feature_names)
        print(npc(table.select("a", "b"), table["y"], "randomforest", alpha=0.3, delta=0.3, random_state=1).n0)
        print(np_threshold(table["a"], alpha=0.3, delta=0.3).n0, "pyarrow" in sys.modules)
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[:3] == ["120 ('a', 'site')", "120", "240 False"]


def test_a_column_keeps_what_it_is():
    series = pd.Series([1, 2], index=["columns", "b"])
    assert as_column(series, "groups") is series
    with pytest.raises(InvalidInputError, match="groups must be one value a row, got a table of 2 columns"):
        as_column(TABLES["polars"], "groups")
